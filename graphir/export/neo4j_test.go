package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"membench/graph"
	"membench/internal/exttest"
	"membench/internal/keyed/keyedtest"
	"membench/schema"
	"membench/schema/jsonl"
)

// The real import tool takes the files, and the real server then holds what went in:
// every property of every node and edge, read back over HTTP.
func TestAdminCSVInNeo4j(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server: 20 s")
	}
	lib, java := exttest.Neo4jLib(), "java" // membench neo4j fetch
	exttest.Need(t, lib, java)
	g := hazardGraph()
	dir, res := writeFolder(t, g)
	home := t.TempDir()
	conf := filepath.Join(home, "conf")
	if err := os.MkdirAll(conf, 0o755); err != nil {
		t.Fatal(err)
	}
	httpPort, boltPort := freePort(t), freePort(t)
	settings := fmt.Sprintf("server.default_listen_address=127.0.0.1\nserver.http.listen_address=127.0.0.1:%d\nserver.bolt.listen_address=127.0.0.1:%d\nserver.bolt.advertised_address=127.0.0.1:%d\nserver.https.enabled=false\ndbms.security.auth_enabled=false\nserver.memory.pagecache.size=64m\ndbms.usage_report.enabled=false\n", httpPort, boltPort, boltPort)
	if err := os.WriteFile(filepath.Join(conf, "neo4j.conf"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "NEO4J_HOME="+home, "NEO4J_CONF="+conf)

	admin := adminTool(t, home, "512m")
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	for _, dir := range []string{partsFolder(t, g, 3), dir} { // each over what was there
		imp := exec.CommandContext(ctx, "sh", filepath.Join(dir, "import.sh"))
		imp.Env = append(env, "NEO4J_ADMIN="+admin)
		out, err := imp.CombinedOutput()
		if err != nil {
			t.Fatalf("import: %v\n%s", err, out)
		}
		t.Logf("import said: %s", tail(string(out), 8))
		if !strings.Contains(string(out), fmt.Sprintf("%d nodes", res.Nodes)) || !strings.Contains(string(out), fmt.Sprintf("%d relationships", res.Edges)) {
			t.Errorf("import: want %d nodes and %d relationships in\n%s", res.Nodes, res.Edges, out)
		}
	}

	server := exec.CommandContext(ctx, java, append(exttest.Neo4jJava(), "-Xms128m", "-Xmx320m",
		"--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
		"-Dio.netty.tryReflectionSetAccessible=true", "-Dlog4j2.disable.jmx=true", "-Dfile.encoding=UTF-8",
		"-cp", lib+"/*", "org.neo4j.server.CommunityEntryPoint", "--home-dir="+home, "--config-dir="+conf, "--console-mode")...)
	server.Env = env
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { server.Process.Kill(); server.Wait() }()
	url := fmt.Sprintf("http://127.0.0.1:%d/db/neo4j/tx/commit", httpPort)
	query := func(q string) ([][]json.RawMessage, error) {
		body, _ := json.Marshal(map[string]any{"statements": []any{map[string]any{"statement": q}}})
		resp, err := http.Post(url, "application/json", bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		var r struct {
			Results []struct {
				Data []struct{ Row []json.RawMessage }
			}
			Errors []any
		}
		if err := json.Unmarshal(b, &r); err != nil || len(r.Errors) > 0 {
			return nil, fmt.Errorf("%v %s", err, b)
		}
		var rows [][]json.RawMessage
		for _, d := range r.Results[0].Data {
			rows = append(rows, d.Row)
		}
		return rows, nil
	}
	for {
		if _, err := query("RETURN 1"); err == nil {
			break
		} else if ctx.Err() != nil || server.ProcessState != nil {
			t.Fatalf("the server did not start: %v\n%s", err, tail(log.String(), 20))
		}
		time.Sleep(300 * time.Millisecond)
	}
	var got []schema.Element
	nodes, err := query("MATCH (n:Node) RETURN [l IN labels(n) WHERE l <> 'Node'], properties(n)")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range nodes {
		n := &schema.Node{}
		if err := json.Unmarshal(row[0], &n.Labels); err != nil {
			t.Fatal(err)
		}
		stored := schema.RawObject(row[1])
		n.ID = schema.NodeID(stored.Text("id"))
		n.Props = unstored(stored)
		got = append(got, schema.Element{Node: n})
	}
	edges, err := query("MATCH (a)-[r]->(b) RETURN type(r), a.id, b.id, properties(r)")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range edges {
		stored := schema.RawObject(row[3])
		e := &schema.Edge{ID: schema.EdgeID(stored.Text("id")), Props: unstored(stored)}
		for i, p := range []*string{&e.Type, (*string)(&e.Src), (*string)(&e.Dst)} {
			if err := json.Unmarshal(row[i], p); err != nil {
				t.Fatal(err)
			}
		}
		if stored.Text("src") != string(e.Src) || stored.Text("dst") != string(e.Dst) || stored.Text("type") != e.Type {
			t.Errorf("edge %s: its own properties differ: %v", e.ID, row)
		}
		got = append(got, schema.Element{Edge: e})
	}
	same(t, got, g.elements)
}

// adminTool stands in for the launcher script of a real installation, so that import.sh runs as written.
func adminTool(t *testing.T, home, heap string) string {
	t.Helper()
	admin := filepath.Join(home, "neo4j-admin")
	flags := exttest.Neo4jJava()
	if heap != "512m" { // a long import
		flags = flags[:1]
	}
	launcher := fmt.Sprintf("#!/bin/sh\nexec java -Xmx%s '%s' -cp '%s/*' org.neo4j.cli.AdminTool \"$@\"\n", heap, strings.Join(flags, "' '"), exttest.Neo4jLib())
	exttest.WriteProgram(t, admin, launcher)
	return admin
}

// TestTenMillionNodes: the import tool takes ten million nodes and as many edges in parts,
// and counts as many. IMPORT_NODES is another number.
func TestTenMillionNodes(t *testing.T) {
	n := 10_000_000
	if s := os.Getenv("IMPORT_NODES"); s != "" {
		n, _ = strconv.Atoi(s)
	} else if os.Getenv("MEMBENCH_SOAK") == "" {
		t.Skip("MEMBENCH_SOAK=1 imports ten million nodes: 8 GB of disk, minutes")
	}
	exttest.Need(t, exttest.Neo4jLib(), "java")
	const parts = 20
	lines := func(part int) io.ReadCloser {
		r, w := io.Pipe()
		go func() {
			b := bufio.NewWriterSize(w, 1<<16)
			for i := part; i < n; i += parts {
				fmt.Fprintf(b, `{"id": "mem:%08x", "labels": ["MemoryItem"], "props": {"data": "said \"%d\", twice\nover", "rank": %d, "confidence": 0.5}}`+"\n", i, i, i)
				fmt.Fprintf(b, `{"id": "edge:NEXT:%08x", "type": "NEXT", "src": "mem:%08x", "dst": "mem:%08x", "props": {}}`+"\n", i, i, (i+1)%n)
			}
			w.CloseWithError(b.Flush())
		}()
		return r
	}
	dir, home := t.TempDir(), t.TempDir()
	var surveys, planned bytes.Buffer
	for i := range parts {
		in := []jsonl.File{{Name: "-", Open: func() (io.ReadCloser, error) { return lines(i), nil }}}
		if err := Survey(t.Context(), in, &surveys, CSVOptions{BaseLabel: "Node"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := Plan(&surveys, &planned, CSVOptions{BaseLabel: "Node"}); err != nil {
		t.Fatal(err)
	}
	heads := map[string]string{}
	keyedtest.Frames(t, planned.Bytes(), heads)
	put := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range heads {
		put(name, text)
	}
	for i := range parts {
		r, w := io.Pipe()
		go func() {
			w.CloseWithError(Rows(t.Context(), io.MultiReader(strings.NewReader(heads["plan"]), lines(i)), w, CSVOptions{BaseLabel: "Node"}))
		}()
		b := bufio.NewReaderSize(r, 1<<20)
		for {
			head, err := b.ReadString('\n')
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			name, size, _ := strings.Cut(strings.TrimSpace(head), "\t")
			k, _ := strconv.Atoi(size)
			text := make([]byte, k)
			if _, err := io.ReadFull(b, text); err != nil {
				t.Fatal(err)
			}
			put(fmt.Sprintf("%s/part-%05d.csv", name, i), string(text))
		}
	}
	if err := os.MkdirAll(filepath.Join(home, "conf"), 0o755); err != nil {
		t.Fatal(err)
	}
	imp := exec.CommandContext(t.Context(), "sh", filepath.Join(dir, "import.sh"))
	imp.Env = append(os.Environ(), "NEO4J_HOME="+home, "NEO4J_CONF="+filepath.Join(home, "conf"), "NEO4J_ADMIN="+adminTool(t, home, "1500m"))
	out, err := imp.CombinedOutput()
	t.Logf("import said: %s", tail(string(out), 8))
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("%d nodes", n)) || !strings.Contains(string(out), fmt.Sprintf("%d relationships", n)) {
		t.Errorf("%v: want %d nodes and as many relationships", err, n)
	}
}

// unstored undoes the names of MapProps and unpacks props_json.
func unstored(o schema.Object) schema.Object {
	var b schema.ObjectBuilder
	for k, v := range o.Members() {
		switch k {
		case "id", "type", "src", "dst", "_hash", "scope":
		case graph.PropsJSON:
			for k, v := range schema.RawObject([]byte(o.Text(k))).Members() {
				b.Raw(k, v)
			}
		default:
			b.Raw(graph.MemberName(k), v)
		}
	}
	return b.Object()
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func tail(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
