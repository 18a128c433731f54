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
// begun again yields nothing twice: about 600 bytes an element.
func (db *DB) Whole(ctx context.Context) schema.Seq[schema.Element] {
	return func(yield func(schema.Record[schema.Element], error) bool) {
		var out []schema.Element
		err := db.in(ctx, false, func(t *tx) (err error) {
			out, err = db.elements(t, "MATCH (n:"+baseLabel+") WHERE "+db.owned("n"), db.ownEdges(), db.with(nil))
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

// elements reads the nodes n of one pattern, then the relationships r from n to m of another.
func (db *DB) elements(t *tx, nodes, edges string, params map[string]any) (out []schema.Element, err error) {
	_, err = t.run(nodes+" RETURN n", params, func(v []any) error {
		if n, ok := db.nodeOf(v); ok {
			out = append(out, schema.Element{Node: &n})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	_, err = t.run(edges+" RETURN r, n.id, m.id", params, func(v []any) error {
		if e, ok := db.edgeOf(v); ok {
			out = append(out, schema.Element{Edge: &e})
		}
		return nil
	})
	return out, err
}

// State reads the scope's revision. The mark names the last transaction that the server has committed, so every change in the database, in any scope and by any
// client, changes it. It costs one round trip.
func (db *DB) State(ctx context.Context) (revision, mark string, err error) {
	var marks []string
	err = db.tries(ctx, driver.AccessModeRead, func(s driver.SessionWithContext) error {
		res, err := s.Run(ctx, recordState, db.with(nil), db.limits...)
		if err != nil {
			return err
		}
		revision = ""
		for res.Next(ctx) {
			revision = revisionOf(res.Record().Values)
		}
		_, err = res.Consume(ctx)
		marks = driver.BookmarksToRawValues(s.LastBookmarks())
		return err
	})
	switch {
	case err != nil:
		return "", "", err
	case len(marks) == 0:
		return "", "", fmt.Errorf("%s: database %s does not report its last transaction", db.uri, db.database)
	}
	return revision, markOf(marks), nil
}

// markOf is the text of bookmarks: it counts transactions where one bookmark shows its number.
func markOf(marks []string) string {
	if len(marks) == 1 {
		if name, n, ok := bookmark(marks[0]); ok {
			return name + ":" + strconv.FormatInt(n, 10)
		}
	}
	slices.Sort(marks)
	return strings.Join(marks, " ")
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
