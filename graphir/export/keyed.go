package export

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"membench/graph"
	"membench/internal/codec"
	"membench/internal/keyed"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
)

// CSV in parts is two passes over the parts of a graph, whose lines need not meet: Survey collects what the columns depend on, Plan decides them, Rows
// writes. Each table is a folder
// of parts beside the file of its header.

// HeaderFile is in the folder of each table of CSV in parts, next to its part-….csv.
const HeaderFile = "header.csv"

// wireTable is a survey's result for a table.
type wireTable struct {
	Edge   bool     `json:"edge"`
	Labels []string `json:"labels,omitempty"`
	Type   string   `json:"type,omitempty"`
	Has    []string `json:"has"`
}

// wireColumn counts the values of one type under one name.
type wireColumn struct {
	Name string         `json:"name"`
	Kind graph.PropKind `json:"kind"`
	List bool           `json:"list"`
	N    int            `json:"n"`
}

// wireSurvey is a survey as one line.
type wireSurvey struct {
	Tables  []wireTable  `json:"tables"`
	Columns []wireColumn `json:"columns"`
	Longest int          `json:"longest"`
	Nodes   int          `json:"nodes"`
	Edges   int          `json:"edges"`
	Gone    int          `json:"gone"` // nodes that CSV cannot hold
}

func (s *survey) wire() wireSurvey {
	w := wireSurvey{Longest: s.longest, Nodes: s.result.Nodes, Edges: s.result.Edges, Gone: len(s.gone)}
	for _, key := range catalog.Sorted(s.tables) {
		t := s.tables[key]
		w.Tables = append(w.Tables, wireTable{Edge: t.edge, Labels: t.labels, Type: t.typ, Has: catalog.Sorted(t.has)})
	}
	for _, name := range catalog.Sorted(s.cols.seen) {
		for _, list := range []bool{false, true} {
			for _, kind := range []graph.PropKind{graph.Bool, graph.Int, graph.Float, graph.String} {
				if n := s.cols.seen[name][colType{kind, list}]; n > 0 {
					w.Columns = append(w.Columns, wireColumn{name, kind, list, n})
				}
			}
		}
	}
	return w
}

// join adds what another survey says. No line is as long as a terabyte, nor is any count negative.
func (s *survey) join(w wireSurvey) error {
	if w.Longest < 0 || w.Longest > 1<<40 || w.Nodes < 0 || w.Edges < 0 || w.Gone < 0 {
		return errors.New("want what survey or plan writes: counts and lengths")
	}
	for _, x := range w.Tables {
		e := schema.Element{Node: &schema.Node{Labels: x.Labels}}
		if x.Edge {
			e = schema.Element{Edge: &schema.Edge{Type: x.Type}}
		}
		t := s.table(e)
		for _, name := range x.Has {
			t.has[name] = true
		}
	}
	for _, c := range w.Columns {
		s.cols.see(c.Name, colType{c.Kind, c.List}, c.N)
	}
	s.longest = max(s.longest, w.Longest)
	s.result.Nodes += w.Nodes
	s.result.Edges += w.Edges
	return nil
}

// Survey writes one line with the information about a part of a graph that its columns depend on.
func Survey(ctx context.Context, in []jsonl.File, w io.Writer, o CSVOptions) error {
	s := newSurvey(o.Options.withDefaults())
	for rec, err := range graph.Alone(jsonl.DecodeFiles[schema.Element](in, 0), s.o.Report) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		s.see(rec, csvOK, csvFits)
	}
	return codec.WriteLine(w, s.wire())
}

// Plan joins the lines of all surveys: a line for Rows, in the frame "plan", and frames of
// the headers and of import.sh.
func Plan(in io.Reader, w io.Writer, o CSVOptions) error {
	s := newSurvey(o.Options.withDefaults())
	gone := 0
	for rec, err := range jsonl.Decode[wireSurvey](in, "-") {
		if err != nil {
			return err
		}
		if err := s.join(rec.V); err != nil {
			return fmt.Errorf("%s: %w", rec.Pos, err)
		}
		gone += rec.V.Gone
	}
	if gone > 0 {
		return fmt.Errorf("%d nodes cannot be written as CSV, so neither can edges to them, which other parts have: the surveys name the nodes; take them out, or export on one machine", gone)
	}
	s.decide()
	s.name()
	plan, err := codec.Append(nil, s.wire(), codec.Compact)
	if err != nil {
		return err
	}
	out := keyed.NewFramer(w, 1)
	out.Add("plan", plan, []byte("\n"))
	for _, t := range s.sorted() {
		out.Add(t.name+"/"+HeaderFile, s.header(nil, t))
	}
	command := importCommand(s, cmp.Or(o.Database, "neo4j"), func(t *table) string { return t.name + "/" + HeaderFile + "," + t.name + "/part-.*" })
	out.Add("import.sh", []byte(importScript(command, cmp.Or(o.Database, "neo4j"))))
	return out.Flush()
}

// Rows writes the rows of a part of a graph in frames named as the tables' folders. The line of Plan comes before the elements.
func Rows(ctx context.Context, in io.Reader, w io.Writer, o CSVOptions) error {
	b := bufio.NewReaderSize(in, 1<<16)
	line, err := b.ReadBytes('\n')
	if err != nil && (err != io.EOF || len(line) == 0) {
		return errors.Join(errors.New("no plan before the elements"), err)
	}
	var plan wireSurvey
	if err := codec.Unmarshal(line, &plan); err != nil {
		return fmt.Errorf("line 1 of standard input: want what plan writes: %w", err)
	}
	o.Options = o.Options.withDefaults()
	s := newSurvey(o.Options)
	if err := s.join(plan); err != nil {
		return fmt.Errorf("line 1 of standard input: %w", err)
	}
	s.decide()
	s.name()
	out := keyed.NewFramer(w, len(s.tables))
	file := jsonl.File{Name: "-", Open: func() (io.ReadCloser, error) { return io.NopCloser(b), nil }}
	silent := func(*schema.Finding) {} // Survey has said it
	var buf []byte
	for rec, err := range graph.Alone(jsonl.DecodeFiles[schema.Element]([]jsonl.File{file}, 0), silent) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		p := props(rec.V)
		if csvOK(rec.V, p) != nil {
			continue
		}
		t := s.tables[tableKey(rec.V)]
		if t == nil || slices.ContainsFunc(p.Stored, func(q graph.Prop) bool { return csvFits(q) && !t.has[q.Name] }) {
			return errors.New("an element is not in the plan: it is of another graph")
		}
		buf = s.row(buf[:0], rec, t, p, o)
		out.Add(t.name, buf)
	}
	return out.Flush()
}
