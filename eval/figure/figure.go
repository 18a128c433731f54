// Package figure computes one figure from many grades: the mean, the excluded answers, and intervals. Aggregating, comparing and auditing all rest on
// it, so that one
// denominator rule holds everywhere.
package figure

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"membench/internal/stats"
	"membench/schema"
)

// Options of every interval.
type Options struct {
	Confidence float64 // of every interval, in (0,1); 0 means 0.95
}

// Defaults replaces zero values by the defaults.
func (o Options) Defaults() Options {
	o.Confidence = cmp.Or(o.Confidence, 0.95)
	return o
}

// A Cell collects the grades of one protocol in one category. It holds about 100 bytes
// for each question, and eight for each answer.
type Cell struct {
	scores   map[question][]float64 // of each question; added up in order of size, so that the order of records is nothing
	unscored int
	doubtful int     // scores of a doubtful verdict
	leaning  float64 // their sum
	fraction bool    // some score is neither 0 nor 1
}

type question struct{ caseID, id string }

// Add counts one grade of a question. A question that is asked several times counts
// once in N, and its scores are averaged.
func (c *Cell) Add(caseID, questionID string, g *schema.Grade) {
	switch {
	case g.Outcome == schema.GradeNA:
		return
	case g.Score == nil || g.Outcome != schema.GradeScored:
		c.unscored++
		return
	}
	if c.scores == nil {
		c.scores = map[question][]float64{}
	}
	if g.Doubt != "" {
		c.doubtful++
		c.leaning += *g.Score
	}
	q := question{caseID, questionID}
	c.scores[q] = append(c.scores[q], *g.Score)
	if *g.Score != 0 && *g.Score != 1 {
		c.fraction = true
	}
}

// Clone returns an independent copy.
func (c *Cell) Clone() *Cell {
	d := *c
	d.scores = make(map[question][]float64, len(c.scores))
	for q, list := range c.scores {
		d.scores[q] = slices.Clone(list)
	}
	return &d
}

// Replace takes a grade that was added out, and another one of the same answer in.
func (c *Cell) Replace(caseID, questionID string, old, now *schema.Grade) {
	switch {
	case old.Outcome == schema.GradeNA:
	case old.Score == nil || old.Outcome != schema.GradeScored:
		c.unscored--
	default:
		if old.Doubt != "" {
			c.doubtful--
			c.leaning -= *old.Score
		}
		q := question{caseID, questionID}
		if i := slices.Index(c.scores[q], *old.Score); i >= 0 {
			c.scores[q] = slices.Delete(c.scores[q], i, i+1)
		}
		if len(c.scores[q]) == 0 {
			delete(c.scores, q)
		}
	}
	c.Add(caseID, questionID, now)
}

// Binary reports whether every score was 0 or 1 and there was one.
func (c *Cell) Binary() bool { return !c.fraction && len(c.scores) > 0 }

// Scored is the number of scores, repeats counted.
func (c *Cell) Scored() int {
	n := 0
	for _, list := range c.scores {
		n += len(list)
	}
	return n
}

// Sum adds up the scores.
func (c *Cell) Sum() float64 {
	var all []float64
	for _, list := range c.scores {
		all = append(all, list...)
	}
	return Sum(all)
}

// units are the conversations, with the means of their questions.
func (c *Cell) units() []stats.Cluster {
	means := map[string][]float64{}
	for q, list := range c.scores {
		means[q.caseID] = append(means[q.caseID], Mean(list))
	}
	var out []stats.Cluster
	for _, name := range slices.Sorted(maps.Keys(means)) {
		var u stats.Cluster
		for _, x := range slices.Sorted(slices.Values(means[name])) {
			u.Add(x)
		}
		out = append(out, u)
	}
	return out
}

// Figure makes the figure. The answers to one question are not independent: they are averaged first, and intervals count questions.
func (c *Cell) Figure(o Options) schema.Figure {
	o = o.Defaults()
	scored := c.Scored()
	units := c.units()
	f := schema.Figure{N: len(c.scores), Unscored: c.unscored, Clusters: len(units)}
	if scored == 0 {
		if c.unscored > 0 {
			f.Strict = new(float64) // all of them failed: that is a zero, and it is named
		}
		return f
	}
	mean := stats.ClusterMean(units)
	value := mean.Mean
	in := stats.WilsonOf(value, float64(f.N), o.Confidence)
	f.Value, f.Lo, f.Hi = &value, &in.Lo, &in.Hi
	f.Strict = Defined(c.Sum() / float64(scored+c.unscored))
	if c.doubtful > 0 {
		sure := c.Sum() - c.leaning
		f.Doubtful, f.DoubtLo, f.DoubtHi = c.doubtful, Defined(max(0, sure/float64(scored))), Defined(min(1, (sure+float64(c.doubtful))/float64(scored)))
	}
	over := mean.ShareInterval(o.Confidence)
	f.ClusterLo, f.ClusterHi = Defined(over.Lo), Defined(over.Hi)
	return f
}

// Sum adds up in order of size: the same for any order of x.
func Sum(x []float64) float64 {
	sum := 0.0
	for _, v := range slices.Sorted(slices.Values(x)) {
		sum += v
	}
	return sum
}

// Mean is the mean of x, NaN of nothing, the same for any order of x.
func Mean(x []float64) float64 { return Sum(x) / float64(len(x)) }

// Defined is nil for NaN: a number that does not exist is null.
func Defined(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Spread describes measurements; nil if there are none.
func Spread(x []float64) *schema.Spread {
	if len(x) == 0 {
		return nil
	}
	x = slices.Sorted(slices.Values(x))
	p := stats.Percentiles(x, 50, 95)
	return &schema.Spread{N: len(x), Mean: Defined(stats.Mean(x)), StdPopulation: Defined(stats.StdPopulation(x)), StdSample: Defined(stats.StdSample(x)), P50: Defined(p[0]), P95: Defined(p[1])}
}

// Apart names the raw categories of a data set that never enter an overall figure:
// LoCoMo's adversarial questions are a column of their own in every published table
// (facts: the denominator is categories 1 to 4).
func Apart(dataset string) []string {
	if dataset == "locomo" || strings.HasPrefix(dataset, "locomo-") {
		return []string{"5"}
	}
	return nil
}
