package netops

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"membench/datasets"
	"membench/datasets/probes"
	"membench/graph"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/jsonl"
)

// Types of questions that only a typed graph of operations can answer; raw_category.
const (
	RootCause   = "root-cause"  // the device whose alarm was the first of an incident
	Aggregation = "aggregation" // how many different alarms
	WhatChanged = "what-changed"
	RunbookNow  = "runbook-now"    // current text of a corrected entry
	RunbookThen = "runbook-before" // its former text
	Repeat      = "repeat-incident"
)

// Drops counts the dropped questions, by "type: reason".
type Drops map[string]int

// Options of Generate.
type Options struct {
	Seed  uint64
	Count int   // questions of the general types (datasets/probes) for each case; 0: 40
	Drops Drops // filled where not nil
	// NoTelemetry marks every question: its only basis is stated facts.
	NoTelemetry bool
}

// Generate makes the case of a typed graph as Graph makes it (or of any graph with the terms of netops.yaml): its dialogue, the questions specific to
// operations, and those that datasets/probes asks of every graph. Every gold is computed from the graph: a root is the device of an incident's first alarm, by
// the instants of the turns, whatever speakers assumed.
func Generate(ctx context.Context, g graph.Graph, o Options) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		cat, err := Catalog()
		if err != nil {
			yield(schema.Record[schema.Case]{}, err)
			return
		}
		if o.Drops == nil {
			o.Drops = Drops{}
		}
		var stats probes.Stats
		po := probes.Options{Catalog: cat, Words: [][]byte{wordings}, Seed: o.Seed, Count: cmp.Or(o.Count, 40), Dataset: "netops", Group: probes.GroupConversation, Empty: true, Searched: 1, Stats: &stats,
			Structure: []string{"RAISED_BY", "OF_KIND", "PART_OF", "PLANNED_FOR"}}
		var cases []schema.Case
		for r, err := range probes.Generate(ctx, g, po) {
			if err != nil {
				yield(schema.Record[schema.Case]{}, err)
				return
			}
			cases = append(cases, r.V)
		}
		for t, x := range stats.Types {
			for why, n := range x.Dropped {
				o.Drops[string(t)+": "+why] += n
			}
		}
		ops, err := readOps(ctx, g)
		if err != nil {
			yield(schema.Record[schema.Case]{}, err)
			return
		}
		for _, c := range cases {
			a := newOpsAsker(c, ops, o)
			a.incidents()
			a.changes()
			a.runbooks()
			a.histories()
			a.recorded()
			if a.err != nil {
				yield(schema.Record[schema.Case]{}, a.err)
				return
			}
			if !yield(schema.Record[schema.Case]{V: a.c}, nil) {
				return
			}
		}
	}
}

// fromGraph makes the data set that sends the cases of another one through the typed
// graph: their questions are dropped before, so that no gold of theirs can be used.
func fromGraph(name string, of datasets.Dataset) datasets.Dataset {
	info, _ := datasets.Lookup(name)
	return datasets.Dataset{Info: info, Match: of.Match, Cases: func(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
		return func(yield func(schema.Record[schema.Case], error) bool) {
			drops := Drops{}
			for r, err := range of.Cases(ctx, files, o) {
				if err != nil {
					if !yield(r, err) {
						return
					}
					continue
				}
				c := r.V
				c.Questions = nil
				for made, err := range Retell(ctx, c, Options{Seed: o.Seed, Drops: drops}) {
					made.Pos = r.Pos
					if err == nil {
						rename(&made.V, name)
						made.V.Source = c.Source
					}
					if !yield(made, err) {
						return
					}
				}
			}
			for _, why := range slices.Sorted(maps.Keys(drops)) {
				o.Tell(&schema.Finding{Code: "DST023", Warning: true, Message: "drafts were dropped: " + why, Have: strconv.Itoa(drops[why])})
			}
		}
	}}
}

// Retell is Generate over Graph: it converts a case of operations to a graph, and yields the cases of the graph.
func Retell(ctx context.Context, c schema.Case, o Options) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		in, err := Graph(ctx, c)
		g := graph.NewLocal()
		if err == nil {
			err = g.Read(ctx, in, nil)
		}
		if err != nil {
			yield(schema.Record[schema.Case]{}, err)
			return
		}
		Generate(ctx, g, o)(yield)
	}
}

// fact is a claim of operations with its turns.
type opsFact struct {
	id, next     schema.NodeID
	pred         string
	subject, obj string // names
	subjectID    schema.NodeID
	active       bool
	events       []schema.NodeID
}

// ops are the graph's claims about operations, by predicate, in the order of ids.
type ops map[string][]*opsFact

func readOps(ctx context.Context, g graph.Graph) (ops, error) {
	out := ops{}
	name := func(id schema.NodeID) (string, error) {
		n, _, err := g.Node(ctx, id)
		return n.Props.Text("name"), err
	}
	for n, err := range g.Nodes(ctx, graph.Filter{Labels: []string{schema.LabelClaim}}) {
		if err != nil {
			return nil, err
		}
		id, perr := schema.ParseID(string(n.ID))
		if perr != nil || len(id.Ends) != 2 {
			continue
		}
		f := &opsFact{id: n.ID, pred: n.Props.Text("predicate"), active: n.Props.Text("status") == "active", subjectID: schema.NodeID(id.Ends[0])}
		if f.subject, err = name(f.subjectID); err != nil {
			return nil, err
		}
		for e, err := range g.Neighbors(ctx, n.ID, graph.Out, graph.Filter{Types: []string{schema.EdgeAbout, schema.EdgeEvidencedBy, schema.EdgeSupersededBy}}) {
			if err != nil {
				return nil, err
			}
			switch e.Type {
			case schema.EdgeAbout:
				if f.obj, err = name(e.Dst); err != nil {
					return nil, err
				}
			case schema.EdgeSupersededBy:
				f.next = e.Dst
			case schema.EdgeEvidencedBy:
				for x, err := range g.Neighbors(ctx, e.Dst, graph.Out, graph.Filter{Types: []string{schema.EdgeFromEvent}}) {
					if err != nil {
						return nil, err
					}
					f.events = append(f.events, x.Dst)
				}
			}
		}
		out[f.pred] = append(out[f.pred], f)
	}
	return out, nil
}

// of lists the facts of a predicate about one subject.
func (o ops) of(pred, subject string) (out []*opsFact) {
	for _, f := range o[pred] {
		if f.subject == subject {
			out = append(out, f)
		}
	}
	return out
}

// by finds a claim of a predicate.
func (o ops) by(pred string, id schema.NodeID) *opsFact {
	if i := slices.IndexFunc(o[pred], func(f *opsFact) bool { return f.id == id }); i >= 0 {
		return o[pred][i]
	}
	return nil
}

type opsAsker struct {
	c     schema.Case
	ops   ops
	turns map[schema.NodeID]schema.CaseTurn
	zh    bool
	drops Drops
	told  bool // only stated facts
	err   error
}

func newOpsAsker(c schema.Case, facts ops, o Options) *opsAsker {
	a := &opsAsker{c: c, ops: facts, turns: map[schema.NodeID]schema.CaseTurn{}, drops: o.Drops, told: o.NoTelemetry}
	zh, all := 0, 0
	for _, s := range c.Sessions {
		for _, t := range s.Turns {
			a.turns[schema.NodeID(t.SourceID)] = t
			if t.Role == "user" {
				all++
				if textnorm.Lang(t.Text) == "zh" {
					zh++
				}
			}
		}
	}
	a.zh = zh*2 > all
	return a
}

type opsMeta struct {
	Type        string    `json:"type"`
	Lang        string    `json:"lang"`
	Distractors []string  `json:"distractors,omitempty"`
	Proof       opsProof  `json:"proof"`
	By          schema.By `json:"by"`
	Hops        int       `json:"hops"`
	Telemetry   string    `json:"telemetry"` // alarms | none: only stated facts
}

// opsProof is the query that proves an answer; its first column is the answer, or the values that are counted or listed.
type opsProof struct {
	Query  string            `json:"query"`
	Cypher string            `json:"cypher"`
	Params map[string]string `json:"params"`
}

// ask adds a question with the events that prove it.
func (a *opsAsker) ask(typ, cat, text, gold, wrong string, proof opsProof, distractors []string, events ...schema.NodeID) {
	var turns []schema.CaseTurn
	for _, id := range events {
		t, ok := a.turns[id]
		if !ok {
			continue
		}
		if !slices.ContainsFunc(turns, func(x schema.CaseTurn) bool { return x.TurnID == t.TurnID }) {
			turns = append(turns, t)
		}
	}
	slices.SortFunc(turns, func(x, y schema.CaseTurn) int { return x.TurnID - y.TurnID })
	q := schema.Question{ID: fmt.Sprintf("%s/q/%d", a.c.ID, len(a.c.Questions)), Text: text, Answer: gold, Wrong: wrong, Category: cat, RawCategory: typ, Difficulty: "medium"}
	if len(turns) > 3 {
		q.Difficulty = "hard"
	}
	for _, t := range turns {
		q.Evidence = append(q.Evidence, schema.EventRef{ConvID: a.c.ConvID, TurnID: t.TurnID})
		q.EvidenceIDs = append(q.EvidenceIDs, t.SourceID)
	}
	if strings.Contains(text, gold) && len(gold) > 2 {
		a.drops[typ+": the question gives the answer away"]++
		return
	}
	meta := opsMeta{Type: typ, Lang: map[bool]string{true: "zh", false: "en"}[a.zh], Distractors: distractors, Proof: proof, By: schema.ByRule, Hops: len(turns), Telemetry: "alarms"}
	if a.told || typ == RunbookNow || typ == RunbookThen || proof.Query == queryHistory {
		meta.Telemetry = "none"
	}
	var err error
	if q.Meta, err = schema.NewObject(meta); err != nil {
		a.err = err
	}
	a.c.Questions = append(a.c.Questions, q)
}
