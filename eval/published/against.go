package published

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"membench/eval/figure"
	"membench/eval/protocol"
	"membench/schema"
)

// Asked is a question of the data set that a run was asked, and the case that it is of.
type Asked struct {
	CaseID string
	schema.Question
}

// rowCheck compares the rows of a run, all together, with the questions of its data set.
type rowCheck struct {
	asked map[string]Asked
	seen  map[string]int // rows by question
	cases map[string]bool
	apart bool // some row has a category that is counted separately
}

func newRowCheck(asked []Asked) *rowCheck {
	c := &rowCheck{asked: map[string]Asked{}, seen: map[string]int{}, cases: map[string]bool{}}
	for _, a := range asked {
		c.asked[a.ID] = a
	}
	return c
}

// plain normalises a text for comparison: runs of blanks become one blank.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }

// row reports a row of an unknown question, and a second one of the same.
func (c *rowCheck) row(q *schema.QARecord, pos schema.Pos, report func(*schema.Finding)) {
	id, _, _ := strings.Cut(q.QuestionID, "#")
	a, ok := c.asked[id]
	if !ok {
		report(&schema.Finding{Pos: pos, Code: "PUB005", Message: "the row's question is not in its data set (" + q.QuestionID + ")", Have: q.Question})
		return
	}
	if c.seen[id]++; c.seen[id] > 1 {
		report(&schema.Finding{Pos: pos, Code: "PUB006", Message: "the question has a second row (" + q.QuestionID + ")", Have: fmt.Sprint(c.seen[id], " rows"), Want: "one"})
	}
	c.cases[a.CaseID] = true
	c.apart = c.apart || slices.Contains(figure.Apart(q.Dataset), q.RawCategory)
}

// differs lists what a row itself states of its question otherwise than the cases do. A category by a name that the cases do not use is compared as one of the
// common set.
func (f *file) differs(q *schema.QARecord, a Asked, r row) (out []error) {
	tell := func(code, message, have, want string, warning bool) {
		out = append(out, &schema.Finding{Pos: r.pos, Pointer: r.pointer, Code: code, Message: message + " (" + q.QuestionID + ")", Have: have, Want: want, Warning: warning})
	}
	if q.Question != "" && plain(q.Question) != plain(a.Text) {
		tell("PUB007", "the row's question differs from its data set's", q.Question, a.Text, false)
	}
	if own := q.RawCategory; own != "" && own != a.RawCategory && (f.labels[own] || q.Category != a.Category && q.Category != schema.CatOther) {
		tell("PUB008", "the row's category differs from its data set's", own, cmp.Or(a.RawCategory, a.Category), false)
	}
	gold := func(list []string) bool {
		return slices.ContainsFunc(q.AllGolds(), func(g string) bool {
			return slices.ContainsFunc(list, func(x string) bool { return plain(x) == plain(g) })
		})
	}
	switch {
	case a.Abstain || plain(q.Gold) == "" || gold(a.Golds()):
	case a.Errata != nil && gold([]string{a.Errata.Answer}):
		tell("PUB009", "the row was graded against a corrected gold ("+a.Errata.Overlay+")", q.Gold, a.Answer, true)
	default:
		tell("PUB009", "the row's gold differs from its data set's", q.Gold, a.Answer, false)
	}
	if a.Errata != nil && gold(a.Golds()) {
		tell("PUB010", "the gold is disputed: "+a.Errata.Kind+" by "+a.Errata.Overlay, q.Gold, a.Errata.Answer, true)
	}
	return out
}

// missing reports the questions of asked cases that have no row. Separately counted
// categories are expected only if some row has one.
func (c *rowCheck) missing(dataset, run string, report func(*schema.Finding)) {
	var ids []string
	for id, a := range c.asked {
		if c.seen[id] == 0 && c.cases[a.CaseID] && (c.apart || !slices.Contains(figure.Apart(dataset), a.RawCategory)) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	lost := map[string]int{}
	for _, a := range c.asked {
		if !c.cases[a.CaseID] && len(c.cases) > 0 {
			lost[a.CaseID]++
		}
	}
	for _, id := range sortedNames(lost) {
		report(&schema.Finding{Pos: schema.Pos{File: run}, Code: "PUB014", Warning: true, Message: "the case has no row for any question (" + id + ")", Have: fmt.Sprint(lost[id], " questions")})
	}
	for _, id := range ids {
		report(&schema.Finding{Pos: schema.Pos{File: run}, Code: "PUB011", Message: "a question of an asked case has no row (" + id + ")", Have: "category " + c.asked[id].RawCategory})
	}
}

// contradicts reports a recorded verdict that the row itself contradicts: the answer is the
// gold, word for word, and is recorded as wrong; or nothing was answered, and it is recorded
// as right.
func contradicts(q *schema.QARecord, same *protocol.Protocol) string {
	if q.Abstain {
		return ""
	}
	for i := range q.Grades {
		g := &q.Grades[i]
		if schema.ProtocolName(g.Protocol) != RecordedJudge || g.Score == nil {
			continue
		}
		switch equal := same.Grade(q).Score; {
		case *g.Score == 0 && equal != nil && *equal == 1:
			return "the answer is the gold word for word, and the recorded verdict is wrong"
		case *g.Score == 1 && strings.TrimSpace(q.Answer) == "":
			return "the answer is empty, and the recorded verdict is right"
		}
	}
	return ""
}

// uneven reports rows without a value that nearly all others have: a recorded verdict or score, or a score that the protocol reproduces for nearly all other
// rows.
func (a *audit) uneven(report func(*schema.Finding)) {
	for _, name := range sortedNames(a.recorded) {
		if n := a.recorded[name].rows; 2*n > len(a.rows) && n < len(a.rows) && schema.ProtocolName(name) != RecordedMean {
			report(&schema.Finding{Pos: schema.Pos{File: a.out.Run}, Code: "PUB017", Warning: true, Message: "some rows lack the recorded verdict or score that the others have (" + name + ")", Have: fmt.Sprintf("%d of %d", len(a.rows)-n, len(a.rows))})
		}
	}
	for _, r := range a.regrades {
		for _, name := range sortedNames(r.against) {
			x := r.against[name]
			if p := schema.ProtocolName(name); p != RecordedF1 && p != RecordedBLEU1 || x.n < enoughRows || x.equal == x.n || float64(x.equal) < nearlyAll*float64(x.n) {
				continue
			}
			for _, i := range x.differ {
				report(&schema.Finding{Pos: a.rows[i].pos, Code: "PUB016", Warning: true, Message: "the recorded score does not match the row's answer and gold (" + a.rows[i].id + ")", Have: name, Want: r.p.ID() + ", which gives the scores of the other rows"})
			}
		}
	}
}

const (
	enoughRows = 100
	nearlyAll  = 0.9
)
