package trace_test

import (
	"context"
	"os"
	"strings"

	"membench/graph"
	"membench/graph/trace"
	"membench/schema"
	"membench/schema/jsonl"
)

const elements = `{"id": "claim:PREFERS_TOPIC|daily|user:lin|topic:tea", "labels": ["Claim"], "props": {"status": "active"}}
{"id": "mem:1", "labels": ["MemoryItem"], "props": {"data": "I love tea."}}
{"id": "e1", "type": "EVIDENCED_BY", "src": "claim:PREFERS_TOPIC|daily|user:lin|topic:tea", "dst": "mem:1", "props": {}}
`

func ExampleRun() {
	g := graph.NewLocal()
	in := jsonl.Decode[schema.Element](strings.NewReader(elements), "graph")
	if err := g.Read(context.Background(), in, func(*schema.Finding) {}); err != nil {
		panic(err)
	}
	report, err := trace.Run(context.Background(), g, trace.Options{Query: "mem:1", Direction: graph.In})
	if err != nil {
		panic(err)
	}
	report.Write(os.Stdout)
	// Output:
	// MemoryItem mem:1 “I love tea.”
	// └─ Claim claim:PREFERS_TOPIC|daily|user:lin|topic:tea  (active)
}
