package claims

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/keyed"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
)

// Keyed lines spread Bulk over processes: KEY TAB RECORD. Records that meet in the merge
// (of one id, of one entity under two types, claims that may contradict each other) have
// one key. docs/scale.md specifies the form.

// keyOf is the key of a statement. That of a claim is the beginning of its id with the
// predicate that a denial denies: every conflict is between claims of one such key.
func keyOf(cat *catalog.Catalog, s schema.Statement) string {
	if s.Entity != nil {
		return "entity:" + string(s.Entity.ID)
	}
	id := string(schema.Mint{V: schema.Latest}.Claim(s.Claim.Predicate, s.Claim.Domain, s.Claim.Subject.ID, s.Claim.Object.ID))
	parts := strings.SplitN(strings.TrimPrefix(id, "claim:"), "|", 4)
	if positive, _, ok := cat.Polarity(parts[0]); ok {
		parts[0] = positive
	}
	return "claim:" + strings.Join(parts[:min(3, len(parts))], "|")
}

// MapKeyed writes the lines of the inputs with their keys. Lines that are not statements go
// to found and are omitted.
func MapKeyed(ctx context.Context, in []jsonl.File, w io.Writer, found func(*schema.Finding) error, o BulkOptions) error {
	cat := o.catalog()
	b := bufio.NewWriterSize(w, 1<<16)
	var out []byte
	for bl, err := range jsonl.FileBlocks(in, o.MaxLine) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for line := range bl.Lines() {
			var s schema.Statement
			f := (*schema.Finding)(nil)
			if line.TooLong {
				f = jsonl.TooLong(line)
			} else if err := codec.Unmarshal(line.Bytes, &s); err != nil {
				f = jsonl.Fault(line, err)
			} else if f = whole(s); f != nil {
				f.Pos = line.Pos
			}
			if f != nil {
				if err := found(f); err != nil {
					return err
				}
				continue
			}
			out = keyed.Append(out[:0], keyOf(cat, s), line.Bytes)
			b.Write(out) //nolint:errcheck // Flush tells
		}
		bl.Release()
	}
	return b.Flush()
}

// ReduceKeyed merges keyed lines: Bulk over the records, whose results get their keys
// again. All lines of a key must be among them; their order does not matter. With frames
// they are frames of lines without keys, named entity and claim.
func ReduceKeyed(ctx context.Context, in io.Reader, w io.Writer, frames bool, found func(*schema.Finding) error, o BulkOptions) error {
	o.Version = schema.Latest // that of 0.0.1 is a matter of order
	file := jsonl.File{Name: "-", Open: func() (io.ReadCloser, error) { return io.NopCloser(keyed.Records(in)), nil }}
	b := bufio.NewWriterSize(w, 1<<16)
	var entities, claims io.Writer = &keyer{cat: o.catalog(), w: b}, &keyer{cat: o.catalog(), w: b}
	f := keyed.NewFramer(b, 2)
	if frames {
		entities, claims = f.Writer("entity"), f.Writer("claim")
	}
	if _, err := Bulk(ctx, []jsonl.File{file}, entities, claims, found, o); err != nil {
		return err
	}
	return cmp.Or(f.Flush(), b.Flush())
}

// partialEntity keeps of plain lines that differ in their confidence alone the surest:
// lines come in order, so they are neighbours. Others stay as they are.
func partialEntity(dst []byte, group []row) []byte {
	for len(group) > 0 {
		what := func(r row) []byte { return r.line[:bytes.LastIndexByte(r.line, ':')+1] }
		n := 1
		for n < len(group) && group[0].flags&group[n].flags&flagPlain != 0 && bytes.Equal(what(group[0]), what(group[n])) {
			n++
		}
		best, line := -1.0, group[0].line
		for _, r := range group[:n] {
			if f, err := strconv.ParseFloat(string(r.line[len(what(r)):len(r.line)-1]), 64); err == nil && f > best {
				best, line = f, r.line
			}
		}
		dst = append(append(dst, line...), '\n')
		group = group[n:]
	}
	return dst
}

// partialClaim merges plain lines of one claim that agree in rank, status and reason: of
// others the newest decides, which only the whole group shows. Others stay as they are.
func (b *bulk) partialClaim(dst []byte, group []row, m *scratch) []byte {
	classes := map[string][]row{}
	var order []string
	for _, r := range group {
		class := string(r.line)
		if l := &m.scan; r.flags&flagPlain != 0 && l.read(r.line, b.Version) {
			class = fmt.Sprintf("%s\n%s\n%s\n%s", r.line[:l.head], l.status, l.rank, l.tail)
		}
		if classes[class] == nil {
			order = append(order, class)
		}
		classes[class] = append(classes[class], r)
	}
	for _, class := range order {
		if rows := classes[class]; len(rows) > 1 {
			if merged, _, ok := b.splice(dst, rows, m); ok {
				dst = merged
				continue
			}
		}
		for _, r := range classes[class] {
			dst = append(append(dst, r.line...), '\n')
		}
	}
	return dst
}

func (o BulkOptions) catalog() *catalog.Catalog {
	if o.Catalog == nil {
		return catalog.Default()
	}
	return o.Catalog
}

// keyer writes lines with their keys. It holds one line.
type keyer struct {
	cat  *catalog.Catalog
	w    *bufio.Writer
	line []byte
	out  []byte
}

func (k *keyer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			k.line = append(k.line, rest...)
			break
		}
		k.line = append(k.line, rest[:i+1]...)
		rest = rest[i+1:]
		var s schema.Statement
		if err := codec.Unmarshal(k.line, &s); err != nil {
			return 0, fmt.Errorf("reading a merged record again: %w", err)
		}
		k.out = keyed.Append(k.out[:0], keyOf(k.cat, s), k.line[:len(k.line)-1])
		k.w.Write(k.out) //nolint:errcheck // Flush tells
		k.line = k.line[:0]
	}
	return len(p), nil
}
