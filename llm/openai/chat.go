package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"membench/internal/codec"

	"github.com/sashabaranov/go-openai"
)

// chatAnswer is what an endpoint said, in whichever form: one JSON object, a stream of
// events though none was asked for, a text in parts.
type chatAnswer struct {
	model    string
	choices  int
	text     []byte
	refusal  string
	thoughts []byte // reasoning beside the text: paid for, never an answer
	tools    []byte // calls of tools, raw: paid for, never an answer
	finish   openai.FinishReason
	usage    openai.Usage
}

// wireAnswer is an answer, or one event of a stream.
type wireAnswer struct {
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"`
	Detail  json.RawMessage `json:"detail"` // errors of FastAPI
	Choices []struct {
		Finish  string      `json:"finish_reason"`
		Message wireMessage `json:"message"`
		Delta   wireMessage `json:"delta"`
		Text    string      `json:"text"`
	} `json:"choices"`
	Usage json.RawMessage `json:"usage"`
}

type wireMessage struct {
	Content   json.RawMessage `json:"content"` // a text, null, or parts
	Refusal   string          `json:"refusal"`
	Reasoning json.RawMessage `json:"reasoning"`
	Thoughts  json.RawMessage `json:"reasoning_content"`
	ToolCalls json.RawMessage `json:"tool_calls"`
	Function  json.RawMessage `json:"function_call"`
}

// take adds an answer, or an event of a stream. Only the first choice counts: one was
// asked for.
func (a *chatAnswer) take(w *wireAnswer) {
	a.model = cmp.Or(a.model, w.Model)
	var u openai.Usage
	if len(w.Usage) > 0 && string(w.Usage) != "null" && codec.Unmarshal(w.Usage, &u) == nil {
		a.usage = u
	}
	if len(w.Choices) == 0 {
		return
	}
	a.choices = max(a.choices, len(w.Choices))
	c := &w.Choices[0]
	a.finish = openai.FinishReason(cmp.Or(c.Finish, string(a.finish)))
	a.text = append(a.text, c.Text...)
	for _, m := range []*wireMessage{&c.Message, &c.Delta} {
		text, thoughts := inParts(m.Content)
		a.text = append(a.text, text...)
		a.refusal += m.Refusal
		a.thoughts = append(a.thoughts, thoughts+textIn(m.Reasoning)+textIn(m.Thoughts)...)
		for _, raw := range [][]byte{m.ToolCalls, m.Function} {
			if s := string(raw); s != "" && s != "null" && s != "[]" {
				a.tools = append(a.tools, s...)
			}
		}
	}
}

// textIn is a JSON text, "" for anything else.
func textIn(raw []byte) string {
	if len(raw) > 0 && raw[0] == '"' {
		return codec.Unquote(raw)
	}
	return ""
}

// inParts reads a content: a text, or parts of which those of type text are the answer.
func inParts(raw []byte) (text, thoughts string) {
	if len(raw) == 0 || raw[0] != '[' {
		return textIn(raw), ""
	}
	var parts []struct {
		Type     string          `json:"type"`
		Text     json.RawMessage `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if codec.Unmarshal(raw, &parts) != nil {
		return "", ""
	}
	for _, p := range parts {
		switch p.Type {
		case "text", "output_text", "":
			text += textIn(p.Text)
		default:
			thoughts += textIn(p.Text) + textIn(p.Thinking)
		}
	}
	return text, thoughts
}

// takeChat reads an answer, and leaves the library nothing to read.
func (h *heard) takeChat(resp *http.Response) (*http.Response, error) {
	body, err := readMost(resp.Body, maxChat)
	if err != nil {
		return nil, err
	}
	if refusal := h.faultInside(body); refusal != nil {
		return h.refuse(resp, refusal), nil
	}
	if isStream(resp.Header, body) {
		refusal, err := h.takeStream(body)
		if err != nil {
			return nil, err
		}
		if refusal != nil {
			return h.refuse(resp, refusal), nil
		}
	} else {
		var w wireAnswer
		if err := codec.Unmarshal(bytes.TrimSpace(body), &w); err != nil {
			return nil, fmt.Errorf("%w: %w", errNotJSON, err)
		}
		h.chat.take(&w)
	}
	return replace(resp, []byte(`{"choices":[]}`)), nil
}

func isStream(head http.Header, body []byte) bool {
	return strings.HasPrefix(head.Get("Content-Type"), "text/event-stream") || bytes.HasPrefix(bytes.TrimSpace(body), []byte("data:"))
}

// takeStream joins the events of a stream. One that breaks off without an end has lost
// its rest: no finish_reason and no [DONE].
func (h *heard) takeStream(body []byte) (refusal []byte, err error) {
	sc := bufio.NewScanner(bytes.NewReader(body))
	sc.Buffer(nil, len(body)+1)
	ended := false
	for sc.Scan() {
		data, ok := bytes.CutPrefix(sc.Bytes(), []byte("data:"))
		data = bytes.TrimSpace(data)
		switch {
		case !ok || len(data) == 0:
			continue
		case string(data) == "[DONE]":
			ended = true
			continue
		}
		if refusal := h.faultInside(data); refusal != nil {
			return refusal, nil
		}
		var w wireAnswer
		if err := codec.Unmarshal(data, &w); err != nil {
			return nil, fmt.Errorf("%w: an event of the stream: %w", errNotJSON, err)
		}
		h.chat.take(&w)
	}
	if !ended && h.chat.finish == "" {
		return nil, malformed("the stream of the answer broke off")
	}
	return nil, nil
}

// faultInside looks for an error in an answer with status 200, without choices or data:
// it takes the status that the error's code, or its words, stand for, and returns the
// body that the library reads as a refusal. nil: there is none.
func (h *heard) faultInside(body []byte) []byte {
	var w struct {
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
		Choices json.RawMessage `json:"choices"`
		Data    json.RawMessage `json:"data"`
	}
	if trimmed := bytes.TrimSpace(body); len(trimmed) == 0 || trimmed[0] != '{' || codec.Unmarshal(trimmed, &w) != nil {
		return nil
	}
	none := func(raw []byte) bool { s := string(raw); return s == "" || s == "null" || s == "[]" || s == "{}" }
	raw := w.Error
	if none(raw) {
		raw = w.Detail
	}
	if none(raw) || !none(w.Choices) || !none(w.Data) {
		return nil
	}
	message, code := textIn(raw), ""
	if raw[0] == '{' {
		var e struct {
			Message string          `json:"message"`
			Code    json.RawMessage `json:"code"`
			Status  json.RawMessage `json:"status"`
		}
		if codec.Unmarshal(raw, &e) != nil {
			message = string(raw)
		}
		message = cmp.Or(e.Message, message)
		code = cmp.Or(strings.Trim(string(e.Code), `"`), strings.Trim(string(e.Status), `"`))
	}
	if message == "" {
		message = string(raw[:min(len(raw), 1000)])
	}
	h.status = statusFor(code, message)
	b := append([]byte(`{"error":{"message":`), codec.AppendString(nil, message)...)
	return append(append(append(b, `,"code":`...), codec.AppendString(nil, code)...), "}}"...)
}

// refuse gives the library a refusal with the status that it stands for.
func (h *heard) refuse(resp *http.Response, body []byte) *http.Response {
	resp.StatusCode = h.status
	return replace(resp, body)
}

// statusFor is the HTTP status that an error's code or words stand for.
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
