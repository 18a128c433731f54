package op

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/llm"
	"membench/memory"
	"membench/memory/store"
	"membench/schema"
)

// Work does the operations for one exchange, session or question: by the model if there is one, otherwise, or if its answer is unusable, by the rule. Calls and
// fallbacks are noted in the receipt (OrRule). The first error is kept: later operations are not done and return nothing.
type Work struct {
	ctx  context.Context
	d    memory.Deps
	done *memory.Receipt
	Err  error
}

// Begin is work that is noted in done.
func Begin(ctx context.Context, d memory.Deps, done *memory.Receipt) *Work {
	return &Work{ctx: ctx, d: d, done: done}
}

// Do asks by functions of the caller's.
func Do[T any](w *Work, purpose string, model func() (T, llm.Usage, error), rule func() T) (out T) {
	if w.Err == nil {
		out, w.Err = OrRule(w.ctx, w.d.LLM, w.done, purpose, model, rule)
	}
	return out
}

// JSON asks for an answer of T's shape.
func JSON[T any](w *Work, purpose, prompt string, valid func(T) error, rule func() T) T {
	return Do(w, purpose, func() (T, llm.Usage, error) { return Ask(w.ctx, w.d.LLM, w.d.Prompts, purpose, prompt, valid) }, rule)
}

// Member asks for an object with one relevant member. A missing member is an error in the answer, an empty list is not.
func Member[T any](w *Work, purpose, member, prompt string, rule func() T) T {
	return Do(w, purpose, func() (out T, u llm.Usage, err error) {
		_, u, err = Ask(w.ctx, w.d.LLM, w.d.Prompts, purpose, prompt, func(o schema.Object) error {
			for name, v := range o.Members() {
				if !strings.EqualFold(name, member) || string(v) == "null" {
					continue
				}
				out = *new(T)
				if err := codec.Unmarshal(v, &out); err != nil {
					return fmt.Errorf("the JSON of %s has another shape: %w", member, err)
				}
				return nil
			}
			return fmt.Errorf("%s is missing", member)
		})
		return out, u, err
	}, rule)
}

// Lines asks for at most n short texts.
func (w *Work) Lines(purpose, prompt string, n int, rule func() []string) []string {
	type answer struct {
		Items []string `json:"items"`
	}
	a := JSON(w, purpose, fmt.Sprintf("Number wanted: %d\n\n%s", n, prompt), func(a answer) error {
		if len(clean(a.Items)) == 0 {
			return errors.New("items is empty")
		}
		return nil
	}, func() answer { return answer{rule()} })
	out := clean(a.Items)
	return out[:min(n, len(out))]
}

// Summary writes a new text of the old one and new texts, about words long: a summary, an
// overview, a profile. A nil rule is RuleSummary of the same.
func (w *Work) Summary(purpose, old string, texts []string, words int, rule func() string) string {
	type answer struct {
		Summary string `json:"summary"`
	}
	if rule == nil {
		rule = func() string { return RuleSummary(old, texts, words) }
	}
	prompt := ""
	if w.d.LLM != nil {
		prompt = fmt.Sprintf("Words at most: %d\n\nSUMMARY SO FAR\n%s\n\nNEW\n%s", words, old, strings.Join(texts, "\n"))
	}
	a := JSON(w, purpose, prompt, func(a answer) error {
		if strings.TrimSpace(a.Summary) == "" {
			return fmt.Errorf("summary is empty")
		}
		return nil
	}, func() answer { return answer{rule()} })
	return strings.TrimSpace(a.Summary)
}

// Facts extracts the statements of turns, captions included. A nil rule is CaptionedFacts.
func (w *Work) Facts(turns []schema.Turn, rule func() []Fact) []Fact {
	if rule == nil {
		rule = func() []Fact { return CaptionedFacts(turns) }
	}
	return Do(w, llm.PurposeFacts, func() ([]Fact, llm.Usage, error) {
		return ModelFacts(w.d.LLM, w.d.Prompts).Facts(w.ctx, nil, Captioned(turns))
	}, rule)
}

// Things extracts the things named in a text: people, places, works, and so on.
func (w *Work) Things(text string) []string {
	return clean(Member(w, PurposeThings, "things", text, func() []string { return Entities(text) }))
}

// Relations are those between things that a text states; the rule reads the turns that it is of.
func (w *Work) Relations(things []string, text string, turns []schema.Turn) []Triple {
	all := Member(w, PurposeRelations, "relations", "THINGS\n"+strings.Join(things, "\n")+"\n\nTEXT\n"+text, func() []Triple { return RuleTriples(turns) })
	return slices.DeleteFunc(all, func(t Triple) bool { return t.Subject == "" || t.Relation == "" || t.Object == "" })
}

// Embed embeds texts; no texts cost nothing.
func (w *Work) Embed(texts ...string) (out [][]float32) {
	if w.Err == nil {
		out, w.Err = store.Many(w.ctx, w.d.Embed, &w.done.Usage, texts)
	}
	return out
}

// Vectors embeds texts, each that is not in known once, and adds them to it.
func (w *Work) Vectors(known map[string][]float32, texts ...string) {
	open := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(texts))), func(t string) bool { return known[t] != nil })
	for i, v := range w.Embed(open...) {
		known[open[i]] = v
	}
}
