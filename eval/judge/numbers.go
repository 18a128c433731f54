package judge

import (
	"math"
	"strconv"
	"strings"

	"membench/internal/measure"
)

// quantity is a number and the thing that it counts.
type quantity struct {
	val  float64      // in the unit's base: metres, grams, bytes …; as written without one
	unit measure.Unit // its Kind is "" of a bare number
	of   string       // stem of the word that follows a bare number: "dog" of "three dogs"
}

// quantities lists the numbers of a text that are not part of a date or clock time. "one" is a number only if it counts something; many reports that the
// question asks how many.
func quantities(t *text, skip func(pos int) bool, many bool) []quantity {
	var out []quantity
	for i := range t.toks {
		k := &t.toks[i]
		if !k.num || k.stop && !many || skip(k.pos) {
			continue
		}
		q, from := quantity{val: k.val}, k.pos
		if i > 0 && strings.Contains("$¥€£", t.toks[i-1].word) {
			from = t.toks[i-1].pos
		}
		m, end := measure.At(t.raw, from)
		if end > k.pos {
			q.val, q.unit = m.Lo, m.Unit
		}
		if q.unit.Kind == "" && i+1 < len(t.toks) && !t.toks[i+1].stop && !t.toks[i+1].num {
			q.of = t.toks[i+1].stem
		}
		out = append(out, q)
	}
	return out
}

// rounding is the relative difference of two equal numbers of one unit, as floating point computes them; integers are exact.
const rounding = 1e-12

func closeTo(a, b, tolerance float64) bool {
	if tolerance == rounding && a == math.Trunc(a) && b == math.Trunc(b) {
		return a == b
	}
	return math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))
}

// tolerance is the relative difference of two measures that still count as equal: 1.1 % for conversions between systems of units, 6 % for months and years
// against days, and the digits of the table of units.
func tolerance(a, b measure.Unit) float64 {
	switch {
	case a == b:
		return rounding
	case a.Loose != b.Loose:
		return .011
	case a.Cal != b.Cal:
		return .06
	}
	return 1e-6
}

// numbersAgree compares the numbers of gold and answer: how many of the gold's are
// in the answer, and how many of the answer's contradict one (another number of the
// same unit or of the same thing).
func numbersAgree(g, a []quantity) (hit, conflict int) {
	for _, x := range g {
		found, clash := false, false
		for _, y := range a {
			if x.unit.Kind != "" && y.unit.Kind != "" && x.unit.Kind != y.unit.Kind {
				continue
			}
			if closeTo(x.val, y.val, tolerance(x.unit, y.unit)) {
				found = true
			} else if x.unit.Kind == y.unit.Kind && (x.of == "" || y.of == "" || x.of == y.of) {
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

// exactDigits is how many digits a number always holds exactly.
const exactDigits = 15

// numberStem returns the stem under which numbers are compared as words: "5", "5.0" and "five" are equal.
func numberStem(v float64) string {
	if !(math.Abs(v) < 1e15) { // too long for its digits to count one by one; a row of 300 is infinite
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if v == math.Trunc(v) {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatInt(int64(v), 10) + "." + strings.TrimRight(strconv.FormatInt(int64(math.Round((v-math.Trunc(v))*1e4))+1e4, 10)[1:], "0")
}
