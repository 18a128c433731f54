// Package op holds the operations of memory systems, each by rule and by model: extracting facts from turns, and judging how a new fact relates to known ones.
//
// The model twin is asked once more with the list of faults when its answer cannot
// be used; then the operation fails, and the caller may fall back on the rule twin.
package op

import (
	"context"
	"slices"
	"strings"
	"time"

	"membench/internal/clause"
	"membench/internal/sentence"
	"membench/internal/textnorm"
	"membench/llm"
	"membench/memory"
	"membench/schema"
)

// A Fact is one statement of one speaker.
type Fact struct {
	Text  string // without prefix
	Role  string // user | assistant: who said it
	Turns []int  // indexes of the turns it comes from, ascending
	Asked string // see Asked; only where the caller of an Extractor set it
}

// An Extractor takes facts out of turns. Context holds the turns just before; no
// fact comes from them alone.
type Extractor interface {
	Facts(ctx context.Context, before, turns []schema.Turn) ([]Fact, llm.Usage, error)
}

// RuleFacts takes sentences in their own words (sentence.Facts). It never fails.
func RuleFacts() Extractor { return ruleFacts{} }

type ruleFacts struct{}

func (ruleFacts) Facts(_ context.Context, _, turns []schema.Turn) ([]Fact, llm.Usage, error) {
	lines := make([]sentence.Line, len(turns))
	var before time.Time
	for i, t := range turns {
		at, _ := schema.ParseInstant(t.Time)
		lines[i] = sentence.Line{Speaker: t.Role + "\x00" + t.Name, Text: t.Text, Apart: i > 0 && at.Time().Sub(before) > maxPause}
		before = at.Time()
	}
	var out []Fact
	for _, f := range sentence.Facts(lines, informs) {
		if r := turns[f.Lines[0]].Role; r == memory.RoleUser || r == memory.RoleAssistant {
			out = append(out, Fact{Text: f.Text, Role: r, Turns: f.Lines})
		}
	}
	return out, llm.Usage{}, nil
}

// ShortAnswers adds to the facts of turns the short answers that state something only with their question: "yep" to "do you have kids?". Before are the turns just before.
func ShortAnswers(before, turns []schema.Turn, facts []Fact) (out []Fact) {
	n := 0
	for i, t := range turns {
		told := false
		for ; n < len(facts) && facts[n].Turns[0] <= i; n++ {
			told = told || facts[n].Turns[0] == i
			out = append(out, facts[n])
		}
		all := sentence.Split(t.Text)
		if told || len(all) == 0 || len(all[0].Text) > maxAnswer || t.Role != memory.RoleUser && t.Role != memory.RoleAssistant {
			continue
		}
		f := Fact{Text: all[0].Text, Role: t.Role, Turns: []int{i}}
		asked := Asked(before, turns, f)
		if asked == "" || strings.ContainsFunc(f.Text+asked, textnorm.IsHan) || !slices.ContainsFunc(clause.Read(f.Text, clause.Options{Before: asked}), func(f clause.Fact) bool {
			return f.Tier == clause.Default && (f.Modality == clause.Asserted || f.Modality == clause.Plan)
		}) {
			continue
		}
		out = append(out, f)
	}
	return append(out, facts[n:]...)
}

// maxAnswer is the longest short answer in bytes.
const maxAnswer = 60

// Asked is what another speaker said just before a fact of the turns, if the fact may answer it or not be understood without it, or "". Own turns in between, up to two, are
// passed over.
func Asked(before, turns []schema.Turn, f Fact) string {
	if len(f.Turns) == 0 {
		return ""
	}
	all := slices.Concat(before, turns[:f.Turns[0]])
	own := turns[f.Turns[0]]
	for i := len(all) - 1; i >= max(0, len(all)-3); i-- {
		if t := all[i]; t.Role != own.Role || t.Name != own.Name {
			said, _, found := strings.Cut(own.Text, f.Text)
			if !found { // not in the words of the turn
				said = own.Text
			}
			if len(t.Text) <= maxAsked && clause.Leans(f.Text, t.Text, &said) {
				return t.Text
			}
			return ""
		}
	}
	return ""
}

// maxAsked is the length in bytes above which a turn is more than a question.
const maxAsked = 300

// maxPause is the longest time between two lines of one sentence: what annotate sets between lines of a source without times.
const maxPause = time.Minute

// informs reports whether a question also states something: "I adopted a dog, want to meet him?". Only one with a clause before a comma, in Chinese also a blank, is read.
func informs(question string) bool {
	parted := strings.ContainsAny(question, ",，;；") || strings.Contains(question, " ") && strings.ContainsFunc(question, textnorm.IsHan)
	return parted && slices.ContainsFunc(clause.Read(question, clause.Options{}), func(f clause.Fact) bool {
		return (f.Modality == clause.Asserted || f.Modality == clause.Plan) && f.Subject.Kind != clause.Addressee && f.Tier == clause.Default
	})
}

// CaptionedFacts are the rule's, and each caption as a fact of its own: it is not a sentence
// that the rule would take.
func CaptionedFacts(turns []schema.Turn) []Fact {
	out, _, _ := RuleFacts().Facts(context.Background(), nil, turns)
	for i, t := range turns {
		if t.Role != memory.RoleUser && t.Role != memory.RoleAssistant {
			continue
		}
		for _, a := range t.Attachments {
			if textnorm.Strip(a.Text) != "" {
				out = append(out, Fact{Text: a.Caption(), Role: t.Role, Turns: []int{i}})
			}
		}
	}
	return out
}

// Captioned are the turns with their captions in the text, as a model reads them.
func Captioned(turns []schema.Turn) []schema.Turn {
	out := slices.Clone(turns)
	for i, t := range out {
		out[i].Text = schema.Captioned(t.Text, t.Attachments)
	}
	return out
}

// Relation is how a new fact relates to a known one.
type Relation string

const (
	New      Relation = "new"      // a different statement
	Same     Relation = "same"     // repeats a known fact or a part of it
	Refines  Relation = "refines"  // contains a known fact and more
	Replaces Relation = "replaces" // replaces a known fact: both cannot be true
	Retracts Relation = "retracts" // only withdraws a known fact
)

// A Known fact is a candidate that a new one is judged against.
type Known struct {
	ID   schema.PointID
	Text string // without prefix
	Role string
}

// A Verdict is the decision on the fact with index Fact. Text is the text to store.
type Verdict struct {
	Fact     int // -1: none of the given facts
	Relation Relation
	Target   schema.PointID // the known one; "" when New
	Text     string
}

// A Judge compares facts with known ones, best candidates first. It returns one
// verdict or more for each fact it uses.
type Judge interface {
	Judge(ctx context.Context, facts []Fact, known []Known) ([]Verdict, llm.Usage, error)
}
