// Package measure reads quantities in English and Chinese text: a number with its sign,
// scale and unit in one form, so that 1,500 m, 1.5 km and 一点五公里 are the same. Dates and
// clock times are internal/timex's.
package measure

import (
	"errors"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/timex"
	"membench/internal/tokens"
)

// A Value is a number and what it counts.
type Value struct {
	Kind   string  // what it can be compared with: time, bytes, length, usd …; count without a unit
	Lo, Hi float64 // in the base of its kind; equal unless it is a range
	Unit   Unit
	Alt    float64 // a bare "m" after a number as minutes, in seconds
	Of     string  // of a count, the stem of what is counted
}

var errNumber = errors.New("not a number")

// At reads the measure that begins at byte i of a text: a number in digits, English words or
// Chinese characters, with its sign, scale and unit, or a range of two. An end of i says that there is none.
func At(s string, i int) (v Value, end int) {
	v, end = single(s, i)
	if end == i || v.Lo != v.Hi {
		return v, end
	}
	between := hasFold(s[max(0, i-len("between ")):i], "between ") || strings.HasSuffix(s[:i], "介于") || strings.HasSuffix(s[:i], "在")
	for _, mark := range []string{" and ", "和", "与", " to ", "到", "至", "-", "–", " - ", " – ", "~"} {
		if !strings.HasPrefix(s[end:], mark) || !between && (v.Kind == "count" || strings.ContainsAny(mark, "a和与") || hasFold(s[max(0, i-len("from ")):i], "from ")) {
			continue
		}
		from := end + len(mark)
		if o, e := single(s, from); e > from && (o.Kind == v.Kind || between && (o.Kind == "count" || v.Kind == "count")) {
			if v.Unit.Mul == 0 && o.Unit.Mul != 0 {
				v.Kind, v.Unit, v.Lo = o.Kind, o.Unit, o.Unit.In(v.Lo)
			} else if o.Unit.Mul == 0 && v.Unit.Mul != 0 {
				o.Hi = v.Unit.In(o.Hi)
			}
			if o.Hi > v.Lo {
				v.Hi, v.Alt, v.Of = o.Hi, 0, o.Of
				return v, e
			}
		}
	}
	return v, end
}

// before are the times that Chinese puts before what is counted for each of them: 每小时60公里.
var before = []struct{ words, unit string }{{"每小时", "h"}, {"时速", "h"}, {"每分钟", "min"}, {"每秒", "s"}, {"每秒钟", "s"}}

// single reads one number with its unit.
func single(s string, i int) (v Value, end int) {
	sign := 1.
	if i >= len(s) || s[i] < utf8.RuneSelf && s[i] != '$' && s[i] != '-' && !letterOrDigit(s[i]) {
		return v, i
	}
	cur, j := currencyAt(s, i)
	for j > i && j < len(s) && s[j] == ' ' {
		j++
	}
	if j < len(s) && (s[j] == '-' || strings.HasPrefix(s[j:], "−")) && (i == 0 || s[i-1] == ' ' || s[i-1] == '(') {
		sign = -1
		j++
		if s[j-1] != '-' {
			j += len("−") - 1
		}
	}
	for _, word := range []string{"minus ", "negative ", "零下", "负"} {
		if hasFold(s[j:], word) && (j == 0 || !asciiLetter(s[j-1])) {
			sign, j = -1, j+len(word)
			break
		}
	}
	if strings.HasPrefix(s[j:], "百分之") {
		if n, k := numberAt(s, j+9); k > j+9 {
			return Value{Kind: "percent", Lo: n, Hi: n, Unit: Units["%"]}, k
		}
	}
	n, k := numberAt(s, j)
	half := 0.
	if k == j {
		switch {
		case hasFold(s[j:], "half an ") || hasFold(s[j:], "half a "):
			n, k = .5, j+strings.Index(s[j:], " a")+1
			k += strings.IndexByte(s[k:], ' ')
		case strings.HasPrefix(s[j:], "半") && cur.Mul == 0:
			n, k = .5, j+3
		case hasFold(s[j:], "a dozen") && (j == 0 || !asciiLetter(s[j-1])):
			n, k = 1, j+1
		case hasFold(s[j:], "a quarter of ") || hasFold(s[j:], "a third of "):
			n, k = 1, j+1
			if _, e := shareOf(s, k); e == k {
				return v, i
			}
		case (hasFold(s[j:], "an ") || hasFold(s[j:], "a ")) && (j == 0 || !asciiLetter(s[j-1])):
			n, k = 1, j+strings.IndexByte(s[j:], ' ')
			if u, e := unitAt(s, k); u.Kind != "time" || u.Mul < 1 || e == k {
				return v, i
			}
		default:
			return v, i
		}
	}
	n *= sign
	if f, e := shareOf(s, k); e > k {
		n, k = n*f, e
	}
	hi := n
	if m, e := rangeAt(s, k); e > k && (m >= n || m < 0) { // "28 to 26" is a score
		hi, k = m, e
	}
	if f, e := scaleAt(s, k); e > k && (cur.Mul != 0 || s[e-1] != 'k' || e == len(s) || !asciiLetter(s[e])) {
		n, hi, k = n*f, hi*f, e
	}
	if rest, ok := strings.CutPrefix(s[k:], " and a half"); ok {
		half, k = .5, len(s)-len(rest)
	} else if rest, ok := strings.CutPrefix(s[k:], "个半"); ok {
		half, k = .5, len(s)-len(rest)
		if u, e := unitAt(s, k); e > k {
			return Value{Kind: u.Kind, Lo: u.In(n + half), Hi: u.In(n + half), Unit: u}, e
		}
	}
	n, hi = n+half, hi+half
	if cur.Mul != 0 {
		return Value{Kind: cur.Kind, Lo: n, Hi: hi, Unit: cur}, k
	}
	u, e := unitAt(s, k)
	for _, b := range before {
		if strings.HasSuffix(s[:i], b.words) && e > k && ratable(u) {
			u = Per(u, Units[b.unit])
		}
	}
	if e == k {
		v = Value{Kind: "count", Lo: n, Hi: hi, Of: noun(s[k:])}
		return v, k
	}
	if rest, ok := strings.CutPrefix(s[e:], " below zero"); ok && u.Kind == "temperature" {
		n, hi, e = -n, -hi, len(s)-len(rest)
	}
	v = Value{Kind: u.Kind, Lo: u.In(n), Hi: u.In(hi), Unit: u}
	if strings.TrimLeft(s[k:e], " -") == "m" {
		v.Alt = n * 60
	}
	if rest, ok := strings.CutPrefix(s[e:], " and a half"); ok && u.Kind == "time" {
		v.Lo, v.Hi, e = v.Lo+.5*u.Mul, v.Hi+.5*u.Mul, len(s)-len(rest)
	} else if rest, ok := strings.CutPrefix(s[e:], "半"); ok && u.Kind == "time" {
		v.Lo, v.Hi, e = v.Lo+.5*u.Mul, v.Hi+.5*u.Mul, len(s)-len(rest)
	}
	return v, e
}

// numberAt reads a number in digits, English words or Chinese characters.
func numberAt(s string, i int) (float64, int) {
	if i >= len(s) {
		return 0, i
	}
	if digit(s[i]) {
		j := i
		for j < len(s) && (digit(s[j]) || s[j] == '.' && j+1 < len(s) && digit(s[j+1]) || s[j] == ',' && j+1 < len(s) && groupOfThree(s[j+1:])) {
			j++
		}
		v, err := Number(s[i:j])
		if err != nil {
			return 0, i
		}
		for _, end := range []string{"st", "nd", "rd", "th"} {
			if strings.HasPrefix(s[j:], end) && (j+2 == len(s) || !letterOrDigit(s[j+2])) {
				return v, j + 2
			}
		}
		return v, j
	}
	if s[i] < utf8.RuneSelf {
		if i > 0 && letterOrDigit(s[i-1]) {
			return 0, i
		}
		return numberWords(s, i)
	}
	if v, n := timex.HanNumber(s[i:]); n > 0 {
		return v, i + n
	}
	return 0, i
}

// numberWords reads "twenty-five", "one hundred and twelve".
func numberWords(s string, i int) (float64, int) {
	total, part, end, any := 0., 0., i, false
	for j := i; j < len(s); {
		k := j
		for k < len(s) && asciiLetter(s[k]) {
			k++
		}
		if k == j || k-j > 10 {
			break
		}
		w := strings.ToLower(s[j:k])
		v, ordinal, ok := timex.NumberWord(w)
		switch {
		case !ok && w == "and" && any && part >= 100:
		case !ok || ordinal && !any && (w == "second" || w == "first"), w == "dozen": // a unit; a place in a row
			k = len(s) + 1
		case v == 100 && any:
			part *= 100
		case v == 1000 && any:
			total, part = total+part*1000, 0
		case any && !(part >= 20 && v < 10 && math.Mod(part, 10) == 0 || part >= 100 && v < 100):
			k = len(s) + 1
		default:
			part += v
		}
		if k > len(s) {
			break
		}
		if ok {
			any, end = true, k
		}
		j = k
		if j < len(s) && (s[j] == ' ' || s[j] == '-') {
			j++
		}
	}
	if !any {
		return 0, i
	}
	return total + part, end
}

// rangeAt reads the second number of "10-20", "10 to 20", "10到20".
func rangeAt(s string, i int) (float64, int) {
	for _, mark := range []string{"-", "–", "~", " - ", " – ", " to ", "到", "至"} {
		if strings.HasPrefix(s[i:], mark) {
			if n, k := numberAt(s, i+len(mark)); k > i+len(mark) && (k == len(s) || s[k] != '-' && s[k] != '/' && s[k] != '.' || k+1 < len(s) && !digit(s[k+1])) {
				return n, k
			}
		}
	}
	return 0, i
}

// shareOf reads " quarters of an" of "three quarters of an hour": the share, and where the unit follows.
func shareOf(s string, i int) (float64, int) {
	for word, f := range map[string]float64{" quarter": .25, " third": 1. / 3} {
		if !hasFold(s[i:], word) {
			continue
		}
		rest := strings.TrimPrefix(s[i+len(word):], "s")
		for _, of := range []string{" of an", " of a"} {
			if e := len(s) - len(rest) + len(of); hasFold(rest, of) && e < len(s) && s[e] == ' ' {
				if u, k := unitAt(s, e); k > e && u.Kind != "" {
					return f, e
				}
			}
		}
	}
	return 1, i
}

func scaleAt(s string, i int) (float64, int) {
	j := i
	if j < len(s) && s[j] == ' ' {
		j++
	}
	k := j
	for k < len(s) && asciiLetter(s[k]) {
		k++
	}
	if k > j {
		if f, ok := scales[strings.ToLower(s[j:k])]; ok {
			return f, k
		}
		return 1, i
	}
	for _, w := range []string{"百万", "千万", "千", "万", "亿"} {
		if strings.HasPrefix(s[i:], w) {
			return scales[w], i + len(w)
		}
	}
	return 1, i
}

// unitAt reads a unit behind a number, after a blank or a hyphen: one of the table, or one for each of another.
func unitAt(s string, i int) (Unit, int) {
	j := i
	if j < len(s) && (s[j] == ' ' || s[j] == '-') {
		j++
	}
	u, k := named(s, j)
	if k == j {
		return Unit{}, i
	}
	for _, by := range []string{"/", " per ", " a ", " an ", "每"} {
		if !strings.HasPrefix(s[k:], by) || !ratable(u) {
			continue
		}
		switch d, e := named(s, k+len(by)); {
		case d.Kind == "time" && d.Mul < 86400, by[0] != ' ' && (d.Kind == "length" || d.Kind == "mass" || d.Kind == "volume" || d.Kind == "area"):
			return Per(u, d), e
		}
	}
	return u, k
}

// ratable reports whether a unit is also counted for each second, metre … as one quantity; amounts of money for a period stay money.
func ratable(u Unit) bool {
	return u.Kind == "length" || u.Kind == "volume" || u.Kind == "mass" || u.Kind == "bytes" || u.Kind == "db"
}

// named reads the name of a unit: a word, several, or Chinese.
func named(s string, j int) (Unit, int) {
	k := j
	for k < len(s) {
		r, n := utf8.DecodeRuneInString(s[k:])
		if !(r < 0x80 && asciiLetter(byte(r)) || strings.ContainsRune("μ°Ω", r) || r == '%' || r == '/' && k > j) {
			break
		}
		k += n
		if r == '%' {
			break
		}
	}
	if k > j && k < len(s) && (s[k] == '2' || s[k] == '3') && (k+1 == len(s) || !letterOrDigit(s[k+1])) { // m2
		if u, ok := Units[strings.ToLower(s[j:k+1])]; ok {
			return u, k + 1
		}
	}
	if n := longest[strings.ToLower(s[j:k])]; n > 1 {
		best, end, name := Unit{}, j, strings.ToLower(s[j:k])
		for e := k; n > 1 && e < len(s) && s[e] == ' '; n-- {
			w := e + 1
			for e = w; e < len(s) && asciiLetter(s[e]); e++ {
			}
			name += "_" + strings.ToLower(s[w:e])
			if u, ok := Units[name]; ok {
				best, end = u, e
			}
		}
		if end > j {
			return best, end
		}
	}
	for k > j {
		w := s[j:k]
		if u, ok := Units[w]; ok {
			return u, k
		}
		if u, ok := Units[strings.ToLower(w)]; ok && !(len(w) == 1 && w != "%" && w >= "A" && w <= "Z" && w != "W" && w != "V") {
			return u, k
		}
		if p := strings.LastIndexByte(w, '/'); p > 0 { // "36 ms/hop"
			k = j + p
			continue
		}
		break
	}
	if k == j { // Chinese units follow directly
		for n := 15; n >= 3; n -= 3 {
			if j+n <= len(s) {
				if u, ok := Units[s[j:j+n]]; ok {
					return u, j + n
				}
			}
		}
	}
	return Unit{}, j
}

// noun is the word that a bare number counts.
func noun(s string) string {
	s = strings.TrimLeft(s, " -")
	k := 0
	for k < len(s) && asciiLetter(s[k]) {
		k++
	}
	if k > 0 {
		w := strings.ToLower(s[:k])
		if tokens.Stop(w) {
			return ""
		}
		if len(w) > 3 {
			w = strings.TrimSuffix(w, "s")
		}
		return w
	}
	r, n := utf8.DecodeRuneInString(s)
	if unicode.Is(unicode.Han, r) {
		return s[:n]
	}
	return ""
}

// Number reads digits with group commas and a fraction.
func Number(s string) (float64, error) {
	s = strings.TrimRight(s, ".,")
	v, scale := 0.0, 0.0
	dots := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.':
			if dots++; dots > 1 {
				return 0, errNumber
			}
			scale = 1
		case c == ',':
		default:
			v = v*10 + float64(c-'0')
			scale *= 10
		}
	}
	if scale > 1 {
		v /= scale
	}
	return v, nil
}

func digit(c byte) bool         { return c >= '0' && c <= '9' }
func asciiLetter(c byte) bool   { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func letterOrDigit(c byte) bool { return digit(c) || asciiLetter(c) }

func groupOfThree(s string) bool {
	return len(s) >= 3 && digit(s[0]) && digit(s[1]) && digit(s[2]) && (len(s) == 3 || !digit(s[3]))
}

// hasFold reports whether s begins with prefix, in small letters or capitals.
func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
