package main

import (
	"fmt"
	"path/filepath"
	"strings"
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
		m.add(r.writer+" "+r.group, !r.yes())
		m.add("all "+r.group, !r.yes())
		if show && r.yes() != r.right {
			fmt.Printf("%s %s | %s | %s %.2f %s %s %s\n", r.writer, r.group, strings.ReplaceAll(r.text, "\n", "\\n"), r.v.Answer, r.v.Score, r.v.Rule, r.v.Reason, r.v.Doubt)
		}
	}
	for _, k := range sortedKeys(m) {
		fmt.Printf("%-28s %5d %.3f\n", k, m[k][1], m.share(k))
	}
	return nil
}
