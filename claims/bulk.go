package claims

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"strconv"
	"sync"

	"membench/internal/codec"
	"membench/internal/extsort"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
)

// Bulk does over bytes what Compile does over records, in memory that does not grow with the input. Lines are cut into blocks; a worker reads each block and
// sorts its records by id; sorted runs go to disk above the budget. Then the ids are divided into ranges; a worker loads a range, which brings the records of
// one id together, and merges it. An id that occurs once keeps its bytes.
//
// Memory beyond the budget: two to eight MiB and the output for each worker and for two ranges more, a mark of about 150 bytes for each 8 KiB on disk, about
// 300 bytes for each claim that may conflict (ranked, single-valued, denied), and the records of one id, whose evidence goes to disk above bigGroup.

// BulkOptions say how to compile.
type BulkOptions struct {
	Catalog *catalog.Catalog // nil: the built-in one
	Version schema.Version   // "": the newest
	Memory  int64            // bytes held before records go to disk; 0: 16 MiB, which grows to 64 after half a gigabyte of records
	Workers int              // 0: one per core
	Dir     string           // for spilled records; "": the system's
	MaxLine int              // bytes; 0: jsonl.MaxLine
	// Progress is called with the parts that are merged, of all, once the input is read;
	// nil: not reported.
	Progress func(unit string, done, of int)
	// Partial merges only records with the same id: the result may be merged again with other records of its keys.
	Partial bool

	maxMemory int64
}

// BulkResult is the result of a bulk compile.
type BulkResult struct {
	Files, Records   int
	Entities, Claims int
	Deprecated       int
	Spilled          bool
}

// Less in tests.
var (
	bigGroup = 8 << 20          // bytes of records of one id that are held at once
	minShare = int64(512 << 10) // of Memory for a worker: less makes runs too short to be read in parts
)

// Bulk compiles the inputs, in the given order, into entities and claims. found
// takes findings, in no order that can be relied on.
func Bulk(ctx context.Context, in []jsonl.File, entities, claims io.Writer, found func(*schema.Finding), o BulkOptions) (BulkResult, error) {
	if o.Catalog == nil {
		o.Catalog = catalog.Default()
	}
	o.Version = cmp.Or(o.Version, schema.Latest)
	if o.Memory <= 0 {
		o.Memory, o.maxMemory = 16<<20, 64<<20
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Workers = int(max(1, min(int64(o.Workers), o.Memory/minShare)))
	b := &bulk{BulkOptions: o, found: found, mint: schema.Mint{V: o.Version}, preds: map[string]predicate{}, denied: map[string]bool{}, rivals: map[string]bool{}}
	for name, p := range o.Catalog.Predicates {
		b.preds[name] = predicate{positive: name, single: p.Single}
		if p.Negative != "" {
			b.preds[p.Negative] = predicate{positive: name, negated: true}
		}
	}
	defer b.close()
	if err := b.read(ctx, in); err != nil {
		return b.res, err
	}
	if !o.Partial {
		if err := b.findTwoTypes(ctx); err != nil {
			return b.res, err
		}
	}
	return b.res, b.write(ctx, entities, claims)
}

type bulk struct {
	BulkOptions
	mint    schema.Mint
	mu      sync.Mutex // guards found and res
	found   func(*schema.Finding)
	res     BulkResult
	sorters []*extsort.Sorter
	scratch sync.Pool // of *scratch
	preds   map[string]predicate
	denied  map[string]bool // claim ids, less their predicate, that are denied somewhere
	rivals  map[string]bool // predicates of claims that may conflict
	index   *conflicts
	numbers typeNumbers
	types   typeTable         // of all entities
	lost    map[string]string // see findTwoTypes
}

// A predicate holds the properties that decide about conflicts.
type predicate struct {
	positive string
	negated  bool
	single   string
}

func (b *bulk) close() {
	for _, s := range b.sorters {
		s.Close()
	}
}

func (b *bulk) report(f *schema.Finding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.found != nil {
		b.found(f)
	}
}

// read cuts the inputs into blocks and has the workers sort their records.
func (b *bulk) read(ctx context.Context, in []jsonl.File) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	blocks := make(chan jsonl.Block, b.Workers)
	var wg sync.WaitGroup
	share := b.Memory / int64(b.Workers)
	for range b.Workers {
		s := extsort.New(extsort.Options{Key: rowID, Memory: share, MaxMemory: b.maxMemory / int64(b.Workers), Dir: b.Dir})
		b.sorters = append(b.sorters, s)
		wg.Go(func() {
			w := &worker{b: b, sorter: s, denied: map[string]bool{}, rivals: map[string]bool{}}
			for bl := range blocks {
				if ctx.Err() == nil {
					if err := w.block(bl); err != nil {
						cancel(err)
					}
				}
				if !bl.TooLong { // its memory is still read into
					bl.Release()
				}
			}
			s.Sort() // the rest that did not go to disk
			b.mu.Lock()
			b.res.Records += w.records
			maps.Copy(b.rivals, w.rivals)
			maps.Copy(b.denied, w.denied)
			b.types.join(&w.types)
			b.mu.Unlock()
		})
	}
	err := b.cut(ctx, in, blocks)
	close(blocks)
	wg.Wait()
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	if err == nil {
		err = ctx.Err()
	}
	for _, s := range b.sorters {
		b.res.Spilled = b.res.Spilled || s.Spilled()
	}
	return err
}

func (b *bulk) cut(ctx context.Context, in []jsonl.File, blocks chan<- jsonl.Block) error {
	b.res.Files = len(in)
	for bl, err := range jsonl.FileBlocks(in, b.MaxLine) {
		if err != nil {
			return err
		}
		select {
		case blocks <- bl:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// A row is one record in the sorters:
//
//	kind · key · order (8 bytes) · flags (1 byte) · line · length of kind and key (4 bytes)
//
// The key is the one of the output's order. Each part ends with 0x00 0x01, and a 0x00 in it is written 0x00 0xff, so that rows compare as bytes. order is the
// position of the record in 0.0.1, whose merge depends on it, otherwise 0.
const (
	kindEntity = 'E' // sorts before
	kindClaim  = 'c'

	flagPlain      = 1 // the line equals our encoder's output
	flagDeprecated = 2 // of plain lines only
)

func appendRow(dst []byte, parts [][]byte, kind byte, order uint64, flags byte, line []byte) []byte {
	start := len(dst)
	dst = append(dst, kind)
	for _, p := range parts {
		if bytes.IndexByte(p, 0) < 0 {
			dst = append(dst, p...)
		} else {
			for _, c := range p {
				if dst = append(dst, c); c == 0 {
					dst = append(dst, 0xff)
				}
			}
		}
		dst = append(dst, 0, 1)
	}
	n := len(dst) - start
	dst = binary.BigEndian.AppendUint64(dst, order)
	dst = append(dst, flags)
	dst = append(dst, line...)
	return binary.LittleEndian.AppendUint32(dst, uint32(n))
}

// rowID is the kind and key of a row: no id is the start of another.
func rowID(r []byte) []byte {
	return r[:binary.LittleEndian.Uint32(r[len(r)-4:])]
}

type row struct {
	id    []byte // kind and key
	flags byte
	line  []byte
}

func splitRow(r []byte) row {
	end := len(r) - 4
	n := int(binary.LittleEndian.Uint32(r[end:]))
	return row{id: r[:n], flags: r[n+8], line: r[n+9 : end]}
}

// A worker reads blocks.
type worker struct {
	b       *bulk
	sorter  *extsort.Sorter
	scan    lineScanner
	row     []byte
	records int
	denied  map[string]bool
	rivals  map[string]bool
	types   typeTable
}

func (w *worker) block(bl jsonl.Block) error {
	for line := range bl.Lines() {
		if line.TooLong {
			w.b.report(jsonl.TooLong(line))
		} else if err := w.line(line.Bytes, bl.File, line.Pos.Line, line.Pos.File); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) line(line []byte, file, no int, name string) error {
	order := uint64(0)
	if w.b.Version == schema.V001 {
		order = uint64(file)<<40 | uint64(no)
	}
	if w.scan.read(line, w.b.Version) {
		w.records++
		parts, kind := w.scan.key()
		if kind == kindClaim {
			w.watch(parts[1], parts[2], line)
		} else {
			w.types.note(&w.b.numbers, parts[0], parts[1])
		}
		flags := byte(flagPlain)
		if w.scan.deprecated() {
			flags |= flagDeprecated
		}
		w.row = appendRow(w.row[:0], parts, kind, order, flags, line)
		return w.sorter.Add(w.row)
	}
	// The plain reader handles every unusual line.
	pos := schema.Pos{File: name, Line: no}
	var s schema.Statement
	if err := codec.Unmarshal(line, &s); err != nil {
		w.b.report(jsonl.Fault(jsonl.Line{Pos: pos, Bytes: line}, err))
		return nil
	}
	if f := whole(s); f != nil {
		f.Pos = pos
		w.b.report(f)
		return nil
	}
	if f := unnamed(s); f != nil {
		f.Pos = pos
		w.b.report(f)
	}
	w.records++
	var enc []byte
	var err error
	raw := w.b.Version == schema.V001 // keeps the order of members
	if s.Claim != nil {
		id, f := claimID(w.b.mint, s.Claim)
		if f != nil {
			f.Pos = pos
			w.b.report(f)
		}
		s.Claim.ID = id
		if enc = canonical001(line); !raw || f != nil {
			enc, err = codec.Append(nil, s.At(w.b.Version), codec.Compact)
		}
		w.watch([]byte(s.Claim.Predicate), []byte(id), nil)
		w.row = appendRow(w.row[:0], [][]byte{[]byte(s.Claim.Domain), []byte(s.Claim.Predicate), []byte(id)}, kindClaim, order, 0, enc)
	} else {
		w.types.note(&w.b.numbers, []byte(s.Entity.Type), []byte(s.Entity.ID))
		if enc = canonical001(line); !raw {
			enc, err = codec.Append(nil, s.At(w.b.Version), codec.Compact)
		}
		w.row = appendRow(w.row[:0], [][]byte{[]byte(s.Entity.Type), []byte(s.Entity.ID)}, kindEntity, order, 0, enc)
	}
	if err != nil {
		return fmt.Errorf("%s: encoding: %w", pos, err)
	}
	return w.sorter.Add(w.row)
}

// canonical001 writes a statement in the order of its members as Python would read
// and write it: compact, strings with the fewest escapes, confidence a float; without
// the members that are newer than 0.0.1.
func canonical001(line []byte) []byte {
	out := make([]byte, 0, len(line))
	first := true
	out = append(out, '{')
	for k, v := range codec.Members(line) {
		switch k {
		case "by", "deprecated_reason", "superseded_by", "id_aliases":
			continue
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(codec.AppendString(out, k), ':')
		if f, err := strconv.ParseFloat(string(v), 64); err == nil && k == "confidence" {
			out = schema.AppendFloat(out, f)
			continue
		}
		out = codec.AppendNormal(out, v)
	}
	return append(out, '}')
}

// watch notes whether a claim may take part in a conflict.
func (w *worker) watch(pred, id, line []byte) {
	if w.b.Version == schema.V001 || w.b.Partial {
		return
	}
	p, ok := w.b.preds[string(pred)]
	switch {
	case !ok:
	case p.negated:
		w.denied[bareID(id)] = true
		w.rivals[string(pred)], w.rivals[p.positive] = true, true
	case p.single != "" && !(p.single == catalog.SingleRank && unranked(line)):
		w.rivals[string(pred)] = true
	}
}

// bareID returns a claim id without its predicate: the common part of a claim and its denial.
func bareID(id []byte) string {
	if i := bytes.IndexByte(id, '|'); i >= 0 {
		return string(id[i:])
	}
	return string(id)
}

// unranked reports whether a plain line has no rank. Quotes inside strings are
// escaped, so the text cannot occur in one.
func unranked(line []byte) bool { return bytes.Contains(line, []byte(`,"rank":null,"updated_at":`)) }

// contested reports whether a claim may conflict with another.
func (b *bulk) contested(pred, id, line []byte) bool {
	p, ok := b.preds[string(pred)]
	if !ok {
		return false
	}
	return p.negated || p.single != "" && !(p.single == catalog.SingleRank && unranked(line)) || len(b.denied) > 0 && b.denied[bareID(id)]
}
