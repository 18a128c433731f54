package graph

import (
	"iter"

	"membench/schema"
)

// Patch yields a with the changes made: patch(a, diff(a, b)) is b. Both must be
// sorted by Compare. A change that does not fit a (what it deletes or replaces is not
// there or is different; what it adds is there) is finding GRF034, beside the
// element that the change asks for: the change counts.
func Patch(a schema.Seq[schema.Element], changes iter.Seq2[schema.Change, error]) schema.Seq[schema.Element] {
	return func(yield func(schema.Record[schema.Element], error) bool) {
		var pending map[string]schema.Change // the change of the element that the merge holds
		as := func(yield func(schema.Record[schema.Element], error) bool) {
			pending = map[string]schema.Change{}
			for c, err := range changes {
				var e schema.Element
				if err == nil {
					e, err = Target(c)
				}
				if err == nil {
					pending[kindKey(e)] = c
				}
				if !yield(schema.Record[schema.Element]{V: e}, err) {
					return
				}
			}
		}
		report := func(err error) bool { return yield(schema.Record[schema.Element]{}, err) }
		err := merge(a, as, elementForm, report, func(x, y schema.Record[schema.Element], inA, inB bool) bool {
			if !inB {
				return yield(x, nil)
			}
			key := kindKey(y.V)
			c := pending[key]
			delete(pending, key)
			switch want := !c.Old.IsZero(); {
			case want != inA:
				f := &schema.Finding{Pos: x.Pos, Code: "GRF034", Message: "change does not fit the graph", Have: presence(inA), Want: presence(want), Hint: "the change was made for another graph: diff again"}
				if !report(withID(f, y.V)) {
					return false
				}
			case inA && !SameElement(x.V, c.Old):
				if !report(withID(&schema.Finding{Pos: x.Pos, Code: "GRF034", Message: "change does not fit the graph: the element is different there", Hint: "the change was made for another graph: diff again"}, y.V)) {
					return false
				}
			}
			if c.Op == schema.OpDelete {
				return true
			}
			return yield(schema.Record[schema.Element]{Pos: x.Pos, V: c.New}, nil)
		})
		if err != nil {
			yield(schema.Record[schema.Element]{}, err)
		}
	}
}

func withID(f *schema.Finding, e schema.Element) *schema.Finding {
	f.Message += ": " + e.ID()
	return f
}

func presence(there bool) string {
	if there {
		return "element there"
	}
	return "element absent"
}

func kindKey(e schema.Element) string {
	if e.Node != nil {
		return "n" + e.ID()
	}
	return "e" + e.ID()
}
