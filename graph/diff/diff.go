// Package diff compares two graphs or two claim sets by meaning: what was added, removed
// and changed, by kind.
package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"membench/graph"
	"membench/internal/textnorm"
	"membench/schema"
)

// Options of Run.
type Options struct {
	A, B   string   // graph folders, claims folders, or single files; one of them may be "-"
	Ignore []string // properties and members that do not count
	Stdin  io.Reader
	Report func(*schema.Finding)
	Each   func(Step) error // called with every change; nil: they are only counted
}

// A Step is one change of either kind.
type Step struct {
	Kind, Label, ID string
	Op              byte // '+', '-', '~'
	Fields          []graph.FieldChange
	Change          any // schema.Change or graph.StatementChange
}

// Write writes the change for people.
func (s Step) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%c %s %s\n", s.Op, s.Label, textnorm.OneLine(s.ID, 0))
	for _, f := range s.Fields {
		_, e := fmt.Fprintf(w, "    %s: %s → %s\n", f.Name, shown(f.Old), shown(f.New))
		err = errors.Join(err, e)
	}
	return err
}

// A Count is one line of the summary.
type Count struct {
	Kind    string         `json:"kind"` // node, edge, claim, entity
	Label   string         `json:"label"`
	Added   int            `json:"added"`
	Removed int            `json:"removed"`
	Changed int            `json:"changed"`
	Members map[string]int `json:"members,omitempty"` // how often each member or property changed
}

// Report is what Run found.
type Report struct {
	Equal    bool           `json:"equal"`
	Added    int            `json:"added"`
	Removed  int            `json:"removed"`
	Changed  int            `json:"changed"`
	Counts   []*Count       `json:"counts"`
	Findings map[string]int `json:"findings,omitempty"`
	Records  int            `json:"-"` // read on both sides
}

func (r *Report) at(kind, label string) *Count {
	for _, c := range r.Counts {
		if c.Kind == kind && c.Label == label {
			return c
		}
	}
	c := &Count{Kind: kind, Label: label}
	r.Counts = append(r.Counts, c)
	return c
}

// Run compares A with B. A side of which every record is rejected is a
// *schema.RejectedError: to compare with nothing would remove everything.
func Run(ctx context.Context, o Options) (*Report, error) {
	var files [2][]string
	var kinds [2]string
	for i, path := range []string{o.A, o.B} {
		var err error
		if files[i], kinds[i], err = diffFiles(path); err != nil {
			return nil, err
		}
	}
	kinds[0], kinds[1] = cmp.Or(kinds[0], kinds[1]), cmp.Or(kinds[1], kinds[0])
	if kinds[0] != kinds[1] {
		return nil, fmt.Errorf("%s holds %s and %s holds %s: they cannot be compared", o.A, kinds[0], o.B, kinds[1])
	}
	rep := &Report{Counts: []*Count{}}
	var err error
	if kinds[0] == "statements" {
		err = compare(ctx, o, rep, files, statementKey, graph.CompareStatements, graph.DiffStatements, statementStep)
	} else {
		err = compare(ctx, o, rep, files, nodeEdgeKey, graph.Compare, graph.Diff, elementStep)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rep.Counts, func(a, b *Count) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Label, b.Label))
	})
	for _, c := range rep.Counts {
		rep.Added += c.Added
		rep.Removed += c.Removed
		rep.Changed += c.Changed
	}
	rep.Equal = rep.Added+rep.Removed+rep.Changed == 0
	return rep, nil
}

// counted counts what is read of one side.
func counted[T any](in schema.Seq[T], l *schema.Loss) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for rec, err := range in {
			var f *schema.Finding
			switch e, element := any(rec.V).(schema.Element); {
			case errors.As(err, &f) && !f.Warning, err == nil && element && graph.Lacking(e) != "":
				l.Rejected++
			case err == nil:
				l.Taken++
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// compare reads both sides in order and counts what differs.
func compare[T, C any](ctx context.Context, o Options, rep *Report, files [2][]string, key func([]byte) []string, order func(a, b T) int,
	diff func(a, b schema.Seq[T], ignore ...string) iter.Seq2[C, error], step func(C, []string) Step) error {
	var in [2]schema.Seq[T]
	var read [2]schema.Loss
	for i := range in {
		var err error
		if in[i], err = sorted(ctx, files[i], o.Stdin, key, order); err != nil {
			return err
		}
		in[i] = counted(in[i], &read[i])
	}
	for c, err := range diff(in[0], in[1], o.Ignore...) {
		var f *schema.Finding
		switch {
		case errors.As(err, &f):
			if o.Report != nil {
				o.Report(f)
			}
			continue
		case err != nil:
			return err
		}
		s := step(c, o.Ignore)
		s.Change = c
		rep.count(s)
		if o.Each != nil {
			if err := o.Each(s); err != nil {
				return err
			}
		}
	}
	for _, l := range read {
		l.Step = "diff"
		if err := l.Before(); err != nil {
			return err
		}
		rep.Records += l.Taken
	}
	return nil
}

func (r *Report) count(s Step) {
	n := r.at(s.Kind, s.Label)
	switch s.Op {
	case '+':
		n.Added++
	case '-':
		n.Removed++
	default:
		n.Changed++
		if n.Members == nil {
			n.Members = map[string]int{}
		}
		for _, f := range s.Fields {
			n.Members[f.Name]++
		}
	}
}

// Write writes the counts for people.
func (r *Report) Write(w io.Writer) error {
	if r.Equal {
		_, err := fmt.Fprintln(w, "equal")
		return err
	}
	for _, c := range r.Counts {
		line := fmt.Sprintf("%-6s %-18s +%d -%d ~%d", c.Kind, c.Label, c.Added, c.Removed, c.Changed)
		var members []string
		for name, n := range c.Members {
			members = append(members, fmt.Sprintf("%s %d", name, n))
		}
		slices.Sort(members)
		if len(members) > 0 {
			line += "  (" + strings.Join(members, ", ") + ")"
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d added, %d removed, %d changed\n", r.Added, r.Removed, r.Changed)
	return err
}

func shown(raw []byte) string {
	if raw == nil {
		return "absent"
	}
	return textnorm.OneLine(string(raw), 160)
}

func changeMark(old, new bool) byte {
	switch {
	case old && new:
		return '~'
	case old:
		return '-'
	}
	return '+'
}

func elementStep(c schema.Change, ignore []string) Step {
	one := c.New
	if one.IsZero() {
		one = c.Old
	}
	s := Step{Kind: "node", ID: one.ID(), Op: changeMark(!c.Old.IsZero(), !c.New.IsZero()), Fields: graph.Fields(c.Old, c.New, ignore...)}
	if one.Edge != nil {
		s.Kind, s.Label = "edge", one.Edge.Type
	} else {
		s.Label = strings.Join(one.Node.Labels, ":")
	}
	return s
}

func statementStep(c graph.StatementChange, ignore []string) Step {
	one := c.New
	if one.Claim == nil && one.Entity == nil {
		one = c.Old
	}
	has := func(s schema.Statement) bool { return s.Claim != nil || s.Entity != nil }
	s := Step{ID: c.ID(), Op: changeMark(has(c.Old), has(c.New))}
	if s.Op == '~' {
		s.Fields = graph.StatementFields(c.Old, c.New, ignore...)
	}
	if one.Claim != nil {
		s.Kind, s.Label = "claim", one.Claim.Predicate
	} else {
		s.Kind, s.Label = "entity", one.Entity.Type
	}
	return s
}
