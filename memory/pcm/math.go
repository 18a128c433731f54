package pcm

import (
	"math"
	"slices"
)

// Effective is S_eff = raw · (1 − lambda · entropy): a surprise counts less when the
// search that it rests on was undecided. entropy is in [0,1].
func Effective(raw, entropy, lambda float64) float64 { return raw * (1 - lambda*entropy) }

// Decay is the weight of a node that was contradicted: w · e^(−beta · effective).
func Decay(w, effective, beta float64) float64 { return w * math.Exp(-beta*effective) }

// Reinforce is the weight of a node that was confirmed: w + eta · (1 − w), never above 1.
func Reinforce(w, eta float64) float64 { return w + eta*(1-w) }

// Fade is the weight of a hypothesis after days without support: w · e^(−gamma · days).
func Fade(w, days, gamma float64) float64 { return w * math.Exp(-gamma*days) }

// Initial is the weight of a new hypothesis: the logistic function of its surprise,
// mapped onto [0.3, 0.5].
func Initial(effective float64) float64 { return 0.3 + 0.2/(1+math.Exp(-effective)) }

// Masked is the score of a node in a search: similarity · relevance of its domain to the
// intent · weight.
func Masked(similarity, relevance, weight float64) float64 { return similarity * relevance * weight }

// softness is the temperature of the softmax that fixed mode applies to the scores
// before it takes their entropy: ten plain cosines are always nearly uniform.
const softness = 0.1

// Entropy is the entropy of the scores as a distribution, divided by that of the uniform one: 0 for a single score, 1 for no score. Scores at or below 0 count
// as 0. soft applies a softmax first.
func Entropy(scores []float64, soft bool) float64 {
	if len(scores) == 0 {
		return 1
	}
	if len(scores) == 1 {
		return 0
	}
	p := make([]float64, len(scores))
	top, sum := slices.Max(scores), 0.0
	for i, s := range scores {
		if p[i] = max(0, s); soft {
			p[i] = math.Exp((s - top) / softness)
		}
		sum += p[i]
	}
	if sum == 0 {
		return 1
	}
	h := 0.0
	for _, x := range p {
		if x > 0 {
			h -= x / sum * math.Log(x/sum)
		}
	}
	return min(1, h/math.Log(float64(len(scores))))
}

// Levels of surprise.
const (
	High   = "high"
	Medium = "medium"
	Low    = "low"
)

// Level is the level of an effective surprise: high above thetaHigh, low up to thetaLow.
func Level(effective, thetaLow, thetaHigh float64) string {
	switch {
	case effective > thetaHigh:
		return High
	case effective > thetaLow:
		return Medium
	}
	return Low
}
