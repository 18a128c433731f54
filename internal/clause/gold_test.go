package clause

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"membench/internal/exttest"
	"membench/internal/tokens"
)

// The gold: 300 turns read by hand before there was anything to measure, a third of
// them sealed. Texts of data that may not be copied are read where the data is.
//
//	go test ./internal/clause -run Gold -v            the turns that rules may be made from
//	go test ./internal/clause -run Gold -v -sealed    the sealed turns: once, at the end

var (
	sealed = flag.Bool("sealed", false, "measure on the sealed turns")
	show   = flag.Bool("show", false, "list what was missed and what was wrong")
	only   = flag.String("only", "", "sources to measure on, comma-separated")
)

type goldTurn struct {
	Source, ID, Text string
	Speaker          string `json:"-"`
	Sealed           bool
	Facts            []goldFact
}

// A goldFact is what a reader finds in a turn. Person is S (the speaker), A (the one
// spoken to) or words; Optional facts are neither asked for nor held against.
type goldFact struct {
	Person   string
	Verb     []string
	Object   string
	When     string // "*": anything
	Negated  bool
	Tense    string // p past, n present, f to come; several or "*": any of them
	Optional bool
}

func TestGold(t *testing.T) {
	var turns []goldTurn
	b, err := os.ReadFile("testdata/gold.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var g goldTurn
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatal(err)
		}
		if g.Sealed == *sealed && (*only == "" || slices.Contains(strings.Split(*only, ","), g.Source)) {
			turns = append(turns, g)
		}
	}
	texts := goldTexts(t, turns)
	for _, lang := range []string{"en", "zh", ""} {
		for _, tier := range []Tier{Wide, Default} {
			var c counts
			for _, g := range turns {
				text, ok := texts[g.Source+" "+g.ID]
				if g.Text != "" {
					text, ok = said{text: g.Text}, true
				}
				if !ok {
					t.Fatalf("no text for %s %s", g.Source, g.ID)
				}
				if isZH := strings.ContainsFunc(text.text, func(r rune) bool { return r >= 0x4e00 && r < 0xa000 }); lang != "" && isZH != (lang == "zh") {
					continue
				}
				c.turn(t, g, text, tier, *show && lang != "")
			}
			t.Logf("%-3s %s: %s", cmp.Or(lang, "all"), []string{"kept   ", "default"}[tier], &c)
		}
	}
}

type said struct {
	text  string
	names []string
}

// counts of one measurement.
type counts struct {
	asked, found             int // gold facts; those with person, verb, object and polarity right
	made, right              int
	persons, polarity, plans [2]int // right, of the facts whose verb and object are right
	times                    [2]int
}

func (c *counts) String() string {
	r := func(a, b int) float64 { return float64(a) / float64(max(b, 1)) }
	return fmt.Sprintf("%d facts: captured %.3f at precision %.3f (%d made); of those that meet: person %.3f polarity %.3f plan %.3f time %.3f", c.asked, r(c.found, c.asked), r(c.right, c.made), c.made,
		r(c.persons[0], c.persons[1]), r(c.polarity[0], c.polarity[1]), r(c.plans[0], c.plans[1]), r(c.times[0], c.times[1]))
}

func (c *counts) turn(t *testing.T, g goldTurn, text said, tier Tier, show bool) {
	var made []Fact
	for _, f := range Read(text.text, Options{Names: text.names}) {
		if f.Tier >= tier && (f.Modality == Asserted || f.Modality == Plan) {
			made = append(made, f)
		}
	}
	used := make([]bool, len(made))
	for _, want := range g.Facts {
		best := -1
		for i, f := range made {
			if !used[i] && want.meets(f) && (best < 0 || want.same(f) && !want.same(made[best])) {
				best = i
			}
		}
		ok := best >= 0 && want.same(made[best])
		if best >= 0 {
			used[best] = ok || want.Optional
			if !want.Optional {
				f := made[best]
				count(&c.persons, want.person(f))
				count(&c.polarity, want.Negated == f.Negated)
				if want.Tense != "*" && len(want.Tense) == 1 {
					count(&c.plans, (want.Tense == "f") == (f.Modality == Plan))
				}
				if want.When != "*" {
					count(&c.times, (want.When == "") == (f.When.Text == "") && (want.When == "" || overlap(want.When, f.When.Text) > 0))
				}
			}
		}
		if want.Optional {
			continue
		}
		c.asked++
		if ok {
			c.found++
			c.right++
			c.made++
		} else if show {
			t.Logf("MISSED %s %s %q\n  %+v", g.Source, g.ID, text.text, want)
		}
	}
	for i, f := range made {
		if used[i] {
			continue
		}
		c.made++
		if show {
			t.Logf("WRONG %q\n  %s %q | %s | %q neg=%v when=%q mod=%d slot=%s", text.text, kindName(f.Subject), f.Subject.Text, f.Verb, f.Object.Text, f.Negated, f.When.Text, f.Modality, f.Slot)
		}
	}
}

func kindName(m Mention) string {
	return []string{"-", "S", "A", "named", m.Relation, "pronoun", "described"}[m.Kind]
}

func count(n *[2]int, ok bool) {
	n[1]++
	if ok {
		n[0]++
	}
}

// meets: the verb and the object are the same, as far as words go.
func (g goldFact) meets(f Fact) bool {
	verb := false
	for _, v := range g.Verb {
		have := f.Verb + " " + f.Value.Text + " " + f.Object.Text
		if isHan(v) {
			verb = verb || strings.Contains(f.Verb, v) || strings.Contains(v, f.Verb) && f.Verb != "" || strings.HasPrefix(f.Object.Text, v)
			continue
		}
		verb = verb || f.Verb == v || strings.HasPrefix(f.Verb, v+" ") || strings.HasPrefix(v, f.Verb+" ") || slices.Contains(tokens.Words(have)[:min(3, len(tokens.Words(have)))], v) ||
			stemIn(v, f.Object.Text)
	}
	if !verb {
		return false
	}
	if g.Object == "" {
		return true
	}
	have := f.Verb + " " + f.Object.Text + " " + f.Place.Text
	for _, w := range f.With {
		have += " " + w.Text
	}
	return overlap(g.Object, have) >= 0.5
}

func stemIn(v, text string) bool {
	ws := tokens.Words(text)
	return len(ws) > 0 && tokens.Stem(ws[0]) == tokens.Stem(v) || len(ws) > 1 && ws[0] == "to" && ws[1] == v
}

func isHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x4e00 && r < 0xa000 })
}

func (g goldFact) same(f Fact) bool { return g.meets(f) && g.person(f) && g.Negated == f.Negated }

func (g goldFact) person(f Fact) bool {
	switch g.Person {
	case "S":
		return f.Subject.Kind == Speaker
	case "A":
		return f.Subject.Kind == Addressee
	}
	for p := range strings.SplitSeq(g.Person, "/") {
		if f.Subject.Relation == p || strings.Contains(strings.ToLower(f.Subject.Text), strings.ToLower(p)) || f.Subject.Text != "" && strings.Contains(p, f.Subject.Text) {
			return true
		}
	}
	return false
}

// overlap is the share of the content of want that have holds.
func overlap(want, have string) float64 {
	if isHan(want) {
		n, all := 0, 0
		for _, r := range want {
			if r < 0x80 || strings.ContainsRune("的了一", r) {
				continue
			}
			all++
			if strings.ContainsRune(have, r) {
				n++
			}
		}
		if all == 0 {
			return 1
		}
		return float64(n) / float64(all)
	}
	got := map[string]bool{}
	for _, w := range tokens.Words(have) {
		got[tokens.Stem(w)] = true
	}
	n, all := 0, 0
	for _, w := range tokens.Words(want) {
		if tokens.Stop(w) && len(tokens.Words(want)) > 1 {
			continue
		}
		all++
		if got[tokens.Stem(w)] {
			n++
		}
	}
	if all == 0 {
		return 1
	}
	return float64(n) / float64(all)
}

// goldTexts reads the turns' texts where the data is; the test skips where it is not.
func goldTexts(t *testing.T, turns []goldTurn) map[string]said {
	out := map[string]said{}
	load := map[string]func(*testing.T, map[string]said){"realtalk": realtalkTexts, "locomo": locomoTexts, "beam": beamTexts, "personamem": personamemTexts, "memory_bench": chapterTexts}
	for _, g := range turns {
		if f := load[g.Source]; f != nil {
			f(t, out)
			delete(load, g.Source)
		}
	}
	return out
}

func readJSON(t *testing.T, r io.Reader, v any) {
	t.Helper()
	if err := json.NewDecoder(r).Decode(v); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func glob(t *testing.T, parts ...string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(append([]string{exttest.Shared(t, "data"), "data"}, parts...)...))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files %v: %v", parts, err)
	}
	return names
}

func realtalkTexts(t *testing.T, out map[string]said) {
	for _, name := range glob(t, "realtalk", "*.json") {
		var chat map[string]json.RawMessage
		readJSON(t, open(t, name), &chat)
		base := strings.TrimSuffix(filepath.Base(name), ".json")
		for k, raw := range chat {
			var turns []struct {
				Text    string `json:"clean_text"`
				Dia     string `json:"dia_id"`
				Speaker string
			}
			if strings.HasPrefix(k, "session_") && json.Unmarshal(raw, &turns) == nil {
				for _, u := range turns {
					out["realtalk "+base+"/"+u.Dia] = said{strings.TrimSpace(u.Text), strings.Split(base, "_")[2:]}
				}
			}
		}
	}
}

func locomoTexts(t *testing.T, out map[string]said) {
	var samples []struct {
		ID   string                     `json:"sample_id"`
		Conv map[string]json.RawMessage `json:"conversation"`
	}
	readJSON(t, open(t, filepath.Join(exttest.Shared(t, "data"), "data", "locomo", "locomo8.json")), &samples)
	for _, s := range samples {
		var names []string
		for _, k := range []string{"speaker_a", "speaker_b"} {
			var n string
			_ = json.Unmarshal(s.Conv[k], &n)
			names = append(names, n)
		}
		for k, raw := range s.Conv {
			var turns []struct {
				Text string
				Dia  string `json:"dia_id"`
			}
			if strings.HasPrefix(k, "session_") && json.Unmarshal(raw, &turns) == nil {
				for _, u := range turns {
					out["locomo "+s.ID+"/"+u.Dia] = said{u.Text, names}
				}
			}
		}
	}
}

var beamTail = regexp.MustCompile(`(?s)\s*->->.*$`)

func beamTexts(t *testing.T, out map[string]said) {
	for _, name := range glob(t, "beam", "100K", "*", "chat.json") {
		var batches []struct {
			Turns [][]struct {
				ID      int
				Content string
			}
		}
		readJSON(t, open(t, name), &batches)
		for _, b := range batches {
			for _, g := range b.Turns {
				for _, u := range g {
					out["beam "+filepath.Base(filepath.Dir(name))+"/"+strconv.Itoa(u.ID)] = said{text: beamTail.ReplaceAllString(u.Content, "")}
				}
			}
		}
	}
}

func personamemTexts(t *testing.T, out map[string]said) {
	z, err := gzip.NewReader(open(t, filepath.Join(exttest.Shared(t, "data"), "data", "personamem", "32k", "documents.json.gz")))
	if err != nil {
		t.Fatal(err)
	}
	var docs []struct{ ID, Content string }
	readJSON(t, z, &docs)
	for _, d := range docs {
		for i, l := range strings.Split(d.Content, "\n") {
			if u, ok := strings.CutPrefix(l, "[USER] User: "); ok {
				out["personamem "+d.ID+"#"+strconv.Itoa(i)] = said{text: u}
			}
		}
	}
}

var chapterLine = regexp.MustCompile(`^\[S\|[A-Z]+\] (.*)`)

func chapterTexts(t *testing.T, out map[string]said) {
	for _, name := range glob(t, "memory_bench", "source", "norm", "*.md") {
		sc := bufio.NewScanner(open(t, name))
		for n := 1; sc.Scan(); n++ {
			if m := chapterLine.FindStringSubmatch(sc.Text()); m != nil {
				out[fmt.Sprintf("memory_bench %s:%d", filepath.Base(name), n)] = said{text: strings.TrimSpace(m[1])}
			}
		}
	}
}
