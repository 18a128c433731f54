package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"membench/eval/judge"
)

// scoreBatches prints what the embedded judge does with batches of answers of known truth, in the form of
// writersRows: the share of right answers that it marks or refuses, and of the others that it does not accept.
// Without paths these are the batches that the weights were never trained on. Show prints what it gets wrong.
func scoreBatches(paths []string, show bool) error {
	if len(paths) == 0 {
		paths, _ = filepath.Glob("judgetrain/testdata/unseen/*.jsonl")
	}
	rows, err := writersRows(paths)
	if err != nil {
		return err
	}
	m := marked{}
	for i := range rows {
		r := &rows[i]
		v := judge.Judge(judge.Question{Text: r.text[0]}, r.text[1:2], r.text[2])
		sure := v.Correct && v.Doubt == ""
		m.add(r.writer+" "+r.group, !sure)
		m.add("all "+r.group, !sure)
		if show && sure != r.right {
			fmt.Printf("%s %s | %s | %s %.2f %s %s %s\n", r.writer, r.group, r.line(), v.Answer, v.Score, v.Rule, v.Reason, v.Doubt)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		fmt.Printf("%-28s %5d %.3f\n", k, m[k][1], m.share(k))
	}
	return nil
}
