package judge

import (
	"math"
	"strings"
)

// longNames are the features for long replies in addition to featureNames of the final part: the deciding comparison, how the part was found, and the rest of
// the reply.
var longNames = []string{
	"short_score", "by_date", "by_value", "by_polarity", "by_duration", "by_abstention", "decided_score",
	"marked", "after_reasoning", "first_sentence", "last_conclusion", "last_assertion",
	"reply_cov", "reply_cov_exact", "reply_cov_sentence", "reply_trirec", "last_cov", "start_cov",
	"reply_values", "part_values", "part_other_value", "last_value_same", "value_gold",
	"ln_part", "ln_reply", "part_share", "reply_abstain", "part_abstain", "part_negations", "reply_negations", "part_hedges",
}

// LongFeatureNames lists the features of the weights for long replies.
func LongFeatureNames() []string {
	return append(append([]string(nil), featureNames...), longNames...)
}

// longFeatures returns the features for long replies; v is the verdict on the final part alone.
func (p *prepared) longFeatures(v Verdict, reply string) []float64 {
	c := p.compared()
	f, _ := c.features(&p.gw, &p.aw, &p.qw)
	put := func(x ...float64) { f = append(f, x...) }
	decided := -1.
	if v.Rule != "words" {
		decided = v.Score
	}
	put(v.Score, b2f(v.Rule == "date"), b2f(v.Rule == "value"), b2f(v.Rule == "polarity"), b2f(v.Rule == "duration"), b2f(v.Rule == "abstention"), decided)
	put(b2f(p.how == "the marked conclusion"), b2f(p.how == "after the reasoning"), b2f(strings.HasPrefix(p.how, "the first")), b2f(p.how == "the last conclusion"), b2f(p.how == "the last assertion"))
	rt := cut(reply, nil)
	rc := compare(p.qt, p.gt, rt)
	last, start := 0., 0.
	if n := len(rc.perSent); n > 0 {
		last, start = rc.rowCov(n-1), rc.rowCov(0)
	}
	put(rc.cov, rc.covExact, rc.covSent, rc.trirec, last, start)
	var rv []value
	if len(p.gv) > 0 {
		rw := dates(rt, p.gw.yearOf())
		rv = values(rt.raw, &rw)
	}
	m, all := p.match(), 0
	for _, g := range p.gv {
		for _, a := range rv {
			if sameValue(g, a) {
				all++
				break
			}
		}
	}
	lastSame := 0.
	if len(p.gv) > 0 {
		for i := len(p.av) - 1; i >= 0; i-- {
			if comparable(p.gv[0], p.av[i]) {
				lastSame = -1
				if anySame(p.gv, p.av[i]) {
					lastSame = 1
				}
				break
			}
		}
	}
	n := float64(max(1, len(p.gv)))
	put(float64(all)/n, float64(m.found)/n, b2f(m.other >= 0), lastSame, b2f(len(p.gv) > 0))
	put(ln1(len(p.part)), ln1(len(reply)), float64(len(p.part))/math.Max(1, float64(len(reply))), b2f(abstention(reply) <= 1), b2f(c.abstain <= 1))
	neg := func(t *text) (n float64) {
		for i := range t.toks {
			n += b2f(t.toks[i].neg)
		}
		return math.Min(n, 6)
	}
	hedges := 0.
	for i := range p.at.toks {
		hedges += b2f(p.at.toks[i].hedge)
	}
	put(neg(p.at), neg(rt), math.Min(hedges, 6))
	return f
}

// rowCov is the share of the gold's words that one sentence holds.
func (c *comparison) rowCov(sentence int) float64 {
	sum, got := 0., 0.
	for i, m := range c.perSent[sentence] {
		sum += c.weight(i)
		got += c.weight(i) * m
	}
	if sum == 0 {
		return 0
	}
	return got / sum
}

// LongFeatures returns the features of an answer for long replies; nil if the reply is its own final part. For training.
func LongFeatures(q Question, golds []string, answer string) []float64 {
	var best Verdict
	var f []float64
	for i, g := range alternatives(golds) {
		p := prepare(q, g, answer)
		if p.how == "" || len(p.at.toks) == 0 {
			return nil
		}
		if v := p.short(answer); i == 0 || v.Score > best.Score {
			best, f = v, p.longFeatures(v, answer)
		}
	}
	return f
}

// says reports whether the sentence with the gold repeats the question, and no operator affects the gold.
func (p *prepared) says() bool {
	r := p.read()
	return r.first >= 0 && r.restates >= .5 && len(r.operators) == 0 && r.rival < 0 && len(r.before)+len(r.after) <= 4 && p.compared().gPol*p.compared().aPol >= 0
}

// plainHome reports whether the clause with the gold has all of it and otherwise only words of the question or of giving an answer: "Sure! That would be
// Biscuit. You told me …". The text around it can make it doubtful, not wrong.
func (p *prepared) plainHome() bool {
	r := p.read()
	if r.first < 0 || !p.complete() {
		return false
	}
	s := p.stand(r)
	return p.plainly(r, &s.list[s.at])
}

// complete reports whether one clause has every word of the gold.
func (p *prepared) complete() bool {
	r := p.read()
	return r.first >= 0 && p.stand(r).full == p.wordsOfGold()
}

// wordsOfGold counts the different words of the gold that carry meaning.
func (p *prepared) wordsOfGold() int {
	said := map[string]bool{}
	for _, i := range p.gt.content() {
		said[p.gt.toks[i].stem] = true
	}
	return len(said)
}
