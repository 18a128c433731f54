package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"membench/eval/figure"
	"membench/eval/records"
	"membench/internal/stats"
	"membench/schema"
)

// AnalyseOptions select the contents of an Analysis in addition to the figures.
type AnalyseOptions struct {
	Surprise bool
	Errors   bool
	Below    float64 // an answer of a lower F1 is an error
}

// An Analysis summarises the answers and the trace of an experiment on PCM.
type Analysis struct {
	Rows     []AnalysisRow   `json:"metrics"`
	Surprise *Surprise       `json:"surprise,omitempty"`
	Errors   []AnalysisError `json:"errors,omitempty"`

	f1 map[cell]answers
}

// A cell is one system, data set and category ("all": of all).
type cell struct{ system, dataset, category string }

// AnalysisRow has the means of one cell. An unanswerable question counts 1 in each column if the answer abstains, otherwise 0.
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

// metrics are the protocols behind the columns of an AnalysisRow.
var metrics = [4]string{"em", "squad-f1", "contains", "numeric"}

// scoresOf returns the scores of a record by column; nil if there is none.
func scoresOf(q *schema.QARecord) (out [4]*float64) {
	for _, g := range q.Grades {
		if g.Score == nil || g.Gold == schema.GoldCorrected {
			continue
		}
		name := schema.ProtocolName(g.Protocol)
		if i := slices.Index(metrics[:], name); i >= 0 && !q.Abstain {
			out[i] = g.Score
		}
		if name == "rule" && q.Abstain {
			out[0], out[1], out[2] = g.Score, g.Score, g.Score
		}
	}
	return out
}

// Analyse reads an experiment's folder.
func Analyse(ctx context.Context, dir string, o AnalyseOptions) (*Analysis, error) {
	runs, err := os.ReadDir(filepath.Join(dir, "runs"))
	if err != nil {
		return nil, fmt.Errorf("%s is not an experiment on PCM: run 'membench experiment pcm' first: %w", dir, err)
	}
	a := &Analysis{f1: map[cell]answers{}}
	cells := map[cell]*[5]stats.Cluster{} // the columns, and how many there are
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
			a.add(run.Name(), &rec.V, cells, o)
		}
	}
	for c, sums := range cells {
		r := AnalysisRow{System: c.system, Dataset: c.dataset, Category: c.category, N: sums[4].N}
		for i, to := range []**float64{&r.EM, &r.F1, &r.Contains, &r.Numeric} {
			if sums[i].N > 0 {
				mean := sums[i].Sum / float64(sums[i].N)
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

func (a *Analysis) add(system string, q *schema.QARecord, cells map[cell]*[5]stats.Cluster, o AnalyseOptions) {
	scores := scoresOf(q)
	for _, category := range []string{q.Category, "all"} {
		c := cell{system, q.Dataset, category}
		if cells[c] == nil {
			cells[c], a.f1[c] = &[5]stats.Cluster{}, answers{}
		}
		cells[c][4].Add(1)
		for i, s := range scores {
			if s != nil {
				cells[c][i].Add(*s)
			}
		}
		if f1 := scores[1]; f1 != nil {
			a.f1[c][questionKey(q)] = answer{conversation: q.Dataset + " " + q.CaseID, score: *f1}
		}
	}
	if f1 := scores[1]; o.Errors && system == PCM && f1 != nil && *f1 < o.Below {
		a.Errors = append(a.Errors, AnalysisError{q.Dataset, q.CaseID, q.Question, q.Category, q.Gold, q.Answer, *f1})
	}
}

// A Difference is the difference of the F1 of one cell between two experiments, paired by question; interval and p over conversations, p adjusted by Holm over
// all cells.
type Difference struct {
	System   string   `json:"system"`
	Dataset  string   `json:"dataset"`
	Category string   `json:"category"`
	N        int      `json:"n"`
	Mean     float64  `json:"difference"` // second − first
	Lo       *float64 `json:"lo"`
	Hi       *float64 `json:"hi"`
	P        *float64 `json:"p"`
}

// Compare lists the differences of the second experiment to the first, in the order of its rows.
func Compare(first, second *Analysis) (out []Difference) {
	var family []*estimate
	for _, row := range second.Rows {
		c := cell{row.System, row.Dataset, row.Category}
		if e := difference(second.f1[c], first.f1[c]); e.n > 0 {
			family = append(family, &e)
			out = append(out, Difference{System: c.system, Dataset: c.dataset, Category: c.category, N: e.n, Mean: e.mean, Lo: figure.Defined(e.lo), Hi: figure.Defined(e.hi)})
		}
	}
	holm(family)
	for i, e := range family {
		out[i].P = figure.Defined(e.adjusted)
	}
	return out
}
