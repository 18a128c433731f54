package open

import (
	"encoding/json"
	"slices"
	"strings"

	"membench/memory/service"
)

// A Description is what is known of a system before it runs. What follows Doc is there where it
// applies.
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

// Needs says in one line what a system cannot do without, and what it asks models for.
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
