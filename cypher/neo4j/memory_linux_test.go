package neo4j

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"membench/graph/graphtest"
	"membench/schema"
)

// A process that loads holds batches, not the graph: about as much at 4 million elements as at
// 40,000. With MEMBENCH_SOAK, since it takes minutes. The server is a sink in this process; the
// garbage collector is set as load-neo4j sets it.
func TestLoaderMemory(t *testing.T) {
	var n int
	if fmt.Sscan(os.Getenv("MEMBENCH_TEST_ELEMENTS"), &n); n > 0 {
		in := func(yield func(schema.Record[schema.Element], error) bool) {
			for i := range n {
				at := fmt.Sprintf("topic:%09d", i)
				e := graphtest.Node(at, "Topic", fmt.Sprintf(`{"name":"item %d","created_at":"2026-02-24T18:21:58Z","confidence":0.5,"tags":["a","b%d"]}`, i, i%7))
				if i >= n*2/5 {
					e = graphtest.Edge("KNOWS", at, "topic:000000001", fmt.Sprintf(`{"since":%d,"processed_key":"k%d"}`, i, i))
				}
				if !yield(schema.Record[schema.Element]{V: e}, nil) {
					return
				}
			}
		}
		if r, _ := load(t, dial(t, Config{URI: os.Getenv("MEMBENCH_TEST_LOAD_INTO")}), in, LoadOptions{Sessions: 2}); r.Nodes.Sent+r.Edges.Sent != n {
			t.Errorf("have %+v %+v", r.Nodes, r.Edges)
		}
		return
	}
	if !soak() {
		t.Skip("loads millions of elements: make soak")
	}
	s := newSink(t, func(string, int) string { return "" })
	peak := func(n int) int64 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLoaderMemory$", "-test.timeout=1h")
		cmd.Env = append(os.Environ(), "MEMBENCH_TEST_LOAD_INTO=bolt://"+s.l.Addr().String(), fmt.Sprint("MEMBENCH_TEST_ELEMENTS=", n), "GOGC=50")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok {
			t.Fatalf("have %T", cmd.ProcessState.SysUsage())
		}
		t.Logf("%d elements: %d MB at most, %s of processor time", n, u.Maxrss>>10, cmd.ProcessState.UserTime())
		return u.Maxrss
	}
	const few, many = 40_000, 4_000_000
	if small, large := peak(few), peak(many); large > small+small/2 {
		t.Errorf("a load of %d elements takes %d MB at most, one of %d takes %d", few, small>>10, many, large>>10)
	}
}
