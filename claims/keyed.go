package claims

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"membench/internal/codec"
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

var (
	escapeKey   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`)
	unescapeKey = map[byte]byte{'\\': '\\', 't': '\t', 'n': '\n', 'r': '\r', '0': 0}
)

// decodeKey reads what escapeKey wrote, and nothing else.
func decodeKey(text string) (string, error) {
	var out []byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		if strings.IndexByte("\t\n\r\x00", c) >= 0 {
			return "", fmt.Errorf("byte %d of the key: have %q, want it escaped", i, c)
		}
		if c == '\\' {
			i++
			ok := i < len(text)
			if ok {
				c, ok = unescapeKey[text[i]]
			}
			if !ok {
				return "", fmt.Errorf(`byte %d of the key: want \\, \t, \n, \r or \0`, i-1)
			}
		}
		out = append(out, c)
	}
	return string(out), nil
}

// MapKeyed writes the lines of the inputs with their keys. Lines that are no statements go
// to found and are left out.
func MapKeyed(ctx context.Context, in []jsonl.File, w io.Writer, found func(*schema.Finding) error, o BulkOptions) error {
	cat := o.catalog()
	b := bufio.NewWriterSize(w, 1<<16)
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
			escapeKey.WriteString(b, keyOf(cat, s)) //nolint:errcheck // Flush tells
			b.WriteByte('\t')
			b.Write(line.Bytes)
			b.WriteByte('\n')
		}
		bl.Release()
	}
	return b.Flush()
}

// ReduceKeyed merges keyed lines: Bulk over the records, whose results get their keys
// again. All lines of a key must be among them; their order does not matter.
func ReduceKeyed(ctx context.Context, in io.Reader, w io.Writer, found func(*schema.Finding) error, o BulkOptions) error {
	o.Version = schema.Latest // that of 0.0.1 is a matter of order
	file := jsonl.File{Name: "-", Open: func() (io.ReadCloser, error) { return io.NopCloser(&unkeyed{in: bufio.NewReaderSize(in, 1<<16)}), nil }}
	b := bufio.NewWriterSize(w, 1<<16)
	k := &keyer{cat: o.catalog(), w: b}
	if _, err := Bulk(ctx, []jsonl.File{file}, k, k, found, o); err != nil {
		return err
	}
	return b.Flush()
}

func (o BulkOptions) catalog() *catalog.Catalog {
	if o.Catalog == nil {
		return catalog.Default()
	}
	return o.Catalog
}

// unkeyed reads keyed lines without their keys.
type unkeyed struct {
	in     *bufio.Reader
	line   int
	inside bool // behind the key
}

func (u *unkeyed) Read(p []byte) (int, error) {
	if !u.inside {
		u.line++
		key, err := u.in.ReadString('\t')
		if err == io.EOF && key == "" {
			return 0, io.EOF
		}
		if err == nil {
			_, err = decodeKey(strings.TrimSuffix(key, "\t"))
		}
		if err != nil {
			return 0, fmt.Errorf("line %d of standard input: want KEY TAB RECORD, as map writes it: %w", u.line, err)
		}
		u.inside = true
	}
	n := 0
	for n < len(p) && (n == 0 || u.in.Buffered() > 0) {
		c, err := u.in.ReadByte()
		if err != nil {
			return n, err
		}
		p[n] = c
		if n++; c == '\n' {
			u.inside = false
			break
		}
	}
	return n, nil
}

// keyer writes lines with their keys. It holds one line.
type keyer struct {
	cat  *catalog.Catalog
	w    *bufio.Writer
	line []byte
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
		escapeKey.WriteString(k.w, keyOf(k.cat, s)) //nolint:errcheck // Flush tells
		k.w.WriteByte('\t')
		k.w.Write(k.line)
		k.line = k.line[:0]
	}
	return len(p), nil
}
