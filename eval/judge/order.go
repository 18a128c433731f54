package judge

import (
	"slices"
	"strings"

	"membench/internal/tokens"
)

// An order is a sequence of things that happen one after another or replace one another. Words of order move the adjacent item.

// inOrder compares the order in which the gold and the answer put things: +1 the same, -1 another, 0
// where either has none. A question that asks which of two came first names them, and the gold one.
func (p *prepared) inOrder() int {
	if a, b, ok := p.choice(); ok {
		gold := p.which(p.gt, a, b)
		said := p.which(p.at, a, b)
		if gold == 0 || said == 0 {
			return 0
		}
		return gold * said
	}
	steps := p.steps()
	if len(steps) < 2 {
		return 0
	}
	at := make([]int, len(steps))
	for i, s := range steps {
		at[i] = place(p.at, s)
		if at[i] < 0 {
			return 0
		}
	}
	agree := true
	for i := 1; i < len(at); i++ {
		agree = agree && at[i-1] < at[i]
	}
	if agree == p.turnsOrder(at) {
		return -1
	}
	return 1
}

// sequels part the steps of a row.
var sequels = []string{", then ", " then ", ", and finally ", ", finally ", " and finally ", ", and then ", " followed by ", "→", "->", ",然后", "然后", ",再", ",最后", "最后", ",接着", "接着", ";", " before ", " to ", "改成了", "改成", "改为", "变成", "换成", "到", ",后", ", after that "}

// steps are the steps of the gold, each by its words that no other has; none where it is not a row.
func (p *prepared) steps() [][]*tok {
	raw := p.gt.low()
	row := hasWithin(raw, []string{"then ", "finally", "→", "->", "followed by", "然后", "接着", "改成", "改为", "变成", "换成"}) ||
		strings.Contains(raw, "from ") && strings.Contains(raw, " to ") || strings.Contains(raw, "从") && strings.Contains(raw, "到") || strings.Contains(raw, "先") && (strings.Contains(raw, "再") || strings.Contains(raw, ",后")) || strings.Contains(raw, " before ")
	if !row || len(p.gt.raw) != len(raw) || p.gw.isDate() {
		return nil
	}
	var cuts []int
	for _, s := range sequels {
		for from := 0; ; {
			i := strings.Index(raw[from:], s)
			if i < 0 {
				break
			}
			cuts = append(cuts, from+i)
			from += i + len(s)
		}
	}
	if strings.Contains(raw, "from ") && strings.Contains(raw, " to ") {
		cuts = append(cuts, strings.Index(raw, "from "))
	}
	part := func(pos int) (n int) {
		for _, c := range cuts {
			n += int(b2f(pos >= c))
		}
		return n
	}
	by, order := map[int][]*tok{}, []int{}
	u := p.gt.units()
	for i := range u {
		if u[i].stop || ordering[u[i].word] || strings.Contains("先后", u[i].word) {
			continue
		}
		n := part(u[i].pos)
		if by[n] == nil {
			order = append(order, n)
		}
		by[n] = append(by[n], &u[i])
	}
	var out [][]*tok
	for _, n := range order {
		var own []*tok
		for _, w := range by[n] {
			shared := false
			for _, m := range order {
				for _, x := range by[m] {
					shared = shared || m != n && x.stem == w.stem
				}
			}
			if !shared && !p.qt.unitHas(w.stem) {
				own = append(own, w)
			}
		}
		if len(own) > 0 {
			out = append(out, own)
		}
	}
	return out
}

// ordering are words that say a place in a row.
var ordering = tokens.Set("first second third then next last finally after before afterwards earlier later 先 后 再 然后 最后 首先 接着")

// place is where a text has the words of a step: the first of them that has half of it or more in
// its neighbourhood; -1 nowhere.
func place(t *text, step []*tok) int {
	u := t.units()
	for i := range u {
		for _, w := range step {
			if !u[i].stop && means(w, &u[i]) >= .7 {
				return i
			}
		}
	}
	return -1
}

// turnsOrder reports whether the answer's words say that the steps are listed in another order: "to B from A", "B after A", "B, then A last".
func (p *prepared) turnsOrder(at []int) bool {
	u := p.at.units()
	lo, hi := at[0], at[0]
	for _, i := range at {
		lo, hi = min(lo, i), max(hi, i)
	}
	turned := false
	for i := max(0, lo-3); i < hi && i < len(u); i++ {
		next := ""
		if i+1 < len(u) {
			next = u[i+1].word
		}
		switch w := u[i].word; {
		case i > lo && w == "after" && next != "that" && next != "which", w == "from" && i > lo && i >= hi-2, w == "once" && i > lo, w == "before" && i < lo:
			turned = !turned
		case i > lo && (w == "previously" || w == "原来" || w == "原先"):
			turned = !turned
		}
	}
	return turned
}

// choice returns the two things of a question that asks which came first or later.
func (p *prepared) choice() (a, b []*tok, ok bool) {
	raw := p.qt.low()
	if !hasWithin(raw, []string{"first", "earlier", "before", "sooner", "先"}) || len(raw) != len(p.qt.raw) {
		return nil, nil, false
	}
	mid := strings.Index(raw, " or ")
	if mid < 0 {
		mid = strings.Index(raw, "还是")
	}
	if mid < 0 {
		return nil, nil, false
	}
	u := p.qt.units()
	for i := range u {
		if u[i].stop || ordering[u[i].word] || u[i].word == "came" || u[i].word == "come" || u[i].word == "happened" {
			continue
		}
		both := 0
		for j := range u {
			if u[j].stem == u[i].stem && (u[j].pos < mid) != (u[i].pos < mid) {
				both++
			}
		}
		if both > 0 {
			continue
		}
		if u[i].pos < mid {
			a = append(a, &u[i])
		} else {
			b = append(b, &u[i])
		}
	}
	// the first thing begins behind the comma, or where the second's number of words would
	if i := strings.Index(raw, ", "); i > 0 && i < mid {
		for len(a) > 0 && a[0].pos < i {
			a = a[1:]
		}
	}
	return a, b, len(a) > 0 && len(b) > 0
}

// which reports whether a text puts a first (+1) or b (-1); 0 if it is undecided.
func (p *prepared) which(t *text, a, b []*tok) int {
	u := t.units()
	at := func(step []*tok, i int) bool {
		return slices.ContainsFunc(step, func(w *tok) bool { return !u[i].stop && means(w, &u[i]) >= .7 })
	}
	type mention struct{ who, at int }
	var row []mention
	for i := range u {
		x, y := at(a, i), at(b, i)
		if x == y {
			continue
		}
		who := 1
		if y {
			who = -1
		}
		if n := len(row); n == 0 || row[n-1].who != who || u[i].sent != u[row[n-1].at].sent {
			row = append(row, mention{who, i})
		}
	}
	if len(row) == 0 {
		return 0
	}
	votes := 0
	for n, m := range row {
		end := len(u)
		if n+1 < len(row) {
			end = row[n+1].at
		}
		start := 0
		if n > 0 {
			start = row[n-1].at + 1
		}
		for i := start; i < end; i++ {
			if u[i].sent != u[m.at].sent {
				continue
			}
			w := u[i].word
			next := ""
			if i+1 < len(u) {
				next = u[i+1].word
			}
			near := i > m.at || n == 0 || m.at-i <= 2
			switch {
			case (w == "first" || w == "earlier" || w == "sooner" || w == "already" || w == "在先" || w == "早就") && near, (w == "先" || w == "首先") && i < m.at && m.at-i <= 5:
				votes += m.who
			case (w == "later" || w == "afterwards" || w == "second" || w == "then" || w == "subsequently" || w == "才" || w == "然后" || w == "再" || w == "后来") && i < m.at && n > 0 && m.at-i <= 4:
				votes -= m.who
			case w == "before" && n+1 < len(row) && i > m.at:
				votes += m.who
			case w == "before" && n == 0 && i < m.at && len(row) > 1:
				votes -= m.who
			case (w == "after" || w == "once") && next != "that" && n+1 < len(row) && i > m.at:
				votes -= m.who
			case (w == "after" || w == "once") && next != "that" && n == 0 && i < m.at && len(row) > 1:
				votes += m.who
			case (w == "之后" || w == "以后" || w == "后") && n+1 < len(row) && i > m.at:
				votes += m.who
			case (w == "之前" || w == "以前" || w == "前") && n+1 < len(row) && i > m.at:
				votes -= m.who
			}
		}
	}
	if votes == 0 && len(row) == 1 {
		if t == p.gt || len(u) < 8 {
			return row[0].who // it names one
		}
	}
	return max(-1, min(1, votes))
}
