// Package resident keeps what a process holds in memory to what it uses.
//
// Starting runs the initialisers of some 300 packages, and the kernel maps 64 KiB around
// each page of the program's file that they touch. This package needs little, so its own
// initialiser runs about half-way, and releases while the others run: without it a process
// that then works in 20 MiB has a peak of 42 before its first own line (docs/adr/0013). As
// that takes a quarter of the start's processor time, only the stages do so whose peak is
// given in docs/performance.md.
package resident

import (
	"os"
	"slices"
	"sync"
	"time"
)

// stages are the commands that release while they start.
var stages = []string{"annotate", "chain", "claimify", "compile-claims", "cypher", "diff", "export", "load-neo4j", "migrate", "shard", "to-graph", "trace", "validate", "view"}

func init() {
	if !slices.ContainsFunc(os.Args, func(a string) bool { return slices.Contains(stages, a) }) {
		return
	}
	Release()
	go func() { // for as long as the start takes
		for range 10 {
			time.Sleep(time.Millisecond)
			Release()
		}
	}()
}

// often is how long a page may stay that was used once.
const often = 50 * time.Millisecond

// Keep releases again and again, until end is called.
func Keep() (end func()) {
	Release()
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(often)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				Release()
			}
		}
	})
	return func() { close(done); wg.Wait() }
}
