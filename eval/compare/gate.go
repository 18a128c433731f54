package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/eval/figure"
	"membench/schema"
)

// A Gate names a metric that must not get worse.
type Gate struct {
	Metric string // a protocol as in Options.Protocol, or one of Measures
	// Margin is what may be lost: of a protocol percentage points, of a measure percent of
	// the baseline's mean.
	Margin float64
}

// ParseGate reads METRIC or METRIC:MARGIN, where a margin is a number, "%" or not. What
// stands behind a colon and is no number belongs to the metric (models have such names).
func ParseGate(s string) (Gate, error) {
	g := Gate{Metric: s}
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		v, err := strconv.ParseFloat(strings.TrimSuffix(s[i+1:], "%"), 64)
		switch {
		case err != nil && !strings.Contains(s, " by "):
			return Gate{}, fmt.Errorf("gate %q: the margin %q is not a number: want METRIC or METRIC:MARGIN, like rule:2", s, s[i+1:])
		case err == nil && !(v >= 0 && v < 1e6):
			return Gate{}, fmt.Errorf("gate %q: the margin is %g, want at least 0", s, v)
		case err == nil:
			g = Gate{s[:i], v}
		}
	}
	if g.Metric == "" {
		return Gate{}, fmt.Errorf("gate %q names no metric: want METRIC or METRIC:MARGIN", s)
	}
	return g, nil
}

// measure says whether the gate holds a measure.
func (g Gate) measure() bool { return measures[g.Metric] != nil }

// MeasuresOf lists the measures that gates need: for Read.
func MeasuresOf(gates []Gate) (out []string) {
	for _, g := range gates {
		if g.measure() && !slices.Contains(out, g.Metric) {
			out = append(out, g.Metric)
		}
	}
	return out
}

// Gated is what a gate says of one run against its baseline.
type Gated struct {
	Metric  string  `json:"metric"`
	Dataset string  `json:"dataset"`
	System  string  `json:"system"`
	Base    string  `json:"baseline"`
	Run     string  `json:"run"`
	Margin  float64 `json:"margin"` // percentage points; of a measure percent of the baseline's mean
	Test    string  `json:"test"`
	// Cell compares the run (A) with its baseline (B); its p is adjusted over all gates.
	Cell Cell `json:"cell"`
	// Lost are questions that the baseline was scored on and the run is not; New the
	// other way round.
	Lost int `json:"lost"`
	New  int `json:"new"`
	// Worse: the test shows a loss, and the interval over whole cases lies beyond the
	// margin (with one case, where there is no interval, the difference does).
	Worse bool `json:"worse"`
	// Doubtful: the test over questions shows a loss, and the interval over cases does
	// not lie beyond the margin.
	Doubtful bool         `json:"doubtful,omitzero"`
	Differ   []Difference `json:"fingerprint_differs,omitempty"`
	Examples []Example    `json:"examples,omitempty"` // questions that were lost
}

// Hold tests each run against its baseline by each gate. A run's baseline is that of the
// same system and data set; where both sides have one run only, these two. The error is a
// *FingerprintError, as of Compare, or says which run has no baseline.
func Hold(base, runs []*Run, gates []Gate, o Options) ([]Gated, error) {
	o = o.defaults()
	var out []Gated
	for _, r := range runs {
		b, err := baseline(base, runs, r)
		if err != nil {
			return nil, err
		}
		for _, g := range gates {
			x, err := hold(b, r, g, o)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
		}
	}
	var cells []*Cell
	var names [][2]string
	for i := range out {
		cells = append(cells, &out[i].Cell)
		names = append(names, [2]string{out[i].Run, out[i].Base})
	}
	holm(cells, names, o.Alpha)
	for i := range out {
		out[i].judge()
	}
	return out, nil
}

func baseline(base, runs []*Run, r *Run) (*Run, error) {
	var have []string
	for _, b := range base {
		if b.System == r.System && b.Dataset == r.Dataset {
			return b, nil
		}
		have = append(have, b.System+" on "+b.Dataset)
	}
	if len(base) == 1 && len(runs) == 1 {
		return base[0], nil
	}
	return nil, fmt.Errorf("%s on %s has no baseline: the first run has %s", r.System, r.Dataset, strings.Join(have, ", "))
}

func hold(b, r *Run, g Gate, o Options) (Gated, error) {
	x := Gated{Metric: g.Metric, Dataset: r.Dataset, System: r.System, Base: b.Name, Run: r.Name, Margin: g.Margin}
	pair := []*Run{r, b}
	var of, was answers
	id := g.Metric
	if g.measure() {
		of, was = r.measures[g.Metric], b.measures[g.Metric]
		if len(was) == 0 {
			return x, fmt.Errorf("gate %s: %s recorded none", g.Metric, b.Name)
		}
	} else {
		want, by, _ := strings.Cut(g.Metric, " by ")
		var err error
		if id, err = pick(pair, want); err != nil {
			return x, fmt.Errorf("gate %s: %w (measures: %s)", g.Metric, err, strings.Join(Measures(), ", "))
		}
		if of, _, err = r.graded(id, schema.By(by)); err != nil {
			return x, err
		}
		if was, _, err = b.graded(id, schema.By(by)); err != nil {
			return x, err
		}
	}
	x.Differ = differences(pair, id)
	if refused := slices.DeleteFunc(slices.Clone(x.Differ), func(d Difference) bool { return slices.Contains(o.Allow, d.Field) }); len(refused) > 0 {
		return x, &FingerprintError{[]string{r.Name, b.Name}, refused}
	}
	apart := o.Apart
	if apart == nil {
		apart = figure.Apart(r.Dataset)
	}
	var p Paired
	p.fill(of, was, apart, o)
	x.Test, x.Cell, x.New, x.Lost = p.Test, p.Total, p.OnlyA, p.OnlyB
	return x, nil
}

// judge fills in Worse, of a cell whose p is adjusted.
func (x *Gated) judge() {
	c := &x.Cell
	if !c.Shown || c.Difference == nil {
		return
	}
	loss, least := -*c.Difference, c.Hi
	if least != nil {
		v := -*least
		least = &v
	}
	margin := x.Margin / 100
	if measures[x.Metric] != nil { // less is better
		loss = -loss
		least = c.Lo
		margin *= *c.B
	}
	switch {
	case loss <= 0:
	case least == nil:
		x.Worse = loss > margin
	case *least > margin:
		x.Worse = true
	default:
		x.Doubtful = loss > margin
	}
}

// Bootstrap intervals over few cases are too narrow; FewCases says when to say so.
func (x *Gated) FewCases() bool { return x.Cell.Clusters > 1 && x.Cell.Clusters < 10 }
