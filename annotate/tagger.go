package annotate

import (
	"cmp"
	"context"

	"membench/llm"
	"membench/schema"
)

// A Tagger chooses canon_only, episodic or filler. It may be called by several
// goroutines at once.
type Tagger interface {
	// Tag returns one choice per turn of the window, in order. An error ends the
	// conversation; an answer that could be repaired or replaced is not an error.
	Tag(ctx context.Context, w Window) (Choices, error)
	// Fingerprint changes whenever the same input may give other tags.
	Fingerprint() string
}

// A Window is a run of turns of one conversation.
type Window struct {
	Turns  []Utterance
	Before []Utterance // up to three turns before it, for context
	First  int         // turn id of Turns[0]
	names  func(Utterance) string
}

// Name is the display name of a turn's speaker.
func (w Window) Name(u Utterance) string {
	if w.names == nil {
		return cmp.Or(u.Name, u.Role)
	}
	return w.names(u)
}

// A Choice is the tag of one turn and who chose it.
type Choice struct {
	Tag string
	By  schema.By
}

// Choices are the tags of a window. Fault describes why the rule had to decide turns that a model was asked about, Outcome how the model failed; "" if it did
// not.
type Choices struct {
	Of      []Choice
	Fault   string
	Outcome llm.Outcome
}

func (c Choices) byRule() int {
	n := 0
	for _, x := range c.Of {
		if x.By == schema.ByRule {
			n++
		}
	}
	return n
}
