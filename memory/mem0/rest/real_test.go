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
	"time"

	"membench/internal/exttest"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/memory/mem0/localstore"
	"membench/memory/mem0/rest"
	"membench/memory/memorytest"
	"membench/replay"
	"membench/schema"
)

const (
	dim        = 64 // of llmtest's vectors
	collection = "memory_bench_global"
)

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

// newModel is the model that a real Mem0 asks.
func newModel(t *testing.T) *llmtest.Server {
	t.Helper()
	model := llmtest.NewServer()
	model.Chat = answerMem0
	t.Cleanup(model.Close)
	return model
}

// startMem0 runs the real Mem0 of a version over a new local store.
func startMem0(t *testing.T, version string) (url, store string) {
	t.Helper()
	c := exec.Command(exttest.Mem0(t, version), "testdata/mem0_http.py")
	store = t.TempDir()
	c.Env = append(os.Environ(), "STORE="+store, "OPENAI_BASE_URL="+newModel(t).BaseURL(), fmt.Sprint("DIM=", dim), "COLLECTION="+collection)
	port, _, _ := strings.Cut(serve(t, c), " ")
	return "http://127.0.0.1:" + port, store
}

// serve starts a server that prints one line when it is reached, and ends with its
// standard input or, late, by force. It returns the line.
func serve(t *testing.T, c *exec.Cmd) string {
	t.Helper()
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
		late := time.AfterFunc(20*time.Second, func() { c.Process.Kill() }) //nolint:errcheck // it may have ended
		defer late.Stop()
		if err := c.Wait(); err != nil {
			t.Log(err)
		}
	})
	r := bufio.NewReader(out)
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("%s did not start: %v", c, err)
	}
	go io.Copy(io.Discard, r) //nolint:errcheck // ends with the server
	return strings.TrimSpace(line)
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

// The library of both generations, behind a server of ours.
func TestRealMem0(t *testing.T) {
	for _, version := range []string{"2.2.1", "1.0.11"} {
		t.Run(version, func(t *testing.T) {
			url, store := startMem0(t, version)
			roundTrip(t, url, "", store, version)
		})
	}
}

// generation is what a server with that version of mem0ai is to be taken for.
func generation(version string) string {
	if strings.HasPrefix(version, "1.") {
		return "oss-1.0.8+"
	}
	return "oss-2"
}

// roundTrip plays dialogue into a real Mem0: it comes back from the store, read while
// Mem0 runs, as from the API; owners and turns are found in both.
func roundTrip(t *testing.T, url, key, store, version string) {
	t.Helper()
	sys, err := rest.Dial(ctx, rest.Options{Kind: rest.OSS, URL: url, Key: key, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if have, want := sys.Info().Version, generation(version); have != want {
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
	if (generation(version) == "oss-2") != c.Sparse {
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

	m, err := sys.Attach(ctx, memory.Namespace{Run: collection, Scope: "xnne"})
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
}
