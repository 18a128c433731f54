package claims

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"

	"membench/internal/codec"
	"membench/internal/extsort"
	"membench/internal/par"
	"membench/schema"
)

// rangeSize is about how many bytes of rows a worker merges at once.
var rangeSize = 2 << 20 // less in tests

// A batch is a range of the sorted rows; or, of a range too big to hold, rows of whole
// groups or one group too big to hold.
type batch struct {
	rng  *extsort.Range
	rows [][]byte
	big  *bigClaim
}

// merged output of one batch.
type output struct {
	entities, claims []byte
	ne, nc, dep      int
	findings         []*schema.Finding
	contests         []contestant
	big              *bigClaim
	from             *scratch // holds entities and claims
}

// A scratch is the memory of one merge, used again for the next.
type scratch struct {
	rows             extsort.Buffer
	group            []row
	entities, claims []byte
	scan             lineScanner
	ev               []evidenceKey
}

// A contestant is one merged claim that may conflict.
type contestant struct {
	keys []conflictKey
	r    rival
}

// write merges the rows of each id and writes the result. In 0.1.0 claims that may
// conflict are merged once before, to find who wins.
func (b *bulk) write(ctx context.Context, entities, claims io.Writer) error {
	if len(b.rivals) > 0 {
		b.index = newConflicts()
		for out, err := range b.outputs(ctx, true) {
			if err != nil {
				return err
			}
			for _, c := range out.contests {
				for _, k := range c.keys {
					b.index.add(k, rival{c.r.newest, c.r.id, k.side})
				}
			}
			if out.big != nil {
				out.big.close()
			}
			b.done(out)
		}
		for _, f := range b.index.ties() {
			b.report(f)
		}
	}
	for out, err := range b.outputs(ctx, false) {
		if err != nil {
			return err
		}
		if _, err := entities.Write(out.entities); err != nil {
			return err
		}
		if _, err := claims.Write(out.claims); err != nil {
			return err
		}
		b.done(out)
		if out.big != nil {
			err := out.big.write(claims)
			out.big.close()
			if err != nil {
				return err
			}
		}
		b.res.Entities += out.ne
		b.res.Claims += out.nc
		b.res.Deprecated += out.dep
		for _, f := range out.findings {
			b.report(f)
		}
	}
	return nil
}

// outputs merges batch after batch, several at once, in order.
func (b *bulk) outputs(ctx context.Context, looking bool) iter.Seq2[output, error] {
	return par.Map(ctx, b.Workers, b.batches(looking), func(ctx context.Context, ba batch) (output, error) {
		return b.merge(ba, looking)
	})
}

// done gives back the memory of an output that is written.
func (b *bulk) done(out output) {
	if m := out.from; m != nil {
		m.entities, m.claims = out.entities[:0], out.claims[:0]
		b.scratch.Put(m)
	}
}

// batches cuts the sorted rows between ids.
func (b *bulk) batches(looking bool) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		ranges := extsort.Cut(b.sorters, int64(rangeSize))
		pass, of := 0, len(ranges)
		if len(b.rivals) > 0 { // the ranges are read twice
			of *= 2
			if !looking {
				pass = len(ranges)
			}
		}
		for i, r := range ranges {
			if b.Progress != nil {
				b.Progress("parts merged", pass+i, of)
			}
			switch {
			case looking && (r.Before([]byte{kindClaim}) || b.settled(r)):
			case r.Size() <= int64(bigGroup):
				if !yield(batch{rng: &r}, nil) {
					return
				}
			case !b.stream(r, looking, yield):
				return
			}
		}
	}
}

// settled reports whether no claim of a range can conflict: all have the same domain and a predicate without conflicts.
func (b *bulk) settled(r extsort.Range) bool {
	if r.Start() == nil || r.Start()[0] != kindClaim {
		return false
	}
	pred, id := claimKey(r.Start())
	return !b.rivals[string(pred)] && bytes.HasPrefix(r.End(), bytes.TrimSuffix(r.Start(), append(bytes.Clone(id), 0, 1)))
}

// stream yields the batches of a range that may be too big to hold. It is false when
// it came to an end before the range.
func (b *bulk) stream(rng extsort.Range, looking bool, yield func(batch, error) bool) bool {
	var rows [][]byte // of groups that are held; the last one starts at from
	var arena []byte  // holds their bytes
	from, held, group := 0, 0, 0
	var id []byte
	var big *bigClaim
	fail := func(err error) bool {
		if big != nil {
			big.close()
		}
		yield(batch{}, err)
		return false
	}
	finish := func() bool {
		if big == nil {
			return true
		}
		if err := big.finish(); err != nil {
			return fail(err)
		}
		done := big
		big = nil
		return yield(batch{big: done}, nil)
	}
	for r, err := range rng.Sorted() {
		if err != nil {
			return fail(err)
		}
		row := splitRow(r)
		if looking && row.id[0] != kindClaim {
			continue
		}
		if !bytes.Equal(row.id, id) {
			if !finish() {
				return false
			}
			if held >= rangeSize {
				if !yield(batch{rows: rows}, nil) {
					return false
				}
				rows, arena, held = nil, nil, 0
			}
			id = append(id[:0], row.id...)
			from, group = len(rows), 0
		}
		if big != nil {
			if err := big.add(row); err != nil {
				return fail(err)
			}
			continue
		}
		if n := len(rows); n > from && repeats(splitRow(rows[n-1]), row) {
			continue
		}
		if len(r) > cap(arena)-len(arena) {
			arena = make([]byte, 0, max(rangeSize/4, len(r)))
		}
		at := len(arena)
		arena = append(arena, r...)
		rows = append(rows, arena[at:len(arena):len(arena)])
		held += len(r)
		if b.Partial && held >= rangeSize { // a part of a group will do
			if !yield(batch{rows: rows}, nil) {
				return false
			}
			rows, arena, held, from, group = nil, nil, 0, 0, 0
			continue
		}
		if group += len(r); group <= bigGroup {
			continue
		}
		// The group does not fit: the groups before it are passed on, the rest goes to disk.
		if from > 0 && !yield(batch{rows: rows[:from:from]}, nil) {
			return false
		}
		big = newBig(b, row.id[0] == kindClaim)
		big.key = bytes.Clone(row.id)
		for _, r := range rows[from:] {
			if err := big.add(splitRow(r)); err != nil {
				return fail(err)
			}
		}
		rows, arena, held, from = nil, nil, 0, 0
	}
	return finish() && (len(rows) == 0 || yield(batch{rows: rows}, nil))
}

// repeats reports whether a record repeats its neighbour. Of two positions the earlier one stays.
func repeats(prev, r row) bool {
	return bytes.Equal(prev.id, r.id) && bytes.Equal(prev.line, r.line)
}

// claimKey reads predicate and claim id out of a row's id. Ids that hold a zero byte
// come back with its escape, which is enough to compare them.
func claimKey(key []byte) (pred, id []byte) {
	end := []byte{0, 1}
	_, rest, _ := bytes.Cut(key[1:], end)
	pred, id, _ = bytes.Cut(rest, end)
	return pred, bytes.TrimSuffix(id, end)
}

// merge merges the groups of a batch.
func (b *bulk) merge(ba batch, looking bool) (out output, err error) {
	if ba.big != nil {
		return ba.big.output(looking)
	}
	m, _ := b.scratch.Get().(*scratch)
	if m == nil {
		m = &scratch{scan: lineScanner{known: true}}
	}
	out.from, out.entities, out.claims = m, m.entities, m.claims
	if ba.rng != nil {
		if ba.rows, err = ba.rng.Load(&m.rows); err != nil {
			return out, err
		}
	}
	for i := 0; i < len(ba.rows); {
		group := append(m.group[:0], splitRow(ba.rows[i]))
		for i++; i < len(ba.rows); i++ {
			r := splitRow(ba.rows[i])
			if last := group[len(group)-1]; !bytes.Equal(r.id, last.id) {
				break
			} else if !bytes.Equal(r.line, last.line) {
				group = append(group, r)
			}
		}
		m.group = group
		if b.Partial {
			if group[0].id[0] == kindEntity {
				out.entities = partialEntity(out.entities, group)
			} else {
				out.claims = b.partialClaim(out.claims, group, m)
			}
			continue
		}
		if group[0].id[0] == kindEntity {
			if looking {
				continue
			}
			if f := b.twoTypes(group[0].id); f != nil {
				for range group {
					out.findings = append(out.findings, f)
				}
				continue
			}
			if out.entities, err = b.mergeEntity(out.entities, group, &out); err != nil {
				return out, err
			}
			out.ne++
			continue
		}
		if out.claims, err = b.mergeClaim(out.claims, group, looking, &out); err != nil {
			return out, err
		}
		if !looking {
			out.nc++
		}
	}
	return out, nil
}

func (b *bulk) decode(r row) (s schema.Statement, err error) {
	if err := codec.Unmarshal(r.line, &s); err != nil {
		return s, fmt.Errorf("decoding a sorted record: %w", err) // unreachable: it was read before
	}
	return s, nil
}

func (b *bulk) mergeEntity(dst []byte, group []row, out *output) ([]byte, error) {
	if len(group) == 1 && (group[0].flags&flagPlain != 0 || b.Version == schema.V001) {
		return append(append(dst, group[0].line...), '\n'), nil
	}
	if line := b.surest(group); line != nil {
		return append(append(dst, line...), '\n'), nil
	}
	g := newEntityGroup(b.Version)
	for _, r := range group {
		s, err := b.decode(r)
		if err != nil {
			return dst, err
		}
		if f := g.add(s.Entity); f != nil {
			out.findings = append(out.findings, f)
		}
	}
	dst, err := codec.Append(dst, schema.Statement{Entity: g.result()}.At(b.Version), codec.Compact)
	return append(dst, '\n'), err
}

// surest returns the most confident line of an entity whose plain records differ only in confidence: the result of merging them. Otherwise nil.
func (b *bulk) surest(group []row) (line []byte) {
	most := 0.0
	for _, r := range group {
		from := bytes.LastIndexByte(r.line, ':') + 1 // confidence is the last member
		f, err := strconv.ParseFloat(string(r.line[from:len(r.line)-1]), 64)
		if r.flags&flagPlain == 0 || err != nil || line != nil && !bytes.Equal(line[:bytes.LastIndexByte(line, ':')+1], r.line[:from]) {
			return nil
		}
		if line == nil || f > most {
			line, most = r.line, f
		}
	}
	return line
}

func (b *bulk) mergeClaim(dst []byte, group []row, looking bool, out *output) ([]byte, error) {
	first := group[0]
	contested := b.contestedGroup(group)
	if len(group) == 1 && !contested && !looking && first.flags&flagPlain != 0 {
		if first.flags&flagDeprecated != 0 {
			out.dep++
		}
		return append(append(dst, first.line...), '\n'), nil
	}
	if looking && !contested {
		return dst, nil
	}
	if !contested {
		if spliced, dep, ok := b.splice(dst, group, out.from); ok {
			out.dep += dep
			return spliced, nil
		}
	}
	g := newClaimGroup(b.Version, "")
	for i, r := range group {
		s, err := b.decode(r)
		if err != nil {
			return dst, err
		}
		if i == 0 {
			g.base.ID = s.Claim.ID
		}
		n := len(s.Claim.Evidence)
		warn, fault := g.add(s.Claim)
		if fault != nil && !looking {
			out.findings = append(out.findings, fault)
		}
		if warn != nil && !looking {
			out.findings = append(out.findings, warn)
		}
		if len(group) == 1 && b.Version == schema.V001 && asItWas(g, s.Claim, n) {
			if s.Claim.Status == schema.StatusDeprecated && !looking {
				out.dep++
			}
			return append(append(dst, r.line...), '\n'), nil // the order of its members stays
		}
	}
	if looking {
		if keys := conflictKeys(b.Catalog, g.claim()); len(keys) > 0 && g.base.Status == schema.StatusActive {
			out.contests = append(out.contests, contestant{keys, rival{newest: g.held, id: g.base.ID}})
		}
		return dst, nil
	}
	if b.index != nil && g.base.Status == schema.StatusActive {
		g.lost = b.index.lossOf(conflictKeys(b.Catalog, g.claim()), g.base.ID, g.held)
	}
	c := g.result()
	if c.Status == schema.StatusDeprecated {
		out.dep++
	}
	dst, err := codec.Append(dst, schema.Statement{Claim: c}.At(b.Version), codec.Compact)
	return append(dst, '\n'), err
}

// splice merges plain records of one claim by their bytes. ok is false, and nothing is
// appended, where ranks contradict each other, or the makers or reasons that stay differ.
// dep is 1 for a claim that is deprecated.
func (b *bulk) splice(dst []byte, group []row, m *scratch) (_ []byte, dep int, ok bool) {
	l := &m.scan
	ev := m.ev[:0]
	defer func() { m.ev = ev }()
	var line, conf, status, rank, updated, tail []byte
	var at schema.Instant
	head := 0
	best := 0.0
	for i, r := range group {
		if r.flags&flagPlain == 0 || !l.read(r.line, b.Version) {
			return dst, 0, false
		}
		h := l.head
		t, ok := schema.ParseInstant(l.updated)
		f, err := strconv.ParseFloat(string(l.conf), 64)
		if !ok || err != nil {
			return dst, 0, false
		}
		if i == 0 {
			line, head, conf, best, status, rank, updated, tail, at = r.line, h, l.conf, f, l.status, l.rank, l.updated, l.tail, t
		} else {
			if !bytes.Equal(line[:head], r.line[:h]) || rank != nil && l.rank != nil && !bytes.Equal(rank, l.rank) {
				return dst, 0, false
			}
			// A reason goes when a record is not deprecated, unless it is a newer end; of two, the newer stays.
			if x, y := l.deprecated(), string(status) == schema.StatusDeprecated; x == y && !bytes.Equal(tail, l.tail) || x != y && (!bytes.Equal(makers(tail), makers(l.tail)) || bytes.Contains(tail, endedTail) || bytes.Contains(l.tail, endedTail)) {
				return dst, 0, false
			} else if y && !x {
				tail = l.tail
			}
			if rank == nil {
				rank = l.rank
			}
			if !bytes.Equal(status, l.status) && strongest(string(status), string(l.status)) == string(l.status) {
				status = l.status
			}
			if f > best {
				best, conf = f, l.conf
			}
			d := cmp.Compare(t, at)
			if b.Version == schema.V001 {
				d = bytes.Compare(l.updated, updated)
			}
			if d > 0 || d == 0 && bytes.Compare(l.updated, updated) > 0 {
				updated, at = l.updated, t
			}
		}
		for _, e := range l.ev {
			if e.at, ok = schema.ParseInstant(e.created); !ok {
				return dst, 0, false
			}
			ev = append(ev, e)
		}
	}
	// Unite: equal keys meet in a stable sort; rows that differ under one key are left
	// to the plain fold.
	slices.SortStableFunc(ev, func(x, y evidenceKey) int {
		return cmp.Or(bytes.Compare(x.mem, y.mem), bytes.Compare(x.point, y.point))
	})
	n := 0
	for i := range ev {
		if i > 0 && bytes.Equal(ev[n-1].mem, ev[i].mem) && bytes.Equal(ev[n-1].point, ev[i].point) {
			if !bytes.Equal(ev[n-1].raw, ev[i].raw) {
				return dst, 0, false
			}
			continue
		}
		ev[n] = ev[i]
		n++
	}
	ev = ev[:n]
	tied := false
	slices.SortFunc(ev, func(x, y evidenceKey) int {
		if b.Version == schema.V001 {
			c := bytes.Compare(x.created, y.created)
			tied = tied || c == 0
			return c
		}
		return cmp.Or(cmp.Compare(x.at, y.at), bytes.Compare(x.point, y.point), bytes.Compare(x.mem, y.mem))
	})
	if tied {
		return dst, 0, false // the order of appearance decides
	}
	dst = append(append(dst, line[:head]...), conf...)
	dst = append(append(dst, `,"status":"`...), status...)
	dst = append(dst, `","rank":`...)
	if rank == nil {
		dst = append(dst, "null"...)
	} else {
		dst = append(dst, rank...)
	}
	dst = append(append(dst, `,"updated_at":"`...), updated...)
	dst = append(dst, `","evidence":[`...)
	for i, e := range ev {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, e.raw...)
	}
	dst = append(append(dst, ']'), tail...)
	if string(status) == schema.StatusDeprecated {
		dep = 1
	}
	return append(dst, '}', '\n'), dep, true
}

var endedTail = []byte(`,"deprecated_reason":"` + ReasonEnded + `"`)

// makers returns the member "by" of a tail, with the text before it.
func makers(tail []byte) []byte {
	tail, _, _ = bytes.Cut(tail, []byte(`,"deprecated_reason":"`))
	tail, _, _ = bytes.Cut(tail, []byte(`,"superseded_by":"`))
	return tail
}

func (b *bulk) contestedGroup(group []row) bool {
	pred, id := claimKey(group[0].id)
	return b.rivals[string(pred)] && slices.ContainsFunc(group, func(r row) bool { return b.contested(pred, id, r.line) })
}

// asItWas reports whether merging leaves the one record's evidence unchanged.
func asItWas(g *claimGroup, c *schema.Claim, n int) bool {
	return n <= 1 || slices.EqualFunc(g.result().Evidence, c.Evidence[:n], func(a, b schema.Evidence) bool {
		return a.Point == b.Point && a.Memory == b.Memory
	})
}
