package judge

import (
	"cmp"
	"strings"
)

// sureNames are the features of the last stage in addition to words and manner: the decisions of the earlier stages, and the covered, contradicted and open
// parts of the gold.
var sureNames = append([]string{"score", "correct", "by_date", "by_value", "by_polarity", "by_duration", "by_words", "final_part", "gate_list", "bare",
	"units", "covered", "covered_head", "missing", "opposites", "opposites_home", "siblings", "siblings_home", "names_rival", "numbers_rival", "substituted", "negation_differs_home", "negation_at_gold", "rest_home", "rest_all",
	"elsewhere_asked", "elsewhere_rest", "home_asked_share", "items_missing", "items_other", "nothing_else", "order", "question_opposite", "given_up", "candidates"}, append(detailNames[:len(detailNames):len(detailNames)], append(featureNames[:len(featureNames):len(featureNames)], mannerNames...)...)...)

// SureNames lists the features of the weights of the last stage.
func SureNames() []string { return append([]string(nil), sureNames...) }

// gates are the results of the stance rules for an accepted answer.
type gates struct {
	refuse, opposed, list, order string
	candidates                   bool
}

func (p *prepared) gates(r *reading) (g gates) {
	g.refuse, g.opposed = p.opposed(r)
	g.list = p.unsaid()
	return g
}

// weighed is the verdict of the last stage: weights over all facts estimate how likely the answer is right. A likely answer that the words refuse is right,
// unless it says a coarser or another date, length, yes or no; an unlikely one that they accept is doubtful, unless it says yes or no by repeating the
// question. Rules decide on cases that are too rare for weights: an answer that states the opposite, another order of events, and endless repetition.
func (p *prepared) weighed(v Verdict) Verdict {
	t := &model().Thresholds
	if m := model().Sure; m == nil || len(m.Features) != len(sureNames) {
		return v // while tools/judgetrain makes new ones
	}
	r := p.read()
	if r.looping && !looping(p.gt) {
		return refused(v, "the reply repeats itself without end")
	}
	if v.Correct && r.first >= 0 && p.bare(r) && p.complete() {
		refuse, doubt := p.opposed(r)
		if v.Doubt = doubt; refuse != "" {
			return refused(v, refuse)
		}
		return v
	}
	if v.Correct && v.Rule == "polarity" && strings.HasSuffix(v.Reason, repeated) && p.asserts(r) {
		return v
	}
	f, g := p.sure(v)
	s := model().Sure.score(f)
	if g.refuse != "" {
		return refused(v, g.refuse)
	}
	if !v.Correct && p.off == "" && s >= t.Sure {
		v.Correct, v.Score = true, max(s, Threshold())
	}
	if !v.Correct && s >= even {
		v.Doubt = cmp.Or(p.off, "it may say the gold in other words")
	}
	if v.Correct && (g.order != "" || s < t.Sure || p.crossed()) {
		v.Doubt = g.say()
		if v.Doubt == "" && r.first >= 0 {
			v.Doubt = p.why(r)
		} else if v.Doubt == "" {
			v.Doubt = "it says less or other than the gold"
		}
	}
	return v
}

// even is the score from which as many refused answers of writers unseen are right as wrong.
const even = .35

// refused is a verdict that the stance refuses.
func refused(v Verdict, why string) Verdict {
	if v.Correct {
		v.Correct, v.Score, v.Rule, v.Reason = false, .02, "stance", why
	}
	return v
}

// say returns the objection of the stance rules to a doubtful answer, "" if there is none.
func (g *gates) say() string {
	for _, why := range []string{g.order, g.opposed} {
		if why != "" {
			return why
		}
	}
	switch {
	case g.list != "":
		return "a part of the gold is not said: " + g.list
	case g.candidates:
		return "one of a list of candidates"
	}
	return ""
}

// sure returns the features of the last stage.
func (p *prepared) sure(v Verdict) ([]float64, gates) {
	f := make([]float64, 0, len(sureNames))
	put := func(x ...float64) { f = append(f, x...) }
	put(v.Score, b2f(v.Correct), b2f(v.Rule == "date"), b2f(v.Rule == "value"), b2f(v.Rule == "polarity"), b2f(v.Rule == "duration"), b2f(v.Rule == "words"), b2f(p.how != ""))
	var g gates
	r := p.read()
	manner := make([]float64, len(mannerNames))
	if r.first < 0 {
		put(make([]float64, len(sureNames)-len(f)-len(featureNames)-len(mannerNames))...) // it does not say the gold at all
	} else {
		manner = p.manner(r)
		e := p.evidence(r)
		g = p.gates(r)
		if e.order < 0 {
			g.order = "it puts things in another order than the gold"
		}
		f = e.features(f, &g)
		g.candidates = r.items >= 4 && len(p.gt.items) <= 1 && r.restates < .5 && p.how == ""
		put(b2f(g.candidates))
		f = e.details(f)
	}
	w, _ := p.compared().features(&p.gw, &p.aw, &p.qw)
	put(w...)
	put(manner...)
	return f, g
}

// features appends the features of the evidence and of the stance rules.
func (e *evidence) features(f []float64, g *gates) []float64 {
	p, r, n := e.prepared, e.r, len(e.gold)
	put := func(x ...float64) { f = append(f, x...) }
	s := p.stand(r)
	h := &s.list[s.at]
	put(b2f(g.list != ""), b2f(p.bare(r)))
	put(ln1(n), float64(e.found)/float64(max(1, n)), float64(e.headFound)/float64(max(1, e.head)), ln1(n-e.found), ln1(e.opposites), ln1(e.oppositesHome), ln1(e.siblings), ln1(e.siblingsHome), ln1(e.names), ln1(e.numbers))
	put(ln1(min(n-e.found, e.restHome)), b2f(e.negation), float64(max(-2, min(3, denials(p.at)-denials(p.gt)))), ln1(e.restHome), ln1(e.restAll))
	put(e.elsewhere, ln1(e.elsewhereRest), e.homeAsked, ln1(p.compared().items-p.compared().itemHit), ln1(r.items), b2f(e.nothingElse), float64(e.order))
	put(float64(e.questionOpposite), b2f(p.has(h, disliking)))
	return f
}

// Sure returns the features of the last stage for an answer: nil if it is empty or the gold is an abstention. For training.
func Sure(q Question, golds []string, answer string) (f []float64) {
	best := -1.
	for _, g := range alternatives(golds) {
		p := prepare(q, g, answer)
		if p.by == "empty" || p.by == "abstention" {
			continue
		}
		if v := p.verdict(answer); v.Score > best {
			best = v.Score
			f, _ = p.sure(v)
		}
	}
	return f
}
