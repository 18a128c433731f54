package qdrant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"membench/schema"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// maxReadings is how often a collection that keeps changing is read.
const maxReadings = 5

// held is one point as it was last read.
type held struct {
	digest  uint64
	payload schema.Object
	finding *schema.Finding
	reading int
}

// Export yields every point of a collection by id, payload members in Mem0's order.
//
// A scroll is not a snapshot: what is written behind its cursor is missed. So the points
// are counted and scrolled, then scrolled again, until a reading finds each point as
// the one before left it and the server counts as many; then the export is the
// collection at one instant between the two. After five readings that differ it is
// given with warning MEM022. Memory: about 150 bytes a point and its payload.
func (c *Client) Export(ctx context.Context, collection string) schema.Seq[schema.MemoryExport] {
	return func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		stop := func(err error) { yield(schema.Record[schema.MemoryExport]{}, err) }
		x := &exporter{c: c, collection: collection, seed: maphash.MakeSeed(), points: map[string]held{}}
		settled := false
		for x.reading = 1; x.reading <= maxReadings && !settled; x.reading++ {
			x.changed = 0
			if err := x.scrollAll(ctx); err != nil {
				stop(err)
				return
			}
			x.dropUnseen()
			n, err := c.Count(ctx, collection)
			if err != nil {
				stop(err)
				return
			}
			settled = int(n) == len(x.points) && x.changed == 0 && x.reading > 1
			if x.reading == 1 && len(x.points) == 0 && n == 0 {
				settled = true
			}
		}
		ids := slices.SortedFunc(maps.Keys(x.points), compareIDs)
		pos := schema.Pos{File: "qdrant:" + collection}
		if !settled { // a warning needs a record to travel with
			for _, id := range slices.Backward(ids) {
				if h := x.points[id]; h.finding == nil {
					h.finding = &schema.Finding{Pos: pos, Code: "MEM022", Message: fmt.Sprintf("the collection changed during each of %d readings: the export does not show a single instant", maxReadings),
						Warning: true, Hint: "export again while Mem0 is idle, or from a snapshot of the collection"}
					x.points[id] = h
					break
				}
			}
		}
		for _, id := range ids {
			h := x.points[id]
			var err error
			if h.finding != nil {
				err = h.finding
			}
			if !yield(schema.Record[schema.MemoryExport]{Pos: pos, V: schema.MemoryExport{ID: schema.PointID(id), Payload: h.payload, Collection: collection}}, err) {
				return
			}
		}
	}
}

// compareIDs orders as Qdrant does: numbers by value, then UUIDs.
func compareIDs(a, b string) int {
	x, xerr := strconv.ParseUint(a, 10, 64)
	y, yerr := strconv.ParseUint(b, 10, 64)
	switch {
	case xerr == nil && yerr == nil:
		return cmp.Compare(x, y)
	case xerr == nil:
		return -1
	case yerr == nil:
		return 1
	}
	return cmp.Compare(a, b)
}

type exporter struct {
	c          *Client
	collection string
	seed       maphash.Seed
	reading    int

	mu      sync.Mutex
	points  map[string]held
	changed int // in this reading, against the one before
}

func (x *exporter) dropUnseen() {
	for id, h := range x.points {
		if h.reading != x.reading {
			delete(x.points, id)
			x.changed++
		}
	}
}

// scrollAll reads all pages, each part of the ids by a scroll of its own: UUIDs are
// spread evenly, and the first part also holds the numbers.
func (x *exporter) scrollAll(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := x.c.o.Parallel
	bounds := make([]*qdrant.PointId, n+1) // nil: from the start, to the end
	for i := 1; i < n; i++ {
		bounds[i] = qdrant.NewIDUUID(fmt.Sprintf("%08x-0000-0000-0000-000000000000", uint64(i)*(math.MaxUint32+1)/uint64(n)))
	}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if errs[i] = x.scroll(ctx, bounds[i], bounds[i+1]); errs[i] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}

// scroll reads the ids from, inclusive, to, exclusive. The next page is under way
// while one is looked at.
func (x *exporter) scroll(ctx context.Context, from, to *qdrant.PointId) error {
	type page struct {
		points []*qdrant.RetrievedPoint
		err    error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pages := make(chan page, 1)
	go func() {
		defer close(pages)
		offset, size := from, uint32(x.c.o.PageSize)
		for {
			points, next, err := x.page(ctx, offset, &size)
			if end := beyond(points, to); end < len(points) {
				points, next = points[:end], nil
			}
			if err == nil && next != nil && offset != nil && idOf(next) == idOf(offset) {
				err = fmt.Errorf("qdrant at %s: the page after %s starts with it again", x.c.o.Addr, idOf(offset))
			}
			select {
			case pages <- page{points, err}:
			case <-ctx.Done():
				return
			}
			if err != nil || next == nil || to != nil && next.GetUuid() != "" && next.GetUuid() >= to.GetUuid() {
				return
			}
			offset = next
		}
	}()
	for p := range pages {
		if p.err != nil {
			return p.err
		}
		x.take(p.points)
	}
	return ctx.Err()
}

// beyond is the index of the first point that is not before to.
func beyond(points []*qdrant.RetrievedPoint, to *qdrant.PointId) int {
	if to == nil {
		return len(points)
	}
	for i, p := range slices.Backward(points) {
		if p.GetId().GetUuid() < to.GetUuid() {
			return i + 1
		}
	}
	return 0
}

// page fetches one page, and halves it when it is larger than an answer may be.
func (x *exporter) page(ctx context.Context, offset *qdrant.PointId, size *uint32) (points []*qdrant.RetrievedPoint, next *qdrant.PointId, err error) {
	for {
		err = x.c.try(ctx, func() error {
			points, next, err = x.c.c.ScrollAndOffset(ctx, &qdrant.ScrollPoints{CollectionName: x.collection, Offset: offset, Limit: size,
				WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectors(false)})
			return err
		})
		if err == nil || !tooLarge(err) {
			return points, next, err
		}
		if *size == 1 {
			return nil, nil, fmt.Errorf("one point alone is larger than an answer may be (%d bytes): %w", x.c.o.MaxPage, err)
		}
		*size /= 2
	}
}

func tooLarge(err error) bool {
	for err != nil {
		if s, ok := status.FromError(err); ok && s.Code() == codes.ResourceExhausted && strings.Contains(s.Message(), "larger than max") {
			return true
		}
		err = errors.Unwrap(err)
	}
	return false
}

func idOf(id *qdrant.PointId) string {
	if u := id.GetUuid(); u != "" {
		return u
	}
	return strconv.FormatUint(id.GetNum(), 10)
}

// take notes a page: what is as the reading before left it costs a hash, no JSON.
func (x *exporter) take(points []*qdrant.RetrievedPoint) {
	ids, sums := make([]string, len(points)), make([]uint64, len(points))
	for i, p := range points {
		ids[i], sums[i] = idOf(p.GetId()), digest(x.seed, p.GetPayload(), 0)
	}
	stale := make([]bool, len(points))
	x.mu.Lock()
	for i, id := range ids {
		h, ok := x.points[id]
		if stale[i] = !ok || h.digest != sums[i]; !stale[i] {
			h.reading = x.reading
			x.points[id] = h
		}
	}
	x.mu.Unlock()
	for i, p := range points {
		if !stale[i] {
			continue
		}
		h := held{digest: sums[i], reading: x.reading}
		var odd int
		var err error
		h.payload, odd, err = payloadOf(p.GetPayload())
		pos := schema.Pos{File: "qdrant:" + x.collection}
		switch {
		case err != nil:
			h.finding = &schema.Finding{Pos: pos, Pointer: "/payload", Code: "MEM020", Message: "the point cannot be read, skipped: " + err.Error(), Have: ids[i]}
		case odd > 0:
			h.finding = &schema.Finding{Pos: pos, Pointer: "/payload", Code: "MEM023", Message: "numbers that JSON cannot hold became null", Have: fmt.Sprintf("%s: %d times NaN or infinity", ids[i], odd), Warning: true}
		}
		x.mu.Lock()
		x.points[ids[i]] = h
		x.changed++
		x.mu.Unlock()
	}
}
