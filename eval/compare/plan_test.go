package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"membench/internal/stats"
)

// town simulates the paired differences of two runs over conversations: what a question is
// worth to both, and noise of each run by conversation, in logits.
func town(r *rand.Rand, conversations, questions int, noise, shift float64) *sums {
	expit := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	s := &sums{}
	for i := range conversations {
		name := strconv.Itoa(i)
		a, b := noise*r.NormFloat64()+shift, noise*r.NormFloat64()
		for range questions {
			ease := .5 + r.NormFloat64()
			score := func(x float64) float64 {
				if r.Float64() < expit(ease+x) {
					return 1
				}
				return 0
			}
			s.add(name, score(a), score(b))
		}
	}
	return s
}

func reps(short int) (n int, slack float64) {
	if os.Getenv("MEMBENCH_SOAK") != "" {
		return 1000, 0
	}
	return short, .03
}

// The power of the planned size is what was asked for. A share of n samples is itself off
// by .023 (one standard error at 300) or .006 (at 4,000, the soak), so that only the latter
// can hold .03 over many seeds.
func TestPlan(t *testing.T) {
	n, slack := reps(300)
	seeds := []uint64{20}
	if slack == 0 {
		n, seeds = 4000, []uint64{20, 120, 220}
	}
	for _, seed := range seeds {
		planned(t, seed, n, slack)
	}
	if p := (Variation{.25, .01}).Plan(10, Target{1e-6, .05, .8}); p.Conversations != 0 {
		t.Errorf("what cannot be found: %+v", p)
	}
	if p := (Variation{}).Plan(10, Target{.01, .05, .8}); p.Conversations != 2 {
		t.Errorf("without variation: %+v", p)
	}
}

func planned(t *testing.T, seed uint64, n int, slack float64) {
	for _, noise := range []float64{0, .3, .5} {
		for _, shift := range []float64{.4, .8} {
			seed++
			t.Run(fmt.Sprintf("seed %d, noise %.1f, shift %.1f", seed, noise, shift), func(t *testing.T) {
				t.Parallel() // the soak has 18 of them
				powerHolds(t, seed, n, noise, shift, slack)
			})
		}
	}
}

func powerHolds(t *testing.T, seed uint64, n int, noise, shift, slack float64) {
	pilot := town(rand.New(rand.NewPCG(1, seed)), 20_000, 60, noise, shift)
	units := pilot.diffs.Units()
	within, between, _ := stats.Components(units)
	diff := stats.ClusterMean(units).Mean
	p := Variation{within, between}.Plan(60, Target{diff, .05, .8})
	r, found := rand.New(rand.NewPCG(2, seed)), 0
	for range n {
		c := town(r, p.Conversations, 60, noise, shift).cell(Options{}.defaults())
		if *c.P <= .05 && *c.Difference > 0 {
			found++
		}
	}
	have := float64(found) / float64(n)
	t.Logf("noise %.1f, difference %.1f points: %d conversations planned with power %.3f, found in %.3f", noise, 100*diff, p.Conversations, p.Power, have)
	if math.Abs(have-p.Power) > .03+slack {
		t.Errorf("noise %.1f, difference %.3f: planned %+v, power %.3f", noise, diff, p, have)
	}
}

// Under the null no gate cries wolf, with or without a margin, and a system that loses
// exactly the margin is rarely passed.
func TestGateNull(t *testing.T) {
	n, slack := reps(200)
	for _, conversations := range []int{3, 10, 50} {
		for _, noise := range []float64{0, .3, .5} {
			r := rand.New(rand.NewPCG(5, uint64(conversations)))
			alarms, named := 0, 0
			for range n {
				c := town(r, conversations, 40, noise, 0).cell(Options{}.defaults())
				list := []Gated{{Metric: "rule", Cell: c}}
				judge(list, .05)
				if list[0].Outcome == Worse {
					alarms++
				}
				if *c.P <= .05 {
					named++
				}
			}
			rate, worse := float64(named)/float64(n), float64(alarms)/float64(n)
			t.Logf("%d conversations, noise %.1f: a better run named in %.1f %%, false alarms in %.1f %%", conversations, noise, 100*rate, 100*worse)
			// The test of few conversations rejects less often: see stats.FewClusters.
			if worse > .05+slack || rate > .07+slack || rate < .03-slack && conversations >= stats.FewClusters {
				t.Errorf("%d conversations, noise %.1f: named %.3f, alarms %.3f", conversations, noise, rate, worse)
			}
		}
	}
}
