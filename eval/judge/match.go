package judge

import (
	"math"
	"slices"
	"strings"

	"membench/internal/measure"
)

// matching is how the values of a gold are in an answer.
type matching struct {
	found   int  // of the gold's values
	other   int  // index of an answer's value that contradicts one; -1 none
	missed  int  // index of the first value of the gold that is not found; -1 none
	before  bool // the contradiction precedes the match
	sameAll bool
}

// valued reports whether a gold consists only of values, the things they count and words of the question.
func (p *prepared) valued() bool {
	if len(p.gv) == 0 || len(p.gw.abs)+len(p.gw.rel) > 0 {
		return false
	}
	for i := range p.gt.toks {
		k := &p.gt.toks[i]
		if k.stop || k.hedge || heldBy(p.gv, k.pos) || timeWord(k.word) || p.qt.has(k.stem) {
			continue
		}
		counted := false
		for _, v := range p.gv {
			counted = counted || v.of != "" && strings.HasPrefix(k.word, v.of) && k.pos >= v.end && k.pos <= v.end+2
		}
		if !counted {
			return false
		}
	}
	return true
}

func heldBy(list []value, pos int) bool {
	return slices.ContainsFunc(list, func(v value) bool { return pos >= v.pos && pos < v.end })
}

func (t *text) has(stem string) bool {
	for i := range t.toks {
		if t.toks[i].stem == stem {
			return true
		}
	}
	return false
}

// match looks for the gold's values among the answer's, and for one that contradicts:
// another of the same kind, or of the same things counted, that the question does not
// name.
func (p *prepared) match() matching {
	m := matching{other: -1, missed: -1}
	first := -1
	exact := make([]bool, len(p.gv)) // found in its own kind
	for i, g := range p.gv {
		hit := false
		for j, a := range p.av {
			if sameValue(g, a) {
				hit = true
				exact[i] = exact[i] || g.kind == a.kind
				if first < 0 {
					first = j
				}
			}
		}
		if !hit && g.kind == "id" {
			hit = p.at.spells(g.name)
			exact[i] = exact[i] || hit
		}
		if hit {
			m.found++
		} else if m.missed < 0 {
			m.missed = i
		}
	}
	for j, a := range p.av {
		if anySame(p.gv, a) || anySame(p.qv, a) {
			continue
		}
		for i, g := range p.gv {
			if p.contradicts(g, a) && !(exact[i] && g.kind != a.kind) {
				m.other, m.before = j, first < 0 || j < first
				break
			}
		}
		if m.other >= 0 {
			break
		}
	}
	m.sameAll = m.found == len(p.gv)
	return m
}

// spells reports whether a text has an identifier in two words: "chg 88213" for CHG-88213.
func (t *text) spells(id string) bool {
	for i := 1; i < len(t.toks); i++ {
		if a, b := &t.toks[i-1], &t.toks[i]; !a.han && b.num && strings.TrimSpace(t.gap(i)) == "" && a.word+"-"+b.word == id {
			return true
		}
	}
	return false
}

// reckon takes out of the values of the answer those from which it reckons the gold's: "12 on the
// one and 21 on the other, 33 in total". These are its grounds and no other answers.
func (p *prepared) reckon() {
	if len(p.gv) != 1 || p.gv[0].name != "" || p.gv[0].lo != p.gv[0].hi || !anySame(p.av, p.gv[0]) {
		return
	}
	g := p.gv[0]
	var terms []value
	sum := 0.
	for _, a := range p.av {
		if a.name != "" || a.bound != 0 || a.lo != a.hi || a.kind != g.kind && a.kind != "count" || sameValue(g, a) || anySame(p.qv, a) {
			continue
		}
		terms = append(terms, a)
		sum += a.lo
	}
	if len(terms) < 2 || !closeTo(sum, g.lo, rounding) && !(len(terms) == 2 && closeTo(math.Abs(terms[0].lo-terms[1].lo), g.lo, rounding)) {
		return
	}
	p.av = slices.DeleteFunc(p.av, func(a value) bool {
		return slices.ContainsFunc(terms, func(t value) bool { return t.pos == a.pos })
	})
	for _, t := range terms {
		p.terms = append(p.terms, [2]int{t.pos, t.end})
	}
}

// reckoned reports whether a byte of the answer is in a value from which the gold's is reckoned.
func (p *prepared) reckoned(pos int) bool {
	return slices.ContainsFunc(p.terms, func(s [2]int) bool { return pos >= s[0] && pos < s[1] })
}

func anySame(list []value, a value) bool {
	return slices.ContainsFunc(list, func(v value) bool { return sameValue(v, a) })
}

// contradicts reports whether a may be meant instead of g.
func (p *prepared) contradicts(g, a value) bool {
	if !comparable(g, a) {
		return false
	}
	if g.kind == "count" && a.kind == "count" {
		return a.of == "" || g.of == a.of || g.of == "" && p.qt.has(a.of)
	}
	return g.kind == a.kind || a.kind == "count" || g.kind == "count" || measure.Currency(g.kind)
}

// compareValues scores an answer to a gold that is values.
func (p *prepared) compareValues() (relation, []Fact) {
	m := p.match()
	var facts []Fact
	for _, g := range p.gv {
		f := Fact{Kind: g.kind, Gold: showValue(p.gt.raw, g), Say: "missing"}
		for _, a := range p.av {
			if sameValue(g, a) {
				f.Answer, f.Same, f.Say = showValue(p.at.raw, a), true, "the same value"
			}
		}
		if !f.Same && m.other >= 0 {
			f.Answer, f.Say = showValue(p.at.raw, p.av[m.other]), "another value"
		}
		facts = append(facts, f)
	}
	switch {
	case m.sameAll && m.other < 0:
		return relation{class: "the same value", score: .95, same: true}, facts
	case m.sameAll:
		return relation{class: "the gold's value and another", score: .7, same: true}, facts
	case m.other >= 0:
		return relation{class: "another value", score: .04, off: len(p.gv) == 1 && p.gv[0].opposite(p.av[m.other])}, facts
	}
	return relation{class: "no such value in the answer", score: .04}, facts
}

// opposite reports whether two values are the same measure with other signs: words around a number may say another number, not another sign of it.
func (v value) opposite(other value) bool {
	return v.name == "" && other.name == "" && v.kind == other.kind && v.lo != 0 && v.lo == -other.hi && v.hi == -other.lo
}

// comparesValues reports whether values decide: the gold consists only of values, and it is a name or the answer has a comparable value.
func (p *prepared) comparesValues() bool {
	if !p.valued() {
		return false
	}
	m := p.match()
	return p.gv[0].name != "" || m.sameAll || m.other >= 0
}
