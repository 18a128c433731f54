package claims_test

import (
	"context"
	"fmt"
	"strings"

	"membench/claims"
	"membench/schema"
	"membench/schema/jsonl"
)

// Extract makes claims and entities of what a memory system stored.
func ExampleExtract() {
	export := `{"id": "m1", "payload": {"data": "[User] I live in Porto.", "hash": "` + schema.Hash("[User] I live in Porto.") + `", "user_id": "lin", "conv_id": "c1"}}` + "\n"
	in := jsonl.Decode[schema.MemoryExport](strings.NewReader(export), "c1.mem0.jsonl")
	for rec, err := range claims.Extract(context.Background(), in, claims.Options{}) {
		if err != nil {
			panic(err)
		}
		if c := rec.V.Claim; c != nil {
			fmt.Println(c.ID, c.Status)
		}
	}
	// Output:
	// claim:LIVES_IN|life|user:lin|place:Porto active
}
