package browser

import (
	"archive/zip"
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"membench/cypher"
	"membench/schema/catalog"
)

const own = `version: 1
domains:
  "x@y's": {doc: "a | b", doc_zh: "域", since: 0.1.0}
labels:
  Planet: {prefix: planet, since: 0.1.0, doc: "goes | round"}
`

func load(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Load([]byte(own))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// parseGrass reads GraSS as Browser does: it splits at the signs, so a value must
// hold none of them.
func parseGrass(t *testing.T, text string) (selectors []string, rules map[string]map[string]string) {
	t.Helper()
	rules = map[string]map[string]string{}
	for _, m := range regexp.MustCompile(`(?s)([^{}]+)\{((?:[^{}"]|"[^"]*")*)\}`).FindAllStringSubmatch(text, -1) {
		sel := strings.TrimSpace(m[1])
		selectors = append(selectors, sel)
		rules[sel] = map[string]string{}
		for _, line := range strings.Split(strings.TrimSpace(m[2]), ";") {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			parts := strings.Split(line, ":")
			if len(parts) != 2 {
				t.Errorf("%s: Browser would drop %q", sel, line)
				continue
			}
			rules[sel][strings.TrimSpace(parts[0])] = strings.TrimSpace(parts[1])
		}
	}
	return selectors, rules
}

func TestStyle(t *testing.T) {
	c := load(t)
	selectors, rules := parseGrass(t, string(Style(c)))
	for l := range c.Labels {
		r := rules["node."+l]
		if !regexp.MustCompile(`^#[0-9a-f]{6}$`).MatchString(r["color"]) || !strings.HasPrefix(r["caption"], `"{`) || r["diameter"] == "" {
			t.Errorf("%s: %v", l, r)
		}
	}
	if _, ok := rules["node.Node"]; ok {
		t.Error("Node has a rule, which would lie over the label's own")
	}
	// The last rule that matches is on top.
	at := func(l string) int { return slices.Index(selectors, "node."+l) }
	if at("Claim") < at("Topic") || at("User") < at("Tag") || at("Planet") < 0 {
		t.Errorf("order: %v", selectors)
	}
	if rules["relationship.SUPERSEDED_BY"]["color"] == rules["relationship"]["color"] {
		t.Error("what changed looks like any other relationship")
	}
}

// Text on a colour reads: WCAG asks a contrast of 3 of large text.
func TestInk(t *testing.T) {
	for l, s := range look(catalog.Default()) {
		if ink(s.fill) != "#ffffff" && ink(s.fill) != "#1b1e23" {
			t.Errorf("%s: ink %s", l, ink(s.fill))
		}
		if c := contrast(s.fill, ink(s.fill)); c < 2.9 {
			t.Errorf("%s: contrast of %s on %s is %.1f", l, ink(s.fill), s.fill, c)
		}
	}
}

func contrast(a, b string) float64 {
	lum := func(hex string) float64 {
		c := rgb(hex)
		lin := func(v int) float64 { // sRGB, with the square for the exponent 2.4
			x := float64(v) / 255
			return x * x
		}
		return 0.2126*lin(c[0]) + 0.7152*lin(c[1]) + 0.0722*lin(c[2])
	}
	hi, lo := lum(a), lum(b)
	if hi < lo {
		hi, lo = lo, hi
	}
	return (hi + 0.05) / (lo + 0.05)
}

func TestQueries(t *testing.T) {
	c := load(t)
	for _, scope := range []string{"", `it's @, "mine" \`} {
		qs := Queries(c, scope)
		names := map[string]bool{}
		for _, q := range qs {
			if names[q.Name] || q.Title == "" || q.TitleZH == "" || q.Doc == "" || strings.HasSuffix(q.Text, ";") {
				t.Errorf("query %+v", q)
			}
			names[q.Name] = true
			if !strings.HasPrefix(q.File(), "// "+q.Title) || strings.Count(q.File(), "\n//") > 0 {
				t.Errorf("%s: the title is not its first line", q.Name)
			}
			if scope == "" && strings.Contains(q.Text, "@") {
				t.Errorf("%s: a place for the scope is left:\n%s", q.Name, q.Text)
			}
			if !q.Setup && !strings.Contains(q.Text, "scope: "+string(cypher.AppendString(nil, scope))) {
				t.Errorf("%s: not of the scope:\n%s", q.Name, q.Text)
			}
		}
		for d := range c.Domains {
			if !slices.ContainsFunc(qs, func(q Query) bool { return strings.Contains(q.Text, "{domain: "+literal(d)) }) {
				t.Errorf("no query for domain %s", d)
			}
		}
	}
	if o := opposites(c); !strings.Contains(o, "`PREFERS_TOPIC`: ['DISLIKES_TOPIC']") || !strings.Contains(o, "`CAUSED_BY`: ['NOT_CAUSED_BY', 'CAUSED_BY']") {
		t.Errorf("opposites: %s", o)
	}
}

func TestZip(t *testing.T) {
	qs := Queries(load(t), "")
	b, err := Zip(qs)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Zip(qs); err != nil || !bytes.Equal(b, again) {
		t.Error("the same queries give other bytes")
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if len(z.File) != len(qs) {
		t.Errorf("%d files, want %d", len(z.File), len(qs))
	}
	for i, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || string(text) != qs[i].File() || !strings.HasPrefix(f.Name, Folder+"/") {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

func TestGuide(t *testing.T) {
	c := load(t)
	text := string(Guide(c, Queries(c, "")))
	for _, want := range []string{"| Planet |", `goes \| round`, "### Unresolved contradictions · 未解决的矛盾", "| SUPERSEDED_BY | Claim | Claim |", "| PREFERS_TOPIC | DISLIKES_TOPIC | daily |", "偏好、习惯"} {
		if !strings.Contains(text, want) {
			t.Errorf("the guide lacks %q", want)
		}
	}
	if strings.Count(text, "```cypher") != len(Queries(c, "")) {
		t.Error("a query's text is missing")
	}
}
