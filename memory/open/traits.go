package open

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"membench/llm"
	"membench/memory"
	"membench/memory/service"
)

// Traits are the model calls of a system and its abilities.
type Traits struct {
	memory.Capabilities
	Model   string `json:"model"`   // purpose of its model calls; "": none
	Vectors bool   `json:"vectors"` // asks for embeddings: hashing unless an embedder is set
	Opened  bool   `json:"-"`
}

// Traits opens a built-in system with and without a model that is not called, and reports what it would call. Nothing is known about other systems before they
// run.
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

// A Description is the information about a system before it runs. The members after Doc are optional.
type Description struct {
	Name    string          `json:"name"`
	Kind    string          `json:"kind"`
	Doc     string          `json:"doc"`
	Options json.RawMessage `json:"options,omitempty"` // with their defaults
	Asks    []string        `json:"asks,omitempty"`    // variables of the environment
	Note    string          `json:"note,omitzero"`

	*Traits

	Version  string `json:"version,omitzero"`
	Dates    string `json:"dates,omitzero"`
	Speakers bool   `json:"speakers,omitzero"`
	Verbatim bool   `json:"verbatim,omitzero"`
	Waits    bool   `json:"waits,omitzero"`
	Lists    bool   `json:"lists,omitzero"`
	Drops    bool   `json:"drops,omitzero"`
	Verified string `json:"verified,omitzero"`
	Compared string `json:"compared,omitzero"`
}

// Describe describes a system. It fails where the options or the spec of it cannot be read.
func (s System) Describe() (Description, error) {
	options, err := s.Defaults()
	if err != nil {
		return Description{}, err
	}
	row := Description{Name: s.Name, Kind: string(s.Kind), Doc: s.Doc, Options: options, Asks: s.Asks, Note: s.Note}
	switch s.Kind {
	case BuiltIn:
		t := s.Traits()
		row.Traits = &t
	case Service:
		x, err := service.Load(s.Name)
		if err != nil {
			return row, err
		}
		row.Version, row.Dates, row.Speakers, row.Verbatim = x.Version, x.Keeps.Dates, x.Keeps.Speakers, x.Keeps.Verbatim
		row.Waits, row.Lists, row.Drops, row.Verified, row.Compared = len(x.Settle) > 0, x.List != nil, len(x.Drop) > 0, x.Verified, x.Compared
	}
	return row, nil
}

// Needs returns one line with the requirements of a system and the purpose of its model calls.
func (r Description) Needs() string {
	words := slices.Clone(r.Asks)
	if r.Traits != nil {
		if r.Vectors {
			words = append(words, "vectors")
		}
		if ops := r.ByRule; len(ops) > 0 {
			words = append(words, "model ("+strings.Join(ops, ", ")+")")
		} else if r.Model != "" {
			words = append(words, "model")
		}
	}
	return strings.Join(words, ", ")
}
