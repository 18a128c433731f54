// Package bm25 scores texts against a query by shared terms. Texts can be added,
// replaced and removed; document frequencies follow.
package bm25

import (
	"cmp"
	"math"
	"slices"

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
	K1, B float64                    // both zero: the package's
	Cut   func(text string) []string // nil: tokens.Terms

	post  map[string][]posting // by document
	terms [][]string           // by document; nil when removed
	size  []int32              // terms in the document
	live  int
	total int
}

func (x *Index) cut(text string) []string {
	if x.Cut != nil {
		return x.Cut(text)
	}
	return tokens.Terms(text)
}

func (x *Index) params() (k1, b float64) {
	if x.K1 == 0 && x.B == 0 {
		return K1, B
	}
	return x.K1, x.B
}

// Set makes document id (from 0; ids are dense) hold text.
func (x *Index) Set(id int, text string) {
	if x.post == nil {
		x.post = map[string][]posting{}
	}
	for len(x.terms) <= id {
		x.terms, x.size = append(x.terms, nil), append(x.size, 0)
	}
	all := x.cut(text)
	tf, distinct := counted(all)
	for _, t := range x.terms[id] {
		if tf[t] == 0 {
			x.drop(t, id)
		}
	}
	for _, t := range distinct {
		p, _ := x.posting(t, id)
		p.tf = tf[t]
	}
	if x.terms[id] == nil {
		x.live++
	}
	x.total += len(all) - int(x.size[id])
	x.terms[id], x.size[id] = distinct, int32(len(all))
}

// Extend appends text to document id, which Set made. It costs what text does.
func (x *Index) Extend(id int, text string) {
	all := x.cut(text)
	tf, distinct := counted(all)
	for _, t := range distinct {
		p, made := x.posting(t, id)
		if p.tf += tf[t]; made {
			x.terms[id] = append(x.terms[id], t)
		}
	}
	x.size[id] += int32(len(all))
	x.total += len(all)
}

// counted returns how often each term occurs, and the terms in the order of their first.
func counted(all []string) (tf map[string]int32, distinct []string) {
	tf, distinct = make(map[string]int32, len(all)), make([]string, 0, len(all))
	for _, t := range all {
		if tf[t]++; tf[t] == 1 {
			distinct = append(distinct, t)
		}
	}
	return tf, distinct
}

// find returns the place of a document's posting in a list, or where to insert it: most often the end.
func find(list []posting, id int) (at int, ok bool) {
	if n := len(list); n == 0 || int(list[n-1].doc) < id {
		return n, false
	}
	return slices.BinarySearchFunc(list, id, func(p posting, id int) int { return cmp.Compare(int(p.doc), id) })
}

// posting returns the posting of a term in a document; it makes one where there is none.
func (x *Index) posting(t string, id int) (p *posting, made bool) {
	list := x.post[t]
	i, ok := find(list, id)
	if !ok {
		list = slices.Insert(list, i, posting{doc: int32(id)})
		x.post[t] = list
	}
	return &list[i], !ok
}

func (x *Index) drop(t string, id int) {
	if i, ok := find(x.post[t], id); ok {
		x.post[t] = slices.Delete(x.post[t], i, i+1)
	}
}

// Remove forgets document id.
func (x *Index) Remove(id int) {
	if id >= len(x.terms) || x.terms[id] == nil {
		return
	}
	for _, t := range x.terms[id] {
		x.drop(t, id)
	}
	x.live--
	x.total -= int(x.size[id])
	x.terms[id], x.size[id] = nil, 0
}

// Scaled writes a score in (0,1] of documents 0 to n−1 into dst, grown as needed: BM25 divided by the most that the query could reach, Σ idf·(K1+1), and 0 where
// no term is shared. So scores of different queries share one scale. The terms kin count too, each at the given weight; they add nothing to what the query could
// reach, and a score stays at most 1.
func (x *Index) Scaled(dst []float64, query string, n int, kin []string, weight float64) []float64 {
	dst = zeros(dst, n)
	seen := map[string]bool{}
	most := 0.0
	live := float64(x.live)
	mean := float64(x.total) / math.Max(live, 1)
	k1, b := x.params()
	score := func(t string, weight float64) (idf float64) {
		list := x.post[t]
		df := float64(len(list))
		idf = math.Log(1 + (live-df+0.5)/(df+0.5))
		for _, p := range list {
			tf := float64(p.tf)
			norm := k1 * (1 - b + b*float64(x.size[p.doc])/mean)
			dst[p.doc] += weight * idf * tf * (k1 + 1) / (tf + norm)
		}
		return idf
	}
	for _, t := range x.cut(query) {
		if !seen[t] {
			seen[t] = true
			most += score(t, 1) * (k1 + 1)
		}
	}
	for _, t := range kin {
		if !seen[t] {
			seen[t] = true
			score(t, weight)
		}
	}
	for d, v := range dst {
		if v != 0 {
			dst[d] = min(1, v/most)
		}
	}
	return dst
}

func zeros(dst []float64, n int) []float64 {
	if cap(dst) < n {
		return make([]float64, n)
	}
	dst = dst[:n]
	clear(dst)
	return dst
}

// Dense writes the plain BM25 score Σ idf·tf·(K1+1)/(tf+norm) of documents 0 to n−1 into
// dst, grown as needed: 0 where no term is shared. Distinct query terms count once.
func (x *Index) Dense(dst []float64, query string, n int) []float64 {
	dst = zeros(dst, n)
	live := float64(x.live)
	k1, b := x.params()
	base, slope := k1*(1-b), k1*b*math.Max(live, 1)/math.Max(float64(x.total), 1)
	seen := map[string]bool{}
	for _, t := range x.cut(query) {
		if seen[t] {
			continue
		}
		seen[t] = true
		list := x.post[t]
		df := float64(len(list))
		w := math.Log(1+(live-df+0.5)/(df+0.5)) * (k1 + 1)
		for _, p := range list {
			tf := float64(p.tf)
			dst[p.doc] += w * tf / (tf + base + slope*float64(x.size[p.doc]))
		}
	}
	return dst
}

// Each calls do with every document that holds a term of text, once for each such term.
func (x *Index) Each(text string, do func(doc int)) {
	for _, t := range x.cut(text) {
		for _, p := range x.post[t] {
			do(int(p.doc))
		}
	}
}

// Has reports whether a document has the term.
func (x *Index) Has(term string) bool { return len(x.post[term]) > 0 }

// IDF is ln(1 + (N−n+0.5)/(n+0.5)) of a term, at least 0.
func (x *Index) IDF(term string) float64 {
	df := float64(len(x.post[term]))
	return math.Log(1 + (float64(x.live)-df+0.5)/(df+0.5))
}

// Clone copies the index.
func (x *Index) Clone() Index {
	c := *x
	if x.post != nil {
		c.post = make(map[string][]posting, len(x.post))
		for t, list := range x.post {
			c.post[t] = append([]posting(nil), list...)
		}
	}
	c.terms, c.size = append([][]string(nil), x.terms...), append([]int32(nil), x.size...)
	for i, t := range c.terms {
		c.terms[i] = slices.Clip(t) // so that Extend of one copy does not overwrite the other's terms
	}
	return c
}
