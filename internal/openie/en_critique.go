package openie

import (
	"strings"
)

// flaws reads what the speaker does badly in its own work: "I rush my endings".
func (r *enReader) flaws(i, end int) bool {
	k := i
	for k < end && (enSkip[r.ws[k].low] || r.ws[k].low == "do" || r.ws[k].low == "tend" || r.ws[k].low == "to") {
		k++
	}
	if k >= end {
		return false
	}
	from := k
	switch r.ws[k].lemma {
	case "rush", "overuse", "repeat", "overwrite", "overexplain", "use", "write", "struggle", "suck", "fail", "neglect", "can", "rely", "lean", "make":
	default:
		return false
	}
	if r.ws[k].form == formPast || r.ws[k].form == formIng {
		return false
	}
	w := r.ws[k].lemma
	if w == "overwrite" || w == "overexplain" {
		r.tag("SELF_CRITIQUE", r.complement(from, k+1, end), clear)
		return true
	}
	too := w != "use" && w != "write" && w != "rely" && w != "lean" && w != "make"
	if w == "can" && !(k+2 < end && r.ws[k+1].low == "not" && (r.ws[k+2].lemma == "write" || r.ws[k+2].lemma == "end" || r.ws[k+2].lemma == "finish" || r.ws[k+2].lemma == "draw")) {
		return false
	}
	own := w == "overuse" || w == "repeat" && k+1 < end && r.ws[k+1].low == "myself"
	for j := k + 1; j < end && !r.ws[j].mark; j++ {
		too = too || r.ws[j].low == "too"
		own = own || enAspects[r.ws[j].low] || enCraft[r.ws[j].low]
	}
	if !too || !own {
		return false
	}
	r.tag("SELF_CRITIQUE", r.complement(from, k+1, end), clear)
	return true
}

var enCraft = set(`adverbs adjectives similes commas dashes exclamation description exposition words metaphor cliche clichés cliches women men children action love humour humor plotting rhyming foreshadowing writing`)

// critique reads what is wrong with the speaker's own work.
func (r *enReader) critique(i, end int) bool {
	ws := r.ws
	head := -1
	my := false
	k := i
	for ; k < end && k < i+8; k++ {
		w := &ws[k]
		if w.low == "my" || w.low == "mine" {
			my = true
		}
		if enAspects[w.low] && (w.form == formNone || k > i) {
			head = k
		}
		if enPronouns[w.low] && w.low != "i" && w.low != "it" || w.low == "your" || w.low == "his" || w.low == "her" || w.low == "their" {
			return false
		}
		if head >= 0 && k > head && (w.lemma == "be" || enLinks[w.lemma] || enFlawVerbs[w.lemma] || w.lemma == "need" || w.lemma == "do" || w.lemma == "come" || w.lemma == "turn" || w.lemma == "fall" || w.lemma == "have" || w.lemma == "run" || w.lemma == "end") && !enAspects[w.low] {
			break
		}
		if head < 0 && w.low == "it" && k == i && r.own {
			head = k
		}
		if w.low == "i" && k+1 < end && ws[k+1].lemma == "write" {
			my = true
		}
	}
	if head < 0 || k >= end || k >= i+8 || !my && !r.own {
		return false
	}
	r.own = r.own || my
	conf := clear + 0.04
	if !my {
		conf = interpreted
	}
	verb := k
	bad, neg, too := false, false, false
	j := verb + 1
	for ; j < end && j < verb+9 && !ws[j].mark; j++ {
		w := &ws[j]
		switch {
		case enNegators[w.low]:
			neg = true
		case w.low == "too":
			too = j+1 < end
		case w.low == "enough" && neg:
			bad = true
		case enBads[w.low] && ws[verb].lemma != "have" && ws[verb].lemma != "do":
			bad = true
		}
		if w.low == "and" && j+1 < end && !enBads[ws[j+1].low] && ws[j+1].low != "too" || w.low == "in" || w.low == "this" {
			break
		}
	}
	switch v := ws[verb].lemma; {
	case enFlawVerbs[v], v == "fall" && verb+1 < end && (ws[verb+1].low == "flat" || ws[verb+1].low == "apart"):
		bad = true
		neg = false
	case v == "need" && verb+1 < end && (ws[verb+1].low == "more" || ws[verb+1].low == "work" || ws[verb+1].low == "a"):
		bad = true
	case v == "have" && verb+1 < end && ws[verb+1].low == "no":
		bad = true
	case v == "sound" && verb+2 < end && ws[verb+1].low == "the" && ws[verb+2].low == "same", v == "do" && neg && verb+2 < end && (ws[verb+2].lemma == "work" || ws[verb+2].low == "land" || ws[verb+2].low == "flow" || ws[verb+2].low == "hold" || ws[verb+2].low == "ring"):
		bad, neg = true, false
	case v == "run":
		bad = too || verb+2 < end && ws[verb+1].low == "out"
	}
	if too && !neg {
		bad = true
	}
	if !bad {
		return false
	}
	if neg {
		enough := false
		for k := verb; k < j; k++ {
			enough = enough || ws[k].low == "enough"
		}
		if !enough {
			r.tag("NO_SELF_CRITIQUE", r.name(head, j), conf-0.06)
			return true
		}
	}
	from := head
	if ws[head].low == "it" {
		from = verb
	}
	for from > i && (enAspects[ws[from-1].low] || ws[from-1].low == "first" || ws[from-1].low == "last" || ws[from-1].low == "second") {
		from--
	}
	name := r.name(from, j)
	if ws[verb].lemma == "be" && from < verb {
		said := verb + 1
		for said < j-1 && enSkip[ws[said].low] && ws[said].low != "too" {
			said++
		}
		if said < j {
			name = r.name(from, verb) + " " + strings.TrimPrefix(r.name(said, j), "a ")
			if ws[said-1].low == "not" {
				name = r.name(from, verb) + " not " + r.name(said, j)
			}
		}
	}
	r.tag("SELF_CRITIQUE", name, conf)
	// "…, way too wordy": a second fault.
	if j < len(ws) && j == end && ws[j].low == "," {
		n := j + 1
		for n < len(ws) && (enSkip[ws[n].low] || ws[n].low == "too") {
			n++
		}
		if n < len(ws) && n > j+1 && ws[n-1].low == "too" && ws[n].form == formNone && !ws[n].mark {
			r.tag("SELF_CRITIQUE", "too "+ws[n].low, conf-0.04)
		}
	}
	return true
}

var enMakes = set(`write rewrite paint draw sculpt compose draft edit revise knit sew carve`)
var enLinks = set(`feel sound read seem look come`)
