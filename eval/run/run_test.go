package run_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"membench/eval/reader"
	"membench/eval/records"
	"membench/eval/run"
	"membench/llm"
	"membench/llm/hashing"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/memory/all"
	"membench/memory/mem0"
	"membench/schema"
	"membench/schema/jsonl"
)

// cases makes n conversations of two sessions; the first question covers the first
// session only, the second comes at the end.
func cases(n int) []schema.Case {
	var out []schema.Case
	for i := range n {
		id := fmt.Sprintf("c%02d", i)
		conv := schema.ConvID(id)
		ref := func(turn int) []schema.EventRef { return []schema.EventRef{{ConvID: conv, TurnID: turn}} }
		out = append(out, schema.Case{ID: id, Dataset: "made", ConvID: conv, Unit: schema.UnitTurn, Speakers: []string{"Ana", "Ben"},
			Sessions: []schema.Session{
				{ID: "s1", Time: "2026-01-05T10:00:00Z", Turns: []schema.CaseTurn{
					{TurnID: 1, Role: "user", Name: "Ana", Text: fmt.Sprintf("I keep %d tortoises on the balcony.", i+2)},
					{TurnID: 2, Role: "assistant", Name: "Ben", Text: "Nice, tortoises grow old."},
				}, Points: []schema.MemoryPoint{{ID: "m1", Content: "Ana keeps tortoises"}}},
				{ID: "s2", Time: "2026-02-05T10:00:00Z", Turns: []schema.CaseTurn{
					{TurnID: 3, Role: "user", Name: "Ana", Text: fmt.Sprintf("我最喜欢的城市是里斯本%d。", i)},
					{TurnID: 4, Role: "user", Name: "Ana", Text: "The tortoises moved to the garden."},
				}},
			},
			Questions: []schema.Question{
				{ID: id + "-q1", Text: "How many tortoises does Ana keep?", Answer: fmt.Sprint(i + 2), Category: schema.CatIE, RawCategory: "1", Checkpoint: "cp1", Covered: []string{"s1"}, Evidence: ref(1)},
				{ID: id + "-q2", Text: "Where did the tortoises move?", Answer: "the garden", Category: schema.CatIE, RawCategory: "1", Evidence: ref(4)},
				{ID: id + "-q3", Text: "最喜欢的城市是哪里？", Answer: "里斯本", Category: schema.CatIE, RawCategory: "1", Evidence: ref(3)},
			}})
	}
	return out
}

// TestKeepsCallsUnderWay: two memories keep 64 answers under way over many small cases,
// also where answers take their time, and the records are those of one at a time.
func TestKeepsCallsUnderWay(t *testing.T) {
	play := func(dir string, calls int) (*llmtest.Gate, string) {
		g := llmtest.NewGate(calls, func(r llm.Request) string { return "the garden " + r.Prompt[len(r.Prompt)-9:] }, func(r llm.Request) int { return 1 + len(r.Prompt)%7*3 })
		r, err := reader.Model(g, llm.Prompts{}, reader.ModelOptions{})
		if err != nil {
			t.Fatal(err)
		}
		o := run.Options{Dir: dir, Calls: calls, Memories: 2, Sets: []run.Set{{Name: "mock", Cases: mockCases(3000, 3, 5), Digest: "1"}},
			Systems: []run.System{{System: system(t, "bm25"), Reader: r, Remote: true}}}
		if _, err := run.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, run.QAFile))
		if err != nil {
			t.Fatal(err)
		}
		return g, string(b)
	}
	g, many := play(t.TempDir(), 64)
	if kept, calls := g.Kept(); calls != 3000 || kept < 0.95*64 {
		t.Errorf("%d calls, %.1f of 64 under way", calls, kept)
	}
	if _, one := play(t.TempDir(), 1); many != one {
		t.Error("64 calls under way give other records than one")
	}
}

func seq(list []schema.Case) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		for _, c := range list {
			if !yield(schema.Record[schema.Case]{V: c}, nil) {
				return
			}
		}
	}
}

func set(list []schema.Case) run.Set {
	n := 0
	for _, c := range list {
		n += len(c.Questions)
	}
	return run.Set{Name: "made", Cases: seq(list), Digest: fmt.Sprint(len(list)), Size: run.Size{Cases: len(list), Questions: n}}
}

func system(t testing.TB, name string) memory.System {
	t.Helper()
	spec, err := all.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Open(memory.Deps{Embed: hashing.New(0)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// of makes the options of a run of the named systems, without a clock.
func of(t testing.TB, dir string, list []schema.Case, systems ...string) run.Options {
	t.Helper()
	o := run.Options{Dir: dir, Sets: []run.Set{set(list)}, Limits: run.Limits{Ingest: time.Minute, Retrieve: time.Minute, Read: time.Minute}}
	for _, name := range systems {
		o.Systems = append(o.Systems, run.System{System: system(t, name), Reader: reader.Rule()})
	}
	return o
}

func must(t testing.TB, o run.Options) run.Result {
	t.Helper()
	res, err := run.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func read[T any](t testing.TB, dir, name string) (out []T) {
	t.Helper()
	for r, err := range jsonl.Files[T]([]string{filepath.Join(dir, name)}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.V)
	}
	return out
}

func qas(t testing.TB, dir string) []schema.QARecord {
	t.Helper()
	var out []schema.QARecord
	for r, err := range records.QA(t.Context(), nil, filepath.Join(dir, run.QAFile)) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.V)
	}
	return out
}
func sessions(t testing.TB, dir string) []schema.SessionRecord {
	return read[schema.SessionRecord](t, dir, run.SessionsFile)
}

// files are the run's three files, as they stand.
func files(t testing.TB, dir string) string {
	t.Helper()
	out := ""
	for _, name := range []string{run.SessionsFile, run.QAFile, records.ContextsFile} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out += string(b)
	}
	return out
}

func TestRecords(t *testing.T) {
	dir := t.TempDir()
	o := of(t, dir, cases(3), "bm25", "null", "oracle", "abstain", "full-context")
	o.Depth, o.K = 2, 1 // gold below the depth is looked for too
	res := must(t, o)
	if res.Questions != 45 || res.Sessions != 30 || res.Outcomes[schema.OutcomeAnswered] != 45 {
		t.Errorf("have %+v", res)
	}
	var order []string
	for _, r := range qas(t, dir) {
		order = append(order, r.System+" "+r.QuestionID)
		switch {
		case r.System == "abstain" && r.Answer != "No information available.":
			t.Errorf("abstain answers %q", r.Answer)
		case r.System == "bm25" && strings.HasSuffix(r.QuestionID, "q1"):
			if len(r.Hits) != 1 || r.Hits[0].Sources[0].TurnID > 2 {
				t.Errorf("the first question sees turns of the second session: %+v", r.Hits)
			}
			if !strings.Contains(r.Context, "2026-01-05") || !strings.Contains(r.Context, r.Hits[0].Text) {
				t.Errorf("context %q", r.Context)
			}
		case r.System == "bm25" && len(r.Hits) > 0 && r.Hits[0].Sources[0] != r.Evidence[0] && !slices.ContainsFunc(r.Below, func(b schema.QARank) bool { return slices.Contains(b.Sources, r.Evidence[0]) }):
			t.Errorf("%s: the gold is neither among hits nor below: %+v", r.QuestionID, r)
		case r.System == "oracle" && (len(r.Hits) != 1 || r.Hits[0].Sources[0] != r.Evidence[0]):
			t.Errorf("oracle shows %+v", r.Hits)
		case r.System == "null" && len(r.Hits)+len(r.Context) > 0:
			t.Errorf("null shows %+v", r)
		}
		if r.RetrieveMS != 0 || r.AnswerMS != 0 {
			t.Errorf("milliseconds without a clock: %v %v", r.RetrieveMS, r.AnswerMS)
		}
	}
	if !slices.Equal(order[:4], []string{"bm25 c00-q1", "bm25 c00-q2", "bm25 c00-q3", "bm25 c01-q1"}) || order[9] != "null c00-q1" {
		t.Errorf("order %q", order)
	}
	for _, s := range sessions(t, dir) {
		if s.System != "bm25" {
			continue
		}
		if len(s.Delta) != 2 || s.Delta[0].Op != memory.DeltaAdd || len(s.Delta[0].Sources) != 1 {
			t.Errorf("delta %+v", s.Delta)
		}
		if want := map[string]int{"s1": 2, "s2": 0}[s.SessionID]; len(s.Snapshot) != want {
			t.Errorf("session %s: %d memories in the snapshot, want %d: only sessions with gold points have one", s.SessionID, len(s.Snapshot), want)
		}
	}
}

// However many work at once, and in whatever order they end, the files are the same.
func TestOrderKept(t *testing.T) {
	want := ""
	for _, n := range []int{1, 2, 7} {
		dir := t.TempDir()
		o := of(t, dir, cases(40), "bm25", "GAMemory")
		o.Memories, o.Calls, o.Repeats = n, 2*n, 2
		o.Systems[0].Reader = slow{o.Systems[0].Reader}
		must(t, o)
		if have := files(t, dir); want == "" {
			want = have
		} else if have != want {
			t.Errorf("%d memories at once: other bytes", n)
		}
	}
	dir := t.TempDir()
	o := of(t, dir, cases(2), "bm25")
	o.Repeats = 2
	must(t, o)
	var order []string
	for _, r := range qas(t, dir) {
		order = append(order, fmt.Sprint(r.Repeat, " ", r.CaseID))
	}
	if !slices.Equal(slices.Compact(order), []string{"0 c00", "0 c01", "1 c00", "1 c01"}) {
		t.Errorf("order %q", order)
	}
	if n := len(sessions(t, dir)); n != 4 {
		t.Errorf("%d session records, want 4: repeats do not ingest again", n)
	}
	o.Dir, o.Reingest = t.TempDir(), true
	must(t, o)
	if n := len(sessions(t, o.Dir)); n != 8 {
		t.Errorf("%d session records, want 8: each repeat ingests", n)
	}
}

// slow lets other goroutines pass.
type slow struct{ reader.Reader }

func (s slow) Read(ctx context.Context, in reader.Input) (reader.Answer, error) {
	if len(in.Question.ID)%2 == 0 || strings.HasSuffix(in.Question.ID, "1") {
		time.Sleep(time.Millisecond)
	}
	return s.Reader.Read(ctx, in)
}

func TestFinishedAndChanged(t *testing.T) {
	dir := t.TempDir()
	o := of(t, dir, cases(2), "bm25")
	first := must(t, o)
	before := files(t, dir)
	var asked atomic.Int32
	o.Systems[0].Reader = counting{reader.Rule(), &asked}
	again := must(t, o)
	if asked.Load() != 0 || again.Known != first.Questions || files(t, dir) != before {
		t.Errorf("a finished run asked %d questions again: %+v", asked.Load(), again)
	}
	o.K = 3
	_, err := run.Run(context.Background(), o)
	var changed *run.ChangedError
	if !errors.As(err, &changed) || len(changed.Differences) != 1 || changed.Differences[0] != (run.Difference{Name: "hits of bm25", Had: "10", Wants: "3"}) {
		t.Errorf("another configuration: have error %v", err)
	}
	o.K = 0
	if err := os.Remove(filepath.Join(dir, run.QAFile)); err != nil {
		t.Fatal(err)
	}
	must(t, o)
	if asked.Load() == 0 || files(t, dir) != before {
		t.Error("a lost file was not made again")
	}
}

type counting struct {
	reader.Reader
	n *atomic.Int32
}

func (c counting) Read(ctx context.Context, in reader.Input) (reader.Answer, error) {
	c.n.Add(1)
	return c.Reader.Read(ctx, in)
}

// hooked is a system whose memories do as told.
type hooked struct {
	memory.System
	ingest   func(context.Context, memory.Memory, memory.Batch) (memory.Receipt, error)
	retrieve func(context.Context, memory.Memory, memory.Query) (memory.Retrieved, error)
	keys     func([]string) []string
	open     func() error
}

func (h hooked) Unwrap() memory.System { return h.System }
func (h hooked) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	if h.open != nil {
		if err := h.open(); err != nil {
			return nil, err
		}
	}
	m, err := h.System.Open(ctx, ns)
	return hookedMemory{m, h}, err
}

type hookedMemory struct {
	memory.Memory
	h hooked
}

func (m hookedMemory) Unwrap() memory.Memory { return m.Memory }
func (m hookedMemory) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	if m.h.ingest != nil {
		return m.h.ingest(ctx, m.Memory, b)
	}
	return m.Memory.Ingest(ctx, b)
}
func (m hookedMemory) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	if m.h.retrieve != nil {
		return m.h.retrieve(ctx, m.Memory, q)
	}
	return m.Memory.Retrieve(ctx, q)
}
func (m hookedMemory) Keys(ctx context.Context) ([]string, error) {
	k, _ := memory.As[memory.Keyed](m.Memory)
	keys, err := k.Keys(ctx)
	if m.h.keys != nil {
		keys = m.h.keys(keys)
	}
	return keys, err
}

// A system that misbehaves at one case loses that case, and says how; its other cases
// and the other systems are as ever.
func TestContained(t *testing.T) {
	forever := make(chan struct{})
	defer close(forever)
	for name, c := range map[string]struct {
		h             hooked
		outcome, says string
		q             int // questions of the bad case that are lost
	}{
		"ingest fails":  {hooked{ingest: at("c01", func() error { return errors.New("disk full") })}, schema.OutcomeError, "session s1: disk full", 3},
		"ingest panics": {hooked{ingest: at("c01", func() error { panic("boom") })}, schema.OutcomeError, "panicked: boom (run_test.go:", 3},
		"ingest hangs":  {hooked{ingest: at("c01", func() error { <-forever; return nil })}, schema.OutcomeTimeout, "abandoned", 3},
		"loses a batch": {hooked{keys: func(k []string) []string { return k[:0] }}, schema.OutcomeError, "ingest check: the memory has 0 of the 1 batches that it was given, batch s0.0 is missing", 3},
		"says it has it": {hooked{ingest: func(ctx context.Context, m memory.Memory, b memory.Batch) (memory.Receipt, error) {
			return memory.Receipt{Skipped: true}, nil
		}}, schema.OutcomeError, "its memory was opened empty", 3},
		"takes nothing": {hooked{ingest: func(ctx context.Context, m memory.Memory, b memory.Batch) (memory.Receipt, error) {
			b.Turns = nil
			return m.Ingest(ctx, b)
		}}, schema.OutcomeError, "the memory is empty after 2 turns", 3},
		"retrieve panics": {hooked{retrieve: func(context.Context, memory.Memory, memory.Query) (memory.Retrieved, error) { panic("no") }}, schema.OutcomeError, "retrieving panicked: no", 3},
		"retrieve is slow": {hooked{retrieve: func(ctx context.Context, _ memory.Memory, _ memory.Query) (memory.Retrieved, error) {
			<-ctx.Done()
			return memory.Retrieved{}, ctx.Err()
		}}, schema.OutcomeTimeout, "over the limit of the run", 3},
		"remembers questions": {hooked{retrieve: func(ctx context.Context, m memory.Memory, q memory.Query) (memory.Retrieved, error) {
			m.Ingest(ctx, memory.Batch{Key: q.Text, Turns: []schema.Turn{{Role: "user", Text: q.Text}}, UserID: q.UserID, AgentID: q.AgentID})
			return m.Retrieve(ctx, q)
		}}, schema.OutcomeError, "", 0},
		"does not open": {hooked{open: func() error { return errors.New("connection refused") }}, schema.OutcomeError, "not asked: opening the memory: connection refused", 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := of(t, dir, cases(3), "bm25", "bm25-stemmed")
			c.h.System = o.Systems[0].System
			o.Systems[0].System = c.h
			o.Limits = run.Limits{Ingest: 50 * time.Millisecond, Retrieve: 50 * time.Millisecond, Read: time.Minute, Grace: 20 * time.Millisecond}
			res := must(t, o)
			if res.Questions != 18 || res.Sessions != 12 {
				t.Errorf("%d questions, %d sessions: want 18 and 12, failed or not", res.Questions, res.Sessions)
			}
			if name == "remembers questions" { // it is found out at the first case
				if r := qas(t, dir)[0]; r.Outcome != c.outcome || !strings.Contains(r.Error, "asking changes this memory") {
					t.Errorf("outcome %s (%s)", r.Outcome, r.Error)
				}
				return
			}
			lost := 0
			for _, r := range qas(t, dir) {
				bad := r.System == "bm25" && (r.CaseID == "c01" || c.h.ingest == nil || !strings.HasPrefix(name, "ingest"))
				if r.CaseID == "c01" && r.System == "bm25" && r.Outcome == c.outcome && strings.Contains(r.Error, c.says) {
					lost++
				}
				if bad != (r.Outcome == c.outcome) || !bad && r.Outcome != schema.OutcomeAnswered {
					t.Errorf("%s %s: outcome %s (%s)", r.System, r.QuestionID, r.Outcome, r.Error)
				}
				if r.Outcome != schema.OutcomeAnswered && r.Answer != "" {
					t.Errorf("%s: a failure has the answer %q", r.QuestionID, r.Answer)
				}
			}
			if lost != c.q {
				t.Errorf("%d questions of the case say %q, want %d: %+v", lost, c.says, c.q, qas(t, dir)[3])
			}
		})
	}
}

// at lets ingest go wrong at one conversation.
func at(conv schema.ConvID, wrong func() error) func(context.Context, memory.Memory, memory.Batch) (memory.Receipt, error) {
	return func(ctx context.Context, m memory.Memory, b memory.Batch) (memory.Receipt, error) {
		if b.Turns[0].Sources[0].ConvID == conv {
			if err := wrong(); err != nil {
				return memory.Receipt{}, err
			}
		}
		return m.Ingest(ctx, b)
	}
}

func TestLies(t *testing.T) {
	dir := t.TempDir()
	o := of(t, dir, cases(1), "bm25")
	o.K = 2
	o.Systems[0].System = hooked{System: o.Systems[0].System,
		ingest: func(ctx context.Context, m memory.Memory, b memory.Batch) (memory.Receipt, error) {
			r, err := m.Ingest(ctx, b)
			r.Usage = llm.Usage{Calls: -3, InputTokens: 1 << 60}
			return r, err
		},
		retrieve: func(ctx context.Context, m memory.Memory, q memory.Query) (memory.Retrieved, error) {
			q.K = 4
			r, err := m.Retrieve(ctx, q)
			r.Hits[0].Score = math.NaN()
			r.Hits[0].Text += "\xff"
			for len(r.Hits) < 4 {
				r.Hits = append(r.Hits, r.Hits[0])
			}
			return r, err
		}}
	must(t, o)
	for _, s := range sessions(t, dir) {
		if !strings.Contains(string(s.Extra["notes"]), "impossible usage: -3 calls") || len(s.Usage) > 0 {
			t.Errorf("session: notes %s, usage %+v", s.Extra["notes"], s.Usage)
		}
	}
	for _, q := range qas(t, dir) {
		if n := string(q.Extra["notes"]); len(q.Hits) != 2 || !strings.Contains(n, "4 hits given where 2 were asked for") || !strings.Contains(n, "hit 1 has a score that is not a number") {
			t.Errorf("%d hits, notes %s", len(q.Hits), n)
		}
	}
}

// What a system asks of the models is counted whatever it says.
func TestUsageIsCounted(t *testing.T) {
	dir := t.TempDir()
	o := of(t, dir, cases(1), "bm25")
	ledger := llm.NewLedger()
	model := ledger.Generator(fixed{})
	ask := func(ctx context.Context) { model.Generate(ctx, llm.Request{Purpose: llm.PurposeFacts}) }
	o.Systems[0].System = hooked{System: o.Systems[0].System,
		ingest: func(ctx context.Context, m memory.Memory, b memory.Batch) (memory.Receipt, error) {
			ask(ctx)
			return m.Ingest(ctx, b)
		},
		retrieve: func(ctx context.Context, m memory.Memory, q memory.Query) (memory.Retrieved, error) {
			ask(ctx)
			r, err := m.Retrieve(ctx, q)
			r.Usage = llm.Usage{Calls: 1, InputTokens: 7, OutputTokens: 2}
			return r, err
		}}
	o.Repeats = 2
	must(t, o)
	want := schema.StepUsage{Step: "ingest", Model: "fixed", Calls: 1, InputTokens: 7, OutputTokens: 2}
	for _, s := range sessions(t, dir) {
		if len(s.Usage) != 1 || s.Usage[0] != want || !strings.Contains(string(s.Extra["notes"]), "reports 0 calls and 0+0 tokens, 1 and 7+2 were counted") {
			t.Errorf("usage %+v, notes %s", s.Usage, s.Extra["notes"])
		}
	}
	want.Step = "retrieve"
	for _, q := range qas(t, dir) {
		paid := 1 - q.Repeat // one retrieval for both repeats
		if len(q.Usage) != paid || paid == 1 && q.Usage[0] != want || q.Extra["notes"] != nil {
			t.Errorf("repeat %d: usage %+v, notes %s", q.Repeat, q.Usage, q.Extra["notes"])
		}
	}
}

type fixed struct{}

func (fixed) Model() string { return "fixed" }
func (fixed) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{Text: "x", Model: "fixed", Usage: llm.Usage{Calls: 1, InputTokens: 7, OutputTokens: 2}}, nil
}

// A failure that would meet every question ends the run; the next start goes on and
// asks nothing twice.
func TestFatalThenResume(t *testing.T) {
	clean := t.TempDir()
	list := cases(6)
	must(t, of(t, clean, list, "bm25", "GAMemory"))
	want := files(t, clean)

	dir := t.TempDir()
	var asked sync.Map
	var calls atomic.Int32
	budget := int32(7)
	o := of(t, dir, list, "bm25", "GAMemory")
	for i := range o.Systems {
		o.Systems[i].Reader = readerFunc{o.Systems[i].Reader, func(in reader.Input) error {
			if calls.Add(1) > budget {
				return &llm.Error{Kind: llm.KindBudget, Err: errors.New("spent")}
			}
			return nil
		}, func(in reader.Input) {
			key := fmt.Sprint(i, in.Question.ID)
			if _, twice := asked.LoadOrStore(key, true); twice {
				t.Errorf("%s is answered twice", key)
			}
		}}
	}
	starts := 0
	for ; ; starts++ {
		_, err := run.Run(context.Background(), o)
		if err == nil {
			break
		}
		if llm.KindOf(err) != llm.KindBudget || starts > 20 {
			t.Fatal(err)
		}
		calls.Store(0)
	}
	if starts < 3 {
		t.Errorf("%d starts: nothing was resumed", starts)
	}
	if files(t, dir) != want {
		t.Error("a resumed run has other bytes")
	}
}

type readerFunc struct {
	reader.Reader
	before func(reader.Input) error
	after  func(reader.Input)
}

func (r readerFunc) Read(ctx context.Context, in reader.Input) (reader.Answer, error) {
	if err := r.before(in); err != nil {
		return reader.Answer{}, err
	}
	a, err := r.Reader.Read(ctx, in)
	if err == nil {
		r.after(in)
	}
	return a, err
}

func TestOnlyFailed(t *testing.T) {
	for _, repeats := range []int{1, 2} {
		for _, reingest := range []bool{false, true} {
			clean := t.TempDir()
			list := cases(5)
			o := of(t, clean, list, "bm25", "bm25-stemmed")
			o.Repeats, o.Reingest = repeats, reingest
			must(t, o)

			dir := t.TempDir()
			o = of(t, dir, list, "bm25", "bm25-stemmed")
			o.Repeats, o.Reingest = repeats, reingest
			bad := true
			asked := map[string]int{}
			var mu sync.Mutex
			o.Systems[1].System = hooked{System: o.Systems[1].System, ingest: func(ctx context.Context, m memory.Memory, b memory.Batch) (memory.Receipt, error) {
				if bad && b.Turns[0].Sources[0].ConvID == "c03" && b.Session == "s2" {
					return memory.Receipt{}, errors.New("down")
				}
				return m.Ingest(ctx, b)
			}}
			for i := range o.Systems {
				o.Systems[i].Reader = readerFunc{o.Systems[i].Reader, func(in reader.Input) error {
					mu.Lock()
					defer mu.Unlock()
					asked[in.Question.ID]++
					if bad && in.Question.ID == "c01-q2" {
						return errors.New("no answer")
					}
					return nil
				}, func(reader.Input) {}}
			}
			if _, err := run.Run(context.Background(), withFailed(o)); err == nil {
				t.Error("--only-failed of a run that was never finished: no error")
			}
			if res := must(t, o); res.Outcomes[schema.OutcomeError] != (2+2)*repeats {
				t.Fatalf("outcomes %v", res.Outcomes)
			}
			bad = false
			clear(asked)
			res := must(t, withFailed(o))
			if files(t, dir) != files(t, clean) {
				t.Error("other bytes than of a run without failures")
			}
			if want := map[string]int{"c01-q2": 2 * repeats, "c03-q2": repeats, "c03-q3": repeats}; !maps.Equal(asked, want) {
				t.Errorf("asked again %v, want %v", asked, want)
			}
			if res.Known != res.Questions-4*repeats {
				t.Errorf("%d of %d known", res.Known, res.Questions)
			}
			clear(asked)
			must(t, withFailed(o))
			if len(asked) > 0 {
				t.Errorf("nothing had failed, asked %v", asked)
			}
		}
	}
}

func withFailed(o run.Options) run.Options { o.OnlyFailed = true; return o }

func TestContextLimit(t *testing.T) {
	dir := t.TempDir()
	o := of(t, dir, cases(1), "bm25", "full-context")
	o.ContextTokens, o.Count = 12, func(s string) int { return len(strings.Fields(s)) }
	must(t, o)
	cut := 0
	for _, r := range qas(t, dir) {
		if n := o.Count(r.Context); n > 12 {
			t.Errorf("%s: %d words in the context", r.QuestionID, n)
		}
		for _, h := range r.Hits {
			if whole := strings.Contains(r.Context, h.Text); whole == h.Cut {
				t.Errorf("%s %s: hit %q, cut %v, context %q", r.System, r.QuestionID, h.Text, h.Cut, r.Context)
			}
			if h.Cut {
				cut++
			}
		}
	}
	if cut == 0 {
		t.Error("no hit was cut: the test shows nothing")
	}
}

func TestSimpleSystem(t *testing.T) {
	dir := t.TempDir()
	o := of(t, dir, cases(2))
	o.Systems = []run.System{{System: memory.FromSimple(memory.Info{Name: "echo"}, func() memory.Simple { return &echo{} })}}
	must(t, o)
	for _, r := range qas(t, dir) {
		if r.By != "echo" || r.Outcome != schema.OutcomeAnswered || len(r.Hits) != 0 || !strings.HasPrefix(r.Answer, "heard ") {
			t.Errorf("%+v", r)
		}
	}
	for _, s := range sessions(t, dir) {
		if !s.Opaque {
			t.Errorf("%+v: it shows nothing of what it keeps", s)
		}
	}
}

// An empty answer stays what it is, whatever it is empty of: a refusal would be right where nothing is to be known.
func TestEmptyAnswers(t *testing.T) {
	for _, answer := range []string{"", " \n"} {
		dir := t.TempDir()
		o := of(t, dir, cases(1))
		o.Systems = []run.System{{System: memory.FromSimple(memory.Info{Name: "mute"}, func() memory.Simple { return mute(answer) })}}
		must(t, o)
		for _, r := range qas(t, dir) {
			if r.By != "mute" || r.Outcome != schema.OutcomeEmpty || r.Answer != answer {
				t.Errorf("%q: have %q, %s", answer, r.Answer, r.Outcome)
			}
		}
	}
}

type mute string

func (mute) Reset(context.Context) error                      { return nil }
func (mute) Ingest(context.Context, schema.Turn) error        { return nil }
func (m mute) Answer(context.Context, string) (string, error) { return string(m), nil }

type echo struct{ n int }

func (e *echo) Reset(context.Context) error               { e.n = 0; return nil }
func (e *echo) Ingest(context.Context, schema.Turn) error { e.n++; return nil }
func (e *echo) Answer(context.Context, string) (string, error) {
	return fmt.Sprint("heard ", e.n), nil
}

func TestWrongOptions(t *testing.T) {
	o := of(t, t.TempDir(), cases(1), "bm25", "bm25")
	if _, err := run.Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "is there twice") {
		t.Errorf("two systems of one name: %v", err)
	}
	o.Systems = o.Systems[:1]
	o.Systems[0].Reader = nil
	if _, err := run.Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "no reader") {
		t.Errorf("no reader: %v", err)
	}
}

// A memory that can be opened again is, as it was: sessions on record are not ingested
// twice. One that lost or gained something in between is filled anew.
func TestAttach(t *testing.T) {
	list := cases(1)
	clean := t.TempDir()
	whole := func(dir, store string) (run.Options, *opening) {
		sys, err := mem0.Embedded(mem0.Options{Dir: store})
		if err != nil {
			t.Fatal(err)
		}
		o := of(t, dir, list)
		count := &opening{System: sys}
		o.Systems = []run.System{{System: count, Reader: reader.Rule()}}
		o.Memories, o.Calls = 1, 1
		return o, count
	}
	o, _ := whole(clean, t.TempDir())
	must(t, o)
	want := files(t, clean)
	for name, between := range map[string]func(store string){
		"as it was": func(string) {},
		"gone":      func(store string) { os.RemoveAll(store) },
	} {
		dir, store := t.TempDir(), t.TempDir()
		o, _ := whole(dir, store)
		o.Systems[0].Reader = readerFunc{reader.Rule(), func(in reader.Input) error {
			if in.Question.ID == "c00-q2" {
				return &llm.Error{Kind: llm.KindBudget, Err: errors.New("spent")}
			}
			return nil
		}, func(reader.Input) {}}
		if _, err := run.Run(context.Background(), o); llm.KindOf(err) != llm.KindBudget {
			t.Fatal(err)
		}
		between(store)
		o, count := whole(dir, store)
		must(t, o)
		if have := files(t, dir); have != want {
			t.Errorf("%s: other bytes", name)
		}
		if wantOpen := map[string]int{"as it was": 0, "gone": 1}[name]; count.opened != wantOpen || count.attached != 1 {
			t.Errorf("%s: %d opened empty, %d opened again; want %d and 1", name, count.opened, count.attached, wantOpen)
		}
	}
}

// A store that somebody wrote to between two starts is reported and filled again; one that
// nobody touched is gone on with. Its system shows its memories and tells no changes.
func TestStoreChangedBetweenStarts(t *testing.T) {
	for name, between := range map[string]func([]memory.Item) []memory.Item{
		"as it was": func(list []memory.Item) []memory.Item { return list },
		"another text": func(list []memory.Item) []memory.Item {
			list[0].Text += " Or so they say."
			return list
		},
		"gone": func(list []memory.Item) []memory.Item { return list[1:] },
		"new": func(list []memory.Item) []memory.Item {
			return append(list, memory.Item{ID: "zzz", Text: "a stranger's", Status: memory.StatusActive})
		},
	} {
		dir, store := t.TempDir(), t.TempDir()
		var warned []string
		options := func(see func([]memory.Item) []memory.Item) (run.Options, *listing) {
			sys, err := mem0.Embedded(mem0.Options{Dir: store})
			if err != nil {
				t.Fatal(err)
			}
			o := of(t, dir, cases(1))
			l := &listing{System: sys, see: see}
			o.Systems = []run.System{{System: l, Reader: reader.Rule()}}
			o.Memories, o.Calls = 1, 1
			o.Warn = func(format string, args ...any) { warned = append(warned, fmt.Sprintf(format, args...)) }
			return o, l
		}
		o, _ := options(nil)
		o.Systems[0].Reader = readerFunc{reader.Rule(), func(in reader.Input) error {
			if in.Question.ID == "c00-q2" {
				return &llm.Error{Kind: llm.KindBudget, Err: errors.New("spent")}
			}
			return nil
		}, func(reader.Input) {}}
		if _, err := run.Run(context.Background(), o); llm.KindOf(err) != llm.KindBudget {
			t.Fatal(err)
		}
		o, l := options(between)
		must(t, o)
		changed := name != "as it was"
		if l.opened != map[bool]int{true: 1}[changed] || changed != (len(warned) == 1 && strings.Contains(warned[0], "its store is not as the last recorded session left it")) {
			t.Errorf("%s: opened empty %d times, warned %q", name, l.opened, warned)
		}

		// The run is finished: the same is said, and the answers stay.
		warned = nil
		before := files(t, dir)
		o, l = options(between)
		if res := must(t, o); res.Known != res.Questions || l.opened != 0 || before != files(t, dir) {
			t.Errorf("%s: a finished run asks again: %+v, opened empty %d times", name, res, l.opened)
		}
		if changed != (len(warned) == 1 && strings.Contains(warned[0], "1 of its stores were changed since the run ended (case c00: ")) {
			t.Errorf("%s: of the finished run it warned %q", name, warned)
		}
	}
}

// listing shows its memories and what it stored, and nothing else; see is what somebody
// did to an attached one.
type listing struct {
	memory.System
	see    func([]memory.Item) []memory.Item
	opened int
}

func (l *listing) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	l.opened++
	m, err := l.System.Open(ctx, ns)
	return listed{m, nil}, err
}

func (l *listing) Attach(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	m, err := l.System.(memory.Attacher).Attach(ctx, ns)
	return listed{m, l.see}, err
}

type listed struct {
	memory.Memory
	see func([]memory.Item) []memory.Item
}

func (m listed) Keys(ctx context.Context) ([]string, error) {
	return m.Memory.(memory.Keyed).Keys(ctx)
}

func (m listed) Snapshot(ctx context.Context) iter.Seq2[memory.Item, error] {
	return func(yield func(memory.Item, error) bool) {
		list, _ := memory.List(m.Memory)
		var all []memory.Item
		for it, err := range list(ctx) {
			if err != nil {
				yield(it, err)
				return
			}
			all = append(all, it)
		}
		if m.see != nil && len(all) > 0 {
			all = m.see(all)
		}
		for _, it := range all {
			if !yield(it, nil) {
				return
			}
		}
	}
}

// opening counts how memories are opened.
type opening struct {
	memory.System
	opened, attached int
}

func (c *opening) Unwrap() memory.System { return c.System }
func (c *opening) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	c.opened++
	return c.System.Open(ctx, ns)
}
func (c *opening) Attach(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	c.attached++
	return c.System.(memory.Attacher).Attach(ctx, ns)
}

// Looking at a run tells where it stands while it is stopped and when it is over.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	if _, err := run.Look(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no run: %v", err)
	}
	o := of(t, dir, cases(4), "bm25", "null")
	ledger := llm.NewLedger()
	model := ledger.Generator(fixed{})
	stop := true
	o.Systems[0].Reader = readerFunc{modelReader{model}, func(in reader.Input) error {
		if stop && in.Question.ID == "c03-q1" {
			return &llm.Error{Kind: llm.KindKey, Err: errors.New("refused")}
		}
		return nil
	}, func(reader.Input) {}}
	if _, err := run.Run(context.Background(), o); llm.KindOf(err) != llm.KindKey {
		t.Fatal(err)
	}
	st, err := run.Look(dir)
	if err != nil {
		t.Fatal(err)
	}
	if u := st.Units[0]; st.Running || st.Finished || u.System != "bm25" || u.Of != 12 || u.Questions == 0 || u.Questions > 11 || len(u.Usage) != 1 || u.Usage[0].Calls != u.Questions {
		t.Errorf("stopped: have %+v", st)
	}
	stop = false
	must(t, o)
	st, err = run.Look(dir)
	if err != nil {
		t.Fatal(err)
	}
	if u := st.Units; !st.Finished || u[0].Questions != 12 || u[1].Questions != 12 || u[0].Sessions != 8 || u[0].Usage[0] != (schema.StepUsage{Step: "read", Model: "stub", Calls: 12, InputTokens: 84, OutputTokens: 24}) {
		t.Errorf("finished: have %+v", st)
	}
}

// TestOnlyFailedByRule: operations that a model failed, so that a rule did them, are counted
// by operation and outcome, and asked again with all that rests on them; then the run is an
// undisturbed one's.
func TestOnlyFailedByRule(t *testing.T) {
	for _, repeats := range []int{1, 2} {
		list := cases(4)
		bad := false
		asked, convOf := map[string]int{}, map[memory.Memory]schema.ConvID{}
		var mu sync.Mutex
		note := memory.ByRule("facts", &llm.Error{Kind: llm.KindRefused, Err: errors.New("no")})
		in := func(dir string) run.Options {
			o := of(t, dir, list, "bm25")
			o.Repeats = repeats
			o.Systems[0].System = hooked{System: o.Systems[0].System, ingest: func(ctx context.Context, m memory.Memory, b memory.Batch) (memory.Receipt, error) {
				conv := b.Turns[0].Sources[0].ConvID
				mu.Lock()
				convOf[m] = conv
				mu.Unlock()
				at := conv == "c02" && b.Session == "s2"
				if bad && at {
					b.Turns = b.Turns[:1]
				}
				r, err := m.Ingest(ctx, b)
				if bad && at {
					r.Degraded = append(r.Degraded, note, memory.Note{Why: "a word"})
				}
				return r, err
			}, retrieve: func(ctx context.Context, m memory.Memory, q memory.Query) (memory.Retrieved, error) {
				mu.Lock()
				conv := convOf[m]
				asked[string(conv)+q.Text]++
				mu.Unlock()
				r, err := m.Retrieve(ctx, q)
				if bad && conv == "c03" && strings.HasPrefix(q.Text, "Where") {
					r.Degraded = append(r.Degraded, note)
				}
				return r, err
			}}
			return o
		}
		clean, dir := t.TempDir(), t.TempDir()
		must(t, in(clean))
		all := len(asked)
		bad = true
		res := must(t, in(dir))
		n := res.Units[0].Failed["by rule: facts refused"]
		if n == 0 || len(res.Units[0].Failed) != 1 || res.Units[0].Degraded != n+1 {
			t.Fatalf("have %+v", res.Units[0])
		}
		if st, err := run.Look(dir); err != nil || st.Units[0].Failed["by rule: facts refused"] != n {
			t.Errorf("status: %+v, %v", st.Units, err)
		}
		if res := must(t, in(dir)); res.Units[0].Failed["by rule: facts refused"] != n {
			t.Errorf("once more: %+v", res.Units[0])
		}
		bad = false
		clear(asked)
		res = must(t, withFailed(in(dir)))
		if files(t, dir) != files(t, clean) || len(res.Units[0].Failed) > 0 {
			t.Errorf("%d repeats: other bytes than of a run without failures, or %v", repeats, res.Units[0].Failed)
		}
		if len(asked) != 3 || all != 12 { // two of c02 after its second session, one of c03
			t.Errorf("asked again %v of %d questions", asked, all)
		}
	}
}
