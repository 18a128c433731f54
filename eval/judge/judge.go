// Package judge decides by rule, without a model, whether an answer states what the gold states, and shows the facts it compared.
//
// The comparison depends on the gold, in this order: an empty answer is wrong; if the gold is an abstention, the answer must be one; a gold that is a date or a
// length of time is compared as such (dates.go has the table); any other gold is compared by its words, numbers, names, items and polarity (compare.go). The
// results are weighed by weights trained on recorded verdicts (weights.json).
//
// It supports English and Chinese. It asks no model and keeps no state: the same input gives the same verdict, and Judge is safe for concurrent use. A verdict
// of this package is a rule's (schema.By "rule"), never a model's score.
package judge

import (
	"fmt"
	"strings"
)

// Name is how grades name this judge; it changes when a verdict may change.
const Name = "rule-judge@2"

// Question is the part of a question that the judge needs.
type Question struct {
	Text    string
	Abstain bool   // the right answer is that it cannot be answered
	AsOf    string // when it is asked, for "last week"; RFC 3339 or its beginning; may be ""
	// From and To are when the dialogue was first and last spoken, for the years that it may speak of; as AsOf.
	From, To string
}

// Verdict is the decision on one answer.
type Verdict struct {
	Correct bool
	Doubt   string  // reason for doubt about the verdict; Correct is then what the judge leans to. "": the verdict is certain
	Score   float64 // [0,1]; Correct is Score at or above the threshold
	Rule    string  // deciding comparison: empty | abstention | date | polarity | duration | words
	Reason  string  // one sentence
	Gold    string  // the gold it was nearest to
	Answer  string  // which part of a long reply was read: "the marked conclusion", …; "" is all
	Facts   []Fact  // compared facts, in the order of the gold
}

// Fact is one part of the gold and its counterpart in the answer.
type Fact struct {
	Kind   string // word | number | date | duration | polarity
	Gold   string
	Answer string // "" where the answer has nothing
	Same   bool
	Say    string
}

func (f Fact) String() string {
	sign := "≠"
	if f.Same {
		sign = "="
	}
	if f.Answer == "" {
		return fmt.Sprintf("%s %s: %s", f.Kind, f.Gold, f.Say)
	}
	return fmt.Sprintf("%s %s %s %s: %s", f.Kind, f.Gold, sign, f.Answer, f.Say)
}

// Judge decides whether answer is right by one of golds.
func Judge(q Question, golds []string, answer string) Verdict {
	var best Verdict
	for i, g := range alternatives(golds) {
		if v := judgeOne(q, g, answer); i == 0 || v.Score > best.Score {
			best = v
			best.Gold = g
		}
	}
	return best
}

// alternatives takes golds of LongMemEval's form apart: "10 days. 11 days (including the
// last day) is also acceptable." are two golds.
func alternatives(golds []string) []string {
	var out []string
	for _, g := range golds {
		if head, other, ok := strings.Cut(g, " (or "); ok && strings.HasSuffix(strings.TrimRight(other, ". "), ")") {
			out = append(out, g, head, strings.TrimRight(other, "). "))
			continue
		}
		rest, ok := strings.CutSuffix(strings.TrimRight(g, ". "), " is also acceptable")
		first, second, two := strings.Cut(rest, ". ")
		if !ok || !two || strings.TrimSpace(first) == "" {
			out = append(out, g)
			continue
		}
		second, _, _ = strings.Cut(second, " (including")
		out = append(out, first, second)
	}
	return out
}

func judgeOne(q Question, gold, answer string) Verdict {
	p := prepare(q, gold, answer)
	defer p.done()
	v := p.verdict(answer)
	switch {
	case p.by == "abstention":
		v.Doubt = p.doubtsAbstention(v.Correct)
	case p.by != "empty":
		if v = p.weighed(v); v.Doubt == "" {
			v.Doubt = p.doubts(v)
		}
	}
	return v
}

// verdict compares the answer's content with the gold, ignoring its stance.
func (p *prepared) verdict(answer string) Verdict {
	v := p.short(answer)
	v.Answer = p.how
	threshold := Threshold()
	if p.how != "" && v.Rule != "empty" && model().Long != nil {
		v.Score = model().Long.score(p.longFeatures(v, answer))
		threshold = model().Thresholds.Long
	}
	if v.Score < threshold && v.Rule == "words" && (p.compared().covExact > .999 || p.complete()) && p.compared().abstain > 1 && (p.says() || p.plainHome()) {
		v.Score = threshold // one clause is the answer, regardless of the text around it
	}
	v.Correct = v.Score >= threshold
	return v
}

// short scores the final part by its content, without the rest of the reply.
func (p *prepared) short(answer string) Verdict {
	v := Verdict{Rule: p.by}
	decided := func(r relation, facts []Fact, what string) {
		if v.Score, v.Facts, v.Reason = model().odds(r), facts, what+r.class; r.off {
			p.off = v.Reason
		}
	}
	switch p.by {
	case "empty":
		v.Reason = "the answer is empty"
	case "abstention":
		if a := abstention(p.at.raw); a < .5 || a <= 1 && len(p.at.toks) < 25 || strings.HasSuffix(p.how, "answers") && abstention(answer) <= 1 || p.at.withholds(p.at.sents) {
			v.Score, v.Reason = .95, "the question cannot be answered, and the answer says so"
		} else {
			v.Score, v.Reason = .05, "the question cannot be answered, but the answer gives one"
		}
	case "date":
		r, facts := compareDates(&p.gw, &p.aw, &p.qw, p.ref, model().odds)
		if p.polarityFirst(r.class) {
			r, facts = comparePolarity(p.qt, p.gt, p.at)
		}
		decided(r, facts, "dates: ")
	case "value":
		r, facts := p.compareValues()
		v.Score, v.Facts, v.Reason = r.score, facts, r.class
		if r.off {
			p.off = v.Reason
		}
	case "polarity":
		r, facts := comparePolarity(p.qt, p.gt, p.at)
		decided(r, facts, "")
	case "duration":
		r, facts := compareLengths(&p.gw, &p.aw, model().odds)
		decided(r, facts, "lengths of time: ")
	default:
		c := p.compared()
		f, facts := c.features(&p.gw, &p.aw, &p.qw)
		v.Facts = facts
		v.Score, v.Reason = model().score(f), c.summary()
	}
	return v
}

// polarityFirst reports whether yes or no decides although the gold has a date, which is a reason: the answer leaves it open, has no date, or says the
// opposite.
func (p *prepared) polarityFirst(class string) bool {
	gold, _ := polarity(p.gt, false)
	if gold == 0 || !yesNo(p.qt) {
		return false
	}
	said, explicit := polarity(p.at, true)
	return class == "open" || len(p.aw.abs) == 0 && (explicit || said < 0) || explicit && said != gold
}

// summary describes in one sentence which parts of the gold the answer contains.
func (c *comparison) summary() string {
	var found, missed []string
	for i, gi := range c.gc {
		if k := &c.g.toks[gi]; c.best[i] > 0 {
			found = append(found, k.word)
		} else {
			missed = append(missed, k.word)
		}
	}
	s := fmt.Sprintf("%d of %d words of the gold found", len(found), len(c.gc))
	if len(missed) > 0 {
		if len(missed) > 6 {
			missed = append(missed[:6], "…")
		}
		s += "; missing: " + strings.Join(missed, ", ")
	}
	if c.gPol*c.aPol < 0 {
		s += "; yes against no"
	}
	if c.abstain < .35 {
		s += "; the answer abstains"
	}
	return s
}
