// Package timex finds dates, durations and clock times in English and Chinese text.
//
// An expression that names a day or a stretch of days is read as the interval
// [Lo, Hi] of days that a reader may mean by it: "July 2023" is its 31 days, "the
// week before 15 July 2023" is the thirteen days that either reading (the calendar
// week before, the seven days before) can reach. Grain is the precision of the words; Op, N, Unit and the anchor XLo, XHi show how they give the
// interval, so that a caller can compare a gold with its words.
//
// Expressions that depend on the day of speaking ("last Friday", "three weeks ago")
// are Deictic: At resolves them. Nothing here reads a clock.
package timex

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Day counts days since 1970-01-01 in the Gregorian calendar.
type Day int32

// Date is the day of a civil date; months and days out of range carry over.
func Date(year, month, day int) Day {
	return Day(time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// Civil is the date of the day.
func (d Day) Civil() (year, month, day int) {
	t := time.Unix(int64(d)*86400, 0).UTC()
	return t.Year(), int(t.Month()), t.Day()
}

// Weekday is 0 (Sunday) to 6.
func (d Day) Weekday() int { return int(((int(d)+4)%7 + 7) % 7) }

// String is the ISO form.
func (d Day) String() string {
	return time.Unix(int64(d)*86400, 0).UTC().Format("2006-01-02")
}

// Kind says what an expression names.
type Kind uint8

const (
	Absolute Kind = iota + 1 // the days Lo to Hi
	Deictic                  // days counted from the day of speaking; see At
	Duration                 // a length: MinDays to MaxDays
	Clock                    // a time of day: Minute
)

// Unit is a stretch of time: the grain of an expression, or what it counts in.
type Unit uint8

const (
	NoUnit Unit = iota
	Minutes
	Hours
	Days
	Weekday // one named day of the week
	Weekend
	Week
	Part // early, mid, late; a third of a month or year
	Month
	Quarter
	Season
	Year
	Decade
)

// Op is how an expression reaches its days.
type Op uint8

const (
	Plain  Op = iota
	Before    // a unit before the anchor: "the week before X", "2 days before X"
	After     // a unit after the anchor
	Of        // a unit around the anchor: "the week of X"
	Ago       // deictic: N units before the day of speaking ("last week" is 1)
	Ahead     // deictic: N units after it
	This      // deictic: the unit that holds it
	Range     // from one date to another
)

// Expr is one expression. Pos and End are byte offsets of its words in the text.
type Expr struct {
	Kind     Kind
	Lo, Hi   Day  // Absolute: first and last day, both included
	Grain    Unit // how exact the words are
	Yearless bool // no year in the words: Lo and Hi are in the year that Find was told, else in 2000
	NoYear   bool // Yearless, and no year was known at all
	Op       Op
	N        float64 // of Unit; of "few days" 3, and Vague
	Unit     Unit
	XLo, XHi Day  // the anchor's days
	Wd       int  // Unit Weekday: 0 (Sunday) to 6
	Open     bool // one side is open: "before X", "since X"; XLo, XHi is the date
	Approx   bool // "around", "sometime in", "about"
	Vague    bool // the number is not said: "a few", "several"
	MinDays  float64
	MaxDays  float64
	Minute   int // Clock: minutes after midnight; Vague where the half of the day is not said
	Pos, End int
}

// At resolves a deictic expression said on day ref; others are returned as they are.
func (e Expr) At(ref Day) Expr {
	if e.Kind != Deictic {
		return e
	}
	out := e
	out.Kind = Absolute
	n := int(e.N)
	y, m, d := ref.Civil()
	sign := 1
	if e.Op == Ago {
		sign = -1
	}
	slack := 0
	switch e.Unit {
	case Days:
		out.Lo = ref + Day(sign*n)
		out.Hi, slack = out.Lo, n/10
	case Weekday:
		out.Lo = ref - Day((ref.Weekday()-e.Wd+7)%7) // this one, today included
		switch {
		case e.Op == Ago && out.Lo == ref:
			out.Lo -= 7
		case e.Op == Ahead || e.Op == This && out.Lo < ref:
			out.Lo += 7
		}
		out.Hi = out.Lo
	case Week:
		mon := ref - Day((ref.Weekday()+6)%7)
		out.Lo = mon + Day(7*sign*n)
		out.Hi = out.Lo + 6
		if e.Op != This { // seven days back, too, is "a week ago"
			out.Lo, out.Hi = min(out.Lo, ref+Day(7*sign*n)), max(out.Hi, ref+Day(7*sign*n))
		}
	case Weekend:
		sat := ref - Day((ref.Weekday()+6)%7) + 5
		out.Lo = sat + Day(7*sign*n)
		out.Hi = out.Lo + 1
	case Month:
		out.Lo, out.Hi = Date(y, m+sign*n, 1), Date(y, m+sign*n+1, 0)
		if n > 1 {
			out.Lo, out.Hi = Date(y, m+sign*n, d)-15, Date(y, m+sign*n, d)+15
		}
	case Year:
		out.Lo, out.Hi = Date(y+sign*n, 1, 1), Date(y+sign*n, 12, 31)
	case Decade:
		out.Lo, out.Hi = Date(y+sign*10*n-1, 1, 1), Date(y+sign*10*n+1, 12, 31)
	case Season:
		season := int(e.Wd)
		yy := y + sign*n
		out.Lo, out.Hi = seasonDays(yy, season)
	default:
		out.Lo, out.Hi = ref, ref
	}
	if (e.Approx || e.Vague) && slack == 0 {
		slack = int(out.Hi-out.Lo)/2 + 1
	}
	out.Lo, out.Hi = out.Lo-Day(slack), out.Hi+Day(slack)
	return out
}

// Named lists the single days that a text names with their year, in their order in time.
func Named(text string) (out []Day) {
	for _, e := range Find(text, 0) {
		if e.Kind == Absolute && !e.Yearless && e.Lo == e.Hi {
			out = append(out, e.Lo)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// seasonDays are whole months, northern: spring is March to May; winter begins in
// December of the year before or ends in the next February, so it is taken from both.
func seasonDays(y, season int) (Day, Day) {
	switch season {
	case 0:
		return Date(y, 3, 1), Date(y, 5, 31)
	case 1:
		return Date(y, 6, 1), Date(y, 8, 31)
	case 2:
		return Date(y, 9, 1), Date(y, 11, 30)
	}
	return Date(y-1, 12, 1), Date(y+1, 3, 0)
}

// pool holds the tokens of texts that were read.
var pool = sync.Pool{New: func() any { return new([]token) }}

// Find lists the expressions of a text in order, none inside another. year completes
// dates that name none; a year that the text itself names goes first. 0 is unknown.
// The text should be in NFKC; letters of any case.
func Find(text string, year int) []Expr {
	toks := pool.Get().(*[]token)
	p := parser{text: text, toks: slices.Grow((*toks)[:0], 16+len(text)/5)}
	defer func() { // an Expr refers to none of them
		*toks = p.toks
		pool.Put(toks)
	}()
	p.scan()
	if !p.maybe {
		return nil
	}
	p.year, p.known = 2000, year != 0
	if year != 0 {
		p.year = year
	}
	for i, t := range p.toks {
		if y, _, ok := p.yearAt(i); ok && t.kind == number {
			p.year, p.known = y, true
			break
		}
	}
	var out []Expr
	for i := 0; i < len(p.toks); {
		e, next, ok := p.expr(i)
		if !ok || next <= i {
			i++
			continue
		}
		e.Pos, e.End = p.toks[i].pos, p.toks[next-1].end
		if e.Yearless && !p.known {
			e.NoYear = true
		}
		out = append(out, e)
		i = next
	}
	return out
}

type tokKind uint8

const (
	word tokKind = iota + 1
	number
	punct
	han // one Chinese character
)

type token struct {
	kind     tokKind
	text     string // lower case; a number's digits
	val      float64
	spelt    bool // the number was written in words
	ordinal  bool
	capital  bool
	pos, end int
}

type parser struct {
	text  string
	toks  []token
	year  int
	known bool // a year is known
	maybe bool // something that can start an expression was seen
}

// scan cuts the text into words, numbers, single Han characters and marks.
func (p *parser) scan() {
	s := p.text
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '`': // "3` July" is in real data
			i++
		case c >= '0' && c <= '9':
			i = p.scanNumber(i)
		case c < 0x80 && letter(c):
			j := i
			for j < len(s) && (letter(s[j]) || s[j] == '\'' && j+1 < len(s) && letter(s[j+1])) {
				j++
			}
			t := token{kind: word, text: lower(s[i:j]), capital: c <= 'Z', pos: i, end: j}
			t.text = strings.TrimSuffix(t.text, "'s")
			if v, ord, ok := NumberWord(t.text); ok {
				t.kind, t.val, t.ordinal, t.spelt = number, v, ord, true
				t = p.joinNumber(t)
			}
			if p.maybe = p.maybe || t.kind == number || starter(t.text); t.kind != 0 {
				p.toks = append(p.toks, t)
			}
			i = j
		case c < 0x80:
			p.toks = append(p.toks, token{kind: punct, text: s[i : i+1], pos: i, end: i + 1})
			i++
		default:
			i = p.scanWide(i)
		}
	}
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return strings.ToLower(s)
		}
	}
	return s
}

// scanNumber reads digits with group commas and a fraction, and an ordinal's ending.
func (p *parser) scanNumber(i int) int {
	s := p.text
	j := i
	for j < len(s) && s[j] >= '0' && s[j] <= '9' {
		j++
	}
	for j+3 < len(s) && s[j] == ',' && digits(s[j+1:j+4]) && (j+4 == len(s) || s[j+4] < '0' || s[j+4] > '9') && j-i <= 3 {
		j += 4
	}
	inDate := i > 1 && s[i-1] == '.' && s[i-2] >= '0' && s[i-2] <= '9'
	if j+1 < len(s) && s[j] == '.' && s[j+1] >= '0' && s[j+1] <= '9' && !inDate {
		k := j + 1
		for k < len(s) && s[k] >= '0' && s[k] <= '9' {
			k++
		}
		if k == len(s) || s[k] != '.' { // 2023.5.7 stays three numbers
			j = k
		}
	}
	t := token{kind: number, text: s[i:j], pos: i, end: j, val: parseFloat(s[i:j])}
	if j+2 <= len(s) {
		switch lower(s[j : j+2]) {
		case "st", "nd", "rd", "th":
			if j+2 == len(s) || !letter(s[j+2]) {
				t.ordinal = true
				j += 2
				t.end = j
			}
		}
	}
	p.toks = append(p.toks, t)
	p.maybe = true
	return j
}

// parseFloat reads what scanNumber let through: it cannot fail.
func parseFloat(s string) float64 {
	v, scale := 0.0, 0.0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.':
			scale = 1
		case c != ',':
			v = v*10 + float64(c-'0')
			scale *= 10
		}
	}
	if scale > 1 {
		v /= scale
	}
	return v
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// joinNumber makes "twenty three" one number with the token before; kind 0 says that
// it was joined.
func (p *parser) joinNumber(t token) token {
	n := len(p.toks)
	if n == 0 || t.val >= 10 && t.val != 100 && t.val != 1000 {
		return t
	}
	k := n - 1
	if p.toks[k].kind == punct && p.toks[k].text == "-" && k > 0 {
		k--
	}
	last := &p.toks[k]
	if last.kind != number || !last.spelt || last.ordinal {
		return t
	}
	switch {
	case t.val >= 100 && last.val < 100:
		last.val *= t.val
	case t.val < 10 && last.val >= 20 && last.val < 100 && int(last.val)%10 == 0:
		last.val += t.val
	default:
		return t
	}
	last.end, last.ordinal = t.end, t.ordinal
	p.toks = p.toks[:k+1]
	return token{}
}

// NumberWord reads one English number word, in lower case.
func NumberWord(w string) (v float64, ordinal, ok bool) {
	n, ok := numberWords[w]
	return n.value, n.ordinal, ok
}

type numberWord struct {
	value   float64
	ordinal bool
}

// numberWords joins cardinals and ordinals: most words are neither, and are looked up once.
var numberWords = func() map[string]numberWord {
	m := map[string]numberWord{}
	for w, v := range cardinals {
		m[w] = numberWord{v, false}
	}
	for w, v := range ordinals {
		m[w] = numberWord{v, true}
	}
	return m
}()

var cardinals = map[string]float64{"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
	"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1000, "dozen": 12}

var ordinals = map[string]float64{"first": 1, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "twentieth": 20, "thirtieth": 30}

// word and number helpers; out of range is the zero token.
func (p *parser) at(i int) *token {
	if i < 0 || i >= len(p.toks) {
		return &none
	}
	return &p.toks[i]
}

var none token

func (p *parser) is(i int, words ...string) bool {
	t := p.at(i)
	for _, w := range words {
		if t.text == w && t.kind != 0 && (t.kind != number || t.spelt) {
			return true
		}
	}
	return false
}
