package protocol

import (
	"bytes"
	"slices"

	"membench/schema"
)

const squadOrigin = "rajpurkar SQuAD 2.0 evaluate-v2.0.py"

// squadF1 is SQuAD's token F1: the F1 of most question-answering papers.
func squadF1() *Protocol {
	return &Protocol{
		Name: "squad-f1", Version: "1", Default: true,
		Origin:  squadOrigin + " compute_f1",
		Formula: "F1 of words as multisets after lower-casing and dropping ASCII punctuation and a, an, the; best gold, [0,1]",
		Rule:    byGold(SquadF1),
	}
}

// squadEM is SQuAD's exact match.
func squadEM() *Protocol {
	return &Protocol{
		Name: "squad-em", Version: "1", Binary: true,
		Origin:  squadOrigin + " compute_exact",
		Formula: "1 if the answer is a gold after SQuAD's normalisation, else 0",
		Rule: func(r *schema.QARecord) schema.Grade {
			s := pool.Get().(*scratch)
			defer pool.Put(s)
			a := s.a.read(r.Answer, &squad)
			return anyGold(r, func(g string) bool {
				return slices.EqualFunc(a, s.b.read(g, &squad), bytes.Equal)
			})
		},
	}
}

// byGold is the rule that scores an answer by the gold that it is nearest to.
func byGold(score func(answer, gold string) float64) func(*schema.QARecord) schema.Grade {
	return func(r *schema.QARecord) schema.Grade {
		best := 0.0
		for _, g := range r.AllGolds() {
			best = max(best, score(r.Answer, g))
		}
		return Scored(best)
	}
}

// anyGold scores 1 if ok holds for one of the golds.
func anyGold(r *schema.QARecord, ok func(gold string) bool) schema.Grade {
	if slices.ContainsFunc(r.AllGolds(), ok) {
		return Scored(1)
	}
	return Scored(0)
}

// SquadNormalize is normalize_answer of SQuAD, and of MemoryAgentBench.
func SquadNormalize(text string) string {
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	return string(bytes.Join(s.a.read(text, &squad), []byte(" ")))
}

// SquadF1 is compute_f1: where one side has no words, 1 if both have none.
func SquadF1(answer, gold string) float64 {
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	p, g := s.a.read(answer, &squad), s.b.read(gold, &squad)
	if len(p) == 0 || len(g) == 0 {
		if len(p) == len(g) {
			return 1
		}
		return 0
	}
	return f1(s.overlap(p, g), len(p), len(g))
}
