package rest_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"membench/internal/exttest"
	"membench/llm/hashing"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/memory/mem0/rest"
	"membench/memory/memorytest"
	"membench/schema"
)

const serverKey = "an admin's key of this test"

// realServer is Mem0's own server over a local store.
type realServer struct {
	url, store, version string // version of mem0ai
	model               *llmtest.Server
}

func startServer(t *testing.T) realServer {
	t.Helper()
	source, python := exttest.Mem0Server(t)
	vectors := hashing.New(512)
	s := realServer{store: t.TempDir(), model: newModel(t)}
	s.model.Vector = vectors.Vector
	c := exec.Command(python, "testdata/mem0_server.py")
	// Nothing else of the environment: Mem0 would send its calls to an OPENROUTER_API_KEY's service.
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LD_LIBRARY_PATH=" + os.Getenv("LD_LIBRARY_PATH"), "HOME=" + s.store,
		"MEM0_SERVER_SRC=" + source, "STORE=" + s.store, "OPENAI_BASE_URL=" + s.model.BaseURL(), "DIM=512", "COLLECTION=" + collection, "ADMIN_API_KEY=" + serverKey}
	port, version, _ := strings.Cut(serve(t, c), " ")
	s.url, s.version = "http://127.0.0.1:"+port, version
	t.Logf("%s with mem0ai %s", source, version)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get(s.url + "/openapi.json")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return s
			}
			err = errors.New(resp.Status)
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server is not ready after a minute: %v", err)
		}
	}
}

// dial reaches the server as users whom no other caller has.
func (s realServer) dial(t *testing.T, o rest.Options) *rest.System {
	t.Helper()
	o.Kind, o.URL, o.Key, o.Dir, o.Sleep = rest.OSS, s.url, cmp.Or(o.Key, serverKey), t.TempDir(), noSleep
	o.Prefix = cmp.Or(o.Prefix, fmt.Sprintf("%x-", sha256.Sum256([]byte(o.Dir)))[:16])
	sys, err := rest.Dial(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// call is a call of somebody who does not use this package.
func (s realServer) call(method, path string, body any) (string, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequest(method, s.url+path, bytes.NewReader(raw))
	if err != nil {
		return "", err
	}
	req.Header.Set("X-API-Key", serverKey)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	return string(answer), err
}

// wire notes the calls and lets a test change what comes back.
type wire struct {
	back  func(*http.Request, *http.Response) (*http.Response, error)
	mu    sync.Mutex
	calls []string
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.calls = append(w.calls, r.Method+" "+r.URL.Path)
	w.mu.Unlock()
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || w.back == nil {
		return resp, err
	}
	return w.back(r, resp)
}

func (w *wire) count(call string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.calls {
		if c == call {
			n++
		}
	}
	return n
}

func isAdd(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == "/memories" }

// The adapter against Mem0's own server. What the server is given, its folder of
// memories and its model are in this process's hands, so that each way to lose a memory
// is tried on the real thing.
func TestRealServer(t *testing.T) {
	s := startServer(t)
	t.Run("round trip", func(t *testing.T) { roundTrip(t, s.url, serverKey, s.store, s.version) })
	t.Run("contract", func(t *testing.T) {
		memorytest.Run(t, func(t *testing.T) memory.System { return repeatable{s.dial(t, rest.Options{Raw: true})} })
	})
	t.Run("wrong key", func(t *testing.T) {
		err := s.dial(t, rest.Options{Key: "somebody else's key"}).Check(ctx)
		if err == nil || !strings.Contains(err.Error(), "401: Invalid API key.") || !strings.Contains(err.Error(), "MEM0_API_KEY") {
			t.Errorf("have %v", err)
		}
	})
	t.Run("an answer is lost", func(t *testing.T) {
		w := &wire{}
		lost := false
		w.back = func(r *http.Request, resp *http.Response) (*http.Response, error) {
			if lost || !isAdd(r) {
				return resp, nil
			}
			lost = true
			resp.Body.Close()
			return nil, errors.New("connection reset by peer")
		}
		m := open(t, s.dial(t, rest.Options{HTTP: &http.Client{Transport: w}}))
		r, err := m.Ingest(ctx, talk)
		if err != nil || len(r.Changes) != 2 || len(r.Degraded) != 1 || w.count("POST /memories") != 1 || len(exported(t, m)) != 2 {
			t.Errorf("have %+v, %v, calls %v", r, err, w.calls)
		}
	})
	t.Run("reported and not there", func(t *testing.T) {
		w := &wire{}
		w.back = func(r *http.Request, resp *http.Response) (*http.Response, error) {
			if !isAdd(r) {
				return resp, nil
			}
			defer resp.Body.Close()
			raw, err := io.ReadAll(resp.Body)
			if err != nil {
				return nil, err
			}
			resp.Body = io.NopCloser(bytes.NewReader(raw))
			var a struct{ Results []struct{ ID string } }
			if err := json.Unmarshal(raw, &a); err != nil || len(a.Results) != 2 {
				return nil, fmt.Errorf("%s: %w", raw, err)
			}
			_, err = s.call(http.MethodDelete, "/memories/"+a.Results[0].ID, nil)
			return resp, err
		}
		m := open(t, s.dial(t, rest.Options{HTTP: &http.Client{Transport: w}}))
		r, err := m.Ingest(ctx, talk)
		if err != nil || len(r.Changes) != 1 || len(r.Degraded) != 1 || !strings.Contains(r.Degraded[0].Why, "not there") {
			t.Errorf("have %+v, %v", r, err)
		}
	})
	t.Run("its model fails", func(t *testing.T) {
		w := &wire{}
		m := open(t, s.dial(t, rest.Options{HTTP: &http.Client{Transport: w}}))
		defer func() { s.model.Chat = answerMem0 }()
		two := generation(s.version) == "oss-2"
		for status, final := range map[int]bool{http.StatusBadRequest: two, http.StatusTooManyRequests: false} {
			fault := llmtest.Fault(status, "", "on purpose")
			fault.Header = map[string]string{"x-should-retry": "false"} // OpenAI's client would, twice
			s.model.Chat = once(fault)
			before := w.count("POST /memories")
			r, err := m.Ingest(ctx, memorytest.Batch("c2", memorytest.Turn("c2", status, "user", fmt.Sprintf("My bicycle has the number %d.", status))))
			calls := w.count("POST /memories") - before
			if final { // 2.x says that another try is no use
				var e *rest.Error
				if !errors.As(err, &e) || e.Code != "provider_bad_request" || calls != 1 {
					t.Errorf("%d of the model: have %+v, %v, %d calls", status, r, err, calls)
				}
			} else if err != nil || len(r.Changes) != 1 || calls != 2 { // 1.x says 500 to all: looked up, sent again
				t.Errorf("%d of the model, then an answer: have %+v, %v, %d calls", status, r, err, calls)
			}
		}
		want := 2
		if two {
			want = 1
		}
		if have := exported(t, m); len(have) != want {
			t.Errorf("%d memories are stored, want %d: %v", len(have), want, have)
		}
	})
	t.Run("dates and names", func(t *testing.T) {
		m := open(t, s.dial(t, rest.Options{}))
		b := memorytest.Batch("c3", memorytest.Turn("c3", 1, "user", "I moved to Lyon yesterday."))
		b.Turns[0].Time, b.Turns[0].Name = "2023-05-08T02:56:00+08:00", "Ann"
		if _, err := m.Ingest(ctx, b); err != nil {
			t.Fatal(err)
		}
		asked := s.model.Asked()
		if !slices.ContainsFunc(asked, func(a llmtest.Asked) bool {
			return bytes.Contains(a.Body, []byte("Observation Date is 2023-05-08.")) && bytes.Contains(a.Body, []byte("user: Ann: I moved to Lyon yesterday."))
		}) {
			t.Error("the turn's date or speaker did not reach the model")
		}
		want := "2023-05-08T02:56:00+08:00"
		if generation(s.version) != "oss-2" {
			want = "2023-05-07T18:56:00+00:00" // 1.x answers in UTC, whatever it stored
		}
		have := exported(t, m)
		if len(have) != 1 || have[0].Payload.Text("created_at") != want {
			t.Errorf("have %v, want created_at %s", have, want)
		}
	})
	t.Run("others' memories", func(t *testing.T) {
		w := &wire{}
		sys := s.dial(t, rest.Options{HTTP: &http.Client{Transport: w}})
		m := open(t, sys)
		if _, err := m.Ingest(ctx, talk); err != nil {
			t.Fatal(err)
		}
		neighbour, err := sys.Open(ctx, memory.Namespace{Run: "run", Scope: "u2"})
		if err != nil {
			t.Fatal(err)
		}
		defer neighbour.Close()
		if _, err := neighbour.Ingest(ctx, talk); err != nil {
			t.Fatal(err)
		}
		if err := m.(memory.Dropper).Drop(ctx); err != nil {
			t.Fatal(err)
		}
		if mine, theirs := len(exported(t, m)), len(exported(t, neighbour)); mine != 0 || theirs != 2 || w.count("DELETE /memories") != 0 {
			t.Errorf("after Drop: %d of the dropped namespace, %d of its neighbour; calls %v", mine, theirs, w.calls)
		}
		foreign := s.dial(t, rest.Options{Prefix: "foreign-"})
		user := "foreign-" + ns.Scope
		if _, err := s.call(http.MethodPost, "/memories", map[string]any{"messages": []map[string]string{{"role": "user", "content": "Mine alone."}}, "user_id": user, "infer": false}); err != nil {
			t.Fatal(err)
		}
		if _, err := foreign.Open(ctx, ns); err == nil || !strings.Contains(err.Error(), "--user-prefix") {
			t.Errorf("somebody's memories: have %v", err)
		}
		if have, err := s.call(http.MethodGet, "/memories?user_id="+user, nil); err != nil || !strings.Contains(have, "Mine alone.") {
			t.Errorf("somebody's memory is gone: %s, %v", have, err)
		}
	})
	t.Run("a list that is cut off", func(t *testing.T) {
		limit := 1000
		if generation(s.version) != "oss-2" {
			limit = 100
		}
		m := open(t, s.dial(t, rest.Options{Prefix: "many-"}))
		var messages []map[string]string // not by Ingest, which would read each of them back
		for i := range limit {
			messages = append(messages, map[string]string{"role": "user", "content": fmt.Sprintf("Fact number %d.", i)})
		}
		if _, err := s.call(http.MethodPost, "/memories", map[string]any{"messages": messages, "user_id": "many-" + ns.Scope}); err != nil {
			t.Fatal(err)
		}
		for _, err := range m.(memory.Exporter).Export(ctx) {
			if cut := (*rest.CutError)(nil); !errors.As(err, &cut) || cut.Limit != limit {
				t.Fatalf("have %v, want a list cut off at %d", err, limit)
			}
		}
	})
}

// once is a model whose first answer is a fault.
func once(fault llmtest.Reply) func(llmtest.ChatRequest) llmtest.Reply {
	var first sync.Once
	return func(r llmtest.ChatRequest) llmtest.Reply {
		reply := answerMem0(r)
		first.Do(func() { reply = fault })
		return reply
	}
}

// repeatable gives exports the ids and times that two runs of a real Mem0 cannot share.
type repeatable struct{ *rest.System }

func (s repeatable) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	return wrap(s.System.Open(ctx, ns))
}

func (s repeatable) Attach(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	return wrap(s.System.Attach(ctx, ns))
}

func wrap(m memory.Memory, err error) (memory.Memory, error) {
	if err != nil {
		return nil, err
	}
	return repeatableMemory{m.(*rest.Memory)}, nil
}

type repeatableMemory struct{ *rest.Memory }

func (m repeatableMemory) Export(ctx context.Context) schema.Seq[schema.MemoryExport] {
	return func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		var all []schema.Record[schema.MemoryExport]
		for r, err := range m.Memory.Export(ctx) {
			if err != nil {
				yield(r, err)
				return
			}
			all = append(all, r)
		}
		slices.SortFunc(all, func(a, b schema.Record[schema.MemoryExport]) int {
			return cmp.Compare(a.V.Payload.Text("data"), b.V.Payload.Text("data"))
		})
		for i, r := range all {
			r.V.ID, r.V.Payload = schema.PointID(fmt.Sprintf("%04d", i)), r.V.Payload.Without("created_at", "updated_at")
			if !yield(r, nil) {
				return
			}
		}
	}
}
