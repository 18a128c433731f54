package schema

import "testing"

func TestParseLimit(t *testing.T) {
	for s, want := range map[string]Limit{"0": {}, "7": {N: 7}, "0%": {}, "1.5%": {Percent: 1.5}, "100%": {Percent: 100}} {
		if have, err := ParseLimit(s); have != want || err != nil {
			t.Errorf("%q: have %+v %v, want %+v", s, have, err, want)
		}
	}
	for _, s := range []string{"", "-1", "-1%", "100.1%", "1.5", "NaN%", "Inf%", "%", "1%%", "1 %", " 1", "x", "1e3", "99999999999999999999"} {
		if have, err := ParseLimit(s); err == nil {
			t.Errorf("%q: have %+v, want an error", s, have)
		}
	}
}

// TestLimitIsExact: n and not n + 1, of every share with two decimals.
func TestLimitIsExact(t *testing.T) {
	for hundredths := range 10001 {
		for _, all := range []int{1, 3, 100, 700, 1000, 10_000, 123_000, 1_000_000_000} {
			l, n := Limit{Percent: float64(hundredths) / 100}, hundredths*all/10_000
			if n > 0 && !l.Allows(n, all) || l.Allows(n+1, all) && n < all {
				t.Fatalf("%v of %d: want %d to be accepted, and not one more", l, all, n)
			}
		}
	}
}
