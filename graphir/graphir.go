// Package graphir makes the Graph IR, nodes and edges, from events, memory exports and claims.
//
// Reads: Event, MemoryExport, Statement. Writes: Node (nodes.jsonl) and Edge (edges.jsonl); key and order: id, nodes before edges.
//
// A record's projection is pure: Event, Memory and Statement return the contribution of one record. Build merges the contributions by id:
//
//   - One id is one element. Its scalar properties are those of the earliest occurrence (instant, then point id);
//     the lists point_ids and conv_ids are added only if there are several. The order of the input does not matter.
//   - A node of several halves has the union of the properties, first the memory graph's, then the claims', then the events'.
//   - Two different things with one id are finding ID001; an id of more than schema.MaxIDBytes is ID020 and skipped.
//   - An edge with a missing end is a finding and skipped, except evidence in a graph of claims alone: such a graph is
//     loaded together with its memory graph.
//
// Bulk does the same over files, several times faster and in bounded memory; a test compares its bytes with Build's.
package graphir

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"membench/internal/extsort"
	"membench/schema"
	"membench/schema/catalog"
)

// Input holds the hops that make the graph; nil ones are skipped.
type Input struct {
	Events  schema.Seq[schema.Event]
	Exports schema.Seq[schema.MemoryExport]
	Claims  schema.Seq[schema.Statement]
}

// Options of a graph.
type Options struct {
	Catalog *catalog.Catalog // labels and edge types by version; nil is the built-in one
	Version schema.Version   // of the graph; "" is the newest
	// Shortcuts adds an edge of the predicate's own type from the root of a claim
	// straight to its object.
	Shortcuts bool
	// People say who is who in the project: speakers are named by them, as in the claims.
	People schema.People
	// RewriteUser makes every User of the claims user:<this>, as the existing chain
	// does. It mixes up people where there are several: for 0.0.1 only; "" is off.
	RewriteUser string
	// Memory is how many bytes are held before intermediate records go to disk, in
	// TempDir; 0 never goes to disk. Write holds up to 1.75 times as many of large inputs.
	Memory  int64
	TempDir string
	Workers int // of Write; 0 is one
	MaxLine int // longest line read, in bytes; 0 is jsonl.MaxLine
	// Progress is called by Write with the sorted bytes that are made lines of the graph, of
	// all; nil: not reported.
	Progress func(unit string, done, of int)
}

// maxList is the number of ids that a list property holds. A text stored more often keeps the smallest ids, the number of occurrences, and a warning (GRF054):
// a node of millions of ids could be neither read nor loaded.
const maxList = 1000

func (o Options) check() error {
	if o.RewriteUser != "" && o.version() != schema.V001 {
		return fmt.Errorf("rewriting users is for schema version %s only: have %s", schema.V001, o.version())
	}
	return nil
}

func (o Options) version() schema.Version {
	if o.Version == "" {
		return schema.Latest
	}
	return o.Version
}

// A projector turns records into parts of elements. It is shared, never changed.
type projector struct {
	o    Options
	v    schema.Version
	mint schema.Mint
	cat  *catalog.Catalog

	linked func(schema.Evidence) bool // evidence that edges lead to; nil: all
}

// defaultCatalog is read once: a catalogue is never changed.
var defaultCatalog = sync.OnceValue(catalog.Default)

func newProjector(o Options) *projector {
	p := &projector{o: o, v: o.version(), cat: o.Catalog}
	p.mint = schema.Mint{V: p.v}
	if p.cat == nil {
		p.cat = defaultCatalog()
	}
	return p
}

// hasEdge reports whether the version has an edge type; types that the catalogue does
// not know (shortcuts) pass.
func (p *projector) hasEdge(typ string) bool {
	e, ok := p.cat.Edges[typ]
	return !ok || !p.v.Before(e.Since) && (e.Until == "" || !e.Until.Before(p.v))
}

// elements folds the parts of one record on their own, without the rules that need
// the whole stream.
func (p *projector) elements(project func(emit func(*part))) []schema.Element {
	var recs [][]byte
	project(func(x *part) {
		if len(x.id) <= schema.MaxIDBytes {
			recs = append(recs, x.append(nil))
		}
	})
	slices.SortFunc(recs, bytes.Compare)
	f := folder{p: p}
	var out []schema.Element
	for _, r := range recs {
		if e := f.add(r); e != nil {
			out = append(out, e.element())
		}
	}
	if e := f.flush(); e != nil {
		out = append(out, e.element())
	}
	return out
}

// Event projects one turn: its node and edges, ordered by id, nodes first. The links
// to other turns need the conversation: see Thread.
func Event(e schema.Event, o Options) []schema.Element {
	p := newProjector(o)
	return p.elements(func(emit func(*part)) { p.event(e, pos{}, emit) })
}

// Memory projects one stored memory: its node, its people and places, and its edges,
// ordered by id, nodes first. A record without a text (0.1.0) or without an id gives nothing.
func Memory(m schema.MemoryExport, o Options) []schema.Element {
	p := newProjector(o)
	oc, fs := p.occurrence(m, pos{})
	if oc == nil || len(fs) > 0 && !fs[0].Warning {
		return nil
	}
	return p.elements(func(emit func(*part)) { p.memory(oc, emit) })
}

// Statement projects one entity, or one claim with the nodes that lead to it, ordered
// by id, nodes first. Of a claim's evidence edges lead only to that which linked accepts:
// a graph that grows has the other edges already.
func Statement(s schema.Statement, linked func(schema.Evidence) bool, o Options) []schema.Element {
	p := newProjector(o)
	p.linked = linked
	return p.elements(func(emit func(*part)) { p.statement(s, pos{}, func(*schema.Finding) {}, emit) })
}

// Build merges the contributions of in's records, nodes before edges, each ordered by id. Findings come first, then elements; the whole input is read before
// the first element.
func Build(ctx context.Context, in Input, o Options) schema.Seq[schema.Element] {
	return func(yield func(schema.Record[schema.Element], error) bool) {
		if err := o.check(); err != nil {
			yield(schema.Record[schema.Element]{}, err)
			return
		}
		stopped := false
		report := func(f *schema.Finding) {
			stopped = stopped || !yield(schema.Record[schema.Element]{Pos: f.Pos}, f)
		}
		g := newGatherer(o, report)
		defer g.close()
		err := g.gather(ctx, in, &stopped)
		if err == nil && !stopped {
			for e, e2 := range g.folded() {
				if err = e2; err == nil {
					err = ctx.Err()
				}
				if stopped || err != nil || !yield(schema.Record[schema.Element]{V: e.element()}, nil) {
					break
				}
			}
			if !stopped && err == nil {
				g.finish()
			}
		}
		if err != nil && !stopped {
			yield(schema.Record[schema.Element]{}, err)
		}
	}
}

// A gatherer collects the parts of all records and the ids that edges may end at.
type gatherer struct {
	p            *projector
	mode         mode
	mapped       *bufio.Writer // takes keyed lines
	report       func(*schema.Finding)
	nodes, edges *extsort.Sorter
	files        []string // positions name files by index
	buf          []byte

	hasEvents, hasExports, hasClaims  bool
	memories, events, claims, injects idSet
	threads                           map[string]*thread
	leftOut                           map[string]*atomic.Int64 // edge type → references, for hops that were not given
	bulkHas                           func(id string) bool     // memories of the bulk path
	addErr                            error
	fileIndex                         map[string]uint32
}

func newGatherer(o Options, report func(*schema.Finding)) *gatherer {
	sorter := func() *extsort.Sorter {
		return extsort.New(extsort.Options{Combine: combineParts, Memory: o.Memory / 4, Dir: o.TempDir})
	}
	return &gatherer{
		p: newProjector(o), report: report, nodes: sorter(), edges: sorter(),
		threads: map[string]*thread{}, leftOut: map[string]*atomic.Int64{schema.EdgeFromEvent: {}, schema.EdgeExpects: {}}, fileIndex: map[string]uint32{},
	}
}

func (g *gatherer) close() {
	g.nodes.Close()
	g.edges.Close()
}

func (g *gatherer) sorters() []*extsort.Sorter { return []*extsort.Sorter{g.nodes, g.edges} }

// pos packs a position; file names are kept once.
func (g *gatherer) pos(p schema.Pos) pos {
	i, ok := g.fileIndex[p.File]
	if !ok {
		g.files = append(g.files, p.File)
		i = uint32(len(g.files))
		g.fileIndex[p.File] = i
	}
	return pos{i, uint32(p.Line)}
}

func (g *gatherer) unpack(p pos) schema.Pos {
	if p.file == 0 {
		return schema.Pos{}
	}
	return schema.Pos{File: g.files[p.file-1], Line: int(p.line)}
}

// add takes one part: it checks the length of its id, keeps the ids that edges may
// end at, and hands the rest to the sorter.
func (g *gatherer) add(x *part) {
	if !g.admits(x, g.report) {
		return
	}
	g.note(x.edge, x.id, x.labels)
	g.buf = x.append(g.buf[:0])
	g.addEncoded(g.buf)
}

func (g *gatherer) addEncoded(rec []byte) {
	s := g.nodes
	if rec[0] == kindEdge {
		s = g.edges
	}
	if err := s.Add(rec); err != nil && g.addErr == nil {
		g.addErr = err
	}
}

// admits reports whether a part belongs to this graph: its type to the version, its other end to a given hop, its id to the ids that a database can hold.
func (g *gatherer) admits(x *part, report func(*schema.Finding)) bool {
	if x.edge && !g.p.hasEdge(x.typ) {
		return false
	}
	if x.edge && (x.typ == schema.EdgeFromEvent && !g.hasEvents || x.typ == schema.EdgeExpects && !g.hasClaims && strings.HasPrefix(x.dst, "claim:")) {
		g.leftOut[x.typ].Add(1)
		return false
	}
	if len(x.id) > schema.MaxIDBytes {
		kind := "node"
		if x.edge {
			kind = "edge " + x.typ
		}
		report(&schema.Finding{Pos: g.unpack(x.pos), Code: "ID020", Message: "id of a " + kind + " is too long for a uniqueness constraint, skipped",
			Have: strconv.Itoa(len(x.id)) + " bytes", Want: fmt.Sprintf("at most %d", schema.MaxIDBytes), Hint: "shorten the name in it"})
		return false
	}
	return true
}

// note keeps the ids that edges of another hop may end at.
func (g *gatherer) note(edge bool, id string, labels []string) {
	if edge || g.mode == modeMap { // who reduces keeps them
		return
	}
	switch labels[0] {
	case schema.LabelMemoryItem:
		if g.hasClaims {
			g.memories.add(id)
		}
	case schema.LabelEvent:
		g.events.add(id)
	case schema.LabelClaim:
		g.claims.add(id)
	case schema.LabelInject:
		g.injects.add(id)
	}
}

func (g *gatherer) gather(ctx context.Context, in Input, stopped *bool) error {
	g.hasEvents, g.hasExports, g.hasClaims = in.Events != nil, in.Exports != nil, in.Claims != nil
	err := each(ctx, in.Exports, g, stopped, func(m schema.MemoryExport, at schema.Pos) {
		oc, fs := g.p.occurrence(m, g.pos(at))
		for _, f := range fs {
			f.Pos = at
			g.report(f)
		}
		if oc != nil {
			g.p.memory(oc, g.add)
		}
	})
	if err == nil {
		err = g.gatherRest(ctx, in, stopped)
	}
	return err
}

// gatherRest gathers claims and events.
func (g *gatherer) gatherRest(ctx context.Context, in Input, stopped *bool) error {
	err := each(ctx, in.Claims, g, stopped, func(s schema.Statement, at schema.Pos) {
		g.p.statement(s, g.pos(at), func(f *schema.Finding) { f.Pos = at; g.report(f) }, g.add)
	})
	if err == nil {
		err = each(ctx, in.Events, g, stopped, func(e schema.Event, at schema.Pos) {
			if f := g.p.checkEvent(e); f != nil {
				f.Pos = at
				g.report(f)
				return
			}
			g.p.event(e, g.pos(at), g.add)
			g.keepTurn(e, g.pos(at))
		})
	}
	for _, conv := range catalog.Sorted(g.threads) {
		g.threads[conv].links(g.p, schema.ConvID(conv), g.add)
		delete(g.threads, conv)
	}
	return err
}

// keepTurn keeps a turn until it can be linked, here or where its key comes together.
func (g *gatherer) keepTurn(e schema.Event, at pos) {
	meta, _ := e.ReadMeta()
	t := newTurn(e, meta)
	t.pos = at
	if g.mode != modeMap {
		x := g.thread(e.ConvID)
		x.turns = append(x.turns, t)
	} else if g.p.v != schema.V001 {
		g.mapped.Write(keyedPart(nil, turnRecord(g.p, e, t))) //nolint:errcheck // Flush reports the error
	}
}

func (g *gatherer) thread(conv schema.ConvID) *thread {
	key := strip(string(conv))
	t := g.threads[key]
	if t == nil {
		t = new(thread)
		g.threads[key] = t
	}
	return t
}

// each runs f on every record, passes findings on, and ends at other errors.
func each[T any](ctx context.Context, in schema.Seq[T], g *gatherer, stopped *bool, f func(T, schema.Pos)) error {
	if in == nil {
		return nil
	}
	for rec, err := range in {
		var fd *schema.Finding
		switch {
		case err == nil:
			f(rec.V, rec.Pos)
		case errors.As(err, &fd):
			g.report(fd)
			if fd.Warning && rec.Pos != (schema.Pos{}) {
				f(rec.V, rec.Pos)
			}
		default:
			return err
		}
		if *stopped {
			return nil
		}
		if g.addErr != nil {
			return g.addErr
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// folded yields the merged elements in order. Dangling edges are skipped.
func (g *gatherer) folded() func(yield func(*folded, error) bool) {
	return func(yield func(*folded, error) bool) {
		f := folder{p: g.p, g: g, report: g.report}
		for _, s := range g.sorters() {
			for rec, err := range s.Sorted() {
				if err != nil {
					yield(nil, err)
					return
				}
				if e := f.add(rec); e != nil && g.keep(e, g.report) && !yield(e, nil) {
					return
				}
			}
		}
		if e := f.flush(); e != nil && g.keep(e, g.report) {
			yield(e, nil)
		}
	}
}

// keep reports whether both ends of an edge are in the graph. Only the ends that
// another hop makes can be missing.
func (g *gatherer) keep(e *folded, report func(*schema.Finding)) bool {
	if !e.edge {
		return true
	}
	missing := func(code, msg, hint string, warning bool) {
		report(&schema.Finding{Pos: g.unpack(e.pos), Code: code, Message: msg, Have: e.dst, Hint: hint, Warning: warning})
	}
	switch e.typ {
	case schema.EdgeEvidencedBy:
		switch {
		case !g.hasExports || g.hasMemory(e.dst):
		case g.p.v == schema.V001:
			missing("GRF050", "evidence names a memory that is not in the exports", "load the export it was claimed from, too", true)
		default:
			missing("GRF050", "evidence names a memory that is not in the exports, edge skipped", "give the export it was claimed from", false)
			return false
		}
	case schema.EdgeFromEvent:
		if !g.events.has(e.dst) {
			missing("GRF051", "memory names a turn that is not in the events, edge skipped", "give the events it was made from", false)
			return false
		}
	case schema.EdgeSupersededBy:
		if !g.claims.has(e.dst) {
			missing("GRF052", "claim names a successor that is not in the claims, edge skipped", "", false)
			return false
		}
	case schema.EdgeExpects:
		if !g.claims.has(e.dst) && !g.injects.has(e.dst) {
			missing("GRF053", "probe expects something that is neither an inject nor a claim of this graph, edge skipped", "", false)
			return false
		}
	}
	return true
}

func (g *gatherer) hasMemory(id string) bool {
	return g.memories.has(id) || g.bulkHas != nil && g.bulkHas(id)
}

// finish reports the elements that were skipped because their hop was not given.
func (g *gatherer) finish() {
	for _, typ := range catalog.Sorted(g.leftOut) {
		n := g.leftOut[typ].Load()
		if n == 0 {
			continue
		}
		want := "--events"
		if typ == schema.EdgeExpects {
			want = "--claims"
		}
		g.report(&schema.Finding{Code: "GRF056", Warning: true, Message: typ + " edges skipped: their other end comes from " + want + ", which was not given", Have: fmt.Sprint(n, " references")})
	}
}
