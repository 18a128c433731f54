// Package openai asks models behind any OpenAI-compatible endpoint.
//
// What the client library leaves to its users is done here: temperature 0 is sent
// as 0 (the library drops it and the server would then use 1), failed calls are
// tried again with growing pauses or after the pause the server asks for
// (Retry-After), calls keep to a rate, each attempt has a time limit, an answer
// without a choice is an error, and the key appears in no error.
package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"membench/internal/codec"
	"membench/llm"

	"github.com/cenkalti/backoff/v5"
	"github.com/sashabaranov/go-openai"
	"golang.org/x/time/rate"
)

// Options of a client. Zero values have the defaults given.
type Options struct {
	BaseURL string // up to and with /v1; default: OpenAI's
	Key     string // default "no-key": local endpoints ask for none
	Model   string

	Timeout    time.Duration // of one attempt; default 2 minutes
	Tries      int           // attempts in all; default 5
	MaxElapsed time.Duration // of all attempts with their pauses; default 10 minutes
	FirstPause time.Duration // before the second attempt, then twice as long each time; default 500 ms
	MaxPause   time.Duration // longest pause, also of a Retry-After; default 1 minute
	PerMinute  float64       // calls a minute; 0: no limit

	// Embeddings only.
	Dimensions int // 0: the model's own; also checked on each answer when set
	Batch      int // texts a call; default 64

	Transport http.RoundTripper // default: http.DefaultTransport
}

func (o Options) withDefaults() Options {
	set := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	set(&o.Timeout, 2*time.Minute)
	set(&o.MaxElapsed, 10*time.Minute)
	set(&o.FirstPause, 500*time.Millisecond)
	set(&o.MaxPause, time.Minute)
	if o.Tries <= 0 {
		o.Tries = 5
	}
	if o.Batch <= 0 {
		o.Batch = 64
	}
	if o.Key == "" {
		o.Key = "no-key"
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	return o
}

// A Client is a generator and an embedder. Several goroutines may use it at once.
type Client struct {
	o       Options
	api     *openai.Client
	limiter *rate.Limiter // nil: no limit
}

var (
	_ llm.Generator = (*Client)(nil)
	_ llm.Embedder  = (*Client)(nil)
)

// New makes a client. It does not call the endpoint.
func New(o Options) (*Client, error) {
	o = o.withDefaults()
	if o.Model == "" {
		return nil, errors.New("no model named: want the name that the endpoint knows it by")
	}
	cfg := openai.DefaultConfig(o.Key)
	if o.BaseURL != "" {
		u, err := url.Parse(o.BaseURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("base URL: want http://host/v1 or https://host/v1, have %q", redactURL(o.BaseURL))
		}
		if u.User != nil {
			return nil, errors.New("base URL holds a user or password: give the key in the environment")
		}
		cfg.BaseURL = strings.TrimRight(o.BaseURL, "/")
	}
	c := &Client{o: o}
	// Each attempt has its own limit through its context; the client itself has none.
	cfg.HTTPClient = &http.Client{Transport: transport{o.Transport}}
	c.api = openai.NewClientWithConfig(cfg)
	if o.PerMinute > 0 {
		c.limiter = rate.NewLimiter(rate.Limit(o.PerMinute/60), 1)
	}
	return c, nil
}

// redactURL drops user, password and query of an address before it is shown.
func redactURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "(not a URL)"
	}
	u.User, u.RawQuery = nil, ""
	return u.String()
}

// Model is the name records carry.
func (c *Client) Model() string { return c.o.Model }

// Generate asks for one answer.
func (c *Client) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	req := openai.ChatCompletionRequest{
		Model:       c.o.Model,
		Temperature: float32(r.Temperature),
		MaxTokens:   r.MaxTokens,
	}
	if r.System != "" {
		req.Messages = append(req.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: r.System})
	}
	req.Messages = append(req.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: r.Prompt})
	if r.JSON {
		req.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	calls := 0
	resp, err := call(ctx, c, r.Purpose, func(ctx context.Context) (openai.ChatCompletionResponse, error) {
		calls++
		resp, err := c.api.CreateChatCompletion(ctx, req)
		if err == nil && len(resp.Choices) == 0 {
			err = errNoChoice
		}
		return resp, err
	})
	if err != nil {
		return llm.Response{}, err
	}
	choice := resp.Choices[0]
	out := llm.Response{
		Text: choice.Message.Content, Model: resp.Model, Truncated: choice.FinishReason == openai.FinishReasonLength,
		Usage: llm.Usage{Calls: calls, InputTokens: resp.Usage.PromptTokens, OutputTokens: resp.Usage.CompletionTokens},
	}
	if out.Model == "" {
		out.Model = c.o.Model
	}
	return out, nil
}

// Embed returns one vector per text, in order. Vectors are as the endpoint gave them.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		batch := texts[:min(c.o.Batch, len(texts))]
		texts = texts[len(batch):]
		vectors, err := c.embed(ctx, batch)
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
	}
	return out, nil
}

func (c *Client) embed(ctx context.Context, batch []string) ([][]float32, error) {
	req := openai.EmbeddingRequestStrings{Input: batch, Model: openai.EmbeddingModel(c.o.Model), Dimensions: c.o.Dimensions, EncodingFormat: openai.EmbeddingEncodingFormatFloat}
	const purpose = "embed"
	resp, err := call(ctx, c, purpose, func(ctx context.Context) (openai.EmbeddingResponse, error) {
		return c.api.CreateEmbeddings(ctx, req)
	})
	if err != nil {
		return nil, err
	}
	fail := func(format string, args ...any) error {
		return &llm.Error{Purpose: purpose, Err: fmt.Errorf(format, args...)}
	}
	out := make([][]float32, len(batch))
	for _, d := range resp.Data {
		switch {
		case d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil:
			return nil, fail("index %d is out of range or given twice, want 0 to %d once each", d.Index, len(out)-1)
		case len(d.Embedding) == 0 || c.o.Dimensions > 0 && len(d.Embedding) != c.o.Dimensions:
			return nil, fail("vector %d: have %d dimensions, want %d", d.Index, len(d.Embedding), c.o.Dimensions)
		}
		out[d.Index] = d.Embedding
	}
	for i, v := range out {
		if v == nil || len(v) != len(out[0]) {
			return nil, fail("have no vector for text %d, or one of another length, want %d of one length", i, len(out))
		}
	}
	return out, nil
}

// Profile is the model's name, and the dimensions where they are set.
func (c *Client) Profile() string {
	if c.o.Dimensions > 0 {
		return c.o.Model + "/" + strconv.Itoa(c.o.Dimensions)
	}
	return c.o.Model
}

var errNoChoice = errors.New("the answer has no choice")

// call runs one request with rate, time limit and retries. Its error is an *llm.Error.
func call[T any](ctx context.Context, c *Client, purpose string, do func(context.Context) (T, error)) (T, error) {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval, pause.Multiplier = c.o.FirstPause, c.o.MaxPause, 2
	var status int
	out, err := backoff.Retry(ctx, func() (T, error) {
		var none T
		if c.limiter != nil {
			if err := c.limiter.Wait(ctx); err != nil {
				return none, backoff.Permanent(err)
			}
		}
		h := new(heard)
		attempt, cancel := context.WithTimeout(context.WithValue(ctx, heardKey{}, h), c.o.Timeout)
		defer cancel()
		out, err := do(attempt)
		if err == nil {
			return out, nil
		}
		status = statusOf(err)
		err = c.tell(err, attempt)
		switch {
		case ctx.Err() != nil:
			return none, backoff.Permanent(ctx.Err())
		case !again(status):
			return none, backoff.Permanent(err)
		case h.retryAfter > 0:
			return none, waitThen{&backoff.RetryAfterError{Duration: min(h.retryAfter, c.o.MaxPause)}, err}
		}
		return none, err
	}, backoff.WithBackOff(pause), backoff.WithMaxTries(uint(c.o.Tries)), backoff.WithMaxElapsedTime(c.o.MaxElapsed))
	if err != nil {
		var w waitThen
		if errors.As(err, &w) {
			err = w.err
		}
		return out, &llm.Error{Purpose: purpose, Status: status, Err: err}
	}
	return out, nil
}

// waitThen is a failure that says when to try again.
type waitThen struct {
	wait *backoff.RetryAfterError
	err  error
}

func (w waitThen) Error() string   { return w.err.Error() }
func (w waitThen) Unwrap() []error { return []error{w.wait, w.err} }

// again reports whether another attempt may succeed: no answer at all, a timeout,
// too many requests, or a fault of the server's.
func again(status int) bool {
	switch status {
	case 0, http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500 && status != http.StatusNotImplemented || status == http.StatusOK
}

func statusOf(err error) int {
	var api *openai.APIError
	var req *openai.RequestError
	switch {
	case errors.As(err, &api):
		return api.HTTPStatusCode
	case errors.As(err, &req):
		return req.HTTPStatusCode
	}
	return 0
}

// tell makes an error that can be shown: short, without the key, without the
// address's query.
func (c *Client) tell(err error, attempt context.Context) error {
	var api *openai.APIError
	var req *openai.RequestError
	var ue *url.Error
	switch {
	case errors.Is(attempt.Err(), context.DeadlineExceeded):
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

// redact takes the key out of a text, also where a server repeats a part of it.
func (c *Client) redact(s string) string {
	key := c.o.Key
	if key == "no-key" || len(key) < 4 {
		return s
	}
	s = strings.ReplaceAll(s, key, "[key]")
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '"' || r == '\n' || r == ',' })
	for _, w := range words { // "sk-ab****yz": servers show the ends
		if strings.Contains(w, "**") && len(w) > 6 && strings.HasPrefix(strings.TrimLeft(w, "'`("), key[:4]) {
			s = strings.ReplaceAll(s, w, "[key]")
		}
	}
	return s
}

// heard is what an answer's headers said; it travels in the attempt's context.
type heard struct{ retryAfter time.Duration }

type heardKey struct{}

// transport puts temperature 0 into the body and listens for Retry-After.
type transport struct{ next http.RoundTripper }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil && strings.HasSuffix(req.URL.Path, "/chat/completions") {
		body, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		if !hasTemperature(body) { // the library leaves a 0 out
			body = append([]byte(`{"temperature":0,`), body[1:]...)
		}
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		req.ContentLength = int64(len(body))
	}
	resp, err := t.next.RoundTrip(req)
	if err == nil && resp.StatusCode >= 400 {
		if h, ok := req.Context().Value(heardKey{}).(*heard); ok {
			h.retryAfter = retryAfter(resp.Header)
		}
	}
	return resp, err
}

func hasTemperature(body []byte) bool {
	for name := range codec.Members(body) {
		if name == "temperature" {
			return true
		}
	}
	return false
}

// retryAfter reads the pause a server asks for: seconds or a date, or OpenAI's milliseconds.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	when, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	// The server's own clock, so that none is needed here.
	if now, err := http.ParseTime(h.Get("Date")); err == nil && when.After(now) {
		return when.Sub(now)
	}
	return 0
}
