package graphmem

import (
	"slices"
	"strings"
	"unicode"

	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/internal/tokens"
)

// Names of people in questions, as far as they refer to speakers.

// addresses is a name that someone is greeted or thanked by.
var addresses = pattern.New(`(?:^|[.!?,] ?)(?:[Hh]i|[Hh]ey|[Hh]ello|[Hh]iya|[Tt]hanks|[Tt]hank you|[Ww]elcome|[Dd]ear|[Bb]ye|[Gg]oodbye|[Mm]orning|[Gg]ood (?:morning|evening|night|luck))(?: so much)?,? ([A-Z][a-z]+)\b`)

// hear notes the names that a speaker calls others by.
func (v *view) hear(voice int32, said string) {
	for _, m := range addresses.FindAllStringSubmatch(opening(said), -1) {
		name := strings.ToLower(m[1])
		calls := v.calls[name]
		for int(voice) >= len(calls) {
			calls = append(calls, 0)
		}
		calls[voice]++
		v.calls[name] = calls
	}
}

// nickname is the speaker to whom a name refers, by what the other one of two says to them:
// "Hey Kate!" twice at least, and seldom the other way round.
func (v *view) nickname(name string) (speaker string, ok bool) {
	calls := v.calls[strings.ToLower(name)]
	if len(v.voices) != 2 || len(calls) == 0 {
		return "", false
	}
	calls = append(slices.Clone(calls), 0)[:2]
	for who, voice := range v.voices {
		if n, back := calls[1-voice], calls[voice]; n >= 2 && n >= 5*back {
			return who, true
		}
	}
	return "", false
}

// called replaces names in a question by the names of the speakers they refer to: given names in Chinese, forms of address ("Hey Kate!"), or similar spellings (Mohammed for Muhhamed).
func (v *view) called(question string) string {
	for _, s := range v.st.Speakers() { // 晓雯 is 林晓雯
		if name := []rune(s); len(name) == 3 && strings.IndexFunc(s, textnorm.IsHan) == 0 && !strings.Contains(question, s) {
			question = strings.ReplaceAll(question, string(name[1:]), s)
		}
	}
	for _, w := range capitals(question) {
		if who, ok := v.nickname(w); ok {
			question = strings.ReplaceAll(question, w, who)
			continue
		}
		var like []string
		for _, s := range v.st.Speakers() {
			for _, part := range strings.Fields(s) {
				if timex.EditOne(strings.ToLower(part), strings.ToLower(w)) || len(skeleton(w)) > 2 && skeleton(part) == skeleton(w) {
					like = append(like, part)
				}
			}
		}
		if len(like) == 1 && !strings.EqualFold(like[0], w) && !v.said(w) {
			question = strings.ReplaceAll(question, w, like[0])
		}
	}
	return question
}

// skeleton is a name without its vowels and doubled letters.
func skeleton(name string) string {
	var out []rune
	for _, c := range strings.ToLower(name) {
		if !strings.ContainsRune("aeiouy", c) && (len(out) == 0 || out[len(out)-1] != c) {
			out = append(out, c)
		}
	}
	return string(out)
}

// capitals are the words in a question that look like names.
func capitals(question string) (out []string) {
	words := strings.FieldsFunc(question, func(c rune) bool { return !unicode.IsLetter(c) && c != '\'' && c != '’' && c != '-' })
	for i, w := range words {
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		if i == 0 || len(w) < 3 || w[0] < 'A' || w[0] > 'Z' || strings.ToUpper(w) == w || timed(w) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// timed reports a word of dates: May, Monday.
func timed(w string) bool {
	return slices.ContainsFunc(timex.Find(w+" 2020", 0), func(e timex.Expr) bool { return e.Pos == 0 }) || len(timex.Find("last "+w, 0)) > 0
}

// mentions reports whether someone is called by a name, or a turn or a claim has it.
func (v *view) mentions(name string) bool {
	low := strings.ToLower(name)
	for _, s := range v.st.Speakers() {
		for _, part := range strings.Fields(strings.ToLower(s)) {
			if part == low || timex.EditOne(part, low) || len(low) > 4 && strings.HasPrefix(part, low[:3]) {
				return true
			}
		}
	}
	return v.said(low)
}

// said reports whether a turn or a claim has a word.
func (v *view) said(word string) bool {
	low := strings.ToLower(word)
	if slices.ContainsFunc(tokens.Snowball(low), v.parts.words.Has) {
		return true
	}
	return slices.ContainsFunc(v.facts, func(f Fact) bool { return strings.Contains(strings.ToLower(f.Text), low) })
}
