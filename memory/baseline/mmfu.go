package baseline

import (
	"context"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
)

// MMFUOptions of MMFUMemory.
type MMFUOptions struct {
	ModeOptions
	MaxTokens   int `json:"max_tokens"`
	ImageTokens int `json:"image_tokens"` // that an image takes: 256 (Qwen), 576 (GPT, LLaVA, Gemini)
	MaxImages   int `json:"max_images"`
}

// MMFUMemory shows all that was said, images included, the newest that fits.
//
// Faithful: an entry whose image does not fit is omitted and older ones are still tried,
// so that old text may be shown while newer images are missing; a text that does not fit
// ends the search. Fixed: the first entry that does not fit ends it; beyond the number of
// images an entry is its text alone.
func MMFUMemory() memory.Spec {
	return modal("MMFUMemory", "all of the dialogue, images included, cut to a budget (Mem-Gallery)", MMFUOptions{MaxTokens: 4096, ImageTokens: 256, MaxImages: 20}, func(d memory.Deps, o MMFUOptions) (memory.System, error) {
		caps := ranked(native.Pair, 0)
		caps.Retrieval = memory.RetrievalBlind
		return native.New(native.Options{Name: "MMFUMemory", Version: version, Mode: o.Mode, Config: o, Caps: caps, New: func(scope string) native.Policy {
			return &list{grows: true, st: store.New(store.Options{Scope: scope}), seen: images{}, recall: recall.Pipeline{recall.Last(0), o.fit, inOrder(recall.Numbered)}}
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
