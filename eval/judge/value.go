package judge

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/measure"
	"membench/internal/timex"
)

// A value is a part of a text whose form has one meaning: it is compared by value, never by similarity of letters.
type value struct {
	kind   string  // comparable values have the same kind: ip, port, time, bytes, clock, count …
	name   string  // of a name, its one form; "" of a measure
	lo, hi float64 // of a measure, in the base of its kind; equal unless it is a range
	bound  int     // -1 at most or below, +1 at least or above, 0 the value itself
	u      measure.Unit
	alt    float64      // a bare "m" after a number as minutes, in seconds; a clock's other half of the day
	of     string       // for a count, the stem of the counted thing
	per    int          // the period that it is for, of periods and one more: 3 of "465 euros a week"; 0 unsaid
	as     measure.Unit // of a bare count, the unit that the question asks for
	pos    int          // of its bytes in the text
	end    int
}

// measureAt reads a number with its sign, scale and unit.
func measureAt(s string, i int) (value, int) {
	m, end := measure.At(s, i)
	return value{kind: m.Kind, lo: m.Lo, hi: m.Hi, u: m.Unit, alt: m.Alt, of: m.Of}, end
}

// values lists the values of a text in order. Spans of skip are dates and are omitted.
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
		if start && (digit(c) || c == '+') && dateAt(w, i) == 0 {
			if v, end := digitsAt(s, i, w); end > i {
				out = append(out, v)
				i = end
				continue
			}
		}
		if e := dateAt(w, i); e > i {
			if v, end := measureAt(s, i); end <= e || v.kind == "time" || v.kind == "count" { // "2048 MiB" is not a year
				i = e
				continue
			}
		}
		if v, end := minutesAt(s, i); end > i && start {
			out = append(out, v)
			i = end
			continue
		}
		if v, end := measureAt(s, i); end > i && (start || c >= utf8.RuneSelf || !letterOrDigit(c)) {
			for end < len(s) && v.kind == "time" { // compound lengths of time
				n, e := measureAt(s, afterAnd(s, end))
				if e <= end || n.kind != "time" && n.u.Kind != "length" || n.kind != "time" && n.alt == 0 || n.u.Mul >= v.u.Mul && n.kind == "time" {
					break
				}
				if n.kind != "time" {
					n.lo, n.u = n.alt, measure.Units["min"]
				}
				v.lo, v.hi, v.u, end = v.lo+n.lo, v.hi+n.lo, n.u, e
			}
			n := 0
			v.pos, v.end = i, end
			i = end
			if v.kind == "count" && reference(s[:v.pos]) {
				continue
			}
			if side, n := boundBefore(s[:v.pos]); side != 0 {
				v.bound, v.pos = side, v.pos-n
			} else if side, n := boundAfter(s[end:]); side != 0 {
				v.bound, v.end = side, end+n
			}
			v.per, n = periodAfter(s[v.end:])
			i = v.end + n
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
	return masked(s, out)
}

// minutesAt reads a length of time as a stopwatch writes it: 52:18, 1:02:30. With two numbers it may be of
// hours as well.
func minutesAt(s string, i int) (value, int) {
	var part [3]float64
	n, j := 0, i
	for n < 3 && j < len(s) && digit(s[j]) {
		k := j
		for k < len(s) && digit(s[k]) {
			k++
		}
		if k-j > 3 || n > 0 && k-j != 2 {
			return value{}, i
		}
		part[n], _ = measure.Number(s[j:k])
		n, j = n+1, k
		if n == 3 || k+1 >= len(s) || s[k] != ':' || !digit(s[k+1]) {
			break
		}
		j++
	}
	if n < 2 || part[1] >= 60 || part[2] >= 60 || j < len(s) && (letterOrDigit(s[j]) || s[j] == ':' || s[j] == '/') {
		return value{}, i
	}
	v := value{kind: "time", u: measure.Units["s"], pos: i, end: j}
	if n == 3 {
		v.lo = part[0]*3600 + part[1]*60 + part[2]
	} else {
		v.lo, v.alt = part[0]*60+part[1], part[0]*3600+part[1]*60
	}
	v.hi = v.lo
	return v, j
}

// masked joins an address and the mask that follows it to a prefix: "10.0.0.0 with netmask 255.255.0.0",
// 掩码20位.
func masked(s string, list []value) []value {
	for i := 0; i+1 < len(list); i++ {
		a, m := list[i], list[i+1]
		if a.kind != "ip" || m.pos < a.end || m.pos-a.end > 24 {
			continue
		}
		between := strings.ToLower(s[a.end:m.pos])
		if !strings.Contains(between, "mask") && !strings.Contains(between, "掩码") && !strings.Contains(between, "prefix length") {
			continue
		}
		bits := -1
		if m.kind == "count" && m.lo >= 0 && m.lo <= 32 {
			bits = int(m.lo)
		} else if mask := net.ParseIP(m.name).To4(); mask != nil {
			if ones, size := net.IPMask(mask).Size(); size > 0 { // 255.0.255.0 is not a mask
				bits = ones
			}
		}
		if addr, err := netip.ParseAddr(a.name); err == nil && bits >= 0 {
			list[i] = value{kind: "prefix", name: netip.PrefixFrom(addr, bits).String(), pos: a.pos, end: m.end}
			list = slices.Delete(list, i+1, i+2)
		}
	}
	return list
}

// periodAfter returns the period of the preceding amount and its bytes: "a week", "per month", "monthly", 每周. 0: none.
func periodAfter(s string) (per, n int) {
	trimmed := strings.TrimLeft(s, " ")
	low, each := strings.ToLower(trimmed[:min(len(trimmed), 40)]), false // a period is shorter
	rest := low
	for _, w := range []string{"a ", "an ", "per ", "each ", "every ", "/"} {
		if r, ok := strings.CutPrefix(rest, w); ok {
			rest, each = r, true
			break
		}
	}
	k := 0
	for k < len(rest) && asciiLetter(rest[k]) {
		k++
	}
	if strings.HasPrefix(rest, "每") {
		for w, p := range periods {
			if p[0] == 0 && len(w) > k && strings.HasPrefix(rest, w) {
				k, each = len(w), true
			}
		}
	}
	if p, ok := periods[rest[:k]]; ok && p[0] == 0 && (each || strings.HasSuffix(rest[:k], "ly")) {
		return p[1] + 1, len(s) - len(trimmed) + len(low) - len(rest) + k
	}
	return 0, 0
}

// periodAsked returns the period that a question names: "how much per month", 每周几次. 0: none, or several.
func periodAsked(q string) int {
	found := 0
	for i := range q {
		if i > 0 && q[i] != ' ' && !strings.HasPrefix(q[i:], "每") {
			continue
		}
		if p, _ := periodAfter(q[i:]); p != 0 && found != 0 && p != found {
			return 0
		} else if p != 0 {
			found = p
		}
	}
	return found
}

// reference reports whether a text ends with a word that makes a following number a reference: "Session 4", "step 2", 第4段.
func reference(s string) bool {
	s = strings.ToLower(strings.TrimRight(s[max(0, len(s)-12):], " #"))
	words := []string{"session", "sessions", "step", "turn", "message", "line", "page", "note", "第"}
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(s, w) })
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

// dateAt returns the end of a date that covers byte i; 0 if there is none.
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
	} else if strings.HasPrefix(s[j:], "又") || strings.HasPrefix(s[j:], "零") || strings.HasPrefix(s[j:], "多") {
		j += 3
	}
	return j
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
		if len(b.words) > best && strings.HasSuffix(t, b.words) && !(b.words == "up to" && adds(t[:len(t)-len(b.words)])) && (b.words[0] >= 0x80 || !asciiLetter(b.words[0]) || len(t) == len(b.words) || !asciiLetter(t[len(t)-len(b.words)-1])) {
			side, best = b.side, len(b.words)
			n = len(s) - from - len(t) + best
		}
	}
	return side, n
}

// adds reports whether a text ends with a verb that "up to" goes with: "adds up to 12".
func adds(s string) bool {
	f := strings.Fields(s)
	return len(f) > 0 && stem(f[len(f)-1]) == "add"
}

// boundAfter reads a bound behind a value, and its bytes.
func boundAfter(s string) (side, n int) {
	t := strings.TrimLeft(s, " ")
	for _, b := range []struct {
		words string
		side  int
	}{{"or more", 1}, {"or above", 1}, {"or longer", 1}, {"and above", 1}, {"and up", 1}, {"以上", 1}, {"+", 1}, {"or less", -1}, {"or fewer", -1}, {"or below", -1}, {"at most", -1}, {"以下", -1}, {"以内", -1}, {"之内", -1}} {
		if rest, ok := strings.CutPrefix(t, b.words); ok {
			if rest = strings.TrimLeft(rest, " "); b.words == "+" && rest != "" && (digit(rest[0]) || rest[0] == '$') {
				continue // a sum
			}
			return b.side, len(s) - len(t) + len(b.words)
		}
	}
	return 0, 0
}

// asksBound reports whether a question asks from where on something is so: then "85 %" and "above 85 %" say the same.
func asksBound(q string) bool {
	return hasWithin(strings.ToLower(q), []string{"threshold", "limit", "exceed", "above", "below", "at least", "at most", "maximum", "minimum", "阈值", "门限", "上限", "下限", "超过", "低于", "高于", "达到", "触发", "alert", "trigger", "告警"})
}

func unbound(list []value) {
	for i := range list {
		list[i].bound = 0
	}
}

// sameValue reports whether two values of one kind are equal. Different units of one system must be the same quantity exactly; units of two systems may differ
// by 1.1 %, months and years from days by 6 %.
func sameValue(g, a value) bool {
	if !comparable(g, a) || g.bound != a.bound {
		return false
	}
	if g.per != 0 && a.per != 0 && g.per != a.per {
		return false
	}
	if g.kind == "digits" && a.kind == "digits" {
		return sameDigits(g.name, a.name)
	}
	if g.name != "" && a.name != "" {
		return g.name == a.name || a.kind == "prefix" && strings.HasPrefix(a.name, g.name+"/") // an address with its length
	}
	x, y := g.beside(a), a.beside(g)
	for _, v := range []*value{&x, &y} {
		if v.name != "" {
			n, err := measure.Number(v.name)
			if err != nil {
				return false
			}
			v.kind, v.lo, v.hi = "count", n, n
		}
	}
	if x.kind != y.kind {
		switch {
		case measure.Currency(x.kind) && measure.Currency(y.kind):
			return false
		case x.kind == "percent" && y.kind == "count" && y.lo <= 1:
			y.lo, y.hi = y.lo*100, y.hi*100
		case y.kind == "percent" && x.kind == "count" && x.lo <= 1:
			x.lo, x.hi = x.lo*100, x.hi*100
		case x.kind == "time" && y.alt > 0:
			y.lo, y.hi = y.alt, y.alt
		case y.kind == "time" && x.alt > 0:
			x.lo, x.hi = x.alt, x.alt
		case x.kind == "count" && y.u.Mul != 0: // the unit is the question's
			y = y.counted(x.as)
		case y.kind == "count" && x.u.Mul != 0:
			x = x.counted(y.as)
		}
	}
	if x.kind == "time" && y.kind == "time" && (x.alt > 0 && x.alt == y.lo || y.alt > 0 && y.alt == x.lo) {
		return true
	}
	if x.kind == "clock" {
		return x.lo == y.lo || x.alt >= 0 && x.alt == y.lo || y.alt >= 0 && y.alt == x.lo
	}
	tol := tolerance(x.u, y.u)
	return closeTo(x.lo, y.lo, tol) && closeTo(x.hi, y.hi, tol)
}

// counted returns a measure as the bare number of a unit, or of its own where none of its kind is asked for.
func (v value) counted(asked measure.Unit) value {
	if asked.Kind != v.kind {
		asked = v.u
	}
	v.lo, v.hi = asked.Number(v.lo), asked.Number(v.hi)
	return v
}

// beside returns a value as it is meant next to another one: pounds next to an amount in £ are money, kilometres an hour next to a speed are one.
func (v value) beside(other value) value {
	switch {
	case v.u.May != "" && other.u.Mul != 0 && other.u != v.u && strings.Contains(v.u.May, other.kind):
		v.kind, v.lo, v.hi, v.u = other.kind, other.u.In(v.u.Number(v.lo)), other.u.In(v.u.Number(v.hi)), other.u
	case v.per != 0 && v.u.Mul != 0 && other.u.Mul != 0:
		if r := measure.Per(v.u, measure.Units[periodUnits[v.per-1]]); r.Kind == other.kind {
			v.kind, v.lo, v.hi, v.u = r.Kind, r.In(v.u.Number(v.lo)), r.In(v.u.Number(v.hi)), r
		}
	}
	return v
}

// periodUnits are the units of the periods.
var periodUnits = []string{"hour", "day", "week", "month", "year"}

// unitAsked is the unit of which a question asks for the number: "how many litres", 多少升.
func unitAsked(q string) measure.Unit { return measureAsked(q).Unit }

// countAsked is the stem of the thing that a question asks the number of: "how many cats". "": it asks for none.
func countAsked(q string) string { return measureAsked(q).Of }

// measureAsked is one of what a question asks the number of.
func measureAsked(q string) measure.Value {
	for _, ask := range []string{"how many ", "How many ", "多少", "几"} {
		if _, rest, ok := strings.Cut(q, ask); ok {
			if v, end := measure.At("1 "+rest, 0); end > 0 {
				return v
			}
		}
	}
	return measure.Value{}
}

// comparable reports whether two values can be the same thing: of one kind, both money, or a bare number and a measure whose unit the question may have given.
func comparable(g, a value) bool {
	g, a = g.beside(a), a.beside(g)
	switch {
	case g.kind == a.kind, g.kind == "ip" && a.kind == "prefix", g.kind == "ip" && a.kind == "version", g.kind == "version" && a.kind == "ip",
		measure.Currency(g.kind) && measure.Currency(a.kind):
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
