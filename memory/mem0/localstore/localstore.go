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
	"sync/atomic"
	"unsafe"

	"membench/internal/codec"
	"membench/schema"

	_ "modernc.org/sqlite"
)

// Store is the folder of one local Qdrant.
type Store struct {
	dir         string
	collections []Collection
}

// Collection is the entry of one collection in meta.json.
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
		ids := slices.Sorted(maps.Keys(held))
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
	conn *sql.Conn // of what one connection must see: the ids, and whether someone wrote
	file string
	held map[string]row
	bad  map[int64]*schema.Finding // rows whose id cannot be read
	seen int64                     // highest row read so far
	ids  idReader
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
	if f, ok := errors.AsType[*schema.Finding](err); ok {
		tail, err = append(tail, f), nil
	}
	return r.held, tail, err
}

func opening(err error) error {
	return fmt.Errorf("%w (if Mem0 was killed while it wrote, start and stop it once: it repairs its own journal)", err)
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
			return &schema.Finding{Pos: schema.Pos{File: r.file}, Code: "MEM021", Message: "the rest of the database cannot be read: " + err.Error(),
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
	return &schema.Finding{Pos: schema.Pos{File: r.file}, Code: "MEM022", Message: fmt.Sprintf("the store changed during each of %d readings: the export does not show a single instant", maxRounds),
		Warning: true, Hint: "export again while Mem0 is idle"}
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
		return errors.New("it has no table named points")
	}
	if err != nil {
		return err
	}
	if r.bad == nil {
		return r.first(ctx)
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
	need := map[int64]bool{}
	for id, at := range now {
		if h, ok := r.held[id]; ok && h.rowid == at && at < r.seen {
			continue
		}
		need[at] = true
		last = max(last, at)
	}
	if len(need) == 0 {
		return nil
	}
	r.seen = last
	order := slices.Sorted(maps.Keys(need))
	p := &partReader{conn: r.conn, file: r.file, from: order[0], last: order[len(order)-1], need: need, held: r.held, bad: r.bad}
	return p.read(ctx)
}

// first reads every row. Which of an id's rows counts shows as they are merged.
func (r *reader) first(ctx context.Context) error {
	var low, high sql.NullInt64
	if err := r.conn.QueryRowContext(ctx, "SELECT min(rowid), max(rowid) FROM points").Scan(&low, &high); err != nil {
		return err
	}
	r.bad = map[int64]*schema.Finding{}
	if !high.Valid {
		return nil
	}
	r.seen = high.Int64
	// More spans than workers: rewritten points leave gaps in the numbers of the rows.
	// Unsigned, since the numbers may lie further apart than the largest of them.
	step := max(pageRows, (uint64(high.Int64)-uint64(low.Int64))/(8*workers)+1)
	var spans []*partReader
	for from := low.Int64; ; {
		p := &partReader{file: r.file, from: from, last: high.Int64, held: map[string]row{}, bad: map[int64]*schema.Finding{}}
		spans = append(spans, p)
		if uint64(high.Int64)-uint64(from) < step {
			break
		}
		from = int64(uint64(from) + step)
		p.last = from - 1
	}
	var next atomic.Int64
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			conn, err := r.db.Conn(ctx)
			if err != nil {
				errs[i] = err
				return
			}
			defer conn.Close()
			for n := next.Add(1) - 1; n < int64(len(spans)) && errs[i] == nil; n = next.Add(1) - 1 {
				spans[n].conn = conn
				errs[i] = spans[n].read(ctx)
			}
		})
	}
	wg.Wait()
	for _, p := range spans { // in the order of the rows: of an id's, the later counts
		maps.Copy(r.held, p.held)
		maps.Copy(r.bad, p.bad)
	}
	return errors.Join(errs...)
}

// partReader reads rows over one connection.
type partReader struct {
	conn       *sql.Conn
	file       string
	from, last int64          // rows, both inclusive
	need       map[int64]bool // nil: all
	held       map[string]row
	bad        map[int64]*schema.Finding
	ids        idReader
	m          machine
}

// read reads the rows, page by page.
func (p *partReader) read(ctx context.Context) error {
	for {
		n, at, err := p.page(ctx, p.from, p.last)
		if err != nil || n < pageRows || at >= p.last {
			return err
		}
		p.from = at + 1
	}
}

// index lists which row holds each id. An old file may hold two rows for one id, since
// the pickle of an id is not unique: the later one counts.
func (r *reader) index(ctx context.Context) (map[string]int64, error) {
	rows, err := r.conn.QueryContext(ctx, "SELECT rowid, CAST(id AS BLOB) FROM points")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make(map[string]int64, len(r.held))
	r.bad = map[int64]*schema.Finding{}
	var at int64
	var raw sql.RawBytes
	into := []any{&at, &raw}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		id, err := r.ids.id(raw)
		if err != nil {
			r.bad[at] = badID(r.file, at, err)
			continue
		}
		if old, ok := out[id]; !ok || at > old {
			out[id] = at
		}
	}
	return out, rows.Err()
}

func badID(file string, at int64, err error) *schema.Finding {
	return &schema.Finding{Pos: position(file, at), Pointer: "/id", Code: "MEM020", Message: "the point's id cannot be read, skipped: " + err.Error()}
}

// idReader reads the text of a pickled id in base64. It may be used again.
type idReader struct {
	m   machine
	buf []byte
}

func (r *idReader) id(raw []byte) (string, error) {
	if len(raw) > 64<<10 {
		return "", fmt.Errorf("%d bytes", len(raw))
	}
	b, err := base64.StdEncoding.AppendDecode(r.buf[:0], raw)
	if err != nil {
		return "", err
	}
	r.buf = b
	v, err := r.m.load(borrowed(b))
	if err != nil {
		return "", err
	}
	switch v.kind {
	case text:
		return strings.Clone(v.text), nil
	case integer:
		return strconv.FormatInt(int64(v.num), 10), nil
	}
	return "", fmt.Errorf("an id of type %s", v)
}

// page reads one query's rows. A point that is too large is not fetched at all.
func (p *partReader) page(ctx context.Context, from, last int64) (n int, at int64, err error) {
	rows, err := p.conn.QueryContext(ctx, `SELECT rowid, CAST(id AS BLOB), CASE WHEN length(point) <= ? THEN point END
		FROM points WHERE rowid >= ? AND rowid <= ? ORDER BY rowid LIMIT ?`, maxPoint, from, last, pageRows)
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	var id, raw sql.RawBytes
	into := []any{&at, &id, &raw}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return n, at, err
		}
		n++
		if p.need != nil && !p.need[at] {
			continue
		}
		if id, err := p.ids.id(id); err != nil {
			p.bad[at] = badID(p.file, at, err)
		} else {
			p.held[id] = p.row(at, id, raw)
		}
	}
	return n, at, rows.Err()
}

func (p *partReader) row(at int64, id string, raw []byte) row {
	h := row{rowid: at}
	var odd int
	var err error
	if raw == nil {
		err = fmt.Errorf("no pickle, or one of more than the %d bytes that are read", maxPoint)
	} else {
		h.payload, odd, err = p.m.point(borrowed(raw), id)
	}
	switch {
	case err != nil:
		h.finding = &schema.Finding{Pos: position(p.file, at), Pointer: "/point", Code: "MEM020", Message: "the point cannot be read, skipped: " + err.Error(), Have: id}
	case odd > 0:
		h.finding = &schema.Finding{Pos: position(p.file, at), Pointer: "/payload", Code: "MEM023", Message: "numbers that JSON cannot hold became null", Have: fmt.Sprintf("%d times NaN or infinity", odd), Warning: true}
	}
	return h
}

// borrowed is b as a text, without a copy: it must not outlive what b is filled with
// next. A vector of 1,536 numbers takes 14 kB, of which a payload keeps nothing.
func borrowed(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

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
		return p, 0, fmt.Errorf("the point has the id %.60q, its row has %.60q", got, id)
	}
	payload, ok := v.get("payload")
	if !ok || payload.kind == none {
		return p, 0, nil
	}
	if payload.kind != dict {
		return p, 0, fmt.Errorf("a payload of type %s", payload)
	}
	w := &m.json
	w.out, w.odd, w.depth = w.out[:0], 0, 0
	if err := w.value(payload); err != nil {
		return p, 0, err
	}
	return schema.RawObject(slices.Clone(w.out)), w.odd, nil
}

func (w *jsonWriter) string(s string) { w.out = codec.AppendString(w.out, s) }
