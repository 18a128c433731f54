package op

import (
	"context"
	"fmt"
	"strings"

	"membench/internal/codec"
	"membench/llm"
	"membench/memory"
	"membench/schema"
)

// Operations by the model where there is one; without one, or where its answer is none, by
// the rule. What was asked, and what fell back, is noted in the receipt (OrRule).

// JSON asks for an answer of T's shape.
func JSON[T any](ctx context.Context, d memory.Deps, r *memory.Receipt, purpose, prompt string, valid func(T) error, rule func() T) (T, error) {
	return OrRule(ctx, d.LLM, r, purpose, func() (T, llm.Usage, error) { return Ask(ctx, d.LLM, d.Prompts, purpose, prompt, valid) }, rule)
}

// List asks for an object whose member is a list; one that is missing is a fault of the
// answer, one that is empty is not.
func List[T any](ctx context.Context, d memory.Deps, r *memory.Receipt, purpose, member, prompt string, rule func() []T) ([]T, error) {
	return OrRule(ctx, d.LLM, r, purpose, func() ([]T, llm.Usage, error) { return askList[T](ctx, d, purpose, member, prompt) }, rule)
}

func askList[T any](ctx context.Context, d memory.Deps, purpose, member, prompt string) (out []T, u llm.Usage, err error) {
	_, u, err = Ask(ctx, d.LLM, d.Prompts, purpose, prompt, func(o schema.Object) error {
		out = nil
		for name, v := range o.Members() {
			if strings.EqualFold(name, member) {
				if err := codec.Unmarshal(v, &out); err != nil {
					return fmt.Errorf("the JSON of %s has another shape: %w", member, err)
				}
			}
		}
		if out == nil {
			return fmt.Errorf("%s is missing", member)
		}
		return nil
	})
	return out, u, err
}

// Lines asks for at most n short texts.
func Lines(ctx context.Context, d memory.Deps, r *memory.Receipt, purpose, prompt string, n int, rule func() []string) ([]string, error) {
	return OrRule(ctx, d.LLM, r, purpose, func() ([]string, llm.Usage, error) { return ModelLines(ctx, d.LLM, d.Prompts, purpose, prompt, n) }, rule)
}

// Summary writes a new text of the old one and new texts, about words long: a summary, an
// overview, a profile. A nil rule is RuleSummary of the same.
func Summary(ctx context.Context, d memory.Deps, r *memory.Receipt, purpose, old string, texts []string, words int, rule func() string) (string, error) {
	type answer struct {
		Summary string `json:"summary"`
	}
	if rule == nil {
		rule = func() string { return RuleSummary(old, texts, words) }
	}
	prompt := ""
	if d.LLM != nil {
		prompt = fmt.Sprintf("Words at most: %d\n\nSUMMARY SO FAR\n%s\n\nNEW\n%s", words, old, strings.Join(texts, "\n"))
	}
	a, err := JSON(ctx, d, r, purpose, prompt, func(a answer) error {
		if strings.TrimSpace(a.Summary) == "" {
			return fmt.Errorf("summary is empty")
		}
		return nil
	}, func() answer { return answer{rule()} })
	return strings.TrimSpace(a.Summary), err
}

// Facts are what turns state, captions included. A nil rule is CaptionedFacts.
func Facts(ctx context.Context, d memory.Deps, r *memory.Receipt, turns []schema.Turn, rule func() []Fact) ([]Fact, error) {
	if rule == nil {
		rule = func() []Fact { return CaptionedFacts(turns) }
	}
	return OrRule(ctx, d.LLM, r, llm.PurposeFacts, func() ([]Fact, llm.Usage, error) {
		return ModelFacts(d.LLM, d.Prompts).Facts(ctx, nil, Captioned(turns))
	}, rule)
}

// Things are what a text names: people, places, works, and so on.
func Things(ctx context.Context, d memory.Deps, r *memory.Receipt, text string) ([]string, error) {
	out, err := List(ctx, d, r, PurposeThings, "things", text, func() []string { return Entities(text) })
	return clean(out), err
}

// A RelationAnswer is how a model writes a relation.
type RelationAnswer struct {
	Source      string `json:"source"`
	Relation    string `json:"relation"`
	Destination string `json:"destination"`
}

// Relations are those between things that a text states; the rule reads the turns that it is of.
func Relations(ctx context.Context, d memory.Deps, r *memory.Receipt, things []string, text string, turns []schema.Turn) ([]Triple, error) {
	return OrRule(ctx, d.LLM, r, PurposeRelations, func() (out []Triple, u llm.Usage, err error) {
		all, u, err := askList[RelationAnswer](ctx, d, PurposeRelations, "relations", "THINGS\n"+strings.Join(things, "\n")+"\n\nTEXT\n"+text)
		for _, a := range all {
			if a.Source != "" && a.Relation != "" && a.Destination != "" {
				out = append(out, Triple{Subject: a.Source, Relation: a.Relation, Object: a.Destination})
			}
		}
		return out, u, err
	}, func() []Triple { return RuleTriples(turns) })
}
