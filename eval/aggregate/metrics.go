package aggregate

import (
	"strings"

	"membench/eval/figure"
	"membench/internal/stats"
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
	PartCovered = "evidence_covered"
	PartGold    = "evidence_gold"
)

// metrics folds session grades and labelled answers into seed 001's six dimensions.
type metrics struct {
	recall, updateRecall               []float64 // per session
	correct, hallucination, irrelevant []float64
	updated, both, outdated            int
	rejected, memorized                int
	answers                            map[string]int
	covered, gold                      float64
	evidenceQuestions                  int
}

func newMetrics() metrics { return metrics{answers: map[string]int{}} }

// session folds the grades of one session. An item whose judge failed is in no share.
func (m *metrics) session(s *schema.SessionRecord) {
	var recall, update mean
	labels := map[string]int{}
	made := 0
	for i := range s.Grades {
		g := &s.Grades[i]
		if g.Outcome != schema.GradeScored || g.Score == nil {
			continue
		}
		label := strings.ToLower(g.Label)
		switch g.Judge {
		case JudgeRecall:
			recall.sum += *g.Score
			recall.n++
			if g.Update {
				update.sum += *g.Score
				update.n++
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
	if recall.n > 0 {
		m.recall = append(m.recall, recall.sum/float64(recall.n))
	}
	if update.n > 0 {
		m.updateRecall = append(m.updateRecall, update.sum/float64(update.n))
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
	switch g.Label {
	case LabelCorrect, LabelHallucination, LabelOmission:
		m.answers[g.Label]++
	}
	if n, ok := g.Parts[PartGold]; ok && n > 0 {
		m.covered += g.Parts[PartCovered]
		m.gold += n
		m.evidenceQuestions++
	}
}

func ratio(k, n int) *float64 { return figure.Defined(float64(k) / float64(n)) }

// result is nil where nothing of the six dimensions was graded.
func (m *metrics) result(system string) *schema.Metrics {
	answers := m.answers[LabelCorrect] + m.answers[LabelHallucination] + m.answers[LabelOmission]
	updates, rejections := m.updated+m.both+m.outdated, m.rejected+m.memorized
	if answers+updates+rejections+m.evidenceQuestions+len(m.recall)+len(m.correct) == 0 {
		return nil
	}
	avg := func(x []float64) *float64 { return figure.Defined(stats.Mean(x)) }
	return &schema.Metrics{
		BaselineID:            system,
		MemoryRecall:          schema.RecallMetrics{AvgRecall: avg(m.recall), AvgUpdateRecall: avg(m.updateRecall), Sessions: len(m.recall), UpdateSessions: len(m.updateRecall)},
		MemoryCorrectness:     schema.CorrectnessMetrics{AvgCorrectness: avg(m.correct), AvgHallucination: avg(m.hallucination), AvgIrrelevant: avg(m.irrelevant), Sessions: len(m.correct)},
		UpdateHandling:        schema.UpdateMetrics{Score: figure.Defined((float64(m.updated) + float64(m.both)/2) / float64(updates)), Updated: m.updated, Both: m.both, Outdated: m.outdated, Total: updates},
		InterferenceRejection: schema.InterferenceMetrics{Score: ratio(m.rejected, rejections), Rejected: m.rejected, Memorized: m.memorized, Total: rejections},
		QuestionAnswering: schema.AnsweringMetrics{CorrectRatio: ratio(m.answers[LabelCorrect], answers), HallucinationRatio: ratio(m.answers[LabelHallucination], answers),
			OmissionRatio: ratio(m.answers[LabelOmission], answers), Total: answers},
		EvidenceCoverage: schema.EvidenceHitMetrics{HitRate: figure.Defined(m.covered / m.gold), Total: m.evidenceQuestions},
	}
}
