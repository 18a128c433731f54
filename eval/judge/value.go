package judge

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/timex"
	"membench/internal/tokens"
)

// A value is what a text says in a form that has one meaning: it is compared as that,
// never by likeness of its letters.
type value struct {
	kind   string  // what it can be compared with: ip, port, time, bytes, clock, count …
	name   string  // of a name, its one form; "" of a measure
	lo, hi float64 // of a measure, in the base of its kind; equal unless it is a range
	bound  int     // -1 at most or below, +1 at least or above, 0 the value itself
	u      unit
	alt    float64 // a bare "m" after a number as minutes, in seconds; a clock's other half of the day
	of     string  // of a count, the stem of what is counted
	pos    int     // of its bytes in the text
	end    int
}

// values lists the values of a text in order. Spans of skip are dates and are left out.
func values(s string, w *when) []value {
	var out []value
	for _, e := range w.all {
		if e.Kind == timex.Clock {
			v := value{kind: "clock", lo: float64(e.Minute), hi: float64(e.Minute), alt: -1, pos: e.Pos, end: e.End}
			if e.Vague { // "4:12" may be either half of the day
				v.alt = float64((e.Minute + 720) % 1440)
			}
			out = append(out, v)
		}
	}
	clocks := out
	out = nil
	for i := 0; i < len(s); {
		c := s[i]
		if v, ok := startsAt(clocks, i); ok {
			out = append(out, v)
			i = v.end
			continue
		}
		start := i == 0 || !letterOrDigit(s[i-1])
		if start && (digit(c) || asciiLetter(c) || c == '#') {
			if names, end := nameAt(s, i); end > i {
				out = append(out, names...)
				i = end
				continue
			}
		}
		if e := dateAt(w, i); e > i {
			i = e
			continue
		}
		if v, end := measureAt(s, i); end > i && (start || c >= utf8.RuneSelf || !letterOrDigit(c)) {
			for end < len(s) && v.kind == "time" { // compound lengths of time
				n, e := measureAt(s, afterAnd(s, end))
				if e <= end || n.kind != "time" && n.u.kind != "length" || n.kind != "time" && n.alt == 0 || n.u.mul >= v.u.mul && n.kind == "time" {
					break
				}
				if n.kind != "time" {
					n.lo, n.u = n.alt, units["min"]
				}
				v.lo, v.hi, v.u, end = v.lo+n.lo, v.hi+n.lo, n.u, e
			}
			v.pos, v.end = i, end
			i = end
			if v.kind == "count" && reference(s[:v.pos]) {
				continue
			}
			if side, n := boundBefore(s[:v.pos]); side != 0 {
				v.bound, v.pos = side, v.pos-n
			} else if side, n := boundAfter(s[end:]); side != 0 {
				v.bound, v.end = side, end+n
				i = v.end
			}
			out = append(out, v)
			continue
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		if start && asciiLetter(c) {
			for i < len(s) && letterOrDigit(s[i]) {
				i++
			}
			continue
		}
		i += n
	}
	return out
}

// reference reports whether what a text ends with makes a number behind it the place of a
// source: "Session 4", "step 2", 第4段.
func reference(s string) bool {
	s = strings.ToLower(strings.TrimRight(s[max(0, len(s)-12):], " #"))
	for _, w := range []string{"session", "sessions", "step", "turn", "message", "line", "page", "note", "第"} {
		if strings.HasSuffix(s, w) {
			return true
		}
	}
	return false
}

func letterOrDigit(c byte) bool { return digit(c) || asciiLetter(c) }

func startsAt(list []value, i int) (value, bool) {
	for _, v := range list {
		if v.pos == i {
			return v, true
		}
	}
	return value{}, false
}

// dateAt is the end of a date that covers byte i; 0 is none.
func dateAt(w *when, i int) int {
	for _, e := range w.all {
		if (e.Kind == timex.Absolute || e.Kind == timex.Deictic) && i >= e.Pos && i < e.End {
			return e.End
		}
	}
	return 0
}

func afterAnd(s string, i int) int {
	j := i
	for j < len(s) && (s[j] == ' ' || s[j] == ',') {
		j++
	}
	if strings.HasPrefix(s[j:], "and ") {
		j += 4
	} else if strings.HasPrefix(s[j:], "又") || strings.HasPrefix(s[j:], "零") {
		j += 3
	}
	return j
}

// measureAt reads a number with its sign, scale and unit.
func measureAt(s string, i int) (v value, end int) {
	j, sign, cur := i, 1., ""
	for sym, name := range currencies {
		if strings.HasPrefix(s[j:], sym) {
			j, cur = j+len(sym), name
			for j < len(s) && s[j] == ' ' {
				j++
			}
		}
	}
	if j < len(s) && (s[j] == '-' || strings.HasPrefix(s[j:], "−")) && (i == 0 || s[i-1] == ' ' || s[i-1] == '(') {
		sign = -1
		j++
		if s[j-1] != '-' {
			j += len("−") - 1
		}
	}
	if strings.HasPrefix(s[j:], "百分之") {
		if n, k := numberAt(s, j+9); k > j+9 {
			return value{kind: "percent", lo: n, hi: n, u: units["%"]}, k
		}
	}
	n, k := numberAt(s, j)
	half := 0.
	if k == j {
		switch {
		case strings.HasPrefix(s[j:], "half an ") || strings.HasPrefix(s[j:], "half a "):
			n, k = .5, j+strings.Index(s[j:], " a")+1
			k += strings.IndexByte(s[k:], ' ')
		case strings.HasPrefix(s[j:], "半") && cur == "":
			n, k = .5, j+3
		case (strings.HasPrefix(s[j:], "an ") || strings.HasPrefix(s[j:], "a ")) && (j == 0 || !asciiLetter(s[j-1])):
			n, k = 1, j+strings.IndexByte(s[j:], ' ')
			if u, e := unitAt(s, k); u.kind != "time" || u.mul < 1 || e == k {
				return v, i
			}
		default:
			return v, i
		}
	}
	n *= sign
	hi := n
	if m, e := rangeAt(s, k); e > k {
		hi, k = m, e
	}
	if f, e := scaleAt(s, k); e > k && (cur != "" || s[e-1] != 'k' || e == len(s) || !asciiLetter(s[e])) {
		n, hi, k = n*f, hi*f, e
	}
	if rest, ok := strings.CutPrefix(s[k:], " and a half"); ok {
		half, k = .5, len(s)-len(rest)
	} else if rest, ok := strings.CutPrefix(s[k:], "个半"); ok {
		half, k = .5, len(s)-len(rest)
		if u, e := unitAt(s, k); e > k {
			return value{kind: u.kind, lo: (n + half) * u.mul, hi: (n + half) * u.mul, u: u}, e
		}
	}
	n, hi = n+half, hi+half
	if cur != "" {
		u := units[map[string]string{"usd": "usd", "eur": "eur", "gbp": "gbp", "cny": "cny"}[cur]]
		return value{kind: cur, lo: n, hi: hi, u: u}, k
	}
	u, e := unitAt(s, k)
	if e == k {
		v = value{kind: "count", lo: n, hi: hi, of: noun(s[k:])}
		return v, k
	}
	v = value{kind: u.kind, lo: n * u.mul, hi: hi * u.mul, u: u}
	if strings.TrimLeft(s[k:e], " -") == "m" {
		v.alt = n * 60
	}
	if rest, ok := strings.CutPrefix(s[e:], " and a half"); ok && u.kind == "time" {
		v.lo, v.hi, e = v.lo+.5*u.mul, v.hi+.5*u.mul, len(s)-len(rest)
	} else if rest, ok := strings.CutPrefix(s[e:], "半"); ok && u.kind == "time" {
		v.lo, v.hi, e = v.lo+.5*u.mul, v.hi+.5*u.mul, len(s)-len(rest)
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
		v, err := parseNumber(s[i:j])
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
		case !ok || ordinal && !any && w == "second", w == "dozen":
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
	for _, w := range []string{"百万", "千万", "万", "亿"} {
		if strings.HasPrefix(s[i:], w) {
			return scales[w], i + len(w)
		}
	}
	return 1, i
}

// unitAt reads a unit behind a number, after a blank or a hyphen.
func unitAt(s string, i int) (unit, int) {
	j := i
	if j < len(s) && (s[j] == ' ' || s[j] == '-') {
		j++
	}
	k := j
	for k < len(s) {
		r, n := utf8.DecodeRuneInString(s[k:])
		if !(r < 0x80 && asciiLetter(byte(r)) || r == 'μ' || r == '°' || r == '%' || r == '/' && k > j) {
			break
		}
		k += n
		if r == '%' {
			break
		}
	}
	for k > j {
		w := s[j:k]
		if u, ok := units[w]; ok {
			return u, k
		}
		if u, ok := units[strings.ToLower(w)]; ok && !(len(w) == 1 && w != "%" && w >= "A" && w <= "Z" && w != "W" && w != "V") {
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
				if u, ok := units[s[j:j+n]]; ok {
					return u, j + n
				}
			}
		}
	}
	return unit{}, i
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

var boundsBefore = []struct {
	words string
	side  int
}{
	{"more than", 1}, {"greater than", 1}, {"over", 1}, {"above", 1}, {"at least", 1}, {"no less than", 1}, {"not less than", 1}, {"exceeds", 1}, {"exceeding", 1}, {"exceeded", 1}, {"beyond", 1}, {"minimum of", 1}, {">", 1}, {">=", 1}, {"≥", 1}, {"longer than", 1}, {"higher than", 1},
	{"超过", 1}, {"至少", 1}, {"不少于", 1}, {"不低于", 1}, {"大于", 1}, {"高于", 1}, {"多于", 1}, {"起码", 1},
	{"no more than", -1}, {"not more than", -1}, {"less than", -1}, {"fewer than", -1}, {"under", -1}, {"below", -1}, {"at most", -1}, {"up to", -1}, {"maximum of", -1}, {"within", -1}, {"<", -1}, {"<=", -1}, {"≤", -1}, {"shorter than", -1}, {"lower than", -1}, {"not exceeding", -1},
	{"不超过", -1}, {"至多", -1}, {"最多", -1}, {"少于", -1}, {"小于", -1}, {"低于", -1}, {"不到", -1}, {"不高于", -1},
}

// boundBefore reads a bound that ends where a value begins, and its bytes.
func boundBefore(s string) (side, n int) {
	from := max(0, len(s)-24)
	t := strings.ToLower(strings.TrimRight(s[from:], " "))
	if strings.HasSuffix(t, "->") || strings.HasSuffix(t, "=>") {
		return 0, 0 // an arrow
	}
	best := 0
	for _, b := range boundsBefore { // the longest that ends here: "no more than", not "more than"
		if len(b.words) > best && strings.HasSuffix(t, b.words) && (b.words[0] >= 0x80 || !asciiLetter(b.words[0]) || len(t) == len(b.words) || !asciiLetter(t[len(t)-len(b.words)-1])) {
			side, best = b.side, len(b.words)
			n = len(s) - from - len(t) + best
		}
	}
	return side, n
}

// boundAfter reads a bound behind a value, and its bytes.
func boundAfter(s string) (side, n int) {
	t := strings.TrimLeft(s, " ")
	for _, b := range []struct {
		words string
		side  int
	}{{"or more", 1}, {"or above", 1}, {"or longer", 1}, {"and above", 1}, {"and up", 1}, {"以上", 1}, {"+", 1}, {"or less", -1}, {"or fewer", -1}, {"or below", -1}, {"at most", -1}, {"以下", -1}, {"以内", -1}, {"之内", -1}} {
		if strings.HasPrefix(t, b.words) {
			return b.side, len(s) - len(t) + len(b.words)
		}
	}
	return 0, 0
}

// sameValue reports whether two values of one kind are the same. Other units of one
// system are the same quantity exactly; those of two systems within 1.1 %, months and
// years against days within 6 %.
func sameValue(g, a value) bool {
	if !comparable(g, a) || g.bound != a.bound {
		return false
	}
	if g.name != "" && a.name != "" {
		return g.name == a.name || a.kind == "prefix" && strings.HasPrefix(a.name, g.name+"/") // an address with its length
	}
	x, y := g, a
	for _, v := range []*value{&x, &y} {
		if v.name != "" {
			n, err := parseNumber(v.name)
			if err != nil {
				return false
			}
			v.kind, v.lo, v.hi = "count", n, n
		}
	}
	if x.kind != y.kind {
		switch {
		case x.kind == "percent" && y.kind == "count" && y.lo <= 1:
			y.lo, y.hi = y.lo*100, y.hi*100
		case y.kind == "percent" && x.kind == "count" && x.lo <= 1:
			x.lo, x.hi = x.lo*100, x.hi*100
		case x.kind == "time" && y.alt > 0:
			y.lo, y.hi = y.alt, y.alt
		case y.kind == "time" && x.alt > 0:
			x.lo, x.hi = x.alt, x.alt
		case x.kind == "count" && x.u.mul == 0 && y.u.mul != 0: // the unit is the question's
			y.lo, y.hi = y.lo/y.u.mul, y.hi/y.u.mul
		case y.kind == "count" && x.u.mul != 0:
			x.lo, x.hi = x.lo/x.u.mul, x.hi/x.u.mul
		}
	}
	if x.kind == "clock" {
		return x.lo == y.lo || x.alt >= 0 && x.alt == y.lo || y.alt >= 0 && y.alt == x.lo
	}
	tol := 1e-6
	switch {
	case x.u.loose != y.u.loose:
		tol = .011
	case x.u.cal != y.u.cal:
		tol = .06
	}
	return closeTo(x.lo, y.lo, tol) && closeTo(x.hi, y.hi, tol)
}

// comparable reports whether two values can be the same thing at all: of one kind, or
// a bare number beside a measure whose unit the question may have given.
func comparable(g, a value) bool {
	switch {
	case g.kind == a.kind, g.kind == "ip" && a.kind == "prefix":
		return true
	case g.name != "" && a.name == "":
		return a.kind == "count" && g.kind != "id" && digit(g.name[0]) // "20" for VLAN 20
	case g.name != "" || a.name != "":
		return a.name != "" && g.kind == "count" && a.kind != "id" && digit(a.name[0])
	case g.kind == "count":
		return g.of == "" && a.kind != "clock"
	case a.kind == "count":
		return a.of == "" && g.kind != "clock"
	}
	return g.kind == "time" && a.alt > 0 || a.kind == "time" && g.alt > 0
}

func showValue(s string, v value) string { return strings.TrimSpace(s[v.pos:v.end]) }
