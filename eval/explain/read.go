package explain

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/eval/fidelity"
	"membench/internal/codec"
	"membench/internal/textnorm"
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
	from := x.quoted(answer, r.Hits)
	switch {
	case len(answer.terms) > 0 && key == asked.norm(): // whose words may be those of a refusal
		return schema.FaultEchoed, "the answer repeats the question"
	case from != nil && breaksOff(from.Text, r.Answer):
		return schema.FaultCut, fmt.Sprintf("the answer is a piece of the hit at rank %d that breaks off inside a word or number", from.Rank)
	case from == nil && abstains(r): // what was said may have words of a refusal
		return schema.FaultRefused, "the reader gave no answer"
	case len(answer.terms) == 0:
		return "", ""
	case len(answer.terms) >= 3 && answer.both(asked) == len(answer.terms):
		return schema.FaultEchoed, "the answer repeats the question"
	case len(answer.terms) >= echoLength && strings.Contains(context, key):
		return schema.FaultEchoed, "the answer repeats what was shown"
	case from != nil:
		words = fmt.Sprintf("the answer is from the hit at rank %d, word for word", from.Rank)
		if _, rest, ok := strings.Cut(from.Text, strings.TrimSpace(r.Answer)); ok && x.hasGold(r, rest) {
			words += ", which says the gold where the answer ends: " + quote(rest)
		}
		return "", words
	}
	shown := newBag(r.Context)
	if r.Context == "" {
		var texts []string
		for i := range r.Hits {
			texts = append(texts, r.Hits[i].Text)
		}
		shown = newBag(strings.Join(texts, " "))
	}
	if before := x.quoted(answer, x.past.before); before != nil && !strings.Contains(context, key) {
		return schema.FaultImpure, fmt.Sprintf("the answer is from the hit at rank %d of the question before, word for word", before.Rank)
	}
	if x.past.follows(x.told, r, shown) {
		kind := ""
		if x.past.always() {
			kind = schema.FaultImpure
		}
		return kind, "the answer is that of the question before"
	}
	if s := strings.TrimSpace(r.Answer); isJSON(s) {
		return schema.FaultEncoding, "the answer is JSON and not the text in it"
	}
	own := answer.without(asked, shown)
	if invented(own, answer.without(asked)) {
		for t := range fidelity.Decoded(r.Answer) {
			if b := newBag(t).without(asked); b.both(shown) >= leastDecoded && b.both(shown) > answer.both(shown) && !invented(b.without(shown), b) {
				return schema.FaultEncoding, "the answer is encoded; decoded it is " + quote(t)
			}
		}
		return schema.FaultInvented, "most of the answer's words are in nothing that was shown"
	}
	if i := slices.IndexFunc(own.terms, func(t string) bool { return len(t) > 1 && strings.Trim(t, "0123456789") == "" }); i >= 0 && !timed(r.Answer) { // one digit may be a count
		return schema.FaultInvented, "the answer's number " + own.terms[i] + " is in nothing that was shown"
	}
	return "", ""
}

// isJSON reports whether a text is JSON that nobody would write as an answer: not a quotation, nor a list of numbers.
func isJSON(s string) bool {
	object := strings.HasPrefix(s, "{") || strings.HasPrefix(s, `["`) || strings.HasPrefix(s, "[{")
	return (object || strings.HasPrefix(s, `"`) && strings.Contains(s, `\`)) && codec.Valid([]byte(s))
}

// leastDecoded is the number of words that a decoded answer shares with what was shown by more than chance.
const leastDecoded = 3

// invented reports whether most of an answer's words are its own.
func invented(own, all *bag) bool { return len(own.terms)*2 > len(all.terms) }

// quoted is the first of hits that has a text word for word, if that is too long to be so by chance.
func (x *explainer) quoted(text *bag, hits []schema.QAHit) *schema.QAHit {
	for i := range hits {
		if key := text.norm(); len(key) >= shortest && strings.Contains(x.told.read(hits[i].Text).norm(), key) {
			return &hits[i]
		}
	}
	return nil
}

// breaksOff reports whether a text has a piece that ends inside a word or a number of it. In Chinese that cannot be seen.
func breaksOff(text, piece string) bool {
	piece = strings.TrimSpace(piece)
	_, rest, ok := strings.Cut(text, piece)
	if !ok || piece == "" || rest == "" {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(piece)
	next, n := utf8.DecodeRuneInString(rest)
	inside := func(r rune) bool { return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !textnorm.IsHan(r) }
	switch {
	case unicode.IsDigit(last) && strings.ContainsRune(".,:", next):
		after, _ := utf8.DecodeRuneInString(rest[n:])
		return unicode.IsDigit(after)
	case unicode.Is(unicode.Sc, last):
		return unicode.IsDigit(next)
	}
	return inside(last) && inside(next)
}

// hasGold reports whether a text has all words of the gold that neither question nor answer have, of which there are some.
func (x *explainer) hasGold(r *schema.QARecord, text string) bool {
	gold := x.told.read(r.Gold).without(x.told.read(r.Question), x.told.read(r.Answer))
	return len(gold.terms) > 0 && gold.both(newBag(text)) == len(gold.terms)
}
