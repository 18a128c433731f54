package baseline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/memory"
	"membench/memory/all"
)

// origin is where a system comes from, as the reference read it, and what differs here
// beyond what its two modes say.
type origin struct{ source, differs string }

const gallery = "Mem-Gallery c0a04545"

var origins = map[string]origin{
	"FUMemory":           {gallery, "tokens are estimated without the model's tokenizer"},
	"STMemory":           {gallery, "as FUMemory"},
	"LTMemory":           {gallery, "as FUMemory"},
	"GAMemory":           {gallery, "a question meets a copy, and renews nothing"},
	"MGMemory":           {gallery, "functions act on a copy for the question"},
	"RFMemory":           {gallery, "as FUMemory"},
	"MMMemory":           {gallery, "text and caption are embedded together; the image's own vector where a file has it (the CLIP variant's mean)"},
	"MMFUMemory":         {gallery, "as FUMemory"},
	"NGMemory":           {gallery, "weights of edges are not used in fixed either"},
	"AUGUSTUSMemory":     {gallery, "at most 50 concept edges an entry; the query's concepts are asked for once, published twice"},
	"UniversalRAGMemory": {gallery, "a route that is none of the three is a document, published by lot"},
	"memoryos":           {"BAI-LAB/MemoryOS 1d717060", "the queue is emptied before an exchange is added (memoryos-pro 0.1.0: after, so its capacity is one more); keywords of segments are the theme's (0.1.0 asks again); an exchange with an empty side is kept; a page is found once; links of pages are kept in chains only"},
	"simplemem":          {"aiming-lab/SimpleMem db80b6a7", "0.1.0 has no overlap of windows and searches by meaning only: compared with these switched off; the question is always searched, too"},
	"omni-simplemem":     {"aiming-lab/SimpleMem db80b6a7 (OmniSimpleMem)", "no events, entity graph or parametric store; number of hits never from the gold category"},
	"mem0-published":     {"mem0ai 1.0.11", "created_at is the dialogue's; an answer whose text is none of the new facts is refused (then by rule)"},
	"mem0-graph":         {"mem0ai 1.0.11 with its Kuzu store", "which of relations with one score stand first is the database's choice there, the last found here; an outdated relation is kept as history (Kuzu deletes it, Neo4j does not)"},
	"mem0-v2":            {"mem0ai 2.2.1", "words are our BM25 and names our rule (there extras: fastembed, spaCy); compared without them, as pip installs it; expiration dates are not there"},
	"mem0":               {"mem0ai 1.x in process, with its own ranking", "docs/adr/0002-embedded-memory.md; mem0-published is the exact one"},
	"hipporag":           {"OSU-NLP-Group/HippoRAG c617143f", "where a walk cannot start, passages are ranked by cosine (there it fails an assertion)"},
	"graphiti-native":    {"getzep/graphiti 993e081a", "a thing's summary is asked for (0.31.2 joins the facts while they are short: its text was the answer when compared), missing times are not, by a call of their own; by rule candidates for contradiction are facts of the same source, not a search over all; names by exact letter groups, not MinHash; no communities, no breadth-first recipe, no cross-encoder"},
	"zep-like":           {"getzep/graphiti 993e081a", "as graphiti-native, asked for episodes without a reranker"},
	"memgpt":             {"MemGPT paper, Letta's functions", "no heartbeats or summaries of the queue; searches by meaning"},
	"memu":               {"NevaMind-AI/memU 357aefc8 (1.5.1)", "one session is one segment; sessions are not searched by caption; what was found is checked once, not twice"},
	"memu-v2":            {"NevaMind-AI/memU 37d2efa5", "segments are facts by rule: there the calling agent makes them"},
	"memverse-lite":      {"KnowledgeXLab/MemVerse e94d9acb", "one graph for three, relations not re-inserted, no parametric memory"},
	"amem":               {"WujiangXu/AgenticMemory 7f716dc5", "a link to a note that does not exist is left out (there it crashes); a note is shown once"},
	"amem-product":       {"agiresearch/A-mem ceffb860", "a score is the cosine, there the squared distance"},
	"graphmem":           {"our own", "–"},
	"pcm":                {"ProCoMemory", "docs/deviations.md"},
	"qarp":               {"QARP", "docs/deviations.md"},
	"adaptive-rag":       {"starsuzi/Adaptive-RAG 0c88670a, adapted", "docs/deviations.md"},
	"token-matched":      {"QARP", "docs/deviations.md"},
	"adaptmr":            {"AdaptMR strategies", "docs/deviations.md"},
	"oracle-strategy":    {"AdaptMR strategies", "docs/deviations.md"},
}

// recorded says what each system was held against, from the recordings.
func recorded(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/parity/*.json")
	if err != nil {
		t.Fatal(err)
	}
	n, by := map[string]int{}, map[string]string{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var rec recording
		if err := codec.Unmarshal(raw, &rec); err != nil {
			t.Fatal(err)
		}
		n[rec.System]++
		by[rec.System] = rec.Original
	}
	out := map[string]string{}
	for name, original := range by {
		out[name] = fmt.Sprintf("recorded: %s, %d dialogues", original, n[name])
	}
	return out
}

func span(s memory.Span) string {
	switch {
	case s.Min == s.Max:
		return fmt.Sprint(s.Min)
	case s.Max >= 1<<20:
		return fmt.Sprintf("%d and more", s.Min)
	}
	return fmt.Sprintf("%d–%d", s.Min, s.Max)
}

// systemRow is a system's line of docs/systems.md.
func systemRow(t *testing.T, spec memory.Spec, parity map[string]string) string {
	t.Helper()
	rule, err := spec.Open(memory.Deps{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	model, err := spec.Open(memory.Deps{LLM: scripted(nil)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	modes := "one"
	if raw, err := spec.Defaults(); err == nil && strings.Contains(string(raw), `"mode":""`) {
		modes = "fixed, faithful"
	}
	caps, c := memory.CapabilitiesOf(rule), memory.CapabilitiesOf(model).Calls
	by := "no model"
	if len(caps.ByRule) > 0 {
		by = "`" + rule.Info().Name + "`: " + strings.Join(caps.ByRule, ", ")
	}
	calls := "–"
	if c != nil {
		calls = fmt.Sprintf("%s / %s / %s", span(c.LLMPerUnit), span(c.LLMPerSession), span(c.LLMPerQuery))
	}
	o := origins[spec.Name]
	held := parity[spec.Name]
	if held == "" {
		held = "vectors and traces only"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |\n", spec.Name, o.source, modes, by, calls, held, o.differs)
}

// flawTable lists what the reference marks as wrong, by system, with the test that holds the
// modes apart.
func flawTable() string {
	var b strings.Builder
	b.WriteString("| system | what is wrong there, and done in `faithful` | held by |\n|---|---|---|\n")
	for _, spec := range all.Specs() {
		for _, m := range marked {
			if m.system == spec.Name {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", m.system, m.what, m.held)
			}
		}
		for _, f := range flaws {
			if f.system == spec.Name {
				fmt.Fprintf(&b, "| %s | %s | TestFlaws |\n", f.system, f.what)
			}
		}
	}
	return b.String()
}

// fill puts text into the generated part of a page.
func fill(t *testing.T, doc []byte, name, text string) []byte {
	t.Helper()
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end: "+name+" -->"
	part := regexp.MustCompile("(?s)" + begin + ".*?" + end)
	if !part.Match(doc) {
		t.Fatalf("the page has no part %s to fill in", name)
	}
	return part.ReplaceAllFunc(doc, func([]byte) []byte { return []byte(begin + text + end) })
}

// TestSystemsDoc keeps the tables of docs/systems.md.
func TestSystemsDoc(t *testing.T) {
	parity := recorded(t)
	var b strings.Builder
	b.WriteString("| system | source | modes | by rule (name: operations) | model calls a unit / session / question | held against | what differs |\n|---|---|---|---|---|---|---|\n")
	for _, spec := range all.Specs() {
		if _, ok := origins[spec.Name]; ok {
			b.WriteString(systemRow(t, spec, parity))
		}
	}
	page(t, "../../docs/systems.md", map[string]string{"systems": b.String(), "flaws": flawTable(), "cost": costTable(t)})
}

// page holds a page's generated parts, or writes them.
func page(t *testing.T, path string, parts map[string]string) {
	t.Helper()
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := doc
	for name, text := range parts {
		want = fill(t, want, name, text)
	}
	if *update {
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(want) != string(doc) {
		t.Errorf("%s is not current: go test ./memory/baseline -run TestSystemsDoc -update", path)
	}
}

// costTable is what TenThousandTurns measured of every system.
func costTable(t *testing.T) string {
	raw, err := os.ReadFile("testdata/speed.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		var name string
		var small, large, p95, p95Large, held float64
		if _, err := fmt.Sscan(line, &name, &small, &large, &p95, &p95Large, &held); err != nil {
			t.Fatalf("testdata/speed.tsv: %q: %v, want a name and five numbers", line, err)
		}
		rows[name] = fmt.Sprintf("| %s | %.1f | %.1f | %s | %.1f | %.1f | %.0f | %.1f |\n", name, small, large, perSecond(large), p95, p95Large, held, held*1024/10_000)
	}
	var b strings.Builder
	b.WriteString("| system | 1,000 turns stored in, s | 10,000 in, s | turns a second | p95 of a question at 1,000, ms | at 10,000, ms | held, MiB | KiB a turn |\n|---|---|---|---|---|---|---|---|\n")
	for _, spec := range all.Specs() {
		b.WriteString(rows[spec.Name])
	}
	return b.String()
}

func perSecond(s float64) string {
	if s < 0.1 {
		return "over 100,000"
	}
	return fmt.Sprintf("%.0f", 10_000/s)
}
