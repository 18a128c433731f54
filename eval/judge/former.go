package judge

import (
	"slices"
	"strings"

	"membench/internal/tokens"
)

// bygone are words that leave what a clause says in the past.
var bygone = tokens.Set("until till used formerly previously originally initially former once before earlier 原来 原先 以前 从前 曾 本来 当初 最初 起初 之前")

// often are words that make a number of times a frequency: "once a day".
var often = tokens.Set("a an per every each")

// frequency reports whether a word begins a frequency.
func (t *text) frequency(i int) bool {
	if lexicon().words[t.toks[i].word].num == 0 || i+2 >= len(t.toks) || !often[t.toks[i+1].word] {
		return false
	}
	_, ok := periods[t.toks[i+2].word]
	return ok
}

// withoutPast returns the answer without the sentences behind the gold's that leave another candidate in the past: "It used MySQL until May." They say nothing
// against what is so now. It is "" if there are none, or if the question may ask about the past.
func (p *prepared) withoutPast() string {
	r, t := p.read(), p.at
	if r.first < 0 || p.how != "" || t.sents < 2 || p.signs() || len(p.qw.all) > 0 || slices.ContainsFunc(p.qt.toks, func(k tok) bool { return past[k.word] || bygone[k.word] }) {
		return ""
	}
	var b strings.Builder
	end, dropped := 0, false
	for s := range t.sents {
		from, to := t.sentence(s)
		start := end
		if end = len(t.raw); to < len(t.toks) {
			end = t.toks[to].pos
		}
		if from < to && s > t.toks[r.last-1].sent && p.pastOther(r, from, to) {
			dropped = true
			continue
		}
		b.WriteString(t.raw[start:end])
	}
	if !dropped {
		return ""
	}
	return b.String()
}

// pastOther reports whether a sentence only says that something else was so before: it has a word for the past, no other operator, nothing of the gold or the
// present, nothing that points back to the gold, and beside words of the question only names, numbers and times.
func (p *prepared) pastOther(r *reading, from, to int) bool {
	t := p.at
	was, other := false, false
	for _, o := range r.operators {
		if o.tok >= from && o.tok < to {
			if was = bygone[o.word]; !was {
				return false
			}
		}
	}
	for i := from; i < to && was; i++ {
		k := &t.toks[i]
		switch {
		case r.mention[i] && !k.inQ, present[k.word], points[k.word] && k.word != "it" && (i == from || !bygone[t.toks[i-1].word]):
			return false
		case k.name && !k.inQ, p.rivals(i):
			other = true
		case k.han, k.stop, k.inQ, bygone[k.word], frame(k), p.asked(k.word), p.aw.holds(k.pos):
		default:
			return false
		}
	}
	start, end := t.toks[from].pos, t.end(to-1)
	for _, u := range t.units() {
		if !was || !u.han || u.num || u.stop || u.pos < start || u.pos >= end || bygone[u.word] || frameWords[u.word] || p.qt.unitHas(u.stem) || strings.Contains(p.qt.raw, u.word) {
			continue
		}
		if !u.name {
			return false
		}
		other = true
	}
	return was && other
}
