package neo4j

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/graph"
	"membench/internal/codec"
	"membench/schema"
)

// Verified is the outcome of reading a graph back.
type Verified struct {
	Nodes     int `json:"nodes"` // compared
	Edges     int `json:"edges"`
	Missing   int `json:"missing"`   // GRF040
	Different int `json:"different"` // GRF041
	Repaired  int `json:"repaired"`  // of the two before
	// Others are elements of the scope that the input does not have; no fault.
	Others int `json:"others"`
	// Additions of other programs are not errors: labels and properties of our elements, and relationships between our nodes, by type.
	Added   int            `json:"added,omitzero"` // elements
	Foreign map[string]int `json:"foreign_relationships,omitempty"`
}

// Good reports whether the database holds the whole input.
func (v *Verified) Good() bool { return v.Missing+v.Different == v.Repaired }

// VerifyOptions changes how Verify works.
type VerifyOptions struct {
	Repair bool                  // write missing and different elements; the finding is then a warning
	Exact  bool                  // labels and properties that others added are differences
	Report func(*schema.Finding) // gets GRF040 and GRF041; may be nil
}

// Verify reads back every element of in and compares it with the form that a load stores, property by property (1 is 1.0). A missing element is GRF040, a
// different one GRF041 with the first difference. For a repeated id each occurrence is compared.
func Verify(ctx context.Context, db *DB, in schema.Seq[schema.Element], o VerifyOptions) (*Verified, error) {
	v := &Verified{}
	if o.Report == nil {
		o.Report = func(*schema.Finding) {}
	}
	var batch []row
	flush := func() error {
		faults, more, err := db.compare(ctx, batch, o.Exact)
		if err != nil {
			return err
		}
		v.Added += more
		for _, f := range faults {
			if f.Code == "GRF040" {
				v.Missing++
			} else {
				v.Different++
			}
		}
		left := faults
		if o.Repair && len(faults) > 0 {
			if left, err = db.repair(ctx, batch, faults, o.Exact); err != nil {
				return err
			}
			v.Repaired += len(faults) - len(left)
		}
		for _, f := range faults {
			if _, bad := fault(left, f.at); !bad {
				f.Warning, f.Message, f.Hint = true, f.Message+", repaired", ""
			}
			o.Report(&f.Finding)
		}
		batch = batch[:0]
		return nil
	}
	for rec, err := range in {
		if err != nil && !schema.IsFinding(err) {
			return v, err
		}
		if rec.V.ID() == "" {
			continue // reported by the load
		}
		if rec.V.Node != nil {
			v.Nodes++
		} else {
			v.Edges++
		}
		r, f := db.row(rec)
		if f != nil { // the database cannot hold it, which the load said
			v.Missing++
			o.Report(&schema.Finding{Pos: rec.Pos, Code: "GRF040", Message: rec.V.ID() + " is not in the database, which cannot hold it", Hint: f.Message})
			continue
		}
		if batch = append(batch, r); len(batch) == page {
			if err := flush(); err != nil {
				return v, err
			}
		}
	}
	if err := flush(); err != nil {
		return v, err
	}
	nodes, edges, err := db.Size(ctx)
	if err == nil {
		v.Foreign, err = db.foreignEdges(ctx)
	}
	v.Others = max(0, nodes+edges-(v.Nodes+v.Edges-v.Missing))
	if o.Repair {
		v.Others = max(0, nodes+edges-(v.Nodes+v.Edges))
	}
	return v, err
}

// A difference is a finding about the row at a place of its page.
type difference struct {
	schema.Finding
	at int
}

func fault(list []difference, at int) (difference, bool) {
	i := slices.IndexFunc(list, func(d difference) bool { return d.at == at })
	if i < 0 {
		return difference{}, false
	}
	return list[i], true
}

// repair writes the rows with differences and returns those that still have one.
func (db *DB) repair(ctx context.Context, batch []row, faults []difference, exact bool) ([]difference, error) {
	_, err := Load(ctx, db, func(yield func(schema.Record[schema.Element], error) bool) {
		for _, f := range faults {
			if !yield(batch[f.at].rec, nil) {
				return
			}
		}
	}, LoadOptions{Rewrite: true, Exact: exact})
	if err != nil {
		return nil, err
	}
	left, _, err := db.compare(ctx, batch, exact)
	return left, err
}

// foreignEdges counts the relationships between nodes of the scope that this program
// did not write, by type.
func (db *DB) foreignEdges(ctx context.Context) (out map[string]int, err error) {
	type count struct {
		typ string
		n   int
	}
	counts, err := ask(ctx, db, "MATCH (n:"+baseLabel+")-[r]->(m:"+baseLabel+") WHERE r."+hashProp+" IS NULL AND "+db.owned("n")+" AND "+db.owned("m")+" RETURN type(r), count(*)", db.with(nil),
		func(v []any) (count, bool) { return count{text(v[0]), number(v[1])}, true })
	for _, c := range counts {
		if out == nil {
			out = map[string]int{}
		}
		out[c.typ] = c.n
	}
	return out, err
}

// stored is an element as the database gives it.
type stored struct {
	labels   []string
	props    map[string]any
	src, dst any
}

// compare reads rows back; added counts those to which others added something.
func (db *DB) compare(ctx context.Context, batch []row, exact bool) (out []difference, addedTo int, err error) {
	got, err := db.stored(ctx, batch)
	if err != nil {
		return nil, 0, err
	}
	for i, r := range batch {
		id := r.rec.V.ID()
		d := difference{at: i, Finding: schema.Finding{Pos: r.rec.Pos, Hint: "a load does not overwrite manual changes: --verify --repair writes the element again"}}
		have, ok := got[rowKey(r)]
		if ok && !exact && have.without(r) {
			addedTo++
		}
		switch {
		case !ok:
			d.Code, d.Message = "GRF040", id+" is not in the database"
		case r.differs(have, &d.Finding):
			d.Code, d.Message = "GRF041", id+" is different in the database"
		default:
			continue
		}
		out = append(out, d)
	}
	return out, addedTo, nil
}

// without removes other programs' additions from the element, and reports whether there were any. Other additional properties were ours; they stay and count as
// differences.
func (s *stored) without(r row) bool {
	labels, props := added(r, state{labels: s.labels, props: s.props})
	s.labels = slices.DeleteFunc(s.labels, func(l string) bool { return slices.Contains(labels, l) })
	for k := range props {
		delete(s.props, k)
	}
	return len(labels)+len(props) > 0
}

func rowKey(r row) string {
	if r.rec.V.Node != nil {
		return "n" + r.id
	}
	return "e" + r.typ + "\x00" + r.id
}

// differs finds the first difference, in the order labels, ends, properties by name.
func (r row) differs(have stored, f *schema.Finding) bool {
	say := func(pointer string, have, want any) bool {
		f.Pointer, f.Have, f.Want = pointer, string(raw(have)), string(raw(want))
		return true
	}
	if r.rec.V.Node != nil {
		if !slices.Equal(have.labels, r.labels) {
			f.Pointer, f.Have, f.Want = "/labels", strings.Join(have.labels, ", "), strings.Join(r.labels, ", ")
			return true
		}
	} else if have.src != r.src {
		return say("/src", have.src, r.src)
	} else if have.dst != r.dst {
		return say("/dst", have.dst, r.dst)
	}
	names := slices.Collect(maps.Keys(r.props))
	for k := range have.props {
		if _, ok := r.props[k]; !ok {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	for _, k := range names {
		if k == hashProp || k == vectorProp {
			continue // ours, and their parts are compared
		}
		if h, w := have.props[k], r.props[k]; !sameStored(h, w) {
			switch k {
			case "id", "type", "src", "dst", "scope":
				return say("/"+k, h, w)
			case graph.PropsJSON:
				if !sameJSON(h, w) {
					return say("/props", h, w)
				}
				continue
			}
			return say(schema.Pointer("props", graph.MemberName(k)), h, w)
		}
	}
	return false
}

// sameStored compares a value of the driver with one that was sent.
func sameStored(have, want any) bool {
	same := func(n int, at func(int) any) bool {
		list, ok := have.([]any)
		if !ok || len(list) != n {
			return false
		}
		for i := range n {
			if !sameScalar(list[i], at(i)) {
				return false
			}
		}
		return true
	}
	switch want := want.(type) {
	case []string:
		return same(len(want), func(i int) any { return want[i] })
	case []bool:
		return same(len(want), func(i int) any { return want[i] })
	case []int64:
		return same(len(want), func(i int) any { return want[i] })
	case []float64:
		return same(len(want), func(i int) any { return want[i] })
	case nil:
		return have == nil
	}
	return sameScalar(have, want)
}

// sameJSON compares texts of props_json by value.
func sameJSON(have, want any) bool {
	node := func(v any) (schema.Element, bool) {
		text, ok := v.(string)
		return schema.Element{Node: &schema.Node{Props: schema.RawObject([]byte(text))}}, ok && codec.Valid([]byte(text))
	}
	h, ok := node(have)
	w, also := node(want)
	return ok && also && graph.SameElement(h, w)
}

// sameScalar compares by value: 1 is 1.0.
func sameScalar(have, want any) bool {
	switch h := have.(type) {
	case string, bool:
		return have == want
	case int64:
		switch w := want.(type) {
		case int64:
			return h == w
		case float64:
			return float64(h) == w && int64(w) == h
		}
	case float64:
		switch w := want.(type) {
		case int64:
			return float64(w) == h && int64(h) == w
		case float64:
			return h == w
		}
	}
	return false
}

// stored reads the stored elements of the batch.
func (db *DB) stored(ctx context.Context, batch []row) (map[string]stored, error) {
	var nodes []string
	edges := map[string][]string{}
	for _, r := range batch {
		if r.rec.V.Node != nil {
			nodes = append(nodes, r.id)
		} else {
			edges[r.typ] = append(edges[r.typ], r.id)
		}
	}
	var out map[string]stored
	err := db.in(ctx, false, func(t *tx) error {
		out = make(map[string]stored, len(batch))
		_, err := t.run("UNWIND $ids AS id MATCH (n:"+baseLabel+" {id: id}) RETURN id, labels(n), properties(n)", map[string]any{"ids": nodes}, func(v []any) error {
			id, _ := v[0].(string)
			s := stored{labels: own(v[1])}
			s.props, _ = v[2].(map[string]any)
			out["n"+id] = s
			return nil
		})
		for _, typ := range slices.Sorted(maps.Keys(edges)) {
			if err != nil {
				break
			}
			_, err = t.run("UNWIND $ids AS id MATCH (a)-[r:"+quoted(typ)+" {id: id}]->(b) RETURN r, a.id, b.id", map[string]any{"ids": edges[typ]}, func(v []any) error {
				r, ok := v[0].(driver.Relationship)
				if !ok {
					return fmt.Errorf("the server answered %T for a relationship", v[0])
				}
				id, _ := r.Props["id"].(string)
				out["e"+typ+"\x00"+id] = stored{props: r.Props, src: v[1], dst: v[2]}
				return nil
			})
		}
		return err
	})
	return out, err
}
