package graphmem_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"membench/datasets"
	"membench/datasets/all"
	"membench/eval/reader"
	"membench/internal/exttest"
	"membench/internal/stats"
	"membench/llm"
	"membench/llm/hashing"
	"membench/llm/llmtest"
	"membench/llm/openai"
	"membench/memory"
	"membench/memory/baseline"
	"membench/memory/graphmem"
	"membench/memory/memorytest"
	"membench/schema"
	"membench/schema/jsonl"
)

// A set is other data that the ranking must hold on, by what its gold names.
type set struct {
	name, dataset string
	paths         []string // below data/
	unit          string   // what gold evidence is: turn, round, session; choice: the gold names all sessions, so that the answer counts
	prepare       func(*schema.Case)
	keep          func(schema.Question) bool
	minilm        bool // vectors of all-MiniLM-L6-v2, made while the test runs; else hashed ones
}

var sets = []set{
	{name: "LoCoMo", dataset: "locomo", paths: []string{"locomo/locomo8.json"}, unit: "turn"},
	{name: "REALTALK", dataset: "realtalk", paths: []string{"realtalk"}, unit: "turn"},
	{name: "BEAM", dataset: "beam", paths: []string{"beam/100K"}, unit: "turn"},
	{name: "Mem-Gallery", dataset: "memgallery", paths: []string{"mem_gallery/dialog"}, unit: "round", keep: func(q schema.Question) bool { return len(q.Attachments) == 0 }},
	{name: "HaluMem", dataset: "halumem", paths: []string{"halumem/pilot_slices"}, unit: "session", prepare: sessionsNamed},
	{name: "PersonaMem", dataset: "personamem", paths: []string{"personamem/32k"}, unit: "choice"},
	{name: "REALTALK with MiniLM", dataset: "realtalk", paths: []string{"realtalk"}, unit: "turn", minilm: true},
}

// keptBack reports a case that nobody looked at while weights were learnt: a third, by the
// hash of its name.
func keptBack(c schema.Case) bool { return sha256.Sum256([]byte(c.ID))[0]%3 == 1 }

// sessionsNamed makes evidence of the ids that a question names: of gold points, which
// stand in sessions, or of sessions.
func sessionsNamed(c *schema.Case) {
	for i := range c.Questions {
		q := &c.Questions[i]
		q.Evidence = nil
		for _, s := range c.Sessions {
			named := slices.Contains(q.EvidenceIDs, s.SourceID) ||
				slices.ContainsFunc(s.Points, func(p schema.MemoryPoint) bool { return slices.Contains(q.EvidenceIDs, p.ID) })
			if named && len(s.Turns) > 0 {
				q.Evidence = append(q.Evidence, s.Turns[0].Turn(c.ConvID).Sources[0])
			}
		}
	}
}

// unitOf maps a turn to the first one of its round or session.
func unitOf(c schema.Case, unit string) func(schema.EventRef) schema.EventRef {
	if unit == "turn" || unit == "choice" {
		return nil
	}
	first := map[schema.EventRef]schema.EventRef{}
	for _, s := range c.Sessions {
		var head schema.EventRef
		for i, u := range s.Turns {
			ref := u.Turn(c.ConvID).Sources[0]
			if i == 0 || unit == "round" && u.Role == memory.RoleUser {
				head = ref
			}
			first[ref] = head
		}
	}
	return func(r schema.EventRef) schema.EventRef { return first[r] }
}

func (s set) cases(t *testing.T) (out []schema.Case) {
	t.Helper()
	for _, c := range s.whole(t) {
		if s.prepare != nil {
			s.prepare(&c)
		}
		c.Questions = slices.DeleteFunc(slices.Clone(c.Questions), func(q schema.Question) bool {
			return s.keep != nil && !s.keep(q) || len(q.Evidence) == 0 && len(q.Choices) == 0
		})
		if len(c.Questions) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// whole are the cases with all their questions.
func (s set) whole(t *testing.T) (out []schema.Case) {
	t.Helper()
	var want []string
	for _, p := range s.paths {
		want = append(want, "data/"+p)
	}
	dir := exttest.Shared(t, want...)
	if dir == "" {
		return nil
	}
	d, ok := all.Lookup(s.dataset)
	if !ok {
		t.Fatal(s.dataset)
	}
	for _, p := range s.paths {
		files := []jsonl.File{datasets.PathFile(filepath.Join(dir, "data", p), nil)}
		if filepath.Ext(p) == "" {
			var err error
			if files, err = datasets.Find([]string{filepath.Join(dir, "data", p)}, d.Match, nil); err != nil {
				t.Fatal(err)
			}
		}
		for r, err := range d.Cases(context.Background(), files, datasets.Options{}) {
			if err == nil { // what is wrong with the data is the subject of other tests
				out = append(out, r.V)
			}
		}
	}
	return out
}

// TestSets asks all sources with one ranking and writes what each part brings on each:
// the table of docs/graph-memory.md. With -update and in make soak it is the whole table, or
// the columns that MEMBENCH_SETS names (with commas); else the main arms on the two short
// sources are held against the table. A column with a model's vectors is only made where it
// is named: its last digit may differ from machine to machine.
func TestSets(t *testing.T) {
	whole := *update || os.Getenv("MEMBENCH_SOAK") != ""
	some := os.Getenv("MEMBENCH_SETS")
	table := map[string]map[string]string{} // row, column
	var columns []string
	for _, s := range sets {
		if !whole && some == "" && s.name != "REALTALK" && s.name != "Mem-Gallery" {
			continue
		}
		if (some != "" || s.minilm) && !slices.Contains(strings.Split(some, ","), s.name) {
			columns = append(columns, s.name)
			continue
		}
		cases := s.cases(t)
		if len(cases) == 0 {
			continue
		}
		columns = append(columns, s.name)
		d := memory.Deps{Embed: hashing.New(0)}
		if s.minilm {
			d.Embed = liveMiniLM(t)
		}
		s.measure(t, cases, d, whole, func(row, cell string) {
			if table[row] == nil {
				table[row] = map[string]string{}
			}
			table[row][s.name] = cell
		})
	}
	if len(columns) == 0 {
		t.Skip("none of the other data sets is here: the table of docs/graph-memory.md is not checked")
	}
	text, err := os.ReadFile(graphDoc)
	if err != nil {
		t.Fatal(err)
	}
	have := unpivot(string(text))
	if whole {
		for _, column := range columns {
			if table[rowData][column] != "" {
				continue // measured now
			}
			for row, cells := range have {
				if table[row] == nil {
					table[row] = map[string]string{}
				}
				table[row][column] = cells[column]
			}
		}
		fill(t, graphDoc, "parts", pivot(columns, table))
		return
	}
	for row, cells := range table {
		for column, cell := range cells {
			if have[row][column] != cell {
				t.Errorf("%s, %s: have %s, the table says %s; run the test with -update", row, column, cell, have[row][column])
			}
		}
	}
}

// liveMiniLM embeds by the model of scripts/minilm.sh, each text once.
func liveMiniLM(t *testing.T) llm.Embedder {
	t.Helper()
	url := exttest.MiniLM(t)
	if url == "" {
		t.Fatal("this column needs all-MiniLM-L6-v2: scripts/minilm.sh install")
	}
	clock := llmtest.NewClock().Clock()
	clock.Sleep = func(ctx context.Context, d time.Duration) error { time.Sleep(d); return ctx.Err() }
	client, err := openai.New(openai.Options{BaseURL: url, Model: "all-MiniLM-L6-v2", Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	return &onceEach{Embedder: client, known: map[string][]float32{}}
}

// onceEach asks for the vector of each text once, 16 at a time, so that no answer takes
// longer than the client waits.
type onceEach struct {
	llm.Embedder
	mu    sync.Mutex
	known map[string][]float32
}

func (e *onceEach) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	missing := slices.DeleteFunc(slices.Clone(texts), func(x string) bool { return e.known[x] != nil })
	for part := range slices.Chunk(missing, 16) {
		vectors, err := e.Embedder.Embed(ctx, part)
		if err != nil {
			return nil, err
		}
		for i, x := range part {
			e.known[x] = vectors[i]
		}
	}
	out := make([][]float32, len(texts))
	for i, x := range texts {
		out[i] = e.known[x]
	}
	return out, nil
}

const graphDoc = "../../docs/graph-memory.md"

// Rows that are no arms.
const (
	rowData   = "questions in cases, turns; unit, k"
	rowBack   = "the default, on the third that was kept back"
	rowWithin = ", within 16,000 characters"
)

// measure fills a column.
func (s set) measure(t *testing.T, cases []schema.Case, d memory.Deps, whole bool, cell func(row, cell string)) {
	k, n, turns := 10, 0, 0
	if s.unit == "session" {
		k = 3
	}
	units := make([]func(schema.EventRef) schema.EventRef, len(cases))
	var back []int
	for i, c := range cases {
		units[i] = unitOf(c, s.unit)
		n += len(c.Questions)
		for _, x := range c.Sessions {
			turns += len(x.Turns)
		}
		if keptBack(c) {
			back = append(back, i)
		}
	}
	cell(rowData, fmt.Sprintf("%d in %d, %d; %s, %d", n, len(cases), turns, s.unit, k))
	var base, within [][]memorytest.Score
	put := func(row string, scores, base [][]memorytest.Score) {
		out := fmt.Sprintf("%.3f", mean(clusters(scores, nil, "all")))
		if base != nil {
			d := clusters(scores, base, "all")
			out = fmt.Sprintf("%+.3f", mean(d))
			if len(cases) >= 5 {
				iv := stats.BootstrapMean(d, 2000, 1, .95)
				out += fmt.Sprintf(" [%+.3f, %+.3f]", iv.Lo, iv.Hi)
				if iv.Lo > 0 || iv.Hi < 0 {
					out += "*"
				}
			}
		}
		cell(row, out)
	}
	read := readings(t, graphs(t, cases), d.Embed)
	for _, a := range setArms {
		if (len(cases) < 5 || !whole) && !a.few {
			continue
		}
		o := graphmem.Defaults()
		a.change(&o)
		scores := each(t, cases, func(i int) ([]memorytest.Score, error) {
			return s.ask(context.Background(), read[i].With(o), cases[i], k, units[i])
		})
		put(a.name, scores, base)
		if base != nil {
			continue
		}
		base = scores
		var some [][]memorytest.Score
		for _, i := range back {
			some = append(some, scores[i])
		}
		if len(some) > 0 {
			cell(rowBack, fmt.Sprintf("%.3f (%d cases)", mean(clusters(some, nil, "all")), len(some)))
		}
		if s.unit == "turn" {
			within = each(t, cases, func(i int) ([]memorytest.Score, error) {
				return memorytest.AskWithin(context.Background(), read[i], cases[i], 16_000, units[i])
			})
			put(a.name+rowWithin, within, nil)
		}
	}
	for _, spec := range []memory.Spec{baseline.BM25(), baseline.BM25Stemmed(), baseline.EmbeddingOnly(), baseline.ScoreFused(), baseline.TurnAlone()} {
		sys, err := spec.Open(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		shown := make([][]memorytest.Score, len(cases))
		put(spec.Name, each(t, cases, func(i int) ([]memorytest.Score, error) {
			ctx := context.Background()
			m, err := sys.Open(ctx, memory.Namespace{Run: "recall", Scope: cases[i].ID})
			if err != nil {
				return nil, err
			}
			defer m.Close()
			if err := memorytest.Play(ctx, m, cases[i]); err != nil {
				return nil, err
			}
			if within != nil {
				if shown[i], err = memorytest.AskWithin(ctx, m, cases[i], 16_000, units[i]); err != nil {
					return nil, err
				}
			}
			return s.ask(ctx, m, cases[i], k, units[i])
		}), base)
		if within != nil {
			put(spec.Name+rowWithin, shown, within)
		}
	}
}

// ask scores the questions of a case: evidence recall, or 1 for the right one of the
// choices, which the rule reader picks from what is shown.
func (s set) ask(ctx context.Context, m memory.Memory, c schema.Case, k int, unit func(schema.EventRef) schema.EventRef) (out []memorytest.Score, err error) {
	if s.unit != "choice" {
		return memorytest.AskEvidence(ctx, m, c, k, unit, false)
	}
	read := reader.Rule()
	for _, q := range c.Questions {
		r, err := m.Retrieve(ctx, memory.Query{Text: q.Text, K: k})
		if err != nil {
			return nil, err
		}
		shown := r.Context
		if shown == "" {
			var hits []schema.QAHit
			for i, h := range r.Hits {
				hits = append(hits, schema.QAHit{Rank: i + 1, Text: h.Text})
			}
			shown = reader.Show{}.Context(hits)
		}
		a, err := read.Read(ctx, reader.Input{Question: q, Context: shown, Speakers: []string{string(memory.RoleUser), string(memory.RoleAssistant)}})
		if err != nil {
			return nil, err
		}
		x := memorytest.Score{Question: q}
		if a.Text == q.Answer {
			x.Recall = 1
		}
		out = append(out, x)
	}
	return out, nil
}

// rows are the rows of the table, in their order.
func rows() (out []string) {
	baselines := []string{"bm25", "bm25-stemmed", "embedding-only", "score-fused", "turn-alone"}
	out = append(out, rowData, setArms[0].name, rowBack)
	for _, a := range setArms[1:] {
		out = append(out, a.name)
	}
	out = append(append(out, baselines...), setArms[0].name+rowWithin)
	for _, b := range baselines {
		out = append(out, b+rowWithin)
	}
	return out
}

func pivot(columns []string, table map[string]map[string]string) string {
	var b strings.Builder
	b.WriteString("| | " + strings.Join(columns, " | ") + " |\n|---" + strings.Repeat("|---", len(columns)) + "|\n")
	for _, row := range rows() {
		b.WriteString("| " + row + " |")
		for _, c := range columns {
			b.WriteString(" " + cmp.Or(table[row][c], "–") + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func unpivot(doc string) map[string]map[string]string {
	out := map[string]map[string]string{}
	var columns []string
	_, part, _ := strings.Cut(doc, "<!-- generated: parts -->\n")
	for line := range strings.Lines(part) {
		f := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		switch {
		case len(f) < 2:
			return out
		case columns == nil:
			columns = f
			continue
		}
		out[f[0]] = map[string]string{}
		for i := 1; i < min(len(f), len(columns)); i++ {
			out[f[0]][columns[i]] = f[i]
		}
	}
	return out
}

var setArms = []setArm{
	{"the default", true, func(*graphmem.Options) {}},
	{"− NEXT", false, func(o *graphmem.Options) { o.Window, o.Next = 0, 0 }},
	{"− REPLY_TO", false, func(o *graphmem.Options) { o.ReplyWords, o.ReplyMeaning = 0, 0 }},
	{"− IN_SESSION", false, func(o *graphmem.Options) { o.Session, o.SessionMeaning = 0, 0 }},
	{"− NEXT, REPLY_TO, IN_SESSION", true, func(o *graphmem.Options) {
		o.Window, o.Next, o.ReplyWords, o.ReplyMeaning, o.Session, o.SessionMeaning = 0, 0, 0, 0, 0, 0
	}},
	{"− the turn's own words", false, func(o *graphmem.Options) { o.Words = 0 }},
	{"− meaning", false, func(o *graphmem.Options) { o.Meaning, o.Next, o.SessionMeaning, o.ReplyMeaning = 0, 0, 0, 0 }},
	{"− speaker", false, func(o *graphmem.Options) { o.Speaker = 0 }},
	{"− date", false, func(o *graphmem.Options) { o.Date = 0 }},
	{"− time words", false, func(o *graphmem.Options) { o.When, o.Temporal = 0, 0 }},
	{"− length, question, first person", false, func(o *graphmem.Options) { o.Length, o.Question, o.First = 0, 0, 0 }},
	{"− standing rules", false, func(o *graphmem.Options) { o.Standing = 0 }},
	{"− the side that says less", false, func(o *graphmem.Options) { o.Terse, o.TerseOwn, o.TerseTold, o.TerseWhole = 0, 0, 0, 0 }},
	{"− places, titles, claims", false, func(o *graphmem.Options) { o.Place, o.Title, o.Claimed = 0, 0, 0 }},
	{"− is-a", false, func(o *graphmem.Options) { o.IsA = 0 }},
}

// A setArm is a row; few: also where there are few cases, which tell little, and in the
// short form of the test.
type setArm struct {
	name   string
	few    bool
	change func(*graphmem.Options)
}
