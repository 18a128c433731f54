package baseline

import (
	"context"
	"math"
	"slices"
	"strings"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// GAOptions of GAMemory.
type GAOptions struct {
	ModeOptions
	TopK      int     `json:"top_k"`
	Decay     float64 `json:"decay"`     // of recency, per thing stored since
	Threshold float64 `json:"threshold"` // of summed importance [0,1] each, from which a session's end reflects
	Questions int     `json:"questions"`
	Insights  int     `json:"insights"`
	MaxTokens int     `json:"max_tokens"`
}

// GAMemory is the memory of Generative Agents as in Mem-Gallery: relevance, recency and importance; at the end of a session it reflects and stores insights.
//
// Time is the number of stored entries, which is the fallback of the published code. In the published system, a question renews the entries that it finds; here
// each question starts from the memory as the dialogue left it.
//
// Faithful: the three scores are added unscaled, though relevance has a fifth of the others' range; evidence repeats and is expanded without limit (here 200).
// Fixed: relevance and recency are first scaled to [0,1], and evidence is given once.
func GAMemory() memory.Spec {
	return modal("GAMemory", "relevance, recency, importance and reflection (Generative Agents, Mem-Gallery)",
		GAOptions{TopK: 10, Decay: 0.995, Threshold: 0.3, Questions: 3, Insights: 3, MaxTokens: 4096}, newGA)
}

func newGA(d memory.Deps, o GAOptions) (memory.System, error) {
	d.Embed = embedder(d)
	n := o.Insights
	caps := memory.Capabilities{Unit: native.Pair, Retrieval: memory.RetrievalRanked, Stateful: true,
		Calls: &memory.Calls{EmbedPerUnit: memory.Exactly(1), EmbedPerSession: memory.Span{Max: o.Questions + n}, EmbedPerQuery: memory.Exactly(1)}}
	asks(&caps, d, memory.Calls{LLMPerUnit: memory.Exactly(1), LLMPerSession: memory.Span{Max: 2 + n}}, op.PurposeImportance, op.PurposeQuestions, op.PurposeInsights)
	return native.New(native.Options{Name: "GAMemory", Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
		return &ga{o: o, d: d, list: list{st: store.New(store.Options{Scope: scope, Embed: d.Embed})}}
	}}), nil
}

type ga struct {
	list
	o   GAOptions
	d   memory.Deps
	imp []float64 // by position, [0,1]
	at  []int     // by position: number of entries at the time of storing; for an insight, at its reflection
	sum float64   // of importance since the last reflection
}

func (p *ga) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	w := op.Begin(ctx, p.d, r)
	matters, vecs := w.Importance(o.Text), w.Embed(o.Text)
	if w.Err == nil {
		p.keep(o.Record(o.Kind()), vecs[0], matters, p.st.Len(), r)
	}
	return w.Err
}

func (p *ga) keep(rec store.Record, v []float32, matters float64, at int, r *memory.Receipt) {
	p.st.Add(rec, v, r)
	p.imp, p.at, p.sum = append(p.imp, matters), append(p.at, at), p.sum+matters
}

// EndSession reflects when enough has happened. Nothing is changed before all that can
// fail is done.
func (p *ga) EndSession(ctx context.Context, session string, r *memory.Receipt) error {
	if p.sum < p.o.Threshold || p.st.Len() == 0 {
		return nil
	}
	from := max(0, p.st.Len()-recentGA) // recency falls with age, so the last are the most recent
	var recent []string
	for i := from; i < p.st.Len(); i++ {
		recent = append(recent, p.st.At(i).Text)
	}
	w := op.Begin(ctx, p.d, r)
	questions := w.Lines(op.PurposeQuestions, strings.Join(recent, "\n"), p.o.Questions, func() []string { return op.RuleQuestions(recent, p.o.Questions) })
	var evidence []int
	for _, v := range w.Embed(questions...) {
		for _, near := range recall.Nearest(p.st, v, recentGA, nil) {
			if p.o.Mode == native.Faithful || !slices.Contains(evidence, near.Pos) {
				evidence = append(evidence, near.Pos)
			}
		}
	}
	if w.Err == nil && len(evidence) == 0 {
		p.sum = 0
		return nil
	}
	texts := p.expand(evidence)
	insights := w.Lines(op.PurposeInsights, "QUESTIONS\n"+strings.Join(questions, "\n")+"\n\nMEMORIES\n"+strings.Join(texts, "\n"), p.o.Insights, func() []string { return ruleInsights(questions, texts, p.o.Insights) })
	var matters []float64
	for _, text := range insights {
		matters = append(matters, w.Importance(text))
	}
	vecs := w.Embed(insights...)
	if w.Err != nil {
		return w.Err
	}
	now, last := p.st.Len(), *p.st.At(p.st.Len() - 1)
	if p.o.Mode == native.Faithful { // insights count towards the next reflection
		p.sum = 0
	}
	for i, text := range insights {
		rec := p.st.On("insight", &last, nil)
		rec.Text, rec.Session = text, session
		for _, pos := range evidence {
			e := p.st.At(pos)
			if !slices.Contains(rec.Links, e.ID) {
				rec.Links = append(rec.Links, e.ID)
				rec.Sources = memory.Union(rec.Sources, e.Sources)
			}
		}
		p.keep(rec, vecs[i], matters[i], now, r)
	}
	if p.o.Mode == native.Fixed {
		p.sum = 0
	}
	return nil
}

// recentGA is how many of the latest things are looked at, and how many are found for
// a question (DEFAULT_REFLECTION_TOP_K).
const recentGA = 10

// expand returns the texts of the evidence, with the evidence of insights in it.
func (p *ga) expand(evidence []int) (out []string) {
	const most = 200
	deep := 2
	if p.o.Mode == native.Faithful {
		deep = most
	}
	var walk func(pos, depth int)
	walk = func(pos, depth int) {
		if len(out) >= most {
			return
		}
		out = append(out, p.st.At(pos).Text)
		if depth < deep {
			for _, id := range p.st.At(pos).Links {
				if i, ok := p.st.Find(id); ok {
					walk(i, depth+1)
				}
			}
		}
	}
	for _, pos := range evidence {
		walk(pos, 0)
	}
	return out
}

// ruleInsights selects for each question the sentence of the evidence that says most about it.
func ruleInsights(questions, texts []string, n int) (out []string) {
	for _, q := range questions {
		var about []string
		for _, t := range texts {
			if recall.Coverage(q, t) > 0 {
				about = append(about, t)
			}
		}
		if s := op.RuleSummary("", about, 30); s != "" && !slices.Contains(out, s) && len(out) < n {
			out = append(out, s)
		}
	}
	return out
}

// fades is the recency of an entry stored n entries ago.
func fades(decay float64, n int) float64 { return math.Pow(decay, float64(n)) }

func (p *ga) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	recency := recall.Each(func(s *recall.State, i int, _ *store.Record) float64 {
		return fades(p.o.Decay, s.Store.Len()-p.at[i])
	})
	importance := recall.Each(func(_ *recall.State, i int, _ *store.Record) float64 { return p.imp[i] })
	relevance := recall.Cosine()
	show := recall.Show(tail(p.o.MaxTokens))
	if p.o.Mode == native.Fixed {
		relevance, recency = recall.MinMax(relevance), recall.MinMax(recency)
		show = recall.Show(recall.Numbered)
	}
	sum := recall.Sum(recall.Term{Weight: 1, Signal: relevance}, recall.Term{Weight: 1, Signal: recency}, recall.Term{Weight: 1, Signal: importance})
	pipe := recall.Pipeline{recall.Rank(sum, nil), recall.TopK(p.o.TopK)}
	if p.o.Mode == native.Fixed {
		pipe = append(pipe, within(p.o.MaxTokens))
	}
	return append(pipe, show).Run(ctx, p.st, q)
}

func (p *ga) Clone() native.Policy {
	c := *p
	c.st, c.imp, c.at = p.st.Clone(), slices.Clone(p.imp), slices.Clone(p.at)
	return &c
}
