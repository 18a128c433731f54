package aggregate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"membench/eval/figure"
	"membench/schema"
)

// Judges of sessions and their labels, as seed 001 names them.
const (
	JudgeRecall       = "recall"
	JudgeCorrectness  = "correctness"
	JudgeUpdate       = "update"
	JudgeInterference = "interference"

	LabelCorrect       = "Correct"
	LabelHallucination = "Hallucination"
	LabelOmission      = "Omission"

	// PartCovered and PartGold of a grade's parts: gold evidence points that the cited
	// memories cover, and how many there are.
	PartCovered = "covered"
	PartGold    = "gold"
)

// metrics keeps the verdicts of each judge separately: a rule and a model may both have graded, and their verdicts are never added up.
type metrics struct {
	sessions map[schema.By]*sessionMetrics
	answers  map[judgeKey]map[string]int // label → how many
	evidence map[judgeKey]*evidenceMetrics
}

type judgeKey struct {
	protocol string // without its version
	by       schema.By
}

type sessionMetrics struct {
	recall, updateRecall               []float64 // per session
	correct, hallucination, irrelevant []float64
	updated, both, outdated            int
	rejected, memorized                int
}

type evidenceMetrics struct {
	covered, gold float64
	questions     int
}

func newMetrics() metrics {
	return metrics{sessions: map[schema.By]*sessionMetrics{}, answers: map[judgeKey]map[string]int{}, evidence: map[judgeKey]*evidenceMetrics{}}
}

// session folds the grades of one session, each judge's apart.
func (m *metrics) session(s *schema.SessionRecord) {
	by := map[schema.By][]*schema.SessionGrade{}
	for i := range s.Grades {
		g := &s.Grades[i]
		by[g.By] = append(by[g.By], g)
	}
	for who, grades := range by {
		if m.sessions[who] == nil {
			m.sessions[who] = &sessionMetrics{}
		}
		m.sessions[who].add(grades)
	}
}

// add folds the grades of one session. An item whose judge failed is in no share.
func (m *sessionMetrics) add(grades []*schema.SessionGrade) {
	var recall, update []float64
	labels := map[string]int{}
	made := 0
	for _, g := range grades {
		if g.Outcome != schema.GradeScored || g.Score == nil {
			continue
		}
		label := strings.ToLower(g.Label)
		switch g.Judge {
		case JudgeRecall:
			recall = append(recall, *g.Score)
			if g.Update {
				update = append(update, *g.Score)
			}
		case JudgeCorrectness:
			labels[label]++
			made++
		case JudgeUpdate:
			switch label {
			case "updated":
				m.updated++
			case "both":
				m.both++
			case "outdated":
				m.outdated++
			}
		case JudgeInterference:
			switch label {
			case "rejected":
				m.rejected++
			case "memorized":
				m.memorized++
			}
		}
	}
	if len(recall) > 0 {
		m.recall = append(m.recall, figure.Mean(recall))
	}
	if len(update) > 0 {
		m.updateRecall = append(m.updateRecall, figure.Mean(update))
	}
	if made > 0 {
		m.correct = append(m.correct, float64(labels["correct"])/float64(made))
		m.hallucination = append(m.hallucination, float64(labels["hallucination"])/float64(made))
		m.irrelevant = append(m.irrelevant, float64(labels["irrelevant"])/float64(made))
	}
}

// grade folds one grade of a question: its label, and the evidence it covers.
func (m *metrics) grade(g *schema.Grade) {
	if g.Outcome != schema.GradeScored {
		return
	}
	k := judgeKey{schema.ProtocolName(g.Protocol), g.By}
	switch g.Label {
	case LabelCorrect, LabelHallucination, LabelOmission:
		if m.answers[k] == nil {
			m.answers[k] = map[string]int{}
		}
		m.answers[k][g.Label]++
	}
	if n, ok := g.Parts[PartGold]; ok && n > 0 {
		if m.evidence[k] == nil {
			m.evidence[k] = &evidenceMetrics{}
		}
		e := m.evidence[k]
		e.covered += g.Parts[PartCovered]
		e.gold += n
		e.questions++
	}
}

// chosen is the judge whose verdicts are reported: a model before a rule, then by
// name, so that a rule's verdict is never reported as a model's.
func chosen[V any](m map[judgeKey]V) (judgeKey, V) {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b judgeKey) int {
		return cmp.Or(ruleLast(a.by)-ruleLast(b.by), cmp.Compare(a.protocol, b.protocol), cmp.Compare(a.by, b.by))
	})
	if len(keys) == 0 {
		var none V
		return judgeKey{}, none
	}
	return keys[0], m[keys[0]]
}

func ruleLast(by schema.By) int {
	if by == schema.ByRule {
		return 1
	}
	return 0
}

func ratio(k, n int) *float64 { return figure.Defined(float64(k) / float64(n)) }

// result is nil where nothing of the six dimensions was graded.
func (m *metrics) result(system string) *schema.Metrics {
	if len(m.sessions)+len(m.answers)+len(m.evidence) == 0 {
		return nil
	}
	out := &schema.Metrics{BaselineID: system}
	who := slices.SortedFunc(maps.Keys(m.sessions), func(a, b schema.By) int { return cmp.Or(ruleLast(a)-ruleLast(b), cmp.Compare(a, b)) })
	if len(who) > 0 {
		out.SessionsBy = who[0]
		m.sessions[who[0]].fill(out)
	}
	k, labels := chosen(m.answers)
	out.AnswersBy = k.by
	answers := labels[LabelCorrect] + labels[LabelHallucination] + labels[LabelOmission]
	out.QuestionAnswering = schema.AnsweringMetrics{CorrectRatio: ratio(labels[LabelCorrect], answers), HallucinationRatio: ratio(labels[LabelHallucination], answers),
		OmissionRatio: ratio(labels[LabelOmission], answers), Total: answers}
	if k, e := chosen(m.evidence); e != nil {
		out.EvidenceBy = k.by
		out.EvidenceCoverage = schema.EvidenceHitMetrics{HitRate: figure.Defined(e.covered / e.gold), Total: e.questions}
	}
	return out
}

func (m *sessionMetrics) fill(out *schema.Metrics) {
	avg := func(x []float64) *float64 { return figure.Defined(figure.Mean(x)) }
	updates, rejections := m.updated+m.both+m.outdated, m.rejected+m.memorized
	out.MemoryRecall = schema.RecallMetrics{AvgRecall: avg(m.recall), AvgUpdateRecall: avg(m.updateRecall), Sessions: len(m.recall), UpdateSessions: len(m.updateRecall)}
	out.MemoryCorrectness = schema.CorrectnessMetrics{AvgCorrectness: avg(m.correct), AvgHallucination: avg(m.hallucination), AvgIrrelevant: avg(m.irrelevant), Sessions: len(m.correct)}
	out.UpdateHandling = schema.UpdateMetrics{Score: figure.Defined((float64(m.updated) + float64(m.both)/2) / float64(updates)), Updated: m.updated, Both: m.both, Outdated: m.outdated, Total: updates}
	out.InterferenceRejection = schema.InterferenceMetrics{Score: ratio(m.rejected, rejections), Rejected: m.rejected, Memorized: m.memorized, Total: rejections}
}
