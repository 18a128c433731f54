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
	Calls  int // attempts
}

// A Budget stops before a limit is exceeded. It is checked before each attempt, not before each call: an attempt is made only if the amount spent, the upper
// bounds of the attempts under way and its own upper bound fit together. An attempt that would fit without those under way waits for them. The nil Budget has
// no limits.
type Budget struct {
	limits Limits
	prices Prices

	mu      sync.Mutex
	spent   spent
	held    spent         // of attempts under way
	settled chan struct{} // closed when one of them ends
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
func NewBudget(l Limits, p Prices) *Budget {
	return &Budget{limits: l, prices: p, settled: make(chan struct{})}
}

// AnswerTokens is assumed for an answer without a limit.
const AnswerTokens = 4096

// Limit is the limit of an answer that has none: a budget in tokens or money is kept only
// where answers end. 0 is not a limit.
func (b *Budget) Limit() int {
	if b == nil || b.limits.Tokens == 0 && b.limits.Money == 0 {
		return 0
	}
	return AnswerTokens
}

// Hold reserves the upper bound of an attempt until settle is called with the actual cost. It fails with an *Error if a limit would be exceeded.
func (b *Budget) Hold(ctx context.Context, purpose, model string, most Usage) (settle func(Usage), err error) {
	if b == nil {
		return func(Usage) {}, nil
	}
	price, known := b.prices.Of(model)
	fail := func(kind Kind, err error) (func(Usage), error) {
		return nil, &Error{Purpose: purpose, Kind: kind, Err: err}
	}
	if b.limits.Money > 0 && !known {
		return fail(KindBudget, fmt.Errorf("the budget is in money, and the price table has no price of %s: add one, or 0 for a model of your own", model))
	}
	want := spent{price.Cost(most), most.InputTokens + most.OutputTokens, most.Calls}
	for {
		b.mu.Lock()
		if over := b.over(b.spent.add(want), want); over != nil {
			b.mu.Unlock()
			return fail(KindBudget, over)
		}
		if b.over(b.spent.add(b.held).add(want), want) == nil {
			b.held = b.held.add(want)
			b.mu.Unlock()
			return func(u Usage) {
				b.settle(want, spent{price.Cost(u), u.InputTokens + u.OutputTokens, u.Calls})
			}, nil
		}
		next := b.settled
		b.mu.Unlock()
		select {
		case <-next:
		case <-ctx.Done():
			return fail(KindCanceled, ctx.Err())
		}
	}
}

// over returns the limit that all together would exceed. The caller holds the lock.
func (b *Budget) over(all, want spent) error {
	const raise = "Raise the budget; what was recorded is not paid again"
	switch {
	case b.limits.Money > 0 && all.money > b.limits.Money:
		return fmt.Errorf("the budget is spent: %.4f of %.4f paid, and the next call may cost %.4f. %s", b.spent.money, b.limits.Money, want.money, raise)
	case b.limits.Tokens > 0 && all.tokens > b.limits.Tokens:
		return fmt.Errorf("the budget is spent: %d of %d tokens used, and the next call may use %d. %s", b.spent.tokens, b.limits.Tokens, want.tokens, raise)
	case b.limits.Calls > 0 && all.calls > b.limits.Calls:
		return fmt.Errorf("the budget is spent: %d of %d calls made. %s", b.spent.calls, b.limits.Calls, raise)
	}
	return nil
}

func (b *Budget) settle(held, paid spent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held, b.spent = b.held.sub(held), b.spent.add(paid)
	close(b.settled)
	b.settled = make(chan struct{})
}

// Spent returns the amount paid so far.
func (b *Budget) Spent() (money float64, tokens, calls int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent.money, b.spent.tokens, b.spent.calls
}

// Most is the upper bound of one attempt: no tokenizer makes more tokens than a text has
// bytes, and 64 allow for the text around the messages.
func Most(input string, answer int) Usage {
	return Usage{Calls: 1, InputTokens: len(input) + 64, OutputTokens: answer}
}
