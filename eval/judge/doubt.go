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
	rival := r.rival >= 0 && len(p.gt.items) <= 1 && !polar
	switch {
	case near != nil:
		return "", "a word that may turn what is said (" + near.kind + ": " + near.word + ")"
	case rival && (!sentence || soft || p.comparesValues() && p.match().other >= 0):
		return "", "it names another candidate: " + word(r.rival)
	case sentence || polar || len(p.gt.content()) > 8:
		return "", ""
	}
	rest := append(append(append([]int(nil), r.before...), r.after...), r.later...)
	if len(rest) > 0 {
		return "", "it says more than gold and question account for: " + p.words(rest)
	}
	return "", ""
}

// scopes reports whether an operator acts on the gold in a sentence that repeats the
// question: it stands before the gold in its sentence or, being one that takes back what
// was said, right behind it or at the beginning of the next.
func (p *prepared) scopes(r *reading, op *operator) bool {
	t := p.at
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
