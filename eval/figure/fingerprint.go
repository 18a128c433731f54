package figure

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"membench/schema"
)

// A Prints collects what must be equal for two runs to be compared. It holds 64 bytes
// for each question.
type Prints struct {
	questions map[[32]byte]struct{}
	golds     map[[32]byte]struct{}
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
		p.questions, p.golds, p.values = map[[32]byte]struct{}{}, map[[32]byte]struct{}{}, map[string]map[string]struct{}{}
	}
	id := r.CaseID + "\x00" + r.QuestionID
	p.questions[sha256.Sum256([]byte(id))] = struct{}{}
	p.golds[sha256.Sum256([]byte(id+"\x00"+strings.Join(r.AllGolds(), "\x00")))] = struct{}{}
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

// Protocol is the id under which grades are compared. What was recorded with a file bears
// the file's form as its version (recorded-judge@zep-locomo): verdicts of several forms are
// one kind of figure, and who judged is a field of its own.
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
	out := map[string]string{FieldQuestions: digest(p.questions), FieldGolds: digest(p.golds)}
	for field, values := range p.values {
		var list []string
		for v := range values {
			list = append(list, v)
		}
		slices.Sort(list)
		out[field] = strings.Join(list, ",")
	}
	return out
}

func digest(set map[[32]byte]struct{}) string {
	all := make([]string, 0, len(set))
	for d := range set {
		all = append(all, string(d[:]))
	}
	slices.Sort(all)
	h := sha256.New()
	for _, d := range all {
		h.Write([]byte(d))
	}
	return fmt.Sprintf("%d:%s", len(set), hex.EncodeToString(h.Sum(nil))[:16])
}
