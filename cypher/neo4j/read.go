package neo4j

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/graph"
	"membench/schema"
)

var (
	_ graph.Bulk     = (*DB)(nil)
	_ graph.Followed = (*DB)(nil)
)

// Whole yields every element of the scope in one transaction, nodes first, in the
// server's order. All of it is held while it is read, so that a transaction that is
// begun anew yields nothing twice: about 600 bytes an element.
func (db *DB) Whole(ctx context.Context) schema.Seq[schema.Element] {
	return func(yield func(schema.Record[schema.Element], error) bool) {
		var out []schema.Element
		err := db.in(ctx, false, func(t *tx) error {
			out = out[:0]
			_, err := t.run("MATCH (n:"+baseLabel+") WHERE "+db.owned("n")+" RETURN n", db.with(nil), func(v []any) error {
				if x, ok := v[0].(driver.Node); ok {
					n := db.node(x)
					out = append(out, schema.Element{Node: &n})
				}
				return nil
			})
			if err != nil {
				return err
			}
			_, err = t.run(db.ownEdges()+" RETURN r, n.id, m.id", db.with(nil), func(v []any) error {
				if x, ok := v[0].(driver.Relationship); ok {
					e := db.edge(x, v[1], v[2])
					out = append(out, schema.Element{Edge: &e})
				}
				return nil
			})
			return err
		})
		if err != nil {
			yield(schema.Record[schema.Element]{}, err)
			return
		}
		for _, e := range out {
			if !yield(schema.Record[schema.Element]{V: e}, nil) {
				return
			}
		}
	}
}

// Revision names the last transaction that the server committed, so whoever changes
// anything in the database, in whatever scope and through whatever client, moves it. It
// costs one round trip. The text counts transactions where the bookmark shows its number.
func (db *DB) Revision(ctx context.Context) (string, error) {
	s := db.drv.NewSession(ctx, db.session(driver.AccessModeRead))
	defer s.Close(context.WithoutCancel(ctx))
	res, err := s.Run(ctx, "RETURN 1", nil)
	if err == nil {
		_, err = res.Consume(ctx)
	}
	if err != nil {
		return "", db.explain(err)
	}
	marks := driver.BookmarksToRawValues(s.LastBookmarks())
	if len(marks) == 0 {
		return "", fmt.Errorf("%s: database %s does not report its last transaction", db.uri, db.database)
	}
	if len(marks) == 1 {
		if name, n, ok := bookmark(marks[0]); ok {
			return name + ":" + strconv.FormatInt(n, 10), nil
		}
	}
	slices.Sort(marks)
	return strings.Join(marks, " "), nil
}

// bookmark takes a bookmark of one database apart: "FB:" and, in base64, a list of the
// database's 16 bytes and the number of the transaction, in PackStream.
func bookmark(mark string) (database string, n int64, ok bool) {
	text, ok := strings.CutPrefix(mark, "FB:")
	if !ok {
		return "", 0, false
	}
	b, err := base64.StdEncoding.DecodeString(text)
	const head = 3 + 16 // list of two or more, bytes of length 16
	if err != nil || len(b) < head+1 || b[1] != 0xCC || b[2] != 16 {
		return "", 0, false
	}
	database, b = hex.EncodeToString(b[3:head]), b[head:]
	switch c := b[0]; {
	case c < 0x80:
		return database, int64(c), true
	case c == 0xC9 && len(b) >= 3:
		return database, int64(binary.BigEndian.Uint16(b[1:])), true
	case c == 0xCA && len(b) >= 5:
		return database, int64(binary.BigEndian.Uint32(b[1:])), true
	case c == 0xCB && len(b) >= 9:
		return database, int64(binary.BigEndian.Uint64(b[1:])), true
	}
	return "", 0, false
}
