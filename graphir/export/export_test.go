package export

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"membench/graph"
	"membench/schema"
)

// hazards are texts that break exports.
var hazards = []string{
	"", " ", " outer white space ", `say "yes"`, `""`, "a;b|c,d", "line\nbreak", "cr\r\nlf", "lone\rcr", "tab\there",
	`back\slash \n \u0060`, "it's `DETACH DELETE n//`", "全角：｜　文字，。", "👩‍👩‍👧 emoji", "\u2028 separator", "<b>&amp;]]>", "null", "true", "1.0", "#", "\ufeffbom", "a\x1fb", "\x01\x7f", "𠮷野家",
}

type graphText struct{ elements []schema.Element }

func (g *graphText) node(id, label string, props func(*schema.ObjectBuilder)) {
	var b schema.ObjectBuilder
	props(&b)
	g.elements = append(g.elements, schema.Element{Node: &schema.Node{ID: schema.NodeID(id), Labels: []string{label}, Props: b.Object()}})
}

func (g *graphText) edge(typ, src, dst string, props func(*schema.ObjectBuilder)) {
	var b schema.ObjectBuilder
	props(&b)
	id := schema.Mint{V: schema.Latest}.Edge(typ, schema.NodeID(src), schema.NodeID(dst))
	g.elements = append(g.elements, schema.Element{Edge: &schema.Edge{ID: id, Type: typ, Src: schema.NodeID(src), Dst: schema.NodeID(dst), Props: b.Object()}})
}

func (g *graphText) source() schema.Seq[schema.Element] {
	return func(yield func(schema.Record[schema.Element], error) bool) {
		for i, e := range g.elements {
			if !yield(schema.Record[schema.Element]{Pos: schema.Pos{File: "g", Line: i + 1}, V: e}, nil) {
				return
			}
		}
	}
}

// hazardGraph has every hazard as value, list item, property of an edge and part of an id.
func hazardGraph() *graphText {
	g := &graphText{}
	m := schema.Mint{V: schema.Latest}
	var ids []string
	for i, h := range hazards {
		id := string(m.Node("topic", fmt.Sprintf("%s %d", h, i)))
		ids = append(ids, id)
		g.node(id, "Topic", func(b *schema.ObjectBuilder) {
			b.String("name", h)
			b.Value("aliases", []string{h, "b"})
			b.Value("one", []string{h})
			b.Raw("rank", []byte(strconv.Itoa(i)))
			b.Raw("confidence", []byte([]string{"1", "0.86", "1.0"}[i%3]))
			b.Raw("none", []byte("null"))
			b.Raw("empty", []byte("[]"))
			b.Raw("nested", []byte(`{"a":[1,null,"`+"x"+`"]}`))
			b.Raw("flag", []byte([]string{"true", "false"}[i%2]))
			b.Raw("ints", []byte(`[1,-2,9007199254740993]`))
			b.Raw("floats", []byte(`[1,2.5]`))
			b.Raw("big", []byte(`123456789012345678901`))
			b.String("id", "mine "+h)
			b.String("odd:name", h)
			b.String("键 值", h)
			if i%5 == 0 {
				b.Raw("mixed", []byte("7"))
			} else {
				b.String("mixed", h)
			}
		})
	}
	for i, h := range hazards {
		g.edge("ABOUT", ids[i], ids[(i+1)%len(ids)], func(b *schema.ObjectBuilder) { b.String("text", h); b.Raw("start_line", []byte("3")) })
	}
	g.edge("SAME_AS", ids[0], ids[0], func(*schema.ObjectBuilder) {})
	return g
}

type memFile struct {
	bytes.Buffer
	closed bool
}

func (f *memFile) Close() error { f.closed = true; return nil }

func csvFiles(t *testing.T, g *graphText, o CSVOptions) (map[string]*memFile, Result) {
	t.Helper()
	files := map[string]*memFile{}
	res, err := AdminCSV(context.Background(), g.source, func(name string) (io.WriteCloser, error) {
		files[name] = &memFile{}
		return files[name], nil
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range files {
		if !f.closed {
			t.Errorf("%s was not closed", name)
		}
	}
	return files, res
}

// Read back by an RFC 4180 reader, every file gives the elements that went in, by
// the mapping of MapProps.
func TestAdminCSVReadsBack(t *testing.T) {
	g := hazardGraph()
	files, res := csvFiles(t, g, CSVOptions{BaseLabel: "Node"})
	if res.Nodes != len(hazards) || res.Edges != len(hazards)+1 || res.LeftOut != 0 {
		t.Fatalf("result: have %+v", res)
	}
	var got []schema.Element
	for _, name := range res.Files {
		if strings.HasSuffix(name, ".csv") {
			got = append(got, readCSV(t, name, files[name].Bytes())...)
		}
	}
	same(t, got, g.elements)
	if !strings.Contains(files["import.sh"].String(), "--nodes=nodes-001-Topic.csv") {
		t.Errorf("import.sh: have\n%s", files["import.sh"])
	}
}

func same(t *testing.T, got, want []schema.Element) {
	t.Helper()
	got, want = slices.Clone(got), slices.Clone(want)
	slices.SortFunc(got, graph.Compare)
	slices.SortFunc(want, graph.Compare)
	if len(got) != len(want) {
		t.Fatalf("have %d elements, want %d", len(got), len(want))
	}
	for i := range got {
		if !graph.SameElement(got[i], want[i]) {
			t.Errorf("%q came back different: %s", want[i].ID(), graph.Fields(want[i], got[i]))
		}
	}
}

// readCSV undoes AdminCSV as the import tool would, props_json unpacked.
func readCSV(t *testing.T, name string, b []byte) (out []schema.Element) {
	t.Helper()
	// encoding/csv turns "\r\n" into "\n" inside quotes: mark it first.
	r := csv.NewReader(bytes.NewReader(bytes.ReplaceAll(b, []byte("\r"), []byte("\ue000"))))
	r.LazyQuotes = false
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	header := rows[0]
	quoted := quotedEmpty(b)
	for n, row := range rows[1:] {
		var props schema.ObjectBuilder
		node, edge := &schema.Node{}, &schema.Edge{}
		for i, cell := range row {
			cell = strings.ReplaceAll(cell, "\ue000", "\r")
			field, typ, _ := strings.Cut(header[i], ":")
			switch header[i] {
			case "id:ID":
				node.ID = schema.NodeID(cell)
				continue
			case ":LABEL":
				node.Labels = strings.Split(cell, arrayDelimiter)[1:] // without the base label
				continue
			case ":START_ID", "src:string":
				edge.Src = schema.NodeID(cell)
				continue
			case ":END_ID", "dst:string":
				edge.Dst = schema.NodeID(cell)
				continue
			case ":TYPE", "type:string":
				edge.Type = cell
				continue
			case "id:string":
				edge.ID = schema.EdgeID(cell)
				continue
			}
			if cell == "" && !quoted[[2]int{n + 1, i}] {
				continue
			}
			if field == "_hash" || field == "scope" {
				continue
			}
			if field == graph.PropsJSON {
				for k, v := range schema.RawObject([]byte(cell)).Members() {
					props.Raw(k, v)
				}
				continue
			}
			field = graph.MemberName(field)
			scalar, list := strings.CutSuffix(typ, "[]")
			items := []string{cell}
			if list {
				items = strings.Split(cell, arrayDelimiter)
			}
			var raw []string
			for _, it := range items {
				if scalar == "string" {
					raw = append(raw, string(appendString(it)))
				} else {
					raw = append(raw, it)
				}
			}
			if list {
				props.Raw(field, []byte("["+strings.Join(raw, ",")+"]"))
			} else {
				props.Raw(field, []byte(raw[0]))
			}
		}
		if node.ID != "" {
			node.Props = props.Object()
			out = append(out, schema.Element{Node: node})
		} else {
			edge.Props = props.Object()
			out = append(out, schema.Element{Edge: edge})
		}
	}
	return out
}

// quotedEmpty finds the cells written as "" (encoding/csv does not tell them from none).
func quotedEmpty(b []byte) map[[2]int]bool {
	out := map[[2]int]bool{}
	row, col, in := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			if !in && i+1 < len(b) && b[i+1] == '"' && (i+2 == len(b) || b[i+2] == ',' || b[i+2] == '\n') {
				out[[2]int{row, col}] = true
				i++
				continue
			}
			in = !in
		case in:
		case b[i] == ',':
			col++
		case b[i] == '\n':
			row, col = row+1, 0
		}
	}
	return out
}

func appendString(s string) []byte {
	var b schema.ObjectBuilder
	b.String("x", s)
	raw, _ := b.Object().Get("x")
	return raw
}

func TestColumnsAreOneTypeEverywhere(t *testing.T) {
	g := &graphText{}
	prop := func(name, raw string) func(*schema.ObjectBuilder) {
		return func(b *schema.ObjectBuilder) { b.Raw(name, []byte(raw)) }
	}
	g.node("topic:1", "Topic", prop("v", "1"))
	g.node("tag:2", "Tag", prop("v", "2.5"))
	g.node("tag:3", "Tag", prop("v", `"three"`))
	g.node("tag:4", "Tag", prop("confidence", "1"))
	var codes []string
	files, res := csvFiles(t, g, CSVOptions{Options: Options{Report: func(f *schema.Finding) { codes = append(codes, f.Error()) }}})
	for name, want := range map[string]string{
		"nodes-001-Tag.csv":   "id:ID,:LABEL,confidence:double,v:double,props_json:string,_hash:string,scope:string\n\"tag:2\",\"Tag\",,2.5,,H\n\"tag:3\",\"Tag\",,,\"{\"\"v\"\":\"\"three\"\"}\",\"-\",\"\"\n\"tag:4\",\"Tag\",1,,,H\n",
		"nodes-002-Topic.csv": "id:ID,:LABEL,v:double,props_json:string,_hash:string,scope:string\n\"topic:1\",\"Topic\",1,,H\n",
	} {
		// A row whose value found no column has a mark for one: a load mends it.
		if have := regexp.MustCompile(`"[0-9a-f]{32}",""\n`).ReplaceAllString(files[name].String(), "H\n"); have != want {
			t.Errorf("%s: have\n%s\nwant\n%s", name, have, want)
		}
	}
	if want := []string{"g:3: /props/v: GRF035: warning: value does not fit its column and is moved to props_json (have string, want float)"}; !slices.Equal(codes, want) || res.Moved != 1 {
		t.Errorf("findings: have %q", codes)
	}
}

func TestFaultsAreLeftOutAndCounted(t *testing.T) {
	g := &graphText{}
	none := func(*schema.ObjectBuilder) {}
	g.node("topic:1", "Topic", none)
	g.node("topic:1", "Topic", none)
	g.edge("E", "topic:1", "topic:2", none)
	g.edge("E", "topic:0", "topic:1", none)
	g.node("topic:bad\x1f", "A\x1fB", none)
	g.elements = append(g.elements, schema.Element{Node: &schema.Node{}}, schema.Element{Node: &schema.Node{ID: "topic:x", Extra: schema.Extra{"n": []byte("1")}}})
	var codes []string
	_, res := csvFiles(t, g, CSVOptions{Options: Options{Report: func(f *schema.Finding) { codes = append(codes, f.Pos.String()+" "+f.Code) }}})
	if want := []string{"g:6 GRF030", "g:7 GRF038", "g:2 GRF033", "g:4 GRF031", "g:3 GRF031", "g:5 GRF036", "g:7 GRF037"}; !slices.Equal(codes, want) {
		t.Errorf("have %v, want %v", codes, want)
	}
	if res.LeftOut != 5 || res.Nodes != 2 || res.Edges != 0 {
		t.Errorf("have %+v", res)
	}
}

func TestFailedWriteFails(t *testing.T) {
	_, err := AdminCSV(context.Background(), hazardGraph().source, func(string) (io.WriteCloser, error) { return nil, errors.New("disk full") }, CSVOptions{})
	if err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("have %v", err)
	}
}

func writeFolder(t *testing.T, g *graphText) (string, Result) {
	t.Helper()
	dir := t.TempDir()
	files, res := csvFiles(t, g, CSVOptions{BaseLabel: "Node"})
	for name, f := range files {
		if err := os.WriteFile(filepath.Join(dir, name), f.Bytes(), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir, res
}
