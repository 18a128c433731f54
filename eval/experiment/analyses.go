package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"membench/eval/explain"
	"membench/eval/label"
	"membench/eval/records"
	"membench/schema"
	"membench/schema/jsonl"
)

// thinFrom and firmFrom are the seed's bounds of the first decision: from thinFrom on the
// types differ at all, from firmFrom on the work rests on firm ground.
const (
	thinFrom = 0.05
	firmFrom = 0.10
)

// failures is experiment 1: where which system fails, and why.
func failures(ctx context.Context, e *experiment, r *results, out *output) {
	out.heading("## Experiment 1: failures by type of question")
	for _, set := range r.datasets {
		cats := r.categories(set)
		t := table{name: "accuracy-" + slug(set), title: "Accuracy by type, " + set, head: append([]string{"system", "all"}, cats...), note: "Means with 95 % intervals over conversations, in hundredths."}
		heat := grid{rows: r.arms, cols: cats}
		causes := stack{parts: append(schema.Causes(), "other")}
		byType := stack{bars: cats, parts: causes.parts}
		for _, c := range cats {
			byType.values = append(byType.values, e.causes(r, Unified, set, c, causes.parts))
		}
		for _, a := range r.arms {
			row := []string{a, r.score(a, set, "").String()}
			var line []float64
			for _, c := range cats {
				s := r.score(a, set, c)
				row = append(row, s.String())
				line = append(line, 1-s.mean)
			}
			t.add(row...)
			heat.values = append(heat.values, line)
			causes.bars = append(causes.bars, a)
			causes.values = append(causes.values, e.causes(r, a, set, "", causes.parts))
		}
		out.table(&t)
		ct := table{name: "causes-" + slug(set), title: "Causes of failures by explain, " + set, head: append([]string{"system", "failed"}, causes.parts...)}
		for i, a := range causes.bars {
			sum := 0.0
			for _, x := range causes.values[i] {
				sum += x
			}
			row := []string{a, strconv.Itoa(int(sum))}
			for _, x := range causes.values[i] {
				row = append(row, strconv.Itoa(int(x)))
			}
			ct.add(row...)
		}
		ct.note = "Pre-labelled by rule. \"other\": the loss is before retrieval or of the grade, or cannot be determined."
		out.table(&ct)
		out.heat("failures-"+slug(set), "Share of failed answers, "+set, heat)
		out.stacked("causes-figure-"+slug(set), "Causes of failures, "+set, causes)
		out.stacked("causes-by-type-"+slug(set), "Causes of failures of the unified search by type, "+set, byType)
		gap, best, worst := r.spread(Unified, set, e.Design.Seed)
		d := atLeast("do the types differ under the unified search?", set, "best − worst type ≥ 10 points: continue; below 5: choose another topic", gap, firmFrom)
		switch {
		case d.Value == nil:
		case gap.hi < thinFrom:
			d.Verdict = "not met: below 5 points, the premise does not hold"
		case d.Verdict == NotMet:
			d.Verdict = "not met: between 5 and 10 points, or not shown to be more"
		}
		d.Rule += fmt.Sprintf(" (here %s − %s)", best, worst)
		out.decisions = append(out.decisions, d)
	}
	out.fails(e.labels(ctx, r, out))
}

// causes counts the causes of an arm's failures in a category ("": in all); the last part counts the others.
func (e *experiment) causes(r *results, arm, set, category string, parts []string) []float64 {
	out := make([]float64, len(parts))
	for _, x := range r.of[[2]string{arm, set}] {
		if x.score >= e.Design.Below || category != "" && x.category != category {
			continue
		}
		i := slices.Index(parts, x.cause)
		if i < 0 {
			i = len(parts) - 1
		}
		out[i]++
	}
	return out
}

// labels samples failures of the unified search for human labels, and compares the labels.
func (e *experiment) labels(ctx context.Context, r *results, out *output) error {
	var draw []label.Label
	dir := filepath.Join(e.dir, "runs", Unified)
	explaining := explain.Options{Grader: e.Design.Measure, Threshold: e.Design.Below, Report: e.found,
		Cases: jsonl.Files[schema.Case]([]string{filepath.Join(dir, records.CasesFile)}, nil), Sessions: jsonl.Files[schema.SessionRecord]([]string{filepath.Join(dir, records.SessionFile)}, nil)}
	qa := records.QA(ctx, nil, filepath.Join(dir, records.QAFile))
	for _, set := range r.datasets {
		for _, c := range r.categories(set) {
			only := func(yield func(schema.Record[schema.QARecord], error) bool) {
				for rec, err := range qa {
					if (err != nil || rec.V.Dataset == set && rec.V.Category == c) && !yield(rec, err) {
						return
					}
				}
			}
			some, err := label.Draw(ctx, only, label.Options{From: label.Failures, N: e.Design.PerType, Seed: e.Design.Seed, Explain: explaining})
			if err != nil {
				return err
			}
			draw = append(draw, some...)
		}
	}
	for name, form := range map[string]label.Form{"to-label.jsonl": label.JSONL, "to-label.csv": label.CSV} {
		var b strings.Builder
		if err := label.Write(&b, draw, form); err != nil {
			return err
		}
		out.write(name, b.String())
	}
	out.heading("%d failures of the unified search are drawn for people, at most %d of a type and data set (to-label.jsonl, to-label.csv; `membench eval label %s` shows a page). Give what they said with --labels.", len(draw), e.Design.PerType, dir)
	if len(e.Design.Labels) == 0 {
		return nil
	}
	said, err := label.ReadFiles(e.Design.Labels, e.found)
	if err != nil {
		return err
	}
	count := label.NewCount(label.NewPeople(said), e.Design.Below)
	for rec, err := range explain.QA(ctx, qa, explaining) {
		if err != nil {
			return err
		}
		count.Add(&rec.V)
	}
	a := count.Agreement()
	t := table{name: "agreement", title: "Agreement on causes and hops", head: []string{"of", "first", "second", "n", "same", "κ", "95 %"}}
	for _, c := range a.Comparisons {
		k, in := "–", "–"
		if c.Kappa.Kappa != nil {
			k = strconv.FormatFloat(*c.Kappa.Kappa, 'f', 2, 64)
		}
		if c.KappaLow != nil && c.KappaHigh != nil {
			in = fmt.Sprintf("%.2f to %.2f", *c.KappaLow, *c.KappaHigh)
		}
		t.add(c.Of, c.First, c.Second, strconv.Itoa(c.N), strconv.Itoa(c.Same), k, in)
	}
	out.table(&t)
	return nil
}

// oracle is experiment 2: the gain from choosing the strategy by the true type.
func oracle(_ context.Context, e *experiment, r *results, out *output) {
	out.heading("## Experiment 2: the gap to the best strategy of each type\n\nThe oracle chooses by the data set's own categories: an upper bound of choosing, not a system.")
	for _, set := range r.datasets {
		out.gains(r, set, "oracle-"+slug(set), "Oracle strategy against the unified search, "+set, Unified, []string{Oracle})
		g := r.gain(Oracle, Unified, set, "")
		out.decisions = append(out.decisions, atLeast("does the best strategy bring enough?", set, "oracle − unified ≥ 10 points; below 5 the strategies do not work", g, firmFrom))
		var alone []string
		best := ""
		for _, a := range r.arms {
			if a == Unified || a == Oracle {
				continue
			}
			alone = append(alone, a)
			if best == "" || r.score(a, set, "").mean > r.score(best, set, "").mean {
				best = a
			}
		}
		if best == "" {
			continue
		}
		out.gains(r, set, "pipelines-"+slug(set), "Each strategy for every question, against the unified search, "+set, Unified, alone)
		out.decisions = append(out.decisions, atLeast("does it pay to choose by question?", set, "oracle − best single strategy > 0 (here "+best+", chosen on the same answers)", r.gain(Oracle, best, set, ""), 1e-9))
	}
}

// gains writes a table and a bar figure of differences to a base, by type.
func (o *output) gains(r *results, set, name, title, base string, arms []string) {
	cats := append([]string{""}, r.categories(set)...)
	cells := map[[2]string]*estimate{}
	var family []*estimate
	for _, a := range arms {
		for _, c := range cats {
			g := r.gain(a, base, set, c)
			cells[[2]string{a, c}] = &g
			family = append(family, &g)
		}
	}
	holm(family)
	t := table{name: name, title: title, head: []string{"system"}, note: "Differences to " + base + " in hundredths, paired by question, 95 % intervals over conversations; ~ not shown after Holm over this table. The first row is " + base + " itself."}
	figure := bars{groups: cats, series: append([]string{base}, arms...)}
	row := []string{base}
	for _, c := range cats {
		t.head = append(t.head, nameOf(c))
		row = append(row, r.score(base, set, c).String())
	}
	t.add(row...)
	for _, a := range arms {
		row := []string{a}
		for _, c := range cats {
			row = append(row, cells[[2]string{a, c}].difference())
		}
		t.add(row...)
	}
	for _, a := range figure.series {
		var line []estimate
		for _, c := range cats {
			line = append(line, r.score(a, set, c))
		}
		figure.values = append(figure.values, line)
	}
	o.table(&t)
	o.grouped(name+"-figure", title, figure)
}

func nameOf(category string) string {
	if category == "" {
		return "all"
	}
	return category
}

// comparison is experiment 3: all arms.
func comparison(_ context.Context, e *experiment, r *results, out *output) {
	out.heading("## Experiment 3: all systems")
	for _, set := range r.datasets {
		cats := r.categories(set)
		t := table{name: "main-" + slug(set), title: "All systems, " + set, head: append(append([]string{"system", "n", "all"}, cats...), "evidence recall", "calls", "tokens", "ms"),
			note: "n: questions with a graded answer; what ended in an error or over a limit is not among them (--only-failed asks it again). Per question: model calls and tokens of retrieval and answer, and milliseconds. Where no model is asked, tokens are a quarter of the context's bytes. oracle-strategy uses ground truth."}
		for _, a := range r.arms {
			all := r.score(a, set, "")
			row := []string{a, strconv.Itoa(all.n), all.String()}
			for _, c := range cats {
				row = append(row, points(r.score(a, set, c).mean))
			}
			for _, of := range []func(answer) float64{func(x answer) float64 { return x.recall }, func(x answer) float64 { return x.calls }, func(x answer) float64 { return x.tokens }, func(x answer) float64 { return x.ms }} {
				m := r.mean(a, set, "", false, of).mean
				if len(row) == 3+len(cats) {
					row = append(row, points(m))
				} else {
					row = append(row, number(m))
				}
			}
			t.add(row...)
		}
		out.table(&t)
		var others []string
		for _, a := range r.arms {
			if a != QARP {
				others = append(others, a)
			}
		}
		out.gains(r, set, "against-qarp-"+slug(set), "Each system against QARP, "+set, QARP, others)
		e.judge(r, set, cats, out)
	}
}

// judge adds the seed's decisions on the main comparison.
func (e *experiment) judge(r *results, set string, cats []string, out *output) {
	least := 1e-9 // above nothing
	add := func(name, rule string, g estimate, atleast float64) {
		out.decisions = append(out.decisions, atLeast(name, set, rule, g, atleast))
	}
	add("is QARP better than the unified search?", "QARP − unified > 0", r.gain(QARP, Unified, set, ""), least)
	add("is it the strategy and not the tokens?", "QARP − token-matched > 0", r.gain(QARP, Matched, set, ""), least)
	add("is QARP better than adaptive retrieval?", "QARP − adaptive-rag > 0", r.gain(QARP, "adaptive-rag", set, ""), least)
	for _, c := range []string{schema.CatTR, schema.CatABS} {
		if slices.Contains(cats, c) {
			add("does QARP gain where the unified search fails: "+c+"?", "QARP − unified > 0 in "+c, r.gain(QARP, Unified, set, c), least)
		}
	}
	near := r.gain(QARP, Oracle, set, "")
	add("is QARP near the best strategy?", "QARP − oracle > −10 points", near, -firmFrom)
}

// ablation is experiment 4: QARP without its parts.
func ablation(_ context.Context, e *experiment, r *results, out *output) {
	out.heading("## Experiment 4: QARP without its parts")
	for _, set := range r.datasets {
		var arms []string
		for _, a := range ablations {
			arms = append(arms, a.arm)
		}
		out.gains(r, set, "ablation-"+slug(set), "QARP without its parts, "+set, QARP, arms)
		for _, a := range ablations {
			if a.hurts != "" && !slices.Contains(r.categories(set), a.hurts) {
				continue
			}
			loss := r.gain(QARP, a.arm, set, a.hurts)
			out.decisions = append(out.decisions, atLeast("does it hurt to leave out: "+a.part+"?", set, "QARP − "+a.arm+" > 0 in "+nameOf(a.hurts), loss, 1e-9))
		}
	}
}

// curve is accuracy against tokens, with the arms that no other arm beats in both.
func curve(_ context.Context, e *experiment, r *results, out *output) {
	out.heading("## Accuracy against tokens")
	for _, set := range r.datasets {
		var list []point
		for _, a := range r.arms {
			s := r.score(a, set, "")
			tok := r.mean(a, set, "", false, func(x answer) float64 { return x.tokens })
			if s.n > 0 {
				list = append(list, point{name: a, x: tok.mean, y: s.mean, estimate: s})
			}
		}
		slices.SortStableFunc(list, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.name, b.name)) })
		best := math.Inf(-1)
		t := table{name: "curve-" + slug(set), title: "Accuracy and tokens, " + set, head: []string{"system", "tokens", "accuracy", "on the front"}, note: "On the front: no system has fewer tokens and at least its accuracy. oracle-strategy uses ground truth and is not counted."}
		for i, p := range list {
			on := ""
			if p.name != Oracle && p.y > best {
				best, on = p.y, "yes"
				list[i].front = true
			}
			t.add(p.name, number(p.x), p.estimate.String(), on)
		}
		out.table(&t)
		out.scatter("curve-figure-"+slug(set), "Accuracy against tokens, "+set, list)
	}
}

func number(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// slug makes a part of a file name of a data set's name.
func slug(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, s)
}
