package probes

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/pattern"
	"membench/internal/tokens"
)

// fold is how texts are compared with each other here and in the queries: lower case
// and nothing else, which Cypher's toLower does alike.
func fold(s string) string { return strings.ToLower(s) }

// has reports whether a folded text has a folded name as whole words: a letter or
// digit of an alphabet may not go on before or after it. Chinese has no such bounds.
func has(text, name string) bool { return find(text, name) >= 0 }

func find(text, name string) int {
	if name == "" {
		return -1
	}
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return -1
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(name):])
		if !(bound(first) && bound(before)) && !(bound(last) && bound(after)) {
			return i
		}
		_, w := utf8.DecodeRuneInString(text[i:])
		at = i + w
	}
}

// bound reports whether a rune is part of words that have bounds.
func bound(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
}

// javaPattern is has as a Java regular expression over toLower(text), for Cypher.
func javaPattern(name string) string {
	name = fold(name)
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	const letter = `[\p{L}\p{Nd}&&[^\p{IsHan}]]`
	p := `\Q` + strings.ReplaceAll(name, `\E`, `\E\\E\Q`) + `\E`
	if bound(first) {
		p = `(?<!` + letter + `)` + p
	}
	if bound(last) {
		p += `(?!` + letter + `)`
	}
	return `(?s).*` + p + `.*`
}

// spell returns name as text has it: the same words letter by letter, else the
// shortest stretch of the text that has all words of the name and at most two more;
// "" when there is none.
func spell(text, name string) string {
	low, want := fold(text), fold(name)
	if len(low) == len(text) { // lower case moved no byte
		if i := find(low, want); i >= 0 {
			return text[i : i+len(want)]
		}
	} else if has(low, want) {
		return name
	}
	need := strings.Fields(want)
	if len(need) < 2 {
		return ""
	}
	words := fields(text)
	best := ""
	for i := range words {
		missing := map[string]int{}
		for _, n := range need {
			missing[strings.TrimFunc(n, mark)]++
		}
		for j := i; j < len(words) && j < i+len(need)+2; j++ {
			w := fold(words[j].text)
			switch {
			case missing[w] > 1:
				missing[w]--
			case missing[w] == 1:
				delete(missing, w)
			}
			if j == i && len(missing) == len(need) {
				break // a stretch begins with a word of the name
			}
			if len(missing) == 0 {
				if s := text[words[i].from:words[j].to]; best == "" || len(s) < len(best) {
					best = s
				}
				break
			}
		}
	}
	return best
}

// does reports whether a text has a name as what somebody does or is, not as a thing:
// "I want to say hi", "I'll get the video", "we are not alone".
func does(text, name string) bool {
	before, _, ok := strings.Cut(text, name)
	return ok && name != "" && !unicode.IsUpper(rune(name[0])) && acting.MatchString(before)
}

// acting ends before a verb or a predicative.
var acting = pattern.New(`(?i)(?:\b(?:to|will|would|can|could|should|must|might|may|not|never|always|just|really|so|very|quite|too|i|we|you|they|he|she|it|them|me|him|us|am|is|are|was|were|be|been|being|feel|felt|feeling|gonna|wanna|gotta|let['’]s|\w+ly)|['’](?:ll|m|re)|n['’]t) $`)

// pointsBack reports whether a text has a name only as one that points back to what was
// said before: "I didn't enjoy the process at all" does not say which process.
func pointsBack(text, name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsUpper(r) }) &&
		slices.ContainsFunc(backward.FindAllStringSubmatch(text, -1), func(m []string) bool { return fold(m[1]) == fold(name) })
}

// backward is "the process" where the sentence, or the clause, ends behind it or goes on
// without saying which.
var backward = pattern.New(`(?i)\b(?:the|this|that|these|those) ([a-z]+)(?: (?:at all|either|too|anymore|(?:so |very )?much))?(?:[.!?,;:)]|$| (?:and|but|so|because|as|since|though)\b)`)

type field struct {
	text     string
	from, to int
}

func mark(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// fields are the words of a text without the marks around them, with their places.
func fields(text string) []field {
	var out []field
	for w := range strings.FieldsSeq(text) {
		from := 0
		if len(out) > 0 {
			from = out[len(out)-1].to
		}
		t := strings.TrimFunc(w, mark)
		if i := strings.Index(text[from:], t); t != "" && i >= 0 {
			out = append(out, field{t, from + i, from + i + len(t)})
		}
	}
	return out
}

// gap is the sentence of text that holds span, with a gap in its place; "" if too little text surrounds it, or the span occurs twice.
func gap(text, span string) string {
	i := strings.Index(text, span)
	if i < 0 || strings.Count(fold(text), fold(span)) != 1 {
		return ""
	}
	from, to := 0, len(text)
	ends := func(r rune) bool { return strings.ContainsRune(".!?。！？\n；;", r) }
	for at, r := range text[:i] {
		if ends(r) && (r > 0x7f || r == '\n' || at+1 < len(text) && text[at+1] == ' ') {
			from = at + utf8.RuneLen(r)
		}
	}
	for at, r := range text[i+len(span):] {
		at += i + len(span)
		if ends(r) && (r > 0x7f || r == '\n' || at+1 >= len(text) || text[at+1] == ' ') {
			to = at + utf8.RuneLen(r)
			break
		}
	}
	q := text[from:i] + "____" + text[i+len(span):to]
	if !strings.ContainsFunc(q, unicode.IsLetter) {
		return "" // it is a sentence by itself
	}
	if enough(q) {
		return strings.TrimSpace(q)
	}
	// the sentence is too short: take the whole turn, where that is not too long
	q = text[:i] + "____" + text[i+len(span):]
	if utf8.RuneCountInString(q) <= 240 && !strings.Contains(q, "\n") && enough(q) {
		return strings.TrimSpace(spokenOnly(q))
	}
	return ""
}

// enough reports whether a quote has two words of content around its gap.
func enough(q string) bool {
	content, runes := 0, 0
	for _, w := range tokens.Words(strings.ReplaceAll(spokenOnly(q), "____", " ")) {
		if !tokens.Stop(w) {
			content++
		}
		runes += utf8.RuneCountInString(w)
	}
	return content >= 2 && runes >= 6
}

// spokenOnly is a text without the captions that datasets convert adds to it.
func spokenOnly(text string) string {
	text, _, _ = strings.Cut(text, " [image: ")
	return text
}

// cued reports whether a folded text has one of the cue words.
func cued(text string, cues []string) bool {
	return slices.ContainsFunc(cues, func(c string) bool {
		i := strings.Index(text, c)
		if i < 0 {
			return false
		}
		first, _ := utf8.DecodeRuneInString(c)
		return !bound(first) || hasPrefixWord(text, c)
	})
}

// hasPrefixWord reports whether cue is at the beginning of a word: "like" is in
// "likes", not in "unlike".
func hasPrefixWord(text, cue string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], cue)
		if i < 0 {
			return false
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if i == 0 || !bound(before) {
			return true
		}
		at = i + len(cue)
	}
}
