package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"membench/eval/records"
	"membench/schema"
)

// AnalyseOptions say what an Analysis holds beside the figures.
type AnalyseOptions struct {
	Surprise bool
	Errors   bool
	Below    float64 // an answer of a lower F1 is an error
}

// An Analysis is what the answers and the trace of an experiment on PCM show.
type Analysis struct {
	Rows     []AnalysisRow   `json:"metrics"`
	Surprise *Surprise       `json:"surprise,omitempty"`
	Errors   []AnalysisError `json:"errors,omitempty"`
}

// AnalysisRow has the means of one system, data set and category ("all": of all).
type AnalysisRow struct {
	System   string   `json:"system"`
	Dataset  string   `json:"dataset"`
	Category string   `json:"category"`
	N        int      `json:"n"`
	EM       *float64 `json:"em"`
	F1       *float64 `json:"f1"`
	Contains *float64 `json:"contains"`
	Numeric  *float64 `json:"numeric"`
}

// AnalysisError is an answer of PCM that failed.
type AnalysisError struct {
	Dataset  string  `json:"dataset"`
	CaseID   string  `json:"case_id"`
	Question string  `json:"question"`
	Category string  `json:"category"`
	Gold     string  `json:"gold"`
	Answer   string  `json:"answer"`
	F1       float64 `json:"f1"`
}

// of are the protocols behind the columns.
var metrics = []string{"squad-em", "squad-f1", "contains", "numeric"}

// Analyse reads an experiment's folder.
func Analyse(ctx context.Context, dir string, o AnalyseOptions) (*Analysis, error) {
	runs, err := os.ReadDir(filepath.Join(dir, "runs"))
	if err != nil {
		return nil, fmt.Errorf("%s is not an experiment on PCM: run 'membench experiment pcm' first: %w", dir, err)
	}
	a := &Analysis{}
	type cell struct{ sum, n [4]float64 }
	cells := map[[3]string]*cell{}
	count := map[[3]string]int{}
	for _, run := range runs {
		for rec, err := range records.QA(ctx, nil, filepath.Join(dir, "runs", run.Name(), records.QAFile)) {
			var f *schema.Finding
			switch {
			case errors.As(err, &f):
				continue
			case err != nil:
				return nil, err
			case ctx.Err() != nil:
				return nil, ctx.Err()
			}
			q := &rec.V
			f1 := -1.0
			for _, category := range []string{q.Category, "all"} {
				key := [3]string{run.Name(), q.Dataset, category}
				count[key]++
				if cells[key] == nil {
					cells[key] = &cell{}
				}
				for _, g := range q.Grades {
					i := slices.Index(metrics, protocolName(g.Protocol))
					if i < 0 || g.Score == nil || g.Gold == schema.GoldCorrected {
						continue
					}
					cells[key].sum[i] += *g.Score
					cells[key].n[i]++
					if metrics[i] == "squad-f1" {
						f1 = *g.Score
					}
				}
			}
			if o.Errors && run.Name() == PCM && f1 >= 0 && f1 < o.Below {
				a.Errors = append(a.Errors, AnalysisError{q.Dataset, q.CaseID, q.Question, q.Category, q.Gold, q.Answer, f1})
			}
		}
	}
	for key, c := range cells {
		r := AnalysisRow{System: key[0], Dataset: key[1], Category: key[2], N: count[key]}
		for i, to := range []**float64{&r.EM, &r.F1, &r.Contains, &r.Numeric} {
			if c.n[i] > 0 {
				mean := c.sum[i] / c.n[i]
				*to = &mean
			}
		}
		a.Rows = append(a.Rows, r)
	}
	slices.SortFunc(a.Rows, func(x, y AnalysisRow) int {
		return cmp.Or(cmp.Compare(x.Dataset, y.Dataset), cmp.Compare(x.System, y.System), cmp.Compare(x.Category, y.Category))
	})
	if o.Surprise {
		s, err := SurpriseOf(filepath.Join(dir, "trace", "pcm.jsonl"))
		if err != nil {
			return nil, err
		}
		a.Surprise = &s
	}
	return a, nil
}
