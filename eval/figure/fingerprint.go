package figure

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/schema"
)

// A Prints collects the fields that must be equal for two runs to be comparable. It holds the id and the golds of each question, and 60 bytes beside.
type Prints struct {
	questions map[string]asked               // by id
	golds     map[[2]string]struct{}         // ids with golds
	values    map[string]map[string]struct{} // field → values seen
	dialogues map[string][32]byte            // by conversation, see Dialogue
}

// asked is what a question was asked as, and of which dialogue.
type asked struct {
	words [12]byte      // hash of its words, without regard to blanks; zero: unknown
	given schema.Extent // zero: unknown
}

// Fields of a fingerprint, in the order of messages. A protocol's judge is the field
// "judge of PROTOCOL", its prompt "prompt of PROTOCOL".
const (
	FieldDataset   = "dataset"
	FieldQuestions = "questions"
	FieldWording   = "wording"   // of the questions
	FieldDialogues = "dialogues" // that the questions are about
	FieldGolds     = "golds"
	FieldReader    = "reader"
	FieldK         = "k"
	FieldRepeats   = "repeats"
)

// mayLack are the fields that a run may not know: one without any answer has no reader, imported records have no dialogue and may have no words.
var mayLack = []string{FieldReader, FieldWording, FieldDialogues}

// Add takes the record in. Who would have answered a question that ended in an error is not known.
func (p *Prints) Add(r *schema.QARecord) {
	if p.questions == nil {
		p.questions, p.golds, p.values = map[string]asked{}, map[[2]string]struct{}{}, map[string]map[string]struct{}{}
	}
	id := r.CaseID + "\x00" + r.QuestionID
	q := p.questions[id]
	if words := strings.Fields(r.Question); len(words) > 0 {
		sum := sha256.Sum256([]byte(strings.Join(words, " ")))
		copy(q.words[:], sum[:])
	}
	if r.Given != nil {
		q.given = schema.Extent{Turns: max(q.given.Turns, r.Given.Turns), Chars: max(q.given.Chars, r.Given.Chars)}
	}
	p.questions[id] = q
	p.golds[[2]string{id, strings.Join(r.AllGolds(), "\x00")}] = struct{}{}
	p.see(FieldDataset, r.Dataset)
	if r.Outcome == schema.OutcomeAnswered || r.Outcome == schema.OutcomeEmpty {
		p.see(FieldReader, string(r.By))
	}
	p.see(FieldK, fmt.Sprint(r.K))
	p.see(FieldRepeats, fmt.Sprint(r.Repeat))
	for i := range r.Grades {
		g := &r.Grades[i]
		id := Protocol(g.Protocol)
		if g.By != schema.ByRule && g.By != "" {
			p.see("judge of "+id, string(g.By))
		}
		if g.Prompt != "" {
			p.see("prompt of "+id, g.Prompt)
		}
	}
}

// Dialogue takes in the hash of a conversation, where the cases of a run are at hand: turns may be changed without changing their number and length.
func (p *Prints) Dialogue(caseID string, sum [32]byte) {
	if p.dialogues == nil {
		p.dialogues = map[string][32]byte{}
	}
	p.dialogues[caseID] = sum
}

// Changed lists, sorted, the questions of both, conversation and question with a zero byte between, whose words differ, and those whose dialogues differ. What
// one side does not know differs in nothing.
func (p *Prints) Changed(other *Prints) (wording, dialogues []string) {
	for _, id := range slices.Sorted(maps.Keys(p.questions)) {
		a := p.questions[id]
		b, both := other.questions[id]
		if !both {
			continue
		}
		if a.words != b.words && a.words != (asked{}).words && b.words != (asked{}).words {
			wording = append(wording, id)
		}
		caseID, _, _ := strings.Cut(id, "\x00")
		x, y := p.dialogues[caseID], other.dialogues[caseID]
		if a.given != b.given && a.given != (schema.Extent{}) && b.given != (schema.Extent{}) || x != y && x != [32]byte{} && y != [32]byte{} {
			dialogues = append(dialogues, id)
		}
	}
	return wording, dialogues
}

// Regolded lists, sorted, the questions of both whose golds differ, as Changed does.
func (p *Prints) Regolded(other *Prints) (ids []string) {
	for g := range p.golds {
		_, both := other.questions[g[0]]
		if _, same := other.golds[g]; both && !same {
			ids = append(ids, g[0])
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Alone lists, sorted, the questions that only one side has; both is the number of the others.
func (p *Prints) Alone(other *Prints) (ids []string, both int) {
	for id := range p.questions {
		if _, ok := other.questions[id]; ok {
			both++
		} else {
			ids = append(ids, id)
		}
	}
	for id := range other.questions {
		if _, ok := p.questions[id]; !ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, both
}

// Protocol returns the id under which grades are compared. Verdicts recorded with a file have the file's form as version (recorded-judge@zep-locomo): verdicts
// of several forms are one kind of figure, and the judge is a field of its own.
func Protocol(id string) string {
	if name, _, ok := strings.Cut(id, "@"); ok && strings.HasPrefix(name, "recorded-") {
		return name
	}
	return id
}

func (p *Prints) see(field, value string) {
	if p.values[field] == nil {
		p.values[field] = map[string]struct{}{}
	}
	p.values[field][value] = struct{}{}
}

// Fingerprint gives each field as text: sets as a digest with their size, other
// fields as their values, sorted. Fields of which nothing is known are left out.
func (p *Prints) Fingerprint() map[string]string {
	ids, golds, words, given := []string{}, []string{}, []string{}, []string{}
	for id, q := range p.questions {
		ids = append(ids, id)
		if q.words != (asked{}).words {
			words = append(words, id+"\x00"+string(q.words[:]))
		}
		if q.given != (schema.Extent{}) {
			caseID, _, _ := strings.Cut(id, "\x00")
			given = append(given, fmt.Sprintf("%s\x00%d %d %x", id, q.given.Turns, q.given.Chars, p.dialogues[caseID]))
		}
	}
	for g := range p.golds {
		golds = append(golds, g[0]+"\x00"+g[1])
	}
	out := map[string]string{FieldQuestions: digest(ids), FieldGolds: digest(golds)}
	for field, set := range map[string][]string{FieldWording: words, FieldDialogues: given} {
		if len(set) > 0 {
			out[field] = digest(set)
		}
	}
	for field, values := range p.values {
		list := slices.Sorted(maps.Keys(values))
		out[field] = strings.Join(list, ",")
	}
	return out
}

// A Difference is a field of the fingerprint in which runs differ.
type Difference struct {
	Field  string   `json:"field"`
	Values []string `json:"values"`          // in the order of the runs; "": unknown
	Where  []string `json:"where,omitempty"` // of FieldQuestions, FieldWording, FieldDialogues and FieldGolds, where known: the questions that differ, as conversation/question
}

// shownQuestions is how many of the questions that differ a message names.
const shownQuestions = 3

// String is the values, and the first of the questions that differ.
func (d Difference) String() string {
	out := strings.Join(d.Values, " | ")
	if n := len(d.Where); n > 0 {
		out += " (" + strings.Join(d.Where[:min(n, shownQuestions)], ", ")
		if n > shownQuestions {
			out += fmt.Sprintf(" and %d more", n-shownQuestions)
		}
		out += ")"
	}
	return out
}

// Differences are the fields of fingerprints that matter to figures of a protocol and differ: such runs are not comparable. Where
// the questions differ, so do their words and dialogues: that is not said again.
func Differences(prints []map[string]string, protocol string) (out []Difference) {
	fields := map[string]bool{}
	for _, print := range prints {
		for f := range print {
			if _, of, ok := strings.Cut(f, " of "); !ok || of == protocol {
				fields[f] = true
			}
		}
	}
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		d := Difference{Field: f}
		for _, print := range prints {
			d.Values = append(d.Values, print[f])
		}
		known := d.Values
		if slices.Contains(mayLack, f) {
			known = slices.DeleteFunc(slices.Clone(known), func(v string) bool { return v == "" })
		}
		if slices.ContainsFunc(known, func(v string) bool { return v != known[0] }) {
			out = append(out, d)
		}
	}
	if slices.ContainsFunc(out, func(d Difference) bool { return d.Field == FieldQuestions }) {
		out = slices.DeleteFunc(out, func(d Difference) bool { return d.Field == FieldWording || d.Field == FieldDialogues })
	}
	return out
}

// Rename gives questions other ids: conversation and question, with a zero byte between.
func (p *Prints) Rename(to map[string]string) {
	for id, next := range to {
		if q, ok := p.questions[id]; ok {
			delete(p.questions, id)
			p.questions[next] = q
		}
	}
	golds := map[[2]string]struct{}{}
	for g := range p.golds {
		if next, ok := to[g[0]]; ok {
			g[0] = next
		}
		golds[g] = struct{}{}
	}
	p.golds = golds
}

func digest(set []string) string {
	var all []string
	for _, s := range set {
		d := sha256.Sum256([]byte(s))
		all = append(all, string(d[:]))
	}
	slices.Sort(all)
	h := sha256.New()
	for _, d := range all {
		h.Write([]byte(d))
	}
	return fmt.Sprintf("%d:%s", len(all), hex.EncodeToString(h.Sum(nil))[:16])
}
