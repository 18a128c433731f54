package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Bootstrap is the percentile interval of a statistic of n units, drawn with
// replacement reps times from the given seed. stat gets the drawn units' indices,
// valid during the call. A draw whose statistic is NaN is omitted; NaN bounds where n < 2 or
// more than half of the draws were omitted.
func Bootstrap(n, reps int, seed uint64, conf float64, stat func(idx []int) float64) Interval {
	if n < 2 || reps < 1 {
		return undefined
	}
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	idx, values := make([]int, n), make([]float64, 0, reps)
	for range reps {
		for i := range idx {
			idx[i] = r.IntN(n)
		}
		if v := stat(idx); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if 2*len(values) < reps {
		return undefined
	}
	slices.Sort(values)
	alpha := 100 * (1 - conf) / 2
	return Interval{percentile(values, alpha), percentile(values, 100-alpha)}
}

// BootstrapMean is the interval of the mean over all questions of the clusters,
// clusters drawn with replacement. With few clusters (fewer than about ten) it is too narrow,
// and ClusterMean's is not.
func BootstrapMean(clusters []Cluster, reps int, seed uint64, conf float64) Interval {
	return Bootstrap(len(clusters), reps, seed, conf, func(idx []int) float64 {
		sum, n := 0.0, 0
		for _, i := range idx {
			sum += clusters[i].Sum
			n += clusters[i].N
		}
		return sum / float64(n) // 0/0 is NaN: a draw of empty clusters
	})
}
