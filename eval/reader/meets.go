package reader

import (
	"slices"
	"strings"

	"membench/internal/clause"
	"membench/internal/depparse"
	"membench/internal/pattern"
	"membench/internal/tokens"
)

// meets reports whether a sentence may say what a question asks for: it does not deny it, make it depend on something, or say something else of the same things.
func (q question) meets(s scored) bool {
	low, said := strings.ToLower(q.text), strings.ToLower(s.text)
	switch q.kind {
	case yesno, either, number:
		return true
	case where:
		if a, b := doing(low), doing(said); a != "" && b != "" && a != b {
			return false
		}
	case what, who:
		if m := reDoes.FindStringSubmatch(low); m != nil && !auxiliary[m[1]] && depparse.Verb(m[1], "VBD") != m[1] && !q.has(s, m[1]) {
			return false
		}
	}
	if reFormer.MatchString(low) && !s.former && !reFormer.MatchString(said) {
		return false
	}
	return reDenial.MatchString(low) || !q.saysNot(s)
}

// unsaid reports whether a sentence says what is asked only as what others say or think, as what depends on something, or, where the question is of what was, as what
// was meant to be: "People think I live in Siena", "If I get the job I will move", "I will start in May".
func (q question) unsaid(s scored) bool {
	if q.kind == yesno || q.kind == either {
		return false
	}
	unsaid := false
	for _, f := range clause.Read(s.text, clause.Options{Names: q.names}) {
		if !slices.Contains(q.terms, verbOf(f)) {
			continue
		}
		if f.Modality != clause.Hearsay && f.Modality != clause.Condition && !(f.Modality == clause.Plan && q.was && q.kind == when) {
			return false
		}
		unsaid = true
	}
	return unsaid
}

// has reports whether a sentence has a word of the question, or one that means nearly the same.
func (q question) has(s scored, word string) bool {
	return slices.ContainsFunc(append(tokens.Kin(word), tokens.Stem(word)), func(t string) bool { return slices.Contains(s.terms, t) })
}

// saysNot reports whether a sentence denies a word of the question wherever it has it: 不喜欢, "not owned"; not "I'm not going to Bergen, I'm going to Bari".
func (q question) saysNot(s scored) bool {
	denied := map[string]int{}
	for _, m := range reDenial.FindAllStringIndex(s.text, -1) {
		behind := s.text[m[1]:]
		if r := []rune(behind); q.han && len(r) > 1 {
			denied[string(r[:2])]++
		}
		next := strings.Fields(behind)
		for _, w := range next[:min(2, len(next))] {
			denied[stemOf(w)]++
		}
	}
	for w, n := range denied {
		all := strings.Count(s.text, w)
		if !q.han {
			all = 0
			for said := range strings.FieldsSeq(s.text) {
				if stemOf(said) == w {
					all++
				}
			}
		}
		if slices.Contains(q.terms, w) && n == all {
			return true
		}
	}
	return false
}

// stemOf is the stem of a word without marks around it.
func stemOf(word string) string {
	return tokens.Stem(strings.Trim(strings.ToLower(word), ".,;:!?\"'()"))
}

// doing is what a text says that somebody does at a place: live, work or study; "" if none of them, or several.
func doing(low string) (out string) {
	for what, re := range reDoing {
		if re.MatchString(low) {
			if out != "" {
				return ""
			}
			out = what
		}
	}
	return out
}

var auxiliary = set("is are was were am do does did has have had")

var (
	reDenial = pattern.New(`(?i)\b(?:not|never|no longer)\b|n['’]t\b|不|没`)
	reFormer = pattern.New(`\bbefore\?*$|\b(?:previous(?:ly)?|former(?:ly)?|used to|until)\b|以前|之前|原来|从前`)
	reDoes   = pattern.New(`^(?:what|who) (\w+) \S`)
	reDoing  = map[string]*pattern.Pattern{
		"live":  pattern.New(`\b(?:live[sd]?|living|reside[sd]?|home)\b|住`),
		"work":  pattern.New(`\b(?:works?|worked|working|job|hired|employed)\b|工作|上班`),
		"study": pattern.New(`\b(?:study|studies|studied|studying|school|university|college)\b|读书|上学|就读`),
	}
)
