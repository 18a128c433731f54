package mem0

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/llm"
	"membench/memory"
	records "membench/memory/store"
	"membench/schema"
)

// Points stores the points of memories outside the process, as Mem0 stores them in a vector store in addition to its history. The journal remains
// authoritative: it is written first, and points that are missing after a kill are written when the memory is attached again. All operations may be repeated.
type Points interface {
	// Held returns the checksum of each point of the namespace; no points is not an error.
	Held(ctx context.Context, ns memory.Namespace) (map[schema.PointID]string, error)
	// Put stores points, or replaces those with their ids.
	Put(ctx context.Context, ns memory.Namespace, points []Point) error
	// Delete removes points; unknown ids are not errors.
	Delete(ctx context.Context, ns memory.Namespace, ids []schema.PointID) error
	// Drop removes all points of the namespace.
	Drop(ctx context.Context, ns memory.Namespace) error
	// Nearest are the cosines of the n points that are nearest to v, of q's user and
	// agent where it names them.
	Nearest(ctx context.Context, ns memory.Namespace, q memory.Query, v []float32, n int) (map[schema.PointID]float64, error)
}

// A Point is the external form of one memory.
type Point struct {
	ID      schema.PointID
	Payload schema.Object // with the turns it rests on, as events
	Sum     string        // differs when payload, vector or embedder do
	Vector  []float32     // nil: the one that is there stays
}

// MarkPrefix begins the names of the payload members by which membench knows its own
// points in a store of others.
const MarkPrefix = "membench_"

// Unmarked is a payload without such members.
func Unmarked(o schema.Object) schema.Object {
	var names []string
	for name := range o.Members() {
		if strings.HasPrefix(name, MarkPrefix) {
			names = append(names, name)
		}
	}
	if names == nil {
		return o
	}
	return o.Without(names...)
}

// nearest is how many cosines a question requests from Points. Up to this many points the answers equal those of in-process vectors; beyond it, a point that is
// not among them is scored by its words only.
const nearest = 1000

// whole is the payload with its turns.
func (p *point) whole() (schema.Object, error) {
	if len(p.events) == 0 {
		return p.payload, nil
	}
	return p.payload.With("events", p.events)
}

func (m *Memory) sum(p *point, payload schema.Object) (string, error) {
	raw, err := codec.Append(nil, payload, codec.Compact)
	if err != nil {
		return "", err
	}
	return memory.Fingerprint("%s|%s|%s", m.sys.o.Embedder.Profile(), indexed(p), raw), nil
}

// outside is p as Options.Points is given it, but for its vector.
func (m *Memory) outside(p *point) (out Point, err error) {
	out.ID = p.id
	if out.Payload, err = p.whole(); err == nil {
		out.Sum, err = m.sum(p, out.Payload)
	}
	return out, err
}

// compare finds the differences between the journal and the points: the first reading after Attach.
func (m *Memory) compare(ctx context.Context) error {
	held, err := m.sys.o.Points.Held(ctx, m.ns)
	if err != nil {
		return err
	}
	st := m.store
	foreign := len(held)
	for i, p := range st.points {
		sum, there := held[p.id]
		if there {
			foreign--
		}
		if !p.live {
			delete(st.stale, i)
			if there {
				st.moved[i] = true
			}
			continue
		}
		want, err := m.outside(p)
		if err != nil {
			return err
		}
		if there && sum == want.Sum {
			delete(st.stale, i)
			delete(st.moved, i)
		} else {
			st.stale[i] = true
		}
	}
	if foreign > 0 && m.sys.o.TakeOver && len(st.keys) == 0 {
		return m.sys.o.Points.Drop(ctx, m.ns)
	}
	if foreign > 0 {
		return fmt.Errorf("the vector store holds %d points of the memory %s/%s that its journal does not list: they belong to another store; use a collection of its own, or delete them", foreign, m.ns.Run, m.ns.Scope)
	}
	return nil
}

// push brings the points up to date with the journal.
func (m *Memory) push(ctx context.Context) (used llm.Usage, err error) {
	st := m.store
	var gone []schema.PointID
	var todo []int
	for i := range st.moved {
		if p := st.points[i]; p.live {
			todo = append(todo, i)
		} else {
			gone = append(gone, p.id)
		}
	}
	for i := range st.stale {
		if st.points[i].live && !st.moved[i] {
			todo = append(todo, i)
		}
	}
	slices.Sort(todo)
	slices.Sort(gone)
	for part := range slices.Chunk(todo, 256) {
		points := make([]Point, len(part))
		var texts []string
		var at []int
		for j, i := range part {
			if points[j], err = m.outside(st.points[i]); err != nil {
				return used, err
			}
			if st.stale[i] {
				texts, at = append(texts, indexed(st.points[i])), append(at, j)
			}
		}
		vecs, err := records.Many(ctx, m.sys.o.Embedder, &used, texts)
		if err != nil {
			return used, err
		}
		for j, v := range vecs {
			points[at[j]].Vector = v
		}
		if err := m.sys.o.Points.Put(ctx, m.ns, points); err != nil {
			return used, err
		}
		for _, i := range part {
			delete(st.stale, i)
			delete(st.moved, i)
		}
	}
	if len(gone) == 0 {
		return used, nil
	}
	if err := m.sys.o.Points.Delete(ctx, m.ns, gone); err != nil {
		return used, err
	}
	for _, id := range gone {
		delete(st.moved, st.byID[id])
		delete(st.stale, st.byID[id])
	}
	return used, nil
}

// cosines gives the cosine of every point to v, by position.
func (m *Memory) cosines(ctx context.Context, q memory.Query, v []float32) (func(i int) float64, error) {
	st := m.store
	if m.sys.o.Points == nil {
		return func(i int) float64 { return st.vectors.Dot(v, i) }, nil
	}
	near, err := m.sys.o.Points.Nearest(ctx, m.ns, q, v, nearest)
	if err != nil {
		return nil, err
	}
	return func(i int) float64 { return near[st.points[i].id] }, nil
}
