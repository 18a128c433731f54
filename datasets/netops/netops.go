// Package netops makes cases of operations data: OpsEval's exam questions become runbook knowledge stated in dialogue (scenario A), fault tables of
// AIOps 2020 and DejaVu incident histories (B), and a generator makes alert storms (C).
//
// Abilities: IE a step of a procedure, MR several entries or
// incidents together, TR order and time, KU a corrected procedure, CR two procedures
// of different age, ABS what was never told. Golds are the data's own, or computed from
// it; nothing is written by a model.
package netops

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"

	"membench/datasets"
	"membench/schema"
)

// Datasets are the three converters; DejaVu's tables have the form of AIOps 2020's.
func Datasets() []datasets.Dataset {
	get := func(name string) datasets.Info { i, _ := datasets.Lookup(name); return i }
	faults := datasets.Dataset{Info: get("aiops2020"), Match: matchFaults, Cases: Faults("aiops2020")}
	exam := datasets.Dataset{Info: get("opseval"), Match: matchOpsEval, Cases: OpsEval}
	storms := datasets.Dataset{Info: get("alert-storm"), Cases: Storms}
	return []datasets.Dataset{
		faults, exam, storms,
		fromGraph("aiops2020-graph", faults), fromGraph("opseval-graph", exam), fromGraph("alert-storm-graph", storms),
		facts("nezha", matchEnd("fault_list.json"), readNezha), facts("openrca", matchOpenRCA, readOpenRCA), facts("itbench", matchITBench, readITBench), facts("aiopslab", matchEnd("problems.json"), readAIOpsLab),
		{Info: get("dejavu"), Match: matchFaults, Cases: Faults("dejavu")},
	}
}

// say picks the English or the Chinese form.
func say(zh bool, en, cn string, args ...any) string {
	if zh {
		en = cn
	}
	return fmt.Sprintf(en, args...)
}

// chinese reports whether a text is Chinese: a tenth of its letters are Han.
func chinese(s string) bool {
	han, all := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			all++
			if unicode.Is(unicode.Han, r) {
				han++
			}
		}
	}
	return han*10 > all
}

// squeeze makes every run of white space one blank.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// newRand is a generator of its own for every case: cases do not depend on each other.
func newRand(seed uint64, n int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(n)+1)) }

// asker adds questions with evidence to a case.
type asker struct {
	*datasets.Builder
	raw string // raw category of added questions
	n   int
}

func (a *asker) ask(cat, text, gold, wrong string, turns ...int) *schema.Question {
	slices.Sort(turns)
	q := schema.Question{ID: fmt.Sprintf("%s/q/%d", a.Case.ID, a.n), Text: text, Answer: gold, Wrong: wrong, Category: cat, RawCategory: a.raw, Abstain: cat == schema.CatABS, Evidence: a.Refs(turns)}
	a.n++
	a.Case.Questions = append(a.Case.Questions, q)
	return &a.Case.Questions[len(a.Case.Questions)-1]
}

// clock writes a time of the texts: to the minute.
func clock(t time.Time) string { return t.Format("2006-01-02 15:04") }
