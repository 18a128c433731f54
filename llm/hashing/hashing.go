// Package hashing is an embedder without a model: features of the text hashed into
// a vector. It is stateless, so neither order nor corpus matters. Its cosines are
// smaller than those of trained embedders; thresholds belong to the profile.
package hashing

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"membench/internal/tokens"
	"membench/llm"
)

// Dim is the usual length of a vector.
const Dim = 512

// Embedder hashes words (1.0; stop words 0.2), neighbouring words (0.5), three-letter
// pieces of padded words (0.25), and of Han runs characters (0.5) and pairs (1.0),
// each times 1+ln(tf). Index and sign come from FNV-1a 64; the vector has length 1,
// or is zero for a text without letters.
type Embedder struct{ dim int }

var _ llm.Embedder = Embedder{}

// New makes an embedder of dim dimensions; 0 means Dim.
func New(dim int) Embedder {
	if dim <= 0 {
		dim = Dim
	}
	return Embedder{dim}
}

// Profile is hash<dim>, e.g. hash512.
func (e Embedder) Profile() string { return fmt.Sprintf("hash%d", e.dim) }

// Is reports an embedder of hashed words, by its profile: one that is recorded or counted is, too.
func Is(e llm.Embedder) bool { return strings.HasPrefix(e.Profile(), "hash") }

// Embed never fails but for a cancelled context.
func (e Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = e.Vector(t)
	}
	return out, nil
}

// Vector embeds one text.
func (e Embedder) Vector(text string) []float32 {
	type feature struct {
		weight float64
		tf     int
	}
	features := map[string]*feature{}
	var names []string // in order of appearance: float sums must not depend on map order
	add := func(name string, w float64) {
		f := features[name]
		if f == nil {
			f = &feature{weight: w}
			features[name] = f
			names = append(names, name)
		}
		f.tf++
	}
	last := ""
	for _, t := range tokens.Split(text) {
		if t.Han {
			last = ""
			runes := []rune(t.Text)
			for i, r := range runes {
				w := 0.5
				if tokens.FunctionRune(r) {
					w *= 0.2
				}
				add("c"+string(r), w)
				if i > 0 {
					w := 1.0
					if tokens.FunctionRune(r) && tokens.FunctionRune(runes[i-1]) {
						w *= 0.2
					}
					add("p"+string(runes[i-1:i+1]), w)
				}
			}
			continue
		}
		if tokens.Stop(t.Text) {
			add("w"+t.Text, 0.2)
			last = ""
			continue
		}
		w := tokens.Stem(t.Text)
		add("w"+w, 1)
		if last != "" {
			add("b"+last+" "+w, 0.5)
		}
		last = w
		padded := []rune("^" + w + "$")
		for i := 0; i+2 < len(padded); i++ {
			add("g"+string(padded[i:i+3]), 0.25)
		}
	}
	slices.Sort(names)
	sum := make([]float64, e.dim)
	for _, name := range names {
		f := features[name]
		h := fnv.New64a()
		h.Write([]byte(name))
		x := h.Sum64()
		w := f.weight * (1 + math.Log(float64(f.tf)))
		if x>>63 == 1 {
			w = -w
		}
		sum[x%uint64(e.dim)] += w
	}
	norm := 0.0
	for _, v := range sum {
		norm += v * v
	}
	out := make([]float32, e.dim)
	if norm == 0 {
		return out
	}
	norm = math.Sqrt(norm)
	for i, v := range sum {
		out[i] = float32(v / norm)
	}
	return out
}
