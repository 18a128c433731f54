package localstore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"
)

// pickler writes what Python's pickle does, protocol 4.
type pickler struct{ b []byte }

type pair struct {
	k string
	v any
}

func newPickler() *pickler { return &pickler{[]byte{0x80, 4, 0x95, 0, 0, 0, 0, 0, 0, 0, 0}} }

func (p *pickler) op(b ...byte) *pickler { p.b = append(p.b, b...); return p }

func (p *pickler) val(v any) *pickler {
	switch v := v.(type) {
	case nil:
		p.op('N')
	case bool:
		if v {
			return p.op(0x88)
		}
		p.op(0x89)
	case int:
		p.op('J').b = binary.LittleEndian.AppendUint32(p.b, uint32(v))
	case float64:
		p.op('G').b = binary.BigEndian.AppendUint64(p.b, math.Float64bits(v))
	case string:
		p.op('X').b = binary.LittleEndian.AppendUint32(p.b, uint32(len(v)))
		p.b = append(p.b, v...)
		p.op(0x94)
	case []any:
		p.op(']', 0x94, '(')
		for _, x := range v {
			p.val(x)
		}
		p.op('e')
	case []pair:
		p.op('}', 0x94, '(')
		for _, x := range v {
			p.val(x.k).val(x.v)
		}
		p.op('u')
	case raw:
		p.op(v...)
	default:
		panic(fmt.Sprintf("pickling %T", v))
	}
	return p
}

type raw []byte

// point is a PointStruct as the client pickles it.
func point(id string, payload any, dim int) []byte {
	vector := make([]any, dim)
	for i := range vector {
		vector[i] = float64(i) / 8
	}
	p := newPickler().val("qdrant_client.http.models.models").val("PointStruct").op(0x93, 0x94, ')', 0x81, 0x94)
	p.val([]pair{{"__dict__", []pair{{"id", id}, {"vector", vector}, {"payload", payload}}},
		{"__pydantic_extra__", nil}, {"__pydantic_fields_set__", raw{0x8f, 0x94}}, {"__pydantic_private__", nil}})
	return p.op('b', '.').b
}

func idOf(id string) string {
	return base64.StdEncoding.EncodeToString(newPickler().val(id).op('.').b)
}

// makeStore makes a folder with one collection and returns its database.
func makeStore(t testing.TB) (dir string, db *sql.DB) {
	t.Helper()
	dir = t.TempDir()
	at := filepath.Join(dir, "collection", "m")
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	meta := `{"collections":{"m":{"vectors":{"size":4,"distance":"Cosine"},"sparse_vectors":{"bm25":{}}},"m_entities":{"vectors":{}},"mem0migrations":{"vectors":{}}},"aliases":{}}`
	if err := os.WriteFile(filepath.Join(dir, "meta.json"), []byte(meta), 0o666); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(at, "storage.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec("CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)"); err != nil {
		t.Fatal(err)
	}
	return dir, db
}

func put(t testing.TB, db interface {
	Exec(string, ...any) (sql.Result, error)
}, id string, point []byte) {
	t.Helper()
	if _, err := db.Exec("INSERT OR REPLACE INTO points VALUES (?, ?)", idOf(id), point); err != nil {
		t.Fatal(err)
	}
}

func export(t testing.TB, dir string) (points []schema.MemoryExport, findings []*schema.Finding) {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Choose("")
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range s.Export(context.Background(), c.Name) {
		var f *schema.Finding
		if errors.As(err, &f) {
			findings = append(findings, f)
			if !f.Warning {
				continue
			}
		} else if err != nil {
			t.Fatal(err)
		}
		points = append(points, r.V)
	}
	return points, findings
}

func payload(t testing.TB, m schema.MemoryExport) string {
	t.Helper()
	b, err := codec.Append(nil, m.Payload, codec.Compact)
	if err != nil || !codec.Valid(b) {
		t.Fatalf("%s: payload %s: %v", m.ID, b, err)
	}
	return string(b)
}

// The payloads of real stores are those that the real client gave, in its order.
func TestRealStores(t *testing.T) {
	dir := exttest.Shared(t, "data/mem0_real")
	dir = filepath.Join(dir, "data", "mem0_real")
	for _, version := range []string{"0.1.118", "1.0.11", "2.2.1"} {
		t.Run(version, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join(dir, "lib_"+version+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var rec struct {
				Steps  []json.RawMessage `json:"steps"`
				Points map[string][]struct {
					ID      schema.PointID  `json:"id"`
					Payload json.RawMessage `json:"payload"`
				} `json:"points"`
			}
			if err := json.Unmarshal(b, &rec); err != nil {
				t.Fatal(err)
			}
			have, findings := export(t, filepath.Join(dir, "stores", version, "qdrant_before_delete_all"))
			for _, f := range findings {
				t.Error(f)
			}
			if len(have) == 0 {
				t.Fatal("no points")
			}
			want := map[schema.PointID]string{}
			for _, p := range rec.Points["memory_bench_global"] {
				var c bytes.Buffer
				if err := json.Compact(&c, p.Payload); err != nil {
					t.Fatal(err)
				}
				want[p.ID] = c.String()
			}
			compared := 0
			for i, m := range have {
				if i > 0 && have[i-1].ID >= m.ID {
					t.Errorf("%s comes after %s", m.ID, have[i-1].ID)
				}
				if w, ok := want[m.ID]; ok {
					if compared++; payload(t, m) != w {
						t.Errorf("%s:\nhave %s\nwant %s", m.ID, payload(t, m), w)
					}
				}
				if f, err := m.Fields(); err == nil && f.Data != "" && schema.Hash(f.Data) != f.Hash {
					t.Errorf("%s: hash %s of data %q", m.ID, f.Hash, f.Data)
				}
			}
			// The recording lists the collection after its last delete, the store before.
			if compared != len(want) || len(have) < 19 {
				t.Errorf("have %d points, the client had %d, %d in common", len(have), len(want), compared)
			}
		})
	}
	if have, findings := export(t, filepath.Join(dir, "stores", "2.2.1-sparse")); len(have) != 2 || len(findings) != 0 {
		t.Errorf("sparse vectors: have %d points, findings %v", len(have), findings)
	}
}

// The store of the existing chain, with vectors of 1,536 numbers.
func TestRealChainStore(t *testing.T) {
	dir := exttest.Shared(t, "data/memory_bench_mem0/qdrant_storage")
	dir = filepath.Join(dir, "data", "memory_bench_mem0")
	f, err := os.Open(filepath.Join(dir, "qdrant_points_decoded.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	have, findings := export(t, dir)
	want := map[schema.PointID]schema.MemoryExport{}
	for r, err := range jsonl.Decode[schema.MemoryExport](f, f.Name()) {
		if err != nil {
			t.Fatal(err)
		}
		want[r.V.ID] = r.V
	}
	if len(have) != len(want) || len(have) == 0 || len(findings) != 0 {
		t.Fatalf("have %d points, want %d; %v", len(have), len(want), findings)
	}
	for _, m := range have {
		if payload(t, m) != payload(t, want[m.ID]) {
			t.Errorf("%s: have %s, want %s", m.ID, payload(t, m), payload(t, want[m.ID]))
		}
	}
}

func TestValues(t *testing.T) {
	dir, db := makeStore(t)
	all := []pair{{"data", "我 \"q\" \n 🐢"}, {"n", 3}, {"neg", -7}, {"f", 1.0}, {"small", 1e-5}, {"big", 1e16}, {"third", 1.0 / 3}, {"t", true}, {"no", false}, {"nul", nil},
		{"list", []any{"a", 1, []any{}}}, {"map", []pair{{"z", 1}, {"a", 2}}}, {"floats", []any{0.5, 2.0}},
		{"tuple", raw{'K', 1, 'K', 2, 0x86}}, {"long", raw{0x8a, 9, 0, 0, 0, 0, 0, 0, 0, 0, 64}}, {"neglong", raw{0x8a, 1, 0xff}}, {"set", raw{0x8f, '(', 'K', 9, 0x90}},
		{"n", 4}, {"id", "not the point's"}}
	put(t, db, "b", point("b", all, 1536))
	put(t, db, "a", point("a", []pair{{"data", "x"}, {"nan", math.NaN()}}, 4))
	put(t, db, "c", point("c", nil, 0))
	have, findings := export(t, dir)
	if len(have) != 3 || have[0].ID != "a" || have[1].ID != "b" {
		t.Fatalf("have %v", have)
	}
	want := `{"data":"我 \"q\" \n 🐢","n":4,"neg":-7,"f":1.0,"small":1e-05,"big":1e+16,"third":0.3333333333333333,"t":true,"no":false,"nul":null,` +
		`"list":["a",1,[]],"map":{"z":1,"a":2},"floats":[0.5,2.0],"tuple":[1,2],"long":1180591620717411303424,"neglong":-1,"set":[9],"id":"not the point's"}`
	if got := payload(t, have[1]); got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
	if got := payload(t, have[0]); got != `{"data":"x","nan":null}` {
		t.Errorf("have %s", got)
	}
	if len(findings) != 1 || findings[0].Code != "MEM023" || !findings[0].Warning {
		t.Errorf("have %v, want a warning about NaN", findings)
	}
}

// What is hostile is a finding, whatever it is; the good point beside it is read.
func TestHostile(t *testing.T) {
	deep := bytes.Repeat([]byte{']'}, 5000) // 5,000 lists, each in the one before
	deep = append(deep, bytes.Repeat([]byte{'a'}, 4999)...)
	laughs := []byte{']', 0x94, 'K', 1, 'a'} // each list holds the one before ten times
	for i := byte(0); i < 40; i++ {
		laughs = append(laughs, ']', 0x94, '(')
		for range 10 {
			laughs = append(laughs, 'h', 9+i)
		}
		laughs = append(laughs, 'e')
	}
	evil := newPickler().val("posix").val("system").op(0x93).val("touch /tmp/membench-was-here").op(0x85, 'R', '.').b
	cases := map[string][]byte{
		"foreign class":        evil,
		"class in the payload": point("x", raw(append(newPickler().val("builtins").val("eval").b[11:], 0x93)), 4),
		"global":               []byte("\x80\x02cos\nsystem\nU\x02lsR."),
		"recursive":            point("x", []pair{{"l", raw{']', 0x94, 'h', 12, 'a'}}}, 0),
		"deep":                 point("x", []pair{{"l", raw(deep)}}, 4),
		"laughs":               point("x", []pair{{"l", raw(laughs)}}, 0),
		"huge text":            {0x80, 4, 0x8d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, '.'},
		"huge memo":            {0x80, 4, 'N', 'r', 0xff, 0xff, 0xff, 0xff, '.'},
		"unset memo":           {0x80, 4, 'h', 3, '.'},
		"empty":                {},
		"no end":               {0x80, 4, 'N'},
		"not a point":          newPickler().val("hello").op('.').b,
		"payload is a list":    point("x", []any{1}, 4),
		"another's id":         point("y", []pair{{"data", "x"}}, 4),
		"no UTF-8":             point("x", []pair{{"data", "\xff\xfe"}}, 4),
		"many values":          append(append([]byte{0x80, 4}, bytes.Repeat([]byte{']'}, maxValues+2)...), '.'),
		"protocol 9":           {0x80, 9, 'N', '.'},
		"half":                 point("x", []pair{{"data", "x"}}, 4)[:60],
		"pop below a mark":     {0x80, 4, 'N', '(', 'a', '.'},
		"self dict":            {0x80, 4, '}', 0x94, 'h', 0, 'h', 0, 's', '.'},
	}
	for name, b := range cases {
		t.Run(name, func(t *testing.T) {
			dir, db := makeStore(t)
			put(t, db, "x", b)
			put(t, db, "good", point("good", []pair{{"data", "tea"}}, 4))
			have, findings := export(t, dir)
			if len(have) != 1 || have[0].ID != "good" {
				t.Errorf("have %v, want the good point alone", have)
			}
			if len(findings) != 1 || findings[0].Code != "MEM020" || findings[0].Pos.Line != 1 {
				t.Errorf("have %v, want MEM020 for row 1", findings)
			}
		})
	}
	if _, err := os.Stat("/tmp/membench-was-here"); err == nil {
		t.Error("the pickle was run")
	}
}

func TestHostileDatabase(t *testing.T) {
	t.Run("bad id", func(t *testing.T) {
		dir, db := makeStore(t)
		for _, id := range []string{"", "no base64!", base64.StdEncoding.EncodeToString([]byte("\x80\x04cos\nsystem\n."))} {
			if _, err := db.Exec("INSERT INTO points VALUES (?, ?)", id, point("x", nil, 4)); err != nil {
				t.Fatal(err)
			}
		}
		if have, findings := export(t, dir); len(have) != 0 || len(findings) != 3 || findings[2].Pointer != "/id" {
			t.Errorf("have %v, %v", have, findings)
		}
	})
	t.Run("truncated", func(t *testing.T) {
		dir, db := makeStore(t)
		for i := range 400 {
			id := fmt.Sprintf("p%04d", i)
			put(t, db, id, point(id, []pair{{"data", "tea"}}, 400))
		}
		db.Close()
		file := filepath.Join(dir, "collection", "m", "storage.sqlite")
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, info.Size()/2/4096*4096); err != nil {
			t.Fatal(err)
		}
		have, findings := export(t, dir)
		if len(findings) == 0 || findings[len(findings)-1].Code != "MEM021" {
			t.Errorf("have %d points and %v, want MEM021", len(have), findings)
		}
	})
	t.Run("no database", func(t *testing.T) {
		dir, db := makeStore(t)
		db.Close()
		if err := os.WriteFile(filepath.Join(dir, "collection", "m", "storage.sqlite"), []byte("not a database, but long enough to have a header of one hundred bytes, which is what SQLite looks at first"), 0o666); err != nil {
			t.Fatal(err)
		}
		if have, findings := export(t, dir); len(have) != 0 || len(findings) != 1 || findings[0].Code != "MEM021" {
			t.Errorf("have %v, %v", have, findings)
		}
	})
	t.Run("a view", func(t *testing.T) {
		dir, db := makeStore(t)
		if _, err := db.Exec("DROP TABLE points; CREATE VIEW points AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x AS rowid, x AS id, x AS point FROM c"); err != nil {
			t.Fatal(err)
		}
		if have, findings := export(t, dir); len(have) != 0 || len(findings) != 1 || findings[0].Code != "MEM021" {
			t.Errorf("have %v, %v", have, findings)
		}
	})
	t.Run("a path for a name", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "meta.json"), []byte(`{"collections":{"../../etc":{}}}`), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "the name is a path") {
			t.Errorf("have %v", err)
		}
	})
}

// What is written while the store is read is in the export: as of the end, each point once.
func TestWhileWritten(t *testing.T) {
	dir, db := makeStore(t)
	const n = 1500
	for i := range n {
		id := fmt.Sprintf("p%05d", i)
		put(t, db, id, point(id, []pair{{"data", "old"}}, 4))
	}
	file := filepath.Join(dir, "collection", "m", "storage.sqlite")
	r := &reader{file: file, held: map[string]row{}}
	ro, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close()
	r.db = ro
	ctx := context.Background()
	if r.conn, err = ro.Conn(ctx); err != nil {
		t.Fatal(err)
	}
	defer r.conn.Close()
	if err := r.round(ctx); err != nil {
		t.Fatal(err)
	}
	before, err := r.dataVersion(ctx)
	if err != nil {
		t.Fatal(err)
	}
	put(t, db, "p00003", point("p00003", []pair{{"data", "new"}}, 4))
	put(t, db, fmt.Sprintf("p%05d", n-1), point(fmt.Sprintf("p%05d", n-1), []pair{{"data", "new"}}, 4)) // the last row
	if _, err := db.Exec("DELETE FROM points WHERE id = ?", idOf("p00007")); err != nil {
		t.Fatal(err)
	}
	put(t, db, "q", point("q", []pair{{"data", "new"}}, 4))
	if after, err := r.dataVersion(ctx); err != nil || after == before {
		t.Errorf("data_version %d, before the writes %d (%v)", after, before, err)
	}
	if err := r.rounds(ctx); err != nil {
		t.Fatal(err)
	}
	fresh, _ := export(t, dir)
	if len(fresh) != n || len(r.held) != n {
		t.Fatalf("have %d and %d points, want %d", len(r.held), len(fresh), n)
	}
	for _, m := range fresh {
		h, ok := r.held[string(m.ID)]
		if !ok || h.payload.Text("data") != m.Payload.Text("data") {
			t.Errorf("%s: have %q, want %q", m.ID, h.payload.Text("data"), m.Payload.Text("data"))
		}
	}
}

// Numbers of rows may be any 64 bits, and leave gaps; of two rows of one id the later counts.
func TestRowNumbers(t *testing.T) {
	dir, db := makeStore(t)
	if _, err := db.Exec("DROP TABLE points; CREATE TABLE points (id TEXT, point BLOB)"); err != nil { // an old store knows no unique ids
		t.Fatal(err)
	}
	for i, at := range []int64{math.MinInt64, -3, 0, 1, 1 << 40, 1<<40 + 700, math.MaxInt64} {
		id := fmt.Sprint("p", i%6) // p0 twice
		if _, err := db.Exec("INSERT INTO points (rowid, id, point) VALUES (?, ?, ?)", at, idOf(id), point(id, []pair{{"data", fmt.Sprint(at)}}, 4)); err != nil {
			t.Fatal(err)
		}
	}
	have, findings := export(t, dir)
	if len(have) != 6 || len(findings) != 0 || have[0].Payload.Text("data") != fmt.Sprint(math.MaxInt64) {
		t.Errorf("have %v, %v", have, findings)
	}
}

func TestChoose(t *testing.T) {
	dir, _ := makeStore(t)
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Choose("")
	if err != nil || c.Name != "m" || !c.Sparse || c.Size != 4 || c.Distance != "Cosine" {
		t.Errorf("have %+v, %v", c, err)
	}
	if c, err := s.Choose("m_entities"); err != nil || !c.Internal {
		t.Errorf("have %+v, %v", c, err)
	}
	if _, err := s.Choose("nope"); err == nil || !strings.Contains(err.Error(), `have ["m" "m_entities" "mem0migrations"]`) {
		t.Errorf("have %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "vector_store") {
		t.Errorf("have %v", err)
	}
}

func FuzzUnpickle(f *testing.F) {
	f.Add(point("x", []pair{{"data", "x"}, {"l", []any{1, 2.5, nil}}}, 4))
	f.Add([]byte("\x80\x02cos\nsystem\nU\x02lsR."))
	f.Add([]byte{0x80, 4, ']', 0x94, 'h', 0, 'a', '.'})
	f.Add([]byte{0x80, 4, '}', '(', 'K', 1, ')', 'u', '.'})
	f.Fuzz(func(t *testing.T, b []byte) {
		var m machine
		v, err := m.load(string(b))
		if err != nil {
			return
		}
		var w jsonWriter
		if err := w.value(v); err == nil && !codec.Valid(w.out) && v.kind != floats {
			t.Errorf("%q gives %q, which is no JSON", b, w.out)
		}
		_, _, _ = m.point(string(b), "x")
	})
}

// fill makes a store of n points as Mem0 keeps them, with vectors of dim numbers.
func fill(b *testing.B, n, dim int) (dir string) {
	dir, db := makeStore(b)
	meta := fmt.Sprintf(`{"collections":{"m":{"vectors":{"size":%d,"distance":"Cosine"}}},"aliases":{}}`, dim)
	if err := os.WriteFile(filepath.Join(dir, "meta.json"), []byte(meta), 0o666); err != nil {
		b.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		id := fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(i)*2654435761, i)
		put(b, tx, id, point(id, []pair{{"conv_id", "ch01"}, {"user_id", "u"}, {"data", "[User] I like tea and long walks."}, {"hash", "306e03221d13d3aa104a6e8ba0694540"}, {"created_at", "2026-03-01T22:34:55.009442-08:00"}}, dim))
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	return dir
}

const benchPoints = 10_000

// dims are those of a small local model and of Mem0's default.
func dims(b *testing.B, f func(b *testing.B, dim int)) {
	for _, dim := range []int{384, 1536} {
		b.Run(fmt.Sprint(dim), func(b *testing.B) { f(b, dim) })
	}
}

func BenchmarkExport(b *testing.B) { dims(b, benchExport) }

func benchExport(b *testing.B, dim int) {
	dir := fill(b, benchPoints, dim)
	b.ReportAllocs()
	for b.Loop() {
		if have, _ := export(b, dir); len(have) != benchPoints {
			b.Fatalf("have %d points", len(have))
		}
	}
	b.ReportMetric(float64(benchPoints)*float64(b.N)/b.Elapsed().Seconds(), "points/s")
}

// BenchmarkPython is the yardstick: the real client opens the same store and scrolls it.
func BenchmarkPython(b *testing.B) { dims(b, benchPython) }

func benchPython(b *testing.B, dim int) {
	python := exttest.Mem0(b, "2.2.1")
	dir := fill(b, benchPoints, dim)
	var sum float64
	for range b.N {
		out, err := exec.Command(python, "testdata/scroll.py", dir).Output()
		if err != nil {
			b.Fatal(err)
		}
		var n int
		var seconds float64
		if _, err := fmt.Sscan(string(out), &n, &seconds); err != nil || n != benchPoints {
			b.Fatalf("have %q (%v)", out, err)
		}
		sum += seconds
	}
	b.ReportMetric(benchPoints*float64(b.N)/sum, "points/s")
}
