package openie

import (
	"strings"
)

// habit reads a pastime: a present tense with an adverbial of frequency, "have been
// …ing", or a verb that is one by itself ("I knit").
func (r *enReader) habit(i, end int, often bool) bool {
	ws := r.ws
	neg, perfect, prog := false, false, false
	k := i
	for ; k < end; k++ {
		w := &ws[k]
		switch {
		case enFrequent[w.low]:
			often = true
			if w.low == "never" {
				neg = true
			}
		case enNegators[w.low]:
			return false
		case w.low == "have" || w.low == "has":
			perfect = true
			if k+1 < end && !(ws[k+1].low == "been" || enSkip[ws[k+1].low] || ws[k+1].form == formPast) {
				return false
			}
		case w.low == "been" && perfect:
		case w.low == "am" || w.low == "are":
			prog = true
		case enSkip[w.low]:
		case (w.low == "like" || w.low == "try" || w.low == "love") && k+1 < end && ws[k+1].low == "to" && often:
			k++
		default:
			goto verb
		}
	}
verb:
	if k >= end || ws[k].form == formNone || !enDeedSet[ws[k].lemma] && !(ws[k].form == formIng && perfect && len(ws[k].lemma) > 5 && ws[k].lemma == ws[k].low) {
		return false
	}
	switch ws[k].form {
	case formIng:
		if !perfect {
			return false // what one is doing now
		}
	case formPast:
		if !perfect || ws[k].low != "collected" && ws[k].low != "played" && ws[k].low != "read" {
			return false
		}
	}
	if prog {
		return false
	}
	timed := false
	for j := k; j < len(ws) && !(ws[j].mark && ws[j].low != ","); j++ {
		if _, h := enTimeAt(ws, j); h {
			timed = true
		}
		if j >= end && j > end+4 {
			break
		}
	}
	often = often || timed
	alone := enAlone[ws[k].lemma] || ws[k].lemma == "play" || ws[k].lemma == "collect" || ws[k].lemma == "practise" || ws[k].lemma == "practice" || ws[k].lemma == "volunteer"
	recent := perfect && ws[k].form == formIng && (enAlone[ws[k].lemma] || ws[k].lemma == "play" || ws[k].lemma == "read" || ws[k].lemma == "listen" || ws[k].lemma == "do" || ws[k].lemma == "learn" || ws[k].lemma == "watch" || ws[k].lemma == "go")
	conf := weak
	switch {
	case often && (!perfect || timed || recent):
	case recent && alone:
		conf = weak - 0.04
	case alone && !perfect && ws[k].form == formBase && r.plainPastime(k, end):
		conf = weak - 0.08
	default:
		return false
	}
	if ws[k].form == formPast && !timed {
		return false
	}
	switch ws[k].lemma { // verbs that say too little by themselves
	case "do", "go", "order", "plant", "start", "carry", "take", "work", "wear", "drive", "wake", "build", "sleep":
		if k+1 >= end || ws[k].lemma == "go" && !(r.nextVerbIng(k+1, end) || ws[k+1].low == "for" && k+2 < end && ws[k+2].low == "a") {
			return false
		}
		// "do a bit of woodwork", "go ballroom dancing": the object is the pastime.
		if ws[k].lemma == "do" || ws[k].lemma == "go" && r.nextVerbIng(k+1, end) {
			r.likes(r.objects(k+1, len(ws), objStrict), neg, 0, conf)
			return true
		}
	}
	return r.deed(k, end, neg, conf)
}

// nextVerbIng: "go ballroom dancing".
func (r *enReader) nextVerbIng(k, end int) bool {
	return k < end && r.ws[k].form == formIng || k+1 < end && r.ws[k+1].form == formIng && r.ws[k].form == formNone && !enPreps[r.ws[k].low]
}

// plainPastime: "I paint", "I play the cello", but not "I play a role in this".
func (r *enReader) plainPastime(k, end int) bool {
	if k+1 >= end {
		return k > 0 && enAlone[r.ws[k].lemma]
	}
	n := &r.ws[k+1]
	switch r.ws[k].lemma {
	case "play":
		return n.low != "a" && n.low != "with" && n.low != "it" && n.low != "along"
	case "run", "fish", "dance", "camp", "row", "sail", "climb", "train":
		return enPreps[n.low] && n.low != "into" && n.low != "out" && n.low != "to" && n.low != "from"
	}
	return !enPronouns[n.low] && n.low != "up" && n.low != "on" && n.low != "from" && n.low != "the"
}

// deed adds the verb phrase at word k as a pastime.
func (r *enReader) deed(k, end int, neg bool, conf float64) bool {
	j := r.phraseEnd(k+1, end)
	if j-k > 9 {
		return false
	}
	for n := k + 1; n < j; n++ {
		if enDeicticWords[r.ws[n].low] {
			return false
		}
	}
	name := r.clean(k, j)
	if name == "" || !strings.ContainsRune(name, ' ') && !enAlone[r.ws[k].lemma] && (r.ws[k].lemma != "read" && r.ws[k].lemma != "cook" && r.ws[k].lemma != "write" && r.ws[k].lemma != "run") {
		return false
	}
	o := zhObject{kindDeed, []string{name}}
	r.likes([]zhObject{o}, neg, 0, conf)
	return true
}

// tried reads styles that the speaker tried in its own work.
func (r *enReader) tried(i, end int) bool {
	ws := r.ws
	neg, k := false, i
	for ; k < end; k++ {
		w := &ws[k]
		if enNegators[w.low] {
			neg = true
		} else if !(enSkip[w.low] || w.lemma == "have" && k == i || w.low == "did" || w.low == "dared" || w.low == "once" || w.low == "been" || w.low == "to" || w.low == "even") {
			break
		}
	}
	if k >= end {
		return false
	}
	wrote := false
	switch ws[k].lemma {
	case "try", "experiment", "dabble", "attempt":
		if ws[k].form == formBase && !neg {
			return false
		}
	case "write", "tell", "draft":
		if ws[k].form != formPast && ws[k].form != formIng {
			return false
		}
		wrote = true
	case "play":
		if ws[k].form != formPast || k+1 >= end || ws[k+1].low != "with" {
			return false
		}
	case "have", "give":
		if !(k+2 < end && (ws[k+1].low == "a" && ws[k+2].low == "go")) && !(ws[k].low == "gave") {
			return false
		}
	default:
		return false
	}
	j := k + 1
	for j < end && !ws[j].mark {
		j++
	}
	// The phrase around the first word of a style.
	for s := k + 1; s < j; s++ {
		n := enPhraseAt(enStyles, ws[:j], s)
		if n == 0 && enTechniques[ws[s].low] {
			if prev := ws[s-1].low; !wrote || prev == "in" || prev == "as" || prev == "of" {
				n = 1
			}
		}
		if n == 0 {
			continue
		}
		from, to := s, s+n
		for from > k+1 && !enPreps[ws[from-1].low] && ws[from-1].low != "a" && ws[from-1].low != "the" && ws[from-1].form == formNone && !enSkip[ws[from-1].low] && !enNumbers[ws[from-1].low] {
			from--
		}
		if ws[s].low == "told" || ws[s].low == "letters" {
			to = r.phraseEnd(s+1, j)
		}
		for to < j && (ws[to].low == "narration" || ws[to].low == "narrator" || ws[to].low == "narrative" || ws[to].low == "style" || ws[to].low == "form") {
			to++
		}
		conf := plainly
		if wrote {
			conf = clear
		}
		r.add(Triple{Predicate: polar("TRIED_STYLE", neg), Object: Term{"Topic", []string{r.name(from, to)}}, Confidence: conf})
		if to < j && (ws[to].low == "and" || ws[to].low == "or") {
			s = to
			continue
		}
		r.own = r.own || wrote
		return true
	}
	return false
}

// free reads clauses that need no subject: "Nothing beats a hot bath".
func (r *enReader) free(i, end int) bool {
	if r.ws[i].low == "cats" || i+2 < end && r.ws[i+1].low == "over" && r.ws[i].form == formNone && !enPronouns[r.ws[i].low] && i == 0 {
		if i+2 < end && i == 0 && r.ws[i+1].low == "over" { // "Cats over dogs, always"
			r.likes(r.objects(i, i+1, objLoose), false, 0, weak)
			return true
		}
	}
	if r.ws[i].low == "what" && i+2 < end && enSelfWords[r.ws[i+1].low] { // "what I like most about winter is the silence"
		rank, liked := 0, false
		for k := i + 2; k < end; k++ {
			switch w := &r.ws[k]; {
			case w.lemma == "like" || w.lemma == "love" || w.lemma == "enjoy":
				liked = w.form == formBase
			case w.low == "most" || w.low == "best":
				rank = 1
			case w.low == "is" || w.low == "are":
				if liked {
					r.likes(r.objects(k+1, len(r.ws), objLoose), false, rank, plainly)
				}
				return liked
			case enNegators[w.low]:
				return false
			}
		}
		return false
	}
	if n := i + 5; n < end && r.ws[i].low == "the" && r.ws[i+1].low == "best" && (r.ws[i+2].low == "thing" || r.ws[i+2].low == "part") && enPreps[r.ws[i+3].low] && r.ws[i+4].low == "my" {
		for ; n < end; n++ {
			if r.ws[n].low == "is" || r.ws[n].low == "are" {
				r.likes(r.objects(n+1, len(r.ws), objLoose), false, 0, clear)
				return true
			}
		}
	}
	h, ok := enFreeTable().find(r.ws, i, end, false)
	if !ok || h.verb != i {
		return false
	}
	if h.form.rest == "OBJ" && h.after < end {
		if h.ws(r).lemma == "give" && !r.endsAnyDay(h.after, end) {
			return false
		}
		objs := r.objects(h.after, len(r.ws), objStrict)
		if h.ws(r).lemma != "give" {
			for k := h.after; k < end; k++ {
				if enDeicticWords[r.ws[k].low] || r.ws[k].low == "that" {
					return true
				}
			}
		}
		r.likes(objs, false, 0, h.rule.conf)
	}
	return true
}

func (r *enReader) endsAnyDay(i, end int) bool {
	for k := i; k+1 < end; k++ {
		if r.ws[k].low == "any" && (r.ws[k+1].low == "day" || r.ws[k+1].low == "time") || r.ws[k].low == "over" {
			return true
		}
	}
	return false
}

// ofNoun reads clauses whose subject is a thing: favourites, "X relaxes me", faults of
// one's own work.
func (r *enReader) ofNoun(i, end int) bool {
	if r.favourite(i, end) || r.critique(i, end) {
		return true
	}
	var subject []zhObject
	if w := &r.ws[i]; (w.form == formS || w.form == formPast) && w.low != w.lemma && !w.capital {
		return false // "… and helps keep me going": the subject is further back
	}
	for k := i + 1; k < end && k <= i+9; k++ {
		w := &r.ws[k]
		if w.form == formNone && !enNegators[w.low] && !(enSkip[w.low] && k > i) {
			continue
		}
		if w.form == formIng && w.lemma != "be" || w.low == "like" {
			continue
		}
		h, ok := enOwnTable().find(r.ws, k, end, false)
		if !ok {
			if enAux[w.low] && !enPasses(r.ws, k, end) && w.lemma != "be" && w.lemma != "have" && w.lemma != "do" {
				return false
			}
			continue
		}
		if h.past && !h.perfect || h.ing && h.ws(r).lemma != "be" {
			return false
		}
		first := r.ws[i].low
		switch {
		case first == "it" || first == "they" || first == "that" || first == "this" || first == "these":
			subject = r.topic
			if k > i+1 && !enSkip[r.ws[i+1].low] || first != "it" && first != "they" || len(subject) == 0 {
				return true
			}
		case enPronouns[first] && first != "one" || first == "your" || first == "his" || first == "her" || first == "their" || r.kin(i, k):
			return false
		default:
			subject = r.objects(i, k, objLoose|objSubject)
		}
		if len(subject) == 0 {
			return true
		}
		rank := 0
		neg := h.neg
		if h.form.rest == "" && h.rule.act == actFav && h.after < end && !r.ws[h.after].mark {
			return true // "my number one goal"
		}
		switch h.rule.act {
		case actDislike:
			if h.neg && h.ws(r).lemma != "be" {
				return true
			}
			neg = true
		case actFav:
			if !h.neg {
				rank = 1
			}
		case actLike:
			if h.ws(r).lemma == "be" && h.neg && h.after < end && r.ws[h.after].low == "only" {
				return true
			}
			if l := r.name(h.after-1, h.after); l == "best" && (h.neg || !r.activity(i, k) || h.after < end && !r.ws[h.after].mark) {
				return true
			}
		}
		r.likes(subject, neg, rank, h.rule.conf)
		return true
	}
	// What is spoken of without an attitude is what "it" stands for afterwards.
	if n := enNounEnd(r.ws, i, end); n > i && !enPronouns[r.ws[i].low] && r.ws[i].low != "my" {
		r.topic = r.objects(i, n, objLoose|objSubject)
	}
	return false
}

// activity: a gerund or a bare noun; "the meal was the best" is of one time.
func (r *enReader) activity(i, end int) bool {
	return r.ws[i].form == formIng && r.ws[i].low != "thing"
}

// enNounEnd is where the verb of a clause with a thing as subject starts.
func enNounEnd(ws []enWord, i, end int) int {
	for k := i + 1; k < end && k < i+5; k++ {
		if enAux[ws[k].low] {
			return k
		}
	}
	return i
}
