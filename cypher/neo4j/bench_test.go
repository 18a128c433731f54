package neo4j

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"membench/cypher/neo4j/server"
	"membench/internal/exttest"
	"membench/schema"
)

// generated is a graph shaped like the chain's: memories with nine properties, hubs
// (one character, one scene, 100 conversations), three edges a memory.
func generated(memories int) (nodes, edges []schema.Element) {
	m := schema.Mint{V: schema.Latest}
	node := func(id schema.NodeID, label, props string) {
		nodes = append(nodes, schema.Element{Node: &schema.Node{ID: id, Labels: []string{label}, Props: schema.RawObject([]byte(props))}})
	}
	edge := func(typ string, src, dst schema.NodeID, props string) {
		edges = append(edges, schema.Element{Edge: &schema.Edge{ID: m.Edge(typ, src, dst), Type: typ, Src: src, Dst: dst, Props: schema.RawObject([]byte(props))}})
	}
	char, scene := m.Character("lanxi"), m.Scene("night_study")
	node(char, "Character", `{"character_id":"lanxi","display":"lanxi","name":"lanxi"}`)
	node(scene, "Scene", `{"scene_id":"night_study","display":"night_study","name":"night_study"}`)
	for c := range 100 {
		node(m.Conv(schema.ConvID(fmt.Sprintf("ch%02d", c))), "Conversation", fmt.Sprintf(`{"conv_id":"ch%02d","name":"ch%02d"}`, c, c))
	}
	for i := range memories {
		data := fmt.Sprintf("第 %d 条：经常使用笔记功能来记录小事, item %d", i, i)
		h := schema.Hash(data)
		id := schema.NodeID("mem:" + h)
		node(id, "MemoryItem", fmt.Sprintf(`{"point_id":"169aef76-a175-41ec-922c-%012d","payload_hash":"%s","data":"%s","created_at":"2026-02-24T18:21:58.028703-08:00","collection":"memory_bench_global","isolation":"global","exported_at":"2026-02-25T02:22:26Z","display":"%s #%s","name":"%s #%s"}`, i, h, data, data, h[:8], data, h[:8]))
		props := fmt.Sprintf(`{"processed_key":"%s","source_point_id":"169aef76-a175-41ec-922c-%012d","exported_at":"2026-02-25T02:22:26Z","created_at":"2026-02-24T18:21:58.028703-08:00"}`, h, i)
		edge("OWNS_MEMORY", char, id, props)
		edge("FROM_CONV", id, m.Conv(schema.ConvID(fmt.Sprintf("ch%02d", i%100))), props)
		if i%2 == 0 {
			edge("IN_SCENE", id, scene, props)
		}
	}
	return nodes, edges
}

// cpuSeconds is the processor time that a process has used, 0 where the system does
// not tell: on a busy machine it says more than the clock.
func cpuSeconds(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(f[11], 64)
	sys, _ := strconv.ParseFloat(f[12], 64)
	return (user + sys) / 100
}

// BenchmarkLoad loads about 50,000 elements into an empty database, then loads them
// again, into a server with a heap of 1 GB; the first round warms it.
//
//	go test ./cypher/neo4j -run '^$' -bench Load -benchtime 3x
func BenchmarkLoad(b *testing.B) {
	exttest.Need(b, "java", exttest.Neo4jLib())
	ctx := context.Background()
	s, err := server.Start(ctx, server.Config{Lib: exttest.Neo4jLib(), Home: b.TempDir(), HeapMB: 1024, PageCacheMB: 256, Bound: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Stop()
	db, err := Open(ctx, Config{URI: s.URI})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close(ctx)
	nodes, edges := generated(14000)
	var took [5]time.Duration
	var cpu [5]float64
	for b.Loop() {
		if _, err := db.Empty(ctx, EmptyOptions{}); err != nil {
			b.Fatal(err)
		}
		for i, part := range [][]schema.Element{nodes, edges, nodes, edges} {
			start, used := time.Now(), cpuSeconds(s.PID)
			r, err := Load(ctx, db, seq(part...), LoadOptions{})
			took[i] += time.Since(start)
			cpu[i] += cpuSeconds(s.PID) - used
			if err != nil || r.Changed() != (i < 2) || len(r.Findings) > 0 {
				b.Fatal(r, err)
			}
		}
		start := time.Now()
		v, err := Verify(ctx, db, seq(append(nodes[:len(nodes):len(nodes)], edges...)...), VerifyOptions{})
		took[4] += time.Since(start)
		if err != nil || !v.Good() {
			b.Fatal(v, err)
		}
	}
	for i, m := range []struct {
		name string
		n    int
	}{{"nodes/s", len(nodes)}, {"edges/s", len(edges)}, {"same-nodes/s", len(nodes)}, {"same-edges/s", len(edges)}, {"verified/s", len(nodes) + len(edges)}} {
		b.ReportMetric(float64(m.n*b.N)/took[i].Seconds(), m.name)
		if cpu[i] > 0 {
			b.ReportMetric(float64(m.n*b.N)/cpu[i], strings.TrimSuffix(m.name, "/s")+"/server-cpu-s")
		}
	}
}
