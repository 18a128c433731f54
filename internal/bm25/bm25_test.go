package bm25

import (
	"fmt"
	"testing"
)

func TestScores(t *testing.T) {
	var x Index
	for i, s := range []string{"我最喜欢的作家是夏目漱石", "我养了一只猫", "She paints sunsets", "I went hiking"} {
		x.Set(i, s)
	}
	best := func(q string) int {
		at, top := -1, 0.0
		for d, s := range x.Scaled(nil, q, 4, nil, 0) {
			if s < 0 || s > 1 {
				t.Errorf("score %v of %q is outside [0,1]", s, q)
			}
			if s > top {
				at, top = d, s
			}
		}
		return at
	}
	for q, want := range map[string]int{"你最喜欢哪个作家": 0, "猫叫什么": -1, "养猫": 1, "what did she paint": 2, "hikes": 3, "nothing here": -1} {
		if got := best(q); got != want && want >= 0 {
			t.Errorf("%q: have %d, want %d", q, got, want)
		}
	}
	x.Set(0, "now about painting")
	x.Remove(2)
	if got := best("paint"); got != 0 {
		t.Errorf("after Set and Remove: have %d, want 0", got)
	}
	if x.Scaled(nil, "作家", 4, nil, 0)[0] != 0 {
		t.Error("a replaced text is still found")
	}
}

func TestSetTwiceIsOnce(t *testing.T) {
	var a, b Index
	a.Set(0, "tea and coffee")
	a.Set(0, "tea and coffee")
	b.Set(0, "tea and coffee")
	if fmt.Sprint(a.Scaled(nil, "tea", 1, nil, 0)) != fmt.Sprint(b.Scaled(nil, "tea", 1, nil, 0)) {
		t.Errorf("have %v, want %v", a.Scaled(nil, "tea", 1, nil, 0), b.Scaled(nil, "tea", 1, nil, 0))
	}
}

// A document that grows is what it would be at once, wherever it stands; a copy does not grow with it.
func TestExtend(t *testing.T) {
	var grown, whole Index
	for i, s := range []string{"tea and coffee", "rain on tea", "a walk in the rain"} {
		grown.Set(i, s)
		whole.Set(i, s)
	}
	copied, before := grown.Clone(), fmt.Sprint(grown.Scaled(nil, "tea walk rain oolong", 3, nil, 0))
	grown.Extend(1, "oolong tea")
	grown.Extend(0, "walk")
	grown.Set(2, "")
	grown.Set(2, "a walk in the rain")
	whole.Set(1, "rain on tea oolong tea")
	whole.Set(0, "tea and coffee walk")
	if have, want := fmt.Sprint(grown.Scaled(nil, "tea walk rain oolong", 3, nil, 0)), fmt.Sprint(whole.Scaled(nil, "tea walk rain oolong", 3, nil, 0)); have != want {
		t.Errorf("have %s, want %s", have, want)
	}
	if have := fmt.Sprint(copied.Scaled(nil, "tea walk rain oolong", 3, nil, 0)); have != before {
		t.Errorf("the copy has %s, want %s", have, before)
	}
	grown.Remove(1)
	if grown.Has("oolong") {
		t.Error("a removed document is still found")
	}
}

func BenchmarkScores(b *testing.B) {
	var x Index
	for i := range 10000 {
		x.Set(i, fmt.Sprintf("fact %d about topic %d and thing %d", i, i%97, i%31))
	}
	var scores []float64
	for b.Loop() {
		scores = x.Scaled(scores, "topic 13 and thing 7", 10000, nil, 0)
	}
}
