package baseline

import (
	"context"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
)

// The systems of Mem-Gallery that need no model: FUMemory, STMemory and LTMemory of texts,
// MMFUMemory and MMMemory of texts with images.
// Faithful mode shows a reader what theirs show: numbered blocks, cut at the front of
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
		so := store.Options{}
		deps := memory.Deps{}
		if embeds > 0 {
			so.Embed = embedder(d)
			deps.Embed = so.Embed
		}
		p := stages(o)
		return native.New(native.Options{Name: name, Version: version, Mode: o.Mode, Config: o, Deps: deps, Caps: caps, New: func(scope string) native.Policy {
			so := so
			so.Scope = scope
			return &list{st: store.New(so), recall: p}
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
		return recall.Pipeline{recall.Last(0), within(recall.Budget{Tokens: o.MaxTokens}), inOrder(recall.Numbered)}
	})
}

// STMemory shows the last TopK entries. Faithful: the newest first and the text cut at
// its front, so that the newest are what is lost. Fixed: the oldest first, and the
// oldest are cut.
func STMemory() memory.Spec {
	return gallery("STMemory", "the last entries of the dialogue (Mem-Gallery)", GalleryOptions{TopK: 10, MaxTokens: 4096}, 0, memory.RetrievalBlind, func(o GalleryOptions) recall.Pipeline {
		last := recall.Pipeline{recall.Last(o.TopK)}
		if o.Mode == native.Faithful {
			return append(last, recall.Show(tail(o.MaxTokens)))
		}
		return append(last, within(recall.Budget{Tokens: o.MaxTokens}), inOrder(recall.Numbered))
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
		return append(rank, within(recall.Budget{Tokens: o.MaxTokens}), recall.Show(recall.Numbered))
	})
}

// tail renders and keeps the last n tokens.
func tail(n int) func([]*store.Record) string {
	return func(recs []*store.Record) string { return recall.Tail(recall.Numbered(recs), n) }
}

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

// MMFUOptions of MMFUMemory.
type MMFUOptions struct {
	ModeOptions
	MaxTokens   int `json:"max_tokens"`
	ImageTokens int `json:"image_tokens"` // that an image takes: 256 (Qwen), 576 (GPT, LLaVA, Gemini)
	MaxImages   int `json:"max_images"`
}

// MMFUMemory shows all that was said, images included, the newest that fits.
//
// Faithful: an entry whose image does not fit is left out and older ones are still tried,
// so that old text may stand where newer images are missing; a text that does not fit
// ends the search. Fixed: the first entry that does not fit ends it; beyond the number of
// images an entry is its text alone.
func MMFUMemory() memory.Spec {
	return modal("MMFUMemory", "all of the dialogue, images included, cut to a budget (Mem-Gallery)", MMFUOptions{MaxTokens: 4096, ImageTokens: 256, MaxImages: 20}, func(d memory.Deps, o MMFUOptions) (memory.System, error) {
		caps := ranked(native.Pair, 0)
		caps.Retrieval = memory.RetrievalBlind
		return native.New(native.Options{Name: "MMFUMemory", Version: version, Mode: o.Mode, Config: o, Caps: caps, New: func(scope string) native.Policy {
			return &list{st: store.New(store.Options{Scope: scope}), note: images(nil).unseen, recall: recall.Pipeline{recall.Last(0), o.fit, inOrder(recall.Numbered)}}
		}}), nil
	})
}

// fit keeps the newest entries within the budget of tokens and images.
func (o MMFUOptions) fit(_ context.Context, s *recall.State) error {
	tokens, seen := 0, 0
	var keep []recall.Scored
	for _, c := range s.List {
		r := s.Store.At(c.Pos)
		n, image := recall.TokensOf(r.Text), len(r.Attachments) > 0
		if image && seen >= o.MaxImages {
			if o.Mode == native.Faithful {
				continue
			}
			image = false
		}
		if image {
			n += o.ImageTokens
		}
		if tokens+n > o.MaxTokens {
			if image && o.Mode == native.Faithful {
				continue
			}
			break
		}
		tokens += n
		if image {
			seen++
		}
		keep = append(keep, c)
	}
	s.List = keep
	return nil
}
