// Package examples runs the examples as a user does.
package examples

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"membench/cli"
	"membench/cypher/neo4j/server"
	"membench/internal/exttest"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain puts membench on PATH: it is this program under another name.
func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"membench": func() { cli.Main() }}) }

// program is membench.
func program(t *testing.T) string {
	t.Helper()
	p, err := exec.LookPath("membench")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tools gives membench and starts a Neo4j where there is one; uri is "" elsewhere.
// NEO4J_URI names a server to use instead: its graph is replaced.
func tools(t *testing.T) (membench, uri string) {
	t.Helper()
	exttest.Need(t, "make")
	membench = program(t)
	if uri = os.Getenv("NEO4J_URI"); uri != "" {
		return membench, uri
	}
	if why := exttest.Missing("java", exttest.Neo4jLib()); why != "" {
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Logf("the load step is left out: %s", why)
		return membench, ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	s, err := server.Start(ctx, server.Config{Lib: exttest.Neo4jLib(), Home: t.TempDir(), Bound: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop() })
	return membench, s.URI
}

func run(t *testing.T, dir string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func read(t *testing.T, names ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(names...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sources copies the bundled dialogues, so that a test can touch them.
func sources(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../data/demo/source")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestPipelines(t *testing.T) {
	membench, uri := tools(t)
	src, out := sources(t), t.TempDir()
	args := []string{"MEMBENCH=" + membench, "SOURCE=" + src, "OUT=" + out}
	if uri != "" {
		args = append(args, "NEO4J_URI="+uri)
	}
	mk := func(extra ...string) string {
		return run(t, "pipeline", "make", append(args[:len(args):len(args)], extra...)...)
	}

	mk("graph")
	nodes, edges := read(t, out, "graph", "nodes.jsonl"), read(t, out, "graph", "edges.jsonl")
	for _, label := range []string{"Event", "MemoryItem", "Claim", "Source"} {
		if !bytes.Contains(nodes, []byte(`"labels": ["`+label)) {
			t.Errorf("the graph has no %s", label)
		}
	}
	if again := mk("graph"); !strings.Contains(again, "Nothing to be done") {
		t.Errorf("a second make runs again:\n%s", again)
	}
	load := func(created, total int) {
		t.Helper()
		if uri == "" {
			return
		}
		mk("load-neo4j")
		have := string(read(t, out, "loaded.json"))
		want := fmt.Sprintf("\"nodes\": {\n    \"sent\": %d,\n    \"created\": %d,", total, created)
		if !strings.Contains(have, want) || !strings.Contains(have, `"missing": 0`) || !strings.Contains(have, `"others": 0`) {
			t.Errorf("loaded.json: have\n%.400s\nwant %s and nothing missing", have, want)
		}
	}
	n := bytes.Count(nodes, []byte("\n"))
	load(n, n)

	// A touched source runs every step again and changes no byte of the graph.
	newer := time.Now()
	if err := os.Chtimes(filepath.Join(src, "norm", "ch01_first_night.norm.md"), newer, newer); err != nil {
		t.Fatal(err)
	}
	if have := mk("graph"); !strings.Contains(have, "to-graph") {
		t.Errorf("a touched source runs nothing:\n%s", have)
	}
	if !bytes.Equal(read(t, out, "graph", "nodes.jsonl"), nodes) || !bytes.Equal(read(t, out, "graph", "edges.jsonl"), edges) {
		t.Error("the same sources gave another graph")
	}
	load(0, n)

	t.Run("schema 0.0.1", func(t *testing.T) {
		old := t.TempDir()
		run(t, "pipeline", "make", "graph", "MEMBENCH="+membench, "SOURCE="+src, "OUT="+old, "SCHEMA=0.0.1")
		if b := read(t, old, "graph", "nodes.jsonl"); bytes.Contains(b, []byte(`"labels": ["Event"]`)) || !bytes.Contains(b, []byte(`"labels": ["MemoryItem"]`)) {
			t.Error("want memory items and no events in a graph of 0.0.1")
		}
	})

	t.Run("snakemake", func(t *testing.T) {
		snakemake := filepath.Join(exttest.Cache(), "venv", "bin", "snakemake")
		exttest.Need(t, snakemake)
		smk := t.TempDir()
		// The workflow keeps its state in the working folder, which must not be ours.
		dir, err := filepath.Abs("snakemake/Snakefile")
		if err != nil {
			t.Fatal(err)
		}
		snake := func(target string) string {
			args := []string{"--cores", "1", "--snakefile", dir, "--directory", smk, target, "--config", "membench=" + membench, "source=" + src, "out=out"}
			if uri != "" {
				args = append(args, "neo4j_uri="+uri)
			}
			return run(t, ".", snakemake, args...)
		}
		snake("graph")
		for _, f := range []string{"nodes.jsonl", "edges.jsonl"} {
			if !bytes.Equal(read(t, smk, "out", "graph", f), read(t, out, "graph", f)) {
				t.Errorf("%s is not the one that make made", f)
			}
		}
		if again := snake("graph"); !strings.Contains(again, "Nothing to be done") {
			t.Errorf("a second run runs again:\n%s", again)
		}
		if uri != "" {
			snake("load_neo4j")
			if have := read(t, smk, "out", "loaded.json"); !bytes.Contains(have, []byte(`"created": 0,`)) || !bytes.Contains(have, []byte(`"missing": 0`)) {
				t.Errorf("the load of an equal graph: have %.400s", have)
			}
		}
	})
}
