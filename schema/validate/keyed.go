package validate

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/codec"
	"membench/internal/extsort"
	"membench/internal/keyed"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
)

// Keyed lines spread a Checker over processes: Map reads whole files and keeps what one
// file shows, Reduce settles what only all files show. docs/scale.md specifies them.

// Keys that no id has.
const (
	keyFinding = "finding:" // and the file's name: a record is a finding
	keyGiven   = "!given"   // what one file defines at all; every Reduce needs all of these
)

// shownText is more of a text than a message shows: 120 code points.
const shownText = 600

// A farFact is a fact on its way to the Reduce of its key.
type farFact struct {
	File string `json:"f"`
	Line int    `json:"l"`
	Col  int    `json:"c"`
	Seq  int    `json:"q"` // in its line
	Op   byte   `json:"o,omitzero"`
	NS   byte   `json:"s"`
	Ptr  byte   `json:"p,omitzero"`
	Flag byte   `json:"g,omitzero"`
	Idx  int32  `json:"i,omitzero"`
	Key  string `json:"k"`
	Cond string `json:"d,omitzero"`
	Tup  string `json:"t,omitzero"` // hex: a JSON number may be rounded
	Num  int64  `json:"n,omitzero"`
	ID   string `json:"x,omitzero"`
}

// farGiven is what one file defines at all.
type farGiven struct {
	Spaces   []byte   `json:"spaces"`
	Prefixes []string `json:"prefixes"`
}

func (k key) hex() string {
	if k == (key{}) {
		return ""
	}
	return fmt.Sprintf("%016x%016x", k[0], k[1])
}

func parseKey(s string) (k key, err error) {
	var b [16]byte
	if s == "" {
		return k, nil
	}
	if n, err := hex.Decode(b[:], []byte(s)); err != nil || n != 16 {
		return k, fmt.Errorf("have %q, want 32 hexadecimal digits", s)
	}
	for i := range b {
		k[i/8] = k[i/8]<<8 | uint64(b[i])
	}
	return k, nil
}

// home is the key of a fact: of what it defines or refers to, or of what the reference depends on.
func (x *fact) home() string {
	if x.cond != (key{}) {
		return x.cond.hex()
	}
	return x.k.hex()
}

// inFileOrder sorts the facts of a key as one Checker meets them.
func (w *farFact) inFileOrder() string {
	return fmt.Sprintf("%d %s\x00%010d %010d", Rank(w.File), strings.ReplaceAll(w.File, "/", "\x01"), w.Line, w.Seq)
}

// Map checks one file and writes keyed lines: its findings, and what the set must know of it.
func (c *Checker) Map(ctx context.Context, r io.Reader, name string, k schema.Kind, v schema.Version, w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	put := func(key string, rec any) error {
		text, err := codec.Append(nil, rec, codec.Compact)
		if err == nil {
			line = keyed.Append(line[:0], key, text)
			_, err = out.Write(line)
		}
		return err
	}
	given := farGiven{Spaces: []byte{}, Prefixes: []string{}}
	lastLine, seq := 0, 0
	c.far = func(x *fact, at schema.Pos) error {
		if x.op == opTurn && !slices.Contains(given.Spaces, nsConv) {
			given.Spaces = append(given.Spaces, nsConv)
		}
		if x.op != opRefer && !slices.Contains(given.Spaces, x.ns) {
			given.Spaces = append(given.Spaces, x.ns)
		}
		if p, _, ok := strings.Cut(string(x.id), ":"); ok && x.ns == nsNode && x.op == opDefine && x.flag&flagAny == 0 && !slices.Contains(given.Prefixes, p) {
			given.Prefixes = append(given.Prefixes, p)
		}
		if seq++; at.Line != lastLine {
			lastLine, seq = at.Line, 0
		}
		id := x.id
		if len(id) > shownText && (x.ptr == ptrData || x.ptr == ptrEvidenceText) {
			for id = id[:shownText]; !utf8.Valid(id); {
				id = id[:len(id)-1]
			}
		}
		return put(x.home(), farFact{File: name, Line: at.Line, Col: at.Col, Seq: seq, Op: x.op, NS: x.ns, Ptr: x.ptr, Flag: x.flag, Idx: x.idx,
			Key: x.k.hex(), Cond: x.cond.hex(), Tup: fmt.Sprintf("%x", x.tup), Num: x.num, ID: string(id)})
	}
	for f, err := range c.Stream(jsonl.UntilDone(ctx, r), name, k, v) {
		if err == nil {
			err = put(keyFinding+name, f)
		}
		if err != nil {
			return err
		}
	}
	if err := put(keyGiven, given); err != nil {
		return err
	}
	return out.Flush()
}

// ReduceOptions of Reduce.
type ReduceOptions struct {
	Catalog *catalog.Catalog // nil: the built-in one
	Memory  int64            // bytes of lines held before they go to disk
	TempDir string
}

// Reduce settles keyed lines: it writes their findings, with the same keys, and those that
// facts of one key make together. All lines of a key must be among them, and all lines
// of the key !given; their order does not matter. It returns how many findings are errors.
func Reduce(ctx context.Context, in io.Reader, w io.Writer, o ReduceOptions) (int, error) {
	r := &reducer{c: New(o.Catalog, Options{}), w: bufio.NewWriterSize(w, 1<<16), o: o, files: map[string]int32{}}
	r.f = fold{c: r.c, s: &r.c.set, yield: r.finding}
	facts := r.sorter()
	defer facts.Close()
	for line, err := range jsonl.Lines(keyed.Records(in), "standard input", 0) {
		err = cmp.Or(err, ctx.Err())
		if err == nil && line.TooLong {
			err = jsonl.TooLong(line)
		}
		if err == nil {
			err = r.take(line.Bytes, line.Pos.Line, facts)
		}
		if err != nil {
			return r.errors, err
		}
	}
	if err := r.settle(ctx, facts); err != nil {
		return r.errors, err
	}
	return r.errors, r.w.Flush()
}

type reducer struct {
	c     *Checker
	f     fold
	w     *bufio.Writer
	o     ReduceOptions
	files map[string]int32
	line  []byte

	errors int
}

func (r *reducer) sorter() *extsort.Sorter {
	return extsort.New(extsort.Options{Compare: bytes.Compare, Memory: r.o.Memory, Dir: r.o.TempDir})
}

func (r *reducer) finding(f *schema.Finding) error {
	if !f.Warning {
		r.errors++
	}
	text, err := codec.Append(nil, f, codec.Compact)
	if err != nil {
		return err
	}
	r.line = keyed.Append(r.line[:0], keyFinding+f.Pos.File, text)
	_, err = r.w.Write(r.line)
	return err
}

// take reads one record: findings pass, what is given is noted, facts are sorted.
func (r *reducer) take(text []byte, n int, facts *extsort.Sorter) error {
	bad := func(err error) error {
		return fmt.Errorf("line %d of standard input: want a record as 'shard validate map' of this version writes it: %w", n, err)
	}
	var what struct {
		farFact
		farGiven
		Code string `json:"code"`
	}
	if err := codec.Unmarshal(text, &what); err != nil {
		return bad(err)
	}
	switch {
	case what.Code != "":
		var f schema.Finding
		if err := codec.Unmarshal(text, &f); err != nil {
			return bad(err)
		}
		return r.finding(&f)
	case what.Spaces != nil:
		for _, ns := range what.Spaces {
			if int(ns) < len(r.c.set.given) {
				r.c.set.given[ns] = true
			}
		}
		for _, p := range what.Prefixes {
			r.c.set.nodeOf[p] = true
		}
		return nil
	}
	x, _, err := what.fact()
	if err != nil {
		return bad(err)
	}
	if x.op > opTurn || int(x.ns) >= len(r.c.set.given) || int(x.ptr) >= len(pointers) || x.k == (key{}) || what.Line < 0 || what.Line > 1<<30 {
		return bad(fmt.Errorf("no such fact"))
	}
	return facts.Add(slices.Concat([]byte(x.home()), []byte(what.inFileOrder()), []byte{'\n'}, text))
}

func (w *farFact) fact() (x fact, at schema.Pos, err error) {
	x = fact{op: w.Op, ns: w.NS, ptr: w.Ptr, flag: w.Flag, idx: w.Idx, num: w.Num, id: []byte(w.ID)}
	var e1, e2, e3 error
	x.k, e1 = parseKey(w.Key)
	x.cond, e2 = parseKey(w.Cond)
	if _, err := fmt.Sscanf(w.Tup, "%x", &x.tup); err != nil {
		e3 = err
	}
	return x, schema.Pos{File: w.File, Line: w.Line, Col: w.Col}, cmp.Or(e1, e2, e3)
}

// settle applies facts key by key. References that are not met yet wait, on disk where
// they are many, for the end of their key.
func (r *reducer) settle(ctx context.Context, facts *extsort.Sorter) error {
	late := r.sorter()
	defer func() { late.Close() }()
	waiting := false
	var home []byte
	finish := func() error {
		if !waiting {
			return nil
		}
		for rec, err := range late.Sorted() {
			if err != nil {
				return err
			}
			p, err := r.apply(rec)
			if err != nil {
				return err
			}
			if p == nil {
				continue
			}
			if f := r.c.set.close(r.c, *p); f != nil {
				if err := r.finding(f); err != nil {
					return err
				}
			}
		}
		late.Close()
		late, waiting = r.sorter(), false
		return nil
	}
	for rec, err := range facts.Sorted() {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if !bytes.Equal(home, rec[:32]) {
			if err := finish(); err != nil {
				return err
			}
			home = append(home[:0], rec[:32]...)
		}
		p, err := r.apply(rec)
		if err != nil {
			return err
		}
		if p != nil {
			waiting = true
			if err := late.Add(rec); err != nil {
				return err
			}
		}
	}
	return finish()
}

// apply gives one fact to the fold; it returns a reference that cannot be settled yet.
func (r *reducer) apply(rec []byte) (*pending, error) {
	var w farFact
	if err := codec.Unmarshal(rec[bytes.LastIndexByte(rec, '\n')+1:], &w); err != nil {
		return nil, err // unreachable: it was read before
	}
	x, at, err := w.fact()
	if err != nil {
		return nil, err
	}
	i, ok := r.files[w.File]
	if !ok {
		i = int32(len(r.c.Checked))
		r.files[w.File] = i
		r.c.Checked = append(r.c.Checked, File{Name: w.File})
	}
	r.f.file, r.f.far, r.f.lastConv = i, at, key{}
	if x.op != opRefer {
		return nil, r.f.define(&x, int32(w.Line))
	}
	s := r.f.s
	s.pending = nil
	if err := r.f.refer(&x); err != nil || len(s.pending) == 0 {
		return nil, err
	}
	p := s.pending[0][0]
	s.pending = nil
	return &p, nil
}
