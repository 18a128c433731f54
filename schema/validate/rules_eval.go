package validate

import (
	"slices"
	"strconv"
	"strings"

	"membench/internal/jsonschema"
	"membench/schema"
)

// Labels that are verdicts, in lower case: whether they accept. All other labels are a protocol's own words and say nothing about its score.
var (
	answerVerdicts = map[string]bool{"right": true, "correct": true, "yes": true, "true": true,
		"wrong": false, "incorrect": false, "no": false, "false": false, "hallucination": false, "omission": false}
	sessionVerdicts = map[string]bool{"covered": true, "correct": true, "updated": true, "rejected": true,
		"missed": false, "hallucination": false, "irrelevant": false, "outdated": false, "memorized": false}
)

// evalRecord checks that a QA or session record agrees with itself: with how it ended, and each grade's outcome, score and label. part names the member that
// identifies the record in its case, at ptr; a grader, the values of the members by, gives one grade.
func (w *worker) evalRecord(part string, ptr byte, verdicts map[string]bool, by ...string) {
	d := &w.doc
	at := d.Get(0, part)
	if id := w.text(at); len(id) > 0 {
		repeat, _ := w.integer(d.Get(0, "repeat"))
		k := hashKey(nsEval, []byte(part), w.text(d.Get(0, "system")), w.text(d.Get(0, "dataset")), w.text(d.Get(0, "case_id")), id, []byte(num2(repeat)))
		w.put(fact{op: opDefine, ns: nsEval, k: k, ptr: ptr, id: id}, at)
	}
	ended, _ := w.member(0, "outcome")
	var graders []string
	for _, g := range d.Elems(d.Get(0, "grades")) {
		if d.Nodes[g].Kind != jsonschema.Object {
			continue // the schema reports it
		}
		grader := ""
		for _, name := range by {
			grader += strconv.Quote(w.str(d.Get(g, name)))
		}
		if slices.Contains(graders, grader) {
			w.fault(g, "EVL105", "the grader has graded this already", grader, "one grade")
		}
		graders = append(graders, grader)
		w.grade(g, ended, verdicts)
	}
}

// grade checks one grade of a record that ended in a certain way.
func (w *worker) grade(g int, ended string, verdicts map[string]bool) {
	d := &w.doc
	outcome, at := w.member(g, "outcome")
	label, labelAt := w.member(g, "label")
	scoreAt := d.Get(g, "score")
	number := scoreAt >= 0 && d.Nodes[scoreAt].Kind == jsonschema.Number
	scored := outcome == schema.GradeScored
	failed := ended == schema.OutcomeError || ended == schema.OutcomeTimeout || ended == schema.OutcomeRefused
	accepts, verdict := verdicts[strings.ToLower(label)]
	switch {
	case at < 0: // the schema reports it
	case failed && scored:
		w.fault(at, "EVL105", "an answer was graded, and asking ended with "+ended, outcome, schema.GradeNotAnswered)
	case !failed && outcome == schema.GradeNotAnswered:
		w.fault(at, "EVL105", "the answer was not graded because there is none, and asking ended with "+ended, outcome, schema.GradeScored)
	case scored && !number:
		w.fault(max(scoreAt, g), "EVL105", "the answer was graded, and there is no score", "", "a score")
	case !scored && number:
		w.fault(scoreAt, "EVL105", "there is a score, and the grade's outcome is "+outcome, string(d.Raw(scoreAt)), "null")
	case scored && verdict:
		if score, err := strconv.ParseFloat(string(d.Raw(scoreAt)), 64); err == nil && accepts != (score >= 0.5) {
			w.fault(labelAt, "EVL105", "the label contradicts the score "+string(d.Raw(scoreAt)), label, "the label of that score")
		}
	}
}
