package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"membench/internal/codec"

	"github.com/sashabaranov/go-openai"
)

// chatAnswer is an endpoint's answer in any form: one JSON object, a stream of events even if none was requested, a text in parts.
type chatAnswer struct {
	model    string
	choices  int
	text     []byte
	refusal  string
	thoughts []byte // reasoning in addition to the text: paid for, but never an answer
	tools    []byte // calls of tools, raw: paid for, never an answer
	finish   openai.FinishReason
	usage    openai.Usage
	left     int  // bytes of text, thoughts and calls that may still come
	index    int  // of the choice that is read
	tells    bool // why it ends, or that it does not
}

// errFull reports that an answer is longer than the request allows.
var errFull = fmt.Errorf("%w: longer than the token limit allows", errTooLarge)

// mostText is the longest text, in bytes, that an answer of this many tokens may have. Of one
// without a limit 128 KiB, some 32,000 tokens, are read, of one with a high limit up to 144.
func mostText(limit int) int {
	if limit > 0 && limit < 2<<10 {
		return 1<<16 + 32*limit
	}
	return min(max(1<<17, 8*limit), 144<<10)
}

// longestName is how much of a model's name is kept, in bytes.
const longestName = 200

// add appends to the kept part of the answer.
func (a *chatAnswer) add(to *[]byte, s string) error {
	if a.left -= len(s); a.left < 0 {
		return errFull
	}
	*to = append(*to, s...)
	return nil
}

// one reads an answer, or one event of a stream, and returns the error in it, if any.
func (a *chatAnswer) one(c *codec.Reader) (fault []byte, err error) {
	var said failure
	choices := 0
	err = c.Object(func(name string) (err error) {
		switch name {
		case "model":
			var model string
			model, _, err = c.Text()
			a.model = cmp.Or(a.model, model[:min(len(model), longestName)])
		case "error", "detail":
			err = said.read(c, name)
		case "usage":
			var raw []byte
			var u openai.Usage
			if raw, err = c.Raw(); err == nil && string(raw) != "null" && codec.Unmarshal(raw, &u) == nil {
				a.usage = u
			}
		case "choices":
			if k := c.Kind(); k != '[' && k != 'n' {
				return malformed("choices is not an array")
			}
			err = c.Array(func() error {
				if choices++; choices > 1 { // only the first counts: one was asked for
					return c.Skip()
				}
				return a.choice(c)
			})
		}
		return err
	}, "model", "error", "detail", "usage", "choices")
	a.choices = max(a.choices, choices)
	if err != nil || choices > 0 {
		return nil, err
	}
	return said.told, nil
}

// failure is the error in an answer: its member error, or detail.
type failure struct{ told []byte }

func (f *failure) read(c *codec.Reader, name string) error {
	raw, err := c.Raw()
	if err == nil && !none(raw) && (name == "error" || f.told == nil) {
		f.told = raw
	}
	return err
}

// choice reads a choice. In a stream where there are several the first counts.
func (a *chatAnswer) choice(c *codec.Reader) error {
	was, index, finish := *a, a.index, ""
	err := c.Object(func(name string) error {
		switch name {
		case "index":
			x, ok, err := c.Number()
			if ok {
				index = int(x)
			}
			return err
		case "message", "delta":
			return a.message(c)
		}
		s, _, err := c.Text()
		if name == "finish_reason" {
			finish, a.tells = s, true
			return err
		}
		return cmp.Or(err, a.add(&a.text, s))
	}, "index", "finish_reason", "text", "message", "delta")
	if was.choices > 0 && index > a.index { // another one's
		*a = was
		return err
	}
	if was.choices > 0 && index < a.index { // it was another one until now
		a.text, a.thoughts, a.tools, a.finish = a.text[len(was.text):], a.thoughts[len(was.thoughts):], a.tools[len(was.tools):], ""
	}
	a.index, a.finish = index, openai.FinishReason(cmp.Or(finish, string(a.finish)))
	return err
}

// blank reports whether a text shows nothing: blanks and marks without width are not answers.
func blank(text []byte) bool {
	return len(bytes.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r) })) == 0
}

func (a *chatAnswer) message(c *codec.Reader) error {
	return c.Object(func(name string) error {
		switch name {
		case "content":
			if c.Kind() == '[' {
				return c.Array(func() error { return a.part(c) })
			}
			s, _, err := c.Text()
			return cmp.Or(err, a.add(&a.text, s))
		case "refusal":
			s, _, err := c.Text()
			a.refusal += s[:min(len(s), max(0, 1000-len(a.refusal)))]
			return err
		case "reasoning", "reasoning_content":
			s, _, err := c.Text()
			return cmp.Or(err, a.add(&a.thoughts, s))
		}
		raw, err := c.Raw()
		if err != nil || none(raw) {
			return err
		}
		return a.add(&a.tools, string(raw))
	}, "content", "refusal", "reasoning", "reasoning_content", "tool_calls", "function_call")
}

// part reads a part of a content: one of type text is the answer, others are thoughts.
func (a *chatAnswer) part(c *codec.Reader) error {
	kind, text := "", ""
	err := c.Object(func(name string) error {
		s, _, err := c.Text()
		if name == "type" {
			kind = s
		} else {
			text += s
		}
		return err
	}, "type", "text", "thinking")
	to := &a.thoughts
	if kind == "text" || kind == "output_text" || kind == "" {
		to = &a.text
	}
	return cmp.Or(err, a.add(to, text))
}

// leaveThoughts takes a model's thoughts, where a server leaves them in the text, off the
// answer. Without an end they are all of it.
func (a *chatAnswer) leaveThoughts() {
	s := bytes.TrimSpace(a.text)
	if !bytes.HasPrefix(s, []byte("<think>")) {
		return
	}
	thoughts, rest, _ := bytes.Cut(s, []byte("</think>"))
	a.thoughts, a.text = append(a.thoughts, thoughts...), bytes.TrimSpace(rest)
}

// none reports whether a JSON value is empty.
func none(raw []byte) bool {
	s := string(raw)
	return s == "" || s == "null" || s == "[]" || s == "{}"
}

// textIn returns a JSON string's text, "" for any other value.
func textIn(raw []byte) string {
	if len(raw) > 0 && raw[0] == '"' {
		return codec.Unquote(raw)
	}
	return ""
}

// takeChat reads an answer, and leaves the library nothing to read.
func (h *heard) takeChat(resp *http.Response) (*http.Response, error) {
	defer resp.Body.Close()
	h.chat.left = mostText(h.limit)
	longest := 6*h.chat.left + 1<<16 // a text is written with six bytes for one at most
	body := bufio.NewReader(&capped{resp.Body, maxStream})
	skipMark(body)
	take := h.takeObject
	if isStream(resp.Header, body) {
		take = h.takeStream
	}
	fault, err := take(body, longest)
	switch {
	case err != nil:
		return nil, err
	case fault != nil:
		return h.refuse(resp, fault), nil
	}
	return replace(resp, []byte(`{"choices":[]}`)), nil
}

func (h *heard) takeObject(body *bufio.Reader, longest int) (fault []byte, err error) {
	c := codec.NewReader(&capped{body, maxChat}, longest)
	if c.Kind() != '{' {
		return nil, notJSON(cmp.Or(c.Skip(), malformed("the answer is not a JSON object")))
	}
	if fault, err = h.chat.one(c); err == nil {
		err = c.End()
	}
	return fault, notJSON(err)
}

// notJSON returns the error of an answer that violates the protocol, unless the answer was too long or broke off.
func notJSON(err error) error {
	var syntax *codec.Error
	switch {
	case errors.Is(err, codec.ErrLong):
		return fmt.Errorf("%w: %w", errTooLarge, err)
	case errors.As(err, &syntax):
		return fmt.Errorf("%w: %w", errNotJSON, err)
	}
	return err
}

// isStream reports whether events are sent, said so or not.
func isStream(head http.Header, body *bufio.Reader) bool {
	start, _ := body.Peek(16)
	start = bytes.TrimSpace(start)
	if strings.HasPrefix(head.Get("Content-Type"), "text/event-stream") && !bytes.HasPrefix(start, []byte("{")) {
		return true
	}
	return bytes.HasPrefix(start, []byte("data:"))
}

// skipMark reads past a byte order mark.
func skipMark(body *bufio.Reader) {
	if start, _ := body.Peek(3); string(start) == "\ufeff" {
		_, _ = body.Discard(3)
	}
}

// takeStream joins the events of a stream. A stream without a reason for its end was truncated; so was one that [DONE] ends although each event announced more.
func (h *heard) takeStream(body *bufio.Reader, longest int) (fault []byte, err error) {
	sc := bufio.NewScanner(body)
	sc.Buffer(nil, longest)
	sc.Split(eventLine)
	event := bytes.NewReader(nil)
	c := codec.NewReader(event, longest)
	done := false
	for !done && sc.Scan() {
		data, ok := bytes.CutPrefix(sc.Bytes(), []byte("data:"))
		data = bytes.TrimSpace(data)
		switch {
		case !ok || len(data) == 0:
			continue
		case string(data) == "[DONE]":
			done = true
			continue
		}
		event.Reset(data)
		c.Reset(event)
		if fault, err = h.chat.one(c); err == nil {
			err = c.End()
		}
		if fault != nil || err != nil {
			return fault, notJSON(err)
		}
	}
	switch {
	case errors.Is(sc.Err(), bufio.ErrTooLong):
		return nil, fmt.Errorf("%w: an event over %d bytes", errTooLarge, longest)
	case sc.Err() != nil:
		return nil, sc.Err()
	case h.chat.finish == "" && (h.chat.tells || !done):
		return nil, malformed("the stream of the answer broke off")
	}
	return nil, nil
}

// eventLine cuts a stream of events into lines, which end with CR, LF or both.
func eventLine(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexAny(data, "\r\n"); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// refuse gives the library the error that is in an answer with status 200 as a refusal, with the status that corresponds to its code or its words.
func (h *heard) refuse(resp *http.Response, fault []byte) *http.Response {
	message, code := textIn(fault), ""
	if fault[0] == '{' {
		var e struct {
			Message string          `json:"message"`
			Code    json.RawMessage `json:"code"`
			Status  json.RawMessage `json:"status"`
		}
		if codec.Unmarshal(fault, &e) != nil {
			message = string(fault)
		}
		message = cmp.Or(e.Message, message)
		code = cmp.Or(strings.Trim(string(e.Code), `"`), strings.Trim(string(e.Status), `"`))
	}
	if message == "" {
		message = string(fault[:min(len(fault), 1000)])
	}
	h.status = statusFor(code, message)
	resp.StatusCode = h.status
	b := append([]byte(`{"error":{"message":`), codec.AppendString(nil, message)...)
	return replace(resp, append(append(append(b, `,"code":`...), codec.AppendString(nil, code)...), "}}"...))
}

// statusFor is the HTTP status that corresponds to an error's code or words.
func statusFor(code, message string) int {
	if n, err := strconv.Atoi(code); err == nil && n >= 400 && n <= 599 {
		return n
	}
	words := strings.ToLower(code + " " + message)
	for _, x := range []struct {
		words  []string
		status int
	}{
		{[]string{"content_filter", "content_policy"}, http.StatusBadRequest},
		{[]string{"insufficient_quota", "insufficient balance", "insufficient credit"}, http.StatusPaymentRequired},
		{[]string{"rate limit", "rate_limit", "too many requests", "resource_exhausted"}, http.StatusTooManyRequests},
		{[]string{"api key", "api_key", "unauthorized", "authentication"}, http.StatusUnauthorized},
		{[]string{"context_length", "context length", "too long"}, http.StatusBadRequest},
		{[]string{"model_not_found", "does not exist", "no such model"}, http.StatusNotFound},
	} {
		for _, w := range x.words {
			if strings.Contains(words, w) {
				return x.status
			}
		}
	}
	return http.StatusServiceUnavailable
}
