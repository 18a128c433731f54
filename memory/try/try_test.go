package try_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"membench/memory"
	"membench/memory/all"
	"membench/memory/try"
	"membench/schema"
)

func checks(t *testing.T, s memory.System) []schema.Check {
	t.Helper()
	var out []schema.Check
	if err := try.System(context.Background(), s, "run", func(c schema.Check) { out = append(out, c) }); err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatal("nothing was tried")
	}
	return out
}

func state(cs []schema.Check, name string) string {
	for _, c := range cs {
		if c.Name == name && c.State != schema.CheckOK {
			return c.State
		}
	}
	for _, c := range cs {
		if c.Name == name {
			return c.State
		}
	}
	return ""
}

// The systems that are brought along pass, with the hashing embedder and by rule.
func TestOurs(t *testing.T) {
	for _, spec := range all.Specs() {
		s, err := spec.Open(memory.Deps{}, nil)
		if err != nil {
			t.Errorf("%s: %v", spec.Name, err)
			continue
		}
		for _, c := range checks(t, s) {
			if c.State == schema.CheckFail {
				t.Errorf("%s: %s: %s", spec.Name, c.Name, c.Detail)
			}
		}
	}
}

// forgetful is a memory with the faults that people's first tries have.
type forgetful struct {
	turns *[]string // shared by all namespaces
	asked int
}

func (f *forgetful) Info() memory.Info { return memory.Info{Name: "forgetful"} }
func (f *forgetful) Open(context.Context, memory.Namespace) (memory.Memory, error) {
	return f, nil
}
func (f *forgetful) Ingest(_ context.Context, b memory.Batch) (memory.Receipt, error) {
	for _, t := range b.Turns {
		*f.turns = append(*f.turns, t.Text)
	}
	return memory.Receipt{}, nil
}
func (f *forgetful) Retrieve(_ context.Context, q memory.Query) (memory.Retrieved, error) {
	f.asked++
	var r memory.Retrieved
	for i, t := range *f.turns {
		if i != 2 {
			r.Hits = append(r.Hits, memory.Hit{ID: schema.PointID(fmt.Sprint(f.asked, i)), Text: t, Score: float64(i)})
		}
	}
	return r, nil
}
func (f *forgetful) Close() error { return nil }

func TestFaults(t *testing.T) {
	cs := checks(t, &forgetful{turns: &[]string{}})
	for name, want := range map[string]string{
		"info": schema.CheckFail, "order": schema.CheckFail, "retrieval": schema.CheckWarn, "sources": schema.CheckWarn, "pure": schema.CheckFail,
		"repeat": schema.CheckWarn, "isolation": schema.CheckFail, "reset": schema.CheckFail, "counts": schema.CheckNA, "drop": schema.CheckNA,
	} {
		if have := state(cs, name); have != want {
			t.Errorf("%s: have %q, want %q\n%v", name, have, want, cs)
		}
	}
	for _, c := range cs {
		if (c.State == schema.CheckFail || c.State == schema.CheckWarn) && c.Fix == "" {
			t.Errorf("%s: nothing says how to fix it", c.Name)
		}
	}
}

// liar keeps turns as they were said, and gives them other ids, another day and twice.
type liar struct{ items []memory.Item }

func (l *liar) Info() memory.Info { return memory.Info{Name: "liar", Fingerprint: "1"} }
func (l *liar) Open(context.Context, memory.Namespace) (memory.Memory, error) {
	return &liar{}, nil
}
func (l *liar) Ingest(_ context.Context, b memory.Batch) (memory.Receipt, error) {
	for _, t := range b.Turns {
		if strings.Contains(t.Text, "dog") {
			continue
		}
		e := t.Sources[0]
		e.ConvID = schema.ConvID(strings.ToUpper(string(e.ConvID)))
		for range 2 {
			l.items = append(l.items, memory.Item{ID: schema.PointID(fmt.Sprint(len(l.items))), Text: t.Text, Status: memory.StatusActive, Time: "2023-04-01T10:00:00Z", Sources: []schema.EventRef{e}})
		}
	}
	return memory.Receipt{}, nil
}
func (l *liar) Retrieve(context.Context, memory.Query) (memory.Retrieved, error) {
	var r memory.Retrieved
	for _, it := range l.items {
		r.Hits = append(r.Hits, memory.Hit{ID: it.ID, Text: it.Text, Sources: it.Sources})
	}
	return r, nil
}
func (l *liar) Snapshot(context.Context) iter.Seq2[memory.Item, error] {
	return func(yield func(memory.Item, error) bool) {
		for _, it := range l.items {
			if !yield(it, nil) {
				return
			}
		}
	}
}
func (l *liar) Close() error { return nil }

// What a system says of its items is compared with their texts, and the advice is about the question that failed.
func TestClaims(t *testing.T) {
	cs := checks(t, &liar{})
	for _, name := range []string{"retrieval", "sources", "counts", "times"} {
		if have := state(cs, name); have != schema.CheckFail {
			t.Errorf("%s: have %q, want %q\n%v", name, have, schema.CheckFail, cs)
		}
	}
	for _, c := range cs {
		if c.Name == "retrieval" && strings.Contains(c.Detail, "dog") && strings.Contains(c.Fix, "Chinese") {
			t.Errorf("advice about Chinese below an English question: %v", c)
		}
	}
}

// distant finds by shared letters, and gives the distance for the score.
type distant struct{ forgetful }

func (d *distant) Open(context.Context, memory.Namespace) (memory.Memory, error) { return d, nil }
func (d *distant) Retrieve(_ context.Context, q memory.Query) (memory.Retrieved, error) {
	var r memory.Retrieved
	for i, text := range *d.turns {
		far := 0
		for _, c := range q.Text {
			if !strings.ContainsRune(text, c) {
				far++
			}
		}
		r.Hits = append(r.Hits, memory.Hit{ID: schema.PointID(fmt.Sprint(i)), Text: text, Score: float64(far)})
	}
	slices.SortFunc(r.Hits, func(a, b memory.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return r, nil
}

// Who gives distances as scores has the best hit at the end.
func TestDistances(t *testing.T) {
	cs := checks(t, &distant{forgetful{turns: &[]string{}}})
	if state(cs, "order") != schema.CheckFail || state(cs, "retrieval") != schema.CheckOK {
		t.Errorf("have %v", cs)
	}
}

type parrot struct{ said []string }

func (p *parrot) Reset(context.Context) error { p.said = nil; return nil }
func (p *parrot) Ingest(_ context.Context, t schema.Turn) error {
	p.said = append(p.said, t.Text)
	return nil
}
func (p *parrot) Answer(context.Context, string) (string, error) {
	return strings.Join(p.said, " "), nil
}

func TestAnswersAlone(t *testing.T) {
	cs := checks(t, memory.FromSimple(memory.Info{Name: "parrot", Fingerprint: "1"}, func() memory.Simple { return &parrot{} }))
	for _, c := range cs {
		if c.State == schema.CheckFail || c.State == schema.CheckWarn {
			t.Errorf("%+v", c)
		}
	}
	if state(cs, "retrieval") != schema.CheckNA || state(cs, "answer") != schema.CheckOK || state(cs, "isolation") != schema.CheckOK {
		t.Errorf("have %v", cs)
	}
}

// claiming stores turns as they are said; its hits name the turns that of returns.
type claiming struct {
	forgetful
	of func(turn int) []int
}

func (c *claiming) Open(context.Context, memory.Namespace) (memory.Memory, error) {
	return &claiming{forgetful{turns: &[]string{}}, c.of}, nil
}
func (c *claiming) Retrieve(ctx context.Context, q memory.Query) (r memory.Retrieved, err error) {
	for i, text := range *c.turns {
		h := memory.Hit{ID: schema.PointID(fmt.Sprint(i)), Text: text}
		for _, n := range c.of(i + 1) {
			h.Sources = append(h.Sources, schema.EventRef{ConvID: "membench-try", TurnID: n})
		}
		r.Hits = append(r.Hits, h)
	}
	return r, nil
}

// Hits that all name every turn are a fault: their sources say nothing.
func TestEveryTurn(t *testing.T) {
	for name, c := range map[string]struct {
		of   func(int) []int
		want string
	}{
		"its own":   {func(n int) []int { return []int{n} }, schema.CheckOK},
		"all":       {func(int) []int { return []int{1, 2, 3, 4, 5} }, schema.CheckFail},
		"its batch": {func(n int) []int { return map[bool][]int{true: {1, 2, 3}, false: {4, 5}}[n < 4] }, schema.CheckOK},
	} {
		if cs := checks(t, &claiming{of: c.of}); state(cs, "sources") != c.want {
			t.Errorf("%s: have %+v, want sources %s", name, cs, c.want)
		}
	}
}

// joined answers every question with one hit that is all of its memory.
type joined struct{ claiming }

func (j *joined) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	m, err := j.claiming.Open(ctx, ns)
	return &joined{*m.(*claiming)}, err
}
func (j *joined) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	r, err := j.claiming.Retrieve(ctx, q)
	for i := range r.Hits[min(1, len(r.Hits)):] {
		r.Hits[0].Text += "\n" + r.Hits[i+1].Text
	}
	r.Hits = r.Hits[:min(1, len(r.Hits))]
	return r, err
}

// A system whose one hit is its whole memory is not one that finds what is asked for.
func TestWholeMemory(t *testing.T) {
	if cs := checks(t, &joined{claiming{of: func(int) []int { return []int{1, 2, 3, 4, 5} }}}); state(cs, "sources") != schema.CheckWarn {
		t.Errorf("have %+v, want a warning of sources", cs)
	}
}

// quoting answers with the turns that it rests on, and cannot be asked for hits.
type quoting struct {
	forgetful
	wrong bool // names the turn before as the source
}

func (q *quoting) Open(context.Context, memory.Namespace) (memory.Memory, error) { return q, nil }
func (q *quoting) Retrieve(context.Context, memory.Query) (memory.Retrieved, error) {
	return memory.Retrieved{}, memory.ErrNoRetrieval
}
func (q *quoting) Answer(_ context.Context, x memory.Query) (memory.Retrieved, string, error) {
	for i, text := range *q.turns {
		if strings.Contains(text, "Biscuit") == strings.Contains(x.Text, "dog") {
			n := i + 1
			if q.wrong {
				n++
			}
			return memory.Retrieved{Hits: []memory.Hit{{ID: "1", Text: text, Sources: []schema.EventRef{{ConvID: "membench-try", TurnID: n}}}}}, text, nil
		}
	}
	return memory.Retrieved{}, "", nil
}

// Hits that come with answers are seen and checked, and nothing says that there are none.
func TestAnswersWithHits(t *testing.T) {
	for wrong, want := range map[bool]string{false: schema.CheckOK, true: schema.CheckFail} {
		cs := checks(t, &quoting{forgetful{turns: &[]string{}}, wrong})
		if state(cs, "sources") != want || state(cs, "retrieval") != schema.CheckNA {
			t.Errorf("wrong sources %v: have %+v, want sources %s", wrong, cs, want)
		}
		for _, c := range cs {
			if strings.Contains(c.Detail, "returns no hits") {
				t.Errorf("have %q", c.Detail)
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s, err := all.Specs()[0].Open(memory.Deps{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := try.System(ctx, s, "run", func(schema.Check) {}); err == nil {
		t.Error("no error of an ended context")
	}
}
