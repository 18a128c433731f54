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

// heldLabel is the label of the one node that describes a loaded graph. It has no label Node, so it is not part of any graph.
const heldLabel = "MembenchLoad"

// Held is the recorded state of a scope.
type Held struct {
	// Digest is the digest of the scope's graph (see Digest); "" if a load has not finished, or if the scope holds more than one input.
	Digest   string `json:"digest"`
	Embedder string `json:"embedder,omitzero"` // that made the vectors of the scope
}

// Held reads the recorded state of the scope; zero if nothing was loaded.
func (db *DB) Held(ctx context.Context) (h Held, err error) {
	err = db.in(ctx, false, func(t *tx) error {
		h, err = t.held(db)
		return err
	})
	return h, err
}

func (t *tx) held(db *DB) (h Held, err error) {
	_, err = t.run("MATCH (g:"+heldLabel+" {scope: $scope}) RETURN g.digest, g.embedder", db.with(nil), func(v []any) error {
		h = Held{text(v[0]), text(v[1])}
		return nil
	})
	return h, err
}

// errOther undoes a transaction that found the scope other than it would record.
var errOther = errors.New("the scope holds something else")

// settle records the scope's content, in the transaction that counted it: n elements with the digest sum, and nothing else. count is skipped if sum was derived
// from the previous digest.
func (db *DB) settle(ctx context.Context, sum Digest, count bool) (digest string, err error) {
	digest = sum.String()
	err = db.in(ctx, true, func(t *tx) error {
		mine := false
		// Setting a property takes the lock: the count is valid until the commit.
		_, err := t.run("MATCH (g:"+heldLabel+" {scope: $scope}) SET g.scope = $scope WITH g WHERE g.token = $token SET g.digest = $digest RETURN 1", db.with(map[string]any{"token": db.token(), "digest": digest}), func([]any) error {
			mine = true
			return nil
		})
		if err != nil || !count && mine {
			return err
		}
		nodes, edges := 0, 0
		if mine {
			nodes, edges, err = t.size(db)
		}
		if err == nil && (!mine || int64(nodes+edges) != sum.n) {
			err = errOther
		}
		return err
	})
	if err != nil {
		digest = ""
	}
	if errors.Is(err, errOther) {
		err = nil
	}
	return digest, err
}

// A Digest is the digest of a graph: the sum, modulo 2^128, of a hash of each element, and the number of elements. The order does not matter, and a changed
// graph's digest can be computed without reading the graph again. The zero Digest belongs to the empty graph.
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

// DigestOf returns the digest of db's scope when it holds only in. Repeated ids, and elements that the database cannot store, give another digest.
func DigestOf(ctx context.Context, db *DB, in schema.Seq[schema.Element]) (Digest, error) {
	var d Digest
	for rec, err := range in {
		var f *schema.Finding
		switch {
		case ctx.Err() != nil:
			return d, ctx.Err()
		case errors.As(err, &f) && (!f.Warning || rec.V.IsZero()):
			d.n++ // skipped elements still change the digest
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
