package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"membench/internal/codec"
)

// heard travels in an attempt's context: the members that the transport writes into the body, and what it reads from the answer.
type heard struct {
	members []member
	want    want
	limit   int // of the answer in tokens, 0: none
	texts   int // that vectors are asked for

	sent       atomic.Bool // the request left: a lost answer may have been paid
	status     int
	retryAfter time.Duration
	again      string // X-Should-Retry
	vectors    []indexed
	chat       chatAnswer
	spelled    []spelled // tokens of a completion, in llama.cpp's form
	learned    bool      // the refusal of a parameter, not of the question
}

// want is the form in which an answer is parsed.
type want uint8

const (
	wantNothing want = iota
	wantChat
	wantVectors
	wantScore
)

type heardKey struct{}

// transport fixes requests and listens to answers.
type transport struct{ next http.RoundTripper }

// Limits of an answer's length in bytes. Longer answers are cut off, so that an endpoint cannot determine how much memory a run uses. Of answers and vectors
// only the relevant parts are held while they are read.
const (
	maxVectors = 48 << 20 // 2,048 vectors of 2,048 numbers as text
	maxChat    = 8 << 20
	maxStream  = 64 << 20 // a token of a text has an event of 200 bytes around it
	maxScore   = 2 << 20
	maxRefusal = 64 << 10
	maxHead    = 64 << 10

	mostNumbers = 1 << 14 // of a vector
)

var errTooLarge = errors.New("the answer is too long")

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	h, _ := req.Context().Value(heardKey{}).(*heard)
	if h == nil {
		return t.next.RoundTrip(req)
	}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		body = rewrite(body, h.members)
		// Only a request whose head was written can have been paid for.
		left := &httptrace.ClientTrace{WroteHeaders: func() { h.sent.Store(true) }}
		req = req.Clone(httptrace.WithClientTrace(req.Context(), left))
		req.Body = io.NopCloser(bytes.NewReader(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		req.ContentLength = int64(len(body))
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	h.sent.Store(true) // transports of tests trace nothing
	h.status = resp.StatusCode
	h.retryAfter, h.again = retryAfter(resp.Header), resp.Header.Get("X-Should-Retry")
	if resp.StatusCode >= 400 {
		body, err := readMost(resp.Body, maxRefusal)
		if err != nil && !errors.Is(err, errTooLarge) {
			body = []byte(err.Error())
		}
		return replace(resp, body), nil
	}
	switch h.want {
	case wantVectors:
		return h.takeVectors(resp)
	case wantChat:
		return h.takeChat(resp)
	case wantScore: // the library reads it
		body, err := readMost(resp.Body, maxScore)
		if err != nil {
			return nil, err
		}
		var a chatAnswer
		if fault, err := a.one(codec.NewReader(bytes.NewReader(body), maxScore)); err == nil && fault != nil {
			return h.refuse(resp, fault), nil
		}
		if a.choices > 1 {
			return nil, malformed("the answer has %d choices, want one", a.choices)
		}
		h.spelled = spelledIn(body)
		return replace(resp, body), nil
	}
	return resp, nil
}

// spelled is one token that was generated.
type spelled struct {
	Token   string  `json:"token"`
	LogProb float64 `json:"logprob"`
}

func spelledIn(body []byte) []spelled {
	var a struct {
		Choices []struct {
			LogProbs struct {
				Content []spelled `json:"content"`
			} `json:"logprobs"`
		} `json:"choices"`
	}
	if codec.Unmarshal(bytes.TrimSpace(body), &a) != nil || len(a.Choices) == 0 {
		return nil
	}
	return a.Choices[0].LogProbs.Content
}

// capped limits a stream to left bytes.
type capped struct {
	r    io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		if n, err := c.r.Read(make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, errTooLarge
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// readMost reads at most n bytes of a body and closes it; a longer body gives an error together with its beginning.
func readMost(r io.ReadCloser, n int64) ([]byte, error) {
	defer r.Close()
	body, err := io.ReadAll(io.LimitReader(r, n+1))
	if err == nil && int64(len(body)) > n {
		return body[:n], fmt.Errorf("%w: over %d bytes", errTooLarge, n)
	}
	return body, err
}

// replace gives the library another body.
func replace(resp *http.Response, body []byte) *http.Response {
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	resp.Header.Set("Content-Type", "application/json")
	return resp
}

// rewrite writes members into a body: in place of a member of that name, or at the end; a nil value removes it.
func rewrite(body []byte, members []member) []byte {
	out := []byte{'{'}
	put := func(name string, value []byte) {
		if value == nil {
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(codec.AppendString(out, name), ':'), value...)
	}
	done := make([]bool, len(members))
	for name, value := range codec.Members(body) {
		if i := slices.IndexFunc(members, func(m member) bool { return m.name == name }); i >= 0 {
			done[i], value = true, members[i].value
		}
		put(name, value)
	}
	for i, m := range members {
		if !done[i] {
			put(m.name, m.value)
		}
	}
	return append(out, '}')
}

// indexed is one vector of an answer.
type indexed struct {
	index  int
	vector []float32
}

// takeVectors reads the vectors, as numbers or base64, whichever the server chose,
// and leaves the library the rest of the answer.
func (h *heard) takeVectors(resp *http.Response) (*http.Response, error) {
	defer resp.Body.Close()
	body := bufio.NewReader(&capped{resp.Body, maxVectors})
	skipMark(body)
	c := codec.NewReader(body, 8*mostNumbers)
	if c.Kind() != '{' {
		return nil, notJSON(cmp.Or(c.Skip(), malformed("the answer is not a JSON object")))
	}
	var said failure
	var usage []byte
	model := ""
	err := c.Object(func(name string) (err error) {
		switch name {
		case "model":
			model, _, err = c.Text()
		case "error", "detail":
			err = said.read(c, name)
		case "usage":
			usage, err = c.Raw()
		case "data":
			err = c.Array(func() error { return h.takeVector(c) })
		}
		return err
	}, "model", "error", "detail", "usage", "data")
	if err == nil {
		err = c.End()
	}
	if err != nil {
		return nil, notJSON(err)
	}
	if said.told != nil && len(h.vectors) == 0 {
		return h.refuse(resp, said.told), nil
	}
	var u struct {
		PromptTokens int `json:"prompt_tokens"`
		TotalTokens  int `json:"total_tokens"`
	}
	if !none(usage) && codec.Unmarshal(usage, &u) != nil {
		u.PromptTokens, u.TotalTokens = 0, 0 // it is estimated
	}
	rest := fmt.Appendf(nil, `{"object":"list","data":[],"model":%s,"usage":{"prompt_tokens":%d,"total_tokens":%d}}`,
		codec.AppendString(nil, model[:min(len(model), longestName)]), u.PromptTokens, u.TotalTokens)
	return replace(resp, rest), nil
}

func (h *heard) takeVector(c *codec.Reader) error {
	if len(h.vectors) == h.texts {
		return malformed("more vectors than the %d that were asked for", h.texts)
	}
	got := indexed{index: len(h.vectors)} // some servers give no index
	err := c.Object(func(name string) (err error) {
		if name == "index" {
			x, ok, err := c.Number()
			if err == nil && ok && x == math.Trunc(x) && math.Abs(x) < 1<<31 {
				got.index = int(x)
			} else if err == nil && ok {
				return malformed("index %v is not a whole number", x)
			}
			return err
		}
		got.vector, err = readVector(c)
		return err
	}, "index", "embedding")
	h.vectors = append(h.vectors, got)
	return err
}

var errNotJSON = errors.New("the answer is not JSON of the protocol")

// readVector reads an array of numbers, or the base64 of little-endian float32s.
func readVector(c *codec.Reader) (v []float32, err error) {
	switch c.Kind() {
	case '"':
		s, _, err := c.Text()
		if err != nil {
			return nil, err
		}
		raw, err := base64.StdEncoding.DecodeString(s)
		if err != nil || len(raw)%4 != 0 || len(raw) > 4*mostNumbers {
			return nil, malformed("a vector of %d bytes is not base64 of at most %d float32s", len(raw), mostNumbers)
		}
		v = make([]float32, len(raw)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return v, nil
	case '[':
		err = c.Array(func() error {
			if len(v) == mostNumbers {
				return malformed("a vector of more than %d numbers", mostNumbers)
			}
			x, ok, err := c.Number()
			if err == nil && !ok {
				err = malformed("number %d of a vector is not a number", len(v))
			}
			v = append(v, float32(x))
			return err
		})
		return v, err
	}
	return nil, malformed("a vector is neither an array nor base64")
}

// inOrder puts vectors at their indexes: one for each text, of one length, of numbers.
func inOrder(got []indexed, n, dim int) ([][]float32, error) {
	out := make([][]float32, n)
	for _, d := range got {
		switch {
		case d.index < 0 || d.index >= n || out[d.index] != nil:
			return nil, malformed("index %d is out of range or given twice, want 0 to %d once each", d.index, n-1)
		case len(d.vector) == 0 || dim > 0 && len(d.vector) != dim:
			return nil, malformed("vector %d: have %d dimensions, want %s", d.index, len(d.vector), dimWant(dim))
		}
		for _, x := range d.vector {
			if x != x || math.IsInf(float64(x), 0) {
				return nil, malformed("vector %d holds %v", d.index, x)
			}
		}
		out[d.index] = d.vector
	}
	for i, v := range out {
		if v == nil || len(v) != len(out[0]) {
			return nil, malformed("have no vector for text %d, or one of another length, want %d of one length", i, n)
		}
	}
	return out, nil
}

func dimWant(dim int) string {
	if dim == 0 {
		return "some"
	}
	return strconv.Itoa(dim)
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
	// The server's own clock: ours may be wrong.
	if now, err := http.ParseTime(h.Get("Date")); err == nil && when.After(now) {
		return when.Sub(now)
	}
	return 0
}
