package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"membench/graph"
	"membench/schema"
	"membench/schema/catalog"
)

// GraphML has no lists: a list is written as JSON text in a key whose description says so.

// xmlFits says which properties GraphML can hold: XML 1.0 has no place for control
// characters, however written.
func xmlFits(p graph.Prop) bool {
	for _, text := range p.Value.Texts {
		if !xmlText(text) {
			return false
		}
	}
	return xmlText(p.Name)
}

func xmlText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
	})
}

func xmlOK(e schema.Element, _ graph.Props) *schema.Finding {
	texts := []string{e.ID()}
	if e.Edge != nil {
		texts = append(texts, e.Edge.Type)
	} else {
		texts = append(texts, e.Node.Labels...)
	}
	for _, s := range texts {
		if !xmlText(s) {
			return &schema.Finding{Code: "GRF036", Message: "id, label or type holds control characters, which XML cannot hold; skipped", Have: fmt.Sprintf("%q", s), Hint: "membench migrate --to 0.1.0 escapes them in ids"}
		}
	}
	return nil
}

// GraphML writes one directed graph. A node's labels are in the key "labels" as
// ":A:B", an edge's type in the key "label", as APOC writes them; a property of one of
// these names gets the prefix "p_".
func GraphML(ctx context.Context, src Source, w io.Writer, o Options) (Result, error) {
	o = o.withDefaults()
	gate, err := graph.NewGate(ctx, src, graph.GateOptions{Once: o.Once, Report: o.Report})
	if err != nil {
		return Result{}, err
	}
	defer gate.Close()
	s, err := look(ctx, gate, o, xmlOK, xmlFits)
	if err != nil {
		return Result{}, err
	}
	bw := bufio.NewWriterSize(w, 1<<16)
	bw.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n")
	bw.WriteString("<key id=\"labels\" for=\"node\" attr.name=\"labels\" attr.type=\"string\"/>\n<key id=\"label\" for=\"edge\" attr.name=\"label\" attr.type=\"string\"/>\n")
	keys := map[string]string{} // property → key
	names := catalog.Sorted(s.cols.types)
	for i, name := range append(names, graph.PropsJSON) {
		key := fmt.Sprintf("d%d", i)
		keys[name] = key
		typ, desc := "string", ""
		switch t := s.cols.types[name]; {
		case name == graph.PropsJSON:
			desc = "what no property can hold, as JSON"
		case t.list:
			desc = "JSON " + t.String()
		default:
			typ = csvTypes[t.kind]
		}
		fmt.Fprintf(bw, "<key id=\"%s\" for=\"all\" attr.name=\"%s\" attr.type=\"%s\"", key, escapeXML(xmlName(name)), typ)
		if desc != "" {
			fmt.Fprintf(bw, "><desc>%s</desc></key>\n", desc)
		} else {
			bw.WriteString("/>\n")
		}
	}
	bw.WriteString("<graph id=\"membench\" edgedefault=\"directed\">\n")
	err = s.again(ctx, gate, func(rec schema.Record[schema.Element], t *table, p graph.Props) error {
		cells, rest := s.split(rec.Pos, p, xmlFits)
		closing := "</node>\n"
		if e := rec.V.Edge; e != nil {
			closing = "</edge>\n"
			fmt.Fprintf(bw, "<edge id=\"%s\" source=\"%s\" target=\"%s\"><data key=\"label\">%s</data>", escapeXML(string(e.ID)), escapeXML(string(e.Src)), escapeXML(string(e.Dst)), escapeXML(e.Type))
		} else {
			fmt.Fprintf(bw, "<node id=\"%s\">", escapeXML(string(rec.V.Node.ID)))
			if len(rec.V.Node.Labels) > 0 {
				fmt.Fprintf(bw, "<data key=\"labels\">%s</data>", escapeXML(":"+strings.Join(rec.V.Node.Labels, ":")))
			}
		}
		for _, name := range t.columns {
			v, ok := cells[name]
			if !ok {
				continue
			}
			text := v.Texts[0]
			if v.List {
				text = string(jsonValue(v))
			}
			fmt.Fprintf(bw, "<data key=\"%s\">%s</data>", keys[name], escapeXML(text))
		}
		if rest != "" {
			fmt.Fprintf(bw, "<data key=\"%s\">%s</data>", keys[graph.PropsJSON], escapeXML(rest))
		}
		_, err := bw.WriteString(closing)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	bw.WriteString("</graph>\n</graphml>\n")
	return s.result, bw.Flush()
}

// xmlName keeps properties apart from GraphML's own two.
func xmlName(name string) string {
	bare := name
	for strings.HasPrefix(bare, "p_") {
		bare = bare[2:]
	}
	if bare == "label" || bare == "labels" {
		return "p_" + name
	}
	return name
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\"", "&quot;", "\n", "&#10;", "\r", "&#13;", "\t", "&#9;")

func escapeXML(s string) string { return xmlEscapes.Replace(s) }
