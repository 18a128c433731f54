package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"membench/cli"
)

// TestReference: every command that runs has its section, with its flags.
func TestReference(t *testing.T) {
	text := string(reference(cli.Command()))
	for _, want := range []string{"## membench annotate\n", "## membench eval run\n", "## membench neo4j up\n", "--log-format", "## Exit codes"} {
		if !strings.Contains(text, want) {
			t.Errorf("the reference lacks %q", want)
		}
	}
	if strings.Contains(text, "## membench help") {
		t.Error("the reference holds cobra's own commands")
	}
}

// TestMan: every command has a man page.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	if err := run("", dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"membench.1", "membench-chain.1", "membench-eval-run.1"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Contains(text, []byte("membench")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
