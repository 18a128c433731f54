//go:build !amd64

package vector

const haveDots4 = false

func dots4(dst *float64, q, rows *float32, groups, bytes int) {
	panic("vector: no dots4 on this processor")
}
