package baseline

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/llm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// MGOptions of MGMemory.
type MGOptions struct {
	ModeOptions
	TopK      int     `json:"top_k"`
	MaxTokens int     `json:"max_tokens"` // of the queue
	Warning   float64 `json:"warning"`    // share of the budget from which the model is warned, and the rule archives
	Gate      float64 `json:"gate"`       // minimum cosine of the rule's hits from a store
	Words     int     `json:"summary_words"`
}

// Tiers of MGMemory, from hot to cold.
const (
	tierWorking = "working"
	tierQueue   = "fifo"
	tierRecall  = "recall"
	tierArchive = "archival"
)

// MGMemory is a tiered memory, as in MemGPT and Mem-Gallery: a queue of turns; turns that leave it go to a searchable store and into a running summary; before
// an answer, functions fetch further entries.
//
// Faithful: the queue is emptied only when a single new entry exceeds the budget, and searching the stores always fails, so a question sees only the queue, the
// summary, and entries that functions move between queue and working memory; that explains low published scores. Fixed: the queue's size counts, and searches
// work. Functions act on a copy for the question: reading changes nothing.
func MGMemory() memory.Spec {
	return modal("MGMemory", "tiers: working memory, queue, searchable stores, running summary (MemGPT, Mem-Gallery)",
		MGOptions{TopK: 10, MaxTokens: 4096, Warning: 0.7, Gate: 0.1, Words: 150}, newMG)
}

func newMG(d memory.Deps, o MGOptions) (memory.System, error) {
	if o.MaxTokens < 1 {
		return nil, fmt.Errorf("max_tokens %d: want 1 or more", o.MaxTokens)
	}
	d.Embed = embedder(d)
	caps := memory.Capabilities{Unit: native.Pair, Retrieval: memory.RetrievalRanked, Stateful: true,
		Colder: []string{tierWorking, tierQueue, tierRecall, tierArchive},
		Calls:  &memory.Calls{EmbedPerUnit: memory.Span{Max: 1 << 20}, EmbedPerQuery: memory.Span{Max: 2}}} // a flush embeds the entries that it moves
	if o.Mode == native.Faithful {
		caps.Calls.EmbedPerQuery = memory.Span{}
		caps.Retrieval = memory.RetrievalBlind
	}
	asks(&caps, d, memory.Calls{LLMPerUnit: memory.Span{Max: 1}, LLMPerQuery: memory.Exactly(1)}, op.PurposeSummary, op.PurposeTrigger)
	return native.New(native.Options{Name: "MGMemory", Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
		return &mg{o: o, d: d, scope: scope, st: store.New(store.Options{Scope: scope}), vec: map[int][]float32{}}
	}}), nil
}

type mg struct {
	o       MGOptions
	d       memory.Deps
	scope   string
	st      *store.Linear // every entry; its tier says which part holds it
	queue   []int         // positions, oldest first
	vec     map[int][]float32
	summary store.Record // ID "" until there is one
}

func (p *mg) size(more string) int {
	n := recall.TokensOf(more)
	for _, i := range p.queue {
		n += recall.TokensOf(p.st.At(i).Text)
	}
	return n
}

func (p *mg) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	var vecs [][]float32
	var sum string
	w := op.Begin(ctx, p.d, r)
	leaving := p.leaving(o.Text)
	if len(leaving) > 0 {
		vecs, sum = w.Embed(leaving...), w.Summary(op.PurposeSummary, p.summary.Text, leaving, p.o.Words, nil)
	}
	if err := cmp.Or(w.Err, ctx.Err()); err != nil {
		return err
	}
	rec := o.Record(o.Kind())
	rec.Tier = tierQueue
	p.queue = append(p.queue, p.st.Add(rec, nil, r))
	if len(leaving) > 0 {
		p.flush(o, vecs, sum)
	}
	return nil
}

// leaving returns the texts of the oldest entries, which a new one moves to the recall store and into the summary. Fixed: of a queue over the budget until half
// of it is free. Faithful: if the new text alone is over the budget, until the moved texts, including the new one, are.
func (p *mg) leaving(text string) (texts []string) {
	moved, left := 0, p.size(text)
	take := func(t string) {
		n := recall.TokensOf(t)
		texts, moved, left = append(texts, t), moved+n, left-n
	}
	faithful := p.o.Mode == native.Faithful
	if faithful && recall.TokensOf(text) <= p.o.MaxTokens || left <= p.o.MaxTokens {
		return nil
	}
	for _, i := range p.queue {
		if faithful && moved > p.o.MaxTokens || !faithful && left <= p.o.MaxTokens/2 {
			return texts
		}
		take(p.st.At(i).Text)
	}
	if faithful && moved <= p.o.MaxTokens {
		take(text)
	}
	return texts
}

func (p *mg) flush(o native.Observation, vecs [][]float32, sum string) {
	if p.summary.ID == "" {
		p.summary = o.Record("summary")
		p.summary.ID, p.summary.Status = store.ID(p.scope, 0), memory.StatusActive
		p.summary.Sources, p.summary.Attachments, p.summary.Speaker, p.summary.Role = nil, nil, "", ""
	}
	p.summary.Text = sum
	n := len(vecs)
	for i, pos := range p.queue[:n] {
		rec := p.st.At(pos)
		rec.Tier = tierRecall
		p.vec[pos] = vecs[i]
		p.summary.Sources = memory.Union(slices.Clone(p.summary.Sources), rec.Sources)
		p.summary.Links = append(slices.Clone(p.summary.Links), rec.ID)
	}
	p.queue = slices.Clone(p.queue[n:])
}

type call struct {
	Name    string `json:"name"`
	Query   string `json:"query"`
	Indices []int  `json:"indices"`
}

// view is the state of one question.
type view struct {
	working, queue []int
	archive        []int
	score          map[int]float64
}

func (p *mg) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	v := &view{queue: slices.Clone(p.queue), score: map[int]float64{}}
	var done memory.Receipt
	w := op.Begin(ctx, p.d, &done)
	calls := p.trigger(w, q)
	out := memory.Retrieved{Usage: done.Usage, Degraded: done.Degraded}
	if w.Err != nil {
		return out, w.Err
	}
	vecs := map[string][]float32{}
	for _, c := range calls {
		if err := p.do(ctx, c, v, vecs, &out.Usage); err != nil {
			return out, err
		}
	}
	// Found entries first, by cosine; then the working memory; then the queue, newest
	// first. The summary is context, no hit.
	var order []int
	for _, c := range recall.Best(v.score) {
		order = append(order, c.Pos)
	}
	order = append(order, v.working...)
	for _, pos := range slices.Backward(v.queue) {
		order = append(order, pos)
	}
	s := recall.State{Query: q, Store: p.st}
	seen := map[int]bool{}
	for _, pos := range order {
		if s.Eligible(pos) && !seen[pos] && len(out.Hits) < q.K {
			seen[pos] = true
			out.Hits = append(out.Hits, p.st.Hit(pos, 1/float64(1+len(out.Hits))))
		}
	}
	if p.st.Len() > 0 {
		out.Context = p.render(&s, v)
	}
	return out, nil
}

func (p *mg) render(s *recall.State, v *view) string {
	section := func(pos []int) string {
		var recs []*store.Record
		for _, i := range pos {
			if s.Eligible(i) {
				recs = append(recs, p.st.At(i))
			}
		}
		return recall.Blocks(recs)
	}
	sum := p.summary.Text
	if sum == "" || s.Query.UserID != "" && p.summary.UserID != s.Query.UserID {
		sum = "None"
	}
	return recall.Framed("(Working Memory)\n" + section(v.working) + "\n(Recursive Memory Summary)\n" + sum + "\n(FIFO Memory)\n" + section(v.queue))
}

// trigger returns the functions to call: chosen by the model, or by rule both searches, and archiving the older half of a queue that is over the warning level.
func (p *mg) trigger(w *op.Work, q memory.Query) []call {
	var b strings.Builder
	fmt.Fprintf(&b, "QUESTION\n%s\n\nSPACE\n%d of %d tokens used\n\nSUMMARY\n%s\n\nQUEUE\n", q.Text, p.size(""), p.o.MaxTokens, p.summary.Text)
	for i, pos := range p.queue {
		fmt.Fprintf(&b, "[%d] %s\n", i, p.st.At(pos).Text)
	}
	if float64(p.size(q.Text)) > p.o.Warning*float64(p.o.MaxTokens) {
		b.WriteString("\nWARNING: the space is nearly full.\n")
	}
	return op.Member(w, op.PurposeTrigger, "calls", b.String(), func() []call {
		calls := []call{{Name: "memory_recall", Query: q.Text}, {Name: "memory_retrieval", Query: q.Text}}
		if float64(p.size("")) > p.o.Warning*float64(p.o.MaxTokens) {
			c := call{Name: "memory_archive"}
			for i := range len(p.queue) / 2 {
				c.Indices = append(c.Indices, i)
			}
			calls = append(calls, c)
		}
		return calls
	})
}

// do carries out one call on the question's view; names and indexes that do not exist
// are passed over.
func (p *mg) do(ctx context.Context, c call, v *view, vecs map[string][]float32, u *llm.Usage) error {
	search := func(pool []int) ([]int, error) {
		if len(pool) == 0 || c.Query == "" || p.o.Mode == native.Faithful {
			return nil, nil
		}
		qv := vecs[c.Query]
		if qv == nil {
			var err error
			if qv, err = store.One(ctx, p.d.Embed, u, c.Query); err != nil {
				return nil, err
			}
			vecs[c.Query] = qv
		}
		var out []int
		for _, c := range recall.Among(len(pool), p.o.TopK, func(i int) (float64, bool) { x := recall.Dot(qv, p.vec[pool[i]]); return x, x >= p.o.Gate }) {
			out = append(out, pool[c.Pos])
			v.score[pool[c.Pos]] = max(v.score[pool[c.Pos]], c.Score)
		}
		return out, nil
	}
	move := func(from, to *[]int) {
		var stay []int
		for i, pos := range *from {
			if slices.Contains(c.Indices, i) {
				*to = append(*to, pos)
			} else {
				stay = append(stay, pos)
			}
		}
		*from = stay
	}
	switch c.Name {
	case "memory_recall":
		var pool []int
		for i, r := range p.st.All() {
			if r.Tier == tierRecall {
				pool = append(pool, i)
			}
		}
		got, err := search(pool)
		for _, pos := range got {
			if !slices.Contains(v.queue, pos) {
				v.queue = append(v.queue, pos)
			}
		}
		return err
	case "memory_retrieval":
		got, err := search(v.archive)
		v.working = append(v.working, got...)
		return err
	case "memory_archive":
		move(&v.queue, &v.archive)
	case "memory_transfer":
		move(&v.queue, &v.working)
	case "memory_save":
		move(&v.working, &v.archive)
	}
	return nil
}

func (p *mg) Records() []store.Record {
	out := p.st.Records()
	if p.summary.ID != "" {
		out = append(out, p.summary)
	}
	return out
}

func (p *mg) Clone() native.Policy {
	c := *p
	c.st, c.queue, c.vec = p.st.Clone(), slices.Clone(p.queue), maps.Clone(p.vec)
	return &c
}
