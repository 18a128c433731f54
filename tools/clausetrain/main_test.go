package main

import (
	"os"
	"testing"
)

// TestTrust: the log odds in the program are those of the verdicts, and of the facts as they are read today.
func TestTrust(t *testing.T) {
	rows, gone, err := load("verdicts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if share := float64(gone) / float64(len(rows)+gone); share > .05 {
		t.Errorf("%d of %d labelled facts are not read any longer", gone, len(rows)+gone)
	}
	have, err := os.ReadFile("../" + trustFile)
	if err != nil {
		t.Fatal(err)
	}
	if want := trust(rows, defaults, func(string, []*row, []string, []float64) {}); string(have) != want {
		t.Error("internal/clause/trust.tsv is not current: go run -C tools ./clausetrain")
	}
}
