package grade

import (
	"context"
	"slices"
	"strings"

	"membench/eval/protocol"
	"membench/llm"
	"membench/schema"
)

// SessionOptions of Sessions.
type SessionOptions struct {
	Judge   llm.Generator // nil: the rule twins
	Workers int           // sessions graded at once; 0 is one
}

// Sessions grades every session by the four session judges: recall of its gold points, correctness of its memories, update handling, interference rejection.
// Sessions of one case arrive in order. Between sessions of a case it holds the gold so far and the memories of the last snapshot: about 100 bytes and the text
// for each, until the stream ends.
//
// A session's own memories are those of its delta, or the difference between its snapshot and the previous one. Correctness is judged against the gold that
// holds at that time: all points so far without interference and without replaced ones; if the case has given none yet, it is not judged. The items of a failed
// session have the outcome not_answered; those of a system without visible memories, not_applicable. Existing grades are replaced, a judge's by the same judge.
func Sessions(ctx context.Context, in schema.Seq[schema.SessionRecord], o SessionOptions) schema.Seq[schema.SessionRecord] {
	return func(yield func(schema.Record[schema.SessionRecord], error) bool) {
		// The state of a case is kept in stream order; judging a session needs only its state at that time.
		type job struct {
			schema.SessionRecord
			tasks []task
		}
		jobs := func(yield func(schema.Record[job], error) bool) {
			states := map[stateKey]*state{}
			for r, err := range in {
				j := schema.Record[job]{Pos: r.Pos, V: job{SessionRecord: r.V}}
				if schema.Whole(err) {
					k := stateKey{r.V.System, r.V.Repeat, r.V.CaseID}
					if states[k] == nil {
						states[k] = &state{}
					}
					j.V.tasks = states[k].next(&r.V)
				}
				if !yield(j, err) {
					return
				}
			}
		}
		out := each(ctx, o.Workers, jobs, func(ctx context.Context, j *job) error {
			return session(ctx, &j.SessionRecord, j.tasks, o)
		})
		for j, err := range out {
			if !yield(schema.Record[schema.SessionRecord]{Pos: j.Pos, V: j.V.SessionRecord}, err) {
				return
			}
		}
	}
}

type stateKey struct {
	system string
	repeat int
	caseID string
}

// state is the state of a case before a session.
type state struct {
	gold []schema.MemoryPoint // that hold
	last map[string]bool      // id and text of the memories of the last snapshot
}

// task is a question to a judge with the ids that its answers go to.
type task struct {
	protocol.SessionTask
	ids   []string // of the items judged
	seen  []string // ids of the memories looked through
	flags []bool   // the item is an update
}

func point(p schema.MemoryPoint) []schema.MemoryPoint { return []schema.MemoryPoint{p} }

// next adds a session and lists the tasks for the judges.
func (s *state) next(r *schema.SessionRecord) []task {
	var texts, ids []string // of the session's own memories
	if len(r.Delta) > 0 {
		for _, d := range r.Delta {
			if d.Op == "add" || d.Op == "update" {
				texts, ids = append(texts, d.Text), append(ids, string(d.ID))
			}
		}
	} else {
		for _, m := range r.Snapshot {
			if !s.last[string(m.ID)+"\x00"+m.Text] {
				texts, ids = append(texts, m.Text), append(ids, string(m.ID))
			}
		}
	}
	held, heldIDs := texts, ids
	if len(r.Snapshot) > 0 {
		held, heldIDs = nil, nil
		s.last = make(map[string]bool, len(r.Snapshot))
		for _, m := range r.Snapshot {
			s.last[string(m.ID)+"\x00"+m.Text] = true
			held, heldIDs = append(held, m.Text), append(heldIDs, string(m.ID))
		}
	}
	recall := task{SessionTask: protocol.SessionTask{Judge: protocol.JudgeRecall, Items: texts}, seen: ids}
	var single []task
	for _, p := range r.Points {
		if p.Interference() {
			single = append(single, task{
				SessionTask: protocol.SessionTask{Judge: protocol.JudgeInterference, Gold: point(p), Items: held},
				ids:         []string{p.ID}, seen: heldIDs, flags: []bool{false},
			})
			continue
		}
		recall.Gold, recall.ids, recall.flags = append(recall.Gold, p), append(recall.ids, p.ID), append(recall.flags, p.IsUpdate)
		if p.IsUpdate {
			single = append(single, task{
				SessionTask: protocol.SessionTask{Judge: protocol.JudgeUpdate, Gold: point(p), Originals: p.Originals, Items: held},
				ids:         []string{p.ID}, seen: heldIDs, flags: []bool{true},
			})
			s.gold = slices.DeleteFunc(s.gold, func(g schema.MemoryPoint) bool {
				return slices.ContainsFunc(p.Originals, func(o string) bool { return strings.TrimSpace(o) == strings.TrimSpace(g.Content) })
			})
		}
		s.gold = append(s.gold, p)
	}
	tasks := []task{recall}
	if len(texts) > 0 && len(s.gold)+len(r.Points) > 0 { // without any gold nothing is right or wrong
		tasks = append(tasks, task{
			SessionTask: protocol.SessionTask{Judge: protocol.JudgeCorrectness, Gold: slices.Clone(s.gold), Items: texts},
			ids:         ids, seen: ids, flags: make([]bool, len(ids)),
		})
	}
	tasks = append(tasks, single...)
	return slices.DeleteFunc(tasks, func(t task) bool { return len(t.ids) == 0 })
}

// session judges the tasks of a record.
func session(ctx context.Context, r *schema.SessionRecord, tasks []task, o SessionOptions) error {
	by := schema.ByRule
	if o.Judge != nil {
		by = schema.By(o.Judge.Model())
	}
	grades := slices.DeleteFunc(slices.Clone(r.Grades), func(g schema.SessionGrade) bool { return g.By == by })
	var cost llm.Usage
	for _, t := range tasks {
		gs := make([]schema.SessionGrade, len(t.ids))
		for i, id := range t.ids {
			gs[i] = schema.SessionGrade{Judge: t.Judge, By: by, Item: id, Update: t.flags[i], Outcome: schema.GradeScored}
		}
		fail := func(outcome, reason string) {
			for i := range gs {
				gs[i].Outcome, gs[i].Reason = outcome, reason
			}
		}
		switch {
		case r.Outcome == schema.OutcomeError || r.Outcome == schema.OutcomeTimeout || r.Outcome == schema.OutcomeRefused:
			fail(schema.GradeNotAnswered, r.Error)
		case r.Opaque:
			fail(schema.GradeNA, "the system shows none of its memories")
		case o.Judge == nil:
			labels, at := t.ByRule()
			label(gs, labels)
			for i, m := range at {
				if m >= 0 {
					gs[i].IDs = []string{t.seen[m]}
				}
			}
		default:
			q := t.Prompt()
			var labels []string
			var reason string
			_, used, err := generate(ctx, o.Judge, q, 0, func(reply string) (err error) {
				labels, reason, err = t.Read(reply)
				return err
			})
			cost = cost.Add(used)
			switch {
			case err != nil && ctx.Err() != nil:
				return context.Cause(ctx)
			case err != nil:
				fail(schema.GradeJudgeFailed, err.Error())
			default:
				label(gs, labels)
				for i := range gs {
					gs[i].Reason = reason
				}
			}
		}
		grades = append(grades, gs...)
	}
	r.Grades = grades
	if cost.Calls > 0 {
		r.Usage = addUsage(r.Usage, o.Judge.Model(), cost)
	}
	return nil
}

func label(gs []schema.SessionGrade, labels []string) {
	for i, l := range labels {
		score := protocol.SessionScore(l)
		gs[i].Label, gs[i].Score = l, &score
	}
}
