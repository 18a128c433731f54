package graphir

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Keys sort as their texts do, whatever follows them, and are read back; zero bytes and texts that start others are among them.
func TestKeysSortAsTheirTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		b := make([]byte, rng.IntN(n))
		for i := range b {
			b[i] = []byte{0, 1, 'a', 0xff}[rng.IntN(4)]
		}
		return string(b)
	}
	for range 20_000 {
		a, b := text(5), text(5)
		ka, kb := appendKey(nil, a), appendKey(nil, b)
		if c := bytes.Compare(append(ka, text(3)...), append(kb, text(3)...)); a != b && (c < 0) != (a < b) {
			t.Fatalf("%q and %q: their keys compare as %d", a, b, c)
		}
		rest := text(3)
		if s, left := cutKey(append(appendKey(nil, a), rest...)); string(s) != a || string(left) != rest {
			t.Fatalf("%q before %q was read as %q before %q", a, rest, s, left)
		}
		c := cutter{b: append(appendKey(nil, a), rest...)}
		if c.key(); c.bad || string(c.b) != rest {
			t.Fatalf("%q before %q is not a key to the cutter", a, rest)
		}
	}
}
