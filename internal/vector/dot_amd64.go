package vector

import "golang.org/x/sys/cpu"

// haveDots4 says whether this processor has the instructions of dots4.
var haveDots4 = cpu.X86.HasAVX2

// dots4 writes the products of q with groups × 4 rows into dst; a row has bytes bytes, a
// multiple of 32. The same bits as dot.
//
//go:noescape
func dots4(dst *float64, q, rows *float32, groups, bytes int)
