package llm

import (
	"cmp"
	"context"
)

// Settings are the parts of an endpoint's configuration that apply to every request.
type Settings struct {
	Temperature *float64 // in place of the request's own; nil: as the stage asks
	MaxTokens   int      // of an answer, where the request sets no limit
}

// With puts settings on every request to g. It is applied outside a cassette: the request is part of the key.
func With(g Generator, s Settings) Generator {
	if s == (Settings{}) {
		return g
	}
	return withSettings{g, s}
}

type withSettings struct {
	g Generator
	s Settings
}

func (w withSettings) Model() string     { return w.g.Model() }
func (w withSettings) Unwrap() Generator { return w.g }

func (w withSettings) Generate(ctx context.Context, r Request) (Response, error) {
	if w.s.Temperature != nil {
		r.Temperature = *w.s.Temperature
	}
	r.MaxTokens = cmp.Or(r.MaxTokens, w.s.MaxTokens)
	return w.g.Generate(ctx, r)
}
