package neo4j

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/catalog"
)

// oursDoc explains the properties that the loader keeps.
var oursDoc = map[string]string{
	"id": "identity, unique", "type": "the relationship's type", "src": "id of the start", "dst": "id of the end",
	"scope": "the graph that it is of", "props_json": "what no property can hold, as JSON", "_hash": "of everything else: an equal one means nothing to write",
}

// WriteMarkdown writes the schema as a reference. Meanings come from the catalogue.
func (s *LiveSchema) WriteMarkdown(w io.Writer, cat *catalog.Catalog) error {
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
		p("| %s | %d | %s | %s |", codeOf(k.Label), k.Count, codeList(k.With), cell(doc))
	}
	for _, k := range s.Labels {
		p("\n### %s\n", codeOf(k.Label))
		writeProps(&b, k.Props, k.Count)
		writeExample(&b, k.Example)
	}
	p("\n## Edges\n\n| type | edges | from → to | what it is |\n| --- | ---: | --- | --- |")
	for _, k := range s.Types {
		doc := "not in the catalogue"
		if t, ok := cat.Edges[k.Type]; ok {
			doc = t.Doc
		}
		p("| %s | %d | %s | %s |", codeOf(k.Type), k.Count, endsWords(k.Ends), cell(doc))
	}
	for _, k := range s.Types {
		p("\n### %s\n", codeOf(k.Type))
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
	return ", scope " + codeOf(scope)
}

func writeProps(b *strings.Builder, props []PropKind, of int) {
	b.WriteString("| property | types | on | what it is |\n| --- | --- | ---: | --- |\n")
	for _, q := range props {
		on := fmt.Sprint(q.Count)
		if q.Count == of {
			on = "all"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", codeOf(q.Name), codeList(q.Types), on, oursDoc[q.Name])
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

func writeRules(b *strings.Builder, title string, rules []SchemaRule) {
	if len(rules) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n| name | kind | on | properties |\n| --- | --- | --- | --- |\n", title)
	for _, r := range rules {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", codeOf(r.Name), cell(r.Kind), codeList(r.On), codeList(r.Prop))
	}
}

func endsWords(ends []Ends) string {
	var out []string
	for _, x := range ends {
		out = append(out, fmt.Sprintf("%s → %s (%d)", codeOf(x.From), codeOf(x.To), x.Count))
	}
	return strings.Join(out, "<br>")
}

// code is a name in a cell of a table, as code.
func codeOf(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		s = " " + s + " "
	}
	return fence + cell(s) + fence
}

func codeList(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = codeOf(s)
	}
	return strings.Join(out, ", ")
}

// cell is a text in a cell of a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "|", "\\|"), "\n", " ")
}
