package main

import (
	"fmt"

	"membench/eval/judge"
)

// reportAll prints how the embedded judge agrees with every other recorded judge.
func reportAll(shared string) error {
	rows, err := labelled(shared)
	if err != nil {
		return err
	}
	sets, by := []string{}, map[string]*table{}
	for i := range rows {
		r := &rows[i]
		if by[r.Set] == nil {
			sets = append(sets, r.Set)
			by[r.Set] = &table{}
		}
		by[r.Set].add(judge.Judge(r.question(), r.golds(), r.Answer).Correct, r.Right)
	}
	for _, s := range sets {
		t := by[s]
		fmt.Printf("%-22s n %4.0f agreement %.3f κ %.3f false accepts %.3f false rejects %.3f\n", s, t.n(), t.agreement(), t.kappa(), t.fp/max(1, t.fp+t.tn), t.fn/max(1, t.fn+t.tp))
	}
	return nil
}

func (r *row) question() judge.Question { return judge.Question{Text: r.Question, Abstain: r.Abstain} }

func (r *row) golds() []string {
	if len(r.Golds) > 0 {
		return r.Golds
	}
	return []string{r.Gold}
}
