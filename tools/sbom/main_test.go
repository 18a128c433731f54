package main

import (
	"bytes"
	"encoding/json"
	"runtime/debug"
	"testing"
)

// TestWrite: every module of the program stands in the list with its sum.
func TestWrite(t *testing.T) {
	var b bytes.Buffer
	info := &debug.BuildInfo{GoVersion: "go1.2.3", Deps: []*debug.Module{{Path: "example.org/a", Version: "v1.0.0", Sum: "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}}
	if err := write(&b, info, "0.2.0"); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Components []component
		Metadata   struct{ Component component }
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || len(got.Components) != 2 || got.Metadata.Component.Version != "0.2.0" {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	if a := got.Components[1]; a.PURL != "pkg:golang/example.org/a@v1.0.0" || len(a.Hashes[0].Content) != 64 {
		t.Errorf("got %+v", a)
	}
	info.Deps[0].Sum = "h1:no base64"
	if write(&b, info, "0.2.0") == nil {
		t.Error("a sum that is none was taken")
	}
}
