package explain

import (
	"fmt"
	"slices"
	"strings"

	"membench/schema"
)

// notUsed is the finding where the reader saw everything.
func (x *explainer) notUsed(r *schema.QARecord, needs []*need) finding {
	if f, ok := x.misled(r, needs); ok {
		return f
	}
	f := finding{hop: schema.HopRead, reason: "all the evidence was in the context"}
	if r.Context == "" {
		f.reason = "all the evidence was among the hits"
	}
	var words string
	if f.kind, words = x.misread(r); words != "" {
		f.reason += ", and " + words
	}
	f.reason += x.told.unsupported(r)
	s := x.until(r)
	var ids []schema.PointID
	for _, n := range needs {
		f.refs = append(f.refs, n.refs...)
		_, live := x.ledger.carriers(n, s, x.frame)
		if carrying, _ := x.hits(r, n, live); len(carrying) > 0 {
			ids = append(ids, carrying[0].ID)
			if sources := carrying[0].Sources; len(sources) > 0 && len(n.refs) > 0 && !n.named(sources) {
				f.reason += "; the hit says " + n.name + " and names other sources"
			}
		}
	}
	f.ids = point(ids...)
	return f
}

// echoLength is the number of an answer's terms from which words of the context are an
// echo: fewer are an answer.
const echoLength = 25

// misread describes what the reader did with its context.
func (x *explainer) misread(r *schema.QARecord) (kind, words string) {
	answer, asked := x.told.read(r.Answer), x.told.read(r.Question)
	key, context := answer.norm(), x.contextKey(r)
	switch {
	case len(answer.terms) > 0 && key == asked.norm(): // whose words may be those of a refusal
		return schema.FaultEchoed, "the answer repeats the question"
	case abstains(r):
		return schema.FaultRefused, "the reader gave no answer"
	case len(answer.terms) == 0:
		return "", ""
	case len(answer.terms) >= 3 && answer.both(asked) == len(answer.terms):
		return schema.FaultEchoed, "the answer repeats the question"
	case len(answer.terms) >= echoLength && strings.Contains(context, key):
		return schema.FaultEchoed, "the answer repeats what was shown"
	}
	for i := range r.Hits {
		if h := &r.Hits[i]; len(key) >= shortest && strings.Contains(x.told.read(h.Text).norm(), key) {
			return "", fmt.Sprintf("the answer is from the hit at rank %d, word for word", h.Rank)
		}
	}
	if x.past.follows(x.told, r) {
		kind := ""
		if x.past.always() {
			kind = schema.FaultImpure
		}
		return kind, "the answer is that of the question before"
	}
	shown := newBag(r.Context)
	if r.Context == "" {
		var texts []string
		for i := range r.Hits {
			texts = append(texts, r.Hits[i].Text)
		}
		shown = newBag(strings.Join(texts, " "))
	}
	own := answer.without(asked, shown)
	if len(own.terms)*2 > len(answer.without(asked).terms) {
		return schema.FaultInvented, "most of the answer's words are in nothing that was shown"
	}
	if i := slices.IndexFunc(own.terms, func(t string) bool { return len(t) > 1 && strings.Trim(t, "0123456789") == "" }); i >= 0 && !timed(r.Answer) { // one digit may be a count
		return schema.FaultInvented, "the answer's number " + own.terms[i] + " is in nothing that was shown"
	}
	return "", ""
}
