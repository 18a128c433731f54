package fidelity

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/measure"
	"membench/internal/timex"

	"golang.org/x/text/unicode/norm"
)

// value is a quantity or a date in a text, in any wording.
type value struct {
	span
	number measure.Value
	lo, hi timex.Day
	dated  bool
	op     timex.Op // until, since
	said   string   // verbatim
}

// same reports whether two values are one: the same day, the same number of the same, or a
// quantity in another unit, rounded.
func (v value) same(o value) bool {
	if v.dated || o.dated {
		return v.dated == o.dated && v.lo == o.lo && v.hi == o.hi && v.op == o.op
	}
	a, b := v.number, o.number
	if a.Kind != b.Kind {
		return false
	}
	if a.Unit == b.Unit {
		return a.Lo == b.Lo && a.Hi == b.Hi && sameFigure(v.said, o.said) && v.ended() == o.ended()
	}
	near := func(x, y float64) bool {
		return math.Abs(x-y) <= converted*math.Max(math.Abs(x), math.Abs(y)) || a.Kind == "temperature" && math.Abs(x-y) <= .6
	}
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
				if met++; w.to > v.to { // 4¼
					met++
				}
			}
		}
		if met > 1 { // a score, a code: its parts are not values
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

// restated reports whether a text has the words of the original, in order and without a gap, comparing dates and quantities by value: 9 km as 5.6 miles, 809 in
// words.
func restated(o Original, got string) bool {
	a := newTyped(o.Text, o.Time)
	if len(a.values) == 0 {
		return false
	}
	want, have := a.terms(), newTyped(got, o.Time).terms()
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

// ended reports whether the fraction of a bare number ends with a zero: it then belongs to a code or a version, where 3.30 differs from 3.3.
func (v value) ended() bool {
	_, fraction, ok := strings.Cut(strings.TrimRightFunc(v.said, func(r rune) bool { return !unicode.IsDigit(r) }), ".")
	return ok && v.number.Kind == "count" && strings.HasSuffix(fraction, "0") && len(fraction) < 3
}

var fraction = regexp.MustCompile(`^ ([1-9])[/⁄]([2-9])\b`)

// quantity extends measure.At with fractions after whole numbers.
func quantity(text string, i int) (v measure.Value, end int) {
	v, end = measure.At(text, i)
	if end == i {
		return v, end
	}
	if r, n := utf8.DecodeRuneInString(text[end:]); v.Kind == "count" && n > 1 { // 4¼
		if above, below, ok := strings.Cut(norm.NFKC.String(string(r)), "⁄"); ok {
			a, _ := strconv.ParseFloat(above, 64)
			if b, _ := strconv.ParseFloat(below, 64); b > 0 {
				v.Lo, v.Hi, end = v.Lo+a/b, v.Hi+a/b, end+n
			}
		}
	} else if m := fraction.FindStringSubmatch(text[end:]); v.Kind == "count" && m != nil {
		v.Lo, v.Hi, end = v.Lo+float64(m[1][0]-'0')/float64(m[2][0]-'0'), v.Hi+float64(m[1][0]-'0')/float64(m[2][0]-'0'), end+len(m[0])
	}
	v.Of = ""
	return continued(text, v, end)
}

// continued adds a following quantity in a smaller unit: 1 h 45 min.
func continued(text string, v measure.Value, end int) (measure.Value, int) {
	at := end + len(text[end:]) - len(strings.TrimLeft(text[end:], " "))
	more, to := measure.At(text, at)
	if to == at || v.Kind == "count" || v.Kind != more.Kind || v.Lo != v.Hi || more.Lo != more.Hi || more.Unit.Mul >= v.Unit.Mul || more.Lo >= v.Unit.Mul {
		return v, end
	}
	more.Lo, more.Hi, more.Of = more.Lo+v.Lo, more.Hi+v.Hi, ""
	return more, to
}

// negative reports whether a number has a minus right before it that joins it to nothing.
func negative(text string, w word) bool {
	sign, n := utf8.DecodeLastRuneInString(text[:w.from])
	before, _ := utf8.DecodeLastRuneInString(text[:w.from-n])
	return (sign == '-' || sign == '−') && !unicode.IsDigit(before) && !(unicode.IsLetter(before) && before < utf8.RuneSelf)
}
