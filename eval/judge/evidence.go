package judge

import "strings"

// evidence describes which parts of the gold an answer covers and contradicts.
type evidence struct {
	*prepared
	r         *reading
	gold      []*tok
	a, q      []tok
	from, to  int      // bytes of the home
	said      []bool   // of the answer's words: by gold or question
	covered   []bool   // of the gold's
	sentences []uint64 // of the answer that have it, by the gold's words; the 64th and later are one
	asked     []bool   // of the question's units: the home has it

	found, head, headFound                           int
	opposites, oppositesHome, siblings, siblingsHome int
	names, numbers, restHome, restAll                int
	questionOpposite                                 int
	elsewhere, homeAsked                             float64 // share of the question's words
	elsewhereRest                                    int
	order                                            int
	negation, nothingElse                            bool
}

// reads compares the words of gold, question and answer.
func (p *prepared) evidence(r *reading) *evidence {
	e := &evidence{prepared: p, r: r, gold: p.own(), a: p.at.units(), q: p.qt.units()}
	s := p.stand(r)
	e.from, e.to = p.bytes(&s.list[s.at])
	e.cover()
	e.rest()
	for j, g := range e.gold {
		e.contradict(j, g)
	}
	e.turned()
	e.focus(s)
	for i := range p.at.toks {
		k := &p.at.toks[i]
		e.nothingElse = e.nothingElse || nothingElse[k.word] && !p.qt.hasWord(k.word) && !p.gt.hasWord(k.word)
	}
	h, denied := &s.list[s.at], false
	for i := h.from; i < h.to; i++ {
		denied = denied || p.at.toks[i].neg
	}
	e.negation = denied != (denials(p.gt) > 0)
	e.order = p.inOrder()
	return e
}

// bytes returns the byte range of a clause.
func (p *prepared) bytes(c *clause) (from, to int) {
	to = len(p.at.raw)
	if c.to < len(p.at.toks) {
		to = p.at.toks[c.to].pos
	}
	return p.at.toks[c.from].pos, to
}

func (e *evidence) home(u *tok) bool { return u.pos >= e.from && u.pos < e.to }

// own are the words of meaning of the gold that the question does not have, or all of them.
func (p *prepared) own() []*tok {
	var own, all []*tok
	g, q := p.gt.units(), p.qt.units()
	for i := range g {
		u := &g[i]
		if u.stop || u.hedge && len(g) > 1 {
			continue
		}
		all = append(all, u)
		asked := false
		for j := range q {
			asked = asked || !q[j].stop && (q[j].stem == u.stem || !u.num && !u.han && similar(q[j].stem, u.stem))
		}
		if !asked {
			own = append(own, u)
		}
	}
	if len(own) == 0 {
		return all
	}
	return own
}

// cover finds which words of the gold the answer has, and which of its own gold or question have.
func (e *evidence) cover() {
	e.said, e.covered, e.sentences = make([]bool, len(e.a)), make([]bool, len(e.gold)), make([]uint64, len(e.gold))
	for i := range e.a {
		u := &e.a[i]
		e.said[i] = u.stop
		for j := range e.q {
			e.said[i] = e.said[i] || !e.q[j].stop && means(&e.q[j], u) >= .7
		}
	}
	head := len(e.gt.raw)
	for _, mark := range []string{"(", ";", " because ", " due to ", " since ", ",因为", "因为", " — ", " - "} {
		if i := strings.Index(e.gt.raw, mark); i > 0 {
			head = min(head, i)
		}
	}
	for j, g := range e.gold {
		for i := range e.a {
			if !e.a[i].stop && means(g, &e.a[i]) >= .7 || e.valueSaid(g.pos, e.a[i].pos) {
				e.covered[j], e.said[i] = true, true
				e.sentences[j] |= 1 << min(e.a[i].sent, 63)
			}
		}
		e.found += int(b2f(e.covered[j]))
		e.head += int(b2f(g.pos < head))
		e.headFound += int(b2f(e.covered[j] && g.pos < head))
	}
}

// rest counts the words that neither gold nor question has.
func (e *evidence) rest() {
	for i := range e.a {
		if u := &e.a[i]; !e.said[i] && !frame(u) {
			e.restAll++
			e.restHome += int(b2f(e.home(u)))
		}
	}
}

// contradict counts the contradictions to a word of the gold: its opposite, another word of its kind, another name or number.
func (e *evidence) contradict(j int, g *tok) {
	opp, sib, name, num := false, false, false, false
	for i := range e.a {
		u := &e.a[i]
		if u.stop && len(u.anti) == 0 || e.gt.unitHas(u.stem) {
			continue
		}
		if opposite(g, u) && !e.qt.unitHas(u.stem) && !(u.pos > 0 && deniedBefore(e.a, i)) {
			opp = true
			e.oppositesHome += int(b2f(e.home(u)))
		}
		if e.said[i] || e.covered[j] {
			continue
		}
		if sibling(g, u) {
			sib = true
			e.siblingsHome += int(b2f(e.home(u)))
		}
		name = name || g.name && u.name
		num = num || g.num && u.num
	}
	e.opposites += int(b2f(opp))
	e.siblings += int(b2f(sib))
	e.names += int(b2f(name))
	e.numbers += int(b2f(num))
}

// turned counts opposites of the question's words.
func (e *evidence) turned() {
	for i := range e.a {
		u := &e.a[i]
		if !(e.home(u) && !u.stop && !e.said[i] || u.stop && len(u.anti) > 0) {
			continue
		}
		for j := range e.q {
			if !e.q[j].stop && opposite(&e.q[j], u) && !e.gt.unitHas(u.stem) && !e.qt.unitHas(u.stem) {
				e.questionOpposite++
			}
		}
	}
}

// focus finds words of the question that the home lacks and a clause without the gold has: the question may be about that clause.
func (e *evidence) focus(s *standing) {
	n := 0.
	e.asked = make([]bool, len(e.q))
	for j := range e.q {
		if e.q[j].stop || frame(&e.q[j]) {
			continue
		}
		n++
		for i := range e.a {
			e.asked[j] = e.asked[j] || e.home(&e.a[i]) && means(&e.q[j], &e.a[i]) >= .7
		}
		e.homeAsked += b2f(e.asked[j])
	}
	most := 0
	for i := range s.list {
		c := &s.list[i]
		if i == s.at || c.gold > 0 || c.acts[0]+c.acts[1] > 0 {
			continue
		}
		if lacks, rest := e.takesUp(c); rest > 0 && lacks > most {
			most, e.elsewhereRest = lacks, rest
		}
	}
	if n > 0 {
		e.homeAsked /= n
		e.elsewhere = float64(most) / n
	}
}

// takesUp counts the words of the question in a clause that the home lacks, and the clause's own words.
func (e *evidence) takesUp(c *clause) (lacks, rest int) {
	from, to := e.bytes(c)
	for i := range e.a {
		u := &e.a[i]
		if u.pos < from || u.pos >= to {
			continue
		}
		rest += int(b2f(!e.said[i] && !frame(u)))
		for j := range e.q {
			lacks += int(b2f(!e.q[j].stop && !frame(&e.q[j]) && !e.asked[j] && means(&e.q[j], u) >= .7))
		}
	}
	return lacks, rest
}

// valueSaid reports whether byte g of the gold is in a value that equals the answer's value at byte a.
func (p *prepared) valueSaid(g, a int) bool {
	for _, x := range p.gv {
		if g < x.pos || g >= x.end {
			continue
		}
		for _, y := range p.av {
			if a >= y.pos && a < y.end && sameValue(x, y) {
				return true
			}
		}
	}
	return false
}
