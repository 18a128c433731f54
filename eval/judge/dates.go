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
func (w *when) isDate() bool {
	if len(w.abs) == 0 || w.rest > 1 {
		return false
	}
	return w.rest == 0 || !(w.abs[0].NoYear && w.abs[0].Grain >= timex.Month) // "the autumn colours" is none
}

// isDuration reports whether a gold is a length of time and nothing else.
func (w *when) isDuration() bool { return len(w.abs) == 0 && len(w.dur)+len(w.rel) > 0 && w.rest == 0 }

// A relation is how an answer's date or length stands to the gold's. Its class is
// what the trained judge knows the odds of; score is the odds without training.
type relation struct {
	class string
	score float64
}

// relate compares one date of a gold with one of an answer.
func relate(g, a timex.Expr) relation {
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
	bySeason := a.Grain == timex.Season && g.Grain != timex.Season
	switch {
	case g.Open && a.Open && g.Op == a.Op:
		if overlapDays(g.XLo, g.XHi, a.XLo, a.XHi) {
			return relation{"the same open date", .95}
		}
		return relation{"another open date", .1}
	case g.Op == a.Op && (g.Op == timex.Before || g.Op == timex.After) && g.Unit == a.Unit && g.N == a.N && g.Wd == a.Wd && !a.Open && !g.Open:
		d := int(g.XLo - a.XLo)
		if abs(d) <= 1 || common > 0 && g.Unit != timex.Days && abs(d) <= 3 || g.Unit == timex.Weekday && g.Lo == a.Lo {
			return relation{"counted from the same day", .95}
		}
		return relation{"counted from another day", .2}
	case a.Open:
		if overlapDays(g.Lo, g.Hi, a.XLo, a.XHi) {
			return relation{"open, at the gold's date", .4}
		}
		if before && overlapDays(g.XLo, g.XHi, a.XLo, a.XHi) && a.Op == timex.Before {
			return relation{"open, before the same day", .4}
		}
		return relation{"open", .12}
	case bySeason && common > 0:
		return relation{"the gold's season", .3}
	case g.Lo == a.Lo && g.Hi == a.Hi:
		return relation{"equal", .98}
	case g.Open:
		if overlapDays(g.XLo, g.XHi, a.Lo, a.Hi) {
			return relation{"at the gold's open date", .7}
		}
		if common > 0 {
			return relation{"on the gold's open side", .45}
		}
		return relation{"on the other side of the gold", .05}
	case plain && aspan == 1 && abs(int(g.Lo-a.Lo)) == 1:
		return relation{"one day off", .15}
	case plain && aspan == 1:
		return relation{"another day", .04}
	case abs(int(g.Lo-a.Lo)) <= 1 && abs(int(g.Hi-a.Hi)) <= 1 && !plain:
		return relation{"equal but for a day", .93}
	case before && a.Lo >= g.XLo && a.Hi <= g.XHi:
		return relation{"the day the gold is counted from", .42}
	case common*10 >= aspan*7: // the answer lies inside the gold
		switch {
		case g.Op == timex.Range && g.Grain == timex.Days && aspan == 1:
			return relation{"inside the gold's range", .6}
		case g.Grain == timex.Season || g.Grain == timex.Year || g.Grain == timex.Decade:
			return relation{"inside the gold's " + map[timex.Unit]string{timex.Season: "season", timex.Year: "year", timex.Decade: "decade"}[g.Grain], .88}
		case aspan == 1:
			return relation{"a day inside the gold", .85}
		}
		return relation{"inside the gold", .85}
	case before && (g.Unit == timex.Weekday || g.Unit == timex.Week || g.Unit == timex.Weekend) && a.Lo >= g.XLo-11 && a.Hi < g.XLo:
		if g.Unit == timex.Weekday {
			return relation{"another day before the gold's", .5}
		}
		return relation{"shortly before the gold's day", .6}
	case common*2 >= span && aspan <= 31: // the answer covers the gold
		switch {
		case g.Unit == timex.Weekday && g.Op == timex.Before:
			return relation{"coarser than the gold's weekday", .4}
		case aspan > 20 && plain:
			return relation{"the month of the gold's day", .45}
		case aspan > 20:
			return relation{"the month of the gold", .62}
		}
		return relation{"covers the gold", .62}
	case common > 0 && a.Grain == timex.Year:
		return relation{"the year of the gold", .3}
	case common > 0 && aspan > 31:
		return relation{"far coarser", .15}
	case common > 0:
		return relation{"overlaps", .4}
	case int(g.Lo-a.Hi) <= 3 && int(a.Lo-g.Hi) <= 3:
		return relation{"a few days off", .15}
	}
	return relation{"another date", .03}
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
// question, and no bare year beside a finer date unless the gold is a year.
func claimed(a, q, g *when) []timex.Expr {
	var out []timex.Expr
	year := false
	for _, e := range g.abs {
		year = year || e.Grain == timex.Year
	}
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
		if e.Grain == timex.Year && e.Op == timex.Plain && !year {
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

// odds turns a relation into a score: the table of Rules, or what training found.
type odds func(relation) float64

func untrained(r relation) float64 { return r.score }

// compareDates scores the dates of an answer against a date gold. ref is the day of
// asking, for "last week"; 0 is unknown.
func compareDates(g, a, q *when, ref timex.Day, o odds) (relation, []Fact) {
	have := claimed(a, q, g)
	if len(have) == 0 && ref != 0 {
		for _, e := range a.rel {
			have = append(have, e.At(ref))
		}
	}
	if len(have) == 0 {
		if len(a.dur) > 0 && g.abs[0].Open {
			return relation{"a length for an open date", .5}, nil
		}
		return relation{"no date in the answer", .05}, nil
	}
	sum := 0.
	var worst relation
	var facts []Fact
	for i, x := range g.abs {
		var best relation
		bestScore := -1.
		var with timex.Expr
		for _, y := range have {
			r := relate(x, y)
			if y.Approx && !x.Approx || y.Vague && !x.Vague {
				r.class += ", hedged"
				r.score *= .6
			}
			if s := o(r); s > bestScore {
				best, bestScore, with = r, s, y
			}
		}
		sum += bestScore
		if i == 0 || bestScore < worst.score {
			worst = relation{best.class, bestScore}
		}
		facts = append(facts, Fact{Kind: "date", Gold: showDate(x), Answer: showDate(with), Same: bestScore >= .5, Say: best.class})
	}
	if len(g.abs) == 1 {
		return worst, facts
	}
	return relation{"several dates", sum / float64(len(g.abs))}, facts
}

func showDate(e timex.Expr) string {
	if e.Lo == e.Hi {
		return e.Lo.String()
	}
	return e.Lo.String() + ".." + e.Hi.String()
}

// compareLengths scores lengths of time, and "N units ago" in the same way: equal
// within 6 % is the same.
func compareLengths(g, a *when, o odds) (relation, []Fact) {
	best, bestScore := relation{"no length of time in the answer", .05}, -1.
	var facts []Fact
	try := func(r relation, x, y string) {
		if s := o(r); s > bestScore {
			best, bestScore = r, s
			facts = []Fact{{Kind: "duration", Gold: x, Answer: y, Same: s >= .5, Say: r.class}}
		}
	}
	lengths := func(w *when) []timex.Expr {
		out := append([]timex.Expr(nil), w.dur...)
		for _, e := range w.rel {
			if e.N > 0 && e.Unit != timex.Weekday {
				out = append(out, timex.Length(e.N, e.Unit, e.Vague))
			}
		}
		return out
	}
	have := lengths(a)
	for _, x := range lengths(g) {
		for _, y := range have {
			r := relation{"another length", .04}
			switch {
			case x.Vague && y.MinDays >= x.MinDays && y.MaxDays <= x.MaxDays*1.2:
				r = relation{"within the gold's few", .75}
			case y.Vague:
				r = relation{"a vague length", .2}
			case closeTo(x.MinDays, y.MinDays, .06):
				r = relation{"equal length", .96}
			case closeTo(x.MinDays, y.MinDays, .2):
				r = relation{"near in length", .3}
			}
			try(r, days(x), days(y))
		}
	}
	for _, x := range g.rel {
		for _, y := range a.rel {
			if x.Op == y.Op && x.Unit == y.Unit && x.N == y.N && x.Wd == y.Wd {
				try(relation{"the same words", .95}, "", "")
			}
		}
	}
	if len(have) == 0 {
		for _, y := range a.abs {
			if y.Open && y.Op == timex.After {
				try(relation{"since a date, for a length", .5}, "", showDate(timex.Expr{Lo: y.XLo, Hi: y.XHi}))
			}
		}
	}
	return best, facts
}

func days(e timex.Expr) string {
	if e.MinDays == e.MaxDays {
		return numberStem(e.MinDays) + " days"
	}
	return numberStem(e.MinDays) + " to " + numberStem(e.MaxDays) + " days"
}
