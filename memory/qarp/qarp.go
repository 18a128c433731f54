// Package qarp is QARP (seed 002): a layer over any memory system that plans how to
// search before it searches, and looks through what was found before it is shown. What
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
// By rule the plan is made of words of time, number and existence, and texts without a
// word of the question are left out: named qarp-rule.
package qarp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/schema"
)

// Options of the layer.
type Options struct {
	Mode      string  `json:"mode"`      // fixed | faithful
	Threshold float64 `json:"threshold"` // of the best hit's score, as the backend scores; 0: none (fixed), the plan's (faithful)
	Near      float64 `json:"near"`      // cosine from which two texts say nearly the same; not calibrated
	// Without leaves parts of the layer out: plan, time, latest, gate, parts, refine.
	Without []string `json:"without"`

	Backend        string        `json:"backend"` // of Spec: the system below
	BackendOptions schema.Object `json:"backend_options"`
}

var ablations = []string{"plan", "time", "latest", "gate", "parts", "refine"}

// Defaults are the published values where they are known.
func Defaults() Options {
	return Options{Near: 0.82, Without: []string{}, Backend: "embedding-only", BackendOptions: schema.RawObject([]byte("{}"))}
}

// Spec is the layer over one of the systems that find knows.
func Spec(find func(name string) (memory.Spec, error)) memory.Spec {
	return memory.Define("qarp", "a plan before the search, a look through what was found after it, over another system (QARP)", Defaults(), func(d memory.Deps, o Options) (memory.System, error) {
		spec, err := find(o.Backend)
		if err != nil {
			return nil, fmt.Errorf("backend: %w", err)
		}
		raw, err := o.BackendOptions.MarshalJSON()
		if err != nil {
			return nil, err
		}
		inner, err := spec.Open(d, raw)
		if err != nil {
			return nil, fmt.Errorf("backend: %w", err)
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
		if !slices.Contains(ablations, w) {
			return nil, fmt.Errorf("without %q: have %v", w, ablations)
		}
	}
	if o.Threshold < 0 || o.Near < 0 || o.Near > 1 {
		return nil, fmt.Errorf("threshold %g, near %g: want 0 or more, and 0 to 1", o.Threshold, o.Near)
	}
	if c := memory.CapabilitiesOf(inner); c.Retrieval != memory.RetrievalRanked || c.UsesGold {
		return nil, fmt.Errorf("%s does not rank by the question: want a backend that does", inner.Info().Name)
	}
	if d.Embed == nil {
		d.Embed = hashing.New(0)
	}
	s := &system{inner, d, o}
	if _, ok := memory.As[memory.Attacher](inner); ok {
		return attaching{s}, nil
	}
	return s, nil
}

type system struct {
	inner memory.System
	d     memory.Deps
	o     Options
}

// attaching is a system whose backend attaches.
type attaching struct{ *system }

// Unwrap lets abilities of the backend be seen.
func (s *system) Unwrap() memory.System { return s.inner }

func (s *system) without(part string) bool { return slices.Contains(s.o.Without, part) }

// Info is the layer's; the backend's own name stands in the version.
func (s *system) Info() memory.Info {
	below := s.inner.Info()
	name, model := "qarp", ""
	if s.d.LLM == nil {
		name = "qarp-rule"
	} else {
		model = s.d.LLM.Model()
	}
	all := fmt.Sprintf("1|%s|%g|%g|%q|%s|%s|%s", s.o.Mode, s.o.Threshold, s.o.Near, s.o.Without, below.Fingerprint, model, s.d.Embed.Profile())
	for _, p := range []string{op.PurposePlan, op.PurposeRefine} {
		all += fmt.Sprintf("|%s", op.Prompt(s.d.Prompts, p).Text)
	}
	return memory.Info{Name: name, Version: "1 over " + below.Name + " " + below.Version, Mode: s.o.Mode, Fingerprint: memory.Fingerprint("%s", all)}
}

// Capabilities are the backend's, and what a question costs more.
func (s *system) Capabilities() memory.Capabilities {
	const parts, hits = 4, 1 << 10 // searches; texts that are compared
	c := memory.CapabilitiesOf(s.inner)
	var calls memory.Calls
	if c.Calls != nil {
		calls = *c.Calls
	}
	calls.EmbedPerQuery.Max = calls.EmbedPerQuery.Max*parts + hits
	calls.LLMPerQuery.Max *= parts
	for _, p := range []string{op.PurposePlan, op.PurposeRefine} {
		switch {
		case s.without(p):
		case s.d.LLM == nil:
			c.ByRule = append(slices.Clone(c.ByRule), p)
		default:
			calls.LLMPerQuery.Max += 2 // the second asks for a usable answer
		}
	}
	if s.d.LLM != nil && !s.without("plan") {
		calls.LLMPerQuery.Min++
	}
	c.Calls = &calls
	c.Notes = append(slices.Clone(c.Notes), "thresholds of QARP are not calibrated for this embedder")
	return c
}

func (s *system) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	m, err := s.inner.Open(ctx, ns)
	if err != nil {
		return nil, err
	}
	return s.over(m)
}

// Attach opens what an earlier run left.
func (s attaching) Attach(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	at, _ := memory.As[memory.Attacher](s.inner)
	m, err := at.Attach(ctx, ns)
	if err != nil {
		return nil, err
	}
	return s.over(m)
}

func (s *system) over(m memory.Memory) (memory.Memory, error) {
	if _, ok := memory.As[memory.Answerer](m); ok {
		return nil, errors.Join(m.Close(), fmt.Errorf("%s answers by itself: nobody would read what the layer finds", s.inner.Info().Name))
	}
	l := &layer{sys: s, inner: m}
	if _, ok := memory.As[memory.Cloner](m); ok {
		return cloning{l}, nil
	}
	return l, nil
}

// layer is a memory with the backend's below it.
type layer struct {
	sys   *system
	inner memory.Memory
	times map[schema.PointID]string // of the backend's items; nil: to be read
}

// cloning is a layer whose backend copies.
type cloning struct{ *layer }

// Unwrap lets abilities of the backend be seen.
func (l *layer) Unwrap() memory.Memory { return l.inner }

func (l *layer) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	l.times = nil
	return l.inner.Ingest(ctx, b)
}

// EndSession ends the backend's, where it knows of sessions.
func (l *layer) EndSession(ctx context.Context, session string) (memory.Receipt, error) {
	l.times = nil
	if e, ok := memory.As[memory.SessionEnder](l.inner); ok {
		return e.EndSession(ctx, session)
	}
	return memory.Receipt{}, ctx.Err()
}

func (l *layer) Close() error { return l.inner.Close() }

// Clone copies the backend's memory below a layer of its own.
func (c cloning) Clone(ctx context.Context) (memory.Memory, error) {
	cl, _ := memory.As[memory.Cloner](c.inner)
	m, err := cl.Clone(ctx)
	if err != nil {
		return nil, err
	}
	return c.sys.over(m)
}

// hit is a hit of the backend with its time.
type hit struct {
	memory.Hit
	time string
}

// Retrieve plans, searches and looks through. A model that fails is an error: asking
// never falls back in silence.
func (l *layer) Retrieve(ctx context.Context, q memory.Query) (out memory.Retrieved, err error) {
	if err := ctx.Err(); err != nil {
		return out, err
	}
	if q.K <= 0 {
		q.K = 5
	}
	s := l.sys
	plan, err := l.plan(ctx, q, &out.Usage)
	if err != nil {
		return out, err
	}
	hits, first, err := l.search(ctx, q, plan, &out.Usage)
	if err != nil || len(hits) == 0 {
		return out, err
	}
	faithful := s.o.Mode == native.Faithful
	if least := l.least(plan); !s.without("gate") && least > 0 {
		best := first
		if !faithful {
			best = hits[0].Score
		}
		if best < least {
			out.Context = noMemory
			return out, nil
		}
	}
	byTime := plan.InTime && !s.without("time")
	if !faithful || !byTime {
		hits = hits[:min(q.K, len(hits))]
	}
	if byTime {
		slices.SortStableFunc(hits, func(a, b hit) int { return compareTimes(a.time, b.time) })
	}
	if plan.Latest && !s.without("latest") {
		if hits, err = l.latest(ctx, hits, &out.Usage); err != nil {
			return out, err
		}
	}
	hits = hits[:min(q.K, len(hits))]
	return l.refine(ctx, q, plan, hits, out)
}

const noMemory = "[NO_RELEVANT_MEMORY]"

func (l *layer) plan(ctx context.Context, q memory.Query, used *llm.Usage) (op.Plan, error) {
	s := l.sys
	switch {
	case s.without("plan"):
		return op.Plan{}, nil
	case s.d.LLM == nil:
		return op.RulePlan(q.Text), nil
	}
	p, u, err := op.ModelPlan(ctx, s.d.LLM, s.d.Prompts, q.Text)
	*used = used.Add(u)
	return p, err
}

// least is what the best hit must reach.
func (l *layer) least(p op.Plan) float64 {
	if l.sys.o.Threshold == 0 && l.sys.o.Mode == native.Faithful {
		return p.Threshold
	}
	return l.sys.o.Threshold
}

// search gives at most twice as many hits as are wanted, best first, and the first
// part's best score.
func (l *layer) search(ctx context.Context, q memory.Query, p op.Plan, used *llm.Usage) (out []hit, first float64, err error) {
	faithful := l.sys.o.Mode == native.Faithful
	type ask struct {
		text string
		k    int
	}
	asks := []ask{{q.Text, 2 * q.K}}
	switch words := strings.Join(p.Keywords, " "); {
	case len(p.Parts) > 0 && !l.sys.without("parts"):
		asks = nil
		for _, part := range p.Parts {
			asks = append(asks, ask{part, q.K})
		}
	case l.sys.without("plan"):
	case faithful:
		asks[0].text = cmp.Or(words, "memory")
	case words != "":
		asks[0].text += " " + words
	}
	seen := map[schema.PointID]int{}
	for i, a := range asks {
		sub := q
		sub.Text, sub.K = a.text, a.k
		r, err := l.inner.Retrieve(ctx, sub)
		*used = used.Add(r.Usage)
		if err != nil {
			return nil, 0, err
		}
		if i == 0 && len(r.Hits) > 0 {
			first = r.Hits[0].Score
		}
		for _, h := range r.Hits {
			if at, ok := seen[h.ID]; ok {
				out[at].Score = max(out[at].Score, h.Score)
				continue
			}
			seen[h.ID] = len(out)
			out = append(out, hit{Hit: h})
		}
	}
	if !faithful {
		slices.SortStableFunc(out, func(a, b hit) int { return cmp.Compare(b.Score, a.Score) })
	}
	out = out[:min(2*q.K, len(out))]
	if err := l.date(ctx); err != nil {
		return nil, 0, err
	}
	for i := range out {
		out[i].time = cmp.Or(l.times[out[i].ID], out[i].Meta.Text("created_at"))
	}
	return out, first, nil
}

// date reads the times of the backend's items, once after each change of the memory.
func (l *layer) date(ctx context.Context) error {
	snap, ok := memory.As[memory.Snapshotter](l.inner)
	if !ok || l.times != nil {
		return nil
	}
	times := map[schema.PointID]string{}
	for it, err := range snap.Snapshot(ctx) {
		if err != nil {
			return err
		}
		if it.Time != "" {
			times[it.ID] = it.Time
		}
	}
	l.times = times
	return nil
}

// compareTimes orders instants, those that cannot be read first.
func compareTimes(a, b string) int {
	x, _ := schema.ParseInstant(a)
	y, _ := schema.ParseInstant(b)
	return cmp.Compare(x, y)
}

// latest keeps the newest of texts that say nearly the same.
func (l *layer) latest(ctx context.Context, hits []hit, used *llm.Usage) ([]hit, error) {
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = h.Text
	}
	e, err := llm.Embed(ctx, l.sys.d.Embed, texts)
	*used = used.Add(e.Usage)
	if err != nil {
		return nil, err
	}
	if len(e.Vectors) != len(texts) {
		return nil, fmt.Errorf("embedding %d texts with %s: have %d vectors", len(texts), l.sys.d.Embed.Profile(), len(e.Vectors))
	}
	groups := recall.Groups(len(hits), l.sys.o.Near, func(i, j int) float64 { return dot(e.Vectors[i], e.Vectors[j]) })
	out := make([]hit, len(groups))
	for i, g := range groups {
		out[i] = hits[recall.Newest(g, func(i int) string { return hits[i].time })]
	}
	return out, nil
}

func dot(a, b []float32) (sum float64) {
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// refine leaves out what does not help. Scores become 1/(1+rank): the order is no longer
// the backend's.
func (l *layer) refine(ctx context.Context, q memory.Query, p op.Plan, hits []hit, out memory.Retrieved) (memory.Retrieved, error) {
	texts := make([]string, len(hits))
	for i, h := range hits {
		if texts[i] = h.Text; p.InTime && h.time != "" {
			texts[i] = h.time + " " + h.Text
		}
	}
	kept := make([]op.Refined, len(hits))
	for i := range hits {
		kept[i] = op.Refined{Index: i, Text: texts[i]}
	}
	switch s := l.sys; {
	case s.without("refine"):
	case s.d.LLM == nil:
		kept = op.RuleRefine(q.Text, texts)
	default:
		var u llm.Usage
		var err error
		kept, u, err = op.ModelRefine(ctx, s.d.LLM, s.d.Prompts, q.Text, p, texts)
		if out.Usage = out.Usage.Add(u); err != nil {
			return out, err
		}
	}
	if len(kept) == 0 {
		out.Context = noMemory
		return out, nil
	}
	lines := make([]string, len(kept))
	for i, r := range kept {
		h := hits[r.Index].Hit
		h.Score = 1 / float64(1+i)
		out.Hits = append(out.Hits, h)
		lines[i] = r.Text
	}
	out.Context = strings.Join(lines, "\n")
	return out, nil
}
