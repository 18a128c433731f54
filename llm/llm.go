// Package llm defines the contract of model calls: a generator, an embedder, and the parts that every call shares: typed errors, usage by purpose, prices, a
// budget, and answers in JSON.
//
// Implementations: llm/openai (any OpenAI-compatible endpoint), llm/hashing (an embedder without a model), llm/cassette (stored answers from a file),
// llm/llmtest (scripted answers, and a server that speaks the wire format).
//
// They wrap each other from the inside out, so that only paid calls reach the budget and every call reaches the ledger:
//
//	ledger( cassette( budget( openai ) ) )
package llm

import (
	"context"
	"time"
)

// Purposes of calls, by which usage is counted. Stages may define others.
const (
	PurposeTag      = "tag"      // annotate
	PurposeFacts    = "facts"    // taking facts out of turns
	PurposeUpdate   = "update"   // judging how a new fact relates to known ones
	PurposeClaims   = "claims"   // claimify
	PurposeRead     = "read"     // answering a question from memories
	PurposeJudge    = "judge"    // grading an answer
	PurposeRephrase = "rephrase" // wording a generated question again
	PurposeEmbed    = "embed"    // every embedding
)

// A Request is one question to a model. Prompts are data: Purpose names the kind of
// work for ledgers and manifests; it is not part of the question.
type Request struct {
	Purpose     string
	System      string
	Prompt      string
	Temperature float64 // [0,2]; 0 is sent as 0
	MaxTokens   int     // of the answer; 0: the endpoint's default
	JSON        bool    // ask for a JSON object where the endpoint can do that
	Schema      []byte  // JSON Schema (2020-12) of the answer; asks for JSON too
	Score       string  // no answer is wanted but a JSON list of the log-probabilities, a token each, of this text after Prompt
	Sample      int     // which of several answers to one question, from 0; not sent, but a cassette keeps them apart
}

// WantsJSON reports whether the answer shall be JSON.
func (r Request) WantsJSON() bool { return r.JSON || len(r.Schema) > 0 }

// Usage is the cost of calls, in tokens.
type Usage struct {
	Calls        int `json:"calls"`                    // attempts, failed ones too
	InputTokens  int `json:"input_tokens"`             // all of the input
	OutputTokens int `json:"output_tokens"`            // reasoning included
	CachedTokens int `json:"cached_tokens,omitzero"`   // of the input, those that the endpoint had cached
	Estimated    int `json:"estimated_calls,omitzero"` // calls with estimated tokens: the endpoint reported none, or impossible numbers
}

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Calls + v.Calls, u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens, u.CachedTokens + v.CachedTokens, u.Estimated + v.Estimated}
}

// A Response is a model's answer. Usage is its cost when it was first requested, also if the answer now comes from a cassette.
type Response struct {
	Text      string
	Model     string        // that answered, by its own word
	Truncated bool          // it stopped at its length limit
	Adapted   string        // parts of the request that the endpoint did not accept, e.g. "temperature not sent"
	Elapsed   time.Duration // of the call with its retries, when it was first asked
	Usage     Usage
	Cached    bool // from a cassette: nothing was paid now
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

// An Embedding holds vectors and their cost: Usage when they were first requested, Paid in this call.
type Embedding struct {
	Vectors  [][]float32
	Replayed int // vectors that came from a cassette
	Usage    Usage
	Paid     Usage
}

// A Metered embedder reports the cost of its vectors.
type Metered interface {
	EmbedMetered(ctx context.Context, texts []string) (Embedding, error)
}

// Embed requests vectors from e and returns their cost; an embedder that is not Metered costs nothing.
func Embed(ctx context.Context, e Embedder, texts []string) (Embedding, error) {
	if m, ok := e.(Metered); ok {
		return m.EmbedMetered(ctx, texts)
	}
	v, err := e.Embed(ctx, texts)
	return Embedding{Vectors: v}, err
}

// A Clock is all that waiting needs from outside: commands give the real one, tests
// one that does not wait.
type Clock struct {
	Now    func() time.Time
	Sleep  func(context.Context, time.Duration) error // returns the context's error when that ends first
	Random func() float64                             // [0,1), for the jitter of pauses
}
