package graph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"membench/graph"
	"membench/graph/graphtest"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

func TestLocalSearch(t *testing.T) {
	graphtest.RunSearch(t, func(*testing.T) graphtest.Searchable { return graph.NewLocal() })
}

func TestLocalStore(t *testing.T) {
	graphtest.Run(t, func(*testing.T) graph.Store { return graph.NewLocal() })
}

func seq[T any](vs []T) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for _, v := range vs {
			if !yield(schema.Record[T]{V: v}, nil) {
				return
			}
		}
	}
}

// collect drains a sequence; findings are returned apart.
func collect[T any](t testing.TB, in iter.Seq2[T, error]) (out []T, findings []*schema.Finding) {
	t.Helper()
	for v, err := range in {
		var f *schema.Finding
		switch {
		case errors.As(err, &f):
			findings = append(findings, f)
		case err != nil:
			t.Fatal(err)
		default:
			out = append(out, v)
		}
	}
	return out, findings
}

func elements(t testing.TB, in schema.Seq[schema.Element]) []schema.Element {
	recs, _ := collect(t, in)
	out := make([]schema.Element, len(recs))
	for i, r := range recs {
		out[i] = r.V
	}
	return out
}

func parse(t testing.TB, lines string) []schema.Element {
	es := elements(t, jsonl.Decode[schema.Element](strings.NewReader(lines), "test"))
	slices.SortStableFunc(es, graph.Compare)
	return es
}

func TestMapping(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{`{}`, `{"a":null,"b":[]}`, true},
		{`{"a":1,"b":2}`, `{"b":2.0,"a":1e0}`, true},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":[1,2.5]}`, `{"a":[1.0,2.50]}`, true},
		{`{"a":""}`, `{}`, false},
		{`{"a":"1"}`, `{"a":1}`, false},
		{`{"a":true}`, `{"a":"true"}`, false},
		{`{"a":[1]}`, `{"a":1}`, false},
		{`{"a":{"x":1,"y":[null]}}`, `{"a":{"y":[null],"x":1.0}}`, true},
		{`{"a":{"x":null}}`, `{"a":{}}`, false},
		{`{"a":"\u4e2d"}`, `{"a":"中"}`, true},
		{`{"a":123456789012345678901234567890}`, `{"a":123456789012345678901234567891}`, false},
		{`{"a":9007199254740993}`, `{"a":9007199254740993.0}`, false}, // the float is …992
		{`{"id":"x"}`, `{"p_id":"x"}`, false},
	} {
		a := schema.Element{Node: &schema.Node{ID: "x:1", Props: schema.RawObject([]byte(tc.a))}}
		b := schema.Element{Node: &schema.Node{ID: "x:1", Props: schema.RawObject([]byte(tc.b))}}
		if have := graph.SameElement(a, b); have != tc.same {
			t.Errorf("%s against %s: have same=%v, want %v", tc.a, tc.b, have, tc.same)
		}
		if have := len(graph.Fields(a, b)) == 0; have != tc.same {
			t.Errorf("%s against %s: Fields says %v", tc.a, tc.b, have)
		}
	}
	p := graph.MapProps(schema.RawObject([]byte(`{"id":1,"p_id":2,"p_p_id":3,"pid":4,"m":{"b":1},"mix":[1,"a"],"hole":[1,null],"f":[1,2.5],"":"e"}`)))
	var names []string
	for _, q := range p.Stored {
		names = append(names, q.Name)
		if graph.PropName(graph.MemberName(q.Name)) != q.Name {
			t.Errorf("%s does not come back", q.Name)
		}
	}
	if have := fmt.Sprint(names); have != "[p_id p_p_id p_p_p_id pid f]" {
		t.Errorf("stored: have %s", have)
	}
	if rest, _ := p.Rest.MarshalJSON(); string(rest) != `{"m":{"b":1},"mix":[1,"a"],"hole":[1,null],"":"e"}` {
		t.Errorf("rest: have %s", rest)
	}
}

func FuzzPropName(f *testing.F) {
	f.Add("id", "p_id")
	f.Add("p_", "p_p_type")
	f.Fuzz(func(t *testing.T, a, b string) {
		if graph.MemberName(graph.PropName(a)) != a {
			t.Errorf("%q does not come back", a)
		}
		if a != b && graph.PropName(a) == graph.PropName(b) {
			t.Errorf("%q and %q become one", a, b)
		}
	})
}

const before = `
{"id":"claim:A","labels":["Claim"],"props":{"status":"active","confidence":1.0}}
{"id":"mem:1","labels":["MemoryItem","X"],"props":{"data":"一","exported_at":"t1"}}
{"id":"topic:gone","labels":["Topic"],"props":{}}
{"id":"edge:E:claim:A:mem:1","type":"E","src":"claim:A","dst":"mem:1","props":{"n":1}}`

const after = `
{"id":"claim:A","labels":["Claim"],"props":{"confidence":1,"status":"deprecated","rank":null}}
{"id":"mem:1","labels":["X","MemoryItem"],"props":{"exported_at":"t2","data":"一"},"note":[]}
{"id":"topic:new","labels":["Topic"],"props":{}}
{"id":"edge:E:claim:A:mem:1","type":"E","src":"claim:A","dst":"topic:new","props":{"n":1.0}}`

func TestDiff(t *testing.T) {
	a, b := parse(t, before), parse(t, after)
	cs, _ := collect(t, graph.Diff(seq(a), seq(b), "exported_at"))
	var have []string
	for _, c := range cs {
		s := c.Op + " " + c.Old.ID() + " " + c.New.ID()
		for _, f := range graph.Fields(c.Old, c.New, "exported_at") {
			s += fmt.Sprintf(" %s:%s>%s", f.Name, f.Old, f.New)
		}
		have = append(have, s)
	}
	want := []string{
		`put claim:A claim:A props.status:"active">"deprecated"`,
		`delete topic:gone `,
		`put  topic:new`,
		`put edge:E:claim:A:mem:1 edge:E:claim:A:mem:1 dst:"mem:1">"topic:new"`,
	}
	if !slices.Equal(have, want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
	if cs, _ := collect(t, graph.Diff(seq(a), seq(b))); len(cs) != 5 {
		t.Errorf("without ignoring: have %d changes, want 5", len(cs))
	}
}

func TestDiffFaults(t *testing.T) {
	n := func(id string) schema.Element { return graphtest.Node(id, "T", "") }
	unsorted := func(yield func(schema.Change, error) bool) {
		graph.Diff(seq([]schema.Element{n("t:2"), n("t:1")}), seq[schema.Element](nil))(yield)
	}
	var last error
	for _, err := range unsorted {
		last = err
	}
	if !errors.Is(last, graph.ErrUnsorted) {
		t.Errorf("unsorted: have %v", last)
	}
	if cs, fs := collect(t, graph.Diff(graph.Sort(seq([]schema.Element{n("t:2"), n("t:1")}), graph.Compare), seq([]schema.Element{n("t:1"), n("t:2")}))); len(cs)+len(fs) != 0 {
		t.Errorf("sorted: have %v %v", cs, fs)
	}
	cs, fs := collect(t, graph.Diff(seq([]schema.Element{n("t:1"), n("t:1"), {}}), seq([]schema.Element{n("t:1")})))
	if len(cs) != 0 || len(fs) != 2 || fs[0].Code != "GRF033" || fs[1].Code != "GRF030" {
		t.Errorf("repeated and empty: have %v %v", cs, fs)
	}
	// Of one id the record stays that a gate keeps, in whatever order they come.
	one, two := graphtest.Node("t:1", "T", `{"n":1}`), graphtest.Node("t:1", "T", `{"n":2}`)
	for _, in := range [][]schema.Element{{one, two}, {two, one}} {
		if cs, fs := collect(t, graph.Diff(seq(in), seq([]schema.Element{one}))); len(cs) != 0 || len(fs) != 1 || fs[0].Code != "GRF033" || fs[0].Warning {
			t.Errorf("repeated: have %v %v", cs, fs)
		}
	}
	// A bad line is a finding and the rest is compared.
	in := jsonl.Decode[schema.Element](strings.NewReader("{bad\n{\"id\":\"t:1\",\"labels\":[],\"props\":{}}\n"), "x")
	cs, fs = collect(t, graph.Diff(in, seq[schema.Element](nil)))
	if len(cs) != 1 || len(fs) != 1 {
		t.Errorf("bad line: have %v %v", cs, fs)
	}
	// A patch for another graph says so, and makes what it asks for.
	_, fs = collect(t, graph.Patch(seq([]schema.Element{n("t:1")}), graph.Changes(graphtest.Delete(n("t:0")), graphtest.Put(n("t:1")))))
	if len(fs) != 2 || fs[0].Code != "GRF034" || fs[1].Code != "GRF034" {
		t.Errorf("patch that does not fit: have %v", fs)
	}
}

// randomGraph draws from few ids and values, so that two draws share many.
func randomGraph(r *rand.Rand) []schema.Element {
	values := []string{`1`, `1.0`, `"1"`, `null`, `[]`, `[1,"a"]`, `{"x":[1]}`, `"：|%\n"`, `0.5`, `true`, `12345678901234567890`}
	props := func() string {
		var b schema.ObjectBuilder
		for _, k := range []string{"a", "id", "p_id", "键"} {
			if r.IntN(2) == 0 {
				b.Raw(k, []byte(values[r.IntN(len(values))]))
			}
		}
		raw, _ := b.Object().MarshalJSON()
		return string(raw)
	}
	var out []schema.Element
	for i := range 8 {
		if r.IntN(3) > 0 {
			out = append(out, graphtest.Node(fmt.Sprintf("t:%d", i), []string{"A", "B"}[r.IntN(2)], props()))
		}
		if r.IntN(3) > 0 {
			out = append(out, graphtest.Edge("E", fmt.Sprintf("t:%d", i), fmt.Sprintf("t:%d", r.IntN(8)), props()))
		}
	}
	slices.SortStableFunc(out, graph.Compare)
	return slices.CompactFunc(out, func(a, b schema.Element) bool { return graph.Compare(a, b) == 0 })
}

// diff(a, a) is empty; patch(a, diff(a, b)) is b; diff(b, a) undoes diff(a, b).
func checkDiff(t *testing.T, a, b []schema.Element) {
	t.Helper()
	if cs, _ := collect(t, graph.Diff(seq(a), seq(a))); len(cs) > 0 {
		t.Fatalf("diff(a, a) has %d changes: %v", len(cs), cs[0])
	}
	patched, fs := collect(t, graph.Patch(seq(a), graph.Diff(seq(a), seq(b))))
	if len(fs) > 0 {
		t.Fatalf("patch: %v", fs[0])
	}
	var got []schema.Element
	for _, r := range patched {
		got = append(got, r.V)
	}
	if !slices.EqualFunc(got, b, func(x, y schema.Element) bool { return graph.SameElement(x, y) }) {
		t.Fatalf("patch(a, diff(a, b)) is not b:\nhave %v\nwant %v", got, b)
	}
	if cs, _ := collect(t, graph.Diff(seq(got), seq(b))); len(cs) > 0 {
		t.Fatalf("diff(patched, b) has %d changes", len(cs))
	}
	forth, _ := collect(t, graph.Diff(seq(a), seq(b)))
	back, _ := collect(t, graph.Diff(seq(b), seq(a)))
	if len(forth) != len(back) {
		t.Fatalf("diff(a, b) has %d changes, diff(b, a) %d", len(forth), len(back))
	}
}

func TestDiffProperties(t *testing.T) {
	for i := range uint64(300) {
		r := rand.New(rand.NewPCG(i, 7))
		checkDiff(t, randomGraph(r), randomGraph(r))
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte(before), []byte(after))
	f.Add([]byte(`{"id":"a","labels":null,"props":null}`), []byte(`{"id":"a","src":"","dst":"","type":"","x":{"a":1e400}}`))
	f.Fuzz(func(t *testing.T, x, y []byte) {
		read := func(b []byte) []schema.Element {
			var out []schema.Element
			for rec, err := range jsonl.DecodeMax[schema.Element](bytes.NewReader(b), "fuzz", 1<<16) {
				if err == nil && rec.V.ID() != "" {
					out = append(out, rec.V)
				}
			}
			slices.SortStableFunc(out, graph.Compare)
			return slices.CompactFunc(out, func(a, b schema.Element) bool { return graph.Compare(a, b) == 0 })
		}
		checkDiff(t, read(x), read(y))
	})
}

func TestDiffStatements(t *testing.T) {
	read := func(lines string) schema.Seq[schema.Statement] {
		return jsonl.Decode[schema.Statement](strings.NewReader(lines), "claims")
	}
	const e = `{"record_type":"entity","entity_type":"Tag","entity_id":"tag:a","props":{"name":"a"},"aliases":[],"tags":[],"confidence":1.0}` + "\n"
	c := func(status, rank string) string {
		return `{"record_type":"claim","claim_id":"claim:P|daily|user:u|tag:a","predicate":"P","subject":{"entity_type":"User","entity_id":"user:u"},"object":{"entity_type":"Tag","entity_id":"tag:a"},"domain":"daily","confidence":1,"status":"` + status + `","rank":` + rank + `,"updated_at":"","evidence":[]}` + "\n"
	}
	cs, fs := collect(t, graph.DiffStatements(read(e+c("active", "1")), read(c("deprecated", "null"))))
	if len(fs) > 0 || len(cs) != 2 || cs[0].Op != schema.OpDelete || cs[0].ID() != "tag:a" {
		t.Fatalf("have %v %v", cs, fs)
	}
	var have []string
	for _, f := range graph.StatementFields(cs[1].Old, cs[1].New) {
		have = append(have, fmt.Sprintf("%s:%s>%s", f.Name, f.Old, f.New))
	}
	if want := []string{`status:"active">"deprecated"`, `rank:1>`}; !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
}

func TestLocalRead(t *testing.T) {
	l := graph.NewLocal()
	var codes []string
	in := `{"id":"t:1","labels":["T"],"props":{}}
{"id":"edge:E:t:1:t:2","type":"E","src":"t:1","dst":"t:2","props":{}}
{"id":"edge:E:t:1:t:9","type":"E","src":"t:1","dst":"t:9","props":{}}
{"labels":[]}
{"id":"t:2","labels":["T"],"props":{"v":1}}
{"id":"t:2","labels":["T"],"props":{"v":2}}
{"id":"edge:E:t:1:t:2","type":"E","src":"t:1","dst":"t:2","props":{"v":2}}
`
	err := l.Read(context.Background(), jsonl.Decode[schema.Element](strings.NewReader(in), "g"), func(f *schema.Finding) { codes = append(codes, f.Pos.String()+" "+f.Code) })
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"g:4 GRF030", "g:6 GRF033", "g:3 GRF031", "g:7 GRF033"}; !slices.Equal(codes, want) {
		t.Errorf("findings: have %v, want %v", codes, want)
	}
	if n, e := l.Len(); n != 2 || e != 1 {
		t.Errorf("have %d nodes, %d edges", n, e)
	}
	var out []byte
	for rec, err := range l.Elements() {
		if err != nil {
			t.Fatal(err)
		}
		out, _ = jsonl.Append(out, rec.V, schema.Latest)
	}
	if want := "{\"id\": \"t:1\", \"labels\": [\"T\"], \"props\": {}}\n{\"id\": \"t:2\", \"labels\": [\"T\"], \"props\": {\"v\":1}}\n{\"id\": \"edge:E:t:1:t:2\", \"type\": \"E\", \"src\": \"t:1\", \"dst\": \"t:2\", \"props\": {\"v\":2}}\n"; strings.ReplaceAll(string(out), `"v": `, `"v":`) != want {
		t.Errorf("elements: have\n%s", out)
	}
}

// Readers, walkers and a writer at once, under -race.
func TestLocalConcurrent(t *testing.T) {
	l := graph.NewLocal()
	ctx := context.Background()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 200 {
				a, b := fmt.Sprintf("t:%d", i%20), fmt.Sprintf("t:%d", (i*7+w)%20)
				switch w {
				case 0, 1:
					l.Apply(ctx, graph.Changes(graphtest.Put(graphtest.Node(a, "T", "")), graphtest.Put(graphtest.Node(b, "T", fmt.Sprintf(`{"i":%d}`, i))), graphtest.Put(graphtest.Edge("E", a, b, ""))))
				case 2:
					l.Apply(ctx, graph.Changes(graphtest.Delete(graphtest.Node(b, "T", ""))))
				default:
					for range l.Nodes(ctx, graph.Filter{}) {
					}
					for e := range l.Neighbors(ctx, schema.NodeID(a), graph.Both, graph.Filter{}) {
						_ = e.Props.Len()
					}
				}
			}
		})
	}
	wg.Wait()
	for n, err := range l.Nodes(ctx, graph.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		for e := range l.Neighbors(ctx, n.ID, graph.Both, graph.Filter{}) {
			if _, ok, _ := l.Node(ctx, e.Src); !ok {
				t.Errorf("edge %s starts nowhere", e.ID)
			}
			if _, ok, _ := l.Node(ctx, e.Dst); !ok {
				t.Errorf("edge %s ends nowhere", e.ID)
			}
		}
	}
}

// evidence is a graph with one whole walk in Chinese, one in English and a probe.
func evidence(t testing.TB) *graph.Local {
	N, E := graphtest.Node, graphtest.Edge
	var es []schema.Element
	es = append(es,
		N("source:norm/ch01.md", "Source", `{"path":"norm/ch01.md"}`),
		N("event:ch01:1", "Event", `{"content":"我最喜欢的饮料是乌龙茶","role_name":"我","start_line":12}`),
		N("event:ch01:2", "Event", `{"content":"oolong tea it is","role_name":"聪音"}`),
		N("mem:aa", "MemoryItem", `{"data":"喜欢乌龙茶"}`),
		N("mem:bb", "MemoryItem", `{"data":"Likes oolong tea"}`),
		N("tag:乌龙茶", "Tag", `{"name":"乌龙茶"}`),
		N("claim:PREFERS_TOPIC|daily|user:u|tag:乌龙茶", "Claim", `{"status":"active","confidence":0.9}`),
		N("probe:p1", "Probe", `{"probe_id":"p1"}`), N("inject:i1", "Inject", `{"inject_id":"i1"}`),
		E("IN_SOURCE", "event:ch01:1", "source:norm/ch01.md", `{"start_line":12,"end_line":13}`),
		E("IN_SOURCE", "event:ch01:2", "source:norm/ch01.md", `{"start_line":14,"end_line":14}`),
		E("FROM_EVENT", "mem:aa", "event:ch01:1", ""), E("FROM_EVENT", "mem:bb", "event:ch01:1", ""), E("FROM_EVENT", "mem:bb", "event:ch01:2", ""),
		E("EVIDENCED_BY", "claim:PREFERS_TOPIC|daily|user:u|tag:乌龙茶", "mem:aa", `{"text":"喜欢乌龙茶"}`),
		E("ABOUT", "claim:PREFERS_TOPIC|daily|user:u|tag:乌龙茶", "tag:乌龙茶", ""),
		E("PLANTS", "event:ch01:1", "inject:i1", ""), E("ASKS", "event:ch01:2", "probe:p1", ""),
		E("EXPECTS", "probe:p1", "inject:i1", ""), E("EXPECTS", "probe:p1", "claim:PREFERS_TOPIC|daily|user:u|tag:乌龙茶", ""),
	)
	l := graph.NewLocal()
	if err := l.Read(context.Background(), seq(es), func(f *schema.Finding) { t.Error(f) }); err != nil {
		t.Fatal(err)
	}
	return l
}

func shape(trail *graph.Trail) string {
	var b strings.Builder
	b.WriteString(string(trail.Node.ID))
	for _, part := range []struct {
		mark string
		next []*graph.Trail
	}{{" v[", trail.Down}, {" ^[", trail.Up}} {
		if len(part.next) > 0 {
			b.WriteString(part.mark)
			for i, n := range part.next {
				if i > 0 {
					b.WriteString(", ")
				}
				b.WriteString(shape(n))
			}
			b.WriteString("]")
		}
	}
	return b.String()
}

func TestTrace(t *testing.T) {
	g, ctx := evidence(t), context.Background()
	const claim = "claim:PREFERS_TOPIC|daily|user:u|tag:乌龙茶"
	for _, tc := range []struct {
		id   schema.NodeID
		d    graph.Direction
		want string
	}{
		{claim, graph.Out, claim + " v[mem:aa v[event:ch01:1 v[source:norm/ch01.md]]]"},
		{"event:ch01:1", graph.In, "event:ch01:1 ^[inject:i1 ^[probe:p1], mem:aa ^[" + claim + " ^[probe:p1]], mem:bb]"},
		{"source:norm/ch01.md", graph.In, "source:norm/ch01.md ^[event:ch01:1 ^[inject:i1 ^[probe:p1], mem:aa ^[" + claim + " ^[probe:p1]], mem:bb], event:ch01:2 ^[probe:p1, mem:bb]]"},
		{"tag:乌龙茶", graph.Out, "tag:乌龙茶 v[" + claim + " v[mem:aa v[event:ch01:1 v[source:norm/ch01.md]]]]"},
		{"mem:aa", graph.Both, "mem:aa v[event:ch01:1 v[source:norm/ch01.md]] ^[" + claim + " ^[probe:p1]]"},
	} {
		trail, err := graph.Trace(ctx, g, tc.id, tc.d)
		if err != nil {
			t.Fatal(err)
		}
		if have := shape(trail); have != tc.want {
			t.Errorf("%s:\nhave %s\nwant %s", tc.id, have, tc.want)
		}
	}
	trail, _ := graph.Trace(ctx, g, claim, graph.Out)
	if have := fmt.Sprint(trail.Spans()); have != "[{norm/ch01.md 12 13}]" {
		t.Errorf("spans: have %s", have)
	}
	line, err := graph.TraceLines(ctx, g, "source:norm/ch01.md", []int{14}, 0)
	if err != nil || shape(line) != "source:norm/ch01.md ^[event:ch01:2 ^[probe:p1, mem:bb]]" {
		t.Errorf("line: have %s %v", shape(line), err)
	}
	limited, _ := graph.TraceLimit(ctx, g, "event:ch01:1", graph.In, 1)
	if limited.Omitted != 2 || len(limited.Up) != 1 {
		t.Errorf("limit: have %d steps, %d omitted", len(limited.Up), limited.Omitted)
	}
	if _, err := graph.Trace(ctx, g, "mem:zz", graph.Out); !errors.Is(err, graph.ErrNotFound) {
		t.Errorf("unknown: have %v", err)
	}
}

// Evidence in a loop must not hang the walk.
func TestTraceLoop(t *testing.T) {
	l := graph.NewLocal()
	var es []schema.Element
	for i := range 40 {
		es = append(es, graphtest.Node(fmt.Sprintf("c:%02d", i), "Claim", ""), graphtest.Edge("EVIDENCED_BY", fmt.Sprintf("c:%02d", i), fmt.Sprintf("c:%02d", (i+1)%40), ""))
	}
	if err := l.Read(context.Background(), seq(es), nil); err != nil {
		t.Fatal(err)
	}
	trail, err := graph.Trace(context.Background(), l, "c:00", graph.Both)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range trail.All() {
		n++
	}
	if n != 1+2*graph.MaxDepth {
		t.Errorf("have %d steps, want %d", n, 1+2*graph.MaxDepth)
	}
}

func TestFind(t *testing.T) {
	g, ctx := evidence(t), context.Background()
	for _, tc := range []struct {
		text string
		want string
	}{
		{"喜欢乌龙茶", "whole mem:aa, some event:ch01:1, some claim:PREFERS_TOPIC|daily|user:u|tag:乌龙茶"},
		{"oolong tea", "contains mem:bb, contains event:ch01:2"},
		{"OOLONG　ＴＥＡ！", "contains mem:bb, contains event:ch01:2"},
		{"tea likes", "words mem:bb, some event:ch01:2"},
		{"ch01.md", "contains source:norm/ch01.md, some event:ch01:1, some event:ch01:2"},
		{"coffee", ""},
		{"…", ""},
	} {
		ms, err := graph.Find(ctx, g, tc.text, 3)
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, m := range ms {
			have = append(have, m.Tier.String()+" "+string(m.Node.ID))
		}
		if s := strings.Join(have, ", "); s != tc.want {
			t.Errorf("%q:\nhave %s\nwant %s", tc.text, s, tc.want)
		}
	}
}

func big(n int) []schema.Element {
	var es []schema.Element
	for i := range n {
		es = append(es, graphtest.Node(fmt.Sprintf("mem:%08d", i), "MemoryItem", fmt.Sprintf(`{"point_id":"%08d-cdef","data":"喜欢第 %d 种茶","created_at":"2026-02-24T18:21:58.028703-08:00","confidence":0.9}`, i, i)))
		es = append(es, graphtest.Edge("FROM_CONV", fmt.Sprintf("mem:%08d", i), "mem:00000000", `{"source_point_id":"x"}`))
	}
	slices.SortFunc(es, graph.Compare)
	return es
}

func BenchmarkLocalLoad(b *testing.B) {
	es := big(20000)
	var text []byte
	for _, e := range es {
		text, _ = jsonl.Append(text, e, schema.Latest)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		l := graph.NewLocal()
		if err := l.Read(context.Background(), jsonl.Decode[schema.Element](bytes.NewReader(text), "x"), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(es)), "records/op")
}

func BenchmarkDiff(b *testing.B) {
	x, y := big(20000), big(20000)
	for i := range y {
		if n := y[i].Node; n != nil && i%100 == 0 {
			n.Props, _ = n.Props.With("confidence", codecFloat(0.5))
		}
	}
	for b.Loop() {
		n := 0
		for range graph.Diff(seq(x), seq(y)) {
			n++
		}
		if n != 200 {
			b.Fatalf("have %d changes", n)
		}
	}
	b.ReportMetric(float64(len(x)), "records/op")
}

type codecFloat float64

func (f codecFloat) MarshalJSON() ([]byte, error) {
	return codec.Append(nil, float64(f), codec.Compact)
}

func BenchmarkApplyTurn(b *testing.B) {
	l := graph.NewLocal()
	if err := l.Read(context.Background(), seq(big(5000)), nil); err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		i++
		id := fmt.Sprintf("mem:new%d", i)
		l.Apply(context.Background(), graph.Changes(graphtest.Put(graphtest.Node(id, "MemoryItem", "")), graphtest.Put(graphtest.Edge("FROM_CONV", id, "mem:00000000", ""))))
		for range l.Neighbors(context.Background(), schema.NodeID(id), graph.Out, graph.Filter{}) {
		}
	}
}
