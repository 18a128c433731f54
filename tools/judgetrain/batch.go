package main

import (
	"fmt"
	"strings"

	"membench/eval/judge"
	"membench/internal/codec"
)

// scoreBatch prints what the embedded judge does with a batch of answers of known truth,
// lines of question, gold, reply, right, shape and lang; and with each of its shapes where
// show is set.
func scoreBatch(path string, show bool) error {
	by, shapes := map[string][3]int{}, map[string][3]int{}
	err := eachLine(path, func(b []byte) error {
		var r struct {
			Question string `json:"question"`
			Gold     string `json:"gold"`
			Reply    string `json:"reply"`
			Lang     string `json:"lang"`
			Kind     string `json:"kind"`
			Shape    any    `json:"shape"`
			Right    bool   `json:"right"`
		}
		if err := codec.Unmarshal(b, &r); err != nil {
			return err
		}
		v := judge.Judge(judge.Question{Text: r.Question}, []string{r.Gold}, r.Reply, judge.Options{})
		outcome := 0 // refused
		switch {
		case v.Doubt != "":
			outcome = 1
		case v.Correct:
			outcome = 2
		}
		truth := map[bool]string{true: "right", false: "wrong"}[r.Right]
		form := r.Kind
		for _, k := range []string{truth, truth + " " + r.Lang, truth + " " + form} {
			c := by[k]
			c[outcome]++
			by[k] = c
		}
		k := fmt.Sprintf("%s %v", truth, r.Shape)
		c := shapes[k]
		c[outcome]++
		shapes[k] = c
		if show && (outcome == 2) != r.Right {
			fmt.Printf("%s %v | Q %s | G %s | A %s | %v %.2f %s %s %s\n", truth, r.Shape, r.Question, r.Gold, strings.ReplaceAll(r.Reply, "\n", "\\n"), v.Correct, v.Score, v.Rule, v.Reason, v.Doubt)
		}
		return nil
	})
	if err != nil {
		return err
	}
	tell := func(m map[string][3]int) {
		for _, k := range sortedKeys(m) {
			c := m[k]
			n := c[0] + c[1] + c[2]
			fmt.Printf("%-44s n %4d refused %.3f doubtful %.3f accepted %.3f\n", k, n, float64(c[0])/float64(n), float64(c[1])/float64(n), float64(c[2])/float64(n))
		}
	}
	tell(by)
	if show {
		tell(shapes)
	}
	return nil
}
