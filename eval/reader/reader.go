// Package reader turns a memory's hits into an answer: by a model with a named prompt, or by rule. A reader never falls back: a model that fails is a
// typed failure.
package reader

import (
	"context"

	"membench/llm"
	"membench/schema"
)

// A Reader answers questions. It may be used by many goroutines.
type Reader interface {
	// Read answers in.Question from in.Context alone. An error is the outcome of the
	// question (llm.KindOf distinguishes timeouts and refusals), never an answer.
	Read(ctx context.Context, in Input) (Answer, error)
	// Fingerprint changes when the same input would be answered otherwise: name, model,
	// prompt hash, settings.
	Fingerprint() string
}

// Input is one question and what the memory showed for it.
type Input struct {
	Question schema.Question
	Speakers []string       // names in the case, the user's first
	Context  string         // what the reader sees; "" where nothing was retrieved
	Hits     []schema.QAHit // what Context was made of, best first; Cut ones are not in it
	Asked    []string       // of each hit: the question of someone else that it follows, "" none; may be nil
	Sample   int            // repeat, from 0: another sample of the same request
}

// Answer is what a reader said. Text "" is the outcome empty.
type Answer struct {
	Text   string
	Used   []int   // numbers of the hits that a rule took it from, from 1, best first
	Near   []Quote // where Cautious refuses: what was said that is nearest, best first
	By     schema.By
	Model  string // "" by rule
	Prompt string // sha256 of the prompt's template, 64 hex digits; "" by rule
	Usage  llm.Usage
	Ended  llm.Outcome // of the model's call: complete or cut_off; "" by rule
	Cut    int         // bytes at the end of Input.Context that were not shown to the model
}
