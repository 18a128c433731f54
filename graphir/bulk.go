package graphir

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"sync"

	"membench/internal/codec"
	"membench/internal/extsort"
	"membench/internal/keyed"
	"membench/internal/par"
	"membench/schema"
	"membench/schema/jsonl"
)

// The bulk path. An export line becomes a row: the hash of its text, its instant, a number for the data that it shares with others (its setting), and about 150
// bytes of text. Sorting rows by hash orders most elements of the graph, because edge ids start with their type followed by the memory. Only OWNS_MEMORY is
// different: for it, rows without their text are sorted by owner.
//
// Each worker sorts the rows that it read; above the budget they go to disk. Then the rows are cut into ranges, and a range is loaded, and written, once for
// each type of element. Rows that do not fit this shape (ids with escapes, memories without a hash, lines in another form, settings beyond maxSettings) become
// parts in the sorters of Build, and are merged in while the lines are written.

const (
	// maxSettings limits the table of settings, some hundred bytes each. Settings beyond it take twice the processor time.
	maxSettings = 1 << 20
	maxPlainID  = 500 // bytes of a name in a setting; longer ones take the slow way, which checks ids
)

// bulk gathers exports.
type bulk struct {
	g *gatherer
	p *projector
	o Options

	rows   []*extsort.Sorter // one of each worker
	owned  *extsort.Sorter   // rows by owner
	hashes [][16]byte        // of the rows, in order, when claims need them

	mu       sync.RWMutex
	byKey    map[[2]uint64]uint32 // hash of a worker's data → setting, or slowly
	seeds    [2]maphash.Seed      // of hashed
	settings infos
	names    names
	exports  []export
	exportNo map[[3]string]uint32
	firsts   []first // by setting, once the memories are written
	others   []first // as early as the first, distinguished by content
	said     texts   // of firsts

	owners []uint32 // names, in the order of their edges' ids
	rankOf []uint32 // name → its place in owners

	combine bool // turns pass
	merged  int  // bytes of tasks, for Progress

	idle   chan *worker
	free   chan *result // to be used again
	blocks chan *blockResult
}

func newBulk(g *gatherer, o Options) *bulk {
	n := max(1, o.Workers)
	b := &bulk{g: g, p: g.p, o: o, byKey: map[[2]uint64]uint32{}, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		names: names{known: map[[2]uint64]uint32{}}, exportNo: map[[3]string]uint32{},
		idle: make(chan *worker, n), free: make(chan *result, 2*n), blocks: make(chan *blockResult, 2*n)}
	b.owned = extsort.New(extsort.Options{Key: ownedKey, Memory: o.Memory / 16, Dir: o.TempDir})
	for range n {
		s := extsort.New(extsort.Options{Combine: combineRows, Key: hashOf, Memory: o.Memory * 3 / 4 / int64(n), MaxMemory: o.Memory * 3 / 2 / int64(n), Dir: o.TempDir})
		b.rows = append(b.rows, s)
		b.idle <- &worker{b: b, sorter: s}
	}
	g.bulkHas = b.has
	return b
}

func (b *bulk) close() {
	for _, s := range append(b.rows, b.owned) {
		s.Close()
	}
}

// A worker parses blocks; it belongs to one goroutine at a time.
type worker struct {
	b      *bulk
	sorter *extsort.Sorter
	err    error // of the sorter
	scan   codec.Scanner
	near   [64]nearby // settings met last, by a hash of their keys
	key    []byte
	text   []byte // data, unescaped
	rec    []byte

	shared earliest
	raw    []byte // the line
	out    *blockResult
}

type nearby struct {
	key  []byte
	info *settingInfo
}

// A blockResult is a block's contribution to the ordered part: findings and parts.
type blockResult struct {
	findings []*schema.Finding
	parts    []byte    // each with its length before it
	mapped   []byte    // keyed lines
	firsts   []firstOf // of settings, if nothing else is kept of them
}

// newBlock is an empty result, with the memory of one that was taken where there is one.
func (b *bulk) newBlock() *blockResult {
	select {
	case r := <-b.blocks:
		r.findings, r.parts, r.mapped, r.firsts = nil, r.parts[:0], r.mapped[:0], r.firsts[:0]
		return r
	default:
		return &blockResult{}
	}
}

// gather reads exports on all workers.
func (b *bulk) gather(ctx context.Context, files []jsonl.File) error {
	for _, f := range files {
		b.g.pos(schema.Pos{File: f.Name})
	}
	ahead := max(1, b.o.Workers)
	if ahead > 1 {
		ahead *= 2 // a short block after a long one does not wait: many files are short
	}
	results := par.Map(ctx, ahead, jsonl.FileBlocks(files, b.o.MaxLine), func(ctx context.Context, block jsonl.Block) (*blockResult, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w := <-b.idle
		defer func() { b.idle <- w }()
		w.out = b.newBlock()
		w.block(block)
		block.Release()
		return w.out, w.err
	})
	for r, err := range results {
		if err != nil {
			return err
		}
		if err := b.take(r); err != nil {
			return err
		}
	}
	var wg sync.WaitGroup
	for _, s := range b.rows {
		wg.Go(s.Sort)
	}
	wg.Wait()
	extsort.Join(b.rows)
	if b.g.mode != modeReduce {
		b.shareNodes()
	}
	return b.g.addErr
}

// take passes on the result of a block.
func (b *bulk) take(r *blockResult) error {
	for _, f := range r.findings {
		b.g.report(f)
	}
	for rest := r.parts; len(rest) > 0; {
		var rec []byte
		rec, rest = cutStr(rest)
		if rec[0] == kindTurn {
			b.g.takeTurn(rec, b.combine)
			continue
		}
		b.g.noteEncoded(rec)
		b.g.addEncoded(rec)
	}
	for i := range r.firsts {
		b.takeFirst(&r.firsts[i])
	}
	if len(r.mapped) > 0 {
		if _, err := b.g.mapped.Write(r.mapped); err != nil {
			return err
		}
	}
	select {
	case b.blocks <- r:
	default:
	}
	return b.g.addErr
}

// noteEncoded is note for an encoded part.
func (g *gatherer) noteEncoded(rec []byte) {
	if rec[0] == kindNode && (g.hasClaims || g.mode == modeReduce) {
		h := readHead(rec)
		labels, _ := cutList(h.tuple)
		g.note(false, string(h.id), labels)
	}
}

func (w *worker) report(f *schema.Finding) {
	if w.b.g.mode == modeReduce && f.Warning { // reported by the process that mapped the line
		return
	}
	w.out.findings = append(w.out.findings, f)
}

func (w *worker) block(block jsonl.Block) {
	file := w.b.g.fileIndex[block.Name]
	for line := range block.Lines() {
		if line.TooLong {
			w.report(jsonl.TooLong(line))
			continue
		}
		if w.b.g.mode == modeReduce && line.Bytes[0] == '"' {
			if w.err = w.encoded(line); w.err != nil {
				return
			}
			continue
		}
		w.raw = line.Bytes
		if !w.line(line, pos{file, uint32(line.Pos.Line)}) {
			w.slow(line, pos{file, uint32(line.Pos.Line)})
		}
	}
}

// encoded takes a part that another process made.
func (w *worker) encoded(line jsonl.Line) error {
	rec, err := decodePart(line.Bytes)
	if err != nil {
		return fmt.Errorf("%s: %w", line.Pos, err)
	}
	w.out.parts = append(binary.AppendUvarint(w.out.parts, uint64(len(rec))), rec...)
	return nil
}

// slow takes a line the way Build does.
func (w *worker) slow(line jsonl.Line, at pos) {
	var m schema.MemoryExport
	if err := codec.Unmarshal(line.Bytes, &m); err != nil {
		w.report(jsonl.Fault(line, err))
		return
	}
	o, fs := w.b.p.occurrence(m, at)
	for _, f := range fs {
		f.Pos = line.Pos
		w.report(f)
	}
	if o == nil {
		return
	}
	if !w.occurrence(o) {
		w.b.p.memoryNode(o, w.part)
		w.b.p.memoryEdges(o, w.part)
		if w.b.g.mode != modeReduce {
			w.shared.emit = w.part
			w.b.p.shared(o, w.shared.part)
		}
	}
}

// part sends one part to the sorter.
func (w *worker) part(x *part) {
	if x.typ == schema.EdgeFromEvent && w.b.g.mode == modeReduce { // it has another key
		return
	}
	if w.b.g.admits(x, w.report) {
		w.rec = x.append(w.rec[:0])
		w.out.parts = append(binary.AppendUvarint(w.out.parts, uint64(len(w.rec))), w.rec...)
	}
}

// occurrence makes a row of an occurrence, if it has the shape of one.
func (w *worker) occurrence(o *occurrence) bool {
	if o.hash == "" || o.hash != o.rawHash && w.b.p.v == schema.V001 || o.data == "" || o.point == "" || !bare(o.point) || !bare(o.createdAt) {
		return false
	}
	if w.b.p.v == schema.V001 && o.character == "" && strings.HasPrefix(o.owner, "unknown:") {
		return false // a setting of its own
	}
	key := append(w.key[:0], 'S') // no raw setting starts with it
	for _, f := range []string{o.conv, o.scene, o.character, o.user, o.agent, o.owner, o.collection, o.isolation, o.exportedAt} {
		key = appendStr(key, f)
	}
	w.key = key
	info := w.b.settingFor(key, func() (setting, bool) { return o.setting, true })
	if info == nil {
		return false
	}
	data := jsonBody(o.data)
	r := row{point: []byte(o.point), created: []byte(o.createdAt), data: data, escaped: bytes.IndexByte(data, '\\') >= 0, at: o.at, pos: o.pos}
	hex.Decode(r.hash[:], []byte(o.hash))
	w.add(&r, info)
	if len(o.events) > 0 {
		w.b.p.eventEdges(o, w.b.p.memoryID(o), w.part)
	}
	return true
}

// bare reports whether s needs no escapes in JSON.
func bare(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] == '"' || s[i] == '\\' || s[i] == 0xff { // an integer
			return false
		}
	}
	return true
}

func (w *worker) add(r *row, info *settingInfo) {
	r.setting = info.n
	switch {
	case w.b.g.mode == modeMap:
		if r.at <= info.first.Load() {
			w.out.firsts = append(w.out.firsts, firstOf{info.n, r.at, r.hash, bytes.Clone(r.point), bytes.Clone(r.created), r.pos})
		}
		w.out.mapped = keyed.Append(w.out.mapped, "mem:"+hex.EncodeToString(r.hash[:]), w.raw)
	default:
		w.keepRow(r)
	}
	for first := info.first.Load(); r.at < first && !info.first.CompareAndSwap(first, r.at); {
		first = info.first.Load()
	}
}

// keepRow sorts a row.
func (w *worker) keepRow(r *row) {
	w.rec = r.append(w.rec[:0])
	if err := w.sorter.Add(w.rec); err != nil && w.err == nil {
		w.err = err
	}
}

// has reports whether a memory id is among the rows, once the nodes are written.
func (b *bulk) has(id string) bool {
	var h [16]byte
	name, ok := strings.CutPrefix(id, "mem:")
	if !ok || !schema.IsHash(name) {
		return false
	}
	hex.Decode(h[:], []byte(name))
	_, ok = slices.BinarySearchFunc(b.hashes, h, func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) })
	return ok
}

// Write makes the graph of in: node lines go to nodes, edge lines to edges, and all nodes are written before the first edge. Memory holds o.Memory bytes of
// rows and as much of other parts, a few blocks for each worker, and, if edges of another hop may end there, 16 bytes for each distinct memory, turn and claim;
// the turns of the events take 40 bytes each. It fails on errors that are not findings.
func Write(ctx context.Context, in Files, nodes, edges io.Writer, o Options, report func(*schema.Finding)) (Counts, error) {
	if err := o.check(); err != nil {
		return newCounts(), err
	}
	g := newGatherer(o, report)
	defer g.close()
	b := newBulk(g, o)
	defer b.close()
	g.hasEvents, g.hasExports, g.hasClaims = in.Events != nil, in.Exports != nil, in.Claims != nil
	if in.Exports != nil {
		if err := b.gather(ctx, in.Exports); err != nil {
			return newCounts(), err
		}
	}
	stopped := false
	if err := g.gatherRest(ctx, Input{Events: jsonl.DecodeFiles[schema.Event](in.Events, o.MaxLine), Claims: jsonl.DecodeFiles[schema.Statement](in.Claims, o.MaxLine)}, &stopped); err != nil {
		return newCounts(), err
	}
	return b.emit(ctx, nodes, edges)
}

func newCounts() Counts { return Counts{Labels: map[string]int{}, Types: map[string]int{}} }

// emit writes the lines of all that is gathered.
func (b *bulk) emit(ctx context.Context, nodes, edges io.Writer) (Counts, error) {
	c, g, o, report := newCounts(), b.g, b.o, b.g.report
	if g.addErr != nil {
		return c, g.addErr
	}
	g.sortSets()
	b.rankOwners()
	emit := func(src *source, segs []segment, w io.Writer) error {
		rows := func(seg segment) []*extsort.Sorter {
			if seg.owners {
				return []*extsort.Sorter{b.owned}
			}
			return b.rows
		}
		workers := max(1, o.Workers)
		if workers > 1 {
			workers++ // one waits while its result is written
		}
		for r, err := range par.Map(ctx, workers, b.counted(b.tasks(ctx, src, segs, rows)), b.run) {
			if err != nil {
				return err
			}
			for _, f := range r.findings {
				report(f)
			}
			c.add(&r.counts)
			if _, err := w.Write(r.out); err != nil {
				return err
			}
			if err := b.keep(r); err != nil {
				return err
			}
			b.recycle(r)
		}
		return ctx.Err()
	}
	if err := b.from(g.nodes, func(src *source) error { return emit(src, []segment{segMemory}, nodes) }); err != nil {
		return c, err
	}
	if g.mode != modeReduce {
		b.shareEdges()
	}
	if g.addErr != nil {
		return c, g.addErr
	}
	edgeSegments := []segment{segConv, segCharacter, segScene, segOwns}
	if err := b.from(g.edges, func(src *source) error { return emit(src, edgeSegments, edges) }); err != nil {
		return c, err
	}
	if g.mode != modeReduce {
		g.finish()
	}
	return c, nil
}

// keep stores the data of the written nodes' rows that edges need.
func (b *bulk) keep(r *result) error {
	for i := range r.firsts {
		b.takeFirst(&r.firsts[i])
	}
	b.hashes = append(b.hashes, r.hashes...)
	for rest := r.owned; len(rest) > 0; {
		var rec []byte
		rec, rest = cutStr(rest)
		if err := b.owned.Add(rec); err != nil {
			return err
		}
	}
	return nil
}

// from runs f on the parts of a sorter.
func (b *bulk) from(s *extsort.Sorter, f func(*source) error) error {
	src := newSource(s)
	defer src.stop()
	return f(src)
}

func (g *gatherer) sortSets() {
	for _, s := range []*idSet{&g.memories, &g.events, &g.claims, &g.injects} {
		s.sort()
	}
}

func (c *Counts) add(d *Counts) {
	c.Nodes += d.Nodes
	c.Edges += d.Edges
	schema.Tally(c.Labels, d.Labels)
	schema.Tally(c.Types, d.Types)
}
