package stats

import "math"

// StudentTail is the two-sided tail P(|T| ≥ t) of Student's distribution with df degrees
// of freedom, df > 0, a fraction or not.
func StudentTail(t, df float64) float64 {
	t = math.Abs(t)
	if math.IsInf(t, 1) {
		return 0
	}
	return betaInc(df/2, 0.5, df/(df+t*t))
}

// StudentQuantile is the t with P(|T| ≥ t) = alpha, alpha in (0,1): the critical value of
// a two-sided test.
func StudentQuantile(alpha, df float64) float64 {
	lo, hi := 0.0, 1.0
	for StudentTail(hi, df) > alpha {
		lo, hi = hi, 2*hi
	}
	for {
		mid := (lo + hi) / 2
		if mid <= lo || mid >= hi {
			return mid
		}
		if StudentTail(mid, df) > alpha {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// StudentPower is the chance that a two-sided t test at the level alpha with df degrees of
// freedom rejects, when the true effect is shift standard errors: the tails of the
// noncentral t distribution, integrated over the estimate of the standard error.
func StudentPower(shift, alpha, df float64) float64 {
	return rejects(shift, StudentQuantile(alpha, df), df)
}

// rejects is StudentPower for a critical value.
func rejects(shift, crit, df float64) float64 {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	lg, _ := math.Lgamma(df / 2)
	front := math.Ln2 + df/2*math.Log(df/2) - lg
	// s is the estimated over the true standard error: density of χ_df/√df. Simpson's rule;
	// beyond these ends lies less than 1e-12 of the mass.
	width := 8 / math.Sqrt(2*df)
	lo, hi := max(1e-9, 1-width), 1+width
	const steps = 256
	sum, h := 0.0, (hi-lo)/steps
	for i := range steps + 1 {
		s := lo + float64(i)*h
		w := 2.0
		switch {
		case i == 0 || i == steps:
			w = 1
		case i%2 == 1:
			w = 4
		}
		sum += w * math.Exp(front+(df-1)*math.Log(s)-df*s*s/2) * (phi(shift-crit*s) + phi(-shift-crit*s))
	}
	return min(1, sum*h/3)
}

// Shift is how many standard errors a true effect must have to be found by a t test with
// the given power, to 1e-9.
func Shift(alpha, power, df float64) float64 {
	crit := StudentQuantile(alpha, df)
	lo, hi := 0.0, 1.0
	for rejects(hi, crit, df) < power {
		lo, hi = hi, 2*hi
	}
	for hi-lo > 1e-9*hi {
		if mid := (lo + hi) / 2; rejects(mid, crit, df) < power {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
