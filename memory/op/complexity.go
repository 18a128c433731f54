package op

import (
	"context"
	"fmt"
	"strings"

	"membench/llm"
)

// Purposes of judging a question and its evidence.
const (
	PurposeComplexity = "complexity"
	PurposeNextStep   = "next_step"
	PurposeSupport    = "support"
)

// A Complexity is the number of searches that a question needs: none or little, one, several.
type Complexity string

const (
	Simple  Complexity = "A"
	OneStep Complexity = "B"
	Several Complexity = "C"
)

// RuleComplexity returns several searches for a question about several names, about all of a kind, or about the order of two events; otherwise one.
func RuleComplexity(question string) Complexity {
	p := RulePlan(question)
	if len(p.Parts) > 0 || len(Entities(question)) > 1 || p.InTime && joins.MatchString(question) {
		return Several
	}
	return OneStep
}

// ModelComplexity asks a model.
func ModelComplexity(ctx context.Context, g llm.Generator, p llm.Prompts, question string) (Complexity, llm.Usage, error) {
	type answer struct {
		Complexity Complexity `json:"complexity"`
	}
	a, u, err := Ask(ctx, g, p, PurposeComplexity, "Question: "+question, func(a answer) error {
		if a.Complexity != Simple && a.Complexity != OneStep && a.Complexity != Several {
			return fmt.Errorf("complexity %q: want A, B or C", a.Complexity)
		}
		return nil
	})
	return a.Complexity, u, err
}

// ModelNextStep asks a model for one sentence of reasoning to search with; done reports that the texts answer the question.
func ModelNextStep(ctx context.Context, g llm.Generator, p llm.Prompts, question string, texts []string) (sentence string, done bool, u llm.Usage, err error) {
	type answer struct {
		Sentence string `json:"sentence"`
		Done     bool   `json:"done"`
	}
	a, u, err := Ask[answer](ctx, g, p, PurposeNextStep, numberedTexts(question, texts), nil)
	return strings.TrimSpace(a.Sentence), a.Done, u, err
}

// ModelSupport asks a model whether the texts hold an answer.
func ModelSupport(ctx context.Context, g llm.Generator, p llm.Prompts, question string, texts []string) (bool, llm.Usage, error) {
	type answer struct {
		Supported bool `json:"supported"`
	}
	a, u, err := Ask[answer](ctx, g, p, PurposeSupport, numberedTexts(question, texts), nil)
	return a.Supported, u, err
}

func numberedTexts(question string, texts []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Question: %s\n\n", question)
	for i, t := range texts {
		fmt.Fprintf(&b, "%d. %s\n", i+1, strings.ReplaceAll(t, "\n", " "))
	}
	return b.String()
}
