package baseline

import (
	"context"
	"maps"
	"strings"

	"membench/internal/pattern"
	"membench/internal/rank"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// URAGOptions of UniversalRAGMemory.
type URAGOptions struct {
	ModeOptions
	TopK int `json:"top_k"`
	ImageOptions
}

// Routes of UniversalRAGMemory.
const (
	routeNone     = "none"
	routeDocument = "document"
	routeImage    = "image"
)

// UniversalRAGMemory first decides where to search: nowhere, among texts, or among images.
//
// Faithful: the answer is matched by letters, "no" first, so "I cannot tell" means nowhere; an answer that matches none of the three means documents (the
// published code chooses at random). Fixed: it is matched as a word, and nowhere means among texts, since questions to a memory need the memory.
func UniversalRAGMemory() memory.Spec {
	return modal("UniversalRAGMemory", "texts or images, as the question requires (UniversalRAG, Mem-Gallery)", URAGOptions{TopK: 10}, func(d memory.Deps, o URAGOptions) (memory.System, error) {
		seen, caps, err := o.open(&d)
		caps.Calls.EmbedPerUnit.Max = 2
		asks(&caps, d, memory.Calls{LLMPerQuery: memory.Exactly(1)}, op.PurposeRoute)
		if d.LLM != nil {
			caps.Calls.EmbedPerQuery.Min = 0 // where nothing is looked for
		}
		return native.New(native.Options{Name: "UniversalRAGMemory", Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
			return &urag{list: list{st: store.New(store.Options{Scope: scope, Embed: d.Embed}), seen: seen}, o: o, d: d, pictures: map[int][]float32{}}
		}}), err
	})
}

type urag struct {
	list
	o        URAGOptions
	d        memory.Deps
	pictures map[int][]float32 // by position: of the image, or of its caption
}

func (p *urag) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	texts := []string{o.Text}
	picture := p.seen.of(o.Attachments)
	for _, a := range o.Attachments {
		if picture == nil && len(texts) == 1 && a.Caption() != "" {
			texts = append(texts, a.Caption())
		}
	}
	vecs, err := store.Many(ctx, p.d.Embed, &r.Usage, texts)
	if err != nil {
		return err
	}
	if picture == nil && len(vecs) > 1 {
		picture = vecs[1]
	}
	p.seen.unseen(o, r)
	pos := p.st.Add(o.Record(o.Kind()), vecs[0], r)
	if picture != nil && len(picture) == len(vecs[0]) {
		p.pictures[pos] = picture
	}
	return nil
}

var looks = pattern.New(`(?i)\b(look(?:s|ed)? like|photos?|pictures?|images?|colou?rs?|wear(?:s|ing)?|wore|shown?|painting|drawing|visible)\b|照片|图片|图里|颜色|穿着|长什么样|画面|看起来`)

// route decides where to search. Only the published parser reads a wrong word as "no".
func (p *urag) route(ctx context.Context, s *recall.State) (string, error) {
	w := op.Begin(ctx, p.d, &s.Receipt)
	said := op.Member(w, op.PurposeRoute, "route", s.Query.Text, func() string {
		if looks.MatchString(s.Query.Text) {
			return routeImage
		}
		return routeDocument
	})
	said = strings.ToLower(strings.TrimSpace(said))
	if p.o.Mode == native.Faithful {
		for _, x := range [][2]string{{"no", routeNone}, {"document", routeDocument}, {"text", routeDocument}, {"image", routeImage}, {"visual", routeImage}} {
			if strings.Contains(said, x[0]) {
				return x[1], w.Err
			}
		}
	}
	if said != routeImage {
		said = routeDocument
	}
	return said, w.Err
}

func (p *urag) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	return recall.Pipeline{func(ctx context.Context, s *recall.State) error {
		to, err := p.route(ctx, s)
		if err != nil || to == routeNone {
			return err
		}
		return recall.Toward(func(_ context.Context, s *recall.State, v []float32) error {
			if to == routeImage {
				s.List = p.byImage(s, v)
			} else {
				s.List = recall.Nearest(s.Store, v, p.o.TopK, s.Eligible)
			}
			return nil
		})(ctx, s)
	}}.Run(ctx, p.st, q)
}

// byImage ranks images; where there are fewer than are wanted, texts fill up, and an
// entry with both counts with the mean of the two.
func (p *urag) byImage(s *recall.State, v []float32) []recall.Scored {
	image := p.seen.asked(v, s.Query)
	score := map[int]float64{}
	for pos, picture := range p.pictures {
		if s.Eligible(pos) {
			score[pos] = rank.Round6(recall.Dot(image, picture))
		}
	}
	if len(score) < p.o.TopK {
		for _, c := range recall.Nearest(s.Store, v, 0, s.Eligible) {
			if x, both := score[c.Pos]; both {
				score[c.Pos] = (x + c.Score) / 2
			} else {
				score[c.Pos] = c.Score
			}
		}
	}
	best := recall.Best(score)
	return best[:min(p.o.TopK, len(best))]
}

func (p *urag) Clone() native.Policy {
	c := *p
	c.st, c.pictures = p.st.Clone(), maps.Clone(p.pictures)
	return &c
}
