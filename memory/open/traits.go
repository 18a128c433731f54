package open

import (
	"context"
	"errors"
	"strings"

	"membench/llm"
	"membench/memory"
)

// Traits are what a system asks models for and what it shows.
type Traits struct {
	memory.Capabilities
	Model   string `json:"model"`   // "": none is asked; else what for
	Vectors bool   `json:"vectors"` // asks for embeddings: hashing unless an embedder is set
	Opened  bool   `json:"-"`
}

// Traits opens a built-in system without a model, and with one that is not asked, and
// reports what it would ask. Of other systems nothing is known before they run.
func (s System) Traits() Traits {
	if s.Kind != BuiltIn {
		return Traits{}
	}
	var t Traits
	for i, d := range []memory.Deps{{}, {LLM: noModel{}}} {
		sys, err := s.Spec.Open(d, nil)
		if err != nil {
			continue
		}
		t.Opened = true
		caps := memory.CapabilitiesOf(sys)
		if i == 0 {
			t.Capabilities = caps
		}
		if len(caps.ByRule) > 0 {
			t.Model = strings.Join(caps.ByRule, ", ") + " (by rule without one)"
		}
		if c := caps.Calls; c != nil {
			if max(c.LLMPerUnit.Max, c.LLMPerSession.Max, c.LLMPerQuery.Max) > 0 && t.Model == "" {
				t.Model = "yes"
			}
			t.Vectors = t.Vectors || max(c.EmbedPerUnit.Max, c.EmbedPerSession.Max, c.EmbedPerQuery.Max) > 0
		}
	}
	return t
}

// noModel replaces a model that is not called.
type noModel struct{}

func (noModel) Model() string { return "" }
func (noModel) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Kind: llm.KindDryRun, Err: errors.New("no model is asked here")}
}
