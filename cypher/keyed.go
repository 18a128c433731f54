package cypher

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"membench/graph"
	"membench/internal/codec"
	"membench/internal/extsort"
	"membench/internal/keyed"
	"membench/schema"
	"membench/schema/jsonl"
)

// Scripts in parts: Map makes the row of each element, whose key sorts by what rows of a
// statement share and then by id; docs/scale.md specifies it. A part of the order of keys
// knows by the counts of the parts before it which rows are a statement of one machine.

// group names what the rows of a statement share.
func (k kind) group() string {
	name := "nodes"
	if k.edge {
		name = "edges"
	}
	b, err := codec.Append([]byte(name), k.names, codec.Compact)
	if err != nil || k.names == nil {
		return name + "[]"
	}
	return string(b)
}

func parseGroup(group string) (k kind, err error) {
	names, edge := strings.CutPrefix(group, "edges")
	if !edge {
		names, _ = strings.CutPrefix(group, "nodes")
	}
	k.edge = edge
	err = codec.Unmarshal([]byte(names[:strings.LastIndexByte(names, ']')+1]), &k.names)
	if err != nil || edge && len(k.names) != 1 {
		return k, fmt.Errorf("have the key %.60q, want that of a row, as map writes it", group)
	}
	return k, nil
}

// Map writes the rows of elements with their keys. It checks single rows; the graph must guarantee that ids are unique and that edges have their ends, as
// to-graph does.
func Map(ctx context.Context, in []jsonl.File, w io.Writer, o Options, report func(*schema.Finding)) error {
	b := bufio.NewWriterSize(w, 1<<16)
	rw := newRower(o.Scope)
	var groups []string // of rw.kinds
	var out []byte
	row := func(r *rows) {
		for _, f := range r.findings {
			report(f)
		}
		if len(r.of) == 0 {
			return
		}
		for len(groups) <= int(r.of[0]) {
			groups = append(groups, r.kinds[len(groups)].group())
		}
		out = keyed.Append(out[:0], groups[r.of[0]]+keyed.GroupMark+string(rw.order.last), r.text[:len(r.text)-len(rowEnd)])
		b.Write(out) //nolint:errcheck // Flush tells
	}
	for block, err := range jsonl.FileBlocks(in, o.MaxLine) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		for line := range block.Lines() {
			if !line.TooLong {
				if r := rw.reset(rw.edge); rw.line(line) {
					row(r)
					continue
				}
			}
			one := func(yield func(schema.Record[schema.Element], error) bool) {
				rec := schema.Record[schema.Element]{Pos: line.Pos}
				if line.TooLong {
					yield(rec, jsonl.TooLong(line))
				} else if err := codec.Unmarshal(line.Bytes, &rec.V); err != nil {
					yield(rec, jsonl.Fault(line, err))
				} else {
					yield(rec, nil)
				}
			}
			for rec, err := range graph.Alone(one, report) {
				if err != nil {
					return err
				}
				if edge := rec.V.Edge != nil; edge != rw.edge {
					groups = nil
				}
				r := rw.reset(rec.V.Edge != nil)
				rw.order.id([]byte(rec.V.ID()))
				rw.element(line, rec.V)
				row(r)
			}
		}
		block.Release()
	}
	return b.Flush()
}

// rest is the frame that Reduce writes beside the three scripts.
const rest = "rest"

// Reduce makes statements from keyed rows, in frames named after the scripts. Rows may come in any order; lines with the key !group hold a keyed.Group each and
// come first. Rows whose statement has rows in other parts go to the frame "rest", as keyed lines: a last Reduce takes those of all parts. With heads it also
// writes the constraints for all groups that it is given, and the header of each script.
func Reduce(ctx context.Context, in io.Reader, w io.Writer, heads bool, memory int64, o Options) error {
	b := bufio.NewWriterSize(w, 1<<16)
	r := &reducer{scope: o.Scope, out: keyed.NewFramer(b, 4), parts: map[string]keyed.Group{}, types: map[string]bool{}}
	key := func(rec []byte) []byte { return rec[:bytes.IndexByte(rec, 0)+1] } // no key has a zero byte
	rows := extsort.New(extsort.Options{Key: key, Memory: memory})
	defer rows.Close()
	var rec []byte
	for line, err := range keyed.Lines(in) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if string(line[0]) == groupKey {
			var p keyed.Group
			if err := codec.Unmarshal(line[1], &p); err != nil {
				return fmt.Errorf("a line of the key %s: %w", groupKey, err)
			}
			r.parts[p.Group] = p
			continue
		}
		rec = append(append(append(rec[:0], line[0]...), 0), line[1]...)
		if err := rows.Add(rec); err != nil {
			return err
		}
	}
	if heads {
		for _, file := range []string{ConstraintsFile, NodesFile, EdgesFile} {
			r.out.Add(file, []byte(Head(file)))
		}
	}
	for _, p := range r.parts {
		if err := r.know(p.Group); err != nil {
			return err
		}
	}
	var last []byte
	var held extsort.Buffer
	for _, part := range extsort.Cut([]*extsort.Sorter{rows}, 1<<20) {
		recs, err := part.Load(&held)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		for _, rec := range recs {
			key, row, _ := bytes.Cut(rec, []byte{0})
			if bytes.Equal(key, last) {
				return fmt.Errorf("the id of %.80q is repeated: membench validate names the places", key)
			}
			last = append(last[:0], key...)
			if err := r.row(key, row, heads); err != nil {
				return err
			}
		}
	}
	r.finish()
	if heads {
		r.out.Add(ConstraintsFile, newWriter(Options{}, nil).constraints(nil, slices.Sorted(maps.Keys(r.types))))
	}
	if err := r.out.Flush(); err != nil {
		return err
	}
	return b.Flush()
}

const groupKey = "!group"

type reducer struct {
	scope string
	out   *keyed.Framer
	parts map[string]keyed.Group
	types map[string]bool // of edges

	group string // escaped, of the rows that wait
	name  string // of the group
	kind  kind
	n     int    // rows of the group before these
	text  []byte // keys and rows that wait
	ends  [][2]int
}

// know makes a group the one whose rows come.
func (r *reducer) know(name string) (err error) {
	r.name = name
	if r.kind, err = parseGroup(name); err == nil && r.kind.edge {
		r.types[r.kind.names[0]] = true
	}
	return err
}

// row takes the next row in the order of keys.
func (r *reducer) row(key, row []byte, heads bool) error {
	group, _, ok := bytes.Cut(key, []byte(keyed.GroupMark))
	if !ok {
		return fmt.Errorf("have the key %.60q, want that of a row, as map writes it", key)
	}
	if string(group) != r.group {
		r.finish()
		r.group = string(group)
		if err := r.know(keyed.Unescape(group)); err != nil {
			return err
		}
		if r.n = 0; !heads {
			r.n = r.parts[r.name].Before
		}
	}
	r.text = append(r.text, key...)
	at := len(r.text)
	r.text = append(r.text, row...)
	if r.ends = append(r.ends, [2]int{at, len(r.text)}); (r.n+len(r.ends))%BatchRows == 0 {
		r.statement()
	}
	return nil
}

// finish ends a group.
func (r *reducer) finish() {
	if len(r.ends) > 0 {
		r.statement()
	}
}

// statement writes the rows that wait, as a statement where it has no others.
func (r *reducer) statement() {
	from, to, start := r.n, r.n+len(r.ends), 0
	if all := r.parts[r.name].Rows; from%BatchRows != 0 || to%BatchRows != 0 && to < all {
		for _, end := range r.ends {
			key, row := r.text[start:end[0]], r.text[end[0]:end[1]]
			at := bytes.IndexByte(key, keyed.GroupMark[0])
			r.out.Add(rest, key[:at], fmt.Appendf(nil, "#%09d", from/BatchRows), key[at:], []byte("\t"), row, []byte("\n"))
			start = end[1]
		}
	} else {
		text := []byte(batchHead)
		for i, end := range r.ends {
			if i > 0 {
				text = append(text, rowEnd...)
			}
			text = append(text, r.text[end[0]:end[1]]...)
		}
		file := NodesFile
		if r.kind.edge {
			file = EdgesFile
		}
		r.out.Add(file, r.kind.batchTail(text, r.scope))
	}
	r.n, r.text, r.ends = to, r.text[:0], r.ends[:0]
}
