package stats

import (
	"fmt"
	"math"
	"testing"
)

// diffs are wins of size 1, losses of size 1 and equal questions, each in a conversation of its own or dealt out to so many.
func diffs(wins, losses, equal, conversations int) *Differences[string] {
	d := &Differences[string]{}
	for i := range wins + losses + equal {
		x := 0.0
		switch {
		case i < wins:
			x = 1
		case i < wins+losses:
			x = -1
		}
		d.Add(fmt.Sprintf("c%03d", i%conversations), x)
	}
	return d
}

// Where nearly all differences have one sign, p is at least that of the exact sign test and the interval is far from a point, whatever the number of
// conversations.
func TestDifferenceOneSided(t *testing.T) {
	for _, c := range []struct{ wins, losses, equal, conversations int }{
		{8, 0, 0, 8}, {6, 0, 2, 8}, {5, 0, 35, 5}, {3, 0, 60, 8}, {20, 0, 0, 20}, {40, 0, 0, 8}, {9, 2, 53, 8}, {12, 4, 0, 4}, {0, 8, 0, 8}, {1, 0, 0, 1}, {4, 0, 0, 1}, {0, 0, 64, 8},
	} {
		d := diffs(c.wins, c.losses, c.equal, c.conversations)
		r, p := d.Test(.95)
		if d.N < 2 {
			if !math.IsNaN(p) {
				t.Errorf("%+v: p %v of one question", c, p)
			}
			continue
		}
		exact := McNemar(c.wins, c.losses).Exact
		if p < exact {
			t.Errorf("%+v: p %v is below the sign test's %v", c, p, exact)
		}
		in := r.Interval(.95)
		if shown := in.Lo > 1e-12 || in.Hi < -1e-12; shown && exact > .05 {
			t.Errorf("%+v: the interval %v excludes 0, the sign test's p is %v", c, in, exact)
		}
		// With one win and one loss added: half the width is at least the normal one.
		all := float64(d.N + 2)
		w, l := float64(c.wins+1)/all, float64(c.losses+1)/all
		if half := 1.959 * math.Sqrt((w+l-(w-l)*(w-l))/all); in.Hi-in.Lo < 2*half {
			t.Errorf("%+v: the interval %v is narrower than ±%.3f", c, in, half)
		}
		if r.Mean != float64(c.wins-c.losses)/float64(d.N) {
			t.Errorf("%+v: mean %v", c, r.Mean)
		}
	}
	if _, p := diffs(8, 0, 0, 8).Test(.95); p > .01 {
		t.Errorf("eight wins to none: p %v, want little above 1/128", p)
	}
}

// Of differences of several sizes every exchange of signs is counted: 3, 2 and −1 have a sum as far from 0 as 4 in four of eight.
func TestDifferenceSigns(t *testing.T) {
	d := &Differences[string]{}
	for i, x := range []float64{3, 2, -1, 0} {
		d.Add(fmt.Sprint(i), x)
	}
	near(t, "signs", d.signs(), .5, 1e-12)
}

// With enough of both signs the test is that over conversations.
func TestDifferenceMixed(t *testing.T) {
	d := diffs(60, 40, 100, 20)
	r, p := d.Test(.95)
	want := ClusterMean(d.Units())
	near(t, "p", p, want.P(want.Mean), 0)
	near(t, "standard error", r.SE, want.SE, 0)
}
