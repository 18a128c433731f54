package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"membench/eval/judge"
	"membench/internal/par"
	"membench/llm"
	"membench/llm/openai"
)

// measureNear gives the figures on the six of both methods, with the embedded weights
// (which were trained on these conversations: compare only the two lines of a method),
// without and with an embedder's cosines.
func measureNear(shared, url string) error {
	rows, err := load(shared, devConvs)
	if err != nil {
		return err
	}
	c, err := openai.New(openai.Options{BaseURL: url, Model: "all-MiniLM-L6-v2", Clock: llm.Clock{Now: time.Now, Random: rand.Float64, Sleep: par.Sleep}})
	if err != nil {
		return err
	}
	var texts []string
	known := map[string][]float32{} // nil until embedded
	want := func(s string) {
		if _, ok := known[s]; !ok {
			known[s] = nil
			texts = append(texts, s)
		}
	}
	note := func(_, gold, answer string) float64 { // what will be asked for
		want(gold)
		want(answer)
		return 0
	}
	methods := []judge.Method{judge.Rules, judge.Trained}
	for _, m := range methods {
		score(rows, judge.Options{Method: m, Similarity: note}, nil)
	}
	fmt.Printf("%d texts to embed\n", len(texts))
	for i := 0; i < len(texts); i += 64 {
		part := texts[i:min(i+64, len(texts))]
		v, err := c.Embed(context.Background(), part)
		if err != nil {
			return fmt.Errorf("embedding texts from %d: %w", i, err)
		}
		for k, t := range part {
			known[t] = v[k]
		}
	}
	near := func(_, gold, answer string) float64 {
		a, b := known[gold], known[answer]
		dot, x, y := 0., 0., 1e-12
		for i := range a {
			p, q := float64(a[i]), float64(b[i])
			dot, x, y = dot+p*q, x+p*p, y+q*q
		}
		return dot / math.Sqrt(x*y+1e-12)
	}
	for _, m := range methods {
		for _, how := range []struct {
			name string
			sim  func(q, g, a string) float64
		}{{"", nil}, {" + MiniLM", near}} {
			s := score(rows, judge.Options{Method: m, Similarity: how.sim}, nil)
			name := map[judge.Method]string{judge.Rules: "rules", judge.Trained: "trained, on its own data"}[m] + how.name
			report(s, name, capped(s, cap, wrapCap), false)
		}
	}
	return nil
}
