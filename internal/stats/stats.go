// Package stats holds the statistics that figures rest on: intervals of
// proportions, paired tests, corrections for many tests, agreement, percentiles,
// the clustered bootstrap, and means over clusters with what a comparison could have detected.
//
// It knows floats and counts only. A value that is not defined (the mean of nothing,
// κ where chance explains everything) is NaN, never 0: who prints it prints "–".
// Probabilities, proportions and levels of confidence are in [0,1]. Random draws come
// from the seed that is given: the same input and seed give the same bits.
package stats

import (
	"math"
)

// Interval is a closed interval.
type Interval struct{ Lo, Hi float64 }

// Contains reports whether x lies in the interval; it is false for NaN bounds.
func (i Interval) Contains(x float64) bool { return i.Lo <= x && x <= i.Hi }

var undefined = Interval{math.NaN(), math.NaN()}

// NormalQuantile is the p-quantile of the standard normal distribution, p in (0,1).
func NormalQuantile(p float64) float64 {
	x := math.Sqrt2 * math.Erfinv(2*p-1)
	// Near 0, 2p−1 loses digits: one step of Newton on the lower tail.
	density := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
	if density > 0 {
		x -= (math.Erfc(-x/math.Sqrt2)/2 - p) / density
	}
	return x
}

// zOf is the two-sided critical value of a level of confidence: 1.96 for 0.95.
func zOf(conf float64) float64 { return NormalQuantile((1 + conf) / 2) }

// ChiSquareTail is P(X ≥ x) for a χ² variable with one degree of freedom.
func ChiSquareTail(x float64) float64 { return math.Erfc(math.Sqrt(x / 2)) }

// betaInc is the regularised incomplete beta function I_x(a,b), a, b > 0, by the
// continued fraction of Lentz (Numerical Recipes 6.4); about 1e-12 relative.
func betaInc(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - betaInc(b, a, 1-x)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	const tiny = 1e-300
	floor := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/floor(1-(a+b)*x/(a+1))
	f := d
	for m := 1.0; m < 100_000; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / floor(1+even*d)
		c = floor(1 + even/c)
		f *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / floor(1+odd*d)
		c = floor(1 + odd/c)
		f *= d * c
		if math.Abs(d*c-1) < 1e-16 {
			break
		}
	}
	return front * f
}

// betaQuantile is the x with I_x(a,b) = p, by halving.
func betaQuantile(p, a, b float64) float64 {
	lo, hi := 0.0, 1.0
	for {
		mid := (lo + hi) / 2
		if mid <= lo || mid >= hi {
			return mid
		}
		if betaInc(a, b, mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// BinomialCDF is P(X ≤ k) for n trials of probability p.
func BinomialCDF(k, n int, p float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	}
	return betaInc(float64(n-k), float64(k+1), 1-p)
}

// BinomialPMF is P(X = k) for n trials of probability p in (0,1).
func BinomialPMF(k, n int, p float64) float64 {
	if k < 0 || k > n {
		return 0
	}
	ln, _ := math.Lgamma(float64(n + 1))
	lk, _ := math.Lgamma(float64(k + 1))
	lr, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(ln - lk - lr + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}
