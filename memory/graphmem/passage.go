package graphmem

import (
	"slices"
	"strings"

	"membench/internal/bm25"
	"membench/memory/recall"
)

// Long texts. A turn is known by its opening: what it is about is there, and a reply
// of pages neither wins by its length nor drowns its neighbours. Its words are found by
// passage, and it is shown by its opening and the passages that fit the question.

// passage is about how long a passage is, and an opening, in bytes.
const passage = 400

// shown is how many passages a long turn is shown by, beside its opening.
const shown = 2

// cut takes a text apart at the ends of sentences or lines, where there is one in the last
// two thirds of a passage.
func cut(text string) (out []string) {
	for len(text) > passage {
		at := strings.LastIndexAny(text[:passage], ".!?\n") + 1
		if i := strings.LastIndexAny(text[:passage], "。！？"); i >= at {
			at = i + len("。")
		}
		if at <= passage/3 {
			at = passage
		}
		for at > 0 && text[at]&0xC0 == 0x80 { // not inside a character
			at--
		}
		if at == 0 {
			at = passage // no character is that long: the text is broken
		}
		out, text = append(out, text[:at]), text[at:]
	}
	return append(out, text)
}

func opening(text string) string {
	if len(text) <= passage {
		return text
	}
	return cut(text[:min(len(text), passage+1)])[0]
}

// kindOf reads the kind of a turn in its opening, and whether it asks at its end.
func kindOf(said string) recall.Priors {
	p := recall.PriorsOf(opening(said))
	if len(said) > passage {
		end := strings.TrimRight(said, " \n")
		p.Question = 0
		if strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？") {
			p.Question = 1
		}
	}
	return p
}

// passages index the turns by passage: as a word index of whole turns does, 12 bytes a
// distinct term, and 4 bytes a passage.
type passages struct {
	words bm25.Index // a document is a passage
	of    []int32    // the turn of a passage
	turns int32
}

func (p *passages) add(text string) {
	for _, x := range cut(text) {
		p.words.Set(len(p.of), x)
		p.of = append(p.of, p.turns)
	}
	p.turns++
}

// best writes the score of each turn's best passage into dst; each is for the passages'.
func (p *passages) best(dst, each []float64, question string) []float64 {
	for i, x := range p.words.Dense(each, question, len(p.of)) {
		dst[p.of[i]] = max(dst[p.of[i]], x)
	}
	return dst
}

func (p *passages) clone() passages {
	return passages{words: p.words.Clone(), of: slices.Clone(p.of), turns: p.turns}
}

// excerpt is what is shown of a text: the whole of it where it is short, else its opening
// and the passages with most of the question's terms, in their order.
func (p *passages) excerpt(text, question string) string {
	parts := cut(text)
	if len(parts) <= 1+shown {
		return text
	}
	asked := map[string]bool{}
	for _, t := range p.words.Cut(question) {
		asked[t] = true
	}
	score := make([]float64, len(parts))
	for i, x := range parts[1:] {
		seen := map[string]bool{}
		for _, t := range p.words.Cut(x) {
			if asked[t] && !seen[t] {
				seen[t] = true
				score[i+1] += p.words.IDF(t)
			}
		}
	}
	keep := append(best(score, shown), 0)
	slices.Sort(keep)
	var b strings.Builder
	for i, at := range keep {
		if i > 0 {
			b.WriteByte(' ')
		}
		if i > 0 && keep[i-1] != at-1 {
			b.WriteString("… ")
		}
		b.WriteString(strings.TrimSpace(parts[at]))
	}
	if keep[len(keep)-1] != len(parts)-1 {
		b.WriteString(" …")
	}
	return b.String()
}
