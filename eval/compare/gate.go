package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/eval/figure"
	"membench/internal/stats"
	"membench/schema"
)

// A Gate names a metric that must not get worse.
type Gate struct {
	Metric string // a protocol as in Options.Protocol, or one of Measures
	// Margin is the accepted loss: for a protocol in percentage points, for a measure in per cent of the baseline's mean.
	Margin float64
}

// ParseGate reads METRIC or METRIC:MARGIN, where a margin is a number, "%" or not. Text after a colon that is not a number belongs to the metric (models
// have such names).
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

// measure reports whether the gate checks a measure.
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

// Outcome is the result of a gate.
type Outcome string

const (
	// Worse: the loss is shown to be greater than the margin.
	Worse Outcome = "worse"
	// NotWorse: the loss is significantly below the margin, or the scores on all questions are equal.
	NotWorse Outcome = "not worse"
	// Lost: not worse over the questions that both were scored on, but the baseline was scored on others, too; only of Files.Hold where that is not accepted.
	Lost Outcome = "questions lost"
	// Inconclusive: neither is significant. More questions or conversations are needed (Plan).
	Inconclusive Outcome = "inconclusive"
)

// Gated is the result of a gate for one run against its baseline.
type Gated struct {
	Metric  string  `json:"metric"`
	Dataset string  `json:"dataset"`
	System  string  `json:"system"`
	Base    string  `json:"baseline"`
	Run     string  `json:"run"`
	Margin  float64 `json:"margin"` // percentage points; of a measure percent of the baseline's mean
	Test    string  `json:"test"`
	// Cell compares the run (A) with its baseline (B).
	Cell Cell `json:"cell"`
	// P is the p-value of the loss being the margin, against its being greater (doubled, as
	// of a test to both sides); Adjusted the same over all gates by Holm. Null where the
	// loss is not greater than the margin.
	P        *float64 `json:"p_worse"`
	Adjusted *float64 `json:"p_worse_holm"`
	// Lost are questions that the baseline was scored on and the run is not; New the
	// other way round.
	Lost     int                 `json:"lost"`
	New      int                 `json:"new"`
	Outcome  Outcome             `json:"outcome"`
	Differ   []figure.Difference `json:"fingerprint_differs,omitempty"`
	Examples []Example           `json:"examples,omitempty"` // questions that were lost
	// Gone: the new run has no such system, of which Run is then the name; the outcome is Lost.
	Gone bool `json:"gone,omitzero"`
}

// Hold tests each run against its baseline by each gate. A run's baseline has the same system and data set; if both sides have only one run, these two are
// compared. It fails with a *FingerprintError, as Compare does, but not for questions that only one has beside others, or if a run has no baseline. A system that only the baseline has is Gone: none passes by being left out.
func Hold(base, runs []*Run, gates []Gate, o Options) ([]Gated, error) {
	o = o.defaults()
	if len(runs) == 0 {
		return nil, schema.Brokenf("a gate needs a new run: its records are of none")
	}
	var out []Gated
	held := map[*Run]bool{}
	for _, r := range runs {
		b, err := baseline(base, runs, r)
		if err != nil {
			return nil, err
		}
		held[b] = true
		for _, g := range gates {
			x, err := hold(b, r, g, o)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
		}
	}
	judge(out, o.Alpha)
	for _, b := range base {
		for _, g := range gates {
			if !held[b] {
				out = append(out, Gated{Metric: g.Metric, Dataset: b.Dataset, System: b.System, Base: b.Name, Run: b.System, Margin: g.Margin, Outcome: Lost, Lost: len(b.texts), Gone: true})
			}
		}
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
	_, both := b.prints.Alone(&r.prints)
	if refused := slices.DeleteFunc(slices.Clone(x.Differ), func(d figure.Difference) bool {
		return slices.Contains(o.Allow, d.Field) || d.Field == figure.FieldQuestions && both > 0 // they are counted: Lost and New
	}); len(refused) > 0 {
		return x, &FingerprintError{[]string{r.Name, b.Name}, refused}
	}
	apart := o.apart(r.Dataset)
	var p Paired
	p.fill(of, was, apart, o)
	if !g.measure() {
		p.bound()
	}
	x.Test, x.Cell, x.New, x.Lost = p.Test, p.Total, p.OnlyA, p.OnlyB
	return x, nil
}

// loss is how much the run is worse than its baseline, and the margin, on the scale of the
// metric; ok is false where nothing was compared.
func (x *Gated) loss() (loss, margin float64, ok bool) {
	c := &x.Cell
	if c.Difference == nil {
		return 0, 0, false
	}
	loss, margin = -*c.Difference, x.Margin/100
	if measures[x.Metric] != nil { // less is better
		loss, margin = -loss, margin**c.B
	}
	return loss, margin, true
}

// judge gives each gate its outcome. That none is worse needs every gate to say so, so only
// the tests of a loss are adjusted.
func judge(list []Gated, alpha float64) {
	ps := make([]float64, len(list))
	for i := range list {
		x := &list[i]
		ps[i] = 1
		if loss, margin, ok := x.loss(); ok && loss > margin {
			if x.P = figure.Defined(x.Cell.test.P(loss - margin)); x.P != nil {
				ps[i] = *x.P
			}
		}
	}
	adjusted := stats.Holm(ps)
	for i := range list {
		x := &list[i]
		loss, margin, ok := x.loss()
		x.Outcome = Inconclusive
		switch {
		case !ok:
		case x.Cell.Wins+x.Cell.Losses == 0:
			x.Outcome = NotWorse
		case x.P != nil:
			x.Adjusted = &adjusted[i]
			if adjusted[i] <= alpha {
				x.Outcome = Worse
			}
		case loss < margin && x.Cell.test.P(loss-margin) <= alpha:
			x.Outcome = NotWorse
		}
	}
}
