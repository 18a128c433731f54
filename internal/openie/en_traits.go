package openie

import (
	"strings"
)

// traits reads "I'm (not) a patient person", "I'm pretty stubborn", "I have no patience".
func (r *enReader) traits(i, end int) bool {
	ws := r.ws
	neg, k, be, have, past := false, i, false, false, false
	for ; k < end; k++ {
		w := &ws[k]
		switch {
		case w.lemma == "be":
			if w.low == "be" {
				return false // an infinitive
			}
			be = true
			past = past || w.form == formPast && w.low != "been"
		case w.lemma == "have" && !be:
			have = true
			past = past || w.low == "had"
		case w.low == "got" && have:
		case enNegators[w.low]:
			neg = !neg
		case w.lemma == "do" && k == i:
		case enSkip[w.low] && w.low != "right", w.low == "by" && k+1 < end && ws[k+1].low == "nature":
		case w.low == "of" && k > i && (ws[k-1].low == "kind" || ws[k-1].low == "sort" || ws[k-1].low == "bit" || ws[k-1].low == "more" || ws[k-1].low == "much"):
		case w.low == "something" && k+1 < end && ws[k+1].low == "of":
			k++
		default:
			goto done
		}
	}
done:
	if k >= end || past || !be && !have {
		return false
	}
	if be {
		return r.traitBe(k, end, neg)
	}
	return r.traitHave(k, end, neg)
}

func (r *enReader) traitBe(k, end int, neg bool) bool {
	ws := r.ws
	predicate := polar("SELF_TRAIT", neg)
	if ws[k].low == "a" || ws[k].low == "an" || ws[k].low == "the" || ws[k].low == "such" || ws[k-1].low == "of" && k > 0 {
		from := k
		for from < end && (ws[from].low == "a" || ws[from].low == "an" || ws[from].low == "the" || ws[from].low == "such") {
			from++
		}
		the := ws[k].low == "the"
		// The noun phrase ends at the first preposition, mark or verb.
		head := from
		for head < end && !ws[head].mark && !enPreps[ws[head].low] && !enAux[ws[head].low] && ws[head].low != "who" && ws[head].low != "and" && ws[head].low != "that" && head-from < 6 {
			if n, _ := enTimeAt(ws[:end], head); n > 0 && head > from {
				break
			}
			head++
		}
		for from < head-1 && (enSkip[ws[from].low] || ws[from].low == "terrible" || ws[from].low == "massive" || ws[from].low == "of" || ws[from].low == "a") {
			from++
		}
		if head == from {
			return false
		}
		last := ws[head-1].low
		mod := ""
		if head-from >= 2 {
			mod = ws[head-2].low
		}
		switch {
		case the && !(last == "one" && head-from == 2 && (enTraitAdjs[mod] || enTraitMods[mod])):
			return false
		case the:
			r.tag(predicate, "the "+r.name(from, head), clear)
			return true
		case last == "person" || last == "guy" || last == "girl" || last == "gal" || last == "people" || last == "type" || last == "sort":
			if mod == "" || enTooGeneral[mod] {
				return false
			}
			if head < end && (ws[head].low == "who" || ws[head].low == "that") {
				return false
			}
			if enTraitAdjs[mod] || enTraitMods[mod] || strings.HasSuffix(mod, "ful") || strings.HasSuffix(mod, "less") || strings.HasSuffix(mod, "ive") || strings.HasSuffix(mod, "ous") {
				if enTraitMods[mod] && !enTraitAdjs[mod] {
					r.tag(predicate, r.name(from, head), plainly)
				} else {
					r.tag(predicate, r.name(from, head-1), plainly)
				}
				return true
			}
			// "a tea person": what it is that the person likes.
			r.likes(r.objects(from, head-1, objLoose), neg, 0, clear+0.04)
			return true
		case last == "fan" || last == "lover" || last == "enthusiast" || last == "addict" || last == "buff" || last == "fanatic" || last == "junkie" || last == "geek" || last == "nerd" || last == "drinker" || last == "eater" || last == "nut" || last == "aficionado" || last == "fiend" || last == "freak":
			if head == from+1 || last == "freak" && mod == "control" || enTraitAdjs[mod] || mod == "big" || mod == "huge" {
				if head == from+1 && (last == "fan" || last == "lover") {
					return false // "a fan of": a form
				}
				break
			}
			r.likes(r.objects(from, head-1, objLoose), neg, 0, clear+0.04)
			return true
		case neg && last == "reader" && head == from+1:
			r.likes([]zhObject{{kindTopic, []string{"reading"}}}, true, 0, weak)
			return true
		}
		if enTraitNouns[last] || enRoles[last] && mod != "my" {
			conf := plainly
			if enRoles[last] {
				conf = weak
			}
			if mod == "new" || mod == "good" || mod == "great" {
				return false
			}
			if head < end && ws[head].low == "in" && enRoles[last] {
				return false
			}
			r.tag(predicate, r.name(from, head), conf)
			return true
		}
		return false
	}
	if enTraitAdjs[ws[k].low] {
		if k+1 < end {
			n := ws[k+1]
			if n.low == "of" || n.low == "that" || n.low == "to" || n.low == "today" || n.low == "now" || n.low == "tonight" || n.form == formNone && !n.mark && !enPreps[n.low] && !enConj[n.low] && n.low != "and" && n.low != "person" {
				return false
			}
			if n.low == "about" && k+2 < end && (enPronouns[ws[k+2].low] || enDeicticWords[ws[k+2].low]) {
				return false
			}
		}
		name := r.complement(k, k+1, end)
		if a := k + 1; a < end && ws[a].low == "and" {
			name = r.name(k, k+1)
			if a+1 < end && enTraitAdjs[ws[a+1].low] {
				r.tag(predicate, ws[a+1].low, clear)
			}
		}
		r.tag(predicate, name, clear+0.04)
		return true
	}
	return false
}

func (r *enReader) traitHave(k, end int, neg bool) bool {
	ws := r.ws
	no := false
	from := k
	if ws[k].low == "no" || ws[k].low == "zero" {
		no = true
		from++
	} else if ws[k].low == "a" || ws[k].low == "an" || ws[k].low == "the" || ws[k].low == "any" || ws[k].low == "that" || ws[k].low == "much" {
		from++
	}
	if from+1 < end && ws[from].low == "kind" && ws[from+1].low == "of" {
		from += 2
	}
	if neg && from+2 < end && ws[from+1].low == "bone" && ws[from+2].low == "in" {
		r.tag("LACKS_TRAIT", ws[from].low, clear) // "a competitive bone in my body"
		return true
	}
	for j := from; j < end && j < from+5 && !ws[j].mark; j++ {
		if ws[j].low == "for" || ws[j].low == "with" {
			break
		}
		if enTraitHave[ws[j].low] && (j+1 >= end || ws[j+1].mark || enPreps[ws[j+1].low] || enConj[ws[j+1].low] || ws[j+1].low == "whatsoever" || ws[j+1].low == "at") {
			to := j + 1
			if to < end && (ws[to].low == "of" || ws[to].low == "for") {
				to = end
				if to-from > 6 {
					to = from + 6
				}
			}
			switch {
			case no || neg:
				r.tag("LACKS_TRAIT", r.name(from, to), clear)
			case ws[j].low == "patience" || ws[j].low == "heart" && j == from || ws[j].low == "sense" && to == j+1 || ws[j].low == "fear" && j == from && to == j+1:
				return false
			default:
				r.tag("SELF_TRAIT", r.name(k, to), clear)
			}
			return true
		}
	}
	return false
}
