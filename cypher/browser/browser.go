// Package browser makes the files with which Neo4j Browser shows a graph: a style (GraSS), saved queries and a short guide, all from the catalogue,
// including your own labels and domains.
package browser

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/internal/atomicfile"
	"membench/schema/catalog"
)

// Folder is the folder of the saved queries in Browser.
const Folder = "membench"

// A Query is a saved query. It works unchanged once the first query has set the parameters: a query about one thing selects it itself unless a parameter names
// it.
type Query struct {
	Name    string `json:"name"` // of its file, without .cypher
	Title   string `json:"title"`
	TitleZH string `json:"title_zh"`
	Doc     string `json:"doc"`
	Text    string `json:"cypher"`
	Table   bool   `json:"table"`          // answers with rows instead of a drawing
	Setup   bool   `json:"setup,omitzero"` // sets the parameters of the others: no Cypher
}

// Parameters are the parameters of the queries with the values that the first saved query sets: nothing is selected, the newest come first.
var Parameters = map[string]any{"who": "", "claim": "", "conversation": "", "files": "", "skip": 0, "limit": 100}

// File is the text of a query's file: Browser takes the comment for the title.
func (q Query) File() string {
	return "// " + q.Title + " · " + q.TitleZH + "\n" + q.Text + "\n"
}

// A style is how a label is drawn.
type style struct {
	fill     string
	diameter int    // px
	caption  string // a property in braces
}

// spare are the colours of labels without one, in turn by name.
var spare = []string{"#d55e00", "#0072b2", "#009e73", "#cc79a7", "#d99000", "#39434f"}

// look is the style of every label.
func look(c *catalog.Catalog) map[string]style {
	out, added := map[string]style{}, 0
	for _, l := range c.LabelsByRank() {
		x := c.Labels[l].Look
		s := style{x.Light, cmp.Or(x.Size, 65), "{" + cmp.Or(x.Caption, "name") + "}"}
		if s.fill == "" {
			s.fill = spare[added%len(spare)]
			added++
		}
		out[l] = s
	}
	return out
}

// Style is the GraSS file: dropped on Browser's window it is applied.
func Style(c *catalog.Catalog) []byte {
	var b bytes.Buffer
	rule := func(selector string, lines ...string) {
		fmt.Fprintf(&b, "%s {\n", selector)
		for _, l := range lines {
			fmt.Fprintf(&b, "  %s;\n", l)
		}
		b.WriteString("}\n")
	}
	node := func(selector string, s style) {
		rule(selector, fmt.Sprintf("diameter: %dpx", s.diameter), "color: "+s.fill, "border-color: "+darker(s.fill), "border-width: 2px",
			"text-color-internal: "+ink(s.fill), "font-size: 10px", fmt.Sprintf("caption: %q", s.caption))
	}
	node("node", style{"#76808c", 50, "{name}"})
	rule("relationship", "color: #a5abb6", "shaft-width: 1px", "font-size: 8px", "padding: 3px", "text-color-external: #39434f",
		"text-color-internal: #ffffff", `caption: "<type>"`)
	// Browser lays all rules that match over each other, the last on top, so the label
	// that Neo4j adds to every node has none.
	looks := look(c)
	for _, l := range slices.Backward(c.LabelsByRank()) {
		node("node."+l, looks[l])
	}
	for _, t := range catalog.Sorted(c.Edges) {
		if r := c.Edges[t].Look; r.Light != "" {
			rule("relationship."+t, "color: "+r.Light, fmt.Sprintf("shaft-width: %dpx", r.Size), "font-size: 8px", "padding: 3px",
				"text-color-external: #39434f", "text-color-internal: #ffffff", `caption: "<type>"`)
		}
	}
	return b.Bytes()
}

// rgb reads #rrggbb.
func rgb(hex string) (c [3]int) {
	fmt.Sscanf(hex, "#%02x%02x%02x", &c[0], &c[1], &c[2])
	return c
}

// darker is a colour for the border.
func darker(hex string) string {
	c := rgb(hex)
	return fmt.Sprintf("#%02x%02x%02x", c[0]*4/5, c[1]*4/5, c[2]*4/5)
}

// ink is black or white, whichever reads better on a colour (luma of ITU-R BT.601).
func ink(hex string) string {
	c := rgb(hex)
	if 299*c[0]+587*c[1]+114*c[2] > 140_000 {
		return "#1b1e23"
	}
	return "#ffffff"
}

// Zip is the queries as one file: dropped on Browser's window they are all saved,
// in the folder membench.
func Zip(queries []Query) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, q := range queries {
		// No time of writing: the same queries are the same bytes.
		w, err := z.CreateHeader(&zip.FileHeader{Name: Folder + "/" + q.Name + ".cypher", Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(w, q.File()); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Guide returns a page in Markdown: how to set up Browser, each query with its text, and the meaning of colours and relationships.
func Guide(c *catalog.Catalog, queries []Query) []byte {
	var b bytes.Buffer
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# The graph in Neo4j Browser · 在 Neo4j Browser 中查看图谱\n")
	p("1. Open Browser (`membench neo4j browser` prints its address) and log in.")
	p("2. Drop `membench.grass` on the window: colours, sizes and captions. `:style reset` undoes it.")
	p("3. Drop `membench-queries.zip` on the window: the queries below appear under Favorites, folder `%s`.", Folder)
	p("4. Run the first one, Parameters, once. Afterwards `:param who => 'user:lin'` chooses a person, `claim` and `conversation` a claim and a conversation by id (as in the property id); `skip` and `limit` turn pages; `files` is put before the path of a source file and makes a link with lines of it, e.g. `:param files => 'https://github.com/me/notes/blob/main/'`. In cypher-shell set each with `:param`.\n")
	p("将 `membench.grass` 与 `membench-queries.zip` 拖入 Browser 窗口，即得样式与下列收藏查询。\n")
	p("A claim (orange) is a statement held to be true. Follow blue down: memory → dialogue turn → source lines. Red leads from a claim to what replaced it.\n")
	p("## Queries · 查询\n")
	for _, q := range queries {
		p("### %s · %s\n\n%s\n\n```cypher\n%s\n```\n", q.Title, q.TitleZH, q.Doc, q.Text)
	}
	p("## Nodes · 节点\n\n| label | colour | caption | what it is |\n| --- | --- | --- | --- |")
	looks := look(c)
	for _, l := range c.LabelsByRank() {
		doc := c.Labels[l].Doc
		if e, ok := c.Entities[l]; ok && doc == "" {
			doc = e.Doc
		}
		p("| %s | `%s` | `%s` | %s |", l, looks[l].fill, strings.Trim(looks[l].caption, "{}"), cell(doc))
	}
	p("\n## Relationships · 关系\n\n| type | from | to | what it is |\n| --- | --- | --- | --- |")
	for _, t := range catalog.Sorted(c.Edges) {
		e := c.Edges[t]
		p("| %s | %s | %s | %s |", t, ends(e.From), ends(e.To), cell(e.Doc))
	}
	p("\n## Predicates · 谓词\n\n| predicate | opposite | domain | meaning | 含义 |\n| --- | --- | --- | --- | --- |")
	for _, name := range catalog.Sorted(c.Predicates) {
		x := c.Predicates[name]
		p("| %s | %s | %s | %s | %s |", name, x.Negative, x.Domain, cell(x.Doc), cell(x.DocZH))
	}
	return b.Bytes()
}

// cell keeps a text within a cell of a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}

func ends(labels []string) string {
	out := slices.Clone(labels)
	for i, l := range out {
		if l == "*" {
			out[i] = "any entity"
		}
	}
	return strings.Join(out, ", ")
}

// WritePack writes the files that a person drops on Browser and reads into a folder: style,
// queries together, guide, then each query. It returns their paths.
func WritePack(dir string, style, guide []byte, queries []Query) ([]string, error) {
	zip, err := Zip(queries)
	if err != nil {
		return nil, err
	}
	type file struct {
		name string
		text []byte
	}
	files := []file{
		{"membench.grass", style},
		{"membench-queries.zip", zip},
		{"guide.md", guide},
	}
	for _, q := range queries {
		files = append(files, file{filepath.Join("queries", q.Name+".cypher"), []byte(q.File())})
	}
	if err := os.MkdirAll(filepath.Join(dir, "queries"), 0o777); err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := atomicfile.Write(path, func(w io.Writer) error { _, err := w.Write(f.text); return err }); err != nil {
			return nil, err
		}
		names = append(names, path)
	}
	return names, nil
}
