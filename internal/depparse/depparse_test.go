package depparse

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTokenize(t *testing.T) {
	for in, want := range map[string]string{
		"I don't know, we're at 7:30.":     "I|do|n't|know|,|we|'re|at|7:30|.",
		"im gonna go... can’t wait!!":      "i|m|gon|na|go|...|ca|n’t|wait|!!",
		"My get-together cost $1,200 (ok)": "My|get|-|together|cost|$|1,200|(|ok|)",
		"Anna's dog":                       "Anna|'s|dog",
		"my mother-in-law":                 "my|mother-in-law",
		"":                                 "",
	} {
		var have []string
		for _, w := range Tokenize(in) {
			have = append(have, w.Form)
			if in[w.Start:w.End] != w.Form {
				t.Errorf("%q: span %d:%d is not %q", in, w.Start, w.End, w.Form)
			}
		}
		if got := strings.Join(have, "|"); got != want {
			t.Errorf("%q: have %s, want %s", in, got, want)
		}
	}
}

// The readings are those that the clause reader needs most.
func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"I went to Lisbon with my sister.": "I/PRP/nsubj/went went/VBD/root/- to/IN/case/Lisbon Lisbon/NNP/obl/went with/IN/case/sister my/PRP$/nmod:poss/sister sister/NN/obl/went ./././went",
		"She didn't buy the red car":       "She/PRP/nsubj/buy did/VBD/aux/buy n't/RB/advmod/buy buy/VB/root/- the/DT/det/car red/JJ/amod/car car/NN/obj/buy",
		"My sister’s allergic to cats":     "My/PRP$/nmod:poss/sister sister/NN/nsubj/allergic ’s/VBZ/cop/allergic allergic/JJ/root/- to/IN/case/cats cats/NNS/obl/allergic",
		"I like my sister's dog":           "I/PRP/nsubj/like like/VBP/root/- my/PRP$/nmod:poss/sister sister/NN/nmod:poss/dog 's/POS/case/sister dog/NN/obj/like",
		"I am a nurse and he left.":        "I/PRP/nsubj/nurse am/VBP/cop/nurse a/DT/det/nurse nurse/NN/root/- and/CC/cc/left he/PRP/nsubj/left left/VBD/conj/nurse ./././nurse",
	} {
		var have []string
		ws := Parse(in)
		for _, w := range ws {
			head := "-"
			if w.Head >= 0 {
				head = ws[w.Head].Form
			}
			rel := w.Rel
			if rel == "punct" {
				rel = "."
			}
			have = append(have, w.Form+"/"+w.Tag+"/"+rel+"/"+head)
		}
		if got := strings.Join(have, " "); got != want {
			t.Errorf("%q:\nhave %s\nwant %s", in, got, want)
		}
	}
}

func TestVerb(t *testing.T) {
	for in, want := range map[string]string{
		"went/VBD": "go", "hiking/VBG": "hike", "jogging/VBG": "jog", "studied/VBD": "study", "watches/VBZ": "watch", "adopted/VBN": "adopt", "'m/VBP": "be",
		"volunteering/VBG": "volunteer", "celebrated/VBD": "celebrate", "loves/VBZ": "love", "cycling/VBG": "cycle", "quilting/VBG": "quilt", "snowboarded/VBD": "snowboard",
	} {
		form, tag, _ := strings.Cut(in, "/")
		if have := Verb(form, tag); have != want {
			t.Errorf("%s: have %s, want %s", in, have, want)
		}
	}
}

func TestDecodeCutOff(t *testing.T) {
	for _, n := range []int{0, 5, len(magic), len(magic) + 3, 1000, len(modelFile) - 1} {
		if _, err := decode(modelFile[:n]); err == nil {
			t.Errorf("a model of %d bytes was taken", n)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("I'm gonna go, don't wait 1,2,3 ... ’s\xff @me")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<12 || !utf8.ValidString(s) {
			return
		}
		for i, w := range Parse(s) {
			if s[w.Start:w.End] != w.Form || w.Head >= MaxWords || w.Head == i || w.Tag == "" || w.Rel == "" {
				t.Fatalf("%q: %+v", s, w)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	const s = "Last weekend I went hiking near the lake with my sister, and we saw two herons before it started to rain."
	Parse(s)
	for b.Loop() {
		Parse(s)
	}
}
