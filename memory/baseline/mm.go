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

// MMMemory is LTMemory with images: text and caption are embedded together, and an image's own vector is averaged in. Hits are shown as a list.
func MMMemory() memory.Spec {
	return modal("MMMemory", "the entries, images included, most similar to the question (Mem-Gallery)", MMOptions{TopK: 10}, func(d memory.Deps, o MMOptions) (memory.System, error) {
		seen, caps, err := o.open(&d)
		return native.New(native.Options{Name: "MMMemory", Version: version, Mode: o.Mode, Config: o, Deps: memory.Deps{Embed: d.Embed}, Caps: caps, New: func(scope string) native.Policy {
			return &list{grows: true, st: store.New(store.Options{Scope: scope, Embed: d.Embed}), seen: seen, recall: recall.Pipeline{recall.Toward(func(_ context.Context, s *recall.State, v []float32) error {
				s.List = recall.Nearest(s.Store, seen.asked(v, s.Query), o.TopK, s.Eligible)
				return nil
			})}}
		}}), err
	})
}
