package reader

import (
	"cmp"
	"context"
	"fmt"
	"membench/internal/bm25"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"membench/datasets"
	"membench/datasets/locomo"
	"membench/datasets/longmemeval"
	"membench/eval/judge"
	"membench/schema"
)

func TestTune(t *testing.T) {
	dir := os.Getenv("MEMBENCH_SHARED")
	if dir == "" {
		dir = "../../../shared"
	}
	files, err := datasets.Find([]string{filepath.Join(dir, "data/locomo/locomo8.json")}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	show := os.Getenv("SHOW")
	right, n := map[string]int{}, map[string]int{}
	run := func(name string, c schema.Case) {
		turns := map[int]schema.CaseTurn{}
		for _, s := range c.Sessions {
			for _, x := range s.Turns {
				if x.Time == "" {
					x.Time = s.Time
				}
				turns[x.TurnID] = x
			}
		}
		r := Rule()
		var idx bm25.Index
		var ids []int
		for i := 1; i <= len(turns); i++ {
			idx.Set(i-1, turns[i].Name+": "+datasets.WithCaptions(turns[i].Text, turns[i].Attachments))
			ids = append(ids, i)
		}
		for _, q := range c.Questions {
			if len(q.Evidence) == 0 && !q.Abstain {
				continue
			}
			var hits []schema.QAHit
			if os.Getenv("K") != "" && name != "lme" {
				sc := idx.Dense(nil, q.Text, len(turns))
				ord := slices.Clone(ids)
				slices.SortStableFunc(ord, func(a, b int) int { return cmp.Compare(sc[b-1], sc[a-1]) })
				q.Evidence = nil
				for _, i := range ord[:10] {
					q.Evidence = append(q.Evidence, schema.EventRef{ConvID: c.ConvID, TurnID: i})
				}
			}
			for _, e := range q.Evidence {
				x := turns[int(e.TurnID)]
				hits = append(hits, schema.QAHit{Text: x.Name + ": " + datasets.WithCaptions(x.Text, x.Attachments), Sources: []schema.EventRef{e}})
				if x.Name == "" {
					hits[len(hits)-1].Text = x.Role + ": " + x.Text
				}
			}
			o := Show{Time: func(e schema.EventRef) string { return turns[int(e.TurnID)].Time }}
			a, err := r.Read(context.Background(), Input{Question: q, Speakers: c.Speakers, Context: o.Context(hits), Hits: hits})
			if err != nil {
				t.Fatal(err)
			}
			v := judge.Judge(judge.Question{Text: q.Text, Abstain: q.Abstain, AsOf: q.AsOf}, q.Golds(), a.Text, judge.Options{})
			k := name + " " + q.RawCategory
			n[k]++
			n[name]++
			if v.Correct {
				right[k]++
				right[name]++
			}
			if show == k && !v.Correct && n[k] < 400 {
				fmt.Printf("Q %s\nG %s\nA %s\nC %s\n\n", q.Text, q.Answer, a.Text, o.Context(hits))
			}
		}
	}
	dev := map[string]bool{"conv-26": true, "conv-30": true, "conv-41": true, "conv-42": true, "conv-43": true, "conv-44": true}
	for rec, err := range locomo.Cases(context.Background(), files, datasets.Options{}) {
		if err != nil {
			continue
		}
		if dev[string(rec.V.ID)] || dev[string(rec.V.ConvID)] {
			run("dev", rec.V)
		} else if os.Getenv("TEST") != "" {
			run("test", rec.V)
		}
	}
	files, _ = datasets.Find([]string{filepath.Join(dir, "data/longmemeval/longmemeval_oracle_evidence_turns.json")}, nil, nil)
	for rec, err := range longmemeval.Cases(context.Background(), files, datasets.Options{}) {
		if err != nil {
			continue
		}
		run("lme", rec.V)
	}
	var keys []string
	for k := range n {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Printf("%-40s %4d/%4d %.3f\n", k, right[k], n[k], float64(right[k])/float64(n[k]))
	}
}
