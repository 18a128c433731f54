// Clausetrain fits the chances that internal/clause gives its facts to verdicts of readers.
//
//	go run -C tools ./clausetrain            writes internal/clause/trust.tsv
//	go run -C tools ./clausetrain -dry       only the figures, each source left out in turn
//	go run -C tools ./clausetrain -dry -show the log odds, too
//
// verdicts.jsonl has the facts that language models read with their messages: R right, W wrong, V saying nothing. Rows of invented chats have their text and are read again; rows of
// texts that may not be copied have the traits that their facts had when they were read.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"membench/internal/clause"
	"membench/schema/catalog"
)

func main() {
	dry := flag.Bool("dry", false, "write nothing")
	show := flag.Bool("show", false, "print the log odds")
	o := defaults
	flag.Float64Var(&o.ridge, "ridge", o.ridge, "penalty of the log odds")
	flag.IntVar(&o.least, "least", o.least, "rows that a trait needs")
	flag.StringVar(&o.drop, "drop", "", "leave out the traits that begin so, by commas")
	flag.Parse()
	if err := run(*dry, *show, o); err != nil {
		fmt.Fprintln(os.Stderr, "clausetrain:", err)
		os.Exit(1)
	}
}

type options struct {
	ridge float64
	least int
	drop  string
}

// defaults were chosen by the log loss with each source left out.
var defaults = options{ridge: 6, least: 8}

// A row is a fact with its verdict.
type row struct {
	From    string   `json:"from"` // source; rows of one are left out together
	Verdict string   `json:"verdict"`
	Traits  []string `json:"traits,omitempty"` // of a text that may not be copied

	Text    string   `json:"text,omitempty"`
	Names   []string `json:"names,omitempty"`
	Before  string   `json:"before,omitempty"`
	Own     string   `json:"own,omitempty"`
	Year    int      `json:"year,omitempty"`
	Start   int      `json:"start,omitempty"` // of the sentence
	Subject string   `json:"subject,omitempty"`
	Verb    string   `json:"verb,omitempty"`
	Object  string   `json:"object,omitempty"`

	x     []int // indexes of traits
	right float64
	odds  float64 // from a fit without its source
}

// read finds the fact of a row again, and reports whether it is still made.
func (r *row) read() bool {
	if r.Traits != nil {
		return true
	}
	for _, f := range clause.Candidates(r.Text, clause.Options{Names: r.Names, Year: r.Year, Before: r.Before, Own: r.Own, Presupposed: true, Ended: catalog.Default().Ended}) {
		if f.Start == r.Start && f.Verb == r.Verb && f.Object.Text == r.Object && f.Subject.Text == r.Subject && (f.Modality == clause.Asserted || f.Modality == clause.Plan) {
			r.Traits = f.Traits()
			return true
		}
	}
	return false
}

const trustFile = "../internal/clause/trust.tsv"

func run(dry, show bool, o options) error {
	rows, gone, err := load("clausetrain/verdicts.jsonl")
	if err != nil {
		return err
	}
	fmt.Printf("%d rows, %d more are not made any longer\n", len(rows), gone)
	made := trust(rows, o, func(lang string, of []*row, traits []string, odds []float64) {
		report(lang, of, len(traits), o)
		if show {
			order := indexes(len(traits))
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(odds[a], odds[b]) })
			for _, i := range order {
				fmt.Printf("  %+.2f %s\n", odds[i], traits[i])
			}
		}
	})
	if dry {
		return nil
	}
	return os.WriteFile(trustFile, []byte(made), 0o644)
}

// trust fits both languages and returns the text of trust.tsv; told gets each fit.
func trust(rows []*row, o options, told func(lang string, of []*row, traits []string, odds []float64)) string {
	out := "# Log odds of internal/clause/traits.go by language. Made by: go run -C tools ./clausetrain\n"
	for _, lang := range []string{"en", "zh"} {
		var of []*row
		for _, r := range rows {
			if slices.Contains(r.Traits, lang) {
				of = append(of, r)
			}
		}
		traits := index(of, o)
		odds, bias := fit(of, len(traits), o.ridge)
		told(lang, of, traits, odds)
		out += fmt.Sprintf("%s\t%.2f\tbias\n", lang, bias)
		for i, t := range traits {
			if math.Abs(odds[i]) >= .005 {
				out += fmt.Sprintf("%s\t%.2f\t%s\n", lang, odds[i], t)
			}
		}
	}
	return out
}

func indexes(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

func load(path string) (rows []*row, gone int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		r := &row{}
		if err := json.Unmarshal(sc.Bytes(), r); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", path, err)
		}
		if r.Verdict == "R" {
			r.right = 1
		}
		if r.read() {
			rows = append(rows, r)
		} else {
			gone++
		}
	}
	return rows, gone, sc.Err()
}

// index numbers the traits that are frequent enough.
func index(rows []*row, o options) (traits []string) {
	count, number := map[string]int{}, map[string]int{}
	for _, r := range rows {
		slices.Sort(r.Traits)
		r.Traits = slices.Compact(r.Traits)
		for _, t := range r.Traits {
			count[t]++
		}
	}
	for t, n := range count {
		if n >= o.least && n < len(rows) && !slices.ContainsFunc(strings.Split(o.drop, ","), func(d string) bool { return d != "" && strings.HasPrefix(t, d) }) {
			traits = append(traits, t)
		}
	}
	slices.Sort(traits)
	for i, t := range traits {
		number[t] = i
	}
	for _, r := range rows {
		for _, t := range r.Traits {
			if i, ok := number[t]; ok {
				r.x = append(r.x, i)
			}
		}
	}
	return traits
}

// fit is a logistic regression by Newton steps along one trait at a time.
func fit(rows []*row, traits int, ridge float64) (odds []float64, bias float64) {
	odds = make([]float64, traits)
	with := make([][]int, traits)
	all := make([]int, len(rows))
	for i, r := range rows {
		all[i] = i
		for _, t := range r.x {
			with[t] = append(with[t], i)
		}
	}
	z := make([]float64, len(rows))
	step := func(of []int, at, ridge float64) float64 {
		g, h := ridge*at, ridge+1e-9
		for _, i := range of {
			p := 1 / (1 + math.Exp(-z[i]))
			g += p - rows[i].right
			h += p * (1 - p)
		}
		for _, i := range of {
			z[i] -= g / h
		}
		return at - g/h
	}
	for range 60 {
		bias = step(all, bias, 0)
		for t := range odds {
			odds[t] = step(with[t], odds[t], ridge)
		}
	}
	return odds, bias
}

// report prints how right the facts are above each chance, each source judged by a fit to the others.
func report(lang string, rows []*row, traits int, o options) {
	var from []string
	loss := 0.0
	for _, r := range rows {
		if !slices.Contains(from, r.From) {
			from = append(from, r.From)
		}
	}
	slices.Sort(from)
	for _, f := range from {
		rest := slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.From == f })
		odds, bias := fit(rest, traits, o.ridge)
		for _, r := range rows {
			if r.From == f {
				r.odds = bias
				for _, t := range r.x {
					r.odds += odds[t]
				}
				loss += math.Log1p(math.Exp(-(2*r.right - 1) * r.odds))
			}
		}
	}
	fmt.Printf("%s: %d facts, %d traits, log loss %.4f\n%-9s %6s %6s   from .40        .50        .55        .60        .70\n", lang, len(rows), traits, loss/float64(len(rows)), "source", "facts", "right")
	line := func(name string, in func(*row) bool) {
		n, right := 0, 0.0
		for _, r := range rows {
			if in(r) {
				n++
				right += r.right
			}
		}
		fmt.Printf("%-9s %6d %6.3f  ", name, n, right/float64(n))
		for _, from := range []float64{.4, .5, .55, .6, .7} {
			k, right := 0, 0.0
			for _, r := range rows {
				if in(r) && r.odds >= math.Log(from/(1-from)) {
					k++
					right += r.right
				}
			}
			fmt.Printf(" %4d %.3f ", k, right/float64(max(k, 1)))
		}
		fmt.Println()
	}
	for _, f := range from {
		line(f, func(r *row) bool { return r.From == f })
	}
	line("all", func(*row) bool { return true })
}
