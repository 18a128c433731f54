package protocol

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"membench/internal/nltk"
	"membench/internal/pystr"
)

// A normalizer is one original's way from a text to words: Python's str.lower, ASCII
// punctuation deleted, articles replaced by a blank, str.split.
type normalizer struct {
	article func(word []byte) bool // a run of word characters that is replaced by a blank
	isWord  func(rune) bool        // \w of the original's regular expressions
	commas  bool                   // commas are deleted before lower-casing
}

func theArticles(w []byte) bool {
	switch string(w) {
	case "a", "an", "the":
		return true
	}
	return false
}

func locomoArticles(w []byte) bool { return theArticles(w) || string(w) == "and" }

var (
	// squad is the normaliser of SQuAD and of MemoryAgentBench: Python's re.
	squad = normalizer{article: theArticles, isWord: pystr.IsWord}
	// locomo also drops "and"; its \b is the one of the module regex.
	locomo = normalizer{article: locomoArticles, isWord: pystr.IsRegexWord, commas: true}
)

// class of an ASCII character in a normalised text.
const (
	other = iota
	space
	punct
	word
)

var classes = func() (c [128]byte) {
	for i := range c {
		switch r := rune(i); {
		case pystr.IsSpace(r):
			c[i] = space
		case r == '_':
			c[i] = punct
		case pystr.IsWord(r):
			c[i] = word
		}
	}
	for _, r := range pystr.Punctuation {
		c[r] = punct
	}
	return c
}()

// words is a text as words in one buffer.
type words struct {
	buf   []byte
	ends  []int
	toks  [][]byte
	stems map[string]string // of words seen before; at most maxStems, some 100 bytes each
}

const maxStems = 1 << 13

func (w *words) end() {
	last := 0
	if n := len(w.ends); n > 0 {
		last = w.ends[n-1]
	}
	if len(w.buf) > last {
		w.ends = append(w.ends, len(w.buf))
	}
}

func (w *words) reset() { w.buf, w.ends = w.buf[:0], w.ends[:0] }

// cut makes the words of the collected text.
func (w *words) cut() [][]byte {
	w.toks = w.toks[:0]
	start := 0
	for _, e := range w.ends {
		w.toks = append(w.toks, w.buf[start:e])
		start = e
	}
	return w.toks
}

// read normalises s; the words are valid until the next call.
func (w *words) read(s string, n *normalizer) [][]byte {
	if !isASCII(s) {
		if n.commas {
			s = strings.ReplaceAll(s, ",", "")
		}
		s = pystr.Lower(s)
	}
	w.reset()
	run := -1 // start of the current run of word characters
	endRun := func() {
		if run >= 0 && len(w.buf)-run <= len("and") && n.article(w.buf[run:]) {
			w.buf = w.buf[:run]
			w.end()
		}
		run = -1
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			i += size
			switch {
			case pystr.IsSpace(r):
				endRun()
				w.end()
				continue
			case !n.isWord(r):
				endRun()
			case run < 0:
				run = len(w.buf)
			}
			w.buf = utf8.AppendRune(w.buf, r)
			continue
		}
		i++
		switch classes[c] {
		case word:
			if run < 0 {
				run = len(w.buf)
			}
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			w.buf = append(w.buf, c)
		case punct:
		case space:
			endRun()
			w.end()
		default:
			endRun()
			w.buf = append(w.buf, c)
		}
	}
	endRun()
	w.end()
	return w.cut()
}

// stem replaces the words of from by their stems.
func (w *words) stem(from [][]byte, least int) [][]byte {
	w.reset()
	for _, t := range from {
		if len(t) < least {
			w.buf = append(w.buf, t...)
		} else {
			w.buf = append(w.buf, w.stemOf(t)...)
		}
		w.ends = append(w.ends, len(w.buf))
	}
	return w.cut()
}

// stemOf remembers: most words of answers are met again and again.
func (w *words) stemOf(t []byte) string {
	if s, ok := w.stems[string(t)]; ok {
		return s
	}
	if w.stems == nil || len(w.stems) >= maxStems {
		w.stems = make(map[string]string, 64)
	}
	s := string(nltk.AppendStem(nil, string(t)))
	w.stems[string(t)] = s
	return s
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// scratch holds the buffers for grading one answer; grading takes one from the pool, so that a rule allocates almost nothing.
type scratch struct {
	a, b, c, d words
	tok, tok2  nltk.Tokenizer
	used       []bool
	rows       [2][]int
}

var pool = sync.Pool{New: func() any { return new(scratch) }}

// overlap is the size of the multiset intersection of a and b.
func (s *scratch) overlap(a, b [][]byte) int {
	if len(a)*len(b) > 4096 {
		return overlapLarge(a, b)
	}
	s.used = s.used[:0]
	for range b {
		s.used = append(s.used, false)
	}
	n := 0
	for _, x := range a {
		for j, y := range b {
			if !s.used[j] && bytes.Equal(x, y) {
				s.used[j] = true
				n++
				break
			}
		}
	}
	return n
}

func overlapLarge(a, b [][]byte) (n int) {
	left := make(map[string]int, len(b))
	for _, y := range b {
		left[string(y)]++
	}
	for _, x := range a {
		if c := left[string(x)]; c > 0 {
			left[string(x)] = c - 1
			n++
		}
	}
	return n
}

// distinct drops repeated words, in place.
func distinct(a [][]byte) [][]byte {
	if len(a) > 64 {
		seen := make(map[string]bool, len(a))
		out := a[:0]
		for _, x := range a {
			if !seen[string(x)] {
				seen[string(x)] = true
				out = append(out, x)
			}
		}
		return out
	}
	out := a[:0]
next:
	for _, x := range a {
		for _, y := range out {
			if bytes.Equal(x, y) {
				continue next
			}
		}
		out = append(out, x)
	}
	return out
}

// f1 is the harmonic mean of same/pred and same/gold, 0 where nothing is shared.
func f1(same, pred, gold int) float64 {
	if same == 0 {
		return 0
	}
	p, r := float64(same)/float64(pred), float64(same)/float64(gold)
	return 2 * p * r / (p + r)
}
