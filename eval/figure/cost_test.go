package figure_test

import (
	"math"
	"slices"
	"testing"

	"membench/eval/figure"
	"membench/llm"
	"membench/schema"
)

func TestCost(t *testing.T) {
	prices := figure.Prices{Prices: llm.Prices{"m": {Input: 2, Output: 10}, "e": {Input: 1}}, Currency: "EUR", AsOf: "2026-01-01"}
	c := figure.Cost([]schema.StepUsage{
		{Step: "read", Model: "m-2025-01-02", Calls: 3, InputTokens: 500_000, OutputTokens: 100_000},
		{Step: "read", Model: "e", Calls: 1, InputTokens: 1_000_000},
		{Step: "ingest", Model: "other", Calls: 1, InputTokens: 10},
		{Step: "judge", Calls: 1, InputTokens: 10},
		{Step: "retrieve", Calls: 9},
	}, prices)
	if c == nil || math.Abs(c.Total-3) > 1e-9 || len(c.Steps) != 1 || c.Steps[0].Step != "read" || c.Currency != "EUR" {
		t.Fatalf("%+v", c)
	}
	if !slices.Equal(c.Unpriced, []string{"(model not named)", "other"}) {
		t.Errorf("unpriced %q: a model without a price is named, never 0", c.Unpriced)
	}
	if figure.Cost(nil, prices) != nil || figure.Cost([]schema.StepUsage{{Step: "read"}}, prices) != nil || figure.Cost([]schema.StepUsage{{Step: "read", Model: "m", InputTokens: 1}}, figure.Prices{}) != nil {
		t.Error("without tokens or prices there is no cost")
	}
}
