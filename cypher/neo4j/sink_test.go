package neo4j

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/graph"
	"membench/graph/graphtest"
	"membench/schema"
)

// A sink speaks Bolt 5.4 as a server does and stores nothing: it is for faults that a
// real server does not make on demand. Every write succeeds, every read finds nothing.
type sink struct {
	t *testing.T
	l net.Listener
	// fault is asked before each statement and each "COMMIT"; a code is sent as a
	// failure, "hang up" ends the connection.
	fault func(text string, rows int) string
	agent string           // what it calls itself
	warns []any            // notifications with each result
	roles map[string][]any // ROUTE, READ and WRITE: addresses that it answers ROUTE with

	mu  sync.Mutex
	met []map[string]any // of HELLO, LOGON and BEGIN, in their order
	log []string         // BEGIN, COMMIT, ROLLBACK and the statements with their numbers of rows
}

func newSink(t *testing.T, fault func(text string, rows int) string) *sink {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return sinkOn(t, l, fault)
}

func sinkOn(t *testing.T, l net.Listener, fault func(text string, rows int) string) *sink {
	s := &sink{t: t, l: l, fault: fault, agent: "Neo4j/5.26.0"}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				s.serve(c)
			})
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return s
}

func (s *sink) open() *DB {
	ctx := context.Background()
	db, err := Open(ctx, Config{URI: "bolt://" + s.l.Addr().String(), Retry: 20 * time.Second})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { db.Close(ctx) })
	s.mu.Lock()
	s.log = nil
	s.mu.Unlock()
	return db
}

func (s *sink) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// writes lists the logged statements that contain part.
func (s *sink) writes(part string) (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.log {
		if strings.Contains(l, part) {
			out = append(out, l)
		}
	}
	return out
}

func (s *sink) serve(c net.Conn) {
	var hello [20]byte
	if _, err := io.ReadFull(c, hello[:]); err != nil {
		return
	}
	c.Write([]byte{0, 0, 4, 5})
	send := func(tag byte, v any) {
		body := pack([]byte{0xB1, tag}, v)
		var out []byte
		for len(body) > 0 {
			n := min(len(body), 0xffff)
			out = append(binary.BigEndian.AppendUint16(out, uint16(n)), body[:n]...)
			body = body[n:]
		}
		c.Write(append(out, 0, 0))
	}
	success := func(m map[string]any) { send(0x70, m) }
	failed := false
	var records [][]any
	for {
		var msg []byte
		for {
			var n [2]byte
			if _, err := io.ReadFull(c, n[:]); err != nil {
				return
			}
			size := binary.BigEndian.Uint16(n[:])
			if size == 0 && len(msg) > 0 {
				break
			}
			chunk := make([]byte, size)
			if _, err := io.ReadFull(c, chunk); err != nil {
				return
			}
			msg = append(msg, chunk...)
		}
		r := bytes.NewReader(msg[2:])
		tag := msg[1]
		if failed && tag != 0x0F && tag != 0x02 {
			send(0x7E, map[string]any{})
			continue
		}
		fail := func(text string, rows int) bool {
			code := s.fault(text, rows)
			if code != "" && code != "hang up" {
				failed = true
				send(0x7F, map[string]any{"code": code, "message": "injected"})
			}
			if code == "hang up" {
				c.Close()
			}
			return code != ""
		}
		switch tag {
		case 0x01: // HELLO
			s.meet(unpack(r))
			success(map[string]any{"server": s.agent, "connection_id": "sink"})
		case 0x02: // GOODBYE
			return
		case 0x0F: // RESET
			failed = false
			success(map[string]any{})
		case 0x10: // RUN
			text, _ := unpack(r).(string)
			params, _ := unpack(r).(map[string]any)
			rows, _ := params["rows"].([]any)
			s.note("%s [%d]", text, len(rows))
			if fail(text, len(rows)) {
				continue
			}
			fields, values := answer(text, len(rows))
			records = values
			success(map[string]any{"fields": fields, "t_first": int64(0), "qid": int64(0)})
		case 0x3F, 0x2F: // PULL, DISCARD
			if tag == 0x3F {
				for _, v := range records {
					send(0x71, v)
				}
			}
			records = nil
			success(map[string]any{"db": "neo4j", "type": "rw", "t_last": int64(0), "stats": map[string]any{"contains-updates": true}, "notifications": s.warns})
		case 0x12: // COMMIT
			if fail("COMMIT", 0) {
				continue
			}
			s.note("COMMIT")
			success(map[string]any{"bookmark": "b"})
		case 0x13:
			s.note("ROLLBACK")
			success(map[string]any{})
		case 0x66: // ROUTE
			var servers []any
			for _, role := range slices.Sorted(maps.Keys(s.roles)) {
				servers = append(servers, map[string]any{"role": role, "addresses": s.roles[role]})
			}
			success(map[string]any{"rt": map[string]any{"ttl": int64(300), "db": "neo4j", "servers": servers}})
		case 0x6A, 0x11: // LOGON, BEGIN
			s.meet(unpack(r))
			success(map[string]any{})
		default:
			success(map[string]any{})
		}
	}
}

func (s *sink) meet(v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, _ := v.(map[string]any)
	s.met = append(s.met, m)
}

// last is the value of a key in the last message that has it.
func (s *sink) last(key string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range slices.Backward(s.met) {
		if v, ok := m[key]; ok {
			return v
		}
	}
	return nil
}

// answer knows the constraints that the tests need, and counts.
func answer(text string, rows int) (fields []any, values [][]any) {
	switch {
	case strings.HasPrefix(text, "SHOW CONSTRAINTS"):
		return []any{"name", "type", "entityType", "labelsOrTypes", "properties"}, [][]any{
			{heldConstraint, "UNIQUENESS", "NODE", []any{"MembenchLoad"}, []any{"scope"}},
			{"node_id_unique", "UNIQUENESS", "NODE", []any{"Node"}, []any{"id"}},
			{"rel_KNOWS_id_unique", "RELATIONSHIP_UNIQUENESS", "RELATIONSHIP", []any{"KNOWS"}, []any{"id"}}}
	case strings.Contains(text, "RETURN count(n)"), strings.Contains(text, "RETURN count(r)"):
		return []any{"n"}, [][]any{{int64(0)}}
	case strings.HasSuffix(text, "RETURN g.rev"):
		return []any{"n"}, [][]any{{int64(1)}}
	case strings.HasSuffix(text, "RETURN count(*)"):
		return []any{"n"}, [][]any{{int64(rows)}}
	}
	return []any{"a", "b", "c"}, nil
}

// pack and unpack are PackStream, as far as the driver uses it here.
func pack(b []byte, v any) []byte {
	size := func(tiny, wide byte, n int) {
		if n < 16 {
			b = append(b, tiny|byte(n))
		} else {
			b = binary.BigEndian.AppendUint32(append(b, wide), uint32(n))
		}
	}
	switch v := v.(type) {
	case nil:
		b = append(b, 0xC0)
	case bool:
		if b = append(b, 0xC2); v {
			b[len(b)-1] = 0xC3
		}
	case int64:
		b = binary.BigEndian.AppendUint64(append(b, 0xCB), uint64(v))
	case string:
		size(0x80, 0xD2, len(v))
		b = append(b, v...)
	case []any:
		size(0x90, 0xD6, len(v))
		for _, x := range v {
			b = pack(b, x)
		}
	case map[string]any:
		size(0xA0, 0xDA, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b = pack(pack(b, k), v[k])
		}
	}
	return b
}

func unpack(r *bytes.Reader) any {
	uint := func(bytes int) (n uint64) {
		for range bytes {
			c, _ := r.ReadByte()
			n = n<<8 | uint64(c)
		}
		return n
	}
	text := func(n int) string {
		b := make([]byte, n)
		io.ReadFull(r, b)
		return string(b)
	}
	list := func(n int) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = unpack(r)
		}
		return out
	}
	object := func(n int) map[string]any {
		out := map[string]any{}
		for range n {
			k, _ := unpack(r).(string)
			out[k] = unpack(r)
		}
		return out
	}
	c, _ := r.ReadByte()
	switch {
	case c < 0x80:
		return int64(c)
	case c < 0x90:
		return text(int(c & 15))
	case c < 0xA0:
		return list(int(c & 15))
	case c < 0xB0:
		return object(int(c & 15))
	case c >= 0xF0:
		return int64(int8(c))
	case c == 0xC1:
		return math.Float64frombits(uint(8))
	case c == 0xC2, c == 0xC3:
		return c == 0xC3
	case c >= 0xC8 && c <= 0xCB:
		return int64(uint(1 << (c - 0xC8)))
	case c >= 0xD0 && c <= 0xD2:
		return text(int(uint(1 << (c - 0xD0))))
	case c >= 0xD4 && c <= 0xD6:
		return list(int(uint(1 << (c - 0xD4))))
	case c >= 0xD8 && c <= 0xDA:
		return object(int(uint(1 << (c - 0xD8))))
	}
	return nil
}

var oneNode = graph.Changes(graphtest.Put(graphtest.Node("user:a", "User", "")))

// A deadlock is retried from the start of the transaction, and counted once.
func TestDeadlockIsRetried(t *testing.T) {
	var left atomic.Int32
	left.Store(2)
	s := newSink(t, func(text string, _ int) string {
		if strings.Contains(text, "MERGE (n") && left.Add(-1) >= 0 {
			return "Neo.TransientError.Transaction.DeadlockDetected"
		}
		return ""
	})
	have, err := s.open().Apply(context.Background(), oneNode)
	if err != nil || have != (graph.Applied{Sent: 1, Nodes: 1}) {
		t.Errorf("have %+v %v, want one node", have, err)
	}
	if merges, looks := s.writes("MERGE (n"), s.writes("coalesce(n._hash"); len(merges) != 3 || len(looks) != 3 {
		t.Errorf("have %d writes and %d looks, want 3 of each: %q", len(merges), len(looks), s.log)
	}
}

// A connection that breaks during the commit leaves the outcome open: the batch goes again.
func TestLostCommitIsSentAgain(t *testing.T) {
	var left atomic.Int32
	s := newSink(t, func(text string, _ int) string {
		if text == "COMMIT" && left.Add(-1) >= 0 {
			return "hang up"
		}
		return ""
	})
	db := s.open()
	if _, err := db.ensureRecord(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ensure(context.Background()); err != nil { // its commits shall pass
		t.Fatal(err)
	}
	left.Store(1)
	have, err := db.Apply(context.Background(), oneNode)
	if err != nil || have.Nodes != 1 {
		t.Errorf("have %+v %v, want one node", have, err)
	}
	if merges := s.writes("MERGE (n"); len(merges) != 2 {
		t.Errorf("have %d writes, want 2", len(merges))
	}
}

// A batch that the server has no memory for goes in halves; the driver alone would send
// the whole again until its time is up.
func TestTooBigABatchIsHalved(t *testing.T) {
	s := newSink(t, func(text string, rows int) string {
		if (strings.Contains(text, "MERGE (n") || strings.Contains(text, "CREATE")) && rows > 2 {
			return "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
		}
		return ""
	})
	var in []schema.Element
	for i := range 7 {
		in = append(in, graphtest.Node(fmt.Sprint("user:", i), "User", ""))
	}
	db := s.open()
	r, err := Load(context.Background(), db, seq(in...), LoadOptions{})
	if err != nil || r.Nodes.Sent != 7 {
		t.Fatalf("have %+v %v", r, err)
	}
	var sizes []string
	for _, w := range s.writes("CREATE (n") {
		_, n, _ := strings.Cut(w, "[")
		sizes = append(sizes, strings.TrimSuffix(n, "]"))
	}
	if want := []string{"7", "3", "1", "1", "1", "1", "1", "1", "1"}; !slices.Equal(sizes, want) {
		t.Errorf("have batches of %v, want %v", sizes, want)
	}
	_, err = db.Apply(context.Background(), graph.Changes(graphtest.Put(in[0]), graphtest.Put(in[1]), graphtest.Put(in[2])))
	if !errors.Is(err, errTooBig) {
		t.Errorf("an atomic call: have %v, want %v", err, errTooBig)
	}
}

// A server that takes fewer rows than were sent is an error, never a shrug.
func TestSilentLossIsAnError(t *testing.T) {
	s := newSink(t, func(string, int) string { return "" })
	db := s.open()
	err := db.in(context.Background(), true, func(x *tx) error {
		b := &batch{}
		for _, id := range []string{"a", "b"} {
			r, _ := db.row(schema.Record[schema.Element]{V: graphtest.Edge("KNOWS", id, id, "")})
			b.edges = append(b.edges, r)
		}
		d := &done{edges: make([]fate, 3)}
		b.edges = append(b.edges, b.edges[0])
		lossy := &tx{ctx: x.ctx, t: short{x.t}, db: x.db}
		return lossy.putEdges(b, d, make([]state, 3))
	})
	if err == nil || !strings.Contains(err.Error(), "took 2 of 3 edges of type KNOWS") {
		t.Errorf("have %v", err)
	}
}

// short drops the last row of every statement on its way to the server.
type short struct{ driver.ManagedTransaction }

func (s short) Run(ctx context.Context, text string, params map[string]any) (driver.ResultWithContext, error) {
	if rows, ok := params["rows"].([]map[string]any); ok && strings.Contains(text, "MERGE") {
		params = map[string]any{"rows": rows[:len(rows)-1]}
	}
	return s.ManagedTransaction.Run(ctx, text, params)
}
