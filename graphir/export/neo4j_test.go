package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"membench/graph"
	"membench/internal/exttest"
	"membench/schema"
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

	// import.sh as written, with a stand-in for the launcher script of a real installation.
	admin := filepath.Join(home, "neo4j-admin")
	launcher := fmt.Sprintf("#!/bin/sh\nexec '%s' -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '%s/*' org.neo4j.cli.AdminTool \"$@\"\n", java, lib)
	if err := os.WriteFile(admin, []byte(launcher), 0o755); err != nil {
		t.Fatal(err)
	}
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

	server := exec.CommandContext(ctx, java, "-Xms128m", "-Xmx320m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
		"-Dio.netty.tryReflectionSetAccessible=true", "-Dlog4j2.disable.jmx=true", "-Dfile.encoding=UTF-8",
		"-cp", lib+"/*", "org.neo4j.server.CommunityEntryPoint", "--home-dir="+home, "--config-dir="+conf, "--console-mode")
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
