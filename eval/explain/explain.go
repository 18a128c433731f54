// Package explain determines at which hop a failed question was lost, and why: graded QA records in, the same records with an Attribution out, in their order.
//
// A fact passes these hops on its way to an answer: its turn is ingested, kept as a memory, not overwritten, retrieved, shown completely to the reader, used by
// the reader, and the answer is graded against a correct gold. Every piece of gold evidence of the question is followed along them in the session records
// (deltas and snapshots) and in the QA record (hits, ranks below k, context). The question is attributed to the earliest hop at which a piece is lost; it is
// "read" if nothing was lost. A wrong gold and a wrong grade take precedence. Nothing is guessed: if a system shows too little, the hop is "opaque" and the
// reason says what is missing.
//
// Key and order are those of the QA records. Memory holds the sessions, the case and the memories of one case of one system, about the size of their texts, and
// 100 bytes for each case of the run.
package explain

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"membench/eval/fidelity"
	"membench/eval/records"
	"membench/graph"
	"membench/schema"
)

// Options of QA.
type Options struct {
	// Sessions are the session records of the run, Cases the cases asked. Both are read again when a system starts over on the same cases, so a Seq must be
	// repeatable. Their order should be that of the QA records, otherwise every case costs a pass. Without Sessions, hops before retrieval are not determined;
	// without Cases, only the sources of memories are known.
	Sessions schema.Seq[schema.SessionRecord]
	Cases    schema.Seq[schema.Case]
	// Graph, if set, refines the hops up to retrieval (Attribution.Break).
	Graph graph.Graph
	// Walked receives the path of each failed question through Graph; nil: not called. An error ends the stream.
	Walked func(Walk) error

	// Grader names the protocol that determines failures, with or without its @version; "": a model's verdict if a record has one, otherwise the rule judge's,
	// otherwise the first grade of an answer.
	Grader string
	// Second names the protocol whose disagreement shows a judge's error; "": every other
	// verdict by a model, exact match, and the rule judge, which is asked here where the
	// record has no verdict of it.
	Second string
	// Threshold is the least score that is right, (0,1]; 0 means 0.5.
	Threshold float64
	// LongContext is the number of tokens from which a context that held the evidence is
	// over-long; 0 means 4,000.
	LongContext int

	// Survey, if set, counts what the memories and hits of all answers show, also of right ones.
	Survey *Survey

	// Report receives the findings in Sessions and Cases, once each; nil drops them.
	Report func(*schema.Finding)
}

func (o Options) defaults() Options {
	o.Threshold = cmp.Or(o.Threshold, 0.5)
	o.LongContext = cmp.Or(o.LongContext, 4000)
	return o
}

// group identifies the records that share one memory.
type group struct {
	System, Dataset, Case string
	Repeat                int
}

// QA sets the attribution of every record that failed and takes it off the others.
// Findings pass in their places.
func QA(ctx context.Context, in schema.Seq[schema.QARecord], o Options) schema.Seq[schema.QARecord] {
	return func(yield func(schema.Record[schema.QARecord], error) bool) {
		x := newExplainer(o)
		defer x.close()
		for r, err := range in {
			if err == nil {
				r.V.Attribution, err = x.record(ctx, &r.V)
			}
			if !yield(r, err) {
				return
			}
			if err != nil && !schema.IsFinding(err) {
				return
			}
		}
	}
}

type caseKey struct{ Dataset, ID string }

// explainer holds the shared state of the questions of one group.
type explainer struct {
	o        Options
	sessions *records.Cursor[schema.SessionRecord, group]
	cases    *records.Cursor[schema.Case, caseKey]

	at     group
	loaded bool
	ledger *ledger
	told   *story
	frame  *fidelity.Frame // how the system changes a turn

	returned *fidelity.Frame // the frame around a memory that it returns
	learned  string          // the question whose hits it was learned from last

	context  shown
	past     past
	held     *held            // nil: not counted
	everyone turnsOfAll       // made when a hit may be of another case
	said     *schema.QARecord // the record with the sources that the system names
}

func newExplainer(o Options) *explainer {
	x := &explainer{o: o.defaults()}
	x.sessions = records.NewCursor(o.Sessions, o.Report, func(s *schema.SessionRecord) group { return group{s.System, s.Dataset, s.CaseID, s.Repeat} })
	x.cases = records.NewCursor(o.Cases, o.Report, func(c *schema.Case) caseKey { return caseKey{c.Dataset, c.ID} })
	return x
}

func (x *explainer) close() {
	x.sessions.Close()
	x.cases.Close()
}

func (x *explainer) record(ctx context.Context, r *schema.QARecord) (*schema.Attribution, error) {
	x.past.follow(r)
	if err := x.survey(r); err != nil {
		return nil, err
	}
	v := x.o.verdict(r)
	if v.asked && !v.failed {
		return nil, nil
	}
	if err := x.load(r); err != nil {
		return nil, err
	}
	if !v.asked {
		return x.ledger.failedIngest(r, x.until(r)), nil
	}
	return x.attribute(ctx, r, v)
}

// load makes ready the sessions and the case of r. A repeat that only answered again
// rests on the memory of the first.
func (x *explainer) load(r *schema.QARecord) error {
	g := group{r.System, r.Dataset, r.CaseID, r.Repeat}
	if x.loaded && x.at == g {
		return nil
	}
	ss, err := x.sessions.Find(g)
	if err == nil && len(ss) == 0 && g.Repeat > 0 {
		first := g
		first.Repeat = 0
		ss, err = x.sessions.Find(first)
	}
	if err != nil {
		return err
	}
	if key := (caseKey{r.Dataset, r.CaseID}); x.told == nil || x.told.key != key {
		cs, err := x.cases.Find(key)
		if err != nil {
			return err
		}
		x.told = newStory(key, cs)
	}
	clear(x.told.texts)
	x.at, x.loaded, x.ledger = g, true, newLedger(ss, x.told)
	x.ledger.settle(x.told)
	x.held = nil
	x.frame, x.returned, x.learned = x.ledger.frame(x.told), &fidelity.Frame{}, ""
	return nil
}

// frameTurns is the number of turns examined to learn how a system changes a turn.
const frameTurns = 120

// frame learns it from the memories of turns spread over the case, as they were first
// stored.
func (l *ledger) frame(s *story) *fidelity.Frame {
	f := &fidelity.Frame{}
	if s.c == nil {
		return f
	}
	ids := slices.Sorted(maps.Keys(s.turns))
	step := max(1, len(ids)/frameTurns)
	for i := 0; i < len(ids); i += step {
		p := s.turns[ids[i]]
		var texts []string
		o := s.original(p)
		ref := schema.EventRef{ConvID: s.c.ConvID, TurnID: ids[i]}
		for _, v := range l.byRef[ref] {
			from := s.origins(v.text)
			if v.before != nil || len(from) > 0 && !slices.Contains(from, ref) { // the text of another turn shows nothing of this one
				continue
			}
			texts = append(texts, v.text)
			for _, ref := range from {
				o.Around = append(o.Around, s.turns[ref.TurnID].turn.Text)
			}
		}
		if len(texts) > 0 {
			f.Learn(o, texts...)
		} else if v := s.likest(l.loose, ids[i]); v != nil {
			f.Guess(o, v.text)
		}
	}
	return f
}

// likest is the first of the texts that names no source and has most words of a turn; nil if none has a third of them.
func (s *story) likest(loose []*version, turn int) (best *version) {
	n, most := &need{turns: s.bag(turn)}, 0
	for _, v := range n.near(loose) {
		if both := n.turns.both(v.words); both > most && v.before == nil {
			best, most = v, both
		}
	}
	return best
}
