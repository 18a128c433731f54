package probes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/internal/timex"
	"membench/internal/tokens"
	"membench/schema"
)

// Reasons for which a draft is rejected.
const (
	whyNoName     = "the object is not a name"
	whyNoWords    = "the predicate has no words in the language of the turn"
	whyNotSpelled = "the answer is not in the words of its turns"
	whySecond     = "the graph or the text has a second answer"
	whySubject    = "the turn does not name the subject"
	whyTwice      = "a turn proves more than one step, or a step is stated twice"
	whyQuote      = "too little text surrounds the answer"
	whyUndated    = "a turn has no date"
	whySame       = "the two answers are one"
	whySeveral    = "an object is several things, which may be more than one of those that are counted"
)

// ask makes a draft of a candidate.
func (m *maker) ask(c candidate) (*draft, string) {
	switch c.typ {
	case SingleFact:
		return m.askFact(c)
	case TwoHop, ThreeHop:
		switch {
		case c.f[1] != nil:
			return m.askChain(c)
		case c.t[1] != nil:
			return m.askTogether(c)
		}
		return m.askBridge(c)
	case Reply:
		return m.askReply(c)
	case Date, Order, Interval:
		if c.f[0] != nil {
			return m.askTold(c)
		}
		return m.askTime(c)
	case UpdateNew, UpdateOld:
		return m.askUpdate(c)
	case Contradiction:
		return m.askContradiction(c)
	case Count, List:
		if c.f[0] != nil {
			return m.askSet(c)
		}
		return m.askMentions(c)
	}
	return m.askAbsent(c)
}

// sound says what is wrong with a fact by itself.
func (m *maker) sound(f *fact) string {
	switch {
	case f.noise != "":
		return whyNoName
	case f.gold == "":
		return whyNotSpelled
	case !m.w.words.words(f.pred, f.zh, f.attr):
		return whyNoWords
	case !f.person && !has(f.first().folded, fold(f.who)):
		return whySubject
	}
	return ""
}

// params are those of the facts of f's subject under its predicate.
func (m *maker) params(c candidate, f *fact) Params {
	p := Params{Subject: f.root, Predicate: f.pred, Convs: c.s.convs}
	if f.person {
		p.Names = c.s.names(f.who)
	}
	return p
}

func (m *maker) askFact(c candidate) (*draft, string) {
	f := c.f[0]
	if why := m.sound(f); why != "" {
		return nil, why
	}
	w, forms := m.w.words.of(f.pred, f.zh), m.w.words.forms(f.zh)
	d := &draft{turns: f.turns, hops: 1, spelled: true, zh: f.zh, distractors: m.near(c.s, f)}
	d.q.Answer = f.gold
	if f.gold != f.name {
		d.q.Answers = []string{f.gold, f.name}
	}
	p := m.params(c, f)
	same := c.s.bySubj[f.who+"\x00"+f.pred]
	other := func(day string) bool { // another object of the predicate, on a day or at all
		return slices.ContainsFunc(same, func(x *fact) bool {
			return x.object != f.object && x.attr == f.attr && (day == "" || slices.ContainsFunc(x.turns, func(t *turn) bool { return t.day() == day }))
		})
	}
	hinted := func(day string) bool { // a turn beside the evidence may say another
		return f.attr == "" && slices.ContainsFunc(m.cued(c.s, f.who, f.person, f.pred), func(t *turn) bool {
			return (day == "" || t.day() == day) && !slices.Contains(f.turns, t)
		})
	}
	opposed := slices.ContainsFunc(c.s.bySubj[f.who+"\x00"+m.w.cat.Opposite(f.pred)], func(x *fact) bool { return x.object == f.object })
	day := f.first().day()
	plain := !f.person || m.w.words.known(f.pred) && (len(w.Cues) == 0 || cued(f.first().folded, w.Cues)) // an extractor may have read the turn wrongly
	switch {
	case plain && m.w.words.closed(f.pred, f.person) && f.status == "active" && !opposed && !other("") && !hinted(""):
		d.q.Text = fill(m.pick(w.Ask, c), "who", f.who, "attr", f.attr)
		p.Status = []string{"active"}
	case plain && day != "" && !other(day) && !hinted(day):
		d.q.Text = fill(m.pick(forms.FactDay, c), "day", dayText(day, f.zh), "did", fill(w.Did, "who", f.who, "attr", f.attr))
		p.Day = day
		d.turns = slices.DeleteFunc(slices.Clone(f.turns), func(t *turn) bool { return t.day() != day })
	default:
		q, why := m.bridge(c, f)
		if why != "" {
			return nil, why
		}
		d.q.Text = m.quoted(c, f, q)
		d.turns = f.turns[:1]
		p.Event = f.first().id
	}
	d.proof = prove(QueryFact, p)
	return d, ""
}

func (m *maker) quoted(c candidate, f *fact, q string) string {
	forms := m.w.words.forms(f.zh)
	who := f.who
	if !f.person {
		who = f.first().who // whoever said it of the thing
	}
	if day := f.first().day(); day != "" {
		return fill(m.pick(forms.FactQuote, c), "day", dayText(day, f.zh), "who", who, "quote", q)
	}
	return fill(m.pick(forms.FactQuoteUndated, c), "who", who, "quote", q)
}

// saidElsewhere reports whether another turn has both sides of a quote's gap.
func (s *scope) saidElsewhere(q string, of *turn) bool {
	before, after, _ := strings.Cut(fold(q), "____")
	long := before
	if len(after) > len(before) {
		long = after
	}
	return slices.ContainsFunc(s.mentions(strings.TrimSpace(strings.Trim(long, " ,.!?;:。，！？；："))), func(t *turn) bool {
		return t != of && strings.Contains(t.folded, strings.TrimSpace(before)) && strings.Contains(t.folded, strings.TrimSpace(after))
	})
}

// askChain follows facts from a subject over its object: the service that it depends on.
func (m *maker) askChain(c candidate) (*draft, string) {
	var facts []*fact
	for _, f := range c.f {
		if f != nil {
			facts = append(facts, f)
		}
	}
	last := facts[len(facts)-1]
	d := &draft{hops: len(facts), spelled: true, zh: last.zh, distractors: m.near(c.s, last)}
	np, preds := facts[0].who, []string(nil)
	for i, f := range facts {
		if why := m.sound(f); why != "" {
			return nil, why
		}
		if f.status != "active" || len(f.turns) != 1 || slices.Contains(d.turns, f.turns[0]) {
			return nil, whyTwice
		}
		for _, x := range c.s.bySubj[f.who+"\x00"+f.pred] { // a second way
			if x.object != f.object && x.status == "active" && m.leads(c.s, x, facts[i+1:]) {
				return nil, whySecond
			}
		}
		d.turns = append(d.turns, f.turns[0])
		preds = append(preds, f.pred)
		if i < len(facts)-1 {
			np = fill(m.w.words.of(f.pred, last.zh).NP, "who", np, "attr", f.attr)
		}
	}
	if slices.ContainsFunc(c.s.mentions(fold(last.gold)), func(t *turn) bool {
		return t != last.first() && has(t.folded, fold(facts[0].who)) && facts[0].who != last.who
	}) {
		return nil, whyTwice // one other turn names the beginning and the end
	}
	d.q.Text = fill(m.pick(m.w.words.of(last.pred, last.zh).Ask, c), "who", np, "attr", last.attr)
	d.q.Answer = last.gold
	d.proof = prove(QueryChain, Params{Subject: facts[0].root, Predicates: preds, Convs: c.s.convs})
	return d, ""
}

// leads reports whether the predicates of the rest of a chain can be followed from x.
func (m *maker) leads(s *scope, x *fact, rest []*fact) bool {
	if len(rest) == 0 {
		return true
	}
	return slices.ContainsFunc(s.asSubj[x.object], func(f *fact) bool { return f.pred == rest[0].pred && m.leads(s, f, rest[1:]) })
}

// askBridge asks when someone else spoke of what is missing in a quote.
func (m *maker) askBridge(c candidate) (*draft, string) {
	f, x := c.f[0], c.t[0]
	q, why := m.bridge(c, f)
	if why != "" {
		return nil, why
	}
	d := &draft{turns: []*turn{f.first(), x.turns[0]}, hops: 2, zh: f.zh}
	d.q.Text = fill(m.pick(m.w.words.forms(f.zh).DateBridge, c), "who", f.who, "quote", q, "b", x.who)
	m.dateGold(d, x.turns[0].day())
	d.distractors = otherDays(c.s, x.turns[0], f.zh)
	p := m.params(c, f)
	p.Event, p.Names2, p.Text2 = f.first().id, c.s.names(x.who), x.low
	d.proof = prove(QueryBridge, p)
	return d, ""
}

// bridge is the quote of a fact with its gap: what is missing is a thing, said so by one turn only.
func (m *maker) bridge(c candidate, f *fact) (string, string) {
	if why := m.sound(f); why != "" {
		return "", why
	}
	q := gap(f.first().text, f.gold)
	switch {
	case f.act:
		return "", whyNoName
	case q == "":
		return "", whyQuote
	case c.s.saidElsewhere(q, f.first()):
		return "", whySecond
	}
	return q, ""
}

// askTogether asks which of four things was said where another was said.
func (m *maker) askTogether(c candidate) (*draft, string) {
	x, y, f := c.t[0], c.t[1], c.f[0]
	sit := x.turns[0].sitting
	i := slices.IndexFunc(y.turns, func(t *turn) bool { return t.sitting == sit })
	d := &draft{turns: []*turn{x.turns[0], y.turns[i]}, hops: 2, spelled: true, distractors: c.others}
	d.zh = x.turns[0].zh
	d.choices = append([]string{spell(y.turns[i].text, y.name)}, c.others...)
	d.q.Answer = d.choices[0]
	slices.SortFunc(d.choices, func(a, b string) int {
		return int(hash(c.key, a)>>33) - int(hash(c.key, b)>>33)
	})
	forms := m.w.words.forms(d.zh)
	list := strings.Join(d.choices, map[bool]string{true: "、", false: ", "}[d.zh])
	p := Params{Convs: c.s.convs, Names: c.s.names(x.who), Text: x.low, Names2: c.s.names(y.who), Text2: y.low, InConv: sit.id == ""}
	if f == nil {
		d.q.Text = fill(m.pick(forms.Together, c), "who", x.who, "obj", x.name, "b", y.who, "choices", list)
		d.proof = prove(QueryTogether, p)
		return d, ""
	}
	q, why := m.bridge(c, f)
	if why != "" {
		return nil, why
	}
	d.zh, d.hops = f.zh, 3
	d.turns = append([]*turn{f.first()}, d.turns...)
	d.q.Text = fill(m.pick(m.w.words.forms(f.zh).TogetherQuote, c), "who", f.who, "quote", q, "b", x.who, "c", y.who, "choices", list)
	p.Quoted, p.Subject, p.Predicate, p.Event = true, f.root, f.pred, f.first().id
	d.proof = prove(QueryTogether, p)
	return d, ""
}

func (m *maker) askTime(c candidate) (*draft, string) {
	x, y := c.t[0], c.t[1]
	d := &draft{hops: 1, zh: x.turns[0].zh}
	forms := m.w.words.forms(d.zh)
	p := Params{Convs: c.s.convs, Names: c.s.names(x.who), Text: x.low}
	for _, t := range c.t[:2] {
		if t != nil && c.s.hinted(t) {
			return nil, whySecond
		}
	}
	if c.typ == Date {
		d.turns = x.turns
		d.q.Text = fill(m.pick(forms.Date, c), "who", x.who, "obj", x.name)
		m.dateGold(d, x.turns[0].day())
		d.distractors = otherDays(c.s, x.turns[0], d.zh)
		d.proof = prove(QueryMentions, p)
		return d, ""
	}
	a, b := x.turns[0], y.turns[0]
	d.hops, d.turns = 2, []*turn{a, b}
	if b.num < a.num {
		d.turns = []*turn{b, a}
	}
	p.Text2, p.Names2 = y.low, p.Names
	d.proof = prove(QueryMentions, p)
	if c.typ == Order {
		// days, not turns: a conversation may be told out of order
		if (a.day() < b.day()) != (a.num < b.num) {
			return nil, "turns and dates are in different orders"
		}
		first := x
		if b.day() < a.day() {
			first = y
		}
		d.choices = []string{x.name, y.name}
		d.q.Text = fill(m.pick(forms.Order, c), "who", x.who, "a", x.name, "b", y.name)
		d.q.Answer, d.spelled = first.name, true
		for _, n := range d.choices {
			if n != first.name {
				d.distractors = []string{n}
				d.q.Wrong = n
			}
		}
		return d, ""
	}
	n := daysBetween(a.day(), b.day())
	if n <= 0 {
		return nil, whyUndated
	}
	d.q.Text = fill(m.pick(forms.Interval, c), "who", x.who, "a", x.name, "b", y.name)
	d.q.Answer = m.daysText(n, d.zh)
	d.distractors = []string{m.daysText(n+1, d.zh), m.daysText(max(1, n-1)+map[bool]int{true: 2}[n == 1], d.zh), m.daysText(n+7, d.zh)}
	return d, ""
}

// askTold asks on which day something was told, by what it is about and not by its words:
// all facts of the predicate must be of one day, and no other turn may speak of such a thing.
func (m *maker) askTold(c candidate) (*draft, string) {
	f := c.f[0]
	day := f.first().day()
	switch {
	case f.noise != "" || !cued(f.first().folded, m.w.words.of(f.pred, f.zh).Cues):
		return nil, whyNoName
	case day == "":
		return nil, whyUndated
	}
	on := func(t *turn) bool { return t.day() == day }
	d := &draft{hops: 1, zh: f.zh}
	for _, x := range c.s.bySubj[f.who+"\x00"+f.pred] {
		d.turns = mergeTurns(d.turns, x.turns)
	}
	for _, t := range slices.Concat(m.cued(c.s, f.who, true, f.pred), d.turns) {
		if !on(t) {
			return nil, whySecond
		}
	}
	w, forms := m.w.words.of(f.pred, f.zh), m.w.words.forms(f.zh)
	d.q.Text = fill(m.pick(forms.DateTold, c), "who", f.who, "np", fill(w.NP, "who", f.who, "attr", f.attr))
	m.dateGold(d, day)
	d.distractors = otherDays(c.s, f.first(), f.zh)
	d.proof = prove(QueryFact, m.params(c, f))
	return d, ""
}

func (m *maker) daysText(n int, zh bool) string {
	forms := m.w.words.forms(zh)
	if n == 1 {
		return forms.DayOne
	}
	return fill(forms.Days, "n", strconv.Itoa(n))
}

func (m *maker) dateGold(d *draft, day string) {
	d.q.Answer = dayText(day, d.zh)
	d.q.Answers = []string{d.q.Answer, day}
}

func (m *maker) askUpdate(c candidate) (*draft, string) {
	old, now := c.f[0], c.f[1]
	for _, f := range []*fact{old, now} {
		if why := m.sound(f); why != "" {
			return nil, why
		}
	}
	w, forms := m.w.words.of(now.pred, now.zh), m.w.words.forms(now.zh)
	d := &draft{hops: 2, zh: now.zh, turns: mergeTurns(old.turns, now.turns)}
	p := m.params(c, old)
	d.proof = prove(QuerySuperseded, p)
	flip := old.object == now.object
	after := now.turns[len(now.turns)-1]
	switch {
	case c.typ == UpdateNew && flip:
		i := slices.IndexFunc(now.turns, func(t *turn) bool { return t.num > old.first().num })
		if i < 0 || now.turns[i].day() == "" {
			return nil, whyUndated
		}
		d.q.Text = fill(m.pick(forms.UpdateDate, c), "who", now.who, "obj", now.gold)
		m.dateGold(d, now.turns[i].day())
		if day := old.first().day(); day != "" {
			d.q.Wrong = dayText(day, d.zh)
			d.distractors = []string{d.q.Wrong}
		}
		if d.q.Wrong == d.q.Answer {
			return nil, whySame
		}
		return d, ""
	case m.alike(old, now):
		return nil, whySame
	case len(active(c.s.bySubj[now.who+"\x00"+now.pred])) > 1 && now.attr == "":
		return nil, whySecond
	case c.typ == UpdateNew:
		if now.status != "active" {
			return nil, "replaced again since"
		}
		ask := fill(m.pick(w.Ask, c), "who", now.who, "attr", now.attr)
		d.q.Text = fill(m.pick(forms.UpdateNew, c), "ask", ask, "ask_lower", lowerFirst(ask))
		d.q.Answer, d.q.Wrong, d.spelled = now.gold, old.gold, true
		d.distractors = append([]string{old.gold}, m.near(c.s, now)...)
	default:
		if after.num < old.first().num {
			return nil, "the turns are not in the order of the claims"
		}
		did := fill(w.Did, "who", now.who, "attr", now.attr)
		d.q.Text = fill(m.pick(forms.UpdateOld, c), "b", now.gold, "did", did)
		d.q.Answer, d.q.Wrong, d.spelled = old.gold, now.gold, true
		d.distractors = m.near(c.s, old)
		if slices.ContainsFunc(c.s.byClaim[old.next], func(x *fact) bool { return x.who == old.who && x != now }) || m.before(c.s, old, now) > 1 {
			return nil, whySecond
		}
	}
	d.distractors = dedup(d.distractors, d.q.Answer)
	return d, ""
}

// alike reports whether two objects may be one thing: they share a word, or are in
// two languages.
func (m *maker) alike(a, b *fact) bool {
	return overlap(fold(a.gold), fold(b.gold)) || a.attr == "" && isZH(a.gold) != isZH(b.gold)
}

// before counts the different objects that the same fact replaced.
func (m *maker) before(s *scope, old, now *fact) int {
	seen := map[schema.NodeID]bool{}
	for _, f := range s.bySubj[old.who+"\x00"+old.pred] {
		if f.next == now.claim && f.attr == now.attr {
			seen[f.object] = true
		}
	}
	return len(seen)
}

func (m *maker) askContradiction(c candidate) (*draft, string) {
	a, b := c.f[0], c.f[1]
	for _, f := range []*fact{a, b} {
		if why := m.sound(f); why != "" {
			return nil, why
		}
	}
	d := &draft{hops: 2, zh: b.zh, turns: mergeTurns(a.turns, b.turns), spelled: true}
	p := m.params(c, a)
	x, y := a.first().day(), b.turns[len(b.turns)-1].day()
	if x == "" || y == "" || x == y {
		return nil, whyUndated
	}
	for _, f := range c.s.facts { // another pair of the same days
		if f.who == a.who && f.object != a.object && f.first().day() == x && slices.ContainsFunc(c.s.bySubj[f.who+"\x00"+m.w.cat.Opposite(f.pred)], func(o *fact) bool {
			return o.object == f.object && o.turns[len(o.turns)-1].day() == y
		}) {
			return nil, whySecond
		}
	}
	d.q.Text = fill(m.pick(m.w.words.forms(b.zh).Contradiction, c), "who", a.who, "day", dayText(x, d.zh), "day2", dayText(y, d.zh))
	d.q.Answer = b.gold
	d.distractors = m.near(c.s, b)
	p.Predicates = []string{b.pred}
	d.proof = prove(QueryOpposite, p)
	return d, ""
}

// askMentions counts or lists where a name was said.
func (m *maker) askMentions(c candidate) (*draft, string) {
	x := c.t[0]
	d := &draft{turns: x.turns, zh: x.turns[0].zh}
	forms := m.w.words.forms(d.zh)
	days, sits := x.days(), x.sittings()
	d.proof = prove(QueryMentions, Params{Convs: c.s.convs, Names: c.s.names(x.who), Text: x.low})
	count := func(n int, form []string) {
		d.hops = n
		d.q.Text = fill(m.pick(form, c), "who", x.who, "obj", x.name)
		d.q.Answer = strconv.Itoa(n)
		d.distractors = []string{strconv.Itoa(n + 1), strconv.Itoa(n - 1)}
	}
	switch {
	case c.typ == List:
		var list, iso []string
		for _, day := range days {
			list, iso = append(list, dayText(day, d.zh)), append(iso, day)
		}
		d.hops = len(days)
		d.q.Text = fill(m.pick(forms.ListDates, c), "who", x.who, "obj", x.name)
		d.q.Answer = strings.Join(list, map[bool]string{true: "、", false: ", "}[d.zh])
		d.q.Answers = []string{d.q.Answer, strings.Join(iso, ", ")}
		d.distractors = otherDays(c.s, x.turns[0], d.zh)
		d.distractors = slices.DeleteFunc(d.distractors, func(s string) bool { return slices.Contains(list, s) })
	case len(sits) >= 2:
		count(len(sits), forms.Count)
	default:
		count(len(x.turns), forms.CountTurns)
	}
	return d, ""
}

// askSet counts or lists the objects of a subject. That there are no more is held
// against the text: every turn that may speak of the predicate must be evidence.
func (m *maker) askSet(c candidate) (*draft, string) {
	f := c.f[0]
	list := members(active(c.s.bySubj[f.who+"\x00"+f.pred]))
	if len(list) < 2 {
		return nil, whySame
	}
	d := &draft{zh: f.zh, hops: len(list), distractors: m.near(c.s, f)}
	var golds []string
	for _, x := range list {
		if why := m.sound(x); why != "" {
			return nil, why
		}
		if several(x.gold) && (c.typ == Count || number(x.gold) > 1) {
			return nil, whySeveral
		}
		for _, g := range golds {
			if has(fold(g), fold(x.gold)) || has(fold(x.gold), fold(g)) {
				return nil, whySame
			}
		}
		golds = append(golds, x.gold)
		d.turns = mergeTurns(d.turns, x.turns)
	}
	for _, t := range m.cued(c.s, f.who, f.person, f.pred) {
		named := 0
		for _, g := range golds {
			if has(t.folded, fold(g)) {
				named++
			}
		}
		if !slices.Contains(d.turns, t) && (f.person || named == 0) {
			return nil, whySecond
		}
	}
	w, forms := m.w.words.of(f.pred, f.zh), m.w.words.forms(f.zh)
	ask := fill(m.pick(w.Ask, c), "who", f.who)
	d.distractors = slices.DeleteFunc(d.distractors, func(s string) bool { return slices.Contains(golds, s) })
	if c.typ == Count {
		d.q.Text = fill(m.pick(forms.CountFacts, c), "who", f.who, "ask", ask, "ask_lower", lowerFirst(ask), "things", w.Thing[1])
		d.q.Answer = strconv.Itoa(len(list))
		d.distractors = []string{strconv.Itoa(len(list) + 1), strconv.Itoa(len(list) - 1)}
	} else {
		d.q.Text = fill(m.pick(forms.ListFacts, c), "ask", ask, "ask_lower", lowerFirst(ask))
		d.q.Answer = strings.Join(golds, map[bool]string{true: "、", false: ", "}[f.zh])
	}
	p := m.params(c, f)
	p.Status = []string{"active"}
	d.proof = prove(QueryFact, p)
	return d, ""
}

// several reports whether a phrase is of more than one thing: "two cats", 三只猫, "cats".
func several(phrase string) bool {
	words := strings.Fields(strings.ToLower(phrase))
	if len(words) == 0 {
		return false
	}
	if n := number(phrase); n != 0 {
		return n != 1
	}
	last := words[len(words)-1]
	return strings.HasSuffix(last, "s") && tokens.Stem(last) != last && !strings.HasSuffix(last, "ss")
}

// number is the number that a phrase begins with, 0 none.
func number(phrase string) int {
	first, _, _ := strings.Cut(strings.ToLower(phrase), " ")
	if n, _, ok := timex.NumberWord(first); ok {
		return int(n)
	}
	if n, size := timex.HanNumber(phrase); size > 0 {
		return int(n)
	}
	n, _ := strconv.Atoi(first) // 0: none
	return n
}

// members are facts without those that count others of the list: "two cats, Luna and Pip" are two, where one turn says all.
func members(list []*fact) []*fact {
	return slices.DeleteFunc(slices.Clone(list), func(f *fact) bool {
		named := 0
		for _, x := range list {
			if x != f && number(x.gold) == 0 && x.gold != "" && slices.ContainsFunc(f.turns, func(t *turn) bool { return slices.Contains(x.turns, t) }) {
				named++
			}
		}
		return named > 1 && named == number(f.gold)
	})
}

func (m *maker) askAbsent(c candidate) (*draft, string) {
	d := &draft{hops: 0}
	if c.typ == WrongAttribute {
		f := c.f[0]
		d.zh = f.zh
		ask := fill(m.pick(m.w.words.of(c.pred, f.zh).Ask, c), "who", c.name)
		d.q.Text = fill(m.pick(m.w.words.forms(f.zh).Absent, c), "ask", ask)
		p := m.params(c, f)
		p.Predicate = c.pred
		d.proof = prove(QueryFact, p)
		d.distractors = m.near(c.s, &fact{who: c.name, pred: c.pred, object: "-"})
	} else {
		x := c.t[0]
		d.zh = x.turns[0].zh
		d.q.Text = fill(m.pick(m.w.words.forms(d.zh).AbsentTime, c), "who", x.who, "obj", x.name, "day", dayText(c.name, d.zh))
		d.proof = prove(QueryMentions, Params{Convs: c.s.convs, Names: c.s.names(x.who), Text: x.low, Day: c.name})
	}
	d.proof.None = true
	d.q.Answer = m.w.words.forms(d.zh).Unanswerable
	if c.typ == WrongTime {
		d.q.Answer = m.w.words.forms(d.zh).UnanswerableTime
	}
	return d, ""
}

// near lists up to three wrong answers from near by: what the same subject has under
// the predicate, then others', then things of the same type.
func (m *maker) near(s *scope, f *fact) []string {
	var out []string
	take := func(list []*fact) {
		for _, x := range list {
			if len(out) == 3 {
				return
			}
			if x.noise == "" && x.gold != "" && x.attr == f.attr && x.object != f.object && x.gold != f.gold && !slices.Contains(out, x.gold) {
				out = append(out, x.gold)
			}
		}
	}
	take(s.bySubj[f.who+"\x00"+f.pred])
	take(s.byPred[f.pred])
	if f.typ != "" {
		take(s.byType[f.typ])
	}
	return out
}

// otherDays are the days next to a turn's on which the conversation went on.
func otherDays(s *scope, t *turn, zh bool) []string {
	var out []string
	for step := 1; len(out) < 3 && step < len(s.sittings); step++ {
		for _, n := range []int{t.sitting.n - step, t.sitting.n + step} {
			if n >= 0 && n < len(s.sittings) && len(out) < 3 {
				if day := s.sittings[n].day(); day != "" && day != t.day() && !slices.Contains(out, dayText(day, zh)) {
					out = append(out, dayText(day, zh))
				}
			}
		}
	}
	return out
}

func mergeTurns(a, b []*turn) []*turn {
	out := slices.Clone(a)
	for _, t := range b {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *turn) int { return a.num - b.num })
	return out
}

func dedup(list []string, not string) []string {
	var out []string
	for _, s := range list {
		if s != not && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// dayText writes a date as a person of the language would; a text that is not a date stays.
func dayText(day string, zh bool) string {
	t, ok := schema.ParseTime(day, nil)
	switch {
	case !ok:
		return day
	case zh:
		return fmt.Sprintf("%d年%d月%d日", t.Year(), int(t.Month()), t.Day())
	}
	return t.Format("2 January 2006")
}

func daysBetween(a, b string) int {
	x, ok1 := schema.ParseTime(a, nil)
	y, ok2 := schema.ParseTime(b, nil)
	if !ok1 || !ok2 {
		return -1
	}
	n := int(y.Sub(x).Hours() / 24)
	return max(n, -n)
}
