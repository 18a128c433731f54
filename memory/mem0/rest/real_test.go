package rest_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"membench/internal/exttest"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/memory/mem0/localstore"
	"membench/memory/mem0/rest"
	"membench/memory/memorytest"
	"membench/replay"
	"membench/schema"
)

const dim = 64 // of llmtest's vectors

var message = regexp.MustCompile(`(?m)^(user|assistant): (.+)$`)

// answerMem0 is a model for the prompts of Mem0 1.x and 2.x: every line that one side
// said is a fact, with the prefix of the chain's instruction; "[no json]" breaks it.
func answerMem0(r llmtest.ChatRequest) llmtest.Reply {
	prompt := r.Prompt()
	text := func(v any) llmtest.Reply {
		b, err := json.Marshal(v)
		if err != nil {
			return llmtest.Fault(500, "", err.Error())
		}
		return llmtest.Reply{Text: string(b)}
	}
	if strings.Contains(prompt, "[no json]") {
		return llmtest.Reply{Text: "I cannot do that."}
	}
	said := func(part string) (roles, facts []string) {
		for _, m := range message.FindAllStringSubmatch(part, -1) {
			roles = append(roles, m[1])
			facts = append(facts, strings.TrimSpace(memory.Prefix(m[1])+m[2]))
		}
		return roles, facts
	}
	if _, rest, ok := strings.Cut(prompt, "## New Messages\n"); ok { // 2.x
		part, _, _ := strings.Cut(rest, "\n## ")
		roles, facts := said(part)
		out := []map[string]any{}
		for i, f := range facts {
			out = append(out, map[string]any{"id": fmt.Sprint(i), "text": f, "attributed_to": roles[i]})
		}
		return text(map[string]any{"memory": out})
	}
	if _, rest, ok := strings.Cut(prompt, "The new retrieved facts are mentioned"); ok { // 1.x, second call
		_, list, _ := strings.Cut(rest, "```\n")
		list, _, _ = strings.Cut(list, "```")
		out := []map[string]any{}
		for i, m := range regexp.MustCompile(`'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(list, -1) {
			out = append(out, map[string]any{"id": fmt.Sprint(900 + i), "text": m[1] + m[2], "event": "ADD"})
		}
		return text(map[string]any{"memory": out})
	}
	_, facts := said(prompt)
	return text(map[string]any{"facts": facts})
}

// startMem0 runs the real Mem0 of a version over a new local store.
func startMem0(t *testing.T, version string) (url, store string) {
	t.Helper()
	python := exttest.Mem0(t, version)
	model := llmtest.NewServer()
	model.Chat = answerMem0
	t.Cleanup(model.Close)
	store = t.TempDir()
	c := exec.Command(python, "testdata/mem0_http.py")
	c.Env = append(os.Environ(), "STORE="+store, "OPENAI_BASE_URL="+model.BaseURL(), fmt.Sprint("DIM=", dim), "COLLECTION=memory_bench_global")
	c.Stderr = t.Output()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Log(err)
		}
	})
	var port int
	if _, err := fmt.Fscanln(bufio.NewReader(out), &port); err != nil {
		t.Fatalf("Mem0 %s did not start: %v", version, err)
	}
	go io.Copy(io.Discard, out)
	return fmt.Sprintf("http://127.0.0.1:%d", port), store
}

func events(t *testing.T, lines ...string) schema.Seq[schema.Event] {
	t.Helper()
	return func(yield func(schema.Record[schema.Event], error) bool) {
		for i, l := range lines {
			role, text, _ := strings.Cut(l, "|")
			e := schema.Event{ConvID: "ch01", TurnID: i + 1, SceneID: "s", CharacterID: "bot", RoleType: role, RoleName: role, Content: text, Tags: []string{"episodic"}}
			if !yield(schema.Record[schema.Event]{V: e}, nil) {
				return
			}
		}
	}
}

// Dialogue replayed into real Mem0 comes back from its store, read while it runs, as
// from its API; owners and turns are found in both.
func TestRealMem0(t *testing.T) {
	for _, version := range []string{"2.2.1", "1.0.11"} {
		t.Run(version, func(t *testing.T) {
			url, store := startMem0(t, version)
			sys, err := rest.Dial(ctx, rest.Options{Kind: rest.OSS, URL: url, Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if have, want := sys.Info().Version, map[string]string{"2.2.1": "oss-2", "1.0.11": "oss-1.0.8+"}[version]; have != want {
				t.Errorf("detected %s, want %s", have, want)
			}
			o := replay.Defaults()
			o.UserID, o.Window, o.Overlap, o.Now = "xnne", 2, 0, memorytest.Now
			said := events(t, "human|我最喜欢的作家是鲁迅。", "assistant|鲁迅的《呐喊》我也很喜欢。", "human|I keep two tortoises on the balcony.", "assistant|Tortoises live long 🐢 and eat lettuce.")
			report, err := replay.Ingest(ctx, sys, said, o)
			if err != nil || report.Changes[memory.OpAdd] != 4 || report.Degraded != 0 {
				t.Fatalf("have %+v, %v", report, err)
			}
			if again, err := replay.Ingest(ctx, sys, said, o); err != nil || again.Known != 2 {
				t.Errorf("again: have %+v, %v", again, err)
			}

			api := map[schema.PointID]schema.PayloadFields{}
			for r, err := range replay.Export(ctx, sys, said, o) {
				if err != nil {
					t.Fatal(err)
				}
				f, err := r.V.Fields()
				if err != nil {
					t.Fatal(err)
				}
				api[r.V.ID] = f
				want := "Agent"
				if strings.HasPrefix(f.Data, "[User] ") {
					want = "User"
				}
				if f.OwnerType != want || f.OwnerInfer != replay.Explicit || len(f.Events) != 2 {
					t.Errorf("%q: owner %s (%s), turns %v", f.Data, f.OwnerType, f.OwnerInfer, f.Events)
				}
			}
			s, err := localstore.Open(store)
			if err != nil {
				t.Fatal(err)
			}
			c, err := s.Choose("")
			if err != nil {
				t.Fatal(err)
			}
			if (version == "2.2.1") != c.Sparse {
				t.Errorf("collection %+v", c)
			}
			n := 0
			for r, err := range replay.Link(s.Export(ctx, c.Name), said, o) {
				if err != nil {
					t.Fatal(err)
				}
				f, err := r.V.Fields()
				if err != nil {
					t.Fatal(err)
				}
				a, ok := api[r.V.ID]
				if n++; !ok {
					t.Errorf("%s is in the store, not in the API's list", r.V.ID)
				}
				if a.Data != f.Data || a.Hash != f.Hash || a.OwnerType != f.OwnerType || !slices.Equal(a.Events, f.Events) || a.ConvID != f.ConvID || a.CreatedAt != f.CreatedAt {
					t.Errorf("%s drifted:\nAPI   %+v\nstore %+v", r.V.ID, a, f)
				}
			}
			if n != 4 || len(api) != 4 {
				t.Errorf("%d in the store, %d from the API, want 4", n, len(api))
			}

			m, err := sys.Attach(ctx, memory.Namespace{Run: "memory_bench_global", Scope: "xnne"})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			hits, err := m.Retrieve(ctx, memory.Query{Text: "[User] human: I keep two tortoises on the balcony.", K: 2, UserID: "xnne", AgentID: "bot"})
			if err != nil || len(hits.Hits) == 0 || !strings.Contains(hits.Hits[0].Text, "tortoises") || len(hits.Hits[0].Sources) != 2 {
				t.Errorf("search: have %+v, %v", hits, err)
			}
			b := memorytest.Batch("c9", memorytest.Turn("c9", 1, "user", "My cat is grey. [no json]"))
			b.UserID = "xnne"
			if r, err := m.Ingest(ctx, b); err != nil || len(r.Changes) != 0 || len(r.Degraded) != 1 {
				t.Errorf("an answer of the model that is no JSON is lost in silence by Mem0: have %+v, %v", r, err)
			}
			if err := m.(memory.Dropper).Drop(ctx); err != nil {
				t.Fatal(err)
			}
			for range s.Export(ctx, c.Name) {
				t.Error("a memory is left after Drop")
			}
		})
	}
}
