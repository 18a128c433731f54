package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"membench/chain"
	"membench/cypher/neo4j"
	"membench/cypher/neo4j/target"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/catalog"

	"github.com/spf13/cobra"
)

type neo4jSchemaOptions struct {
	target.Target
	out     string
	catalog []string
	json    bool
}

func newNeo4jSchemaCmd(e *env) *cobra.Command {
	o := neo4jSchemaOptions{out: "-"}
	c := &cobra.Command{
		Use:   "schema",
		Short: "Write the reference of node and edge types from a live database, with an example of each",
		Long: `Write what a database holds as a reference in Markdown: every label and every type with
how many there are, which labels the ends have, each property with its types and how often
it is there (counted over all elements), constraints, indexes, and one full example: the
element with most properties, then by id. Meanings come from the catalogue; a label or
type that the catalogue does not know is marked.

The values are read as values over Bolt, so no text in them can break the reference.`,
		Example: `  membench neo4j schema -o reference.md
  membench neo4j schema --scope night-study --json | jq '.types[] | {type, count, ends}'`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runNeo4jSchema(c.Context(), e, o) },
	}
	f := c.Flags()
	addTarget(f, &o.Target)
	f.StringVarP(&o.out, "output", "o", o.out, "`file` to write, - for standard output")
	f.StringArrayVar(&o.catalog, "catalog", nil, "`file` that adds to the vocabulary; may be repeated")
	f.BoolVar(&o.json, "json", false, "write one JSON object instead of Markdown")
	return c
}

func runNeo4jSchema(ctx context.Context, e *env, o neo4jSchemaOptions) error {
	cat, err := chain.LoadCatalog(o.catalog)
	if err != nil {
		return err
	}
	db, err := o.Open(ctx, e.getenv)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx))
	s, err := db.ReadSchema(ctx)
	if err != nil {
		return err
	}
	return writeOut(e, o.out, func(w io.Writer) error {
		if o.json {
			return writeJSON(w, s)
		}
		return writeLiveSchema(w, s, cat)
	})
}

// oursDoc explains the properties that the loader keeps.
var oursDoc = map[string]string{
	"id": "identity, unique", "type": "the relationship's type", "src": "id of the start", "dst": "id of the end",
	"scope": "the graph that it is of", "props_json": "what no property can hold, as JSON", "_hash": "of everything else: an equal one means nothing to write",
}

func writeLiveSchema(w io.Writer, s *neo4j.LiveSchema, cat *catalog.Catalog) error {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# Graph schema of database %s%s\n", cell(s.Database), scopeWords(s.Scope))
	p("%d nodes, %d edges. Every node also has the label `Node`.\n", s.Nodes, s.Edges)
	p("## Nodes\n\n| label | nodes | also | what it is |\n| --- | ---: | --- | --- |")
	for _, k := range s.Labels {
		doc := "not in the catalogue"
		if l, ok := cat.Labels[k.Label]; ok {
			doc = cmp.Or(l.Doc, cat.Entities[k.Label].Doc)
		}
		p("| %s | %d | %s | %s |", code(k.Label), k.Count, codes(k.With), cell(doc))
	}
	for _, k := range s.Labels {
		p("\n### %s\n", code(k.Label))
		writeProps(&b, k.Props, k.Count)
		writeExample(&b, k.Example)
	}
	p("\n## Edges\n\n| type | edges | from → to | what it is |\n| --- | ---: | --- | --- |")
	for _, k := range s.Types {
		doc := "not in the catalogue"
		if t, ok := cat.Edges[k.Type]; ok {
			doc = t.Doc
		}
		p("| %s | %d | %s | %s |", code(k.Type), k.Count, endsWords(k.Ends), cell(doc))
	}
	for _, k := range s.Types {
		p("\n### %s\n", code(k.Type))
		writeProps(&b, k.Props, k.Count)
		writeExample(&b, k.Example)
	}
	writeRules(&b, "Constraints", s.Constraints)
	writeRules(&b, "Indexes", s.Indexes)
	_, err := io.WriteString(w, b.String())
	return err
}

func scopeWords(scope string) string {
	if scope == "" {
		return ""
	}
	return ", scope " + code(scope)
}

func writeProps(b *strings.Builder, props []neo4j.PropKind, of int) {
	b.WriteString("| property | types | on | what it is |\n| --- | --- | ---: | --- |\n")
	for _, q := range props {
		on := fmt.Sprint(q.Count)
		if q.Count == of {
			on = "all"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code(q.Name), codes(q.Types), on, oursDoc[q.Name])
	}
}

// writeExample shows an element as indented JSON in a fence that its text cannot close.
func writeExample(b *strings.Builder, o schema.Object) {
	raw, err := o.MarshalJSON()
	if err != nil || o.Len() == 0 {
		return
	}
	text := string(codec.AppendLayout(nil, raw, codec.Indented))
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n%sjson\n%s\n%s\n", fence, text, fence)
}

func writeRules(b *strings.Builder, title string, rules []neo4j.SchemaRule) {
	if len(rules) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n| name | kind | on | properties |\n| --- | --- | --- | --- |\n", title)
	for _, r := range rules {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code(r.Name), cell(r.Kind), codes(r.On), codes(r.Prop))
	}
}

func endsWords(ends []neo4j.Ends) string {
	var out []string
	for _, x := range ends {
		out = append(out, fmt.Sprintf("%s → %s (%d)", code(x.From), code(x.To), x.Count))
	}
	return strings.Join(out, "<br>")
}

// code is a name in a cell of a table, as code.
func code(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		s = " " + s + " "
	}
	return fence + cell(s) + fence
}

func codes(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = code(s)
	}
	return strings.Join(out, ", ")
}
