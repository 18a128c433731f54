package published

import (
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

// rowCheck compares the rows of a run with the questions of its data set.
type rowCheck struct {
	asked map[string]Asked
	seen  map[string]int // rows by question, and by case
	cases map[string]bool
	apart bool // some row has a category that is counted separately
	texts map[string]string
}

func newRowCheck(asked []Asked) *rowCheck {
	c := &rowCheck{asked: map[string]Asked{}, seen: map[string]int{}, cases: map[string]bool{}, texts: map[string]string{}}
	for _, a := range asked {
		c.asked[a.ID] = a
		key := a.CaseID + "\x00" + plain(a.Text)
		if _, twice := c.texts[key]; twice {
			c.texts[key] = "" // several questions of one text: no row is known by it
			continue
		}
		c.texts[key] = a.ID
	}
	return c
}

// plain normalises a text for comparison: runs of blanks become one blank.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }

// row reports the differences between a row and its data set.
func (c *rowCheck) row(q *schema.QARecord, pos schema.Pos, report func(*schema.Finding)) {
	id, _, _ := strings.Cut(q.QuestionID, "#")
	tell := func(code, message, have, want string, warning bool) {
		report(&schema.Finding{Pos: pos, Code: code, Message: message + " (" + q.QuestionID + ")", Have: have, Want: want, Warning: warning})
	}
	a, ok := c.asked[id]
	if !ok {
		tell("PUB005", "the row's question is not in its data set", q.Question, "", false)
		return
	}
	if c.seen[id]++; c.seen[id] > 1 {
		tell("PUB006", "the question has a second row", fmt.Sprint(c.seen[id], " rows"), "one", false)
	}
	c.cases[a.CaseID] = true
	c.apart = c.apart || slices.Contains(figure.Apart(q.Dataset), q.RawCategory)
	if q.Question != "" && plain(q.Question) != plain(a.Text) {
		want := a.Text
		if other := c.texts[a.CaseID+"\x00"+plain(q.Question)]; other != "" {
			want += ", of " + other + " is the row's"
		}
		tell("PUB007", "the row's question differs from its data set's", q.Question, want, false)
	}
	if q.RawCategory != a.RawCategory {
		tell("PUB008", "the row's category differs from its data set's", q.RawCategory, a.RawCategory, false)
	}
	gold := func(list []string) bool {
		return slices.ContainsFunc(q.AllGolds(), func(g string) bool {
			return slices.ContainsFunc(list, func(x string) bool { return plain(x) == plain(g) })
		})
	}
	switch {
	case a.Abstain || gold(a.Golds()):
	case a.Errata != nil && gold([]string{a.Errata.Answer}):
		tell("PUB009", "the row was graded against a corrected gold ("+a.Errata.Overlay+")", q.Gold, a.Answer, true)
	default:
		tell("PUB009", "the row's gold differs from its data set's", q.Gold, a.Answer, false)
	}
	if a.Errata != nil && gold(a.Golds()) {
		tell("PUB010", "the gold is disputed: "+a.Errata.Kind+" by "+a.Errata.Overlay, q.Gold, a.Errata.Answer, true)
	}
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
