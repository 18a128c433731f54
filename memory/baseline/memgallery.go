package baseline

import (
	"membench/memory"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
)

// The systems of Mem-Gallery that need no model and see texts only: FUMemory, STMemory and
// LTMemory are one composition with other stages. Faithful mode shows a reader what theirs show: numbered blocks, cut at the front of
// the text to the last MaxTokens, in the middle of an entry if need be.

// GalleryOptions of FUMemory, STMemory and LTMemory.
type GalleryOptions struct {
	ModeOptions
	TopK      int `json:"top_k"`      // of ST and LT; 0: the query's k
	MaxTokens int `json:"max_tokens"` // of the context, by recall.TokensOf
}

func gallery(name, doc string, o GalleryOptions, embeds int, retrieval string, stages func(o GalleryOptions) recall.Pipeline) memory.Spec {
	return modal(name, doc, o, func(d memory.Deps, o GalleryOptions) (memory.System, error) {
		caps := ranked(native.Pair, embeds)
		caps.Retrieval = retrieval
		deps := memory.Deps{}
		if embeds > 0 {
			deps.Embed = embedder(d)
		}
		p := stages(o)
		return native.New(native.Options{Name: name, Version: version, Mode: o.Mode, Config: o, Deps: deps, Caps: caps, New: func(scope string) native.Policy {
			return &list{grows: true, st: store.New(store.Options{Scope: scope, Embed: deps.Embed}), recall: p}
		}}), nil
	})
}

// FUMemory shows all that was said. Fixed: the newest entries that fit, whole, as
// hits by recency. Faithful: everything, cut in the middle of an entry.
func FUMemory() memory.Spec {
	return gallery("FUMemory", "all of the dialogue, cut to a budget (Mem-Gallery)", GalleryOptions{MaxTokens: 4096}, 0, memory.RetrievalBlind, func(o GalleryOptions) recall.Pipeline {
		if o.Mode == native.Faithful {
			return recall.Pipeline{recall.Last(0), inOrder(tail(o.MaxTokens))}
		}
		return recall.Pipeline{recall.Last(0), within(o.MaxTokens), inOrder(recall.Numbered)}
	})
}

// STMemory shows the last TopK entries. Faithful: the newest come first and the text is cut at its front, so that the newest are lost. Fixed: the oldest come
// first and are cut.
func STMemory() memory.Spec {
	return gallery("STMemory", "the last entries of the dialogue (Mem-Gallery)", GalleryOptions{TopK: 10, MaxTokens: 4096}, 0, memory.RetrievalBlind, func(o GalleryOptions) recall.Pipeline {
		last := recall.Pipeline{recall.Last(o.TopK)}
		if o.Mode == native.Faithful {
			return append(last, recall.Show(tail(o.MaxTokens)))
		}
		return append(last, within(o.MaxTokens), inOrder(recall.Numbered))
	})
}

// LTMemory shows the entries most similar to the question, best first. Faithful: the
// text is cut at its front, which loses the best. Fixed: the worst are cut.
func LTMemory() memory.Spec {
	return gallery("LTMemory", "the entries most similar to the question (Mem-Gallery)", GalleryOptions{TopK: 10, MaxTokens: 4096}, 1, memory.RetrievalRanked, func(o GalleryOptions) recall.Pipeline {
		rank := recall.Pipeline{recall.Rank(recall.Cosine(), nil)}
		if o.TopK > 0 {
			rank = append(rank, recall.TopK(o.TopK))
		}
		if o.Mode == native.Faithful {
			return append(rank, recall.Show(tail(o.MaxTokens)))
		}
		return append(rank, within(o.MaxTokens), recall.Show(recall.Numbered))
	})
}

// tail renders and keeps the last n tokens.
func tail(n int) func([]*store.Record) string {
	return func(recs []*store.Record) string { return recall.Tail(recall.Numbered(recs), n) }
}
