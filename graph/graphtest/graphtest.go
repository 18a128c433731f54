// Package graphtest is the conformance suite of graph.Store. A store passes when
// Run passes on it:
//
//	func TestStore(t *testing.T) {
//		graphtest.Run(t, func(t *testing.T) graph.Store { return graph.NewLocal() })
//	}
package graphtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"testing"

	"membench/graph"
	"membench/schema"
)

// Node makes a node; props is the text of a JSON object, "" for none.
func Node(id, label, props string) schema.Element {
	return schema.Element{Node: &schema.Node{ID: schema.NodeID(id), Labels: []string{label}, Props: object(props)}}
}

// Edge makes an edge whose id is edge:{type}:{src}:{dst}.
func Edge(typ, src, dst, props string) schema.Element {
	id := schema.Mint{V: schema.Latest}.Edge(typ, schema.NodeID(src), schema.NodeID(dst))
	return schema.Element{Edge: &schema.Edge{ID: id, Type: typ, Src: schema.NodeID(src), Dst: schema.NodeID(dst), Props: object(props)}}
}

func object(props string) schema.Object {
	if props == "" {
		return schema.Object{}
	}
	return schema.RawObject([]byte(props))
}

// Put and Delete make changes.
func Put(e schema.Element) schema.Change    { return schema.Change{Op: schema.OpPut, New: e} }
func Delete(e schema.Element) schema.Change { return schema.Change{Op: schema.OpDelete, Old: e} }

// hazards are texts that break stores which build statements or lines from data.
var hazards = []string{"", " ", "a:b|c%", `it's "quoted" \ back`, "`DETACH DELETE n//", `\u0060`, "line\nbreak\r\ttab", "全角：｜　文字", "👩‍👩‍👧 emoji", "a;b,c", "null", "\u2028"}

// Run tests a store. open gives an empty one; what it opened it must close by itself
// (t.Cleanup).
func Run(t *testing.T, open func(t *testing.T) graph.Store) {
	ctx := context.Background()
	// abc is a small graph: a → b twice by type, b → c, c → c.
	abc := func() []schema.Change {
		return []schema.Change{
			Put(Edge("KNOWS", "user:a", "user:b", `{"since":1}`)), Put(Edge("LIKES", "user:a", "user:b", "")),
			Put(Edge("KNOWS", "user:b", "topic:c", "")), Put(Edge("SAME_AS", "topic:c", "topic:c", "")),
			Put(Node("user:b", "User", `{"name":"乙"}`)), Put(Node("topic:c", "Topic", "")), Put(Node("user:a", "User", `{"name":"甲","n":1}`)),
		}
	}
	fill := func(t *testing.T, cs ...schema.Change) graph.Store {
		t.Helper()
		s := open(t)
		if _, err := s.Apply(ctx, graph.Changes(cs...)); err != nil {
			t.Fatal(err)
		}
		return s
	}
	nodes := func(t *testing.T, s graph.Store, f graph.Filter) []string {
		t.Helper()
		var out []string
		for n, err := range s.Nodes(ctx, f) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(n.ID))
		}
		return out
	}
	edges := func(t *testing.T, s graph.Store, id string, d graph.Direction, f graph.Filter) []string {
		t.Helper()
		var out []string
		for e, err := range s.Neighbors(ctx, schema.NodeID(id), d, f) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(e.ID))
		}
		return out
	}
	want := func(t *testing.T, what string, have, want any) {
		t.Helper()
		if !reflect.DeepEqual(have, want) {
			t.Errorf("%s:\nhave %v\nwant %v", what, have, want)
		}
	}
	const ab, ab2, bc, cc = "edge:KNOWS:user:a:user:b", "edge:LIKES:user:a:user:b", "edge:KNOWS:user:b:topic:c", "edge:SAME_AS:topic:c:topic:c"

	t.Run("empty", func(t *testing.T) {
		s := open(t)
		if _, ok, err := s.Node(ctx, "user:a"); ok || err != nil {
			t.Errorf("Node of an empty store: have %v %v, want false and no error", ok, err)
		}
		want(t, "nodes", nodes(t, s, graph.Filter{}), []string(nil))
		want(t, "edges of an unknown node", edges(t, s, "user:a", graph.Both, graph.Filter{}), []string(nil))
		a, err := s.Apply(ctx, graph.Changes())
		want(t, "empty call", a, graph.Applied{})
		want(t, "its error", err, error(nil))
	})
	t.Run("read", func(t *testing.T) {
		s := fill(t, abc()...)
		want(t, "nodes by id", nodes(t, s, graph.Filter{}), []string{"topic:c", "user:a", "user:b"})
		want(t, "nodes by label", nodes(t, s, graph.Filter{Labels: []string{"User", "Nosuch"}}), []string{"user:a", "user:b"})
		want(t, "out", edges(t, s, "user:a", graph.Out, graph.Filter{}), []string{ab, ab2})
		want(t, "in", edges(t, s, "user:b", graph.In, graph.Filter{}), []string{ab, ab2})
		want(t, "both, by edge id", edges(t, s, "user:b", graph.Both, graph.Filter{}), []string{ab, bc, ab2})
		want(t, "a loop is one edge", edges(t, s, "topic:c", graph.Both, graph.Filter{}), []string{bc, cc})
		want(t, "by type", edges(t, s, "user:b", graph.Both, graph.Filter{Types: []string{"LIKES"}}), []string{ab2})
		want(t, "by label of the other end", edges(t, s, "user:b", graph.Both, graph.Filter{Labels: []string{"Topic"}}), []string{bc})
		n, ok, err := s.Node(ctx, "user:a")
		if err != nil || !ok || n.Props.Text("name") != "甲" || !slices.Equal(n.Labels, []string{"User"}) {
			t.Errorf("node: have %+v %v %v", n, ok, err)
		}
		for e, err := range s.Neighbors(ctx, "user:a", graph.Out, graph.Filter{Types: []string{"KNOWS"}}) {
			w := Edge("KNOWS", "user:a", "user:b", `{"since":1}`)
			if err != nil || !graph.SameElement(schema.Element{Edge: &e}, w) {
				t.Errorf("edge: have %+v %v, want %+v", e, err, w.Edge)
			}
		}
	})
	t.Run("stop early", func(t *testing.T) {
		s := fill(t, abc()...)
		for range s.Nodes(ctx, graph.Filter{}) {
			break
		}
		for range s.Neighbors(ctx, "user:b", graph.Both, graph.Filter{}) {
			break
		}
		want(t, "afterwards", len(nodes(t, s, graph.Filter{})), 3)
	})
	t.Run("idempotent", func(t *testing.T) {
		s := open(t)
		a, err := s.Apply(ctx, graph.Changes(abc()...))
		a.Revision = ""
		want(t, "first", a, graph.Applied{Sent: 7, Nodes: 3, Edges: 4})
		want(t, "error", err, error(nil))
		a, err = s.Apply(ctx, graph.Changes(abc()...))
		want(t, "second", a, graph.Applied{Sent: 7, Unchanged: 7})
		want(t, "error", err, error(nil))
		a, err = s.Apply(ctx, graph.Changes(Delete(Node("user:zz", "User", "")), Delete(Edge("X", "user:a", "user:zz", ""))))
		want(t, "deleting what is not there", a, graph.Applied{Sent: 2, Unchanged: 2})
		want(t, "error", err, error(nil))
	})
	t.Run("replace", func(t *testing.T) {
		s := fill(t, abc()...)
		a, err := s.Apply(ctx, graph.Changes(Put(Node("user:a", "Agent", `{"name":"丙"}`)), Put(Edge("KNOWS", "user:a", "user:b", `{"until":2}`))))
		a.Revision = ""
		want(t, "applied", a, graph.Applied{Sent: 2, Nodes: 1, Edges: 1})
		want(t, "error", err, error(nil))
		n, _, _ := s.Node(ctx, "user:a")
		if !graph.SameElement(schema.Element{Node: &n}, Node("user:a", "Agent", `{"name":"丙"}`)) {
			t.Errorf("a put replaces labels and properties: have %+v", n)
		}
		want(t, "by the old label", nodes(t, s, graph.Filter{Labels: []string{"User"}}), []string{"user:b"})
		want(t, "edges stay", edges(t, s, "user:a", graph.Both, graph.Filter{}), []string{ab, ab2})
	})
	t.Run("an edge moves", func(t *testing.T) {
		s := fill(t, abc()...)
		e := Edge("KNOWS", "user:a", "user:b", "")
		e.Edge.Dst = "topic:c"
		if _, err := s.Apply(ctx, graph.Changes(Put(e))); err != nil {
			t.Fatal(err)
		}
		want(t, "gone from the old end", edges(t, s, "user:b", graph.Both, graph.Filter{}), []string{bc, ab2})
		want(t, "at the new end", edges(t, s, "topic:c", graph.In, graph.Filter{}), []string{ab, bc, cc})
	})
	t.Run("delete", func(t *testing.T) {
		s := fill(t, abc()...)
		a, err := s.Apply(ctx, graph.Changes(Delete(Node("user:b", "User", "")), Delete(Edge("LIKES", "user:a", "user:b", ""))))
		a.Revision = ""
		want(t, "a node takes its edges with it", a, graph.Applied{Sent: 2, Deleted: 4})
		want(t, "error", err, error(nil))
		want(t, "nodes", nodes(t, s, graph.Filter{}), []string{"topic:c", "user:a"})
		want(t, "edges of a", edges(t, s, "user:a", graph.Both, graph.Filter{}), []string(nil))
		want(t, "edges of c", edges(t, s, "topic:c", graph.Both, graph.Filter{}), []string{cc})
		// Back again: nothing of the old is left over.
		if _, err := s.Apply(ctx, graph.Changes(Put(Node("user:b", "User", "")))); err != nil {
			t.Fatal(err)
		}
		want(t, "edges of b made again", edges(t, s, "user:b", graph.Both, graph.Filter{}), []string(nil))
	})
	t.Run("a set of changes", func(t *testing.T) {
		s := fill(t, abc()...)
		b := Node("user:b", "User", `{"name":"新"}`)
		_, err := s.Apply(ctx, graph.Changes(Delete(b), Put(b)))
		want(t, "error", err, error(nil))
		want(t, "the last change of an id counts", edges(t, s, "user:b", graph.Both, graph.Filter{}), []string{ab, bc, ab2})
	})
	t.Run("atomic", func(t *testing.T) {
		s := fill(t, abc()...)
		before := nodes(t, s, graph.Filter{})
		for name, tc := range map[string]struct {
			in   iter.Seq2[schema.Change, error]
			code string
		}{
			"edge to nowhere":                    {graph.Changes(Put(Node("user:d", "User", "")), Delete(Node("user:a", "User", "")), Put(Edge("KNOWS", "user:d", "user:nobody", ""))), "GRF031"},
			"edge to a node deleted in the call": {graph.Changes(Delete(Node("user:b", "User", "")), Put(Edge("KNOWS", "user:a", "user:b", ""))), "GRF031"},
			"unknown operation":                  {graph.Changes(Put(Node("user:d", "User", "")), schema.Change{Op: "merge", New: Node("user:e", "User", "")}), "GRF030"},
			"no element":                         {graph.Changes(Put(Node("user:d", "User", "")), schema.Change{Op: schema.OpPut}), "GRF030"},
			"broken input": {func(yield func(schema.Change, error) bool) {
				_ = yield(Put(Node("user:d", "User", "")), nil) && yield(schema.Change{}, errors.New("disk on fire"))
			}, ""},
		} {
			_, err := s.Apply(ctx, tc.in)
			var f *schema.Finding
			if err == nil || tc.code != "" && (!errors.As(err, &f) || f.Code != tc.code) {
				t.Errorf("%s: have error %v, want %s", name, err, tc.code)
			}
			want(t, name+": nodes", nodes(t, s, graph.Filter{}), before)
			want(t, name+": edges", edges(t, s, "user:b", graph.Both, graph.Filter{}), []string{ab, bc, ab2})
		}
	})
	t.Run("hazards", func(t *testing.T) {
		var cs []schema.Change
		var ids []string
		for i, h := range hazards {
			id := schema.Mint{V: schema.Latest}.Node("topic", h+fmt.Sprint(i))
			ids = append(ids, string(id))
			var props schema.ObjectBuilder
			props.String("name", h)
			props.String("id", h)
			props.String("p_id", "x"+h)
			if err := props.Value("list", []string{h, "b"}); err != nil {
				t.Fatal(err)
			}
			props.Raw("nested", []byte(`{"a":[1,null,{"b":2.50}]}`))
			props.Raw("float", []byte(`1.0`))
			props.Raw("big", []byte(`123456789012345678901234567890`))
			props.Raw("null", []byte(`null`))
			props.Raw("none", []byte(`[]`))
			props.String("key "+h, "v")
			cs = append(cs, Put(schema.Element{Node: &schema.Node{ID: id, Labels: []string{"Topic"}, Props: props.Object()}}))
		}
		s := fill(t, cs...)
		slices.Sort(ids)
		want(t, "ids", nodes(t, s, graph.Filter{}), ids)
		for _, c := range cs {
			n, ok, err := s.Node(ctx, c.New.Node.ID)
			if err != nil || !ok {
				t.Fatalf("%s: have %v %v", c.New.ID(), ok, err)
			}
			if f := graph.Fields(schema.Element{Node: &n}, c.New); len(f) > 0 {
				t.Errorf("%q came back with other properties: %s", n.ID, f)
			}
		}
		a, err := s.Apply(ctx, graph.Changes(cs...))
		want(t, "again", a, graph.Applied{Sent: len(cs), Unchanged: len(cs)})
		want(t, "error", err, error(nil))
	})
	t.Run("diff and patch", func(t *testing.T) {
		s := fill(t, abc()...)
		target := []schema.Change{Put(Node("user:a", "User", `{"name":"甲","n":2}`)), Put(Node("user:e", "User", "")), Put(Edge("KNOWS", "user:a", "user:e", ""))}
		as := func(cs []schema.Change) schema.Seq[schema.Element] {
			var es []schema.Element
			for _, c := range cs {
				es = append(es, c.New)
			}
			slices.SortFunc(es, graph.Compare)
			return func(yield func(schema.Record[schema.Element], error) bool) {
				for _, e := range es {
					if !yield(schema.Record[schema.Element]{V: e}, nil) {
						return
					}
				}
			}
		}
		if _, err := s.Apply(ctx, graph.Diff(as(abc()), as(target))); err != nil {
			t.Fatal(err)
		}
		want(t, "a store that applies a diff becomes the target: nodes", nodes(t, s, graph.Filter{}), []string{"user:a", "user:e"})
		want(t, "edges", edges(t, s, "user:a", graph.Both, graph.Filter{}), []string{"edge:KNOWS:user:a:user:e"})
		a, err := s.Apply(ctx, graph.Diff(as(nil), as(target)))
		want(t, "all of the target again", a, graph.Applied{Sent: 3, Unchanged: 3})
		want(t, "error", err, error(nil))
	})
	t.Run("cancelled", func(t *testing.T) {
		s := fill(t, abc()...)
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := s.Apply(ctx, graph.Changes(Put(Node("user:d", "User", "")))); err == nil {
			t.Error("Apply under a cancelled context: have no error")
		}
		want(t, "nodes", len(nodes(t, s, graph.Filter{})), 3)
	})
}
