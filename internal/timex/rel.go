package timex

// expr reads the longest expression that starts at token i.
func (p *parser) expr(i int) (Expr, int, bool) {
	if e, n, ok := p.anchored(i); ok {
		return e, n, true
	}
	if e, n, ok := p.zhRelative(i); ok {
		return e, n, true
	}
	if e, n, ok := p.open(i); ok {
		return e, n, true
	}
	if e, n, ok := p.between(i); ok {
		return e, n, true
	}
	if e, n, ok := p.simple(i); ok {
		return p.suffix(p.approx(e, i), n)
	}
	if e, n, ok := p.deictic(i); ok {
		return p.approx(e, i), n, true
	}
	if e, n, ok := p.clock(i); ok {
		return e, n, true
	}
	if e, n, ok := p.duration(i); ok {
		return p.approx(e, i), n, true
	}
	return Expr{}, i, false
}

// approx marks an expression after "around", "about", "sometime in".
func (p *parser) approx(e Expr, i int) Expr {
	for j := i - 1; j >= 0 && j >= i-3; j-- {
		if p.is(j, "around", "about", "approximately", "roughly", "circa", "sometime", "nearly", "almost", "over") || p.hanIs(j, '约') {
			e.Approx = true
		}
		if !p.is(j, "in", "the", "on", "of") {
			break
		}
	}
	return e
}

// head reads what is before "before X": a unit, a weekday, "two weeks", "a few days".
func (p *parser) head(i int) (u Unit, n float64, wd int, approx bool, next int, ok bool) {
	j := i
	for p.is(j, "the", "about", "around", "approximately", "roughly", "in", "on", "over") {
		j++
	}
	counted := false
	switch t := p.at(j); {
	case p.is(j, "first", "last", "same") && p.at(j+1).kind == word: // "the last week before X"
		j++
	case p.is(j, "a") && p.is(j+1, "few", "couple"):
		n, approx, counted = 3, true, true
		if p.is(j+1, "couple") {
			n = 2
		}
		j += 2
		if p.is(j, "of") {
			j++
		}
	case p.is(j, "few", "several", "some", "couple"):
		n, approx, counted = 3, true, true
		j++
		if p.is(j, "of") {
			j++
		}
	case p.is(j, "a", "an"):
		n, counted = 1, true
		j++
	case t.kind == number && !t.ordinal:
		n, counted = t.val, true
		j++
		if p.is(j, "to", "or", "-") && p.at(j+1).kind == number {
			n, approx = (n+p.at(j+1).val)/2, true
			j += 2
		}
		if p.is(j, "-") {
			j++
		}
	}
	t := p.at(j)
	if t.kind != word {
		return
	}
	if d, is := weekdays[t.text]; is && (len(t.text) > 3 || t.capital) {
		if !counted {
			n = 1
		}
		return Weekday, n, d, approx, j + 1, true
	}
	u = units[t.text]
	if t.text == "fortnight" || t.text == "fortnights" {
		n = max(n, 1) * 2
	}
	switch t.text {
	case "evening", "morning", "afternoon":
		u = Days
		counted = false
	}
	if u == NoUnit {
		return
	}
	if !counted {
		n = 1
	}
	return u, n, 0, approx, j + 1, true
}

// anchored reads "the week before 15 July 2023", "two days after June 5", "the
// weekend of 3 May", "3 weeks prior to the 5th of May".
func (p *parser) anchored(i int) (Expr, int, bool) {
	if p.at(i).kind != word && p.at(i).kind != number || p.is(i, "in", "on", "of") {
		return Expr{}, i, false
	}
	u, n, wd, approx, j, ok := p.head(i)
	if !ok {
		return Expr{}, i, false
	}
	for p.is(j, "just", "right", "immediately", "shortly", "leading", "up", "(") {
		j++
	}
	op := Plain
	switch {
	case p.is(j, "before", "prior", "preceding", "to") && (!p.is(j, "to") || p.is(j-1, "up", "leading")):
		op = Before
		j++
		if p.is(j, "to") {
			j++
		}
	case p.is(j, "earlier") && p.is(j+1, "than"):
		op = Before
		j += 2
	case p.is(j, "after", "following", "later"):
		op = After
		j++
		if p.is(j, "than") {
			j++
		}
	case p.is(j, "of", "around", "containing", "including", "from"):
		op = Of
		if p.is(j, "from") && u != Weekday {
			op = After
		}
		j++
	default:
		return Expr{}, i, false
	}
	if op == Of && (u != Week && u != Weekend && u != Days && u != Month || n != 1 || p.is(i, "first", "last") || p.is(i+1, "first", "last")) {
		return Expr{}, i, false
	}
	for p.is(j, "the", "on", "(", "around", "about", "approximately", "that", "of") && !(p.is(j, "of") && j < i+2) {
		j++
	}
	x, next, ok := p.simple(j)
	if !ok {
		return Expr{}, i, false
	}
	e := x
	e.Op, e.Unit, e.N, e.Wd, e.XLo, e.XHi, e.Grain = op, u, n, wd, x.Lo, x.Hi, u
	e.Vague = approx
	e.Lo, e.Hi = reach(op, u, n, wd, approx, x)
	if op == Of && x.Lo != x.Hi && (x.Grain == Month || x.Grain == Year) { // "the week of May"?
		e.Lo, e.Hi, e.Grain = x.Lo, x.Hi, x.Grain
	}
	return e, next, true
}

// reach is the interval that all readings of "N units before X" cover together.
func reach(op Op, u Unit, n float64, wd int, approx bool, x Expr) (lo, hi Day) {
	lo, hi = x.Lo, x.Hi
	if op == Of {
		switch u {
		case Week:
			if lo == hi {
				return lo - 6, hi + 6
			}
		case Weekend:
			if lo == hi {
				return lo - 3, hi + 6
			}
		case Month:
			y, m, _ := lo.Civil()
			return Date(y, m, 1), Date(y, m+1, 0)
		}
		return lo, hi
	}
	days := map[Unit]float64{Hours: 1. / 24, Minutes: 1. / 1440, Days: 1, Week: 7, Weekend: 7, Month: 30.44, Year: 365.25, Decade: 3652.5}
	if approx && u != Weekday {
		far := Day(2.2*n*days[u] + 1)
		if op == Before {
			return x.Lo - far, x.Lo - 1
		}
		return x.Hi + 1, x.Hi + far
	}
	if op == Before {
		switch {
		case u == Weekday:
			hi = x.Lo - 1 - Day((x.Lo.Weekday()-1-wd+7)%7) - Day(7*(n-1))
			return hi, hi
		case u == Weekend && n <= 1: // the last Friday to Sunday that is over before X
			sun := x.Lo - 1 - Day((x.Lo - 1).Weekday())
			if x.Lo.Weekday() == 0 {
				sun = x.Lo - 7
			}
			return sun - 2, sun
		case u == Week && n == 1:
			return x.Lo - 13, x.Lo - 1
		case u == Month && n == 1:
			y, m, _ := x.Lo.Civil()
			return min(Date(y, m-1, 1), x.Lo-31), max(Date(y, m, 0), x.Lo-28)
		case u == Year && n == 1:
			y, _, _ := x.Lo.Civil()
			return Date(y-1, 1, 1), max(Date(y-1, 12, 31), x.Lo-365)
		}
		d := x.Lo - Day(n*days[u]+.5)
		s := slack(u)
		return d - s, d + s
	}
	switch {
	case u == Weekday:
		lo = x.Hi + 1 + Day((wd-(x.Hi.Weekday()+1)%7+7)%7) + Day(7*(n-1))
		return lo, lo
	case u == Weekend && n <= 1:
		lo = x.Hi + 1 + Day((6-(x.Hi.Weekday()+1)%7+7)%7)
		return lo, lo + 1
	case u == Week && n == 1:
		return x.Hi + 1, x.Hi + 13
	case u == Month && n == 1:
		y, m, _ := x.Hi.Civil()
		return min(Date(y, m+1, 1), x.Hi+28), max(Date(y, m+2, 0), x.Hi+31)
	case u == Year && n == 1:
		y, _, _ := x.Hi.Civil()
		return min(Date(y+1, 1, 1), x.Hi+365), Date(y+1, 12, 31)
	}
	d := x.Hi + Day(n*days[u]+.5)
	s := slack(u)
	return d - s, d + s
}

// slack is how far "two weeks before" may be off and still be meant.
func slack(u Unit) Day {
	switch u {
	case Week, Weekend:
		return 3
	case Month:
		return 15
	case Year, Decade:
		return 183
	}
	return 0
}

// open reads "before X", "since X", "by X": one side has no end.
func (p *parser) open(i int) (Expr, int, bool) {
	op := Plain
	j := i + 1
	switch {
	case p.is(i, "before", "until", "till", "by"):
		op = Before
	case p.is(i, "prior") && p.is(j, "to"):
		op = Before
		j++
	case p.is(i, "after", "since", "following"):
		op = After
	default:
		return Expr{}, i, false
	}
	for p.is(j, "the", "around", "about", "on", "early", "end", "of") && j < i+3 {
		if p.is(j, "early", "end") {
			break
		}
		j++
	}
	x, n, ok := p.simple(j)
	if !ok {
		return Expr{}, i, false
	}
	x.Op, x.Open, x.XLo, x.XHi = op, true, x.Lo, x.Hi
	if op == Before {
		x.Lo, x.Hi = x.Lo-365, x.Lo-1
		if p.is(i, "by", "until", "till") {
			x.Hi = x.XHi
		}
	} else {
		x.Lo, x.Hi = x.Hi+1, x.Hi+365
		if p.is(i, "since") {
			x.Lo = x.XLo
		}
	}
	return x, n, true
}

// between reads "between A and B", "from A to B", "A to B", "A - B".
func (p *parser) between(i int) (Expr, int, bool) {
	j := i
	led := p.is(i, "between", "from")
	if led {
		j++
		if p.is(j, "the") {
			j++
		}
	}
	a, n, ok := p.simple(j)
	if !ok {
		return Expr{}, i, false
	}
	if !p.is(n, "to", "-", "–", "until", "till", "through", "~") && !(led && p.is(n, "and", "or")) && !p.hanIs(n, '到', '至') {
		return Expr{}, i, false
	}
	k := n + 1
	if p.is(k, "the") {
		k++
	}
	b, n, ok := p.simple(k)
	if !ok || b.Grain == Decade {
		return Expr{}, i, false
	}
	if a.Yearless && !b.Yearless { // "from 3 May to 5 June 2023"
		a = a.inYearOf(b)
	}
	if b.Hi < a.Lo {
		return Expr{}, i, false
	}
	e := a
	e.Hi, e.Op, e.Grain = b.Hi, Range, max(a.Grain, b.Grain)
	e.Yearless = a.Yearless && b.Yearless
	return e, n, true
}

func (e Expr) inYearOf(o Expr) Expr {
	_, m, d := e.Lo.Civil()
	oy, _, _ := o.Lo.Civil()
	lo := Date(oy, m, d)
	e.Hi += lo - e.Lo
	e.Lo = lo
	y2, _, _ := o.Hi.Civil()
	if e.Lo > o.Hi && y2 == oy {
		w := Date(oy-1, m, d)
		e.Hi += w - e.Lo
		e.Lo = w
	}
	e.Yearless = false
	return e
}

// suffix reads "7 May 2023 or shortly before", which opens a date.
func (p *parser) suffix(e Expr, n int) (Expr, int, bool) {
	if p.is(n, "onwards", "onward") {
		e.Open, e.Op, e.XLo, e.XHi = true, After, e.Lo, e.Hi
		e.Hi += 365
		return e, n + 1, true
	}
	return e, n, true
}

// deictic reads "yesterday", "last Friday", "two weeks ago", "next month".
func (p *parser) deictic(i int) (Expr, int, bool) {
	one := func(op Op, n float64, u Unit) (Expr, int, bool) {
		return Expr{Kind: Deictic, Op: op, N: n, Unit: u, Grain: u}, i + 1, true
	}
	switch {
	case p.is(i, "yesterday"):
		return one(Ago, 1, Days)
	case p.is(i, "today", "tonight"):
		return one(This, 0, Days)
	case p.is(i, "tomorrow"):
		return one(Ahead, 1, Days)
	case p.is(i, "last", "past", "previous", "next", "coming", "this", "upcoming"):
		op, n := Ago, 1.
		if p.is(i, "next", "coming", "upcoming") {
			op = Ahead
		}
		if p.is(i, "this") {
			op, n = This, 0
		}
		t := p.at(i + 1)
		if t.kind != word {
			return Expr{}, i, false
		}
		if wd, ok := weekdays[t.text]; ok {
			return Expr{Kind: Deictic, Op: op, N: 1, Unit: Weekday, Grain: Weekday, Wd: wd}, i + 2, true
		}
		if s, ok := seasons[t.text]; ok {
			return Expr{Kind: Deictic, Op: op, N: n, Unit: Season, Grain: Season, Wd: s}, i + 2, true
		}
		if u := units[t.text]; u != NoUnit && u != Minutes && u != Hours && t.text[len(t.text)-1] != 's' {
			return Expr{Kind: Deictic, Op: op, N: n, Unit: u, Grain: u}, i + 2, true
		}
		return Expr{}, i, false
	}
	u, n, wd, approx, j, ok := p.head(i)
	if !ok || p.is(i, "the") {
		return Expr{}, i, false
	}
	op := Plain
	switch {
	case p.is(j, "ago", "earlier", "back"):
		op = Ago
	case p.is(j, "later") || p.is(j, "from") && p.is(j+1, "now"):
		op = Ahead
		if p.is(j, "from") {
			j++
		}
	default:
		return Expr{}, i, false
	}
	return Expr{Kind: Deictic, Op: op, N: n, Unit: u, Grain: u, Wd: wd, Vague: approx}, j + 1, true
}

// clock reads "5 pm", "10:30", "10:30 a.m.".
func (p *parser) clock(i int) (Expr, int, bool) {
	t := p.at(i)
	if p.is(i, "noon", "midnight") {
		return Expr{Kind: Clock, Minute: map[string]int{"noon": 720}[t.text]}, i + 1, true
	}
	if e, n, ok := p.spokenClock(i); ok {
		return e, n, true
	}
	if t.kind != number || t.ordinal || t.val > 24 || t.val != float64(int(t.val)) {
		return Expr{}, i, false
	}
	h, m, j, colon := int(t.val), 0, i+1, false
	if q := p.at(j + 1); p.is(j, ":") && q.kind == number && len(q.text) == 2 && q.val < 60 && p.at(j).pos == t.end && q.pos == p.at(j).end {
		m, j, colon = int(q.val), j+2, true
	}
	if q := p.at(j + 1); colon && p.is(j, ":") && q.kind == number && len(q.text) == 2 && q.val < 60 {
		j += 2 // seconds
	}
	if colon && p.is(j, ":") {
		return Expr{}, i, false
	}
	half := 0
	if p.is(j, "o") && p.is(j+1, "'") && p.is(j+2, "clock") {
		j, colon = j+3, true
	} else if p.is(j, "o'clock") {
		j, colon = j+1, true
	}
	switch {
	case p.is(j, "in") && p.is(j+1, "the") && p.is(j+2, "morning", "afternoon", "evening") && colon:
		half = map[string]int{"morning": 1, "afternoon": 2, "evening": 2}[p.at(j+2).text]
		j += 3
	case p.is(j, "am", "pm"):
		half = map[string]int{"am": 1, "pm": 2}[p.at(j).text]
		j++
	case p.is(j, "a", "p") && p.is(j+1, ".") && p.is(j+2, "m"):
		half = map[string]int{"a": 1, "p": 2}[p.at(j).text]
		j += 3
	case !colon:
		return Expr{}, i, false
	}
	if h > 12 && half != 0 {
		half = 0
	}
	e := Expr{Kind: Clock, Vague: half == 0 && h >= 1 && h <= 12 && t.text[0] != '0'}
	switch {
	case half == 1 && h == 12:
		h = 0
	case half == 2 && h < 12:
		h += 12
	}
	e.Minute = h*60 + m
	return e, j, true
}

// spokenClock reads "half past four", "quarter to nine", "ten past six", "ten to six p.m.".
func (p *parser) spokenClock(i int) (Expr, int, bool) {
	m, j := 0., i
	if p.is(j, "a") {
		j++
	}
	switch t := p.at(j); {
	case p.is(j, "half") && p.is(j+1, "past"):
		m = 30
	case p.is(j, "quarter"):
		m = 15
	case t.kind == number && t.val < 30 && p.is(j+1, "past"):
		m = t.val
	default:
		return Expr{}, i, false
	}
	h := p.at(j + 2)
	if h.kind != number || h.val < 1 || h.val > 12 || !p.is(j+1, "past", "to") {
		return Expr{}, i, false
	}
	e := Expr{Kind: Clock, Minute: int(h.val)*60 + int(m), Vague: true}
	if p.is(j+1, "to") {
		e.Minute = int(h.val)*60 - int(m)
	}
	j += 3
	switch {
	case p.is(j, "am", "pm"):
		e = e.halfDay(p.is(j, "pm"))
		j++
	case p.is(j, "in") && p.is(j+1, "the") && p.is(j+2, "morning", "afternoon", "evening"):
		e = e.halfDay(!p.is(j+2, "morning"))
		j += 3
	}
	return e, j, true
}

// halfDay places a clock time of twelve hours before or after noon.
func (e Expr) halfDay(pm bool) Expr {
	e.Minute, e.Vague = e.Minute%720, false
	if pm {
		e.Minute += 720
	}
	return e
}

// duration reads "three weeks", "1.5 years", "a few months", "two and a half hours".
func (p *parser) duration(i int) (Expr, int, bool) {
	if p.is(i, "the", "in", "on", "first", "last", "same", "over", "about", "around", "approximately", "roughly") {
		return Expr{}, i, false
	}
	half := 0.
	if p.is(i, "half") && p.is(i+1, "a", "an") {
		if u := units[p.at(i+2).text]; u != NoUnit {
			return Length(.5, u, false), i + 3, true
		}
	}
	if p.at(i).kind == number && p.is(i+1, "and") && p.is(i+2, "a") && p.is(i+3, "half") {
		if u := units[p.at(i+4).text]; u != NoUnit {
			return Length(p.at(i).val+.5, u, false), i + 5, true
		}
	}
	start := p.at(i)
	if start.kind != number && !p.is(i, "a", "an", "few", "several", "couple") {
		return Expr{}, i, false
	}
	u, n, _, approx, j, ok := p.head(i)
	if !ok || u == Weekday {
		return Expr{}, i, false
	}
	if p.is(j, "and") && p.is(j+1, "a") && p.is(j+2, "half") {
		half, j = .5, j+3
	}
	if p.is(j, "old") || p.is(j, "-") && p.is(j+1, "old") {
		j++
	}
	return Length(n+half, u, approx), j, true
}

// Length is the Duration of n units; vague says that n is a guess for "few".
func Length(n float64, u Unit, approx bool) Expr {
	per := 1.
	switch u {
	case Minutes:
		per = 1. / 1440
	case Hours:
		per = 1. / 24
	case Week:
		per = 7
	case Weekend:
		per = 2
	case Month:
		per = 365.25 / 12
	case Year:
		per = 365.25
	case Decade:
		per = 3652.5
	}
	e := Expr{Kind: Duration, N: n, Unit: u, Grain: u, Vague: approx, MinDays: n * per, MaxDays: n * per}
	if approx {
		e.MinDays, e.MaxDays = n*per/2, n*per*2.2
	}
	return e
}
