package cypher

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"membench/graph"
	"membench/internal/par"
	"membench/schema"
	"membench/schema/jsonl"
)

// Names of the files, in the order in which they run.
const (
	ConstraintsFile = "01-constraints.cypher"
	NodesFile       = "02-nodes.cypher"
	EdgesFile       = "03-edges.cypher"
)

// Options of Write.
type Options struct {
	Workers int // 0 is one
	MaxLine int // longest line read, in bytes; 0 is jsonl.MaxLine

	Scope string // "" is the graph without a name
	Once  bool   // the input can be read only once, or is both kinds in one file
}

// Counts is the content of the scripts.
type Counts struct {
	Nodes, Edges int
	Labels       map[string]int // labels joined by ':' → nodes
	Types        map[string]int // type → edges
	Statements   int
}

// Scripts are the places of the three files.
type Scripts struct{ Constraints, Nodes, Edges Output }

// An Output is a file that can be begun again.
type Output interface {
	io.Writer
	Reset() error // discards the output so far
}

// Write turns lines of nodes and edges into scripts. Input sorted by id, as to-graph writes it, is read once, in memory of a few blocks, less than a batch for
// each set of labels and each type, and 20 bytes per node. Input that graph.Gate must change is read again and sorted. Elements that cannot be written are
// reported and skipped.
func Write(ctx context.Context, nodes, edges []jsonl.File, out Scripts, o Options, report func(*schema.Finding)) (Counts, error) {
	w := newWriter(o, report)
	var held []*schema.Finding
	w.report = func(f *schema.Finding) { held = append(held, f) }
	err := errGate
	if !o.Once {
		err = w.ordered(ctx, nodes, edges, out)
	}
	if errors.Is(err, errGate) {
		for _, f := range []Output{out.Constraints, out.Nodes, out.Edges} {
			if err := f.Reset(); err != nil {
				return *w.counts, err
			}
		}
		w, held = newWriter(o, report), nil
		err = w.gated(ctx, nodes, edges, out)
	}
	for _, f := range held {
		report(f)
	}
	return *w.counts, err
}

// errGate says that the input has to go through a gate.
var errGate = errors.New("not in order")

// ordered writes input that is in the order of ids and has no faults, else it ends
// with errGate.
func (w *writer) ordered(ctx context.Context, nodes, edges []jsonl.File, out Scripts) error {
	if _, err := w.file(ctx, nodes, out.Nodes, false); err != nil {
		return err
	}
	types, err := w.file(ctx, edges, out.Edges, true)
	if err != nil {
		return err
	}
	graph.ReportElsewhere(w.away, w.report)
	_, err = out.Constraints.Write(w.constraints([]byte(constraintsHead), types))
	return err
}

// constraints appends the statements of nodes and of the given types.
func (w *writer) constraints(text []byte, types []string) []byte {
	for _, t := range append([]string{""}, types...) {
		one, _ := Constraint(t, ConstraintName(t)) // a type that is not a name was omitted
		text = append(append(text, one...), ";\n"...)
	}
	w.counts.Statements += 1 + len(types)
	return text
}

// gated writes any input.
func (w *writer) gated(ctx context.Context, nodes, edges []jsonl.File, out Scripts) error {
	to := map[string]Output{ConstraintsFile: out.Constraints, NodesFile: out.Nodes, EdgesFile: out.Edges}
	for file, f := range to {
		if _, err := io.WriteString(f, Head(file)); err != nil {
			return err
		}
	}
	return w.elements(ctx, jsonl.DecodeFiles[schema.Element](append(slices.Clip(nodes), edges...), w.o.MaxLine), func(file string, text []byte) error {
		_, err := to[file].Write(text)
		return err
	})
}

// Script is Write over a stream in any order, as statements with the name of their
// file: nodes, edges, then the constraints, since only then are the types known. A file
// starts with its Head.
func Script(in schema.Seq[schema.Element], scope string) iter.Seq2[Statement, error] {
	return func(yield func(Statement, error) bool) {
		stopped := false
		w := newWriter(Options{Scope: scope}, func(f *schema.Finding) { stopped = stopped || !yield(Statement{}, f) })
		err := w.elements(context.Background(), in, func(file string, text []byte) error {
			for _, one := range statements(file, text) {
				if stopped = stopped || !yield(Statement{file, string(one)}, nil); stopped {
					return errStopped
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) && !stopped {
			yield(Statement{}, err)
		}
	}
}

// statements divides what send of elements gets.
func statements(file string, text []byte) [][]byte {
	if file != ConstraintsFile {
		return [][]byte{text}
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	return lines[:len(lines)-1]
}

// elements passes the statements of a graph to send: nodes and edges one by one, the
// constraints at once.
func (w *writer) elements(ctx context.Context, in schema.Seq[schema.Element], send func(file string, text []byte) error) error {
	gate, err := graph.NewGate(ctx, func() schema.Seq[schema.Element] { return in }, graph.GateOptions{Once: true, Keep: true, Report: w.report, Memory: gateMemory})
	if err != nil {
		return err
	}
	defer gate.Close()
	sets := [2]*batches{
		newBatches(false, w.o.Scope, func(text []byte) error { return send(NodesFile, text) }),
		newBatches(true, w.o.Scope, func(text []byte) error { return send(EdgesFile, text) })}
	rw := newRower(w.o.Scope)
	for rec, err := range gate.Elements() {
		err = cmp.Or(err, ctx.Err())
		if err != nil {
			return err
		}
		b := sets[0]
		if rec.V.Edge != nil {
			b = sets[1]
		}
		res := rw.reset(b.edge)
		rw.element(jsonl.Line{Pos: rec.Pos}, rec.V)
		if err := w.take(b, res); err != nil {
			return err
		}
	}
	for _, b := range sets {
		if err := b.finish(); err != nil {
			return err
		}
		w.counts.Statements += b.written
	}
	return send(ConstraintsFile, w.constraints(nil, sets[1].order))
}

// gateMemory is what an unordered graph may take before it goes to disk, in bytes.
const gateMemory = 16 << 20

var errStopped = errors.New("stopped")

// A Statement is one Cypher statement with its semicolon, and the file it belongs to.
type Statement struct{ File, Text string }

type writer struct {
	o      Options
	report func(*schema.Finding)
	counts *Counts
	odd    map[string]bool // labels and types that are not plain identifiers and were reported
	ids    graph.IDs       // of ordered nodes
	last   []byte          // id of ordered input
	away   map[string]int  // edges of ordered input by the kind of an end that no node is of
}

func newWriter(o Options, report func(*schema.Finding)) *writer {
	return &writer{o: o, report: report, counts: &Counts{Labels: map[string]int{}, Types: map[string]int{}}, odd: map[string]bool{}, away: map[string]int{}}
}

// file writes the rows of ordered files and returns the names met, sorted.
func (w *writer) file(ctx context.Context, files []jsonl.File, out io.Writer, edge bool) ([]string, error) {
	head := nodesHead
	if edge {
		head = edgesHead
	}
	if _, err := io.WriteString(out, head); err != nil {
		return nil, err
	}
	b := newBatches(edge, w.o.Scope, func(text []byte) error { _, err := out.Write(text); return err })
	workers := max(1, w.o.Workers)
	w.last = w.last[:0]
	free := make(chan *rower, 2*workers) // one for each block in flight or waiting to be written
	results := par.Map(ctx, workers, jsonl.FileBlocks(files, w.o.MaxLine), func(ctx context.Context, block jsonl.Block) (*rower, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var rw *rower
		select {
		case rw = <-free:
		default:
			rw = newRower(w.o.Scope)
		}
		rw.reset(edge)
		rw.order.begin(edge, &w.ids)
		rw.block(block)
		block.Release()
		return rw, nil
	})
	for rw, err := range results {
		if err != nil {
			return nil, err
		}
		if err := w.follow(&rw.order); err != nil {
			return nil, err
		}
		if err := w.take(b, rw.rows); err != nil {
			return nil, err
		}
		select {
		case free <- rw:
		default:
		}
	}
	err := b.finish()
	w.counts.Statements += b.written
	return b.order, err
}

// follow wants the next block of ordered input to be in order, and after the last one.
func (w *writer) follow(o *order) error {
	if o.off || len(o.first) > 0 && bytes.Compare(o.first, w.last) <= 0 {
		return errGate
	}
	if len(o.last) > 0 {
		w.last = append(w.last[:0], o.last...)
	}
	for _, h := range o.hashes {
		w.ids.AddHash(h)
	}
	for _, k := range o.kinds {
		w.ids.AddKind(k)
	}
	schema.Tally(w.away, o.away)
	clear(o.away)
	return nil
}

// take passes rows on to their batches, and reports.
func (w *writer) take(b *batches, r *rows) error {
	for _, f := range r.findings {
		w.report(f)
	}
	for i, n := 0, 0; i < len(r.of); i += n {
		for n = 1; i+n < len(r.of) && r.of[i+n] == r.of[i]; n++ {
		}
		k := r.kinds[r.of[i]]
		if b.edge {
			w.counts.Edges += n
			w.counts.Types[k.names[0]] += n
		} else {
			w.counts.Nodes += n
			w.counts.Labels[strings.Join(k.names, ":")] += n
		}
		for _, name := range k.names {
			if !Plain(name) && !w.odd[name] {
				w.odd[name] = true
				w.report(&schema.Finding{Code: "GRF021", Warning: true, Message: "label or type is not a plain identifier, written in quotes", Have: strconv.Quote(name), Want: "[A-Za-z_][A-Za-z0-9_]*"})
			}
		}
	}
	return b.take(r)
}

// batches gathers rows by kind into statements. Whole batches go out as they come;
// what is left of a kind waits for more.
type batches struct {
	edge  bool
	scope string
	write func([]byte) error
	sets  map[string]*pending
	order []string // keys, sorted: of edges, the types

	written int // statements
}

type pending struct {
	kind kind
	text []byte // batchHead and rows, each with rowEnd
	n    int
}

func newBatches(edge bool, scope string, write func([]byte) error) *batches {
	return &batches{edge: edge, scope: scope, write: write, sets: map[string]*pending{}}
}

func (b *batches) pending(k kind) *pending {
	key := k.key()
	p := b.sets[key]
	if p == nil {
		p = &pending{kind: k, text: []byte(batchHead)}
		b.sets[key] = p
		i, _ := slices.BinarySearch(b.order, key)
		b.order = slices.Insert(b.order, i, key)
	}
	return p
}

// take passes on rows.
func (b *batches) take(r *rows) error {
	for i := 0; i < len(r.of); {
		// A run of one kind.
		j := i + 1
		for j < len(r.of) && r.of[j] == r.of[i] {
			j++
		}
		p := b.pending(r.kinds[r.of[i]])
		for i < j {
			n := min(j-i, BatchRows-p.n)
			start := int32(0)
			if i > 0 {
				start = r.ends[i-1]
			}
			p.text = append(p.text, r.text[start:r.ends[i+n-1]]...)
			if p.n += n; p.n == BatchRows {
				if err := b.statement(p); err != nil {
					return err
				}
			}
			i += n
		}
	}
	return nil
}

// statement writes what waits as one batch.
func (b *batches) statement(p *pending) error {
	text := p.kind.batchTail(p.text[:len(p.text)-len(rowEnd)], b.scope)
	p.text, p.n = text[:len(batchHead)], 0
	b.written++
	return b.write(text)
}

// finish writes what waits, kinds in order.
func (b *batches) finish() error {
	for _, key := range b.order {
		if p := b.sets[key]; p.n > 0 {
			if err := b.statement(p); err != nil {
				return err
			}
		}
	}
	return nil
}
