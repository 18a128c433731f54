// Package validate checks files of all kinds of records: the JSON, the published schema, the rules of single records (ids, hashes, instants, vocabulary), of
// streams (turn order, repeated ids) and of the whole set (links between files).
//
// One pass reads a file. Blocks of whole lines go to Options.Workers goroutines, which parse each line once and apply the rules of single records. Their
// results return in input order to the one goroutine that keeps the set's index, so findings have the order of the input with any number of workers.
//
// The index holds 43 to 85 bytes (slots of 32 bytes, at most three quarters full) for each distinct id of a node, edge, claim, entity, event, probe and inject,
// three such entries for a memory (its point, its text, the pair), and 88 bytes plus the id for each reference to something that has not been read yet. Ids are
// identified by 128 bits of hash. Nothing else grows with the input. With SchemaOnly nothing is held. What records were made of is compared by chain.Rederive.
package validate

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strings"

	"membench/internal/jsonschema"
	"membench/internal/par"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
)

// Options change how a set is checked. The zero value checks everything with one worker.
type Options struct {
	Workers    int  // goroutines that read records; 0 means 1
	MaxLine    int  // longest line in bytes; 0 means jsonl.MaxLine
	SchemaOnly bool // JSON and schema only: no ids, no vocabulary, no links
	// Digest gives sha256 (hex) and size of a file that a manifest lists; nil leaves
	// manifests' outputs unchecked. The path is joined to the manifest's folder.
	Digest func(path string) (sha256 string, size int64, err error)
}

// A Checker checks one set of files. It is not for concurrent use.
type Checker struct {
	cat *catalog.Catalog
	o   Options
	set set
	far func(*fact, schema.Pos) error // takes facts; nil: they go to the set

	// Checked lists the detected kind of each file, in the order of reading.
	Checked []File
}

// File is the result of Stream for one file.
type File struct {
	Name    string
	Version schema.Version
	Kinds   map[schema.Kind]int // records by kind; "" counts lines of unknown kind
}

// New returns a Checker for one set of files. cat nil is the built-in catalogue.
func New(cat *catalog.Catalog, o Options) *Checker {
	cat = cmp.Or(cat, catalog.Default())
	if o.Workers < 1 {
		o.Workers = 1
	}
	if o.MaxLine <= 0 {
		o.MaxLine = jsonl.MaxLine
	}
	c := &Checker{cat: cat, o: o}
	c.set.init(cat)
	return c
}

// Stream checks one file. Kind "" is detected line by line; version "" is the newest
// that the first 100 records fit (fewest faults of schema and id grammar, at most
// 1 MiB of them). name is used in positions; a name that ends in .json is one JSON
// text, all others are lines. A fault in the data is a finding; an error is an I/O
// fault and ends the stream.
func (c *Checker) Stream(r io.Reader, name string, k schema.Kind, v schema.Version) iter.Seq2[*schema.Finding, error] {
	return func(yield func(*schema.Finding, error) bool) {
		promised := cmp.Or(k, KindOfName(name))
		if v != "" && !slices.Contains(schema.Kinds(v), promised) && slices.Contains(schema.Kinds(schema.Latest), promised) {
			v = schema.Latest // a manifest or probe log in a folder of older files is still ours
		}
		if isWhole(name, k) {
			c.whole(r, name, k, v, yield)
			return
		}
		c.lines(r, name, k, v, yield)
	}
}

func isWhole(name string, k schema.Kind) bool {
	switch k {
	case schema.KindIndex, schema.KindManifest, schema.KindMeta:
		return true
	case "":
		return strings.HasSuffix(jsonl.PlainName(name), ".json")
	}
	return false
}

// KindOfName is the kind that a file's name promises, or "": it decides for records
// that do not show their kind themselves.
func KindOfName(name string) schema.Kind {
	return namedKind(name).kind
}

// Rank orders files so that referenced records are read first, which keeps the number of open references small. Sort a folder's files by (Rank, name).
func Rank(name string) int { return namedKind(name).rank }

// A fileKind is a kind by names of files, with "*" for anything.
type fileKind struct {
	kind  schema.Kind
	rank  int
	names []string
}

// fileKinds are looked through in their order.
var fileKinds = []fileKind{
	{schema.KindIndex, 0, []string{"index.json"}},
	{schema.KindManifest, 0, []string{"manifest.json", "*.manifest.json"}},
	{schema.KindMeta, 0, []string{"meta.json", "compiled_meta.json"}},
	{schema.KindEvent, 1, []string{"events.jsonl", "*.events.jsonl"}},
	{schema.KindExport, 2, []string{"*.mem0.jsonl", "export*.jsonl"}},
	{schema.KindNode, 5, []string{"nodes.jsonl", "*_nodes_*.jsonl"}},
	{schema.KindEdge, 6, []string{"edges.jsonl", "*_edges_*.jsonl"}},
	{schema.KindClaim, 4, []string{"claims.jsonl"}},
	{schema.KindEntity, 3, []string{"entities.jsonl"}},
	{schema.KindProbe, 7, []string{"probes.jsonl"}},
	{schema.KindCase, 4, []string{"cases.jsonl", "*.cases.jsonl"}},
	{schema.KindQA, 4, []string{"pipeline_qa.jsonl", "qa_records.jsonl"}},
	{schema.KindSession, 4, []string{"pipeline_sessions.jsonl", "session_records.jsonl"}},
	{schema.KindContext, 4, []string{"contexts.jsonl"}},
	{schema.KindSummary, 4, []string{"summary.jsonl", "*.summary.jsonl"}},
}

func namedKind(name string) fileKind {
	base := jsonl.PlainName(path.Base(strings.ReplaceAll(name, "\\", "/")))
	for _, k := range fileKinds {
		for _, glob := range k.names {
			if ok, _ := path.Match(glob, base); ok { // the globs are good
				return k
			}
		}
	}
	return fileKind{rank: 4} // the lines of the file show their kind
}

// Foreign reports whether the start of a file, up to its last whole line, is JSON Lines of another program: every line is an object and none shows a kind; or
// a file that says in its first words that it is another form of this program's, as the cassette of a run does. It is used for folders, where other files lie.
func Foreign(name string, head []byte) bool {
	if KindOfName(name) != "" {
		return false
	}
	if bytes.HasPrefix(head, []byte("membench ")) {
		return true
	}
	w := &worker{}
	n := 0
	for line := range bytes.Lines(head) {
		if line[len(line)-1] != '\n' && len(head) >= SniffBytes {
			break // cut by the caller
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		w.doc.Parse(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		if len(w.doc.Faults) > 0 || len(w.doc.Nodes) == 0 || w.doc.Nodes[0].Kind != jsonschema.Object || w.detect() != "" {
			return false
		}
		n++
	}
	return n > 0
}

// ForeignFile is Foreign of a file, compressed or not.
func ForeignFile(path string) (bool, error) {
	r, err := jsonl.Open(path, nil)
	if err != nil {
		return false, err
	}
	defer r.Close()
	head, _ := bufio.NewReaderSize(r, SniffBytes).Peek(SniffBytes) // who reads the file reports its faults
	return Foreign(path, head), nil
}

// SniffBytes is how much of a file Foreign needs at most.
const SniffBytes = 64 << 10

// block is a run of whole lines.
type block struct {
	buf   []byte
	lines []span
}

type span struct {
	n          int // line number
	start, end int
	long       bool
}

const (
	blockBytes = 256 << 10
	blockLines = blockBytes / 64 // what is known of a line takes more than a very short line itself
	sniffLines = 100
	sniffBytes = 1 << 20
)

// blocks cuts a file into blocks; the first one holds the part that version detection examines.
func blocks(r io.Reader, name string, maxLine int, used <-chan *block) iter.Seq2[*block, error] {
	return func(yield func(*block, error) bool) {
		fresh := func() *block {
			select {
			case b := <-used:
				return b
			default:
				return &block{}
			}
		}
		b := fresh()
		first := true
		for line, err := range jsonl.Lines(r, name, maxLine) {
			if err != nil {
				if len(b.lines) > 0 && !yield(b, nil) {
					return
				}
				yield(nil, err)
				return
			}
			start := len(b.buf)
			if line.TooLong {
				line.Bytes = line.Bytes[:0]
			}
			b.buf = append(b.buf, line.Bytes...)
			b.lines = append(b.lines, span{line.Pos.Line, start, len(b.buf), line.TooLong})
			if first && (len(b.lines) == sniffLines || len(b.buf) >= sniffBytes) || !first && (len(b.buf) >= blockBytes || len(b.lines) == blockLines) {
				if !yield(b, nil) {
					return
				}
				first = false
				b = fresh()
			}
		}
		if len(b.lines) > 0 {
			yield(b, nil)
		}
	}
}

func (c *Checker) lines(r io.Reader, name string, k schema.Kind, v schema.Version, yield func(*schema.Finding, error) bool) {
	file := c.open(name, v)
	hint := cmp.Or(k, KindOfName(name))
	stopped := errors.New("stopped")
	used := make(chan *block, c.o.Workers+2)
	// The version is settled by the first block, before the workers start.
	in := func(yield func(*block, error) bool) {
		for b, err := range blocks(r, name, c.o.MaxLine, used) {
			if err == nil && v == "" {
				v = c.sniff(b, name, k, hint)
				c.Checked[file].Version = v
			}
			if !yield(b, err) {
				return
			}
		}
	}
	pool := make(chan *worker, c.o.Workers+1)
	results := par.Map(context.Background(), c.o.Workers, in, func(_ context.Context, b *block) (*worker, error) {
		var w *worker
		select {
		case w = <-pool:
		default:
			w = &worker{}
		}
		w.start(c, name, k, hint, v)
		w.block(b)
		return w, nil
	})
	f := fold{c: c, s: &c.set, file: int32(file), hint: hint, yield: func(f *schema.Finding) error {
		if !yield(f, nil) {
			return stopped
		}
		return nil
	}}
	for w, err := range results {
		if err != nil {
			yield(nil, err)
			return
		}
		if f.block(w) != nil {
			return
		}
		if w.from.buf = w.buf[:0]; cap(w.buf) <= 4*blockBytes { // the memory of a very long line is given back
			w.from.lines = w.from.lines[:0]
			select {
			case used <- w.from:
			default:
			}
		}
		select {
		case pool <- w:
		default:
		}
	}
	f.end()
}

func (c *Checker) open(name string, v schema.Version) int {
	c.Checked = append(c.Checked, File{Name: name, Version: v, Kinds: map[schema.Kind]int{}})
	return len(c.Checked) - 1
}

// sniff returns the version with the fewest faults of schema and ids in a block; of equals the newest. A wrong value, such as the
// time 2024-02-30 (SCH005), does not make a file old, although 0.0.1 accepts any text there.
func (c *Checker) sniff(b *block, name string, k, hint schema.Kind) schema.Version {
	best, fewest := schema.Latest, -1
	vs := schema.Versions()
	for i := len(vs) - 1; i >= 0; i-- {
		w := &worker{}
		w.start(c, name, k, hint, vs[i])
		w.block(&block{b.buf, b.lines[:min(len(b.lines), sniffLines)]})
		n := 0
		for _, l := range w.out {
			for _, f := range l.findings {
				if f.Code == "SCH011" {
					n += sniffBytes // a version without the kind is not that of the file, whatever is wrong in it
				} else if f.Warning && (f.Code == "CLM001" || f.Code == "CLM003") { // a predicate or entity type that is newer than the version; graphs have labels of others
					n++
				} else if !f.Warning && (strings.HasPrefix(f.Code, "SCH") && f.Code != "SCH005" && f.Code != "SCH010" || f.Code == "ID002" || f.Code == "ID003") {
					n++
				}
			}
		}
		if fewest < 0 || n < fewest {
			best, fewest = vs[i], n
		}
		if n == 0 {
			break // no older version has fewer
		}
	}
	return best
}

// whole checks a file that is one JSON text.
func (c *Checker) whole(r io.Reader, name string, k schema.Kind, v schema.Version, yield func(*schema.Finding, error) bool) {
	file := c.open(name, v)
	text, want, err := jsonl.All(r, name, c.o.MaxLine)
	if err != nil {
		yield(nil, err)
		return
	}
	if want != "" {
		f := tooLong(schema.Pos{File: name}, c.o.MaxLine)
		f.Want = want
		yield(f, nil)
		return
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	hint := cmp.Or(k, KindOfName(name))
	b := &block{buf: text, lines: []span{{1, 0, len(text), false}}}
	if v == "" {
		v = c.sniff(b, name, k, hint)
		c.Checked[file].Version = v
	}
	w := &worker{whole: true}
	w.start(c, name, k, hint, v)
	w.block(b)
	f := fold{c: c, s: &c.set, file: int32(file), hint: hint, yield: func(f *schema.Finding) error {
		if !yield(f, nil) {
			return io.EOF
		}
		return nil
	}}
	if f.block(w) == nil {
		f.end()
	}
}

func tooLong(p schema.Pos, limit int) *schema.Finding {
	return &schema.Finding{Pos: p, Code: "JSON003", Message: "line is longer than the limit, skipped", Want: fmt.Sprintf("at most %d bytes", limit), Hint: "raise --max-line"}
}
