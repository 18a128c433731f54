package memory

import (
	"slices"
	"strings"

	"membench/llm"
)

// A Note reports that an operation used a fallback, and why. Its text is "OP (OUTCOME): WHY", without empty parts.
type Note struct {
	Op    string
	Ended llm.Outcome // how the model's call ended whose work the rule did; "": no model failed
	Why   string
}

// ByRule notes an operation that a model failed with err and its rule did.
func ByRule(op string, err error) Note {
	return Note{op, llm.OutcomeOf(llm.Response{}, err), err.Error()}
}

// CountFailed adds the operations that a model failed to a count of "by rule: OP OUTCOME".
func CountFailed(count *map[string]int, notes []Note) {
	for _, n := range notes {
		if n.Ended == "" {
			continue
		}
		if *count == nil {
			*count = map[string]int{}
		}
		(*count)["by rule: "+n.Op+" "+string(n.Ended)]++
	}
}

func (n Note) String() string {
	head := n.Op
	if n.Ended != "" {
		head += " (" + string(n.Ended) + ")"
	}
	if head == "" {
		return n.Why
	}
	return head + ": " + n.Why
}

// MarshalText is String.
func (n Note) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText parses the output of String; a text without an outcome becomes Why.
func (n *Note) UnmarshalText(b []byte) error {
	*n = Note{Why: string(b)}
	head, why, _ := strings.Cut(n.Why, ": ")
	op, ended, _ := strings.Cut(strings.TrimSuffix(head, ")"), " (")
	if o := llm.Outcome(ended); head == op+" ("+ended+")" && slices.Contains(llm.Outcomes(), o) {
		*n = Note{op, o, why}
	}
	return nil
}
