package openie

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// A devLine is one utterance of the development corpus and what it claims.
type devLine struct {
	Text    string
	Claims  []devClaim
	Context string
}

type devClaim struct {
	Predicate, Subject, Object string
	SubjectAlt                 strs `json:"subject_alt"`
	ObjectAlt                  strs `json:"object_alt"`
	Or                         []devClaim
}

func (c *devClaim) says(tr Triple) bool {
	for _, o := range c.Or {
		o.Subject, o.SubjectAlt = c.Subject, c.SubjectAlt
		if o.says(tr) {
			return true
		}
	}
	if tr.Predicate != c.Predicate || c.Subject == "addressee" {
		return false
	}
	if tr.Subject.Type != "" && c.Subject != "context" && !slices.ContainsFunc(append(strs{c.Subject}, c.SubjectAlt...), func(s string) bool { return sameWords(s, tr.Subject.Parts[0]) }) {
		return false
	}
	obj := strings.Join(tr.Object.Parts, " ")
	last := tr.Object.Parts[len(tr.Object.Parts)-1]
	return slices.ContainsFunc(append(strs{c.Object}, c.ObjectAlt...), func(s string) bool {
		s = strings.ReplaceAll(s, "#", " ")
		return sameWords(s, obj) || sameWords(s, last)
	})
}

// TestDev measures the rules on the development corpus, which was written without
// sight of them. It fails below what was reached, so that a change for the worse shows.
// MEMBENCH_DEV_SHOW=zh|en|ops prints what was wrong or missed.
func TestDev(t *testing.T) {
	for _, lang := range []string{"zh", "en", "ops"} {
		var s goldSum
		show := os.Getenv("MEMBENCH_DEV_SHOW") == lang
		for _, l := range readLines[devLine](t, "testdata/dev/"+lang+".jsonl") {
			o := TripleOptions{Ops: lang == "ops"}
			o.Alert, o.Thing = o.Spoken(l.Context)
			found := make([]bool, len(l.Claims))
			for _, tr := range Triples(l.Text, o) {
				s.claims++
				right := false
				for i := range l.Claims {
					if l.Claims[i].says(tr) {
						found[i], right = true, true
					}
				}
				if right {
					s.right++
				} else if show {
					t.Logf("WRONG  %s %v%v %.2f <- %s", tr.Predicate, tr.Subject.Parts, tr.Object.Parts, tr.Confidence, l.Text)
				}
			}
			for i, ok := range found {
				if l.Claims[i].Subject == "addressee" {
					continue
				}
				s.facts++
				if ok {
					s.found++
				} else if show {
					t.Logf("MISSED %s %s %s <- %s", l.Claims[i].Predicate, strings.TrimPrefix(l.Claims[i].Subject, "speaker"), l.Claims[i].Object, l.Text)
				}
			}
		}
		t.Logf("%-4s %s", lang, &s)
	}
}
