package judge

import "strings"

// opposed says why an answer with the words of the gold is none: it says the opposite, or another
// day or time of the day. doubt is why that cannot be read with certainty.
func (p *prepared) opposed(r *reading) (refuse, doubt string) {
	if p.abstainQ || r.first < 0 {
		return "", ""
	}
	if p.gw.isDate() && yesNo(p.qt) {
		gold, _ := polarity(p.gt, false)
		if said, explicit := polarity(p.at, true); gold < 0 && said > 0 && !explicit {
			return "", "the gold says no, and the answer does not say so"
		}
	}
	if doubt = p.stand(r).opposed(); doubt != "" {
		return "", doubt
	}
	if w := p.otherPart(r); w != "" {
		return "another time of the day: " + w, ""
	}
	if len(p.gt.toks) <= 10 && p.gt.sents <= 1 && !strings.ContainsAny(p.gt.raw, ",;") && denials(p.gt) == 1 && denials(p.at) == 0 && len(r.operators) == 0 {
		if len(r.before)+len(r.after)+len(r.later) == 0 && !p.has(&clause{to: len(p.at.toks)}, disliking) {
			return "the gold denies it, and the answer does not", ""
		}
		return "", "the gold denies it, and the answer has no denial"
	}
	return "", ""
}

// opposed says why the clause with the gold does not say it of what was asked: it denies it, is about
// somebody else, or says it of the opposite; or another one denies a part of the gold.
func (s *standing) opposed() string {
	if s.full == 0 {
		return ""
	}
	t, h := s.prepared.at, &s.list[s.at]
	for i := h.from; i < h.to && s.kind[i] != ofGold; i++ {
		if k := &t.toks[i]; k.neg && !(k.han && partOf(t.raw, k.pos, k.word, "", "")) && !h.nothing && !negated(s.gt) && !negated(s.qt) && !s.rival(h) {
			return "the clause with the gold denies it: " + strings.TrimSpace(s.clauseText(h))
		}
	}
	for i := h.from; i < h.to; i++ {
		if w := t.toks[i].word; contrary[w] != "" && s.qt.hasWord(contrary[w]) && !s.qt.hasWord(w) && !s.gt.hasWord(w) && !s.has(h, map[string]bool{contrary[w]: true}) {
			return "it says the opposite of what was asked: " + w
		}
	}
	for i := s.at + 1; i < len(s.list); i++ {
		if c := &s.list[i]; !s.leaves(i) && (c.acts[0] > 0 && c.points && c.asked+c.gold == 0 || c.lead == "correction") {
			return "a clause besides the gold takes it back: " + strings.TrimSpace(s.clauseText(c))
		}
	}
	if w := s.alter(h); w != "" {
		return "the clause with the gold speaks of another: " + w
	}
	for i := range s.list {
		if c := &s.list[i]; i != s.at && s.identifies(c) {
			return "a clause besides the gold names another: " + strings.TrimSpace(s.clauseText(c))
		}
	}
	if s.possessed(h) {
		return "it is about another person: " + strings.TrimSpace(s.clauseText(h))
	}
	if w := s.somebodyElse(); w != "" {
		return "it is about another person: " + w
	}
	return ""
}

// identifies reports whether a clause without the gold says of what was asked that it is something
// that nothing accounts for: "what he was looking for was his wallet", "the one you completed is …".
func (s *standing) identifies(c *clause) bool {
	t, h := s.prepared.at, &s.list[s.at]
	if c.gold > 0 || c.rest == 0 || c.acts[0]+c.acts[1]+c.acts[2] > 0 || t.toks[c.from].han || 2*h.asked >= s.r.asked && s.r.asked > 1 {
		return false
	}
	verb := -1
	for i := c.from; i < c.to; i++ {
		if being[t.toks[i].word] {
			verb = i // the last: "what he was looking for was his wallet"
		}
	}
	if verb <= c.from || verb+1 >= c.to {
		return false
	}
	about := func(from, to int) bool { // what was asked, as a noun
		asked, heads := 0, t.toks[from].word == "what" || t.toks[from].word == "the" && to-from > 2 && t.toks[from+1].stem == "1"
		for i := from; i < to; i++ {
			asked += int(b2f(s.kind[i] == ofQuestion))
		}
		return asked > 0 && (heads || t.toks[from].word == "the" && asked > 1)
	}
	own := func(from, to int) bool {
		rest := 0
		for i := from; i < to; i++ {
			if s.kind[i] == ofQuestion {
				return false
			}
			rest += int(b2f(s.kind[i] == ofRest))
		}
		return rest > 0
	}
	return about(c.from, verb) && own(verb+1, c.to) || own(c.from, verb) && about(verb+1, c.to)
}

// alter is what the home says of another person, talk or case than was asked about.
func (s *standing) alter(h *clause) string {
	t := s.prepared.at
	for i := h.from; i+1 < h.to; i++ {
		if w := t.toks[i].word; (w == "another" || w == "different") && !s.qt.hasWord(w) && !s.gt.hasWord(w) && (people[t.toks[i+1].word] || occasions[t.toks[i+1].word]) {
			return w + " " + t.toks[i+1].word
		}
	}
	if text := s.clauseText(h); hasWithin(text, hanPeople) && !hasWithin(s.qt.raw, hanPeople) {
		return strings.TrimSpace(text)
	}
	return ""
}

// occasions are that of which there is another one.
var occasions = wordSet("story chat conversation context thread ticket incident case question project session trip time book film movie show game host device site")

// somebodyElse is the name of whom the home is about where the question is about another.
func (s *standing) somebodyElse() string {
	t, h := s.prepared.at, &s.list[s.at]
	if t.toks[h.from].han || h.typed > 0 {
		return ""
	}
	var asked []string
	for i := range s.qt.toks {
		if k := &s.qt.toks[i]; k.name && !calendarWord(k.word) && !s.gt.hasWord(k.word) {
			asked = append(asked, k.word)
		}
	}
	for i := h.from; i < h.to; i++ {
		for _, w := range asked {
			if t.toks[i].word == w || len(w) > 2 && len(t.toks[i].word) > 2 && (strings.HasPrefix(t.toks[i].word, w) || strings.HasPrefix(w, t.toks[i].word)) {
				return ""
			}
		}
	}
	named := false
	for i := h.from; i < h.to; i++ {
		named = named || t.toks[i].name && s.kind[i] == ofRest
	}
	if len(asked) == 0 || !named {
		return ""
	}
	subject, verb, _ := s.predicate(h)
	if subject == "" || !verb || s.asked(subject) || s.gt.hasWord(subject) {
		return ""
	}
	for i := h.from; i < h.to; i++ {
		if k := &t.toks[i]; k.word == subject && k.name && s.kind[i] == ofRest {
			return subject
		}
	}
	return ""
}

func calendarWord(w string) bool { _, ok := calendar[w]; return ok }

// contrary has pairs of words of which one says the opposite of the other.
var contrary = func() map[string]string {
	m := map[string]string{}
	f := strings.Fields("most least best worst highest lowest biggest smallest largest smallest more less oldest youngest newest oldest increase decrease increased decreased improve worsen improved worsened improvement drop buy sell bought sold win lose won lost arrive leave arrived left like dislike likes dislikes love hate loves hates start stop started stopped begin end began ended lend borrow lent borrowed open close opened closed")
	for i := 0; i+1 < len(f); i += 2 {
		m[f[i]] = f[i+1]
		if m[f[i+1]] == "" {
			m[f[i+1]] = f[i]
		}
	}
	return m
}()

// disliking are words that deny without a negation.
var disliking = wordSet("讨厌 反感 拒绝 缺 厌恶 恨 怕 别 hate hates hated dislike dislikes disliked loathe loathes avoid avoids avoided refuse refuses refused lack lacks lacked detest stopped quit skipped missed")

// denials counts the words of a text that deny.
func denials(t *text) (n int) {
	for i := range t.toks {
		k := &t.toks[i]
		switch {
		case k.neg, operatorWords[k.word] == "negation":
			n++
		case k.han:
			for _, w := range []string{"不", "没", "未", "无"} {
				if strings.HasPrefix(k.word, w) && !partOf(t.raw, k.pos, w, "", "") {
					n++
				}
			}
		}
	}
	return n
}

// otherPart is the day of the week or part of the day in the sentence of the gold where the gold
// has another one and the answer does not have that.
func (p *prepared) otherPart(r *reading) string {
	if len(p.gt.content()) > 4 || p.gw.isDate() {
		return ""
	}
	for _, class := range []int{dayPart, weekday} {
		if w := p.otherOf(r, class); w != "" {
			return w
		}
	}
	return ""
}

func (p *prepared) otherOf(r *reading, class int) (found string) {
	mine := -1
	for i := range p.gt.toks {
		if its, ok := calendar[p.gt.toks[i].word]; ok && its[0] == class {
			if mine >= 0 && mine != its[1] {
				return "" // the gold has several
			}
			mine = its[1]
		}
	}
	if mine < 0 {
		return ""
	}
	for i := range p.at.toks {
		k := &p.at.toks[i]
		its, ok := calendar[k.word]
		switch {
		case k.word == "day", ok && its == [2]int{class, mine}:
			return ""
		case ok && its[0] == class && !p.qt.hasWord(k.word) && k.sent >= p.at.toks[r.first].sent && k.sent <= p.at.toks[r.last-1].sent:
			found = k.word
		}
	}
	return found
}

// answersPlainly reports whether an answer to a gold of a mere yes or no is the question as a
// statement, with no more than the denial.
func (p *prepared) answersPlainly(gold int) bool {
	if len(p.gt.toks) != 1 || p.how != "" {
		return false
	}
	r := p.read()
	if r.restates < .6 || len(r.before)+len(r.after)+len(r.later) > 0 || len(r.operators) > 1 || p.signs() || strings.ContainsAny(p.at.raw, "?") {
		return false
	}
	for i := range p.at.toks {
		if w := p.at.toks[i].word; self[w] && !p.qt.hasWord(w) || points[w] {
			return false
		}
	}
	if gold > 0 {
		return len(r.operators) == 0 && denials(p.at) == 0
	}
	return denials(p.at) == 1 && (len(r.operators) == 0 || r.operators[0].kind == "negation")
}
