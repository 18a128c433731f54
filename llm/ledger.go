package llm

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
)

// A Ledger counts usage by purpose and model. It wraps generators and embedders; it is safe for concurrent use.
type Ledger struct {
	mu   sync.Mutex
	rows map[[3]string]*Row
}

// A Row is the usage of one purpose. First is the cost of the answers when they were first requested; Now is the cost of this run, including failed attempts.
type Row struct {
	Purpose  string `json:"purpose"`
	Model    string `json:"model"`             // asked
	Answered string `json:"answered,omitzero"` // by the endpoint's word, where it differs
	Answers  int    `json:"answers"`           // and vectors
	Replayed int    `json:"replayed"`          // of them, those from a cassette
	Failed   int    `json:"failed,omitzero"`   // calls without an answer
	// Ended counts calls that did not complete, by outcome. Cut-off answers count as answers, too.
	Ended   map[Outcome]int `json:"outcomes,omitempty"`
	Adapted string          `json:"adapted,omitzero"` // parts of the request that the endpoint did not accept
	First   Usage           `json:"first_paid"`
	Now     Usage           `json:"paid_now"`
	Cost    *Cost           `json:"cost,omitzero"` // filled in by Rows, where prices are known
}

func (r *Row) end(o Outcome) {
	if o == Complete {
		return
	}
	if r.Ended == nil {
		r.Ended = map[Outcome]int{}
	}
	r.Ended[o]++
}

// A Cost is money for tokens, in the currency of the price table.
type Cost struct {
	First float64 `json:"first_paid"`
	Now   float64 `json:"paid_now"`
}

// NewLedger makes an empty ledger.
func NewLedger() *Ledger { return &Ledger{rows: map[[3]string]*Row{}} }

func (l *Ledger) add(purpose, model, answered string, f func(*Row)) {
	if answered == model {
		answered = ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := [3]string{purpose, model, answered}
	r := l.rows[key]
	if r == nil {
		r = &Row{Purpose: purpose, Model: model, Answered: answered}
		l.rows[key] = r
	}
	f(r)
}

// Rows returns the counts, by purpose, then model; with costs for models that are in prices.
func (l *Ledger) Rows(p Prices) []Row {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Row
	for _, r := range l.rows {
		row := *r
		row.Ended = maps.Clone(r.Ended)
		if price, ok := p.Of(row.Model); ok {
			row.Cost = &Cost{First: price.Cost(row.First), Now: price.Cost(row.Now)}
		}
		out = append(out, row)
	}
	slices.SortFunc(out, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Purpose, b.Purpose), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Answered, b.Answered))
	})
	return out
}

// Generator counts the calls of g.
func (l *Ledger) Generator(g Generator) Generator { return ledgerGenerator{l, g} }

// Embedder counts the calls of e.
func (l *Ledger) Embedder(e Embedder) Embedder { return ledgerEmbedder{l, e} }

type ledgerGenerator struct {
	l *Ledger
	g Generator
}

func (w ledgerGenerator) Model() string     { return w.g.Model() }
func (w ledgerGenerator) Unwrap() Generator { return w.g }

func (w ledgerGenerator) Generate(ctx context.Context, r Request) (Response, error) {
	resp, err := w.g.Generate(ctx, r)
	used := usageOf(resp.Usage, err)
	meter(ctx, r.Purpose, w.g.Model(), used)
	w.l.add(r.Purpose, w.g.Model(), resp.Model, func(row *Row) {
		row.end(OutcomeOf(resp, err))
		row.First = row.First.Add(used)
		if err != nil {
			row.Failed++
			row.Now = row.Now.Add(used)
			return
		}
		row.Answers++
		if resp.Adapted != "" {
			row.Adapted = resp.Adapted
		}
		if resp.Cached {
			row.Replayed++
		} else {
			row.Now = row.Now.Add(used)
		}
	})
	return resp, err
}

type ledgerEmbedder struct {
	l *Ledger
	e Embedder
}

func (w ledgerEmbedder) Profile() string  { return w.e.Profile() }
func (w ledgerEmbedder) Unwrap() Embedder { return w.e }

func (w ledgerEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out, err := w.EmbedMetered(ctx, texts)
	return out.Vectors, err
}

func (w ledgerEmbedder) EmbedMetered(ctx context.Context, texts []string) (Embedding, error) {
	out, err := Embed(ctx, w.e, texts)
	used := usageOf(out.Usage, err)
	meter(ctx, PurposeEmbed, w.e.Profile(), used)
	w.l.add(PurposeEmbed, w.e.Profile(), "", func(row *Row) {
		row.end(OutcomeOf(Response{}, err))
		row.First = row.First.Add(used)
		if err != nil {
			row.Failed++
			row.Now = row.Now.Add(used)
			return
		}
		row.Answers += len(out.Vectors)
		row.Replayed += out.Replayed
		row.Now = row.Now.Add(out.Paid)
	})
	return out, err
}

// usageOf returns the cost of a call: of a failed one what its error says.
func usageOf(u Usage, err error) Usage {
	if err == nil {
		return u
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Usage
	}
	return Usage{}
}
