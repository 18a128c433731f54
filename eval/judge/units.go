package judge

import (
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/internal/tokens"
)

// units are the content words of a text by their places: English words and phrases, numbers, and Chinese words (elsewhere compared by pairs of characters).
func (t *text) units() []tok {
	if t.unitsRead {
		return t.unitList
	}
	t.unitsRead = true
	if !t.han {
		t.unitList = t.toks
		return t.unitList
	}
	out := make([]tok, 0, len(t.toks))
	for i := range t.toks {
		if !t.toks[i].han || t.toks[i].num {
			out = append(out, t.toks[i])
		}
	}
	lex := lexicon()
	for _, w := range words.Cut(t.raw) {
		r, _ := utf8.DecodeRuneInString(w.Form)
		if !textnorm.IsHan(r) {
			continue
		}
		at := t.tokenAt(w.Start)
		if at < len(t.toks) && t.toks[at].num && t.toks[at].pos == w.Start {
			continue
		}
		k := tok{word: w.Form, stem: w.Form, han: true, pos: w.Start, weight: 1, name: w.Class == 'R' || w.Class == 'S'}
		if at < len(t.toks) {
			k.sent = t.toks[at].sent
		}
		e, ok := lex.han[w.Form]
		if x, too := lex.alone[w.Form]; too {
			e.groups, e.above, e.anti, ok = append(e.groups[:len(e.groups):len(e.groups)], x.groups...), append(e.above[:len(e.above):len(e.above)], x.above...), x.anti, true
		}
		if ok {
			k.groups, k.above, k.anti, k.neg, k.stop, k.hedge = e.groups, e.above, e.anti, e.neg, e.stop, e.hedge
			if e.canon != "" {
				k.stem = e.canon
			}
		}
		if n := utf8.RuneCountInString(w.Form); n == 1 && tokens.FunctionRune(r) || strings.IndexByte("upcrqymexo", w.Class) >= 0 && n <= 2 {
			k.stop = true
			k.neg = k.neg || strings.ContainsAny(w.Form, "不没未无别")
		}
		out = append(out, k)
	}
	slices.SortStableFunc(out, func(a, b tok) int { return a.pos - b.pos })
	t.unitList = out
	return out
}

// means is how well one word matches another in meaning, in both languages.
func means(g, a *tok) float64 {
	m := same(g, a)
	if m < .7 && g.han && a.han && !(g.name && a.name) && shareHan(g.word, a.word) {
		return .7
	}
	return m
}

// shareHan reports whether two Chinese words have most of their characters in common: 消防员, 消防队员.
func shareHan(a, b string) bool {
	n, total := 0, utf8.RuneCountInString(a)
	for _, r := range a {
		if strings.ContainsRune(b, r) {
			n++
		}
	}
	return n >= 2 && 3*n >= 2*max(total, utf8.RuneCountInString(b))
}

// opposite reports whether two words are opposites: by the lexicon, or by a prefix.
func opposite(g, a *tok) bool {
	for _, x := range g.anti {
		for _, y := range a.anti {
			if x == -y {
				return true
			}
		}
	}
	if g.han || a.han || g.num || a.num {
		return false
	}
	return unlike(g.stem, a.stem) || unlike(a.stem, g.stem)
}

// unlike reports a word with a prefix that denies the other.
func unlike(a, b string) bool {
	return len(b) > 3 && slices.ContainsFunc([]string{"un", "in", "im", "dis", "non", "ir", "il"}, func(prefix string) bool { return a == prefix+b })
}

// sibling reports whether two words are of one kind, and not the same: "cello", "mandolin".
func sibling(g, a *tok) bool {
	return g.stem != a.stem && !overlap(g.groups, a.groups) && overlap(g.above, a.above) && !overlap(g.groups, a.above) && !overlap(g.above, a.groups)
}

func (t *text) unitHas(stem string) bool {
	u := t.units()
	for i := range u {
		if u[i].stem == stem {
			return true
		}
	}
	return false
}

// deniedBefore reports a denial among the three words before one.
func deniedBefore(a []tok, i int) bool {
	for j := max(0, i-3); j < i; j++ {
		if a[j].neg && a[j].sent == a[i].sent {
			return true
		}
	}
	return false
}
