package baseline

import (
	"cmp"
	"context"
	"slices"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// MemU2Options of MemU 2.
type MemU2Options struct {
	TopK int `json:"top_k"` // segments that are looked at
}

// MemU2 is MemU's second generation, which asks no model: files of segments, embedded
// once; a file counts as its best segment. Here files are sessions, and segments are the
// facts that the rule takes out of them, for taking out is left to the agent.
func MemU2() memory.Spec {
	return memory.Define("memu-v2", "files of segments, without a model (MemU 2)", MemU2Options{TopK: 50}, func(d memory.Deps, o MemU2Options) (memory.System, error) {
		d = memory.Deps{Embed: embedder(d)}
		caps := ranked("fact", 1)
		caps.Calls.EmbedPerUnit = memory.Span{Max: 1 << 20}
		return native.New(native.Options{Name: "memu-v2", Version: version, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
			return &list{grows: true, st: store.New(store.Options{Scope: scope, Embed: d.Embed}), split: segments, recall: recall.Pipeline{o.files}}
		}}), nil
	})
}

// segments are the facts of a turn.
func segments(o native.Observation) (out []store.Record) {
	for _, f := range op.CaptionedFacts(o.Turns) {
		out = append(out, o.Made("segment", o.Speaker+": "+f.Text))
	}
	return out
}

// files orders the nearest segments by their files: the file of the best segment first.
func (o MemU2Options) files(ctx context.Context, s *recall.State) error {
	near, err := s.ByMeaning(ctx, s.Query.Text, o.TopK)
	if err != nil {
		return err
	}
	best := map[string]float64{}
	for _, c := range near {
		session := s.Store.At(c.Pos).Session
		best[session] = max(best[session], c.Score)
	}
	slices.SortStableFunc(near, func(a, b recall.Scored) int {
		return cmp.Compare(best[s.Store.At(b.Pos).Session], best[s.Store.At(a.Pos).Session])
	})
	s.List = recall.Ordered(near)
	return nil
}
