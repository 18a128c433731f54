package figure

import (
	"cmp"
	"slices"

	"membench/llm"
	"membench/schema"
)

// Prices is a price table and where it is in time.
type Prices struct {
	llm.Prices
	Currency string
	AsOf     string
}

// unnamed stands for the model of a step that used tokens and names none.
const unnamed = "(model not named)"

// Cost returns the price of usage; nil without a price table or without used tokens. Steps done by rule cost nothing.
func Cost(usage []schema.StepUsage, p Prices) *schema.Cost {
	if p.Prices == nil {
		return nil
	}
	steps, unpriced, used := map[string]float64{}, map[string]struct{}{}, false
	for _, u := range usage {
		if u.InputTokens+u.OutputTokens == 0 {
			continue
		}
		used = true
		price, ok := p.Of(u.Model)
		if !ok {
			unpriced[cmp.Or(u.Model, unnamed)] = struct{}{}
			continue
		}
		steps[u.Step] += price.Cost(llm.Usage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens})
	}
	if !used {
		return nil
	}
	c := &schema.Cost{Currency: p.Currency, AsOf: p.AsOf, Steps: []schema.StepCost{}}
	for step, cost := range steps {
		c.Steps = append(c.Steps, schema.StepCost{Step: step, Cost: cost})
	}
	slices.SortFunc(c.Steps, func(a, b schema.StepCost) int { return cmp.Compare(a.Step, b.Step) })
	for _, s := range c.Steps {
		c.Total += s.Cost
	}
	for m := range unpriced {
		c.Unpriced = append(c.Unpriced, m)
	}
	slices.Sort(c.Unpriced)
	return c
}
