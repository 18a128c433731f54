package stats

import (
	"fmt"
	"math"
)

func checkCount(k, n int) {
	if k < 0 || n < k {
		panic(fmt.Sprintf("stats: %d of %d is not a proportion", k, n)) // unreachable from data: callers count
	}
}

// Wilson is the score interval of k successes in n trials (Wilson 1927). Of no trials
// it is [0,1]: nothing is excluded.
func Wilson(k, n int, conf float64) Interval {
	checkCount(k, n)
	return WilsonOf(float64(k)/float64(n), float64(n), conf)
}

// WilsonOf is the score interval of a proportion p of n trials, where p need not be a
// whole count of n: means of graded scores in [0,1], whose variance it overstates.
func WilsonOf(p, n, conf float64) Interval {
	if n == 0 {
		return Interval{0, 1}
	}
	z := zOf(conf)
	den := 1 + z*z/n
	mid := (p + z*z/(2*n)) / den
	half := z / den * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	in := Interval{max(0, mid-half), min(1, mid+half)}
	// At the ends the bound is the end itself, but for rounding.
	if p == 0 {
		in.Lo = 0
	}
	if p == 1 {
		in.Hi = 1
	}
	return in
}

// WilsonCC is Wilson's interval with continuity correction (Newcombe 1998, method 4).
func WilsonCC(k, n int, conf float64) Interval {
	checkCount(k, n)
	if n == 0 {
		return Interval{0, 1}
	}
	z, fn := zOf(conf), float64(n)
	p := float64(k) / fn
	q := 1 - p
	den := 2 * (fn + z*z)
	in := Interval{0, 1}
	if k > 0 {
		in.Lo = max(0, (2*fn*p+z*z-1-z*math.Sqrt(z*z-2-1/fn+4*p*(fn*q+1)))/den)
	}
	if k < n {
		in.Hi = min(1, (2*fn*p+z*z+1+z*math.Sqrt(z*z+2-1/fn+4*p*(fn*q-1)))/den)
	}
	return in
}

// ClopperPearson is the exact interval, never too narrow.
func ClopperPearson(k, n int, conf float64) Interval {
	checkCount(k, n)
	in, alpha := Interval{0, 1}, (1-conf)/2
	if k > 0 {
		in.Lo = betaQuantile(alpha, float64(k), float64(n-k+1))
	}
	if k < n {
		in.Hi = betaQuantile(1-alpha, float64(k+1), float64(n-k))
	}
	return in
}

// Rates are the errors of a judge, measured on answers whose truth is known.
type Rates struct {
	FalseAccepts, Wrong int // accepted wrong answers, of Wrong
	FalseRejects, Right int // rejected right answers, of Right
}

// RoganGladen corrects the share accepted by a judge, k of n, for the judge's errors:
// (k/n − FA) / (1 − FA − FR) (Rogan and Gladen 1978), cut to [0,1]. The interval is
// that of Lang and Reiczigel (2014), which counts the uncertainty of the rates too. Both are
// NaN where the judge is no better than chance (FA + FR ≥ 1) or something was never measured.
func RoganGladen(k, n int, r Rates, conf float64) (float64, Interval) {
	checkCount(k, n)
	checkCount(r.FalseAccepts, r.Wrong)
	checkCount(r.FalseRejects, r.Right)
	if n == 0 || r.Wrong == 0 || r.Right == 0 {
		return math.NaN(), undefined
	}
	fa, fr := float64(r.FalseAccepts)/float64(r.Wrong), float64(r.FalseRejects)/float64(r.Right)
	if fa+fr >= 1 {
		return math.NaN(), undefined
	}
	clip := func(x float64) float64 { return min(1, max(0, x)) }
	p := clip((float64(k)/float64(n) - fa) / (1 - fa - fr))

	z := zOf(conf)
	np, nse, nsp := float64(n)+z*z, float64(r.Right)+2, float64(r.Wrong)+2
	ap := (float64(k) + z*z/2) / np
	se, sp := (float64(r.Right-r.FalseRejects)+1)/nse, (float64(r.Wrong-r.FalseAccepts)+1)/nsp
	j := se + sp - 1
	if j <= 0 {
		return p, Interval{0, 1}
	}
	adj := (ap + sp - 1) / j
	vse, vsp := se*(1-se)/nse, sp*(1-sp)/nsp
	half := z * math.Sqrt(ap*(1-ap)/np+adj*adj*vse+(1-adj)*(1-adj)*vsp) / j
	mid := adj + 2*z*z*(adj*vse-(1-adj)*vsp)
	return p, Interval{clip(mid - half), clip(mid + half)}
}
