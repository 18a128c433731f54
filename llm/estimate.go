package llm

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
)

// An Estimate counts the calls that a run would make, without making them: each
// fails with KindDryRun, which is not Fatal, so a stage continues to the next.
type Estimate struct {
	mu   sync.Mutex
	rows map[[2]string]*EstimateRow
	// Answer returns an answer that lets a stage continue to its next call; "" makes the call fail.
	Answer func(Request) string
}

// verdictTokens is the length of a short verdict such as {"label": "CORRECT"}. A judge's token limit leaves room for reasons, so it is no estimate of a
// verdict's length.
const verdictTokens = 6

// An EstimateRow is a range: Low is every question asked once, answered in a third
// of its limit, a judge's by a bare verdict; High is every question asked with its one repair, answered to its limit.
type EstimateRow struct {
	Purpose string
	Model   string
	Calls   int
	Low     Usage
	High    Usage
}

var errDryRun = errors.New("no model was asked: this is an estimate")

// Rows returns the counts, by purpose, then model.
func (e *Estimate) Rows() []EstimateRow {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []EstimateRow
	for _, r := range e.rows {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b EstimateRow) int {
		return cmp.Or(cmp.Compare(a.Purpose, b.Purpose), cmp.Compare(a.Model, b.Model))
	})
	return out
}

// row is the row of a purpose and model. The caller holds the lock.
func (e *Estimate) row(purpose, model string) *EstimateRow {
	if e.rows == nil {
		e.rows = map[[2]string]*EstimateRow{}
	}
	r := e.rows[[2]string{purpose, model}]
	if r == nil {
		r = &EstimateRow{Purpose: purpose, Model: model}
		e.rows[[2]string{purpose, model}] = r
	}
	return r
}

// Embedder counts calls for a model of this profile; stand provides vectors in its place, so that dependent work continues.
func (e *Estimate) Embedder(profile string, stand Embedder) Embedder {
	return embedEstimator{e, profile, stand}
}

type embedEstimator struct {
	e       *Estimate
	profile string
	stand   Embedder
}

func (g embedEstimator) Profile() string { return g.profile }

func (g embedEstimator) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var low, high Usage
	for _, t := range texts {
		l, h := EstimateTokens(t)
		low, high = low.Add(Usage{InputTokens: l}), high.Add(Usage{InputTokens: h})
	}
	low.Calls, high.Calls = 1, 1
	g.e.mu.Lock()
	row := g.e.row(PurposeEmbed, g.profile)
	row.Calls++
	row.Low, row.High = row.Low.Add(low), row.High.Add(high)
	g.e.mu.Unlock()
	return g.stand.Embed(ctx, texts)
}

// Generator counts for a model; m is its name.
func (e *Estimate) Generator(m string) Generator { return estimator{e, m} }

type estimator struct {
	e *Estimate
	m string
}

func (g estimator) Model() string { return g.m }

func (g estimator) Generate(ctx context.Context, r Request) (Response, error) {
	if err := ctx.Err(); err != nil {
		return Response{}, &Error{Purpose: r.Purpose, Kind: KindCanceled, Err: err}
	}
	lowIn, highIn := EstimateTokens(r.System + r.Prompt + string(r.Schema))
	out := r.MaxTokens
	if out <= 0 {
		out = AnswerTokens
	}
	low := out / 3
	if r.Purpose == PurposeJudge {
		low = min(low, verdictTokens)
	}
	g.e.mu.Lock()
	row := g.e.row(r.Purpose, g.m)
	row.Calls++
	row.Low = row.Low.Add(Usage{Calls: 1, InputTokens: lowIn, OutputTokens: low})
	row.High = row.High.Add(Usage{Calls: tries, InputTokens: tries*highIn + out, OutputTokens: tries * out})
	g.e.mu.Unlock()
	if g.e.Answer != nil {
		if text := g.e.Answer(r); text != "" {
			return Response{Text: text, Model: g.m}, nil
		}
	}
	return Response{}, &Error{Purpose: r.Purpose, Kind: KindDryRun, Err: errDryRun}
}
