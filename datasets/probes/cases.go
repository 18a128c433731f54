package probes

import (
	"cmp"
	"fmt"
	"slices"

	"membench/graph"
	"membench/internal/textnorm"
	"membench/schema"
)

func isZH(text string) bool { return textnorm.Lang(text) == "zh" }

// Meta is what a probe's question holds in its meta.
type Meta struct {
	Type        Type          `json:"type"`
	Hops        int           `json:"hops"` // facts or turns that must be joined; 0: nothing can be found
	Lang        string        `json:"lang"` // zh | en
	Distractors []string      `json:"distractors,omitempty"`
	Sources     []schema.Span `json:"sources,omitempty"` // source lines of the evidence
	Proof       *Proof        `json:"proof"`
	By          schema.By     `json:"by"`                // rule, or the model that rephrased
	Template    string        `json:"template,omitzero"` // the question before it was rephrased
}

// cases gives each scope that has questions its case.
func (m *maker) cases() ([]schema.Case, error) {
	var out []schema.Case
	for _, s := range m.w.scopes {
		drafts := m.kept[s]
		if len(drafts) == 0 && !m.o.Empty {
			continue
		}
		rank := func(d *draft) int { return slices.Index(Types(), Type(d.q.RawCategory)) }
		slices.SortStableFunc(drafts, func(a, b *draft) int {
			return cmp.Or(rank(a)-rank(b), cmp.Compare(firstTurn(a), firstTurn(b)), cmp.Compare(a.q.Text, b.q.Text))
		})
		c := s.caseOf(m.o.Dataset)
		for i, d := range drafts {
			q, err := m.question(s, c.ID, i, d)
			if err != nil {
				return nil, err
			}
			c.Questions = append(c.Questions, q)
		}
		out = append(out, c)
	}
	return out, nil
}

func firstTurn(d *draft) int {
	if len(d.turns) == 0 {
		return 0
	}
	return d.turns[0].num
}

func (m *maker) question(s *scope, id string, i int, d *draft) (schema.Question, error) {
	q := d.q
	q.ID = fmt.Sprintf("%s/q/%d", id, i)
	q.Difficulty, q.Choices = difficulty(s, d), d.choices
	meta := Meta{Type: Type(q.RawCategory), Hops: d.hops, Lang: map[bool]string{true: "zh", false: "en"}[d.zh], Distractors: d.distractors, Proof: d.proof, By: "rule"}
	if d.by != "" {
		meta.By, meta.Template = d.by, d.template
	}
	if q.Category != schema.CatABS {
		for _, t := range d.turns {
			q.Evidence = append(q.Evidence, schema.EventRef{ConvID: s.conv, TurnID: t.num})
			q.EvidenceIDs = append(q.EvidenceIDs, string(t.id))
			span, err := m.span(t)
			if err != nil {
				return q, err
			}
			if span.Path != "" && !slices.Contains(meta.Sources, span) {
				meta.Sources = append(meta.Sources, span)
			}
		}
	}
	var err error
	q.Meta, err = schema.NewObject(meta)
	return q, err
}

// span is where a turn is in its source.
func (m *maker) span(t *turn) (span schema.Span, err error) {
	for e, err := range m.g.Neighbors(m.ctx, t.id, graph.Out, graph.Filter{Types: []string{schema.EdgeInSource}}) {
		if err != nil {
			return span, err
		}
		n, _, err := m.g.Node(m.ctx, e.Dst)
		if err != nil {
			return span, err
		}
		var at struct {
			First int `json:"start_line"`
			Last  int `json:"end_line"`
		}
		if e.Props.Read(&at) == nil {
			return schema.Span{Path: n.Props.Text("path"), First: at.First, Last: at.Last}, nil
		}
	}
	return span, nil
}

// difficulty adds up what makes a question hard: a step beyond the first, wrong
// answers near by, evidence that does not share a word with the question beyond
// names, evidence of more than one sitting. 0 to 1 easy, 2 to 3 medium, else hard.
func difficulty(s *scope, d *draft) string {
	n := max(0, d.hops-1)
	if len(d.distractors) >= 3 {
		n++
	}
	sits := map[*sitting]bool{}
	for _, t := range d.turns {
		sits[t.sitting] = true
	}
	n += min(2, max(0, len(sits)-1))
	if d.q.Category == schema.CatABS {
		n = 2
	} else if !sharesWord(d) {
		n++
	}
	switch {
	case n <= 1:
		return "easy"
	case n <= 3:
		return "medium"
	}
	return "hard"
}

func sharesWord(d *draft) bool {
	for w := range pieces(fold(d.q.Text)) {
		if len(w) < 4 {
			continue
		}
		for _, t := range d.turns {
			if has(t.folded, w) && fold(t.who) != w {
				return true
			}
		}
	}
	return false
}

// caseOf is the scope's dialogue as a case.
func (s *scope) caseOf(dataset string) schema.Case {
	c := schema.Case{ID: dataset + "-" + string(s.conv), Dataset: dataset, ConvID: s.conv, Unit: schema.UnitTurn}
	var users, others []string
	ids := map[string]bool{}
	for _, x := range s.sittings {
		id := x.id
		if id == "" {
			id = string(x.conv)
		} else if len(s.convs) > 1 {
			id = string(x.conv) + "/" + id
		}
		base := id
		for n := 2; ids[id]; n++ {
			id = fmt.Sprintf("%s#%d", base, n)
		}
		ids[id] = true
		out := schema.Session{ID: id, Time: x.time}
		for _, t := range x.turns {
			ct := schema.CaseTurn{TurnID: t.num, SourceID: string(t.id), Role: caseRole(t.role), Name: t.who, Text: t.text, Time: t.time, Attachments: t.atts}
			switch {
			case ct.Role == "user" && !slices.Contains(users, t.who):
				users = append(users, t.who)
			case ct.Role == "assistant" && !slices.Contains(others, t.who):
				others = append(others, t.who)
			}
			out.Turns = append(out.Turns, ct)
		}
		c.Sessions = append(c.Sessions, out)
	}
	c.Speakers = append(users, others...)
	return c
}

func caseRole(role string) string {
	switch role {
	case schema.RoleAssistant, schema.RoleTool:
		return role
	case schema.RoleUI:
		return "system"
	}
	return "user"
}
