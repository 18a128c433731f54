package baseline

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// OmniOptions of Omni-SimpleMem.
type OmniOptions struct {
	ModeOptions
	MinChars int `json:"min_chars"` // faithful: shorter texts are not stored
	TopK     int `json:"top_k"`     // faithful: shown for a usual question
	Evidence int `json:"evidence"`  // faithful: for one that wants proof
	Temporal int `json:"temporal"`  // faithful: for one that speaks of time
	Budget   int `json:"budget"`    // tokens of the texts shown in full
	ImageOptions
}

// OmniSimpleMem keeps units of any kind: a summary that is searched and the full text
// behind it. What is said again is not stored again.
//
// Faithful: short texts and repeats are lost, words never count in a search, words like
// "see" and "said" shut out all but images, or all, and the number of hits is the
// system's own; a question's time shuts out nothing, for the published code compares it with
// the clock on the wall. Fixed: short texts are kept, a repeat without a new word is noted on the unit
// that it repeats, words count, no kind is shut out, and the number is the caller's. Events, the graph of
// entities and the store of parameters are not made.
func OmniSimpleMem() memory.Spec {
	return modal("omni-simplemem", "summaries of texts and images, expanded to full texts (Omni-SimpleMem)",
		OmniOptions{MinChars: 10, TopK: 10, Evidence: 5, Temporal: 20, Budget: 1500}, func(d memory.Deps, o OmniOptions) (memory.System, error) {
			seen, caps, err := o.open(&d)
			caps.Calls.EmbedPerUnit.Min = 0 // for texts that are not stored
			asks(&caps, d, memory.Calls{LLMPerUnit: memory.Span{Max: 1}}, op.PurposeSummary)
			return native.New(native.Options{Name: "omni-simplemem", Version: "2", Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
				return &omni{o: o, d: d, list: list{st: store.New(store.Options{Scope: scope, Embed: d.Embed, Words: &store.Words{}}), seen: seen}}
			}}), err
		})
}

type omni struct {
	list
	o       OmniOptions
	d       memory.Deps
	summary []string // by position
	recent  []string // the beginnings of the last texts, and where they are
	at      []int
}

const (
	omniRecent = 50
	omniHead   = 200 // characters that are compared, and beyond which a text is summed up
	omniRepeat = 0.8
	omniExpand = 0.85 // score from which a unit is shown in full
	omniFull   = 5    // units shown in full, at most
)

func (p *omni) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	said := 0
	for _, t := range o.Turns {
		said += utf8.RuneCountInString(t.Text)
	}
	head := textnorm.Cut(o.Text, omniHead)
	if p.o.Mode == native.Faithful && said < p.o.MinChars && len(o.Attachments) == 0 {
		return nil
	}
	like := head
	if p.o.Mode == native.Faithful {
		like = o.Text
	}
	for i, old := range p.recent {
		if op.Repeats(like, []string{old}, omniRepeat) && (p.o.Mode == native.Faithful || p.holds(p.at[i], o)) {
			p.seen.unseen(o, r)
			p.repeat(p.at[i], o, r)
			return nil
		}
	}
	text := o.Text
	if utf8.RuneCountInString(text) > omniHead {
		w := op.Begin(ctx, p.d, r)
		if text = cmp.Or(w.Summary(op.PurposeSummary, "", []string{o.Text}, 60, nil), head); w.Err != nil {
			return w.Err
		}
	}
	v, err := p.seen.see(ctx, p.d.Embed, o, r)
	if err != nil {
		return err
	}
	pos := p.st.Add(o.Record(o.Kind()), v, r)
	p.summary = append(p.summary, text)
	p.recent, p.at = append(p.recent, head), append(p.at, pos)
	if n := len(p.recent); n > omniRecent {
		p.recent, p.at = slices.Clone(p.recent[n-omniRecent:]), slices.Clone(p.at[n-omniRecent:])
	}
	return nil
}

// holds reports whether a unit has every word of a text: similar is not equal, and the difference would be lost.
func (p *omni) holds(pos int, o native.Observation) bool {
	unit := textnorm.Key(p.st.At(pos).Text)
	return !slices.ContainsFunc(o.Turns, func(t schema.Turn) bool {
		return !strings.Contains(unit, textnorm.Key(schema.Captioned(t.Text, t.Attachments)))
	})
}

// repeat records a repetition; faithful mode loses it.
func (p *omni) repeat(pos int, o native.Observation, r *memory.Receipt) {
	rec := p.st.At(pos)
	if p.o.Mode == native.Fixed {
		rec.Sources = memory.Union(rec.Sources, o.Sources)
		rec.Attachments = append(slices.Clone(rec.Attachments), o.Attachments...)
	}
	r.Changes = append(r.Changes, memory.Change{Op: memory.OpNone, ID: rec.ID, Old: rec.Text})
}

var (
	wantsProof = pattern.New(`(?i)\b(show me|prove|exactly|specifically|details?)\b`)
	timeWords  = pattern.New(`(?i)\b(yesterday|today|(?:last|this) (?:week|month)|\d{4}-\d{2}-\d{2})\b`)
	kindHints  = []*pattern.Pattern{ // images, sound, films, texts: in any part of a word
		pattern.New(`(?i)image|picture|photo|look like|see|show|visual`), pattern.New(`(?i)audio|sound|hear|said|voice|speech|listen`),
		pattern.New(`(?i)video|clip|recording|footage`), pattern.New(`(?i)text|written|document|note|message`),
	}
)

// published returns the published code's interpretation of a question: the text without words of time, the number of hits, and the eligible entries.
func (p *omni) published(s *recall.State) (text string, k int, keep func(int) bool) {
	text, k, keep = s.Query.Text, p.o.TopK, s.Eligible
	switch {
	case wantsProof.MatchString(text):
		k = p.o.Evidence
	case timeWords.MatchString(text):
		k = p.o.Temporal
	}
	var hints []int
	for kind, words := range kindHints {
		if words.MatchString(text) {
			hints = append(hints, kind)
		}
	}
	if len(hints) == 1 {
		keep = func(i int) bool {
			image := len(s.Store.At(i).Attachments) > 0
			return s.Eligible(i) && (hints[0] == 0 && image || hints[0] == 3 && !image)
		}
	}
	return strings.Join(strings.Fields(timeWords.ReplaceAllString(text, "")), " "), k, keep
}

func (p *omni) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	return recall.Pipeline{func(ctx context.Context, s *recall.State) error {
		text, k, keep := q.Text, q.K, s.Eligible
		if p.o.Mode == native.Faithful {
			text, k, keep = p.published(s)
		}
		v, err := s.Vector(ctx, text)
		if err != nil {
			return err
		}
		found := recall.Nearest(s.Store, p.seen.asked(v, q), 2*k, nil)
		found = slices.DeleteFunc(found, func(c recall.Scored) bool { return !keep(c.Pos) || c.Score < 0 && p.o.Mode == native.Faithful })
		best := found[:min(k, len(found))]
		s.List = best
		if p.o.Mode == native.Fixed {
			s.List = recall.Fused(60, found, s.ByWords(q.Text, 2*k))
		}
		s.Context = p.render(best)
		return nil
	}}.Run(ctx, p.st, q)
}

// render shows summaries, and the full texts of the best hits within the budget.
func (p *omni) render(list []recall.Scored) string {
	left, full := p.o.Budget, 0
	recs := make([]*store.Record, len(list))
	for i, c := range list {
		rec := *p.st.At(c.Pos)
		n := recall.TokensOf(rec.Text)
		if full < omniFull && n <= left && (c.Score > omniExpand || p.o.Mode == native.Fixed) {
			full, left = full+1, left-n
		} else {
			rec.Text = p.summary[c.Pos]
		}
		recs[i] = &rec
	}
	if len(recs) == 0 {
		return ""
	}
	return strings.TrimSpace(recall.Numbered(recs))
}

func (p *omni) Clone() native.Policy {
	c := *p
	c.st, c.summary, c.recent, c.at = p.st.Clone(), slices.Clone(p.summary), slices.Clone(p.recent), slices.Clone(p.at)
	return &c
}
