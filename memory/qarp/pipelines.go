package qarp

import (
	"context"
	"fmt"
	"strings"

	"membench/llm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/schema"
)

// Pipelines of AdaptMR.
const (
	Factual  = "factual"  // similarity, more for each content word of the question; linked notes
	Temporal = "temporal" // in the order of time
	Update   = "update"   // the newest of each topic
	Several  = "several"  // part by part, then along the links (multi-hop)
	Abstain  = "abstain"  // abstains if nothing seems to be known
)

// Pipelines lists them.
func Pipelines() []string { return []string{Factual, Temporal, Update, Several, Abstain} }

var pipelines = map[string]func(context.Context, strategy) (memory.Retrieved, error){
	Factual: factual, Temporal: temporal, Update: update, Several: several, Abstain: abstain,
}

// byCategory is the strategy for each kind of question.
var byCategory = map[string]string{schema.CatIE: Factual, schema.CatOD: Factual, schema.CatMR: Several, schema.CatTR: Temporal, schema.CatKU: Update, schema.CatCR: Update, schema.CatABS: Abstain}

// strategy is one question under way.
type strategy struct {
	o StrategyOptions
	l *layer
	q memory.Query
}

// linked are the items that hits are tied to, which are not hits themselves, at most n.
func (s strategy) linked(hits []hit, n int) (out []hit) {
	seen := map[schema.PointID]bool{}
	for _, h := range hits {
		seen[h.ID] = true
	}
	for _, h := range hits {
		for _, id := range s.l.items[h.ID].Links {
			it, ok := s.l.items[id]
			if !ok || seen[id] || len(out) == n {
				continue
			}
			seen[id] = true
			out = append(out, hit{memory.Hit{ID: id, Text: it.Text, Score: h.Score, Sources: it.Sources, Meta: it.Meta}, it.Time})
		}
	}
	return out
}

// shown is the linked notes as further lines of the context.
func shown(out memory.Retrieved, hits, linked []hit) memory.Retrieved {
	out.Hits = ranked(hits)
	if len(linked) == 0 {
		return out
	}
	lines := make([]string, len(linked))
	for i, h := range linked {
		lines[i] = "- " + strings.TrimSpace(h.time+" "+h.Text)
	}
	return withContext(out, "", hits, lines)
}

func factual(ctx context.Context, s strategy) (out memory.Retrieved, err error) {
	hits, err := s.l.search(ctx, s.q, s.q.Text, 2*s.q.K, &out)
	if err != nil {
		return out, err
	}
	asked := op.Content(s.q.Text)
	for i := range hits {
		n := op.Holds(asked, hits[i].Text) * float64(len(asked))
		hits[i].Score *= 1 + 0.3*n
	}
	byScore(hits)
	hits = hits[:min(s.q.K, len(hits))]
	return shown(out, hits, s.linked(hits, s.q.K)), nil
}

// temporal orders by time. Faithful: before the cut, so that the oldest are shown.
func temporal(ctx context.Context, s strategy) (out memory.Retrieved, err error) {
	hits, err := s.l.search(ctx, s.q, s.q.Text, 2*s.q.K, &out)
	if err != nil {
		return out, err
	}
	if s.o.Mode != native.Faithful {
		hits = hits[:min(s.q.K, len(hits))]
	}
	byTime(hits)
	out.Hits = ranked(hits[:min(s.q.K, len(hits))])
	return out, nil
}

func update(ctx context.Context, s strategy) (out memory.Retrieved, err error) {
	hits, err := s.l.search(ctx, s.q, s.q.Text, 2*s.q.K, &out)
	if err != nil {
		return out, err
	}
	groups, err := s.l.groups(ctx, hits, s.o.Near, &out)
	if err != nil {
		return out, err
	}
	var kept []hit
	var notes []string
	for _, g := range groups[:min(s.q.K, len(groups))] {
		at := func(i int) string { return hits[i].time }
		h := hits[recall.Newest(g, at)]
		if len(g) > 1 {
			old := g[0]
			for _, i := range g[1:] {
				if compareTimes(hits[i].time, hits[old].time) < 0 {
					old = i
				}
			}
			notes = append(notes, fmt.Sprintf("- [UPDATED: previously %q at %s]", hits[old].Text, hits[old].time))
		}
		kept = append(kept, h)
	}
	out.Hits = ranked(kept)
	if len(notes) > 0 {
		out = withContext(out, "", kept, notes)
	}
	return out, nil
}

func several(ctx context.Context, s strategy) (out memory.Retrieved, err error) {
	parts := []string{s.q.Text}
	plan, err := asked(ctx, s.l, &out, op.PurposePlan, func(d memory.Deps) (op.Plan, llm.Usage, error) {
		return op.ModelPlan(ctx, d.LLM, d.Prompts, s.q.Text)
	}, func() op.Plan { return op.RulePlan(s.q.Text) })
	if err != nil {
		return out, err
	}
	if len(plan.Parts) > 0 {
		parts = plan.Parts[:min(3, len(plan.Parts))]
	}
	var lists [][]hit
	for _, part := range parts {
		hits, err := s.l.search(ctx, s.q, part, 2*s.q.K, &out)
		if err != nil {
			return out, err
		}
		lists = append(lists, hits)
	}
	hits := union(lists...)
	byScore(hits)
	first := s.linked(hits[:min(s.q.K, len(hits))], s.q.K)
	second := s.linked(first[:min(5, len(first))], 15)
	hits = union(hits, first, second)
	if len(hits) == 0 {
		return out, nil
	}
	if err := s.l.rerank(ctx, s.q.Text, hits, &out); err != nil {
		return out, err
	}
	out.Hits = ranked(hits[:min(s.q.K, len(hits))])
	return out, nil
}

// abstain determines whether the memory seems to know nothing. By rule, which does not know the scale of scores: no text has half of the words of the question
// (fixed).
func abstain(ctx context.Context, s strategy) (out memory.Retrieved, err error) {
	hits, err := s.l.search(ctx, s.q, s.q.Text, s.q.K, &out)
	if err != nil || len(hits) == 0 {
		return out, err
	}
	d := s.l.sys.d
	known := true
	switch best := hits[0].Score; {
	case d.LLM == nil && s.o.Mode != native.Faithful:
		known = !op.RuleAbsent(s.q.Text, op.Plan{Threshold: 1}, textsOf(hits))
	case best < s.o.Strong:
		known = false
	case best < s.o.Mild && d.LLM != nil:
		if known, err = asked(ctx, s.l, &out, op.PurposeSupport, func(d memory.Deps) (bool, llm.Usage, error) {
			return op.ModelSupport(ctx, d.LLM, d.Prompts, s.q.Text, textsOf(hits[:min(3, len(hits))]))
		}, func() bool { return !op.RuleAbsent(s.q.Text, op.Plan{Threshold: 1}, textsOf(hits)) }); err != nil {
			return out, err
		}
	}
	if !known {
		out.Context = noMemory
		return out, nil
	}
	return shown(out, hits, s.linked(hits, s.q.K)), nil
}
