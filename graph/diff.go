package graph

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/schema"
)

// Compare is the order of elements in every sorted stream: nodes by id, then edges by id.
func Compare(a, b schema.Element) int {
	if (a.Node == nil) != (b.Node == nil) {
		if a.Node != nil {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.ID(), b.ID())
}

// CompareStatements is the order of compiled claims: entities by type and id, then
// claims by domain, predicate and id.
func CompareStatements(a, b schema.Statement) int {
	switch {
	case a.Entity != nil && b.Entity != nil:
		return cmp.Or(cmp.Compare(a.Entity.Type, b.Entity.Type), cmp.Compare(a.Entity.ID, b.Entity.ID))
	case a.Claim != nil && b.Claim != nil:
		return cmp.Or(cmp.Compare(a.Claim.Domain, b.Claim.Domain), cmp.Compare(a.Claim.Predicate, b.Claim.Predicate), cmp.Compare(a.Claim.ID, b.Claim.ID))
	case a.Entity != nil:
		return -1
	}
	return 1
}

// ErrUnsorted ends a diff or patch of a stream that is not in order: pass it through Sort.
var ErrUnsorted = errors.New("records are not in order")

// Sort reads in to its end and yields its records in order, findings first. It holds
// every record: its bytes and about 500 more.
func Sort[T any](in schema.Seq[T], compare func(a, b T) int) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		var all []schema.Record[T]
		for rec, err := range in {
			if err != nil {
				if !yield(rec, err) {
					return
				}
				if !schema.IsFinding(err) {
					return
				}
				continue
			}
			all = append(all, rec)
		}
		slices.SortStableFunc(all, func(a, b schema.Record[T]) int { return compare(a.V, b.V) })
		for _, rec := range all {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// A form is what a diff has to know of a kind of record.
type form[T any] struct {
	compare func(a, b T) int
	id      func(T) string
	text    func(dst []byte, v T) ([]byte, error) // appends its JSON
}

var (
	elementForm   = form[schema.Element]{Compare, schema.Element.ID, appendElement}
	statementForm = form[schema.Statement]{CompareStatements, statementID, func(dst []byte, s schema.Statement) ([]byte, error) { return codec.Append(dst, s, codec.Compact) }}
)

// sortsFirst reports whether the JSON of a sorts before that of b.
func (f form[T]) sortsFirst(a, b T) bool {
	x, err1 := f.text(nil, a)
	y, err2 := f.text(nil, b)
	return err1 == nil && err2 == nil && bytes.Compare(x, y) < 0
}

// A cursor steps over a sorted stream: one record per id, of a repeated one the record whose JSON sorts first.
type cursor[T any] struct {
	form[T]
	name  string
	next  func() (schema.Record[T], error, bool)
	stop  func()
	cur   schema.Record[T]
	ahead schema.Record[T]
	ok    bool // cur holds a record
	more  bool // ahead holds one
}

func newCursor[T any](name string, in schema.Seq[T], f form[T]) *cursor[T] {
	next, stop := iter.Pull2(in)
	return &cursor[T]{form: f, name: name, next: next, stop: stop}
}

// read fills ahead with the next record; findings go to report. err ends the stream.
func (c *cursor[T]) read(report func(error) bool) (stopped bool, err error) {
	c.more = false
	for {
		rec, err, ok := c.next()
		if !ok {
			return false, nil
		}
		if err != nil {
			var f *schema.Finding
			if !errors.As(err, &f) {
				return false, err
			}
			if !report(err) {
				return true, nil
			}
			if !f.Warning {
				continue
			}
		}
		if c.id(rec.V) == "" {
			if !report(&schema.Finding{Pos: rec.Pos, Code: "GRF030", Message: "record has no id, skipped"}) {
				return true, nil
			}
			continue
		}
		c.ahead, c.more = rec, true
		return false, nil
	}
}

func (c *cursor[T]) step(report func(error) bool) (stopped bool, err error) {
	c.cur, c.ok = c.ahead, c.more
	for c.more {
		if stopped, err = c.read(report); stopped || err != nil || !c.more {
			return stopped, err
		}
		switch o := c.compare(c.ahead.V, c.cur.V); {
		case o < 0:
			return false, fmt.Errorf("%s: %w: %q comes after %q", place(c.ahead.Pos, c.name), ErrUnsorted, c.id(c.ahead.V), c.id(c.cur.V))
		case o > 0:
			return false, nil
		}
		goes := c.ahead
		if c.sortsFirst(c.ahead.V, c.cur.V) {
			c.cur, goes = c.ahead, c.cur
		}
		if !report(repeated(goes.Pos, c.id(goes.V))) {
			return true, nil
		}
	}
	return false, nil
}

func place(p schema.Pos, name string) string {
	if s := p.String(); s != "" {
		return s
	}
	return name
}

// merge walks two sorted streams; have reports which side has the id of each step (zero and false if a side lacks it). yield stops it by returning false.
func merge[T any](a, b schema.Seq[T], f form[T], report func(error) bool, yield func(x, y schema.Record[T], inA, inB bool) bool) error {
	ca, cb := newCursor("the first input", a, f), newCursor("the second input", b, f)
	defer ca.stop()
	defer cb.stop()
	for _, c := range []*cursor[T]{ca, cb} {
		if stopped, err := c.read(report); stopped || err != nil {
			return err
		}
		if stopped, err := c.step(report); stopped || err != nil {
			return err
		}
	}
	for ca.ok || cb.ok {
		o := 0
		switch {
		case !cb.ok:
			o = -1
		case !ca.ok:
			o = 1
		default:
			o = f.compare(ca.cur.V, cb.cur.V)
		}
		var x, y schema.Record[T]
		if o <= 0 {
			x = ca.cur
		}
		if o >= 0 {
			y = cb.cur
		}
		if !yield(x, y, o <= 0, o >= 0) {
			return nil
		}
		if o <= 0 {
			if stopped, err := ca.step(report); stopped || err != nil {
				return err
			}
		}
		if o >= 0 {
			if stopped, err := cb.step(report); stopped || err != nil {
				return err
			}
		}
	}
	return nil
}

// Diff yields the changes that turn a into b, in the order of the inputs, which must be sorted (Compare). It holds two records of each. Elements are compared
// as a database stores them: null and the empty list are absent, 1 is 1.0, the order of members and labels does not count, the order of lists does. Members of
// props and of the record named in ignore do not count. Of several elements with one id the one that a Gate keeps is compared, the others are findings (GRF033).
// Findings of the inputs pass through and the rest continues.
func Diff(a, b schema.Seq[schema.Element], ignore ...string) iter.Seq2[schema.Change, error] {
	return func(yield func(schema.Change, error) bool) {
		report := func(err error) bool { return yield(schema.Change{}, err) }
		err := merge(a, b, elementForm, report, func(x, y schema.Record[schema.Element], inA, inB bool) bool {
			switch {
			case !inB:
				return yield(schema.Change{Op: schema.OpDelete, Old: x.V}, nil)
			case !inA:
				return yield(schema.Change{Op: schema.OpPut, New: y.V}, nil)
			case !SameElement(x.V, y.V, ignore...):
				return yield(schema.Change{Op: schema.OpPut, Old: x.V, New: y.V}, nil)
			}
			return true
		})
		if err != nil {
			yield(schema.Change{}, err)
		}
	}
}

// StatementChange is one step from a claim set to another, read as schema.Change is.
type StatementChange struct {
	Op  string           `json:"op"`
	Old schema.Statement `json:"old,omitzero"`
	New schema.Statement `json:"new,omitzero"`
}

func statementID(s schema.Statement) string {
	if s.Claim != nil {
		return string(s.Claim.ID)
	}
	if s.Entity != nil {
		return string(s.Entity.ID)
	}
	return ""
}

// ID is the id of the record that is put or deleted.
func (c StatementChange) ID() string {
	if id := statementID(c.New); id != "" {
		return id
	}
	return statementID(c.Old)
}

// DiffStatements is Diff for claim sets, sorted by CompareStatements.
func DiffStatements(a, b schema.Seq[schema.Statement], ignore ...string) iter.Seq2[StatementChange, error] {
	return func(yield func(StatementChange, error) bool) {
		report := func(err error) bool { return yield(StatementChange{}, err) }
		err := merge(a, b, statementForm, report, func(x, y schema.Record[schema.Statement], inA, inB bool) bool {
			switch {
			case !inB:
				return yield(StatementChange{Op: schema.OpDelete, Old: x.V}, nil)
			case !inA:
				return yield(StatementChange{Op: schema.OpPut, New: y.V}, nil)
			case len(StatementFields(x.V, y.V, ignore...)) > 0:
				return yield(StatementChange{Op: schema.OpPut, Old: x.V, New: y.V}, nil)
			}
			return true
		})
		if err != nil {
			yield(StatementChange{}, err)
		}
	}
}

// A FieldChange is one member that differs. Old or New is nil where the side lacks it.
type FieldChange struct {
	Name string          `json:"name"` // labels, type, src, dst, props.<member>, or a member of the record
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new,omitempty"`
}

// SameElement compares as Diff does.
func SameElement(a, b schema.Element, ignore ...string) bool {
	if (a.Node == nil) != (b.Node == nil) || (a.Edge == nil) != (b.Edge == nil) || a.ID() != b.ID() {
		return false
	}
	if n, m := a.Node, b.Node; n != nil {
		return sameSet(n.Labels, m.Labels) && sameProps(n.Props, m.Props, ignore) && len(changedExtra(n.Extra, m.Extra, ignore)) == 0
	}
	if e, f := a.Edge, b.Edge; e != nil {
		return e.Type == f.Type && e.Src == f.Src && e.Dst == f.Dst && sameProps(e.Props, f.Props, ignore) && len(changedExtra(e.Extra, f.Extra, ignore)) == 0
	}
	return true
}

// Fields lists the differences between two elements of one kind.
func Fields(a, b schema.Element, ignore ...string) (out []FieldChange) {
	text := func(name, x, y string) {
		if x != y {
			out = append(out, FieldChange{name, codec.AppendString(nil, x), codec.AppendString(nil, y)})
		}
	}
	switch {
	case a.Node != nil && b.Node != nil:
		if !sameSet(a.Node.Labels, b.Node.Labels) {
			out = append(out, FieldChange{"labels", rawList(a.Node.Labels), rawList(b.Node.Labels)})
		}
		out = append(out, changedProps(a.Node.Props, b.Node.Props, ignore)...)
		out = append(out, changedExtra(a.Node.Extra, b.Node.Extra, ignore)...)
	case a.Edge != nil && b.Edge != nil:
		text("type", a.Edge.Type, b.Edge.Type)
		text("src", string(a.Edge.Src), string(b.Edge.Src))
		text("dst", string(a.Edge.Dst), string(b.Edge.Dst))
		out = append(out, changedProps(a.Edge.Props, b.Edge.Props, ignore)...)
		out = append(out, changedExtra(a.Edge.Extra, b.Edge.Extra, ignore)...)
	}
	return out
}

// StatementFields lists the differences between two statements, by the rules of Diff: null and the empty list are absent, 1 is 1.0, order of members does not
// count.
func StatementFields(a, b schema.Statement, ignore ...string) []FieldChange {
	ra, errA := a.MarshalJSON()
	rb, errB := b.MarshalJSON()
	if errA == nil && errB == nil && bytes.Equal(ra, rb) {
		return nil
	}
	out := changedProps(schema.RawObject(ra), schema.RawObject(rb), ignore)
	for i := range out {
		out[i].Name = strings.TrimPrefix(out[i].Name, "props.")
	}
	return out
}

func changedExtra(a, b schema.Extra, ignore []string) (out []FieldChange) {
	if len(a)+len(b) == 0 {
		return nil
	}
	names := map[string]bool{}
	for k := range a {
		names[k] = true
	}
	for k := range b {
		names[k] = true
	}
	for _, k := range slices.Sorted(func(yield func(string) bool) {
		for k := range names {
			if !yield(k) {
				return
			}
		}
	}) {
		x, y := present(a[k]), present(b[k])
		if slices.Contains(ignore, k) || x == nil && y == nil {
			continue
		}
		if x == nil || y == nil || !sameValue(x, y) {
			out = append(out, FieldChange{k, x, y})
		}
	}
	return out
}

func present(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	if _, how := mapValue(raw); how == absent {
		return nil
	}
	return raw
}

func sameSet(a, b []string) bool {
	if slices.Equal(a, b) {
		return true
	}
	set := func(s []string) []string { s = slices.Clone(s); slices.Sort(s); return slices.Compact(s) }
	return slices.Equal(set(a), set(b))
}

func rawList(s []string) json.RawMessage {
	b, err := codec.Append(nil, s, codec.Compact)
	if err != nil {
		return nil
	}
	return b
}
