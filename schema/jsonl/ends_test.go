package jsonl

import (
	"bytes"
	"strings"
	"testing"
)

func TestIndexEnd(t *testing.T) {
	for _, before := range []int{0, 1, 255, 256, 257, 767, 768, 5000} {
		for _, end := range []string{"", "\n", "\r", "\r\n", "\n\r"} {
			for _, behind := range []int{0, 1, 300} {
				b := []byte(strings.Repeat("x", before) + end + strings.Repeat("\n", behind))
				if have, want := indexEnd(b), bytes.IndexAny(b, "\r\n"); have != want {
					t.Errorf("%d bytes, %q, %d bytes: have %d, want %d", before, end, behind, have, want)
				}
			}
		}
	}
}
