// Package vector searches unit vectors by cosine, exactly.
//
// A product has the same bits on every processor, with vector instructions or without
// (see lanes), so that no ranking depends on the machine.
package vector

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// An Index is a flat list of vectors of one length; 4 bytes per dimension and record,
// dimensions rounded up to a multiple of 8. The zero Index is empty. Reads may run in
// parallel.
type Index struct {
	dim    int
	stride int // dim, rounded up to lanes; what is beyond dim is zero
	all    []float32
}

// Add appends a vector and returns its number, from 0. Vectors must have one length.
func (x *Index) Add(v []float32) int {
	if x.dim == 0 {
		x.dim = len(v)
		x.stride = (x.dim + lanes - 1) / lanes * lanes
	}
	x.check(v)
	x.all = append(x.all, v...)
	var zero [lanes]float32
	x.all = append(x.all, zero[:x.stride-x.dim]...)
	return x.Len() - 1
}

func (x *Index) check(v []float32) {
	if len(v) != x.dim {
		panic("vector: length differs from the index") // a caller mixes embedders
	}
}

// Set replaces vector i.
func (x *Index) Set(i int, v []float32) {
	x.check(v)
	copy(x.At(i), v)
}

// Len is how many vectors there are.
func (x *Index) Len() int {
	if x.dim == 0 {
		return 0
	}
	return len(x.all) / x.stride
}

// At is vector i; it must not be changed.
func (x *Index) At(i int) []float32 { return x.all[i*x.stride:][:x.dim:x.dim] }

// From is the vectors from number i on; x keeps them.
func (x *Index) From(i int) *Index { return &Index{x.dim, x.stride, x.all[i*x.stride:]} }

// Clone copies the index.
func (x *Index) Clone() Index { return Index{x.dim, x.stride, append([]float32(nil), x.all...)} }

// padded is q with zeros up to the stride.
func (x *Index) padded(q []float32) []float32 {
	x.check(q)
	if x.stride == x.dim {
		return q
	}
	out := make([]float32, x.stride)
	copy(out, q)
	return out
}

const (
	// parallelFrom is how many numbers are worth a second goroutine (about 0.2 ms of work).
	parallelFrom = 1 << 20
	// share is how many numbers a goroutine takes at a time: few enough that none waits
	// long for another that lost its processor, enough that taking them costs nothing.
	share = 1 << 18
)

// Dots writes the product of q with every vector into dst, grown as needed. Large
// indexes are cut among the processors; the result is the same.
func (x *Index) Dots(dst []float64, q []float32) []float64 {
	n := x.Len()
	if cap(dst) < n {
		dst = make([]float64, n)
	}
	dst = dst[:n]
	if n == 0 {
		return dst
	}
	q = x.padded(q)
	workers := runtime.GOMAXPROCS(0)
	if len(x.all) < parallelFrom || workers == 1 {
		x.dots(dst, q, 0)
		return dst
	}
	rows := max(1, share/x.stride)
	var next atomic.Int64
	work := func() {
		for {
			to := int(next.Add(int64(rows)))
			from := to - rows
			if from >= n {
				return
			}
			x.dots(dst[from:min(to, n)], q, from)
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	return dst
}

// dots writes the products of q, padded, with the vectors from number from on.
func (x *Index) dots(dst []float64, q []float32, from int) {
	i := 0
	if groups := len(dst) / 4; haveDots4 && groups > 0 {
		dots4(&dst[0], &q[0], &x.all[from*x.stride], groups, 4*x.stride)
		i = 4 * groups
	}
	for ; i < len(dst); i++ {
		dst[i] = dot(q, x.all[(from+i)*x.stride:][:x.stride])
	}
}

// Dot is the product of q with vector i: the cosine when both have length 1, in [-1,1].
func (x *Index) Dot(q []float32, i int) float64 {
	return dot(x.padded(q), x.all[i*x.stride:][:x.stride])
}
