package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"
)

func recordsIn[T any](t *testing.T, path string) (out []T) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r, err := range jsonl.Decode[T](f, path) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.V)
	}
	return out
}

// TestRealLoCoMoChain takes a conversation of the real file through the commands: each
// turn is an event and a node of its number, and each id of gold evidence leads to the
// event of the turn that it names.
func TestRealLoCoMoChain(t *testing.T) {
	shared := exttest.Shared(t, "data/locomo/locomo8.json")
	data, err := filepath.Abs(filepath.Join(shared, "data/locomo/locomo8.json"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"datasets", "convert", "locomo", data, "--case", "conv-30", "-o", "cases.jsonl"},
		{"datasets", "convert", "locomo", data, "--case", "conv-30", "--to", "dialogue", "-o", "chats"},
		{"annotate", "chats", "-o", "events"},
		{"compile", "events", "-o", "events.jsonl"},
		{"replay", "ingest", "events.jsonl", "--backend", "embedded", "--store", "store"},
		{"replay", "export", "--backend", "embedded", "--store", "store", "-o", "exports"},
		{"claimify", "exports", "-o", "byconv"},
		{"compile-claims", "byconv", "-o", "claims"},
		{"to-graph", "--events", "events.jsonl", "--exports", "exports", "--claims", "claims", "-o", "graph"},
		{"validate", "cases.jsonl", "events.jsonl", "exports", "claims", "graph"},
	} {
		var words bytes.Buffer
		e := &env{in: &bytes.Buffer{}, out: &bytes.Buffer{}, err: &words, getenv: func(string) string { return "" }, now: time.Now}
		if code := run(context.Background(), e, args); code != exitFine {
			t.Fatalf("membench %v: exit %d\n%s", args, code, &words)
		}
	}
	cases := recordsIn[schema.Case](t, "cases.jsonl")
	events := recordsIn[schema.Event](t, "events.jsonl")
	if len(cases) != 1 || len(events) != 369 || len(cases[0].Questions) != 105 {
		t.Fatalf("%d cases, %d events", len(cases), len(events))
	}
	source := map[schema.EventRef]string{}
	for _, ev := range events {
		source[ev.Ref()] = ev.Meta.Text("source_id")
	}
	named := 0
	for _, q := range cases[0].Questions {
		if len(q.Evidence) != len(q.EvidenceIDs) {
			t.Errorf("%s: %d turns for %d ids", q.ID, len(q.Evidence), len(q.EvidenceIDs))
			continue
		}
		for i, r := range q.Evidence {
			if source[r] != q.EvidenceIDs[i] {
				t.Errorf("%s: turn %d is %s in the events, want %s", q.ID, r.TurnID, source[r], q.EvidenceIDs[i])
			}
			named++
		}
	}
	if named < 105 {
		t.Errorf("%d ids of evidence followed", named)
	}
	nodes := map[string]bool{}
	for _, n := range recordsIn[schema.Node](t, "graph/nodes.jsonl") {
		nodes[string(n.ID)] = true
	}
	known := 0
	for _, x := range recordsIn[schema.MemoryExport](t, "exports/conv-30.mem0.jsonl") {
		var p struct {
			Events []schema.EventRef `json:"events"`
		}
		if err := x.Payload.Read(&p); err != nil {
			t.Fatal(err)
		}
		for _, r := range p.Events {
			if source[r] == "" {
				t.Errorf("memory %s names turn %d, which no event is", x.ID, r.TurnID)
			}
			known++
		}
	}
	if known == 0 {
		t.Error("no memory names its turns")
	}
	for r := range source {
		if id := "event:conv-30:" + itoa(r.TurnID); !nodes[id] {
			t.Errorf("no node %s", id)
		}
	}
}
