package protocol

import (
	"slices"
	"strings"

	"membench/internal/pattern"
	"membench/schema"
)

// choice grades multiple choice.
func choice() *Protocol {
	return &Protocol{
		Name: "choice", Version: "1", Binary: true,
		Formula: "1 if the answer picks the gold of the choices and no other, by its letter or its words, else 0; not applicable where there are no choices, or the gold is none of them",
		Rule: func(r *schema.QARecord) schema.Grade {
			if len(r.Choices) == 0 || goldChoice(r) < 0 {
				return NotApplicable("not a multiple-choice question")
			}
			return byChoice(r)
		},
	}
}

// goldChoice is the index of the choice that is a gold, -1 for none.
func goldChoice(r *schema.QARecord) int {
	golds := r.AllGolds()
	return slices.IndexFunc(r.Choices, func(c string) bool { return slices.Contains(golds, c) })
}

func byChoice(r *schema.QARecord) schema.Grade {
	picked := pickedChoices(r.Answer, r.Choices)
	g := labelled(len(picked) == 1 && picked[0] == goldChoice(r), "right", "wrong")
	switch len(picked) {
	case 0:
		g.Label, g.Reason = "none", "the answer picks none of the choices"
	case 1:
		g.Reason = "picks choice " + string(rune('a'+picked[0]%26))
	default:
		g.Label, g.Reason = "several", "the answer picks several choices"
	}
	return g
}

var (
	// A letter is a choice where it is marked as one: "a" alone is an article.
	reBareLetter   = pattern.New(`(?i)^[\s*("\[]*([a-z])[\s*)"\].:]*$`)
	reMarkedLetter = pattern.New(`(?i)\(([a-z])\)|(?:\b(?:answer|option|choice)\b(?:\s+is)?\s*[:=]?|答案(?:是|为)?\s*[:：]?)[\s*]*([a-z])(?:[).:,;*。，]|\s*$|\s*\n)`)
	reLeadLetter   = pattern.New(`(?i)^[\s*]*([a-z])[).:](?:\s|$)`)
	reFinalAnswer  = pattern.New(`(?is)<final_answer>(.*?)(?:</final_answer>|$)`)
)

// pickedChoices lists the choices that an answer picks: by letters, or by the words of exactly the choices in it. If there is a <final_answer>, only its
// content counts.
func pickedChoices(answer string, choices []string) (out []int) {
	if m := reFinalAnswer.FindAllStringSubmatch(answer, -1); len(m) > 0 {
		answer = m[len(m)-1][1]
	}
	if i := slices.Index(choices, strings.TrimSpace(answer)); i >= 0 {
		return []int{i}
	}
	add := func(letter string) {
		if i := int(strings.ToLower(letter)[0] - 'a'); i < len(choices) && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for _, re := range []*pattern.Pattern{reBareLetter, reLeadLetter} {
		if m := re.FindStringSubmatch(answer); m != nil {
			add(m[1])
			return out
		}
	}
	for _, m := range reMarkedLetter.FindAllStringSubmatch(answer, -1) {
		add(m[1] + m[2])
	}
	if len(out) > 0 {
		return out
	}
	var a words
	said := a.plain(answer)
	for i, c := range choices {
		var b words
		if w := b.plain(c); len(w) > 0 && containsWords(said, w) {
			out = append(out, i)
		}
	}
	return out
}
