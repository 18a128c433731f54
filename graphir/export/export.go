// Package export writes a graph for other tools: CSV for neo4j-admin's import, GraphML, and JSON-LD with PROV-O terms for the evidence.
//
// All formats write properties by the rules of graph.MapProps: nulls and empty lists are omitted, values that a property cannot hold are JSON text in
// props_json. Unknown members of a record are not part of the graph and are counted (GRF037).
package export

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"membench/graph"
	"membench/internal/codec"
	"membench/internal/rank"
	"membench/schema"
	"membench/schema/catalog"
)

// A Source opens the graph for one pass, any number of times. Its order does not matter: every export goes through a graph.Gate.
type Source = graph.Source

// Create makes one file of an output folder. It is closed when it is whole.
type Create func(name string) (io.WriteCloser, error)

// Options of every export.
type Options struct {
	Catalog *catalog.Catalog      // nil: the built-in one; it orders the columns
	Once    bool                  // the source can be opened only once
	Report  func(*schema.Finding) // errors of the graph and values that a format cannot hold; may be nil
}

func (o Options) withDefaults() Options {
	o.Catalog = cmp.Or(o.Catalog, catalog.Default())
	if o.Report == nil {
		o.Report = func(*schema.Finding) {}
	}
	return o
}

// AdminCSVName is the format of several files, which AdminCSV writes; every other is one file of Formats.
const AdminCSVName = "admin-csv"

// A Format writes the graph as one file.
type Format struct {
	Name  string
	Doc   string // one line of the help text
	Twice bool   // it opens its source twice
	Write func(context.Context, Source, io.Writer, Options) (Result, error)
}

// Formats lists the formats of one file, in the order of help texts.
func Formats() []Format {
	return []Format{
		{"graphml", "one file for networkx, Gephi, yEd; a list becomes JSON text", true, GraphML},
		{"jsonld", "one JSON-LD document with PROV-O terms for the evidence", false, JSONLD},
	}
}

// FormatNames lists the names of all formats.
func FormatNames() []string {
	names := []string{AdminCSVName}
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// Result counts the exported elements.
type Result struct {
	Nodes   int      `json:"nodes"`
	Edges   int      `json:"edges"`
	LeftOut int      `json:"left_out"`          // elements that could not be written, each with a finding
	Moved   int      `json:"moved"`             // values that fit no column and are in props_json
	Files   []string `json:"files,omitempty"`   // of a folder, in the order written
	Command []string `json:"command,omitempty"` // the import command, run in the folder
}

// colType is the type of a column: a kind, and whether it holds lists.
type colType struct {
	kind graph.PropKind
	list bool
}

func typeOf(v graph.Value) colType { return colType{v.Kind, v.List} }

// holds reports whether a column of type t can hold v without loss.
func (t colType) holds(v graph.Value) bool {
	if t.list != v.List {
		return false
	}
	if t.kind == v.Kind {
		return true
	}
	return t.kind == graph.Float && v.Kind == graph.Int && !slices.ContainsFunc(v.Texts, graph.Inexact)
}

// known are properties that have one type whatever the first record shows.
var known = map[string]colType{
	"confidence": {graph.Float, false}, "score": {graph.Float, false},
	"turn_id": {graph.Int, false}, "start_line": {graph.Int, false}, "end_line": {graph.Int, false}, "rank": {graph.Int, false},
}

// columns decides one type for each property over the whole graph.
type columns struct {
	seen  map[string]map[colType]int
	types map[string]colType
}

func (c *columns) see(name string, t colType, n int) {
	if c.seen[name] == nil {
		c.seen[name] = map[colType]int{}
	}
	c.seen[name][t] += n
}

// decide takes the known type where it occurs, else the most frequent one (of equal
// counts the later kind, then lists); whole numbers join floats.
func (c *columns) decide() {
	c.types = map[string]colType{}
	for name, seen := range c.seen {
		if t, ok := known[name]; ok && (seen[t] > 0 || t.kind == graph.Float && seen[colType{graph.Int, false}] > 0) {
			c.types[name] = t
			continue
		}
		var best colType
		most := 0
		for _, list := range []bool{false, true} {
			for _, kind := range []graph.PropKind{graph.Bool, graph.Int, graph.Float, graph.String} {
				t := colType{kind, list}
				n := seen[t]
				if kind == graph.Float && n > 0 {
					n += seen[colType{graph.Int, list}]
				}
				if n > 0 && n >= most {
					best, most = t, n
				}
			}
		}
		c.types[name] = best
	}
}

// A table is what gets its own columns: the nodes of one set of labels, the edges of
// one type.
type table struct {
	edge    bool
	labels  []string // of nodes, sorted
	typ     string   // of edges
	columns []string
	has     map[string]bool
	name    string // of its files
	rows    int
}

func tableKey(e schema.Element) string {
	if e.Edge != nil {
		return "e" + e.Edge.Type
	}
	labels := slices.Clone(e.Node.Labels)
	slices.Sort(labels)
	return "n" + strings.Join(slices.Compact(labels), "\x00")
}

// survey is what the first pass learns.
type survey struct {
	o       Options
	tables  map[string]*table
	cols    columns
	dropped map[int]bool // elements left out, by number; the second pass passes over them
	result  Result
	longest int     // bytes of the longest record
	gone    nodeSet // nodes that the format cannot hold: nor can it their edges
}

func newSurvey(o Options) *survey {
	return &survey{o: o, tables: map[string]*table{}, cols: columns{seen: map[string]map[colType]int{}}, dropped: map[int]bool{}, gone: nodeSet{}}
}

// check says why an element cannot be written, nil when it can.
type check func(schema.Element, graph.Props) *schema.Finding

// look makes the first pass. fits says which values a column may hold at all.
func look(ctx context.Context, gate *graph.Gate, o Options, ok check, fits func(graph.Prop) bool) (*survey, error) {
	s := newSurvey(o)
	err := each(ctx, gate.Elements(), func(i int, rec schema.Record[schema.Element]) error {
		if !s.see(rec, ok, fits) {
			s.dropped[i] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.result.LeftOut += gate.LeftOut
	s.decide()
	return s, nil
}

// see takes an element that is to be written; it reports false where it cannot be.
func (s *survey) see(rec schema.Record[schema.Element], ok check, fits func(graph.Prop) bool) bool {
	e := rec.V
	p := props(e)
	var f *schema.Finding
	if ok != nil {
		f = ok(e, p)
	}
	if f == nil && e.Edge != nil && len(s.gone) > 0 {
		f = s.gone.end(e.Edge)
	}
	if f != nil {
		f.Pos = rec.Pos
		s.o.Report(f)
		s.result.LeftOut++
		if e.Node != nil {
			s.gone[e.Node.ID] = true
		}
		return false
	}
	if n := extras(e); n > 0 {
		s.o.Report(&schema.Finding{Pos: rec.Pos, Code: "GRF037", Message: "members that are not part of the record are not exported", Have: strconv.Itoa(n), Warning: true})
	}
	t := s.table(e)
	t.rows++
	size := len(e.ID())
	for _, q := range p.Stored {
		for _, text := range q.Value.Texts {
			size += len(text) + 1
		}
		if fits(q) {
			s.cols.see(q.Name, typeOf(q.Value), 1)
			t.has[q.Name] = true
		}
	}
	if e.Edge != nil {
		size += 2 * (len(e.Edge.Src) + len(e.Edge.Dst))
		s.result.Edges++
	} else {
		s.result.Nodes++
	}
	s.longest = max(s.longest, size+4*rawLen(p.Rest))
	return true
}

// table is that of an element, made where it is the first.
func (s *survey) table(e schema.Element) *table {
	key := tableKey(e)
	t := s.tables[key]
	if t == nil {
		t = &table{has: map[string]bool{}}
		if e.Edge != nil {
			t.edge, t.typ = true, e.Edge.Type
		} else {
			t.labels = slices.Clone(e.Node.Labels)
			slices.Sort(t.labels)
			t.labels = slices.Compact(t.labels)
		}
		s.tables[key] = t
	}
	return t
}

// decide ends the first pass: types and order of columns.
func (s *survey) decide() {
	s.cols.decide()
	for _, t := range s.tables {
		order := map[string]int{}
		if t.edge {
			for i, name := range s.o.Catalog.Edges[t.typ].Props {
				order[name] = i - 1000
			}
		}
		for _, l := range t.labels {
			for i, name := range s.o.Catalog.Labels[l].Props {
				order[name] = i - 1000
			}
		}
		for name := range t.has {
			t.columns = append(t.columns, name)
		}
		slices.SortFunc(t.columns, func(a, b string) int { return cmp.Or(order[a]-order[b], strings.Compare(a, b)) })
	}
}

type nodeSet map[schema.NodeID]bool

// end is the finding of an edge that one of the nodes is an end of; nil when none is.
func (s nodeSet) end(e *schema.Edge) *schema.Finding {
	for i, end := range []schema.NodeID{e.Src, e.Dst} {
		if s[end] {
			return &schema.Finding{Pointer: []string{"/src", "/dst"}[i], Code: "GRF031", Message: "the edge has an end that was skipped", Have: string(end)}
		}
	}
	return nil
}

func rawLen(o schema.Object) int { b, _ := o.MarshalJSON(); return len(b) }

// split divides the properties of a row: those for its columns, by name, and the JSON
// text of the rest, "" when there is none.
func (s *survey) split(pos schema.Pos, p graph.Props, fits func(graph.Prop) bool) (cells map[string]graph.Value, rest string) {
	cells = make(map[string]graph.Value, len(p.Stored))
	out := p.Rest
	for _, q := range p.Stored {
		if fits(q) && s.cols.types[q.Name].holds(q.Value) {
			cells[q.Name] = q.Value
			continue
		}
		s.result.Moved++
		s.o.Report(&schema.Finding{Pos: pos, Pointer: schema.Pointer("props", graph.MemberName(q.Name)), Code: "GRF035", Message: "value does not fit its column and is moved to props_json", Have: typeOf(q.Value).String(), Want: s.cols.types[q.Name].String(), Warning: true})
		if more, err := out.With(graph.MemberName(q.Name), jsonValue(q.Value)); err == nil {
			out = more
		}
	}
	if out.Len() > 0 {
		b, _ := out.MarshalJSON()
		rest = string(b) // as it is in the record: every path into a database stores one text
	}
	return cells, rest
}

func (t colType) String() string {
	s := t.kind.String()
	if t.list {
		return "list of " + s
	}
	return s
}

// rawJSON is a value that is already JSON text.
type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// jsonValue writes a value as JSON text; a float keeps its point.
func jsonValue(v graph.Value) rawJSON {
	var b []byte
	one := func(text string) {
		switch v.Kind {
		case graph.String:
			b = codec.AppendString(b, text)
		case graph.Float:
			f, _ := strconv.ParseFloat(text, 64)
			b = schema.AppendFloat(b, f)
		default:
			b = append(b, text...)
		}
	}
	if !v.List {
		one(v.Texts[0])
		return rawJSON(b)
	}
	b = append(b, '[')
	for i, text := range v.Texts {
		if i > 0 {
			b = append(b, ',')
		}
		one(text)
	}
	return rawJSON(append(b, ']'))
}

func props(e schema.Element) graph.Props {
	if e.Node != nil {
		return graph.MapProps(e.Node.Props)
	}
	return graph.MapProps(e.Edge.Props)
}

func extras(e schema.Element) int {
	if e.Node != nil {
		return len(e.Node.Extra)
	}
	return len(e.Edge.Extra)
}

// again makes the second pass over what the first one kept.
func (s *survey) again(ctx context.Context, gate *graph.Gate, f func(schema.Record[schema.Element], *table, graph.Props) error) error {
	return each(ctx, gate.Elements(), func(i int, rec schema.Record[schema.Element]) error {
		if s.dropped[i] {
			return nil
		}
		t := s.tables[tableKey(rec.V)]
		if t == nil {
			return errors.New("the graph changed while it was exported: run again")
		}
		return f(rec, t, props(rec.V))
	})
}

// sorted lists the tables: nodes by labels, then edges by type.
func (s *survey) sorted() []*table {
	var out []*table
	for _, key := range catalog.Sorted(s.tables) {
		out = append(out, s.tables[key])
	}
	slices.SortStableFunc(out, func(a, b *table) int { return rank.First(!a.edge, !b.edge) })
	return out
}

// each calls f for every record of a gate with its number.
func each(ctx context.Context, in schema.Seq[schema.Element], f func(int, schema.Record[schema.Element]) error) error {
	i := 0
	for rec, err := range in {
		err = cmp.Or(err, ctx.Err())
		if err == nil {
			err = f(i, rec)
		}
		if i++; err != nil {
			return err
		}
	}
	return nil
}
