package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"membench/config"
	"membench/internal/yamldoc"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// TestCurrent: the schemas in the program are those of the types that read the files.
func TestCurrent(t *testing.T) {
	files, err := schemas("../..")
	if err != nil || len(files) != len(forms) {
		t.Fatal(len(files), err)
	}
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join("../../config/schemas", name))
		if err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not current: go run -C tools ./yamlschema (%v)", name, err)
		}
	}
}

// TestFiles: the files of this repository hold to the schemas, and a member that does not
// exist does not.
func TestFiles(t *testing.T) {
	for _, c := range []struct{ form, glob string }{
		{"membench", "../../data/demo/membench.yaml"}, {"eval", "../../config/testdata/seed000.yaml"},
		{"catalog", "../../schema/catalog/catalog.yaml"}, {"catalog", "../../examples/catalog/profile.yaml"},
		{"service", "../../memory/service/specs/*.yaml"},
	} {
		text, ok := config.FileSchema(c.form)
		if !ok {
			t.Fatalf("no schema %s", c.form)
		}
		s, err := jsonschema.CompileString(c.form, string(text))
		if err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(c.glob)
		if len(files) == 0 {
			t.Fatalf("no file %s", c.glob)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := check(s, b); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if err := check(s, append(b, "\nno_such_member: 1\n"...)); err == nil {
				t.Errorf("%s: a member that does not exist is taken", file)
			}
		}
	}
}

func check(s *jsonschema.Schema, text []byte) error {
	raw, err := yamldoc.ToJSON(text)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	return s.Validate(v)
}
