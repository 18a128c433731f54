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

// A keyer gives lines their keys.
type keyer struct {
	cat  *catalog.Catalog
	scan lineScanner
}

// key returns the key of a statement. A claim's key is the beginning of its id with the positive predicate: all conflicts are between claims with the same key.
func (k *keyer) key(line []byte) (string, *schema.Finding, error) {
	if k.scan.read(line, schema.Latest) {
		if k.scan.entity {
			return "entity:" + string(k.scan.id), nil, nil
		}
		return k.claim(string(k.scan.id)), nil, nil
	}
	var s schema.Statement
	if err := codec.Unmarshal(line, &s); err != nil {
		return "", nil, err
	}
	switch f := whole(s); {
	case f != nil:
		return "", f, nil
	case s.Entity != nil:
		return "entity:" + string(s.Entity.ID), nil, nil
	}
	return k.claim(string(schema.Mint{V: schema.Latest}.Claim(s.Claim.Predicate, s.Claim.Domain, s.Claim.Subject.ID, s.Claim.Object.ID))), nil, nil
}

func (k *keyer) claim(id string) string {
	parts := strings.SplitN(strings.TrimPrefix(id, "claim:"), "|", 4)
	if positive, _, ok := k.cat.Polarity(parts[0]); ok {
		parts[0] = positive
	}
	return "claim:" + strings.Join(parts[:min(3, len(parts))], "|")
}

// MapKeyed writes the lines of the inputs with their keys. Lines that are not statements go
// to found and are omitted.
func MapKeyed(ctx context.Context, in []jsonl.File, w io.Writer, found func(*schema.Finding), o BulkOptions) error {
	k := keyer{cat: o.catalog()}
	b := bufio.NewWriterSize(w, 1<<16)
	var out []byte
	for bl, err := range jsonl.FileBlocks(in, o.MaxLine) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		for line := range bl.Lines() {
			key, f := "", (*schema.Finding)(nil)
			if line.TooLong {
				f = jsonl.TooLong(line)
			} else if key, f, err = k.key(line.Bytes); err != nil {
				f = jsonl.Fault(line, err)
			} else if f != nil {
				f.Pos = line.Pos
			}
			if f != nil {
				found(f)
				continue
			}
			out = keyed.Append(out[:0], key, line.Bytes)
			b.Write(out) //nolint:errcheck // Flush reports the error
		}
		bl.Release()
	}
	return b.Flush()
}

// ReduceKeyed merges keyed lines: Bulk over the records, whose results get their keys
// again. All lines of a key must be among them; their order does not matter. With frames
// they are frames of lines without keys, named entity and claim.
func ReduceKeyed(ctx context.Context, in io.Reader, w io.Writer, frames bool, found func(*schema.Finding), o BulkOptions) error {
	o.Version = schema.Latest // 0.0.1 depends on the order
	file := jsonl.File{Name: "-", Open: func() (io.ReadCloser, error) { return io.NopCloser(keyed.Records(in)), nil }}
	b := bufio.NewWriterSize(w, 1<<16)
	k := keyer{cat: o.catalog()}
	w = &keyed.Writer{To: b, Key: func(line []byte) (string, error) {
		key, _, err := k.key(line) // merged statements are complete
		return key, err
	}}
	entities, claims := w, w
	f := keyed.NewFramer(b, 2)
	if frames {
		entities, claims = f.Writer("entity"), f.Writer("claim")
	}
	if _, err := Bulk(ctx, []jsonl.File{file}, entities, claims, found, o); err != nil {
		return err
	}
	return cmp.Or(f.Flush(), b.Flush())
}

// partialEntity keeps the surest of plain lines that differ only in confidence; in sorted lines they are neighbours. Others stay unchanged.
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

// partialClaim merges plain lines of one claim that agree in rank, status and reason; for others the newest decides, which only the whole group shows, so they
// stay unchanged.
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
