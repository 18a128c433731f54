package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"membench/graph"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/catalog"
)

// IRIs of a graph's things: Terms holds labels, types and properties, Things holds
// nodes and edges, each id percent-encoded where an IRI wants it.
const (
	Terms  = "https://membench.dev/ns#"
	Things = "https://membench.dev/id/"
)

// terms is the catalogue whose labels and edge types name PROV-O terms.
var terms = sync.OnceValue(catalog.Default)

// JSONLD writes one JSON-LD 1.1 document, streaming. Each edge is a plain statement (mb:TYPE); an evidence edge is also a PROV-O statement (wasDerivedFrom from
// claim to memory to event to source, wasAttributedTo to the owner of a memory or the speaker of a turn, wasRevisionOf from a claim to the one it replaced) and
// a resource with its id and properties. A derivation is the qualified one (prov:qualifiedDerivation), so that it can have lines and quotes. Floats are typed
// xsd:double by their text, since readers that keep native numbers lose digits.
func JSONLD(ctx context.Context, src Source, w io.Writer, o Options) (Result, error) {
	o = o.withDefaults()
	gate, err := graph.NewGate(ctx, src, graph.GateOptions{Once: o.Once, Report: o.Report})
	if err != nil {
		return Result{}, err
	}
	defer gate.Close()
	bw := bufio.NewWriterSize(w, 1<<16)
	bw.WriteString("{\"@context\":{\"@version\":1.1,\"mb\":\"" + Terms + "\",\"id\":\"" + Things + "\",\"prov\":\"http://www.w3.org/ns/prov#\",\"xsd\":\"http://www.w3.org/2001/XMLSchema#\"},\n\"@graph\":[")
	var res Result
	first := true
	object := func(b *schema.ObjectBuilder) error {
		if !first {
			bw.WriteByte(',')
		}
		first = false
		bw.WriteByte('\n')
		raw, err := b.Object().MarshalJSON()
		if err == nil {
			_, err = bw.Write(raw)
		}
		return err
	}
	res.LeftOut = gate.LeftOut
	err = each(ctx, gate.Elements(), func(_ int, rec schema.Record[schema.Element]) error {
		e := rec.V
		if n := extras(e); n > 0 {
			o.Report(&schema.Finding{Pos: rec.Pos, Code: "GRF037", Message: "members that are not part of the record are not exported", Have: fmt.Sprint(n), Warning: true})
		}
		if e.Node != nil {
			res.Nodes++
			return object(nodeLD(e.Node))
		}
		res.Edges++
		forward, thing := edgeLD(e.Edge)
		if err := object(forward); err != nil {
			return err
		}
		if p := terms().Edges[e.Edge.Type].Prov; p.Back {
			var b schema.ObjectBuilder
			b.String("@id", thingIRI(string(e.Edge.Dst)))
			b.Raw(p.Term, refLD(string(e.Edge.Src)))
			if err := object(&b); err != nil {
				return err
			}
		}
		return object(thing)
	})
	if err != nil {
		return Result{}, err
	}
	bw.WriteString("\n]}\n")
	return res, bw.Flush()
}

func nodeLD(n *schema.Node) *schema.ObjectBuilder {
	b := &schema.ObjectBuilder{}
	b.String("@id", thingIRI(string(n.ID)))
	var types []string
	for _, l := range n.Labels {
		types = append(types, termIRI(l))
	}
	for _, l := range n.Labels {
		if p := terms().Labels[l].Prov; p != "" && !slices.Contains(types, p) {
			types = append(types, p)
		}
	}
	if len(types) > 0 {
		b.Raw("@type", codec.AppendStrings(nil, types))
	}
	b.String("mb:id", string(n.ID))
	propsLD(b, n.Props)
	return b
}

// edgeLD makes the statements about the source, and the edge as a thing.
func edgeLD(e *schema.Edge) (forward, thing *schema.ObjectBuilder) {
	forward, thing = &schema.ObjectBuilder{}, &schema.ObjectBuilder{}
	forward.String("@id", thingIRI(string(e.Src)))
	forward.Raw(termIRI(e.Type), refLD(string(e.Dst)))
	types := []string{"mb:Edge"}
	p := terms().Edges[e.Type].Prov
	derived := p.Term != "" && !p.Back
	if derived {
		forward.Raw(p.Term, refLD(string(e.Dst)))
		forward.Raw("prov:qualifiedDerivation", refLD(string(e.ID)))
		types = append(types, "prov:Derivation")
	}
	thing.String("@id", thingIRI(string(e.ID)))
	thing.Raw("@type", codec.AppendStrings(nil, types))
	thing.String("mb:id", string(e.ID))
	thing.String("mb:type", e.Type)
	thing.Raw("mb:src", refLD(string(e.Src)))
	thing.Raw("mb:dst", refLD(string(e.Dst)))
	if derived {
		thing.Raw("prov:entity", refLD(string(e.Dst)))
	}
	propsLD(thing, e.Props)
	return forward, thing
}

func propsLD(b *schema.ObjectBuilder, o schema.Object) {
	p := graph.MapProps(o)
	for _, q := range p.Stored {
		items := make([]string, len(q.Value.Texts))
		for i, text := range q.Value.Texts {
			switch q.Value.Kind {
			case graph.String:
				items[i] = string(codec.AppendString(nil, text))
			case graph.Float:
				one := jsonValue(graph.Value{Kind: graph.Float, Texts: []string{text}})
				items[i] = `{"@value":"` + string(one) + `","@type":"xsd:double"}`
			case graph.Int: // native numbers are read as doubles by some: 2^53+1 would be lost
				items[i] = `{"@value":"` + text + `","@type":"xsd:integer"}`
			default:
				items[i] = text
			}
		}
		value := items[0]
		if q.Value.List {
			value = `{"@list":[` + strings.Join(items, ",") + `]}`
		}
		b.Raw(termIRI(q.Name), []byte(value))
	}
	if p.Rest.Len() > 0 {
		raw, _ := p.Rest.MarshalJSON()
		b.String("mb:"+graph.PropsJSON, string(codec.AppendLayout(nil, raw, codec.Compact)))
	}
}

func refLD(id string) []byte {
	return []byte(`{"@id":` + string(codec.AppendString(nil, thingIRI(id))) + `}`)
}

func thingIRI(id string) string  { return "id:" + encodeIRI(id) }
func termIRI(name string) string { return "mb:" + encodeIRI(name) }

// encodeIRI percent-encodes what may not be in a segment of an IRI, '%' and '/'
// included; letters of any script stay. No two texts become one.
func encodeIRI(s string) string {
	return schema.PercentEncode(s, func(r rune) bool {
		return !(r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_' || r == '~' || ucschar(r))
	})
}

// ucschar is the production of RFC 3987, the planes above the first left to encoding.
func ucschar(r rune) bool {
	return r >= 0x3041 && r <= 0xd7ff || r >= 0xf900 && r <= 0xfdcf || r >= 0xff01 && r <= 0xffef
}
