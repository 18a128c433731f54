package judge

import (
	"strings"
	"testing"
)

// What a clause asserts is believed, whatever another says of something else; with the two
// exchanged nothing is.
func TestClauses(t *testing.T) {
	q := Question{Text: "Where does Nora work?"}
	exchange := strings.NewReplacer("a bakery", "a shipyard", "a shipyard", "a bakery")
	for _, a := range []string{
		"Not a shipyard -- a bakery.",
		"It was a bakery, not a shipyard.",
		"It was a bakery; a shipyard had been considered but dropped.",
		"Ben said a shipyard, but the chat says a bakery.",
		"Instead of a shipyard, it was a bakery.",
		"It is not a shipyard. Nora works at a bakery.",
	} {
		if v := Judge(q, []string{"a bakery"}, a); !v.Correct || v.Doubt != "" {
			t.Errorf("%s: %v, doubt %q", a, v.Correct, v.Doubt)
		}
		wrong := exchange.Replace(a)
		if v := Judge(q, []string{"a bakery"}, wrong); v.Correct && v.Doubt == "" {
			t.Errorf("%s: accepted", wrong)
		}
	}
	for _, a := range []string{"Going by the messages from early March, Nora works at a bakery.", "As far as the chat shows, Nora works at a bakery."} {
		if v := Judge(q, []string{"a bakery"}, a); !v.Correct || v.Doubt != "" {
			t.Errorf("%s: %v, doubt %q", a, v.Correct, v.Doubt)
		}
	}
}

// A sentence that has its answer where the question has "who" is no restated question.
func TestAnswerInPlaceOfWho(t *testing.T) {
	if v := Judge(Question{Text: "Who won the chess tournament?"}, []string{"Anselm"}, "Anselm won the chess tournament."); !v.Correct || v.Doubt != "" {
		t.Errorf("%+v", v)
	}
}
