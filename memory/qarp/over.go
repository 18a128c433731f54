package qarp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/op"
	"membench/schema"
)

// Below names the system that a layer lies over.
type Below struct {
	Backend        string        `json:"backend"`
	BackendOptions schema.Object `json:"backend_options"`
}

func below(backend string) Below {
	return Below{Backend: backend, BackendOptions: schema.RawObject([]byte("{}"))}
}

// open opens the backend among the systems that find knows.
func (b Below) open(find func(name string) (memory.Spec, error), d memory.Deps) (memory.System, error) {
	spec, err := find(b.Backend)
	if err != nil {
		return nil, fmt.Errorf("backend: %w", err)
	}
	raw, err := b.BackendOptions.MarshalJSON()
	if err != nil {
		return nil, err
	}
	inner, err := spec.Open(d, raw)
	if err != nil {
		return nil, fmt.Errorf("backend: %w", err)
	}
	return inner, nil
}

// A way is a layer's method for a question.
type way struct {
	name   string
	mode   string
	config string   // settings that determine its behaviour, in addition to models and prompts
	asks   []string // purposes of model calls, done by rule without a model
	parts  int      // searches of the backend for one question at most
	least  int      // model calls of a question at least, where there is a model
	most   int      // and at most, an answer that cannot be used and is asked for again not counted
	notes  []string
	gold   bool // it receives the data set's own category
	ask    func(ctx context.Context, l *layer, q memory.Query) (memory.Retrieved, error)
}

// wrap puts a way over a system that ranks.
func wrap(inner memory.System, d memory.Deps, w way) (memory.System, error) {
	if c := memory.CapabilitiesOf(inner); c.Retrieval != memory.RetrievalRanked || c.UsesGold {
		return nil, fmt.Errorf("%s does not rank by the question: use a backend that does", inner.Info().Name)
	}
	if d.Embed == nil {
		d.Embed = hashing.New(0)
	}
	s := &system{inner, d, w}
	if _, ok := memory.As[memory.Attacher](inner); ok {
		return attaching{s}, nil
	}
	return s, nil
}

type system struct {
	inner memory.System
	d     memory.Deps
	w     way
}

// attaching is a system whose backend attaches.
type attaching struct{ *system }

// Unwrap lets abilities of the backend be seen.
func (s *system) Unwrap() memory.System { return s.inner }

// Info is the layer's; the backend's own name is in the version.
func (s *system) Info() memory.Info {
	below := s.inner.Info()
	name, model := s.w.name, ""
	switch {
	case len(s.w.asks) == 0:
	case s.d.LLM == nil:
		name += "-rule"
	default:
		model = s.d.LLM.Model()
	}
	all := fmt.Sprintf("2|%s|%s|%s|%s|%s|%s", name, s.w.mode, s.w.config, below.Fingerprint, model, s.d.Embed.Profile())
	for _, p := range s.w.asks {
		all += "|" + op.Prompt(s.d.Prompts, p).Text
	}
	return memory.Info{Name: name, Version: "2 over " + below.Name + " " + below.Version, Mode: s.w.mode, Fingerprint: memory.Fingerprint("%s", all)}
}

// Capabilities returns the backend's capabilities with the additional costs of a question.
func (s *system) Capabilities() memory.Capabilities {
	const hits = 1 << 10 // texts that are compared
	c := memory.CapabilitiesOf(s.inner)
	var calls memory.Calls
	if c.Calls != nil {
		calls = *c.Calls
	}
	calls.EmbedPerQuery.Max = calls.EmbedPerQuery.Max*s.w.parts + hits
	calls.EmbedPerQuery.Min = min(calls.EmbedPerQuery.Min, 1)
	calls.LLMPerQuery.Max *= s.w.parts
	if s.d.LLM == nil {
		c.ByRule = slices.Concat(c.ByRule, s.w.asks)
	} else {
		calls.LLMPerQuery.Min += s.w.least
		calls.LLMPerQuery.Max += s.w.most
	}
	c.Calls, c.UsesCategory = &calls, s.w.gold
	c.Notes = append(slices.Clone(c.Notes), s.w.notes...)
	return c
}

func (s *system) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	return s.over(s.inner.Open(ctx, ns))
}

// Attach opens the memory of an earlier run.
func (s attaching) Attach(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	at, _ := memory.As[memory.Attacher](s.inner)
	return s.over(at.Attach(ctx, ns))
}

// over puts a layer over a memory that was opened.
func (s *system) over(m memory.Memory, err error) (memory.Memory, error) {
	if err != nil {
		return nil, err
	}
	if _, ok := memory.As[memory.Answerer](m); ok {
		return nil, errors.Join(m.Close(), fmt.Errorf("%s answers by itself and would ignore what the layer finds", s.inner.Info().Name))
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
	items map[schema.PointID]memory.Item // of the backend; nil: to be read
}

// cloning is a layer whose backend copies.
type cloning struct{ *layer }

// Unwrap lets abilities of the backend be seen.
func (l *layer) Unwrap() memory.Memory { return l.inner }

func (l *layer) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	l.items = nil
	return l.inner.Ingest(ctx, b)
}

// EndSession ends the backend's, where it knows of sessions.
func (l *layer) EndSession(ctx context.Context, session string) (memory.Receipt, error) {
	l.items = nil
	if e, ok := memory.As[memory.SessionEnder](l.inner); ok {
		return e.EndSession(ctx, session)
	}
	return memory.Receipt{}, ctx.Err()
}

func (l *layer) Close() error { return l.inner.Close() }

// Clone copies the backend's memory below a layer of its own.
func (c cloning) Clone(ctx context.Context) (memory.Memory, error) {
	cl, _ := memory.As[memory.Cloner](c.inner)
	return c.sys.over(cl.Clone(ctx))
}

// asked returns the model's answer, or the rule's if the model fails; the latter is recorded.
func asked[T any](ctx context.Context, l *layer, done *memory.Retrieved, purpose string, model func(d memory.Deps) (T, llm.Usage, error), rule func() T) (T, error) {
	var r memory.Receipt
	out, err := op.OrRule(ctx, l.sys.d.LLM, &r, purpose, func() (T, llm.Usage, error) { return model(l.sys.d) }, rule)
	done.Usage, done.Degraded = done.Usage.Add(r.Usage), append(done.Degraded, r.Degraded...)
	return out, err
}

// Retrieve asks in the layer's way.
func (l *layer) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	if err := ctx.Err(); err != nil {
		return memory.Retrieved{}, err
	}
	if q.K <= 0 {
		q.K = 5
	}
	return l.sys.w.ask(ctx, l, q)
}

// hit is a hit of the backend with its time.
type hit struct {
	memory.Hit
	time string
}

// search asks the backend for the k best of a text.
func (l *layer) search(ctx context.Context, q memory.Query, text string, k int, done *memory.Retrieved) ([]hit, error) {
	q.Text, q.K = text, k
	r, err := l.inner.Retrieve(ctx, q)
	done.Usage, done.Degraded = done.Usage.Add(r.Usage), append(done.Degraded, r.Degraded...)
	if err != nil {
		return nil, err
	}
	if err := l.look(ctx); err != nil {
		return nil, err
	}
	out := make([]hit, 0, len(r.Hits))
	for _, h := range r.Hits {
		out = append(out, hit{h, cmp.Or(l.items[h.ID].Time, h.Meta.Text("created_at"))})
	}
	return out, nil
}

// look reads the backend's items, once after each change of the memory.
func (l *layer) look(ctx context.Context) error {
	snap, ok := memory.As[memory.Snapshotter](l.inner)
	if !ok || l.items != nil {
		return nil
	}
	items := map[schema.PointID]memory.Item{}
	for it, err := range snap.Snapshot(ctx) {
		if err != nil {
			return err
		}
		items[it.ID] = it
	}
	l.items = items
	return nil
}

// union joins lists, the first of equal hits first, each with its best score.
func union(lists ...[]hit) (out []hit) {
	seen := map[schema.PointID]int{}
	for _, list := range lists {
		for _, h := range list {
			if at, ok := seen[h.ID]; ok {
				out[at].Score = max(out[at].Score, h.Score)
				continue
			}
			seen[h.ID] = len(out)
			out = append(out, h)
		}
	}
	return out
}

func byScore(hits []hit) {
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.Score, a.Score) })
}

func byTime(hits []hit) {
	slices.SortStableFunc(hits, func(a, b hit) int { return compareTimes(a.time, b.time) })
}

// compareTimes orders instants, those that cannot be read first.
func compareTimes(a, b string) int {
	x, _ := schema.ParseInstant(a)
	y, _ := schema.ParseInstant(b)
	return cmp.Compare(x, y)
}

func textsOf(hits []hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.Text
	}
	return out
}

// ranked makes hits from a list that is no longer in the backend's order: scores are 1/(1+rank).
func ranked(hits []hit) (out []memory.Hit) {
	for i, h := range hits {
		h.Score = 1 / float64(1+i)
		out = append(out, h.Hit)
	}
	return out
}
