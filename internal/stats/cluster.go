package stats

import "math"

// Cluster is the sum, the sum of squares and the number of the scores of one conversation:
// its questions rest on one memory and are not independent, so the conversation is the
// unit. For a paired difference the scores are the differences.
type Cluster struct {
	Sum, Squares float64
	N            int
}

// Add adds a score.
func (c *Cluster) Add(score float64) {
	c.Sum += score
	c.Squares += score * score
	c.N++
}

// Clustered is the mean over all questions of several clusters, with its uncertainty.
type Clustered struct {
	N        int // questions
	Clusters int
	Mean     float64
	// SE is the standard error over clusters and DF its degrees of freedom (Bell and
	// McCaffrey 2002: bias-reduced, with Satterthwaite's degrees of freedom); NaN of fewer
	// than two clusters.
	SE, DF float64
	// Singles is the standard error of as many independent questions, with N − 1 degrees of freedom.
	Singles float64
	// Design is the design effect: the variance over clusters by that of as many independent
	// questions. Above 1 the questions of a conversation go together.
	Design float64
	// singly reports that the questions are tested, too, and the wider interval and the larger p-value count.
	singly bool
}

// FewClusters is how many clusters are few. Below it the standard error over clusters is itself uncertain: an interval is wide, which should be said beside it, and
// clusters whose means agree by accident would make it narrower than that of independent questions (in 19 % of samples of three clusters of independent
// questions). So few clusters are tested over clusters and over questions, and the wider interval and the larger p count.
const FewClusters = 10

// ClusterMean estimates the mean over all questions of the clusters. Clusters weigh by
// their questions.
func ClusterMean(clusters []Cluster) Clustered {
	r := Clustered{Mean: math.NaN(), SE: math.NaN(), DF: math.NaN(), Singles: math.NaN(), Design: math.NaN()}
	sum, squares := 0.0, 0.0
	for _, c := range clusters {
		if c.N > 0 {
			r.Clusters++
			r.N += c.N
			sum += c.Sum
			squares += c.Squares
		}
	}
	n := float64(r.N)
	if r.N == 0 {
		return r
	}
	r.Mean = sum / n
	if r.Clusters < 2 {
		return r
	}
	between, size2, b, b2 := 0.0, 0.0, 0.0, 0.0
	for _, c := range clusters {
		if c.N == 0 {
			continue
		}
		k := float64(c.N)
		free := 1 - k/n
		e := c.Sum - k*r.Mean
		between += e * e / free
		size2 += k * k
		v := k * k / free
		b, b2 = b+v, b2+v*v
	}
	within := max(0, squares-n*r.Mean*r.Mean)
	r.Design = math.NaN()
	if within > 0 {
		r.Design = between / within
	}
	// Where all scores are equal, at least one is uncertain.
	r.SE = math.Sqrt(max(between, max(within, 1)/100)) / n
	r.DF = n * n / (size2 + (b*b-b2)/(n*n))
	r.Singles = math.Sqrt(within / (n - 1) / n)
	r.singly = r.Clusters < FewClusters
	return r
}

// half is a multiple of the standard error, by its degrees of freedom: over clusters, and where questions are tested, too, at least that over questions.
func (c Clustered) half(times func(df float64) float64) float64 {
	h := times(c.DF) * c.SE
	if c.singly {
		h = max(h, times(float64(c.N-1))*c.Singles)
	}
	return h
}

func (c Clustered) margin(conf float64) float64 {
	return c.half(func(df float64) float64 { return StudentQuantile(1-conf, df) })
}

// Interval is the t interval of the mean.
func (c Clustered) Interval(conf float64) Interval {
	if math.IsNaN(c.SE) {
		return undefined
	}
	half := c.margin(conf)
	return Interval{c.Mean - half, c.Mean + half}
}

// ShareInterval is the interval of a mean of scores in [0,1]: Student's on the scale of
// logits, so that it stays inside. Where all scores are 0, or all 1, it is Wilson's. Where
// they hardly vary (eight times 0.5) it is at least that with one 0 and one 1 added.
func (c Clustered) ShareInterval(conf float64) Interval {
	switch {
	case math.IsNaN(c.SE):
		return undefined
	case c.Mean <= 0 || c.Mean >= 1:
		return WilsonOf(min(1, max(0, c.Mean)), float64(c.N), conf)
	}
	n := float64(c.N)
	if within := c.Singles * c.Singles * n * (n - 1); within < OneSided {
		sum, squares := n*c.Mean, within+n*c.Mean*c.Mean
		mean := (sum + 1) / (n + 2)
		c.singly, c.Singles = true, max(c.Singles, math.Sqrt(((squares+1)/(n+2)-mean*mean)/(n+2)))
	}
	logit := math.Log(c.Mean / (1 - c.Mean))
	half := c.margin(conf) / (c.Mean * (1 - c.Mean))
	expit := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	return Interval{expit(logit - half), expit(logit + half)}
}

// P is the two-sided p-value of the true mean being as far away as by, by Student's t test over clusters; NaN of fewer than two.
func (c Clustered) P(by float64) float64 {
	if math.IsNaN(c.SE) {
		return math.NaN()
	}
	p := StudentTail(by/c.SE, c.DF)
	if c.singly && c.Singles > 0 {
		p = max(p, StudentTail(by/c.Singles, float64(c.N-1)))
	}
	return p
}

// Detectable is the smallest true mean that the test against 0 at the level alpha finds
// with the given power, at this standard error; NaN of fewer than two clusters.
func (c Clustered) Detectable(alpha, power float64) float64 {
	if math.IsNaN(c.SE) {
		return math.NaN()
	}
	return c.half(func(df float64) float64 { return Shift(alpha, power, df) })
}

// Components takes the variance of scores apart: within is that of a question inside its
// cluster, between that of the clusters' true means (at least 0), by the method of moments
// for clusters of unequal size. size is the effective number of questions a cluster. NaN
// where there are fewer than two clusters, or no cluster has two questions.
func Components(clusters []Cluster) (within, between, size float64) {
	n, g, sum, size2, inside, ss := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for _, c := range clusters {
		if c.N > 0 {
			k := float64(c.N)
			n, g, sum, size2 = n+k, g+1, sum+c.Sum, size2+k*k
			inside += c.Squares - c.Sum*c.Sum/k
			ss += c.Sum * c.Sum / k
		}
	}
	if g < 2 || n <= g {
		return math.NaN(), math.NaN(), math.NaN()
	}
	size = (n - size2/n) / (g - 1)
	within = max(0, inside) / (n - g)
	among := (ss - sum*sum/n) / (g - 1)
	return within, max(0, (among-within)/size), size
}
