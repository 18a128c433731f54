package tokencount

import "testing"

// Counts by tiktoken 0.14.0 o200k_base.
func TestO200k(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "hello world": 2, "The river keeps moving.": 5, "Dr. Ames arrived at 5 p.m. on Monday!": 13,
		"东京很大。我喜欢猫。": 7, "a<|endoftext|>b": 3,
	} {
		if have := O200k(s); have != want {
			t.Errorf("O200k(%q): have %d, want %d", s, have, want)
		}
	}
}
