package baseline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// RFOptions of RFMemory.
type RFOptions struct {
	ModeOptions
	MaxTokens int `json:"max_tokens"`
	Words     int `json:"insight_words"`
}

// RFMemory is Reflexion as in Mem-Gallery: the whole dialogue, with one insight that is rewritten at the end of each session.
//
// Faithful: the new insight replaces the old one, even if content is lost; the text is cut at its front, which loses the insight first. Fixed: the insight of
// each session stays, the newest are shown in half of the budget, and the oldest entries are cut.
func RFMemory() memory.Spec {
	return modal("RFMemory", "all of the dialogue, with an insight written at each session's end (Reflexion, Mem-Gallery)",
		RFOptions{MaxTokens: 4096, Words: 150}, func(d memory.Deps, o RFOptions) (memory.System, error) {
			caps := memory.Capabilities{Unit: native.Pair, Retrieval: memory.RetrievalBlind, Calls: &memory.Calls{}}
			asks(&caps, d, memory.Calls{LLMPerSession: memory.Exactly(1)}, op.PurposeSummary)
			return native.New(native.Options{Name: "RFMemory", Version: version, Mode: o.Mode, Config: o, Deps: memory.Deps{LLM: d.LLM, Prompts: d.Prompts}, Caps: caps, New: func(scope string) native.Policy {
				return &rf{o: o, d: d, scope: scope, list: list{st: store.New(store.Options{Scope: scope})}}
			}}), nil
		})
}

type rf struct {
	list
	o        RFOptions
	d        memory.Deps
	scope    string
	insights []store.Record // faithful: one
	told     int            // entries that an insight has seen
}

// EndSession reflects on the entries since the last insight.
func (p *rf) EndSession(ctx context.Context, session string, r *memory.Receipt) error {
	if p.told == p.st.Len() {
		return nil
	}
	var old store.Record
	if n := len(p.insights); n > 0 {
		old = p.insights[n-1]
	}
	var texts []string
	var from []int
	for i := p.told; i < p.st.Len(); i++ {
		texts, from = append(texts, p.st.At(i).Text), append(from, i)
	}
	w := op.Begin(ctx, p.d, r)
	text := w.Summary(op.PurposeSummary, old.Text, texts, p.o.Words, nil)
	if w.Err != nil {
		return w.Err
	}
	p.told = p.st.Len()
	made := p.st.On("insight", p.st.At(p.told-1), from)
	made.ID, made.Text, made.Session = store.ID(p.scope+":insight", len(p.insights)+1), text, session
	if p.o.Mode == native.Faithful {
		p.insights = nil
	} else {
		old = store.Record{}
	}
	p.insights = append(slices.Clone(p.insights), store.Rewrite(old, made, r))
	return nil
}

func (p *rf) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	var shown []string // the newest insights, up to half of the budget
	left := p.o.MaxTokens / 2
	for i := len(p.insights) - 1; i >= 0; i-- {
		of := p.insights[i]
		if n := recall.TokensOf(of.Text); of.For(q) && (n <= left || len(shown) == 0) {
			shown, left = append(shown, of.Text), left-n
		}
	}
	slices.Reverse(shown)
	head := "(Insight)\n" + cmp.Or(strings.Join(shown, "\n"), "None") + "\n"
	render := func(recs []*store.Record) string { return recall.Framed(head + "(Memory)\n" + recall.Blocks(recs)) }
	if p.o.Mode == native.Faithful {
		return recall.Pipeline{recall.Last(0), inOrder(func(recs []*store.Record) string { return recall.Tail(render(recs), p.o.MaxTokens) })}.Run(ctx, p.st, q)
	}
	left = max(1, p.o.MaxTokens-recall.TokensOf(head))
	r, err := recall.Pipeline{recall.Last(0), within(left), inOrder(render)}.Run(ctx, p.st, q)
	if err == nil && r.Context == "" && len(p.insights) > 0 { // no entry fits
		r.Context = render(nil)
	}
	return r, err
}

func (p *rf) Records() []store.Record { return append(p.st.Records(), p.insights...) }

func (p *rf) Clone() native.Policy {
	c := *p
	c.st, c.insights = p.st.Clone(), slices.Clone(p.insights)
	return &c
}
