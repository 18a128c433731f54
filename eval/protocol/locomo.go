package protocol

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"membench/internal/pystr"
	"membench/schema"
)

// locomoF1 is LoCoMo's own score (ACL 2024), with its rules by category: 3 cuts the
// gold at the first semicolon, 1 takes each part of a list for itself, 5 looks for an
// abstention.
func locomoF1() *Protocol {
	return &Protocol{
		Name: "locomo-f1", Version: "1", Default: true,
		Origin:  "snap-research/locomo@92286325 task_eval/evaluation.py eval_question_answering, NLTK 3.10.4 PorterStemmer",
		Formula: "F1 of stemmed words as multisets, [0,1]; category 1: mean over the gold's parts of the best part of the answer; 5: 1 for an abstention",
		Rule: func(r *schema.QARecord) schema.Grade {
			c := locomoCategory(r)
			return byGold(func(answer, gold string) float64 { return LocomoScore(c, answer, gold) })(r)
		},
	}
}

// locomoCategory returns LoCoMo's number of the question; a question of another data set counts as single-hop (4), or adversarial (5) if the right answer is to
// abstain.
func locomoCategory(r *schema.QARecord) int {
	if n, err := strconv.Atoi(r.RawCategory); err == nil && n >= 1 && n <= 5 {
		return n
	}
	if r.Abstain {
		return 5
	}
	return 4
}

// LocomoScore is eval_question_answering on one question of a category (1 to 5).
func LocomoScore(category int, answer, gold string) float64 {
	switch category {
	case 3:
		return LocomoF1(answer, LocomoGold(category, gold))
	case 1:
		return LocomoListF1(answer, gold)
	case 5:
		low := pystr.Lower(answer)
		if strings.Contains(low, "no information available") || strings.Contains(low, "not mentioned") {
			return 1
		}
		return 0
	}
	return LocomoF1(answer, gold)
}

// LocomoGold returns the gold that is compared: in category 3 the text before the first semicolon.
func LocomoGold(category int, gold string) string {
	if category != 3 {
		return gold
	}
	gold, _, _ = strings.Cut(gold, ";")
	return pystr.Strip(gold)
}

// LocomoF1 is f1_score: F1 over the multisets of stems.
func LocomoF1(answer, gold string) float64 {
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	p := s.b.stem(s.a.read(answer, &locomo), 0)
	g := s.d.stem(s.c.read(gold, &locomo), 0)
	return f1(s.overlap(p, g), len(p), len(g))
}

// LocomoListF1 is f1: both sides are lists between commas; for each part of the gold
// the best part of the answer, averaged.
func LocomoListF1(answer, gold string) float64 {
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	// The parts of the answer, one after another in one buffer. A comma is not a word character and is deleted, so the parts are the texts between commas.
	all := s.b
	all.reset()
	ends := []int{}
	for part := range strings.SplitSeq(answer, ",") {
		t := s.c.stem(s.a.read(part, &locomo), 0)
		for _, w := range t {
			all.buf = append(all.buf, w...)
			all.ends = append(all.ends, len(all.buf))
		}
		ends = append(ends, len(all.ends))
	}
	toks := all.cut()
	sum, n := 0.0, 0
	for part := range strings.SplitSeq(gold, ",") {
		g := s.d.stem(s.a.read(part, &locomo), 0)
		best, start := 0.0, 0
		for _, e := range ends {
			p := toks[start:e]
			best = max(best, f1(s.overlap(p, g), len(p), len(g)))
			start = e
		}
		sum += best
		n++
	}
	s.b = all
	return sum / float64(n)
}

// LocomoEM is exact_match_score: the same set of words, unstemmed.
func LocomoEM(answer, gold string) bool {
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	p, g := distinct(s.a.read(answer, &locomo)), distinct(s.b.read(gold, &locomo))
	return len(p) == len(g) && s.overlap(p, g) == len(p)
}

// LocomoStems are the stems that LocomoF1 compares.
func LocomoStems(text string) []string {
	var a, b words
	return texts(b.stem(a.read(text, &locomo), 0))
}

// LocomoNormalize is normalize_answer.
func LocomoNormalize(text string) string {
	var a words
	return strings.Join(texts(a.read(text, &locomo)), " ")
}

func texts(toks [][]byte) []string {
	out := make([]string, len(toks))
	for i, t := range toks {
		out[i] = string(t)
	}
	return out
}

// errNoContext corresponds to upstream's IndexError.
var errNoContext = errors.New("nothing was retrieved: the original fails here (IndexError)")

// LocomoRecall is LoCoMo's evidence recall, in [0,1]: the share of the evidence ids among the retrieved ids. If the first retrieved id begins with S, ids are
// sessions and an evidence id counts by the text between its first character and the colon. Without evidence it is 1, as upstream: exclude such questions from
// a mean. It fails if nothing was retrieved, as upstream does.
func LocomoRecall(evidence, retrieved []string) (float64, error) {
	if len(evidence) == 0 {
		return 1, nil
	}
	if len(retrieved) == 0 {
		return 0, errNoContext
	}
	hits := 0
	sessions := strings.HasPrefix(retrieved[0], "S")
	for _, e := range evidence {
		if !sessions {
			if slices.Contains(retrieved, e) {
				hits++
			}
			continue
		}
		id, _, _ := strings.Cut(e, ":")
		id = dropRune(id)
		if slices.ContainsFunc(retrieved, func(r string) bool { return dropRune(r) == id }) {
			hits++
		}
	}
	return float64(hits) / float64(len(evidence)), nil
}

// dropRune is s[1:] in Python.
func dropRune(s string) string {
	for i := range s {
		if i > 0 {
			return s[i:]
		}
	}
	return ""
}
