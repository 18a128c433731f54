package export

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/graph"
	"membench/internal/exttest"
	"membench/schema"
)

// python runs a script on a file and decodes the JSON that it prints.
func python(t *testing.T, py, script, file string, v any) {
	t.Helper()
	cmd := exec.Command(py, "-c", script, file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(out, v); err != nil {
		t.Fatalf("%v in %.300s", err, out)
	}
}

func write(t *testing.T, name string, f func(*bytes.Buffer) (Result, error)) (string, Result) {
	t.Helper()
	var b bytes.Buffer
	res, err := f(&b)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path, res
}

func TestGraphMLInNetworkx(t *testing.T) {
	py := exttest.Python(t, "networkx")
	g := hazardGraph()
	path, res := write(t, "g.graphml", func(b *bytes.Buffer) (Result, error) {
		return GraphML(context.Background(), g.source, b, Options{})
	})
	if res.LeftOut != 0 {
		t.Fatalf("skipped %d", res.LeftOut)
	}
	var got struct {
		Nodes []struct {
			ID    string
			Props map[string]json.RawMessage
		}
		Edges []struct {
			Src, Dst, Key string
			Props         map[string]json.RawMessage
		}
	}
	python(t, py, `
import json, sys, networkx as nx
g = nx.read_graphml(sys.argv[1], force_multigraph=True)
json.dump({"Nodes": [{"ID": n, "Props": d} for n, d in g.nodes(data=True)],
           "Edges": [{"Src": a, "Dst": b, "Key": str(k), "Props": d} for a, b, k, d in g.edges(keys=True, data=True)]}, sys.stdout)
`, path, &got)
	lists := map[string]bool{"aliases": true, "one": true, "ints": true, "floats": true}
	props := func(m map[string]json.RawMessage) schema.Object {
		var b schema.ObjectBuilder
		for k, v := range m {
			switch {
			case k == "labels" || k == "label" || k == "id":
			case k == graph.PropsJSON:
				var text string
				json.Unmarshal(v, &text)
				for k, v := range schema.RawObject([]byte(text)).Members() {
					b.Raw(k, v)
				}
			case lists[k]:
				var text string
				json.Unmarshal(v, &text)
				b.Raw(k, []byte(text))
			default:
				b.Raw(graph.MemberName(k), v)
			}
		}
		return b.Object()
	}
	var elements []schema.Element
	for _, n := range got.Nodes {
		var labels string
		json.Unmarshal(n.Props["labels"], &labels)
		elements = append(elements, schema.Element{Node: &schema.Node{ID: schema.NodeID(n.ID), Labels: strings.Split(labels, ":")[1:], Props: props(n.Props)}})
	}
	for _, e := range got.Edges {
		var typ string
		json.Unmarshal(e.Props["label"], &typ)
		elements = append(elements, schema.Element{Edge: &schema.Edge{ID: schema.EdgeID(e.Key), Type: typ, Src: schema.NodeID(e.Src), Dst: schema.NodeID(e.Dst), Props: props(e.Props)}})
	}
	same(t, elements, g.elements)
}

// evidenceGraph is one walk from a claim to its source.
func evidenceGraph() *graphText {
	g := &graphText{}
	none := func(*schema.ObjectBuilder) {}
	for _, n := range [][2]string{{"claim:P|daily|user:林|tag:a b/c%25", "Claim"}, {"claim:P|daily|user:林|tag:old", "Claim"}, {"mem:ab", "MemoryItem"}, {"event:ch01:1", "Event"}, {"source:norm/ch01.md", "Source"}, {"char:林", "Character"}, {"user:林", "User"}} {
		g.node(n[0], n[1], func(b *schema.ObjectBuilder) {
			b.String("name", n[0])
			b.Raw("confidence", []byte("0.8600000000000001"))
			b.Raw("n", []byte("9007199254740993"))
			b.Raw("tags", []byte(`["x","y","x"]`))
			b.Raw("deep", []byte(`{"a": [1]}`))
		})
	}
	g.edge("EVIDENCED_BY", "claim:P|daily|user:林|tag:a b/c%25", "mem:ab", func(b *schema.ObjectBuilder) { b.String("text", "“喜欢”\n") })
	g.edge("FROM_EVENT", "mem:ab", "event:ch01:1", none)
	g.edge("IN_SOURCE", "event:ch01:1", "source:norm/ch01.md", func(b *schema.ObjectBuilder) { b.Raw("start_line", []byte("12")) })
	g.edge("SUPERSEDED_BY", "claim:P|daily|user:林|tag:old", "claim:P|daily|user:林|tag:a b/c%25", none)
	g.edge("OWNS_MEMORY", "char:林", "mem:ab", none)
	g.edge("SPOKE", "user:林", "event:ch01:1", none)
	return g
}

func TestJSONLDInRDFLib(t *testing.T) {
	py := exttest.Python(t, "rdflib")
	g := evidenceGraph()
	path, res := write(t, "g.jsonld", func(b *bytes.Buffer) (Result, error) {
		return JSONLD(context.Background(), g.source, b, Options{})
	})
	var got struct {
		Walk         [][]string
		Attributed   [][]string
		Revisions    [][]string
		Lines        []string
		Nodes, Edges int
		Floats, Ints []string
		Lists        []string
		Deep         []string
	}
	python(t, py, `
import json, sys, rdflib
from rdflib import RDF
from rdflib.collection import Collection
g = rdflib.Graph().parse(sys.argv[1], format="json-ld")
P, M = rdflib.Namespace("http://www.w3.org/ns/prov#"), rdflib.Namespace("https://membench.dev/ns#")
ids = {s: str(o) for s, o in g.subject_objects(M.id)}
pairs = lambda p: sorted([ids[s], ids[o]] for s, o in g.subject_objects(p))
lines = []
for s, d in g.subject_objects(P.qualifiedDerivation):
    for n in g.objects(d, M.start_line):
        lines.append(f"{ids[s]} {ids[g.value(d, P.entity)]} {n.toPython()}")
json.dump({"Walk": pairs(P.wasDerivedFrom), "Attributed": pairs(P.wasAttributedTo), "Revisions": pairs(P.wasRevisionOf), "Lines": lines,
  "Nodes": len([s for s in ids if (s, RDF.type, M.Edge) not in g]), "Edges": len(list(g.subjects(RDF.type, M.Edge))),
  "Floats": sorted({repr(o.toPython()) for o in g.objects(None, M.confidence)}), "Ints": sorted({str(o.toPython()) for o in g.objects(None, M.n)}),
  "Lists": sorted({" ".join(map(str, Collection(g, o))) for o in g.objects(None, M.tags)}), "Deep": sorted({str(o) for o in g.objects(None, M.props_json)})}, sys.stdout)
`, path, &got)
	const claim, old = "claim:P|daily|user:林|tag:a b/c%25", "claim:P|daily|user:林|tag:old"
	for _, tc := range []struct {
		what       string
		have, want any
	}{
		{"walk", got.Walk, [][]string{{claim, "mem:ab"}, {"event:ch01:1", "source:norm/ch01.md"}, {"mem:ab", "event:ch01:1"}}},
		{"attributed", got.Attributed, [][]string{{"event:ch01:1", "user:林"}, {"mem:ab", "char:林"}}},
		{"revisions", got.Revisions, [][]string{{claim, old}}},
		{"lines", got.Lines, []string{"event:ch01:1 source:norm/ch01.md 12"}},
		{"counts", []int{got.Nodes, got.Edges}, []int{res.Nodes, res.Edges}},
		{"floats", got.Floats, []string{"0.8600000000000001"}},
		{"ints", got.Ints, []string{"9007199254740993"}},
		{"lists", got.Lists, []string{"x y x"}},
		{"deep", got.Deep, []string{`{"deep":{"a":[1]}}`}},
	} {
		h, _ := json.Marshal(tc.have)
		w, _ := json.Marshal(tc.want)
		if !bytes.Equal(h, w) {
			t.Errorf("%s: have %s, want %s", tc.what, h, w)
		}
	}
}

// pyld, the reference processor, expands the hazards as well.
func TestJSONLDInPyLD(t *testing.T) {
	py := exttest.Python(t, "pyld")
	g := hazardGraph()
	path, res := write(t, "g.jsonld", func(b *bytes.Buffer) (Result, error) {
		return JSONLD(context.Background(), g.source, b, Options{})
	})
	var got struct {
		IDs   []string
		Names []string
	}
	python(t, py, `
import json, sys
from pyld import jsonld
doc = json.load(open(sys.argv[1], encoding="utf-8"))
out = jsonld.flatten(doc)
ns = "https://membench.dev/ns#"
json.dump({"IDs": sorted({n[ns + "id"][0]["@value"] for n in out if ns + "id" in n}),
           "Names": [v["@value"] for n in out for v in n.get(ns + "name", [])]}, sys.stdout)
`, path, &got)
	var want []string
	for _, e := range g.elements {
		want = append(want, e.ID())
	}
	slices.Sort(want)
	if !slices.Equal(got.IDs, want) || len(got.IDs) != res.Nodes+res.Edges {
		t.Errorf("ids: have %d, want %d", len(got.IDs), len(want))
	}
	slices.Sort(got.Names)
	names := slices.Clone(hazards)
	slices.Sort(names)
	if !slices.Equal(got.Names, names) {
		t.Errorf("names: have %q", got.Names)
	}
}

func TestGraphMLLeavesOutWhatXMLCannotHold(t *testing.T) {
	g := &graphText{}
	g.node("topic:\x01", "Topic", func(*schema.ObjectBuilder) {})
	g.node("topic:ok", "Topic", func(b *schema.ObjectBuilder) { b.String("v", "\x01"); b.String("labels", "mine") })
	var codes []string
	var b bytes.Buffer
	res, err := GraphML(context.Background(), g.source, &b, Options{Report: func(f *schema.Finding) { codes = append(codes, f.Code) }})
	if err != nil || res.LeftOut != 1 || res.Moved != 1 || !slices.Equal(codes, []string{"GRF036", "GRF035"}) {
		t.Errorf("have %+v %v %v", res, codes, err)
	}
	if !strings.Contains(b.String(), `{&quot;v&quot;:&quot;\u0001&quot;}`) || !strings.Contains(b.String(), `attr.name="p_labels"`) {
		t.Errorf("have %s", b.String())
	}
}

func TestIRIsAreInjective(t *testing.T) {
	seen := map[string]string{}
	for _, s := range append(hazards, "a/b", "a%2Fb", "a b", "a%20b", "a+b", "A", "Å", "é", "e\u0301") {
		iri := encodeIRI(s)
		if other, ok := seen[iri]; ok {
			t.Errorf("%q and %q become %q", other, s, iri)
		}
		seen[iri] = s
	}
}
