package cypher

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"membench/graph"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// A reader reads scripts back, as Neo4j's lexer does: \uXXXX is replaced first, unless
// its backslash is escaped, then strings, names and comments are told apart. It fails
// on whatever is not exactly a script of ours.
type reader struct {
	in []rune
	i  int
}

// replaceUnicode is Neo4j's first step (facts/neo4j.md 2.4).
func replaceUnicode(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		if i+1 < len(s) && s[i+1] == '\\' {
			b.WriteString(`\\`)
			i += 2
			continue
		}
		if i+1 < len(s) && s[i+1] == 'u' {
			if i+6 > len(s) {
				return "", fmt.Errorf("short unicode escape")
			}
			n, err := strconv.ParseUint(s[i+2:i+6], 16, 16)
			if err != nil {
				return "", err
			}
			b.WriteRune(rune(n))
			i += 6
			continue
		}
		b.WriteByte('\\')
		i++
	}
	return b.String(), nil
}

func newReader(text string) (*reader, error) {
	s, err := replaceUnicode(text)
	return &reader{in: []rune(s)}, err
}

type fault string

func (r *reader) fail(want string) {
	panic(fault(fmt.Sprintf("at %d: want %s, have %.40q", r.i, want, string(r.in[r.i:]))))
}

func (r *reader) eat(s string) {
	if !r.try(s) {
		r.fail(strconv.Quote(s))
	}
}

func (r *reader) try(s string) bool {
	rs := []rune(s)
	if len(r.in)-r.i >= len(rs) && slices.Equal(r.in[r.i:r.i+len(rs)], rs) {
		r.i += len(rs)
		return true
	}
	return false
}

func (r *reader) str() string {
	r.eat("'")
	var b strings.Builder
	for r.i < len(r.in) {
		c := r.in[r.i]
		r.i++
		switch c {
		case '\'':
			return b.String()
		case '\\':
			if r.i == len(r.in) {
				r.fail("an escape")
			}
			e := r.in[r.i]
			r.i++
			k := strings.IndexRune(`'\nrtbf`, e)
			if k < 0 {
				r.fail("a known escape")
			}
			b.WriteString([]string{"'", `\`, "\n", "\r", "\t", "\b", "\f"}[k])
		default:
			b.WriteRune(c)
		}
	}
	r.fail("a closing quote")
	return ""
}

func (r *reader) name() string {
	r.eat("`")
	var b strings.Builder
	for r.i < len(r.in) {
		c := r.in[r.i]
		r.i++
		if c == '`' {
			if !r.try("`") {
				return b.String()
			}
		}
		b.WriteRune(c)
	}
	r.fail("a closing backtick")
	return ""
}

func (r *reader) value() any {
	switch c := r.in[r.i]; {
	case c == '\'':
		return r.str()
	case r.try("true"):
		return true
	case r.try("false"):
		return false
	case r.try("(-9223372036854775807 - 1)"):
		return int64(-1 << 63)
	case r.try("["):
		var out []any
		for !r.try("]") {
			if len(out) > 0 {
				r.eat(", ")
			}
			out = append(out, r.value())
		}
		return out
	}
	start := r.i
	for r.i < len(r.in) && strings.ContainsRune("-.0123456789e", r.in[r.i]) {
		r.i++
	}
	text := string(r.in[start:r.i])
	if strings.ContainsAny(text, ".e") {
		if !strings.Contains(text, ".") || strings.HasSuffix(text, ".") {
			r.fail("a float with digits on both sides of its point")
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			r.fail("a float")
		}
		return f
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		r.fail("a value")
	}
	return n
}

type readRow struct {
	labels       []string
	typ          string
	id, src, dst string
	props        map[string]any
	hash         string
	of           schema.Object // that props are made of
}

// script reads a file of nodes or edges.
func (r *reader) script(edge bool) (out []readRow, batches []int) {
	if edge {
		r.eat(edgesHead)
	} else {
		r.eat(nodesHead)
	}
	for r.i < len(r.in) {
		r.eat("UNWIND [\n")
		from := len(out)
		for {
			var row readRow
			r.eat("{id: ")
			row.id = r.str()
			if edge {
				r.eat(", src: ")
				row.src = r.str()
				r.eat(", dst: ")
				row.dst = r.str()
			}
			r.eat(", props: {")
			row.props = map[string]any{}
			for !r.try("}") {
				if len(row.props) > 0 {
					r.eat(", ")
				}
				k := r.name()
				if _, ok := row.props[k]; ok {
					r.fail("distinct names, have " + k)
				}
				r.eat(": ")
				row.props[k] = r.value()
			}
			r.eat("}")
			row.hash, _ = row.props["_hash"].(string)
			delete(row.props, "_hash")
			out = append(out, row)
			if r.try("\n] AS row\n") {
				break
			}
			r.eat(",\n")
		}
		batches = append(batches, len(out)-from)
		var labels []string
		typ := ""
		if edge {
			r.eat("MATCH (a:Node {id: row.src}) WHERE a._hash IS NOT NULL MATCH (b:Node {id: row.dst}) WHERE b._hash IS NOT NULL\nMERGE (a)-[r:")
			typ = r.name()
			r.eat(" {id: row.id}]->(b) ON CREATE SET r._hash = ''\nWITH row, r WHERE r._hash IS NOT NULL\nSET r = row.props, r.id = row.id, r.scope = '', r.type = ")
			if again := r.str(); again != typ {
				r.fail("the type again")
			}
			r.eat(", r.src = row.src, r.dst = row.dst")
		} else {
			r.eat("MERGE (n:Node {id: row.id}) ON CREATE SET n._hash = ''\nWITH row, n WHERE n._hash IS NOT NULL\nSET n = row.props, n.id = row.id, n.scope = ''")
			if r.try(", n") {
				for r.try(":") {
					labels = append(labels, r.name())
				}
			}
		}
		r.eat(";\n")
		for i := from; i < len(out); i++ {
			out[i].labels, out[i].typ = labels, typ
		}
	}
	return out, batches
}

func parse(text string, edge bool) (rows []readRow, batches []int, err error) {
	defer func() {
		if f, ok := recover().(fault); ok {
			err = fmt.Errorf("%s", f)
		}
	}()
	r, err := newReader(text)
	if err != nil {
		return nil, nil, err
	}
	rows, batches = r.script(edge)
	return rows, batches, nil
}

// want is what the database should hold of an object: the mapping of DESIGN §4,
// written a second time, over decoded values.
func want(t testing.TB, o schema.Object) map[string]any {
	out := map[string]any{}
	var rest schema.ObjectBuilder
	n := 0
	for name, raw := range o.Members() {
		v, fits := stored(raw)
		switch {
		case fits && v == nil:
		case fits && name != "" && !strings.Contains(name, "\x00") && len(name) < maxName-2:
			out[graph.PropName(name)] = v
		default:
			rest.Raw(name, raw)
			n++
		}
	}
	if n > 0 {
		b, _ := rest.Object().MarshalJSON()
		out["props_json"] = string(b)
	}
	return out
}

func stored(raw []byte) (v any, fits bool) {
	switch raw[0] {
	case 'n':
		return nil, true
	case 't', 'f':
		return raw[0] == 't', true
	case '"':
		s := codec.Unquote(raw)
		return s, !strings.Contains(s, "\x00")
	case '{':
		return nil, false
	case '[':
		var items []rawValue
		if codec.Unmarshal(raw, &items) != nil {
			return nil, false
		}
		if len(items) == 0 {
			return nil, true
		}
		var list []any
		float := false
		for _, it := range items {
			x, ok := stored(it)
			if !ok || x == nil || it[0] == '[' {
				return nil, false
			}
			if _, ok := x.(float64); ok {
				float = true
			}
			list = append(list, x)
		}
		for i, x := range list {
			if n, ok := x.(int64); ok && float {
				if n > 1<<53 || n < -1<<53 {
					return nil, false
				}
				list[i] = float64(n)
			}
			if reflect.TypeOf(list[i]) != reflect.TypeOf(list[0]) {
				return nil, false
			}
		}
		return list, true
	}
	if !bytes.ContainsAny(raw, ".eE") {
		n, err := strconv.ParseInt(string(raw), 10, 64)
		return n, err == nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return f, err == nil
}

type rawValue []byte

func (r *rawValue) UnmarshalJSON(b []byte) error { *r = append([]byte(nil), b...); return nil }

func source(name, text string) []jsonl.File {
	return []jsonl.File{{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
}

type output struct{ bytes.Buffer }

func (o *output) Reset() error { o.Buffer.Reset(); return nil }

func write(t testing.TB, nodes, edges string, workers int) (constraints, n, e string, findings []*schema.Finding, c Counts) {
	t.Helper()
	var bc, bn, be output
	c, err := Write(context.Background(), source("nodes.jsonl", nodes), source("edges.jsonl", edges), Scripts{&bc, &bn, &be}, Options{Workers: workers}, func(f *schema.Finding) { findings = append(findings, f) })
	if err != nil {
		t.Fatal(err)
	}
	return bc.String(), bn.String(), be.String(), findings, c
}

func TestWrite(t *testing.T) {
	nodes := `{"id": "mem:1", "labels": ["MemoryItem"], "props": {"data": "it's\na \\ \u0027 \u2028 中文😀", "rank": null, "tags": [], "n": 3, "c": 1.0, "list": [1, 2.5], "on": true, "id": "mine"}}
{"id": "user:a", "labels": ["User", "Agent"], "props": {"nested": {"a": [1, 2]}, "mixed": [1, "x"], "big": 9223372036854775808, "min": -9223372036854775808, "p_id": "x"}}
`
	edges := `{"id": "edge:OWNS:user:a:mem:1", "type": "OWNS", "src": "user:a", "dst": "mem:1", "props": {}}
`
	constraints, n, e, findings, c := write(t, nodes, edges, 1)
	wantN := nodesHead + "UNWIND [\n" +
		"{id: 'user:a', props: {`min`: (-9223372036854775807 - 1), `p_p_id`: 'x', `props_json`: '{\"nested\":{\"a\": [1, 2]},\"mixed\":[1, \"x\"],\"big\":9223372036854775808}', `_hash`: 'H'}}\n" +
		"] AS row\nMERGE (n:Node {id: row.id}) ON CREATE SET n._hash = ''\nWITH row, n WHERE n._hash IS NOT NULL\nSET n = row.props, n.id = row.id, n.scope = '', n:`Agent`:`User`;\nUNWIND [\n" +
		"{id: 'mem:1', props: {`data`: 'it\\'s\\na \\\\ \\' \\u2028 中文😀', `n`: 3, `c`: 1.0, `list`: [1.0, 2.5], `on`: true, `p_id`: 'mine', `_hash`: 'H'}}\n" +
		"] AS row\nMERGE (n:Node {id: row.id}) ON CREATE SET n._hash = ''\nWITH row, n WHERE n._hash IS NOT NULL\nSET n = row.props, n.id = row.id, n.scope = '', n:`MemoryItem`;\n"
	hashes := regexp.MustCompile("'[0-9a-f]{32}'}}\n")
	n, e = hashes.ReplaceAllString(n, "'H'}}\n"), hashes.ReplaceAllString(e, "'H'}}\n")
	if n != wantN {
		t.Errorf("nodes:\nhave %s\nwant %s", n, wantN)
	}
	wantE := edgesHead + "UNWIND [\n{id: 'edge:OWNS:user:a:mem:1', src: 'user:a', dst: 'mem:1', props: {`_hash`: 'H'}}\n] AS row\n" +
		"MATCH (a:Node {id: row.src}) WHERE a._hash IS NOT NULL MATCH (b:Node {id: row.dst}) WHERE b._hash IS NOT NULL\nMERGE (a)-[r:`OWNS` {id: row.id}]->(b) ON CREATE SET r._hash = ''\nWITH row, r WHERE r._hash IS NOT NULL\nSET r = row.props, r.id = row.id, r.scope = '', r.type = 'OWNS', r.src = row.src, r.dst = row.dst;\n"
	if e != wantE {
		t.Errorf("edges:\nhave %s\nwant %s", e, wantE)
	}
	if !strings.Contains(constraints, "CREATE CONSTRAINT `rel_OWNS_id_unique` IF NOT EXISTS FOR ()-[x:`OWNS`]-() REQUIRE x.id IS UNIQUE;\n") {
		t.Errorf("constraints: %s", constraints)
	}
	if len(findings) != 1 || findings[0].Code != "GRF023" || findings[0].Pos.Line != 2 {
		t.Errorf("findings: %v", findings)
	}
	if c.Nodes != 2 || c.Edges != 1 || c.Statements != 5 || c.Labels["Agent:User"] != 1 || c.Types["OWNS"] != 1 {
		t.Errorf("counts: %+v", c)
	}
}

// Names that try to break out stay names.
func TestNames(t *testing.T) {
	for _, name := range []string{"A", "A-B", "由…组成", "a`b", "a\\u0060) DETACH DELETE n //", `\`, "``", "a b\nc", "`", "\\u005Cu0060", "x\u0085y", "C:\\users"} {
		q, err := AppendName(nil, name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		r, err := newReader(string(q))
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got := r.name(); got != name || r.i != len(r.in) {
			t.Errorf("%q: read back as %q", name, got)
		}
	}
	for _, name := range []string{"", "a\x00b", "\xff", strings.Repeat("x", maxName+1)} {
		if q, err := AppendName(nil, name); err == nil {
			t.Errorf("%.10q: have %.20s, want an error", name, q)
		}
	}
	names := map[string]string{}
	for _, typ := range []string{"", "A_B", "A-B", "A B", "a_b", "中文", "文中", "x_412d42", "_A", "A_", "relx_41"} {
		n := ConstraintName(typ)
		if other, ok := names[n]; ok || !Plain(n) {
			t.Errorf("types %q and %q share constraint name %s", typ, other, n)
		}
		names[n] = typ
	}
}

// Every hazard ends in a finding and an intact rest.
func TestHazards(t *testing.T) {
	good := `{"id": "a", "labels": ["L"], "props": {}}`
	for _, tc := range []struct{ line, code, file string }{
		{`{"id": "b", "labels": ["L"], "props": {}`, "JSON001", "n"},
		{`{"id": "b", "labels": ["L"], "props": {"a": 1, "a": 2}}`, "JSON001", "n"},
		{`{"id": "b", "labels": ["L"], "props": [1]}`, "JSON002", "n"},
		{`{"id": 7, "labels": ["L"], "props": {}}`, "JSON002", "n"},
		{`{"id": "b", "labels": "L", "props": {}}`, "JSON002", "n"},
		{"{\"id\": \"b\xff\", \"labels\": [\"L\"], \"props\": {}}", "JSON001", "n"},
		{`[1]`, "JSON002", "n"},
		{`{"labels": ["L"], "props": {}}`, "GRF030", "n"},
		{`{"id": "", "labels": ["L"], "props": {}}`, "GRF030", "n"},
		{`{"id": "b\u0000", "labels": ["L"], "props": {}}`, "GRF022", "n"},
		{`{"id": "` + strings.Repeat("x", 4001) + `", "labels": ["L"], "props": {}}`, "ID020", "n"},
		{`{"id": "b", "labels": [""], "props": {}}`, "GRF030", "n"},
		{`{"id": "b", "labels": ["a\u0000"], "props": {}}`, "GRF042", "n"},
		{`{"id": "e", "type": "T", "src": "a", "props": {}}`, "GRF030", "e"},
		{`{"id": "e", "src": "a", "dst": "b", "props": {}}`, "GRF030", "e"},
		{`{"id": "e", "type": "", "src": "a", "dst": "b", "props": {}}`, "GRF030", "e"},
	} {
		in := good + "\n" + tc.line + "\r\n\n" + `{"props": {"x": 1}, "labels": ["L"], "id": "c"}` + "\n"
		edges := `{"id": "e1", "type": "T", "src": "a", "dst": "c", "props": {}}` + "\n"
		nodes, wantN, wantE := in, 2, 1
		if tc.file == "e" {
			nodes, edges = good+"\n"+`{"id": "c", "labels": ["L"], "props": {}}`, tc.line+"\n"+edges
		}
		_, n, e, findings, _ := write(t, nodes, edges, 2)
		rn, _, err := parse(n, false)
		re, _, err2 := parse(e, true)
		if err != nil || err2 != nil || len(rn) != wantN || len(re) != wantE {
			t.Errorf("%.60s: rows %d %d, %v %v", tc.line, len(rn), len(re), err, err2)
		}
		if len(findings) != 1 || findings[0].Code != tc.code || findings[0].Pos.Line == 0 {
			t.Errorf("%.60s: have %v, want %s", tc.line, findings, tc.code)
		}
	}
}

// many makes lines of several kinds, some odd.
func many(n int) (nodes, edges string) {
	var bn, be strings.Builder
	for i := range n {
		label := []string{`"MemoryItem"`, `"User"`, `"B", "A"`, ``, `"A", "B", "A", "Node"`, `"odd label"`}[i*i%6]
		props := fmt.Sprintf(`{"data": "text %d 文\n", "rank": %d, "score": %d.50, "null": null}`, i, i, i)
		switch i % 7 {
		case 1:
			props = fmt.Sprintf(`{"x": [%d, 2.5], "y": {"z": %d}, "type": "t"}`, i, i)
		case 2:
			props = `{}`
		}
		fmt.Fprintf(&bn, `{"id": "n%04d", "labels": [%s], "props": %s}`+"\n", i, label, props)
		fmt.Fprintf(&be, `{"id": "e%04d", "type": "T%d", "src": "n%04d", "dst": "n0000", "props": %s}`+"\n", i, i/700%3, i, props)
	}
	return bn.String(), be.String()
}

// Any number of workers and any order of the input give the same bytes; Script gives the same statements; and
// what is read back is what went in.
func TestSameBytes(t *testing.T) {
	nodes, edges := many(4000)
	c1, n1, e1, f1, _ := write(t, nodes, edges, 1)
	for _, workers := range []int{2, 5} {
		c2, n2, e2, f2, _ := write(t, nodes, edges, workers)
		if c1 != c2 || n1 != n2 || e1 != e2 || !reflect.DeepEqual(f1, f2) {
			t.Errorf("%d workers give other bytes", workers)
		}
	}
	turn := func(text string) string {
		lines := strings.SplitAfter(text, "\n")
		slices.Reverse(lines)
		return strings.Join(lines, "")
	}
	if c2, n2, e2, _, _ := write(t, turn(nodes), turn(edges), 2); c1 != c2 || n1 != n2 || e1 != e2 {
		t.Error("the order of the input matters")
	}
	in := func(yield func(schema.Record[schema.Element], error) bool) {
		for _, f := range []string{nodes, edges} {
			for rec, err := range jsonl.Decode[schema.Element](strings.NewReader(f), "f") {
				if !yield(rec, err) {
					return
				}
			}
		}
	}
	got := map[string]string{NodesFile: nodesHead, EdgesFile: edgesHead, ConstraintsFile: c1[:strings.IndexByte(c1, '\n')+1]}
	for s, err := range Script(in, "") {
		if err == nil {
			got[s.File] += s.Text
		}
	}
	if got[NodesFile] != n1 || got[EdgesFile] != e1 || got[ConstraintsFile] != c1 {
		t.Error("Script and Write differ")
	}
	check(t, nodes, n1, false)
	check(t, edges, e1, true)
	_, batches, _ := parse(n1, false)
	if slices.Max(batches) > BatchRows || len(batches) > 4000/BatchRows+6 {
		t.Errorf("batches of %v rows", batches)
	}
}

// check reads a script back and compares it with the lines it was made of.
func check(t testing.TB, lines, text string, edge bool) {
	t.Helper()
	rows, _, err := parse(text, edge)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]readRow{}
	for _, r := range rows {
		byID[r.id] = r
	}
	n := 0
	for rec, err := range jsonl.Decode[schema.Element](strings.NewReader(lines), "f") {
		if err != nil {
			t.Fatal(err)
		}
		n++
		r, ok := byID[rec.V.ID()]
		if !ok {
			t.Fatalf("%s is gone", rec.V.ID())
		}
		w := readRow{id: rec.V.ID()}
		if edge {
			w.typ, w.src, w.dst, w.props = rec.V.Edge.Type, string(rec.V.Edge.Src), string(rec.V.Edge.Dst), want(t, rec.V.Edge.Props)
			w.of = rec.V.Edge.Props
		} else {
			w.props, w.of = want(t, rec.V.Node.Props), rec.V.Node.Props
			w.labels = slices.Clone(rec.V.Node.Labels)
			slices.Sort(w.labels)
			w.labels = slices.DeleteFunc(slices.Compact(w.labels), func(s string) bool { return s == "Node" })
		}
		if len(w.labels) == 0 {
			w.labels = r.labels[:0:0]
		}
		if len(r.labels) == 0 {
			r.labels = w.labels
		}
		p := graph.MapProps(w.of)
		w.hash = graph.Hash(w.labels, "", "", "", p)
		if edge {
			w.hash = graph.Hash(nil, w.typ, w.src, w.dst, p)
		}
		if w.of = (schema.Object{}); r.hash == "-" && nul(p) {
			w.hash = "-"
		}
		if !reflect.DeepEqual(r, w) {
			t.Fatalf("read back %#v\nwant %#v", r, w)
		}
	}
	if n != len(rows) {
		t.Fatalf("have %d rows, want %d", len(rows), n)
	}
}

// nul reports a text that no script can hold.
func nul(p graph.Props) bool {
	return slices.ContainsFunc(p.Stored, func(q graph.Prop) bool {
		return slices.ContainsFunc(q.Value.Texts, func(s string) bool { return strings.IndexByte(s, 0) >= 0 })
	})
}

// Whatever stands in a record, the script holds exactly that record and nothing else.
func FuzzWrite(f *testing.F) {
	f.Add("mem:1", "L", "data", "it's", []byte(`{"a":1}`))
	f.Add("a\\u0027", "a\\u0060) DETACH DELETE n //", "`k", "\\', x: 1}] AS row MATCH (n) DELETE n;//", []byte(`[1,2.5,9007199254740993]`))
	f.Add("x\u2028", "标签", "id", "\u0085\u0000\x7f", []byte(`[-9223372036854775808, 1e400, "\u0000"]`))
	f.Add("x", "Node", "p_p_type", "", []byte(`{"n":-0.0,"e":1E-7,"b":[true,null]}`))
	f.Fuzz(func(t *testing.T, id, label, key, text string, value []byte) {
		for _, s := range []string{id, label, key, text} {
			if !utf8.ValidString(s) {
				return
			}
		}
		if id == "" || len(id) > schema.MaxIDBytes || strings.Contains(id, "\x00") || !codec.Valid(value) || key == "other" {
			return
		}
		if _, err := AppendName(nil, label); err != nil {
			return
		}
		var b schema.ObjectBuilder
		b.String(key, text)
		b.Raw("other", bytes.TrimSpace(value))
		node := schema.Node{ID: schema.NodeID(id), Labels: []string{label}, Props: b.Object()}
		edge := schema.Edge{ID: schema.EdgeID(id), Type: label, Src: schema.NodeID(id), Dst: schema.NodeID(id), Props: b.Object()}
		nl, err := jsonl.Append(nil, node, schema.Latest)
		el, err2 := jsonl.Append(nil, edge, schema.Latest)
		if err != nil || err2 != nil {
			t.Skip()
		}
		if len(edge.Dst) > schema.MaxIDBytes {
			return
		}
		constraints, n, e, _, _ := write(t, string(nl), string(el), 1)
		check(t, string(nl), n, false)
		check(t, string(el), e, true)
		if r, err := newReader(constraints); err != nil {
			t.Fatal(err)
		} else if lines := strings.Count(string(r.in), ";\n"); lines != 2+strings.Count(label, ";\n") {
			t.Fatalf("constraints: %q", constraints)
		}
	})
}

func BenchmarkNodes(b *testing.B) {
	line := `{"id": "mem:fdf2768f19650a2cf47138343608d1a2", "labels": ["MemoryItem"], "props": {"point_id": "169aef76-a175-41ec-922c-fea382a85815", "payload_hash": "fdf2768f19650a2cf47138343608d1a2", "data": "经常使用笔记功能来记录小事", "created_at": "2026-02-24T18:21:58.028703-08:00", "collection": "memory_bench_global", "isolation": "global", "exported_at": "2026-02-25T02:22:26Z", "display": "经常使用笔记功能来记录小事 #fdf2768f", "name": "经常使用笔记功能来记录小事 #fdf2768f"}}`
	r := newRower("")
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		r.reset(false)
		if !r.line(jsonl.Line{Bytes: []byte(line)}) {
			b.Fatal("not taken")
		}
	}
}

func TestPlainBytes(t *testing.T) {
	pieces := []string{"a", "0123456", "中", "\u2028", "\u0085", "\u00e9", "\u201c", "'", `\`, "\n", "é", "😀", "\x7f"}
	for i := range 20_000 {
		var b strings.Builder
		for x := i*2654435761 + 7; x > 0 && b.Len() < 40; x /= 13 {
			b.WriteString(pieces[x%13])
		}
		if have, want := plainBytes([]byte(b.String())), plain(b.String()); have != want {
			t.Fatalf("%q: have %d, want %d", b.String(), have, want)
		}
	}
}

// The mapping of values is the one that every path into a database uses.
func TestMappingIsGraphs(t *testing.T) {
	for _, raw := range []string{
		`{"a": null, "b": [], "c": [1, 2.5], "d": [9007199254740993, 0.5], "e": [1, "x"], "f": [null], "g": [[1]], "h": {"x": [1, 2]}, "i": [true, false], "j": 1E400, "k": -0, "l": -0.0}`,
		`{"id": 1, "p_id": 2, "p_p_props_json": 3, "_hash": "h", "type": "t", "src": "s", "dst": "d", "scope": "x", "pid": 4, "p_": 5}`,
		`{"big": 18446744073709551616, "max": 9223372036854775807, "min": -9223372036854775808, "e": 1e16, "s": 1e-7, "t": 0.1, "u": 123456789012345678901234.5, "": 1}`,
	} {
		var o schema.Object
		if err := codec.Unmarshal([]byte(raw), &o); err != nil {
			t.Fatal(err)
		}
		mapped := graph.MapProps(o)
		line, _ := jsonl.Append(nil, schema.Node{ID: "x", Labels: []string{"L"}, Props: o}, schema.Latest)
		_, n, _, _, _ := write(t, string(line), "", 1)
		rows, _, err := parse(n, false)
		if err != nil {
			t.Fatal(err)
		}
		have := rows[0].props
		for _, p := range mapped.Stored {
			v, ok := have[p.Name]
			if !ok {
				t.Errorf("%s is not stored", p.Name)
				continue
			}
			items, list := v.([]any)
			if !list {
				items = []any{v}
			}
			var texts []string
			for _, x := range items {
				switch x := x.(type) {
				case float64:
					texts = append(texts, strings.TrimPrefix(strings.TrimSuffix(strconv.FormatFloat(x, 'g', -1, 64), ".0"), "+"))
				default:
					texts = append(texts, fmt.Sprint(x))
				}
			}
			for i, text := range p.Value.Texts {
				f, err1 := strconv.ParseFloat(text, 64)
				g, err2 := strconv.ParseFloat(texts[i], 64)
				if list != p.Value.List || text != texts[i] && (err1 != nil || err2 != nil || f != g) {
					t.Errorf("%s: have %v, want %v", p.Name, texts, p.Value.Texts)
				}
			}
			delete(have, p.Name)
		}
		rest := ""
		if mapped.Rest.Len() > 0 {
			b, _ := mapped.Rest.MarshalJSON()
			rest = string(b)
		}
		if text, _ := have["props_json"].(string); text != rest {
			t.Errorf("props_json: have %s, want %s", text, rest)
		}
		delete(have, "props_json")
		if len(have) > 0 {
			t.Errorf("stored beside: %v", have)
		}
	}
}

// The hash in a row is that of a load.
func TestHashIsGraphs(t *testing.T) {
	for i, raw := range []string{
		`{}`, `{"b": "x", "a": 1, "c": [1, 2.5], "d": null, "e": {"z": [1, {"y": 2}]}, "f": -0.0, "g": true, "h": "\u4e2d\"\\", "i": [], "j": 18446744073709551616, "k": ["a", "\n"]}`,
		`{"id": 1, "type": "t", "_hash": "h", "p_id": 2, "": 1, "mixed": [1, "a"], "float": 1.0}`,
	} {
		var o schema.Object
		if err := codec.Unmarshal([]byte(raw), &o); err != nil {
			t.Fatal(err)
		}
		n := schema.Node{ID: "x", Labels: []string{"L", "K"}, Props: o}
		e := schema.Edge{ID: "e", Type: "T", Src: "x", Dst: "y", Props: o}
		nodes, _ := jsonl.Append(nil, n, schema.Latest)
		edges, _ := jsonl.Append(nil, e, schema.Latest)
		nodes, _ = jsonl.Append(nodes, schema.Node{ID: "y"}, schema.Latest)
		_, nodeText, edgeText, _, _ := write(t, string(nodes), string(edges), 1)
		for what, pair := range map[string][2]string{"node": {nodeText, graph.Hash([]string{"K", "L"}, "", "", "", graph.MapProps(o))}, "edge": {edgeText, graph.Hash(nil, "T", "x", "y", graph.MapProps(o))}} {
			if !strings.Contains(pair[0], "`_hash`: '"+pair[1]+"'}}") {
				t.Errorf("%d: %s: want the hash %s in\n%s", i, what, pair[1], pair[0])
			}
		}
	}
	_, text, _, _, _ := write(t, `{"id":"n","labels":["L"],"props":{"a":"x\u0000"}}`+"\n", "", 1)
	if !strings.Contains(text, "`_hash`: '-'}}") {
		t.Errorf("a text that no script can hold: have\n%s", text)
	}
}
