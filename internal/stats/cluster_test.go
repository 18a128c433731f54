package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// Critical values of printed tables.
func TestStudent(t *testing.T) {
	for _, c := range []struct{ t, df, want float64 }{{2.228138852, 10, .05}, {4.302652730, 2, .05}, {12.70620474, 1, .05}, {1.96, 1e6, .0499958}, {0, 3, 1}} {
		near(t, fmt.Sprint("tail ", c.t, " ", c.df), StudentTail(c.t, c.df), c.want, 1e-6)
		if c.want < 1 {
			near(t, "quantile", StudentQuantile(StudentTail(c.t, c.df), c.df), c.t, 1e-6)
		}
	}
	// The power at shift 0 is the level; with many degrees of freedom it is the normal one.
	for _, df := range []float64{1, 2, 9, 49, 200} {
		near(t, fmt.Sprint("level ", df), StudentPower(0, .05, df), .05, 1e-5)
	}
	near(t, "normal power", StudentPower(NormalQuantile(.975)+NormalQuantile(.8), .05, 1e5), .8, 1e-3)
	for _, df := range []float64{2, 9, 30} {
		near(t, "shift", StudentPower(Shift(.05, .8, df), .05, df), .8, 1e-6)
	}
}

// Of clusters of one question the test is Student's of the questions.
func TestClusterMeanOfSingles(t *testing.T) {
	x := []float64{.2, 1, 0, .5, .9}
	var clusters []Cluster
	for _, v := range x {
		var c Cluster
		c.Add(v)
		clusters = append(clusters, c)
	}
	r := ClusterMean(clusters)
	near(t, "mean", r.Mean, Mean(x), 1e-12)
	near(t, "standard error", r.SE, StdSample(x)/math.Sqrt(5), 1e-12)
	near(t, "degrees of freedom", r.DF, 4, 1e-9)
	in := r.Interval(.95)
	near(t, "p at the bound", r.P(in.Hi-r.Mean), .05, 1e-9)
	if one := ClusterMean(clusters[:1]); !math.IsNaN(one.SE) || !math.IsNaN(one.P(one.Mean)) || !math.IsNaN(one.Interval(.95).Lo) {
		t.Errorf("one cluster: %+v", one)
	}
	if in := ClusterMean([]Cluster{{5, 5, 5}, {7, 7, 7}}).ShareInterval(.95); in.Hi != 1 || in.Lo > .8 || in.Lo < .6 {
		t.Errorf("all right: %+v", in)
	}
}

// The interval of few clusters whose means agree is that of their questions as independent ones, and the p-value fits it; of more clusters it is narrower.
func TestFewClusters(t *testing.T) {
	for _, g := range []int{2, 3, 9, 10} {
		var clusters, singles []Cluster
		for range g {
			var c Cluster
			for q := range 10 {
				c.Add(float64(q % 2))
				singles = append(singles, Cluster{Sum: float64(q % 2), Squares: float64(q % 2), N: 1})
			}
			clusters = append(clusters, c)
		}
		c, s := ClusterMean(clusters), ClusterMean(singles)
		for name, in := range map[string][2]Interval{"interval": {c.Interval(.95), s.Interval(.95)}, "share": {c.ShareInterval(.95), s.ShareInterval(.95)}} {
			if few := g < FewClusters; few != (math.Abs(in[0].Lo-in[1].Lo) < 1e-12 && math.Abs(in[0].Hi-in[1].Hi) < 1e-12) || in[0].Lo < in[1].Lo-1e-12 {
				t.Errorf("%d clusters, %s: %+v, of independent questions %+v", g, name, in[0], in[1])
			}
		}
		near(t, "p at the bound", c.P(c.Interval(.95).Hi-c.Mean), .05, 1e-9)
		if g < FewClusters {
			near(t, "detectable", c.Detectable(.05, .8), s.Detectable(.05, .8), 1e-12)
		}
	}
}

// Equal clusters: G − 1 degrees of freedom; the components add up to the variance.
func TestComponents(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var clusters []Cluster
	for range 400 {
		var c Cluster
		mean := .3 * r.NormFloat64()
		for range 20 {
			c.Add(mean + r.NormFloat64())
		}
		clusters = append(clusters, c)
	}
	near(t, "degrees of freedom", ClusterMean(clusters).DF, 399, 1e-6)
	within, between, size := Components(clusters)
	near(t, "within", within, 1, .05)
	near(t, "between", between, .09, .02)
	near(t, "size", size, 20, 1e-9)
	near(t, "design effect", ClusterMean(clusters).Design, 1+19*.09/1.09, .5)
}

// world simulates two runs over conversations: what a question is worth to both, and noise
// of each run by conversation, in logits. shift is added to the first.
type world struct {
	clusters int
	noise    float64
	size     func(*rand.Rand) int
	shift    float64
}

var sizes = map[string]func(*rand.Rand) int{
	"60 questions":       func(*rand.Rand) int { return 60 },
	"30 to 150":          func(r *rand.Rand) int { return 30 + r.IntN(121) },
	"8 to 12, as a pull": func(r *rand.Rand) int { return 8 + r.IntN(5) },
}

func (w world) draw(r *rand.Rand) (diff, first []Cluster) {
	expit := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for range w.clusters {
		var d, f Cluster
		a, b := w.noise*r.NormFloat64()+w.shift, w.noise*r.NormFloat64()
		for range w.size(r) {
			ease := .5 + r.NormFloat64()
			x, y := 0.0, 0.0
			if r.Float64() < expit(ease+a) {
				x = 1
			}
			if r.Float64() < expit(ease+b) {
				y = 1
			}
			d.Add(x - y)
			f.Add(x)
		}
		diff, first = append(diff, d), append(first, f)
	}
	return diff, first
}

// TestNull holds the test and its intervals under the null: independent questions, and noise
// by conversation of .3 and .5 logits, with 3, 10 and 50 conversations. Few conversations may only err to the safe side. 1,000 samples with
// MEMBENCH_SOAK, else 200 and wider limits.
func TestNull(t *testing.T) {
	reps, slack := 200, .045
	if os.Getenv("MEMBENCH_SOAK") != "" {
		reps, slack = 1000, .02
	}
	for _, g := range []int{3, 10, 50} {
		for _, noise := range []float64{0, .3, .5} {
			for name, size := range sizes {
				w := world{g, noise, size, 0}
				r := rand.New(rand.NewPCG(7, uint64(g)))
				// The true share of one run: the mean over many conversations.
				big := world{4000, noise, size, 0}
				_, all := big.draw(rand.New(rand.NewPCG(8, 8)))
				truth := ClusterMean(all).Mean
				named, covered := 0, 0
				for range reps {
					d, f := w.draw(r)
					if c := ClusterMean(d); c.P(c.Mean) <= .05 {
						named++
					}
					if ClusterMean(f).ShareInterval(.95).Contains(truth) {
						covered++
					}
				}
				rate, cover := float64(named)/float64(reps), float64(covered)/float64(reps)
				t.Logf("%d conversations of %s, noise %.1f: a better run named in %.1f %%, intervals of one run cover %.1f %%", g, name, noise, 100*rate, 100*cover)
				few := g < FewClusters // then the test rejects less often
				if rate > .05+slack || cover < .95-slack || !few && (rate < .05-slack || cover > .95+slack) {
					t.Errorf("%d conversations of %s, noise %.1f: named %.3f, covered %.3f, want .05 and .95 within %.3f", g, name, noise, rate, cover, slack)
				}
			}
		}
	}
}
