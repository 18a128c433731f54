package memorytest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"membench/llm"
	"membench/llm/hashing"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/schema"
)

// suite are the tests of abilities beyond storing and retrieving.
type suite struct {
	o    Options
	caps memory.Capabilities
	ns   memory.Namespace
}

var sessions = []memory.Batch{
	session("s1",
		Turn("c1", 1, "user", "I moved to Lisbon in March and work as a baker."),
		Turn("c1", 2, "assistant", "Lisbon is lovely. Do you start early?"),
		Turn("c1", 3, "user", "My sister Ines keeps bees on the roof."),
		Turn("c1", 4, "user", "我最喜欢的饮料是普洱茶。")),
	session("s2",
		Turn("c1", 5, "assistant", "How are the bees doing?"),
		Turn("c1", 6, "user", "They made nine jars of honey this week."),
		Turn("c1", 7, "assistant", "普洱茶和蜂蜜很配。")),
	session("s3",
		Turn("c1", 8, "user", "I moved to Porto now, and I no longer work as a baker."),
		Turn("c1", 9, "assistant", "Porto! What will you do there?")),
}

func session(id string, turns ...schema.Turn) memory.Batch {
	b := Batch("c1", turns...)
	b.Session = id
	return b
}

func (s suite) open(t *testing.T, d memory.Deps) memory.Memory {
	t.Helper()
	m, err := s.o.Open(t, d).Open(context.Background(), s.ns)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// play ingests sessions, each to its end, and gives what each delta said.
func play(t *testing.T, m memory.Memory, in []memory.Batch) (deltas [][]memory.Delta) {
	t.Helper()
	ctx := context.Background()
	for _, b := range in {
		if _, err := m.Ingest(ctx, b); err != nil {
			t.Fatal(err)
		}
		if _, err := memory.Finish(ctx, m, b.Session); err != nil {
			t.Fatal(err)
		}
		if d, ok := memory.As[memory.Deltaer](m); ok {
			var all []memory.Delta
			for x, err := range d.Delta(ctx, b.Session) {
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, x)
			}
			deltas = append(deltas, all)
		}
	}
	return deltas
}

func snapshot(t *testing.T, m memory.Memory) []memory.Item {
	t.Helper()
	s, ok := memory.As[memory.Snapshotter](m)
	if !ok {
		t.Fatal("the system cannot be looked into")
	}
	var out []memory.Item
	for it, err := range s.Snapshot(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if n := len(out); n > 0 && it.ID <= out[n-1].ID {
			t.Errorf("item %s after %s: want ascending ids", it.ID, out[n-1].ID)
		}
		out = append(out, it)
	}
	return out
}

// asked is what the memory says to some questions, as text.
func (s suite) asked(t *testing.T, m memory.Memory) string {
	t.Helper()
	if s.caps.Retrieval == memory.RetrievalNone {
		return ""
	}
	var b strings.Builder
	for _, q := range []string{"Where do I live?", "bees and honey", "喝什么饮料"} {
		r, err := m.Retrieve(context.Background(), memory.Query{Text: q, K: 4, Gold: []schema.EventRef{{ConvID: "c1", TurnID: 6}}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) > 4 {
			t.Errorf("%q: %d hits, want at most 4", q, len(r.Hits))
		}
		fmt.Fprintf(&b, "%v|%s\n", r.Hits, r.Context)
	}
	return b.String()
}

// reset: a namespace that was used and opened again is as a fresh one, and so is one
// that was dropped; snapshots, deltas and answers are the same.
func (s suite) reset(t *testing.T) {
	fresh := s.open(t, memory.Deps{})
	wantD := fmt.Sprint(play(t, fresh, sessions))
	wantS, wantQ := fmt.Sprint(snapshot(t, fresh)), s.asked(t, fresh)
	check := func(what string, m memory.Memory) {
		t.Helper()
		if have := fmt.Sprint(play(t, m, sessions)); have != wantD {
			t.Errorf("%s: deltas\nhave %s\nwant %s", what, have, wantD)
		}
		if have := fmt.Sprint(snapshot(t, m)); have != wantS {
			t.Errorf("%s: snapshot\nhave %s\nwant %s", what, have, wantS)
		}
		if have := s.asked(t, m); have != wantQ {
			t.Errorf("%s: hits\nhave %s\nwant %s", what, have, wantQ)
		}
	}
	sys := s.o.Open(t, memory.Deps{})
	for _, what := range []string{"another system", "opened again"} {
		m, err := sys.Open(context.Background(), s.ns)
		if err != nil {
			t.Fatal(err)
		}
		check(what, m)
		m.Close()
	}
	if d, ok := memory.As[memory.Dropper](fresh); ok {
		if err := d.Drop(context.Background()); err != nil {
			t.Fatal(err)
		}
		if left := snapshot(t, fresh); len(left) > 0 {
			t.Errorf("dropped, and yet there: %v", left)
		}
		check("dropped", fresh)
	}
}

// deltas: applied one after another they give the last snapshot.
func (s suite) deltas(t *testing.T) {
	m := s.open(t, memory.Deps{})
	var have []memory.Item
	for _, d := range play(t, m, sessions) {
		have = memory.Apply(have, d)
	}
	if want := snapshot(t, m); fmt.Sprint(have) != fmt.Sprint(want) {
		t.Errorf("the deltas give\n%v\nwant the snapshot\n%v", have, want)
	}
	d, _ := memory.As[memory.Deltaer](m)
	for _, err := range d.Delta(context.Background(), "a session that never was") {
		if err == nil {
			t.Error("a delta of a session that never was")
		}
	}
}

// clone: what happens to a copy does not happen to the memory, and the other way.
func (s suite) clone(t *testing.T) {
	ctx := context.Background()
	m := s.open(t, memory.Deps{})
	c, _ := memory.As[memory.Cloner](m)
	play(t, m, sessions[:1])
	want, wantQ := fmt.Sprint(snapshot(t, m)), s.asked(t, m)
	twin, err := c.Clone(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer twin.Close()
	if have := fmt.Sprint(snapshot(t, twin)); have != want {
		t.Errorf("the copy: have %s, want %s", have, want)
	}
	play(t, twin, sessions[1:])
	if have := fmt.Sprint(snapshot(t, m)); have != want {
		t.Errorf("storing in the copy changed the memory: have %s, want %s", have, want)
	}
	if have := s.asked(t, m); have != wantQ {
		t.Errorf("storing in the copy changed the answers: have %s, want %s", have, wantQ)
	}
	play(t, m, sessions[1:])
	if a, b := fmt.Sprint(snapshot(t, m)), fmt.Sprint(snapshot(t, twin)); a != b {
		t.Errorf("memory and copy, fed alike: have %s and %s", a, b)
	}
}

// origin: an item keeps the session that it comes from.
func (s suite) origin(t *testing.T) {
	m := s.open(t, memory.Deps{})
	play(t, m, sessions)
	for _, it := range snapshot(t, m) {
		var from []string
		for _, e := range it.Sources {
			i := slices.IndexFunc(sessions, func(b memory.Batch) bool {
				return slices.ContainsFunc(b.Turns, func(t schema.Turn) bool { return slices.Contains(t.Sources, e) })
			})
			if i < 0 {
				t.Errorf("item %s names turn %v, which was never said", it.ID, e)
				continue
			}
			from = append(from, sessions[i].Session)
		}
		if len(it.Links) == 0 && len(from) > 0 && !slices.Contains(from, it.Session) {
			t.Errorf("item %s of turns %v: session %q, want one of %v", it.ID, it.Sources, it.Session, from)
		}
	}
}

// captions: a turn that is an image only counts by its caption, and keeps the image.
func (s suite) captions(t *testing.T) {
	m := s.open(t, memory.Deps{})
	pic := Turn("c1", 1, "user", "")
	pic.Attachments = []schema.Attachment{{Type: "image", ID: "img_1", Path: "a/b.png", Text: "a heron beside a red canoe"}}
	mute := Turn("c1", 2, "assistant", "")
	mute.Attachments = []schema.Attachment{{Type: "image", ID: "img_2"}}
	play(t, m, []memory.Batch{session("s1", pic, mute, Turn("c1", 3, "user", "We had soup."), Turn("c1", 4, "user", "Then it rained all day."))})
	items := snapshot(t, m)
	i := slices.IndexFunc(items, func(it memory.Item) bool { return strings.Contains(it.Text, "heron") })
	if i < 0 {
		t.Fatalf("the caption is in no item: %v", items)
	}
	if !slices.ContainsFunc(items[i].Attachments, func(a schema.Attachment) bool { return a.ID == "img_1" && a.Path == "a/b.png" }) {
		t.Errorf("the item lost its image: %v", items[i])
	}
}

// text: what was said can be read back, whatever the script.
func (s suite) text(t *testing.T) {
	m := s.open(t, memory.Deps{})
	said := []string{"𠮷野家的牛丼很好吃。", "나는 서울에 산다.", "emoji 👩‍👩‍👧 & <tags> \"quoted\"", "Ωμέγα и кириллица"}
	b := session("s1")
	for i, text := range said {
		b.Turns = append(b.Turns, Turn("c1", i+1, "user", text))
	}
	play(t, m, []memory.Batch{b})
	items := snapshot(t, m)
	for _, text := range said {
		if !slices.ContainsFunc(items, func(it memory.Item) bool { return strings.Contains(it.Text, text) }) {
			t.Errorf("%q is in no item", text)
		}
	}
}

// broken: regardless of a model's answers or failures while turns are stored, the rule twin does the work, this is counted, and no turn is lost; for a
// system that keeps facts, no turn that leaves one without a model.
func (s suite) broken(t *testing.T) {
	want := map[schema.EventRef]bool{}
	for _, b := range sessions {
		for _, turn := range b.Turns {
			want[turn.Sources[0]] = true
		}
	}
	if s.caps.Unit == "fact" {
		m := s.open(t, memory.Deps{Embed: hashing.New(0)})
		play(t, m, sessions)
		want = keptTurns(t, m)
	}
	for name, f := range map[string]llmtest.Func{
		"garbage": func(llm.Request) (string, error) { return "} I cannot do { that", nil },
		"empty":   func(llm.Request) (string, error) { return "", nil },
		"refusal": func(llm.Request) (string, error) { return "I am sorry, I cannot help with that.", nil },
		"cut off": func(llm.Request) (string, error) { return `{"facts": [{"text": "a`, nil },
		"timeout": func(r llm.Request) (string, error) {
			return "", &llm.Error{Purpose: r.Purpose, Kind: llm.KindTimeout, Err: errors.New("timed out")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := memory.Deps{LLM: f, Embed: hashing.New(0)}
			caps := memory.CapabilitiesOf(s.o.Open(t, d))
			m := s.open(t, d)
			play(t, m, sessions)
			kept := keptTurns(t, m)
			for e := range want {
				if !kept[e] {
					t.Errorf("turn %v is lost", e)
				}
			}
			h, ok := memory.As[memory.Historian](m)
			if !ok {
				t.Fatal("a system that asks a model must report its history")
			}
			r, err := h.History(context.Background())
			asks := caps.Calls != nil && caps.Calls.LLMPerUnit.Min+caps.Calls.LLMPerSession.Min > 0
			if err != nil || asks && len(r.Degraded) == 0 {
				t.Errorf("nothing counts as degraded (%v)", err)
			}
		})
	}
}

// alone: of all that a model is asked for, one purpose after the other is answered with
// what cannot be used: the rule does that, and it is noted under its name.
func (s suite) alone(t *testing.T) {
	asked := map[string]bool{}
	s.notes(t, func(r llm.Request) (string, error) { asked[r.Purpose] = true; return s.o.Answer(r) })
	for _, purpose := range slices.Sorted(maps.Keys(asked)) {
		t.Run(purpose, func(t *testing.T) {
			notes := s.notes(t, func(r llm.Request) (string, error) {
				if r.Purpose == purpose {
					return `{"facts": [{"text": "a`, nil
				}
				return s.o.Answer(r)
			})
			if !slices.ContainsFunc(notes, func(n memory.Note) bool { return n.Op == purpose && n.Ended != "" }) {
				t.Errorf("have %v, want a note that a rule did %s", notes, purpose)
			}
		})
	}
}

// notes are what fell back while the sessions were stored and a question was asked.
func (s suite) notes(t *testing.T, answer llmtest.Func) []memory.Note {
	t.Helper()
	m := s.open(t, memory.Deps{LLM: answer, Embed: hashing.New(0)})
	play(t, m, sessions)
	h, ok := memory.As[memory.Historian](m)
	if !ok {
		t.Fatal("a system that asks a model must report its history")
	}
	done, err := h.History(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Retrieve(context.Background(), memory.Query{Text: "Where were the apple trees planted?", K: 5})
	if err != nil {
		t.Fatal(err)
	}
	return append(done.Degraded, r.Degraded...)
}

// keptTurns are the turns that some item rests on.
func keptTurns(t *testing.T, m memory.Memory) map[schema.EventRef]bool {
	t.Helper()
	out := map[schema.EventRef]bool{}
	for _, it := range snapshot(t, m) {
		for _, e := range it.Sources {
			out[e] = true
		}
	}
	return out
}

type counter struct {
	llm, embed atomic.Int64
}

func (c *counter) Profile() string { return hashing.New(0).Profile() }
func (c *counter) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.embed.Add(int64(len(texts)))
	return hashing.New(0).Embed(ctx, texts)
}

func (c *counter) take() (l, e int) { return int(c.llm.Swap(0)), int(c.embed.Swap(0)) }

func within(t *testing.T, what string, have int, s memory.Span, times int) {
	t.Helper()
	if have < s.Min*times || have > s.Max*times {
		t.Errorf("%s: have %d calls for %d, want %d to %d each", what, have, times, s.Min, s.Max)
	}
}

// ledger: the calls that were made are those that the capabilities tell.
func (s suite) ledger(t *testing.T) {
	ctx := context.Background()
	c := &counter{}
	d := memory.Deps{Embed: c}
	if s.o.Answer != nil {
		d.LLM = llmtest.Func(func(r llm.Request) (string, error) { c.llm.Add(1); return s.o.Answer(r) })
	}
	sys := s.o.Open(t, d)
	m, err := sys.Open(ctx, s.ns)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	want := *memory.CapabilitiesOf(sys).Calls
	if s.o.Answer == nil && (want.LLMPerUnit.Min > 0 || want.LLMPerQuery.Min > 0 || want.LLMPerSession.Min > 0) {
		t.Fatal("the capabilities name a model, the suite was given none of its answers")
	}
	// Four units, be they turns or pairs: a user's turn and its answer, four times over
	// for pairs; and a long look at one session's end.
	units := 0
	for i := range 4 {
		b := session("s1", Turn("c1", 2*i+1, "user", fmt.Sprintf("On day %d I planted %d apple trees near Porto.", i+1, 3+i)))
		if s.caps.Unit == "pair" || s.caps.Unit == "fact" {
			b.Turns = append(b.Turns, Turn("c1", 2*i+2, "assistant", "That is a fine number of trees."))
		}
		units++
		if _, err := m.Ingest(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	l, e := c.take()
	within(t, "model, per unit", l, want.LLMPerUnit, units)
	within(t, "embeddings, per unit", e, want.EmbedPerUnit, units)
	if _, err := memory.Finish(ctx, m, "s1"); err != nil {
		t.Fatal(err)
	}
	l, e = c.take()
	within(t, "model, per session", l, want.LLMPerSession, 1)
	within(t, "embeddings, per session", e, want.EmbedPerSession, 1)
	for _, q := range []string{"How many trees?", "apple trees near Porto", "day 3"} {
		if _, err := m.Retrieve(ctx, memory.Query{Text: q, K: 5}); err != nil && !errors.Is(err, memory.ErrNoRetrieval) {
			t.Fatal(err)
		}
	}
	l, e = c.take()
	within(t, "model, per query", l, want.LLMPerQuery, 3)
	within(t, "embeddings, per query", e, want.EmbedPerQuery, 3)
}

// stopper fails its n-th embedding and each after it, until it is repaired.
type stopper struct{ left atomic.Int64 }

func (s *stopper) Profile() string { return hashing.New(0).Profile() }
func (s *stopper) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if s.left.Add(-1) < 0 {
		return nil, &llm.Error{Purpose: llm.PurposeEmbed, Kind: llm.KindTimeout, Err: errors.New("stopped by the test")}
	}
	return hashing.New(0).Embed(ctx, texts)
}

// interrupted: an ingest that failed in the middle and comes again gives the memory
// that an undisturbed one gives.
func (s suite) interrupted(t *testing.T) {
	ctx := context.Background()
	whole := s.open(t, memory.Deps{Embed: hashing.New(0)})
	play(t, whole, sessions)
	want := fmt.Sprint(snapshot(t, whole))
	for n := range 7 {
		e := &stopper{}
		e.left.Store(int64(n))
		m := s.open(t, memory.Deps{Embed: e})
		again := func(what func() error) {
			t.Helper()
			if what() == nil {
				return
			}
			e.left.Store(1 << 30)
			if err := what(); err != nil {
				t.Fatalf("after failure %d: %v", n, err)
			}
		}
		for _, b := range sessions {
			again(func() error { _, err := m.Ingest(ctx, b); return err })
			again(func() error { _, err := memory.Finish(ctx, m, b.Session); return err })
		}
		if have := fmt.Sprint(snapshot(t, m)); have != want {
			t.Errorf("stopped at embedding %d: have\n%s\nwant\n%s", n+1, have, want)
		}
	}
}

// answer: a system that answers does so without an error.
func (s suite) answer(t *testing.T) {
	m := s.open(t, memory.Deps{})
	a, _ := memory.As[memory.Answerer](m)
	play(t, m, sessions)
	if _, _, err := a.Answer(context.Background(), memory.Query{Text: "Where do I live?", K: 3}); err != nil {
		t.Fatal(err)
	}
	dead, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := a.Answer(dead, memory.Query{Text: "Where do I live?", K: 3}); err == nil {
		t.Error("no error from a cancelled question")
	}
}
