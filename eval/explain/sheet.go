package explain

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"membench/schema"
)

// A Sheet is the information for a person who decides whether an answer is right and, if not, where it was lost. It shows neither a grade nor explain's result,
// so as not to influence the label.
type Sheet struct {
	System     string `json:"system"`
	Dataset    string `json:"dataset"`
	CaseID     string `json:"case_id"`
	QuestionID string `json:"question_id"`
	Repeat     int    `json:"repeat"`
	Category   string `json:"category"`
	Question   string `json:"question"`
	Gold       string `json:"gold"`
	Answer     string `json:"answer"`
	Evidence   string `json:"evidence"` // the turns that hold the gold
	Kept       string `json:"kept"`     // all stored memories of them, as far as visible
	Hits       string `json:"hits"`     // retrieved texts, best first, marked if cut
	Context    string `json:"context"`  // the reader's context; a long one is shortened
}

// Sheets makes the sheets of the wanted records of a stream, in its order. Findings pass
// in their places.
func Sheets(ctx context.Context, in schema.Seq[schema.QARecord], o Options, wanted func(*schema.QARecord) bool) iter.Seq2[Sheet, error] {
	return func(yield func(Sheet, error) bool) {
		x := newExplainer(o)
		defer x.close()
		for r, err := range in {
			var s Sheet
			if err == nil {
				if !wanted(&r.V) {
					continue
				}
				if err = cmp.Or(ctx.Err(), x.load(&r.V)); err == nil {
					s = x.sheet(&r.V)
				}
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// Deciding returns the grade that determines whether an answer failed, nil if none does, and its result.
func (o Options) Deciding(r *schema.QARecord) (g *schema.Grade, failed bool) {
	o = o.defaults()
	v := o.grade(r)
	return v.grade, v.failed
}

// Limits of a sheet.
const (
	sheetHits    = 20   // hits
	sheetContext = 4000 // code points
)

// sheet returns the sheet of an answer.
func (x *explainer) sheet(r *schema.QARecord) Sheet {
	l := Sheet{System: r.System, Dataset: r.Dataset, CaseID: r.CaseID, QuestionID: r.QuestionID, Repeat: r.Repeat, Category: r.Category,
		Question: r.Question, Gold: strings.Join(r.AllGolds(), " / "), Answer: r.Answer, Context: r.Context}
	if r.Abstain {
		l.Gold = strings.TrimPrefix(l.Gold+" ", " ") + "(cannot be answered · 无法回答)"
	}
	var evidence, kept, hits []string
	s := x.until(r)
	for _, n := range x.told.needs(r) {
		if len(n.refs) == 0 {
			evidence = append(evidence, n.fact.Text)
		}
		for _, ref := range n.refs {
			p := x.told.turns[ref.TurnID]
			if p.turn == nil {
				evidence = append(evidence, x.told.name(ref))
				continue
			}
			evidence = append(evidence, fmt.Sprintf("%s, %s %s %s: %s", x.told.name(ref), p.session.ID, cmp.Or(p.turn.Time, p.session.Time), cmp.Or(p.turn.Name, p.turn.Role), p.text()))
		}
		ever, _ := x.ledger.carriers(n, s, x.frame)
		for _, ref := range n.refs {
			for _, v := range x.ledger.byRef[ref] {
				if !slices.Contains(ever, v) && v.from <= s {
					ever = append(ever, v)
				}
			}
		}
		for _, v := range ever {
			line := fmt.Sprintf("%s: %s, session %s", v.id, v.text, x.sessionName(v.from))
			if !v.liveAt(s) {
				line += "; session " + x.sessionName(v.to) + ": " + v.fate()
			}
			if !slices.Contains(kept, line) {
				kept = append(kept, line)
			}
		}
	}
	for i, h := range r.Hits {
		if i == sheetHits {
			hits = append(hits, fmt.Sprintf("… %d more", len(r.Hits)-i))
			break
		}
		cut := ""
		if h.Cut {
			cut = " (cut · 截断)"
		}
		hits = append(hits, fmt.Sprintf("%d. %s%s", h.Rank, h.Text, cut))
	}
	for _, b := range r.Below {
		if len(b.Sources) > 0 && slices.ContainsFunc(b.Sources, func(e schema.EventRef) bool { return slices.Contains(r.Evidence, e) }) {
			hits = append(hits, fmt.Sprintf("%d. %s (below k · 未入选)", b.Rank, b.ID))
		}
	}
	if c := []rune(l.Context); len(c) > sheetContext {
		l.Context = string(c[:sheetContext]) + "…"
	}
	l.Evidence, l.Kept, l.Hits = strings.Join(evidence, "\n"), strings.Join(kept, "\n"), strings.Join(hits, "\n")
	return l
}
