// Package localstore reads the folder in which Mem0 keeps its memories when it runs
// with a local Qdrant (vector_store.config.path), while Mem0 runs:
//
//	<dir>/meta.json                              the collections
//	<dir>/collection/<name>/storage.sqlite       table points(id TEXT PRIMARY KEY, point BLOB)
//
// Both columns hold Python pickles, which are read as data and never run: see pickle.go.
// A point that cannot be read is a finding; the rest is read. Nothing is ever written,
// and the database is locked for milliseconds at a time, so that Mem0's own writes do
// not run into their time-out.
//
// Seen to work: stores of mem0ai 0.1.118, 1.0.11 and 2.2.1 with qdrant-client 1.12.1
// and 1.20.0.
package localstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"membench/internal/codec"
	"membench/schema"

	_ "modernc.org/sqlite"
)

// Store is the folder of one local Qdrant.
type Store struct {
	dir         string
	collections []Collection
}

// Collection is what meta.json says of one.
type Collection struct {
	Name     string
	Size     int    // of the vectors
	Distance string // Cosine, …
	Sparse   bool   // has sparse vectors, too: made by Mem0 2.x
	// Internal collections hold no memories: telemetry and links between entities.
	Internal bool
}

// Open reads meta.json in dir, or in the folder qdrant_storage or qdrant below it.
func Open(dir string) (*Store, error) {
	tried := []string{dir, filepath.Join(dir, "qdrant_storage"), filepath.Join(dir, "qdrant")}
	for _, d := range tried {
		f, err := os.Open(filepath.Join(d, "meta.json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		raw, err := io.ReadAll(io.LimitReader(f, maxPoint+1))
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", f.Name(), err)
		}
		s := &Store{dir: d}
		if s.collections, err = readMeta(raw); err != nil {
			return nil, fmt.Errorf("reading %s: %w", f.Name(), err)
		}
		return s, nil
	}
	return nil, fmt.Errorf("%s holds no meta.json, nor do its folders qdrant_storage and qdrant: want the path of Mem0's vector_store config", dir)
}

func readMeta(raw []byte) ([]Collection, error) {
	if len(raw) > maxPoint {
		return nil, fmt.Errorf("over %d bytes", maxPoint)
	}
	var m struct {
		Collections map[string]struct {
			Vectors       schema.Object  `json:"vectors"`
			SparseVectors *schema.Object `json:"sparse_vectors"`
		} `json:"collections"`
	}
	if err := codec.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	var out []Collection
	for name, c := range m.Collections {
		if !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) || name == "." {
			return nil, fmt.Errorf("collection %q: the name is a path", name)
		}
		x := Collection{Name: name, Distance: c.Vectors.Text("distance"), Sparse: c.SparseVectors != nil && c.SparseVectors.Len() > 0,
			Internal: strings.HasSuffix(name, "_entities") || name == "mem0migrations"}
		if size, ok := c.Vectors.Get("size"); ok {
			x.Size, _ = strconv.Atoi(string(size)) // absent for named vectors
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b Collection) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// Collections lists them by name.
func (s *Store) Collections() []Collection { return slices.Clone(s.collections) }

// Choose returns the named collection, or for "" the only one that holds memories.
func (s *Store) Choose(name string) (Collection, error) {
	var names []string
	var found []Collection
	for _, c := range s.collections {
		if c.Name == name {
			return c, nil
		}
		if names = append(names, c.Name); !c.Internal {
			found = append(found, c)
		}
	}
	switch {
	case name != "":
		return Collection{}, fmt.Errorf("%s has no collection %q: have %q", s.dir, name, names)
	case len(found) == 1:
		return found[0], nil
	}
	return Collection{}, fmt.Errorf("%s has %d collections of memories (%q): name one", s.dir, len(found), names)
}

func (s *Store) file(collection string) string {
	return filepath.Join(s.dir, "collection", collection, "storage.sqlite")
}

// row is one point of the table as it was last read.
type row struct {
	rowid   int64
	payload schema.Object
	finding *schema.Finding
}

const (
	pageRows  = 256 // of one query: it holds the lock for about 10 ms at 1,536 numbers a vector
	maxRounds = 20
)

// Export yields the points by id. Position is the database and the row; payloads keep
// the order of their members; an id is always the point's, never the payload's.
//
// What Mem0 writes meanwhile is taken along: rows are read again until the database
// is as it was when the last round began. That holds about 300 bytes a point and its
// payload. A store that never rests for a round ends with warning MEM022.
func (s *Store) Export(ctx context.Context, collection string) schema.Seq[schema.MemoryExport] {
	return func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		file := s.file(collection)
		held, tail, err := readAll(ctx, file)
		if err != nil {
			yield(schema.Record[schema.MemoryExport]{}, fmt.Errorf("reading %s: %w", file, err))
			return
		}
		ids := make([]string, 0, len(held))
		for id := range held {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		if n := len(tail); n > 0 && tail[n-1].Warning { // a warning needs a record to travel with
			for _, id := range slices.Backward(ids) {
				if r := held[id]; r.finding == nil {
					r.finding = tail[n-1]
					held[id] = r
					break
				}
			}
			tail = tail[:n-1]
		}
		for _, id := range ids {
			r := held[id]
			rec := schema.Record[schema.MemoryExport]{Pos: position(file, r.rowid),
				V: schema.MemoryExport{ID: schema.PointID(id), Payload: r.payload, Collection: collection}}
			var err error
			if r.finding != nil {
				err = r.finding
			}
			if !yield(rec, err) {
				return
			}
		}
		for _, f := range tail {
			if !yield(schema.Record[schema.MemoryExport]{Pos: f.Pos}, f) {
				return
			}
		}
	}
}

func position(file string, rowid int64) schema.Pos { return schema.Pos{File: file, Line: int(rowid)} }

// workers read parts of the table at once, each over a connection of its own.
const workers = 2

// reader brings held up to date with the table, round by round.
type reader struct {
	db   *sql.DB
	conn *sql.Conn // of what one connection must see: the ids, and whether somebody wrote
	file string
	held map[string]row
	bad  map[int64]*schema.Finding // rows whose id cannot be read
	seen int64                     // highest row read so far
	m    machine
}

func readAll(ctx context.Context, file string) (map[string]row, []*schema.Finding, error) {
	r := &reader{file: file, held: map[string]row{}}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return r.held, nil, nil // a collection nothing was stored in
	} else if err != nil {
		return nil, nil, err
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, nil, err
	}
	// mode=ro: never creates, never writes, never rolls a journal back.
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(abs), RawQuery: "mode=ro&_pragma=busy_timeout(10000)&_pragma=trusted_schema(0)&_pragma=query_only(1)"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	r.db = db
	if r.conn, err = db.Conn(ctx); err != nil {
		return nil, nil, opening(err)
	}
	defer r.conn.Close()
	err = r.rounds(ctx)
	var tail []*schema.Finding
	for _, at := range slices.Sorted(maps.Keys(r.bad)) {
		tail = append(tail, r.bad[at])
	}
	var f *schema.Finding
	if errors.As(err, &f) {
		tail, err = append(tail, f), nil
	}
	return r.held, tail, err
}

func opening(err error) error {
	return fmt.Errorf("%w (if Mem0 was killed while it wrote, start and stop it once: it mends its own journal)", err)
}

func (r *reader) rounds(ctx context.Context) error {
	for range maxRounds {
		before, err := r.dataVersion(ctx)
		if err == nil {
			err = r.round(ctx)
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &schema.Finding{Pos: schema.Pos{File: r.file}, Code: "MEM021", Message: "the database cannot be read on from here: " + err.Error(),
				Hint: "check it with sqlite3's .recover; what could be read is there"}
		}
		after, err := r.dataVersion(ctx)
		if err != nil {
			return err
		}
		if after == before {
			return nil
		}
	}
	return &schema.Finding{Pos: schema.Pos{File: r.file}, Code: "MEM022", Message: fmt.Sprintf("the store changed in each of %d readings: the export is no single instant of it", maxRounds),
		Warning: true, Hint: "export again when Mem0 rests"}
}

// dataVersion changes when another connection has written.
func (r *reader) dataVersion(ctx context.Context) (v int64, err error) {
	return v, r.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v)
}

// round reads what is new. A write always puts a point into a new last row (INSERT OR
// REPLACE), so rows below the ones known need no second look.
func (r *reader) round(ctx context.Context) error {
	var typ string
	err := r.conn.QueryRowContext(ctx, "SELECT type FROM sqlite_master WHERE name = 'points'").Scan(&typ)
	if errors.Is(err, sql.ErrNoRows) || err == nil && typ != "table" {
		return errors.New("no table points")
	}
	if err != nil {
		return err
	}
	now, err := r.index(ctx)
	if err != nil {
		return err
	}
	for id := range r.held {
		if _, ok := now[id]; !ok {
			delete(r.held, id)
		}
	}
	last := r.seen
	need := map[int64]string{}
	for id, at := range now {
		if h, ok := r.held[id]; ok && h.rowid == at && at < r.seen {
			continue
		}
		need[at] = id
		last = max(last, at)
	}
	if len(need) == 0 {
		return nil
	}
	r.seen = last
	// Equal numbers of rows, not of row numbers: rewritten points leave gaps.
	order := slices.Sorted(maps.Keys(need))
	parts := slices.Collect(slices.Chunk(order, max(pageRows, (len(order)+workers-1)/workers)))
	found, errs := make([]map[string]row, len(parts)), make([]error, len(parts))
	var wg sync.WaitGroup
	for i, rows := range parts {
		wg.Go(func() { found[i], errs[i] = r.part(ctx, rows[0]-1, rows[len(rows)-1], need) })
	}
	wg.Wait()
	for _, part := range found {
		maps.Copy(r.held, part)
	}
	return errors.Join(errs...)
}

// part reads the needed rows after, exclusive, to last, inclusive.
func (r *reader) part(ctx context.Context, after, last int64, need map[int64]string) (map[string]row, error) {
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	p := &partReader{conn: conn, file: r.file, need: need, held: map[string]row{}}
	for {
		n, at, err := p.page(ctx, after, last)
		if err != nil || n < pageRows {
			return p.held, err
		}
		after = at
	}
}

type partReader struct {
	conn *sql.Conn
	file string
	need map[int64]string // shared, not changed
	held map[string]row
	m    machine
}

// index lists which row holds each id. An old file may hold two rows for one id, since
// the pickle of an id is not unique: the later one counts.
func (r *reader) index(ctx context.Context) (map[string]int64, error) {
	rows, err := r.conn.QueryContext(ctx, "SELECT rowid, id FROM points")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]int64{}
	r.bad = map[int64]*schema.Finding{}
	for rows.Next() {
		var at int64
		var raw sql.RawBytes
		if err := rows.Scan(&at, &raw); err != nil {
			return nil, err
		}
		id, err := r.id(raw)
		if err != nil {
			r.bad[at] = &schema.Finding{Pos: position(r.file, at), Pointer: "/id", Code: "MEM020", Message: "the point's id cannot be read, left out: " + err.Error()}
			continue
		}
		if old, ok := out[id]; !ok || at > old {
			out[id] = at
		}
	}
	return out, rows.Err()
}

func (r *reader) id(raw []byte) (string, error) {
	if len(raw) > 64<<10 {
		return "", fmt.Errorf("%d bytes", len(raw))
	}
	b, err := base64.StdEncoding.DecodeString(string(raw))
	if err != nil {
		return "", err
	}
	v, err := r.m.load(string(b))
	if err != nil {
		return "", err
	}
	switch v.kind {
	case text:
		return v.text, nil
	case integer:
		return strconv.FormatInt(int64(v.num), 10), nil
	}
	return "", fmt.Errorf("an id of type %s", v)
}

// page reads one query's rows. A point that is too large is not fetched at all.
func (p *partReader) page(ctx context.Context, after, last int64) (n int, at int64, err error) {
	rows, err := p.conn.QueryContext(ctx, `SELECT rowid, length(point), CASE WHEN length(point) <= ? THEN point END
		FROM points WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?`, maxPoint, after, last, pageRows)
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var size sql.NullInt64
		var raw sql.RawBytes
		if err := rows.Scan(&at, &size, &raw); err != nil {
			return n, at, err
		}
		n++
		if id, ok := p.need[at]; ok {
			p.held[id] = p.row(at, id, size.Int64, raw)
		}
	}
	return n, at, rows.Err()
}

func (p *partReader) row(at int64, id string, size int64, raw []byte) row {
	h := row{rowid: at}
	var odd int
	err := fmt.Errorf("%d bytes, read are at most %d", size, maxPoint)
	if size <= maxPoint {
		h.payload, odd, err = p.m.point(string(raw), id)
	}
	switch {
	case err != nil:
		h.finding = &schema.Finding{Pos: position(p.file, at), Pointer: "/point", Code: "MEM020", Message: "the point cannot be read, left out: " + err.Error(), Have: id}
	case odd > 0:
		h.finding = &schema.Finding{Pos: position(p.file, at), Pointer: "/payload", Code: "MEM023", Message: "numbers that JSON cannot hold became null", Have: fmt.Sprintf("%d times NaN or infinity", odd), Warning: true}
	}
	return h
}

// point returns the payload of a pickled PointStruct.
func (m *machine) point(raw, id string) (p schema.Object, odd int, err error) {
	v, err := m.load(raw)
	if err != nil {
		return p, 0, err
	}
	if v.kind != instance || v.num != uint64(pointClass) {
		return p, 0, fmt.Errorf("a value of type %s, want a PointStruct", v)
	}
	own, _ := v.get("id")
	if got := own.text; own.kind == text && got != id || own.kind == integer && strconv.FormatInt(int64(own.num), 10) != id || own.kind != text && own.kind != integer {
		return p, 0, fmt.Errorf("the point says that its id is %.60q, its row says %.60q", got, id)
	}
	payload, ok := v.get("payload")
	if !ok || payload.kind == none {
		return p, 0, nil
	}
	if payload.kind != dict {
		return p, 0, fmt.Errorf("a payload of type %s", payload)
	}
	var w jsonWriter
	if err := w.value(payload); err != nil {
		return p, 0, err
	}
	return schema.RawObject(w.out), w.odd, nil
}

func (w *jsonWriter) string(s string) { w.out = codec.AppendString(w.out, s) }
