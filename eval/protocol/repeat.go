package protocol

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"membench/internal/par"
	"membench/schema"
)

// Repeats holds what grading records a second time has found, so that a stream that is read twice is graded once. The zero value is ready.
type Repeats struct {
	bad    map[schema.Pos]*schema.Finding
	graded map[[3]string]*graded // by file, system and data set
	done   bool
}

// Over passes on the records of in whose grades can be repeated, and makes findings (EVL106) of the others: a rule gives another score, label, outcome or
// doubt for the answer, or the verdict that a judge's recorded reply holds is another one. So an edited grade is no figure, even if its score and label agree.
// Answers without a grade that others of the same system, data set and file have are one finding (EVL110) at the end; see Missing.
// When the same stream is given again, its findings are those of the first time. It holds 150 bytes for each record.
//
// Grades that nothing in the record can repeat are passed on: those of other versions, of a majority of votes, and of rules that read a file of the user's.
func (p *Repeats) Over(ctx context.Context, in schema.Seq[schema.QARecord]) schema.Seq[schema.QARecord] {
	if in == nil || p == nil {
		return in
	}
	if p.done {
		return schema.Refuse(in, func(rec *schema.Record[schema.QARecord]) *schema.Finding { return p.bad[rec.Pos] })
	}
	p.bad, p.graded = map[schema.Pos]*schema.Finding{}, map[[3]string]*graded{}
	byID := map[string]*Protocol{}
	for _, x := range standard() {
		byID[x.ID()] = x
	}
	type read struct {
		rec schema.Record[schema.QARecord]
		err error // in place of rec, or a warning beside it
		bad *schema.Finding
	}
	return func(yield func(schema.Record[schema.QARecord], error) bool) {
		items := func(yield func(read, error) bool) {
			for rec, err := range in {
				if !yield(read{rec: rec, err: err}, nil) {
					return
				}
			}
		}
		for x, err := range par.Map(ctx, runtime.GOMAXPROCS(0), items, func(_ context.Context, x read) (read, error) {
			if schema.Whole(x.err) {
				if x.bad = unlike(&x.rec.V, byID); x.bad != nil {
					x.bad.Pos = x.rec.Pos
				}
			}
			return x, nil
		}) {
			err = cmp.Or(err, x.err)
			if x.bad != nil {
				p.bad[x.rec.Pos] = x.bad
				x.rec, err = schema.Record[schema.QARecord]{}, x.bad
			} else if schema.Whole(err) {
				p.see(&x.rec, byID)
			}
			if !yield(x.rec, err) {
				return
			}
		}
		for _, f := range p.missed() {
			if !yield(schema.Record[schema.QARecord]{}, f) {
				return
			}
		}
		p.done = true
	}
}

// unlike returns a finding of the first grade of a record that cannot be repeated, nil if there is none.
func unlike(r *schema.QARecord, byID map[string]*Protocol) *schema.Finding {
	for i, g := range r.Grades {
		p := byID[g.Protocol]
		if p == nil || p.Files {
			continue
		}
		want, ok := p.again(r, &g)
		if !ok || want.Outcome == g.Outcome && want.Label == g.Label && (want.Doubt == "") == (g.Doubt == "") && sameScore(want.Score, g.Score) {
			continue
		}
		return &schema.Finding{Code: "EVL106", Pointer: "/grades/" + strconv.Itoa(i), Message: "the grade by " + g.Grader() + " is not the one that its protocol gives for this answer; the record was skipped",
			Have: verdict(&g), Want: verdict(&want), Hint: "grade the answers again with membench eval grade"}
	}
	return nil
}

// again makes a grade of r a second time, against the gold that g was graded against. ok is false if the record does not show how g was made.
func (p *Protocol) again(r *schema.QARecord, g *schema.Grade) (want schema.Grade, ok bool) {
	if g.Gold == schema.GoldCorrected {
		c, tells, why := r.Corrected()
		if !tells {
			return p.Complete(NotApplicable(why), g.By), true
		}
		r = &c
	}
	switch {
	case g.By == schema.ByRule:
		if p.Rule == nil {
			return want, false
		}
		return p.Grade(r), true
	case p.Judge == nil || g.Outcome != schema.GradeScored || g.Parts["votes"] > 1:
		return want, false
	}
	want, err := p.Judge.Verdict(r, g.Reply)
	if err != nil {
		want = schema.Grade{Outcome: schema.GradeJudgeFailed}
	}
	return p.Complete(want, g.By), true
}

// sameScore compares scores but for the last digits, which other programs may have cut.
func sameScore(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return max(*a-*b, *b-*a) < 1e-9
}

// verdict shows what of a grade is compared.
func verdict(g *schema.Grade) string {
	parts := []string{g.Outcome}
	if g.Score != nil {
		parts = []string{strconv.FormatFloat(*g.Score, 'g', -1, 64)}
	}
	for _, s := range []string{g.Label, g.Doubt} {
		if s != "" && !slices.Contains(parts, s) {
			parts = append(parts, s)
		}
	}
	return fmt.Sprint(parts)
}
