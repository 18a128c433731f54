package main

import (
	"bytes"
	"os"
	"testing"
)

// TestCurrent: docs/formats.md is what the schemas say.
func TestCurrent(t *testing.T) {
	want, err := formatsDoc()
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("docs/formats.md is not current: run go run -C tools ./formatsdoc")
	}
}
