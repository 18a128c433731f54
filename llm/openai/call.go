package openai

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"membench/llm"

	"github.com/sashabaranov/go-openai"
	"golang.org/x/time/rate"
)

// mostLearned is how many refusals of parameters one call may learn from.
const mostLearned = 6

// got holds the results of a call's attempts.
type got struct {
	shape
	lost llm.Usage // of attempts without a usable answer
}

// ask is one question to the endpoint, of either kind.
type ask[T any] struct {
	purpose, model string
	input          string
	limit          int // of the answer, in tokens
	do             func(context.Context, shape) (T, llm.Usage, error)
	// neutral returns a request with neutral content: an error that occurs only for the real request may be caused by its text; a missing answer to this one is
	// caused by the endpoint.
	neutral func() ask[T]
}

// neutralText is the content of a neutral request.
const neutralText = "Answer with the word OK."

// tried is the result of one attempt; kind "" is an answer.
type tried[T any] struct {
	out   T
	usage llm.Usage
	h     *heard
	kind  llm.Kind
	err   error // as it may be shown
	raw   error
}

// once makes one attempt within the budget.
func (q ask[T]) once(ctx context.Context, c *Client, s shape) tried[T] {
	t := tried[T]{h: new(heard)}
	settle, err := c.o.Budget.Hold(ctx, q.purpose, q.model, llm.Most(q.input, q.limit))
	if err != nil {
		t.kind, t.err = llm.KindOf(err), err
		return t
	}
	attempt, cancel := context.WithTimeout(context.WithValue(ctx, heardKey{}, t.h), c.o.Timeout)
	t.out, t.usage, t.raw = q.do(attempt, s)
	timedOut := errors.Is(attempt.Err(), context.DeadlineExceeded)
	cancel()
	if t.raw != nil {
		t.usage = c.cost(q.input, t.h, t.usage)
	}
	settle(t.usage)
	switch {
	case t.raw == nil:
	case ctx.Err() != nil:
		t.kind, t.err = llm.KindCanceled, &llm.Error{Kind: llm.KindCanceled, Err: ctx.Err()}
	default:
		t.kind, t.err = kindOf(t.raw, t.h, timedOut), c.tell(t.raw, timedOut)
	}
	return t
}

// learned reports whether the rejection of a parameter showed what the endpoint supports: this is not a failed attempt.
func (t tried[T]) learned(c *Client, s shape) bool {
	refused := t.h.status == http.StatusBadRequest || t.h.status == http.StatusUnprocessableEntity
	return t.kind != "" && t.raw != nil && refused && c.learn(s, t.raw, t.h.members)
}

// ended reports whether an attempt was not made, or left.
func (t tried[T]) ended() bool { return t.kind == llm.KindBudget || t.kind == llm.KindCanceled }

// enter waits until the endpoint may be asked. Where it is this call that has to find out,
// it asks the neutral question.
func (q ask[T]) enter(ctx context.Context, c *Client, g *got) error {
	for {
		probe, err := c.o.Breaker.Enter(ctx)
		if err != nil || !probe {
			return err
		}
		s := c.shape()
		t := q.neutral().once(ctx, c, s)
		g.lost = g.lost.Add(t.usage)
		switch {
		case t.ended():
			c.o.Breaker.Left(true)
			return t.err
		case t.learned(c, s):
			c.o.Breaker.Left(true)
			continue
		}
		if _, err := c.o.Breaker.Done(true, t.kind, t.err); err != nil {
			return err
		}
	}
}

// attempt makes one attempt, within the budget and when the endpoint is available. again reports that it does not count towards the call's attempts.
func (q ask[T]) attempt(ctx context.Context, c *Client, g *got) (t tried[T], again bool, err error) {
	if err := q.enter(ctx, c, g); err != nil {
		return tried[T]{h: new(heard)}, false, err
	}
	g.shape = c.shape()
	t = q.once(ctx, c, g.shape)
	switch {
	case t.kind == "":
		_, err := c.o.Breaker.Done(false, "", nil)
		return t, false, err
	case t.ended():
		return t, false, t.err
	case t.learned(c, g.shape):
		t.h.learned = true
		return t, true, t.err
	}
	fault := &llm.Error{Kind: t.kind, Status: statusOf(t.h, t.kind), Err: t.err}
	again, gone := c.o.Breaker.Done(false, t.kind, t.err)
	if e, ok := errors.AsType[*llm.Error](gone); ok {
		fault.Kind, fault.Err = e.Kind, e.Err
	}
	return t, again, fault
}

// cost returns the cost of an attempt without an answer: nothing if it was never sent, no tokens if it was rejected, the endpoint's figure for an unusable
// answer, and an estimate if the answer was lost, cut off or late, since it may have been billed.
func (c *Client) cost(input string, h *heard, told llm.Usage) llm.Usage {
	switch {
	case told.Calls > 0:
		return told
	case !h.sent.Load():
		return llm.Usage{}
	case h.status >= 400:
		return llm.Usage{Calls: 1}
	}
	return llm.EstimateUsage(input, "")
}

// call runs one request with limits, time limit and retries. Its error is an *llm.Error.
func (q ask[T]) call(ctx context.Context, c *Client) (T, llm.Usage, got, error) {
	var none T
	var g got
	fail := func(err error) (T, llm.Usage, got, error) {
		e := &llm.Error{Kind: llm.KindCanceled, Err: err}
		errors.As(err, &e)
		full := *e // a Breaker's error is shared
		full.Purpose, full.Usage = q.purpose, g.lost
		return none, llm.Usage{}, g, &full
	}
	if c.slots != nil {
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
		case <-ctx.Done():
			return fail(ctx.Err())
		}
	}
	clock := c.o.Clock
	start := clock.Now()
	pause := c.o.FirstPause
	learned := 0
	for try := 1; ; {
		if err := c.wait(ctx, q.input, q.limit); err != nil {
			return fail(err)
		}
		t, again, err := q.attempt(ctx, c, &g)
		if err == nil {
			return t.out, t.usage, g, nil
		}
		h := t.h
		g.lost = g.lost.Add(t.usage)
		if h.learned {
			if learned++; learned > mostLearned {
				return fail(&llm.Error{Kind: llm.KindRequest, Status: h.status, Err: t.err})
			}
			continue
		}
		if again { // the Breaker waits
			start = clock.Now()
			continue
		}
		var e *llm.Error
		if !errors.As(err, &e) || llm.Fatal(e) || !mayHelp(e.Kind, h) {
			return fail(err)
		}
		// Pauses of several callers must not meet: half to all of each.
		wait := pause/2 + time.Duration(clock.Random()*float64(pause-pause/2))
		if h.retryAfter > 0 { // never earlier than asked, and not all at once
			wait = h.retryAfter + time.Duration(clock.Random()*float64(h.retryAfter)/10)
		}
		pause = min(2*pause, c.o.MaxPause)
		switch {
		case try >= c.o.Tries:
			return fail(&llm.Error{Kind: e.Kind, Status: e.Status, Err: fmt.Errorf("%w (after %d tries)", e.Err, try)})
		case clock.Now().Add(wait).Sub(start) > c.o.MaxElapsed:
			return fail(&llm.Error{Kind: e.Kind, Status: e.Status, Err: fmt.Errorf("%w (%d tries; the next after %v would end later than %v)", e.Err, try, wait.Round(time.Millisecond), c.o.MaxElapsed)})
		}
		try++
		if err := clock.Sleep(ctx, wait); err != nil {
			return fail(err)
		}
	}
}

// statusOf is the HTTP status of a failure that has one.
func statusOf(h *heard, kind llm.Kind) int {
	if h.status >= 400 || kind == llm.KindMalformed || kind == llm.KindEmpty || kind == llm.KindFiltered || kind == llm.KindRefused {
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

// shape returns the parameters that the endpoint accepts, as far as known.
func (c *Client) shape() shape {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shapes
}

// learn derives from the rejection of a parameter what the endpoint accepts; false if it is no such rejection.
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
	// Otherwise another call has learned; this one tries its result, unless that is what failed.
	return c.shapes != tried
}

// mayHelp reports whether another attempt may succeed.
func mayHelp(kind llm.Kind, h *heard) bool {
	switch kind {
	case llm.KindNetwork, llm.KindTimeout, llm.KindMalformed, llm.KindEmpty, llm.KindRate, llm.KindServer:
		return h.again != "false"
	case llm.KindRequest:
		return h.again == "true"
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

// check wants a text, or one that was cut off before it began.
func (a chatAnswer) check() error {
	switch {
	case a.choices == 0:
		return malformed("the answer has no choice")
	case a.finish == openai.FinishReasonContentFilter:
		return &answerError{llm.KindFiltered, "the endpoint's content filter stopped the answer"}
	case a.refusal != "" && blank(a.text):
		return &answerError{llm.KindRefused, "the model refuses: " + a.refusal}
	case !blank(a.text) || a.finish == openai.FinishReasonLength:
		return nil
	case len(a.tools) > 0:
		return &answerError{llm.KindEmpty, "the answer calls a tool, and none was offered"}
	case len(a.thoughts) > 0:
		return &answerError{llm.KindEmpty, "the answer contains reasoning only, no text"}
	}
	return &answerError{llm.KindEmpty, "the answer is empty"}
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
		return slices.ContainsFunc(w, func(w string) bool { return strings.Contains(code, w) || strings.Contains(words, w) })
	}
	switch {
	case timedOut || errors.Is(err, context.DeadlineExceeded):
		return llm.KindTimeout
	case errors.As(err, &ae):
		return ae.kind
	case errors.Is(err, errTooLarge):
		return llm.KindMalformed
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
	case h.status == http.StatusRequestTimeout, h.status == http.StatusConflict, h.status == http.StatusTooEarly:
		return llm.KindServer
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

// tell makes an error that can be displayed: short, without the key and the address's query.
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
		err = fmt.Errorf("%s %s: %w", ue.Op, ShowURL(ue.URL), ue.Err)
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
