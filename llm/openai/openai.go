// Package openai asks models behind any OpenAI-compatible endpoint.
//
// It adds what the client library leaves to its users. A RoundTripper writes the members of the body that the library drops or rejects: temperature 0 (which
// the library omits, so the server would use 1), the real model name (the library rejects some prefixes of names before sending), max_tokens or
// max_completion_tokens, and base64 vectors, read in either form. It reads the headers that the library ignores (Retry-After, X-Should-Retry, Date). Around it,
// failed calls are retried with growing pauses and jitter or after the pause that the server requests; calls are limited in concurrency, requests and tokens;
// each attempt has a time limit; an answer without a choice is an error; and the key appears in no error and no answer.
//
// If a server rejects a parameter, the request is repeated once without it. The client remembers this and reports it in Response.Adapted, since a judge at
// another temperature is another judge.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"membench/llm"

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
	MaxPause   time.Duration // longest pause of our own; a Retry-After is waited for as long as MaxElapsed allows; default 1 minute

	Concurrent      int     // calls at once; 0: no limit
	PerMinute       float64 // requests a minute, attempts included; 0: no limit
	TokensPerMinute float64 // input and the longest answer, as estimated before the call; 0: no limit

	// Embeddings only.
	Dimensions int // 0: the model's own; also checked on each answer when set
	Batch      int // texts a call; default 64

	Budget  *llm.Budget  // asked before every attempt; nil: no limits
	Breaker *llm.Breaker // of the endpoint, shared by its clients; default: one of its own

	Clock     llm.Clock         // required
	Transport http.RoundTripper // default: the package's own, for all clients
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
	o.Key = cmp.Or(o.Key, noKey)
	o.BaseURL = cmp.Or(o.BaseURL, DefaultURL)
	if o.Transport == nil {
		o.Transport = ours()
	}
	return o
}

// ours is the transport of all clients: heads of answers are short, and as many connections
// are kept as calls may be under way.
var ours = sync.OnceValue(func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxResponseHeaderBytes, t.MaxIdleConns, t.MaxIdleConnsPerHost = maxHead, 256, 128
	return t
})

// DefaultURL is OpenAI's own endpoint.
const DefaultURL = "https://api.openai.com/v1"

const noKey = "no-key"

// A Client is a generator and an embedder. Several goroutines may use it at once.
type Client struct {
	o        Options
	api      *openai.Client
	plain    *http.Client  // without the library
	slots    chan struct{} // nil: no limit
	requests *rate.Limiter // nil: no limit
	tokens   *rate.Limiter // nil: no limit

	mu     sync.Mutex
	shapes shape // parameters that the endpoint accepts, as far as known
	dim    int   // of the vectors, as the first answer had it
}

var (
	_ llm.Generator = (*Client)(nil)
	_ llm.Embedder  = (*Client)(nil)
	_ llm.Metered   = (*Client)(nil)
)

// New makes a client. It does not call the endpoint.
func New(o Options) (*Client, error) {
	o = o.withDefaults()
	if o.Model == "" {
		return nil, errors.New("no model named: give the name that the endpoint uses")
	}
	if o.Clock.Now == nil || o.Clock.Sleep == nil || o.Clock.Random == nil {
		return nil, errors.New("no clock given")
	}
	u, err := CheckURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if o.Breaker == nil {
		o.Breaker = llm.NewBreaker(o.BaseURL, o.Clock, nil)
	}
	cfg := openai.DefaultConfig(o.Key)
	cfg.BaseURL = strings.TrimRight(o.BaseURL, "/")
	c := &Client{o: o, shapes: firstShape(u.Hostname())}
	// Each attempt has its own limit through its context; the client itself has none.
	// An endpoint that sends its callers elsewhere would be given the key there.
	cfg.HTTPClient = &http.Client{Transport: transport{o.Transport}, CheckRedirect: sameHost}
	c.api, c.plain = openai.NewClientWithConfig(cfg), &http.Client{Transport: o.Transport, CheckRedirect: sameHost}
	if o.Concurrent > 0 {
		c.slots = make(chan struct{}, o.Concurrent)
	}
	if o.PerMinute > 0 {
		c.requests = rate.NewLimiter(rate.Limit(o.PerMinute/60), 1)
	}
	if o.TokensPerMinute > 0 {
		c.tokens = rate.NewLimiter(rate.Limit(o.TokensPerMinute/60), max(1, int(o.TokensPerMinute)))
	}
	return c, nil
}

// CheckURL wants a base URL as endpoints have it: no key, password or query in it.
func CheckURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("base URL: want http://host/v1 or https://host/v1, have %q", ShowURL(s))
	case u.User != nil:
		return nil, errors.New("base URL holds a user or password: give the key in the environment")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("base URL holds a query: want the address up to /v1, have %q and more", ShowURL(s))
	}
	return u, nil
}

func sameHost(req *http.Request, via []*http.Request) error {
	if req.URL.Host != via[0].URL.Host || len(via) > 3 {
		return fmt.Errorf("the endpoint redirects to %s: if that is right, give that address as base URL", ShowURL(req.URL.String()))
	}
	return nil
}

// ShowURL drops user, password and query of an address before it is shown.
func ShowURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "(not a URL)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// Model is the name records carry.
func (c *Client) Model() string { return c.o.Model }

// anyModel is the model's name for the library: it rejects requests by
// prefixes of model names. The transport puts the real name into the body.
const anyModel = "model"

// jsonWord satisfies endpoints that require the word JSON in a prompt for JSON mode.
const jsonWord = "Answer with one JSON object."

// Generate asks for one answer.
func (c *Client) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	if r.Score != "" {
		return c.score(ctx, r)
	}
	start := c.o.Clock.Now()
	if r.MaxTokens == 0 { // a limit is sent to the endpoint if the budget needs one
		r.MaxTokens = c.o.Budget.Limit()
	}
	a, u, got, err := c.chat(r).call(ctx, c)
	if err != nil {
		return llm.Response{}, err
	}
	return llm.Response{
		Text: c.redactKey(string(a.text)), Model: cmp.Or(a.model, c.o.Model), Truncated: a.finish == openai.FinishReasonLength,
		Adapted: got.adapted(r), Elapsed: c.o.Clock.Now().Sub(start), Usage: u.Add(got.lost),
	}, nil
}

// chat is a question whose answer is a text.
func (c *Client) chat(r llm.Request) ask[chatAnswer] {
	input := r.System + "\n" + r.Prompt
	q := ask[chatAnswer]{purpose: r.Purpose, model: c.o.Model, input: input + string(r.Schema), limit: r.MaxTokens}
	q.do = func(ctx context.Context, s shape) (chatAnswer, llm.Usage, error) {
		req := openai.ChatCompletionRequest{Model: anyModel}
		if s := s.system(r); s != "" {
			req.Messages = append(req.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: s})
		}
		req.Messages = append(req.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: r.Prompt})
		h := ctx.Value(heardKey{}).(*heard)
		h.members = s.members(c.o.Model, r)
		h.want, h.limit = wantChat, r.MaxTokens
		if _, err := c.api.CreateChatCompletion(ctx, req); err != nil {
			return chatAnswer{}, llm.Usage{}, err
		}
		a := h.chat
		a.leaveThoughts()
		return a, c.usage(a.usage, input, string(slices.Concat(a.thoughts, a.tools, a.text)), r.MaxTokens), a.check()
	}
	q.neutral = func() ask[chatAnswer] {
		n := r // limit and form stay
		n.System, n.Prompt = "", neutralText
		return c.chat(n)
	}
	return q
}

// usage returns the endpoint's report if it is plausible: a text has at least one token per 40 bytes and, with some room for a chat template, at most two per
// byte; an answer is not longer than its limit. Otherwise the usage is estimated.
func (c *Client) usage(u openai.Usage, input, output string, limit int) llm.Usage {
	in, out := u.PromptTokens, u.CompletionTokens
	few := func(n int, s string) bool { return n < len(s)/40 || n < 0 || n == 0 && s != "" }
	if few(in, input) || in > 2*len(input)+2000 || few(out, output) || limit > 0 && out > limit+limit/4+64 {
		return llm.EstimateUsage(input, output)
	}
	got := llm.Usage{Calls: 1, InputTokens: in, OutputTokens: out}
	if d := u.PromptTokensDetails; d != nil && d.CachedTokens > 0 && d.CachedTokens <= in {
		got.CachedTokens = d.CachedTokens
	}
	return got
}

// Embed returns one vector per text, in order. Vectors are as the endpoint gave them.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out, err := c.EmbedMetered(ctx, texts)
	return out.Vectors, err
}

// EmbedMetered is Embed with its usage. On an error it holds the usage of the
// batches that were answered.
func (c *Client) EmbedMetered(ctx context.Context, texts []string) (llm.Embedding, error) {
	var out llm.Embedding
	out.Vectors = make([][]float32, 0, len(texts))
	for i, t := range texts {
		if t == "" {
			return out, &llm.Error{Purpose: llm.PurposeEmbed, Kind: llm.KindRequest, Err: fmt.Errorf("text %d is empty: endpoints refuse that", i)}
		}
	}
	for len(texts) > 0 {
		batch := texts[:min(c.o.Batch, len(texts))]
		texts = texts[len(batch):]
		vectors, u, got, err := c.embedding(batch).call(ctx, c)
		if err == nil {
			out.Usage = out.Usage.Add(u).Add(got.lost)
		}
		out.Paid = out.Usage
		if err != nil {
			out.Vectors = nil
			return out, err
		}
		out.Vectors = append(out.Vectors, vectors...)
	}
	return out, nil
}

// embedding is a request for the vectors of a batch.
func (c *Client) embedding(batch []string) ask[[][]float32] {
	input := strings.Join(batch, "\n")
	q := ask[[][]float32]{purpose: llm.PurposeEmbed, model: c.Profile(), input: input}
	q.do = func(ctx context.Context, s shape) ([][]float32, llm.Usage, error) {
		req := openai.EmbeddingRequestStrings{Input: batch, Model: anyModel, Dimensions: c.o.Dimensions, EncodingFormat: openai.EmbeddingEncodingFormatFloat}
		h := ctx.Value(heardKey{}).(*heard)
		h.members = s.embedMembers(c.o.Model)
		h.want, h.texts = wantVectors, len(batch)
		resp, err := c.api.CreateEmbeddings(ctx, req)
		if err != nil {
			return nil, llm.Usage{}, err
		}
		u := llm.Usage{Calls: 1, InputTokens: resp.Usage.PromptTokens}
		if u.InputTokens < len(input)/40 || u.InputTokens <= 0 || u.InputTokens > 2*len(input)+16*len(batch)+64 {
			u = llm.EstimateUsage(input, "")
		}
		vectors, err := inOrder(h.vectors, len(batch), c.o.Dimensions)
		if err == nil {
			err = c.sameLength(len(vectors[0]))
		}
		return vectors, u, err
	}
	q.neutral = func() ask[[][]float32] { return c.embedding([]string{"OK"}) }
	return q
}

// sameLength requires all vectors to be as long as the first one: a model has one length.
func (c *Client) sameLength(dim int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dim = cmp.Or(c.dim, dim)
	if dim != c.dim {
		return malformed("vectors have %d dimensions, those of earlier answers %d", dim, c.dim)
	}
	return nil
}

// Profile is the model's name, and the dimensions where they are set.
func (c *Client) Profile() string {
	if c.o.Dimensions > 0 {
		return c.o.Model + "/" + strconv.Itoa(c.o.Dimensions)
	}
	return c.o.Model
}
