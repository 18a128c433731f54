package view

import (
	"cmp"
	"math"
	"slices"
)

// wgraph is an undirected weighted graph; every link is at both ends.
type wgraph struct {
	n        int
	start    []int32
	to       []int32
	w        []float64
	size     []float64 // nodes of the finest level inside
	loop     []float64 // weight inside a merged node
	strength []float64 // sum of the weights at a node, loops not counted
}

type link struct {
	a, b int32
	w    float64
}

// build fills the lists from links; equal links add up.
func (g *wgraph) build(links []link) {
	both := make([]link, 0, 2*len(links))
	for _, l := range links {
		both = append(both, l, link{l.b, l.a, l.w})
	}
	slices.SortStableFunc(both, func(x, y link) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
	g.start = make([]int32, g.n+1)
	g.strength = make([]float64, g.n)
	if g.loop == nil {
		g.loop = make([]float64, g.n)
	}
	for i, l := range both {
		if i > 0 && both[i-1].a == l.a && both[i-1].b == l.b {
			g.w[len(g.w)-1] += l.w
		} else {
			g.start[l.a+1]++
			g.to = append(g.to, l.b)
			g.w = append(g.w, l.w)
		}
		g.strength[l.a] += l.w
	}
	for i := 1; i <= g.n; i++ {
		g.start[i] += g.start[i-1]
	}
}

// mean is the mean number of finest nodes in a node.
func (g *wgraph) mean() float64 {
	var s float64
	for _, v := range g.size {
		s += v
	}
	return s / math.Max(float64(g.n), 1)
}

// coarsen merges communities until nothing more is gained. levels[0] is g; maps[k]
// gives the node of levels[k+1] that a node of levels[k] is part of.
func coarsen(g *wgraph) (levels []*wgraph, maps [][]int) {
	levels = []*wgraph{g}
	for range 12 {
		member, count := communities(g)
		if count == g.n || count < 2 {
			break
		}
		next := &wgraph{n: count, size: make([]float64, count), loop: make([]float64, count)}
		var links []link
		for i := range g.n {
			c := member[i]
			next.size[c] += g.size[i]
			next.loop[c] += g.loop[i]
			for e := g.start[i]; e < g.start[i+1]; e++ {
				j := int(g.to[e])
				switch d := member[j]; {
				case d == c && i < j:
					next.loop[c] += g.w[e]
				case d != c && i < j:
					links = append(links, link{int32(c), int32(d), g.w[e]})
				}
			}
		}
		next.build(links)
		levels, maps = append(levels, next), append(maps, member)
		g = next
	}
	return levels, maps
}

// communities is the local phase of the Louvain method (Blondel et al. 2008): nodes,
// in order, join the neighbouring community with the largest gain in modularity,
// until a pass moves few. Numbers are given in order of the first member.
func communities(g *wgraph) (member []int, count int) {
	member = make([]int, g.n)
	total := make([]float64, g.n) // of strength, loops counted twice
	var m2 float64
	for i := range g.n {
		member[i] = i
		total[i] = g.strength[i] + 2*g.loop[i]
		m2 += total[i]
	}
	if m2 > 0 {
		own := slices.Clone(total)
		weight := make([]float64, g.n) // to each community met
		var met []int
		for range 20 {
			moved := 0
			for i := range g.n {
				met = met[:0]
				for e := g.start[i]; e < g.start[i+1]; e++ {
					c := member[g.to[e]]
					if weight[c] == 0 {
						met = append(met, c)
					}
					weight[c] += g.w[e]
				}
				was := member[i]
				total[was] -= own[i]
				best, gain := was, weight[was]-float64(own[i]*total[was])/m2
				for _, c := range met {
					if v := weight[c] - float64(own[i]*total[c])/m2; v > gain+1e-12 || v > gain-1e-12 && c < best {
						best, gain = c, math.Max(v, gain)
					}
				}
				total[best] += own[i]
				if best != was {
					member[i] = best
					moved++
				}
				for _, c := range met {
					weight[c] = 0
				}
			}
			if moved <= g.n/1000 {
				break
			}
		}
	}
	number := make([]int, g.n)
	for i := range number {
		number[i] = -1
	}
	for i, c := range member {
		if number[c] < 0 {
			number[c] = count
			count++
		}
		member[i] = number[c]
	}
	return member, count
}
