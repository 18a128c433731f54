package neo4j

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/cypher"
	"membench/cypher/neo4j/server"
	"membench/graph"
	"membench/graphir/export"
	"membench/internal/exttest"
	"membench/schema"
)

// measure prints the tables of docs/performance.md (scripts/bench-neo4j.sh).
var measure = flag.String("measure", "", "print a table of ratios: first, load, sessions, delta, clients or bulk")

var measureNodes = flag.Int("measure-nodes", 100_000, "nodes of a measurement; twice as many relationships")

var measureClientsIn = flag.String("measure-clients", os.ExpandEnv("$HOME/.cache/membench/neoclients"), "folder of the python environments of -measure clients")

// A lap is one measured way.
type lap struct {
	name   string
	rows   int
	took   time.Duration
	server float64 // processor seconds
	client float64 // the same, of this process
}

// cpu is the processor time of both ends: on a busy machine it says more than the clock.
func (l lap) cpu() float64 { return l.server + l.client }

func (l lap) rate() float64 { return float64(l.rows) / l.took.Seconds() }

func TestMeasure(t *testing.T) {
	if *measure == "" {
		t.Skip("a measurement, by scripts/bench-neo4j.sh")
	}
	exttest.Need(t, "java", exttest.Neo4jLib())
	if *measure == "bulk" {
		measureBulk(t)
		return
	}
	ctx, home := context.Background(), t.TempDir()
	lib := exttest.Neo4jLib()
	if *measure == "clients" {
		lib = withApoc(t, lib, home)
	}
	s, err := server.Start(ctx, server.Config{Lib: lib, Home: home, HeapMB: 2048, PageCacheMB: 512, Bound: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	var laps []lap
	time1 := func(name string, rows int, f func() error) lap {
		start, used, own := time.Now(), cpuSeconds(s.PID), cpuSeconds(os.Getpid())
		if err := f(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		l := lap{name, rows, time.Since(start), cpuSeconds(s.PID) - used, cpuSeconds(os.Getpid()) - own}
		if len(laps) == 0 {
			fmt.Println("| way | rows | seconds | rows/s | server CPU s | client CPU s |\n|---|---|---|---|---|---|")
		}
		fmt.Printf("| %s | %d | %.1f | %.0f | %.1f | %.1f |\n", l.name, l.rows, l.took.Seconds(), l.rate(), l.server, l.client)
		laps = append(laps, l)
		return l
	}
	must := func(r *Report, err error) error {
		if err == nil && len(r.Findings) > 0 {
			err = fmt.Errorf("findings: %v", r.Findings)
		}
		return err
	}
	nodes, edges := generated(*measureNodes - 102)
	edges = edges[:2*len(nodes)]
	all := append(slices.Clone(nodes), edges...)
	warm := 8_000
	if *measure == "first" || *measure == "clients" {
		warm = 1_000
	}
	warmNodes, warmEdges := generated(warm)
	// Every way writes into a scope of its own, so that nothing has to be cleared.
	scoped := func() *DB { return dial(t, Config{URI: s.URI, Scope: fmt.Sprint("lap", scopes.Add(1))}) }
	for range 2 { // the server warms up with both forms
		if err := bare(ctx, scoped(), warmNodes, warmEdges); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(ctx, scoped(), seq(append(warmNodes[:len(warmNodes):len(warmNodes)], warmEdges...)...), LoadOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	db := scoped()
	switch *measure {
	case "clients":
		measureClients(t, s)
	case "first":
		// A graph of thirty types whose constraints are not there yet, as load-neo4j with its
		// defaults loads it, full-text index included; the loop makes its constraints, too.
		for _, size := range slices.Compact([]int{1_500, max(1_500, *measureNodes/5)}) {
			for range 4 {
				loop := time1("bare loop", 3*size, func() error {
					nodes, edges := typed(size, 30)
					return bare(ctx, scoped(), nodes, edges)
				})
				into := scoped()
				nodes, edges := typed(size, 30)
				all := append(nodes, edges...)
				load := func() error {
					r, err := Load(ctx, into, seq(all...), LoadOptions{Sessions: 2})
					if err == nil {
						_, err = into.EnsureTextIndex(ctx)
					}
					return must(r, err)
				}
				first := time1("ours", len(all), load)
				again := time1("ours again, unchanged", len(all), load)
				fmt.Printf("of the loop, by the clock and by processor time: first load %.2f, %.2f; unchanged %.2f, %.2f\n", loop.took.Seconds()/first.took.Seconds(), loop.cpu()/first.cpu(), loop.took.Seconds()/again.took.Seconds(), loop.cpu()/again.cpu())
			}
		}
	case "load":
		for i := range 4 {
			with := ""
			if i >= 2 { // as every load after the first one of a database meets it
				with = ", full-text index there"
				if _, err := db.EnsureTextIndex(ctx); err != nil {
					t.Fatal(err)
				}
			}
			into := scoped()
			a := time1("bare driver loop, nodes"+with, len(nodes), func() error { return bare(ctx, into, nodes, nil) })
			b := time1("bare driver loop, relationships"+with, len(edges), func() error { return bare(ctx, into, nil, edges) })
			loop := float64(len(all)) / (a.took + b.took).Seconds()
			for _, n := range []int{1, 2} {
				into := scoped()
				first := time1(fmt.Sprintf("ours, both, %d sessions%s", n, with), len(all), func() error { return must(Load(ctx, into, seq(all...), LoadOptions{Sessions: n})) })
				again := time1(fmt.Sprintf("ours again, unchanged%s", with), len(all), func() error { return must(Load(ctx, into, seq(all...), LoadOptions{Sessions: n})) })
				fmt.Printf("first load %.2f of the loop, unchanged %.2f\n", first.rate()/loop, again.rate()/loop)
			}
		}
	case "sessions":
		for range 2 {
			for _, n := range []int{1, 2} {
				time1(fmt.Sprintf("ours, both, %d sessions", n), len(all), func() error { return must(Load(ctx, scoped(), seq(all...), LoadOptions{Sessions: n})) })
			}
		}
		few := slices.Concat(nodes[:1000], edgesAmong(nodes[:1000], edges, 1000))
		time1("row by row with literals", len(few), func() error { return rowByRow(ctx, scoped(), few) })
	case "delta":
		full := time1("ours, both", len(all), func() error { return must(Load(ctx, db, seq(all...), LoadOptions{})) })
		again := time1("ours again, unchanged", len(all), func() error {
			r, err := Load(ctx, db, seq(all...), LoadOptions{})
			if err == nil && r.Server != (Counters{}) {
				err = fmt.Errorf("the server counted %+v", r.Server)
			}
			return must(r, err)
		})
		prune := time1("--delta, unchanged (all hashes read at once)", len(all), func() error { return must(Load(ctx, db, seq(all...), LoadOptions{Prune: true})) })
		changed := slices.Clone(all)
		n := 0
		for i := 150; i < len(changed); i += 100 {
			n++
			if e := changed[i]; e.Node != nil {
				x := *e.Node
				x.Props, _ = x.Props.With("display", fmt.Sprint("changed ", i))
				changed[i] = schema.Element{Node: &x}
			} else {
				x := *e.Edge
				x.Props, _ = x.Props.With("note", fmt.Sprint("changed ", i))
				changed[i] = schema.Element{Edge: &x}
			}
		}
		from, err := DigestOf(ctx, db, seq(all...))
		if err != nil {
			t.Fatal(err)
		}
		sorted := func(es []schema.Element) schema.Seq[schema.Element] { return graph.Sort(seq(es...), graph.Compare) }
		var steps []schema.Change
		for c, err := range graph.Diff(sorted(all), sorted(changed)) {
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, c)
		}
		delta := time1(fmt.Sprintf("--delta=OLD, %d changed", n), len(all), func() error {
			r, err := LoadChanges(ctx, db, graph.Changes(steps...), LoadOptions{From: &from})
			if err == nil && (r.Nodes.Updated+r.Edges.Updated != n || r.Digest == "") {
				err = fmt.Errorf("have %+v %+v", r.Nodes, r.Edges)
			}
			return must(r, err)
		})
		time1("--verify", len(all), func() error {
			v, err := Verify(ctx, db, seq(changed...), VerifyOptions{})
			if err == nil && (!v.Good() || v.Others != 0) {
				err = fmt.Errorf("have %+v", v)
			}
			return err
		})
		time1("bare loop again, unchanged, nodes", len(nodes), func() error { return bare(ctx, db, nodes, nil) })
		time1("bare loop again, unchanged, relationships", len(edges), func() error { return bare(ctx, db, nil, edges) })
		fmt.Printf("delta of 1 %%: %.1f %% of the full load's time, %.1f %% of its server processor time; second load %.0f /s; --delta unchanged %.0f /s\n",
			100*delta.took.Seconds()/full.took.Seconds(), 100*delta.server/full.server, again.rate(), prune.rate())
	}
}

// aCounter passes Bolt on and counts the statements that a client sends: messages of
// type RUN with three fields, of which the first is text.
type aCounter struct {
	uri string
	n   atomic.Int64
}

func count(t *testing.T, to string) *aCounter {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := &aCounter{uri: "bolt://" + l.Addr().String()}
	runs := func(b []byte) (n int64) {
		for i := range max(0, len(b)-2) {
			if b[i] == 0xB3 && b[i+1] == 0x10 && (b[i+2]&0xF0 == 0x80 || b[i+2] >= 0xD0 && b[i+2] <= 0xD2) {
				n++
			}
		}
		return n
	}
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", strings.TrimPrefix(to, "bolt://"))
			if err != nil {
				from.Close()
				continue
			}
			go func() {
				defer server.Close()
				var last []byte // of what was read before
				buf := make([]byte, 1<<16)
				for {
					n, err := from.Read(buf)
					c.n.Add(runs(append(last, buf[:n]...)))
					last = append([]byte(nil), buf[max(0, n-2):n]...)
					if _, e := server.Write(buf[:n]); e != nil || err != nil {
						return
					}
				}
			}()
			go func() {
				defer from.Close()
				io.Copy(from, server)
			}()
		}
	}()
	return c
}

// withApoc makes a folder of the server's jars and of those of APOC, whose parts are looked
// for on the class path and among the plugins of home.
func withApoc(t *testing.T, lib, home string) string {
	both := filepath.Join(t.TempDir(), "lib")
	if err := os.MkdirAll(both, 0o755); err != nil {
		t.Fatal(err)
	}
	product := func(file string) string { return regexp.MustCompile(`-[0-9].*`).ReplaceAllString(file, "") }
	have := map[string]bool{}
	for _, from := range []string{lib, filepath.Join(*measureClientsIn, "apoc")} {
		files, err := os.ReadDir(from)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if have[product(f.Name())] && from != lib {
				continue
			}
			have[product(f.Name())] = true
			if err := os.Symlink(filepath.Join(from, f.Name()), filepath.Join(both, f.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Symlink(filepath.Join(*measureClientsIn, "apoc"), filepath.Join(home, "plugins")); err != nil {
		t.Fatal(err)
	}
	return both
}

// measureClients loads one graph with ours and with clients of others, each twice into an
// emptied database: python environments kgx, graphrag and graphiti stand in -measure-clients,
// and in its folder apoc the jars that graphrag's writer wants on the server (see
// scripts/neo4j-clients.sh).
func measureClients(t *testing.T, s *server.Server) {
	ctx := context.Background()
	size := *measureNodes / 10
	nodes, edges := typed(size, 30)
	all := append(nodes, edges...)
	type element struct {
		ID    string          `json:"id"`
		Label string          `json:"label,omitempty"`
		Type  string          `json:"type,omitempty"`
		Src   schema.NodeID   `json:"src,omitempty"`
		Dst   schema.NodeID   `json:"dst,omitempty"`
		Props json.RawMessage `json:"props"`
	}
	in := struct {
		Nodes []element `json:"nodes"`
		Edges []element `json:"edges"`
	}{}
	for _, e := range all {
		var props schema.Object
		x := element{ID: e.ID()}
		if e.Node != nil {
			props, x.Label = e.Node.Props, e.Node.Labels[0]
		} else {
			props, x.Type, x.Src, x.Dst = e.Edge.Props, e.Edge.Type, e.Edge.Src, e.Edge.Dst
		}
		x.Props, _ = props.MarshalJSON()
		if e.Node != nil {
			in.Nodes = append(in.Nodes, x)
		} else {
			in.Edges = append(in.Edges, x)
		}
	}
	raw, err := json.Marshal(in)
	file := filepath.Join(t.TempDir(), "graph.json")
	if err == nil {
		err = os.WriteFile(file, raw, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := count(t, s.URI)
	db, ours := dial(t, Config{URI: s.URI}), dial(t, Config{URI: c.uri})
	empty := func() {
		if _, err := db.Empty(ctx, EmptyOptions{All: true, Constraints: true}); err != nil {
			t.Fatal(err)
		}
		// What others made: our own was dropped by its name.
		for _, kind := range []string{"CONSTRAINT", "INDEX"} {
			var names []string
			if err := db.in(ctx, false, func(x *tx) error {
				names = nil
				filter := map[string]string{"CONSTRAINT": "", "INDEX": " WHERE type <> 'LOOKUP'"}[kind]
				_, err := x.run("SHOW "+kind+" YIELD name, type"+filter+" RETURN name", nil, func(v []any) error {
					names = append(names, fmt.Sprint(v[0]))
					return nil
				})
				return err
			}); err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if err := db.schemaChange(ctx, "DROP "+kind+" "+quoted(name)+" IF EXISTS"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	python := func(name string) string { return filepath.Join(*measureClientsIn, name, "bin", "python") }
	script := func(args ...string) *exec.Cmd {
		return exec.CommandContext(ctx, python("graphrag"), append([]string{"../../scripts/neo4j_clients.py"}, args...)...)
	}
	report := func(name string, load func(emit func(seconds, cpu float64) error) error) {
		server, before := cpuSeconds(s.PID), c.n.Load()
		err := load(func(seconds, cpu float64) error {
			used, sent := cpuSeconds(s.PID)-server, c.n.Load()-before
			out, err := script("look", s.URI, file).Output()
			fmt.Printf("| %s | %.1f | %.1f | %.1f | %d | %s |\n", name, seconds, cpu, used, sent, strings.TrimSpace(string(out)))
			server, before = cpuSeconds(s.PID), c.n.Load()
			return err
		})
		if err != nil {
			fmt.Printf("| %s | %v |\n", name, err)
		}
		empty()
	}
	fmt.Printf("%d nodes, %d relationships of 30 types; two loads each\n\n| client | seconds | its CPU s | server CPU s | statements | the database then |\n|---|---|---|---|---|---|\n", len(nodes), len(edges))
	empty()
	report("membench", func(emit func(seconds, cpu float64) error) error {
		for range 2 {
			start, own := time.Now(), cpuSeconds(os.Getpid())
			_, err := Load(ctx, ours, seq(all...), LoadOptions{Sessions: 2})
			if err == nil {
				_, err = ours.EnsureTextIndex(ctx)
			}
			if err == nil {
				err = emit(time.Since(start).Seconds(), cpuSeconds(os.Getpid())-own)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, name := range []string{"kgx", "graphrag", "graphiti"} {
		report(name, func(emit func(seconds, cpu float64) error) error {
			for range 2 {
				var said bytes.Buffer
				cmd := exec.CommandContext(ctx, python(name), "../../scripts/neo4j_clients.py", name, c.uri, file)
				cmd.Stderr = &said
				out, err := cmd.Output()
				var took struct{ Seconds, CPU float64 }
				if err == nil {
					err = json.Unmarshal(out, &took)
				}
				if err != nil {
					return fmt.Errorf("%w: %s", err, said.Bytes()[max(0, said.Len()-500):])
				}
				if err := emit(took.Seconds, took.CPU); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// bare is what a loader is measured by: the driver, UNWIND and MERGE, one statement
// per label or type, nothing else; constraints are there.
func bare(ctx context.Context, db *DB, nodes, edges []schema.Element) error {
	s := db.drv.NewSession(ctx, driver.SessionConfig{DatabaseName: db.database})
	defer s.Close(ctx)
	types := map[string]bool{"": true}
	for _, e := range edges {
		types[e.Edge.Type] = true
	}
	for _, typ := range slices.Sorted(maps.Keys(types)) {
		text := "CREATE CONSTRAINT node_id_unique IF NOT EXISTS FOR (n:Node) REQUIRE n.id IS UNIQUE"
		if typ != "" {
			text = "CREATE CONSTRAINT " + cypher.ConstraintName(typ) + " IF NOT EXISTS FOR ()-[r:" + quoted(typ) + "]-() REQUIRE r.id IS UNIQUE"
		}
		res, err := s.Run(ctx, text, nil)
		if err == nil {
			_, err = res.Consume(ctx)
		}
		if err != nil {
			return err
		}
	}
	send := func(text string, rows []map[string]any) error {
		for chunk := range slices.Chunk(rows, 5000) {
			if _, err := s.ExecuteWrite(ctx, func(t driver.ManagedTransaction) (any, error) {
				res, err := t.Run(ctx, text, map[string]any{"rows": chunk})
				if err != nil {
					return nil, err
				}
				return res.Consume(ctx)
			}); err != nil {
				return err
			}
		}
		return nil
	}
	by := map[string][]map[string]any{}
	for _, e := range append(nodes[:len(nodes):len(nodes)], edges...) {
		r, f := db.row(schema.Record[schema.Element]{V: e})
		if f != nil {
			return f
		}
		text := "UNWIND $rows AS row MERGE (n:Node {id: row.id}) SET n = row, n" + colons(r.labels)
		row := r.props
		if e.Edge != nil {
			text = "UNWIND $rows AS row MATCH (a:Node {id: row.s}) MATCH (b:Node {id: row.t}) MERGE (a)-[r:" + quoted(r.typ) + " {id: row.p.id}]->(b) SET r = row.p"
			row = map[string]any{"s": r.src, "t": r.dst, "p": r.props}
		}
		by[text] = append(by[text], row)
	}
	for _, text := range slices.Backward(slices.Sorted(maps.Keys(by))) { // MERGE of nodes before MATCH of their edges
		if err := send(text, by[text]); err != nil {
			return err
		}
	}
	if _, n, err := db.Size(ctx); err != nil || n < len(edges) {
		return errors.Join(fmt.Errorf("have %d of %d edges", n, len(edges)), err)
	}
	return nil
}

// typed are n nodes of three labels and 2n edges of so many types that no database has yet.
func typed(n, types int) (nodes, edges []schema.Element) {
	nodes, _ = generated(n - 102)
	run, mint := scopes.Add(1), schema.Mint{V: schema.Latest}
	for i := range 2 * n {
		typ := fmt.Sprintf("RUN%d_TYPE%d", run, i*i%types)
		src, dst := nodes[i%len(nodes)].Node.ID, nodes[(i*7+13+i/len(nodes))%len(nodes)].Node.ID
		edges = append(edges, schema.Element{Edge: &schema.Edge{ID: mint.Edge(typ, src, dst), Type: typ, Src: src, Dst: dst,
			Props: schema.RawObject(fmt.Appendf(nil, `{"processed_key":"%d","confidence":0.%d,"created_at":"2026-02-24T18:21:58.028703-08:00"}`, i, i%90+10))}})
	}
	return nodes, edges
}

// edgesAmong are n edges between the given nodes.
func edgesAmong(nodes, edges []schema.Element, n int) (out []schema.Element) {
	have := map[schema.NodeID]bool{}
	for _, e := range nodes {
		have[e.Node.ID] = true
	}
	for _, e := range edges {
		if len(out) < n && have[e.Edge.Src] && have[e.Edge.Dst] {
			out = append(out, e)
		}
	}
	return out
}

// rowByRow sends a statement with literals for each element, each in a transaction of
// its own, as the existing Python chain does.
func rowByRow(ctx context.Context, db *DB, in []schema.Element) error {
	s := db.drv.NewSession(ctx, driver.SessionConfig{DatabaseName: db.database})
	defer s.Close(ctx)
	var texts []string
	for _, e := range in {
		for st, err := range cypher.Script(seq(e), db.scope) {
			if err != nil {
				return err
			}
			if st.File != cypher.ConstraintsFile {
				texts = append(texts, strings.TrimRight(st.Text, ";\n "))
			}
		}
	}
	for _, text := range texts {
		res, err := s.Run(ctx, text, nil)
		if err == nil {
			_, err = res.Consume(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// measureBulk compares the load over Bolt with admin import, CSV written by us included.
func measureBulk(t *testing.T) {
	ctx := context.Background()
	nodes, edges := generated(428_000)
	all := append(nodes, edges...)
	home := t.TempDir()
	dir := filepath.Join(home, "csv")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	res, err := export.AdminCSV(ctx, func() schema.Seq[schema.Element] { return seq(all...) }, func(name string) (io.WriteCloser, error) {
		return os.Create(filepath.Join(dir, name))
	}, export.CSVOptions{BaseLabel: baseLabel})
	if err != nil {
		t.Fatal(err)
	}
	wrote := time.Since(start)
	if err := os.MkdirAll(filepath.Join(home, "conf"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := server.Admin(ctx, "", exttest.Neo4jLib(), home, res.Command[1:]...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	start = time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	imported := time.Since(start)
	s, err := server.Start(ctx, server.Config{Lib: exttest.Neo4jLib(), Home: t.TempDir(), HeapMB: 2048, PageCacheMB: 1024, Bound: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	db := dial(t, Config{URI: s.URI})
	start = time.Now()
	r, err := Load(ctx, db, seq(all...), LoadOptions{})
	if err != nil || len(r.Findings) > 0 {
		t.Fatal(r, err)
	}
	bolt := time.Since(start)
	bulk := wrote + imported
	fmt.Println("| way | elements | seconds | elements/s |\n|---|---|---|---|")
	for _, l := range []lap{{name: "Bolt", took: bolt}, {name: "CSV", took: wrote}, {name: "admin import", took: imported}, {name: "--bulk (both)", took: bulk}} {
		l.rows = len(all)
		fmt.Printf("| %s | %d | %.1f | %.0f |\n", l.name, l.rows, l.took.Seconds(), l.rate())
	}
	fmt.Printf("\n--bulk is %.1f times Bolt\n", bolt.Seconds()/bulk.Seconds())
}
