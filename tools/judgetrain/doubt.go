package main

import (
	"fmt"
	"sort"
	"strings"

	"membench/eval/judge"
)

// reportDoubt prints what share of the answers that the recorded judges accept is
// marked doubtful or refused by stance, of those that repeat the question's words and of
// terse ones, with the commonest reasons.
func reportDoubt(shared string, n int) error {
	rows, err := load(shared, devConvs)
	if err != nil {
		return err
	}
	more, err := labelled(shared)
	if err != nil {
		return err
	}
	type count struct{ n, accepted, doubt, stance int }
	by := map[string]*count{}
	reasons := map[string]map[string]int{}
	shown := 0
	for _, r := range append(rows, more...) {
		if !r.Real || !r.Right {
			continue
		}
		set := "locomo"
		if r.Category == 0 {
			set = r.Set
		}
		kind := set + " " + style(r.Question, r.Answer)
		c := by[kind]
		if c == nil {
			c = &count{}
			by[kind], reasons[kind] = c, map[string]int{}
		}
		v := judge.Judge(r.question(), r.golds(), r.Answer, judge.Options{})
		c.n++
		if v.Correct {
			c.accepted++
		}
		if v.Rule == "stance" {
			c.stance++
		}
		if v.Doubt != "" {
			c.doubt++
			why, _, _ := strings.Cut(v.Doubt, ": ")
			if i := strings.Index(v.Doubt, "("); i > 0 {
				why = v.Doubt[i:]
			}
			reasons[kind][why]++
			if strings.Contains(kind, "sentence") && strings.HasPrefix(v.Doubt, "it names") {
				if shown++; shown%7 == 0 && shown/7 <= n {
					fmt.Printf("  Q %s | G %s | A %.200s | %s\n", r.Question, r.Gold, r.Answer, v.Doubt)
				}
			}
		}
	}
	var kinds []string
	for k := range by {
		kinds = append(kinds, k)
	}
	sort.Strings(kinds)
	for _, k := range kinds {
		c := by[k]
		fmt.Printf("%-32s right %4d accepted %.3f; doubtful %.3f, refused by stance %.3f\n", k, c.n, float64(c.accepted)/float64(c.n), float64(c.doubt)/float64(c.n), float64(c.stance)/float64(c.n))
		type kv struct {
			k string
			v int
		}
		var list []kv
		for why, v := range reasons[k] {
			list = append(list, kv{why, v})
		}
		sort.Slice(list, func(i, j int) bool { return list[i].v > list[j].v || list[i].v == list[j].v && list[i].k < list[j].k })
		for i, x := range list {
			if i == 12 {
				break
			}
			fmt.Printf("      %4d %s\n", x.v, x.k)
		}
	}
	return nil
}

// style is sentence where an answer repeats half of the question's words, or is long;
// terse else. Kept apart from the judge's own measure.
func style(question, answer string) string {
	low := strings.ToLower(answer)
	n, hit := 0, 0
	for _, w := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
		if len(w) < 4 || strings.Contains(" what when where which does have with from that this they their long many much kind ", " "+w+" ") {
			continue
		}
		n++
		if strings.Contains(low, w[:4]) {
			hit++
		}
	}
	if n > 0 && 2*hit >= n && len(strings.Fields(answer)) >= 4 {
		return "sentence"
	}
	return "terse"
}
