package export

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"membench/graph"
	"membench/schema"
)

// CSVOptions are the options of AdminCSV.
type CSVOptions struct {
	Options
	BaseLabel string // additional label of every node; "" for none
	Database  string // that the command imports into; default neo4j
	Scope     string // name of the graph among several in one database; "" is the one without
}

// arrayDelimiter separates the items of a list and the labels of a node: a control
// character, so that texts with ";" and "|" stay whole.
const arrayDelimiter = "\x1f"

// csvFits says which properties a CSV column can hold. A name that the header's
// grammar uses, a list item with the delimiter in it, and a list whose only item is
// the empty text cannot be written.
func csvFits(p graph.Prop) bool {
	if strings.TrimSpace(p.Name) != p.Name || strings.ContainsAny(p.Name, ":\"'`,{}()[]\\\n\r\x1f") {
		return false
	}
	if p.Value.Kind != graph.String {
		return true
	}
	for _, text := range p.Value.Texts {
		if strings.ContainsRune(text, 0) || p.Value.List && (text == "" || strings.Contains(text, arrayDelimiter) || strings.TrimSpace(text) != text) {
			return false
		}
	}
	return true
}

func csvOK(e schema.Element, _ graph.Props) *schema.Finding {
	bad := func(pointer, what, have string) *schema.Finding {
		return &schema.Finding{Pointer: pointer, Code: "GRF036", Message: what + " cannot be written as CSV for the import, skipped", Have: fmt.Sprintf("%q", have)}
	}
	if strings.ContainsRune(e.ID(), 0) {
		return bad("/id", "id", e.ID())
	}
	if e.Edge != nil {
		if strings.TrimSpace(e.Edge.Type) == "" || strings.ContainsRune(e.Edge.Type, 0) {
			return bad("/type", "type", e.Edge.Type)
		}
		return nil
	}
	for _, l := range e.Node.Labels {
		if strings.TrimSpace(l) != l || l == "" || strings.ContainsAny(l, "\x00"+arrayDelimiter) {
			return bad("/labels", "label", l)
		}
	}
	return nil
}

var csvTypes = map[graph.PropKind]string{graph.Bool: "boolean", graph.Int: "long", graph.Float: "double", graph.String: "string"}

// AdminCSV writes one CSV file for each set of labels and each type of edge, with a
// header line, and import.sh, which imports them into an empty database with
// neo4j-admin. Texts are quoted, so that the empty text stays a text; an absent value
// is an empty field. Each node has its id as the property id; each edge id, type,
// src and dst, and _hash and scope as every path into the database writes them.
func AdminCSV(ctx context.Context, src Source, create Create, o CSVOptions) (Result, error) {
	o.Options = o.Options.withDefaults()
	o.Database = cmp.Or(o.Database, "neo4j")
	gate, err := graph.NewGate(ctx, src, graph.GateOptions{Once: o.Once, Report: o.Report})
	if err != nil {
		return Result{}, err
	}
	defer gate.Close()
	s, err := look(ctx, gate, o.Options, csvOK, csvFits)
	if err != nil {
		return Result{}, err
	}
	type file struct {
		io.WriteCloser
		w    *bufio.Writer
		name string
	}
	files := map[*table]*file{}
	defer func() { // what is still open belongs to a failed export
		for _, f := range files {
			f.Close()
		}
	}()
	var buf []byte
	s.name()
	for _, t := range s.sorted() {
		f := &file{name: t.name + ".csv"}
		buf = s.header(buf[:0], t)
		if f.WriteCloser, err = create(f.name); err != nil {
			return Result{}, err
		}
		files[t] = f
		f.w = bufio.NewWriterSize(f, 1<<16)
		if _, err := f.w.Write(buf); err != nil {
			return Result{}, err
		}
		s.result.Files = append(s.result.Files, f.name)
	}
	err = s.again(ctx, gate, func(rec schema.Record[schema.Element], t *table, p graph.Props) error {
		buf = s.row(buf[:0], rec, t, p, o)
		_, err := files[t].w.Write(buf)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	for _, t := range s.sorted() {
		f := files[t]
		if err := f.w.Flush(); err != nil {
			return Result{}, err
		}
		delete(files, t)
		if err := f.Close(); err != nil {
			return Result{}, err
		}
	}
	s.result.Command = importCommand(s, o.Database, func(t *table) string { return t.name + ".csv" })
	w, err := create("import.sh")
	if err != nil {
		return Result{}, err
	}
	if _, err := io.WriteString(w, importScript(s.result.Command, o.Database)); err != nil {
		w.Close()
		return Result{}, err
	}
	s.result.Files = append(s.result.Files, "import.sh")
	return s.result, w.Close()
}

// name gives the tables the names of their files, without an end.
func (s *survey) name() {
	nodes, edges := 0, 0
	for _, t := range s.sorted() {
		if t.edge {
			edges++
			t.name = fmt.Sprintf("edges-%03d-%s", edges, plain(t.typ))
		} else {
			nodes++
			t.name = fmt.Sprintf("nodes-%03d-%s", nodes, plain(strings.Join(t.labels, "-")))
		}
	}
}

// header appends the line that names the columns of a table.
func (s *survey) header(dst []byte, t *table) []byte {
	if t.edge {
		dst = append(dst, ":START_ID,:END_ID,:TYPE,id:string,type:string,src:string,dst:string"...)
	} else {
		dst = append(dst, "id:ID,:LABEL"...)
	}
	for _, name := range t.columns {
		typ := s.cols.types[name]
		dst = append(append(append(append(dst, ','), name...), ':'), csvTypes[typ.kind]...)
		if typ.list {
			dst = append(dst, "[]"...)
		}
	}
	return append(dst, ","+graph.PropsJSON+":string,"+graph.HashProp+":string,scope:string\n"...)
}

// row appends the line of an element.
func (s *survey) row(dst []byte, rec schema.Record[schema.Element], t *table, p graph.Props, o CSVOptions) []byte {
	in, moved := graph.ScopePrefix(o.Scope), s.result.Moved
	cells, rest := s.split(rec.Pos, p, csvFits)
	var hash string
	if e := rec.V.Edge; e != nil {
		hash = graph.Hash(nil, e.Type, string(e.Src), string(e.Dst), p)
		for _, text := range []string{in + string(e.Src), in + string(e.Dst), e.Type, in + string(e.ID), e.Type, string(e.Src), string(e.Dst)} {
			dst = append(quoteCSV(dst, text), ',')
		}
	} else {
		labels := t.labels
		hash = graph.Hash(slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return l == o.BaseLabel }), "", "", "", p)
		if o.BaseLabel != "" {
			labels = append([]string{o.BaseLabel}, labels...)
		}
		dst = append(quoteCSV(dst, in+string(rec.V.Node.ID)), ',')
		dst = append(quoteCSV(dst, strings.Join(labels, arrayDelimiter)), ',')
	}
	for _, name := range t.columns {
		if v, ok := cells[name]; ok {
			if v.Kind == graph.String || v.List {
				dst = quoteCSV(dst, strings.Join(v.Texts, arrayDelimiter))
			} else {
				dst = append(dst, v.Texts[0]...)
			}
		}
		dst = append(dst, ',')
	}
	if rest != "" {
		dst = quoteCSV(dst, rest)
	}
	// An element of which a value found no column has a mark that is not a hash: a load
	// then makes it what it should be.
	if s.result.Moved != moved {
		hash = "-"
	}
	dst = quoteCSV(append(dst, ','), hash)
	dst = quoteCSV(append(dst, ','), o.Scope)
	return append(dst, '\n')
}

// plain makes a safe part of a file name: neo4j-admin reads names as patterns.
func plain(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "none"
	}
	return b.String()[:min(b.Len(), 60)]
}

// quoteCSV appends a quoted field of RFC 4180: always quoted, so that white space at
// the ends and the empty text are kept.
func quoteCSV(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			break
		}
		dst = append(append(dst, s[:i]...), '"', '"')
		s = s[i+1:]
	}
	return append(append(dst, s...), '"')
}

// importCommand is the command over the files that a table has.
func importCommand(s *survey, database string, files func(*table) string) []string {
	// One field must fit the tool's buffer, 4 MiB unless said otherwise.
	buffer := 4 << 20
	for buffer < 2*s.longest+1<<16 {
		buffer *= 2
	}
	cmd := []string{"neo4j-admin", "database", "import", "full", database, "--id-type=string", "--array-delimiter=U+001F", "--multiline-fields=true", "--bad-tolerance=0", "--overwrite-destination"}
	if buffer > 4<<20 {
		cmd = append(cmd, fmt.Sprintf("--read-buffer-size=%dm", buffer>>20))
	}
	for _, t := range s.sorted() {
		if t.edge {
			cmd = append(cmd, "--relationships="+files(t))
		} else {
			cmd = append(cmd, "--nodes="+files(t))
		}
	}
	return cmd
}

func importScript(cmd []string, database string) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n# Import this folder into an empty Neo4j database. The database must be offline.\n# NEO4J_ADMIN names the tool (default neo4j-admin); the first argument the database.\n# The import makes no constraints and indexes: run the scripts of `membench cypher` 00-… after it.\nset -eu\ncd \"$(dirname \"$0\")\"\nexec \"${NEO4J_ADMIN:-neo4j-admin}\" database import full \"${1:-" + database + "}\"")
	for _, arg := range cmd[5:] {
		if strings.Contains(arg, "*") { // a pattern, for the tool and not for the shell
			arg = "'" + arg + "'"
		}
		b.WriteString(" \\\n  " + arg)
	}
	b.WriteString("\n")
	return b.String()
}
