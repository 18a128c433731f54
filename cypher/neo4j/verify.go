package neo4j

import (
	"context"
	"errors"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/graph"
	"membench/schema"
)

// Verified is the outcome of reading a graph back.
type Verified struct {
	Nodes     int `json:"nodes"` // compared
	Edges     int `json:"edges"`
	Missing   int `json:"missing"`   // GRF040
	Different int `json:"different"` // GRF041
	// Others are elements of the scope that the input does not have; no fault.
	Others int `json:"others"`
}

// Good reports whether the database holds the whole input.
func (v *Verified) Good() bool { return v.Missing+v.Different == 0 }

// Verify reads every element of in back from the database and compares it by meaning
// (graph.SameElement): what is missing is GRF040, what differs GRF041. Of a repeated
// id each occurrence is compared.
func Verify(ctx context.Context, db *DB, in schema.Seq[schema.Element], report func(*schema.Finding)) (*Verified, error) {
	v := &Verified{}
	if report == nil {
		report = func(*schema.Finding) {}
	}
	var batch []schema.Record[schema.Element]
	flush := func() error {
		got, err := db.elements(ctx, batch)
		if err != nil {
			return err
		}
		for _, rec := range batch {
			want := bare(rec.V)
			if want.Node != nil {
				v.Nodes++
			} else {
				v.Edges++
			}
			have, ok := got[kindID(want)]
			f := &schema.Finding{Pos: rec.Pos, Hint: "load again; where somebody changed the database by hand, with --rewrite"}
			switch {
			case !ok:
				v.Missing++
				f.Code, f.Message = "GRF040", want.ID()+" is not in the database"
				report(f)
			case !graph.SameElement(have, want):
				v.Different++
				f.Code, f.Message = "GRF041", want.ID()+" is different in the database"
				if fields := graph.Fields(have, want); len(fields) > 0 {
					f.Pointer, f.Have, f.Want = pointer(fields[0].Name), string(fields[0].Old), string(fields[0].New)
				}
				report(f)
			}
		}
		batch = batch[:0]
		return nil
	}
	for rec, err := range in {
		var f *schema.Finding
		if err != nil && !errors.As(err, &f) {
			return v, err
		}
		if rec.V.ID() == "" {
			continue // said by whoever loaded it
		}
		if batch = append(batch, rec); len(batch) == page {
			if err := flush(); err != nil {
				return v, err
			}
		}
	}
	if err := flush(); err != nil {
		return v, err
	}
	nodes, edges, err := db.Size(ctx)
	v.Others = max(0, nodes+edges-(v.Nodes+v.Edges-v.Missing))
	return v, err
}

func kindID(e schema.Element) string {
	if e.Node != nil {
		return "n" + e.ID()
	}
	return "e" + e.Edge.Type + "\x00" + e.ID()
}

// bare is e as a database can hold it: no unknown members, no base label.
func bare(e schema.Element) schema.Element {
	if e.Node != nil {
		n := *e.Node
		n.Extra, n.Labels = nil, nil
		for _, l := range e.Node.Labels {
			if l != baseLabel {
				n.Labels = append(n.Labels, l)
			}
		}
		return schema.Element{Node: &n}
	}
	x := *e.Edge
	x.Extra = nil
	return schema.Element{Edge: &x}
}

func pointer(field string) string {
	if name, ok := cutProps(field); ok {
		return schema.Pointer("props", name)
	}
	return schema.Pointer(field)
}

func cutProps(field string) (string, bool) {
	const p = "props."
	if len(field) > len(p) && field[:len(p)] == p {
		return field[len(p):], true
	}
	return "", false
}

// elements fetches what is there of the batch.
func (db *DB) elements(ctx context.Context, batch []schema.Record[schema.Element]) (map[string]schema.Element, error) {
	var nodes []string
	edges := map[string][]string{}
	for _, rec := range batch {
		if rec.V.Node != nil {
			nodes = append(nodes, db.key(rec.V.ID()))
		} else {
			edges[rec.V.Edge.Type] = append(edges[rec.V.Edge.Type], db.key(rec.V.ID()))
		}
	}
	out := map[string]schema.Element{}
	if len(nodes) > 0 {
		got, err := db.nodesByID(ctx, nodes)
		if err != nil {
			return nil, err
		}
		for _, n := range got {
			e := schema.Element{Node: &n}
			out[kindID(e)] = e
		}
	}
	for _, typ := range sortedKeys(edges) {
		q, err := quote(typ)
		if err != nil {
			continue // cannot be there
		}
		err = db.in(ctx, false, func(t *tx) error {
			_, err := t.run("UNWIND $ids AS id MATCH (a:"+baseLabel+")-[r:"+q+" {id: id}]->(b:"+baseLabel+") RETURN r, a.id, b.id", map[string]any{"ids": edges[typ]}, func(v []any) error {
				if r, ok := v[0].(driver.Relationship); ok {
					x := db.edge(r, v[1], v[2])
					e := schema.Element{Edge: &x}
					out[kindID(e)] = e
				}
				return nil
			})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
