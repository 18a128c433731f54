package op

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/llm"
)

// Purposes of planning and refining; their calls are made when a question is asked.
const (
	PurposePlan   = "plan"
	PurposeRefine = "refine"
)

// A Plan describes how to search for the answer to a question (QARP).
type Plan struct {
	Keywords  []string // to search with
	Parts     []string // questions to search one by one; none: the question is one
	InTime    bool     // the answer wants the order of events
	Latest    bool     // only current facts count
	Threshold float64  // that the best hit must reach, in [0,1]; meant for the published embedder
	Hint      string   // for who reads the hits
}

const (
	usualThreshold  = 0.65
	strictThreshold = 0.80 // does it exist at all?
	maxParts        = 4
)

var (
	asksOrder   = pattern.New(`(?i)\b(when|before|after|first|earlier|later|since|until|order|timeline|how long|which (?:day|month|year)|what (?:day|date|time|month|year))\b|什么时候|何时|哪天|哪年|几月|几号|之前|之后|先后|顺序|第一次|多久|先.{0,20}(?:还是|再)|更早|更晚|最早|哪件事先`)
	asksLatest  = pattern.New(`(?i)\b(now|current(?:ly)?|nowadays|these days|today|still|latest|most recent|at the moment|anymore)\b|现在|目前|如今|最近|最新|还(?:在|有)|当前`)
	asksAll     = pattern.New(`(?i)\b(how many|all|every|list|each|both|in total|compare|difference|common|which of|how often|most (?:common|often)|altogether)\b|几[个次种]|哪[种类]|最多|统计|多少|所有|全部|哪些|分别|一共|比较|区别|共同|各`)
	asksWhether = pattern.New(`(?i)^\s*(?:did|does|do|has|have|had|is|was|were|are|will|can)\b|\bever\b|有没有|是否|是不是|吗[？?]?\s*$`)
	joins       = pattern.New(`(?i)\s*(?:,? and |; | as well as | versus | vs\.? )\s*|以及|还有|和|与|、`)
)

// FallbackPlan is the plan when a model gives none: the first five words.
func FallbackPlan(question string) Plan {
	words := strings.Fields(question)
	return Plan{Keywords: words[:min(5, len(words))], Threshold: usualThreshold}
}

// RulePlan plans by words of time, of the present, of number and of existence, in
// English and Chinese. A question about several names is one part a name; one that wants
// all of a class is asked once more with examples of the class.
func RulePlan(question string) Plan {
	p := Plan{Threshold: usualThreshold, InTime: asksOrder.MatchString(question), Latest: asksLatest.MatchString(question)}
	if asksWhether.MatchString(question) && !p.InTime { // "before or after" asks for no existence
		p.Threshold = strictThreshold
	}
	if p.Keywords = Keywords(question, 5, nil); len(p.Keywords) == 0 {
		p.Keywords = clean([]string{question}) // Chinese without rare words
	}
	if p.Latest {
		p.Keywords = append(p.Keywords, changes(question)...)
	}
	switch names := Entities(question); {
	case !asksAll.MatchString(question):
	case len(names) < 2 || !joins.MatchString(question):
		if more := examples(question); more != "" {
			p.Parts = []string{question, more}
		}
	default:
		for _, n := range names[:min(maxParts, len(names))] {
			rest := question
			for _, other := range names {
				if other != n {
					rest = strings.ReplaceAll(rest, other, "")
				}
			}
			p.Parts = append(p.Parts, strings.Join(strings.Fields(joins.ReplaceAllString(rest, " ")), " "))
		}
	}
	return p
}

var planSchema = []byte(`{"type":"object","required":["keywords","parts","in_time","latest","threshold","hint"],"properties":{"keywords":{"type":"array","items":{"type":"string"}},"parts":{"type":"array","items":{"type":"string"}},"in_time":{"type":"boolean"},"latest":{"type":"boolean"},"threshold":{"type":"number"},"hint":{"type":"string"}}}`)

// ModelPlan asks a model. Parts beyond the fourth are omitted.
func ModelPlan(ctx context.Context, g llm.Generator, p llm.Prompts, question string) (Plan, llm.Usage, error) {
	type answer struct {
		Keywords  []string `json:"keywords"`
		Parts     []string `json:"parts"`
		InTime    bool     `json:"in_time"`
		Latest    bool     `json:"latest"`
		Threshold float64  `json:"threshold"`
		Hint      string   `json:"hint"`
	}
	a, u, err := llm.JSON(ctx, g, llm.Request{Purpose: PurposePlan, System: Prompt(p, PurposePlan).Text, Prompt: "Question: " + question, Schema: planSchema}, func(a answer) error {
		if a.Threshold < 0 || a.Threshold > 1 {
			return fmt.Errorf("threshold %g: want 0 to 1", a.Threshold)
		}
		return nil
	})
	parts := clean(a.Parts)
	return Plan{clean(a.Keywords), parts[:min(maxParts, len(parts))], a.InTime, a.Latest, a.Threshold, strings.TrimSpace(a.Hint)}, u, err
}

// A Refined hit helps to answer: the index of its text, and the part of it to show.
type Refined struct {
	Index int
	Text  string
}

var refineSchema = []byte(`{"type":"object","required":["items"],"properties":{"items":{"type":"array","items":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"},"text":{"type":"string"}}}}}}`)

// ModelRefine asks a model which of the texts answer the question, and what to show of each; none is a valid answer. Invalid and repeated numbers are skipped.
func ModelRefine(ctx context.Context, g llm.Generator, p llm.Prompts, question string, plan Plan, texts []string) ([]Refined, llm.Usage, error) {
	type answer struct {
		Items []struct {
			N    int    `json:"n"`
			Text string `json:"text"`
		} `json:"items"`
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Question: %s\n", question)
	if plan.Hint != "" {
		fmt.Fprintf(&b, "Hint: %s\n", plan.Hint)
	}
	b.WriteString("\n")
	for i, t := range texts {
		fmt.Fprintf(&b, "%d. %s\n", i+1, strings.ReplaceAll(t, "\n", " "))
	}
	a, u, err := llm.JSON(ctx, g, llm.Request{Purpose: PurposeRefine, System: Prompt(p, PurposeRefine).Text, Prompt: b.String(), Schema: refineSchema}, func(a answer) error {
		if a.Items == nil {
			return errors.New("items is missing")
		}
		return nil
	})
	var out []Refined
	for _, it := range a.Items {
		i := it.N - 1
		if i < 0 || i >= len(texts) || slices.ContainsFunc(out, func(r Refined) bool { return r.Index == i }) {
			continue
		}
		text := cmp.Or(strings.TrimSpace(it.Text), texts[i])
		out = append(out, Refined{i, text})
	}
	return out, u, err
}

// RuleRefine keeps every text that shares a content word with the question or a part of the plan, or all texts if none does; unchanged and in order.
func RuleRefine(question string, p Plan, texts []string) (out []Refined) {
	asked := Content(question)
	for _, part := range p.Parts {
		asked = append(asked, Content(part)...)
		if strings.Count(part, " ") > 2 { // a list of examples
			asked = append(asked, strings.Fields(part)...)
		}
	}
	all := make([]Refined, len(texts))
	for i, text := range texts {
		all[i] = Refined{i, text}
		if Holds(asked, textnorm.Strip(text)) > 0 {
			out = append(out, all[i])
		}
	}
	if out == nil {
		return all
	}
	return out
}
