package jsonl

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func linesOf(t testing.TB, in []byte, max int) (out []string) {
	for l, err := range Lines(bytes.NewReader(in), "f", max) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%v %v %q", l.Pos, l.TooLong, l.Bytes))
	}
	return out
}

func blockLinesOf(t testing.TB, r io.Reader, size, max int) (out []string) {
	for b, err := range blocks(r, "f", size, max, make(chan []byte, spareBlocks)) {
		if err != nil {
			t.Fatal(err)
		}
		for l := range b.Lines() {
			out = append(out, fmt.Sprintf("%v %v %q", l.Pos, l.TooLong, l.Bytes))
		}
		if !b.TooLong {
			b.Release()
		}
	}
	return out
}

// Blocks hold the lines that Lines yields, whatever the sizes and the ends of lines.
func TestBlocksAgreeWithLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		var b strings.Builder
		if rng.IntN(4) == 0 {
			b.WriteString("\ufeff")
		}
		for range rng.IntN(30) {
			b.WriteString(strings.Repeat("中x ", rng.IntN(12)))
			b.WriteString([]string{"\n", "\n", "\r\n", "\r", "\n\n", " \n", ""}[rng.IntN(7)])
		}
		in := []byte(b.String())
		max := 20 + rng.IntN(60)
		size := 8 + rng.IntN(60)
		want := linesOf(t, in, max)
		var r io.Reader = bytes.NewReader(in)
		if rng.IntN(2) == 0 {
			r = iotest.OneByteReader(r)
		}
		if got := blockLinesOf(t, r, size, max); !slices.Equal(got, want) {
			t.Fatalf("size %d, max %d, %q:\nhave %v\nwant %v", size, max, in, got, want)
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add([]byte("a\r\n\r\nb\rc\n"), 9, 30)
	f.Fuzz(func(t *testing.T, in []byte, size, max int) {
		if size < 8 || size > 1000 || max < 1 || max > 1000 {
			return
		}
		if got, want := blockLinesOf(t, bytes.NewReader(in), size, max), linesOf(t, in, max); !slices.Equal(got, want) {
			t.Fatalf("have %q\nwant %q", got, want)
		}
	})
}
