package main

import (
	"fmt"

	"membench/eval/judge"
)

// lookAt prints the disagreements of the embedded judge with one recorded run, n at most.
func lookAt(shared, set string, n int) error {
	rows, err := labelled(shared)
	if err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		v := judge.Judge(r.question(), r.golds(), r.Answer, judge.Options{})
		if r.Set != set || v.Correct == r.Right || n == 0 {
			continue
		}
		n--
		a := r.Answer
		if len(a) > 500 {
			a = a[:120] + " […] " + a[len(a)-380:]
		}
		fmt.Printf("recorded %v, judge %v %.2f %s (%s; %s) abstain %v\n  Q %s\n  G %s\n  A %s\n", r.Right, v.Correct, v.Score, v.Rule, v.Reason, v.Answer, r.Abstain, r.Question, r.Gold, a)
	}
	return nil
}
