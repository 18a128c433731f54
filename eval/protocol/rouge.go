package protocol

import (
	"bytes"
	"slices"
	"strings"

	"membench/internal/pystr"
	"membench/schema"
)

// rougeL is ROUGE-L as Google's package computes it, with stemming.
func rougeL() *Protocol {
	return &Protocol{
		Name: "rouge-l", Version: "1", Default: true,
		Origin:  "google-research rouge_score 0.1.2 RougeScorer(['rougeL'], use_stemmer=True), NLTK 3.9.1 PorterStemmer",
		Formula: "F of the longest common subsequence of words (a-z, 0-9; stemmed from 4 letters on); best gold, [0,1]",
		Rule: func(r *schema.QARecord) schema.Grade {
			best := ROUGE{}
			for _, g := range r.AllGolds() {
				if x := ROUGEL(r.Answer, g); x.F1 >= best.F1 {
					best = x
				}
			}
			g := Scored(best.F1)
			g.Parts = map[string]float64{"precision": best.Precision, "recall": best.Recall}
			return g
		},
	}
}

// ROUGE holds precision, recall and their harmonic mean, each [0,1].
type ROUGE struct{ Precision, Recall, F1 float64 }

func rougeOf(same, pred, gold int) ROUGE {
	r := ROUGE{Precision: float64(same) / float64(pred), Recall: float64(same) / float64(gold)}
	if same > 0 {
		r.F1 = 2 * r.Precision * r.Recall / (r.Precision + r.Recall)
	}
	return r
}

// rougeWords is rouge_score's tokenize with its stemmer. A long ASCII word without a letter is kept.
func (w *words) rougeWords(raw *words, s string) [][]byte {
	if !isASCII(s) {
		s = pystr.Lower(s)
	}
	raw.reset()
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			raw.buf = append(raw.buf, c)
		case c >= 'A' && c <= 'Z':
			raw.buf = append(raw.buf, c+'a'-'A')
		default:
			raw.end()
		}
	}
	raw.end()
	return w.stem(raw.cut(), 4)
}

// ROUGEL is the score of rougeL.
func ROUGEL(answer, gold string) ROUGE {
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	p, g := s.b.rougeWords(&s.a, answer), s.d.rougeWords(&s.c, gold)
	if len(p) == 0 || len(g) == 0 {
		return ROUGE{}
	}
	return rougeOf(s.lcs(g, p), len(p), len(g))
}

// lcs is the length of the longest common subsequence, in two rows.
func (s *scratch) lcs(a, b [][]byte) int {
	for i := range s.rows {
		s.rows[i] = slices.Grow(s.rows[i][:0], len(b)+1)[:len(b)+1]
		clear(s.rows[i])
	}
	last, row := s.rows[0], s.rows[1]
	for _, x := range a {
		for j, y := range b {
			if bytes.Equal(x, y) {
				row[j+1] = last[j] + 1
			} else {
				row[j+1] = max(last[j+1], row[j])
			}
		}
		last, row = row, last
	}
	return last[len(b)]
}

// ROUGELsum is the score of rougeLsum: texts are lists of lines; for each line of the
// gold the union of its common subsequences with the lines of the answer (Lin 2004,
// 3.2), no word counted twice.
func ROUGELsum(answer, gold string) ROUGE {
	ps, pred := rougeLines(answer)
	gs, ref := rougeLines(gold)
	if pred == 0 || ref == 0 {
		return ROUGE{}
	}
	left := [2]map[string]int{{}, {}}
	for i, lines := range [][][]string{gs, ps} {
		for _, l := range lines {
			for _, t := range l {
				left[i][t]++
			}
		}
	}
	hits := 0
	for _, g := range gs {
		in := make([]bool, len(g))
		for _, p := range ps {
			markLCS(g, p, in)
		}
		for i, t := range g {
			if in[i] && left[0][t] > 0 && left[1][t] > 0 {
				left[0][t]--
				left[1][t]--
				hits++
			}
		}
	}
	return rougeOf(hits, pred, ref)
}

func rougeLines(s string) (lines [][]string, n int) {
	var a, b words
	for l := range strings.SplitSeq(s, "\n") {
		if l == "" {
			continue
		}
		t := texts(b.rougeWords(&a, l))
		lines = append(lines, t)
		n += len(t)
	}
	return lines, n
}

// markLCS marks one of the longest common subsequences in ref, chosen as the original
// walks back through its table.
func markLCS(ref, can []string, in []bool) {
	w := len(can) + 1
	t := make([]int32, (len(ref)+1)*w)
	for i := 1; i <= len(ref); i++ {
		for j := 1; j <= len(can); j++ {
			if ref[i-1] == can[j-1] {
				t[i*w+j] = t[(i-1)*w+j-1] + 1
			} else {
				t[i*w+j] = max(t[(i-1)*w+j], t[i*w+j-1])
			}
		}
	}
	for i, j := len(ref), len(can); i > 0 && j > 0; {
		switch {
		case ref[i-1] == can[j-1]:
			in[i-1] = true
			i--
			j--
		case t[i*w+j-1] > t[(i-1)*w+j]:
			j--
		default:
			i--
		}
	}
}
