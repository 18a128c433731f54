package claims_test

import (
	"context"
	"path/filepath"
	"testing"

	"membench/claims"
	"membench/datasets"
	"membench/datasets/locomo"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"
)

// TestModelArm measures what a recorded model's extraction (LoCoMo's observations) brings
// through the same records: the share of the questions' evidence turns that one of its
// memories stands on, and that one of the claims made of them stands on.
func TestModelArm(t *testing.T) {
	dir := exttest.Shared(t, "data/locomo/locomo8.json")
	files := []jsonl.File{datasets.PathFile(filepath.Join(dir, "data", "locomo", "locomo8.json"), nil)}
	turns := map[schema.MemoryID][]schema.EventRef{}
	said, claimed := map[schema.EventRef]bool{}, map[schema.EventRef]bool{}
	var memories []schema.Record[schema.MemoryExport]
	for r, err := range locomo.Observations(context.Background(), files, datasets.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		f, err := r.V.Fields()
		if err != nil {
			t.Fatal(err)
		}
		id := schema.Mint{V: schema.Latest}.Memory(f.Data, f.Hash, r.V.ID)
		turns[id] = append(turns[id], f.Events...)
		for _, e := range f.Events {
			said[e] = true
		}
		memories = append(memories, r)
	}
	n := 0
	in := func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		for _, r := range memories {
			if !yield(r, nil) {
				return
			}
		}
	}
	for r, err := range claims.Extract(context.Background(), in, claims.Options{}) {
		if err != nil || r.V.Claim == nil {
			continue // entities, and warnings of the merge
		}
		n++
		for _, e := range r.V.Claim.Evidence {
			for _, ref := range turns[e.Memory] {
				claimed[ref] = true
			}
		}
	}
	all, withMemory, withClaim := 0, 0, 0
	for r, err := range locomo.Cases(context.Background(), files, datasets.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range r.V.Questions {
			for _, e := range q.Evidence {
				all++
				if said[e] {
					withMemory++
				}
				if claimed[e] {
					withClaim++
				}
			}
		}
	}
	t.Logf("%d observations, %d claims; of %d evidence turns %d have an observation (%.3f), %d a claim made of one (%.3f)", len(memories), n, all,
		withMemory, float64(withMemory)/float64(max(all, 1)), withClaim, float64(withClaim)/float64(max(all, 1)))
	if all == 0 || float64(withClaim) < 0.4*float64(all) {
		t.Errorf("%d of %d evidence turns have a claim, want 0.4 of them", withClaim, all)
	}
}
