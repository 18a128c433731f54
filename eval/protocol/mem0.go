package protocol

import (
	"bytes"
	"math"
	"unicode/utf8"

	"membench/internal/nltk"
	"membench/internal/pystr"
	"membench/schema"
)

const mem0Origin = "mem0ai/mem0@b3ede5b7 evaluation/metrics/utils.py"

// mem0F1 is the F1 of Mem0's 2025 evaluation scripts, which Memobase and others copied.
func mem0F1() *Protocol {
	return &Protocol{
		Name: "mem0-2025-f1", Version: "1", Default: true,
		Origin:  mem0Origin + " calculate_metrics",
		Formula: "F1 of lower-cased words as sets, . , ! ? taken for blanks, no stemming, [0,1]",
		Rule: func(r *schema.QARecord) schema.Grade {
			best, em := 0.0, false
			for _, g := range r.AllGolds() {
				best, em = max(best, Mem0F1(r.Answer, g)), em || Mem0EM(r.Answer, g)
			}
			g := Scored(best)
			if em {
				g.Label = "exact"
			}
			return g
		},
	}
}

// bleu1 is the BLEU-1 of the same scripts.
func bleu1() *Protocol {
	return &Protocol{
		Name: "bleu1", Version: "1", Default: true,
		Origin:  mem0Origin + " calculate_bleu_scores, NLTK 3.9.1 word_tokenize (punkt_tab English), sentence_bleu, SmoothingFunction.method1",
		Formula: "BLEU with weights (1,0,0,0) over the tokens of the lower-cased texts, [0,1]",
		Rule:    byGold(BLEU1),
	}
}

// mem0Words is simple_tokenize.
func (w *words) mem0Words(s string) [][]byte {
	if !isASCII(s) {
		s = pystr.Lower(s)
	}
	w.reset()
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if pystr.IsSpace(r) {
				w.end()
			} else {
				w.buf = append(w.buf, s[i:i+n]...)
			}
			i += n
			continue
		}
		i++
		switch {
		case c == '.' || c == ',' || c == '!' || c == '?' || classes[c] == space:
			w.end()
		case c >= 'A' && c <= 'Z':
			w.buf = append(w.buf, c+'a'-'A')
		default:
			w.buf = append(w.buf, c)
		}
	}
	w.end()
	return w.cut()
}

// Mem0F1 is calculate_metrics' f1: over sets.
func Mem0F1(answer, gold string) float64 {
	if answer == "" || gold == "" {
		return 0
	}
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	p, g := distinct(s.a.mem0Words(answer)), distinct(s.b.mem0Words(gold))
	return f1(s.overlap(p, g), len(p), len(g))
}

// Mem0EM is calculate_metrics' exact_match: equal but for case and blanks around; an
// empty side never matches.
func Mem0EM(answer, gold string) bool {
	return answer != "" && gold != "" && pystr.Lower(pystr.Strip(answer)) == pystr.Lower(pystr.Strip(gold))
}

// BLEU1 is calculate_bleu_scores' bleu1.
func BLEU1(answer, gold string) float64 {
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	p := s.tok.Words(pystr.Lower(answer))
	if len(p) == 0 {
		return 0
	}
	g := s.tok2.Words(pystr.Lower(gold))
	same := s.overlap(p, g)
	if same == 0 {
		return 0
	}
	return brevity(len(p), len(g)) * (float64(same) / float64(len(p)))
}

// brevity is BLEU's penalty for answers shorter than the gold.
func brevity(pred, gold int) float64 {
	if pred > gold {
		return 1
	}
	return math.Exp(1 - float64(gold)/float64(pred))
}

// BLEU is calculate_bleu_scores' bleu1 to bleu4, n from 1 to 4. The weights of bleu3
// are .33 each, as upstream writes them.
func BLEU(n int, answer, gold string) float64 {
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	p := s.tok.Words(pystr.Lower(answer))
	if len(p) == 0 {
		return 0
	}
	g := s.tok2.Words(pystr.Lower(gold))
	weight := [5]float64{0, 1, .5, .33, .25}[n]
	sum := 0.0
	for k := 1; k <= n; k++ {
		same := s.overlap(grams(p, k), grams(g, k))
		if k == 1 && same == 0 {
			return 0
		}
		of := float64(max(len(p)-k+1, 1))
		precision := float64(same) / of
		if same == 0 {
			precision = .1 / of
		}
		sum += weight * math.Log(precision)
	}
	return brevity(len(p), len(g)) * math.Exp(sum)
}

// grams are the runs of k words, joined by a byte that no UTF-8 text has.
func grams(toks [][]byte, k int) [][]byte {
	if k == 1 {
		return toks
	}
	var out [][]byte
	for i := 0; i+k <= len(toks); i++ {
		out = append(out, bytes.Join(toks[i:i+k], []byte{0xff}))
	}
	return out
}

// Mem0BLEU is calculate_metrics' bleu1 to bleu4: both sides are stripped first; 0 if one is empty. The scripts record BLEU1 of the unstripped texts.
func Mem0BLEU(n int, answer, gold string) float64 {
	if answer == "" || gold == "" {
		return 0
	}
	return BLEU(n, pystr.Strip(answer), pystr.Strip(gold))
}

// Mem0Tokens are the tokens that BLEU compares.
func Mem0Tokens(s string) []string { return nltk.WordTokenize(pystr.Lower(s)) }
