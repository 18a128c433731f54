package memory

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/llm"
)

// Deps are the dependencies of systems. A nil LLM selects the rule implementations; Embed is needed by systems that compare by meaning.
type Deps struct {
	LLM     llm.Generator
	Prompts llm.Prompts
	Embed   llm.Embedder
}

// A Spec is a configurable kind of system: its name, description, options with defaults, and constructor. Lists of them are explicit (memory/all).
type Spec struct {
	Name, Doc string
	defaults  any
	open      func(Deps, []byte) (System, error)
}

// Define makes a Spec. Options are JSON, decoded strictly over defaults.
func Define[O any](name, doc string, defaults O, build func(Deps, O) (System, error)) Spec {
	return Spec{name, doc, defaults, func(d Deps, raw []byte) (System, error) {
		o := defaults
		if len(raw) > 0 {
			if err := codec.Unmarshal(raw, &o); err != nil {
				return nil, &OptionsError{name, err}
			}
			if err := errors.Join(unknown(raw, defaults), missing(raw)); err != nil {
				return nil, &OptionsError{name, err}
			}
		}
		return build(d, o)
	}}
}

// An OptionsError reports that the options of a system cannot be parsed.
type OptionsError struct {
	System string
	Err    error
}

func (e *OptionsError) Error() string {
	return fmt.Sprintf("options of memory system %s: %v", e.System, e.Err)
}
func (e *OptionsError) Unwrap() error { return e.Err }

// unknown names the first member of raw that the options do not have.
func unknown(raw []byte, defaults any) error {
	known, err := codec.Append(nil, defaults, codec.Compact)
	if err != nil {
		return err
	}
	var names []string
	have := map[string]bool{}
	for name := range codec.Members(known) {
		names = append(names, name)
		have[name] = true
	}
	for name := range codec.Members(raw) {
		if !have[name] {
			return fmt.Errorf("unknown option %q: have %v", name, names)
		}
	}
	return nil
}

// missing names the first item of a list that is null: it would be the empty text, or zero.
func missing(raw []byte) error {
	var v any
	if err := codec.Unmarshal(raw, &v); err != nil {
		return err
	}
	return null("", v)
}

func null(at string, v any) error {
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			place := at + "[" + strconv.Itoa(i) + "]"
			if x == nil {
				return fmt.Errorf("%s is null: leave it out, or write it as a string", place)
			}
			if err := null(place, x); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if err := null(strings.TrimPrefix(at+"."+name, "."), v[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Open makes the system. options may be nil.
func (s Spec) Open(d Deps, options []byte) (System, error) { return s.open(d, options) }

// Defaults are the options' defaults as JSON.
func (s Spec) Defaults() ([]byte, error) { return codec.Append(nil, s.defaults, codec.Compact) }
