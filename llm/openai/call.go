package openai

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"membench/llm"

	"github.com/sashabaranov/go-openai"
	"golang.org/x/time/rate"
)

// mostLearned is how many refusals of parameters one call may learn from.
const mostLearned = 6

// got is what a call came by on the way to its answer.
type got struct {
	shape
	lost llm.Usage // of attempts whose answers were lost
}

// call runs one request with limits, time limit and retries. Its error is an *llm.Error.
func call[T any](ctx context.Context, c *Client, purpose, input string, limit int, do func(context.Context, shape) (T, error)) (T, got, error) {
	var none T
	var g got
	fail := func(err error, kind llm.Kind, status int) (T, got, error) {
		return none, g, &llm.Error{Purpose: purpose, Kind: kind, Status: status, Usage: g.lost, Err: err}
	}
	if c.slots != nil {
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
		case <-ctx.Done():
			return fail(ctx.Err(), llm.KindCanceled, 0)
		}
	}
	clock := c.o.Clock
	start := clock.Now()
	pause := c.o.FirstPause
	learned := 0
	for try := 1; ; {
		if err := c.wait(ctx, input, limit); err != nil {
			return fail(err, llm.KindCanceled, 0)
		}
		c.mu.Lock()
		g.shape = c.shapes
		c.mu.Unlock()
		h := new(heard)
		attempt, cancel := context.WithTimeout(context.WithValue(ctx, heardKey{}, h), c.o.Timeout)
		out, err := do(attempt, g.shape)
		timedOut := errors.Is(attempt.Err(), context.DeadlineExceeded)
		cancel()
		if err == nil {
			return out, g, nil
		}
		if ctx.Err() != nil {
			if h.sent {
				g.lost = g.lost.Add(llm.EstimateUsage(input, ""))
			}
			return fail(ctx.Err(), llm.KindCanceled, 0)
		}
		if h.status == http.StatusBadRequest || h.status == http.StatusUnprocessableEntity {
			if learned++; learned <= mostLearned && c.learn(g.shape, err, h.members) {
				g.lost.Calls++
				continue // a refusal of a parameter is no failed attempt
			}
		}
		kind := kindOf(err, h, timedOut)
		// A refusal costs nothing; an answer that was lost, cut off or late may have been paid for.
		if h.sent && (h.status == 0 || h.status < 400) {
			g.lost = g.lost.Add(llm.EstimateUsage(input, ""))
		} else {
			g.lost.Calls++
		}
		err = c.tell(err, timedOut)
		if !again(kind, h) {
			return fail(err, kind, statusOf(h, kind))
		}
		// Pauses of several callers must not meet: half to all of each.
		wait := pause/2 + time.Duration(clock.Random()*float64(pause-pause/2))
		if h.retryAfter > 0 { // never earlier than asked, and not all at once
			wait = h.retryAfter + time.Duration(clock.Random()*float64(h.retryAfter)/10)
		}
		pause = min(2*pause, c.o.MaxPause)
		switch {
		case try >= c.o.Tries:
			return fail(fmt.Errorf("%w (after %d tries)", err, try), kind, statusOf(h, kind))
		case clock.Now().Add(wait).Sub(start) > c.o.MaxElapsed:
			return fail(fmt.Errorf("%w (%d tries; the next after %v would end later than %v)", err, try, wait.Round(time.Millisecond), c.o.MaxElapsed), kind, statusOf(h, kind))
		}
		try++
		if err := clock.Sleep(ctx, wait); err != nil {
			return fail(err, llm.KindCanceled, 0)
		}
	}
}

// statusOf is the HTTP status of a failure that the status tells.
func statusOf(h *heard, kind llm.Kind) int {
	if h.status >= 400 || kind == llm.KindMalformed || kind == llm.KindFiltered {
		return h.status
	}
	return 0
}

// wait keeps to the limits of requests and tokens.
func (c *Client) wait(ctx context.Context, input string, limit int) error {
	now := c.o.Clock.Now()
	var wait time.Duration
	take := func(l *rate.Limiter, n int) {
		if l != nil {
			wait = max(wait, l.ReserveN(now, min(n, l.Burst())).DelayFrom(now))
		}
	}
	take(c.requests, 1)
	if c.tokens != nil {
		_, n := llm.EstimateTokens(input)
		take(c.tokens, n+limit)
	}
	if wait == 0 {
		return ctx.Err()
	}
	return c.o.Clock.Sleep(ctx, wait)
}

// learn takes a refusal of a parameter as news of the endpoint; false when it is none.
func (c *Client) learn(tried shape, err error, sent []member) bool {
	var api *openai.APIError
	if !errors.As(err, &api) {
		return false
	}
	code, _ := api.Code.(string)
	param := ""
	if api.Param != nil {
		param = *api.Param
	}
	next, ok := tried.learn(param, code, api.Message, sent)
	if !ok {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shapes == tried {
		c.shapes = next
	}
	// Else another call has learned; this one tries with that, unless it is what failed.
	return c.shapes != tried
}

// again reports whether another attempt may succeed.
func again(kind llm.Kind, h *heard) bool {
	switch kind {
	case llm.KindNetwork, llm.KindTimeout, llm.KindMalformed, llm.KindRate, llm.KindServer:
		return h.again != "false"
	case llm.KindRequest:
		return h.again == "true" || h.status == http.StatusRequestTimeout || h.status == http.StatusConflict || h.status == http.StatusTooEarly
	}
	return false
}

// errors of answers that are of the protocol's form but no answer.
type answerError struct {
	kind llm.Kind
	msg  string
}

func (e *answerError) Error() string { return e.msg }

func malformed(format string, args ...any) error {
	return &answerError{llm.KindMalformed, fmt.Sprintf(format, args...)}
}

// checkChat wants a choice with an answer in it.
func checkChat(resp openai.ChatCompletionResponse) error {
	if len(resp.Choices) == 0 {
		return malformed("the answer has no choice")
	}
	c := resp.Choices[0]
	switch {
	case c.FinishReason == openai.FinishReasonContentFilter:
		return &answerError{llm.KindFiltered, "the endpoint's content filter stopped the answer"}
	case c.Message.Refusal != "" && c.Message.Content == "":
		return &answerError{llm.KindFiltered, "the model refuses: " + c.Message.Refusal}
	case c.Message.Content == "" && c.FinishReason != openai.FinishReasonLength:
		return malformed("the answer is empty")
	}
	return nil
}

// kindOf sorts a failed attempt.
func kindOf(err error, h *heard, timedOut bool) llm.Kind {
	var ae *answerError
	var ne net.Error
	var api *openai.APIError
	var req *openai.RequestError
	words := ""
	code := ""
	if errors.As(err, &api) {
		words = strings.ToLower(api.Message)
		code, _ = api.Code.(string)
		if api.InnerError != nil {
			code += " " + api.InnerError.Code
		}
	} else if errors.As(err, &req) {
		words = strings.ToLower(string(req.Body))
	}
	has := func(w ...string) bool {
		for _, w := range w {
			if strings.Contains(code, w) || strings.Contains(words, w) {
				return true
			}
		}
		return false
	}
	switch {
	case timedOut || errors.Is(err, context.DeadlineExceeded):
		return llm.KindTimeout
	case errors.As(err, &ae):
		return ae.kind
	case h.status == 0:
		return llm.KindNetwork
	case h.status < 400:
		if errors.Is(err, errNotJSON) || !errors.As(err, &ne) {
			return llm.KindMalformed
		}
		return llm.KindNetwork
	case h.status == http.StatusUnauthorized || h.status == http.StatusForbidden && !has("content"):
		return llm.KindKey
	case h.status == http.StatusPaymentRequired || has("insufficient_quota"):
		return llm.KindQuota
	case h.status == http.StatusTooManyRequests:
		return llm.KindRate
	case h.status >= 500 && h.status != http.StatusNotImplemented:
		return llm.KindServer
	case has("content_filter", "responsibleai", "content_policy", "content management policy"):
		return llm.KindFiltered
	case has("context_length", "context length", "maximum context", "too many tokens", "input is too long", "too long") || h.status == http.StatusRequestEntityTooLarge:
		return llm.KindTooLong
	case h.status == http.StatusNotFound || has("model_not_found"):
		return llm.KindModel
	}
	return llm.KindRequest
}

// tell makes an error that can be shown: short, without the key, without the
// address's query.
func (c *Client) tell(err error, timedOut bool) error {
	var api *openai.APIError
	var req *openai.RequestError
	var ue *url.Error
	switch {
	case timedOut:
		return fmt.Errorf("no answer within %v: %w", c.o.Timeout, context.DeadlineExceeded)
	case errors.As(err, &api):
		err = errors.New(api.Message)
	case errors.As(err, &req):
		err = fmt.Errorf("unexpected answer: %s", req.Body)
	case errors.As(err, &ue):
		err = fmt.Errorf("%s %s: %w", ue.Op, redactURL(ue.URL), ue.Err)
	}
	s := err.Error()
	if r := []rune(s); len(r) > 500 {
		s = string(r[:500]) + "…"
	}
	if clean := c.redact(s); clean != err.Error() {
		return errors.New(clean)
	}
	return err
}

// redactKey takes the whole key out of a text.
func (c *Client) redactKey(s string) string {
	if c.o.Key == noKey || len(c.o.Key) < 4 {
		return s
	}
	return strings.ReplaceAll(s, c.o.Key, "[key]")
}

// redact takes the key out of a text, also where a server repeats a part of it.
func (c *Client) redact(s string) string {
	key := c.o.Key
	if key == noKey || len(key) < 4 {
		return s
	}
	s = c.redactKey(s)
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '"' || r == '\n' || r == ',' })
	for _, w := range words { // "sk-ab****yz": servers show the ends
		if strings.Contains(w, "**") && len(w) > 6 && strings.HasPrefix(strings.TrimLeft(w, "'`("), key[:4]) {
			s = strings.ReplaceAll(s, w, "[key]")
		}
	}
	return s
}
