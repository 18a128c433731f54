package openie

import (
	"strings"
	"testing"
	"time"
)

// Time grows with the length of a text, not with its square: 75 KB of foreign text
// take seconds at most on a slow machine, whatever they repeat.
func TestLongText(t *testing.T) {
	for _, s := range []string{
		"我喜欢" + strings.Repeat("绿茶", 12_500) + "。", "I love " + strings.Repeat("tea ", 17_500) + ".",
		strings.Repeat("我喜欢绿茶，也讨厌咖啡。", 2_000), strings.Repeat("I love tea. I hate coffee. ", 2_500),
		strings.Repeat("，", 25_000), strings.Repeat("“", 25_000), strings.Repeat("我", 25_000), strings.Repeat("a", 75_000),
		strings.Repeat("《", 12_500) + strings.Repeat("》", 12_500), strings.Repeat("最喜欢的", 6_000), strings.Repeat("I ", 112_500), strings.Repeat("...", 25_000),
	} {
		for _, ops := range []bool{false, true} {
			began := time.Now()
			Triples(s, TripleOptions{Ops: ops})
			Facts([]Line{{Text: s}})
			if d := time.Since(began); d > 15*time.Second {
				t.Errorf("%.20s… (%d bytes, ops %v): %v", s, len(s), ops, d)
			} else if d > time.Second {
				t.Logf("%.20s… (%d bytes, ops %v): %v", s, len(s), ops, d)
			}
		}
	}
}
