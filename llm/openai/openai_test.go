package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"membench/llm"
	"membench/llm/llmtest"
)

const secret = "sk-verysecretkey-0123456789"

const good = `{"model":"m-1","choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}`

func testClock() llm.Clock { return llmtest.NewClock().Clock() }

func client(t *testing.T, h http.HandlerFunc, change ...func(*Options)) *Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	o := Options{BaseURL: srv.URL + "/v1/", Key: secret, Model: "m", FirstPause: time.Millisecond, MaxPause: 20 * time.Millisecond, Tries: 3, Clock: testClock()}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGenerateSendsWhatWasAsked(t *testing.T) {
	var bodies []map[string]any
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("have %s with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		var b map[string]any
		if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
			t.Error(err)
		}
		bodies = append(bodies, b)
		io.WriteString(w, good)
	})
	got, err := c.Generate(context.Background(), llm.Request{Purpose: "tag", System: "s", Prompt: `a "temperature" in the prompt`, JSON: true, MaxTokens: 9})
	if err != nil {
		t.Fatal(err)
	}
	if want := (llm.Response{Text: "hello", Model: "m-1", Usage: llm.Usage{Calls: 1, InputTokens: 7, OutputTokens: 2}}); got != want {
		t.Errorf("have %+v, want %+v", got, want)
	}
	if _, err := c.Generate(context.Background(), llm.Request{Prompt: "p", Temperature: 0.5}); err != nil {
		t.Fatal(err)
	}
	if v, ok := bodies[0]["temperature"]; !ok || v != 0.0 {
		t.Errorf("temperature 0 was not sent: %v", bodies[0])
	}
	if v := bodies[1]["temperature"]; v != 0.5 {
		t.Errorf("temperature: have %v, want 0.5", v)
	}
	if f, _ := bodies[0]["response_format"].(map[string]any); f["type"] != "json_object" || bodies[0]["max_tokens"] != 9.0 {
		t.Errorf("have %v, want json_object and 9 tokens", bodies[0])
	}
}

func TestRetries(t *testing.T) {
	type answer struct {
		status int
		header map[string]string
		body   string
	}
	busy := answer{429, map[string]string{"Retry-After-Ms": "5"}, `{"error":{"message":"slow down"}}`}
	for name, tc := range map[string]struct {
		answers []answer
		calls   int
		status  int // of the error; -1: none
	}{
		"good":                {[]answer{{200, nil, good}}, 1, -1},
		"busy, then good":     {[]answer{busy, busy, {200, nil, good}}, 3, -1},
		"server error":        {[]answer{{500, nil, "oops"}, {200, nil, good}}, 2, -1},
		"gives up":            {[]answer{busy, busy, busy, busy}, 3, 429},
		"key refused":         {[]answer{{401, nil, `{"error":{"message":"bad key ` + secret + `"}}`}}, 1, 401},
		"bad request":         {[]answer{{400, nil, `{"error":{"message":"no such option"}}`}}, 1, 400},
		"no choice":           {[]answer{{200, nil, `{}`}, {200, nil, `{"choices":[]}`}, {200, nil, good}}, 3, -1},
		"not JSON, then good": {[]answer{{200, nil, `<html>`}, {200, nil, good}}, 2, -1},
	} {
		t.Run(name, func(t *testing.T) {
			var n atomic.Int32
			c := client(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if !strings.Contains(string(body), `"temperature":0`) {
					t.Errorf("an attempt lost its temperature: %s", body)
				}
				a := tc.answers[min(int(n.Add(1)), len(tc.answers))-1]
				for k, v := range a.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(a.status)
				io.WriteString(w, a.body)
			})
			_, err := c.Generate(context.Background(), llm.Request{Purpose: "tag", Prompt: "p"})
			if int(n.Load()) != tc.calls {
				t.Errorf("have %d calls, want %d", n.Load(), tc.calls)
			}
			var e *llm.Error
			switch {
			case tc.status < 0 && err != nil:
				t.Fatal(err)
			case tc.status >= 0 && (!errors.As(err, &e) || e.Status != tc.status || e.Purpose != "tag"):
				t.Fatalf("have %v, want an llm.Error with status %d", err, tc.status)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
}

func TestRetryAfterHeader(t *testing.T) {
	h := func(kv ...string) http.Header {
		out := http.Header{}
		for i := 0; i < len(kv); i += 2 {
			out.Set(kv[i], kv[i+1])
		}
		return out
	}
	for _, tc := range []struct {
		h    http.Header
		want time.Duration
	}{
		{h("Retry-After", "2"), 2 * time.Second},
		{h("Retry-After", "Wed, 21 Oct 2026 07:28:10 GMT", "Date", "Wed, 21 Oct 2026 07:28:00 GMT"), 10 * time.Second},
		{h("Retry-After", "Wed, 21 Oct 2026 07:28:10 GMT"), 0},
		{h("Retry-After", "-1"), 0}, {h("Retry-After", "soon"), 0}, {h(), 0},
		{h("Retry-After-Ms", "120"), 120 * time.Millisecond},
	} {
		if got := retryAfter(tc.h); got != tc.want {
			t.Errorf("%v: have %v, want %v", tc.h, got, tc.want)
		}
	}
}

func TestUnreachable(t *testing.T) {
	c, err := New(Options{BaseURL: "http://127.0.0.1:1/v1", Key: secret, Model: "m", Tries: 2, Clock: testClock()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Generate(context.Background(), llm.Request{Purpose: "tag", Prompt: "p"})
	if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("have %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, o := range []Options{{}, {Model: "m"}, {Model: "m", Clock: testClock(), BaseURL: "http://h/v1?key=" + secret}, {Model: "m", Clock: testClock(), BaseURL: "host/v1"}, {Model: "m", Clock: testClock(), BaseURL: "http://u:" + secret + "@host/v1"}, {Model: "m", Clock: testClock(), BaseURL: "ftp://u:" + secret + "@host"}} {
		if _, err := New(o); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%+v: have %v", o, err)
		}
	}
}

func TestRedactsMaskedKey(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(401)
		io.WriteString(w, `{"error":{"message":"Incorrect API key provided: sk-v******6789. Find it elsewhere."}}`)
	})
	_, err := c.Generate(context.Background(), llm.Request{Prompt: "p"})
	if err == nil || strings.Contains(err.Error(), "6789") {
		t.Errorf("have %v", err)
	}
}

func TestEmbed(t *testing.T) {
	var sizes []int
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		var b struct {
			Input      []string
			Dimensions int
		}
		if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
			t.Error(err)
		}
		sizes = append(sizes, len(b.Input))
		var parts []string
		for i := range b.Input { // out of order on purpose
			j := len(b.Input) - 1 - i
			parts = append(parts, fmt.Sprintf(`{"index":%d,"embedding":[%d,1]}`, j, len(b.Input[j])))
		}
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(parts, ","))
	}, func(o *Options) { o.Batch = 2; o.Dimensions = 2 })
	got, err := c.Embed(context.Background(), []string{"a", "bb", "ccc"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0][0] != 1 || got[1][0] != 2 || got[2][0] != 3 || !slices.Equal(sizes, []int{2, 1}) {
		t.Errorf("have %v in batches %v", got, sizes)
	}
	if c.Profile() != "m/2" {
		t.Errorf("profile %s", c.Profile())
	}
	for name, body := range map[string]string{
		"missing": `{"data":[{"index":0,"embedding":[1,2]}]}`, "twice": `{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`,
		"beyond": `{"data":[{"index":5,"embedding":[1,2]}]}`, "lengths": `{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1]}]}`, "none": `{}`,
	} {
		c := client(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) })
		var e *llm.Error
		if _, err := c.Embed(context.Background(), []string{"a", "b"}); !errors.As(err, &e) {
			t.Errorf("%s: have %v, want an llm.Error", name, err)
		}
	}
}
