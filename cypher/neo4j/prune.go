package neo4j

import (
	"context"
	"encoding/hex"
	"slices"

	"membench/schema"
)

// hashes reads the hash of every element of the scope: about 70 bytes each are held.
// An element that has none gets one that no element has.
func (db *DB) hashes(ctx context.Context) (map[[16]byte][16]byte, error) {
	var out map[[16]byte][16]byte
	err := db.in(ctx, false, func(t *tx) error {
		out = map[[16]byte][16]byte{}
		take := func(kind byte) func([]any) error {
			return func(v []any) error {
				out[digest(kind, text(v[2]), text(v[0]))] = hashBytes(text(v[1]))
				return nil
			}
		}
		if _, err := t.run("MATCH (n:"+baseLabel+") WHERE "+db.owned("n")+" RETURN n.id, n._hash, ''", db.with(nil), take('n')); err != nil {
			return err
		}
		_, err := t.run(db.ownEdges()+" RETURN r.id, r._hash, type(r)", db.with(nil), take('e'))
		return err
	})
	return out, err
}

// hashBytes packs the text of a hash; other texts become zeros, which no hash is.
func hashBytes(text string) (b [16]byte) {
	if len(text) == 2*len(b) {
		if _, err := hex.Decode(b[:], []byte(text)); err != nil {
			return [16]byte{}
		}
	}
	return b
}

// prune deletes the elements that this program wrote and did not send now. It holds their ids.
func (l *loader) prune(ctx context.Context) error {
	db := l.db
	var nodes, edges []row
	err := db.in(ctx, false, func(t *tx) error {
		nodes, edges = nil, nil
		_, err := t.run("MATCH (n:"+baseLabel+") WHERE "+db.owned("n")+" RETURN n.id, labels(n)", db.with(nil), func(v []any) error {
			id := text(v[0])
			if _, ok := l.seen[digest('n', "", id)]; !ok {
				n := schema.Node{ID: schema.NodeID(db.unkey(id)), Labels: own(v[1])}
				nodes = append(nodes, row{id: id, rec: schema.Record[schema.Element]{V: schema.Element{Node: &n}}})
			}
			return nil
		})
		if err != nil {
			return err
		}
		_, err = t.run(db.ownEdges()+" RETURN r.id, type(r)", db.with(nil), func(v []any) error {
			id, typ := text(v[0]), text(v[1])
			if _, ok := l.seen[digest('e', typ, id)]; !ok {
				edges = append(edges, row{id: id, typ: typ, rec: schema.Record[schema.Element]{V: schema.Element{Edge: &schema.Edge{ID: schema.EdgeID(db.unkey(id)), Type: typ}}}})
			}
			return nil
		})
		return err
	})
	if err != nil {
		return err
	}
	// Edges first: none is then counted as gone with its node.
	for chunk := range slices.Chunk(edges, l.o.Batch) {
		if err := l.land(l.send.start(ctx, &batch{delEdges: chunk})); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(nodes, l.o.Batch) {
		if err := l.land(l.send.start(ctx, &batch{delNodes: chunk})); err != nil {
			return err
		}
	}
	return nil
}
