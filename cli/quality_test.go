package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
	"unicode"

	"membench/internal/exttest"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
)

var updateDocs = flag.Bool("update", false, "write the generated parts of docs/ again")

// The gold set (testdata/gold/README.md) was made before and independently of the
// rules that are measured here. Its texts in three places: ours, and two that may
// not be copied and are read from the shared folder.

type goldEvent struct {
	ID, Source, Speaker, Lang, Half, Tag string
	Line                                 int
	DiaID                                string   `json:"dia_id"`
	TagAlt                               []string `json:"tag_alt"`
	name                                 string   // of who speaks, from the event
}

// saidBy reports whether a subject is who speaks the turn.
func (ev goldEvent) saidBy(r schema.Ref) bool {
	if r.Type == "Person" {
		return strings.HasSuffix(nameOf(r.ID), "/"+ev.name)
	}
	return r.Type == map[string]string{"user": "User", "agent": "Agent"}[ev.Speaker]
}

type goldFact struct {
	ID, Event, Lang, Half, Predicate, Subject, Kind string
	Expressible, Certain                            bool
	PredicateAlt                                    []string `json:"predicate_alt"`
	SubjectSpan                                     []int    `json:"subject_span"`
	SubjectAlt                                      [][]int  `json:"subject_alt"`
	SubjectName                                     string   `json:"subject_name"`
	SubjectNameAlt                                  []string `json:"subject_name_alt"`
	ObjectSpan                                      []int    `json:"object_span"`
	ObjectAlt                                       [][]int  `json:"object_alt"`
	ObjectName                                      string   `json:"object_name"`
	ObjectNameAlt                                   []string `json:"object_name_alt"`
	SameAs                                          string   `json:"same_as"`
}

func readGold[T any](t *testing.T, name string) (out []T) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata/gold", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	for d.More() {
		var v T
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// ratio is right of n; an empty one prints as a dash.
type ratio struct{ right, n int }

func (r ratio) String() string {
	if r.n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f (%d/%d)", float64(r.right)/float64(r.n), r.right, r.n)
}

// score is one row of docs/quality.md.
type score struct {
	tags     ratio // tag of an event
	claims   ratio // precision: claims that match a fact of their event
	express  ratio // recall of certain facts that the white list can say
	all      ratio // recall of every certain fact
	evidence ratio // evidence that is the memory's text and leads to a turn that holds it
	perTag   map[string]*[3]int
}

func (s *score) add(o *score) {
	for _, p := range []struct{ to, from *ratio }{{&s.tags, &o.tags}, {&s.claims, &o.claims}, {&s.express, &o.express}, {&s.all, &o.all}, {&s.evidence, &o.evidence}} {
		p.to.right += p.from.right
		p.to.n += p.from.n
	}
	for tag, c := range o.perTag {
		s.tag(tag, *c)
	}
}

// tag adds true positives, all given and all gold of a tag.
func (s *score) tag(name string, c [3]int) {
	if s.perTag == nil {
		s.perTag = map[string]*[3]int{}
	}
	if s.perTag[name] == nil {
		s.perTag[name] = new([3]int)
	}
	for i := range c {
		s.perTag[name][i] += c[i]
	}
}

// runGold puts one body of text through the chain's own commands and returns what
// came out: events, exports and the claims of each conversation.
func runGold(t *testing.T, sources ...string) (events []schema.Event, exports []schema.MemoryExport, claims []schema.Claim) {
	t.Helper()
	dir := t.TempDir()
	cmd := func(args ...string) {
		t.Helper()
		var errs bytes.Buffer
		e := &env{in: strings.NewReader(""), out: io.Discard, err: &errs, getenv: func(string) string { return "" }, now: func() time.Time { return time.Unix(1.8e9, 0) }}
		if code := run(context.Background(), e, args); code != 0 {
			t.Fatalf("membench %v: exit %d\n%s", args, code, errs.String())
		}
	}
	p := func(name string) string { return filepath.Join(dir, name) }
	cmd(append(append([]string{"annotate"}, sources...), "--user", "reader", "--start", "2026-01-01T00:00:00Z", "-o", p("events"))...)
	cmd("compile", p("events"), "-o", p("events.jsonl"))
	cmd("replay", "ingest", p("events.jsonl"), "--backend", "embedded", "--store", p("store"))
	cmd("replay", "export", "--backend", "embedded", "--store", p("store"), "-o", p("exports"))
	cmd("claimify", p("exports"), "-o", p("claims"), "--operations", "*")
	return readAll[schema.Event](t, p("events.jsonl")), readAll[schema.MemoryExport](t, p("exports")), claimsOf(readAll[schema.Statement](t, p("claims")))
}

func claimsOf(in []schema.Statement) (out []schema.Claim) {
	for _, s := range in {
		if s.Claim != nil {
			out = append(out, *s.Claim)
		}
	}
	return out
}

func readAll[T any](t *testing.T, path string) (out []T) {
	t.Helper()
	files, err := inputFiles([]string{path}, ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range jsonl.Files[T](files, nil) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rec.V)
	}
	return out
}

// words are the units that two phrases are compared by: Chinese characters and
// folded Latin words without the empty ones.
func words(s string) map[string]bool {
	out := map[string]bool{}
	var w strings.Builder
	flush := func() {
		if s := strings.ToLower(w.String()); s != "" && !slices.Contains([]string{"the", "a", "an", "of", "to", "my", "in", "on", "and", "is", "it"}, s) {
			if len(s) > 3 {
				s = strings.TrimSuffix(strings.TrimSuffix(s, "s"), "'")
			}
			out[s] = true
		}
		w.Reset()
	}
	for _, r := range s {
		switch {
		case textnorm.IsHan(r):
			flush()
			if !strings.ContainsRune("的了", r) {
				out[string(r)] = true
			}
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			w.WriteRune(r)
		default:
			flush()
		}
	}
	flush()
	return out
}

// says reports whether phrase a says what phrase b says: of the words of the
// shorter at least 70 % are in the other, or half of all words are shared.
func says(a, b string) bool {
	x, y := words(a), words(b)
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	if both == 0 {
		return false
	}
	return float64(both) >= 0.7*float64(min(len(x), len(y))) || 2*both >= (len(x)+len(y)+1)/2
}

func span(text string, s []int) string {
	r := []rune(text)
	if len(s) != 2 || s[0] < 0 || s[1] > len(r) {
		return ""
	}
	return string(r[s[0]:s[1]])
}

func (f goldFact) objects(text string) []string {
	out := []string{span(text, f.ObjectSpan), f.ObjectName}
	for _, s := range f.ObjectAlt {
		out = append(out, span(text, s))
	}
	return slices.DeleteFunc(append(out, f.ObjectNameAlt...), func(s string) bool { return s == "" })
}

// nameOf is the free text of an entity id.
func nameOf(id schema.EntityID) string {
	_, name, _ := strings.Cut(string(id), ":")
	return schema.Unescape(strings.ReplaceAll(name, "#", " "))
}

// matches reports whether the claim, taken from this event, says the fact.
func (f goldFact) matches(c schema.Claim, ev goldEvent, text string) bool {
	preds := append([]string{f.Predicate}, f.PredicateAlt...)
	if slices.Contains(preds, "FAVORITE_WORK") {
		preds = append(preds, "DISCUSSED_WORK")
	}
	if !slices.Contains(preds, c.Predicate) {
		return false
	}
	person := slices.Contains(catalog.People(), c.Subject.Type)
	switch {
	case strings.HasPrefix(c.Predicate, "DISCUSSED_"):
		if !person {
			return false
		}
	case f.Subject == "speaker":
		if !ev.saidBy(c.Subject) {
			return false
		}
	case f.Subject == "addressee":
		if !person || ev.saidBy(c.Subject) {
			return false
		}
	default:
		var names []string
		for _, s := range append([][]int{f.SubjectSpan}, f.SubjectAlt...) {
			if n := span(text, s); n != "" {
				names = append(names, n)
			}
		}
		if f.SubjectName != "" {
			names = append(append(names, f.SubjectName), f.SubjectNameAlt...)
		}
		if len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return says(nameOf(c.Subject.ID), n) }) {
			return false
		}
	}
	return slices.ContainsFunc(f.objects(text), func(o string) bool { return says(nameOf(c.Object.ID), o) })
}

// grade measures one body. at finds the gold event of a turn.
func gradeOf(t *testing.T, gold map[string]goldEvent, facts map[string][]goldFact, at func(schema.Event) (goldEvent, bool), into map[string]*score, wrong io.Writer, sources ...string) {
	t.Helper()
	events, exports, claims := runGold(t, sources...)
	row := func(ev goldEvent) *score {
		k := ev.Half + " " + ev.Lang
		if into[k] == nil {
			into[k] = &score{}
		}
		return into[k]
	}
	byRef := map[schema.EventRef]goldEvent{}
	texts := map[string]string{}
	seen := 0
	for _, e := range events {
		ev, ok := at(e)
		if !ok {
			continue
		}
		seen++
		ev.name = e.RoleName
		byRef[e.Ref()], texts[ev.ID] = ev, e.Content
		s := row(ev)
		s.tags.n++
		right := e.Tags[0] == ev.Tag || slices.Contains(ev.TagAlt, e.Tags[0])
		want := ev.Tag
		if right {
			s.tags.right++
			want = e.Tags[0]
		}
		s.tag(e.Tags[0], [3]int{b2i(right), 1, 0})
		s.tag(want, [3]int{0, 0, 1})
	}
	if seen != len(gold) {
		t.Fatalf("have %d of %d gold events", seen, len(gold))
	}
	memories := map[schema.PointID]schema.PayloadFields{}
	for _, m := range exports {
		f, err := m.Fields()
		if err != nil {
			t.Fatal(err)
		}
		memories[m.ID] = f
	}
	content := map[schema.EventRef]string{}
	for _, e := range events {
		content[e.Ref()] = e.Content
	}
	found := map[string]bool{}
	labelled := map[string]bool{} // predicates that the gold has facts of: everyday facts are measured in internal/clause
	for _, fs := range facts {
		for _, f := range fs {
			labelled[f.Predicate] = true
		}
	}
	for _, c := range claims {
		if !labelled[c.Predicate] {
			continue
		}
		for _, evd := range c.Evidence {
			m, ok := memories[evd.Point]
			var evs []goldEvent
			holds := ok && m.Data == evd.Text && string(evd.Memory) == "mem:"+schema.Hash(m.Data)
			inTurns := len(m.Events) > 0
			for _, ref := range m.Events {
				if ev, ok := byRef[ref]; ok {
					evs = append(evs, ev)
				}
				if _, ok := content[ref]; !ok {
					inTurns = false
				}
			}
			if len(evs) == 0 {
				continue // stands on turns that were not drawn
			}
			s := row(evs[0])
			s.evidence.n++
			s.evidence.right += b2i(holds && inTurns)
			s.claims.n++
			right := false
			for _, ev := range evs {
				for _, f := range facts[ev.ID] {
					if f.Expressible && f.matches(c, ev, texts[ev.ID]) {
						right = true
						found[f.ID], found[f.SameAs] = true, true
					}
				}
			}
			s.claims.right += b2i(right)
			if !right && wrong != nil {
				fmt.Fprintf(wrong, "wrong %s %s %s %q → %s %q\n", evs[0].ID, evs[0].Half, c.Subject.ID, texts[evs[0].ID], c.Predicate, nameOf(c.Object.ID))
			}
		}
	}
	for id, ev := range gold {
		for _, f := range facts[id] {
			if !f.Certain || f.SameAs != "" {
				continue
			}
			s := row(ev)
			s.all.n++
			s.all.right += b2i(found[f.ID])
			if f.Expressible {
				s.express.n++
				s.express.right += b2i(found[f.ID])
				if !found[f.ID] && wrong != nil {
					fmt.Fprintf(wrong, "missed %s %s %s %q → %s %q\n", id, ev.Half, f.Subject, texts[id], f.Predicate, f.objects(texts[id]))
				}
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

var normName = regexp.MustCompile(`^(ch\d{2,})_.*\.norm\.md$`)

// TestQuality measures tags, claims and evidence on the gold set, both halves and
// both languages, through the chain's own commands. Texts of the shared folder are
// left out, loudly, where it is absent; docs/quality.md is written with them.
// MEMBENCH_GOLD_SHOW=tune prints what was wrong on that half.
func TestQualityDocs(t *testing.T) {
	bySource := map[string]map[string]goldEvent{"texts": {}, "norm": {}, "locomo": {}}
	facts := map[string][]goldFact{}
	for _, ev := range readGold[goldEvent](t, "events.jsonl") {
		switch {
		case strings.HasPrefix(ev.Source, "texts/"):
			bySource["texts"][ev.ID] = ev
		case strings.HasSuffix(ev.Source, ".norm.md"):
			bySource["norm"][ev.ID] = ev
		default:
			bySource["locomo"][ev.ID] = ev
		}
	}
	for _, f := range readGold[goldFact](t, "facts.jsonl") {
		facts[f.Event] = append(facts[f.Event], f)
	}
	var wrong bytes.Buffer
	scores := map[string]map[string]*score{}
	measure := func(name string, at func(schema.Event) (goldEvent, bool), sources ...string) {
		scores[name] = map[string]*score{}
		gradeOf(t, bySource[name], facts, at, scores[name], &wrong, sources...)
	}
	byLine := func(name string) func(schema.Event) (goldEvent, bool) {
		at := map[string]goldEvent{}
		for _, ev := range bySource[name] {
			at[fmt.Sprintf("%s:%d", filepath.Base(ev.Source), ev.Line)] = ev
		}
		return func(e schema.Event) (goldEvent, bool) {
			m, err := e.ReadMeta()
			if err != nil {
				t.Fatal(err)
			}
			ev, ok := at[fmt.Sprintf("%s:%d", filepath.Base(m.SourcePath), m.StartLine)]
			return ev, ok
		}
	}
	measure("texts", byLine("texts"), "testdata/gold/texts")
	shared, err := exttest.FindShared(t, "data/memory_bench/source/norm", "data/locomo/locomo8.json")
	if err == nil {
		measure("norm", byLine("norm"), goldChapters(t, shared)...)
		chat, dia := goldLocomo(t, shared)
		at := map[string]goldEvent{}
		for _, ev := range bySource["locomo"] {
			at[ev.DiaID] = ev
		}
		measure("locomo", func(e schema.Event) (goldEvent, bool) { ev, ok := at[dia[e.TurnID]]; return ev, ok }, chat)
	}
	if half := os.Getenv("MEMBENCH_GOLD_SHOW"); half != "" {
		for l := range strings.Lines(wrong.String()) {
			if strings.Contains(l, " "+half+" ") {
				t.Log(strings.TrimSpace(l))
			}
		}
	}
	table, total := qualityTable(scores)
	t.Log("\n" + table)
	if total.evidence.right != total.evidence.n {
		t.Errorf("evidence: have %v, want all of it right", total.evidence)
	}
	if err != nil {
		t.Skipf("SKIP-EXTERNAL: shared data: the table of docs/quality.md is not checked: %v", err)
	}
	checkDoc(t, "../docs/quality.md", "gold", table)
}

func goldChapters(t *testing.T, shared string) (out []string) {
	dir := filepath.Join(shared, "data/memory_bench/source/norm")
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if m := normName.FindStringSubmatch(n.Name()); m != nil && m[1] != "ch9999" {
			out = append(out, filepath.Join(dir, n.Name()))
		}
	}
	return out
}

// goldLocomo writes conv-26 as chat lines and returns the file and the dia_id of each turn.
func goldLocomo(t *testing.T, shared string) (string, map[int]string) {
	b, err := os.ReadFile(filepath.Join(shared, "data/locomo/locomo8.json"))
	if err != nil {
		t.Fatal(err)
	}
	var convs []struct {
		ID   string                     `json:"sample_id"`
		Conv map[string]json.RawMessage `json:"conversation"`
	}
	if err := json.Unmarshal(b, &convs); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(convs, func(c struct {
		ID   string                     `json:"sample_id"`
		Conv map[string]json.RawMessage `json:"conversation"`
	}) bool {
		return c.ID == "conv-26"
	})
	if i < 0 {
		t.Fatal("conv-26 is not in locomo8.json")
	}
	var user string
	if err := json.Unmarshal(convs[i].Conv["speaker_a"], &user); err != nil {
		t.Fatal(err)
	}
	var sessions []int
	for k := range convs[i].Conv {
		var n int
		if _, err := fmt.Sscanf(k, "session_%d", &n); err == nil && k == fmt.Sprintf("session_%d", n) {
			sessions = append(sessions, n)
		}
	}
	sort.Ints(sessions)
	name := filepath.Join(t.TempDir(), "conv-26.jsonl")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	dia := map[int]string{}
	for _, n := range sessions {
		var turns []struct {
			Speaker, Text string
			DiaID         string `json:"dia_id"`
		}
		if err := json.Unmarshal(convs[i].Conv[fmt.Sprintf("session_%d", n)], &turns); err != nil {
			t.Fatal(err)
		}
		for _, turn := range turns {
			role := "assistant"
			if turn.Speaker == user {
				role = "user"
			}
			if strings.TrimSpace(turn.Text) == "" {
				continue
			}
			dia[len(dia)+1] = turn.DiaID
			if err := enc.Encode(map[string]string{"role": role, "name": turn.Speaker, "content": turn.Text, "session_id": fmt.Sprint(n)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return name, dia
}

func qualityTable(scores map[string]map[string]*score) (string, *score) {
	var b strings.Builder
	total, sums := &score{}, map[string]*score{}
	b.WriteString("| texts | half, language | tags right | claims: precision | recall of what the white list can say | recall of every fact | evidence right |\n|---|---|---|---|---|---|---|\n")
	line := func(name, key string, s *score) {
		fmt.Fprintf(&b, "| %s | %s | %v | %v | %v | %v | %v |\n", name, key, s.tags, s.claims, s.express, s.all, s.evidence)
	}
	for _, name := range []string{"texts", "norm", "locomo"} {
		for _, key := range catalog.Sorted(scores[name]) {
			s := scores[name][key]
			line(map[string]string{"texts": "own", "norm": "chapters", "locomo": "conv-26"}[name], key, s)
			half, lang, _ := strings.Cut(key, " ")
			for _, k := range []string{"all " + half, "all " + lang, "all " + half + " " + lang} {
				if sums[k] == nil {
					sums[k] = &score{}
				}
				sums[k].add(s)
			}
			total.add(s)
		}
	}
	for _, key := range catalog.Sorted(sums) {
		line("**all**", strings.TrimPrefix(key, "all "), sums[key])
	}
	line("**all**", "", total)
	b.WriteString("\n| tag | precision | recall |\n|---|---|---|\n")
	for _, tag := range catalog.Sorted(total.perTag) {
		c := total.perTag[tag]
		fmt.Fprintf(&b, "| %s | %v | %v |\n", tag, ratio{c[0], c[1]}, ratio{c[0], c[2]})
	}
	return b.String(), total
}

// checkDoc holds the part of a document between the markers of that name equal to
// text, or writes it with -update.
func checkDoc(t *testing.T, path, name, text string) {
	t.Helper()
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end: "+name+" -->\n"
	i, j := strings.Index(string(doc), begin), strings.Index(string(doc), end)
	if i < 0 || j < i {
		t.Fatalf("%s: the markers of %q are missing", path, name)
	}
	i += len(begin)
	if string(doc[i:j]) == text {
		return
	}
	if !*updateDocs {
		t.Fatalf("%s: part %q is not current: run `make docs`", path, name)
	}
	if err := os.WriteFile(path, []byte(string(doc[:i])+text+string(doc[j:])), 0o666); err != nil {
		t.Fatal(err)
	}
}
