package cassette

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"membench/llm"
)

type lengths map[string]int

func (lengths) Profile() string { return "m" }
func (l lengths) Embed(_ context.Context, texts []string) (out [][]float32, err error) {
	for _, t := range texts {
		out = append(out, make([]float32, l[t]))
	}
	return out, nil
}

// TestOneLength: vectors of another length than those that are kept are refused, with what
// to do.
func TestOneLength(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	for i, texts := range [][]string{{"a"}, {"a", "b"}} {
		c, err := Open(path, Cache)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Embedder(lengths{"a": 3, "b": 4}).Embed(t.Context(), texts)
		if i == 0 && err != nil || i == 1 && (llm.KindOf(err) != llm.KindStore || !strings.Contains(err.Error(), "have 3 dimensions, others in the cassette or the answer 4")) {
			t.Errorf("%v: %v", texts, err)
		}
		c.Close()
	}
}

// TestAskedAgain: a failure that an earlier run kept is asked about again by the next, once
// a run, and replayed as it was.
func TestAskedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	asked, refuse := 0, true
	ask := func(m Mode) error {
		c, err := Open(path, m)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		g := c.Generator(generatorFunc(func() (llm.Response, error) {
			if asked++; refuse {
				return llm.Response{}, &llm.Error{Kind: llm.KindRefused, Err: context.Canceled}
			}
			return llm.Response{Text: `{"a":1}`}, nil
		}))
		_, _, err = llm.JSON[map[string]int](t.Context(), g, llm.Request{Prompt: "p"}, nil)
		return err
	}
	for i, step := range []struct {
		mode   Mode
		refuse bool
		asked  int
		kind   llm.Kind
	}{{Cache, true, 1, llm.KindRefused}, {Cache, true, 2, llm.KindRefused}, {Replay, true, 2, llm.KindRefused}, {Cache, false, 3, ""}, {Cache, true, 3, ""}, {Replay, true, 3, ""}} {
		refuse = step.refuse
		if err := ask(step.mode); llm.KindOf(err) != step.kind || asked != step.asked {
			t.Errorf("step %d: %v, asked %d times, want %q, %d", i, err, asked, step.kind, step.asked)
		}
	}
}

type generatorFunc func() (llm.Response, error)

func (generatorFunc) Model() string { return "m" }
func (f generatorFunc) Generate(context.Context, llm.Request) (llm.Response, error) {
	return f()
}
