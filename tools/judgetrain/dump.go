package main

import (
	"fmt"
	"sort"

	"membench/eval/judge"
)

// dump prints rows for a person to read: the plants with the best scores, and the
// disagreements on real answers, worst first. For work on the six only.
func dump(s []scored, t float64, category int, n int, kind string) {
	var pick []scored
	for _, r := range s {
		yes := r.score >= t
		switch {
		case category != 0 && r.Category != category:
		case kind == "plants" && r.Plant && !r.Wrapped,
			kind == "fn" && r.Real && r.Right && !yes,
			kind == "fp" && r.Real && !r.Right && yes:
			pick = append(pick, r)
		}
	}
	sort.SliceStable(pick, func(i, j int) bool {
		if kind == "fn" {
			return pick[i].score < pick[j].score
		}
		return pick[i].score > pick[j].score
	})
	step := 1
	if kind == "fn" && len(pick) > n {
		step = len(pick) / n
	}
	for i := 0; i < len(pick) && n > 0; i += step {
		r := pick[i]
		n--
		v := judge.Judge(judge.Question{Text: r.Question}, []string{r.Gold}, r.Answer, judge.Options{Method: judge.Rules})
		a := r.Answer
		if len(a) > 170 {
			a = a[:170] + "…"
		}
		fmt.Printf("%.2f %s c%d %s\n   Q %s\n   G %s\n   A %s\n   %s: %s\n", r.score, r.Set, r.Category, r.Conv, r.Question, r.Gold, a, v.Rule, v.Reason)
	}
}

// dumpDates prints, for each relation of dates, how often it was right and how many
// plants have it.
func dumpDates(rows []row) {
	right, n, plant := map[string]int{}, map[string]int{}, map[string]int{}
	for _, r := range rows {
		switch {
		case r.relation == "" || r.Wrapped:
		case r.Plant:
			plant[r.relation]++
		default:
			n[r.relation]++
			if r.Right {
				right[r.relation]++
			}
		}
	}
	var names []string
	for k := range n {
		names = append(names, k)
	}
	for k := range plant {
		if n[k] == 0 {
			names = append(names, k)
		}
	}
	sort.Strings(names)
	for _, k := range names {
		fmt.Printf("%-44s right %d of %d, plants %d\n", k, right[k], n[k], plant[k])
	}
}

// draw prints n disagreements on the six, spread evenly over all of them in the order
// of conversation, question and run: id, question, gold, answer and who said what.
func draw(s []scored, t float64, n int) {
	var all []scored
	for _, r := range s {
		if r.Real && (r.score >= t) != r.Right {
			all = append(all, r)
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.Conv != b.Conv {
			return a.Conv < b.Conv
		}
		if a.QA != b.QA {
			return a.QA < b.QA
		}
		return a.Set < b.Set
	})
	fmt.Printf("%d disagreements\n", len(all))
	for i := range n {
		r := all[i*len(all)/n]
		a := []rune(r.Answer)
		if len(a) > 230 {
			a = append(a[:230], '…')
		}
		who := "model+ rule-"
		if !r.Right {
			who = "model- rule+"
		}
		fmt.Printf("%d\t%s:%d\t%s\t%s\tQ %s\tG %s\tA %s\n", i+1, r.Conv, r.QA, r.Set, who, r.Question, r.Gold, string(a))
	}
}
