package cassette

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"membench/internal/codec"
	"membench/llm"
)

// keyOf hashes texts, each with its length, so that no two lists collide by chance.
func keyOf(parts ...string) Key {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return Key(h.Sum(nil)[:16])
}

// ChatKey is the address of a question to a model.
func ChatKey(model string, r llm.Request) Key {
	if r.Score != "" {
		return keyOf("score/1", model, r.Prompt, r.Score)
	}
	return keyOf("chat/1", model, r.System, r.Prompt, strconv.FormatFloat(r.Temperature, 'g', -1, 64), strconv.Itoa(r.MaxTokens),
		strconv.FormatBool(r.WantsJSON()), string(r.Schema), strconv.Itoa(r.Sample))
}

// VectorKey is the address of a text's vector.
func VectorKey(profile, text string) Key { return keyOf("embed/1", profile, text) }

// answer is a chat record's JSON.
type answer struct {
	Model     string        `json:"model"` // asked
	Purpose   string        `json:"purpose,omitzero"`
	Text      string        `json:"text"`
	Answered  string        `json:"answered,omitzero"` // where it differs
	Truncated bool          `json:"truncated,omitzero"`
	Adapted   string        `json:"adapted,omitzero"`
	Millis    int64         `json:"elapsed_ms,omitzero"`
	Usage     llm.Usage     `json:"usage"`
	Failed    *failedAnswer `json:"failed,omitzero"` // a lasting failure in place of a text
}

type failedAnswer struct {
	Kind    llm.Kind `json:"kind"`
	Status  int      `json:"status,omitzero"`
	Message string   `json:"message"`
}

// vectorHead is a vector record's JSON; the numbers follow.
type vectorHead struct {
	Model string    `json:"model"`
	Dim   int       `json:"dim"`
	Usage llm.Usage `json:"usage"` // this text's share of the call
}

// Generator is g with the cassette in front of it. g of a replay may be Absent.
func (c *Cassette) Generator(g llm.Generator) llm.Generator {
	if c == nil {
		return g
	}
	return generator{c, g}
}

type generator struct {
	c *Cassette
	g llm.Generator
}

func (w generator) Model() string         { return w.g.Model() }
func (w generator) Unwrap() llm.Generator { return w.g }

func (w generator) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	c := w.c
	k := ChatKey(w.g.Model(), r)
	for {
		c.mu.Lock()
		if p, ok := c.find(k); ok {
			c.stats.Hits++
			c.mu.Unlock()
			if c.mode == Cache && p.off < c.start {
				llm.Kept(ctx, func() { c.forget(k) })
			}
			return c.chat(p, r.Purpose, true)
		}
		f := c.flights[k]
		if f == nil {
			f = &flight{done: make(chan struct{})}
			c.flights[k] = f
			c.mu.Unlock()
			resp, err := w.ask(ctx, k, r)
			c.land(f, err, k)
			return resp, err
		}
		c.mu.Unlock()
		select {
		case <-f.done:
		case <-ctx.Done():
			return llm.Response{}, &llm.Error{Purpose: r.Purpose, Kind: llm.KindCanceled, Err: ctx.Err()}
		}
		// The other's failure is ours: asking at once again would only pay again.
		if f.err != nil && llm.KindOf(f.err) != llm.KindCanceled && !llm.Lasting(f.err) {
			return llm.Response{}, withoutUsage(f.err)
		}
	}
}

// land ends flights.
func (c *Cassette) land(f *flight, err error, keys ...Key) {
	c.mu.Lock()
	for _, k := range keys {
		delete(c.flights, k)
	}
	c.mu.Unlock()
	f.err = err
	close(f.done)
}

// withoutUsage returns a failure whose usage is counted elsewhere.
func withoutUsage(err error) error {
	var e *llm.Error
	if errors.As(err, &e) {
		shared := *e
		shared.Usage = llm.Usage{}
		return &shared
	}
	return err
}

func (w generator) ask(ctx context.Context, k Key, r llm.Request) (llm.Response, error) {
	c := w.c
	if err := c.mayAsk(r.Purpose, w.g.Model(), k, r.Prompt); err != nil {
		return llm.Response{}, err
	}
	release, err := c.claim(ctx, k)
	if err != nil {
		return llm.Response{}, &llm.Error{Purpose: r.Purpose, Kind: llm.KindCanceled, Err: err}
	}
	defer release()
	c.mu.Lock()
	if p, ok := c.find(k); ok { // another process has asked
		c.stats.Hits++
		c.mu.Unlock()
		return c.chat(p, r.Purpose, true)
	}
	c.mu.Unlock()
	resp, err := w.g.Generate(ctx, r)
	if err != nil && !llm.Lasting(err) {
		return resp, err
	}
	a := answer{Model: w.g.Model(), Purpose: r.Purpose, Text: resp.Text, Answered: resp.Model, Truncated: resp.Truncated,
		Adapted: resp.Adapted, Millis: resp.Elapsed.Milliseconds(), Usage: resp.Usage}
	if a.Answered == a.Model {
		a.Answered = ""
	}
	var e *llm.Error
	if errors.As(err, &e) {
		a.Usage = e.Usage
		a.Failed = &failedAnswer{e.Kind, e.Status, e.Err.Error()}
	}
	body, encErr := codec.Append(nil, a, codec.Compact)
	if encErr != nil { // unreachable: the members are texts and numbers
		return resp, encErr
	}
	if c.keep([]record{{k, kindChat, body}}) != nil {
		return resp, err // paid for, so it is used; the next call is not paid for
	}
	c.mu.Lock()
	p := c.index[k]
	c.mu.Unlock()
	if p.mine {
		return resp, err
	}
	// Another process was faster: its answer is the one that every replay will give.
	theirs, err := c.chat(p, r.Purpose, false)
	theirs.Usage = resp.Usage
	return theirs, err
}

func (c *Cassette) chat(p place, purpose string, cached bool) (llm.Response, error) {
	var a answer
	if err := c.read(p, func(b []byte) error { return codec.Unmarshal(b, &a) }); err != nil {
		return llm.Response{}, &llm.Error{Purpose: purpose, Kind: llm.KindStore, Err: err}
	}
	if a.Failed != nil {
		return llm.Response{}, &llm.Error{Purpose: purpose, Kind: a.Failed.Kind, Status: a.Failed.Status, Err: errors.New(a.Failed.Message)}
	}
	a.Answered = cmp.Or(a.Answered, a.Model)
	return llm.Response{Text: a.Text, Model: a.Answered, Truncated: a.Truncated, Adapted: a.Adapted,
		Elapsed: time.Duration(a.Millis) * time.Millisecond, Usage: a.Usage, Cached: cached}, nil
}

// Embedder returns e with the cassette in front of it. Each text has its own record, independent of the texts that were requested with it.
func (c *Cassette) Embedder(e llm.Embedder) llm.Embedder {
	if c == nil {
		return e
	}
	return embedder{c, e}
}

type embedder struct {
	c *Cassette
	e llm.Embedder
}

func (w embedder) Profile() string      { return w.e.Profile() }
func (w embedder) Unwrap() llm.Embedder { return w.e }

func (w embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out, err := w.EmbedMetered(ctx, texts)
	return out.Vectors, err
}

func (w embedder) EmbedMetered(ctx context.Context, texts []string) (llm.Embedding, error) {
	c := w.c
	out := llm.Embedding{Vectors: make([][]float32, len(texts))}
	at := make(map[Key][]int, len(texts)) // position of a text; a repeated text is requested once
	missing := make([]Key, 0, len(texts))
	for i, t := range texts {
		k := VectorKey(w.e.Profile(), t)
		if at[k] == nil {
			missing = append(missing, k)
		}
		at[k] = append(at[k], i)
	}
	set := func(k Key, v []float32) {
		for _, i := range at[k] {
			out.Vectors[i] = v
		}
	}
	for len(missing) > 0 {
		f := &flight{done: make(chan struct{})}
		var others *flight
		var mine, left []Key
		here := map[Key]place{}
		c.mu.Lock()
		for _, k := range missing {
			p, ok := c.find(k)
			switch g := c.flights[k]; {
			case ok:
				here[k] = p
				c.stats.Hits++
			case g == nil:
				c.flights[k] = f
				mine = append(mine, k)
			default:
				others = g
				left = append(left, k)
			}
		}
		c.mu.Unlock()
		for _, k := range missing {
			p, ok := here[k]
			if !ok {
				continue
			}
			v, u, err := c.vector(p)
			if err != nil {
				c.land(f, err, mine...)
				return llm.Embedding{Paid: out.Paid}, err
			}
			set(k, v)
			out.Usage = out.Usage.Add(u)
			out.Replayed++
		}
		missing = left
		if len(mine) > 0 {
			ask := make([]string, len(mine))
			for n, k := range mine {
				ask[n] = texts[at[k][0]]
			}
			got, err := w.ask(ctx, mine, ask)
			c.land(f, err, mine...)
			if err == errFound {
				missing = append(missing, mine...)
				continue
			}
			out.Usage, out.Paid = out.Usage.Add(got.Usage), out.Paid.Add(got.Paid)
			if err != nil {
				return llm.Embedding{Usage: out.Usage, Paid: out.Paid}, err
			}
			for n, k := range mine {
				set(k, got.Vectors[n])
			}
		}
		if others == nil {
			continue
		}
		select {
		case <-others.done:
		case <-ctx.Done():
			return llm.Embedding{Paid: out.Paid}, &llm.Error{Purpose: llm.PurposeEmbed, Kind: llm.KindCanceled, Err: ctx.Err()}
		}
		if others.err != nil && others.err != errFound && llm.KindOf(others.err) != llm.KindCanceled {
			return llm.Embedding{Paid: out.Paid}, withoutUsage(others.err)
		}
	}
	return out, c.oneLength(w.e.Profile(), out.Vectors)
}

// oneLength wants all vectors of a profile to be of one length: those that are kept may be
// of a model that had the same name, or of an answer that was wrong.
func (c *Cassette) oneLength(profile string, vectors [][]float32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range vectors {
		if c.dims[profile] == 0 {
			c.dims[profile] = len(v)
		}
		if n := c.dims[profile]; len(v) != n {
			return &llm.Error{Purpose: llm.PurposeEmbed, Kind: llm.KindStore, Err: fmt.Errorf("vectors of %s have %d dimensions, others in the cassette or the answer %d: request all of them again with --cassette-mode record, or use another cassette than %s", profile, n, len(v), c.f.Name())}
		}
	}
	return nil
}

// errFound reports that another process has recorded some of the vectors in the meantime.
var errFound = errors.New("recorded by another process")

// anyHere reports whether one of keys has its record.
func (c *Cassette) anyHere(keys []Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(keys, func(k Key) bool { _, ok := c.find(k); return ok })
}

// ask asks for texts that are not here and keeps their vectors.
func (w embedder) ask(ctx context.Context, keys []Key, texts []string) (llm.Embedding, error) {
	c := w.c
	if err := c.mayAsk(llm.PurposeEmbed, w.e.Profile(), keys[0], texts[0]); err != nil {
		return llm.Embedding{}, err
	}
	release, err := c.claim(ctx, keys...)
	if err != nil {
		return llm.Embedding{}, &llm.Error{Purpose: llm.PurposeEmbed, Kind: llm.KindCanceled, Err: err}
	}
	defer release()
	if c.anyHere(keys) { // another process has recorded some: only the rest is requested
		return llm.Embedding{}, errFound
	}
	got, err := llm.Embed(ctx, w.e, texts)
	if err != nil {
		return got, err
	}
	if len(got.Vectors) != len(texts) {
		return got, &llm.Error{Purpose: llm.PurposeEmbed, Kind: llm.KindMalformed, Err: fmt.Errorf("have %d vectors for %d texts", len(got.Vectors), len(texts))}
	}
	records := make([]record, len(texts))
	for i, u := range shares(got.Usage, texts) {
		body, err := codec.Append(nil, vectorHead{w.e.Profile(), len(got.Vectors[i]), u}, codec.Compact)
		if err != nil { // unreachable: the members are texts and numbers
			return got, err
		}
		body = append(body, '\n')
		for _, x := range got.Vectors[i] {
			body = binary.LittleEndian.AppendUint32(body, math.Float32bits(x))
		}
		records[i] = record{keys[i], kindVector, body}
	}
	if c.keep(records) != nil {
		return got, nil // paid for, so they are used; the next call is not paid for
	}
	for i, k := range keys {
		c.mu.Lock()
		p := c.index[k]
		c.mu.Unlock()
		if !p.mine { // another process was faster: every replay will give its vector
			if got.Vectors[i], _, err = c.vector(p); err != nil {
				return got, err
			}
		}
	}
	return got, nil
}

// shares divides a call's usage among its texts by their length; the sum stays.
func shares(u llm.Usage, texts []string) []llm.Usage {
	out := make([]llm.Usage, len(texts))
	whole := 0
	for _, t := range texts {
		whole += len(t) + 1
	}
	seen, given := 0, 0
	for i, t := range texts {
		seen += len(t) + 1
		upTo := int(int64(u.InputTokens) * int64(seen) / int64(whole))
		out[i] = llm.Usage{InputTokens: upTo - given}
		given = upTo
	}
	if len(out) > 0 {
		out[0].Calls, out[0].OutputTokens, out[0].CachedTokens, out[0].Estimated = u.Calls, u.OutputTokens, u.CachedTokens, u.Estimated
	}
	return out
}

func (c *Cassette) vector(p place) (v []float32, u llm.Usage, err error) {
	err = c.read(p, func(b []byte) error {
		v, u, err = parseVector(b)
		return err
	})
	if err != nil {
		return nil, u, &llm.Error{Purpose: llm.PurposeEmbed, Kind: llm.KindStore, Err: err}
	}
	return v, u, nil
}

func parseVector(b []byte) ([]float32, llm.Usage, error) {
	head, numbers, ok := bytes.Cut(b, []byte("\n"))
	var h vectorHead
	if err := codec.Unmarshal(head, &h); err != nil {
		return nil, h.Usage, err
	}
	if !ok || h.Dim < 0 || len(numbers) != 4*h.Dim {
		return nil, h.Usage, fmt.Errorf("a vector of %d bytes, want %d numbers of 4", len(numbers), h.Dim)
	}
	v := make([]float32, h.Dim)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(numbers[4*i:]))
	}
	return v, h.Usage, nil
}

// Absent returns a generator that only has a name: for replay-only, which makes no calls.
func Absent(model string) llm.Generator { return absent(model) }

// AbsentEmbedder is an embedder that only has a profile.
func AbsentEmbedder(profile string) llm.Embedder { return absent(profile) }

type absent string

func (a absent) Model() string   { return string(a) }
func (a absent) Profile() string { return string(a) }

func (a absent) fail(purpose string) error {
	return &llm.Error{Purpose: purpose, Kind: llm.KindMissing, Err: fmt.Errorf("no endpoint for %s", string(a))}
}

func (a absent) Generate(_ context.Context, r llm.Request) (llm.Response, error) {
	return llm.Response{}, a.fail(r.Purpose)
}

func (a absent) Embed(context.Context, []string) ([][]float32, error) {
	return nil, a.fail(llm.PurposeEmbed)
}
