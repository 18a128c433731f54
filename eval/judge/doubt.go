package judge

import "strings"

// stance decides what an accepting verdict is worth by how the gold is said: refuse is
// why it is wrong after all, doubt why it cannot be read with certainty. An answer is
// accepted without doubt only where gold, question and the frame of an answer account
// for what it says, and nothing in it operates on the gold.
func (p *prepared) stance(r *reading) (refuse, doubt string) {
	t := p.at
	if r.looping && !looping(p.gt) {
		return "the reply repeats itself without end", ""
	}
	if p.abstainQ || r.first < 0 {
		return "", ""
	}
	word := func(i int) string { return t.toks[i].word }
	if r.items >= 4 && len(p.gt.items) <= 1 && r.restates < .5 && p.how == "" {
		if r.items > 5 {
			return "one of a list of candidates", ""
		}
		return "", "one of a list of candidates"
	}
	if last := t.toks[r.last-1]; strings.HasPrefix(t.raw[min(len(t.raw), last.pos+len(last.word)):], "'s ") && !strings.Contains(p.gt.raw, "'s") && !strings.Contains(p.qt.raw, "'s") && len(r.after) > 0 {
		return "", "the gold only modifies something else: " + p.words(r.after)
	}
	polar := p.c != nil && p.c.gPol != 0
	sentence := r.restates >= .5
	var near *operator // the first that acts on the gold
	soft := false      // one that may, beside it
	for i := range r.operators {
		op := &r.operators[i]
		switch {
		case polar && op.kind == "negation", !p.reaches(r, op):
		case sentence && !p.scopes(r, op):
			soft = true
		case near == nil:
			near = op
		}
	}
	m := matching{other: -1}
	if p.comparesValues() {
		m = p.match()
	}
	rival := r.rival >= 0 && len(p.gt.items) <= 1 && !polar
	switch {
	case near != nil:
		return "", "a word that may turn what is said (" + near.kind + ": " + near.word + ")"
	case rival && (!sentence || soft || m.other >= 0 && m.before):
		return "", "it names another candidate: " + word(r.rival)
	case polar || len(p.gt.content()) > 8 && !p.valued():
		return "", ""
	case sentence:
		return "", p.aside(r)
	}
	rest := append(append(append([]int(nil), r.before...), r.after...), r.later...)
	if len(rest) > 0 {
		return "", "it says more than gold and question account for: " + p.words(rest)
	}
	return "", ""
}

// aside is why an answer that repeats the question is doubtful though no single word
// turns it: it answers twice, quotes the answer and says more around it, or has a sentence
// that is about neither what the question asks after nor a person, and so comments on
// what was said.
func (p *prepared) aside(r *reading) string {
	t := p.at
	home := t.toks[r.first].sent
	for _, i := range r.before {
		if k := &t.toks[i]; k.name && k.sent == home && (i < 3 || t.toks[i-3].sent != home) && p.asksAfterName() && !namedBefore(t, home, r.first) {
			return "it may be about somebody else: " + k.word
		}
	}
	if p.how != "" {
		return ""
	}
	if open, shut := strings.IndexAny(t.raw, "\"“"), strings.LastIndexAny(t.raw, "\"”"); open >= 0 && shut > open && t.toks[r.first].pos > open && t.toks[r.first].pos < shut && t.toks[r.first].pos-open > 12 {
		for _, i := range append(append([]int(nil), r.after...), r.later...) {
			if t.toks[i].pos > shut {
				return "the answer is quoted, and more is said about it: " + p.words([]int{i})
			}
		}
	}
	rest := map[int][]int{} // by sentence
	for _, i := range append(append([]int(nil), r.after...), r.later...) {
		if t.toks[i].sent != home {
			rest[t.toks[i].sent] = append(rest[t.toks[i].sent], i)
		}
	}
	here := 0 // of the question in the sentence with the gold
	for i := range t.toks {
		if k := &t.toks[i]; k.sent == home && k.inQ && !k.stop {
			here++
		}
	}
	for _, i := range r.before {
		if s := t.toks[i].sent; s != home {
			rest[s] = append(rest[s], i)
		}
	}
	for sent := range t.sents {
		if len(rest[sent]) == 0 || sent == home {
			continue
		}
		asked, person, said := 0, false, false
		for i := range t.toks {
			if k := &t.toks[i]; k.sent == sent {
				said = said || r.mention[i] && (len(r.spans) == 0 || inSpans(r.spans, k.pos))
				person = person || persons[k.word] || k.name
				if k.inQ && !k.stop {
					asked++
				}
			}
		}
		switch {
		case !said && asked > 1 && (2*asked > r.asked && sent > home || asked > here):
			return "it answers twice: " + p.words(rest[sent])
		case sent > home && !said && !person && asked == 0:
			return "a sentence that nothing accounts for: " + p.words(rest[sent])
		}
	}
	return ""
}

// asksAfterName reports whether the question names somebody or something.
func (p *prepared) asksAfterName() bool {
	for i := range p.qt.toks {
		if k := &p.qt.toks[i]; k.name && !k.stop {
			return true
		}
	}
	return false
}

// namedBefore reports whether a name of the question stands in the sentence before token end.
func namedBefore(t *text, sent, end int) bool {
	for i := range end {
		if k := &t.toks[i]; k.sent == sent && k.inQ && k.name {
			return true
		}
	}
	return false
}

func inSpans(spans [][2]int, pos int) bool {
	for _, s := range spans {
		if pos >= s[0] && pos < s[1] {
			return true
		}
	}
	return false
}

// persons are pronouns by which a sentence goes on about somebody.
var persons = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("he she they him her them his hers their you your i my we our us it its 他 她 他们 她们 您 你 我 我们 它") {
		m[w] = true
	}
	return m
}()

// scopes reports whether an operator acts on the gold in a sentence that repeats the
// question: it stands before the gold in its sentence or, being one that takes back what
// was said, right behind it or at the beginning of the next.
func (p *prepared) scopes(r *reading, op *operator) bool {
	t := p.at
	if op.kind == "intent" {
		return false
	}
	if op.tok < r.first {
		return t.toks[op.tok].sent == t.toks[r.first].sent
	}
	switch op.kind {
	case "time", "unreal":
		return false
	}
	if op.tok < r.last+3 && t.toks[op.tok].sent == t.toks[r.last-1].sent {
		return true
	}
	next := op.tok
	for next > 0 && t.toks[next-1].sent == t.toks[op.tok].sent {
		next--
	}
	return t.toks[op.tok].sent > t.toks[r.last-1].sent && op.tok-next < 4
}

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
