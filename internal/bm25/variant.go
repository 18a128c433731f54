package bm25

import "math"

// A Variant is a published BM25; they order results differently, so a report names it.
type Variant string

const (
	// Okapi is rank_bm25 0.2.2 BM25Okapi: idf = ln(N−n+0.5) − ln(n+0.5), a negative
	// one replaced by 0.25 times the mean over the vocabulary; score
	// Σ idf·f·(k1+1) / (f + k1·(1 − b + b·dl/avgdl)). Its defaults are k1 1.5, b 0.75.
	Okapi Variant = "okapi"
	// Lucene is Lucene 8's, with exact lengths: idf = ln(1 + (N−n+0.5)/(n+0.5)); score
	// Σ idf·f / (f + k1·(1 − b + b·dl/avgdl)). Its defaults are k1 1.2, b 0.75.
	Lucene Variant = "lucene"
)

const epsilon = 0.25 // of rank_bm25

// A Ranker scores a fixed set of documents by one published variant. It is what
// baselines and benchmarks name; Index is for what changes.
type Ranker struct {
	variant Variant
	k1, b   float64
	idf     map[string]float64
	post    map[string][]posting
	size    []float64
	mean    float64
}

// NewRanker indexes documents that are cut into terms already.
func NewRanker(v Variant, k1, b float64, docs [][]string) *Ranker {
	r := &Ranker{variant: v, k1: k1, b: b, idf: map[string]float64{}, post: map[string][]posting{}}
	var order []string // of first appearance, so that sums do not hang on a map's order
	for i, d := range docs {
		r.size = append(r.size, float64(len(d)))
		r.mean += float64(len(d)) / float64(len(docs))
		for _, t := range d {
			p := r.post[t]
			if n := len(p); n > 0 && p[n-1].doc == int32(i) {
				p[n-1].tf++
				continue
			}
			if p == nil {
				order = append(order, t)
			}
			r.post[t] = append(p, posting{int32(i), 1})
		}
	}
	n, sum := float64(len(docs)), 0.0
	for _, t := range order {
		df := float64(len(r.post[t]))
		if v == Lucene {
			r.idf[t] = math.Log(1 + (n-df+0.5)/(df+0.5))
			continue
		}
		r.idf[t] = math.Log(n-df+0.5) - math.Log(df+0.5)
		sum += r.idf[t]
	}
	if v == Okapi {
		floor := epsilon * sum / float64(max(len(order), 1))
		for _, t := range order {
			if r.idf[t] < 0 {
				r.idf[t] = floor
			}
		}
	}
	return r
}

// Scores gives every document its score, in their order; a term that the query repeats
// counts as often.
func (r *Ranker) Scores(query []string) []float64 {
	out := make([]float64, len(r.size))
	for _, t := range query {
		idf := r.idf[t]
		for _, p := range r.post[t] {
			f := float64(p.tf)
			s := idf * f / (f + r.k1*(1-r.b+r.b*r.size[p.doc]/r.mean))
			if r.variant == Okapi {
				s *= r.k1 + 1
			}
			out[p.doc] += s
		}
	}
	return out
}
