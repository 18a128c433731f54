package native_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"membench/llm/hashing"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/memory/memorytest"
	"membench/memory/native"
	"membench/memory/store"
	"membench/schema"
)

var ctx = context.Background()

// note keeps every observation as it comes; fail makes its next Store fail.
type note struct {
	st   *store.Linear
	fail *int
}

func (p *note) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	if *p.fail == 0 {
		*p.fail = -1
		return errors.New("broken by the test")
	}
	*p.fail--
	if ctx.Err() == nil {
		p.st.Add(o.Record(o.Kind()), nil, r)
	}
	return ctx.Err()
}

func (p *note) Recall(_ context.Context, q memory.Query) (out memory.Retrieved, _ error) {
	for i := range min(q.K, p.st.Len()) {
		out.Hits = append(out.Hits, p.st.Hit(i, 1/float64(1+i)))
	}
	return out, nil
}

func (p *note) Records() (out []store.Record) {
	for _, r := range p.st.All() {
		out = append(out, *r)
	}
	return out
}

func (p *note) Clone() native.Policy { return &note{p.st.Clone(), p.fail} }

func open(t *testing.T, unit string, fail int) *native.Memory {
	t.Helper()
	s := native.New(native.Options{Name: "note", Version: "1", Caps: memory.Capabilities{Unit: unit, Retrieval: memory.RetrievalRanked},
		New: func(scope string) native.Policy { return &note{store.New(store.Options{Scope: scope}), &fail} }})
	m, err := s.Open(ctx, memory.Namespace{Run: "run", Scope: "u"})
	if err != nil {
		t.Fatal(err)
	}
	return m.(*native.Memory)
}

func batch(session string, turns ...schema.Turn) memory.Batch {
	b := memorytest.Batch("c", turns...)
	b.Session = session
	return b
}

func texts(t *testing.T, m *native.Memory) (out []string) {
	t.Helper()
	for it, err := range m.Snapshot(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		ids := ""
		for _, e := range it.Sources {
			ids += fmt.Sprint(" ", e.TurnID)
		}
		out = append(out, strings.ReplaceAll(it.Text, "\n", " / ")+ids)
	}
	return out
}

// A user's turn waits for its answer; what has none is kept alone, and nothing is lost.
func TestPairs(t *testing.T) {
	turn := func(n int, role, text string) schema.Turn { return memorytest.Turn("c", n, role, text) }
	for name, c := range map[string]struct {
		unit string
		in   []memory.Batch
		want []string
	}{
		"pairs":             {native.Pair, []memory.Batch{batch("s", turn(1, "user", "a"), turn(2, "assistant", "b"), turn(3, "user", "c"), turn(4, "assistant", "d"))}, []string{"user: a / assistant: b 1 2", "user: c / assistant: d 3 4"}},
		"across batches":    {native.Pair, []memory.Batch{batch("s", turn(1, "user", "a")), batch("s", turn(2, "assistant", "b"))}, []string{"user: a / assistant: b 1 2"}},
		"two users":         {native.Pair, []memory.Batch{batch("s", turn(1, "user", "a"), turn(2, "user", "b"), turn(3, "assistant", "c"))}, []string{"user: a 1", "user: b / assistant: c 2 3"}},
		"an answer first":   {native.Pair, []memory.Batch{batch("s", turn(1, "assistant", "a"), turn(2, "user", "b"))}, []string{"assistant: a 1", "user: b 2"}},
		"not over sessions": {native.Pair, []memory.Batch{batch("s1", turn(1, "user", "a")), batch("s2", turn(2, "assistant", "b"))}, []string{"user: a 1", "assistant: b 2"}},
		"a tool between":    {native.Pair, []memory.Batch{batch("s", turn(1, "user", "a"), turn(2, "tool", "{}"), turn(3, "assistant", "b"))}, []string{"user: a 1", "tool: {} 2", "assistant: b 3"}},
		"turns":             {native.Turn, []memory.Batch{batch("s", turn(1, "user", "a"), turn(2, "assistant", "b"))}, []string{"user: a 1", "assistant: b 2"}},
		"nothing said":      {native.Turn, []memory.Batch{batch("s", turn(1, "user", "  "), turn(2, "assistant", "b"))}, []string{"assistant: b 2"}},
		"nothing at all":    {native.Pair, []memory.Batch{batch("s")}, nil},
	} {
		m := open(t, c.unit, -1)
		for _, b := range c.in {
			if _, err := m.Ingest(ctx, b); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.EndSession(ctx, c.in[len(c.in)-1].Session); err != nil {
			t.Fatal(err)
		}
		if have := texts(t, m); !slices.Equal(have, c.want) {
			t.Errorf("%s: have %q, want %q", name, have, c.want)
		}
	}
}

// growing is a note whose records are listed only when asked for: a session's end costs what the session stored.
type growing struct {
	*note
	listed *int
}

func (p growing) Since(n int) ([]store.Record, bool) { return p.st.Since(n), true }
func (p growing) Records() []store.Record            { *p.listed++; return p.note.Records() }

func TestGrowing(t *testing.T) {
	fail, listed := -1, 0
	s := native.New(native.Options{Name: "growing", Version: "1", Caps: memory.Capabilities{Unit: native.Turn, Retrieval: memory.RetrievalRanked},
		New: func(scope string) native.Policy {
			return growing{&note{store.New(store.Options{Scope: scope}), &fail}, &listed}
		}})
	m, err := s.Open(ctx, memory.Namespace{Run: "run", Scope: "u"})
	if err != nil {
		t.Fatal(err)
	}
	for i, session := range []string{"s1", "s2", "s3"} {
		for k := range i { // the first session is empty
			b := batch(session, memorytest.Turn("c", 10*i+k, "user", fmt.Sprint(session, k)))
			b.Key = fmt.Sprint(session, k)
			if _, err := m.Ingest(ctx, b); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := memory.Finish(ctx, m, session); err != nil {
			t.Fatal(err)
		}
	}
	var have []string
	for _, session := range []string{"s1", "s2", "s3"} {
		for d, err := range m.(*native.Memory).Delta(ctx, session) {
			if err != nil {
				t.Fatal(err)
			}
			have = append(have, session+" "+d.Op+" "+d.Item.Text)
		}
	}
	if want := []string{"s2 add user: s20", "s3 add user: s30", "s3 add user: s31"}; !slices.Equal(have, want) || listed != 0 {
		t.Errorf("have %q, listed %d times; want %q, never", have, listed, want)
	}
}

// Wherever a policy fails, the same batch again stores the rest, and nothing twice.
func TestGoesOn(t *testing.T) {
	for _, unit := range []string{native.Turn, native.Pair} {
		want := []string(nil)
		for fail := -1; fail < 5; fail++ {
			m := open(t, unit, fail)
			b := batch("s")
			for i := range 5 {
				b.Turns = append(b.Turns, memorytest.Turn("c", i+1, []string{"user", "assistant"}[i%2], fmt.Sprint("text ", i)))
			}
			failed := false
			try := func(f func() (memory.Receipt, error)) {
				t.Helper()
				if _, err := f(); err != nil {
					failed = true
					if _, err := f(); err != nil {
						t.Fatal(err)
					}
				}
			}
			try(func() (memory.Receipt, error) { return m.Ingest(ctx, b) })
			try(func() (memory.Receipt, error) { return m.EndSession(ctx, "s") })
			if r, err := m.Ingest(ctx, b); err != nil || !r.Skipped {
				t.Errorf("%s %d: a known batch: %+v, %v", unit, fail, r, err)
			}
			have := texts(t, m)
			if fail < 0 {
				want = have
			} else if !slices.Equal(have, want) {
				t.Errorf("%s, failed at %d (%t): have %q, want %q", unit, fail, failed, have, want)
			}
			if keys, _ := m.Keys(ctx); len(keys) != 1 {
				t.Errorf("keys %v", keys)
			}
			if h, _ := m.History(ctx); len(h.Changes) != len(want) {
				t.Errorf("%s %d: the history has %d changes, want %d", unit, fail, len(h.Changes), len(want))
			}
		}
	}
}

// What a turn's captions become, and what metadata may not take over in an export.
func TestExport(t *testing.T) {
	m := open(t, native.Turn, -1)
	pic := memorytest.Turn("c", 1, "user", "Look!")
	pic.Attachments = []schema.Attachment{{Type: "image", Text: "a heron"}, {Text: "a plan"}, {Type: "image"}}
	b := batch("s", pic)
	var meta schema.ObjectBuilder
	meta.String("conv_id", "c")
	meta.String("data", "forged")
	meta.String("user_id", "forged")
	b.Metadata = meta.Object()
	if _, err := m.Ingest(ctx, b); err != nil {
		t.Fatal(err)
	}
	n := 0
	for r, err := range m.Export(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		f, err := r.V.Fields()
		if err != nil || f.Data != "user: Look! [image: a heron] [file: a plan]" || f.Hash != schema.Hash(f.Data) || f.UserID != "u" || f.ConvID != "c" || len(f.Events) != 1 || r.V.Collection != "run" {
			t.Errorf("have %+v, %v", f, err)
		}
	}
	if n != 1 {
		t.Errorf("%d points", n)
	}
	if err := m.Drop(ctx); err != nil || len(texts(t, m)) != 0 {
		t.Errorf("dropped, and yet there: %v, %v", texts(t, m), err)
	}
}

// The name says what is done by rule; the fingerprint changes with what changes results.
func TestInfo(t *testing.T) {
	seen := map[string]string{}
	for name, o := range map[string]native.Options{
		"plain":   {Name: "x", Version: "1"},
		"version": {Name: "x", Version: "2"},
		"mode":    {Name: "x", Version: "1", Mode: native.Faithful},
		"config":  {Name: "x", Version: "1", Config: struct{ K int }{3}},
		"vectors": {Name: "x", Version: "1", Deps: memory.Deps{Embed: hashing.New(64)}},
		"wider":   {Name: "x", Version: "1", Deps: memory.Deps{Embed: hashing.New(128)}},
		"model":   {Name: "x", Version: "1", Deps: memory.Deps{LLM: llmtest.NewScript()}},
		"by rule": {Name: "x", Version: "1", Caps: memory.Capabilities{ByRule: []string{"facts"}}},
	} {
		i := native.New(o).Info()
		if other, again := seen[i.Fingerprint]; again {
			t.Errorf("%s and %s have one fingerprint", name, other)
		}
		seen[i.Fingerprint] = name
		if want := map[bool]string{true: "x-rule", false: "x"}[name == "by rule"]; i.Name != want {
			t.Errorf("%s: named %s, want %s", name, i.Name, want)
		}
	}
	for in, want := range map[string]string{"": native.Fixed, "fixed": native.Fixed, "faithful": native.Faithful, "wrong": ""} {
		if have, err := native.CheckMode(in); have != want || (err != nil) != (want == "") {
			t.Errorf("mode %q: have %q, %v", in, have, err)
		}
	}
}
