package judge

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"membench/internal/measure"
	"membench/internal/tokens"
)

// doubts returns why a verdict that the weights are sure of is doubtful all the same, "" if nothing objects: what is compared as a value is not overruled by
// weights, a list has other items than the gold's, or an answer to yes or no has neither word and more than the question.
func (p *prepared) doubts(v Verdict) string {
	said, explicit := polarity(p.at, true)
	veiled := v.Rule == "polarity" && said != 0 && !explicit && (p.restatedBy() < .6 || len(p.read().operators) > 0)
	switch {
	case v.Correct:
		if w := p.unasserted(); w != "" {
			return "what introduces it may not assert it: " + w
		}
		return cmp.Or(p.mismatch(), p.strayYear(), p.missed(), p.exchanged(), p.otherItems(), p.twoAnswers())
	case veiled && p.off != "":
		return "yes or no is not said in a word"
	case p.by == "words" && p.misspelt():
		return "it may misspell a name of the gold"
	}
	return ""
}

// mismatch returns the value, date, length, yes or no of an answer that differs from the gold's, "" if there is none. In a gold of other words too, only a
// date, a name and a measure count.
func (p *prepared) mismatch() string {
	if p.off != "" {
		return p.off
	}
	if p.by == "words" && len(p.gw.abs) > 0 && len(p.aw.abs) > 0 {
		if r, _ := compareDates(&p.gw, &p.aw, &p.qw, p.ref, untrained); r.off {
			return "dates: " + r.class
		}
	}
	only := p.valued()
	for _, g := range p.gv {
		said, other := p.sums(g), ""
		for _, a := range p.av {
			shown := showValue(p.at.raw, a)
			switch same := sameValue(g, a); {
			case same && g.kind == "clock" && side(p.gt.raw, g) != side(p.at.raw, a) && side(p.at.raw, a) != side(p.qt.raw, value{pos: len(p.qt.raw), end: len(p.qt.raw)}):
				other = "before or after " + shown
			case same && only && p.countsOther(a):
				other = "it counts something else: " + shown
			case same && (!only || p.sameThing(g, a)):
				said = true
			case same:
				other = "it counts something else: " + shown
			case anySame(p.gv, a) || anySame(p.qv, a) || other != "" || g.name != "" && a.name == "":
			case only && p.contradicts(g, a), g.kind == a.kind && (g.name != "" || g.u.Mul != 0 && g.kind != "time" && (g.lo != a.lo || g.hi != a.hi)):
				if rises := strings.ToLower(p.at.raw[max(0, a.pos-len("from ")):a.pos]); !(a.hi == g.hi && a.lo < a.hi && (strings.HasSuffix(rises, "from ") || strings.HasSuffix(rises, "从"))) {
					other = "another value: " + shown
				}
			case only && g.name == "" && a.name == "" && g.kind != "clock" && a.kind != "clock" && g.number() == a.number():
				other = "another unit: " + shown
			}
		}
		if !said && other != "" {
			return other
		}
	}
	return ""
}

// twoAnswers returns a value other than the gold's that a sentence beside the gold's gives as an answer, too: alone, or as the present one. "It is now 5582. The
// code of the studio is 4471."
func (p *prepared) twoAnswers() string {
	r, t := p.read(), p.at
	if p.by != "value" || r.rival < 0 || r.first < 0 || t.toks[r.rival].sent == t.toks[r.first].sent {
		return ""
	}
	says := func(at int, test func(k tok) bool) bool {
		from, to := t.sentence(t.toks[at].sent)
		return slices.ContainsFunc(t.toks[from:to], test)
	}
	now := func(k tok) bool { return present[k.word] }
	more := func(k tok) bool { return !k.stop && k.pos != t.toks[r.rival].pos }
	switch rival := t.toks[r.rival].word; {
	case says(r.rival, now) && !says(r.first, now):
		return "it gives another value as the present one: " + rival
	case !strings.Contains(t.raw, "\n") && !says(r.rival, more): // not the number of an item in a list
		return "it gives two answers: " + rival
	}
	return ""
}

// sums reports whether two values of the answer come to a value of the gold.
func (p *prepared) sums(g value) bool {
	for i, a := range p.av {
		for _, b := range p.av[:i] {
			if g.name == "" && a.name == "" && b.name == "" && (a.kind == g.kind || b.kind == g.kind || a.kind == "count") && (closeTo(a.number()+b.number(), g.number(), rounding) || closeTo(math.Abs(a.number()-b.number()), g.number(), rounding)) {
				return true
			}
		}
	}
	return false
}

// number is the number of a measure as it is written.
func (v value) number() float64 {
	if v.u.Mul == 0 {
		return v.lo
	}
	return v.u.Number(v.lo)
}

// side returns the open side of a time of day: -1 before it, 1 after it, 0 none.
func side(s string, v value) int {
	ahead, behind := strings.ToLower(s[max(0, v.pos-len("before ")):v.pos]), s[v.end:]
	switch {
	case strings.HasSuffix(ahead, "before "), hasAny(behind, "之前", "以前", "前"):
		return -1
	case strings.HasSuffix(ahead, "after "), hasAny(behind, "之后", "以后", "后"):
		return 1
	}
	return 0
}

// sameThing reports whether two equal numbers may count the same thing: nothing says what one of them counts, or the answer has the gold's word for it, or the
// question has the answer's.
func (p *prepared) sameThing(g, a value) bool {
	if g.name != "" || a.name != "" || g.kind != "count" || a.of == "" || a.of[0] >= 0x80 {
		return a.kind == "count" || g.kind != "count" || g.as == (measure.Unit{}) || g.as.Kind == a.kind || a.u.May != ""
	}
	counted := func(t *text, end int) *tok {
		i := slices.IndexFunc(t.toks, func(k tok) bool { return k.pos >= end && !k.stop })
		if i < 0 {
			return nil
		}
		return &t.toks[i]
	}
	thing, its := counted(p.gt, g.end), counted(p.at, a.end)
	if g.of == "" || thing == nil || its == nil || p.qt.has(its.stem) || p.gt.has(its.stem) {
		return true
	}
	return slices.ContainsFunc(p.at.toks, func(k tok) bool { return same(thing, &k) >= .7 })
}

// countsOther reports whether a count is of another thing than a question asks the number of, while the answer has a count of that one, too: "3 dogs and 5 cats".
func (p *prepared) countsOther(a value) bool {
	asked := countAsked(p.qt.raw)
	return asked != "" && a.kind == "count" && a.of != "" && a.of != asked && slices.ContainsFunc(p.av, func(b value) bool { return b.kind == "count" && b.of == asked && b.lo != a.lo })
}

// otherItems returns what an answer leaves out of a gold that is a list of short items, or adds to it. An item is left out where the answer has no other words
// that may say it: nothing beside gold and question, or a list of the gold's items alone. Two items more than the gold's are others.
func (p *prepared) otherItems() string {
	const short, few = 3, 8 // words of an item; items
	c := p.compared()
	if p.by != "words" || c.longest > short || c.items > few || c.items < 2 || p.gt.sents > 1 || p.gt.lists(0, len(p.gt.items)) == 0 {
		return ""
	}
	r, t := p.read(), p.at
	first, last := -1, -1
	said := make([]bool, len(t.items))
	rest := make([]int, len(t.items))
	for n, it := range t.items {
		for i := it[0]; i < it[1]; i++ {
			said[n] = said[n] || r.mention[i]
			rest[n] += int(b2f(!r.mention[i] && !t.toks[i].stop && !t.toks[i].inQ && !frame(&t.toks[i])))
		}
		if said[n] && (first < 0 || t.toks[it[0]].sent == t.toks[t.items[first][0]].sent) {
			first, last = max(0, cmp.Or(first+1, n+1)-1), n
		}
	}
	if first < 0 {
		return ""
	}
	for ; !t.closes(last) && last+1 < len(t.items) && t.items[last+1][0] < len(t.toks) && t.items[last+1][1]-t.items[last+1][0] <= short && t.toks[t.items[last+1][0]].sent == t.toks[t.items[last][0]].sent; last++ {
	}
	flat, others, all := t.lists(first, last+1) == 1, 0, 0
	for n := range rest {
		all += rest[n]
		others += int(b2f(n > first && n <= last && rest[n] > 0 && !said[n] && t.items[n][1]-t.items[n][0] <= short))
	}
	switch {
	case c.unsaid != "" && (all == 0 || flat && !slices.Contains(said[first:last+1], false)):
		return "a part of the gold is not said: " + c.unsaid
	case flat && others > 1:
		return "it names other items than the gold's"
	}
	return ""
}

// lists counts how often "and" or its like joins items of a text to a list; more than one comma does it, too.
func (t *text) lists(from, to int) (joined int) {
	commas := 0
	for n := from + 1; n < to && t.items[n][0] < len(t.toks); n++ {
		gap := strings.ToLower(t.gap(t.items[n][0]))
		if strings.ContainsAny(gap, "()/") {
			return 0
		}
		joined += int(b2f(t.closes(n)))
		commas += strings.Count(gap, ",") + strings.Count(gap, "、")
	}
	if joined == 0 && commas > 1 {
		return 1
	}
	return joined
}

// closes reports whether an item is joined to those before it by "and" or its like, as the last of a list is.
func (t *text) closes(n int) bool {
	at := t.items[n][0]
	if n == 0 || at >= len(t.toks) {
		return false
	}
	gap := strings.ToLower(t.gap(at))
	return joining[t.toks[at].word] || hasWithin(gap, hanJoining) || slices.ContainsFunc(strings.Fields(gap), func(w string) bool { return w == "and" || w == "or" })
}

// joining are words with which a further item of a list begins.
var (
	joining    = tokens.Set("plus also")
	hanJoining = []string{";", "&", "和", "与", "及", "跟", "还有", "外加", "再加"}
)

// doubtsAbstention returns why it is doubtful whether an answer abstains, "" if it is not: beside its abstention it guesses an answer, or it denies what the
// question takes for granted instead of abstaining.
func (p *prepared) doubtsAbstention(abstains bool) string {
	r, t := p.read(), p.at
	kind := p.kinds(r)
	list := p.clauses(r, kind)
	for i := range list {
		c := &list[i]
		guesses := c.acts[1] > 0
		told := slices.ContainsFunc(t.toks[c.from:c.to], func(k tok) bool { return telling[k.word] || source[k.word] || k.han && hasWithin(k.word, hanTelling) })
		denied, rest := 0, 0 // words of the question, and others, behind a denial
		for j := c.from; j < c.to; j++ {
			guesses = guesses || t.toks[j].hedge
			if no := t.toks[j].neg; no || denied+rest > 0 || j > c.from && t.toks[j-1].neg {
				denied += int(b2f(kind[j] == ofQuestion))
				rest += int(b2f(kind[j] == ofRest && !no))
			}
		}
		switch {
		case abstains && guesses && c.acts[0] == 0 && c.rest > 0 && !told:
			return "it abstains, and guesses: " + strings.TrimSpace(p.clauseText(c))
		case !abstains && denied > 0 && rest == 0:
			return "it denies what the question takes for granted"
		}
	}
	return ""
}

// unsaid returns an item that an answer omits from a gold that is a list of short items, while the answer claims to be complete. Human labels mostly accept a
// partial list that claims nothing about the rest.
func (p *prepared) unsaid() string {
	const short, few = 3, 8 // words of an item; items
	if p.by != "words" {
		return ""
	}
	c := p.compared()
	if c.longest > short || c.items > few || c.items < 2 || p.gt.sents > 1 {
		return ""
	}
	for i := range p.at.toks {
		if k := &p.at.toks[i]; nothingElse[k.word] && !p.qt.hasWord(k.word) && !p.gt.hasWord(k.word) {
			return c.unsaid
		}
	}
	return ""
}

// nothingElse are words by which an answer ends a list.
var nothingElse = tokens.Set("only just solely alone exclusively single merely 只 只有 仅 仅仅 就只 唯一 唯有")

// unsigned reports whether an answer has no word and no sign that may act on the rest.
func (p *prepared) unsigned(r *reading) bool { return len(r.operators) == 0 && !p.signs() }

// signs reports whether an answer has a sign that may act on its words.
func (p *prepared) signs() bool {
	return strings.ContainsAny(p.at.raw, "~[]{}|") || strings.ContainsFunc(p.at.raw, func(c rune) bool { return c >= 0x2190 && c < 0x2c00 || c >= 0x1f000 && (c < 0x1f600 || c > 0x1f60f) })
}

// crossed reports whether an answer has a picture that rejects its words.
func (p *prepared) crossed() bool {
	const rejects = "👎❌✗✘🚫⛔🙅"
	return strings.ContainsAny(p.at.raw, rejects) && !strings.ContainsAny(p.gt.raw, rejects)
}

// bare reports whether an answer is the gold and words that only give an answer.
func (p *prepared) bare(r *reading) bool {
	t := p.at
	for i := range t.toks {
		if k := &t.toks[i]; !r.mention[i] && !giving[k.word] && !p.gt.hasWord(k.word) {
			return false
		}
	}
	return p.unsigned(r)
}

// giving are words that give an answer and change nothing of it.
var giving = tokens.Set("the a an it its it's is was are were be that this they he she we you i in on at to by for and answer answers answered correct right final result value yes sure so s from what said 是 为 答案 就是 那 它 在 了 的 之 前 之前 提到 提到过 提过 说过 过 我 觉得 您 你 说 记录 显示 应 该 应该 就")

// operator returns the word of an answer that most likely changes its meaning: one that affects the gold, and a mere contrast only if there is no other; nil if
// there is none.
func (p *prepared) operator(r *reading) (found *operator) {
	for i := range r.operators {
		if op := &r.operators[i]; p.reaches(r, op) && (found == nil || found.kind == "contrast") {
			found = op
		}
	}
	return found
}

// why names the reason for the doubt, the simplest one first.
func (p *prepared) why(r *reading) string {
	if op := p.operator(r); op != nil {
		return "a word that may turn what is said (" + op.kind + ": " + op.word + ")"
	}
	if r.rival >= 0 {
		return "it names another candidate: " + p.at.toks[r.rival].word
	}
	for _, part := range []struct {
		rest []int
		say  string
	}{{r.before, "what stands before the gold may turn it: "}, {r.later, "a sentence besides the gold may take it back: "}, {r.after, "it says more than gold and question account for: "}} {
		if len(part.rest) > 0 {
			return part.say + p.words(part.rest)
		}
	}
	return "how it says the gold cannot be read with certainty"
}

// persons are pronouns by which a sentence continues about someone.
var persons = tokens.Set("everyone everybody he she they him her them his hers their you your i my we our us it its 他 她 他们 她们 您 你 我 我们 它")

// reaches reports whether an operator may act on the mention of the gold: it is in its
// sentence, or in the one before or behind.
func (p *prepared) reaches(r *reading, op *operator) bool {
	at := p.at.toks[op.tok].sent
	return at >= p.at.toks[r.first].sent-1 && at <= p.at.toks[r.last-1].sent+1
}

func (p *prepared) words(list []int) string {
	var out []string
	for _, i := range list {
		if len(out) == 4 {
			out = append(out, "…")
			break
		}
		out = append(out, p.at.toks[i].word)
	}
	return strings.Join(out, " ")
}
