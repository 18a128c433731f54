package baseline

import (
	"context"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
)

// MMOptions of MMMemory.
type MMOptions struct {
	ModeOptions
	TopK int `json:"top_k"`
	ImageOptions
}

// MMMemory is LTMemory with images: text and caption are embedded together, and an
// image's own vector is averaged in. What is found is shown as a list.
func MMMemory() memory.Spec {
	return modal("MMMemory", "the entries, images included, most similar to the question (Mem-Gallery)", MMOptions{TopK: 10}, func(d memory.Deps, o MMOptions) (memory.System, error) {
		seen, caps, err := o.open(&d)
		return native.New(native.Options{Name: "MMMemory", Version: version, Mode: o.Mode, Config: o, Deps: memory.Deps{Embed: d.Embed}, Caps: caps, New: func(scope string) native.Policy {
			return &mm{list: list{st: store.New(store.Options{Scope: scope, Embed: d.Embed})}, seen: seen, k: o.TopK}
		}}), err
	})
}

type mm struct {
	list
	seen images
	k    int
}

func (p *mm) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	v, err := p.seen.see(ctx, p.st.Embed(), o, r)
	if err != nil {
		return err
	}
	p.st.Add(o.Record(o.Kind()), v, r)
	return nil
}

func (p *mm) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	return recall.Pipeline{recall.Toward(func(_ context.Context, s *recall.State, v []float32) error {
		s.List = recall.Nearest(s.Store, p.seen.asked(v, q), p.k, s.Eligible)
		return nil
	})}.Run(ctx, p.st, q)
}

func (p *mm) Clone() native.Policy {
	c := *p
	c.st = p.st.Clone()
	return &c
}
