package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"membench/llm"
	"membench/llm/llmtest"
)

// stub is a client of a stub server, with a clock that does not wait.
func stub(t *testing.T, change ...func(*Options)) (*Client, *llmtest.Server, *llmtest.Clock) {
	t.Helper()
	srv := llmtest.NewServer()
	t.Cleanup(srv.Close)
	clock := llmtest.NewClock()
	o := Options{BaseURL: srv.BaseURL(), Key: secret, Model: "m", Tries: 3, Clock: clock.Clock()}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, srv, clock
}

// TestFaultTable: each fault of an endpoint, what becomes of the call, how often the
// endpoint was asked, and what is thought to have been paid.
func TestFaultTable(t *testing.T) {
	ok := llmtest.Reply{Text: "hello"}
	fault := llmtest.Fault
	busy := fault(429, "rate_limit_exceeded", "slow down")
	after := func(r llmtest.Reply, kv ...string) llmtest.Reply {
		r.Header = map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			r.Header[kv[i]] = kv[i+1]
		}
		return r
	}
	for _, tc := range []struct {
		name    string
		replies []llmtest.Reply
		kind    llm.Kind // "": an answer
		status  int
		asked   int
		slept   []time.Duration // nil: not looked at
	}{
		{"429 without Retry-After: growing pauses, three quarters of each by this jitter", []llmtest.Reply{busy, busy, ok}, "", 0, 3, []time.Duration{375 * time.Millisecond, 750 * time.Millisecond}},
		{"429 with Retry-After: never earlier than asked", []llmtest.Reply{after(busy, "Retry-After", "7"), ok}, "", 0, 2, []time.Duration{7350 * time.Millisecond}},
		{"429 with Retry-After-Ms", []llmtest.Reply{after(busy, "Retry-After-Ms", "200"), ok}, "", 0, 2, []time.Duration{210 * time.Millisecond}},
		{"clock skew: a date is measured by the server's own clock", []llmtest.Reply{after(busy, "Retry-After", "Wed, 21 Oct 2037 07:28:20 GMT", "Date", "Wed, 21 Oct 2037 07:28:00 GMT"), ok}, "", 0, 2, []time.Duration{21 * time.Second}},
		{"429 for ever", []llmtest.Reply{busy, busy, busy, busy}, llm.KindRate, 429, 3, nil},
		{"429 that asks for too much patience", []llmtest.Reply{after(busy, "Retry-After", "86400"), ok}, llm.KindRate, 429, 1, []time.Duration{}},
		{"429 for an empty account: waiting does not help", []llmtest.Reply{fault(429, "insufficient_quota", "You exceeded your current quota"), ok}, llm.KindQuota, 429, 1, []time.Duration{}},
		{"402", []llmtest.Reply{fault(402, "", "Insufficient Balance")}, llm.KindQuota, 402, 1, nil},
		{"500, 502, then well", []llmtest.Reply{{Status: 500, Body: "oops"}, {Status: 502, Body: "<html>bad gateway</html>"}, ok}, "", 0, 3, nil},
		{"503 for ever", []llmtest.Reply{{Status: 503, Body: "x"}, {Status: 503, Body: "x"}, {Status: 503, Body: "x"}}, llm.KindServer, 503, 3, nil},
		{"500 that says not to try again", []llmtest.Reply{after(llmtest.Reply{Status: 500, Body: "x"}, "X-Should-Retry", "false"), ok}, llm.KindServer, 500, 1, nil},
		{"501", []llmtest.Reply{{Status: 501, Body: "x"}}, llm.KindRequest, 501, 1, nil},
		{"connection reset in the body", []llmtest.Reply{{Text: strings.Repeat("a", 2000), CutAt: 500}, ok}, "", 0, 2, nil},
		{"truncated JSON", []llmtest.Reply{{Body: `{"choices":[{"message":{"content":"hel`}, ok}, "", 0, 2, nil},
		{"truncated JSON for ever", []llmtest.Reply{{Body: `{"choices":[`}, {Body: `{"choices":[`}, {Body: `{"choices":[`}}, llm.KindMalformed, 200, 3, nil},
		{"a page in place of JSON", []llmtest.Reply{{Body: `<html>login</html>`}, ok}, "", 0, 2, nil},
		{"empty choices", []llmtest.Reply{{Body: `{"choices":[]}`}, {Body: `{}`}, ok}, "", 0, 3, nil},
		{"an empty answer", []llmtest.Reply{{Text: ""}, ok}, "", 0, 2, nil},
		{"an empty answer for ever", []llmtest.Reply{{Text: ""}, {Text: ""}, {Text: ""}}, llm.KindEmpty, 200, 3, nil},
		{"reasoning only", []llmtest.Reply{{Body: `{"choices":[{"message":{"content":null,"reasoning_content":"hm"},"finish_reason":"stop"}]}`}, ok}, "", 0, 2, nil},
		{"the call of a tool", []llmtest.Reply{{Body: `{"choices":[{"message":{"content":"","tool_calls":[{"id":"1"}]},"finish_reason":"tool_calls"}]}`}, ok}, "", 0, 2, nil},
		{"a text in parts", []llmtest.Reply{{Body: `{"choices":[{"message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"hel"},{"type":"text","text":"lo"}]}}]}`}}, "", 0, 1, nil},
		{"a stream that was not asked for", []llmtest.Reply{{Body: "data: {\"choices\":[{\"delta\":{\"content\":\"hel\"}}]}\n\n: ping\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"}}, "", 0, 1, nil},
		{"a stream that breaks off", []llmtest.Reply{{Body: "data: {\"choices\":[{\"delta\":{\"content\":\"hel\"}}]}\n\n"}, ok}, "", 0, 2, nil},
		{"a stream with an error in it", []llmtest.Reply{{Body: "data: {\"choices\":[{\"delta\":{\"content\":\"hel\"}}]}\n\ndata: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\n"}, ok}, "", 0, 2, nil},
		{"an endpoint that only streams", []llmtest.Reply{fault(400, "", "stream must be set to true"), {Body: "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}]}\n\ndata: [DONE]\n\n"}}, "", 0, 2, []time.Duration{}},
		{"an error inside a 200", []llmtest.Reply{{Body: `{"error":{"message":"Provider returned error","code":502}}`}, ok}, "", 0, 2, nil},
		{"a rate limit inside a 200", []llmtest.Reply{{Body: `{"error":{"message":"Rate limit exceeded: free-models-per-min.","code":429}}`}, {Body: `{"error":"rate limit"}`}, ok}, "", 0, 3, nil},
		{"a refused key inside a 200", []llmtest.Reply{{Body: `{"error":{"message":"No auth credentials found: invalid API key","code":""}}`}}, llm.KindKey, 401, 1, nil},
		{"an empty account inside a 200", []llmtest.Reply{{Body: `{"choices":null,"error":{"message":"Insufficient credits","code":402}}`}}, llm.KindQuota, 402, 1, nil},
		{"a validation error inside a 200", []llmtest.Reply{{Body: `{"detail":"still loading"}`}, ok}, "", 0, 2, nil},
		{"blank lines that keep the connection alive", []llmtest.Reply{{Text: "hello", Before: "\n\n\n"}}, "", 0, 1, nil},
		{"content filter, in the answer", []llmtest.Reply{{Text: "", Finish: "content_filter"}, ok}, llm.KindFiltered, 200, 1, nil},
		{"content filter, before it (Azure)", []llmtest.Reply{fault(400, "content_filter", "The response was filtered due to the prompt triggering content management policy")}, llm.KindFiltered, 400, 1, nil},
		{"a refusal", []llmtest.Reply{{Refusal: "I cannot help with that."}}, llm.KindRefused, 200, 1, nil},
		{"too long", []llmtest.Reply{fault(400, "context_length_exceeded", "This model's maximum context length is 8192 tokens")}, llm.KindTooLong, 400, 1, nil},
		{"wrong model", []llmtest.Reply{fault(404, "model_not_found", "The model `m` does not exist")}, llm.KindModel, 404, 1, nil},
		{"invalid key", []llmtest.Reply{fault(401, "invalid_api_key", "Incorrect API key provided: "+secret)}, llm.KindKey, 401, 1, nil},
		{"no right", []llmtest.Reply{fault(403, "", "Project does not have access")}, llm.KindKey, 403, 1, nil},
		{"another bad request", []llmtest.Reply{fault(400, "", "messages: too few")}, llm.KindRequest, 400, 1, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, srv, clock := stub(t)
			srv.Next(tc.replies...)
			resp, err := c.Generate(context.Background(), llm.Request{Purpose: "tag", Prompt: "good morning to you all"})
			if n := len(srv.Asked()); n != tc.asked {
				t.Errorf("asked %d times, want %d", n, tc.asked)
			}
			if tc.slept != nil && !equal(clock.Slept(), tc.slept) {
				t.Errorf("slept %v, want %v", clock.Slept(), tc.slept)
			}
			var e *llm.Error
			switch {
			case tc.kind == "":
				if err != nil || resp.Text != "hello" {
					t.Fatalf("have %q, %v", resp.Text, err)
				}
				if resp.Usage.Calls != tc.asked {
					t.Errorf("usage counts %d calls, want %d", resp.Usage.Calls, tc.asked)
				}
			case !errors.As(err, &e) || e.Kind != tc.kind || e.Status != tc.status || e.Purpose != "tag":
				t.Fatalf("have %#v (%v), want kind %s, status %d", e, err, tc.kind, tc.status)
			case e.Usage.Calls != tc.asked:
				t.Errorf("the failure counts %d calls, want %d", e.Usage.Calls, tc.asked)
			case strings.Contains(err.Error(), secret):
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
}

// TestEndlessAnswers: whatever a server sends, little of it is held in memory, and the
// attempt ends.
func TestEndlessAnswers(t *testing.T) {
	block := []byte(strings.Repeat("x", 1<<16))
	var status int
	var kind, head string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		fmt.Fprint(w, head)
		for range 400 << 4 { // 400 MiB
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	for _, tc := range []struct {
		name   string
		status int
		kind   string
		head   string
		vector bool
		want   llm.Kind
	}{
		{"an error", 500, "application/json", `{"error":{"message":"`, false, llm.KindServer},
		{"a page", 200, "text/html", "<html>", false, llm.KindMalformed},
		{"a text", 200, "application/json", `{"choices":[{"message":{"content":"`, false, llm.KindMalformed},
		{"a stream", 200, "text/event-stream", "data: ", false, llm.KindMalformed},
		{"vectors", 200, "application/json", `{"data":[{"embedding":"`, true, llm.KindMalformed},
	} {
		status, kind, head = tc.status, tc.kind, tc.head
		c, _, _ := stub(t, func(o *Options) { o.BaseURL = srv.URL + "/v1"; o.Tries = 1 })
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var err error
		if tc.vector {
			_, err = c.Embed(t.Context(), []string{"a"})
		} else {
			_, err = c.Generate(t.Context(), llm.Request{Prompt: "p"})
		}
		runtime.ReadMemStats(&after)
		// All that was allocated, garbage included, bounds what was ever held.
		if n := (after.TotalAlloc - before.TotalAlloc) >> 20; llm.KindOf(err) != tc.want || n > 400 || len(err.Error()) > 1000 {
			t.Errorf("%s: have %.200v, want %s; %d MiB allocated", tc.name, err, tc.want, n)
		}
		if n := after.HeapSys >> 20; n > 200 {
			t.Errorf("%s: the heap grew to %d MiB", tc.name, n)
		}
	}
}

// TestWhatIsPaid: an attempt that never left costs nothing; what the endpoint tells of an
// answer that cannot be used counts; a budget is kept by attempts.
func TestWhatIsPaid(t *testing.T) {
	budget := llm.NewBudget(llm.Limits{Calls: 2}, nil)
	c, srv, _ := stub(t, func(o *Options) { o.Budget = budget; o.Tries = 5 })
	srv.Next(llmtest.Reply{Status: 500, Body: "x"}, llmtest.Reply{Status: 500, Body: "x"}, llmtest.Reply{Text: "late"})
	_, err := c.Generate(t.Context(), llm.Request{Prompt: "p"})
	if _, _, calls := budget.Spent(); llm.KindOf(err) != llm.KindBudget || len(srv.Asked()) != 2 || calls != 2 {
		t.Errorf("a budget of 2 attempts: have %v after %d questions, %d calls", err, len(srv.Asked()), calls)
	}
	var e *llm.Error
	if !errors.As(err, &e) || e.Usage.Calls != 2 {
		t.Errorf("have %+v, want both attempts", e)
	}

	budget = llm.NewBudget(llm.Limits{Tokens: 10000}, nil)
	c, srv, _ = stub(t, func(o *Options) { o.Budget = budget })
	srv.Next(llmtest.Reply{Body: `{"choices":[{"message":{"content":null,"reasoning":"a long thought"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":777}}`}, llmtest.Reply{Text: "ok", Usage: `{"prompt_tokens":5,"completion_tokens":1}`})
	r, err := c.Generate(t.Context(), llm.Request{Prompt: "p"})
	if err != nil || r.Usage != (llm.Usage{Calls: 2, InputTokens: 10, OutputTokens: 778}) {
		t.Errorf("thoughts are paid for: have %+v, %v", r.Usage, err)
	}
	if _, tokens, _ := budget.Spent(); tokens != 788 || !strings.Contains(string(srv.Asked()[0].Body), `"max_tokens":4096`) {
		t.Errorf("spent %d tokens; sent %s", tokens, srv.Asked()[0].Body)
	}

	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead.Close()
	budget = llm.NewBudget(llm.Limits{Calls: 9}, nil)
	c, _, _ = stub(t, func(o *Options) { o.Budget = budget; o.BaseURL = "http://" + dead.Addr().String() + "/v1" })
	_, err = c.Generate(t.Context(), llm.Request{Prompt: "p"})
	if _, _, calls := budget.Spent(); !errors.As(err, &e) || e.Kind != llm.KindNetwork || e.Usage != (llm.Usage{}) || calls != 0 {
		t.Errorf("nobody there: have %v, %+v, %d calls paid", err, e.Usage, calls)
	}
}

// TestWaitsForAnEndpoint: one that answered before and then fails is waited for; no call
// is lost meanwhile. One that never answered is given up after 20 attempts and a neutral question.
func TestWaitsForAnEndpoint(t *testing.T) {
	c, srv, clock := stub(t, func(o *Options) { o.Tries = 100; o.MaxElapsed = time.Hour })
	srv.Next(llmtest.Reply{Text: "first"})
	for range 30 {
		srv.Next(llmtest.Reply{Status: 503, Body: "x"})
	}
	srv.Next(llmtest.Fault(401, "", "no")) // a gateway that comes back with its keys last
	for n, want := range []string{"first", "ok"} {
		r, err := c.Generate(t.Context(), llm.Request{Prompt: "p"})
		if err != nil || r.Text != want {
			t.Fatalf("call %d: have %q, %v", n, r.Text, err)
		}
	}
	if n := len(srv.Asked()); n != 34 || clock.Now().Sub(llmtest.NewClock().Now()) < 2*time.Minute {
		t.Errorf("asked %d times, waited until %v", n, clock.Now())
	}
	c, srv, _ = stub(t, func(o *Options) { o.Tries = 4 })
	srv.Chat = func(llmtest.ChatRequest) llmtest.Reply { return llmtest.Reply{Status: 503, Body: "x"} }
	for n := range 8 {
		_, err := c.Generate(t.Context(), llm.Request{Prompt: "p"})
		if want := map[bool]llm.Kind{false: llm.KindServer, true: llm.KindDown}[n >= 4]; llm.KindOf(err) != want {
			t.Errorf("call %d: have %v, want %s", n, err, want)
		}
	}
	if n := len(srv.Asked()); n != 21 {
		t.Errorf("asked %d times, want 20, a neutral question, and no more", n)
	}
}

func equal(a, b []time.Duration) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestTimeout(t *testing.T) {
	c, srv, _ := stub(t, func(o *Options) { o.Timeout = 30 * time.Millisecond; o.Tries = 2 })
	srv.Chat = func(llmtest.ChatRequest) llmtest.Reply { return llmtest.Reply{Text: "late", Wait: 5 * time.Second} }
	_, err := c.Generate(context.Background(), llm.Request{Purpose: "facts", Prompt: "p"})
	if llm.KindOf(err) != llm.KindTimeout || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 30ms") || len(srv.Asked()) != 2 {
		t.Errorf("have %v after %d questions", err, len(srv.Asked()))
	}
	var e *llm.Error
	if errors.As(err, &e) && (e.Usage.Estimated != 2 || e.Usage.InputTokens == 0) {
		t.Errorf("late answers may have been paid for: have %+v", e.Usage)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	c, srv, _ = stub(t)
	srv.Chat = func(llmtest.ChatRequest) llmtest.Reply { return llmtest.Reply{Wait: 5 * time.Second} }
	if _, err := c.Generate(ctx, llm.Request{Prompt: "p"}); llm.KindOf(err) != llm.KindCanceled || !llm.Fatal(err) || len(srv.Asked()) != 1 {
		t.Errorf("have %v after %d questions, want the caller's end", err, len(srv.Asked()))
	}
}

// TestUsageThatLies: what an endpoint tells is taken where it can be true.
func TestUsageThatLies(t *testing.T) {
	prompt := strings.Repeat("good morning to you all, ", 40) // 1,000 bytes
	for usage, estimated := range map[string]int{
		`{"prompt_tokens":250,"completion_tokens":30}`:      0,
		`{"prompt_tokens":25000000,"completion_tokens":30}`: 1,
		`{"prompt_tokens":0,"completion_tokens":0}`:         1,
		`{"prompt_tokens":-5,"completion_tokens":30}`:       1,
		`{"prompt_tokens":250,"completion_tokens":900000}`:  1,
		`{"prompt_tokens":250,"completion_tokens":0}`:       1,
		`{}`:   1,
		"-":    1,
		`null`: 1,
	} {
		c, srv, _ := stub(t)
		srv.Next(llmtest.Reply{Text: strings.Repeat("well ", 20), Usage: usage})
		r, err := c.Generate(context.Background(), llm.Request{Prompt: prompt, MaxTokens: 100})
		if err != nil {
			t.Fatal(err)
		}
		if r.Usage.Estimated != estimated || r.Usage.InputTokens < 150 || r.Usage.InputTokens > 500 || r.Usage.OutputTokens < 10 || r.Usage.OutputTokens > 60 {
			t.Errorf("%s: have %+v, want %d estimated", usage, r.Usage, estimated)
		}
	}
	c, srv, _ := stub(t)
	srv.Next(llmtest.Reply{Text: "ok", Usage: `{"prompt_tokens":250,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":128}}`})
	if r, err := c.Generate(context.Background(), llm.Request{Prompt: prompt}); err != nil || r.Usage.CachedTokens != 128 {
		t.Errorf("have %+v, %v", r.Usage, err)
	}
}

// TestLearnsWhatTheEndpointTakes: parameters that are refused are left out from then
// on, and the answer says so.
func TestLearnsWhatTheEndpointTakes(t *testing.T) {
	refuse := func(param, code, msg string) llmtest.Reply {
		return llmtest.Reply{Status: 400, Body: `{"error":{"message":"` + msg + `","type":"invalid_request_error","param":"` + param + `","code":"` + code + `"}}`}
	}
	schema := []byte(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`)
	for _, tc := range []struct {
		name    string
		replies []llmtest.Reply
		adapted string
		gone    []string // members that later requests lack
		there   []string
	}{
		{"nothing to learn", nil, "", []string{"max_completion_tokens"}, []string{"temperature", "max_tokens", "response_format"}},
		{"max_tokens by its newer name", []llmtest.Reply{refuse("max_tokens", "unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")}, "", []string{"max_tokens"}, []string{"max_completion_tokens"}},
		{"temperature", []llmtest.Reply{refuse("temperature", "unsupported_value", "Unsupported value: 'temperature' does not support 0 with this model.")}, "temperature not sent", []string{"temperature"}, []string{"max_tokens"}},
		{"no schemas", []llmtest.Reply{refuse("response_format", "", "response_format: json_schema is not supported")}, "schema by prompt only", nil, []string{"response_format"}},
		{"no JSON mode at all", []llmtest.Reply{refuse("response_format", "", "json_schema unknown"), refuse("response_format", "", "extra fields not permitted")}, "JSON by prompt only", []string{"response_format"}, []string{"temperature"}},
		{"everything", []llmtest.Reply{refuse("", "", "unknown field max_tokens"), refuse("temperature", "", "no"), refuse("response_format", "", "no"), refuse("response_format", "", "no")}, "temperature not sent, answer not limited, JSON by prompt only", []string{"temperature", "max_tokens", "max_completion_tokens", "response_format"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, srv, clock := stub(t)
			srv.Next(tc.replies...)
			req := llm.Request{Prompt: "p", Schema: schema, MaxTokens: 50}
			for range 2 {
				r, err := c.Generate(context.Background(), req)
				if err != nil {
					t.Fatal(err)
				}
				if r.Adapted != tc.adapted {
					t.Errorf("adapted: have %q, want %q", r.Adapted, tc.adapted)
				}
			}
			asked := srv.Asked()
			if len(asked) != len(tc.replies)+2 || len(clock.Slept()) != 0 {
				t.Errorf("asked %d times, slept %v; want %d and no pause", len(asked), clock.Slept(), len(tc.replies)+2)
			}
			var last map[string]json.RawMessage
			if err := json.Unmarshal(asked[len(asked)-1].Body, &last); err != nil {
				t.Fatal(err)
			}
			for _, m := range tc.gone {
				if _, there := last[m]; there {
					t.Errorf("%s is still sent", m)
				}
			}
			for _, m := range tc.there {
				if _, there := last[m]; !there {
					t.Errorf("%s is not sent: %s", m, asked[len(asked)-1].Body)
				}
			}
			if strings.Contains(tc.adapted, "by prompt") && !strings.Contains(string(asked[len(asked)-1].Body), `\"additionalProperties\"`) {
				t.Error("the model was not given the schema")
			}
		})
	}
	// Two servers that each want what the other refuses do not make a call endless.
	c, srv, _ := stub(t)
	for range 30 {
		srv.Next(refuse("max_tokens", "unsupported_parameter", "use max_completion_tokens"), refuse("max_completion_tokens", "unsupported_parameter", "use max_tokens"))
	}
	if _, err := c.Generate(context.Background(), llm.Request{Prompt: "p", MaxTokens: 5}); llm.KindOf(err) != llm.KindRequest || len(srv.Asked()) > 10 {
		t.Errorf("have %v after %d questions", err, len(srv.Asked()))
	}
}

// TestModelNames: the library refuses requests by prefixes of names; we send them.
func TestModelNames(t *testing.T) {
	for _, model := range []string{"o1-mini", "o3", "gpt-5-chat-latest", "o1-like-local:7b", "gpt-6", "gpt-4o", `odd"name`} {
		c, srv, _ := stub(t, func(o *Options) { o.Model = model })
		if _, err := c.Generate(context.Background(), llm.Request{Prompt: "p", MaxTokens: 9, Temperature: 0.3}); err != nil {
			t.Errorf("%s: %v", model, err)
			continue
		}
		var b struct {
			Model       string
			Temperature float64
			MaxTokens   int `json:"max_tokens"`
		}
		if err := json.Unmarshal(srv.Asked()[0].Body, &b); err != nil || b.Model != model || b.Temperature != 0.3 || b.MaxTokens != 9 {
			t.Errorf("%s: sent %+v, %v", model, b, err)
		}
	}
	for host, want := range map[string]bool{"api.openai.com": true, "x.openai.azure.com": true, "localhost": false, "evil-api.openai.com.example": false} {
		if s := firstShape(host); s.completionTokens != want {
			t.Errorf("%s: max_completion_tokens %v, want %v", host, s.completionTokens, want)
		}
	}
}

func TestVectorsInEitherForm(t *testing.T) {
	texts := []string{"tea", "咖啡", "rain"}
	var got [2][][]float32
	for i, refuse := range []bool{false, true} {
		c, srv, _ := stub(t)
		if refuse {
			srv.Next(llmtest.Reply{Status: 400, Body: `{"error":{"message":"unknown encoding_format","param":"encoding_format"}}`})
		}
		e, err := c.EmbedMetered(context.Background(), texts)
		if err != nil {
			t.Fatal(err)
		}
		got[i] = e.Vectors
		asked := srv.Asked()
		if sent := strings.Contains(string(asked[len(asked)-1].Body), "base64"); sent == refuse {
			t.Errorf("base64 asked for: %v, want %v", sent, !refuse)
		}
		if e.Usage.InputTokens == 0 || e.Usage != e.Paid {
			t.Errorf("usage %+v, paid %+v", e.Usage, e.Paid)
		}
	}
	for i := range texts {
		for j := range got[0][i] {
			if got[0][i][j] != got[1][i][j] {
				t.Fatalf("vector %d differs between base64 and numbers", i)
			}
		}
	}
	c, srv, _ := stub(t)
	srv.Next(llmtest.Reply{Body: `{"data":[{"index":0,"embedding":"AAA"}]}`}, llmtest.Reply{Body: `{"data":[{"index":0,"embedding":"AADAfw=="}]}`}, llmtest.Reply{Body: `not json`})
	if _, err := c.Embed(context.Background(), []string{"a"}); llm.KindOf(err) != llm.KindMalformed || len(srv.Asked()) != 3 {
		t.Errorf("bad base64, NaN, no JSON: have %v after %d questions", err, len(srv.Asked()))
	}
	if _, err := c.Embed(context.Background(), []string{"a", ""}); llm.KindOf(err) != llm.KindRequest {
		t.Errorf("an empty text: have %v", err)
	}
}

func TestLimits(t *testing.T) {
	ask := func(c *Client, n int) {
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() {
				if _, err := c.Generate(context.Background(), llm.Request{Prompt: strings.Repeat("word ", 100), MaxTokens: 50}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	c, _, clock := stub(t, func(o *Options) { o.PerMinute = 60 })
	start := clock.Now()
	ask(c, 6)
	if d := clock.Now().Sub(start); d < 5*time.Second {
		t.Errorf("6 calls at 60 a minute within %v, want at least 5 s", d)
	}
	c, _, clock = stub(t, func(o *Options) { o.TokensPerMinute = 1000 })
	start = clock.Now()
	ask(c, 12) // about 250 tokens each by the upper estimate
	if d := clock.Now().Sub(start); d < time.Minute {
		t.Errorf("12 calls of 250 tokens at 1,000 a minute within %v, want at least a minute", d)
	}
	var now, most atomic.Int32
	c, srv, _ := stub(t, func(o *Options) { o.Concurrent = 2 })
	srv.Chat = func(llmtest.ChatRequest) llmtest.Reply {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		now.Add(-1)
		return llmtest.Reply{Text: "ok"}
	}
	ask(c, 10)
	if most.Load() > 2 {
		t.Errorf("%d calls at once, want at most 2", most.Load())
	}
}

func TestNoKeyToOtherHosts(t *testing.T) {
	var elsewhere atomic.Int32
	other := llmtest.NewServer()
	defer other.Close()
	other.Chat = func(llmtest.ChatRequest) llmtest.Reply { elsewhere.Add(1); return llmtest.Reply{Text: "ok"} }
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)+r.URL.Path, http.StatusTemporaryRedirect)
	})
	if _, err := c.Generate(context.Background(), llm.Request{Prompt: "p"}); err == nil || elsewhere.Load() != 0 {
		t.Errorf("have %v; the other host was asked %d times", err, elsewhere.Load())
	}
}

func TestAnswersThatEchoTheKey(t *testing.T) {
	c, srv, _ := stub(t)
	srv.Next(llmtest.Reply{Text: "your key is " + secret})
	r, err := c.Generate(context.Background(), llm.Request{Prompt: "p"})
	if err != nil || strings.Contains(r.Text, secret) {
		t.Errorf("have %q, %v", r.Text, err)
	}
	srv.Next(llmtest.Reply{Text: "<think>{\"a\": 1} hm</think>\n\nyes"})
	if r, err := c.Generate(context.Background(), llm.Request{Prompt: "p"}); err != nil || r.Text != "yes" {
		t.Errorf("have %q, %v", r.Text, err)
	}
}

func TestStrictSchemas(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`:                          true,
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`:                                           false,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                                                       false,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},"required":["a"],"additionalProperties":false}`: false,
	} {
		if got := strict([]byte(schema)); got != want {
			t.Errorf("%s: have %v, want %v", schema, got, want)
		}
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[],"temperature":1}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if !json.Valid(b) || len(b) == 0 || strings.TrimSpace(string(b))[0] != '{' {
			return
		}
		var m map[string]any
		out := rewrite(b, []member{{"model", str("x")}, {"gone", nil}})
		if err := json.Unmarshal(out, &m); err != nil || m["model"] != "x" {
			t.Fatalf("%s became %s: %v", b, out, err)
		}
	})
}
