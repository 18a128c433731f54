package qdrant

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"membench/internal/codec"
	mem "membench/memory"
	"membench/memory/mem0"
	"membench/schema"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Members by which a payload names the namespace and the state of a point of ours.
const (
	markScope = mem0.MarkPrefix + "scope"
	markSum   = mem0.MarkPrefix + "sum"
)

// Points keeps the points of embedded memories in a collection: as Mem0 lays them out
// (unnamed vectors, cosine), with two members more that say whose they are. An empty
// name means the namespace's run, such as memory_bench_global. The collection is made
// with the first point; one with vectors of another size is rejected.
func (c *Client) Points(collection string) mem0.Points {
	return &points{c: c, name: collection, size: map[string]uint64{}}
}

type points struct {
	c    *Client
	name string

	mu   sync.Mutex
	size map[string]uint64 // of vectors, by collection that is known to be there
}

func (p *points) collection(ns mem.Namespace) string { return cmp.Or(p.name, ns.Run) }

// scope is the namespace's mark; collections may hold several runs.
func scope(ns mem.Namespace) string { return fmt.Sprintf("%q %q", ns.Run, ns.Scope) }

func of(ns mem.Namespace, more ...*qdrant.Condition) *qdrant.Filter {
	return &qdrant.Filter{Must: append([]*qdrant.Condition{qdrant.NewMatchKeyword(markScope, scope(ns))}, more...)}
}

func (p *points) Held(ctx context.Context, ns mem.Namespace) (map[schema.PointID]string, error) {
	out := map[schema.PointID]string{}
	var offset *qdrant.PointId
	for {
		var page []*qdrant.RetrievedPoint
		err := p.c.try(ctx, func() (err error) {
			page, offset, err = p.c.c.ScrollAndOffset(ctx, &qdrant.ScrollPoints{CollectionName: p.collection(ns), Filter: of(ns), Offset: offset,
				Limit: qdrant.PtrOf(uint32(p.c.o.PageSize)), WithPayload: qdrant.NewWithPayloadInclude(markSum)})
			return err
		})
		if missing(err) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		for _, x := range page {
			out[schema.PointID(idOf(x.GetId()))] = x.GetPayload()[markSum].GetStringValue()
		}
		if offset == nil {
			return out, nil
		}
	}
}

func (p *points) Put(ctx context.Context, ns mem.Namespace, in []mem0.Point) error {
	name := p.collection(ns)
	var whole []*qdrant.PointStruct
	for _, x := range in {
		payload, err := marked(ns, x)
		if err != nil {
			return fmt.Errorf("point %s: %w", x.ID, err)
		}
		id := qdrant.NewIDUUID(string(x.ID))
		if x.Vector != nil {
			if err := p.ensure(ctx, name, uint64(len(x.Vector))); err != nil {
				return err
			}
			whole = append(whole, &qdrant.PointStruct{Id: id, Payload: payload, Vectors: qdrant.NewVectorsDense(x.Vector)})
			continue
		}
		err = p.c.try(ctx, func() error {
			_, err := p.c.c.OverwritePayload(ctx, &qdrant.SetPayloadPoints{CollectionName: name, Payload: payload, PointsSelector: qdrant.NewPointsSelector(id), Wait: qdrant.PtrOf(true)})
			return err
		})
		if err != nil {
			return err
		}
	}
	if whole == nil {
		return nil
	}
	return p.c.try(ctx, func() error {
		_, err := p.c.c.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: name, Points: whole, Wait: qdrant.PtrOf(true)})
		return err
	})
}

// marked is a payload as Qdrant keeps it, with our marks.
func marked(ns mem.Namespace, x mem0.Point) (map[string]*qdrant.Value, error) {
	raw, err := codec.Append(nil, x.Payload, codec.Compact)
	if err != nil {
		return nil, err
	}
	v, err := valueOf(raw)
	if err != nil {
		return nil, err
	}
	out := v.GetStructValue().GetFields()
	out[markScope], out[markSum] = qdrant.NewValueString(scope(ns)), qdrant.NewValueString(x.Sum)
	return out, nil
}

// ensure makes the collection, or compares the size of its vectors with ours.
func (p *points) ensure(ctx context.Context, name string, size uint64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size[name] == 0 {
		have, err := p.c.VectorSize(ctx, name)
		switch {
		case missing(err):
			if err := p.create(ctx, name, size); err != nil {
				return err
			}
			have = size
		case err != nil:
			return err
		}
		p.size[name] = have
	}
	if have := p.size[name]; have != size {
		return fmt.Errorf("qdrant at %s: the vectors of collection %q have %d dimensions, the embedder's %d: use that embedder, or another collection", p.c.o.Addr, name, have, size)
	}
	return nil
}

func (p *points) create(ctx context.Context, name string, size uint64) error {
	err := p.c.try(ctx, func() error {
		return p.c.c.CreateCollection(ctx, &qdrant.CreateCollection{CollectionName: name,
			VectorsConfig: qdrant.NewVectorsConfig(&qdrant.VectorParams{Size: size, Distance: qdrant.Distance_Cosine})})
	})
	if err != nil && status.Code(err) != codes.AlreadyExists { // someone else was faster
		return err
	}
	for _, field := range []string{markScope, "user_id", "agent_id"} { // as Mem0 does for its own
		err := p.c.try(ctx, func() error {
			_, err := p.c.c.CreateFieldIndex(ctx, &qdrant.CreateFieldIndexCollection{CollectionName: name, FieldName: field, FieldType: qdrant.FieldType_FieldTypeKeyword.Enum(), Wait: qdrant.PtrOf(true)})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *points) Delete(ctx context.Context, ns mem.Namespace, ids []schema.PointID) error {
	list := make([]*qdrant.PointId, len(ids))
	for i, id := range ids {
		list[i] = qdrant.NewIDUUID(string(id))
	}
	return p.remove(ctx, ns, qdrant.NewPointsSelector(list...))
}

func (p *points) Drop(ctx context.Context, ns mem.Namespace) error {
	return p.remove(ctx, ns, qdrant.NewPointsSelectorFilter(of(ns)))
}

func (p *points) remove(ctx context.Context, ns mem.Namespace, what *qdrant.PointsSelector) error {
	err := p.c.try(ctx, func() error {
		_, err := p.c.c.Delete(ctx, &qdrant.DeletePoints{CollectionName: p.collection(ns), Points: what, Wait: qdrant.PtrOf(true)})
		return err
	})
	if missing(err) {
		return nil
	}
	return err
}

func (p *points) Nearest(ctx context.Context, ns mem.Namespace, q mem.Query, v []float32, n int) (map[schema.PointID]float64, error) {
	var more []*qdrant.Condition
	for _, c := range [][2]string{{"user_id", q.UserID}, {"agent_id", q.AgentID}} {
		if c[1] != "" {
			more = append(more, qdrant.NewMatchKeyword(c[0], c[1]))
		}
	}
	var found []*qdrant.ScoredPoint
	err := p.c.try(ctx, func() (err error) {
		found, err = p.c.c.Query(ctx, &qdrant.QueryPoints{CollectionName: p.collection(ns), Query: qdrant.NewQueryDense(v), Filter: of(ns, more...),
			Limit: qdrant.PtrOf(uint64(n)), Params: &qdrant.SearchParams{Exact: qdrant.PtrOf(true)}, WithPayload: qdrant.NewWithPayload(false)})
		return err
	})
	if err != nil && !missing(err) {
		return nil, err
	}
	out := make(map[schema.PointID]float64, len(found))
	for _, x := range found {
		out[schema.PointID(idOf(x.GetId()))] = float64(x.GetScore())
	}
	return out, nil
}

// VectorSize is the number of dimensions of a collection's unnamed vectors, 0 where it
// has none.
func (c *Client) VectorSize(ctx context.Context, collection string) (size uint64, err error) {
	err = c.try(ctx, func() error {
		info, err := c.c.GetCollectionInfo(ctx, collection)
		size = info.GetConfig().GetParams().GetVectorsConfig().GetParams().GetSize()
		return err
	})
	return size, err
}

// missing reports whether there is no such collection.
func missing(err error) bool { return status.Code(err) == codes.NotFound }
