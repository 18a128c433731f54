package op

import (
	"context"
	"fmt"
	"strings"

	"membench/llm"
)

// PurposeRerank is the purpose of Rerank's calls.
const PurposeRerank = "rerank"

var rerankSchema = []byte(`{"type":"object","required":["order"],"properties":{"order":{"type":"array","items":{"type":"integer"}}}}`)

// Rerank asks a model to order texts by how much they say about the question, and
// gives their indexes. Texts that the model omits follow in the given order; invalid and repeated numbers are ignored.
func Rerank(ctx context.Context, g llm.Generator, p llm.Prompts, question string, texts []string) ([]int, llm.Usage, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "Question: %s\n\n", question)
	for i, t := range texts {
		fmt.Fprintf(&b, "%d. %s\n", i+1, t)
	}
	answer, usage, err := llm.JSON[struct {
		Order []int `json:"order"`
	}](ctx, g, llm.Request{Purpose: PurposeRerank, System: Prompt(p, "rerank").Text, Prompt: b.String(), Schema: rerankSchema}, nil)
	if err != nil {
		return nil, usage, err
	}
	out := make([]int, 0, len(texts))
	seen := make([]bool, len(texts))
	for _, n := range answer.Order {
		if i := n - 1; i >= 0 && i < len(texts) && !seen[i] {
			seen[i] = true
			out = append(out, i)
		}
	}
	for i := range texts {
		if !seen[i] {
			out = append(out, i)
		}
	}
	return out, usage, nil
}
