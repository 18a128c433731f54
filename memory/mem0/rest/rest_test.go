package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"membench/internal/exttest"
	"membench/memory"
	"membench/memory/mem0/rest"
	"membench/memory/mem0/rest/resttest"
	"membench/memory/memorytest"
	"membench/schema"
)

var ctx = context.Background()

func noSleep(context.Context, time.Duration) error { return nil }

func dial(t testing.TB, s *resttest.Server, o rest.Options) *rest.System {
	t.Helper()
	o.URL, o.Sleep = s.URL, noSleep
	if o.Kind == "" {
		o.Kind = rest.OSS
	}
	if s.Generation == resttest.Platform {
		o.Kind = rest.Platform
		if o.Key == "" {
			o.Key = "k"
		}
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	sys, err := rest.Dial(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

var ns = memory.Namespace{Run: "run", Scope: "u"}

func open(t testing.TB, s *rest.System) memory.Memory {
	t.Helper()
	m, err := s.Open(ctx, ns)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

var talk = memorytest.Batch("c1", memorytest.Turn("c1", 1, "user", "My favourite colour is green."), memorytest.Turn("c1", 2, "assistant", "我最喜欢的饮料是普洱茶。"))

func exported(t testing.TB, m memory.Memory) (out []schema.MemoryExport) {
	t.Helper()
	for r, err := range m.(memory.Exporter).Export(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.V)
	}
	return out
}

// Each generation of the service keeps the contract of memory systems.
func TestContract(t *testing.T) {
	for name, g := range map[string]resttest.Generation{"oss 2": resttest.OSS2, "oss 1": resttest.OSS1, "platform": resttest.Platform} {
		t.Run(name, func(t *testing.T) {
			memorytest.Run(t, func(t *testing.T) memory.System { return dial(t, resttest.New(t, g), rest.Options{Raw: true}) })
		})
	}
}

func TestVersions(t *testing.T) {
	for g, want := range map[resttest.Generation]string{resttest.OSS2: "oss-2", resttest.OSS1: "oss-1.0.8+", resttest.OSSOld: "oss-1.0.7-", resttest.Platform: "platform-v3"} {
		if have := dial(t, resttest.New(t, g), rest.Options{}).Info().Version; have != want {
			t.Errorf("have %s, want %s", have, want)
		}
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	if _, err := rest.Dial(ctx, rest.Options{Kind: rest.OSS, URL: other.URL, Sleep: noSleep}); err == nil || !strings.Contains(err.Error(), "not a Mem0 server") {
		t.Errorf("have %v", err)
	}
	if _, err := rest.Dial(ctx, rest.Options{Kind: rest.OSS, URL: resttest.New(t, resttest.OSSOld).URL, Raw: true, Sleep: noSleep}); err == nil || !strings.Contains(err.Error(), "older than 1.0.8") {
		t.Errorf("have %v", err)
	}
}

// What is exported is what Mem0's own store would hold, with the turns of the batch.
func TestExport(t *testing.T) {
	for _, g := range []resttest.Generation{resttest.OSS2, resttest.OSS1, resttest.OSSOld, resttest.Platform} {
		s := resttest.New(t, g)
		s.Pending = 2
		m := open(t, dial(t, s, rest.Options{}))
		b := talk
		b.Turns = append([]schema.Turn{}, talk.Turns...)
		b.Turns[0].Time, b.Turns[0].Name = "2023-05-08T13:56:00+08:00", "Ann"
		r, err := m.Ingest(ctx, b)
		if err != nil || len(r.Changes) != 2 || len(r.Degraded) != 0 {
			t.Fatalf("generation %d: %+v, %v", g, r, err)
		}
		have := exported(t, m)
		if len(have) != 2 {
			t.Fatalf("generation %d: have %v", g, have)
		}
		created := "2023-05-08T13:56:00+08:00"
		if g == resttest.OSS1 {
			created = "2023-05-08T05:56:00+00:00"
		}
		for _, x := range have {
			f, err := x.Fields()
			if err != nil {
				t.Fatal(err)
			}
			if f.UserID != "u" || f.AgentID != "bot" || f.ConvID != "c1" || f.Hash != schema.Hash(f.Data) || len(f.Events) != 2 || f.CreatedAt != created || x.Payload.Text("membench_batch") != "" {
				t.Errorf("generation %d: have %+v", g, f)
			}
		}
		if text := have[0].Payload.Text("data") + have[1].Payload.Text("data"); !strings.Contains(text, "[User] Ann: My favourite colour is green.") {
			t.Errorf("the speaker's name is gone: %s", text)
		}
	}
}

// Nothing is stored twice and nothing is lost when answers are.
func TestLostAnswers(t *testing.T) {
	for name, stored := range map[string]bool{"before it was stored": false, "after it was stored": true} {
		t.Run(name, func(t *testing.T) {
			s := resttest.New(t, resttest.OSS2)
			m := open(t, dial(t, s, rest.Options{}))
			s.Before = breakFirst(t, s, stored)
			r, err := m.Ingest(ctx, talk)
			if err != nil || len(r.Changes) != 2 {
				t.Fatalf("have %+v, %v", r, err)
			}
			if have := s.Memories(); len(have) != 2 {
				t.Errorf("have %d memories, want 2: %v", len(have), have)
			}
			if again, err := m.Ingest(ctx, talk); err != nil || !again.Skipped {
				t.Errorf("have %+v, %v", again, err)
			}
		})
	}
}

// breakFirst cuts the connection of the first add, before or after it was stored.
func breakFirst(t *testing.T, s *resttest.Server, stored bool) func(http.ResponseWriter, *http.Request, int) bool {
	broke := false
	return func(w http.ResponseWriter, r *http.Request, n int) bool {
		if broke || r.Method != http.MethodPost || r.URL.Path != "/memories" {
			return false
		}
		broke = true
		if stored {
			calls := s.Requests()
			body, err := json.Marshal(calls[len(calls)-1].Body)
			if err != nil {
				t.Error(err)
			}
			s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(r.Method, r.URL.Path, strings.NewReader(string(body))))
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return false
		}
		conn.Close()
		return true
	}
}

// A process killed between call and journal finds what it stored.
func TestKilled(t *testing.T) {
	s := resttest.New(t, resttest.OSS2)
	dir := t.TempDir()
	sys := dial(t, s, rest.Options{Dir: dir})
	m := open(t, sys)
	if _, err := m.Ingest(ctx, talk); err != nil {
		t.Fatal(err)
	}
	m.Close()
	file := filepath.Join(dir, "run", "u.jsonl")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	if len(lines) != 4 || !strings.Contains(lines[1], `"begin":true`) {
		t.Fatalf("journal %q", whole)
	}
	if err := os.WriteFile(file, []byte(lines[0]+lines[1]+lines[2][:10]), 0o666); err != nil {
		t.Fatal(err)
	}
	again, err := sys.Attach(ctx, ns)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if keys, _ := again.(memory.Keyed).Keys(ctx); len(keys) != 0 {
		t.Errorf("have %v, want no batch done", keys)
	}
	r, err := again.Ingest(ctx, talk)
	if err != nil || r.Skipped || len(r.Changes) != 2 || len(r.Degraded) != 1 {
		t.Errorf("have %+v, %v", r, err)
	}
	if len(s.Memories()) != 2 {
		t.Errorf("have %v", s.Memories())
	}
}

// Losses that the server does not speak of are degraded operations.
func TestSilentLoss(t *testing.T) {
	s := resttest.New(t, resttest.OSS2)
	s.Extract = func(string, string) []string { return nil }
	m := open(t, dial(t, s, rest.Options{}))
	r, err := m.Ingest(ctx, talk)
	if err != nil || len(r.Degraded) != 1 || !strings.Contains(r.Degraded[0].Why, "nothing was stored of 2 turns") {
		t.Errorf("have %+v, %v", r, err)
	}
	s = resttest.New(t, resttest.OSS2)
	m = open(t, dial(t, s, rest.Options{}))
	s.Before = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/memories/") {
			fmt.Fprint(w, "null")
			return true
		}
		return false
	}
	if r, err = m.Ingest(ctx, talk); err != nil || len(r.Changes) != 0 || len(r.Degraded) != 1 || !strings.Contains(r.Degraded[0].Why, "2 memories were reported and are not there") {
		t.Errorf("have %+v, %v", r, err)
	}
}

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header string
		body   string
		times  int
		err    string // "": the call gets through
	}{
		"rate limited":   {429, "7", `{"detail":"slow down"}`, 2, ""},
		"provider limit": {502, "", `{"detail":"Provider rate limit hit.","code":"provider_rate_limited","request_id":"6b78a8d9"}`, 2, ""},
		"away for long":  {503, "", `down`, 99, "status 503: down"},
		"provider key":   {502, "", `{"detail":"bad key","code":"provider_auth_failed"}`, 99, "provider_auth_failed"},
		"wrong key":      {401, "", `{"detail":"Invalid API key."}`, 99, "set MEM0_API_KEY"},
		"validation":     {422, "", `{"detail":[{"msg":"Field required"}]}`, 99, "Field required"},
		"v1 error":       {500, "", `{"detail":"boom"}`, 99, "not known what was stored"},
		"v1 error once":  {500, "", `{"detail":"boom"}`, 1, ""},
		"no JSON":        {200, "", `<html>proxy</html>`, 99, "does not come from the service"},
	} {
		t.Run(name, func(t *testing.T) {
			s := resttest.New(t, resttest.OSS2)
			m := open(t, dial(t, s, rest.Options{Key: "marked-secret"}))
			n := 0
			s.Before = func(w http.ResponseWriter, r *http.Request, _ int) bool {
				if r.Method != http.MethodPost || r.URL.Path != "/memories" || n >= c.times {
					return false
				}
				n++
				if c.header != "" {
					w.Header().Set("Retry-After", c.header)
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
				return true
			}
			r, err := m.Ingest(ctx, talk)
			switch {
			case c.err == "" && (err != nil || len(r.Changes) != 2 || len(s.Memories()) != 2):
				t.Errorf("have %+v, %v, %d stored", r, err, len(s.Memories()))
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "secret")):
				t.Errorf("have %v, want %q", err, c.err)
			}
		})
	}
}

// A namespace of somebody else is never touched, and no call deletes by user.
func TestNothingForeignIsDeleted(t *testing.T) {
	for _, g := range []resttest.Generation{resttest.OSSOld, resttest.OSS1, resttest.OSS2} {
		s := resttest.New(t, g)
		s.Put("other", "theirs")
		sys := dial(t, s, rest.Options{})
		m := open(t, sys)
		for i := range 130 { // more than 1.x lists at once
			b := memorytest.Batch("c1", memorytest.Turn("c1", i+1, "user", fmt.Sprintf("fact %d", i)))
			if _, err := m.Ingest(ctx, b); err != nil {
				t.Fatal(err)
			}
		}
		if g != resttest.OSS2 {
			for _, err := range m.(memory.Exporter).Export(ctx) {
				if err == nil || !strings.Contains(err.Error(), "lists at most 100") {
					t.Errorf("a list that was cut off: have %v", err)
				}
			}
		}
		if err := m.(memory.Dropper).Drop(ctx); err != nil {
			t.Fatal(err)
		}
		if have := s.Memories(); len(have) != 1 || have[0].User != "other" {
			t.Errorf("have %v, want the other user's alone", have)
		}
		for _, r := range s.Requests() {
			if r.Method == http.MethodDelete && r.Path == "/memories" || strings.HasSuffix(r.Path, "/reset") {
				t.Errorf("%s %s was sent", r.Method, r.Path)
			}
		}
		s.Put("u", "theirs, too")
		if _, err := sys.Open(ctx, ns); err == nil || !strings.Contains(err.Error(), "--user-prefix") {
			t.Errorf("have %v", err)
		}
		if _, err := sys.Attach(ctx, ns); err == nil || !strings.Contains(err.Error(), "--user-prefix") {
			t.Errorf("have %v", err)
		}
		if len(s.Memories()) != 2 {
			t.Error("a foreign memory was deleted")
		}
	}
}

func TestPlatformPages(t *testing.T) {
	s := resttest.New(t, resttest.Platform)
	m := open(t, dial(t, s, rest.Options{}))
	const n = 401
	var turns []schema.Turn
	for i := range n {
		turns = append(turns, memorytest.Turn("c1", i+1, "user", fmt.Sprintf("fact %d", i)))
	}
	if _, err := m.Ingest(ctx, memorytest.Batch("c1", turns...)); err != nil {
		t.Fatal(err)
	}
	if have := exported(t, m); len(have) != n {
		t.Errorf("have %d, want %d", len(have), n)
	}
	if calls := s.Requests(); calls[0].Key != "Token k" {
		t.Errorf("key sent as %q", calls[0].Key)
	}
}

// The date of the dialogue goes where the generation's model is shown it, and only
// where there is a model.
func TestDate(t *testing.T) {
	const date = "Observation Date is 2023-05-08."
	for _, g := range []resttest.Generation{resttest.OSS2, resttest.OSS1, resttest.OSSOld} {
		for _, raw := range []bool{false, true} {
			if raw && g == resttest.OSSOld {
				continue // refused
			}
			s := resttest.New(t, g)
			m := open(t, dial(t, s, rest.Options{Raw: raw}))
			b := memorytest.Batch("c1", memorytest.Turn("c1", 1, "user", "I moved yesterday."))
			b.Turns[0].Time = "2023-05-08T13:56:00+08:00"
			if r, err := m.Ingest(ctx, b); err != nil || len(r.Changes) != 1 {
				t.Fatalf("generation %d: have %+v, %v", g, r, err)
			}
			prompt, system := "", ""
			for _, r := range s.Requests() {
				if r.Method == http.MethodPost && r.Path == "/memories" {
					prompt, _ = r.Body["prompt"].(string)
					if first := r.Body["messages"].([]any)[0].(map[string]any); first["role"] == "system" {
						system = first["content"].(string)
					}
				}
			}
			want := [2]string{"", date}
			if g == resttest.OSS2 {
				want = [2]string{date, ""}
			}
			if raw {
				want = [2]string{}
			}
			if have := [2]string{prompt, system}; have != want {
				t.Errorf("generation %d, raw %t: prompt and system message are %q, want %q", g, raw, have, want)
			}
		}
	}
}

// The answers of real servers are read: recorded pairs are played back.
func TestRecorded(t *testing.T) {
	dir := exttest.Shared(t, "data/mem0_real")
	for file, version := range map[string]string{"server_qdrant_local.json": "oss-2", "server_pgvector.json": "oss-2", "server_v1.0.11_qdrant_local.json": "oss-1.0.8+"} {
		t.Run(file, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(dir, "data", "mem0_real", file))
			if err != nil {
				t.Fatal(err)
			}
			var pairs []struct {
				Name    string
				Request struct {
					Method, Path string
					Body         any
				}
				Response struct {
					Status int
					Raw    string
				}
			}
			if err := json.Unmarshal(raw, &pairs); err != nil {
				t.Fatal(err)
			}
			pick := map[string]string{ // call → the pair that answers it
				"GET /configure": "configure get", "POST /search": "search plain", "POST /memories": "add infer", "GET /memories": "get all"}
			if version != "oss-2" {
				pick["POST /search"], pick["POST /memories"], pick["GET /memories"] = "search top-level", "add", "list"
			}
			served, ids := 0, map[string]string{}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				call := r.Method + " " + r.URL.Path
				if call == "GET /openapi.json" {
					fmt.Fprint(w, `{"components":{"schemas":{"MemoryCreate":{"properties":{"infer":{}}}}}}`)
					return
				}
				if id, ok := strings.CutPrefix(call, "GET /memories/"); ok {
					fmt.Fprintf(w, `{"id":%q}`, ids[id])
					return
				}
				for _, p := range pairs {
					if p.Name == pick[call] {
						served++
						w.WriteHeader(p.Response.Status)
						fmt.Fprint(w, p.Response.Raw)
						return
					}
				}
				w.WriteHeader(404)
				fmt.Fprint(w, `{"detail":"Not Found"}`)
			}))
			defer srv.Close()
			for _, p := range pairs {
				if p.Name == pick["POST /memories"] {
					var a struct{ Results []struct{ ID string } }
					if err := json.Unmarshal([]byte(p.Response.Raw), &a); err != nil {
						t.Fatal(err)
					}
					for _, r := range a.Results {
						ids[r.ID] = r.ID
					}
				}
			}
			sys, err := rest.Dial(ctx, rest.Options{Kind: rest.OSS, URL: srv.URL, Sleep: noSleep})
			if err != nil || sys.Info().Version != version {
				t.Fatalf("have %v, %v", sys, err)
			}
			m, err := sys.Attach(ctx, ns)
			if err != nil {
				t.Fatal(err)
			}
			r, err := m.Ingest(ctx, talk)
			if err != nil || len(r.Changes) == 0 || len(r.Degraded) != 0 {
				t.Errorf("add: have %+v, %v", r, err)
			}
			hits, err := m.Retrieve(ctx, memory.Query{Text: "color", K: 50})
			if err != nil || len(hits.Hits) < 2 || hits.Hits[0].Text == "" || hits.Hits[0].Score <= 0 {
				t.Errorf("search: have %+v, %v", hits, err)
			}
			items := exported(t, m)
			if len(items) < 2 {
				t.Errorf("list: have %v", items)
			}
			for _, x := range items {
				if f, err := x.Fields(); err != nil || f.Data == "" || f.Hash != schema.Hash(f.Data) || f.CreatedAt == "" {
					t.Errorf("list: have %+v, %v", f, err)
				}
			}
			if served < 3 {
				t.Errorf("%d recorded answers were used", served)
			}
		})
	}
}

// A key follows no redirect: Go would send X-API-Key on to any host.
func TestKeyFollowsNoRedirect(t *testing.T) {
	leaked := false
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { leaked = leaked || r.Header.Get("X-API-Key") != "" }))
	defer other.Close()
	srv := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer srv.Close()
	for _, kind := range []rest.Kind{rest.OSS, rest.Platform} {
		s, err := rest.Dial(context.Background(), rest.Options{Kind: kind, URL: srv.URL, Key: "marked-key", Tries: 1})
		if err == nil {
			err = s.Check(context.Background())
		}
		if err == nil || leaked || !strings.Contains(err.Error(), "307") {
			t.Errorf("%s: have %v, the other host was sent the key: %t", kind, err, leaked)
		}
	}
}

// An answer that is too late is a lost one: what was stored is looked up, not sent again.
func TestLateAnswer(t *testing.T) {
	s := resttest.New(t, resttest.OSS2)
	m := open(t, dial(t, s, rest.Options{HTTP: &http.Client{Timeout: 50 * time.Millisecond}}))
	late := false
	s.Before = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if late || r.Method != http.MethodPost || r.URL.Path != "/memories" {
			return false
		}
		late = true
		calls := s.Requests()
		body, err := json.Marshal(calls[len(calls)-1].Body)
		if err != nil {
			t.Error(err)
		}
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(r.Method, r.URL.Path, strings.NewReader(string(body))))
		<-r.Context().Done()
		return true
	}
	r, err := m.Ingest(ctx, talk)
	if err != nil || len(r.Changes) != 2 || len(s.Memories()) != 2 {
		t.Errorf("have %+v, %v, %d memories", r, err, len(s.Memories()))
	}
}
