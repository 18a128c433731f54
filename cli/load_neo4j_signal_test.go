package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"membench/internal/exttest"
)

// Ctrl-C in the middle of a load: one line says so, the exit code is 1, and the same
// command ends the load.
func TestNeo4jLoadInterrupted(t *testing.T) {
	exttest.Need(t, "java", exttest.Neo4jLib())
	uri, done, err := emptyNeo4j()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	dir := quickDir(t)
	var nodes strings.Builder
	const n = 8000
	for i := range n {
		fmt.Fprintf(&nodes, `{"id": "user:u%d", "labels": ["User"], "props": {"name": "第 %d 人"}}`+"\n", i, i)
	}
	put(t, filepath.Join(dir, "g"), map[string]string{"nodes.jsonl": nodes.String(), "edges.jsonl": ""})
	// Nothing is sent before the whole graph was checked; so many small batches then take longer than the signal.
	c := start(t, dir, "load-neo4j", "g", "--uri", uri, "--batch", "20", "--sessions", "1")
	var words bytes.Buffer
	c.Stderr = &words
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for fmt.Sprint(query(t, uri, "MATCH (n:User) RETURN count(n) > 200")) != "[[true]]" {
	}
	c.Process.Signal(os.Interrupt)
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != 1 || !strings.HasSuffix(words.String(), interrupted+"\n") || strings.Contains(words.String(), "goroutine") {
		t.Errorf("exit code %d\n%s", code, words.String())
	}
	r := finish1(t, start(t, dir, "load-neo4j", "g", "--uri", uri, "--verify"))
	if have := fmt.Sprintf("%+v", r); !strings.Contains(have, "read back 8000 nodes and 0 edges: 0 missing, 0 different; 0 more") {
		t.Errorf("the load after it: %s", have)
	}
}
