package graphmem_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"membench/cypher/neo4j"
	"membench/graph"
	"membench/memory"
	"membench/memory/memorytest"
	"membench/memory/native"
	"membench/memory/pcm"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// PCM's worlds in the fixture, beside the graph memory's.

func pcmHome(t testing.TB, scope string) native.Home {
	return func(ctx context.Context, ns memory.Namespace, keep bool) (graph.Store, func() error, error) {
		db := open(t, fmt.Sprintf("%s/%s/%s", scope, ns.Run, ns.Scope))
		if keep {
			return db, nil, nil
		}
		_, err := db.Empty(ctx, neo4j.EmptyOptions{})
		return db, nil, err
	}
}

func pcmIn(t testing.TB, d memory.Deps, o pcm.Options, home native.Home) memory.System {
	t.Helper()
	sys, err := pcm.NewIn(d, o, nil, home)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// PCM that lives in a server passes the suite of the contract, which takes 45 seconds.
func TestNeo4jPCMContract(t *testing.T) {
	if os.Getenv("MEMBENCH_SOAK") == "" {
		t.Skip("takes most of a minute: MEMBENCH_SOAK=1 runs it; memory/pcm runs the same over a store in process")
	}
	memorytest.RunWith(t, memorytest.Options{Open: func(t *testing.T, d memory.Deps) memory.System {
		return pcmIn(t, d, pcm.Defaults(), pcmHome(t, fmt.Sprint("pcm", systems.Add(1))))
	}})
}

// In a server it holds and finds what it does in process, also when another process goes
// on; and every saved query answers.
func TestNeo4jPCM(t *testing.T) {
	ctx := context.Background()
	o := pcm.Defaults()
	o.Entities = true
	local, remote := filled(t, pcmIn(t, memory.Deps{}, o, nil)), filled(t, pcmIn(t, memory.Deps{}, o, pcmHome(t, "pcm-same")))
	o.Keep = true
	kept, err := pcmIn(t, memory.Deps{}, o, pcmHome(t, "pcm-same")).Open(ctx, memory.Namespace{Run: "r", Scope: "u"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	alike(t, local, map[string]memory.Memory{"in Neo4j": remote, "by another process": kept})
	drv, err := driver.NewDriverWithContext(fixture.srv.URI, driver.NoAuth())
	if err != nil {
		t.Fatal(err)
	}
	defer drv.Close(ctx)
	rows := map[string]int{}
	for _, q := range pcm.Queries("pcm-same/r/u") {
		res, err := driver.ExecuteQuery(ctx, drv, q.Text, nil, driver.EagerResultTransformer)
		if err != nil {
			t.Fatalf("%s: %v\n%s", q.Name, err, q.Text)
		}
		rows[q.Name] = len(res.Records)
	}
	if rows["00-world"] == 0 || rows["01-corrections"] == 0 || rows["05-weights"] == 0 {
		t.Errorf("rows of the saved queries: %v", rows)
	}
	// A label that Browser draws is one that a node has, but for those that this talk lacks.
	style := string(pcm.Style())
	res, err := driver.ExecuteQuery(ctx, drv, "MATCH (n:Node {scope: 'pcm-same/r/u'}) UNWIND labels(n) AS l RETURN DISTINCT l", nil, driver.EagerResultTransformer)
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for _, r := range res.Records {
		if l, _ := r.Values[0].(string); l != "PcmActive" && strings.Contains(style, "node."+l+" {") {
			drawn++
		} else if l != "Node" && l != "PcmActive" {
			t.Errorf("the style does not draw %s", l)
		}
	}
	if drawn < 4 {
		t.Errorf("%d labels are drawn", drawn)
	}
}
