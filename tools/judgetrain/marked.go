package main

import (
	"fmt"
	"hash/fnv"
)

func draw32(parts ...any) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, parts...)
	x := h.Sum32()
	x ^= x >> 15
	x *= 2246822519
	return x ^ x>>13
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// marked counts how many of each name are marked.
type marked map[string][2]int

func (m marked) add(name string, is bool) {
	c := m[name]
	m[name] = [2]int{c[0] + b2i(is), c[1] + 1}
}

func (m marked) share(name string) float64 { return share(m[name]) }

func share(c [2]int) float64 { return float64(c[0]) / float64(max(1, c[1])) }
