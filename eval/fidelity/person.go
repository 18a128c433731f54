package fidelity

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/textnorm"
)

// self are the words by which a speaker speaks of himself, you those for the other.
var (
	self = []string{"i", "me", "my", "mine", "im", "ive", "ill", "id", "myself", "我", "们", "俺", "咱"}
	you  = []string{"you", "your", "yours", "youre", "yourself", "你", "您"}
	they = []string{"he", "him", "his", "she", "her", "they", "them", "their", "他", "她"} // after his name
)

// ofSelf reports whether a word is one by which a speaker speaks of himself, alone or with others.
func ofSelf(w word) bool {
	return slices.Contains(self, w.norm) || slices.Contains([]string{"we", "us", "our", "ours"}, w.norm)
}

// ofName is a name without the mark of the genitive.
func ofName(ws []word) string {
	return strings.TrimSuffix(strings.TrimSuffix(joined(ws), "'s"), "’s")
}

// person determines to whom an edit of one word refers instead of the speaker.
const (
	noPerson = iota
	theSpeaker
	another
)

// person is the reference of words that replace the speaker's reference to himself: the speaker, by name or pronoun, or another participant.
func (o Original) person(gone, put []word) int {
	verb := func(w word) bool { return slices.Contains([]string{"am", "are", "is", "have", "has"}, w.norm) } // goes with the person
	gone = slices.DeleteFunc(slices.Clone(gone), verb)
	if len(gone) == 0 || len(put) == 0 || slices.ContainsFunc(gone, func(w word) bool { return !slices.Contains(self, w.norm) }) {
		return noPerson
	}
	rest := slices.DeleteFunc(slices.Clone(put), func(w word) bool { return w.norm == "s" || w.norm == "的" || verb(w) })
	is := func(name string) bool {
		n := words(name)
		if len(n) == 0 {
			return false
		}
		return ofName(rest) == joined(n)
	}
	switch {
	case o.Speaker != "" && is(o.Speaker), len(rest) == 1 && slices.Contains(they, rest[0].norm):
		return theSpeaker
	case len(rest) == 1 && slices.Contains(you, rest[0].norm), slices.ContainsFunc(o.Speakers, is):
		return another
	}
	return noPerson
}

// rephrased reports whether a text states the original in words that change nothing: the speaker's name for I, an additional function word, clauses in another
// order.
func rephrased(want []word, got string, o Original) bool {
	have := words(got)
	if len(have) > 2*len(want) {
		return false
	}
	a := align(want, have)
	if len(a.have) != len(have) {
		return false
	}
	plain := func(a alignment) bool {
		last := 0
		for _, e := range a.edits() {
			gone, put := a.want[e.from:e.to], a.have[e.hfrom:e.hto]
			if last = e.hto; o.person(gone, put) != theSpeaker && !(len(gone) == 0 && idle(put)) {
				return false
			}
		}
		for _, p := range a.pair {
			last = max(last, p+1)
		}
		return a.kept() > 0 && last == len(a.have) && (len(a.pair) == 0 || a.pair[0] <= 0)
	}
	if plain(a) || turned(got, want, a.have) {
		return true
	}
	mine, its := clauses(o.Text), clauses(got)
	if len(mine) < 2 || len(mine) != len(its) {
		return false
	}
	return !slices.ContainsFunc(mine, func(c string) bool {
		i := slices.IndexFunc(its, func(s string) bool { return plain(align(words(c), words(s))) })
		if i >= 0 {
			its = slices.Delete(its, i, i+1)
		}
		return i < 0
	})
}

// idle reports whether additional words change nothing in the meaning of a sentence.
func idle(ws []word) bool {
	return joined(ws) == "已经" || !slices.ContainsFunc(ws, func(w word) bool {
		return !slices.Contains([]string{"a", "an", "the", "has", "have", "that", "he", "she", "it", "they", "i", "is", "有", "了", "的", "它", "就"}, w.norm)
	})
}

// turned reports whether a sentence has the same words with its end in front, and that end is
// where, when or how something was ("In the end it cost 20"), or with the two sides of "is"
// exchanged ("Doctor Novak is my dentist").
func turned(got string, want, have []word) bool {
	n := len(want)
	equal := func(a, b []word) bool {
		return slices.EqualFunc(a, b, func(x, y word) bool { return x.norm == y.norm })
	}
	for i := 1; n == len(have) && i < n; i++ {
		x, y := want[:i], want[i:]
		first := func(ws []word) string { return ws[0].norm }
		phrase := func(ws []word) bool { return len(ws) <= shortPhrase && slices.Contains(prepositions, first(ws)) }
		if (phrase(x) || phrase(y)) && equal(have[:n-i], y) && equal(have[n-i:], x) {
			return !endsSentence(strings.TrimSpace(got[have[n-i-1].to:have[n-i].from]), strings.HasSuffix)
		}
		if y := want[i+1:]; len(y) > 0 && slices.Contains(copulas, want[i].norm) && have[len(y)].norm == want[i].norm && equal(have[:len(y)], y) && equal(have[len(y)+1:], x) {
			return true
		}
	}
	return false
}

// shortPhrase is the number of words of a phrase that only says where, when or how.
const shortPhrase = 4

var prepositions = []string{"in", "on", "at", "by", "for", "from", "with", "after", "before", "since", "during", "until", "near", "without", "within"}

var clauseEnd = regexp.MustCompile(`[;!，。；！、\n]|[.,]+(\s|$)`) // not in a number

// clauses are the parts of a text between marks, without the words that join them.
func clauses(text string) (out []string) {
	for _, c := range clauseEnd.Split(text, -1) {
		c = strings.TrimFunc(c, unicode.IsSpace)
		first, rest, _ := strings.Cut(c, " ")
		if slices.Contains([]string{"and", "but", "so", "also", "for"}, strings.ToLower(first)) {
			c = rest
		}
		if r, n := utf8.DecodeRuneInString(c); n > 0 && textnorm.IsHan(r) {
			for _, w := range []string{"而且", "并且", "但是", "所以", "而", "但"} {
				c = strings.TrimPrefix(c, w)
			}
		}
		if c != "" {
			out = append(out, c)
		}
	}
	return out
}
