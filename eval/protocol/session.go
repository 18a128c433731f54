package protocol

import (
	"fmt"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/schema"
)

// The judges of sessions: they grade the effect of one session on a memory. Each has a rule that asks no model; a grade names which of the two it is from.
const (
	JudgeRecall       = "recall"       // was a gold point of the session kept?
	JudgeCorrectness  = "correctness"  // is a memory of the session supported?
	JudgeUpdate       = "update"       // which state of a changed fact is held?
	JudgeInterference = "interference" // was a remark kept that should not be?
)

// Labels of the session judges.
const (
	LabelCovered    = "covered"
	LabelMissed     = "missed"
	LabelTrue       = "correct"
	LabelInvented   = "hallucination"
	LabelIrrelevant = "irrelevant"
	LabelUpdated    = "updated"
	LabelBoth       = "both"
	LabelOutdated   = "outdated"
	LabelRejected   = "rejected"
	LabelMemorized  = "memorized"
)

// SessionScore returns the score of a label, in [0,1]: updated 1, both 0.5, outdated 0.
func SessionScore(label string) float64 {
	switch label {
	case LabelCovered, LabelTrue, LabelUpdated, LabelRejected:
		return 1
	case LabelBoth:
		return 0.5
	}
	return 0
}

// A SessionTask is one question to a session judge, about one or several items.
type SessionTask struct {
	Judge     string
	Gold      []schema.MemoryPoint // recall: of the session; correctness: all that hold; update, interference: one
	Originals []string             // update: the old states
	Items     []string             // memories: for correctness the judged ones, otherwise those searched
}

// ByRule answers a task with the rule twin: one label a gold point, of correctness one
// a memory. at is the memory that shows it, -1 for none.
func (t SessionTask) ByRule() (labels []string, at []int) {
	items := Facts(t.Items)
	switch t.Judge {
	case JudgeRecall, JudgeInterference:
		found, missed := LabelCovered, LabelMissed
		if t.Judge == JudgeInterference {
			found, missed = LabelMemorized, LabelRejected
		}
		for _, p := range t.Gold {
			i := CoveredBy(NewFact(p.Content), items)
			labels, at = append(labels, missed), append(at, i)
			if i >= 0 {
				labels[len(labels)-1] = found
			}
		}
	case JudgeUpdate:
		for _, p := range t.Gold {
			label, i := updateByRule(NewFact(p.Content), Facts(t.Originals), items)
			labels, at = append(labels, label), append(at, i)
		}
	case JudgeCorrectness:
		gold := Facts(t.gold())
		for i, m := range items {
			labels, at = append(labels, supported(m, gold)), append(at, i)
		}
	}
	return labels, at
}

// updateByRule looks for the new state and, in other memories, for an old one.
func updateByRule(now Fact, old, items []Fact) (label string, at int) {
	at = CoveredBy(now, items)
	if at < 0 {
		for _, o := range old {
			if i := CoveredBy(o, items); i >= 0 {
				return LabelOutdated, i
			}
		}
		return LabelOutdated, -1
	}
	for i, m := range items {
		for _, o := range old {
			// A memory nearer to the new state is not a witness of the old one.
			if o.CoveredBy(m) && o.share(m) > now.share(m) {
				return LabelBoth, i
			}
		}
	}
	return LabelUpdated, at
}

// supported labels a memory by the gold fact that it shares most with: correct if one covers the other, a hallucination if it is about the same but states
// something else, otherwise irrelevant.
func supported(m Fact, gold []Fact) string {
	best := 0.0
	for _, g := range gold {
		if m.CoveredBy(g) || g.CoveredBy(m) {
			return LabelTrue
		}
		best = max(best, m.share(g))
	}
	if best >= speaksShare {
		return LabelInvented
	}
	return LabelIrrelevant
}

// gold are the texts of the gold points.
func (t SessionTask) gold() (texts []string) {
	for _, g := range t.Gold {
		texts = append(texts, g.Content)
	}
	return texts
}

// Prompt is the question to a model.
func (t SessionTask) Prompt() Prompt {
	tmpl := own("domaina-" + t.Judge)
	p := Prompt{JSON: true, Template: tmpl.Hash()}
	gold := t.gold()
	switch t.Judge {
	case JudgeRecall:
		p.User = tmpl.Render("", numbered(gold), bulleted(t.Items))
	case JudgeCorrectness:
		p.User = tmpl.Render("", bulleted(gold), numbered(t.Items))
	case JudgeUpdate:
		p.User = tmpl.Render(strings.Join(gold, "\n"), bulleted(t.Originals), bulleted(t.Items))
	default:
		p.User = tmpl.Render("", strings.Join(gold, "\n"), bulleted(t.Items))
	}
	return p
}

func numbered(list []string) string {
	var b strings.Builder
	for i, s := range list {
		fmt.Fprintf(&b, "%d. %s\n", i+1, strings.ReplaceAll(s, "\n", " "))
	}
	return orNone(b.String())
}

func bulleted(list []string) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "- %s\n", strings.ReplaceAll(s, "\n", " "))
	}
	return orNone(b.String())
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return strings.TrimSuffix(s, "\n")
}

// Read reads a model's reply: one label an item, as ByRule. An error means that the
// reply holds no verdict.
func (t SessionTask) Read(reply string) (labels []string, reason string, err error) {
	o, err := objectIn(reply)
	if err != nil {
		return nil, "", err
	}
	reason = o.text("reason")
	switch t.Judge {
	case JudgeRecall:
		covered, err := o.numbers("covered", len(t.Gold))
		if err != nil {
			return nil, "", err
		}
		for i := range t.Gold {
			l := LabelMissed
			if slices.Contains(covered, i+1) {
				l = LabelCovered
			}
			labels = append(labels, l)
		}
		return labels, reason, nil
	case JudgeCorrectness:
		if err := codec.Unmarshal(o["labels"], &labels); err != nil || len(labels) != len(t.Items) {
			return nil, "", fmt.Errorf("labels is %s: want a list of %d labels", o["labels"], len(t.Items))
		}
		for i, l := range labels {
			labels[i] = strings.ToLower(strings.TrimSpace(l))
			if !slices.Contains([]string{LabelTrue, LabelInvented, LabelIrrelevant}, labels[i]) {
				return nil, "", fmt.Errorf("label %d is %q: want %s, %s or %s", i+1, l, LabelTrue, LabelInvented, LabelIrrelevant)
			}
		}
		return labels, reason, nil
	}
	want := []string{LabelUpdated, LabelBoth, LabelOutdated}
	if t.Judge == JudgeInterference {
		want = []string{LabelRejected, LabelMemorized}
	}
	label, err := o.word("label", want...)
	return []string{label}, reason, err
}

// domainaEvidence is the evidence judge of the session framework: how many of the gold
// facts that a question needs did retrieval bring?
func domainaEvidence() *Protocol {
	return &Protocol{
		Name: "domaina-evidence", Version: "1", Judges: []string{"domain_a_v2", "halumem"},
		Formula: "share of the gold memory points of a question that the retrieved memories state, [0,1] (the session framework's hit rate); not applicable without points",
		Rule: func(r *schema.QARecord) schema.Grade {
			if why := noPoints(r); why != "" {
				return NotApplicable(why)
			}
			hits := Facts(hitTexts(r))
			var covered []int
			for i, t := range r.EvidenceTexts {
				if CoveredBy(NewFact(t), hits) >= 0 {
					covered = append(covered, i+1)
				}
			}
			return hitRate(covered, r)
		},
		Judge: &Judge{
			Prompt: func(r *schema.QARecord) (Prompt, bool) {
				t := own("domaina-evidence")
				return Prompt{User: t.Render(r.Question, numbered(r.EvidenceTexts), bulleted(hitTexts(r))), JSON: true, Template: t.Hash()}, noPoints(r) == ""
			},
			Verdict: inObject("reason", func(r *schema.QARecord, o object) (schema.Grade, error) {
				covered, err := o.numbers("covered", len(r.EvidenceTexts))
				return hitRate(covered, r), err
			}),
		},
	}
}

func noPoints(r *schema.QARecord) string {
	switch {
	case len(r.EvidenceTexts) == 0:
		return "the question has no gold memory points in words"
	case r.K == 0 && len(r.Hits) == 0:
		return "the system shows nothing it retrieved"
	}
	return ""
}

func hitTexts(r *schema.QARecord) []string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, h.Text)
	}
	return out
}

func hitRate(covered []int, r *schema.QARecord) schema.Grade {
	g := Scored(float64(len(covered)) / float64(len(r.EvidenceTexts)))
	g.Parts = map[string]float64{"covered": float64(len(covered)), "gold": float64(len(r.EvidenceTexts))}
	for i, t := range r.EvidenceTexts {
		if !slices.Contains(covered, i+1) {
			g.Facts = append(g.Facts, "not covered: "+t)
		}
	}
	return g
}

// abstains are beginnings of answers that say nothing is known, lower case.
var abstains = []string{
	"no information", "not mentioned", "i don't know", "i do not know", "unknown", "there is no information", "no relevant", "cannot be answered", "not specified", "i'm not sure",
	"不知道", "没有提到", "未提及", "没有相关", "无法回答", "无法确定", "不清楚", "没有记录",
}

// answerByRule is the rule twin of domaina-answer.
func answerByRule(r *schema.QARecord) schema.Grade {
	low := strings.ToLower(strings.ReplaceAll(r.Answer, "’", "'"))
	silent := strings.TrimSpace(low) == "" || slices.ContainsFunc(abstains, func(a string) bool { return strings.Contains(low, a) })
	if r.Abstain {
		if silent {
			return labelled(true, LabelCorrect, LabelCorrect)
		}
		return labelled(false, "", LabelHallucination)
	}
	a := NewFact(r.Answer)
	var answer, gold words
	said := answer.plain(r.Answer)
	for _, want := range r.AllGolds() {
		g := NewFact(want)
		if containsWords(said, gold.plain(want)) && g.negated == a.negated || g.CoveredBy(a) || MixedF1(r.Answer, want) >= coverShare && holdsAll(a.numbers, g.numbers) && g.negated == a.negated {
			return labelled(true, LabelCorrect, LabelCorrect)
		}
	}
	if silent {
		return labelled(false, "", LabelOmission)
	}
	return labelled(false, "", LabelHallucination)
}
