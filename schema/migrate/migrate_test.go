package migrate

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
)

// odd are names that the raw joins of 0.0.1 mix up and that break line tools.
var odd = []string{
	"乌龙茶", "a:b", "a|b", "a|tag:b", "100%", "a%3Ab", "第#一章", "it's", `say "hi"`, `back\slash`, "line\nbreak", "👩‍👩‍👧", "全角：｜", "two  blanks", "two blanks", " outer ", "e\u0301", "é",
	"UNKNOWN", "tag:tag:x", "|", ":", "%", "\u200b", "a#b#c", "\u2028",
}

var cat = catalog.Default()

// folder is a set of files in memory.
type folder map[string]*bytes.Buffer

func (d folder) add(name string, obj schema.Object) {
	if d[name] == nil {
		d[name] = &bytes.Buffer{}
	}
	raw, _ := obj.MarshalJSON()
	d[name].Write(append(raw, '\n'))
}

func (d folder) files() (out []File) {
	for _, name := range catalog.Sorted(d) {
		b := d[name].Bytes()
		out = append(out, File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }})
	}
	return out
}

type closing struct{ *bytes.Buffer }

func (closing) Close() error { return nil }

func run(t testing.TB, d folder, from, to schema.Version) (folder, Report, []*schema.Finding) {
	t.Helper()
	out := folder{}
	var fs []*schema.Finding
	r, err := Run(context.Background(), d.files(), from, to, func(name string) (io.WriteCloser, error) {
		out[name] = &bytes.Buffer{}
		return closing{out[name]}, nil
	}, Options{Catalog: cat, Report: func(f *schema.Finding) { fs = append(fs, f) }})
	if err != nil {
		t.Fatal(err)
	}
	return out, r, fs
}

func objects(t testing.TB, d folder, name string) (out []schema.Object) {
	t.Helper()
	if d[name] == nil {
		return nil
	}
	for rec, err := range jsonl.Decode[schema.Object](bytes.NewReader(d[name].Bytes()), name) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rec.V)
	}
	return out
}

func obj(pairs ...any) schema.Object {
	var b schema.ObjectBuilder
	for i := 0; i < len(pairs); i += 2 {
		if err := b.Value(pairs[i].(string), pairs[i+1]); err != nil {
			panic(err)
		}
	}
	return b.Object()
}

// chain001 writes what the existing chain writes for one conversation: a memory and a
// claim for each of the names, in both halves of the graph.
func chain001(names []string) folder {
	d := folder{}
	m := schema.Mint{V: schema.V001}
	const user = "scene:odd|user"
	root := "user:" + user
	node := func(id, label string, props schema.Object) {
		d.add("nodes.jsonl", obj("id", id, "labels", []string{label}, "props", props))
	}
	edge := func(id, typ, src, dst string, props schema.Object) {
		d.add("edges.jsonl", obj("id", id, "type", typ, "src", src, "dst", dst, "props", props))
	}
	node(root, "User", obj("user_id", user, "name", user))
	node("dom:"+root+":daily", "Domain", obj("domain", "daily", "character_id", root))
	node("pred:"+root+":daily:PREFERS_TOPIC", "Predicate", obj("predicate", "PREFERS_TOPIC", "domain", "daily", "character_id", root))
	edge("has_domain:"+root+":daily", "HAS_DOMAIN", root, "dom:"+root+":daily", obj("character_id", root, "domain", "daily"))
	edge("has_predicate:x", "HAS_PREDICATE", "dom:"+root+":daily", "pred:"+root+":daily:PREFERS_TOPIC", obj())
	seen := map[string]bool{}
	for i, name := range names {
		for _, typ := range []string{"Tag", "Chapter"} {
			object := "tag:" + name
			if typ == "Chapter" {
				object = "chapter:UNKNOWN#" + name
			}
			data := fmt.Sprintf("喜欢 %s %s", name, typ)
			hash := schema.Hash(data)
			point := fmt.Sprintf("point-%d", i)
			switch i % 4 {
			case 1:
				hash = "" // named by its point
			case 2:
				hash = schema.Hash("another text than " + data) // wrong
			}
			mem := string(m.Memory(data, hash, schema.PointID(point+typ)))
			d.add("export.jsonl", obj("id", point+typ, "payload", obj("conv_id", "ch01", "data", data, "hash", hash, "owner_type", "Character"), "collection", "c", "isolation", "per_chapter", "exported_at", "t", "unknown", i))
			claim := string(m.Claim("PREFERS_TOPIC", "daily", schema.EntityID(root), schema.EntityID(object)))
			ref := func(typ, id string) schema.Object { return obj("entity_type", typ, "entity_id", id) }
			ev := obj("memory_item_id", mem, "point_id", point+typ, "text", data, "more", 1.5)
			d.add("claims.jsonl", obj("record_type", "claim", "claim_id", claim, "predicate", "PREFERS_TOPIC", "subject", ref("User", root), "object", ref(typ, object), "domain", "daily", "confidence", 0.9, "status", "candidate", "rank", nil, "updated_at", "t", "evidence", []schema.Object{ev}))
			d.add("entities.jsonl", obj("record_type", "entity", "entity_type", typ, "entity_id", object, "props", obj("name", name), "aliases", []string{}, "tags", []string{}, "confidence", 1))
			node(object, typ, obj("name", name))
			node(claim, "Claim", obj("predicate", "PREFERS_TOPIC", "domain", "daily"))
			if !seen[mem] {
				node(mem, "MemoryItem", obj("point_id", point+typ, "payload_hash", hash, "data", data, "created_at", "2026-02-24T18:21:58-08:00", "isolation", "per_chapter"))
				seen[mem] = true
			}
			edge("has_claim:"+claim, "HAS_CLAIM", "pred:"+root+":daily:PREFERS_TOPIC", claim, obj("claim_id", claim))
			edge("about:"+claim+":"+object, "ABOUT", claim, object, obj("claim_id", claim))
			for _, p := range []string{point + typ, "other"} { // two occurrences of one text: one edge in 0.1.0
				edge("evidenced_by:"+claim+":"+mem+":"+p, "EVIDENCED_BY", claim, mem, obj("claim_id", claim, "memory_item_id", mem, "point_id", p, "text", data, "created_at", "2026-02-24T18:21:5"+fmt.Sprint(i%9)+"-08:00", "conv_id", "ch01"))
			}
			edge("edge:OWNS_MEMORY:"+root+":"+mem, "OWNS_MEMORY", root, mem, obj("source_point_id", point))
		}
	}
	d.add("nodes.jsonl", obj("id", "mem:point:twin-a", "labels", []string{"MemoryItem"}, "props", obj("point_id", "twin-a", "payload_hash", nil, "data", "one text", "created_at", "2026-02-25T00:00:00Z")))
	d.add("nodes.jsonl", obj("id", "mem:point:twin-b", "labels", []string{"MemoryItem"}, "props", obj("point_id", "twin-b", "payload_hash", nil, "data", "one text", "created_at", "2026-02-24T23:00:00-02:00")))
	d["notes.jsonl"] = bytes.NewBufferString("{\"mine\": true}\n")
	return d
}

// check proves what a migration promises about a folder of 0.0.1.
func check(t *testing.T, d folder) folder {
	t.Helper()
	up, r, _ := run(t, d, schema.V001, schema.V010)
	ctx := context.Background()
	if err := Verify(ctx, d.files(), up.files(), schema.V001, schema.V010, Options{Catalog: cat}); err != nil {
		t.Fatal(err)
	}
	for k, n := range r.Records {
		if n.In != n.Out+n.Merged {
			t.Errorf("%s: %d in, %d out, %d merged", k, n.In, n.Out, n.Merged)
		}
	}
	// Every id is what its parts mint, none is used twice, every reference resolves.
	m := schema.Mint{V: schema.V010}
	nodes := map[string]bool{}
	for _, o := range objects(t, up, "nodes.jsonl") {
		id := o.Text("id")
		if nodes[id] {
			t.Errorf("node %q twice", id)
		}
		nodes[id] = true
		if p, err := schema.ParseID(id); err != nil || p.String() != id {
			t.Errorf("node %q is not of the grammar: %v, minted again %q", id, err, p.String())
		}
		raw, _ := o.Get("props")
		if p := schema.RawObject(raw); strings.HasPrefix(id, "mem:") && id != "mem:"+schema.Hash(p.Text("data")) {
			t.Errorf("memory %q is not the hash of its data", id)
		}
	}
	edges := map[string]bool{}
	for _, o := range objects(t, up, "edges.jsonl") {
		src, dst, id := o.Text("src"), o.Text("dst"), o.Text("id")
		if want := string(m.Edge(o.Text("type"), schema.NodeID(src), schema.NodeID(dst))); id != want || edges[id] {
			t.Errorf("edge %q (twice: %v), want %q", id, edges[id], want)
		}
		edges[id] = true
		if !nodes[src] || !nodes[dst] {
			t.Errorf("edge %q dangles", id)
		}
	}
	entities := map[string]bool{}
	for _, o := range objects(t, up, "entities.jsonl") {
		id := o.Text("entity_id")
		if entities[id] {
			t.Errorf("entity %q twice", id)
		}
		if entities[id] = true; !nodes[id] {
			t.Errorf("entity %q is another id in the graph", id)
		}
	}
	for _, o := range objects(t, up, "claims.jsonl") {
		var c schema.Claim
		if err := o.Read(&c); err != nil {
			t.Fatal(err)
		}
		if want := m.Claim(c.Predicate, c.Domain, c.Subject.ID, c.Object.ID); c.ID != want || !nodes[string(want)] {
			t.Errorf("claim %q, want %q, in the graph %v", c.ID, want, nodes[string(want)])
		}
		if !entities[string(c.Object.ID)] {
			t.Errorf("claim %q: no entity %q", c.ID, c.Object.ID)
		}
		for _, e := range c.Evidence {
			if want := m.Memory(e.Text, "", ""); e.Memory != want || !nodes[string(want)] {
				t.Errorf("claim %q: evidence %q, want %q", c.ID, e.Memory, want)
			}
		}
	}
	// Up, down, up gives the same as up.
	down, _, _ := run(t, up, schema.V010, schema.V001)
	again, _, _ := run(t, down, schema.V001, schema.V010)
	for _, name := range catalog.Sorted(up) {
		var a, b sum
		for _, f := range (folder{name: up[name]}).files() {
			a.addFile(ctx, f, Options{Catalog: cat})
		}
		for _, f := range (folder{name: again[name]}).files() {
			b.addFile(ctx, f, Options{Catalog: cat})
		}
		if a != b {
			t.Errorf("%s: up after down after up is not up", name)
		}
	}
	return up
}

func TestOddNames(t *testing.T) {
	up := check(t, chain001(odd))
	if up["notes.jsonl"].String() != "{\"mine\": true}\n" {
		t.Error("lines of no known kind are passed on")
	}
	for _, o := range objects(t, up, "export.jsonl") {
		raw, _ := o.Get("payload")
		p := schema.RawObject(raw)
		if o.Text("isolation") != "per_conv" || p.Text("owner_type") != "Agent" || p.Text("hash") != schema.Hash(p.Text("data")) {
			t.Errorf("export: have %v", o)
		}
	}
	var twin schema.Object
	for _, o := range objects(t, up, "nodes.jsonl") {
		if o.Text("id") == "mem:"+schema.Hash("one text") {
			twin = o
		}
	}
	raw, _ := twin.Get("props")
	p := schema.RawObject(raw)
	points, _ := p.Get("point_ids")
	aliases, _ := p.Get("id_aliases")
	if p.Text("point_id") != "twin-a" || string(normal(points)) != `["twin-a","twin-b"]` || string(normal(aliases)) != `["mem:point:twin-a","mem:point:twin-b"]` {
		t.Errorf("twins: have %s", raw)
	}
}

// Every subset and order of names holds the promises.
func TestRandomNames(t *testing.T) {
	parts := []string{":", "|", "%", "#", "'", `"`, `\`, "\n", "茶", "👩‍👩‍👧", "：", " ", "a", "3A", "tag:", "|tag:", "UNKNOWN", "e\u0301"}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		names := map[string]bool{}
		for range 1 + r.IntN(12) {
			n := ""
			for range 1 + r.IntN(4) {
				n += parts[r.IntN(len(parts))]
			}
			names[n] = true
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) { check(t, chain001(catalog.Sorted(names))) })
	}
}

func TestSeedExamplesKeepTheirIds(t *testing.T) {
	x := NewIDs(schema.V001, schema.V010, nil)
	x.Seal()
	for _, id := range []string{
		"claim:PREFERS_TOPIC|daily|agent:congyin|tag:建议使用待办事项列表整理要做的事情", "agent:congyin", "tag:一个人创作容易走神",
		"mem:fdf2768f19650a2cf47138343608d1a2", "char:congyin", "conv:ch09", "dom:char:congyin:daily", "pred:char:congyin:daily:PREFERS_TOPIC",
	} {
		if now := x.Map(id); now != id {
			t.Errorf("have %q, want %q", now, id)
		}
	}
	for old, want := range map[string]string{
		"chapter:UNKNOWN#第#一章": "chapter:#第%23一章", "chapter:书#章": "chapter:书#章", "conv:2026:02": "conv:2026%3A02", "event:a:b:3": "event:a%3Ab:3",
		"dom:user:a:b:daily": "dom:user:a%3Ab:daily", "nocolon": "nocolon", "mem:point:x": "mem:point:x", "weird:a:b": "weird:a%3Ab",
	} {
		if now := x.Map(old); now != want {
			t.Errorf("%q: have %q, want %q", old, now, want)
		}
	}
}

// A graph of 0.1.0 that never was older goes down with its newer records kept as
// unknown ones, and comes back.
func TestNativeDownAndUp(t *testing.T) {
	m := schema.Mint{V: schema.V010}
	d := folder{}
	mem := string(m.Memory("喜欢茶", "", ""))
	d.add("nodes.jsonl", obj("id", mem, "labels", []string{"MemoryItem"}, "props", obj("data", "喜欢茶", "point_id", "p1")))
	d.add("nodes.jsonl", obj("id", string(m.Event(schema.EventRef{ConvID: "c:1", TurnID: 2})), "labels", []string{"Event"}, "props", obj("conv_id", "c:1", "turn_id", 2)))
	d.add("nodes.jsonl", obj("id", string(m.Session("c:1", "s:|2")), "labels", []string{"Session"}, "props", obj("conv_id", "c:1", "session_id", "s:|2")))
	d.add("edges.jsonl", obj("id", string(m.Edge("FROM_EVENT", schema.NodeID(mem), m.Event(schema.EventRef{ConvID: "c:1", TurnID: 2}))), "type", "FROM_EVENT", "src", mem, "dst", "event:c%3A1:2", "props", obj()))
	for _, name := range odd {
		for _, parts := range [][]string{{name}, {"", name}, {name, name}} {
			typ := "Tag"
			if len(parts) == 2 {
				typ = "Chapter"
			}
			id, err := cat.EntityID(m, typ, parts...)
			if err != nil {
				t.Fatal(err)
			}
			claim := m.Claim("PREFERS_TOPIC", "daily", "user:u", id)
			d.add("entities.jsonl", obj("record_type", "entity", "entity_type", typ, "entity_id", string(id), "props", obj("name", name)))
			d.add("claims.jsonl", obj("record_type", "claim", "claim_id", string(claim), "predicate", "PREFERS_TOPIC", "subject", obj("entity_type", "User", "entity_id", "user:u"), "object", obj("entity_type", typ, "entity_id", string(id)), "domain", "daily", "by", "rule", "superseded_by", string(claim), "evidence", []schema.Object{obj("memory_item_id", mem, "text", "喜欢茶")}))
			d.add("events.jsonl", obj("conv_id", "c:1", "turn_id", 2, "content", "x", "meta", obj("expects", []string{string(claim), "inject:i%3A1"})))
			d.add("edges.jsonl", obj("id", string(m.Edge("EVIDENCED_BY", schema.NodeID(claim), schema.NodeID(mem))), "type", "EVIDENCED_BY", "src", string(claim), "dst", mem, "props", obj("point_id", "p1")))
		}
	}
	down, r, _ := run(t, d, schema.V010, schema.V001)
	if err := Verify(context.Background(), d.files(), down.files(), schema.V010, schema.V001, Options{Catalog: cat}); err != nil {
		t.Fatal(err)
	}
	for k, n := range r.Records {
		if n.In != n.Out {
			t.Errorf("%s: %d in, %d out", k, n.In, n.Out)
		}
	}
	text := down["claims.jsonl"].String()
	for _, want := range []string{`"claim_id":"claim:PREFERS_TOPIC|daily|user:u|tag:a:b"`, `"entity_id":"chapter:UNKNOWN#乌龙茶"`, `"by":"rule"`} {
		if !strings.Contains(text, want) {
			t.Errorf("down: want %s in\n%.2000s", want, text)
		}
	}
	if !strings.Contains(down["edges.jsonl"].String(), `"id": "evidenced_by:claim:PREFERS_TOPIC|daily|user:u|tag:a|b:`+mem+`:p1"`) {
		t.Error("down: edges of the claims graph have that chain's ids")
	}
}

// Someone changes a record between down and up: the change counts, the rest comes back.
func TestChangedInBetween(t *testing.T) {
	d := folder{}
	d.add("entities.jsonl", obj("record_type", "entity", "entity_type", "Tag", "entity_id", "tag:a%3Ab", "props", obj("name", "a:b"), "aliases", []string{"x"}))
	down, _, _ := run(t, d, schema.V010, schema.V001)
	changed := folder{"entities.jsonl": bytes.NewBufferString(strings.NewReplacer(`"entity_id":"tag:a:b"`, `"entity_id":"tag:c:d"`, `["x"]`, `["x","y"]`).Replace(down["entities.jsonl"].String()))}
	up, _, _ := run(t, changed, schema.V001, schema.V010)
	if have := up["entities.jsonl"].String(); !strings.Contains(have, `"entity_id":"tag:c%3Ad"`) || !strings.Contains(have, `["x","y"]`) {
		t.Errorf("have %s", have)
	}
}

func TestFaults(t *testing.T) {
	d := folder{"nodes.jsonl": bytes.NewBufferString("{\"id\":\"tag:a:b\",\"labels\":[\"Tag\"],\"props\":{}}\n{bad\n[1]\n{\"id\":\"x\",\"labels\":3,\"props\":[null]}\n{\"id\":7,\"labels\":[],\"props\":{\"data\":1}}\n{\"migrated\":{\"from\":3,\"was\":{\"a\":1}},\"id\":\"tag:c\",\"labels\":[]}\n")}
	up, r, fs := run(t, d, schema.V001, schema.V010)
	if r.LeftOut != 2 || len(fs) != 2 || fs[0].Code != "JSON001" || fs[0].Pos.Line != 2 {
		t.Errorf("have %+v %v", r, fs)
	}
	if n := strings.Count(up["nodes.jsonl"].String(), "\n"); n != 4 {
		t.Errorf("have %d lines", n)
	}
	// Unchanged records keep their bytes.
	if !strings.Contains(up["nodes.jsonl"].String(), "{\"id\":\"x\",\"labels\":3,\"props\":[null]}\n") {
		t.Errorf("have %s", up["nodes.jsonl"])
	}
}

func FuzzStep(f *testing.F) {
	for _, name := range catalog.Sorted(chain001(odd[:6])) {
		for line := range strings.Lines(chain001(odd[:6])[name].String()) {
			f.Add([]byte(line), true)
		}
	}
	f.Add([]byte(`{"id":"a","labels":[],"migrated":{"from":"0.1.0","was":{"/id":["b","a"]},"merged":[]}}`), false)
	f.Fuzz(func(t *testing.T, line []byte, up bool) {
		from, to := schema.V001, schema.V010
		if !up {
			from, to = to, from
		}
		d := folder{"f.jsonl": bytes.NewBuffer(append(line, '\n'))}
		moved, r, _ := run(t, d, from, to)
		if r.LeftOut > 0 || strings.Contains(string(line), migrated) {
			return // foreign histories may say anything
		}
		if err := Verify(context.Background(), d.files(), moved.files(), from, to, Options{Catalog: cat}); err != nil {
			t.Errorf("%v\nbefore %s\nafter  %s", err, line, moved["f.jsonl"])
		}
	})
}

func BenchmarkUp(b *testing.B) {
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf("名%d:x", i))
	}
	d := chain001(names)
	size := 0
	for _, f := range d.files() {
		size += d[f.Name].Len()
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		run(b, d, schema.V001, schema.V010)
	}
}
