package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/cypher/browser"
	"membench/cypher/neo4j/server"
	"membench/graph/graphtest"
	"membench/internal/codec"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// hostile are texts that would run, end a literal or vanish where statements, CSV or
// shell lines are made from data.
var hostile = []string{
	"`) DETACH DELETE n //", `\u0060) DETACH DELETE n //`, `\\u0060`, "'; MATCH (n) DETACH DELETE n; //", `\u0027 OR 1=1 //`, "*/ RETURN 1 /*", "// line", "a\nb\rc\td", "\u202eRTL\u202c",
	"\u2028\u2029", `"quoted", and ""twice""`, `back\slash\`, "$rows", "{curly}", ":param x => 1", ":exit", "全角：｜　；", "👩‍👩‍👧", "\u0085next", "a;b|c,d", " spaces ", "NULL", "true", "1e5", strings.Repeat("长", 1200), `C:\users`, "{\"json\": [1]}", "\x1b[31m",
}

// hostileGraph has each text as id, label, type, key and value.
func hostileGraph() (nodes, edges []schema.Element) {
	mint := schema.Mint{V: schema.Latest}
	var last schema.NodeID
	for i, h := range hostile {
		id := mint.Node("topic", fmt.Sprint(h, " ", i))
		label, typ := fmt.Sprint("Topic", i%3), "ABOUT"
		if i%3 != 2 && len(h) < 100 && strings.TrimSpace(h) == h && !strings.ContainsAny(h, "\n\r") {
			label, typ = h, h
		}
		var p schema.ObjectBuilder
		p.String("name", h)
		p.String("id", h)
		p.String("_hash", h)
		if len(h) < 100 {
			p.String("key "+h, h)
		}
		if err := p.Value("list", []string{"x" + h + "x", "y"}); err != nil {
			panic(err)
		}
		p.Raw("nested", []byte(`{"deep":[1,null,{"a":2.50}]}`))
		p.Raw("big", []byte(`12345678901234567890`))
		p.Raw("float", []byte(fmt.Sprintf("%d.5", i)))
		p.Raw("int", []byte(fmt.Sprint(i-5)))
		nodes = append(nodes, schema.Element{Node: &schema.Node{ID: id, Labels: []string{label}, Props: p.Object()}})
		if last != "" {
			e := graphtest.Edge(typ, string(last), string(id), "")
			e.Edge.Props = p.Object()
			edges = append(edges, e)
		}
		last = id
	}
	return nodes, edges
}

// The ways into a database give one graph, property for property: the load over Bolt,
// the scripts run by cypher-shell, and admin import of the CSV with the load that
// follows it; on the demo's graph together with a graph of hostile texts. Nothing of
// the texts runs: a node of somebody else's is there at the end. cypher-shell takes
// about 70 statements a second, so of the demo's 5,000 elements a few of each kind come;
// with MEMBENCH_SOAK (`make soak`) all of them, and the
// hostile ones without a scope too.
func TestWaysIntoNeo4jAreOne(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts two servers")
	}
	lib := exttest.Neo4jLib()
	exttest.Need(t, "java", lib, filepath.Join(lib, "shell"))
	tmp := t.TempDir()
	java := filepath.Join(tmp, "java")
	exttest.WriteJava(t, java)
	run := func(args ...string) {
		t.Helper()
		var out, words bytes.Buffer
		env := map[string]string{"MEMBENCH_NEO4J_LIB": lib, "MEMBENCH_JAVA": java, "TMPDIR": tmp}
		e := &env0{out: &out, words: &words, vars: env}
		if code := e.run(args...); code != 0 {
			t.Fatalf("membench %s: exit %d\n%s\n%s", strings.Join(args, " "), code, tailOf(out.Bytes()), tailOf(words.Bytes()))
		}
	}
	run("demo", "-o", filepath.Join(tmp, "demo"))
	nodes, edges := hostileGraph()
	joined, alone := filepath.Join(tmp, "joined"), filepath.Join(tmp, "alone")
	writeGraph(t, alone, "", nodes, edges)
	demo := filepath.Join(tmp, "demo", "graph")
	if os.Getenv("MEMBENCH_SOAK") == "" {
		some, between := sampleGraph(t, demo, 3)
		nodes, edges, demo = append(nodes, some...), append(edges, between...), ""
	}
	writeGraph(t, joined, demo, nodes, edges)
	const scope = "s`\\u0060' 一"
	uri, done, err := emptyNeo4j()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	query(t, uri, "CREATE (:Canary {id: 'alive'})")
	defer query(t, uri, "MATCH (c:Canary) DELETE c")
	var byBolt []string
	ways := []struct{ scope, dir string }{{scope, joined}}
	if os.Getenv("MEMBENCH_SOAK") != "" {
		ways = slices.Insert(ways, 0, struct{ scope, dir string }{"", alone})
	}
	for _, way := range ways {
		s, dir := way.scope, way.dir
		started := time.Now()
		run("load-neo4j", dir, "--uri", uri, "--scope", s, "--verify", "--strict")
		byBolt = dump(t, uri, true)
		wipe(t, uri)
		run("cypher", dir, "-o", filepath.Join(tmp, "cypher"), "--scope", s)
		shell(t, lib, uri, filepath.Join(tmp, "cypher"))
		same(t, fmt.Sprintf("scope %q: scripts", s), dump(t, uri, true), byBolt)
		run("load-neo4j", dir, "--uri", uri, "--scope", s, "--verify", "--strict")
		same(t, fmt.Sprintf("scope %q: a load over the scripts", s), dump(t, uri, true), byBolt)
		if n := query(t, uri, "MATCH (c:Canary {id: 'alive'}) RETURN count(c)"); n[0][0] != int64(1) {
			t.Errorf("scope %q: somebody else's node is gone", s)
		}
		wipe(t, uri)
		t.Logf("scope %q took %s", s, time.Since(started))
	}
	// byBolt is the graph of the named scope.
	home := filepath.Join(tmp, "home")
	if err := os.MkdirAll(filepath.Join(home, "conf"), 0o755); err != nil {
		t.Fatal(err)
	}
	run("load-neo4j", joined, "--bulk", "--home", home, "--scope", scope)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	s, err := server.Start(ctx, server.Config{Lib: lib, Home: home, Bound: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	imported := dump(t, s.URI, true)
	whole := 0
	for _, line := range imported {
		if slices.Contains(byBolt, line) {
			whole++
		} else if !strings.Contains(line, `_hash=string "-"`) {
			t.Errorf("the import made %.900s", line)
		}
	}
	t.Logf("%d of %d elements are the import's alone, the rest has values that no CSV holds", whole, len(imported))
	if whole < len(imported)*8/10 || len(imported) != len(byBolt) {
		t.Errorf("have %d of %d elements as by Bolt, want %d", whole, len(imported), len(byBolt))
	}
	run("load-neo4j", joined, "--uri", s.URI, "--scope", scope, "--verify", "--strict")
	same(t, "import and load", dump(t, s.URI, true), byBolt)
}

// shell runs the scripts of a folder, joined in the order of their names: one start of
// cypher-shell.
func shell(t *testing.T, lib, uri, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.cypher"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%s holds %d scripts, %v", dir, len(files), err)
	}
	var all []byte
	for _, f := range files { // sorted
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	joined := filepath.Join(t.TempDir(), "all.cypher")
	if err := os.WriteFile(joined, all, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(lib, "shell", "*"), "org.neo4j.shell.Main", "-a", uri, "-u", "neo4j", "-p", "none", "--format", "plain", "--fail-fast", "-f", joined).CombinedOutput()
	if err != nil {
		t.Fatalf("cypher-shell: %v\n%s", err, tailOf(out))
	}
}

// sampleGraph is the first most nodes of each set of labels and edges of each type of
// a graph, with the ends of those edges.
func sampleGraph(t *testing.T, dir string, most int) (nodes, edges []schema.Element) {
	t.Helper()
	read := func(name string, take func(schema.Element)) {
		for rec, err := range jsonl.Files[schema.Element]([]string{filepath.Join(dir, name)}, nil) {
			if err != nil {
				t.Fatal(err)
			}
			take(rec.V)
		}
	}
	need, kinds := map[schema.NodeID]bool{}, map[string]int{}
	read("edges.jsonl", func(e schema.Element) {
		if kinds[e.Edge.Type]++; kinds[e.Edge.Type] <= most {
			edges = append(edges, e)
			need[e.Edge.Src], need[e.Edge.Dst] = true, true
		}
	})
	read("nodes.jsonl", func(e schema.Element) {
		k := fmt.Sprint(e.Node.Labels)
		if kinds[k]++; kinds[k] <= most || need[e.Node.ID] {
			nodes = append(nodes, e)
		}
	})
	if len(kinds) < 20 {
		t.Fatalf("%s: %d kinds of elements, want a rich graph", dir, len(kinds))
	}
	return nodes, edges
}

// writeGraph writes a graph of elements, after the files of another one where given.
func writeGraph(t *testing.T, dir, after string, nodes, edges []schema.Element) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, more := range map[string][]schema.Element{"nodes.jsonl": nodes, "edges.jsonl": edges} {
		var b []byte
		if after != "" {
			var err error
			if b, err = os.ReadFile(filepath.Join(after, name)); err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range more {
			line, err := codec.Append(nil, e, codec.Compact)
			if err != nil {
				t.Fatal(err)
			}
			b = append(append(b, line...), '\n')
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// env0 runs the program with an environment of its own.
type env0 struct {
	out, words *bytes.Buffer
	vars       map[string]string
}

func (e *env0) run(args ...string) int {
	return run(context.Background(), &env{in: strings.NewReader(""), out: e.out, err: e.words, now: time.Now, getenv: func(k string) string { return e.vars[k] }}, args)
}

func same(t *testing.T, what string, have, want []string) {
	t.Helper()
	bad := 0
	for _, p := range []struct {
		sign string
		a, b []string
	}{{"+", have, want}, {"-", want, have}} {
		in := map[string]bool{}
		for _, l := range p.b {
			in[l] = true
		}
		for _, l := range p.a {
			if !in[l] {
				if bad++; bad < 6 {
					t.Errorf("%s: %s %.600s", what, p.sign, l)
				}
			}
		}
	}
	if len(have) != len(want) {
		t.Errorf("%s: have %d elements, want %d", what, len(have), len(want))
	}
}

func query(t *testing.T, uri, text string) (rows [][]any) {
	t.Helper()
	ctx := context.Background()
	d, err := driver.NewDriverWithContext(uri, driver.NoAuth())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(ctx)
	res, err := driver.ExecuteQuery(ctx, d, text, browser.Parameters, driver.EagerResultTransformer)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range res.Records {
		rows = append(rows, r.Values)
	}
	return rows
}

func wipe(t *testing.T, uri string) {
	query(t, uri, "MATCH (n) WHERE NOT n:Canary DETACH DELETE n")
}

// dump is every element of the database as a line, sorted; floats and integers differ.
func dump(t *testing.T, uri string, hashes bool) (out []string) {
	t.Helper()
	line := func(head string, props any) {
		var parts []string
		m, _ := props.(map[string]any)
		for k, v := range m {
			if k != "_hash" || hashes {
				parts = append(parts, fmt.Sprintf("%q=%T %#v", k, v, v))
			}
		}
		slices.Sort(parts)
		out = append(out, strings.ReplaceAll(head+" "+strings.Join(parts, " "), `"_hash"`, "_hash"))
	}
	for _, r := range query(t, uri, "MATCH (n) WHERE NOT n:Canary AND NOT n:MembenchLoad AND NOT n:MembenchChange RETURN labels(n), properties(n)") {
		var labels []string
		list, _ := r[0].([]any)
		for _, l := range list {
			labels = append(labels, fmt.Sprintf("%q", l))
		}
		slices.Sort(labels)
		line(strings.Join(labels, ":"), r[1])
	}
	for _, r := range query(t, uri, "MATCH (a)-[r]->(b) RETURN type(r), a.id, b.id, properties(r)") {
		line(fmt.Sprintf("%q %q -> %q", r[0], r[1], r[2]), r[3])
	}
	slices.Sort(out)
	return out
}

func tailOf(b []byte) string {
	return string(b[max(0, len(b)-1500):])
}
