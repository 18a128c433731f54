package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"membench/llm"
	"membench/llm/llmtest"
	"membench/llm/openai"
)

// roundTrip answers requests by what stands in them.
type roundTrip func(body string) (status int, answer string)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	status, answer := f(string(b))
	if status == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: req}, nil
}

// TestContentIsNotTheEndpoint: however many questions in a row an endpoint cannot answer for
// what stands in them, the others are answered, and nobody waits; an endpoint that answers
// none is given up after 20 attempts and one neutral question.
func TestContentIsNotTheEndpoint(t *testing.T) {
	const good = `{"choices":[{"message":{"content":"fine"},"finish_reason":"stop"}]}`
	for name, bad := range map[string]struct {
		status int
		body   string
	}{
		"a filter that speaks no known word": {400, `{"error":{"message":"blocked"}}`},
		"a server that breaks at it":         {500, "oops"},
		"an answer that is no JSON":          {200, "<html>"},
		"no text":                            {200, `{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`},
		"a connection that breaks":           {},
	} {
		for _, workers := range []int{1, 16} {
			for _, worked := range []bool{false, true} {
				asked := 0
				var mu sync.Mutex
				clock := llmtest.NewClock()
				c, err := openai.New(openai.Options{Model: "m", Key: "k", BaseURL: "http://e/v1", Clock: clock.Clock(), Tries: 2, Transport: roundTrip(func(body string) (int, string) {
					mu.Lock()
					asked++
					mu.Unlock()
					if strings.Contains(body, "pox") {
						return bad.status, bad.body
					}
					return 200, good
				})})
				if err != nil {
					t.Fatal(err)
				}
				ask := func(q string) error {
					_, err := c.Generate(t.Context(), llm.Request{Purpose: "test", System: "pox", Prompt: q})
					return err
				}
				if worked {
					if _, err := c.Generate(t.Context(), llm.Request{Purpose: "test", Prompt: "fine?"}); err != nil {
						t.Fatal(err)
					}
				}
				var wg sync.WaitGroup
				start := clock.Now()
				for w := range workers {
					wg.Go(func() {
						for i := range 128 / workers {
							if err := ask(fmt.Sprintf("pox %d %d", w, i)); err == nil || llm.Fatal(err) {
								t.Errorf("%s, %d workers: have %v", name, workers, err)
								return
							}
						}
					})
				}
				wg.Wait()
				if _, err := c.Generate(t.Context(), llm.Request{Purpose: "test", Prompt: "fine?"}); err != nil {
					t.Errorf("%s, %d workers: a good question: %v", name, workers, err)
				}
				if waited := clock.Now().Sub(start); waited.Minutes() > 5 || asked > 400 {
					t.Errorf("%s, %d workers: %d attempts in %v", name, workers, asked, waited)
				}
			}
		}
		asked := 0
		c, err := openai.New(openai.Options{Model: "m", Key: "k", BaseURL: "http://e/v1", Clock: llmtest.NewClock().Clock(), Tries: 2, Transport: roundTrip(func(string) (int, string) {
			asked++
			return bad.status, bad.body
		})})
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; ; i++ {
			if _, err = c.Generate(t.Context(), llm.Request{Purpose: "test", Prompt: "x"}); llm.Fatal(err) || i > 40 {
				break
			}
		}
		if llm.KindOf(err) != llm.KindDown || asked != 21 {
			t.Errorf("%s, always: %d attempts, %v", name, asked, err)
		}
	}
}
