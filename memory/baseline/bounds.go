package baseline

import (
	"context"
	"slices"
	"strings"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// Null stores and finds nothing: it measures what a reader knows, or guesses, by itself.
func Null() memory.Spec {
	return memory.Define("null", "keeps nothing: what the reader answers without a memory", struct{}{},
		func(d memory.Deps, _ struct{}) (memory.System, error) { return nothing("null", false), nil })
}

// Abstain answers every question with not knowing.
func Abstain() memory.Spec {
	return memory.Define("abstain", "never answers: the floor of answers, the ceiling of abstention", struct{}{},
		func(d memory.Deps, _ struct{}) (memory.System, error) { return nothing("abstain", true), nil })
}

func nothing(name string, abstain bool) memory.System {
	s := native.New(native.Options{Name: name, Version: version,
		Caps: memory.Capabilities{Unit: native.Nothing, Retrieval: memory.RetrievalBlind, Calls: &memory.Calls{}},
		New:  func(string) native.Policy { return void{} }})
	if abstain {
		return abstainer{s}
	}
	return s
}

type void struct{}

func (void) Store(context.Context, native.Observation, *memory.Receipt) error { return nil }
func (void) Recall(context.Context, memory.Query) (memory.Retrieved, error) {
	return memory.Retrieved{}, nil
}
func (void) Records() []store.Record { return nil }
func (void) Clone() native.Policy    { return void{} }

type abstainer struct{ memory.System }

func (a abstainer) Unwrap() memory.System { return a.System }
func (a abstainer) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	m, err := a.System.Open(ctx, ns)
	return silent{m}, err
}

type silent struct{ memory.Memory }

func (s silent) Unwrap() memory.Memory { return s.Memory }
func (s silent) Answer(ctx context.Context, _ memory.Query) (memory.Retrieved, string, error) {
	return memory.Retrieved{}, "No information available.", ctx.Err()
}

// Oracle returns the gold evidence: it measures a reader with perfect retrieval.
func Oracle() memory.Spec {
	return memory.Define("oracle", "gives the gold evidence: the bound of retrieval (uses ground truth)", struct{}{},
		func(d memory.Deps, _ struct{}) (memory.System, error) {
			return native.New(native.Options{Name: "oracle", Version: version,
				Caps: memory.Capabilities{Unit: native.Turn, Retrieval: memory.RetrievalRanked, UsesGold: true, Calls: &memory.Calls{},
					Notes: []string{"uses ground truth"}},
				New: func(scope string) native.Policy {
					return &list{grows: true, st: store.New(store.Options{Scope: scope}), recall: recall.Pipeline{gold}}
				}}), nil
		})
}

// gold lists the records of the gold turns in the order of the dialogue.
func gold(_ context.Context, s *recall.State) error {
	for i, r := range s.Store.All() {
		if s.Eligible(i) && slices.ContainsFunc(r.Sources, func(e schema.EventRef) bool { return slices.Contains(s.Query.Gold, e) }) {
			s.List = append(s.List, recall.Scored{Pos: i, Score: 1})
		}
	}
	return nil
}

// FullOptions of FullContext.
type FullOptions struct {
	MaxTokens int `json:"max_tokens"` // of the context, by recall.TokensOf; 0: no limit
}

// FullContext shows all that was said, the newest that fits.
func FullContext() memory.Spec {
	return memory.Define("full-context", "shows the whole dialogue, the newest part that fits (long context)", FullOptions{MaxTokens: 120_000},
		func(d memory.Deps, o FullOptions) (memory.System, error) {
			return native.New(native.Options{Name: "full-context", Version: version, Config: o,
				Caps: memory.Capabilities{Unit: native.Turn, Retrieval: memory.RetrievalBlind, Calls: &memory.Calls{}},
				New: func(scope string) native.Policy {
					return &list{grows: true, st: store.New(store.Options{Scope: scope}), recall: recall.Pipeline{recall.Last(0), within(o.MaxTokens), inOrder(dialogue)}}
				}}), nil
		})
}

// within cuts the list where its texts no longer fit; 0 tokens: no limit.
func within(tokens int) recall.Stage {
	return func(_ context.Context, s *recall.State) error {
		s.List = s.List[:recall.Fit(texts(s.List, func(c recall.Scored) string { return s.Store.At(c.Pos).Text }), tokens)]
		return nil
	}
}

// inOrder shows the listed records, oldest first; the list is not changed.
func inOrder(render func([]*store.Record) string) recall.Stage {
	return func(ctx context.Context, s *recall.State) error {
		in := *s
		in.List = slices.SortedFunc(slices.Values(s.List), func(a, b recall.Scored) int { return a.Pos - b.Pos })
		if len(in.List) == 0 {
			return nil
		}
		err := recall.Show(render)(ctx, &in)
		s.Context = in.Context
		return err
	}
}

// dialogue renders turns as they were said, a line with the time before each session.
func dialogue(recs []*store.Record) string {
	var out strings.Builder
	session := ""
	for i, r := range recs {
		if i == 0 || r.Session != session {
			session = r.Session
			if r.Time != "" {
				out.WriteString("[" + r.Time + "]\n")
			}
		}
		out.WriteString(r.Text)
		out.WriteByte('\n')
	}
	return out.String()
}
