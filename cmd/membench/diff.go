package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/graph"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type diffOptions struct {
	a, b    string
	ignore  []string
	out     string // of jsonl
	json    bool
	jsonl   bool
	summary bool
}

func newDiffCmd(e *env) *cobra.Command {
	o := diffOptions{out: "-"}
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two graphs or claim sets by meaning",
		Long: `Compare two graphs or two claim sets by meaning: what was added, removed and changed
from A to B, by kind.

A and B are graph folders, claims folders, or single files of nodes, edges, claims or
entities. Records are compared by id as a database holds them: null and an empty
list are absent, 1 is 1.0, the order of members and of labels does not count, the
order of other lists does. Sorted inputs, as to-graph and compile-claims write
them, are compared in constant memory; others, and standard input, are sorted in
memory first (their size and about 500 bytes a record).

--jsonl writes the changes that turn A into B, one a line: what load-neo4j --delta sends.
Equal inputs exit with 0, different ones with 3.`,
		Example: `  membench diff out/old/graph out/new/graph --summary
  membench diff old/claims new/claims --ignore-props updated_at
  membench diff a/nodes.jsonl b/nodes.jsonl.zst --jsonl | jq -r .op | sort | uniq -c`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			o.a, o.b = args[0], args[1]
			switch {
			case o.a == "-" && o.b == "-":
				return usagef("only one side can be standard input")
			case o.json && o.jsonl:
				return usagef("--json and --jsonl exclude each other: a report, or the changes")
			case o.out != "-" && !o.jsonl:
				return usagef("-o is for --jsonl")
			}
			return runDiff(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.ignore, "ignore-props", nil, "`names` of properties and members that do not count, with commas")
	f.BoolVar(&o.summary, "summary", false, "print the counts only")
	f.BoolVar(&o.json, "json", false, "print one JSON object with the counts")
	f.BoolVar(&o.jsonl, "jsonl", false, "print the changes as JSON Lines")
	f.StringVarP(&o.out, "output", "o", o.out, "`file` of --jsonl")
	return c
}

// diffCount is one line of the summary.
type diffCount struct {
	Kind    string         `json:"kind"` // node, edge, claim, entity
	Label   string         `json:"label"`
	Added   int            `json:"added"`
	Removed int            `json:"removed"`
	Changed int            `json:"changed"`
	Members map[string]int `json:"members,omitempty"` // how often each member or property changed
}

type diffReport struct {
	Equal    bool           `json:"equal"`
	Added    int            `json:"added"`
	Removed  int            `json:"removed"`
	Changed  int            `json:"changed"`
	Counts   []*diffCount   `json:"counts"`
	Findings map[string]int `json:"findings,omitempty"`
}

func (r *diffReport) at(kind, label string) *diffCount {
	for _, c := range r.Counts {
		if c.Kind == kind && c.Label == label {
			return c
		}
	}
	c := &diffCount{Kind: kind, Label: label}
	r.Counts = append(r.Counts, c)
	return c
}

func runDiff(ctx context.Context, e *env, o diffOptions) error {
	files := [2][]string{}
	kinds := [2]string{}
	for i, path := range []string{o.a, o.b} {
		var err error
		if files[i], kinds[i], err = diffFiles(path); err != nil {
			return err
		}
	}
	if kinds[0] == "" {
		kinds[0] = kinds[1]
	}
	if kinds[1] == "" {
		kinds[1] = kinds[0]
	}
	if kinds[0] != kinds[1] {
		return fmt.Errorf("%s holds %s and %s holds %s: they cannot be compared", o.a, kinds[0], o.b, kinds[1])
	}
	rep := &diffReport{Counts: []*diffCount{}}
	t := newTally(e, 20)
	var err error
	if kinds[0] == "statements" {
		err = diffStatements(ctx, e, o, files, rep, t)
	} else {
		err = diffElements(ctx, e, o, files, rep, t)
	}
	if err != nil {
		return err
	}
	t.summary()
	slices.SortFunc(rep.Counts, func(a, b *diffCount) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Label, b.Label))
	})
	for _, c := range rep.Counts {
		rep.Added += c.Added
		rep.Removed += c.Removed
		rep.Changed += c.Changed
	}
	rep.Equal = rep.Added+rep.Removed+rep.Changed == 0
	if len(t.byCode) > 0 {
		rep.Findings = t.byCode
	}
	switch {
	case o.json:
		err = writeJSON(e.out, rep)
	case o.jsonl:
		writeDiffSummary(e.err, rep)
	default:
		err = writeDiffSummary(e.text(), rep)
	}
	if err != nil {
		return err
	}
	if !rep.Equal || t.errors > 0 {
		return errFindings
	}
	return nil
}

func writeDiffSummary(w io.Writer, rep *diffReport) error {
	if rep.Equal {
		_, err := fmt.Fprintln(w, "equal")
		return err
	}
	for _, c := range rep.Counts {
		line := fmt.Sprintf("%-6s %-18s +%d -%d ~%d", c.Kind, c.Label, c.Added, c.Removed, c.Changed)
		var members []string
		for name, n := range c.Members {
			members = append(members, fmt.Sprintf("%s %d", name, n))
		}
		slices.Sort(members)
		if len(members) > 0 {
			line += "  (" + strings.Join(members, ", ") + ")"
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d added, %d removed, %d changed\n", rep.Added, rep.Removed, rep.Changed)
	return err
}

// step is one change of either kind, ready to print and count.
type step struct {
	kind, label, id string
	op              byte // '+', '-', '~'
	fields          []graph.FieldChange
}

// diffTo drains changes: each is counted, then printed or written as a line.
func diffTo[C any](e *env, o diffOptions, rep *diffReport, t *tally, changes iter.Seq2[C, error], read func(C) step) error {
	drain := func(w *bufio.Writer) error {
		for c, err := range changes {
			if err != nil {
				if err := t.take(err); err != nil {
					return err
				}
				continue
			}
			s := read(c)
			n := rep.at(s.kind, s.label)
			switch s.op {
			case '+':
				n.Added++
			case '-':
				n.Removed++
			default:
				n.Changed++
				if n.Members == nil {
					n.Members = map[string]int{}
				}
				for _, f := range s.fields {
					n.Members[f.Name]++
				}
			}
			switch {
			case o.jsonl:
				b, err := codec.Append(w.AvailableBuffer(), c, codec.Compact)
				if err != nil {
					return err
				}
				if _, err := w.Write(append(b, '\n')); err != nil {
					return err
				}
			case !o.json && !o.summary:
				fmt.Fprintf(w, "%c %s %s\n", s.op, s.label, oneLine(s.id, 0))
				for _, f := range s.fields {
					fmt.Fprintf(w, "    %s: %s → %s\n", f.Name, shown(f.Old), shown(f.New))
				}
			}
		}
		return w.Flush()
	}
	if o.jsonl && o.out != "-" {
		return writeOut(e, o.out, func(w io.Writer) error { return drain(bufio.NewWriter(w)) })
	}
	out := e.out
	if !o.jsonl {
		out = e.text()
	}
	return drain(bufio.NewWriterSize(out, 1<<16))
}

func shown(raw []byte) string {
	if raw == nil {
		return "absent"
	}
	return oneLine(string(raw), 160)
}

func changeMark(old, new bool) byte {
	switch {
	case old && new:
		return '~'
	case old:
		return '-'
	}
	return '+'
}

func diffElements(ctx context.Context, e *env, o diffOptions, files [2][]string, rep *diffReport, t *tally) error {
	var in [2]schema.Seq[schema.Element]
	for i := range in {
		in[i] = whileOpen(ctx, jsonl.Files[schema.Element](files[i], e.in))
		if sorted, err := inOrder(files[i], nodeEdgeKey); err != nil {
			return err
		} else if !sorted {
			in[i] = graph.Sort(in[i], graph.Compare)
		}
	}
	return diffTo(e, o, rep, t, graph.Diff(in[0], in[1], o.ignore...), func(c schema.Change) step {
		one := c.New
		if one.IsZero() {
			one = c.Old
		}
		s := step{kind: "node", id: one.ID(), op: changeMark(!c.Old.IsZero(), !c.New.IsZero()), fields: graph.Fields(c.Old, c.New, o.ignore...)}
		if one.Edge != nil {
			s.kind, s.label = "edge", one.Edge.Type
		} else {
			s.label = strings.Join(one.Node.Labels, ":")
		}
		return s
	})
}

func diffStatements(ctx context.Context, e *env, o diffOptions, files [2][]string, rep *diffReport, t *tally) error {
	var in [2]schema.Seq[schema.Statement]
	for i := range in {
		in[i] = whileOpen(ctx, jsonl.Files[schema.Statement](files[i], e.in))
		if sorted, err := inOrder(files[i], statementKey); err != nil {
			return err
		} else if !sorted {
			in[i] = graph.Sort(in[i], graph.CompareStatements)
		}
	}
	return diffTo(e, o, rep, t, graph.DiffStatements(in[0], in[1], o.ignore...), func(c graph.StatementChange) step {
		one := c.New
		if one.Claim == nil && one.Entity == nil {
			one = c.Old
		}
		has := func(s schema.Statement) bool { return s.Claim != nil || s.Entity != nil }
		s := step{id: c.ID(), op: changeMark(has(c.Old), has(c.New))}
		if s.op == '~' {
			s.fields = graph.StatementFields(c.Old, c.New, o.ignore...)
		}
		if one.Claim != nil {
			s.kind, s.label = "claim", one.Claim.Predicate
		} else {
			s.kind, s.label = "entity", one.Entity.Type
		}
		return s
	})
}

// whileOpen ends a stream when ctx does.
func whileOpen[T any](ctx context.Context, in schema.Seq[T]) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for rec, err := range in {
			if ctx.Err() != nil {
				yield(rec, ctx.Err())
				return
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// diffFiles finds the files of one side in the order in which they are compared, and
// what they hold: elements, statements, or "" when no record says.
func diffFiles(path string) (files []string, kind string, err error) {
	if path == "-" {
		return []string{path}, "", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", err
	}
	if info.IsDir() {
		if files, err := graph.Files(path); err == nil {
			return files, "elements", nil
		}
		for _, dir := range []string{path, filepath.Join(path, "compiled"), filepath.Join(path, "claims")} {
			if files := claimFilesIn(dir); len(files) > 0 {
				return files, "statements", nil
			}
		}
		return nil, "", fmt.Errorf("%s: have neither a graph (nodes.jsonl, edges.jsonl) nor claims (entities.jsonl, claims.jsonl, or one file a conversation)", path)
	}
	r, err := jsonl.Open(path, nil)
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	for line, err := range jsonl.Lines(r, path, 0) {
		if err != nil {
			return nil, "", err
		}
		var o schema.Object
		if codec.Unmarshal(line.Bytes, &o) != nil {
			continue
		}
		kind = "elements"
		if _, ok := o.Get("record_type"); ok {
			kind = "statements"
		}
		break
	}
	return []string{path}, kind, nil
}

// claimFilesIn lists entities.jsonl and claims.jsonl, else every JSONL file of the folder.
func claimFilesIn(dir string) []string {
	all, err := inputFiles([]string{dir}, ".jsonl")
	if err != nil {
		return nil
	}
	var compiled []string
	for _, name := range []string{"entities.jsonl", "claims.jsonl"} {
		for _, f := range all {
			if jsonl.PlainName(filepath.Base(f)) == name {
				compiled = append(compiled, f)
			}
		}
	}
	if len(compiled) > 0 {
		return compiled
	}
	return all
}

// inOrder reads only the keys of the records: standard input and a file that is out
// of order are to be sorted.
func inOrder(files []string, key func(line []byte) []string) (bool, error) {
	var last []string
	for _, name := range files {
		if name == "-" {
			return false, nil
		}
		r, err := jsonl.Open(name, nil)
		if err != nil {
			return false, err
		}
		sorted := true
		for line, err := range jsonl.Lines(r, name, 0) {
			if err != nil {
				r.Close()
				return false, err
			}
			if line.TooLong {
				continue
			}
			k := key(line.Bytes)
			if k == nil {
				continue
			}
			if slices.Compare(last, k) > 0 {
				sorted = false
				break
			}
			last = k
		}
		if err := errors.Join(r.Close()); err != nil {
			return false, err
		}
		if !sorted {
			return false, nil
		}
	}
	return true, nil
}

// nodeEdgeKey and statementKey give the parts of graph.Compare and
// graph.CompareStatements; nil for a line that is no object, which the diff reports.
func nodeEdgeKey(line []byte) []string {
	if !codec.Valid(line) {
		return nil
	}
	var id string
	rank := "0"
	for k, v := range codec.Members(line) {
		switch k {
		case "id":
			id = codec.Unquote(v)
		case "src", "dst", "type":
			rank = "1"
		}
	}
	if id == "" {
		return nil
	}
	return []string{rank, id}
}

func statementKey(line []byte) []string {
	if !codec.Valid(line) {
		return nil
	}
	m := map[string]string{}
	for k, v := range codec.Members(line) {
		switch k {
		case "record_type", "entity_type", "entity_id", "domain", "predicate", "claim_id":
			m[k] = codec.Unquote(v)
		}
	}
	switch m["record_type"] {
	case "entity":
		return []string{"0", m["entity_type"], m["entity_id"]}
	case "claim":
		return []string{"1", m["domain"], m["predicate"], m["claim_id"]}
	}
	return nil
}
