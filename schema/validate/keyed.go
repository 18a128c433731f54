package validate

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
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

// Keyed lines distribute a Checker over processes: Map reads whole files and keeps what one file shows; Reduce decides what depends on all files. docs/scale.md
// specifies them.

// Keys that no id has.
const (
	keyFinding = "finding:" // and the file's name: a record is a finding
	keyGiven   = "!given"   // a file and what it defines; every Reduce needs all of these, before the facts
)

// shownText is more of a text than a message shows: 120 code points.
const shownText = 600

// homeSize is the bytes of a key where records are sorted.
const homeSize = 16

// farGiven holds a file's name and the kinds that it defines.
type farGiven struct {
	File     string   `json:"file"`
	Spaces   []byte   `json:"spaces"`
	Prefixes []string `json:"prefixes"`
}

func (k key) bytes() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, k[0]), k[1])
}

func keyOf(b []byte) key {
	return key{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}

// fileID represents a file in the records of its facts.
func fileID(name string) uint64 { return hashKey(0, []byte(name))[0] }

// inFileOrder sorts files as one Checker reads a folder: the parts of a path first.
func inFileOrder(a, b File) int {
	slash := func(name string) string { return strings.ReplaceAll(name, "/", "\x01") }
	return cmp.Or(Rank(a.Name)-Rank(b.Name), strings.Compare(slash(a.Name), slash(b.Name)))
}

// home returns the key of a fact: of the id that it defines or refers to, or that the reference depends on.
func (x *fact) home() key {
	if x.cond != (key{}) {
		return x.cond
	}
	return x.k
}

// farSize is the bytes of a fact before its second key and its id.
const farSize = 45

// appendFar appends a fact of a file. Records of one key are in the order in which one Checker meets their facts, if the files are numbered so.
// Of two keys the second one is the home.
func (x *fact) appendFar(dst []byte, file uint64, at schema.Pos, seq int) []byte {
	dst = binary.BigEndian.AppendUint64(dst, file)
	dst = binary.BigEndian.AppendUint32(dst, uint32(at.Line))
	dst = binary.BigEndian.AppendUint32(dst, uint32(seq))
	dst = binary.BigEndian.AppendUint32(dst, uint32(at.Col))
	dst = binary.BigEndian.AppendUint32(dst, uint32(x.idx))
	dst = binary.BigEndian.AppendUint64(dst, x.tup)
	dst = binary.BigEndian.AppendUint64(dst, uint64(x.num))
	dst = append(dst, x.op, x.ns, x.ptr, x.flag, 0)
	if x.cond != (key{}) {
		dst[len(dst)-1] = 1
		dst = append(dst, x.k.bytes()...)
	}
	id := x.id
	if len(id) > shownText && (x.ptr == ptrData || x.ptr == ptrEvidenceText) {
		for id = id[:shownText]; !utf8.Valid(id); {
			id = id[:len(id)-1]
		}
	}
	return append(dst, id...)
}

// readFar reads a fact and its file from its home and its record.
func readFar(home key, rec []byte) (x fact, file uint64, at schema.Pos, ok bool) {
	if len(rec) < farSize {
		return x, 0, at, false
	}
	word := func(at int) uint32 { return binary.BigEndian.Uint32(rec[at:]) }
	at.Line, at.Col = int(word(8)), int(word(16))
	x = fact{idx: int32(word(20)), tup: binary.BigEndian.Uint64(rec[24:]), num: int64(binary.BigEndian.Uint64(rec[32:])), op: rec[40], ns: rec[41], ptr: rec[42], flag: rec[43], k: home, id: rec[farSize:]}
	far := rec[44]
	if far == 1 && len(x.id) >= homeSize {
		x.k, x.cond, x.id, far = keyOf(x.id), home, x.id[homeSize:], 0
	}
	return x, binary.BigEndian.Uint64(rec), at, far == 0 && x.op <= opTurn && x.ns <= nsEval && int(x.ptr) < len(pointers) && x.k != (key{}) && at.Line <= 1<<30
}

// Map checks one file and writes keyed lines: its findings, and the facts that the set needs.
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
	file := fileID(name)
	var far []byte
	given := farGiven{File: name, Spaces: []byte{}, Prefixes: []string{}}
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
		far = x.appendFar(far[:0], file, at, seq)
		line = keyed.AppendPart(line[:0], hex.EncodeToString(x.home().bytes()), far)
		_, err := out.Write(line)
		return err
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
// facts of one key make together. The lines of !given come first, all of them; all lines of
// another key must be among the rest, in any order. It returns how many findings are errors.
func Reduce(ctx context.Context, in io.Reader, w io.Writer, o ReduceOptions) (int, error) {
	r := &reducer{c: New(o.Catalog, Options{}), w: bufio.NewWriterSize(w, 1<<16), o: o, files: map[uint64]uint64{}}
	r.f = fold{c: r.c, s: &r.c.set, yield: r.finding}
	facts := r.sorter()
	defer facts.Close()
	n := 0
	for line, err := range keyed.Lines(in) {
		if n++; err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = r.take(line[0], line[1], n, facts)
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
	files map[uint64]uint64 // their numbers in order, by fileID; from the first fact on
	line  []byte
	rec   []byte

	errors int
}

func (r *reducer) sorter() *extsort.Sorter {
	return extsort.New(extsort.Options{Memory: r.o.Memory, Dir: r.o.TempDir})
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

// take reads one record: findings pass through, given kinds are noted, facts are sorted.
func (r *reducer) take(home, text []byte, n int, facts *extsort.Sorter) error {
	bad := func(err error) error {
		return fmt.Errorf("line %d of standard input: want a record as 'shard validate map' of this version writes it: %w", n, err)
	}
	switch {
	case bytes.HasPrefix(home, []byte(keyFinding)):
		var f schema.Finding
		if err := codec.Unmarshal(text, &f); err != nil {
			return bad(err)
		}
		return r.finding(&f)
	case string(home) == keyGiven:
		var given farGiven
		if err := codec.Unmarshal(text, &given); err != nil {
			return bad(err)
		}
		for _, ns := range given.Spaces {
			if int(ns) < len(r.c.set.given) {
				r.c.set.given[ns] = true
			}
		}
		for _, p := range given.Prefixes {
			r.c.set.nodeOf[p] = true
		}
		if len(r.files) > 0 {
			return bad(errors.New("have a fact before it, want the lines of !given first: sort(1) puts them there"))
		}
		r.c.Checked = append(r.c.Checked, File{Name: given.File})
		return nil
	}
	if len(r.files) == 0 {
		slices.SortFunc(r.c.Checked, inFileOrder)
		r.c.Checked = slices.CompactFunc(r.c.Checked, func(a, b File) bool { return a.Name == b.Name })
		for i, f := range r.c.Checked {
			r.files[fileID(f.Name)] = uint64(i)
		}
	}
	var err error
	if r.rec, err = hex.AppendDecode(r.rec[:0], home); err != nil || len(r.rec) != homeSize {
		return bad(fmt.Errorf("have the key %.40q, want %d hexadecimal digits", home, 2*homeSize))
	}
	if r.rec, err = keyed.DecodePart(r.rec, text); err != nil {
		return bad(err)
	}
	_, file, _, ok := readFar(keyOf(r.rec), r.rec[homeSize:])
	if !ok {
		return bad(errors.New("no such fact"))
	}
	number, ok := r.files[file]
	if !ok {
		return bad(errors.New("have a fact of a file without a line of !given before it"))
	}
	binary.BigEndian.PutUint64(r.rec[homeSize:], number)
	return facts.Add(r.rec)
}

// settle applies facts key by key. References that are not met yet wait, on disk if they are many, for the end of their key.
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
		if !bytes.Equal(home, rec[:homeSize]) {
			if err := finish(); err != nil {
				return err
			}
			home = append(home[:0], rec[:homeSize]...)
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
	x, i, at, _ := readFar(keyOf(rec), rec[homeSize:]) // take has checked it
	at.File = r.c.Checked[i].Name
	r.f.file, r.f.far, r.f.lastConv = int32(i), at, key{}
	if x.op != opRefer {
		return nil, r.f.define(&x, int32(at.Line))
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
