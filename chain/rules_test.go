package chain

import (
	"os"
	"path/filepath"
	"testing"

	"membench/internal/build"
	"membench/schema"
)

// A graph that was edited beside its manifest is reported to every writer, as validate reports it; one without a manifest is checked by its records.
func TestRulesOfAnEditedGraph(t *testing.T) {
	dir := t.TempDir()
	nodes := filepath.Join(dir, "nodes.jsonl")
	write := func(text string) {
		if err := os.WriteFile(nodes, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	codes := func() (out []string) {
		if err := Rules(t.Context(), []string{nodes}, RulesOptions{Digest: build.Digest, Gated: true, Report: func(f *schema.Finding) { out = append(out, f.Code) }}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := func(state string, code ...string) {
		t.Helper()
		have := codes()
		if len(have) != len(code) || len(code) > 0 && have[0] != code[0] {
			t.Errorf("%s: have %q, want %q", state, have, code)
		}
	}
	good := `{"id": "tag:t", "labels": ["Tag"], "props": {"name": "t"}}` + "\n"
	write(good)
	d, err := build.Digest(nodes)
	if err != nil {
		t.Fatal(err)
	}
	want("without a manifest")
	d.Path = "nodes.jsonl"
	if err := build.WriteManifest(filepath.Join(dir, "manifest.json"), schema.Manifest{Step: toGraphStep, Outputs: []schema.FileDigest{d}}); err != nil {
		t.Fatal(err)
	}
	want("as it was made")
	write(good + `{"id": "tag:u", "labels": ["Tag"], "props": {"name": "u"}}` + "\n")
	want("edited", "MAN001")
}
