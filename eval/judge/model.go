package judge

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"sync"

	"membench/internal/codec"
)

//go:embed weights.json
var weightsJSON []byte

// Model is the trained half of the judge: a logistic regression over the features,
// and boosted trees that correct it. tools/judgetrain makes it.
type Model struct {
	Made       string   `json:"made"` // command and data that made it
	Features   []string `json:"features"`
	Thresholds struct {
		Trained float64 `json:"trained"`
		Rules   float64 `json:"rules"`
		Long    float64 `json:"long"`
		Sure    float64 `json:"sure"` // below it an accepted answer is doubtful, from it on a refused one is right
	} `json:"thresholds"`
	// Long are the weights for replies from which a final part was cut.
	Long *Model `json:"long,omitempty"`
	// Sure are the weights of the last stage: how likely an answer is to be right, all facts together.
	Sure *Model `json:"sure,omitempty"`
	// Dates are the odds that an answer is right, by the relation of its date or length to the gold's.
	Dates   map[string]float64 `json:"dates"`
	Bias    float64            `json:"bias"`
	Mean    []float64          `json:"mean"`    // of each feature, taken off first
	Weights []float64          `json:"weights"` // of the centred features, raw scale
	Trees   []Tree             `json:"trees,omitempty"`
}

// Tree is a binary tree in heap order: node i has children 2i+1 (feature below At)
// and 2i+2. A node without a feature (-1) is a leaf.
type Tree struct {
	Feature []int     `json:"feature"`
	At      []float64 `json:"at"`
	Value   []float64 `json:"value"` // of leaves, in log odds
}

// Score is the chance that an answer with these features is right, [0,1].
func (m *Model) Score(f []float64) float64 { return m.score(f) }

func (m *Model) score(f []float64) float64 {
	z := m.Bias
	for i, w := range m.Weights {
		z += w * (f[i] - m.Mean[i])
	}
	for i := range m.Trees {
		z += m.Trees[i].value(f)
	}
	return 1 / (1 + math.Exp(-z))
}

// odds returns the odds of a relation of dates; had is the value without training.
func (m *Model) odds(r relation) float64 {
	if s, ok := m.Dates[r.class]; ok {
		return s
	}
	return r.score
}

func (t *Tree) value(f []float64) float64 {
	i := 0
	for t.Feature[i] >= 0 {
		if f[t.Feature[i]] < t.At[i] {
			i = 2*i + 1
		} else {
			i = 2*i + 2
		}
	}
	return t.Value[i]
}

var model = sync.OnceValue(func() *Model {
	var m Model
	if err := codec.Unmarshal(weightsJSON, &m); err != nil {
		panic(fmt.Sprintf("judge: embedded weights.json: %v", err)) // own data: a test reads it
	}
	return &m
})

// DefaultThreshold is the least score that a method accepts where Options name none.
func DefaultThreshold(m Method) float64 {
	t := model().Thresholds.Trained
	if m == Rules {
		t = model().Thresholds.Rules
	}
	return cmp.Or(t, .5)
}
