package chain

import (
	"context"
	"io"

	"membench/llm"
	"membench/memory/mem0"
	"membench/replay"
	"membench/schema"
	"membench/schema/jsonl"
)

// ProbeOptions of Probe.
type ProbeOptions struct {
	Shared
	StoreOptions
	Events   []string
	Out      string       // probes.jsonl, or "-"
	TopK     int          // hits of a probe
	Embedder llm.Embedder // nil: hashing
}

// Probe puts every event tagged probe to the memory it belongs to and writes one graded
// record each.
func Probe(ctx context.Context, o ProbeOptions) (sum replay.Summary, err error) {
	if o.TopK < 1 {
		return sum, schema.Usagef("--top-k %d: want at least 1", o.TopK)
	}
	s, err := o.resolve(ctx, true)
	if err != nil {
		return sum, err
	}
	sys, done, err := s.open(ctx, mem0.Options{Embedder: o.Embedder})
	if err != nil {
		return sum, err
	}
	defer done()
	f := o.frame("replay probe", schema.Latest, o.Out, false)
	defer f.Close()
	files, err := f.Files(ctx, o.Events, ".jsonl")
	if err != nil {
		return sum, err
	}
	s.replay.TopK, s.replay.Found = o.TopK, f.Found
	err = f.Write("", func(w io.Writer) error {
		for r, err := range jsonl.Tee(w, schema.Latest, replay.Probe(ctx, sys, readEvents(f, files), s.replay)) {
			if err != nil {
				return err
			}
			sum.Add(r.V)
		}
		return nil
	})
	if err != nil {
		return sum, err
	}
	_, err = f.Commit(schema.Manifest{})
	return sum, err
}
