package replay_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/memory"
	"membench/memory/mem0"
	"membench/replay"
	"membench/schema"
)

var ctx = context.Background()

func options() replay.Options {
	o := replay.Defaults()
	o.Now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return o
}

func event(conv string, turn int, role, text string, tags ...string) schema.Event {
	if len(tags) == 0 {
		tags = []string{schema.TagEpisodic}
	}
	return schema.Event{SceneID: "night", CharacterID: "bot", ConvID: schema.ConvID(conv), TurnID: turn, RoleType: role, RoleName: role, Content: text, Tags: tags}
}

func with(t testing.TB, e schema.Event, m schema.EventMeta) schema.Event {
	t.Helper()
	var err error
	if e.Meta, err = schema.NewObject(m); err != nil {
		t.Fatal(err)
	}
	return e
}

func stream(events ...schema.Event) schema.Seq[schema.Event] {
	return func(yield func(schema.Record[schema.Event], error) bool) {
		for i, e := range events {
			if !yield(schema.Record[schema.Event]{Pos: schema.Pos{File: "events.jsonl", Line: i + 1}, V: e}, nil) {
				return
			}
		}
	}
}

func embedded(t testing.TB, dir string) *mem0.System {
	t.Helper()
	s, err := mem0.Embedded(mem0.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// long makes n turns that each state something of their own.
func long(conv string, n int) (out []schema.Event) {
	things := []string{"teapot", "ladder", "violin", "compass", "lantern", "kettle", "saddle"}
	for i := range n {
		role := schema.RoleHuman
		if i%3 == 2 {
			role = schema.RoleAssistant
		}
		out = append(out, event(conv, i+1, role, fmt.Sprintf("I keep the %s number %d in room %d of %s.", things[i%len(things)], i, i*7%11, conv)))
	}
	return out
}

func bytesOf(t *testing.T, dir string) string {
	t.Helper()
	out := ""
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b, e := os.ReadFile(p)
			out += strings.TrimPrefix(p, dir) + "\n" + string(b)
			err = e
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func exports(t *testing.T, s memory.System, events schema.Seq[schema.Event], o replay.Options) (out []schema.MemoryExport) {
	t.Helper()
	for r, err := range replay.Export(ctx, s, events, o) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.V)
	}
	return out
}

// Every turn is stored once, whatever the length: no window lies inside another.
func TestEachTurnOnce(t *testing.T) {
	for n := 1; n <= 31; n++ {
		o := options()
		var begun []string
		o.Progress = func(_ string, done, of int) { begun = append(begun, fmt.Sprintf("%d of %d", done, of)) }
		s := embedded(t, "")
		r, err := replay.Ingest(ctx, s, stream(long("c", n)...), o)
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		if n > 10 {
			want += (n - 10 + 7) / 8
		}
		if r.Batches != want || r.Turns != n {
			t.Errorf("%d turns: have %d batches of %d turns, want %d", n, r.Batches, r.Turns, want)
		}
		if have := len(begun); have != want || begun[have-1] != fmt.Sprintf("%d of %d", want-1, want) {
			t.Errorf("%d turns: progress %q, want each of %d batches", n, begun, want)
		}
		seen := map[int]int{}
		for _, m := range exports(t, s, nil, o) {
			f, _ := m.Fields()
			for _, e := range f.Events {
				seen[e.TurnID]++
			}
		}
		for i := 1; i <= n; i++ {
			if seen[i] != 1 {
				t.Errorf("%d turns: turn %d is in %d memories, want 1", n, i, seen[i])
			}
		}
	}
}

func TestOrderOfTheFileDoesNotMatter(t *testing.T) {
	all := append(append(long("ch10", 13), long("ch9", 25)...), long("ch2", 4)...)
	want := t.TempDir()
	if _, err := replay.Ingest(ctx, embedded(t, want), stream(all...), options()); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		have := t.TempDir()
		if _, err := replay.Ingest(ctx, embedded(t, have), stream(all...), options()); err != nil {
			t.Fatal(err)
		}
		if bytesOf(t, have) != bytesOf(t, want) {
			t.Fatal("shuffled events give another store")
		}
	}
}

// stopping cancels after n batches.
type stopping struct {
	*mem0.System
	left   *int
	cancel func()
}

func (s stopping) Attach(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	m, err := s.System.Attach(ctx, ns)
	return stoppingMemory{m.(*mem0.Memory), s}, err
}

type stoppingMemory struct {
	*mem0.Memory
	s stopping
}

func (m stoppingMemory) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	if *m.s.left--; *m.s.left < 0 {
		m.s.cancel()
	}
	return m.Memory.Ingest(ctx, b)
}

func TestResume(t *testing.T) {
	all := append(long("ch1", 30), long("ch2", 21)...)
	for _, iso := range []replay.Isolation{replay.Global, replay.PerConv} {
		o := options()
		o.Isolation = iso
		clean := t.TempDir()
		full, err := replay.Ingest(ctx, embedded(t, clean), stream(all...), o)
		if err != nil {
			t.Fatal(err)
		}
		want := bytesOf(t, clean)
		for n := range full.Batches {
			dir := t.TempDir()
			c, cancel := context.WithCancel(ctx)
			left := n
			if _, err := replay.Ingest(c, stopping{embedded(t, dir), &left, cancel}, stream(all...), o); err == nil {
				t.Fatalf("stopped after %d batches: no error", n)
			}
			cancel()
			r, err := replay.Ingest(ctx, embedded(t, dir), stream(all...), o)
			if err != nil {
				t.Fatal(err)
			}
			if bytesOf(t, dir) != want {
				t.Errorf("%s: stopped after %d batches, resumed: another store", iso, n)
			}
			if r.Known != n || fmt.Sprint(r.Changes) != fmt.Sprint(full.Changes) {
				t.Errorf("%s: stopped after %d batches: report %+v, want %+v", iso, n, r, full)
			}
		}
	}
}

func TestChangedInput(t *testing.T) {
	all := append(long("ch1", 30), long("ch2", 21)...)
	dir := t.TempDir()
	if _, err := replay.Ingest(ctx, embedded(t, dir), stream(all...), options()); err != nil {
		t.Fatal(err)
	}
	before := bytesOf(t, dir)
	edited := slices.Clone(all)
	edited[20].Content += " And a hat."
	other := slices.Clone(all)
	other[0] = with(t, other[0], schema.EventMeta{UserID: "someone"})
	for name, in := range map[string][]schema.Event{"edited": edited, "shorter": all[:40], "another user": other, "inserted": append(long("ch0", 3), all...)} {
		_, err := replay.Ingest(ctx, embedded(t, dir), stream(in...), options())
		var changed *replay.ChangedError
		if !errors.As(err, &changed) || !strings.Contains(err.Error(), "--force") {
			t.Errorf("%s: have %v, want a refusal", name, err)
		}
		if bytesOf(t, dir) != before {
			t.Fatalf("%s: the refused input changed the store", name)
		}
	}
	// What comes after everything stored is no change of it.
	longer := append(slices.Clone(all), long("ch3", 5)...)
	if _, err := replay.Ingest(ctx, embedded(t, dir), stream(longer...), options()); err != nil {
		t.Fatal(err)
	}
	full := t.TempDir()
	if _, err := replay.Ingest(ctx, embedded(t, full), stream(longer...), options()); err != nil {
		t.Fatal(err)
	}
	if bytesOf(t, dir) != bytesOf(t, full) {
		t.Error("going on with more input gives another store than the whole input at once")
	}
}

func TestFilters(t *testing.T) {
	all := []schema.Event{
		event("c", 1, schema.RoleHuman, "I keep bees on the roof."),
		event("c", 2, schema.RoleUI, "（I press the big red button）"),
		event("c", 3, schema.RoleAssistant, "I mend old clocks in the attic.", schema.TagFiller),
		event("c", 4, schema.RoleHuman, "My sister plays the oboe.", schema.TagInject),
		event("c", 5, schema.RoleHuman, "Tell me what lives on the roof.", schema.TagProbe),
		event("c", 6, schema.RoleHuman, " \t　"),
		event("c", 7, "Human", "I am of an unknown role here."),
		event("c", 8, schema.RoleAssistant, "I was born in the north tower.", schema.TagCanon),
	}
	for _, c := range []struct {
		change func(*replay.Options)
		want   string
	}{
		{func(*replay.Options) {}, "1 4 8"},
		{func(o *replay.Options) { o.SkipTags = nil }, "1 3 4 8"},
		{func(o *replay.Options) { o.WriteProbes = true }, "1 4 5 8"},
		{func(o *replay.Options) { o.OnlyTags = []string{schema.TagInject, schema.TagCanon} }, "4 8"},
		{func(o *replay.Options) { o.SkipRoles = []string{schema.RoleAssistant} }, "1 4"},
	} {
		o := options()
		c.change(&o)
		s := embedded(t, "")
		r, err := replay.Ingest(ctx, s, stream(all...), o)
		if err != nil {
			t.Fatal(err)
		}
		n := r.Turns
		for _, k := range r.Skipped {
			n += k
		}
		if n != r.Events {
			t.Errorf("%d turns and %v do not add up to %d events", r.Turns, r.Skipped, r.Events)
		}
		var turns []string
		for _, m := range exports(t, s, nil, o) {
			f, _ := m.Fields()
			turns = append(turns, fmt.Sprint(f.Events[0].TurnID))
		}
		slices.Sort(turns)
		if have := strings.Join(turns, " "); have != c.want {
			t.Errorf("have turns %s, want %s", have, c.want)
		}
	}
}

func TestDuplicateTurns(t *testing.T) {
	var found []string
	o := options()
	o.Found = func(f *schema.Finding) { found = append(found, fmt.Sprintf("%s %t", f.Code, f.Warning)) }
	a, b := event("c", 1, schema.RoleHuman, "I keep bees on the roof."), event("c", 1, schema.RoleHuman, "I keep hens on the roof.")
	r, err := replay.Ingest(ctx, embedded(t, ""), stream(a, b, a), o)
	if err != nil || r.Turns != 1 || strings.Join(found, ",") != "EVT021 true,EVT021 false" {
		t.Errorf("have %d turns, findings %v (%v)", r.Turns, found, err)
	}
}

func TestProbe(t *testing.T) {
	all := []schema.Event{
		with(t, event("ch1", 1, schema.RoleHuman, "我最喜欢的作家是沈从文。", schema.TagInject), schema.EventMeta{InjectID: "i_ch1_001"}),
		with(t, event("ch1", 2, schema.RoleAssistant, "我最喜欢的作家是萧红。", schema.TagInject), schema.EventMeta{InjectID: "i_ch1_002"}),
		with(t, event("ch1", 3, schema.RoleHuman, "真的吗？", schema.TagInject), schema.EventMeta{InjectID: "i_ch1_003"}),
		event("ch2", 1, schema.RoleHuman, "我养了一只乌龟。"),
		with(t, event("ch2", 2, schema.RoleHuman, "我最喜欢的作家是谁？", schema.TagProbe), schema.EventMeta{ProbeID: "p_ch2_001", Expects: []string{"i_ch1_001"}, Gold: "沈从文"}),
		with(t, event("ch2", 3, schema.RoleAssistant, "我最喜欢的作家是谁？", schema.TagProbe), schema.EventMeta{ProbeID: "p_ch2_002", Expects: []string{"i_ch1_002"}}),
		event("ch2", 4, schema.RoleHuman, "你会唱歌吗？", schema.TagProbe),
		with(t, event("ch2", 5, schema.RoleHuman, "我问过什么？", schema.TagProbe), schema.EventMeta{ProbeID: "p_ch2_004", Expects: []string{"i_ch1_003"}}),
		with(t, event("ch2", 6, schema.RoleHuman, "作家都有谁？", schema.TagProbe), schema.EventMeta{ProbeID: "p_ch2_005", Expects: []string{"i_ch1_001", "i_ch1_002", "i_nowhere"}}),
		with(t, event("ch2", 7, schema.RoleHuman, " ", schema.TagProbe), schema.EventMeta{ProbeID: "p_ch2_006", Expects: []string{"i_ch1_001"}}),
	}
	run := func(iso replay.Isolation, k int) (out []string, sum replay.Summary) {
		o := options()
		o.Isolation, o.TopK = iso, k
		s := embedded(t, "")
		if _, err := replay.Ingest(ctx, s, stream(all...), o); err != nil {
			t.Fatal(err)
		}
		for r, err := range replay.Probe(ctx, s, stream(all...), o) {
			if err != nil {
				t.Fatal(err)
			}
			p := r.V
			line := fmt.Sprintf("%s %s %d/%d", p.ProbeID, p.Outcome, len(p.GoldEvents), len(p.GoldIDs))
			if p.Recall != nil {
				line += fmt.Sprintf(" R%.2f M%.2f", *p.Recall, *p.MRR)
			}
			out = append(out, line)
			sum.Add(p)
		}
		return out, sum
	}
	have, sum := run(replay.Global, 1)
	want := []string{"p_ch2_001 scored 1/1 R1.00 M1.00", "p_ch2_002 scored 1/1 R1.00 M1.00", "p_ch2_003 gold_unknown 0/0",
		"p_ch2_004 gold_not_stored 1/0", "p_ch2_005 scored 2/2 R0.50 M1.00", "p_ch2_006 error 1/1"}
	if !slices.Equal(have, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	if s := sum.String(); s != "6 probes: 3 scored (Recall@1 0.833, MRR 1.000), 1 with unknown gold, 1 whose gold is not stored (Recall@1 with these as 0: 0.625), 1 errors" {
		t.Error(s)
	}
	have, sum = run(replay.PerConv, 5)
	if have[0] != "p_ch2_001 gold_not_stored 1/0" || sum.Recall != nil || sum.Scored != 0 {
		t.Errorf("per_conv: have %s, recall %v of %d: a fact of another conversation cannot be scored", have[0], sum.Recall, sum.Scored)
	}
}

func TestOwners(t *testing.T) {
	events := stream(
		event("c", 1, schema.RoleHuman, "我很喜欢在河边散步，尤其是傍晚。"),
		event("c", 2, schema.RoleAssistant, "嗯"),
		event("c", 3, schema.RoleAssistant, "我在修一本旧地图册。"),
		event("c", 4, schema.RoleHuman, "我也在修一本旧地图册。"),
		event("c", 5, schema.RoleAssistant, "周末书店关门很早。"))
	payload := func(data, extra string) schema.Object {
		return schema.RawObject(fmt.Appendf(nil, `{"conv_id":"c","user_id":"lin","agent_id":"bot","data":%q%s}`, data, extra))
	}
	var in []schema.MemoryExport
	var want []string
	for i, c := range []struct{ data, extra, want string }{
		{"[User] 喜欢散步", "", "User lin explicit"},
		{"[Agent] 修书", "", "Agent bot explicit"},
		{"喜欢散步", `,"role":"user"`, "User lin explicit"},
		{"很喜欢在河边散步", "", "User lin matched_event"},
		{"周末书店关门很早", "", "Agent bot matched_event"},
		{"嗯，他说他不来了", "", "Agent bot fallback"}, // an interjection is no evidence
		{"在修一本旧地图册", "", "Agent bot ambiguous"},
		{"Name is Bot", "", "Agent bot fallback"},
		{"很喜欢夏目漱石", `,"owner_type":"Character","owner_id":"bot"`, "Character bot explicit"},
		{"", "", "Agent bot fallback"},
	} {
		in = append(in, schema.MemoryExport{ID: schema.PointID(fmt.Sprintf("%02d", i)), Payload: payload(c.data, c.extra)})
		want = append(want, c.want)
	}
	seq := func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		for i := len(in) - 1; i >= 0; i-- { // the order of the file must not matter
			if !yield(schema.Record[schema.MemoryExport]{V: in[i]}, nil) {
				return
			}
		}
	}
	i := 0
	for r, err := range replay.Link(seq, events, options()) {
		f, _ := r.V.Fields()
		if have := f.OwnerType + " " + f.OwnerID + " " + f.OwnerInfer; err != nil || have != want[i] {
			t.Errorf("%q: have %s (%v), want %s", f.Data, have, err, want[i])
		}
		i++
	}
	if i != len(in) {
		t.Errorf("have %d records, want %d", i, len(in))
	}
}

// Of several people who are known by name only each owns what they said; one who is declared owns it under that id. Without People they are the user.
func TestOwnersByName(t *testing.T) {
	for _, c := range []struct {
		people            *schema.People
		conv, user, actor string
		want              string
	}{
		{&schema.People{}, "c", "user", "Bo Berg", "c/Bo Berg"},
		{&schema.People{}, "c", "", "Cy Dahl", "c/Cy Dahl"},
		{&schema.People{Scope: schema.ScopeProject}, "c", "user", "Bo Berg", "Bo Berg"},
		{&schema.People{Known: []schema.Person{{Name: "Bo Berg", Aliases: []string{"Bobo"}}}}, "c", "user", "Bobo", "Bo Berg"},
		{&schema.People{}, "c", "ana", "Ana Lund", "ana"},
		{&schema.People{}, "c", "user", "", "user"},
		{nil, "c", "user", "Bo Berg", "user"},
	} {
		o := options()
		o.People = c.people
		in := schema.MemoryExport{ID: "1", Payload: schema.RawObject(fmt.Appendf(nil, `{"conv_id":%q,"user_id":%q,"agent_id":"bot","actor_id":%q,"data":"[User] I own a dog"}`, c.conv, c.user, c.actor))}
		seq := func(yield func(schema.Record[schema.MemoryExport], error) bool) {
			yield(schema.Record[schema.MemoryExport]{V: in}, nil)
		}
		for r, err := range replay.Link(seq, nil, o) {
			if f, _ := r.V.Fields(); err != nil || f.OwnerType != "User" || f.OwnerID != c.want {
				t.Errorf("%+v: have %s %s (%v)", c, f.OwnerType, f.OwnerID, err)
			}
		}
	}
}

// A turn without a time was said between its neighbours: it is not the newest. Without any time in the session it has that of the run.
func TestTimesOfTurns(t *testing.T) {
	at := func(conv string, n int, session, time string) schema.Event {
		return with(t, event(conv, n, schema.RoleHuman, fmt.Sprintf("I keep the kettle number %d in room %d.", n, n)), schema.EventMeta{Time: time, SessionID: session})
	}
	in := []schema.Event{at("a", 1, "", ""), at("a", 2, "", "2026-03-01T09:00:00Z"), at("a", 3, "", ""), at("a", 4, "", "2026-03-05T09:00:00Z"), at("b", 1, "s1", "2026-03-07T09:00:00Z"), at("b", 2, "s2", "")}
	s := embedded(t, t.TempDir())
	o := options()
	if _, err := replay.Ingest(ctx, s, stream(in...), o); err != nil {
		t.Fatal(err)
	}
	var have []string
	for r, err := range replay.Export(ctx, s, nil, o) {
		f, _ := r.V.Fields()
		if err != nil || len(f.Events) != 1 {
			t.Fatal(err, f.Events)
		}
		have = append(have, fmt.Sprintf("%s%d %.10s", f.Events[0].ConvID, f.Events[0].TurnID, f.CreatedAt))
	}
	slices.Sort(have)
	now := o.Now.Format(time.DateOnly)
	if want := []string{"a1 2026-03-01", "a2 2026-03-01", "a3 2026-03-01", "a4 2026-03-05", "b1 2026-03-07", "b2 " + now}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

// The turns of memories are known when we make them ourselves. Without that, and with
// the text changed as a model's rewriting changes it, the linker must find them again.
func TestLinkPrecision(t *testing.T) {
	events := dialogue(t)
	s := embedded(t, "")
	o := options()
	if _, err := replay.Ingest(ctx, s, stream(events...), o); err != nil {
		t.Fatal(err)
	}
	truth := exports(t, s, nil, o)
	rng := rand.New(rand.NewPCG(7, 7))
	link, err := replay.NewLinker(stream(events...))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		change    func(string) string
		precision float64
		recall    float64
	}{
		{"verbatim", func(s string) string { return s }, 0.99, 0.97},
		{"subject and end dropped", dropSubject, 0.97, 0.9},
		{"every fourth word lost", func(s string) string { return lose(rng, s, 4) }, 0.93, 0.75},
		{"every third word lost, no prefix", func(s string) string { return lose(rng, strip(s), 3) }, 0.9, 0.6},
	} {
		linked, right, n := 0, 0, 0
		for _, m := range truth {
			f, _ := m.Fields()
			n++
			got, conf := link.Link(f.ConvID, c.change(f.Data))
			if conf < 0 || conf > 1 {
				t.Fatalf("confidence %v is outside [0,1]", conf)
			}
			for _, e := range got {
				linked++
				if slices.Contains(f.Events, e) {
					right++
				}
			}
		}
		p, r := float64(right)/float64(max(linked, 1)), float64(right)/float64(n)
		t.Logf("%-34s %d memories: precision %.3f (%d of %d links), recall %.3f", c.name, n, p, right, linked, r)
		if p < c.precision || r < c.recall {
			t.Errorf("%s: precision %.3f, recall %.3f, want %.2f and %.2f", c.name, p, r, c.precision, c.recall)
		}
	}
}

func strip(s string) string {
	return strings.TrimPrefix(strings.TrimPrefix(s, "[User] "), "[Agent] ")
}

func dropSubject(s string) string {
	prefix, rest := s[:len(s)-len(strip(s))], strip(s)
	for _, p := range []string{"我", "I'm ", "I've ", "I ", "My "} {
		rest = strings.TrimPrefix(rest, p)
	}
	return prefix + strings.TrimRight(rest, "。.！!，,…")
}

// lose takes out about one in n characters of Chinese, or words of English.
func lose(rng *rand.Rand, s string, n int) string {
	prefix, rest := s[:len(s)-len(strip(s))], strip(s)
	unit := strings.Split(rest, " ")
	sep := " "
	if len(unit) < 4 {
		unit, sep = strings.Split(rest, ""), ""
	}
	unit = slices.DeleteFunc(unit, func(string) bool { return rng.IntN(n) == 0 })
	return prefix + strings.Join(unit, sep)
}

// dialogue is the bundled demo's chapters, their lines read as the norm format has them.
func dialogue(t *testing.T) (out []schema.Event) {
	files, err := filepath.Glob("../data/demo/source/norm/*.norm.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no bundled chapters (%v)", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		conv, n := strings.SplitN(filepath.Base(f), "_", 2)[0], 0
		for _, line := range strings.Split(string(b), "\n") {
			mark, text, ok := strings.Cut(line, "] ")
			if i := strings.LastIndex(mark, "["); !ok || i < 0 || strings.Contains(mark, "PROBE") {
				continue
			} else if mark = mark[i+1:]; mark != "U" && mark != "S" && mark != "S|MONO" {
				continue
			}
			n++
			role := schema.RoleAssistant
			if mark == "U" {
				role = schema.RoleHuman
			}
			out = append(out, event(conv, n, role, text))
		}
	}
	return out
}

func TestNaturalCompare(t *testing.T) {
	ids := []schema.ConvID{"ch10", "ch9", "ch09", "ch1", "b", "ch9a", "", "ch100", "2026-02-27"}
	slices.SortFunc(ids, replay.NaturalCompare)
	if have := fmt.Sprint(ids); have != "[ 2026-02-27 b ch1 ch09 ch9 ch9a ch10 ch100]" {
		t.Error(have)
	}
}

func FuzzLink(f *testing.F) {
	f.Add("[User] 喜欢散步", "我很喜欢散步\nI like v1.2")
	f.Fuzz(func(t *testing.T, data, text string) {
		var events []schema.Event
		for i, s := range strings.Split(text, "\n") {
			events = append(events, event("c", i+1, schema.RoleHuman, s))
		}
		l, err := replay.NewLinker(stream(events...))
		if err != nil {
			t.Fatal(err)
		}
		refs, conf := l.Link("c", data)
		if conf < 0 || conf > 1 || conf == 0 && len(refs) > 0 {
			t.Fatalf("%v with confidence %v", refs, conf)
		}
	})
}

func BenchmarkLink(b *testing.B) {
	var all []schema.Event
	for c := range 20 {
		all = append(all, long(fmt.Sprintf("c%d", c), 200)...)
	}
	l, err := replay.NewLinker(stream(all...))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		l.Link("c7", "[User] keeps the violin number 100 in room 7")
	}
}
