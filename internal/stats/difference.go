package stats

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Differences collects the paired differences of the scores of two systems, by conversation. The zero value is ready. It holds eight bytes for each question.
type Differences[K cmp.Ordered] struct {
	N, Wins, Losses int // questions; those whose difference is above 0, and below
	all             []float64
	clusters        map[K]*Cluster
}

// Add adds the difference at one question of a conversation.
func (d *Differences[K]) Add(conversation K, x float64) {
	d.N++
	switch {
	case x > 0:
		d.Wins++
	case x < 0:
		d.Losses++
	}
	d.all = append(d.all, x)
	if d.clusters == nil {
		d.clusters = map[K]*Cluster{}
	}
	c := d.clusters[conversation]
	if c == nil {
		c = &Cluster{}
		d.clusters[conversation] = c
	}
	c.Add(x)
}

// Conversations is the number of conversations.
func (d *Differences[K]) Conversations() int { return len(d.clusters) }

// Units are what is independent: conversations, or the questions if there is only one conversation.
func (d *Differences[K]) Units() []Cluster {
	var units []Cluster
	if len(d.clusters) == 1 {
		for _, x := range d.all {
			units = append(units, Cluster{Sum: x, Squares: x * x, N: 1})
		}
		return units
	}
	for _, k := range slices.Sorted(maps.Keys(d.clusters)) {
		units = append(units, *d.clusters[k])
	}
	return units
}

// OneSided is how many questions on the side with fewer are too few for the t distribution: where nearly every difference has one sign the variance says
// nothing, and eight wins to none would have an interval of a point.
const OneSided = 5

// Test is the mean difference and the two-sided p-value of its being 0 by chance; NaN of fewer than two units. Of few wins or few losses the p-value is at least
// that of the exact test of signs over the questions, and the interval at the level conf holds 0 where that shows nothing.
func (d *Differences[K]) Test(conf float64) (r Clustered, p float64) {
	r = ClusterMean(d.Units())
	if p = r.P(r.Mean); math.IsNaN(p) || min(d.Wins, d.Losses) >= OneSided {
		return r, p
	}
	sign := d.signs()
	r.singly, r.Singles = true, max(r.Singles, d.smoothed())
	if sign > 1-conf {
		r.Singles = max(r.Singles, math.Abs(r.Mean)/StudentQuantile(1-conf, float64(r.N-1)))
	}
	return r, max(sign, r.P(r.Mean))
}

// smoothed is the standard error with one win and one loss added (Bonett and Price 2012), each of the size of the others; of no difference at all, of size 1.
func (d *Differences[K]) smoothed() float64 {
	sum, squares := 0.0, 0.0
	for _, x := range d.all {
		sum += x
		squares += x * x
	}
	square := 1.0
	if differ := d.Wins + d.Losses; differ > 0 {
		square = squares / float64(differ)
	}
	n := float64(d.N + 2)
	return math.Sqrt(max(0, (squares+2*square)/n-sum*sum/n/n) / n)
}

// enumerated is up to how many differing questions of unequal size every exchange of signs is counted.
const enumerated = 14

// signs is the exact two-sided p-value if each question that differs could as well have gone the other way (Fisher's exchange of signs): of differences of one
// size, and where all have one sign, that is the binomial sign test. Of many differences of several sizes and both signs it is 0: the t test describes those.
func (d *Differences[K]) signs() float64 {
	var sizes []float64
	sum := 0.0
	for _, x := range d.all {
		if x != 0 {
			sizes = append(sizes, math.Abs(x))
			sum += x
		}
	}
	slices.Sort(sizes)
	switch n := len(sizes); {
	case n == 0 || sizes[0] == sizes[n-1] || d.Wins == 0 || d.Losses == 0:
		return McNemar(d.Wins, d.Losses).Exact
	case n > enumerated:
		return 0
	}
	as, far := 0, math.Abs(sum)*(1-1e-9)
	for signs := range 1 << len(sizes) {
		s := 0.0
		for i, x := range sizes {
			if signs>>i&1 == 1 {
				x = -x
			}
			s += x
		}
		if math.Abs(s) >= far {
			as++
		}
	}
	return float64(as) / float64(int(1)<<len(sizes))
}
