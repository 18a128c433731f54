package op

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/textnorm"
	"membench/llm"
	"membench/memory"
	"membench/schema"
)

//go:embed prompts
var prompts embed.FS

// PromptNames are the prompts of the operations.
func PromptNames() []string { return []string{"facts", "update"} }

// Prompt is the prompt of an operation, for fingerprints and manifests.
func Prompt(p llm.Prompts, name string) llm.Prompt { return p.Of(prompts, name) }

// ModelFacts asks g. Each fact names its turns; where the model gives none or wrong
// ones, the turn with the most shared terms is taken, and a fact that shares none
// with any turn is a fault of the answer.
func ModelFacts(g llm.Generator, p llm.Prompts) Extractor {
	return modelFacts{g, Prompt(p, "facts").Text}
}

type modelFacts struct {
	g      llm.Generator
	system string
}

func (m modelFacts) Facts(ctx context.Context, before, turns []schema.Turn) ([]Fact, llm.Usage, error) {
	var b strings.Builder
	say := func(n string, t schema.Turn) {
		who := t.Role
		if t.Name != "" {
			who += " (" + t.Name + ")"
		}
		fmt.Fprintf(&b, "%s %s: %s\n", n, who, strings.ReplaceAll(t.Text, "\n", " "))
	}
	if len(before) > 0 {
		b.WriteString("BEFORE\n")
		for _, t := range before {
			say("-", t)
		}
	}
	b.WriteString("TURNS\n")
	for i, t := range turns {
		say(strconv.Itoa(i+1)+".", t)
	}
	var out []Fact
	usage, err := llm.AskJSON(ctx, m.g, llm.Request{Purpose: llm.PurposeFacts, System: m.system, Prompt: b.String(), MaxTokens: 2000, JSON: true}, func(raw []byte) error {
		out = nil
		var answer struct {
			Facts []factItem `json:"facts"`
		}
		if err := codec.Unmarshal(raw, &answer); err != nil {
			return fmt.Errorf("the JSON has another shape: %w", err)
		}
		if answer.Facts == nil {
			return errors.New(`the member "facts" is missing`)
		}
		for n, it := range answer.Facts {
			role, text := memory.CutPrefix(it.Text)
			if text == "" {
				continue
			}
			f := Fact{Text: text, Role: role}
			for _, t := range it.Turns {
				if t >= 1 && t <= len(turns) && !slices.Contains(f.Turns, t-1) && (role == "" || turns[t-1].Role == role) {
					f.Turns = append(f.Turns, t-1)
				}
			}
			if len(f.Turns) == 0 {
				best := 0.0
				for i, t := range turns {
					if s := Jaccard(text, t.Text); s > best && (role == "" || t.Role == role) {
						best, f.Turns = s, []int{i}
					}
				}
			}
			if len(f.Turns) == 0 {
				return fmt.Errorf("fact %d (%q) is in none of the turns", n+1, textnorm.Cut(text, 40))
			}
			slices.Sort(f.Turns)
			if f.Role == "" {
				f.Role = turns[f.Turns[0]].Role
			}
			if f.Role == memory.RoleUser || f.Role == memory.RoleAssistant {
				out = append(out, f)
			}
		}
		return nil
	})
	return out, usage, err
}

// factItem is a string, or an object with text and turns.
type factItem struct {
	Text  string
	Turns []int
}

func (f *factItem) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return codec.Unmarshal(b, &f.Text)
	}
	var v struct {
		Text  string `json:"text"`
		Turns []int  `json:"turns"`
	}
	err := codec.Unmarshal(b, &v)
	f.Text, f.Turns = v.Text, v.Turns
	return err
}

// ModelJudge asks g about all facts at once, as Mem0 does: known facts are numbered
// from "0" so that the model cannot invent ids. An UPDATE whose text holds the old
// one refines it, any other replaces it.
func ModelJudge(g llm.Generator, p llm.Prompts) Judge { return modelJudge{g, Prompt(p, "update").Text} }

type modelJudge struct {
	g      llm.Generator
	system string
}

func (m modelJudge) Judge(ctx context.Context, facts []Fact, known []Known) ([]Verdict, llm.Usage, error) {
	var b strings.Builder
	b.WriteString("KNOWN\n")
	for i, k := range known {
		fmt.Fprintf(&b, "%d: %s%s\n", i, memory.Prefix(k.Role), k.Text)
	}
	b.WriteString("NEW\n")
	for _, f := range facts {
		fmt.Fprintf(&b, "- %s%s\n", memory.Prefix(f.Role), f.Text)
	}
	var out []Verdict
	usage, err := llm.AskJSON(ctx, m.g, llm.Request{Purpose: llm.PurposeUpdate, System: m.system, Prompt: b.String(), MaxTokens: 2000, JSON: true}, func(raw []byte) error {
		out = nil
		var answer struct {
			Memory []struct {
				ID    looseID `json:"id"`
				Text  string  `json:"text"`
				Event string  `json:"event"`
			} `json:"memory"`
		}
		if err := codec.Unmarshal(raw, &answer); err != nil {
			return fmt.Errorf("the JSON has another shape: %w", err)
		}
		if answer.Memory == nil {
			return errors.New(`the member "memory" is missing`)
		}
		for n, e := range answer.Memory {
			role, text := memory.CutPrefix(e.Text)
			v := Verdict{Text: text}
			event := strings.ToUpper(strings.TrimSpace(e.Event))
			at, err := strconv.Atoi(string(e.ID))
			isKnown := err == nil && at >= 0 && at < len(known)
			if event != "ADD" && !isKnown {
				return fmt.Errorf("item %d: id %q is not one of the %d known", n+1, e.ID, len(known))
			}
			if isKnown && event != "ADD" {
				v.Target = known[at].ID
				role = known[at].Role
			}
			v.Fact = nearest(facts, role, text)
			switch event {
			case "ADD":
				v.Relation = New
			case "UPDATE":
				v.Relation = Replaces
				if strings.Contains(textnorm.Key(text), textnorm.Key(known[at].Text)) {
					v.Relation = Refines
				}
			case "DELETE":
				v.Relation = Retracts
				if v.Fact >= 0 {
					v.Text = facts[v.Fact].Text
				}
			case "NONE":
				v.Relation = Same
			default:
				return fmt.Errorf("item %d: event %q (want ADD, UPDATE, DELETE or NONE)", n+1, e.Event)
			}
			if (event == "ADD" || event == "UPDATE") && (text == "" || v.Fact < 0) {
				return fmt.Errorf("item %d: its text is not one of the new facts", n+1)
			}
			out = append(out, v)
		}
		return nil
	})
	return out, usage, err
}

// nearest is the index of the fact that shares most terms with text, -1 if none shares any.
func nearest(facts []Fact, role, text string) int {
	at, best := -1, 0.0
	for i, f := range facts {
		if role != "" && f.Role != role {
			continue
		}
		s := Jaccard(f.Text, text)
		if textnorm.Key(f.Text) == textnorm.Key(text) {
			s = 2
		}
		if s > best {
			at, best = i, s
		}
	}
	return at
}

// looseID reads "0" and 0 alike.
type looseID string

func (l *looseID) UnmarshalJSON(b []byte) error {
	*l = looseID(codec.Unquote(b))
	return nil
}
