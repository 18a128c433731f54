package fidelity

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/measure"
	"membench/internal/timex"
)

// value is a quantity or a date of a text, in whatever words.
type value struct {
	span
	number measure.Value
	lo, hi timex.Day
	dated  bool
	said   string // as it stands
}

// same reports whether two values are one: the same day, the same number of the same, or a
// quantity in another unit, rounded.
func (v value) same(o value) bool {
	if v.dated || o.dated {
		return v.dated == o.dated && v.lo == o.lo && v.hi == o.hi
	}
	a, b := v.number, o.number
	if a.Kind != b.Kind {
		return false
	}
	if a.Unit == b.Unit {
		return a.Lo == b.Lo && a.Hi == b.Hi && sameFigure(v.said, o.said)
	}
	near := func(x, y float64) bool { return math.Abs(x-y) <= converted*math.Max(math.Abs(x), math.Abs(y)) }
	return near(a.Lo, b.Lo) && near(a.Hi, b.Hi)
}

// converted is how far a quantity may be from another in a different unit to be the same,
// rounded.
const converted = 0.02

// term is a word of a text, or one of its values as one.
type term struct {
	norm  string
	value *value
}

func (t *typed) terms() (out []term) {
	last := -1
	for _, w := range words(t.text) {
		in := -1
		met := 0
		for i, v := range t.values {
			if v.meets(span{w.from, w.to}) {
				in = i
				met++
			}
		}
		if met > 1 { // a score, a code: its parts are no values
			in = -1
		}
		switch {
		case in < 0:
			out = append(out, term{norm: w.norm})
		case in != last:
			out = append(out, term{value: &t.values[in]})
		}
		last = in
	}
	return out
}

// restated reports whether a text has the words of the original in their order and without a
// gap where its dates and quantities count by what they are: 9 km as 5.6 miles, 809 in words.
func restated(text, got string) bool {
	a := newTyped(text)
	if len(a.values) == 0 {
		return false
	}
	want, have := a.terms(), newTyped(got).terms()
	for at := 0; at+len(want) <= len(have); at++ {
		n := 0
		for n < len(want) && (want[n].value == nil && have[at+n].value == nil && want[n].norm == have[at+n].norm ||
			want[n].value != nil && have[at+n].value != nil && want[n].value.same(*have[at+n].value)) {
			n++
		}
		if n == len(want) {
			return true
		}
	}
	return false
}

// sameFigure reports whether two numbers of one value are written as one: a point where a comma
// was makes thousands of units, and a number that begins with a zero is a code.
func sameFigure(a, b string) bool {
	digit := func(r rune) bool { return unicode.IsDigit(r) }
	marks := func(s string) string {
		if end := strings.LastIndexFunc(s, digit); end >= 0 {
			s = s[:end]
		}
		return strings.Map(func(r rune) rune {
			if r == '.' || r == ',' {
				return r
			}
			return -1
		}, s)
	}
	code := func(s string) bool {
		at := strings.IndexFunc(s, digit)
		return at >= 0 && s[at] == '0' && at+1 < len(s) && unicode.IsDigit(rune(s[at+1]))
	}
	x, y := marks(a), marks(b)
	return (x == y || x == "" || y == "") && code(a) == code(b)
}

// negative reports whether a number has a minus right before it that joins it to nothing.
func negative(text string, w word) bool {
	sign, n := utf8.DecodeLastRuneInString(text[:w.from])
	before, _ := utf8.DecodeLastRuneInString(text[:w.from-n])
	return (sign == '-' || sign == '−') && !unicode.IsDigit(before) && !(unicode.IsLetter(before) && before < utf8.RuneSelf)
}
