package judge

import (
	"membench/internal/timex"
)

// when holds the dates of a text.
type when struct {
	abs  []timex.Expr // absolute days
	rel  []timex.Expr // counted from the day of speaking
	dur  []timex.Expr
	all  []timex.Expr
	rest int // content words outside all expressions
}

func dates(t *text, year int) when {
	w := when{all: timex.Find(t.raw, year)}
	for _, e := range w.all {
		switch e.Kind {
		case timex.Absolute:
			w.abs = append(w.abs, e)
		case timex.Deictic:
			w.rel = append(w.rel, e)
		case timex.Duration:
			w.dur = append(w.dur, e)
		}
	}
	for i := range t.toks {
		if k := &t.toks[i]; !k.stop && !k.hedge && !w.holds(k.pos) && !timeWord(k.word) {
			w.rest++
		}
	}
	return w
}

// timeWord reports a word that may stand beside a date and belongs to it.
func timeWord(w string) bool {
	switch w {
	case "day", "week", "weekend", "month", "year", "date", "night", "evening", "morning", "afternoon", "approximately", "early", "late", "mid", "next", "last", "ago", "later", "prior", "shortly", "time", "few", "couple", "years", "months", "days", "weeks", "old", "first":
		return true
	}
	return false
}

// holds reports whether an expression covers the byte at pos.
func (w *when) holds(pos int) bool {
	for _, e := range w.all {
		if pos >= e.Pos && pos < e.End {
			return true
		}
	}
	return false
}

// yearOf is the year of the first expression that has one.
func (w *when) yearOf() int {
	for _, e := range w.abs {
		if !e.NoYear {
			y, _, _ := e.Lo.Civil()
			return y
		}
	}
	return 0
}

// isDate reports whether a gold is a date and nothing else.
func (w *when) isDate() bool { return len(w.abs) > 0 && w.rest <= 1 }

// isDuration reports whether a gold is a length of time and nothing else.
func (w *when) isDuration() bool { return len(w.abs) == 0 && len(w.dur) > 0 && w.rest <= 1 }

// A dateRel is how an answer's date stands to the gold's.
type dateRel struct {
	score float64 // chance that a judge accepts it, by the table of relate
	say   string
}

// relate compares one date of a gold with one of an answer.
func relate(g, a timex.Expr) dateRel {
	if g.NoYear || a.NoYear { // modulo years
		gy, _, _ := g.Lo.Civil()
		ay, _, _ := a.Lo.Civil()
		a = shift(a, gy-ay)
	}
	span := int(g.Hi-g.Lo) + 1
	aspan := int(a.Hi-a.Lo) + 1
	common := int(min(g.Hi, a.Hi)-max(g.Lo, a.Lo)) + 1
	plain := g.Grain == timex.Days && g.Op == timex.Plain
	before := g.Op == timex.Before && !g.Open
	switch {
	case g.Open && a.Open && g.Op == a.Op:
		if overlapDays(g.XLo, g.XHi, a.XLo, a.XHi) {
			return dateRel{.95, "same open date"}
		}
		return dateRel{.1, "another open date"}
	case g.Op == a.Op && (g.Op == timex.Before || g.Op == timex.After) && g.Unit == a.Unit && g.N == a.N && g.Wd == a.Wd && !a.Open && !g.Open:
		d := int(g.XLo - a.XLo)
		if abs(d) <= 1 || common > 0 && g.Unit != timex.Days && abs(d) <= 3 {
			return dateRel{.95, "same day counted from"}
		}
		if g.Unit == timex.Weekday && g.Lo == a.Lo {
			return dateRel{.95, "same day"}
		}
		return dateRel{.2, "counted from another day"}
	case g.Lo == a.Lo && g.Hi == a.Hi:
		return dateRel{.98, "equal"}
	case a.Open:
		if !g.Open && (overlapDays(g.Lo, g.Hi, a.XLo, a.XHi)) && g.Grain >= timex.Month {
			return dateRel{.55, "open, at the gold's date"}
		}
		return dateRel{.12, "open"}
	case g.Open:
		if overlapDays(g.XLo, g.XHi, a.Lo, a.Hi) {
			return dateRel{.7, "at the gold's open date"}
		}
		if common > 0 {
			return dateRel{.45, "on the gold's open side"}
		}
		return dateRel{.05, "on the other side"}
	case plain && aspan == 1:
		return dateRel{.08, "another day"}
	case abs(int(g.Lo-a.Lo)) <= 1 && abs(int(g.Hi-a.Hi)) <= 1 && !plain:
		return dateRel{.93, "equal but for a day"}
	case before && a.Lo >= g.XLo && a.Hi <= g.XHi:
		return dateRel{.42, "the day it is counted from"}
	case common*10 >= aspan*7: // the answer lies inside the gold
		switch {
		case g.Op == timex.Range && g.Grain == timex.Days && aspan == 1:
			return dateRel{.6, "inside the gold's range"}
		case g.Grain == timex.Season || g.Grain == timex.Year || g.Grain == timex.Decade:
			return dateRel{.88, "inside the gold"}
		}
		return dateRel{.85, "inside the gold"}
	case before && (g.Unit == timex.Weekday || g.Unit == timex.Week || g.Unit == timex.Weekend) && a.Lo >= g.XLo-11 && a.Hi < g.XLo:
		return dateRel{.6, "shortly before the gold's day"}
	case common*2 >= span && aspan <= 31: // the answer covers the gold
		if a.Approx {
			return dateRel{.3, "coarser and hedged"}
		}
		if g.Unit == timex.Weekday && g.Op == timex.Before {
			return dateRel{.4, "coarser than a weekday"}
		}
		if aspan > 20 && plain {
			return dateRel{.45, "the month of the gold's day"}
		}
		return dateRel{.62, "covers the gold"}
	case common > 0 && a.Grain == timex.Year && g.Grain >= timex.Month:
		return dateRel{.4, "the year of the gold"}
	case common > 0 && aspan > 31:
		return dateRel{.15, "far coarser"}
	case common > 0:
		return dateRel{.4, "overlaps"}
	}
	return dateRel{.03, "another date"}
}

func shift(e timex.Expr, years int) timex.Expr {
	y, m, d := e.Lo.Civil()
	lo := timex.Date(y+years, m, d)
	e.Hi, e.XLo, e.XHi = e.Hi+lo-e.Lo, e.XLo+lo-e.Lo, e.XHi+lo-e.Lo
	e.Lo = lo
	return e
}

func overlapDays(a, b, c, d timex.Day) bool { return a <= d && c <= b }

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// claimed picks of an answer's dates those that it answers with: not those of the
// question, and no bare year beside a finer date.
func claimed(a, q, g when) []timex.Expr {
	var out []timex.Expr
	for _, e := range a.abs {
		drop := false
		for _, x := range q.abs {
			if x.Lo == e.Lo && x.Hi == e.Hi {
				drop = true
				for _, y := range g.abs {
					if y.Lo == e.Lo && y.Hi == e.Hi {
						drop = false
					}
				}
			}
		}
		if e.Grain == timex.Year && e.Op == timex.Plain {
			for _, x := range a.abs {
				if x.Grain < timex.Year {
					drop = true
				}
			}
		}
		if !drop {
			out = append(out, e)
		}
	}
	return out
}

// compareDates scores the dates of an answer against a date gold, with the pair that
// decided. ref is the day of asking, for "last week"; 0 is unknown.
func compareDates(g, a, q when, ref timex.Day) (dateRel, []Fact) {
	have := claimed(a, q, g)
	if len(have) == 0 && ref != 0 {
		for _, e := range a.rel {
			have = append(have, e.At(ref))
		}
	}
	if len(have) == 0 {
		return dateRel{.05, "no date in the answer"}, nil
	}
	sum := 0.
	say := ""
	var facts []Fact
	for _, x := range g.abs {
		best := dateRel{score: -1}
		var with timex.Expr
		for _, y := range have {
			if r := relate(x, y); r.score > best.score {
				best, with = r, y
			}
		}
		sum += best.score
		say = best.say
		facts = append(facts, Fact{Kind: "date", Gold: showDate(x), Answer: showDate(with), Same: best.score >= .5, Say: best.say})
	}
	return dateRel{sum / float64(len(g.abs)), say}, facts
}

func showDate(e timex.Expr) string {
	if e.Lo == e.Hi {
		return e.Lo.String()
	}
	return e.Lo.String() + ".." + e.Hi.String()
}

// compareLengths scores durations: equal within 6 % is the same.
func compareLengths(g, a when) (dateRel, []Fact) {
	best := dateRel{.05, "no length of time in the answer"}
	var fact Fact
	for _, x := range g.dur {
		for _, y := range a.dur {
			r := dateRel{.04, "another length"}
			switch {
			case x.Approx && y.MinDays >= x.MinDays && y.MaxDays <= x.MaxDays*1.2:
				r = dateRel{.75, "within the gold's few"}
			case y.Approx:
				r = dateRel{.2, "a vague length"}
			case closeTo(x.MinDays, y.MinDays, .06):
				r = dateRel{.96, "equal"}
			case closeTo(x.MinDays, y.MinDays, .2):
				r = dateRel{.3, "near"}
			}
			if r.score > best.score {
				best = r
				fact = Fact{Kind: "duration", Gold: days(x), Answer: days(y), Same: r.score >= .5, Say: r.say}
			}
		}
	}
	if fact.Kind == "" {
		return best, nil
	}
	return best, []Fact{fact}
}

func days(e timex.Expr) string {
	if e.MinDays == e.MaxDays {
		return numberStem(e.MinDays) + " days"
	}
	return numberStem(e.MinDays) + " to " + numberStem(e.MaxDays) + " days"
}
