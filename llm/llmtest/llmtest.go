// Package llmtest has honest small models for tests: scripted answers, a function as a
// generator, a server that speaks the wire format of an OpenAI-compatible endpoint and
// fails as told, and a clock that does not wait.
package llmtest

import (
	"context"
	"errors"
	"strings"
	"sync"

	"membench/llm"
)

// Script is a generator that gives its answers in order and fails when they run out.
// It records every request.
type Script struct {
	mu       sync.Mutex
	answers  []Answer
	requests []llm.Request
}

// Answer is one scripted answer. Err makes the call fail.
type Answer struct {
	Text      string
	Truncated bool
	Err       error
}

// NewScript gives the texts one after the other.
func NewScript(texts ...string) *Script {
	s := &Script{}
	for _, t := range texts {
		s.answers = append(s.answers, Answer{Text: t})
	}
	return s
}

// Then appends answers.
func (s *Script) Then(a ...Answer) *Script { s.answers = append(s.answers, a...); return s }

// Model is "scripted".
func (s *Script) Model() string { return "scripted" }

// Generate gives the next answer.
func (s *Script) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if len(s.answers) == 0 {
		return llm.Response{}, &llm.Error{Purpose: r.Purpose, Err: errors.New("the script has no answer left")}
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	if a.Err != nil {
		return llm.Response{}, &llm.Error{Purpose: r.Purpose, Err: a.Err}
	}
	return response(r, a.Text, a.Truncated), nil
}

// Requests returns what was asked so far.
func (s *Script) Requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]llm.Request(nil), s.requests...)
}

// Func makes a generator of a function of the request: same request, same answer,
// regardless of the order of the calls.
type Func func(llm.Request) (string, error)

// Model is "scripted".
func (Func) Model() string { return "scripted" }

// Generate calls the function.
func (f Func) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, &llm.Error{Purpose: r.Purpose, Err: err}
	}
	text, err := f(r)
	if err != nil {
		return llm.Response{}, &llm.Error{Purpose: r.Purpose, Err: err}
	}
	return response(r, text, false), nil
}

func response(r llm.Request, text string, truncated bool) llm.Response {
	return llm.Response{Text: text, Model: "scripted", Truncated: truncated,
		Usage: llm.Usage{Calls: 1, InputTokens: len(strings.Fields(r.System + " " + r.Prompt)), OutputTokens: len(strings.Fields(text))}}
}
