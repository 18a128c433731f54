// Package qarp is QARP: a layer over any memory system that plans a search before it searches, and filters the results before they are shown. What
// is stored is the backend's business.
//
//	plan      keywords, parts of the question, whether time or only the latest counts
//	search    part by part, or once for twice as many
//	gate      nothing, when the best is not good enough
//	order     by time, where the plan says so; the newest of what says nearly the same
//	refine    what helps, as it is shown
//
// Faithful: the backend is asked for the keywords alone; the gate looks at the first
// part's best hit, with the plan's threshold, which is for another embedder; hits are
// put in the order of time before they are cut, so the oldest stay. Fixed: question and
// keywords; the gate is off unless a threshold is given; cut by score, then ordered.
//
// By rule the plan is made of words of time, number and existence; texts without a
// word of the question are dropped; where it is asked whether something was ever said, a
// text must hold half of the words; what is known to be replaced (op.Compare) is dropped
// where the latest counts. Named qarp-rule.
//
// The systems that QARP is compared with are layers of the same kind: adaptive-rag,
// token-matched, the five pipelines of AdaptMR, and oracle-strategy, which chooses among
// them by the data set's own labels and is an upper bound.
package qarp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"membench/llm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// Options of the layer.
type Options struct {
	Mode      string  `json:"mode"`      // fixed | faithful
	Threshold float64 `json:"threshold"` // of the best hit's score, as the backend scores; 0: none (fixed), the plan's (faithful)
	Near      float64 `json:"near"`      // cosine from which two texts say nearly the same; not calibrated
	// Without leaves parts of the layer out: plan, time, latest, gate, parts, refine. Without
	// a plan nothing is left of it: the question's best K, as the backend ranks.
	Without []string `json:"without"`
	Below
}

// Ablations are the parts that Options.Without may name.
func Ablations() []string { return []string{"plan", "time", "latest", "gate", "parts", "refine"} }

// Defaults are the published values where they are known.
func Defaults() Options {
	return Options{Near: 0.82, Without: []string{}, Below: below("embedding-only")}
}

// Spec is the layer over one of the systems that find knows.
func Spec(find func(name string) (memory.Spec, error)) memory.Spec {
	return memory.Define("qarp", "plans the search and filters its results, over another system (QARP)", Defaults(), func(d memory.Deps, o Options) (memory.System, error) {
		inner, err := o.open(find, d)
		if err != nil {
			return nil, err
		}
		return Wrap(inner, d, o)
	})
}

// Wrap puts the layer over a system that ranks.
func Wrap(inner memory.System, d memory.Deps, o Options) (memory.System, error) {
	var err error
	if o.Mode, err = native.CheckMode(o.Mode); err != nil {
		return nil, err
	}
	for _, w := range o.Without {
		if !slices.Contains(Ablations(), w) {
			return nil, fmt.Errorf("without %q: have %v", w, Ablations())
		}
	}
	if o.Threshold < 0 || o.Near < 0 || o.Near > 1 {
		return nil, fmt.Errorf("threshold %g, near %g: want 0 or more, and 0 to 1", o.Threshold, o.Near)
	}
	w := way{name: "qarp", mode: o.Mode, config: fmt.Sprintf("%g|%g|%q", o.Threshold, o.Near, o.Without), parts: 4,
		notes: []string{"thresholds of QARP are not calibrated for this embedder"}}
	for _, p := range []string{op.PurposePlan, op.PurposeRefine} {
		if !slices.Contains(o.Without, p) && !slices.Contains(o.Without, "plan") {
			w.asks = append(w.asks, p)
		}
	}
	if slices.Contains(w.asks, op.PurposePlan) {
		w.least = 1 // nothing found ends it
	}
	w.most = len(w.asks)
	w.ask = func(ctx context.Context, l *layer, q memory.Query) (memory.Retrieved, error) {
		return asking{o, l, q}.retrieve(ctx)
	}
	return wrap(inner, d, w)
}

// asking is one question under way.
type asking struct {
	o Options
	l *layer
	q memory.Query
}

func (a asking) without(part string) bool { return slices.Contains(a.o.Without, part) }
func (a asking) faithful() bool           { return a.o.Mode == native.Faithful }

// retrieve plans, searches and looks through.
func (a asking) retrieve(ctx context.Context) (out memory.Retrieved, err error) {
	plan, err := a.plan(ctx, &out)
	if err != nil {
		return out, err
	}
	hits, first, err := a.search(ctx, plan, &out)
	if err != nil || len(hits) == 0 {
		return out, err
	}
	if !a.without("gate") && a.closed(plan, hits, first) {
		out.Context = noMemory
		return out, nil
	}
	inTime := plan.InTime && !a.without("time")
	if plan.Latest && !a.without("latest") && !a.faithful() {
		hits = replaced(hits)
	}
	if !a.faithful() || !inTime {
		hits = hits[:min(a.q.K, len(hits))]
	}
	if inTime {
		byTime(hits)
	}
	if plan.Latest && !a.without("latest") {
		if hits, err = a.latest(ctx, hits, &out); err != nil {
			return out, err
		}
	}
	return a.refine(ctx, plan, hits[:min(a.q.K, len(hits))], out)
}

const noMemory = "[NO_RELEVANT_MEMORY]"

// plan asks the model, or the rule. An answer that cannot be used gives the published
// fallback: search with the question, nothing else; that is noted.
func (a asking) plan(ctx context.Context, out *memory.Retrieved) (op.Plan, error) {
	d := a.l.sys.d
	switch {
	case a.without("plan"):
		return op.Plan{}, nil
	case d.LLM == nil:
		return op.RulePlan(a.q.Text), nil
	}
	p, u, err := op.ModelPlan(ctx, d.LLM, d.Prompts, a.q.Text)
	out.Usage = out.Usage.Add(u)
	if err != nil && llm.KindOf(err) == llm.KindUnusable {
		out.Degraded = append(out.Degraded, memory.ByRule(op.PurposePlan, err))
		return op.FallbackPlan(a.q.Text), nil
	}
	return p, err
}

// closed reports whether nothing that was found is good enough.
func (a asking) closed(p op.Plan, hits []hit, first float64) bool {
	least := a.o.Threshold
	if least == 0 && a.faithful() {
		least = p.Threshold
	}
	best := first
	if !a.faithful() {
		best = hits[0].Score
	}
	if best < least {
		return true
	}
	return !a.faithful() && a.l.sys.d.LLM == nil && op.RuleAbsent(a.q.Text, p, textsOf(hits))
}

// search gives at most twice as many hits as are wanted, best first, and the first
// part's best score.
func (a asking) search(ctx context.Context, p op.Plan, done *memory.Retrieved) (out []hit, first float64, err error) {
	type ask struct {
		text string
		k    int
	}
	asks := []ask{{a.q.Text, 2 * a.q.K}}
	switch words := strings.Join(p.Keywords, " "); {
	case len(p.Parts) > 0 && !a.without("parts"):
		asks = nil
		for _, part := range p.Parts {
			asks = append(asks, ask{part, a.q.K})
		}
	case a.without("plan"):
		asks[0].k = a.q.K
	case a.faithful():
		asks[0].text = cmp.Or(words, "memory")
	case a.l.sys.d.LLM == nil: // the rule's keywords are the question's, and those that it adds
		for _, w := range p.Keywords {
			if !strings.Contains(strings.ToLower(a.q.Text), strings.ToLower(w)) {
				asks[0].text += " " + w
			}
		}
	case words != "":
		asks[0].text += " " + words
	}
	lists := make([][]hit, len(asks))
	for i, x := range asks {
		if lists[i], err = a.l.search(ctx, a.q, x.text, x.k, done); err != nil {
			return nil, 0, err
		}
	}
	if len(lists[0]) > 0 {
		first = lists[0][0].Score
	}
	out = union(lists...)
	if !a.faithful() {
		byScore(out)
	}
	return out[:min(2*a.q.K, len(out))], first, nil
}

// replaced drops hits that a later one of the same speaker takes the place of.
func replaced(hits []hit) (out []hit) {
	said := make([]*op.Statement, len(hits))
	for i, h := range hits {
		said[i] = op.NewStatement(spoken(h.Text))
	}
	for i, old := range hits {
		gone := false
		for j, h := range hits {
			if gone || speaker(h.Text) != speaker(old.Text) || compareTimes(h.time, old.time) <= 0 {
				continue
			}
			r := said[j].Compare(said[i])
			gone = r == op.Replaces || r == op.Retracts
		}
		if !gone {
			out = append(out, old)
		}
	}
	return out
}

func speaker(text string) string { who, _, _ := strings.Cut(text, ": "); return who }

func spoken(text string) string {
	if _, rest, ok := strings.Cut(text, ": "); ok {
		return rest
	}
	return text
}

// latest keeps the newest of texts that say nearly the same.
func (a asking) latest(ctx context.Context, hits []hit, done *memory.Retrieved) ([]hit, error) {
	groups, err := a.l.groups(ctx, hits, a.o.Near, done)
	if err != nil {
		return nil, err
	}
	out := make([]hit, len(groups))
	for i, g := range groups {
		out[i] = hits[recall.Newest(g, func(i int) string { return hits[i].time })]
	}
	return out, nil
}

// groups puts hits together that say nearly the same.
func (l *layer) groups(ctx context.Context, hits []hit, near float64, done *memory.Retrieved) ([][]int, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	v, err := store.Many(ctx, l.sys.d.Embed, &done.Usage, textsOf(hits))
	if err != nil {
		return nil, err
	}
	return recall.Groups(len(hits), near, func(i, j int) float64 { return recall.Dot(v[i], v[j]) }), nil
}

// refine drops what does not help. Scores become 1/(1+rank): the order is no longer
// the backend's. By rule the texts are as they were, so the reader shows them as it shows
// any system's.
func (a asking) refine(ctx context.Context, p op.Plan, hits []hit, out memory.Retrieved) (memory.Retrieved, error) {
	texts := textsOf(hits)
	for i, h := range hits {
		if p.InTime && h.time != "" {
			texts[i] = h.time + " " + h.Text
		}
	}
	kept := make([]op.Refined, len(hits))
	for i := range hits {
		kept[i] = op.Refined{Index: i, Text: texts[i]}
	}
	var err error
	if !a.without("refine") && !a.without("plan") {
		if kept, err = asked(ctx, a.l, &out, op.PurposeRefine, func(d memory.Deps) ([]op.Refined, llm.Usage, error) {
			return op.ModelRefine(ctx, d.LLM, d.Prompts, a.q.Text, p, texts)
		}, func() []op.Refined { return op.RuleRefine(a.q.Text, p, texts) }); err != nil {
			return out, err
		}
	}
	if len(kept) == 0 {
		out.Context = noMemory
		return out, nil
	}
	list := make([]hit, len(kept))
	lines := make([]string, len(kept))
	for i, r := range kept {
		list[i], lines[i] = hits[r.Index], r.Text
	}
	out.Hits = ranked(list)
	if a.l.sys.d.LLM != nil || a.faithful() {
		out.Context = strings.Join(lines, "\n")
	}
	return out, nil
}
