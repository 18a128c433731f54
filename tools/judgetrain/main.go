// Judgetrain trains the rule judge's weights on the recorded answers of six LoCoMo
// conversations and measures it, there by leaving one conversation out at a time.
//
//	make judge-weights                                                trains them all
//	go run -C tools ./judgetrain -shared ../../shared                 figures on the six
//	go run -C tools ./judgetrain -shared ../../shared -test           the two test conversations
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"membench/eval/judge"
)

func main() {
	shared := flag.String("shared", "../../shared", "`folder` of the shared data")
	fitted := flag.String("fit", "", "train `part` (words, long, sure) and write it into the weights in the program: long reads the score of words, sure reads both: build again after each part")
	test := flag.Bool("test", false, "measure the embedded weights on the two test conversations; seldom")
	show := flag.Bool("runs", false, "print each run and category too")
	look := flag.String("look", "", "print these `figures`: all, long, sure or batch")
	set := flag.String("set", "", "with -look sure or batch: `files` of answers, by commas")
	rowsN := flag.Int("n", 30, "how many rows to show")
	o := defaults()
	flag.IntVar(&o.trees, "trees", o.trees, "boosted trees")
	flag.IntVar(&o.depth, "depth", o.depth, "depth of a tree")
	flag.Float64Var(&o.rate, "rate", o.rate, "learning rate")
	flag.Float64Var(&o.ridge, "ridge", o.ridge, "penalty of the logistic weights")
	flag.Float64Var(&o.minLeaf, "leaf", o.minLeaf, "least weight of a leaf")
	flag.Float64Var(&o.plantW, "plant", o.plantW, "weight of a plant")
	flag.Float64Var(&o.wrapW, "wrap", o.wrapW, "weight of a wrapped plant")
	flag.BoolVar(&o.logistic, "logistic", o.logistic, "start from a logistic regression")
	flag.Parse()
	if err := run(*shared, *fitted, *test, *show, looking{*look, *set, *rowsN}, o); err != nil {
		fmt.Fprintln(os.Stderr, "judgetrain:", err)
		os.Exit(1)
	}
}

const cap, wrapCap = .04, .07

const longThreshold = .5 // chosen on questions and readers unseen: -look long

type looking struct {
	kind, set string
	n         int
}

// batches are the files of -set; none where it was not given.
func (l looking) batches() []string {
	var out []string
	for _, f := range strings.Split(l.set, ",") {
		if strings.HasSuffix(f, ".jsonl") {
			out = append(out, f)
		}
	}
	return out
}

func run(shared, fitted string, test, show bool, l looking, o options) error {
	switch fitted {
	case "long":
		return writePart(func(m *judge.Model) error { return trainLong(shared, m) })
	case "sure":
		return writePart(func(m *judge.Model) error { return trainSure(shared, m) })
	}
	switch l.kind {
	case "all":
		return reportAll(shared)
	case "sure":
		return lookSure(shared, l.batches(), l.n)
	case "batch":
		return scoreBatches(l.batches(), l.n > 0)
	case "long":
		return reportLong(shared, longDefaults())
	}
	if test {
		rows, err := load(shared, testConvs)
		if err != nil {
			return err
		}
		report(score(rows, nil), "test", judge.Threshold(), show)
		return nil
	}
	rows, err := load(shared, devConvs)
	if err != nil {
		return err
	}
	read(rows)
	cv := crossed(rows, o)
	tt := capped(cv, cap, wrapCap)
	report(cv, "trained, one left out", tt, show)
	tb := capped(cv, cap, 1)
	report(cv, "  wraps not capped", tb, false)
	report(cv, "  at 5 %", capped(cv, .05, .08), false)
	if fitted != "words" {
		return nil
	}
	return writePart(func(m *judge.Model) error {
		words := train(rows, o)
		words.Thresholds, words.Long, words.Sure = m.Thresholds, m.Long, m.Sure
		*m = *words
		m.Made = fmt.Sprintf("make judge-weights (trees %d, depth %d, rate %g, ridge %g, plant %g, wrap %g; conversations %v)", o.trees, o.depth, o.rate, o.ridge, o.plantW, o.wrapW, devConvs)
		// The last stage accepts some of what the words refuse: from .5 on it accepts no more than 5 % of the plants.
		m.Thresholds.Trained = max(tt, .5)
		return nil
	})
}

// trainLong trains the weights for long replies.
func trainLong(shared string, m *judge.Model) error {
	rows, err := readLong(shared)
	if err != nil {
		return err
	}
	o := longDefaults()
	m.Long = fit(longExamples(rows, o, func(*row) bool { return true }), judge.LongFeatureNames(), o)
	m.Long.Made = "every recorded verdict but those of the two test conversations: LoCoMo, LongMemEval (four runs), HaluMem, MemoryAgentBench"
	m.Thresholds.Long = longThreshold
	return nil
}

func train(rows []row, o options) *judge.Model {
	m := fit(examples(rows, o), judge.FeatureNames(), o)
	m.Dates = dateOdds(rows, o)
	return m
}

// crossed scores each conversation by a model that was trained on the others.
func crossed(rows []row, o options) []scored {
	out := make([]scored, 0, len(rows))
	for _, c := range devConvs {
		var in, held []row
		for _, r := range rows {
			if r.Conv == c {
				held = append(held, r)
			} else {
				in = append(in, r)
			}
		}
		out = append(out, score(held, train(in, o))...)
	}
	return out
}

func report(s []scored, name string, t float64, show bool) {
	m := measure(s, t)
	m.print(os.Stdout, name, t)
	if !show {
		return
	}
	for _, r := range runs {
		x := m.perRun[r]
		fmt.Printf("    %-34s agreement %.3f κ %.3f balanced %.3f  (right by model %.3f, by rule %.3f)\n", r, x.agreement(), x.kappa(), x.balanced(), (x.tp+x.fn)/x.n(), (x.tp+x.fp)/x.n())
	}
	for c := 1; c <= 4; c++ {
		x := m.perCat[c]
		fmt.Printf("    category %d  n %.0f agreement %.3f κ %.3f fp %.0f fn %.0f\n", c, x.n(), x.agreement(), x.kappa(), x.fp, x.fn)
	}
}
