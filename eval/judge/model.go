package judge

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"math/bits"
	"slices"
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

	score func(f []float64) float64 // of the embedded weights
}

// Tree is a binary tree in heap order: node i has children 2i+1 (feature below At)
// and 2i+2. A node without a feature (-1) is a leaf.
type Tree struct {
	Feature []int     `json:"feature"`
	At      []float64 `json:"at"`
	Value   []float64 `json:"value"` // of leaves, in log odds
}

// Scorer returns the function that gives the chance, [0,1], that an answer with these features is right. It holds a copy of the weights and is safe for
// concurrent use.
func (m *Model) Scorer() func(f []float64) float64 {
	bias, mean, weights, trees := m.Bias, slices.Clone(m.Mean), slices.Clone(m.Weights), pack(m.Trees)
	return func(f []float64) float64 {
		z := bias
		for i, w := range weights {
			z += w * (f[i] - mean[i])
		}
		return 1 / (1 + math.Exp(-trees.add(z, f)))
	}
}

// A forest is trees of one depth, one after the other: hundreds of small trees are read from the start of memory to its end, without a branch that depends on
// an answer. A leaf that is less deep stands for all leaves below it.
type forest struct {
	depth  int
	splits []split   // 1<<depth - 1 of each tree, in heap order
	leaves []float64 // 1<<depth of each tree
}

type split struct {
	at      float64
	feature int
}

func pack(trees []Tree) (p forest) {
	for _, t := range trees {
		p.depth = max(p.depth, bits.Len(uint(len(t.Feature)))-1)
	}
	inner, leaves := 1<<p.depth-1, 1<<p.depth
	p.splits, p.leaves = make([]split, len(trees)*inner), make([]float64, len(trees)*leaves)
	for i, t := range trees {
		t.fill(0, 0, p.splits[i*inner:][:inner], p.leaves[i*leaves:][:leaves])
	}
	return p
}

// fill copies what is below node from of the tree to node to; a leaf is copied to both sides.
func (t *Tree) fill(from, to int, splits []split, leaves []float64) {
	if to >= len(splits) {
		leaves[to-len(splits)] = t.Value[from]
		return
	}
	left, right := from, from
	if t.Feature[from] >= 0 {
		splits[to] = split{t.At[from], t.Feature[from]}
		left, right = 2*from+1, 2*from+2
	}
	t.fill(left, 2*to+1, splits, leaves)
	t.fill(right, 2*to+2, splits, leaves)
}

// add adds the values of all trees to z, in order.
func (p *forest) add(z float64, f []float64) float64 {
	inner := 1<<p.depth - 1
	for s, l := p.splits, p.leaves; len(l) > 0; s, l = s[inner:], l[inner+1:] {
		i := 0
		for range p.depth {
			n := &s[i]
			right := 1
			if f[n.feature] < n.at {
				right = 0
			}
			i = 2*i + 1 + right
		}
		z += l[i-inner]
	}
	return z
}

// odds returns the odds of a relation of dates; had is the value without training.
func (m *Model) odds(r relation) float64 {
	if s, ok := m.Dates[r.class]; ok {
		return s
	}
	return r.score
}

var model = sync.OnceValue(func() *Model {
	var m Model
	if err := codec.Unmarshal(weightsJSON, &m); err != nil {
		panic(fmt.Sprintf("judge: embedded weights.json: %v", err)) // own data: a test reads it
	}
	for _, part := range []*Model{&m, m.Long, m.Sure} {
		if part != nil {
			part.score = part.Scorer()
		}
	}
	return &m
})

// Threshold is the least score of an answer's words that is accepted.
func Threshold() float64 { return cmp.Or(model().Thresholds.Trained, .5) }
