package judge

import (
	"math"
	"strconv"
	"strings"
)

// quantity is a number with what it counts.
type quantity struct {
	val  float64 // in the unit's base: metres, grams, bytes …; as written without one
	unit string  // "length", "mass", "money", "percent"; "" bare or of unknown unit
	of   string  // stem of the word that follows a bare number: "dog" of "three dogs"
	i    int     // token
}

var measures = map[string]struct {
	dim string
	mul float64
}{
	"m": {"length", 1}, "meter": {"length", 1}, "meters": {"length", 1}, "metre": {"length", 1}, "metres": {"length", 1}, "km": {"length", 1000}, "kilometer": {"length", 1000}, "kilometers": {"length", 1000}, "kilometres": {"length", 1000},
	"cm": {"length", .01}, "mm": {"length", .001}, "mile": {"length", 1609.344}, "miles": {"length", 1609.344}, "foot": {"length", .3048}, "feet": {"length", .3048}, "ft": {"length", .3048}, "inch": {"length", .0254}, "inches": {"length", .0254},
	"kg": {"mass", 1000}, "kilogram": {"mass", 1000}, "kilograms": {"mass", 1000}, "g": {"mass", 1}, "gram": {"mass", 1}, "grams": {"mass", 1}, "lb": {"mass", 453.592}, "lbs": {"mass", 453.592}, "pound": {"mass", 453.592}, "pounds": {"mass", 453.592}, "ounce": {"mass", 28.3495}, "ounces": {"mass", 28.3495},
	"kb": {"bytes", 1e3}, "mb": {"bytes", 1e6}, "gb": {"bytes", 1e9}, "tb": {"bytes", 1e12}, "mbps": {"rate", 1e6}, "gbps": {"rate", 1e9}, "kbps": {"rate", 1e3}, "ms": {"millis", 1},
	"dollar": {"money", 1}, "dollars": {"money", 1}, "usd": {"money", 1}, "bucks": {"money", 1}, "yuan": {"yuan", 1}, "rmb": {"yuan", 1}, "元": {"yuan", 1}, "块": {"yuan", 1}, "公里": {"length", 1000}, "千米": {"length", 1000}, "米": {"length", 1}, "公斤": {"mass", 1000}, "斤": {"mass", 500}, "克": {"mass", 1},
	"%": {"percent", 1}, "percent": {"percent", 1}, "million": {"", 1e6}, "billion": {"", 1e9},
}

// quantities lists the numbers of a text that no date or clock time holds.
// "one" is a number only where counted: many says that the question asks how many.
func quantities(t *text, skip func(pos int) bool, many bool) []quantity {
	var out []quantity
	for i := range t.toks {
		k := &t.toks[i]
		if !k.num || k.stop && !many || skip(k.pos) {
			continue
		}
		q := quantity{val: k.val, i: i}
		if i > 0 {
			switch t.toks[i-1].word {
			case "$":
				q.unit = "money"
			case "¥":
				q.unit = "yuan"
			case "€", "£":
				q.unit = t.toks[i-1].word
			}
		}
		if i+1 < len(t.toks) {
			n := &t.toks[i+1]
			m, ok := measures[n.word]
			if !ok && n.han { // 公里 is cut in pairs or single characters
				for w, x := range measures {
					if w[0] >= 0x80 && strings.HasPrefix(t.raw[n.pos:], w) && len(w) > 3 {
						m, ok = x, true
					}
				}
			}
			switch {
			case ok:
				q.val *= m.mul
				if m.dim != "" {
					q.unit = m.dim
				}
			case !n.stop && !n.num:
				q.of = n.stem
			}
		}
		out = append(out, q)
	}
	return out
}

func closeTo(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))+1e-9
}

// numbersAgree compares the numbers of gold and answer: how many of the gold's are
// in the answer, and how many of the answer's contradict one (another number of the
// same unit or of the same thing).
func numbersAgree(g, a []quantity) (hit, conflict int) {
	for _, x := range g {
		found, clash := false, false
		for _, y := range a {
			if x.unit != "" && y.unit != "" && x.unit != y.unit {
				continue
			}
			tol := 1e-9
			if x.unit != "" && x.unit == y.unit {
				tol = .011
			}
			if closeTo(x.val, y.val, tol) {
				found = true
			} else if x.unit == y.unit && (x.of == "" || y.of == "" || x.of == y.of) {
				clash = true
			}
		}
		if found {
			hit++
		} else if clash {
			conflict++
		}
	}
	return hit, conflict
}

// numberStem is what numbers are compared by as words: "5", "5.0" and "five" are one.
func numberStem(v float64) string {
	if !(math.Abs(v) < 1e15) { // too long for its digits to count one by one; a row of 300 is infinite
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if v == math.Trunc(v) {
		return itoa(int64(v))
	}
	return itoa(int64(v)) + "." + strings.TrimRight(itoa(int64(math.Round((v-math.Trunc(v))*1e4)) + 1e4)[1:], "0")
}

func itoa(n int64) string {
	if n == 0 {
		return "0"
	}
	var b [20]byte
	i := len(b)
	for ; n > 0; n /= 10 {
		i--
		b[i] = byte('0' + n%10)
	}
	return string(b[i:])
}
