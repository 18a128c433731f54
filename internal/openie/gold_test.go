package openie

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"membench/internal/exttest"
	"membench/internal/textnorm"
)

// TestGold measures the statements that the rules find against the gold set, on its
// tuning half only. MEMBENCH_GOLD names the folder of the set (default
// ../../cli/testdata/gold), MEMBENCH_GOLD_SHOW=1 prints what was wrong or missed.
// The aim is precision 0.85 at recall 0.5 of what the white list can say; the test
// fails below the figures that were reached, so that a change for the worse shows.
func TestGold(t *testing.T) {
	dir := os.Getenv("MEMBENCH_GOLD")
	if dir == "" {
		dir = "../../cli/testdata/gold"
	}
	if _, err := os.Stat(filepath.Join(dir, "facts.jsonl")); err != nil {
		t.Skipf("no gold set at %s; set MEMBENCH_GOLD", dir)
	}
	shared, err := exttest.FindShared(t)
	if err != nil {
		t.Fatal(err)
	}
	events := readLines[goldEvent](t, filepath.Join(dir, "events.jsonl"))
	facts := map[string][]*goldFact{}
	for _, f := range readLines[goldFact](t, filepath.Join(dir, "facts.jsonl")) {
		facts[f.Event] = append(facts[f.Event], &f)
	}
	texts := goldTexts{dir: dir, shared: shared}
	sums := map[string]*goldSum{}
	skipped := 0
	alert, thing, lastSrc := "", "", ""
	for _, e := range events {
		if e.Half != "tune" {
			continue
		}
		text, ok := texts.of(t, e)
		if !ok {
			skipped++
			continue
		}
		src := strings.SplitN(filepath.Base(e.Source), ".", 2)[0]
		sum := func(f func(*goldSum)) {
			for _, k := range []string{"all", e.Lang, sourceKind(src)} {
				if sums[k] == nil {
					sums[k] = &goldSum{}
				}
				f(sums[k])
			}
		}
		found := map[*goldFact]bool{}
		if src != lastSrc {
			alert, thing, lastSrc = "", "", src
		}
		o := TripleOptions{Ops: strings.Contains(src, "oncall"), Alert: alert, Thing: thing}
		alert, thing = o.Spoken(text)
		for _, tr := range Triples(text, o) {
			var hits []*goldFact
			for _, f := range facts[e.ID] {
				if f.matches(tr, text) {
					hits = append(hits, f)
					found[f] = true
				}
			}
			right := slices.ContainsFunc(hits, func(f *goldFact) bool { return f.Expressible })
			sum(func(s *goldSum) {
				s.claims++
				if right {
					s.right++
				}
			})
			if !right && os.Getenv("MEMBENCH_GOLD_SHOW") != "" {
				t.Logf("WRONG  %s %v%v  <- %s", tr.Predicate, tr.Subject.Parts, tr.Object.Parts, text)
			}
		}
		for _, f := range facts[e.ID] {
			if !f.Expressible || !f.sure() || f.SameAs != "" {
				continue
			}
			hit := found[f] || slices.ContainsFunc(facts[e.ID], func(g *goldFact) bool { return g.SameAs == f.ID && found[g] })
			sum(func(s *goldSum) {
				s.facts++
				if hit {
					s.found++
				}
			})
			if !hit && os.Getenv("MEMBENCH_GOLD_SHOW") != "" {
				t.Logf("MISSED %s [%s]  <- %s", f.Predicate, strings.Join(f.objects(text), " | "), text)
			}
		}
	}
	if skipped > 0 {
		t.Logf("SKIPPED %d events whose text is in shared data; set MEMBENCH_SHARED", skipped)
	}
	keys := make([]string, 0, len(sums))
	for k := range sums {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		t.Logf("%-8s %s", k, sums[k])
	}
}

func sourceKind(src string) string {
	switch {
	case strings.Contains(src, "oncall"):
		return "ops"
	case strings.HasPrefix(src, "locomo"):
		return "locomo"
	case strings.Contains(src, "_zh_") || strings.Contains(src, "_en_"):
		return "own"
	}
	return "chapters"
}

type goldSum struct{ claims, right, facts, found int }

func (s *goldSum) String() string {
	return fmt.Sprintf("precision %.3f (%d of %d)  recall %.3f (%d of %d certain and expressible)", float64(s.right)/float64(max(1, s.claims)), s.right, s.claims, float64(s.found)/float64(max(1, s.facts)), s.found, s.facts)
}

type goldEvent struct {
	ID, Source, Lang, Half, Speaker string
	Line                            int
	DiaID                           string `json:"dia_id"`
}

type strs []string // a string or a list of them

func (s *strs) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*s = strs{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(s))
}

type spans [][2]int // one span or a list of them

func (s *spans) UnmarshalJSON(b []byte) error {
	var one [2]int
	if json.Unmarshal(b, &one) == nil {
		*s = spans{one}
		return nil
	}
	return json.Unmarshal(b, (*[][2]int)(s))
}

type goldFact struct {
	ID, Event, Predicate, Kind string
	Expressible                bool
	Certain                    *bool
	PredicateAlt               strs   `json:"predicate_alt"`
	Subject                    string `json:"subject"`
	SubjectSpan                spans  `json:"subject_span"`
	SubjectAlt                 spans  `json:"subject_alt"`
	SubjectName                strs   `json:"subject_name"`
	SubjectNameAlt             strs   `json:"subject_name_alt"`
	ObjectSpan                 spans  `json:"object_span"`
	ObjectAlt                  spans  `json:"object_alt"`
	ObjectName                 strs   `json:"object_name"`
	ObjectNameAlt              strs   `json:"object_name_alt"`
	SameAs                     string `json:"same_as"`
}

func (f *goldFact) sure() bool { return f.Certain == nil || *f.Certain }

func (f *goldFact) objects(text string) []string {
	return append(append(cutSpans(text, f.ObjectSpan, f.ObjectAlt), f.ObjectName...), f.ObjectNameAlt...)
}

func cutSpans(text string, ss ...spans) (out []string) {
	r := []rune(text)
	for _, s := range ss {
		for _, p := range s {
			if p[0] >= 0 && p[1] <= len(r) && p[0] < p[1] {
				out = append(out, string(r[p[0]:p[1]]))
			}
		}
	}
	return out
}

func (f *goldFact) matches(tr Triple, text string) bool {
	if f.Subject == "other" && tr.Subject.Type == "" || f.Subject == "addressee" && !strings.HasPrefix(tr.Predicate, "DISCUSSED") {
		return false
	}
	ok := tr.Predicate == f.Predicate || slices.Contains(f.PredicateAlt, tr.Predicate) ||
		tr.Predicate == "DISCUSSED_WORK" && (f.Predicate == "FAVORITE_WORK" || f.Predicate == "DISLIKES_WORK")
	if !ok {
		return false
	}
	if tr.Subject.Type != "" && (len(f.SubjectSpan) > 0 || len(f.SubjectName) > 0) {
		if !slices.ContainsFunc(append(append(cutSpans(text, f.SubjectSpan, f.SubjectAlt), f.SubjectName...), f.SubjectNameAlt...), func(s string) bool { return sameWords(s, tr.Subject.Parts[0]) }) {
			return false
		}
	}
	obj := strings.Join(tr.Object.Parts, " ")
	last := tr.Object.Parts[len(tr.Object.Parts)-1]
	return slices.ContainsFunc(f.objects(text), func(s string) bool { return sameWords(s, obj) || sameWords(s, last) })
}

// sameWords holds when the words of one cover at least half of those of the other,
// both ways; Chinese counts characters. A list span may be cut in its parts.
func sameWords(a, b string) bool {
	ka, kb := textnorm.Key(a), textnorm.Key(b)
	if ka == "" || kb == "" {
		return false
	}
	if ka == kb || len(kb) >= 4 && strings.Contains(ka, kb) || len(ka) >= 4 && strings.Contains(kb, ka) && len(kb) <= 3*len(ka) {
		return true
	}
	wa, wb := words(a), words(b)
	n := 0
	for _, w := range wb {
		if slices.Contains(wa, w) {
			n++
		}
	}
	return n > 0 && 2*n >= len(wb) && 2*n >= len(wa)
}

func words(s string) (out []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if hasHan(w) {
			for _, r := range w {
				out = append(out, string(r))
			}
		} else if !slices.Contains([]string{"the", "a", "an", "of", "to", "my", "and", "is"}, w) {
			out = append(out, w)
		}
	}
	return out
}

type goldTexts struct {
	dir, shared string
	turns       map[string]string
	files       map[string][]string
}

var goldLine = regexp.MustCompile(`^\[(?:S|S\|MONO|U|UI)\] ?(.*)$`)

func (g *goldTexts) of(t *testing.T, e goldEvent) (string, bool) {
	path, inShared := strings.CutPrefix(e.Source, "shared:")
	if file, sample, ok := strings.Cut(path, "#"); ok {
		if g.turns == nil {
			g.turns = map[string]string{}
			b, err := os.ReadFile(filepath.Join(g.shared, file))
			if err != nil {
				return "", false
			}
			var samples []struct {
				ID   string                     `json:"sample_id"`
				Conv map[string]json.RawMessage `json:"conversation"`
			}
			if err := json.Unmarshal(b, &samples); err != nil {
				t.Fatal(err)
			}
			for _, s := range samples {
				if s.ID != sample {
					continue
				}
				for k, raw := range s.Conv {
					var turns []struct{ DiaID, Text string }
					var loose []map[string]any
					if strings.HasPrefix(k, "session_") && json.Unmarshal(raw, &loose) == nil {
						for _, m := range loose {
							id, _ := m["dia_id"].(string)
							text, _ := m["text"].(string)
							turns = append(turns, struct{ DiaID, Text string }{id, text})
						}
					}
					for _, u := range turns {
						g.turns[u.DiaID] = u.Text
					}
				}
			}
		}
		s, ok := g.turns[e.DiaID]
		return s, ok
	}
	root := g.dir
	if inShared {
		root = g.shared
	}
	if g.files == nil {
		g.files = map[string][]string{}
	}
	lines, ok := g.files[path]
	if !ok {
		b, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return "", false
		}
		lines = strings.Split(string(b), "\n")
		g.files[path] = lines
	}
	if e.Line < 1 || e.Line > len(lines) {
		return "", false
	}
	m := goldLine.FindStringSubmatch(lines[e.Line-1])
	if m == nil {
		return "", false
	}
	return m[1], true
}

func readLines[T any](t testing.TB, path string) (out []T) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v: %s", path, err, sc.Text())
		}
		out = append(out, v)
	}
	return out
}
