package graphir

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"membench/internal/codec"
	"membench/internal/extsort"
	"membench/internal/par"
	"membench/schema"
	"membench/schema/jsonl"
)

// The bulk path. An export line becomes one compact row: the hash of its text, its
// instant, a number for what it shares with others (its setting), and about 150 bytes
// of text. Sorting rows by hash orders most elements of the graph for free, because
// edge ids start with their type and then, but for OWNS_MEMORY, with the memory.
//
// Rows are kept in 256 partitions by the first byte of the hash. Above the budget
// they go to a spool on disk, partition by partition, and each type of element reads
// them again. Whatever does not fit this shape (ids with escapes, memories without a
// hash, a line that came out in another form, settings beyond maxSettings) becomes
// parts in the sorter, as in Build, and is merged in while the lines are written.

const (
	partitions = 256
	// maxSettings bounds the table of settings, about 350 bytes each.
	maxSettings = 1 << 17
	maxPlainID  = 500 // bytes of a name in a setting; longer ones take the slow way, which checks ids
)

// A row is one occurrence, or several of one text in one setting.
type row struct {
	hash    [16]byte
	at      int64
	setting uint32
	chunk   uint32 // of the table, where its text is
	off     uint32
}

const rowBytes = 40

// The key of a row is the first 20 bits of its hash: 12 for the bucket of the spool,
// 8 more to read a bucket in passes.
const (
	subBits    = 8
	keyBuckets = 1 << 12
	maxKey     = keyBuckets<<subBits - 1
)

func (r *row) key() uint32 { return binary.BigEndian.Uint32(r.hash[:]) >> 12 }

// A table holds rows and their texts.
type table struct {
	mu     sync.Mutex
	rows   []row
	chunks [][]byte
	spare  [][]byte // empty chunks of the usual size, to be used again
	buf    []byte   // of a table that was loaded, its only chunk
}

const tableChunk = 16 << 10

// add copies the text of a row.
func (t *table) add(r row, text []byte) (grown int) {
	n := len(t.chunks) - 1
	if n < 0 || cap(t.chunks[n])-len(t.chunks[n]) < len(text) {
		size := max(tableChunk, len(text))
		if k := len(t.spare); k > 0 && size == tableChunk {
			t.chunks = append(t.chunks, t.spare[k-1])
			t.spare = t.spare[:k-1]
		} else {
			t.chunks = append(t.chunks, make([]byte, 0, size))
		}
		grown = size
		n++
	}
	r.chunk, r.off = uint32(n), uint32(len(t.chunks[n]))
	t.chunks[n] = append(t.chunks[n], text...)
	t.rows = append(t.rows, r)
	return grown + rowBytes
}

// reset empties the table and keeps its memory.
func (t *table) reset() {
	for _, c := range t.chunks {
		if cap(c) == tableChunk {
			t.spare = append(t.spare, c[:0])
		}
	}
	t.rows, t.chunks = t.rows[:0], t.chunks[:0]
}

// text is everything behind the start of a row's text: see rowText.
func (t *table) text(r *row) []byte { return t.chunks[r.chunk][r.off:] }

// A rowText is what a row says beyond its setting. Strings are JSON string bodies;
// only data may hold escapes. A point that is a UUID is kept as its 16 bytes. Encoding:
//
//	flags · point · created_at · data · position [· times · points]
type rowText struct {
	point, created, data []byte
	uuid                 [36]byte // what point is a slice of, when it was packed
	escaped              bool     // data
	pos                  pos
	times                int
	points               []string // nil: just point
	cut                  bool
}

const (
	rowEscaped = 1
	rowMany    = 2
	rowCut     = 4
	rowUUID    = 8
)

// packUUID packs the canonical text of a UUID; ok is false for any other text.
func packUUID(s []byte) (u [16]byte, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return u, false
	}
	i := 0
	for k := 0; k < 36; k += 2 {
		if s[k] == '-' {
			k++
		}
		h, l := unhex[s[k]], unhex[s[k+1]]
		if h > 15 || l > 15 {
			return u, false
		}
		u[i] = h<<4 | l
		i++
	}
	return u, true
}

// unhex is the value of a lower-case hex digit, 255 for other bytes.
var unhex = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	for i, c := range []byte("0123456789abcdef") {
		t[c] = byte(i)
	}
	return t
}()

func unpackUUID(dst *[36]byte, u []byte) {
	hex.Encode(dst[0:], u[0:4])
	hex.Encode(dst[9:], u[4:6])
	hex.Encode(dst[14:], u[6:8])
	hex.Encode(dst[19:], u[8:10])
	hex.Encode(dst[24:], u[10:16])
	dst[8], dst[13], dst[18], dst[23] = '-', '-', '-', '-'
}

func appendRow(dst []byte, x *rowText) []byte {
	var flags byte
	if x.escaped {
		flags |= rowEscaped
	}
	if x.points != nil {
		flags |= rowMany
	}
	if x.cut {
		flags |= rowCut
	}
	u, packed := packUUID(x.point)
	if packed {
		flags |= rowUUID
	}
	dst = append(dst, flags)
	if packed {
		dst = append(dst, u[:]...)
	} else {
		dst = append(binary.AppendUvarint(dst, uint64(len(x.point))), x.point...)
	}
	for _, s := range [2][]byte{x.created, x.data} {
		dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...)
	}
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(x.pos.file)), uint64(x.pos.line))
	if x.points != nil {
		dst = appendList(binary.AppendUvarint(dst, uint64(x.times)), x.points)
	}
	return dst
}

// read decodes a row's text and returns how long it is.
func (x *rowText) read(b []byte) int {
	all := len(b)
	flags := b[0]
	if b = b[1:]; flags&rowUUID != 0 {
		unpackUUID(&x.uuid, b)
		x.point, b = x.uuid[:], b[16:]
	} else {
		x.point, b = cutStr(b)
	}
	x.created, b = cutStr(b)
	x.data, b = cutStr(b)
	f, n := binary.Uvarint(b)
	b = b[n:]
	l, n := binary.Uvarint(b)
	b = b[n:]
	x.pos = pos{uint32(f), uint32(l)}
	x.escaped, x.cut, x.times, x.points = flags&rowEscaped != 0, flags&rowCut != 0, 1, nil
	if flags&rowMany != 0 {
		t, n := binary.Uvarint(b)
		x.times = int(t)
		x.points, b = cutList(b[n:])
	}
	return all - len(b)
}

// A settingInfo is a setting with the texts that its lines need.
type settingInfo struct {
	n                      uint32
	first                  atomic.Int64 // the earliest instant of its occurrences
	conv, scene, owner     *name
	export                 *export
	character, user, agent string
}

// A name is an id of a setting: settings share them.
type name struct {
	n    uint32
	text string // as in the record
	id   string // of its node; "" where there is none
	body []byte // the id as a JSON string body
}

// An export is how memories came out of their store.
type export struct {
	n                                 uint32
	collection, isolation, exportedAt string
	exported                          []byte // JSON value
	tail                              []byte // of a memory's properties, from collection to exported_at
}

// setting is the setting written out.
func (s *settingInfo) setting() setting {
	return setting{conv: s.conv.text, scene: s.scene.text, character: s.character, user: s.user, agent: s.agent, owner: s.owner.text,
		collection: s.export.collection, isolation: s.export.isolation, exportedAt: s.export.exportedAt}
}

func jsonBody(s string) []byte {
	q := codec.AppendString(nil, s)
	return q[1 : len(q)-1]
}

func jsonOrNull(s string) []byte {
	if s == "" {
		return []byte("null")
	}
	return codec.AppendString(nil, s)
}

// bulk gathers exports.
type bulk struct {
	g    *gatherer
	p    *projector
	o    Options
	gate sync.RWMutex // held to add rows, locked to spill
	sink sync.Mutex   // on what g gathers, while workers run

	parts [partitions]table
	held  atomic.Int64
	spool *spool
	hot   map[uint32]bool // keys whose rows went to the sorter

	mu       sync.RWMutex
	byKey    map[string]*settingInfo // what a worker saw → setting, nil for the slow way
	settings []*settingInfo
	names    map[nameKey]*name
	texts    map[string]string // users, agents and characters, kept once
	exports  map[[3]string]*export
	firsts   []*firstOf // by setting, once the memories are written
	others   []*firstOf // as early as the first, told apart by what they say

	flat     []flatSetting // by setting, for the loops that write
	nameOf   []*name
	bodies   [][]byte // of names, JSON string bodies, one after the other in memory
	exportOf []*export

	ranges   []keyRange // of the tasks
	owners   []string   // id + ":mem:", in order
	ownerOf  []uint32   // setting → rank of its owner
	bucketOf []int      // rank → bucket of the second spool
	slim     *spool     // rows by range, sorted, without data, when rows went to disk: what edges need
	owned    *spool     // the same by owner
	ownedBuf [ownerBuckets][]byte

	hashes [partitions][][16]byte // distinct hashes that were spilled, when claims need them
	idle   chan *worker
	free   chan *result // to be used again
	tables chan *table  // empty ones
}

func newBulk(g *gatherer, o Options) *bulk {
	b := &bulk{g: g, p: g.p, o: o, hot: map[uint32]bool{}, byKey: map[string]*settingInfo{}, names: map[nameKey]*name{}, texts: map[string]string{}, exports: map[[3]string]*export{}, idle: make(chan *worker, max(1, o.Workers)), free: make(chan *result, 2*max(1, o.Workers)), tables: make(chan *table, 2*max(1, o.Workers))}
	g.bulkHas = b.has
	return b
}

func (b *bulk) close() {
	for _, s := range []*spool{b.spool, b.slim, b.owned} {
		if s != nil {
			s.close()
		}
	}
}

type nameKey struct {
	kind byte
	text string
}

// name returns the shared name; the kind is that of its node.
func (b *bulk) name(kind byte, text string) *name {
	k := nameKey{kind, text}
	n := b.names[k]
	if n == nil {
		n = &name{n: uint32(len(b.names)), text: text}
		switch {
		case kind == 'c' && text != "":
			n.id = string(b.p.mint.Conv(schema.ConvID(text)))
		case kind == 's' && text != "":
			n.id = string(b.p.mint.Scene(text))
		case kind == 'o':
			n.id = string(b.p.mint.Character(text))
		}
		n.body = jsonBody(n.id)
		b.names[k] = n
	}
	return n
}

func (b *bulk) text(s string) string {
	if t, ok := b.texts[s]; ok {
		return t
	}
	b.texts[s] = s
	return s
}

// setting returns the setting that was seen as key, nil when it must take the slow way.
// make is called for a new one.
func (b *bulk) setting(key []byte, make func() (setting, bool)) *settingInfo {
	b.mu.RLock()
	info, ok := b.byKey[string(key)]
	b.mu.RUnlock()
	if ok {
		return info
	}
	s, ok := make()
	b.mu.Lock()
	defer b.mu.Unlock()
	if info, ok := b.byKey[string(key)]; ok {
		return info
	}
	if len(b.byKey) >= maxSettings {
		return nil
	}
	if ok && b.regular(&s) {
		x := [3]string{s.collection, s.isolation, s.exportedAt}
		e := b.exports[x]
		if e == nil {
			e = &export{n: uint32(len(b.exports)), collection: x[0], isolation: x[1], exportedAt: x[2], exported: jsonOrNull(x[2])}
			e.tail = slices.Concat([]byte(`, "collection": `), jsonOrNull(x[0]), []byte(`, "isolation": `), jsonOrNull(x[1]), []byte(`, "exported_at": `), e.exported)
			b.exports[x] = e
		}
		info = &settingInfo{n: uint32(len(b.settings)), conv: b.name('c', s.conv), scene: b.name('s', s.scene), owner: b.name('o', s.owner), export: e,
			character: b.text(s.character), user: b.text(s.user), agent: b.text(s.agent)}
		info.first.Store(1 << 62)
		b.settings = append(b.settings, info)
	}
	b.byKey[string(key)] = info
	return info
}

// regular reports whether rows of a setting can be ordered by memory alone: it has an
// owner whose id cannot be taken for the start of another's, and no id can get too long.
func (b *bulk) regular(s *setting) bool {
	for _, x := range []string{s.conv, s.scene, s.character, s.user, s.agent, s.owner} {
		if len(x) > maxPlainID {
			return false
		}
	}
	return s.owner != "" && !strings.Contains(s.owner, ":mem:")
}

// A worker parses blocks; it belongs to one goroutine at a time.
type worker struct {
	b    *bulk
	scan codec.Scanner
	near [64]nearby // settings met last, by a hash of their keys
	key  []byte
	text []byte // data, unescaped
	rec  []byte

	shared earliest
	out    *blockResult
}

type nearby struct {
	key  []byte
	info *settingInfo
}

// A firstOf is the earliest occurrence in a setting: shared edges tell of it.
type firstOf struct {
	setting        uint32
	at             int64
	hash           [16]byte
	point, created []byte
	pos            pos
}

// A blockResult is what a block leaves to the ordered part: findings and parts.
type blockResult struct {
	findings []*schema.Finding
	parts    []byte // each with its length before it
}

// gather reads exports on all workers.
func (b *bulk) gather(ctx context.Context, files []jsonl.File) error {
	for _, f := range files {
		b.g.pos(schema.Pos{File: f.Name})
	}
	n := max(1, b.o.Workers)
	for range n {
		b.idle <- &worker{b: b}
	}
	results := par.Map(ctx, n, jsonl.FileBlocks(files, b.o.MaxLine), func(ctx context.Context, block jsonl.Block) (*blockResult, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w := <-b.idle
		defer func() { b.idle <- w }()
		w.out = &blockResult{}
		b.gate.RLock()
		w.block(block)
		b.gate.RUnlock()
		block.Release()
		if b.o.Memory > 0 && b.held.Load() > b.o.Memory {
			if err := b.spill(); err != nil {
				return nil, err
			}
		}
		return w.out, nil
	})
	for r, err := range results {
		if err != nil {
			return err
		}
		if err := b.take(r); err != nil {
			return err
		}
	}
	b.flatten()
	b.shareNodes()
	return b.g.addErr
}

// take passes on what a block left.
func (b *bulk) take(r *blockResult) error {
	b.sink.Lock()
	defer b.sink.Unlock()
	for _, f := range r.findings {
		b.g.report(f)
	}
	for rest := r.parts; len(rest) > 0; {
		var rec []byte
		rec, rest = cutStr(rest)
		b.g.noteEncoded(rec)
		b.g.addEncoded(rec)
	}
	return b.g.addErr
}

// noteEncoded is note for an encoded part of the memory graph.
func (g *gatherer) noteEncoded(rec []byte) {
	if g.hasClaims && rec[0] == kindNode {
		if id, _ := cutStr(rec[1:]); bytes.HasPrefix(id, []byte("mem:")) {
			g.memories.add(string(id))
		}
	}
}

// A flatSetting is a setting for the loops over all rows: they meet settings in the
// order of hashes, so all of them at once should be small.
type flatSetting struct {
	first              int64
	conv, scene, owner uint32 // into nameOf and bodies
	export             uint32
}

func (b *bulk) flatten() {
	b.flat = make([]flatSetting, len(b.settings))
	for i, s := range b.settings {
		b.flat[i] = flatSetting{s.first.Load(), s.conv.n, s.scene.n, s.owner.n, s.export.n}
	}
	size := 0
	b.nameOf = make([]*name, len(b.names))
	for _, n := range b.names {
		b.nameOf[n.n] = n
		size += len(n.body)
	}
	arena := make([]byte, 0, size)
	b.bodies = make([][]byte, len(b.nameOf))
	for i, n := range b.nameOf {
		at := len(arena)
		arena = append(arena, n.body...)
		b.bodies[i] = arena[at:len(arena):len(arena)]
	}
	b.exportOf = make([]*export, len(b.exports))
	for _, e := range b.exports {
		b.exportOf[e.n] = e
	}
}

// shareNodes adds the people and places of all settings, each once.
func (b *bulk) shareNodes() {
	b.byKey, b.texts = nil, nil
	seen := map[nameKey]bool{}
	once := func(kind byte, s string) string {
		if s == "" || seen[nameKey{kind, s}] {
			return ""
		}
		seen[nameKey{kind, s}] = true
		return s
	}
	for _, info := range b.settings {
		o := &occurrence{at: info.first.Load()}
		o.conv, o.scene, o.character = once('c', info.conv.text), once('s', info.scene.text), once('p', info.character)
		o.user, o.agent, o.owner = once('u', info.user), once('a', info.agent), once('p', info.owner.text)
		b.p.sharedNodes(o, b.g.add)
	}
}

// takeFirst keeps the earliest occurrence of each setting.
func (b *bulk) takeFirst(f *firstOf) {
	for int(f.setting) >= len(b.firsts) {
		b.firsts = append(b.firsts, nil)
	}
	g := b.firsts[f.setting]
	c := -1
	if g != nil {
		c = f.compare(g)
	}
	if c <= 0 {
		f := new(*f)
		if c < 0 {
			b.firsts[f.setting] = f
		} else {
			b.others = append(b.others, f)
		}
	}
}

func (f *firstOf) compare(g *firstOf) int {
	return cmp.Or(cmp.Compare(f.at, g.at), bytes.Compare(f.point, g.point))
}

// shareEdges adds the edges between people and places, as the earliest occurrence of
// each setting has them.
func (b *bulk) shareEdges() {
	all := slices.DeleteFunc(append(b.firsts, b.others...), func(f *firstOf) bool { return f == nil })
	slices.SortFunc(all, (*firstOf).compare)
	e := earliest{emit: b.g.add}
	for _, f := range all {
		o := &occurrence{point: string(f.point), hash: hex.EncodeToString(f.hash[:]), createdAt: string(f.created), setting: b.settings[f.setting].setting(), at: f.at, pos: f.pos}
		b.p.sharedEdges(o, e.part)
	}
	b.firsts, b.others = nil, nil
}

// An earliest passes on parts of shared elements, but for those that come after one
// that it passed and so say nothing: of a half, the first wins whole. It remembers
// the elements it met last.
type earliest struct {
	emit func(*part)
	seen map[string]passed
}

type passed struct {
	at               int64
	order, what, dst string
}

func (e *earliest) part(x *part) {
	now := passed{x.at, x.order, x.typ, x.dst}
	if !x.edge {
		now.what = x.labels[0]
	}
	if k, ok := e.seen[x.id]; ok && k.what == now.what && k.dst == now.dst && cmp.Or(cmp.Compare(k.at, x.at), strings.Compare(k.order, x.order)) < 0 {
		return
	}
	if e.seen == nil || len(e.seen) >= 4096 {
		e.seen = map[string]passed{}
	}
	e.seen[x.id] = now
	e.emit(x)
}

func (w *worker) report(f *schema.Finding) { w.out.findings = append(w.out.findings, f) }

func (w *worker) block(block jsonl.Block) {
	file := w.b.g.fileIndex[block.Name]
	for line := range block.Lines() {
		if line.TooLong {
			w.report(jsonl.TooLong(line))
			continue
		}
		if !w.line(line, pos{file, uint32(line.Pos.Line)}) {
			w.slow(line, pos{file, uint32(line.Pos.Line)})
		}
	}
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
		w.shared.emit = w.part
		w.b.p.shared(o, w.shared.part)
	}
}

// part sends one part to the sorter.
func (w *worker) part(x *part) {
	if w.b.g.admits(x, w.report) {
		w.rec = x.append(w.rec[:0])
		w.out.parts = append(binary.AppendUvarint(w.out.parts, uint64(len(w.rec))), w.rec...)
	}
}

// occurrence makes a row of an occurrence, if it has the shape of one.
func (w *worker) occurrence(o *occurrence) bool {
	if o.hash == "" || o.hash != o.rawHash && w.b.p.v == schema.V001 || o.data == "" || !bare(o.point) || !bare(o.createdAt) {
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
	info := w.b.setting(key, func() (setting, bool) { return o.setting, true })
	if info == nil {
		return false
	}
	data := jsonBody(o.data)
	x := rowText{point: []byte(o.point), created: []byte(o.createdAt), data: data, escaped: bytes.IndexByte(data, '\\') >= 0, pos: o.pos}
	r := row{at: o.at}
	hex.Decode(r.hash[:], []byte(o.hash))
	w.add(r, info, &x)
	if len(o.events) > 0 {
		w.b.p.eventEdges(o, w.b.p.memoryID(o), w.part)
	}
	return true
}

// bare reports whether s stands in JSON as it is.
func bare(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return true
}

func (w *worker) add(r row, info *settingInfo, x *rowText) {
	r.setting = info.n
	w.rec = appendRow(w.rec[:0], x)
	t := &w.b.parts[r.hash[0]]
	t.mu.Lock()
	grown := t.add(r, w.rec)
	t.mu.Unlock()
	w.b.held.Add(int64(grown))
	for first := info.first.Load(); r.at < first && !info.first.CompareAndSwap(first, r.at); {
		first = info.first.Load()
	}
}

// has reports whether a memory id is among the rows. Tables must be sorted.
func (b *bulk) has(id string) bool {
	var h [16]byte
	name, ok := strings.CutPrefix(id, "mem:")
	if !ok || !schema.IsHash(name) {
		return false
	}
	hex.Decode(h[:], []byte(name))
	_, ok = slices.BinarySearchFunc(b.hashes[h[0]], h, func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) })
	if !ok {
		_, ok = slices.BinarySearchFunc(b.parts[h[0]].rows, h, func(a row, b [16]byte) int { return bytes.Compare(a.hash[:], b[:]) })
	}
	return ok
}

// Write makes the graph of in: the lines of its nodes go to nodes, those of its edges
// to edges, and nodes are done before the first edge is written. Memory holds
// o.Memory bytes of rows and as much of other parts, a few blocks for each worker,
// and, where an edge of another hop may end there, 16 bytes for each distinct memory,
// turn and claim; the turns of the events take 40 bytes each.
func Write(ctx context.Context, in Files, nodes, edges io.Writer, o Options, report func(*schema.Finding)) (Counts, error) {
	c := Counts{Labels: map[string]int{}, Types: map[string]int{}}
	if err := o.check(); err != nil {
		return c, err
	}
	g := newGatherer(o, report)
	defer g.close()
	b := newBulk(g, o)
	defer b.close()
	g.hasEvents, g.hasExports, g.hasClaims = in.Events != nil, in.Exports != nil, in.Claims != nil
	if in.Exports != nil {
		if err := b.gather(ctx, in.Exports); err != nil {
			return c, err
		}
	}
	stopped := false
	if err := g.gatherRest(ctx, Input{Events: jsonl.DecodeFiles[schema.Event](in.Events, o.MaxLine), Claims: jsonl.DecodeFiles[schema.Statement](in.Claims, o.MaxLine)}, &stopped); err != nil {
		return c, err
	}
	if g.addErr != nil {
		return c, g.addErr
	}
	if err := b.sort(ctx); err != nil {
		return c, err
	}
	g.sortSets()
	emit := func(tasks iter.Seq2[*task, error], w io.Writer) error {
		for r, err := range par.Map(ctx, max(1, o.Workers), tasks, b.run) {
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
			for i := range r.firsts {
				b.takeFirst(&r.firsts[i])
			}
			if err := b.keep(r); err != nil {
				return err
			}
			b.recycle(r)
		}
		return ctx.Err()
	}
	if err := b.from(g.nodes, func(src *source) error { return emit(b.nodeTasks(src), nodes) }); err != nil {
		return c, err
	}
	b.shareEdges()
	if g.addErr != nil {
		return c, g.addErr
	}
	if err := b.endNodes(); err != nil {
		return c, err
	}
	if err := b.from(g.edges, func(src *source) error { return emit(b.edgeTasks(src), edges) }); err != nil {
		return c, err
	}
	g.finish()
	return c, nil
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
	for k, n := range d.Labels {
		c.Labels[k] += n
	}
	for k, n := range d.Types {
		c.Types[k] += n
	}
}
