package reader

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"membench/internal/pattern"
	"membench/llm"
	"membench/schema"
)

//go:embed prompts
var prompts embed.FS

// Names of the answer prompts.
const (
	PromptAnswer = "answer"        // the default: short, dates worked out, refuses by one phrase
	PromptShort  = "answer-short"  // at most six words, as the early LoCoMo boards ask
	PromptNotes  = "answer-notes"  // notes on each memory first, then the answer
	PromptChoice = "answer-choice" // what questions with choices are asked with, whichever is named
)

// PromptNames lists the answer prompts.
func PromptNames() []string { return []string{PromptAnswer, PromptShort, PromptNotes, PromptChoice} }

// Prompt is an answer prompt, for fingerprints and manifests.
func Prompt(p llm.Prompts, name string) llm.Prompt { return p.Of(prompts, name) }

// ModelOptions of a model reader.
type ModelOptions struct {
	Prompt    string // one of PromptNames but PromptChoice; "" is PromptAnswer
	MaxTokens int    // of an answer; 0: 200, of PromptNotes 800
	// Context is the most of the context that is shown, in tokens by Count; 0: all of it.
	// What is over is cut at its end and told in Answer.Cut.
	Context int
	Count   func(string) int // nil: a quarter of the bytes of ASCII, one for each other character
}

// Model answers by g with the prompts of o. A failed call is the outcome of the
// question, never an answer by rule.
func Model(g llm.Generator, p llm.Prompts, o ModelOptions) (Reader, error) {
	switch o.Prompt {
	case "":
		o.Prompt = PromptAnswer
	case PromptAnswer, PromptShort, PromptNotes:
	default:
		return nil, fmt.Errorf("answer prompt %q: have %s, %s and %s", o.Prompt, PromptAnswer, PromptShort, PromptNotes)
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = 200
		if o.Prompt == PromptNotes {
			o.MaxTokens = 800
		}
	}
	return &model{g, o, Prompt(p, o.Prompt), Prompt(p, PromptChoice)}, nil
}

type model struct {
	g           llm.Generator
	o           ModelOptions
	ask, choice llm.Prompt
}

func (m *model) Fingerprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%s|%s|%s|%d|%d", m.g.Model(), m.o.Prompt, m.ask.SHA256(), m.choice.SHA256(), m.o.MaxTokens, m.o.Context))
	return "model-reader@1 " + hex.EncodeToString(sum[:8])
}

func (m *model) Read(ctx context.Context, in Input) (Answer, error) {
	return llm.Again(ctx, func(ctx context.Context) (Answer, error) { return m.read(ctx, in) })
}

func (m *model) read(ctx context.Context, in Input) (Answer, error) {
	prompt := m.ask
	if len(in.Question.Choices) > 0 {
		prompt = m.choice
	}
	shown, _ := Cut(in.Context, m.o.Context, m.o.Count)
	out := Answer{By: schema.By(m.g.Model()), Model: m.g.Model(), Prompt: prompt.SHA256(), Cut: len(in.Context) - len(shown)}
	notes := m.o.Prompt == PromptNotes && len(in.Question.Choices) == 0
	req := llm.Request{Purpose: llm.PurposeRead, System: prompt.Text, Prompt: render(in, shown), MaxTokens: m.o.MaxTokens, Sample: in.Sample}
	var r llm.Response
	for range 2 { // an answer that was cut off before it began is asked for with a higher limit
		var err error
		r, err = m.g.Generate(ctx, req)
		out.Usage = out.Usage.Add(r.Usage)
		if err != nil {
			return out, err
		}
		out.Text = tidy(r.Text, notes)
		if !r.Truncated || out.Text != "" && (!notes || reAnswer.MatchString(r.Text)) {
			break
		}
		req.MaxTokens = llm.Longer(req, r)
	}
	if out.Ended = llm.OutcomeOf(r, nil); out.Text == "" {
		kind := llm.KindEmpty
		if r.Truncated {
			kind = llm.KindCutOff
		}
		return out, &llm.Error{Purpose: llm.PurposeRead, Kind: kind, Err: errors.New("the reply holds no answer")}
	}
	if r.Model != "" {
		out.Model = r.Model
	}
	if len(in.Question.Choices) > 0 {
		out.Text = picked(out.Text, in.Question.Choices)
	}
	return out, nil
}

// render is what a model is asked beside the prompt. The speakers are named, since "I"
// in a question is the first of them.
func render(in Input, shown string) string {
	var b strings.Builder
	b.WriteString("CONTEXT\n")
	if shown == "" {
		b.WriteString("(nothing)\n")
	} else {
		b.WriteString(shown + "\n")
	}
	if len(in.Speakers) > 0 {
		b.WriteString("\nSPEAKERS\n" + strings.Join(in.Speakers, ", ") + "\n")
	}
	if in.Question.AsOf != "" {
		b.WriteString("\nASKED ON\n" + in.Question.AsOf + "\n")
	}
	b.WriteString("\nQUESTION\n" + in.Question.Text + "\n")
	if len(in.Question.Choices) > 0 {
		b.WriteString("\nCHOICES\n")
		for i, c := range in.Question.Choices {
			fmt.Fprintf(&b, "%s. %s\n", letterOf(i), c)
		}
	}
	return b.String()
}

func letterOf(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprintf("%s%c", letterOf(i/26-1), 'A'+i%26)
}

var (
	reThink  = pattern.New(`(?s)^\s*<think>.*?</think>`)
	reAnswer = pattern.New(`(?im)^[\s*#>-]*(?:final answer|answer|答案|回答)\s*\**\s*[:：]\s*\**[ \t]*`)
)

// tidy takes a model's thinking, and what it put before its answer, off. Of a reply
// without an answer line to notes all of it is the answer: it is not ours to guess.
func tidy(reply string, notes bool) string {
	reply = reThink.ReplaceAllString(reply, "")
	if at := reAnswer.FindAllStringIndex(reply, -1); len(at) > 0 {
		if last := at[len(at)-1]; notes || strings.TrimSpace(reply[:last[0]]) == "" {
			reply = reply[last[1]:]
		}
	}
	return strings.TrimSpace(reply)
}

var reLetters = pattern.New(`^[\s(*]*[A-Z]{1,2}[\s).*]*(?:(?:[,;，、]|and|\b和)\s*\(?[A-Z]{1,2}\)?\s*)*(?:[:：.].*)?$`)

// picked turns letters into the choices' own words, joined by "; "; a reply that is not a list of letters is unchanged.
func picked(reply string, choices []string) string {
	if !reLetters.MatchString(reply) {
		return reply
	}
	head := reply
	if i := strings.IndexAny(reply, ":：."); i >= 0 {
		head = reply[:i] // "B. the second": the letter counts
	}
	var out []string
	for _, l := range strings.FieldsFunc(head, func(r rune) bool { return r < 'A' || r > 'Z' }) {
		i := 0
		for i < len(choices) && letterOf(i) != l {
			i++
		}
		if i == len(choices) {
			return reply
		}
		if !slices.Contains(out, choices[i]) {
			out = append(out, choices[i])
		}
	}
	if len(out) == 0 {
		return reply
	}
	return strings.Join(out, "; ")
}
