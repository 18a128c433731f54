package clause

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTaste measures what people like, read, write and are, on invented utterances
// (testdata/dev). A record counts as right where its kind (of the same pair, whatever of
// the kinds of liking) and its words are those of a claim. Half A is what rules are tuned
// on, B is only counted.
func TestTaste(t *testing.T) {
	floor := map[string]float64{"en A": 0.80, "en B": 0.80, "zh A": 0.80, "zh B": 0.70} // precision
	likes := set("PREFERS_TOPIC FAVORITE FAVORITE_WORK PREFERS_AUTHOR PREFERS_NARRATIVE_STYLE HAS_HABIT SELF_TRAIT IS")
	type claim struct {
		Predicate, Subject, Object string
		ObjectAlt                  []string `json:"object_alt"`
		Or                         []claim
	}
	negative := map[string]string{"DISLIKES_TOPIC": "PREFERS_TOPIC", "DISLIKES_AUTHOR": "PREFERS_AUTHOR", "DISLIKES_WORK": "FAVORITE_WORK", "LACKS_TRAIT": "SELF_TRAIT", "HAS_NOT_DISCUSSED_WORK": "DISCUSSED_WORK",
		"HAS_NOT_DISCUSSED_CHAPTER": "DISCUSSED_CHAPTER", "HAS_NOT_TRIED_STYLE": "TRIED_STYLE", "DISLIKES_NARRATIVE_STYLE": "PREFERS_NARRATIVE_STYLE"}
	same := func(c claim, f Fact) bool {
		p, denied := c.Predicate, false
		if n := negative[p]; n != "" {
			p, denied = n, true
		}
		if f.Negated != denied || f.Slot != p && !(likes[p] && likes[f.Slot]) {
			return false
		}
		return slices.ContainsFunc(append(slices.Clone(c.ObjectAlt), c.Object), func(w string) bool { return overlap(w, f.Value.Text) >= 0.5 })
	}
	for _, lang := range []string{"en", "zh"} {
		b, err := os.ReadFile("testdata/dev/" + lang + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		asked, found, made, right := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
		for line := range bytes.Lines(b) {
			var l struct {
				Text   string
				Claims []claim
			}
			if err := json.Unmarshal(line, &l); err != nil {
				t.Fatal(err)
			}
			h := fnv.New32a()
			h.Write([]byte(l.Text))
			half := lang + " " + string("AB"[h.Sum32()>>16&1])
			var got []Fact
			for _, f := range Read(l.Text, Options{}) {
				if f.Tier == Default && f.Modality == Asserted && f.Subject.Kind == Speaker {
					got = append(got, f)
				}
			}
			for _, f := range got {
				if f.Slot == "PREFERS_TOPIC" || f.Slot == "FAVORITE" || strings.Contains(f.Slot, "WORK") && f.Slot != "WORKS_AS" && f.Slot != "WORKS_AT" || f.Slot == "PREFERS_AUTHOR" || f.Slot == "SELF_TRAIT" || f.Slot == "SELF_CRITIQUE" || f.Slot == "TRIED_STYLE" {
					made[half]++
					if slices.ContainsFunc(l.Claims, func(c claim) bool {
						return same(c, f) || slices.ContainsFunc(c.Or, func(o claim) bool { return same(o, f) })
					}) {
						right[half]++
					} else if half[3] == 'A' {
						t.Logf("WRONG %s\n  %s neg=%v %q", l.Text, f.Slot, f.Negated, f.Value.Text)
					}
				}
			}
			for _, c := range l.Claims {
				asked[half]++
				if slices.ContainsFunc(got, func(f Fact) bool { return same(c, f) }) {
					found[half]++
				} else if half[3] == 'A' {
					t.Logf("MISSED %s\n  %s %s", l.Text, c.Predicate, c.Object)
				}
			}
		}
		for _, half := range []string{lang + " A", lang + " B"} {
			precision := float64(right[half]) / float64(max(1, made[half]))
			t.Logf("%s: precision %.3f of %d, recall %.3f of %d", half, precision, made[half], float64(found[half])/float64(max(1, asked[half])), asked[half])
			if precision < floor[half] {
				t.Errorf("%s: precision %.3f, want %.2f", half, precision, floor[half])
			}
		}
	}
}
