package openie

import (
	"strings"
	"testing"
	"time"
)

// Time grows with the length of a text, not with its square: 75 KB of foreign text
// take seconds at most, whatever they repeat. A machine that is only slow (the race
// detector, other work) is slow with a quarter of the text, too, and no fault.
func TestLongText(t *testing.T) {
	read := func(s string, ops bool) time.Duration {
		began := time.Now()
		Triples(s, TripleOptions{Ops: ops})
		Facts([]Line{{Text: s}})
		return time.Since(began)
	}
	for _, text := range []func(n int) string{
		func(n int) string { return "我喜欢" + strings.Repeat("绿茶", n) + "。" },
		func(n int) string { return "I love " + strings.Repeat("tea ", n) + "." },
		func(n int) string { return strings.Repeat("我喜欢绿茶，也讨厌咖啡。", n/6) },
		func(n int) string { return strings.Repeat("I love tea. I hate coffee. ", n/5) },
		func(n int) string { return strings.Repeat("，", 2*n) },
		func(n int) string { return strings.Repeat("“", 2*n) },
		func(n int) string { return strings.Repeat("我", 2*n) },
		func(n int) string { return strings.Repeat("a", 6*n) },
		func(n int) string { return strings.Repeat("《", n) + strings.Repeat("》", n) },
		func(n int) string { return strings.Repeat("最喜欢的", n/2) },
		func(n int) string { return strings.Repeat("I ", 9*n) },
		func(n int) string { return strings.Repeat("...", 2*n) },
	} {
		for _, ops := range []bool{false, true} {
			s := text(12_500)
			if d := read(s, ops); d > 15*time.Second {
				if quarter := read(text(12_500/4), ops); d > 10*quarter { // 4 by length, 16 by its square
					t.Errorf("%.20s… (%d bytes, ops %v): %v, a quarter of it %v", s, len(s), ops, d, quarter)
				}
			}
		}
	}
}
