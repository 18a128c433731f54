package figure

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"membench/schema"
)

// A Prints collects the fields that must be equal for two runs to be comparable. It holds the id and the golds of each question.
type Prints struct {
	questions map[string]struct{}            // ids
	golds     map[[2]string]struct{}         // ids with golds
	values    map[string]map[string]struct{} // field → values seen
}

// Fields of a fingerprint, in the order of messages. A protocol's judge is the field
// "judge of PROTOCOL", its prompt "prompt of PROTOCOL".
const (
	FieldDataset   = "dataset"
	FieldQuestions = "questions"
	FieldGolds     = "golds"
	FieldReader    = "reader"
	FieldK         = "k"
	FieldRepeats   = "repeats"
)

// Add takes the record in.
func (p *Prints) Add(r *schema.QARecord) {
	if p.questions == nil {
		p.questions, p.golds, p.values = map[string]struct{}{}, map[[2]string]struct{}{}, map[string]map[string]struct{}{}
	}
	id := r.CaseID + "\x00" + r.QuestionID
	p.questions[id] = struct{}{}
	p.golds[[2]string{id, strings.Join(r.AllGolds(), "\x00")}] = struct{}{}
	p.see(FieldDataset, r.Dataset)
	p.see(FieldReader, string(r.By))
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
// fields as their values, sorted.
func (p *Prints) Fingerprint() map[string]string {
	out := map[string]string{FieldQuestions: digest(maps.Keys(p.questions)), FieldGolds: digest(func(yield func(string) bool) {
		for g := range p.golds {
			if !yield(g[0] + "\x00" + g[1]) {
				return
			}
		}
	})}
	for field, values := range p.values {
		list := slices.Sorted(maps.Keys(values))
		out[field] = strings.Join(list, ",")
	}
	return out
}

// A Difference is a field of the fingerprint in which runs differ.
type Difference struct {
	Field  string   `json:"field"`
	Values []string `json:"values"` // in the order of the runs
}

// Differences are the fields of fingerprints that matter to figures of a protocol and differ: such runs are not comparable.
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
		if slices.ContainsFunc(d.Values, func(v string) bool { return v != d.Values[0] }) {
			out = append(out, d)
		}
	}
	return out
}

// Rename gives questions other ids: conversation and question, with a zero byte between.
func (p *Prints) Rename(to map[string]string) {
	golds := map[[2]string]struct{}{}
	for g := range p.golds {
		if next, ok := to[g[0]]; ok {
			delete(p.questions, g[0])
			p.questions[next] = struct{}{}
			g[0] = next
		}
		golds[g] = struct{}{}
	}
	p.golds = golds
}

func digest(set iter.Seq[string]) string {
	var all []string
	for s := range set {
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
