package neo4j

import (
	"maps"
	"math/bits"
	"slices"

	"membench/graph"
	"membench/schema"
)

// Other programs may add labels and properties to our elements; these are kept when an element is written again. Our own properties are not recorded anywhere;
// the hash of an element identifies them. It covers the labels and properties that we wrote. If the stored element has the hash only without some properties
// that are not in the record, those properties are not ours.

// mostAdded is how many labels and properties are tried in all combinations; of more of
// them, and of an element whose own values someone changed, all stay.
const mostAdded = 10

// keep adds other programs' additions to the rows of changed elements. No row is changed in place: the transaction may be repeated.
func (b *batch) keep(nodes, edges []state) {
	if b.exact {
		return
	}
	for _, part := range []struct {
		rows   *[]row
		states []state
	}{{&b.nodes, nodes}, {&b.edges, edges}} {
		cloned := false
		for i := range part.states {
			s := &part.states[i]
			if s.same || s.foreign || s.props == nil {
				continue
			}
			labels, props := added((*part.rows)[i], *s)
			if s.keep = labels; len(props) == 0 {
				continue
			}
			if !cloned {
				*part.rows, cloned = slices.Clone(*part.rows), true
			}
			r := &(*part.rows)[i]
			r.props = maps.Clone(r.props)
			maps.Copy(r.props, props)
		}
	}
}

// added are the labels and properties of a stored element that others added.
func added(r row, s state) (labels []string, props map[string]any) {
	for _, l := range s.labels {
		if l != baseLabel && !slices.Contains(r.labels, l) {
			labels = append(labels, l)
		}
	}
	var names []string
	for k := range s.props {
		if _, ours := r.props[k]; !ours && k != vectorProp {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	n := len(labels) + len(names)
	if n == 0 {
		return nil, nil
	}
	foreign := uint(1)<<n - 1
	if n <= mostAdded {
		foreign = notOurs(r, s, labels, names)
	}
	var kept []string
	props = map[string]any{}
	for i := range n {
		switch {
		case foreign>>i&1 == 0:
		case i < len(labels):
			kept = append(kept, labels[i])
		default:
			name := names[i-len(labels)]
			props[name] = s.props[name]
		}
	}
	return kept, props
}

// notOurs returns the smallest set of the labels and names, as bits, without which the stored element has its stored hash; all of them if there is none.
func notOurs(r row, s state, labels, names []string) uint {
	n := len(labels) + len(names)
	hash, _ := s.props[hashProp].(string)
	var typ, src, dst string
	if r.rec.V.Edge != nil {
		typ = r.typ
		if s.typ != "" {
			typ = s.typ
		}
		src, _ = s.props["src"].(string)
		dst, _ = s.props["dst"].(string)
	}
	all := graph.MapProps(object(s.props, r.rec.V.Edge != nil))
	sets := make([]uint, 1<<n)
	for i := range sets {
		sets[i] = uint(i)
	}
	slices.SortStableFunc(sets, func(a, b uint) int { return bits.OnesCount(a) - bits.OnesCount(b) })
	for _, set := range sets {
		without := func(list []string, first int) func(string) bool {
			return func(x string) bool { i := slices.Index(list, x); return i >= 0 && set>>(first+i)&1 == 1 }
		}
		rest := all
		gone := without(names, len(labels))
		rest.Stored = slices.DeleteFunc(slices.Clone(all.Stored), func(p graph.Prop) bool { return gone(p.Name) })
		if gone(graph.PropsJSON) {
			rest.Rest = schema.Object{}
		}
		own := slices.DeleteFunc(slices.Clone(s.labels), func(l string) bool { return l == baseLabel || without(labels, 0)(l) })
		slices.Sort(own)
		if graph.Hash(own, typ, src, dst, rest) == hash {
			return set
		}
	}
	return 1<<n - 1
}
