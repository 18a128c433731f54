package neo4j

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"

	"membench/schema"
)

// heldLabel is on the one node beside each loaded graph that says what it is. It has
// no label Node, so it is no part of any graph.
const heldLabel = "MembenchLoad"

// Held is what a scope says of itself.
type Held struct {
	// Digest is that of the graph that the scope holds (see Digest); "" when a load
	// has not come to its end, or when what it left is not one input alone.
	Digest   string `json:"digest"`
	Embedder string `json:"embedder,omitzero"` // that made the vectors of the scope
	run      int64  // loads that wrote, counted: who writes knows by it that nobody else began
}

// Held reads what the scope says of itself; zero when nothing was loaded.
func (db *DB) Held(ctx context.Context) (h Held, err error) {
	err = db.in(ctx, false, func(t *tx) error {
		h = Held{}
		_, err := t.run("MATCH (g:"+heldLabel+" {scope: $scope}) RETURN g.digest, g.embedder, g.run", db.with(nil), func(v []any) error {
			h.Digest, _ = v[0].(string)
			h.Embedder, _ = v[1].(string)
			h.run, _ = v[2].(int64)
			return nil
		})
		return err
	})
	return h, err
}

// begin says that the scope is being written to: its digest goes.
func (db *DB) begin(ctx context.Context) (run int64, c Counters, err error) {
	err = db.in(ctx, true, func(t *tx) error {
		_, err := t.run("MERGE (g:"+heldLabel+" {scope: $scope}) SET g.run = coalesce(g.run, 0) + 1 REMOVE g.digest RETURN g.run", db.with(nil), func(v []any) error {
			run, _ = v[0].(int64)
			return nil
		})
		if err == nil && run < 1 {
			err = fmt.Errorf("the server answered %d for the number of a load", run)
		}
		c = t.c
		return err
	})
	return run, c, err
}

// settle records what the scope holds, unless somebody else began to write.
func (db *DB) settle(ctx context.Context, run int64, digest string) (c Counters, err error) {
	err = db.in(ctx, true, func(t *tx) error {
		_, err := t.run("MERGE (g:"+heldLabel+" {scope: $scope}) ON CREATE SET g.run = $run WITH g WHERE g.run = $run SET g.digest = $digest",
			db.with(map[string]any{"run": run, "digest": digest}), nil)
		c = t.c
		return err
	})
	return c, err
}

// disturb takes the digest away that another load has left since run began; of a run
// of 0, any. It takes no lock where there is nothing to take away.
func (t *tx) disturb(db *DB, run int64) error {
	_, err := t.run("MATCH (g:"+heldLabel+" {scope: $scope}) WHERE g.run <> $run AND g.digest IS NOT NULL REMOVE g.digest", db.with(map[string]any{"run": run}), nil)
	return err
}

// A Digest is the digest of a graph: the sum, modulo 2^128, of a hash of each element,
// and how many there are. Order does not count, and a graph can be changed in it
// without being read again. The zero Digest is that of no graph.
type Digest struct {
	n      int64
	hi, lo uint64
}

// element is 128 bits of sha256 over kind, id and hash.
func (r row) sum() (hi, lo uint64) {
	kind := "n"
	if r.rec.V.Node == nil {
		kind = "e"
	}
	sum := sha256.Sum256([]byte(kind + r.id + "\x00" + r.contentHash()))
	return binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])
}

func (d *Digest) add(r row) {
	hi, lo := r.sum()
	var carry uint64
	d.lo, carry = bits.Add64(d.lo, lo, 0)
	d.hi, _ = bits.Add64(d.hi, hi, carry)
	d.n++
}

func (d *Digest) remove(r row) {
	hi, lo := r.sum()
	var borrow uint64
	d.lo, borrow = bits.Sub64(d.lo, lo, 0)
	d.hi, _ = bits.Sub64(d.hi, hi, borrow)
	d.n--
}

func (d Digest) String() string {
	b := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, d.hi), d.lo)
	return fmt.Sprintf("%d-%s", d.n, hex.EncodeToString(b))
}

// DigestOf is the digest that the scope of db has when it holds in alone. Whoever
// repeats an id, or has elements that the database cannot hold, gets another one.
func DigestOf(ctx context.Context, db *DB, in schema.Seq[schema.Element]) (Digest, error) {
	var d Digest
	for rec, err := range in {
		var f *schema.Finding
		switch {
		case ctx.Err() != nil:
			return d, ctx.Err()
		case errors.As(err, &f) && (!f.Warning || rec.V.IsZero()):
			d.n++ // what is left out makes it no other graph's digest
			continue
		case err != nil && f == nil:
			return d, err
		}
		r, f := db.row(rec)
		if f != nil {
			d.n++
			continue
		}
		d.add(r)
	}
	return d, nil
}
