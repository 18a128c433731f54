package open_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/memory"
	"membench/memory/mem0"
	"membench/memory/open"
	"membench/schema"
)

// Open a system by name, store a dialogue and ask it.
func Example() {
	choice, err := open.Parse("simple-rag{mode: lexical}")
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	sys, info, err := open.Place{}.Open(ctx, choice, memory.Deps{})
	if err != nil {
		panic(err)
	}
	m, err := sys.Open(ctx, memory.Namespace{Run: "example", Scope: "lin"})
	if err != nil {
		panic(err)
	}
	defer m.Close()
	if _, err := m.Ingest(ctx, memory.Batch{Session: "s1", Turns: []schema.Turn{
		{Role: "user", Name: "Lin", Text: "I moved to Porto in March."},
		{Role: "user", Name: "Mo", Text: "The kettle is broken."},
	}}); err != nil {
		panic(err)
	}
	answer, err := m.Retrieve(ctx, memory.Query{Text: "When did Lin move to Porto?", K: 1})
	if err != nil {
		panic(err)
	}
	fmt.Println(info.Name, "is", info.Kind)
	fmt.Println(answer.Hits[0].Text)
	// Output:
	// simple-rag is built in
	// Lin: I moved to Porto in March.
}

func isUsage(err error) bool {
	var u *schema.UsageError
	return errors.As(err, &u)
}

func TestFind(t *testing.T) {
	ctx := context.Background()
	p := open.Place{Getenv: func(string) string { return "" }}
	for _, c := range []struct {
		name, want string
		kind       open.Kind
	}{
		{"bm25", "bm25", open.BuiltIn},
		{"Full_Context", "full-context", open.BuiltIn},
		{"long context", "full-context", open.BuiltIn},
		{"Zep", "zep-v3", open.Service},
		{"mem0-server", "mem0-server", open.Client},
		{"process", "process", open.Program},
	} {
		s, err := p.Find(ctx, c.name)
		if err != nil || s.Name != c.want || s.Kind != c.kind {
			t.Errorf("%s: have %s, %s, %v", c.name, s.Name, s.Kind, err)
		}
	}
	for name, near := range map[string]string{"bm52": "bm25", "FUMemry": "FUMemory", "MemX": "mem0", "mem0-sever": "mem0-server"} {
		if _, err := p.Find(ctx, name); !isUsage(err) || !strings.Contains(err.Error(), near) {
			t.Errorf("unknown name %s: have %v, want %s among the nearest", name, err, near)
		}
	}
	bad := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(bad, []byte("system: mine\nnope: 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var f *schema.Finding
	if _, err := p.Find(ctx, bad); !errors.As(err, &f) || f.Pos.Line == 0 {
		t.Errorf("fault of a spec without its line: %v", err)
	}
}

func TestOpenFaults(t *testing.T) {
	p := open.Place{Getenv: func(string) string { return "" }}
	for _, c := range []struct{ choice, want string }{
		{"bm25{nope: 1}", "unknown option"},
		{"mem0-server", "MEM0_URL"},
		{"process", "option command"},
		{"process{command: [cat], timeout: soon}", "option timeout"},
		{"mine=nope", `system "nope"`},
	} {
		choice, err := open.Parse(c.choice)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.Open(context.Background(), choice, memory.Deps{}); !isUsage(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: have %v, want a usage error with %q", c.choice, err, c.want)
		}
	}
}

// Systems of one's own stand beside the known ones, and cannot replace them.
func TestMore(t *testing.T) {
	ctx := context.Background()
	bm25, err := open.Place{}.Find(ctx, "bm25")
	if err != nil {
		t.Fatal(err)
	}
	mine := func(name string) memory.Spec {
		return memory.Define(name, "mine", struct{}{}, func(d memory.Deps, _ struct{}) (memory.System, error) { return bm25.Spec.Open(d, nil) })
	}
	p := open.Place{More: []memory.Spec{mine("mine"), mine("other")}}
	if s, err := p.Find(ctx, "mine"); err != nil || s.Kind != open.BuiltIn || s.Doc != "mine" {
		t.Errorf("have %v, %v", s, err)
	}
	for _, name := range []string{"BM-25", "zep-v3", "Mine"} {
		if _, err := (open.Place{More: []memory.Spec{mine("mine"), mine(name)}}).List(ctx); err == nil {
			t.Errorf("%s is there twice, and nothing reports it", name)
		}
	}
}

func TestParse(t *testing.T) {
	for in, want := range map[string]open.Choice{
		"bm25":                           {Type: "bm25"},
		"a=simple-rag{mode: fused}":      {Name: "a", Type: "simple-rag", Options: []byte(`{"mode": "fused"}`)},
		"process{command: [python3, x]}": {Type: "process", Options: []byte(`{"command": ["python3", "x"]}`)},
	} {
		have, err := open.Parse(in)
		if err != nil || have.Name != want.Name || have.Type != want.Type || string(have.Options) != string(want.Options) {
			t.Errorf("%s: have %s %s %s, %v", in, have.Name, have.Type, have.Options, err)
		}
	}
	for _, in := range []string{"", "{a: 1}", "x{a: [}"} {
		if c, err := open.Parse(in); !isUsage(err) {
			t.Errorf("%q: have %v, %v", in, c, err)
		}
	}
	if _, err := open.Parse("名前=bm25"); err == nil || !strings.Contains(err.Error(), "a label is of ASCII letters") {
		t.Errorf("a label in other letters: %v", err)
	}
	if have := open.Split(`bm25, process{command: [a, "b,}c"]},,x=null`); !slices.Equal(have, []string{"bm25", `process{command: [a, "b,}c"]}`, "x=null"}) {
		t.Errorf("have %q", have)
	}
}

func TestResolve(t *testing.T) {
	vars := map[string]string{}
	p := open.Place{Getenv: func(name string) string { return vars[name] }}
	ctx := context.Background()
	for _, c := range []struct {
		have open.Store
		was  *open.Store
		want string // backend, or a part of the error
	}{
		{open.Store{}, nil, "embedded"},
		{open.Store{}, &open.Store{}, "embedded"},
		{open.Store{}, &open.Store{Backend: "letta-archival"}, "letta-archival"},
		{open.Store{Backend: "mem0-platform"}, nil, "mem0-platform"},
		{open.Store{Backend: "mem0"}, nil, "no Mem0 server given"},
		{open.Store{Backend: "embedded"}, &open.Store{Backend: "mem0"}, "was filled by"},
		{open.Store{Backend: "qdrant"}, nil, "can only be exported"},
		{open.Store{Backend: "bm25"}, nil, "is lost when ingest ends"},
		{open.Store{Backend: "process{command: [cat]}"}, nil, "is lost when it ends"},
		{open.Store{Backend: "mem0-server"}, nil, "called mem0 here"},
		{open.Store{Backend: "nope"}, nil, "no such system"},
		{open.Store{URL: "http://x"}, nil, "are for a Mem0 service"},
		{open.Store{Collection: "c"}, nil, "no Qdrant server given"},
		{open.Store{Backend: "zep-v3", Qdrant: "q:1"}, nil, "for the embedded memory"},
		{open.Store{Backend: "zep-v3", UserPrefix: "u"}, nil, "Mem0's own backends"},
	} {
		s, err := p.Resolve(ctx, c.have, c.was)
		if err != nil && (!isUsage(err) || !strings.Contains(err.Error(), c.want)) || err == nil && s.Backend != c.want {
			t.Errorf("%+v: have %+v, %v, want %q", c.have, s, err, c.want)
		}
	}
	dir := t.TempDir()
	s, err := p.Resolve(ctx, open.Store{Dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Store(ctx, s, mem0.Options{Mode: "odd"}); !isUsage(err) {
		t.Errorf("mode odd: %v", err)
	}
	sys, done, err := p.Store(ctx, s, mem0.Options{Mode: mem0.Keep})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if sys.Info().Name == "" {
		t.Error("a store without a name")
	}
}
