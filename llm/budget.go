package llm

import (
	"context"
	"fmt"
	"sync"
)

// Limits of a budget; 0 means none. Money is in the price table's currency.
type Limits struct {
	Money  float64
	Tokens int // input and output
	Calls  int
}

// A Budget stops before it is passed: a call is made only when all that was spent,
// the upper bounds of the calls under way and its own fit. What cannot be bounded (a
// request without MaxTokens) is taken as 4,096 tokens of answer; so the budget can
// be passed only by what such answers are longer, or by attempts the client repeats.
type Budget struct {
	limits Limits
	prices Prices

	mu    sync.Mutex
	spent spent
	held  spent // of calls under way
}

type spent struct {
	money         float64
	tokens, calls int
}

func (s spent) add(t spent) spent {
	return spent{s.money + t.money, s.tokens + t.tokens, s.calls + t.calls}
}
func (s spent) sub(t spent) spent {
	return spent{s.money - t.money, s.tokens - t.tokens, s.calls - t.calls}
}

// NewBudget makes a budget.
func NewBudget(l Limits, p Prices) *Budget { return &Budget{limits: l, prices: p} }

// answerTokens stands for an answer without a limit.
const answerTokens = 4096

// hold sets an upper bound aside, or fails.
func (b *Budget) hold(purpose, model string, u Usage) (spent, error) {
	price, known := b.prices.Of(model)
	fail := func(format string, args ...any) (spent, error) {
		return spent{}, &Error{Purpose: purpose, Kind: KindBudget, Err: fmt.Errorf(format, args...)}
	}
	if b.limits.Money > 0 && !known {
		return fail("the budget is in money, and the price table has no price of %s: add one, or 0 for a model of your own", model)
	}
	want := spent{price.Cost(u), u.InputTokens + u.OutputTokens, u.Calls}
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.spent.add(b.held).add(want)
	switch {
	case b.limits.Money > 0 && all.money > b.limits.Money:
		return fail("the budget is spent: %.4f of %.4f paid, and the next call may cost %.4f. Raise the budget; what was recorded is not paid again", b.spent.money, b.limits.Money, want.money)
	case b.limits.Tokens > 0 && all.tokens > b.limits.Tokens:
		return fail("the budget is spent: %d of %d tokens used, and the next call may use %d. Raise the budget; what was recorded is not paid again", b.spent.tokens, b.limits.Tokens, want.tokens)
	case b.limits.Calls > 0 && all.calls > b.limits.Calls:
		return fail("the budget is spent: %d of %d calls made. Raise the budget; what was recorded is not paid again", b.spent.calls, b.limits.Calls)
	}
	b.held = b.held.add(want)
	return want, nil
}

func (b *Budget) settle(held spent, model string, u Usage) {
	price, _ := b.prices.Of(model)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held = b.held.sub(held)
	b.spent = b.spent.add(spent{price.Cost(u), u.InputTokens + u.OutputTokens, u.Calls})
}

// Spent says what was paid so far.
func (b *Budget) Spent() (money float64, tokens, calls int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent.money, b.spent.tokens, b.spent.calls
}

// Generator lets g be asked within the budget.
func (b *Budget) Generator(g Generator) Generator { return budgetGenerator{b, g} }

// Embedder lets e be asked within the budget.
func (b *Budget) Embedder(e Embedder) Embedder { return budgetEmbedder{b, e} }

type budgetGenerator struct {
	b *Budget
	g Generator
}

func (w budgetGenerator) Model() string     { return w.g.Model() }
func (w budgetGenerator) Unwrap() Generator { return w.g }

func (w budgetGenerator) Generate(ctx context.Context, r Request) (Response, error) {
	held, err := w.b.hold(r.Purpose, w.g.Model(), upperBound(r))
	if err != nil {
		return Response{}, err
	}
	resp, err := w.g.Generate(ctx, r)
	u := resp.Usage
	if err != nil {
		u = usageOf(err)
	}
	w.b.settle(held, w.g.Model(), u)
	return resp, err
}

// upperBound of one call.
func upperBound(r Request) Usage {
	_, in := EstimateTokens(r.System)
	_, more := EstimateTokens(r.Prompt)
	_, schema := EstimateTokens(string(r.Schema))
	out := r.MaxTokens
	if out <= 0 {
		out = answerTokens
	}
	return Usage{Calls: 1, InputTokens: in + more + schema + 16, OutputTokens: out}
}

type budgetEmbedder struct {
	b *Budget
	e Embedder
}

func (w budgetEmbedder) Profile() string  { return w.e.Profile() }
func (w budgetEmbedder) Unwrap() Embedder { return w.e }

func (w budgetEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out, err := w.EmbedMetered(ctx, texts)
	return out.Vectors, err
}

func (w budgetEmbedder) EmbedMetered(ctx context.Context, texts []string) (Embedding, error) {
	u := Usage{Calls: 1}
	for _, t := range texts {
		_, n := EstimateTokens(t)
		u.InputTokens += n
	}
	held, err := w.b.hold(PurposeEmbed, w.e.Profile(), u)
	if err != nil {
		return Embedding{}, err
	}
	out, err := Embed(ctx, w.e, texts)
	paid := out.Paid
	if err != nil {
		paid = paid.Add(usageOf(err))
	}
	w.b.settle(held, w.e.Profile(), paid)
	return out, err
}
