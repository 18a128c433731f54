package mem0

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"membench/llm"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/memory/memorytest"
	"membench/schema"
)

func system(t testing.TB, o Options) *System {
	t.Helper()
	s, err := Embedded(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract(t *testing.T) {
	for name, o := range map[string]Options{"memory": {}, "disk": {Dir: "d"}, "faithful": {Mode: Faithful, Dir: "d"}, "raw": {Raw: true}, "no prefix": {NoPrefix: true}} {
		t.Run(name, func(t *testing.T) {
			memorytest.RunWith(t, memorytest.Options{Open: func(t *testing.T, d memory.Deps) memory.System {
				o := o
				if o.Embedder = d.Embed; o.Dir != "" {
					o.Dir = t.TempDir()
				}
				return system(t, o)
			}})
		})
	}
}

var ns = memory.Namespace{Run: "memory_bench_global", Scope: "lin"}

func open(t testing.TB, s *System) *Memory {
	t.Helper()
	m, err := s.Open(context.Background(), ns)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m.(*Memory)
}

// say ingests one batch per text, all by the user, and lists what became of each.
func say(t *testing.T, m *Memory, texts ...string) (ops []string) {
	t.Helper()
	for _, text := range texts {
		n := len(m.store.keys) + 1
		r, err := m.Ingest(context.Background(), memorytest.Batch("c", memorytest.Turn("c", n, "user", text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Changes {
			o := c.Op
			if o == memory.OpAdd && c.Old != "" {
				o += "!" // contradicts
			}
			ops = append(ops, o)
		}
	}
	return ops
}

func contents(t *testing.T, m *Memory) (out []string) {
	t.Helper()
	for _, p := range m.store.points {
		if p.live {
			s := p.payload.Text("data")
			for _, e := range p.events {
				s += fmt.Sprintf(" %d", e.TurnID)
			}
			out = append(out, s)
		}
	}
	return out
}

func TestModes(t *testing.T) {
	for _, c := range []struct {
		texts          []string
		keep, faithful string
		left, leftF    string // texts with the turns they come from
	}{
		{[]string{"我最喜欢的作家是沈从文。", "我最喜欢的作家是沈从文！"}, "ADD NONE", "ADD NONE",
			"[User] 我最喜欢的作家是沈从文。 1 2", "[User] 我最喜欢的作家是沈从文。 1"},
		{[]string{"我最喜欢的作家是沈从文。", "我最喜欢的作家是汪曾祺。", "我最喜欢的作家是沈从文。"}, "ADD ADD! ADD", "ADD UPDATE UPDATE",
			"[User] 我最喜欢的作家是沈从文。 1|[User] 我最喜欢的作家是汪曾祺。 2|[User] 我最喜欢的作家是沈从文。 3", "[User] 我最喜欢的作家是沈从文。 3"},
		{[]string{"I play tennis on Mondays", "I play tennis on Mondays with my brother Tom"}, "ADD UPDATE", "ADD UPDATE",
			"[User] I play tennis on Mondays with my brother Tom 1 2", "[User] I play tennis on Mondays with my brother Tom 2"},
		{[]string{"I eat meat every day", "I no longer eat meat"}, "ADD ADD!", "ADD DELETE",
			"[User] I eat meat every day 1|[User] I no longer eat meat 2", ""},
		{[]string{"我喜欢喝红茶和看雨", "我养了一只叫小黑的狗"}, "ADD ADD", "ADD ADD",
			"[User] 我喜欢喝红茶和看雨 1|[User] 我养了一只叫小黑的狗 2", "[User] 我喜欢喝红茶和看雨 1|[User] 我养了一只叫小黑的狗 2"},
		{[]string{"I live in Lyon", "I moved to Ghent last week"}, "ADD ADD!", "ADD UPDATE",
			"[User] I live in Lyon 1|[User] I moved to Ghent last week 2", "[User] I moved to Ghent last week 2"},
		{[]string{"The gateway timeout is 30 seconds", "The gateway timeout is 60 seconds"}, "ADD ADD", "ADD ADD",
			"[User] The gateway timeout is 30 seconds 1|[User] The gateway timeout is 60 seconds 2", "[User] The gateway timeout is 30 seconds 1|[User] The gateway timeout is 60 seconds 2"},
	} {
		for mode, want := range map[Mode][2]string{Keep: {c.keep, c.left}, Faithful: {c.faithful, c.leftF}} {
			m := open(t, system(t, Options{Mode: mode}))
			if have := strings.Join(say(t, m, c.texts...), " "); have != want[0] {
				t.Errorf("%s %q: have %s, want %s", mode, c.texts, have, want[0])
			}
			if have := strings.Join(contents(t, m), "|"); have != want[1] {
				t.Errorf("%s %q:\n have %s\n want %s", mode, c.texts, have, want[1])
			}
		}
	}
}

func TestPayload(t *testing.T) {
	m := open(t, system(t, Options{}))
	b := memorytest.Batch("ch01", memorytest.Turn("ch01", 3, "assistant", "我叫岚汐，是管理员。"))
	b.Turns[0].Time = "2026-03-01T20:01:00+08:00"
	if _, err := m.Ingest(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	for r := range m.Export(context.Background()) {
		raw, _ := r.V.Payload.MarshalJSON()
		want := `{"scene_id":"scene","character_id":"bot","conv_id":"ch01","user_id":"u","agent_id":"bot","data":"[Agent] 我叫岚汐，是管理员。","hash":"` +
			schema.Hash("[Agent] 我叫岚汐，是管理员。") + `","created_at":"2026-03-01T20:01:00+08:00","events":[{"conv_id":"ch01","turn_id":3}]}`
		if string(raw) != want {
			t.Errorf("have %s\nwant %s", raw, want)
		}
		if len(r.V.ID) != 36 || r.V.ID[14] != '5' {
			t.Errorf("id %s is no UUID of version 5", r.V.ID)
		}
	}
}

func TestWhoIsMeant(t *testing.T) {
	m := open(t, system(t, Options{}))
	b := memorytest.Batch("c",
		memorytest.Turn("c", 1, "user", "我最喜欢的作家是鲁迅。"),
		memorytest.Turn("c", 2, "assistant", "我最喜欢的作家是汪曾祺。"))
	if _, err := m.Ingest(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, asker string
		turn        int
	}{{"你最喜欢的作家是谁？", "user", 2}, {"我最喜欢的作家是谁？", "user", 1}, {"我最喜欢的作家是谁？", "assistant", 2}, {"你最喜欢的作家是谁？", "assistant", 1}} {
		r, err := m.Retrieve(context.Background(), memory.Query{Text: c.text, Asker: c.asker, K: 1})
		if err != nil || len(r.Hits) != 1 || r.Hits[0].Sources[0].TurnID != c.turn {
			t.Errorf("%s asks %q: have %v (%v), want turn %d", c.asker, c.text, r.Hits, err, c.turn)
		}
	}
}

func TestModel(t *testing.T) {
	facts1 := `{"facts": [{"text": "[User] 喜欢喝红茶", "turns": [1]}, "[Agent] 推荐了祁门红茶"]}`
	none := `{"memory": []}`
	turns := []schema.Turn{memorytest.Turn("c", 1, "user", "我喜欢喝红茶。"), memorytest.Turn("c", 2, "assistant", "推荐你试试祁门红茶。")}
	add := "Sure! ```json\n" + `{"memory": [{"id": "0", "text": "[User] 喜欢喝红茶", "event": "ADD"}, {"id": 1, "text": "[Agent] 推荐了祁门红茶", "event": "add"}]}` + "\n```"
	for _, c := range []struct {
		name     string
		script   *llmtest.Script
		want     string
		degraded int
		calls    int
	}{
		{"good", llmtest.NewScript(facts1, add), "[User] 喜欢喝红茶 1|[Agent] 推荐了祁门红茶 2", 0, 2},
		{"prose, then good", llmtest.NewScript("I cannot do that.", facts1, add), "[User] 喜欢喝红茶 1|[Agent] 推荐了祁门红茶 2", 0, 3},
		{"truncated twice", (&llmtest.Script{}).Then(llmtest.Answer{Text: facts1, Truncated: true}, llmtest.Answer{Text: facts1[:20]}, llmtest.Answer{Text: add}),
			"", 1, 3},
		{"failing", (&llmtest.Script{}).Then(llmtest.Answer{Err: errors.New("down")}, llmtest.Answer{Err: errors.New("down")}),
			"[User] 我喜欢喝红茶。 1|[Agent] 推荐你试试祁门红茶。 2", 2, 0},
		{"bad update", llmtest.NewScript(facts1, `{"memory":[{"id":"7","text":"x","event":"UPDATE"}]}`, `[]`),
			"[User] 喜欢喝红茶 1|[Agent] 推荐了祁门红茶 2", 1, 3},
		{"no facts", llmtest.NewScript(`{"facts": []}`), "", 0, 1},
		{"nothing to add", llmtest.NewScript(facts1, none), "", 0, 2},
	} {
		m := open(t, system(t, Options{Generator: c.script}))
		r, err := m.Ingest(context.Background(), memorytest.Batch("c", turns...))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		have := strings.Join(contents(t, m), "|")
		if c.name == "truncated twice" { // the rule's facts, judged by the model's one answer
			have = ""
		}
		if have != c.want || len(r.Degraded) != c.degraded || r.Usage.Calls != c.calls {
			t.Errorf("%s:\n have %s, %d calls, degraded %q\n want %s, %d calls, %d", c.name, have, r.Usage.Calls, r.Degraded, c.want, c.calls, c.degraded)
		}
	}
}

func TestModelUpdates(t *testing.T) {
	g := llmtest.NewScript(`{"facts":["[User] lives in Lyon"]}`, `{"memory":[{"id":"0","text":"[User] lives in Lyon","event":"ADD"}]}`,
		`{"facts":["[User] lives in Ghent"]}`, `{"memory":[{"id":"0","text":"[User] lives in Ghent","event":"UPDATE","old_memory":"[User] lives in Lyon"}]}`)
	m := open(t, system(t, Options{Generator: g, Mode: Faithful}))
	if have := strings.Join(say(t, m, "I live in Lyon", "I live in Ghent now, not Lyon"), " "); have != "ADD UPDATE" {
		t.Errorf("have %s", have)
	}
	p := m.store.points[0]
	if p.payload.Text("data") != "[User] lives in Ghent" || p.payload.Text("updated_at") == "" || m.store.history[1].Old != "[User] lives in Lyon" {
		t.Errorf("have %+v, history %+v", p, m.store.history)
	}
}

// Mem0's own log says exactly what each session changed: the deltas made of snapshots
// say the same.
func TestDeltasAreTheHistory(t *testing.T) {
	ctx := context.Background()
	sessions := [][]string{
		{"I live in Lyon", "I play tennis on Mondays", "我喜欢喝红茶和看雨", "I eat meat every day"},
		{"I play tennis on Mondays with my brother Tom", "I live in Lyon", "I no longer eat meat", "I keep two tortoises"},
		{"I moved to Ghent last week", "I keep two tortoises", "I keep two tortoises on the balcony", "I like rye bread", "I no longer like rye bread"},
		{"I live in Lyon", "我不喜欢喝红茶了"},
	}
	for _, mode := range Modes() {
		m := open(t, system(t, Options{Mode: mode}))
		turn, told := 0, 0
		seen := map[string]bool{}
		for i, texts := range sessions {
			before := map[schema.PointID]bool{}
			for _, it := range m.items() {
				before[it.ID] = true
			}
			for _, text := range texts {
				turn++
				if _, err := m.Ingest(ctx, memorytest.Batch("c", memorytest.Turn("c", turn, "user", text))); err != nil {
					t.Fatal(err)
				}
			}
			name := fmt.Sprint("s", i)
			if _, err := m.EndSession(ctx, name); err != nil {
				t.Fatal(err)
			}
			h, _ := m.History(ctx)
			want := map[schema.PointID]string{}
			for _, c := range h.Changes[told:] {
				switch {
				case c.Op == memory.OpAdd:
					want[c.ID] = memory.DeltaAdd
				case c.Op == memory.OpDelete && before[c.ID]:
					want[c.ID] = memory.DeltaSuppress
				case c.Op == memory.OpDelete: // came and went
					delete(want, c.ID)
				case want[c.ID] == "" && c.Op == memory.OpUpdate || want[c.ID] == memory.DeltaKeep && c.Op == memory.OpUpdate:
					want[c.ID] = memory.DeltaUpdate
				case want[c.ID] == "":
					want[c.ID] = memory.DeltaKeep
				}
			}
			told = len(h.Changes)
			have := map[schema.PointID]string{}
			for d, err := range m.Delta(ctx, name) {
				if err != nil {
					t.Fatal(err)
				}
				if d.Item.Status != memory.StatusInvalid { // mode keep: contradicted, no operation of Mem0's
					have[d.Item.ID] = d.Op
				} else {
					delete(want, d.Item.ID)
				}
				seen[d.Op] = true
			}
			if fmt.Sprint(have) != fmt.Sprint(want) {
				t.Errorf("%s %s: have %v, want %v", mode, name, have, want)
			}
		}
		for _, op := range []string{memory.DeltaAdd, memory.DeltaUpdate, memory.DeltaKeep, memory.DeltaSuppress} {
			if !seen[op] {
				t.Errorf("%s: no %s", mode, op)
			}
		}
	}
}

// cutter lets n bytes through and fails from then on, as a full disk or a kill does.
type cutter struct {
	w io.Writer
	n *int
}

func (c cutter) Write(p []byte) (int, error) {
	if *c.n >= len(p) {
		*c.n -= len(p)
		return c.w.Write(p)
	}
	n, _ := c.w.Write(p[:*c.n])
	*c.n = 0
	return n, errors.New("killed")
}

// Wherever a write of the journal is cut, going on gives the undisturbed bytes.
func TestKilledAtEveryWrite(t *testing.T) {
	var batches []memory.Batch
	for i, s := range []string{"我最喜欢的作家是沈从文。", "I keep two tortoises.", "我最喜欢的作家是汪曾祺。", "好的。", "我最喜欢的作家是沈从文。"} {
		batches = append(batches, memorytest.Batch("c", memorytest.Turn("c", i+1, "user", s)))
	}
	run := func(dir string, wrap func(io.Writer) io.Writer) error {
		s := system(t, Options{Dir: dir, Wrap: wrap})
		m, err := s.Attach(context.Background(), ns)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		for _, b := range batches {
			if _, err := m.Ingest(context.Background(), b); err != nil {
				return err
			}
		}
		return nil
	}
	read := func(dir string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, ns.Run, ns.Scope+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	clean := t.TempDir()
	if err := run(clean, nil); err != nil {
		t.Fatal(err)
	}
	want := read(clean)
	step := 5 // a prime to the lengths of the lines, so all kinds of places are cut
	if testing.Short() {
		step = 41
	}
	for cut := 0; cut < len(want); cut += step {
		dir := t.TempDir()
		left := cut
		if run(dir, func(w io.Writer) io.Writer { return cutter{w, &left} }) == nil {
			t.Fatalf("cut at %d: no error", cut)
		}
		if err := run(dir, nil); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if have := read(dir); !bytes.Equal(have, want) {
			t.Fatalf("cut at %d:\n have %s\n want %s", cut, have, want)
		}
	}
}

func TestOtherOptions(t *testing.T) {
	dir := t.TempDir()
	m := open(t, system(t, Options{Dir: dir}))
	say(t, m, "I keep two tortoises.")
	m.Close()
	again, err := system(t, Options{Dir: dir, Mode: Faithful}).Attach(context.Background(), ns)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Ingest(context.Background(), memorytest.Batch("d", memorytest.Turn("d", 1, "user", "I like green tea."))); err == nil || !strings.Contains(err.Error(), "other options") {
		t.Errorf("have %v, want a refusal", err)
	}
}

func TestNamesOfFiles(t *testing.T) {
	dir := t.TempDir()
	s := system(t, Options{Dir: dir})
	for _, scope := range []string{"../x", "", ".hidden", "a:b", "a%3Ab", "林"} {
		m, err := s.Open(context.Background(), memory.Namespace{Run: "r", Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Ingest(context.Background(), memorytest.Batch("d", memorytest.Turn("d", 1, "user", "I like green tea."))); err != nil {
			t.Fatal(err)
		}
		m.Close()
	}
	all, err := s.Namespaces(context.Background(), "r")
	if err != nil || len(all) != 6 {
		t.Errorf("have %v (%v), want 6 namespaces", all, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "x.jsonl")); err == nil {
		t.Error("a scope left its folder")
	}
}

var _ llm.Generator = (*llmtest.Script)(nil)

func BenchmarkIngest(b *testing.B) {
	m := open(b, system(b, Options{}))
	n := 0
	for b.Loop() {
		n++
		batch := memorytest.Batch("c")
		for i := range 8 {
			batch.Turns = append(batch.Turns, memorytest.Turn("c", n*8+i, "user", fmt.Sprintf("I put item %d of box %d on shelf %d beside the %s window.", n, i, n%37, []string{"north", "south", "east"}[n%3])))
		}
		if _, err := m.Ingest(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(8*n)/b.Elapsed().Seconds(), "facts/s")
}

func BenchmarkRetrieve(b *testing.B) {
	m := open(b, system(b, Options{}))
	for n := range 500 {
		batch := memorytest.Batch("c")
		for i := range 20 {
			batch.Turns = append(batch.Turns, memorytest.Turn("c", n*20+i, "user", fmt.Sprintf("Item %d-%d lies on shelf %d beside the lamp.", n, i, n%37)))
		}
		m.Ingest(context.Background(), batch)
	}
	for b.Loop() {
		if _, err := m.Retrieve(context.Background(), memory.Query{Text: "what lies on shelf 12?", K: 5}); err != nil {
			b.Fatal(err)
		}
	}
}
