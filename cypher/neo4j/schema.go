package neo4j

import (
	"context"
	"fmt"
	"slices"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/schema"
)

// A LiveSchema is the content of a database, by label and by type. Everything is read from the server as values, not from printed text; properties are counted
// over all elements, not a sample.
type LiveSchema struct {
	Database    string       `json:"database"`
	Scope       string       `json:"scope,omitzero"`
	Nodes       int          `json:"nodes"`
	Edges       int          `json:"edges"`
	Labels      []LabelKind  `json:"labels"`
	Types       []TypeKind   `json:"types"`
	Constraints []SchemaRule `json:"constraints"`
	Indexes     []SchemaRule `json:"indexes"` // without the constraints' indexes
}

// LabelKind is the nodes of one label; a node of several labels is in several.
type LabelKind struct {
	Label   string        `json:"label"`
	Count   int           `json:"count"`
	With    []string      `json:"with"` // other labels on the same nodes
	Props   []PropKind    `json:"properties"`
	Example schema.Object `json:"example"` // id, labels and all properties of the node that has most; of a vector its length
}

// TypeKind is the relationships of one type.
type TypeKind struct {
	Type    string        `json:"type"`
	Count   int           `json:"count"`
	Ends    []Ends        `json:"ends"`
	Props   []PropKind    `json:"properties"`
	Example schema.Object `json:"example"`
}

// Ends are the labels of both ends of relationships, joined by ":".
type Ends struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Count int    `json:"count"`
}

// PropKind is a property: on how many elements it is, and the types of its values in
// Neo4j's words.
type PropKind struct {
	Name  string   `json:"name"`
	Types []string `json:"types"`
	Count int      `json:"count"`
}

// SchemaRule is a constraint or an index.
type SchemaRule struct {
	Name string   `json:"name"`
	Kind string   `json:"kind"`
	On   []string `json:"on"` // labels or types
	Prop []string `json:"properties"`
}

// ReadSchema describes the scope. It reads every element once per question: about a
// second for 100,000 elements.
func (db *DB) ReadSchema(ctx context.Context) (*LiveSchema, error) {
	s := &LiveSchema{Database: db.Database(), Scope: db.scope, Labels: []LabelKind{}, Types: []TypeKind{}}
	err := db.in(ctx, false, func(t *tx) error {
		r := &schemaReader{db: db, tx: t, s: s, label: map[string]int{}, typ: map[string]int{}}
		*s = LiveSchema{Database: s.Database, Scope: s.Scope, Labels: []LabelKind{}, Types: []TypeKind{}, Constraints: []SchemaRule{}, Indexes: []SchemaRule{}}
		for _, step := range []func() error{r.labels, r.nodeProps, r.nodeExamples, r.types, r.edgeProps, r.edgeExamples, r.rules} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	return s, err
}

type schemaReader struct {
	db         *DB
	tx         *tx
	s          *LiveSchema
	label, typ map[string]int // index in s
}

func (r *schemaReader) run(text string, row func(v []any)) error {
	_, err := r.tx.run(text, r.db.with(nil), func(v []any) error { row(v); return nil })
	return err
}

func (r *schemaReader) nodes() string { return "MATCH (n:" + baseLabel + ") WHERE " + r.db.owned("n") }

func (r *schemaReader) edges() string {
	return "MATCH (a:" + baseLabel + ")-[r]->(b:" + baseLabel + ") WHERE " + r.db.owned("a")
}

func (r *schemaReader) labels() error {
	err := r.run(r.nodes()+" RETURN labels(n), count(*)", func(v []any) {
		set, n := own(v[0]), number(v[1])
		r.s.Nodes += n
		for _, l := range set {
			i, ok := r.label[l]
			if !ok {
				i = len(r.s.Labels)
				r.label[l] = i
				r.s.Labels = append(r.s.Labels, LabelKind{Label: l, With: []string{}, Props: []PropKind{}})
			}
			k := &r.s.Labels[i]
			k.Count += n
			for _, other := range set {
				if other != l && !slices.Contains(k.With, other) {
					k.With = append(k.With, other)
				}
			}
		}
	})
	slices.SortFunc(r.s.Labels, func(a, b LabelKind) int { return strings.Compare(a.Label, b.Label) })
	for i := range r.s.Labels {
		slices.Sort(r.s.Labels[i].With)
		r.label[r.s.Labels[i].Label] = i
	}
	return err
}

func (r *schemaReader) nodeProps() error {
	return r.run(r.nodes()+" UNWIND labels(n) AS l UNWIND keys(n) AS k RETURN l, k, valueType(n[k]) AS t, count(*) ORDER BY l, k, t", func(v []any) {
		if i, ok := r.label[text(v[0])]; ok {
			addProp(&r.s.Labels[i].Props, v[1:])
		}
	})
}

func (r *schemaReader) nodeExamples() error {
	for i := range r.s.Labels {
		k := &r.s.Labels[i]
		err := r.run(r.nodes()+" AND n:"+quoted(k.Label)+" RETURN n ORDER BY size(keys(n)) DESC, n.id LIMIT 1", func(v []any) {
			if n, ok := v[0].(driver.Node); ok {
				k.Example = example(n.Props, func(b *schema.ObjectBuilder) { b.Raw("labels", raw(anys(own(n.Labels)))) }, "id")
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *schemaReader) types() error {
	err := r.run(r.edges()+" RETURN type(r) AS t, labels(a), labels(b), count(*) AS n ORDER BY t", func(v []any) {
		t := text(v[0])
		i, ok := r.typ[t]
		if !ok {
			i = len(r.s.Types)
			r.typ[t] = i
			r.s.Types = append(r.s.Types, TypeKind{Type: t, Ends: []Ends{}, Props: []PropKind{}})
		}
		k, e := &r.s.Types[i], Ends{strings.Join(own(v[1]), ":"), strings.Join(own(v[2]), ":"), number(v[3])}
		k.Count += e.Count
		r.s.Edges += e.Count
		// The server distinguishes orders of one set of labels; this code does not.
		if j := slices.IndexFunc(k.Ends, func(x Ends) bool { return x.From == e.From && x.To == e.To }); j >= 0 {
			k.Ends[j].Count += e.Count
			return
		}
		k.Ends = append(k.Ends, e)
	})
	for i := range r.s.Types {
		slices.SortFunc(r.s.Types[i].Ends, func(a, b Ends) int { return strings.Compare(a.From+"\x00"+a.To, b.From+"\x00"+b.To) })
	}
	return err
}

func (r *schemaReader) edgeProps() error {
	return r.run(r.edges()+" UNWIND keys(r) AS k RETURN type(r) AS y, k, valueType(r[k]) AS t, count(*) ORDER BY y, k, t", func(v []any) {
		if i, ok := r.typ[text(v[0])]; ok {
			addProp(&r.s.Types[i].Props, v[1:])
		}
	})
}

func (r *schemaReader) edgeExamples() error {
	for i := range r.s.Types {
		k := &r.s.Types[i]
		err := r.run("MATCH (a:"+baseLabel+")-[r:"+quoted(k.Type)+"]->(b:"+baseLabel+") WHERE "+r.db.owned("a")+
			" RETURN r, a.id, b.id ORDER BY size(keys(r)) DESC, r.id LIMIT 1", func(v []any) {
			if e, ok := v[0].(driver.Relationship); ok {
				k.Example = example(e.Props, func(b *schema.ObjectBuilder) {
					b.Raw("from", raw(v[1]))
					b.Raw("to", raw(v[2]))
				}, "id", "type", "src", "dst")
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *schemaReader) rules() error {
	err := r.run("SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties RETURN name, type, labelsOrTypes, properties ORDER BY name", func(v []any) {
		r.s.Constraints = append(r.s.Constraints, SchemaRule{text(v[0]), text(v[1]), texts(v[2]), texts(v[3])})
	})
	if err != nil {
		return err
	}
	return r.run("SHOW INDEXES YIELD name, type, labelsOrTypes, properties, owningConstraint WHERE owningConstraint IS NULL AND type <> 'LOOKUP' RETURN name, type, labelsOrTypes, properties ORDER BY name", func(v []any) {
		r.s.Indexes = append(r.s.Indexes, SchemaRule{text(v[0]), text(v[1]), texts(v[2]), texts(v[3])})
	})
}

// addProp adds (name, type, count) of an answer that is in order of names.
func addProp(to *[]PropKind, v []any) {
	name, typ, n := text(v[0]), strings.ReplaceAll(text(v[1]), " NOT NULL", ""), number(v[2])
	if last := len(*to) - 1; last >= 0 && (*to)[last].Name == name {
		p := &(*to)[last]
		p.Count += n
		if !slices.Contains(p.Types, typ) {
			p.Types = append(p.Types, typ)
		}
		return
	}
	*to = append(*to, PropKind{Name: name, Types: []string{typ}, Count: n})
}

// example returns an element as the database holds it: the named properties, those of ends, then the other properties by name.
func example(props map[string]any, ends func(*schema.ObjectBuilder), first ...string) schema.Object {
	var b schema.ObjectBuilder
	for _, k := range first {
		if v, ok := props[k]; ok {
			b.Raw(k, raw(v))
		}
	}
	ends(&b)
	var names []string
	for k := range props {
		if !slices.Contains(first, k) {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	var rest schema.ObjectBuilder
	for _, k := range names {
		v := props[k]
		if list, ok := v.([]any); ok && k == vectorProp {
			v = fmt.Sprintf("(%d numbers)", len(list)) // a vector is not readable
		}
		rest.Raw(k, raw(v))
	}
	if o := rest.Object(); o.Len() > 0 {
		if text, err := o.MarshalJSON(); err == nil {
			b.Raw("properties", text)
		}
	}
	return b.Object()
}

// own are the labels of a node, sorted, without the one that every node has.
func own(v any) []string {
	var out []string
	switch v := v.(type) {
	case []string:
		out = slices.Clone(v)
	default:
		out = texts(v)
	}
	out = slices.DeleteFunc(out, func(l string) bool { return l == baseLabel })
	slices.Sort(out)
	return out
}

func anys(s []string) []any {
	out := make([]any, len(s))
	for i := range s {
		out[i] = s[i]
	}
	return out
}

func text(v any) string { s, _ := v.(string); return s }

func number(v any) int { n, _ := v.(int64); return int(n) }
