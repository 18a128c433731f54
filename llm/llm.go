// Package llm is the contract of everything that can ask a model: one generator,
// one embedder. Implementations: llm/openai (any OpenAI-compatible endpoint),
// llm/hashing (an embedder without a model), llm/llmtest (scripted, for tests).
package llm

import (
	"context"
	"fmt"
)

// A Request is one question to a model. Prompts are data: Purpose names the kind of
// work ("tag", "facts", "claims", …) for ledgers and manifests.
type Request struct {
	Purpose     string
	System      string
	Prompt      string
	Temperature float64 // [0,2]; 0 is sent as 0
	MaxTokens   int     // 0: the endpoint's default
	JSON        bool    // ask for a JSON object where the endpoint can do that
}

// Usage is what a call cost.
type Usage struct {
	Calls        int `json:"calls"`
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Calls + v.Calls, u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens}
}

// A Response is what the model said. Truncated says that it stopped at its length limit.
type Response struct {
	Text      string
	Model     string
	Truncated bool
	Usage     Usage
}

// A Generator asks a model. It may be called by several goroutines at once.
type Generator interface {
	// Generate returns one answer. A failure is an *Error.
	Generate(ctx context.Context, r Request) (Response, error)
	// Model is the name that records carry in `by`.
	Model() string
}

// An Embedder turns texts into vectors of one length, in the order of the texts.
// Same text, same vector. It may be called by several goroutines at once.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Profile names embedder and dimensions, e.g. "hash512"; thresholds depend on it.
	Profile() string
}

// Error is the typed failure of a model call, after the retries of the client.
type Error struct {
	Purpose string
	Status  int // HTTP status, 0 where there was no answer
	Err     error
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("asking model for %s: status %d: %v", e.Purpose, e.Status, e.Err)
	}
	return fmt.Sprintf("asking model for %s: %v", e.Purpose, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
