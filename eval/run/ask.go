package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"membench/eval/reader"
	"membench/llm"
	"membench/memory"
	"membench/schema"
)

// shown is the result of a retrieval.
type shown struct {
	hits     []schema.QAHit
	repeated int // hits with the id of another one
	below    []schema.QARank
	context  string
	ms       float64
	usage    []schema.StepUsage
	notes    []string
	plainer  []string // operations for which the system used a fallback
}

func (p *player) query(q schema.Question) memory.Query {
	m := memory.Query{Text: q.Text, K: p.u.k, UserID: userID, AgentID: agentID, AsOf: q.AsOf, Attachments: q.Attachments}
	if p.u.caps.UsesGold {
		m.Gold, m.K = q.Evidence, max(p.u.k, len(q.Evidence))
	}
	if p.u.caps.UsesCategory {
		m.Category = q.Category
	}
	return m
}

// ask is do on the memory to ask: a copy where asking changes it.
func ask[T any](ctx context.Context, p *player, what string, f func(context.Context, memory.Memory) (T, error)) (T, error) {
	return do(ctx, p, what, p.o.Limits.Retrieve, func(ctx context.Context) (none T, err error) {
		if !p.u.caps.Stateful {
			return f(ctx, p.m)
		}
		c, ok := memory.As[memory.Cloner](p.m)
		if !ok { // unreachable: open looked
			return none, errors.New("the memory cannot be copied")
		}
		m, err := c.Clone(ctx)
		if err != nil {
			return none, err
		}
		defer m.Close()
		return f(ctx, m)
	})
}

// retrieve asks the memory, and fills in found.
func (p *player) retrieve(ctx context.Context, q schema.Question, rec *schema.QARecord, found *shown) error {
	ctx, meter := llm.WithMeter(ctx)
	query := p.query(q)
	start := p.now()
	ret, err := ask(ctx, p, "retrieving", func(ctx context.Context, m memory.Memory) (memory.Retrieved, error) { return m.Retrieve(ctx, query) })
	found.ms = p.since(start)
	found.usage, found.notes = usageOf("retrieve", meter, ret.Usage)
	rec.RetrieveMS = found.ms
	if err != nil {
		rec.Usage = found.usage
		return err
	}
	p.take(query, ret, found)
	return p.deeper(ctx, q, query, found)
}

// take makes records of hits, and the context of them.
func (p *player) take(query memory.Query, ret memory.Retrieved, found *shown) {
	if n := len(ret.Hits) + ret.Beyond; n > query.K {
		found.notes = append(found.notes, fmt.Sprintf("%d hits given where %d were asked for: the rest is skipped", n, query.K))
		ret.Hits = ret.Hits[:min(query.K, len(ret.Hits))]
	}
	found.hits, found.repeated = make([]schema.QAHit, len(ret.Hits)), ret.Repeated
	for i, h := range ret.Hits {
		if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) {
			found.notes = append(found.notes, fmt.Sprintf("hit %d has a score that is not a number", i+1))
			h.Score = 0
		}
		found.hits[i] = schema.QAHit{Rank: i + 1, ID: schema.PointID(text(string(h.ID))), Score: h.Score, Text: text(h.Text), Sources: h.Sources}
	}
	found.context = p.show(found.hits, text(ret.Context))
	for _, d := range ret.Degraded {
		found.plainer = append(found.plainer, text(d.String()))
	}
}

// show makes the context: the system's own, or its hits in the common rendering. A hit that is not complete in the context is marked.
func (p *player) show(hits []schema.QAHit, own string) string {
	if own == "" {
		o := reader.Show{Tokens: p.o.ContextTokens, Count: p.o.Count}
		if p.times != nil {
			o.Time = func(e schema.EventRef) string { return p.times[e] }
		}
		return o.Context(hits)
	}
	short, cut := reader.Cut(own, p.o.ContextTokens, p.o.Count)
	for i := range hits {
		hits[i].Cut = cut && !strings.Contains(short, hits[i].Text)
	}
	return short
}

// deepest is the rank down to which evidence is looked for that Options.Depth did not reach.
const deepest = 1000

// deeper looks for gold evidence below k, if that needs no model calls: down to the depth of the run, whose ranks are all kept, and if the evidence is not
// among these and the system has more hits, further down, where only the ranks of the evidence are kept.
func (p *player) deeper(ctx context.Context, q schema.Question, query memory.Query, found *shown) error {
	caps := p.u.caps
	if p.o.Depth <= query.K || caps.Retrieval != memory.RetrievalRanked || caps.UsesGold || caps.Calls != nil && caps.Calls.LLMPerQuery.Max > 0 {
		return nil
	}
	named := func(sources []schema.EventRef) bool {
		return slices.ContainsFunc(q.Evidence, func(e schema.EventRef) bool { return slices.Contains(sources, e) })
	}
	hits := found.hits
	missing := func(e schema.EventRef) bool {
		return !slices.ContainsFunc(hits, func(h schema.QAHit) bool { return slices.Contains(h.Sources, e) }) &&
			!slices.ContainsFunc(found.below, func(h schema.QARank) bool { return slices.Contains(h.Sources, e) })
	}
	known := map[schema.PointID]bool{}
	for _, h := range hits {
		known[h.ID] = true
	}
	rank, sourced := len(hits), false
	for _, depth := range []int{p.o.Depth, deepest} {
		if !slices.ContainsFunc(q.Evidence, missing) {
			return nil
		}
		query.K = depth
		ret, err := ask(ctx, p, "retrieving deeper", func(ctx context.Context, m memory.Memory) (memory.Retrieved, error) { return m.Retrieve(ctx, query) })
		if err != nil {
			if fatal(ctx, err) {
				return err
			}
			found.notes = append(found.notes, "looking below k failed: "+text(err.Error()))
			return nil
		}
		for _, h := range ret.Hits {
			id := schema.PointID(text(string(h.ID)))
			if known[id] {
				continue
			}
			known[id] = true
			rank++
			sourced = sourced || len(h.Sources) > 0
			if depth == p.o.Depth || named(h.Sources) {
				found.below = append(found.below, schema.QARank{Rank: rank, ID: id, Sources: h.Sources})
			}
		}
		if len(ret.Hits) < depth || !sourced || depth >= deepest {
			return nil
		}
	}
	return nil
}

// selfAnswer asks a memory that answers by itself.
func (p *player) selfAnswer(ctx context.Context, q schema.Question, rec *schema.QARecord) error {
	ctx, meter := llm.WithMeter(ctx)
	query := p.query(q)
	type answer struct {
		memory.Retrieved
		text string
	}
	start := p.now()
	a, err := ask(ctx, p, "answering", func(ctx context.Context, m memory.Memory) (answer, error) {
		s, ok := memory.As[memory.Answerer](m)
		if !ok {
			return answer{}, errors.New("the copy of the memory cannot answer")
		}
		r, text, err := s.Answer(ctx, query)
		return answer{r, text}, err
	})
	rec.AnswerMS = p.since(start)
	var found shown
	found.usage, found.notes = usageOf("answer", meter, a.Usage)
	rec.Usage = found.usage
	if err != nil {
		return err
	}
	p.take(query, a.Retrieved, &found)
	rec.Hits, rec.Repeated, rec.Context, rec.Degraded = found.hits, found.repeated, found.context, found.plainer
	note(&rec.Extra, found.notes)
	rec.By = schema.By(p.u.name)
	rec.Answer, rec.Outcome = said(a.text)
	return nil
}

// said returns an answer as it came, and its outcome: an empty one is not a refusal.
func said(answer string) (as, outcome string) {
	if strings.TrimSpace(answer) == "" {
		return text(answer), schema.OutcomeEmpty
	}
	return text(answer), schema.OutcomeAnswered
}

// impossible is more tokens than any call has.
const impossible = 1 << 40

// usageOf returns the cost of a step: as counted if the models are ours, otherwise as the system reports. notes name implausible reports.
func usageOf(step string, m *llm.Meter, told llm.Usage) (out []schema.StepUsage, notes []string) {
	var counted llm.Usage
	for _, row := range m.Rows() {
		counted = counted.Add(row.Usage)
		out = append(out, schema.StepUsage{Step: step, Model: row.Model, Calls: row.Usage.Calls, InputTokens: row.Usage.InputTokens, OutputTokens: row.Usage.OutputTokens})
	}
	switch {
	case told.Calls < 0 || told.InputTokens < 0 || told.OutputTokens < 0 || told.Calls > impossible || told.InputTokens > impossible || told.OutputTokens > impossible:
		notes = append(notes, fmt.Sprintf("%s: the system reports an impossible usage: %d calls, %d+%d tokens", step, told.Calls, told.InputTokens, told.OutputTokens))
	case len(out) > 0 && (told.Calls != counted.Calls || told.InputTokens != counted.InputTokens || told.OutputTokens != counted.OutputTokens):
		notes = append(notes, fmt.Sprintf("%s: the system reports %d calls and %d+%d tokens, %d and %d+%d were counted", step, told.Calls, told.InputTokens, told.OutputTokens, counted.Calls, counted.InputTokens, counted.OutputTokens))
	case len(out) == 0 && told.Calls > 0:
		out = append(out, schema.StepUsage{Step: step, Calls: told.Calls, InputTokens: told.InputTokens, OutputTokens: told.OutputTokens})
	}
	return out, notes
}
