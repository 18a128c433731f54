// Package bm25 scores texts against a query by shared terms. Texts can be added,
// replaced and removed; document frequencies follow.
package bm25

import (
	"math"

	"membench/internal/tokens"
)

// K1 and B suit short texts of even length, as turns and facts are: on LoCoMo they
// find more than the usual 1.2 and 0.75. idf = ln(1 + (N−n+0.5)/(n+0.5)).
const (
	K1 = 0.5
	B  = 0.3
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
func (x *Index) Scores(query string) map[int]float64 { return x.ScoresWith(query, nil, 0) }

// ScoresWith also counts the terms kin, each at the given weight; they add nothing
// to what the query could reach, and a score stays at most 1.
func (x *Index) ScoresWith(query string, kin []string, weight float64) map[int]float64 {
	out := map[int]float64{}
	seen := map[string]bool{}
	most := 0.0
	n := float64(x.live)
	mean := float64(x.total) / math.Max(n, 1)
	score := func(t string, weight float64) (idf float64) {
		list := x.post[t]
		df := float64(len(list))
		idf = math.Log(1 + (n-df+0.5)/(df+0.5))
		for _, p := range list {
			tf := float64(p.tf)
			norm := K1 * (1 - B + B*float64(x.size[p.doc])/mean)
			out[int(p.doc)] += weight * idf * tf * (K1 + 1) / (tf + norm)
		}
		return idf
	}
	for _, t := range tokens.Terms(query) {
		if !seen[t] {
			seen[t] = true
			most += score(t, 1) * (K1 + 1)
		}
	}
	for _, t := range kin {
		if !seen[t] {
			seen[t] = true
			score(t, weight)
		}
	}
	for d := range out {
		out[d] = min(1, out[d]/most)
	}
	return out
}
