package graphir

import (
	"maps"

	"membench/internal/codec"
	"membench/schema"
)

// The merge rule of the memory graph for all writers: of several occurrences of an element the scalars are those of the earliest; if there are several points
// or conversations, lists are added.

// lists are the lists over several occurrences of one element.
type lists struct {
	points, convs []string // sorted, distinct, at most maxList
	times         int      // how many occurrences
	cut           bool     // there were more points or conversations
}

// take adds the lists of m.
func (l *lists) take(m *lists) {
	l.times += m.times
	l.cut = l.cut || m.cut
	l.points = unite(l.points, m.points, &l.cut)
	l.convs = unite(l.convs, m.convs, &l.cut)
}

// unite merges two sorted lists into one of at most maxList entries.
func unite(a, b []string, cut *bool) []string {
	if len(b) == 0 || len(a) == 1 && len(b) == 1 && a[0] == b[0] {
		return a
	}
	if len(a) == maxList && b[0] > a[maxList-1] { // as nearly always, once a list is full
		*cut = true
		return a
	}
	out := make([]string, 0, min(len(a)+len(b), maxList))
	for len(a) > 0 || len(b) > 0 {
		var s string
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			s, a = a[0], a[1:]
		case len(a) == 0 || b[0] < a[0]:
			s, b = b[0], b[1:]
		default:
			s, a, b = a[0], a[1:], b[1:]
		}
		if len(out) == maxList {
			*cut = true
			return out
		}
		out = append(out, s)
	}
	return out
}

// append appends the members behind the scalars.
func (l *lists) append(dst []byte, layout codec.Layout) []byte {
	// A conversation is never an integer.
	return appendLists(dst, layout, l.points, l.convs, func(dst []byte, s string) []byte { return schema.PointID(s).AppendJSON(dst) }, l.cut, l.times)
}

// appendLists appends the lists with more than one entry, and the number of occurrences if a list is cut. dst is an unfinished object.
func appendLists[T any](dst []byte, layout codec.Layout, points, convs []T, item func([]byte, T) []byte, cut bool, times int) []byte {
	comma, colon := ",", ":"
	if layout == codec.Spaced {
		comma, colon = ", ", ": "
	}
	name := func(s string) {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, comma...)
		}
		dst = append(append(append(append(dst, '"'), s...), '"'), colon...)
	}
	for i, list := range [2][]T{points, convs} {
		if len(list) < 2 {
			continue
		}
		name([2]string{"point_ids", "conv_ids"}[i])
		for i, x := range list {
			if i == 0 {
				dst = append(dst, '[')
			} else {
				dst = append(dst, comma...)
			}
			dst = item(dst, x)
		}
		dst = append(dst, ']')
	}
	if cut {
		name("occurrences")
		dst = appendInt(dst, times)
	}
	return dst
}

// Join is the merge rule for a graph that grows: it appends to a, the existing object, the members that only b has, and reports whether that changed a.
func Join(a, b schema.Object) (schema.Object, bool) {
	more := maps.Collect(b.Members())
	var out schema.ObjectBuilder
	differs := false
	for k, v := range a.Members() {
		if empty(v) && !empty(more[k]) {
			v, differs = more[k], true
		}
		out.Raw(k, v)
		delete(more, k)
	}
	for k, v := range b.Members() {
		if more[k] != nil {
			out.Raw(k, v)
			differs = true
		}
	}
	if !differs {
		return a, false
	}
	return out.Object(), true
}

func empty(v []byte) bool { return len(v) == 0 || string(v) == "null" || string(v) == "[]" }
