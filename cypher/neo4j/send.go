package neo4j

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// A sender makes transactions of batches: as big as the server has memory for, and
// several at a time where their rows cannot lock each other.
type sender struct {
	db       *DB
	sessions int
	most     int // elements a transaction
	dry      bool
	exact    bool        // remove other programs' additions
	fresh    atomic.Bool // the scope was empty, and nothing was met since
	wrote    atomic.Bool // something was written

	mu    sync.Mutex
	limit int // elements a transaction, at the moment
	good  int // transactions since limit changed
}

func newSender(db *DB, o LoadOptions, empty bool) *sender {
	s := &sender{db: db, sessions: o.Sessions, most: o.Batch, limit: o.Batch, dry: o.DryRun, exact: o.Exact}
	s.fresh.Store(empty && !o.DryRun)
	return s
}

// A part is one transaction that was committed.
type part struct {
	b *batch
	d *done
}

type outcome struct {
	parts    []part // also if err is set: the part that was committed before
	made     []string
	counters Counters
	err      error
}

func (o *outcome) join(p *outcome) {
	o.parts = append(o.parts, p.parts...)
	o.made = append(o.made, p.made...)
	o.counters.plus(p.counters)
	o.err = errors.Join(o.err, p.err)
}

// start sends a batch while the caller continues; the outcome comes once.
func (s *sender) start(ctx context.Context, b *batch) chan *outcome {
	c := make(chan *outcome, 1)
	go func() { c <- s.batch(ctx, b) }()
	return c
}

func (s *sender) batch(ctx context.Context, b *batch) *outcome {
	out := &outcome{}
	if !s.dry {
		if out.made, out.err = s.db.ensure(ctx, b.edgeTypes()...); out.err != nil {
			return out
		}
	}
	// A batch that fits one transaction is not split.
	if s.sessions == 1 || s.dry || len(b.delNodes)+len(b.delEdges) > 0 || b.len() <= s.most {
		s.sequence(ctx, b, out)
		return out
	}
	// Nodes first: shards by id share no node. Then edges, in rounds whose shards
	// share none either.
	s.together(ctx, b.shards(s.sessions), out)
	for _, round := range b.rounds(s.sessions) {
		s.together(ctx, round, out)
	}
	return out
}

// together sends batches at the same time.
func (s *sender) together(ctx context.Context, batches []*batch, out *outcome) {
	if out.err != nil {
		return
	}
	outs := make([]outcome, len(batches))
	var wg sync.WaitGroup
	for i, b := range batches {
		wg.Go(func() { s.sequence(ctx, b, &outs[i]) })
	}
	wg.Wait()
	for i := range outs {
		out.join(&outs[i])
	}
}

// sequence sends a batch in transactions of at most the limit, one after the other.
// A transaction that the server has no memory for is halved, and the limit with it;
// it grows again after a while.
func (s *sender) sequence(ctx context.Context, b *batch, out *outcome) {
	for b.len() > 0 && out.err == nil {
		s.mu.Lock()
		limit := s.limit
		s.mu.Unlock()
		head, rest := b.cut(limit)
		d, c, err := s.transaction(ctx, head)
		switch {
		case errors.Is(err, errTooBig) && head.len() > 1:
			s.mu.Lock()
			s.limit, s.good = min(s.limit, max(1, head.len()/2)), 0
			s.mu.Unlock()
			continue
		case err != nil:
			out.err = err
			return
		}
		out.parts = append(out.parts, part{head, d})
		out.counters.plus(c)
		b = rest
		s.mu.Lock()
		if s.good++; s.good >= growAfter && s.limit < s.most {
			s.limit, s.good = min(s.most, s.limit*2), 0
		}
		s.mu.Unlock()
	}
}

// growAfter is how many transactions must go well before they grow.
const growAfter = 16

// transaction writes a batch that fits.
func (s *sender) transaction(ctx context.Context, b *batch) (d *done, c Counters, err error) {
	b.dry, b.exact, b.fresh = s.dry, s.exact, s.fresh.Load()
	for {
		err := s.db.in(ctx, !b.dry, func(t *tx) (err error) {
			d, err = t.write(s.db, b)
			c = t.c
			return err
		})
		var ne *driver.Neo4jError
		if b.fresh && errors.As(err, &ne) && ne.Title() == "ConstraintValidationFailed" {
			// Not so fresh after all (an edge comes again with other ends, another program
			// holds an id): look before writing from here on.
			s.fresh.Store(false)
			b.fresh = false
			continue
		}
		if err == nil && d.wrote {
			s.wrote.Store(true)
		}
		return d, c, err
	}
}

// cut splits a batch after n elements. Deletions and nodes to put come first, so that no edge precedes its nodes.
func (b *batch) cut(n int) (head, rest *batch) {
	x, y := *b, *b
	split := func(rows []row, a, z *[]row) {
		k := min(n, len(rows))
		n -= k
		*a, *z = rows[:k:k], rows[k:]
	}
	split(b.delEdges, &x.delEdges, &y.delEdges)
	split(b.delNodes, &x.delNodes, &y.delNodes)
	split(b.nodes, &x.nodes, &y.nodes)
	split(b.edges, &x.edges, &y.edges)
	return &x, &y
}

var seed = maphash.MakeSeed() // which shard a row goes to changes nothing that is written

func bucket(id string, n int) int { return int(maphash.String(seed, id) % uint64(n)) }

// shards splits the nodes of a batch by id.
func (b *batch) shards(n int) []*batch {
	out := make([]*batch, n)
	for i := range out {
		out[i] = &batch{}
	}
	for _, r := range b.nodes {
		to := out[bucket(r.id, n)]
		to.nodes = append(to.nodes, r)
	}
	return slices.DeleteFunc(out, func(b *batch) bool { return b.len() == 0 })
}

// rounds splits the edges of a batch so that the batches of a round share no end:
// ends fall into 2n buckets, an edge belongs to a pair of them, and a round is a set
// of pairs without a bucket in common (the rounds of a tournament, see the circle
// method), after two rounds of the edges within one bucket.
func (b *batch) rounds(n int) (out [][]*batch) {
	m := 2 * n
	cells := map[[2]int]*batch{}
	for _, r := range b.edges {
		x, y := bucket(r.src, m), bucket(r.dst, m)
		key := [2]int{min(x, y), max(x, y)}
		if cells[key] == nil {
			cells[key] = &batch{}
		}
		cells[key].edges = append(cells[key].edges, r)
	}
	add := func(pairs [][2]int) {
		var round []*batch
		for _, p := range pairs {
			if c := cells[p]; c != nil {
				round = append(round, c)
			}
		}
		if len(round) > 0 {
			out = append(out, round)
		}
	}
	var low, high [][2]int
	for i := range n {
		low, high = append(low, [2]int{i, i}), append(high, [2]int{n + i, n + i})
	}
	add(low)
	add(high)
	for r := range m - 1 {
		pairs := [][2]int{{r, m - 1}}
		for i := 1; i < n; i++ {
			x, y := (r+i)%(m-1), (r-i+m-1)%(m-1)
			pairs = append(pairs, [2]int{min(x, y), max(x, y)})
		}
		add(pairs)
	}
	return out
}
