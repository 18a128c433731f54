// Package sentence cuts text into sentences, Chinese and English, and lists those that state
// something.
package sentence

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/textnorm"
)

// A Sentence is one sentence of a text. Text[Start:End] of the input is Sentence.Text.
type Sentence struct {
	Text       string
	Start, End int  // bytes
	Question   bool // ends in a question mark, or in a Chinese question particle
	Quoted     bool // is in a line of a block quotation ("> ") or in a fenced block of code (```): others' words, or no prose
}

// Split cuts at sentence ends of both languages and at line ends. Marks inside
// numbers, names ("v1.2", "a.b") and links, and dots after a single letter do not split. White space
// around a sentence is not part of it; punctuation at its end is.
func Split(text string) []Sentence {
	var out []Sentence
	start := 0
	var quoted func(at int) bool
	if strings.ContainsAny(text, ">`") {
		quoted = blocks(text)
	}
	flush := func(end int) {
		s := text[start:end]
		lead := len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
		t := strings.TrimSpace(s)
		if strings.IndexFunc(t, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) >= 0 {
			out = append(out, Sentence{Text: t, Start: start + lead, End: start + lead + len(t), Question: isQuestion(t), Quoted: quoted != nil && quoted(start+lead)})
		}
		start = end
	}
	bare := textnorm.WithoutLinks(text) // a mark in an address ends no sentence
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(bare[i:])
		i += n
		switch r {
		case '\n', '\r':
			flush(i)
		case '。', '！', '？', '!', '?', '；', '…':
			for i < len(text) { // run of marks and closing quotes belongs to the sentence
				q, m := utf8.DecodeRuneInString(text[i:])
				if !strings.ContainsRune("。！？!?…；”’」』\"')）", q) {
					break
				}
				i += m
			}
			flush(i)
		case '.', ';':
			next, _ := utf8.DecodeRuneInString(text[i:])
			if r == '.' && i < len(text) && !unicode.IsSpace(next) && !strings.ContainsRune("\"')”’", next) && !unicode.Is(unicode.Han, next) {
				continue
			}
			if r == '.' && abbreviation(text[start:i-1]) {
				continue
			}
			for i < len(text) && strings.ContainsRune(".\"')”’", rune(text[i])) {
				i++
			}
			flush(i)
		}
	}
	flush(len(text))
	return out
}

// blocks returns a function that reports whether a place of a text is in a line that begins with ">" or between two lines that begin with "```"; a block
// without an end goes to the end of the text. The places it is asked for ascend.
func blocks(text string) func(at int) bool {
	from, fenced, in := 0, false, false // of the line that was looked at last
	return func(at int) bool {
		for from <= at {
			line, _, _ := strings.Cut(text[from:], "\n")
			head := strings.TrimLeftFunc(line, unicode.IsSpace)
			fence := strings.HasPrefix(head, "```")
			in = fenced || fence || strings.HasPrefix(head, ">")
			if fence && strings.Count(head, "```") == 1 {
				fenced = !fenced
			}
			from += len(line) + 1
		}
		return in
	}
}

// abbreviation reports whether s ends in a title, a single letter or the like.
func abbreviation(s string) bool {
	i := strings.LastIndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '.' })
	w := strings.ToLower(s[i+1:])
	if utf8.RuneCountInString(w) == 1 && w != "i" && w[0] < utf8.RuneSelf {
		return true
	}
	switch w {
	case "mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "e.g", "i.e", "vol":
		return true
	}
	return false
}

func isQuestion(s string) bool {
	s = strings.TrimRight(s, "\"'”’」』)） ")
	if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") {
		return true
	}
	s = strings.TrimRight(s, "。.！!…~～")
	return strings.HasSuffix(s, "吗") || strings.HasSuffix(s, "呢") && strings.ContainsAny(s, "什哪谁怎")
}
