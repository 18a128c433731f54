package neo4j

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/cypher"
	"membench/graph"
	"membench/internal/codec"
	"membench/schema"
)

// hashProp holds the hash of an element, vectorProp the vector of a node.
const (
	hashProp   = graph.HashProp
	vectorProp = graph.VectorProp
)

// baseLabel is on every node; it never appears in the graph's own records.
const baseLabel = cypher.BaseLabel

// A row is the form in which an element is sent.
type row struct {
	id     string   // the property id, scope included
	labels []string // sorted, without the base label; of a node
	typ    string   // of an edge
	src    string   // scope included
	dst    string
	props  map[string]any // all that the database stores, ours included
	hash   string
	rec    schema.Record[schema.Element]
}

// contentHash returns the value of _hash.
func (r row) contentHash() string { h, _ := r.props[hashProp].(string); return h }

// size is how many properties are stored of the record, without a vector.
func (r row) size() int {
	if r.props[vectorProp] != nil {
		return len(r.props) - 1
	}
	return len(r.props)
}

// key is the property id of an element id: the same in the unnamed scope.
func (db *DB) key(id string) string {
	return graph.ScopePrefix(db.scope) + id
}

// unkey undoes key.
func (db *DB) unkey(key string) string { return strings.TrimPrefix(key, db.key("")) }

// row makes the row of an element, or a finding when the database cannot hold it.
func (db *DB) row(rec schema.Record[schema.Element]) (row, *schema.Finding) {
	e := rec.V
	r := row{id: db.key(e.ID()), rec: rec}
	fault := func(code, pointer, msg, have, want string) (row, *schema.Finding) {
		return r, &schema.Finding{Pos: rec.Pos, Pointer: pointer, Code: code, Message: msg, Have: have, Want: want}
	}
	var props schema.Object
	switch {
	case e.ID() == "":
		return fault("GRF030", "/id", "element has no id, skipped", "", "")
	case len(r.id) > schema.MaxIDBytes:
		return fault("ID020", "/id", "id is too long for the database, skipped", fmt.Sprint(len(r.id), " bytes"), fmt.Sprint("at most ", schema.MaxIDBytes))
	case e.Node != nil:
		props = e.Node.Props
		for i, l := range e.Node.Labels {
			if l == baseLabel {
				continue
			}
			if _, err := quote(l); err != nil {
				return fault("GRF042", schema.Pointer("labels", strconv.Itoa(i)), "no name for a label, element skipped: "+err.Error(), strconv.Quote(l), "")
			}
			r.labels = append(r.labels, l)
		}
		slices.Sort(r.labels)
		r.labels = slices.Compact(r.labels)
	default:
		props = e.Edge.Props
		r.typ, r.src, r.dst = e.Edge.Type, db.key(string(e.Edge.Src)), db.key(string(e.Edge.Dst))
		if _, err := quote(r.typ); err != nil {
			return fault("GRF042", "/type", "no name for a relationship type, edge skipped: "+err.Error(), strconv.Quote(r.typ), "")
		}
	}
	mapped := graph.MapProps(props)
	r.props = make(map[string]any, len(mapped.Stored)+6)
	for _, p := range mapped.Stored {
		r.props[p.Name] = value(p.Value)
	}
	if mapped.Rest.Len() > 0 {
		b, err := mapped.Rest.MarshalJSON()
		if err != nil {
			return fault("GRF042", "/props", "properties do not encode, skipped: "+err.Error(), "", "")
		}
		r.props[graph.PropsJSON] = string(b)
	}
	if e.Node != nil {
		r.hash = graph.Hash(r.labels, "", "", "", mapped)
	} else {
		r.hash = graph.Hash(nil, r.typ, string(e.Edge.Src), string(e.Edge.Dst), mapped)
	}
	r.props["id"], r.props[hashProp] = r.id, r.hash
	if e.Edge != nil {
		r.props["type"], r.props["src"], r.props["dst"] = r.typ, string(e.Edge.Src), string(e.Edge.Dst)
	}
	r.props["scope"] = db.scope
	return r, nil
}

// value is a property as the driver packs it: no json.Number, which it would send as text.
func value(v graph.Value) any {
	if !v.List {
		return scalar(v.Kind, v.Texts[0])
	}
	switch v.Kind {
	case graph.String:
		return v.Texts
	case graph.Bool:
		return list[bool](v)
	case graph.Int:
		return list[int64](v)
	}
	return list[float64](v)
}

func list[T any](v graph.Value) []T {
	out := make([]T, len(v.Texts))
	for i, t := range v.Texts {
		out[i], _ = scalar(v.Kind, t).(T)
	}
	return out
}

// scalar reads a text that MapProps made, so it parses.
func scalar(k graph.PropKind, text string) any {
	switch k {
	case graph.Bool:
		return text == "true"
	case graph.Int:
		n, _ := strconv.ParseInt(text, 10, 64)
		return n
	case graph.Float:
		f, _ := strconv.ParseFloat(text, 64)
		return f
	}
	return text
}

// node and edge reconstruct the record of a stored element: members by name, those of props_json last.
func (db *DB) node(n driver.Node) schema.Node {
	out := schema.Node{Props: object(n.Props, false), Labels: own(n.Labels)}
	id, _ := n.Props["id"].(string)
	out.ID = schema.NodeID(db.unkey(id))
	return out
}

func (db *DB) edge(r driver.Relationship, src, dst any) schema.Edge {
	out := schema.Edge{Type: r.Type, Props: object(r.Props, true)}
	id, _ := r.Props["id"].(string)
	s, _ := src.(string)
	d, _ := dst.(string)
	out.ID, out.Src, out.Dst = schema.EdgeID(db.unkey(id)), schema.NodeID(db.unkey(s)), schema.NodeID(db.unkey(d))
	return out
}

func object(props map[string]any, edge bool) schema.Object {
	names := make([]string, 0, len(props))
	for k := range props {
		switch k {
		case "id", hashProp, vectorProp, "scope", graph.PropsJSON:
		case "type", "src", "dst":
			// A node never has these from us; one that has them got them elsewhere.
			if !edge {
				names = append(names, k)
			}
		default:
			names = append(names, k)
		}
	}
	slices.Sort(names)
	var b schema.ObjectBuilder
	for _, k := range names {
		b.Raw(graph.MemberName(k), raw(props[k]))
	}
	if text, ok := props[graph.PropsJSON].(string); ok && codec.Valid([]byte(text)) {
		for k, v := range codec.Members([]byte(text)) {
			b.Raw(k, v)
		}
	}
	return b.Object()
}

// raw is the JSON text of a property. Kinds that only others store (times, points,
// bytes) come back as text.
func raw(v any) []byte {
	switch v := v.(type) {
	case nil:
		return []byte("null")
	case bool:
		return strconv.AppendBool(nil, v)
	case int64:
		return strconv.AppendInt(nil, v, 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return []byte("null")
		}
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return strconv.AppendFloat(nil, v, 'f', 1, 64)
		}
		return strconv.AppendFloat(nil, v, 'g', -1, 64)
	case string:
		return codec.AppendString(nil, v)
	case time.Time:
		return codec.AppendString(nil, v.Format(time.RFC3339Nano))
	case []any:
		b := []byte{'['}
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, raw(x)...)
		}
		return append(b, ']')
	}
	return codec.AppendString(nil, fmt.Sprint(v))
}
