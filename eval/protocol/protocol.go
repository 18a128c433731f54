// Package protocol holds the named, versioned ways to grade an answer: one file each.
// A protocol is a rule (a pure function of the record) or a judge (a prompt for a
// model, and the reading of its reply). It knows no model, no file and no clock:
// eval/grade runs it.
//
// A protocol that has a published original reproduces it exactly, stemmer, tokeniser
// and faults included, and says which commit it matches; `membench eval conformance`
// runs the golden vectors that were made with those originals. docs/metrics.md gives
// each formula.
package protocol

import (
	"cmp"

	"membench/schema"
)

// A Protocol grades one answer, or one retrieval. Rule or Judge is set, or both: then the rule replaces the judge in runs without a model, and the grade names
// which one graded.
type Protocol struct {
	Name    string // as users write it: "locomo-f1"
	Version string // ours; raised when a grade may change
	Origin  string // original: repository@commit, file, library versions; "": our own protocol
	Formula string // one line: meaning and range of the score
	Binary  bool   // the score is 0 or 1, so that agreement and κ are defined without a threshold

	Default bool     // grades where no protocol is named: a rule that applies to every data set
	Judges  []string // data sets that it judges if a model grades and no protocol is named; AnySet: those without another judge
	Files   bool     // its rule reads a file of the user's, without which nobody can repeat a grade

	// Rule grades by itself. The grade's Protocol, By and Outcome are filled in by
	// Grade where the rule leaves them empty.
	Rule func(r *schema.QARecord) schema.Grade
	// Judge asks a model.
	Judge *Judge
}

// ID returns the identifier in records: name@version.
func (p *Protocol) ID() string { return p.Name + "@" + p.Version }

// A Judge asks a model about one answer and reads the reply.
type Judge struct {
	// Prompt is the question to the model; ok is false where the protocol does not
	// grade such a record.
	Prompt func(r *schema.QARecord) (p Prompt, ok bool)
	// Verdict reads a reply. An error means that the reply holds no verdict: the
	// grade's outcome is then judge_failed, never a wrong answer.
	Verdict func(r *schema.QARecord, reply string) (schema.Grade, error)
}

// A Prompt is one request to a judge's model.
type Prompt struct {
	System      string
	User        string
	Temperature float64
	MaxTokens   int    // 0: the endpoint's default
	JSON        bool   // ask for a JSON object
	Template    string // sha256 of the template, 64 hex digits, for a run's fingerprint
}

// Grade grades r by rule. It panics if p has no rule: ask eval/grade.
// An answer that was never given is not graded; an empty one is.
func (p *Protocol) Grade(r *schema.QARecord) schema.Grade {
	g, ok := p.NotAnswered(r)
	if !ok {
		g = p.Rule(r)
	}
	return p.Complete(g, schema.ByRule)
}

// NotAnswered returns the grade of a question whose asking failed; ok is false where
// there is something to grade.
func (p *Protocol) NotAnswered(r *schema.QARecord) (g schema.Grade, ok bool) {
	switch r.Outcome {
	case schema.OutcomeError, schema.OutcomeTimeout, schema.OutcomeRefused:
		return schema.Grade{Outcome: schema.GradeNotAnswered, Reason: r.Error}, true
	}
	return schema.Grade{}, false
}

// Complete fills in the members that are the same in every grade of p.
func (p *Protocol) Complete(g schema.Grade, by schema.By) schema.Grade {
	g.Protocol = p.ID()
	g.By = cmp.Or(g.By, by)
	g.Outcome = cmp.Or(g.Outcome, schema.GradeScored)
	if g.Outcome != schema.GradeScored {
		g.Score = nil
	}
	return g
}

// Scored is a grade with a score in [0,1].
func Scored(score float64) schema.Grade {
	return schema.Grade{Score: &score, Outcome: schema.GradeScored}
}

// NotApplicable is the grade of a question that the protocol does not score.
func NotApplicable(reason string) schema.Grade {
	return schema.Grade{Outcome: schema.GradeNA, Reason: reason}
}
