package qdrant

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/internal/codec"
	"membench/memory/mem0/qdrant/qdranttest"
	"membench/schema"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const coll = "memory_bench_global"

func uuidOf(i int) string {
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(i)*2654435761, i)
}

func point(id string, payload map[string]any) *qdrant.PointStruct {
	return &qdrant.PointStruct{Id: qdrant.NewIDUUID(id), Payload: qdrant.NewValueMap(payload), Vectors: qdrant.NewVectors(1, 0)}
}

func memory(i int, text string) *qdrant.PointStruct {
	return point(uuidOf(i), map[string]any{"data": text, "user_id": "u", "hash": schema.Hash(text), "conv_id": "ch01"})
}

func fill(s *qdranttest.Server, n int) {
	for i := range n {
		s.Put(coll, memory(i, fmt.Sprintf("[User] 我喝茶 %d", i)))
	}
}

func dial(t testing.TB, s *qdranttest.Server, o Options) *Client {
	t.Helper()
	o.Addr = s.Addr
	if o.Sleep == nil {
		o.Sleep = func(context.Context, time.Duration) error { return nil }
	}
	c, err := Dial(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func export(t testing.TB, c *Client) (out []schema.MemoryExport, findings []*schema.Finding, err error) {
	t.Helper()
	for r, err := range c.Export(context.Background(), coll) {
		var f *schema.Finding
		if errors.As(err, &f) {
			if findings = append(findings, f); !f.Warning {
				continue
			}
		} else if err != nil {
			return out, findings, err
		}
		out = append(out, r.V)
	}
	return out, findings, nil
}

// Every point is exported once, whatever the size of the pages and the number of scrolls.
func TestExportPages(t *testing.T) {
	s := qdranttest.New(t)
	const n = 257
	fill(s, n)
	s.Put(coll, &qdrant.PointStruct{Id: qdrant.NewIDNum(7)}, &qdrant.PointStruct{Id: qdrant.NewIDNum(1 << 40)})
	for _, size := range []int{1, 2, 16, 64, 256, 257, 258, 259, 1000} {
		for _, parallel := range []int{1, 2, 3} {
			have, findings, err := export(t, dial(t, s, Options{PageSize: size, Parallel: parallel}))
			if err != nil || len(findings) > 0 || len(have) != n+2 {
				t.Fatalf("page %d, parallel %d: %d points, %v, %v", size, parallel, len(have), findings, err)
			}
			if have[0].ID != "7" || have[1].ID != "1099511627776" || have[0].Payload.Len() != 0 {
				t.Errorf("numbers come first: have %s, %s", have[0].ID, have[1].ID)
			}
			if !slices.IsSortedFunc(have[2:], func(a, b schema.MemoryExport) int { return strings.Compare(string(a.ID), string(b.ID)) }) {
				t.Error("out of order")
			}
		}
	}
}

func TestExportEmpty(t *testing.T) {
	s := qdranttest.New(t)
	s.Put(coll)
	if have, findings, err := export(t, dial(t, s, Options{})); len(have)+len(findings) != 0 || err != nil {
		t.Errorf("have %v, %v, %v", have, findings, err)
	}
}

// A page over gRPC's limit, or over ours, is asked for again in halves.
func TestLargePages(t *testing.T) {
	s := qdranttest.New(t)
	for i := range 40 {
		s.Put(coll, memory(i, strings.Repeat("茶", 80_000))) // 240 kB each: 9.6 MB a page
	}
	if have, _, err := export(t, dial(t, s, Options{Parallel: 1})); err != nil || len(have) != 40 {
		t.Errorf("above gRPC's 4 MiB: %d points, %v", len(have), err)
	}
	if have, _, err := export(t, dial(t, s, Options{MaxPage: 1 << 20})); err != nil || len(have) != 40 {
		t.Errorf("above ours: %d points, %v", len(have), err)
	}
	if _, _, err := export(t, dial(t, s, Options{MaxPage: 1000})); err == nil || !strings.Contains(err.Error(), "one point alone") {
		t.Errorf("a point that can never fit: have %v", err)
	}
}

// What is written while the pages are read is in the export, as of its end.
func TestWhileWritten(t *testing.T) {
	s := qdranttest.New(t)
	const n = 50
	fill(s, n)
	behind := "00000000-0000-4000-8000-00000000abcd" // before every cursor
	s.Before = func(method string, k int) error {
		if method == "Scroll" && k == 6 {
			s.Put(coll, memory(1, "[User] changed"), point(behind, map[string]any{"data": "late"}))
			s.Remove(coll, uuidOf(3))
		}
		return nil
	}
	have, findings, err := export(t, dial(t, s, Options{PageSize: 10, Parallel: 1}))
	if err != nil || len(findings) > 0 || len(have) != n {
		t.Fatalf("%d points, %v, %v", len(have), findings, err)
	}
	texts := map[schema.PointID]string{}
	for _, m := range have {
		texts[m.ID] = m.Payload.Text("data")
	}
	if _, gone := texts[schema.PointID(uuidOf(3))]; gone || texts[schema.PointID(behind)] != "late" || texts[schema.PointID(uuidOf(1))] != "[User] changed" {
		t.Errorf("have %v", texts)
	}
	if got := s.Calls("Scroll"); got < 3*5 {
		t.Errorf("%d pages were read: want at least three readings, of which the last two agree", got)
	}

	i := 0
	s.Before = func(method string, _ int) error {
		if i++; method == "Count" {
			s.Put(coll, memory(2, fmt.Sprintf("never at rest %d", i)))
		}
		return nil
	}
	_, findings, err = export(t, dial(t, s, Options{}))
	if err != nil || len(findings) != 1 || findings[0].Code != "MEM022" || !findings[0].Warning {
		t.Errorf("a store that never rests: have %v, %v", findings, err)
	}
}

func TestValues(t *testing.T) {
	s := qdranttest.New(t)
	s.Put(coll, point(uuidOf(1), map[string]any{"hash": "h", "data": "我 \"q\" \n 🐢", "n": int64(math.MaxInt64), "one": 1, "onef": 1.0, "small": 1e-5, "nul": nil, "t": true,
		"list": []any{"a", 1, []any{}, map[string]any{"z": 1, "a": nil}}, "conv_id": "c", "scene_id": "s", "created_at": "2026", "id": "not the point's", "user_id": "u"}))
	s.Put(coll, point(uuidOf(2), map[string]any{"nan": math.NaN()}))
	have, findings, err := export(t, dial(t, s, Options{}))
	if err != nil || len(have) != 2 {
		t.Fatal(have, err)
	}
	want := `{"scene_id":"s","conv_id":"c","id":"not the point's","list":["a",1,[],{"a":null,"z":1}],"n":9223372036854775807,"nul":null,"one":1,"onef":1.0,"small":1e-05,"t":true,"user_id":"u","data":"我 \"q\" \n 🐢","hash":"h","created_at":"2026"}`
	i := slices.IndexFunc(have, func(m schema.MemoryExport) bool { return m.ID == schema.PointID(uuidOf(1)) })
	b, err := codec.Append(nil, have[i].Payload, codec.Compact)
	if err != nil || string(b) != want {
		t.Errorf("have %s\nwant %s (%v)", b, want, err)
	}
	if len(findings) != 1 || findings[0].Code != "MEM023" {
		t.Errorf("have %v", findings)
	}
	v, err := valueOf(b)
	if err != nil {
		t.Fatal(err)
	}
	back, _, err := payloadOf(v.GetStructValue().GetFields())
	if c, _ := codec.Append(nil, back, codec.Compact); err != nil || string(c) != want {
		t.Errorf("there and back: have %s, want %s (%v)", c, want, err)
	}
	deep := qdrant.NewValueString("x")
	for range 200 {
		deep = qdrant.NewValueList(&qdrant.ListValue{Values: []*qdrant.Value{deep}})
	}
	if _, _, err := payloadOf(map[string]*qdrant.Value{"d": deep}); err == nil {
		t.Error("a payload of any depth is read")
	}
}

// The digest sees every change of a payload, and no order.
func TestDigest(t *testing.T) {
	c := dial(t, qdranttest.New(t), Options{})
	x := &exporter{c: c, seed: maphash.MakeSeed()}
	base := func() map[string]any {
		return map[string]any{"a": "x", "n": 1, "l": []any{1, 2}, "m": map[string]any{"k": "v"}, "b": true}
	}
	sum := func(m map[string]any) uint64 { return digest(x.seed, qdrant.NewValueMap(m), 0) }
	seen := map[uint64]string{sum(base()): "base"}
	if sum(base()) != sum(base()) {
		t.Error("the same payload has two digests")
	}
	for name, v := range map[string]any{"a": "y", "n": 2, "n ": 1.0, "l": []any{2, 1}, "l ": []any{1, 2, nil}, "m": map[string]any{"k": "w"}, "b": false, "new": nil, "m ": map[string]any{"v": "k"}} {
		m := base()
		m[strings.TrimSpace(name)] = v
		h := sum(m)
		if old := seen[h]; old != "" {
			t.Errorf("%s has the digest of %s", name, old)
		}
		seen[h] = name
	}
}

func TestFaults(t *testing.T) {
	s := qdranttest.New(t)
	fill(s, 30)
	t.Run("unavailable once", func(t *testing.T) {
		failed := false
		s.Before = func(method string, _ int) error {
			if method == "Scroll" && !failed {
				failed = true
				return status.Error(codes.Unavailable, "restarting")
			}
			return nil
		}
		if have, _, err := export(t, dial(t, s, Options{PageSize: 7})); err != nil || len(have) != 30 {
			t.Errorf("%d points, %v", len(have), err)
		}
	})
	t.Run("unavailable for good", func(t *testing.T) {
		s.Before = func(string, int) error { return status.Error(codes.Unavailable, "gone") }
		if have, _, err := export(t, dial(t, s, Options{})); err == nil || len(have) != 0 || !strings.Contains(err.Error(), "cannot be reached") {
			t.Errorf("%d points, %v", len(have), err)
		}
	})
	t.Run("fails in the middle", func(t *testing.T) {
		s.Before = func(method string, n int) error {
			if method == "Scroll" {
				return status.Error(codes.Internal, "disk")
			}
			return nil
		}
		if have, _, err := export(t, dial(t, s, Options{})); err == nil || len(have) != 0 || !strings.Contains(err.Error(), "disk") {
			t.Errorf("%d points, %v", len(have), err)
		}
	})
	s.Before = nil
	t.Run("key", func(t *testing.T) {
		s.Key = "marked-secret"
		defer func() { s.Key = "" }()
		_, _, err := export(t, dial(t, s, Options{APIKey: "wrong-secret"}))
		if err == nil || !strings.Contains(err.Error(), "QDRANT_API_KEY") || strings.Contains(err.Error(), "secret") {
			t.Errorf("have %v", err)
		}
		if have, _, err := export(t, dial(t, s, Options{APIKey: "marked-secret"})); err != nil || len(have) != 30 {
			t.Errorf("%d points, %v", len(have), err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		for _, err := range dial(t, s, Options{}).Export(ctx, coll) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("have %v", err)
			}
		}
	})
	t.Run("no collection", func(t *testing.T) {
		c := dial(t, s, Options{})
		if _, err := c.Choose(context.Background(), "nope"); err == nil || !strings.Contains(err.Error(), coll) {
			t.Errorf("have %v", err)
		}
		s.Put("mem0migrations")
		if name, err := c.Choose(context.Background(), ""); err != nil || name != coll {
			t.Errorf("have %q, %v", name, err)
		}
		if v, err := c.Version(context.Background()); err != nil || v != "1.17.1" {
			t.Errorf("have %q, %v", v, err)
		}
	})
}

func TestAddr(t *testing.T) {
	for _, c := range []struct {
		in, host string
		port     int
		secure   bool
		err      string
	}{
		{in: "localhost:6334", host: "localhost", port: 6334},
		{in: "db", host: "db", port: 6334},
		{in: "https://db.example:7000", host: "db.example", port: 7000, secure: true},
		{in: "http://db/", host: "db", port: 6334},
		{in: "[::1]:6334", host: "::1", port: 6334},
		{in: "localhost:6333", err: "REST"},
		{in: "", err: "want host:port"},
		{in: "ftp://x", err: "want host:port"},
		{in: "https://u:p@x", err: "want host:port"},
		{in: "x:0", err: "want host:port"},
	} {
		host, port, secure, err := parseAddr(c.in)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: have %v, want %s", c.in, err, c.err)
			}
		} else if err != nil || host != c.host || port != c.port || secure != c.secure {
			t.Errorf("%q: have %s %d %t %v", c.in, host, port, secure, err)
		}
	}
	if _, err := Dial(Options{Addr: "db.example:6334", APIKey: "marked-secret"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a key without TLS: have %v", err)
	}
}

// BenchmarkScroll is the yardstick of BenchmarkExport: the bare loop of a client.
func BenchmarkScroll(b *testing.B) { bench(b, bareScroll) }

func BenchmarkExport(b *testing.B) {
	bench(b, func(b *testing.B, c *Client) (n int) {
		for _, err := range c.Export(context.Background(), coll) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		return n
	})
}

func bareScroll(b *testing.B, c *Client) (n int) {
	var offset *qdrant.PointId
	for {
		points, next, err := c.c.ScrollAndOffset(context.Background(), &qdrant.ScrollPoints{CollectionName: coll, Offset: offset, Limit: qdrant.PtrOf(uint32(1000)), WithPayload: qdrant.NewWithPayload(true)})
		if err != nil {
			b.Fatal(err)
		}
		if n += len(points); next == nil {
			return n
		}
		offset = next
	}
}

func bench(b *testing.B, f func(*testing.B, *Client) int) {
	s := qdranttest.New(b)
	const n = 200_000
	for i := range n {
		text := fmt.Sprintf("[User] I like tea number %d and long walks by the river.", i)
		s.Put(coll, point(uuidOf(i), map[string]any{"scene_id": "chill_ai_chat", "character_id": "congyin", "conv_id": "ch01", "user_id": "u", "agent_id": "congyin", "data": text, "hash": schema.Hash(text),
			"created_at": "2026-03-01T22:34:54.996222-08:00", "updated_at": "2026-03-01T22:34:54.996222-08:00", "text_lemmatized": text}))
	}
	c := dial(b, s, Options{})
	if _, err := c.Count(context.Background(), coll); err != nil {
		b.Fatal(err)
	}
	bareScroll(b, c) // the server sorts its ids once
	b.ResetTimer()
	for range b.N {
		if got := f(b, c); got != n {
			b.Fatalf("have %d points", got)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "points/s")
}
