package config

import "testing"

// TestShare: the parts of a budget are the budget, and none of them is without a limit.
func TestShare(t *testing.T) {
	whole := Budget{Money: 3, Tokens: 1001, Calls: 7}
	var sum Budget
	for i := range 4 {
		b, err := whole.Share(i, 4)
		if err != nil {
			t.Fatal(err)
		}
		sum = Budget{sum.Money + b.Money, sum.Tokens + b.Tokens, sum.Calls + b.Calls}
	}
	if sum != whole {
		t.Errorf("have %+v, want %+v", sum, whole)
	}
	if b, err := (Budget{Calls: 3}).Share(3, 4); err == nil {
		t.Errorf("3 calls in 4 parts: the last has %+v, which would be no limit", b)
	}
}
