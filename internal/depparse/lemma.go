package depparse

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed verbs.txt
var verbFile string

// verbs has for each known form its base; a base has itself.
var verbs = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(verbFile) {
		if f := strings.Fields(line); len(f) == 1 {
			m[f[0]] = f[0]
		} else if len(f) == 2 {
			m[f[0]] = f[1]
		}
	}
	return m
})

// Verb is the base form of a verb with the given tag: "went" is go, "hiking" hike.
func Verb(form, tag string) string {
	w := strings.ToLower(strings.ReplaceAll(form, "’", "'"))
	switch w {
	case "'m", "'re", "m":
		return "be"
	case "'s":
		return "be"
	case "'ve", "ve":
		return "have"
	case "'ll":
		return "will"
	case "'d":
		return "would"
	case "gon":
		return "go"
	case "wan":
		return "want"
	}
	if tag == "VB" || tag == "VBP" || tag == "MD" {
		if b, ok := verbs()[w]; ok {
			return b
		}
		return w
	}
	if b, ok := verbs()[w]; ok && (b != w || tag != "VBG" && tag != "VBD" && tag != "VBN" && tag != "VBZ") {
		return b
	}
	cands := bases(w)
	for _, c := range cands {
		if verbs()[c] == c {
			return c
		}
	}
	if len(cands) > 0 {
		return cands[len(cands)-1]
	}
	return w
}

// bases lists what a regular form may come from, the guess for an unknown verb last.
func bases(w string) []string {
	if s, ok := strings.CutSuffix(w, "ies"); ok && len(s) > 1 {
		return []string{s + "y"}
	}
	if s, ok := strings.CutSuffix(w, "ied"); ok && len(s) > 1 {
		return []string{s + "y"}
	}
	stem, ok := strings.CutSuffix(w, "ing")
	if !ok {
		stem, ok = strings.CutSuffix(w, "ed")
	}
	if !ok {
		s, ok := strings.CutSuffix(w, "s")
		switch {
		case !ok || strings.HasSuffix(s, "s"):
			return nil
		case strings.HasSuffix(s, "e"):
			for _, e := range []string{"she", "che", "sse", "xe", "zze", "oe"} {
				if strings.HasSuffix(s, e) {
					return []string{s, s[:len(s)-1]}
				}
			}
		}
		return []string{s}
	}
	n := len(stem)
	if n < 2 || !strings.ContainsAny(stem, "aeiouy") {
		return nil
	}
	doubled := stem[n-1] == stem[n-2] && !strings.ContainsRune("lsfzoe", rune(stem[n-1]))
	switch {
	case strings.HasSuffix(stem, "ll"): // cancelled, called
		return []string{stem[:n-1], stem}
	case doubled:
		return []string{stem, stem[:n-1]}
	case endsInE(stem):
		return []string{stem + "e", stem, stem + "e"} // hoping is of hope: that of hop would be doubled
	}
	return []string{stem + "e", stem}
}

// endsInE guesses whether the stem of an unknown verb lost an e: after endings that no
// English word has without one, and in words of one short syllable, which would double
// their consonant otherwise (hik-ing, but jogg-ing).
func endsInE(stem string) bool {
	n := len(stem)
	if strings.ContainsRune("vuzc", rune(stem[n-1])) {
		return true
	}
	for _, e := range []string{"dg", "at", "bl", "pl", "tl", "dl", "gl", "fl", "cl", "kl", "ir", "ys", "rs", "ns", "as", "rg"} {
		if strings.HasSuffix(stem, e) && n > 3 && !strings.HasSuffix(stem, "eat") && !strings.HasSuffix(stem, "oat") {
			return true
		}
	}
	vowels := 0
	for _, r := range stem {
		if strings.ContainsRune("aeiouy", r) {
			vowels++
		}
	}
	return vowels == 1 && !strings.ContainsRune("aeiouywx", rune(stem[n-1])) && n > 1 && strings.ContainsRune("aeiouy", rune(stem[n-2]))
}

//go:embed common.txt
var commonFile string

var common = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for line := range strings.Lines(commonFile) {
		m[strings.TrimSpace(line)] = true
	}
	return m
})

// Common reports whether a word is one that is written in lower case: "Music" at the
// beginning of a sentence is not a name.
func Common(form string) bool { return common()[strings.ToLower(form)] }
