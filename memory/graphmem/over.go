package graphmem

import (
	"context"
	"fmt"
	"slices"

	"membench/graph"
	"membench/llm/hashing"
	"membench/memory"
	"membench/schema"
)

// A Reading is the retrieval of the graph memory over a graph that is there already.
type Reading struct{ p *policy }

// Over is the same retrieval over an existing graph: made by graphir, in Neo4j, or made of the export of a memory system, whose memories count as turns if it
// has none. The graph is never written to. It is read whole now, and updated before each question: for a graph.Followed only the changes.
func Over(ctx context.Context, g graph.Graph, d memory.Deps, o Options) (*Reading, error) {
	if d.Embed == nil {
		d.Embed = hashing.New(0)
	}
	p := &policy{o: o, v: newView("", d.Embed), home: g}
	if _, err := p.refresh(ctx); err != nil {
		return nil, err
	}
	return &Reading{p}, nil
}

var _ memory.Memory = (*Reading)(nil)

// Ingest fails: the graph belongs to another program.
func (r *Reading) Ingest(context.Context, memory.Batch) (memory.Receipt, error) {
	return memory.Receipt{}, fmt.Errorf("storing a turn in a graph that is only read: %w", errReadOnly)
}

// Retrieve ranks the graph's turns. The ids of hits are the ids of their nodes.
func (r *Reading) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	if err := ctx.Err(); err != nil {
		return memory.Retrieved{}, err
	}
	if q.K <= 0 {
		q.K = 5
	}
	return r.p.Recall(ctx, q)
}

// Close has nothing to do: the graph is the caller's.
func (r *Reading) Close() error { return nil }

// Size counts the turns and claims that can be found.
func (r *Reading) Size() (turns, claims int) { return r.p.v.st.Len(), len(r.p.v.facts) }

// Speakers are the names of who spoke, in the order they came.
func (r *Reading) Speakers() []string { return r.p.v.st.Speakers() }

// Facts are the claims that rest on a hit and were known by asOf ("": all that are), in
// the order they came, each with when it holds.
func (r *Reading) Facts(hit schema.PointID, asOf string) (out []Held) {
	at, ok := r.p.v.st.Find(hit)
	if !ok {
		return nil
	}
	end, limited := until(asOf)
	for _, i := range r.p.v.claims[at] {
		f := r.p.v.facts[i]
		if holds, known := r.p.v.holds(&f, end, limited); known {
			f.Evidence = slices.DeleteFunc(slices.Clone(f.Evidence), func(q Quote) bool { return !SaidBy(q.Time, asOf) })
			out = append(out, Held{f, holds, r.p.v.spans(&f)})
		}
	}
	return out
}

// Held is a claim and when it holds.
type Held struct {
	Fact
	Holds bool   // at the time asked for
	Spans []Span // all that the graph knows of
}

// Unknown are the names in a question that nothing in the graph mentions: words with a
// capital inside a sentence that no turn holds, no claim, and no speaker's name but for a
// letter.
func (r *Reading) Unknown(question string) (out []string) {
	return slices.DeleteFunc(capitals(question), r.p.v.mentions)
}

// Graph is the graph that the last question was answered from, to walk its evidence.
func (r *Reading) Graph() *graph.Local { return r.p.g }

// With returns the same reading with other options. Both share their copy of the graph and are not safe for concurrent use.
func (r *Reading) With(o Options) *Reading {
	p := *r.p
	p.o = o
	return &Reading{&p}
}

// SaidBy reports whether something of the given time counts at asOf: it was said by then, or its time is unknown. Both are RFC 3339 or a prefix of it; "" as
// asOf is after everything.
func SaidBy(at, asOf string) bool {
	end, limited := until(asOf)
	t, ok := schema.ParseTime(at, nil)
	return !limited || !ok || t.Before(end)
}

// IsInstant reports whether a text is an instant that AsOf understands, or empty.
func IsInstant(s string) bool {
	_, ok := schema.ParseTime(s, nil)
	return ok || s == ""
}
