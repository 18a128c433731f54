package graphir

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

func files(name, text string) []jsonl.File {
	if text == "" {
		return nil
	}
	return []jsonl.File{{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
}

type input struct{ events, exports, claims string }

func (in input) files() Files {
	return Files{Events: files("events.jsonl", in.events), Exports: files("exports.jsonl", in.exports), Claims: files("claims.jsonl", in.claims)}
}

type written struct {
	nodes, edges string
	findings     []string // sorted
	counts       string
}

func write(t testing.TB, in input, o Options, plain bool) written {
	t.Helper()
	var n, e bytes.Buffer
	var fs []string
	report := func(f *schema.Finding) { fs = append(fs, f.Error()) }
	f := Write
	if plain {
		f = writePlain
	}
	c, err := f(context.Background(), in.files(), &n, &e, o, report)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(fs)
	return written{n.String(), e.String(), fs, fmt.Sprint(c)}
}

func diffLines(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d:\nhave %s\nwant %s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("have %d lines, want %d", len(x), len(y))
}

func (w written) compare(t *testing.T, what string, want written, findings bool) {
	t.Helper()
	if w.nodes != want.nodes {
		t.Errorf("%s: nodes differ: %s", what, diffLines(w.nodes, want.nodes))
	}
	if w.edges != want.edges {
		t.Errorf("%s: edges differ: %s", what, diffLines(w.edges, want.edges))
	}
	if findings && !slices.Equal(w.findings, want.findings) {
		t.Errorf("%s: findings differ: %s", what, diffLines(strings.Join(w.findings, "\n"), strings.Join(want.findings, "\n")))
	}
	if w.counts != want.counts {
		t.Errorf("%s: counts differ: have %s, want %s", what, w.counts, want.counts)
	}
}

// hazards makes n export lines, about half of them odd in some way, and the claims
// and events that go with them.
func hazards(seed uint64, n int, odd int) input {
	r := rand.New(rand.NewPCG(seed, 7))
	pick := func(l ...string) string { return l[r.IntN(len(l))] }
	texts := make([]string, 0, n)
	for i := range n {
		texts = append(texts, pick("", "[User] ", "[Agent] ", "  ", "　")+pick("喜欢在深夜写作", "a b  c", "it's \"quoted\" \\ x", "line\nbreak\ttab", "😀 emoji\u2028", "经常使用笔记功能来记录小事，因为这样会让人安心，而且总是在深夜整理到很晚很晚很晚很晚 ok")+pick("", " ", fmt.Sprint(" ", i)))
	}
	ids := []string{"a", "b", "c d", "e:f", "p|q", "50%", "x:mem:y", "岚", " padded ", "", "\x01ctl", "quo\"te", `back\slash`, strings.Repeat("长", 200), strings.Repeat("x", 1500)}
	name := func() string {
		if r.IntN(100) < odd {
			return ids[r.IntN(len(ids))]
		}
		return ids[r.IntN(3)]
	}
	var ex, cl, ev strings.Builder
	var mems []string
	for range n {
		text := texts[r.IntN(len(texts))]
		if r.IntN(5) == 0 {
			text = texts[0]
		}
		var p schema.ObjectBuilder
		put := func(k string, v string) {
			switch {
			case r.IntN(100) >= odd:
				p.String(k, v)
			case r.IntN(3) == 0:
				p.Raw(k, []byte("null"))
			case r.IntN(8) == 0:
				p.Raw(k, []byte("7"))
			case r.IntN(2) == 0:
				p.String(k, v)
			}
		}
		put("scene_id", name())
		put("character_id", name())
		conv := pick("ch01", "ch02", "ch03", name())
		put("conv_id", conv)
		put("user_id", name())
		put("agent_id", name())
		if r.IntN(100) >= odd || r.IntN(9) > 0 {
			put("data", text)
		}
		hash := schema.Hash(text)
		if r.IntN(100) < odd {
			hash = pick(hash, "", "abc", strings.ToUpper(hash), " "+hash, schema.Hash("other"), "point:x")
		}
		put("hash", hash)
		put("created_at", pick("2026-02-24T18:21:58.028703-08:00", "2026-02-25T02:21:58.028703Z", fmt.Sprintf("2026-02-%02dT10:00:00Z", 1+r.IntN(28)), "2026-02-25 02:21:58", "never"))
		put("owner_type", pick("Agent", "User", ""))
		put("owner_id", name())
		put("owner_infer", pick("fallback", "explicit", "matched_event", "ambiguous"))
		if r.IntN(3) == 0 {
			p.Raw("events", []byte(fmt.Sprintf(`[{"conv_id": "ch0%d", "turn_id": %d}, {"conv_id": "ch01", "turn_id": 2}]`, 1+r.IntN(3), 1+r.IntN(12))))
			if r.IntN(2) == 0 {
				p.Raw("events_by", []byte(`"inferred"`))
				p.Raw("events_conf", []byte("0.5"))
			}
		}
		payload, _ := p.Object().MarshalJSON()
		point := fmt.Sprintf("p%d", r.IntN(n))
		if r.IntN(2) == 0 {
			point = fmt.Sprintf("%s-0000-4000-8000-%012x", pick("81c53765", "91c53765", "81C53765"), r.IntN(n))
		}
		line := fmt.Sprintf(`{"id": %s, "payload": %s, "collection": "c", "isolation": "global", "exported_at": "2026-03-0%dT00:00:00Z"}`, codec.AppendString(nil, point), payload, 1+r.IntN(2))
		if r.IntN(100) < odd {
			switch r.IntN(9) {
			case 0:
				line = line[:r.IntN(len(line))]
			case 1:
				line = strings.Replace(line, `"payload": {`, `"payload": null, "x": {`, 1)
			case 2:
				line = strings.Replace(line, `"isolation"`, `"collection"`, 1)
			case 3:
				line = strings.Replace(line, `"c"`, "\"\xff\"", 1)
			case 4:
				line = strings.Replace(line, `"id": "`, `"id": "\u0041`, 1)
			case 5:
				line = strings.Replace(line, `"scene_id"`, `"sc\u0065ne_id"`, 1)
			case 6:
				line = "\ufeff" + line
			case 7:
				line = strings.Replace(line, `"id": "`, `"extra": [1, {"a": "b"}], "id": " `, 1)
			case 8:
				line += "\r"
			}
		}
		ex.WriteString(line + pick("\n", "\n", "\r\n", "\n\n"))
		mems = append(mems, "mem:"+schema.Hash(text))
	}
	for i := range n / 4 {
		sub := pick("agent:a", "user:b", "topic:x")
		typ := map[string]string{"agent:a": "Agent", "user:b": "User", "topic:x": "Topic"}[sub]
		obj := "tag:" + pick("夜里", "b", fmt.Sprint(i))
		id := "claim:PREFERS_TOPIC|daily|" + sub + "|" + obj
		fmt.Fprintf(&cl, `{"record_type":"entity","entity_type":"%s","entity_id":"%s","props":{"name":"%d"},"aliases":[],"tags":[],"confidence":0.9}`+"\n", pick("Tag", "Tag", "Topic"), obj, i%3)
		fmt.Fprintf(&cl, `{"record_type":"claim","claim_id":"%s","predicate":"PREFERS_TOPIC","subject":{"entity_type":"%s","entity_id":"%s"},"object":{"entity_type":"Tag","entity_id":"%s"},"domain":"daily","confidence":0.8,"status":"active","rank":null,"updated_at":"2026-02-24T18:22:22Z","evidence":[{"memory_item_id":"%s","point_id":"p1","conv_id":"ch01","scene_id":"a","created_at":"2026-02-24T18:22:22Z","text":"t"},{"memory_item_id":"%s","point_id":"p%d","conv_id":"ch02","scene_id":"a","created_at":"2026-02-24T18:22:21Z","text":"t"}],"superseded_by":"claim:x"}`+"\n",
			id, typ, sub, obj, pick(mems[r.IntN(len(mems))], "mem:none", "bad"), mems[r.IntN(len(mems))], i)
	}
	for c := range 3 {
		for i := range 10 {
			fmt.Fprintf(&ev, `{"scene_id": "a", "character_id": "b", "conv_id": "ch0%d", "turn_id": %d, "role_type": "%s", "role_name": "n%d", "content": "hi %d", "tags": ["episodic"], "meta": {"source_path": "s/ch.md", "start_line": %d, "end_line": %d, "session_id": "%d", "user_id": "u", "inject_id": "i%d"%s}}`+"\n",
				c+1, i+1, pick("human", "assistant", "ui"), i%3, i, i+1, i+1, i/5, c, []string{"", `, "reply_to": 2`}[i%4/3])
		}
	}
	return input{ev.String(), ex.String(), cl.String()}
}

// The bulk path writes the bytes of Build, and reports the same, for any number of
// workers, spilled or not.
func TestBulkEqualsPlain(t *testing.T) {
	for _, v := range schema.Versions() {
		for _, odd := range []int{0, 10, 60} {
			for seed := range uint64(2) {
				in := hazards(seed, 300, odd)
				for _, in := range []input{{exports: in.exports}, in, {exports: in.exports, claims: in.claims}, {exports: in.exports, events: in.events}} {
					o := Options{Version: v, Shortcuts: seed == 1, TempDir: t.TempDir()}
					want := write(t, in, o, true)
					if want.nodes == "" || want.edges == "" {
						t.Fatal("nothing written")
					}
					for _, how := range []struct {
						memory  int64
						workers int
					}{{0, 1}, {0, 3}, {10_000, 2}, {60_000, 3}} {
						o.Memory, o.Workers = how.memory, how.workers
						got := write(t, in, o, false)
						got.compare(t, fmt.Sprintf("%s, odd %d, seed %d, claims %v, events %v, memory and workers %v", v, odd, seed, in.claims != "", in.events != "", how), want, true)
						if t.Failed() {
							return
						}
					}
					if left, _ := os.ReadDir(o.TempDir); len(left) > 0 {
						t.Errorf("left behind: %v", left)
					}
				}
			}
		}
	}
}

// One text in many conversations and at many points leaves the rows for the sorter; the
// bytes stay those of Build, and the lists are cut.
func TestHotText(t *testing.T) {
	defer func(n int64) { hotRange = n }(hotRange)
	hotRange = 200 << 10
	var b strings.Builder
	for i := range 9000 {
		text := "hot"
		if i%10 == 0 {
			text = fmt.Sprint("text ", i)
		}
		fmt.Fprintf(&b, `{"id": "%08x-0000-4000-8000-000000000000", "payload": {"scene_id": "s", "character_id": "c", "conv_id": "ch%d", "user_id": "u%d", "agent_id": "c", "data": "%s", "hash": "%s", "created_at": "2026-02-24T18:%02d:%02dZ"}, "collection": "c", "isolation": "global", "exported_at": "2026-02-25T02:22:26Z"}`+"\n",
			i, i%150, i%7, text, schema.Hash(text), i/7%60, i/11%60)
	}
	for _, v := range schema.Versions() {
		in := input{exports: b.String()}
		o := Options{Version: v, TempDir: t.TempDir(), Workers: 2}
		want := write(t, in, o, true)
		for _, o.Memory = range []int64{0, 100_000, 500_000} {
			write(t, in, o, false).compare(t, fmt.Sprint(v, " memory ", o.Memory), want, true)
		}
		cut := strings.Contains(want.nodes, `"occurrences": 8100`)
		if cut != (v != schema.V001) || cut != (len(want.findings) > 0) {
			t.Errorf("%s: cut %v, findings %d", v, cut, len(want.findings))
		}
	}
}

// The order of lines never changes a byte.
func TestOrderOfInput(t *testing.T) {
	for _, v := range schema.Versions() {
		in := hazards(5, 600, 20)
		want := write(t, in, Options{Version: v}, true)
		rng := rand.New(rand.NewPCG(3, 3))
		shuffle := func(s string) string {
			l := strings.Split(strings.TrimSuffix(strings.ReplaceAll(s, "\r", ""), "\n"), "\n")
			rng.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
			return strings.Join(l, "\n") + "\n"
		}
		for k := range 4 {
			in := input{shuffle(in.events), shuffle(strings.ReplaceAll(in.exports, "\ufeff", "")), shuffle(in.claims)}
			o := Options{Version: v, Workers: 1 + k%2, Memory: int64(k) * 30_000, TempDir: t.TempDir()}
			if k == 0 {
				want = write(t, in, o, true)
				continue
			}
			write(t, in, o, false).compare(t, fmt.Sprint(v, " shuffle ", k), want, false)
		}
	}
}

// writePlain is Write by way of Build: the oracle of the bulk path.
func writePlain(ctx context.Context, in Files, nodes, edges io.Writer, o Options, report func(*schema.Finding)) (Counts, error) {
	c := Counts{Labels: map[string]int{}, Types: map[string]int{}}
	g := newGatherer(o, report)
	defer g.close()
	stopped := false
	err := g.gather(ctx, Input{jsonl.DecodeFiles[schema.Event](in.Events, o.MaxLine), jsonl.DecodeFiles[schema.MemoryExport](in.Exports, o.MaxLine), jsonl.DecodeFiles[schema.Statement](in.Claims, o.MaxLine)}, &stopped)
	if err != nil {
		return c, err
	}
	var buf []byte
	for e, err := range g.folded() {
		if err != nil {
			return c, err
		}
		w := nodes
		if e.edge {
			w = edges
			c.edge(e.typ)
		} else {
			c.node(e.labels[0])
		}
		buf = e.append(buf[:0])
		if _, err := w.Write(buf); err != nil {
			return c, err
		}
	}
	g.finish()
	return c, nil
}
