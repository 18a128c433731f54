package graphir

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"membench/internal/codec"
	"membench/internal/keyed"
	"membench/schema"
	"membench/schema/jsonl"
)

// Keyed lines spread Write over processes; docs/scale.md specifies them. The key is the
// element where parts meet: their own id, or that of the end that must be there. A record
// is the line of a memory as the export has it, or a part: a string of base64, which the
// next process of the same version reads.

// A mode determines what a gatherer does with the parts of others.
type mode byte

const (
	modeWhole  mode = iota // one process does all
	modeMap                // parts leave with their keys, lines of memories too
	modeReduce             // memories make only elements with their key
)

// kindTurn is a turn that is to be linked, among encoded parts.
const kindTurn = 'T'

// home is the key of a part: all parts of its element have it, and so has what the
// element needs to be kept.
func home(h *head) string {
	id := h.id
	if h.edge {
		typ, rest := cutStr(h.tuple)
		src, rest := cutStr(rest)
		switch string(typ) {
		case schema.EdgeFromConv, schema.EdgeHasCharacter, schema.EdgeInScene:
			id = src
		case schema.EdgeOwnsMemory, schema.EdgeEvidencedBy, schema.EdgeFromEvent, schema.EdgeSupersededBy, schema.EdgeExpects:
			id, _ = cutStr(rest)
		}
	}
	if bytes.HasPrefix(id, []byte("event:")) {
		id = id[:bytes.LastIndexByte(id, ':')]
	}
	return string(id)
}

// keyedPart appends the keyed line of an encoded part.
func keyedPart(dst []byte, rec []byte) []byte {
	var key string
	if rec[0] == kindTurn {
		conv, _ := cutStr(rec[1:])
		key = string(conv)
	} else {
		h := readHead(rec)
		key = home(&h)
	}
	return keyed.AppendPart(dst, key, rec)
}

// turnRecord encodes the part of a turn that linking needs.
func turnRecord(p *projector, e schema.Event, t turn) []byte {
	key := string(p.mint.Event(schema.EventRef{ConvID: schema.ConvID(strip(string(e.ConvID))), TurnID: 1}))
	rec := appendStr([]byte{kindTurn}, key[:strings.LastIndexByte(key, ':')])
	rec = binary.AppendUvarint(appendStr(rec, strip(string(e.ConvID))), uint64(t.n))
	rec = binary.AppendUvarint(rec, uint64(max(0, t.reply)))
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(rec, t.speaker), t.session)
}

// takeTurn keeps an encoded turn for linking, or passes it on.
func (g *gatherer) takeTurn(rec []byte, pass bool) {
	if pass {
		g.mapped.Write(keyedPart(nil, rec)) //nolint:errcheck // Flush reports the error
		return
	}
	_, b := cutStr(rec[1:])
	conv, b := cutStr(b)
	n, k := binary.Uvarint(b)
	reply, l := binary.Uvarint(b[k:])
	b = b[k+l:]
	t := g.thread(schema.ConvID(conv))
	t.turns = append(t.turns, turn{n: int(n), reply: int(reply), speaker: binary.BigEndian.Uint64(b), session: binary.BigEndian.Uint64(b[8:])})
}

// decodePart decodes the record of a part from any process.
func decodePart(line []byte) ([]byte, error) {
	rec, err := keyed.DecodePart(nil, line)
	if err == nil && !wholePart(rec) {
		err = fmt.Errorf("have %.40q, want a part of an element, as map of this version writes it", line)
	}
	return rec, err
}

// A cutter splits an untrusted part.
type cutter struct {
	b   []byte
	bad bool
}

func (c *cutter) take(n uint64) []byte {
	if c.bad = c.bad || n > uint64(len(c.b)); c.bad {
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cutter) uint() uint64 {
	n, k := binary.Uvarint(c.b)
	if c.bad = c.bad || k <= 0 || k > 1 && c.b[k-1] == 0 || n > 1<<31; c.bad {
		return 0
	}
	c.b = c.b[k:]
	return n
}

func (c *cutter) str() []byte { return c.take(c.uint()) }

// key splits off what appendKey appends.
func (c *cutter) key() {
	for !c.bad {
		i := bytes.IndexByte(c.b, 0)
		if c.bad = i < 0 || i+1 == len(c.b); c.bad {
			return
		}
		end := c.b[i+1]
		c.bad = end != 1 && end != 0xff
		if c.b = c.b[i+2:]; end == 1 {
			return
		}
	}
}

func (c *cutter) list() (n uint64) {
	n = c.uint()
	for range n {
		if c.str(); c.bad {
			return 0
		}
	}
	return n
}

// wholePart reports whether rec is an encoded part or turn.
func wholePart(rec []byte) bool {
	c := &cutter{b: rec}
	kind := c.take(1)
	if c.bad {
		return false
	}
	if kind[0] == kindTurn {
		c.str()
		c.str()
		c.uint()
		c.uint()
		c.take(16)
		return !c.bad && len(c.b) == 0
	}
	c.key()
	half := c.take(1)
	c.take(8)
	c.key()
	switch kind[0] {
	case kindEdge:
		c.str()
		c.str()
		c.str()
	case kindNode:
		c.bad = c.list() == 0 || c.bad
		c.take(8)
	default:
		return false
	}
	props := c.str()
	flags := c.take(1)
	if c.bad || half[0] > halfEvent || flags[0] > flagUnion|flagListed|flagCut {
		return false
	}
	if flags[0]&flagListed != 0 {
		c.uint()
		c.list()
		c.list()
	}
	c.take(8)
	return !c.bad && len(c.b) == 0 && len(props) > 1 && props[0] == '{' && codec.Valid(props)
}

// Map writes the lines of one kind of record (schema.KindExport, KindClaim for claims and entities, KindEvent) with their keys. given lists the hops that the
// whole graph has.
func Map(ctx context.Context, in []jsonl.File, kind schema.Kind, given []schema.Kind, w io.Writer, o Options, report func(*schema.Finding)) error {
	g, b, err := keyedGatherer(modeMap, given, o, report)
	if err != nil {
		return err
	}
	defer g.close()
	defer b.close()
	g.mapped = bufio.NewWriterSize(w, 1<<16)
	stopped := false
	switch kind {
	case schema.KindExport:
		if err = b.gather(ctx, in); err == nil {
			b.shareEdges()
		}
	case schema.KindClaim:
		err = g.gatherRest(ctx, Input{Claims: jsonl.DecodeFiles[schema.Statement](in, o.MaxLine)}, &stopped)
	case schema.KindEvent:
		err = g.gatherRest(ctx, Input{Events: jsonl.DecodeFiles[schema.Event](in, o.MaxLine)}, &stopped)
	default:
		err = fmt.Errorf("no element of a graph is made of a record of kind %q", kind)
	}
	err = cmp.Or(err, g.addErr)
	if err != nil {
		return err
	}
	g.finish()
	return b.writeParts(ctx)
}

// writeParts writes the gathered parts with their keys.
func (b *bulk) writeParts(ctx context.Context) error {
	var out []byte
	for _, s := range b.g.sorters() {
		for rec, err := range s.Sorted() {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			out = keyedPart(out[:0], rec)
			b.g.mapped.Write(out) //nolint:errcheck // Flush reports the error
		}
	}
	return b.g.mapped.Flush()
}

// Combine merges the keyed lines of in for each element into as few equivalent parts as possible. Lines of one key may be distributed over several Combines
// before one Reduce.
func Combine(ctx context.Context, in io.Reader, given []schema.Kind, w io.Writer, o Options) error {
	g, b, err := keyedGatherer(modeReduce, given, o, func(*schema.Finding) {})
	if err != nil {
		return err
	}
	defer g.close()
	defer b.close()
	b.combine, g.mapped = true, bufio.NewWriterSize(w, 1<<16)
	if err := b.gather(ctx, recordsOf(in)); err != nil {
		return err
	}
	var x row
	for _, s := range b.rows {
		for rec, err := range s.Sorted() {
			if err != nil {
				return err
			}
			x.read(rec)
			o := x.occurrence(b.setting(x.setting))
			add := func(p *part) {
				if x.points != nil && p.listed {
					p.points, p.times = x.points, x.times
				}
				g.add(p)
			}
			b.p.memoryNode(o, add)
			b.p.memoryEdges(o, add)
		}
	}
	if g.addErr != nil {
		return g.addErr
	}
	return b.writeParts(ctx)
}

// Reduce merges keyed lines into elements with the keys node:ID and edge:ID: it finishes Write's work after Map. It needs all lines of a key, in any order.
// With frames, it writes frames of lines without keys, named node and edge.
func Reduce(ctx context.Context, in io.Reader, given []schema.Kind, w io.Writer, frames bool, o Options, report func(*schema.Finding)) error {
	g, b, err := keyedGatherer(modeReduce, given, o, report)
	if err != nil {
		return err
	}
	defer g.close()
	defer b.close()
	if err := b.gather(ctx, recordsOf(in)); err != nil {
		return err
	}
	stopped := false
	if err := g.gatherRest(ctx, Input{}, &stopped); err != nil { // links the turns
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	var nodes, edges io.Writer = elements(out, "node:"), elements(out, "edge:")
	f := keyed.NewFramer(out, 2)
	if frames {
		nodes, edges = f.Writer("node"), f.Writer("edge")
	}
	if _, err := b.emit(ctx, nodes, edges); err != nil {
		return err
	}
	return cmp.Or(f.Flush(), out.Flush())
}

func recordsOf(in io.Reader) []jsonl.File {
	return []jsonl.File{{Name: "-", Open: func() (io.ReadCloser, error) { return io.NopCloser(keyed.Records(in)), nil }}}
}

func keyedGatherer(m mode, given []schema.Kind, o Options, report func(*schema.Finding)) (*gatherer, *bulk, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	if o.version() == schema.V001 {
		return nil, nil, fmt.Errorf("parts of a graph are of version %s: have %s", schema.Latest, o.Version)
	}
	g := newGatherer(o, report)
	g.mode = m
	for _, k := range given {
		switch k {
		case schema.KindEvent:
			g.hasEvents = true
		case schema.KindExport:
			g.hasExports = true
		case schema.KindClaim:
			g.hasClaims = true
		}
	}
	return g, newBulk(g, o), nil
}

// elements writes lines of elements with their keys.
func elements(w io.Writer, kind string) io.Writer {
	return &keyed.Writer{To: w, Key: func(line []byte) (string, error) {
		at := len(`{"id": `)
		return kind + codec.Unquote(line[at:codec.SkipValue(line, at)]), nil
	}}
}
