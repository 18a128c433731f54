// Package bm25 scores texts against a query by shared terms. Texts can be added,
// replaced and removed; document frequencies follow.
package bm25

import (
	"math"

	"membench/internal/tokens"
)

// K1 and B are the usual constants; idf = ln(1 + (N−n+0.5)/(n+0.5)).
const (
	K1 = 1.2
	B  = 0.75
)

type posting struct{ doc, tf int32 }

// An Index holds postings: about 12 bytes per distinct term and document, beside
// the terms themselves. The zero Index is ready. Reads may run in parallel.
type Index struct {
	post  map[string][]posting
	terms [][]string // by document; nil when removed
	size  []int32    // terms in the document
	live  int
	total int
}

// Set makes document id (from 0; ids are dense) hold text.
func (x *Index) Set(id int, text string) {
	if x.post == nil {
		x.post = map[string][]posting{}
	}
	x.Remove(id)
	for len(x.terms) <= id {
		x.terms, x.size = append(x.terms, nil), append(x.size, 0)
	}
	all := tokens.Terms(text)
	tf := make(map[string]int32, len(all))
	distinct := make([]string, 0, len(all))
	for _, t := range all {
		if tf[t]++; tf[t] == 1 {
			distinct = append(distinct, t)
		}
	}
	for _, t := range distinct {
		x.post[t] = append(x.post[t], posting{int32(id), tf[t]})
	}
	x.terms[id], x.size[id] = distinct, int32(len(all))
	x.live++
	x.total += len(all)
}

// Remove forgets document id.
func (x *Index) Remove(id int) {
	if id >= len(x.terms) || x.terms[id] == nil {
		return
	}
	for _, t := range x.terms[id] {
		list := x.post[t]
		for i, p := range list {
			if int(p.doc) == id {
				x.post[t] = append(list[:i], list[i+1:]...)
				break
			}
		}
	}
	x.live--
	x.total -= int(x.size[id])
	x.terms[id], x.size[id] = nil, 0
}

// Scores gives every document that shares a term with the query a score in (0,1]:
// BM25 divided by the most that the query could reach, Σ idf·(K1+1). So scores of
// different queries share one scale.
func (x *Index) Scores(query string) map[int]float64 {
	out := map[int]float64{}
	seen := map[string]bool{}
	most := 0.0
	n := float64(x.live)
	mean := float64(x.total) / math.Max(n, 1)
	for _, t := range tokens.Terms(query) {
		if seen[t] {
			continue
		}
		seen[t] = true
		list := x.post[t]
		df := float64(len(list))
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		most += idf * (K1 + 1)
		for _, p := range list {
			tf := float64(p.tf)
			norm := K1 * (1 - B + B*float64(x.size[p.doc])/mean)
			out[int(p.doc)] += idf * tf * (K1 + 1) / (tf + norm)
		}
	}
	for d := range out {
		out[d] /= most
	}
	return out
}
