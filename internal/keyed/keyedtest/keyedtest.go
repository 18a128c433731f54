// Package keyedtest reads in tests what internal/keyed writes for an engine.
package keyedtest

import (
	"bytes"
	"strconv"
	"testing"
)

// Frames adds the text of each frame to out, by the frame's name. Anything else fails the test.
func Frames(t testing.TB, text []byte, out map[string]string) {
	t.Helper()
	for len(text) > 0 {
		head, rest, ok := bytes.Cut(text, []byte("\n"))
		name, size, _ := bytes.Cut(head, []byte("\t"))
		n, err := strconv.Atoi(string(size))
		if !ok || err != nil || n > len(rest) {
			t.Fatalf("no frame: %.80q", text)
		}
		out[string(name)] += string(rest[:n])
		text = rest[n:]
	}
}
