package judge

import (
	"slices"

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
	var w when
	for _, e := range timex.Find(t.raw, year) {
		if !insideName(t.raw, e.Pos, e.End) {
			w.all = append(w.all, e)
		}
	}
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

// timeWord reports a word that belongs to an adjacent date.
func timeWord(w string) bool {
	switch w {
	case "day", "week", "weekend", "month", "year", "date", "night", "evening", "morning", "afternoon", "approximately", "early", "late", "mid", "next", "last", "ago", "later", "prior", "shortly", "time", "few", "couple", "years", "months", "days", "weeks", "old", "first":
		return true
	}
	return false
}

// holds reports whether an expression covers the byte at pos.
func (w *when) holds(pos int) bool {
	return slices.ContainsFunc(w.all, func(e timex.Expr) bool { return pos >= e.Pos && pos < e.End })
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

// isDate reports whether a gold is only a date.
func (w *when) isDate() bool {
	if len(w.abs) == 0 || w.rest > 1 {
		return false
	}
	return w.rest == 0 || !(w.abs[0].NoYear && w.abs[0].Grain >= timex.Month) // "the autumn colours" is not a date
}

// isDuration reports whether a gold is only a length of time.
func (w *when) isDuration() bool { return len(w.abs) == 0 && len(w.dur)+len(w.rel) > 0 && w.rest == 0 }

// A relation describes how an answer's date or length relates to the gold's. Its class is the key of the trained judge's odds; score is the value without
// training.
type relation struct {
	class string
	score float64
	same  bool // of yes and no
	off   bool // it states another date or length than the gold, or leaves its day out
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
			return relation{class: "the same open date", score: .95}
		}
		return relation{class: "another open date", score: .1}
	case g.Op == a.Op && (g.Op == timex.Before || g.Op == timex.After) && g.Unit == a.Unit && g.N == a.N && g.Wd == a.Wd && !a.Open && !g.Open:
		d := apart(g.XLo, a.XLo)
		if d <= 1 || common > 0 && g.Unit != timex.Days && d <= 3 || g.Unit == timex.Weekday && g.Lo == a.Lo {
			return relation{class: "counted from the same day", score: .95}
		}
		return relation{class: "counted from another day", score: .2}
	case a.Open:
		if overlapDays(g.Lo, g.Hi, a.XLo, a.XHi) {
			return relation{class: "open, at the gold's date", score: .6, off: a.Hi < g.Lo || a.Lo > g.Hi}
		}
		if before && overlapDays(g.XLo, g.XHi, a.XLo, a.XHi) && a.Op == timex.Before {
			return relation{class: "open, before the same day", score: .4}
		}
		return relation{class: "open", score: .12}
	case bySeason && common > 0:
		return relation{class: "the gold's season", score: .3}
	case g.Lo == a.Lo && g.Hi == a.Hi:
		return relation{class: "equal", score: .98}
	case g.Open:
		if overlapDays(g.XLo, g.XHi, a.Lo, a.Hi) {
			return relation{class: "at the gold's open date", score: .7}
		}
		if common > 0 {
			return relation{class: "on the gold's open side", score: .45}
		}
		return relation{class: "on the other side of the gold", score: .05}
	case plain && aspan == 1 && apart(g.Lo, a.Lo) == 1:
		return relation{class: "one day off", score: .15}
	case plain && aspan == 1:
		return relation{class: "another day", score: .04}
	case apart(g.Lo, a.Lo) <= 1 && apart(g.Hi, a.Hi) <= 1 && !plain:
		return relation{class: "equal but for a day", score: .93}
	case before && a.Lo >= g.XLo && a.Hi <= g.XHi:
		return relation{class: "the day the gold is counted from", score: .55}
	case common*10 >= aspan*7: // the answer lies inside the gold
		switch {
		case g.Op == timex.Range && g.Grain == timex.Days && aspan == 1:
			return relation{class: "inside the gold's range", score: .6}
		case g.Grain == timex.Season || g.Grain == timex.Year || g.Grain == timex.Decade:
			return relation{class: "inside the gold's " + map[timex.Unit]string{timex.Season: "season", timex.Year: "year", timex.Decade: "decade"}[g.Grain], score: .88}
		case aspan == 1:
			return relation{class: "a day inside the gold", score: .85}
		}
		return relation{class: "inside the gold", score: .85}
	case before && (g.Unit == timex.Weekday || g.Unit == timex.Week || g.Unit == timex.Weekend) && a.Lo >= g.XLo-11 && a.Hi < g.XLo:
		if g.Unit == timex.Weekday {
			return relation{class: "another day before the gold's", score: .5}
		}
		return relation{class: "shortly before the gold's day", score: .52}
	case common*2 >= span && aspan <= 31: // the answer covers the gold
		switch {
		case g.Unit == timex.Weekday && g.Op == timex.Before:
			return relation{class: "coarser than the gold's weekday", score: .4, off: true}
		case aspan > 20 && plain:
			return relation{class: "the month of the gold's day", score: .5, off: true}
		case a.Op == timex.Range:
			return relation{class: "covers the gold by a range", score: .45}
		case aspan > 20:
			return relation{class: "the month of the gold", score: .55}
		}
		return relation{class: "covers the gold", score: .45}
	case common > 0 && a.Grain == timex.Year:
		return relation{class: "the year of the gold", score: .35, off: true}
	case common > 0 && aspan > 31:
		return relation{class: "far coarser", score: .15}
	case common > 0:
		return relation{class: "overlaps", score: .5}
	case int(g.Lo-a.Hi) <= 3 && int(a.Lo-g.Hi) <= 3:
		return relation{class: "a few days off", score: .15}
	}
	return relation{class: "another date", score: .03}
}

// shift moves the days of an expression to the same days of another year.
func shift(e timex.Expr, years int) timex.Expr {
	for _, d := range []*timex.Day{&e.Lo, &e.Hi, &e.XLo, &e.XHi} {
		y, m, dom := d.Civil()
		*d = timex.Date(y+years, m, dom)
	}
	return e
}

func apart(a, b timex.Day) timex.Day { return max(a-b, b-a) }

func overlapDays(a, b, c, d timex.Day) bool { return a <= d && c <= b }

// claimed selects the dates that an answer gives as its answer: not the question's dates, and no bare year together with a finer date unless the gold is a
// year.
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

// odds turns a relation into a score: the trained values, or the relation's own.
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
			return relation{class: "a length for an open date", score: .5}, nil
		}
		return relation{class: "no date in the answer", score: .05}, nil
	}
	sum, off := 0., false
	var worst relation
	var facts []Fact
	for i, x := range g.abs {
		var best relation
		bestScore := -1.
		var with timex.Expr
		for _, y := range have {
			r := relate(x, y)
			r.off = r.off || r.score <= .2 && !y.Open
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
			worst = relation{class: best.class, score: bestScore}
		}
		off = off || best.off
		facts = append(facts, Fact{Kind: "date", Gold: showDate(x), Answer: showDate(with), Same: bestScore >= .5, Say: best.class})
	}
	if worst.off = off; len(g.abs) == 1 {
		return worst, facts
	}
	return relation{class: "several dates", score: sum / float64(len(g.abs)), off: off}, facts
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
	best, bestScore := relation{class: "no length of time in the answer", score: .05}, -1.
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
			r := relation{class: "another length", score: .04, off: true}
			switch {
			case x.Vague && y.MinDays >= x.MinDays && y.MaxDays <= x.MaxDays*1.2:
				r = relation{class: "within the gold's few", score: .75}
			case y.Vague:
				r = relation{class: "a vague length", score: .2}
			case closeTo(x.MinDays, y.MinDays, .06):
				r = relation{class: "equal length", score: .96}
			case closeTo(x.MinDays, y.MinDays, .2):
				r = relation{class: "near in length", score: .3, off: true}
			}
			try(r, days(x), days(y))
		}
	}
	for _, x := range g.rel {
		for _, y := range a.rel {
			if x.Op == y.Op && x.Unit == y.Unit && x.N == y.N && x.Wd == y.Wd {
				try(relation{class: "the same words", score: .95}, "", "")
			}
		}
	}
	if len(have) == 0 {
		for _, y := range a.abs {
			if y.Open && y.Op == timex.After {
				try(relation{class: "since a date, for a length", score: .5}, "", showDate(timex.Expr{Lo: y.XLo, Hi: y.XHi}))
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

// aYear is how far from a dialogue a date is that it names without a year, at most.
const aYear = 366

// dayOf reads a time of a record, 0 if it has none.
func dayOf(s string) timex.Day {
	if e := timex.Find(s, 0); len(e) > 0 && e[0].Kind == timex.Absolute {
		return e[0].Hi
	}
	return 0
}

// strayYear returns the date of an answer that adds a year to a gold's date which the dialogue cannot have meant, "" if there is none or if the time of the
// dialogue is not known.
func (p *prepared) strayYear() string {
	dated := func(e timex.Expr) bool { return !e.Yearless }
	if p.to == 0 || slices.ContainsFunc(p.gw.abs, dated) || slices.ContainsFunc(p.qw.abs, dated) {
		return ""
	}
	named := func(e timex.Expr) timex.Expr { // the date of "until 2 May"
		if e.Open {
			e.Lo, e.Hi = e.XLo, e.XHi
		}
		return e
	}
	for _, a := range p.aw.abs {
		a = named(a)
		if a.Yearless || a.Grain >= timex.Year || a.Hi >= p.from && a.Lo <= p.to {
			continue
		}
		for _, g := range p.gw.abs {
			gy, _, _ := named(g).Lo.Civil()
			ay, _, _ := a.Lo.Civil()
			if moved := shift(a, gy-ay); moved.Lo == named(g).Lo && moved.Hi == named(g).Hi {
				return "the gold has no year, and this one is more than a year from the dialogue: " + p.at.raw[a.Pos:a.End]
			}
		}
	}
	return ""
}
