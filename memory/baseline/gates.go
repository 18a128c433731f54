package baseline

import (
	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
)

// Least cosines of the hashing embedder, whose scale differs from trained ones: the values that this share of random pairs of LoCoMo's eight
// conversations exceeds.
const (
	hashSame   = 0.54 // 0.1 %: nearly the same text
	hashUpdate = 0.46 // 0.5 %: about the same thing
	hashEdge   = 0.37 // 3 %: worth a link
	hashNear   = 0.18 // 40 %: a candidate at all
)

// gate returns the minimum cosine for an embedder: the option's, or the published one, which was chosen for the published embedder.
func gate(set float64, e llm.Embedder, published, hash float64) float64 {
	switch {
	case set != 0:
		return set
	case hashing.Is(e):
		return hash
	}
	return published
}

// gated notes where a system's thresholds come from.
func gated(caps *memory.Capabilities, e llm.Embedder) {
	if hashing.Is(e) {
		caps.Notes = append(caps.Notes, "thresholds of the hashing embedder set on LoCoMo")
	} else {
		caps.Notes = append(caps.Notes, "thresholds as published, not calibrated for "+e.Profile())
	}
}
