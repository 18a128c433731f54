// Package vector searches unit vectors by cosine, exactly.
package vector

import (
	"runtime"
	"sync"
)

// An Index is a flat list of vectors of one length; 4 bytes per dimension and
// record. The zero Index is empty. Reads may run in parallel.
type Index struct {
	dim int
	all []float32
}

// Add appends a vector and returns its number, from 0. Vectors must have one length.
func (x *Index) Add(v []float32) int {
	if x.dim == 0 {
		x.dim = len(v)
	}
	if len(v) != x.dim {
		panic("vector: length differs from the index") // a caller mixes embedders
	}
	x.all = append(x.all, v...)
	return len(x.all)/x.dim - 1
}

// Set replaces vector i.
func (x *Index) Set(i int, v []float32) { copy(x.all[i*x.dim:(i+1)*x.dim], v) }

// Len is how many vectors there are.
func (x *Index) Len() int {
	if x.dim == 0 {
		return 0
	}
	return len(x.all) / x.dim
}

// At is vector i; not to be changed.
func (x *Index) At(i int) []float32 { return x.all[i*x.dim : (i+1)*x.dim] }

// Clone copies the index.
func (x *Index) Clone() Index { return Index{x.dim, append([]float32(nil), x.all...)} }

// parallelFrom is how many numbers are worth a second goroutine (about 0.2 ms of work).
const parallelFrom = 1 << 20

// Dots writes the product of q with every vector into dst, grown as needed. Large
// indexes are cut among the processors; the result is the same.
func (x *Index) Dots(dst []float64, q []float32) []float64 {
	n := x.Len()
	if cap(dst) < n {
		dst = make([]float64, n)
	}
	dst = dst[:n]
	part := func(from, to int) {
		for i := from; i < to; i++ {
			dst[i] = x.Dot(q, i)
		}
	}
	workers := runtime.GOMAXPROCS(0)
	if len(x.all) < parallelFrom || workers == 1 {
		part(0, n)
		return dst
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { part(n*w/workers, n*(w+1)/workers) })
	}
	wg.Wait()
	return dst
}

// Dot is the product of q with vector i: the cosine when both have length 1, in [-1,1].
func (x *Index) Dot(q []float32, i int) float64 {
	v := x.all[i*x.dim : (i+1)*x.dim]
	var a, b, c, d float32
	j := 0
	for ; j+3 < len(v); j += 4 {
		a += q[j] * v[j]
		b += q[j+1] * v[j+1]
		c += q[j+2] * v[j+2]
		d += q[j+3] * v[j+3]
	}
	for ; j < len(v); j++ {
		a += q[j] * v[j]
	}
	return float64(a) + float64(b) + float64(c) + float64(d)
}
