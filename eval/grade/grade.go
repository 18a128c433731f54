// Package grade grades answers by named protocols: a stream of QA records in, the same records with grades out, in their order. Nothing else of a
// record changes, so that an answer can be graded again, by more protocols or another
// judge, without asking the system again.
//
// A record that carries a correction of its gold (schema.Erratum) gets two grades of a
// protocol: against the recorded gold, and marked so against the corrected one.
//
// A judge that fails (no reply, or one without a verdict) is a grade with the outcome
// judge_failed: neither right nor wrong, and counted apart. What failed is asked again
// by the next grading; a verdict that a record has is kept and costs nothing.
package grade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"membench/eval/protocol"
	"membench/internal/par"
	"membench/llm"
	"membench/schema"
)

// Purpose of every call to a judge's model, for ledgers.
const Purpose = "judge"

// Options of QA.
type Options struct {
	Protocols []*protocol.Protocol
	// Judge is the model that judges ask. Without it a protocol grades by its rule
	// twin, and one that has none is an error.
	Judge   llm.Generator
	Votes   int  // how often a judge is asked about one answer, odd; 0 is once. The majority decides
	Workers int  // answers graded at once; 0 is one
	Again   bool // ask judges again even where a record has their verdict
	// Asks, if set, reports whether a judge's model is asked about a record: a protocol of another data set would cost a call without meaning. Such a grade is
	// skipped. The record has the grades of the preceding protocols.
	Asks func(p *protocol.Protocol, r *schema.QARecord) bool
	// Settle adds a grade of the protocol Settled to a verdict of the rule judge.
	Settle bool
}

// Settled is protocol.Settled.
const Settled = protocol.Settled

// settle is the grade of Settled, of a record whose other grades are made; ok is false
// where the rule judge has none.
func settle(grades []schema.Grade, ps []*protocol.Protocol, judge llm.Generator) (g schema.Grade, ok bool) {
	by := schema.By(judge.Model())
	i := slices.IndexFunc(grades, func(g schema.Grade) bool {
		return strings.HasPrefix(g.Protocol, "rule@") && g.By == schema.ByRule && g.Gold == ""
	})
	if i < 0 {
		return g, false
	}
	g = schema.Grade{Protocol: Settled, By: by, Score: grades[i].Score, Label: grades[i].Label, Outcome: grades[i].Outcome, Reason: "the rule judge, without doubt"}
	if grades[i].Doubt == "" {
		return g, true
	}
	for _, p := range ps {
		if !p.Binary || p.Judge == nil {
			continue
		}
		if j := slices.IndexFunc(grades, func(g schema.Grade) bool { return g.Protocol == p.ID() && g.By == by && g.Gold == "" }); j >= 0 {
			g.Score, g.Label, g.Outcome, g.Reason = grades[j].Score, grades[j].Label, grades[j].Outcome, p.ID()+", where the rule judge doubts: "+grades[i].Doubt
			return g, true
		}
	}
	g.Label, g.Doubt, g.Reason = grades[i].Label, grades[i].Doubt, "the rule judge; no model was asked"
	return g, true
}

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if len(o.Protocols) == 0 {
		return errors.New("no protocol to grade by")
	}
	if o.Votes < 0 || o.Votes > 1 && o.Votes%2 == 0 {
		return fmt.Errorf("votes: have %d, want an odd number", o.Votes)
	}
	var need []string
	for _, p := range o.Protocols {
		if p.Rule == nil && o.Judge == nil {
			need = append(need, p.Name)
		}
	}
	if len(need) > 0 {
		return fmt.Errorf("no model to judge with: %s", strings.Join(need, ", "))
	}
	return nil
}

// item is one element of a stream with its finding, so that order is kept.
type item[T any] struct {
	rec schema.Record[T]
	err error
}

// each maps the records of a stream, findings kept in their places.
func each[T any](ctx context.Context, n int, in schema.Seq[T], f func(context.Context, *T) error) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		items := func(yield func(item[T], error) bool) {
			for r, err := range in {
				if !yield(item[T]{r, err}, nil) {
					return
				}
			}
		}
		// More than n are held, so that one slow verdict does not hold the others up.
		n, ahead := max(n, 1), 1
		if n > 1 {
			ahead = 4 * n
		}
		slots := make(chan struct{}, n)
		out := par.Map(ctx, ahead, items, func(ctx context.Context, it item[T]) (item[T], error) {
			if !schema.Whole(it.err) {
				return it, nil
			}
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-ctx.Done():
				return it, context.Cause(ctx)
			}
			return it, f(ctx, &it.rec.V)
		})
		for it, err := range out {
			err = cmp.Or(err, it.err)
			if !yield(it.rec, err) {
				return
			}
			if err != nil && !schema.IsFinding(err) {
				return
			}
		}
	}
}

// QA grades every record by every protocol. An error that is not a finding, such as a
// cancelled context or wrong options, ends the stream.
func QA(ctx context.Context, in schema.Seq[schema.QARecord], o Options) schema.Seq[schema.QARecord] {
	if err := o.Check(); err != nil {
		return func(yield func(schema.Record[schema.QARecord], error) bool) {
			yield(schema.Record[schema.QARecord]{}, err)
		}
	}
	return each(ctx, o.Workers, in, func(ctx context.Context, r *schema.QARecord) error { return one(ctx, r, o) })
}

// Doubtful asks a model about answers that a rule has graded doubtfully, and no others.
func Doubtful(_ *protocol.Protocol, r *schema.QARecord) bool {
	return slices.ContainsFunc(r.Grades, func(g schema.Grade) bool { return g.Doubt != "" && g.By == schema.ByRule })
}

// one grades a record. Its grades are copied first: a caller may hold the old ones.
func one(ctx context.Context, r *schema.QARecord, o Options) error {
	ids := map[string]bool{}
	for _, p := range o.Protocols {
		ids[p.ID()] = true
	}
	// Grades against a corrected gold are made again: the correction may have changed.
	grades := slices.DeleteFunc(slices.Clone(r.Grades), func(g schema.Grade) bool { return g.Gold == schema.GoldCorrected && ids[g.Protocol] })
	var cost llm.Usage
	for _, p := range o.Protocols {
		if p.Judge != nil && o.Judge != nil && o.Asks != nil {
			graded := *r
			graded.Grades = grades
			if !o.Asks(p, &graded) {
				continue
			}
		}
		g, used, err := gradeOne(ctx, r, p, o)
		cost = cost.Add(used)
		if err != nil {
			return err
		}
		grades = put(grades, g)
		g, used, ok, err := corrected(ctx, r, p, o, g)
		cost = cost.Add(used)
		if err != nil {
			return err
		}
		if ok {
			grades = put(grades, g)
		}
	}
	if o.Settle && o.Judge != nil {
		if g, ok := settle(grades, o.Protocols, o.Judge); ok {
			grades = put(grades, g)
		}
	}
	r.Grades = grades
	if cost.Calls > 0 {
		r.Usage = addUsage(r.Usage, o.Judge.Model(), cost)
	}
	return nil
}

// gradeOne is the verdict of one protocol.
func gradeOne(ctx context.Context, r *schema.QARecord, p *protocol.Protocol, o Options) (schema.Grade, llm.Usage, error) {
	if p.Judge == nil || o.Judge == nil {
		return p.Grade(r), llm.Usage{}, nil
	}
	return ask(ctx, r, p, o)
}

// corrected is the verdict against the corrected gold; ok is false where the record has
// none, or where the correction changes nothing that the protocol looks at.
func corrected(ctx context.Context, r *schema.QARecord, p *protocol.Protocol, o Options, recorded schema.Grade) (g schema.Grade, used llm.Usage, ok bool, err error) {
	if r.Errata == nil || recorded.Outcome == schema.GradeNA || recorded.Outcome == schema.GradeNotAnswered {
		return g, used, false, nil
	}
	c, tells, why := r.Corrected()
	if !tells {
		g = p.Complete(protocol.NotApplicable(why), recorded.By)
		g.Gold = schema.GoldCorrected
		return g, used, true, nil
	}
	if r.Errata.Kind == schema.ErratumEvidence && p.Judge != nil && o.Judge != nil {
		before, _ := p.Judge.Prompt(r)
		if after, _ := p.Judge.Prompt(&c); after == before {
			return g, used, false, nil // the same question to the model
		}
	}
	// Verdicts that are in the record are looked up by their gold.
	c.Grades = slices.DeleteFunc(slices.Clone(r.Grades), func(g schema.Grade) bool { return g.Gold != schema.GoldCorrected })
	g, used, err = gradeOne(ctx, &c, p, o)
	if r.Errata.Kind == schema.ErratumEvidence && same(g, recorded) {
		return g, used, false, err
	}
	g.Gold = schema.GoldCorrected
	return g, used, true, err
}

// same reports whether two grades say the same of an answer.
func same(a, b schema.Grade) bool {
	return a.Outcome == b.Outcome && (a.Score == nil) == (b.Score == nil) && (a.Score == nil || *a.Score == *b.Score)
}

// put replaces the grade of the same protocol, grader and gold, or appends it.
func put(list []schema.Grade, g schema.Grade) []schema.Grade {
	if i := slices.IndexFunc(list, func(x schema.Grade) bool { return x.Protocol == g.Protocol && x.By == g.By && x.Gold == g.Gold }); i >= 0 {
		list[i] = g
		return list
	}
	if g.Gold != "" { // behind the grade against the recorded gold
		if i := slices.IndexFunc(list, func(x schema.Grade) bool { return x.Protocol == g.Protocol && x.By == g.By }); i >= 0 {
			return slices.Insert(list, i+1, g)
		}
	}
	return append(list, g)
}

func addUsage(list []schema.StepUsage, model string, u llm.Usage) []schema.StepUsage {
	list = slices.Clone(list)
	i := slices.IndexFunc(list, func(s schema.StepUsage) bool { return s.Step == Purpose && s.Model == model })
	if i < 0 {
		list = append(list, schema.StepUsage{Step: Purpose, Model: model})
		i = len(list) - 1
	}
	list[i].Calls += u.Calls
	list[i].InputTokens += u.InputTokens
	list[i].OutputTokens += u.OutputTokens
	return list
}

// ask asks the judge about the answer, Votes times.
func ask(ctx context.Context, r *schema.QARecord, p *protocol.Protocol, o Options) (schema.Grade, llm.Usage, error) {
	var used llm.Usage
	by := schema.By(o.Judge.Model())
	if g, ok := p.NotAnswered(r); ok {
		return p.Complete(g, by), used, nil
	}
	q, ok := p.Judge.Prompt(r)
	if !ok {
		return p.Complete(protocol.NotApplicable("the protocol does not grade such a question"), by), used, nil
	}
	if !o.Again {
		for _, g := range r.Grades {
			if g.Protocol == p.ID() && g.By == by && g.Prompt == q.Template && g.Outcome == schema.GradeScored {
				return g, used, nil
			}
		}
	}
	var votes []schema.Grade
	failed := schema.Grade{Outcome: schema.GradeJudgeFailed, Prompt: q.Template}
	failures := 0
	for i := range max(o.Votes, 1) {
		var g schema.Grade
		res, u, err := generate(ctx, o.Judge, q, i, func(reply string) (err error) {
			g, err = p.Judge.Verdict(r, reply)
			return err
		})
		used = used.Add(u)
		ended := marked(res, err)
		if err == nil {
			g.Reply, g.Prompt, g.ModelOutcome = res.Text, q.Template, ended
			votes = append(votes, g)
			continue
		}
		if ctx.Err() != nil {
			return schema.Grade{}, used, context.Cause(ctx)
		}
		failures++
		failed.Reason, failed.Reply, failed.ModelOutcome = err.Error(), res.Text, ended
	}
	g := decide(votes, failed, p.Binary)
	if o.Votes > 1 && g.Outcome == schema.GradeScored {
		if g.Parts == nil {
			g.Parts = map[string]float64{}
		}
		g.Parts["votes"], g.Parts["votes_failed"] = float64(len(votes)), float64(failures)
	}
	return p.Complete(g, by), used, nil
}

// generate asks the model one prompt for the sample-th time. A reply without a verdict
// that was cut off is asked for once more with a higher limit.
func generate(ctx context.Context, m llm.Generator, q protocol.Prompt, sample int, verdict func(reply string) error) (res llm.Response, used llm.Usage, err error) {
	_, err = llm.Again(ctx, func(ctx context.Context) (_ llm.Usage, err error) {
		res, used, err = askOnce(ctx, m, q, sample, verdict)
		return used, err
	})
	return res, used, err
}

func askOnce(ctx context.Context, m llm.Generator, q protocol.Prompt, sample int, verdict func(reply string) error) (res llm.Response, used llm.Usage, err error) {
	req := llm.Request{Purpose: Purpose, System: q.System, Prompt: q.User, Temperature: q.Temperature, MaxTokens: q.MaxTokens, JSON: q.JSON, Sample: sample}
	for range 2 {
		res, err = m.Generate(ctx, req)
		used = used.Add(res.Usage)
		if err != nil {
			return res, used, err
		}
		if err = verdict(res.Text); err == nil || !res.Truncated {
			break
		}
		req.MaxTokens = llm.Longer(req, res)
	}
	if err != nil {
		kind := llm.KindUnusable
		if res.Truncated {
			kind = llm.KindCutOff
		}
		err = &llm.Error{Purpose: Purpose, Kind: kind, Err: err}
	}
	return res, used, err
}

// marked is how a judge's call ended, "" where it is complete.
func marked(res llm.Response, err error) string {
	if o := llm.OutcomeOf(res, err); o != llm.Complete {
		return string(o)
	}
	return ""
}

// decide makes one grade of the votes: the majority's of yes and no, the mean of other
// scores. Without a vote, or of a tie, the judge has failed.
func decide(votes []schema.Grade, failed schema.Grade, binary bool) schema.Grade {
	if len(votes) == 0 {
		return failed
	}
	sum := 0.0
	for _, v := range votes {
		sum += *v.Score
	}
	if !binary {
		g := votes[0]
		mean := sum / float64(len(votes))
		g.Score = &mean
		return g
	}
	right := 2*sum > float64(len(votes))
	if 2*sum == float64(len(votes)) {
		failed.Reason = fmt.Sprintf("%d votes are tied: %s", len(votes), failed.Reason)
		return failed
	}
	i := slices.IndexFunc(votes, func(v schema.Grade) bool { return (*v.Score == 1) == right })
	g := votes[i]
	if len(votes) > 1 {
		if g.Parts == nil {
			g.Parts = map[string]float64{}
		}
		g.Parts["yes"] = sum
	}
	return g
}
