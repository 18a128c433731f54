package judge

import "fmt"

// byRules weighs a comparison by a list of rules; the first that applies decides.
// A score near .5 is the threshold at a cap of 3 % on planted wrong answers.
func (c *comparison) byRules(f []float64) (float64, string) {
	hasNumber, numberFound, numberConflict := f[index("number_gold")] > 0, f[index("number_found")], f[index("number_conflict")] > 0
	switch {
	case c.equal():
		return .99, "the same words"
	case c.abstain < .35, c.abstain <= 1 && c.cov < .3:
		return .02, "the answer abstains"
	case c.gPol*c.aPol < 0:
		return .03, "yes against no"
	case c.gPol*c.aPol > 0 && (c.words <= 2 || c.long) && f[index("hedges")] == 0:
		if !c.explicit {
			return .49, "the same yes or no, between the lines"
		}
		return .9, "the same yes or no"
	case c.gPol*c.aPol > 0 && f[index("hedges")] == 0 && max(c.cov, c.covHead) >= .6:
		if c.prec < .35 {
			return .46, "the same yes or no, with many more words than the gold"
		}
		return .55, "the same yes or no, with more words than the gold"
	case c.gPol*c.aPol > 0 && len(c.gc) <= 1:
		if c.long {
			return .58, "the same yes or no, and its reasons"
		}
		return .45, "the same yes or no, but vaguely"
	case hasNumber && f[index("number_only")] > 0:
		switch {
		case f[index("number_first")] < 0:
			return .1, "another number first"
		case numberFound == 1:
			return .95, "the same number"
		}
		return .05, "another number, or none"
	case f[index("length_asked_conflict")] > 0:
		return .1, "another length of time"
	case numberConflict:
		return .1, "another number"
	}
	cov := max(c.cov, c.covHead)
	best := c.sentenceScore()
	if list := c.items > 1; c.long && (list && 2*c.itemHit >= c.items && cov >= .35) {
		best = max(best, grade(cov, .35))
	} else if c.long {
		best = max(best, grade(min(cov, c.covExact+.3), .65))
	} else if c.a.sents == 1 {
		best = max(best, c.shortScore(cov, c.covExact, c.prec, c.extra, f[index("vague_start")] > 0))
	}
	if c.long {
		best = c.temperLong(best)
	} else {
		best = c.temperShort(best, f[index("vague_start")] > 0)
	}
	return best, fmt.Sprintf("%.0f %% of the gold's words, %.0f %% of the answer's", 100*cov, 100*c.prec)
}

// temperShort lifts a short answer that gives a good part of a list in its words, and
// lowers one that names something near the gold and more, or little of it.
func (c *comparison) temperShort(s float64, vague bool) float64 {
	if c.items > 1 {
		switch share := float64(c.itemHit) / float64(c.items); {
		case share >= .66 && c.covExact >= .3:
			s = max(s, .6)
		case share >= .5 && c.prec >= .4 && c.covExact > .3:
			s = max(s, .52)
		}
	} else if c.extra >= 1 && c.prec < .65 && c.covExact < c.cov-.1 {
		s *= .5
	}
	if vague && c.extra >= 1 && c.covExact < .95 {
		s *= .6
	}
	if c.extra >= 1 && c.covHead < .3 {
		s = min(s, .48)
	}
	return s
}

// temperLong lowers the score of a long answer that contains some of the gold's words by chance: almost nothing else matches, or the gold has many words. In an
// answer of several sentences a smaller part of a list suffices: each item is in its own context.
func (c *comparison) temperLong(s float64) float64 {
	switch {
	case c.words <= 19 && len(c.gc) >= 6 && c.covHead < .6 && c.prec < .6:
		s *= .7
	case c.words >= 24 && c.items > 1 && c.covHead >= .2:
		s = max(s, .5+.2*c.covHead)
	}
	if c.words <= 23 && c.prec < .12 && c.cov < .75 {
		s = min(s, .49)
	}
	return s
}

// ruleDates are the scores of date relations that differ from relate's according to recorded answers: how often each was right, and how many planted wrong
// answers have it.
var ruleDates = map[string]float64{
	"another day before the gold's":    .8,
	"a length for an open date":        .6,
	"open, at the gold's date":         .66,
	"the day the gold is counted from": .56,
	"the month of the gold":            .6,
	"inside the gold's range":          .7,
	"overlaps":                         .48,
	"covers the gold":                  .35,
	"inside the gold, hedged":          .3,
	"a day inside the gold, hedged":    .75,
	"inside the gold's year, hedged":   .8,
	"equal, hedged":                    .8,
	"equal but for a day, hedged":      .7,
}

// tabled are the odds of a relation by the list of rules.
func tabled(r relation) float64 {
	if s, ok := ruleDates[r.class]; ok {
		return s
	}
	return r.score
}

// sentenceScore is the best score of a single sentence of the answer: the text around it neither proves nor disproves it.
func (c *comparison) sentenceScore() float64 {
	type sums struct {
		n, weight, hit float64
		extra          int
		vague          bool
	}
	by := make([]sums, c.a.sents)
	for j, aj := range c.ac {
		k := &c.a.toks[aj]
		if k.sent >= len(by) || k.inQ && !c.allInQ {
			continue
		}
		s := &by[k.sent]
		s.n++
		s.weight += k.weight
		s.hit += k.weight * c.back[j]
		if c.back[j] == 0 {
			s.extra++
		}
	}
	seen := -1
	for i := range c.a.toks {
		if k := &c.a.toks[i]; k.sent > seen && k.sent < len(by) {
			seen = k.sent
			by[seen].vague = vagueStart(k.word) && !vagueStart(firstWord(c.g))
		}
	}
	total := 0.
	for i := range c.gc {
		total += c.weight(i)
	}
	best := 0.
	for i, row := range c.perSent {
		if by[i].weight == 0 || total == 0 {
			continue
		}
		cov, exact := 0., 0.
		for k, m := range row {
			cov += c.weight(k) * m / total
			if m == 1 {
				exact += c.weight(k) / total
			}
		}
		if by[i].n >= 9 {
			need := .22
			if c.items > 1 {
				need = .35
			}
			need += min(.14, .015*float64(max(0, len(c.gc)-5))) // of many words some are found by chance
			best = max(best, grade(cov, need))
		} else {
			best = max(best, c.shortScore(cov, exact, by[i].hit/by[i].weight, by[i].extra, by[i].vague))
		}
	}
	return best
}

// shortScore judges a short answer: much of the gold, or some of it and little else. A match by meaning only and a vague beginning count less.
func (c *comparison) shortScore(cov, exact, prec float64, extra int, vague bool) float64 {
	need := .55
	if c.items > 1 {
		need = .70
	}
	s := grade(cov, need)
	if cov >= .1 {
		s = max(s, min(grade(prec, .62), .45+.5*cov))
	}
	if exact < .999 && extra >= 2 && vague {
		s *= .6
	}
	if exact == 0 && cov > 0 && (extra > 0 || len(c.gc) == 1) {
		s *= .6
	}
	return s
}

// grade maps a measure and its threshold to [0,1] with the threshold at one half.
func grade(v, need float64) float64 {
	if v < need {
		return .5 * v / need
	}
	return .5 + .5*(v-need)/(1-need+1e-9)
}

var featureIndex = func() map[string]int {
	m := map[string]int{}
	for i, n := range featureNames {
		m[n] = i
	}
	return m
}()

func index(name string) int { return featureIndex[name] }
