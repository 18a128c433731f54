package judge

import (
	"slices"
	"strings"
)

// missed returns a proper name of a gold in words, or a number in digits, that the answer does not say, "" if there is none. Another form of a name is another
// name; of a name of several words one is enough. What a gold only remarks may be left out.
func (p *prepared) missed() string {
	if p.by != "words" {
		return ""
	}
	t, head := p.gt.toks, p.gt.head()
	for i := 0; i < len(t) && t[i].pos < head; i++ {
		switch k := &t[i]; {
		case k.stop || k.inQ || p.gw.holds(k.pos):
		case k.num && digit(k.word[0]) && !p.counts(k):
			return "a number of the gold is not said: " + k.word
		case k.proper:
			said := p.calls(k)
			for ; i+1 < len(t) && t[i+1].name && strings.Trim(p.gt.gap(i+1), " .-'") == ""; i++ {
				said = said || p.calls(&t[i+1])
			}
			if !said {
				return "a name of the gold is not said: " + k.word
			}
		}
	}
	return ""
}

// counts reports whether the answer has a number of the gold, by itself or in a value.
func (p *prepared) counts(g *tok) bool {
	return p.at.has(g.stem) || slices.ContainsFunc(p.gv, func(v value) bool { return g.pos >= v.pos && g.pos < v.end && anySame(p.av, v) })
}

// calls reports whether the answer has a name of the gold, or another for it.
func (p *prepared) calls(g *tok) bool {
	return slices.ContainsFunc(p.at.toks, func(a tok) bool {
		return a.word == g.word || !a.num && (overlap(g.groups, a.groups) || overlap(g.groups, a.above) || slices.Contains(a.parts, g.stem) || glued(a.word, g.word))
	})
}

// misspelt reports whether all that the answer lacks of the gold are names, for each of which it has one that is nearly spelt so.
func (p *prepared) misspelt() bool {
	c, like := p.compared(), false
	for i, gi := range c.gc {
		if g := &p.gt.toks[gi]; c.best[i] == 0 {
			like = g.proper && slices.ContainsFunc(p.at.toks, func(a tok) bool { return a.proper && similar(g.stem, a.stem) })
			if !like {
				return false
			}
		}
	}
	return like
}

// exchanged returns what an answer counts or orders in another way than the gold, "" if nothing: a word of the gold is next to another of its numbers, or numbers
// that no word tells apart are in another order.
func (p *prepared) exchanged() string {
	if p.by != "words" && p.by != "value" {
		return ""
	}
	numbers := func(t *text, w *when) (list []int) {
		for i := range t.toks {
			if k := &t.toks[i]; k.num && !k.stop && !w.holds(k.pos) && lexicon().words[k.word].num == 0 { // not "once"
				list = append(list, i)
			}
		}
		return list
	}
	gold, said := numbers(p.gt, &p.gw), numbers(p.at, &p.aw)
	if len(gold) < 2 {
		return ""
	}
	said = slices.DeleteFunc(said, func(j int) bool {
		return !slices.ContainsFunc(gold, func(i int) bool { return p.gt.toks[i].val == p.at.toks[j].val })
	})
	times := map[string]int{}
	for i := range p.gt.toks {
		times[p.gt.toks[i].stem]++
	}
	labelled := false
	for i := range p.gt.toks {
		g := &p.gt.toks[i]
		n, ok := p.gt.nearest(i, gold)
		if g.stop || g.num || !ok || times[g.stem] > 1 || heldBy(p.gv, g.pos) {
			continue
		}
		labelled = true
		other := ""
		for j := range p.at.toks {
			if p.at.toks[j].stem != g.stem {
				continue
			}
			if m, ok := p.at.nearest(j, said); ok && p.at.toks[m].val == p.gt.toks[n].val {
				other = ""
				break
			} else if ok {
				other = p.at.toks[m].word
			}
		}
		if other != "" {
			return "the gold says another number of " + g.word + " than " + other
		}
	}
	named := slices.ContainsFunc(p.gv, func(v value) bool { return v.name != "" })
	if labelled || named || p.by != "value" || len(gold) != len(said) || p.gt.lists(0, len(p.gt.items)) > 0 {
		return ""
	}
	for n := range gold {
		if p.gt.toks[gold[n]].val != p.at.toks[said[n]].val {
			return "its numbers are in another order"
		}
	}
	return ""
}

// nearest returns the number among those listed that goes with the word at i: of its item of a list before another's, the one with the fewest words of meaning
// between them; none of two that are as near. A Chinese word goes with a number before it.
func (t *text) nearest(i int, numbers []int) (at int, ok bool) {
	item := func(i int) int {
		return slices.IndexFunc(t.items, func(it [2]int) bool { return i >= it[0] && i < it[1] })
	}
	best := -1
	for _, n := range numbers {
		if t.toks[n].sent != t.toks[i].sent || t.toks[i].han && n > i {
			continue
		}
		d := 0
		for j := min(i, n) + 1; j < max(i, n); j++ {
			d += int(b2f(!t.toks[j].stop))
		}
		d += len(t.toks) * int(b2f(item(i) != item(n)))
		switch {
		case best >= 0 && d > best:
		case d == best:
			ok = t.toks[at].val == t.toks[n].val
		default:
			best, at, ok = d, n, true
		}
	}
	return at, ok
}
