package llm

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Price is money for a million tokens. Cached is for input that the endpoint had
// cached; 0 means Input.
type Price struct {
	Input  float64
	Output float64
	Cached float64
}

// Cost is the price of a usage.
func (p Price) Cost(u Usage) float64 {
	cached := cmp.Or(p.Cached, p.Input)
	return (p.Input*float64(u.InputTokens-u.CachedTokens) + cached*float64(u.CachedTokens) + p.Output*float64(u.OutputTokens)) / 1e6
}

// Prices is a price table by model name.
type Prices map[string]Price

var dated = regexp.MustCompile(`-(?:\d{4}-\d{2}-\d{2}|\d{8})(?:$|/)`)

// Of returns the price of a model: under its own name, or without a date at its end ("gpt-4o-2024-08-06" as "gpt-4o"), or without its dimensions ("name/256").
// A model that is not in the table has no price, which differs from a price of 0.
func (p Prices) Of(model string) (Price, bool) {
	base, _, _ := strings.Cut(model, "/")
	for _, name := range []string{model, dated.ReplaceAllString(model, ""), base} {
		if price, ok := p[name]; ok {
			return price, true
		}
	}
	return Price{}, false
}

// EstimateTokens bounds the tokens of a text without a tokenizer: English has about
// 4.7 bytes a token with current vocabularies and never fewer than 2.5 in running
// text; a Han character is 0.55 to 1.6 tokens by vocabulary. For estimates before a run, limits, and endpoints that report no usage.
func EstimateTokens(s string) (low, high int) {
	ascii, other := 0, 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			ascii++
			i++
			continue
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		other++
		i += n
	}
	return int(float64(ascii)/4.7 + float64(other)*0.55), int(float64(ascii)/2.5+float64(other)*1.6) + 1
}

// tokensAbout is the middle of an estimate.
func tokensAbout(s string) int {
	low, high := EstimateTokens(s)
	if s == "" {
		return 0
	}
	return max(1, (low+high)/2)
}

// EstimateUsage is a call's usage if the endpoint reports none.
func EstimateUsage(input, output string) Usage {
	return Usage{Calls: 1, InputTokens: tokensAbout(input), OutputTokens: tokensAbout(output), Estimated: 1}
}
