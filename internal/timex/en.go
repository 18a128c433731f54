package timex

import (
	"regexp"
	"strings"
)

var months = map[string]int{"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12}

var monthNames = []string{"january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december"}

var weekdays = map[string]int{"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
	"sun": 0, "mon": 1, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6}

var zhWeekday = regexp.MustCompile(`^(?:周|星期|礼拜)([一二三四五六日天])$`)

// WeekdayOf is the day of the week that a word names, 0 is Sunday: an English one in lower case, short or not, or of several ("sundays"), or a Chinese one (周日).
func WeekdayOf(word string) (day int, ok bool) {
	if m := zhWeekday.FindStringSubmatch(word); m != nil {
		return max(0, strings.Index("日一二三四五六", m[1])) / len("日"), true
	}
	if day, ok = weekdays[word]; !ok {
		day, ok = weekdays[strings.TrimSuffix(word, "s")]
	}
	return day, ok
}

var seasons = map[string]int{"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}

var units = map[string]Unit{"minute": Minutes, "minutes": Minutes, "min": Minutes, "mins": Minutes, "hour": Hours, "hours": Hours, "hrs": Hours, "day": Days, "days": Days, "night": Days, "nights": Days,
	"week": Week, "weeks": Week, "weekend": Weekend, "weekends": Weekend, "month": Month, "months": Month, "year": Year, "years": Year, "yrs": Year, "decade": Decade, "decades": Decade, "fortnight": Week, "fortnights": Week}

// holidays that fall on the same day every year.
var holidays = map[string][2]int{"christmas": {12, 25}, "xmas": {12, 25}, "halloween": {10, 31}, "valentine": {2, 14}, "valentines": {2, 14}}

// starter reports whether a word can begin an expression: a text without one and
// without a number is not looked at again.
func starter(w string) bool { return starters[w] || monthTypo(w) != 0 }

var starters = func() map[string]bool {
	m := map[string]bool{"yesterday": true, "today": true, "tomorrow": true, "tonight": true, "noon": true, "midnight": true}
	addKeys(m, months)
	addKeys(m, weekdays)
	addKeys(m, units)
	addKeys(m, seasons)
	addKeys(m, holidays)
	return m
}()

func addKeys[V any](to map[string]bool, from map[string]V) {
	for w := range from {
		to[w] = true
	}
}

// month reads a month's name; a name mistyped by one letter counts ("Febuary",
// "Septemeber"), words that are also English only with a capital.
func (p *parser) month(i int) int {
	t := p.at(i)
	if t.kind != word {
		return 0
	}
	m := months[t.text]
	switch t.text {
	case "may", "march", "mar", "sep", "dec", "jan":
		if !t.capital && p.at(i+1).kind != number && p.at(i-1).kind != number && !p.is(i-1, "in", "of", "early", "mid", "late", "last", "next", "this", "since", "until", "-") {
			return 0
		}
		if t.text == "may" && t.capital && i == 0 && p.at(1).kind == word {
			return 0 // "May I", "May be"
		}
	case "august":
		if !t.capital && p.at(i+1).kind != number && p.at(i-1).kind != number && !p.is(i-1, "in", "of", "early", "mid", "late", "last", "-") {
			return 0
		}
	}
	if m == 0 {
		m = monthTypo(t.text)
	}
	return m
}

func monthTypo(w string) int {
	if len(w) < 5 || strings.IndexByte("jfmasond", w[0]) < 0 {
		return 0
	}
	for _, name := range monthNames {
		if name[0] == w[0] && max(len(name)-len(w), len(w)-len(name)) <= 1 && len(name) >= 5 && name != "march" && EditOne(name, w) {
			return months[name]
		}
	}
	return 0
}

// EditOne reports whether a and b differ by at most one letter put in, left out or
// changed, or by two neighbours swapped. Bytes, not code points.
func EditOne(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if i == len(a) {
		return true
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// yearAt reads a year of four digits, or '23.
func (p *parser) yearAt(i int) (y, next int, ok bool) {
	t := p.at(i)
	if t.kind == punct && (t.text == "'") && p.at(i+1).kind == number && len(p.at(i+1).text) == 2 && !p.at(i+1).spelt {
		return 2000 + int(p.at(i+1).val), i + 2, true
	}
	if t.kind != number || t.spelt || t.ordinal || len(t.text) != 4 || !digits(t.text) || t.val < 1800 || t.val > 2199 {
		return 0, i, false
	}
	if p.at(i+1).kind == word && p.at(i+1).pos == t.end && p.at(i+1).text == "s" { // 1990s
		return 0, i, false
	}
	return int(t.val), i + 1, true
}

// yearAfter reads an optional ", 2023", "of 2023", "in 2023" after a date.
func (p *parser) yearAfter(i int) (y, next int, ok bool) {
	j := i
	for p.is(j, ",", "of", "in", ".") && j < i+2 {
		j++
	}
	if y, n, ok := p.yearAt(j); ok {
		return y, n, true
	}
	if p.is(i, "of", "in") && p.is(i+1, "this", "last", "next", "that") && p.is(i+2, "year") {
		return p.year, i + 3, false
	}
	return p.year, i, false
}

// day reads the number of a day. "second" is one before a month only: it is a length of time as well.
func (p *parser) day(i int) (d, next int, ok bool) {
	t := p.at(i)
	if p.is(i, "second") && p.is(i+1, "of") && p.month(i+2) != 0 {
		return 2, i + 1, true
	}
	if t.kind != number || t.val < 1 || t.val > 31 || t.val != float64(int(t.val)) || t.spelt && !t.ordinal || !t.spelt && len(t.text) > 2 {
		return 0, i, false
	}
	return int(t.val), i + 1, true
}

// simple reads a date that needs no other: the anchors of relative ones.
func (p *parser) simple(i int) (e Expr, next int, ok bool) {
	if e, n, ok := p.zhDate(i); ok {
		return e, n, true
	}
	t := p.at(i)
	if t.kind == number {
		if e, n, ok := p.numeric(i); ok {
			return e, n, true
		}
	}
	if d, n, ok := p.day(i); ok { // 7 May 2023, 7th of May
		j := n
		d2 := 0
		if p.is(j, "-", "–", "to", "and", "&") {
			if x, k, ok := p.day(j + 1); ok && x > d {
				d2, j = x, k
			}
		}
		for p.is(j, "of", "-", ",") && j < n+4 {
			j++
		}
		if m := p.month(j); m != 0 {
			y, n, has := p.yearAfter(j + 1)
			e := Expr{Kind: Absolute, Lo: Date(y, m, d), Hi: Date(y, m, d), Grain: Days, Yearless: !has}
			if d2 != 0 {
				e.Hi, e.Op = Date(y, m, d2), Range
			}
			return e, n, true
		}
	}
	if t.kind == number {
		if y, n, ok := p.yearAt(i); ok {
			return Expr{Kind: Absolute, Lo: Date(y, 1, 1), Hi: Date(y, 12, 31), Grain: Year}, n, true
		}
		if !t.spelt && len(t.text) == 4 && int(t.val)%10 == 0 && p.is(i+1, "s") && t.val >= 1800 && t.val < 2200 {
			y := int(t.val)
			return Expr{Kind: Absolute, Lo: Date(y, 1, 1), Hi: Date(y+9, 12, 31), Grain: Decade}, i + 2, true
		}
		if t.ordinal {
			return p.nthOf(i)
		}
		return Expr{}, i, false
	}
	if t.kind != word {
		return Expr{}, i, false
	}
	if m := p.month(i); m != 0 {
		return p.fromMonth(i, m)
	}
	if _, ok := weekdays[t.text]; ok && (len(t.text) > 3 || t.capital) {
		j := i + 1
		for p.is(j, ",", ".", "the", "(") && j < i+3 {
			j++
		}
		if e, n, ok := p.simple(j); ok && e.Grain == Days {
			return e, n, true
		}
		if p.is(i+1, "of", "in") { // "Sunday of …" needs an ordinal
			return Expr{}, i, false
		}
	}
	if s, ok := seasons[t.text]; ok {
		y, n, has := p.yearAfter(i + 1)
		if has || p.is(i-1, "in", "the", "of", "early", "late", "mid", "-", "during", "next", "last", "this") || i == 0 && p.at(1).kind == 0 {
			lo, hi := seasonDays(y, s)
			return Expr{Kind: Absolute, Lo: lo, Hi: hi, Grain: Season, Yearless: !has}, n, true
		}
	}
	if h, ok := holidays[t.text]; ok {
		j := i + 1
		for p.is(j, "day", "eve", "'") {
			j++
		}
		y, n, has := p.yearAfter(j)
		d := Date(y, h[0], h[1])
		if p.is(i+1, "eve") {
			d--
		}
		return Expr{Kind: Absolute, Lo: d, Hi: d, Grain: Days, Yearless: !has}, n, true
	}
	if p.is(i, "last", "second", "final") {
		return p.nthOf(i)
	}
	if p.is(i, "early", "mid", "middle", "late", "beginning", "start", "end", "begin") {
		return p.part(i)
	}
	if len(t.text) == 1 && t.text == "q" && p.at(i+1).kind == number && p.at(i+1).val >= 1 && p.at(i+1).val <= 4 {
		y, n, has := p.yearAfter(i + 2)
		m := int(p.at(i+1).val)*3 - 2
		return Expr{Kind: Absolute, Lo: Date(y, m, 1), Hi: Date(y, m+3, 0), Grain: Quarter, Yearless: !has}, n, true
	}
	return Expr{}, i, false
}

func (p *parser) fromMonth(i, m int) (Expr, int, bool) {
	j := i + 1
	for p.is(j, ".", "the", "-") && j < i+3 {
		j++
	}
	if d, n, ok := p.day(j); ok && !(p.at(n).text == ":" && p.at(n+1).kind == number) {
		d2 := 0
		if p.is(n, "-", "–", "to", "and", "&", "through") {
			if x, k, ok := p.day(n + 1); ok && x > d && p.month(k) == 0 {
				d2, n = x, k
			}
		}
		y, n, has := p.yearAfter(n)
		e := Expr{Kind: Absolute, Lo: Date(y, m, d), Hi: Date(y, m, d), Grain: Days, Yearless: !has}
		if d2 != 0 {
			e.Hi, e.Op = Date(y, m, d2), Range
		}
		return e, n, true
	}
	y, n, has := p.yearAfter(i + 1)
	return Expr{Kind: Absolute, Lo: Date(y, m, 1), Hi: Date(y, m+1, 0), Grain: Month, Yearless: !has}, n, true
}

// numeric reads 2023-05-07, 2023/5/7, 2023.5.7, 2023-05, 5/7/2023 (month first,
// unless that cannot be).
func (p *parser) numeric(i int) (Expr, int, bool) {
	a, s, b := p.at(i), p.at(i+1), p.at(i+2)
	if a.spelt || b.spelt || b.kind != number || s.kind != punct || !strings.ContainsAny(s.text, "-/.") || s.pos != a.end || b.pos != s.end || len(b.text) > 2 && len(a.text) > 2 {
		return Expr{}, i, false
	}
	c := p.at(i + 4)
	three := p.at(i+3).kind == punct && p.at(i+3).text == s.text && c.kind == number && !c.spelt && p.at(i+3).pos == b.end && c.pos == p.at(i+3).end
	if y, _, ok := p.yearAt(i); ok && b.val >= 1 && b.val <= 12 && len(b.text) <= 2 {
		if three && c.val >= 1 && c.val <= 31 {
			d := Date(y, int(b.val), int(c.val))
			n := i + 5
			if t := p.at(n); t.kind == word && t.text == "t" && t.pos == c.end { // 2023-05-07T10:00:00Z
				for p.at(n).kind != 0 && p.at(n).pos == p.at(n-1).end {
					n++
				}
			}
			return Expr{Kind: Absolute, Lo: d, Hi: d, Grain: Days}, n, true
		}
		if s.text == "-" && len(b.text) == 2 {
			return Expr{Kind: Absolute, Lo: Date(y, int(b.val), 1), Hi: Date(y, int(b.val)+1, 0), Grain: Month}, i + 3, true
		}
	}
	if three && s.text != "-" && (len(c.text) == 4 || len(c.text) == 2) {
		m, d, y := int(a.val), int(b.val), int(c.val)
		if m > 12 || s.text == "." {
			m, d = d, m
		}
		if y < 100 {
			y += 2000
		}
		if m >= 1 && m <= 12 && d >= 1 && d <= 31 {
			return Expr{Kind: Absolute, Lo: Date(y, m, d), Hi: Date(y, m, d), Grain: Days}, i + 5, true
		}
	}
	return Expr{}, i, false
}

// part reads "early July 2023", "mid-July", "the end of 2022", "late summer 2023".
func (p *parser) part(i int) (Expr, int, bool) {
	which := p.at(i).text
	j := i + 1
	for p.is(j, "-", "of", "the", "in", "to") && j < i+4 {
		j++
	}
	if p.is(j, "mid", "late", "early") && p.is(j-1, "to", "-") { // "mid to late May"
		which = ""
		j++
		if p.is(j, "-") {
			j++
		}
	}
	e, n, ok := p.simple(j)
	if !ok || e.Grain < Month || e.Op != Plain {
		return Expr{}, i, false
	}
	span := int(e.Hi-e.Lo) + 1
	switch which {
	case "early", "beginning", "start", "begin":
		e.Hi = e.Lo + Day(span/3) - 1
	case "mid", "middle":
		e.Lo, e.Hi = e.Lo+Day(span/3)-1, e.Hi-Day(span/3)
	case "late", "end":
		e.Lo = e.Hi - Day(span/3+1)
	default:
		e.Lo += Day(span / 3)
	}
	if e.Grain == Month {
		e.Grain = Part
	}
	return e, n, true
}

// nthOf reads "first week of July 2023", "the last weekend of May", "second Friday in June".
func (p *parser) nthOf(i int) (Expr, int, bool) {
	t := p.at(i)
	n := int(t.val)
	switch t.text {
	case "last", "final":
		n = -1
	case "second":
		n = 2
	}
	u, unit := units[p.at(i+1).text]
	wd, weekday := weekdays[p.at(i+1).text]
	if !unit && !weekday || !p.is(i+2, "of", "in") || n == 0 || n > 5 {
		return Expr{}, i, false
	}
	j := i + 3
	for p.is(j, "the") {
		j++
	}
	m, next, ok := p.simple(j)
	if !ok || m.Grain != Month && m.Grain != Year {
		return Expr{}, i, false
	}
	e := m
	switch {
	case weekday:
		e.Lo = m.Lo + Day((wd-m.Lo.Weekday()+7)%7+7*(n-1))
		if n < 0 {
			e.Lo = m.Hi - Day((m.Hi.Weekday()-wd+7)%7)
		}
		e.Hi, e.Grain = e.Lo, Days
	case u == Week:
		e.Lo = m.Lo + Day(7*(n-1))
		e.Hi, e.Grain = e.Lo+6, Week
		if n < 0 {
			e.Lo, e.Hi = m.Hi-6, m.Hi
		}
	case u == Weekend:
		e.Lo = m.Lo + Day((6-m.Lo.Weekday()+7)%7+7*(n-1))
		if n < 0 {
			e.Lo = m.Hi - Day((m.Hi.Weekday()-6+7)%7)
		}
		e.Lo, e.Hi, e.Grain = e.Lo-1, e.Lo+1, Weekend
	case u == Days:
		e.Lo = m.Lo + Day(n-1)
		if n < 0 {
			e.Lo = m.Hi
		}
		e.Hi, e.Grain = e.Lo, Days
	case u == Month && m.Grain == Year:
		y, _, _ := m.Lo.Civil()
		if n < 0 {
			n = 12
		}
		e.Lo, e.Hi, e.Grain = Date(y, n, 1), Date(y, n+1, 0), Month
	default:
		return Expr{}, i, false
	}
	return e, next, true
}
