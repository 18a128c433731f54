package main

import (
	"fmt"
	"hash/fnv"
	"slices"

	"membench/eval/judge"
)

// longDefaults are the options of the weights for long replies.
func longDefaults() options {
	o := defaults()
	o.trees, o.depth, o.rate, o.minLeaf, o.lambda, o.logistic = 120, 3, .06, 8, 4, false
	o.plantW, o.wrapW, o.wrongW = 1, .5, 1
	return o
}

// longRow is a row with what the weights for long replies see of it; f is nil where the
// reply is short, and then yes is what the judge says without them.
type longRow struct {
	*row
	f   []float64
	yes bool
}

// readLong reads every recorded verdict outside the two test conversations: LoCoMo's six,
// LongMemEval, HaluMem, MemoryAgentBench.
func readLong(shared string) ([]longRow, error) {
	rows, err := labelled(shared)
	if err != nil {
		return nil, err
	}
	dev, err := load(shared, devConvs)
	if err != nil {
		return nil, err
	}
	rows = append(rows, dev...)
	out := make([]longRow, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = longRow{row: r, f: judge.LongFeatures(r.question(), r.golds(), r.Answer)}
		if out[i].f == nil {
			out[i].yes = judge.Judge(r.question(), r.golds(), r.Answer).Correct
		}
	}
	return out, nil
}

func longExamples(rows []longRow, o options, keep func(*row) bool) (out []example) {
	for _, r := range rows {
		if r.f == nil || !keep(r.row) {
			continue
		}
		e := example{f: r.f, w: 1}
		switch {
		case r.Wrapped:
			e.w = o.wrapW
		case r.Plant:
			e.w = o.plantW
		case r.Right:
			e.y = 1
		default:
			e.w = o.wrongW
		}
		out = append(out, e)
	}
	return out
}

const folds = 5

func fold(r *row) int {
	h := fnv.New32a()
	fmt.Fprint(h, r.Conv, r.QA)
	return int(h.Sum32() % folds)
}

func isLong(set string) bool {
	return slices.ContainsFunc(longRuns, func(x struct{ name, file string }) bool { return x.name == set })
}

// reportLong prints how the weights for long replies agree on what they have not seen:
// neither question nor reader; and a whole data set.
func reportLong(shared string, o options) error {
	rows, err := readLong(shared)
	if err != nil {
		return err
	}
	type scoredLong struct {
		longRow
		s float64
	}
	var unseen, dataset []scoredLong
	for _, run := range longRuns {
		for k := range folds {
			score := fit(longExamples(rows, o, func(r *row) bool { return r.Set != run.name && (!isLong(r.Set) || fold(r) != k) }), judge.LongFeatureNames(), o).Scorer()
			for _, r := range rows {
				if r.Set == run.name && fold(r.row) == k {
					x := scoredLong{longRow: r}
					if r.f != nil {
						x.s = score(r.f)
					}
					unseen = append(unseen, x)
				}
			}
		}
	}
	alone := fit(longExamples(rows, o, func(r *row) bool { return !isLong(r.Set) }), judge.LongFeatureNames(), o).Scorer()
	for _, r := range rows {
		if isLong(r.Set) {
			x := scoredLong{longRow: r}
			if r.f != nil {
				x.s = alone(r.f)
			}
			dataset = append(dataset, x)
		}
	}
	for _, part := range []struct {
		name string
		rows []scoredLong
	}{{"question and reader unseen", unseen}, {"data set unseen", dataset}} {
		for _, t := range []float64{.4, .5, .6, .65} {
			for _, run := range longRuns {
				var all, cut table
				for _, r := range part.rows {
					if r.Set != run.name {
						continue
					}
					yes := r.yes
					if r.f != nil {
						yes = r.s >= t
						cut.add(yes, r.Right)
					}
					all.add(yes, r.Right)
				}
				fmt.Printf("%s, t=%.2f: %-20s agreement %.3f κ %.3f false accepts %.3f false rejects %.3f; long only (%.0f) %.3f\n", part.name, t, run.name, all.agreement(), all.kappa(), all.fp/(all.fp+all.tn), all.fn/(all.fn+all.tp), cut.n(), cut.agreement())
			}
		}
	}
	return nil
}
