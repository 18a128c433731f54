package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"membench/internal/exttest"
	"membench/memory"
	"membench/memory/memorytest"
	"membench/memory/process"
)

var (
	ctx = context.Background()
	ns  = memory.Namespace{Run: "run", Scope: "u"}
)

// example makes the system of a program of examples/process.
func example(t *testing.T, file string) *process.System {
	t.Helper()
	s, err := process.New(ctx, process.Options{Command: []string{exttest.Python(t), "../../examples/process/" + file}, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// script makes the options of a program that is given as text.
func script(t *testing.T, text string) process.Options {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.py")
	if err := os.WriteFile(path, []byte("import json, sys, time\n"+text), 0o666); err != nil {
		t.Fatal(err)
	}
	return process.Options{Command: []string{exttest.Python(t), path}, Timeout: time.Minute}
}

func TestContract(t *testing.T) {
	for _, file := range []string{"shared_terms.py", "three_methods.py"} {
		t.Run(file, func(t *testing.T) {
			memorytest.Run(t, func(t *testing.T) memory.System { return example(t, file) })
		})
	}
}

// TestThreeMethods: a system that only answers is measured by its answers.
func TestThreeMethods(t *testing.T) {
	m, err := example(t, "three_methods.py").Open(ctx, ns)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Ingest(ctx, memorytest.Batch("c1", memorytest.Turn("c1", 1, "user", "My favourite colour is green."), memorytest.Turn("c1", 2, "user", "I keep two tortoises."))); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Retrieve(ctx, memory.Query{Text: "colour"}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("retrieve: %v", err)
	}
	a, ok := memory.As[memory.Answerer](m)
	if !ok {
		t.Fatal("it cannot answer")
	}
	if _, text, err := a.Answer(ctx, memory.Query{Text: "what is my favourite colour"}); err != nil || !strings.Contains(text, "green") {
		t.Errorf("have %q, %v", text, err)
	}
	if c := memory.CapabilitiesOf(example(t, "three_methods.py")); c.Retrieval != memory.RetrievalNone {
		t.Errorf("its retrieval is %q", c.Retrieval)
	}
	if _, ok := memory.As[memory.Exporter](m); ok {
		t.Error("it says that it can export")
	}
}

// TestBadPrograms: each fault ends in words that say what was wrong, and no process stays.
func TestBadPrograms(t *testing.T) {
	const loop = "def reply(r, **a): print(json.dumps(dict(id=r['id'], **a)), flush=True)\nfor l in sys.stdin:\n  r = json.loads(l)\n  m = r['method']\n"
	for name, tt := range map[string]struct {
		text    string
		timeout time.Duration
		wants   []string // of the error, somewhere between New and Retrieve
	}{
		"prints words": {"print('loading model', flush=True)\nsys.stdin.read()", 0, []string{"standard output is not an answer", "loading model"}},
		"dies":         {"sys.stderr.write('no GPU here')\nsys.exit(7)", 0, []string{"hello", "no GPU here"}},
		"hangs":        {"time.sleep(600)", 300 * time.Millisecond, []string{"no answer", "300ms"}},
		"no ingest":    {loop + "  reply(r, result={'methods': ['reset', 'answer']})", 0, []string{"ingest is needed"}},
		"dies later":   {loop + "  if m == 'ingest': sys.stderr.write('out of memory'); sys.exit(1)\n  reply(r, result={'methods': ['reset', 'ingest', 'retrieve']})", 0, []string{"ingest", "without an answer", "out of memory"}},
		"fails":        {loop + "  reply(r, error={'message': 'disk full'}) if m == 'ingest' else reply(r, result={})", 0, []string{"ingest: disk full"}},
		"wrong id":     {loop + "  reply(dict(id=9), result={})", 0, []string{"not an answer to request 1"}},
		"wrong form":   {loop + "  reply(r, result={'methods': 'all'})", 0, []string{"hello", "methods"}},
		"hit without id": {loop + "  reply(r, result={'methods': ['reset', 'ingest', 'retrieve'], 'hits': [{'text': 'x'}]} if m != 'ingest' else None)", 0,
			[]string{"a hit needs an id"}},
		"hit without text": {loop + "  reply(r, result={'methods': ['reset', 'ingest', 'retrieve'], 'hits': [{'id': 7, 'memory': 'x'}]} if m != 'ingest' else None)", 0,
			[]string{"a hit needs a text: 1 of 1 has none (id \"7\""}},
		"hits under another name": {loop + "  reply(r, result={'methods': ['reset', 'ingest', 'retrieve'], 'results': []})", 0, []string{"retrieve: its result has no hits: it has methods, results"}},
		"no result":               {loop + "  reply(r, result=None if m == 'retrieve' else {'methods': ['reset', 'ingest', 'retrieve']})", 0, []string{"retrieve: its result has no hits: it has no members"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := script(t, tt.text)
			if tt.timeout > 0 {
				o.Timeout = tt.timeout
			}
			err := func() error {
				s, err := process.New(ctx, o)
				if err != nil {
					return err
				}
				m, err := s.Open(ctx, ns)
				if err != nil {
					return err
				}
				defer m.Close()
				if _, err := m.Ingest(ctx, memorytest.Batch("c1", memorytest.Turn("c1", 1, "user", "hello"))); err != nil {
					return err
				}
				_, err = m.Retrieve(ctx, memory.Query{Text: "x"})
				return err
			}()
			if err == nil {
				t.Fatal("no error")
			}
			if says := name == "fails" || name == "no ingest" || strings.HasPrefix(name, "hit") || name == "no result"; errors.Is(err, memory.ErrGone) == says {
				t.Errorf("%v: the memory is gone: %v", err, !says)
			}
			for _, want := range tt.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("have %v\nwant %q in it", err, want)
				}
			}
		})
	}
	if _, err := process.New(ctx, process.Options{Command: []string{"/nowhere/program"}}); err == nil || !strings.Contains(err.Error(), "starting /nowhere/program") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// Hits beyond k are cut and counted.
func TestBeyond(t *testing.T) {
	s, err := process.New(ctx, script(t, "for l in sys.stdin:\n  r = json.loads(l)\n  print(json.dumps({'id': r['id'], 'result': {'methods': ['reset', 'ingest', 'retrieve'], 'hits': [{'id': i, 'text': str(i)} for i in range(9)]}}), flush=True)\n"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Open(ctx, ns)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if got, err := m.Retrieve(ctx, memory.Query{Text: "x", K: 3}); err != nil || len(got.Hits) != 3 || got.Beyond != 6 || got.Hits[2].ID != "2" {
		t.Errorf("have %+v, %v", got, err)
	}
}

// TestEnvironment: a program is given what it is given, and no key besides.
func TestEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-MARKED")
	o := script(t, "import os\nfor l in sys.stdin:\n  r = json.loads(l)\n  print(json.dumps({'id': r['id'], 'result': {'name': os.environ.get('OPENAI_API_KEY', 'none') + os.environ.get('GIVEN', '')}}), flush=True)\n")
	o.Env = []string{"GIVEN=-given"}
	s, err := process.New(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if have := s.Info().Name; have != "none-given" {
		t.Errorf("have %q, want none-given", have)
	}
}

// TestInterrupted: a request that is given up ends the program: its answer could not be
// told from the next.
func TestInterrupted(t *testing.T) {
	o := script(t, "for l in sys.stdin:\n  r = json.loads(l)\n  if r['method'] == 'ingest': time.sleep(600)\n  print(json.dumps({'id': r['id'], 'result': {}}), flush=True)\n")
	s, err := process.New(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Open(ctx, ns)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	b := memorytest.Batch("c1", memorytest.Turn("c1", 1, "user", "hello"))
	if _, err := m.Ingest(short, b); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("have %v", err)
	}
	if _, err := m.Ingest(ctx, b); err == nil {
		t.Error("a program that was ended takes more")
	}
	m.Close()
}
