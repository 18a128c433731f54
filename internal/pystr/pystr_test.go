package pystr

import (
	"bufio"
	"compress/gzip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// python reads testdata/python3.11.txt.gz: what CPython 3.11 (Unicode 14.0) and the
// module regex 2026.11.15 answer for every code point, as ranges by property; the
// last line holds every code point that str.lower changes.
func python(t *testing.T) map[string]string {
	f, err := os.Open("testdata/python3.11.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		name, rest, _ := strings.Cut(s.Text(), " ")
		out[name] = rest
	}
	if s.Err() != nil || len(out) != 9 {
		t.Fatal(s.Err(), len(out))
	}
	return out
}

func set(t *testing.T, s string) map[rune]bool {
	out := map[rune]bool{}
	for r := range strings.FieldsSeq(s) {
		a, b, _ := strings.Cut(r, "-")
		lo, err := strconv.ParseInt(a, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		hi, err := strconv.ParseInt(b, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		for i := lo; i <= hi; i++ {
			out[rune(i)] = true
		}
	}
	return out
}

// TestEveryCodePoint compares every property on every code point that Python's
// Unicode knows.
func TestEveryCodePoint(t *testing.T) {
	py := python(t)
	assigned := set(t, py["assigned"])
	// Unicode 15.0 made these lower case.
	newer := []rune{0x10fc, 0xa7f2, 0xa7f3, 0xa7f4, 0xab69}
	for _, p := range []struct {
		name string
		f    func(rune) bool
	}{{"space", IsSpace}, {"word", IsWord}, {"regexword", IsRegexWord}, {"digit", IsDigit}, {"upper", IsUpper}, {"lower", IsLower},
		{"ignorable", caseIgnorable}} {
		want := set(t, py[p.name])
		var bad []rune
		for r := range assigned {
			if p.f(r) != want[r] && !(p.name == "lower" && slices.Contains(newer, r)) {
				bad = append(bad, r)
			}
		}
		slices.Sort(bad)
		if len(bad) > 0 {
			t.Errorf("%s differs on %d code points, first %U", p.name, len(bad), bad[:min(len(bad), 12)])
		}
	}
	want := map[rune]string{}
	for f := range strings.FieldsSeq(py["tolower"]) {
		a, b, _ := strings.Cut(f, ":")
		i, err := strconv.ParseInt(a, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		var to strings.Builder
		for x := range strings.SplitSeq(b, "+") {
			r, err := strconv.ParseInt(x, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			to.WriteRune(rune(r))
		}
		want[rune(i)] = to.String()
	}
	for r := range assigned {
		w, ok := want[r]
		if !ok {
			w = string(r)
		}
		if have := Lower(string(r)); have != w {
			t.Errorf("Lower(%U): have %q, want %q", r, have, w)
		}
	}
}

func TestLower(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""}, {"ABC", "abc"}, {"ΟΔΟΣ", "οδος"}, {"ΟΔΟΣ ΣΑΣ", "οδος σας"}, {"Σ", "σ"}, {"ΑΣ.", "ας."}, {"ΑΣ.Α", "ασ.α"},
		{"ΑΣ,Α", "ας,α"}, {"İstanbul", "i̇stanbul"}, {"ÀÉ", "àé"}, {"你好 ABC", "你好 abc"}, {"\xffA", "\ufffda"},
	} {
		if have := Lower(c[0]); have != c[1] {
			t.Errorf("Lower(%q): have %q, want %q", c[0], have, c[1])
		}
	}
}

func TestSplit(t *testing.T) {
	have := Split(" a\x1cb\u0085c\u3000d\u200be\ufeff \t")
	if want := []string{"a", "b", "c", "d\u200be\ufeff"}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
	if have := Strip("\x1f x \u2028"); have != "x" {
		t.Errorf("Strip: have %q", have)
	}
}

func TestFold(t *testing.T) {
	for r, want := range map[rune]rune{'A': 'a', 'z': 'z', 'ı': 'i', 'İ': 'i', 'ſ': 's', '\u212a': 'k', 'é': 'é', '1': '1'} {
		if have := Fold(r); have != want {
			t.Errorf("Fold(%q): have %q, want %q", r, have, want)
		}
	}
}
