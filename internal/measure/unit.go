package measure

import (
	_ "embed"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unit is how a written unit leads to a kind of measure and its base: seconds, metres, grams, bytes, bytes a second, pascals, degrees Celsius …; a currency by
// itself.
type Unit struct {
	Kind  string
	Mul   float64
	Add   float64 // added after Mul: scales of temperature begin elsewhere
	Loose bool    // a system of its own: what is converted from it agrees within 1.1 %
	Cal   bool    // months and years: their days vary, so conversions agree within 6 %
	May   string  // other kinds that the word may mean, by blanks: "$" of other dollars, "pounds" of money
}

// In converts a number in the unit to the base of its kind.
func (u Unit) In(n float64) float64 { return n*u.Mul + u.Add }

// Number converts back.
func (u Unit) Number(v float64) float64 { return (v - u.Add) / u.Mul }

//go:embed units.txt
var table string

// Units are by their written form; longest is how many words the forms have that begin with one; money has the kinds that are currencies.
var Units, longest, money = func() (map[string]Unit, map[string]int, map[string]bool) {
	units, words, money := map[string]Unit{}, map[string]int{}, map[string]bool{}
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		kind, may, _ := strings.Cut(f[0], "|")
		kind, cur := strings.CutPrefix(kind, "money:")
		mul, add, _ := strings.Cut(strings.TrimPrefix(f[1], "~"), "+")
		u := Unit{Kind: kind, Loose: f[1][0] == '~', May: may}
		u.Mul, _ = strconv.ParseFloat(mul, 64)
		u.Add, _ = strconv.ParseFloat(add, 64)
		u.Cal = kind == "time" && u.Mul > 2e6
		money[kind] = money[kind] || cur
		for _, name := range f[2:] {
			units[name] = u
			first, _, _ := strings.Cut(name, "_")
			words[first] = max(words[first], 1+strings.Count(name, "_"))
		}
	}
	return units, words, money
}()

// scales multiply a number before its unit.
var scales = map[string]float64{"k": 1e3, "thousand": 1e3, "dozen": 12, "million": 1e6, "mn": 1e6, "grand": 1e3, "billion": 1e9, "bn": 1e9, "trillion": 1e12, "千": 1e3, "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8}

// Currency reports whether a kind is money of one currency.
func Currency(kind string) bool { return money[kind] }

// Per is the unit of what is counted in u for each d: metres a second.
func Per(u, d Unit) Unit {
	u.Mul, u.Loose = u.Mul/d.Mul, u.Loose || d.Loose
	switch u.Kind += "/" + d.Kind; u.Kind {
	case "length/time":
		u.Kind = "speed"
	case "bytes/time":
		u.Kind = "rate"
	}
	return u
}

// currencyAt reads a currency before its number: $, HK$, EUR.
func currencyAt(s string, i int) (Unit, int) {
	if r, n := utf8.DecodeRuneInString(s[i:]); unicode.Is(unicode.Sc, r) {
		if u, ok := Units[s[i:i+n]]; ok {
			return u, i + n
		}
	}
	k := i
	for k < len(s) && k < i+3 && s[k] >= 'A' && s[k] <= 'Z' {
		k++
	}
	switch rest := strings.TrimLeft(s[k:], " "); {
	case k == i || rest == "" || i > 0 && letterOrDigit(s[i-1]):
		return Unit{}, i
	case s[k] == '$':
		k++
	case k < i+3 || !digit(rest[0]):
		return Unit{}, i
	}
	if u := Units[strings.ToLower(s[i:k])]; money[u.Kind] {
		return u, k
	}
	return Unit{}, i
}
