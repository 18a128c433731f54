package yamldoc

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"
)

type sample struct {
	Name    string        `yaml:"name"`
	Sources []string      `yaml:"sources"`
	Own     yaml.MapSlice `yaml:"own"`
	Any     any           `yaml:"any"`
}

func TestUnmarshal(t *testing.T) {
	laughs := "any:\n  a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'i'; c++ {
		laughs += fmt.Sprintf("  %c: &%c [%s]\n", c, c, strings.Repeat("*"+string(c-1)+",", 10))
	}
	for _, c := range []struct{ name, text, want string }{
		{"plain", "name: a\nsources: [b, c]\nown: {z: 1, a: 2}\n", ""},
		{"empty", "", ""},
		{"comment", "# nothing\n", ""},
		{"aliases", "any:\n- &x {a: 1}\n- *x\n- {<<: *x, b: 2}\n", ""},
		{"core tag", "name: !!str 7\n", ""},
		{"block list of lists", "any:\n- - a\n  - b\n- - c\n", ""},
		{"long flow mapping", "any: {" + strings.Repeat("a: 1, ", 0) + manyKeys(500) + "}\n", ""},
		{"unknown member", "nam: a\n", `[1:1] unknown field "nam"`},
		{"repeated member", "name: a\nname: b\n", "[2:1] "},
		{"two documents", "name: a\n---\nname: b\n", "have 2 YAML documents"},
		{"tag on a list's place", "sources: !include x\n", `[1:10] the tag "!include" is not supported`},
		{"tag in a list", "sources:\n- !foo bar\n", `[2:3] the tag "!foo"`},
		{"tag of lists", "sources: !!seq foo\n", `the tag "!!seq"`},
		{"core tag on a list", "sources: !!str [a]\n", "unexpected scalar value"},
		{"laughs", laughs, "the aliases stand for more than"},
		{"own alias", "any: &a [*a]\n", "[1:10] the alias names no anchor"},
		{"long", "name: " + strings.Repeat("a", MaxBytes), "bytes, want at most"},
		{"long list of mappings", "any:\n" + strings.Repeat("- a: b\n  # why\n  c: d\n", MaxMembers+1), ""},
		{"many", strings.Repeat("- a\n", MaxNodes/2+1), "tokens, want at most"},
		{"blank entries", "any:\n" + strings.Repeat("-\n", MaxBlank+1), "have no value"},
		{"blank members", "any:\n" + lines(MaxBlank+1, "  k%d:\n"), "have no value"},
		{"blank entries of inner lists", "any:\n" + strings.Repeat("- - a\n  -\n", MaxBlank+1), "have no value"},
		{"many members", lines(MaxMembers+1, "k%d: a\n"), "members"},
		{"many members of a list's mapping", "- a: b\n" + lines(MaxMembers+1, "  k%d: |\n    a\n"), "members"},
		{"many documents", strings.Repeat("--- a\n", 50_000), "have 50000 YAML documents"},
		{"values on the next line", "any:\n" + lines(MaxMembers/3, "  k%d:\n  - a\n  l%[1]d: # why\n    a\n  m%[1]d:\n    n: a\n"), ""},
	} {
		var v sample
		err := Unmarshal([]byte(c.text), &v)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: have %v, want %q", c.name, err, c.want)
		}
	}
}

func lines(n int, form string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: %d, ", i, i)
	}
	return b.String()
}

// Any nesting is refused, or read in memory that grows with the text.
func TestNesting(t *testing.T) {
	for _, unit := range []string{"[", "{", "- ", "? ", "\"", "&a ", "*a ", "!x ", "!!str ", "|\n", "a: ", "a: {", "'", "[a,", "[a:", "{a: [", "? - ", "<<: ", "- &a ", "&a\n", "[\n", "a:\n", "-\n", ": ", "%"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		text := strings.Repeat(unit, 100_000)
		_, err := ToJSON([]byte(text))
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 300 {
			t.Errorf("%q: %d MiB allocated (%v)", unit, used, err)
		}
	}
	var deep strings.Builder
	for i := range 1000 {
		deep.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	if err := Unmarshal([]byte(deep.String()), new(any)); err == nil || !strings.Contains(err.Error(), "levels") {
		t.Errorf("block nesting: have %v", err)
	}
}

func TestEach(t *testing.T) {
	d, err := Parse([]byte("name: $x\n"), func(tok *token.Token) error {
		if tok.Value == "$x" {
			tok.Value = "y"
		}
		return nil
	})
	var v sample
	if err == nil {
		err = d.Decode(&v)
	}
	if err != nil || v.Name != "y" {
		t.Fatalf("have %q, %v", v.Name, err)
	}
	if line, col, ok := d.Place("$.name"); !ok || line != 1 || col != 7 {
		t.Errorf("place: have %d:%d %v", line, col, ok)
	}
	if b, err := d.JSON(); err != nil || string(b) != `{"name": "y"}` {
		t.Errorf("JSON: have %s, %v", b, err)
	}
	want := errors.New("no")
	if _, err := Parse([]byte("name: a\n"), func(*token.Token) error { return want }); !errors.Is(err, want) {
		t.Errorf("have %v", err)
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, s := range []string{"a: b", "- !x y", "a: &a [*a]", "? [a]\n: b", "a: |\n  x", "<<: *a", "{a: {b: [c]}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var v any
		if err := Unmarshal([]byte(s), &v); err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("have %T %v", err, err)
			}
		}
	})
}
