package protocol

import (
	"fmt"

	"membench/internal/codec"
	"membench/schema"
)

// beamRubric is BEAM's judge: the items of a question's rubric, each by itself.
func beamRubric() *Protocol {
	return &Protocol{
		Name: "beam-rubric", Version: "1",
		Origin:  "mohammadtavakoli78/BEAM@b2a3ee8 src/evaluation/compute_metrics.py (items and scale; the original asks once an item, ours once a question, in our words; its Kendall τ of event orders is not computed)",
		Formula: "mean over the rubric's items of 1 (fulfilled), 0.5 (in part) or 0, [0,1]; not applicable without a rubric",
		Judge: &Judge{
			Prompt: func(r *schema.QARecord) (Prompt, bool) {
				t := own("beam-rubric")
				return Prompt{User: t.Render(r.Question, numbered(r.Rubric), r.Answer), JSON: true, Template: t.Hash()}, len(r.Rubric) > 0
			},
			Verdict: inObject("reason", rubricVerdict),
		},
	}
}

func rubricVerdict(r *schema.QARecord, o object) (schema.Grade, error) {
	var scores []float64
	if err := codec.Unmarshal(o["scores"], &scores); err != nil || len(scores) != len(r.Rubric) {
		return schema.Grade{}, fmt.Errorf("scores is %s: want a list of %d numbers", o["scores"], len(r.Rubric))
	}
	sum := 0.0
	for _, s := range scores {
		if s != 0 && s != 0.5 && s != 1 {
			return schema.Grade{}, fmt.Errorf("scores has %g: want 0, 0.5 or 1", s)
		}
		sum += s
	}
	g := Scored(sum / float64(len(scores)))
	g.Parts = map[string]float64{"items": float64(len(scores)), "sum": sum}
	for i, item := range r.Rubric {
		g.Facts = append(g.Facts, fmt.Sprintf("%g: %s", scores[i], item))
	}
	return g, nil
}
