package openie

import "strings"

var (
	// Verbs that take up a work; of the others of this sense "start" and "finish" need a
	// quoted title or a word for a work.
	enTakeUp = set(`read reread rewatch watch see finish play devour abandon start borrow binge discuss hear listen recite quit love`)
	// "halfway through X", "pages into X", "on X again"
	enThrough = set(`through into of in on`)
	enReads   = set(`read reread finish quit abandon`) // of a person's name: "read Anna Karenina"
	enPartOf  = set(`halfway pages chapters way middle end copy start episodes episode half third quarter deep thick`)
	enWorkish = set(`book novel film movie series show story play poem musical game album trilogy manga anime first last second final latest new original whole`)
	enOrdinal = set(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty first second third fourth fifth last final opening closing`)
	// A sentence with one of these speaks of a work that the speaker makes.
	enMaking = set(`title titled called draft manuscript`)
)

// works finds the works and chapters that the speaker read, saw or played.
func (r *enReader) works() {
	ws := r.ws
	work := ""
	denied := false
	made := false
	for k := range ws {
		made = made || enMaking[ws[k].low] || (ws[k].lemma == "write" || ws[k].lemma == "rewrite") && k > 0 && (enSelfWords[ws[k-1].low] || ws[k-1].low == "am" || ws[k-1].low == "have")
	}
	for k := 0; k < len(ws) && !made; k++ {
		w := &ws[k]
		if w.quoted || w.mark || !(enTakeUp[w.lemma] && w.form != formNone || enPartOf[w.low]) {
			continue
		}
		neg, ok := r.mine(k)
		if !ok {
			continue
		}
		if a := r.everythingOf(k); a != "" {
			r.add(liking(kindAuthor, []string{a}, neg, 0, clear))
			continue
		}
		if k+1 < len(ws) && ws[k+1].low == "it" && len(r.topic) == 1 && r.topic[0].kind == kindWork && w.lemma != "love" {
			r.add(Triple{Predicate: polar("DISCUSSED_WORK", neg), Object: Term{"Work", r.topic[0].parts}, Confidence: clear})
			continue
		}
		from, to := r.titleAfter(k)
		if from < 0 {
			continue
		}
		if w.form == formPast && w.lemma == "love" || w.lemma == "love" {
			continue
		}
		title := r.name(from, to)
		if ws[from].quoted && from > 1 && (ws[from-1].low == "called" || ws[from-1].low == "chapter" || ws[from-1].low == "story") || from+1 < len(ws) && ws[from].quoted && to < len(ws) && ws[to].low == "chapter" {
			continue
		}
		work, denied = title, neg
		t := Triple{Predicate: polar("DISCUSSED_WORK", neg), Object: Term{"Work", []string{title}}, Confidence: clear + 0.04}
		if ws[from].quoted {
			t.Confidence = plainly - 0.02
		}
		r.add(t)
		r.topic = []zhObject{{kindWork, []string{title}}}
		k = to - 1
	}
	if !made {
		r.chapters(work, denied)
	}
}

// mine reports whether the verb at word k is the speaker's, told as done, and whether it
// is denied.
func (r *enReader) mine(k int) (neg, ok bool) {
	ws := r.ws
	w := &ws[k]
	said := w.form == formPast || enPartOf[w.low]
	for j := k - 1; j >= 0 && k-j < 12; j-- {
		p := &ws[j]
		switch {
		case p.low == "not" || p.low == "never" || p.low == "yet":
			neg = true
			said = said || j > 0 && (ws[j-1].lemma == "have" || ws[j-1].low == "did")
		case w.form == formIng && (p.lemma == "be" || p.lemma == "finish" || p.lemma == "start"):
			said = true
		case p.low == "did" || p.lemma == "have" && p.low != "having" && p.low != "to":
			said = true
		case p.low == "would", p.low == "should", p.low == "could", p.low == "will", p.low == "might", p.low == "may", p.low == "to" && !enPartOf[w.low] && !(w.form == formIng), p.low == "if", p.low == "going":
			if p.low == "could" && neg {
				continue // "couldn't finish": it was begun
			}
			return false, false
		case p.low == "can" && !neg:
			return false, false
		case enSelfWords[p.low]:
			if w.form == formBase && w.low != "read" && w.low != "reread" && w.low != "quit" && !said {
				for n := k; n < len(ws); n++ {
					if _, h := enTimeAt(ws, n); h {
						return neg, true
					}
				}
				return neg, j < k-1 && enFrequent[ws[k-1].low]
			}
			return neg, said || w.low == "read" || w.low == "reread" || w.low == "quit"
		case enOthers[p.low] || enKin[p.low] || p.low == "it":
			return false, false
		case p.mark && p.low != ",":
			return neg, said && k <= 3
		}
	}
	// "Finished Emma last night": the subject is left out.
	first := 0
	for first < k && (enSkip[ws[first].low] || enOpeners[ws[first].low] || ws[first].mark || enNegators[ws[first].low] || ws[first].lemma == "have") {
		first++
	}
	return neg, (first == k || enPartOf[w.low] && first == k-1) && (w.form == formPast || w.form == formIng || enPartOf[w.low]) && w.lemma != "love"
}

// titleAfter finds the title that follows the verb at word k: quoted within a few words,
// or capitalised at once.
func (r *enReader) titleAfter(k int) (from, to int) {
	ws := r.ws
	if enPartOf[ws[k].low] {
		if k+1 >= len(ws) || !enThrough[ws[k+1].low] {
			return -1, -1
		}
		k++
	}
	for j := k + 1; j < len(ws) && j <= k+7; j++ {
		w := &ws[j]
		switch {
		case w.quoted:
			if enPronouns[strings.ToLower(w.low)] {
				return -1, -1
			}
			return j, j + 1
		case w.mark, enPronouns[w.low] && w.low != "that" && w.low != "this", enAux[w.low], enConj[w.low] && w.low != "as":
			return -1, -1
		case w.capital && !enProper[w.low]:
			c := r.capsEnd(j, len(ws))
			if enPlaces()[ws[c-1].low] || isAuthor(r.name(j, c)) || isArtist(r.name(j, c)) {
				return -1, -1
			}
			if c-j == 1 && (isGiven(ws[j].low) && ws[j].low != "emma" || c < len(ws) && (ws[c].form == formNone && !ws[c].mark && !enPreps[ws[c].low] && !enConj[ws[c].low] && !r.timeAt(c, len(ws)) && ws[c].low != "and" && ws[c].low != "again")) {
				return -1, -1
			}
			if ws[k].lemma == "see" && c-j < 2 || strings.HasSuffix(ws[c-1].low, "'s") {
				return -1, -1
			}
			if (ws[k].lemma == "start" || ws[k].lemma == "hear" || ws[k].lemma == "borrow") && c-j < 2 {
				return -1, -1
			}
			if isGiven(ws[j].low) && c-j == 2 && !enReads[ws[k].lemma] {
				return -1, -1
			}
			return j, c
		case w.low == "the" || w.low == "of" || w.low == "a" || enSkip[w.low] || enWorkish[w.low] || enPreps[w.low] || w.low == "that" || w.low == "this" || w.low == "chapter" || w.low == "called":
		default:
			// "the whiteness chapter of Moby Dick"
			if j+1 < len(ws) && ws[j+1].low == "chapter" {
				continue
			}
			if quotedSoon(ws, j) {
				continue
			}
			return -1, -1
		}
	}
	return -1, -1
}

// everythingOf: "read everything Kazuo Ishiguro ever wrote".
func (r *enReader) everythingOf(k int) string {
	if k+2 >= len(r.ws) || r.ws[k+1].low != "everything" && r.ws[k+1].low != "anything" {
		return ""
	}
	j := k + 2
	if r.ws[j].low == "by" {
		j++
	}
	if j >= len(r.ws) || !r.ws[j].capital {
		return ""
	}
	return r.name(j, r.capsEnd(j, len(r.ws)))
}

// quotedSoon: a quoted title may stand after a short noun phrase.
func quotedSoon(ws []enWord, j int) bool {
	for n := j; n < len(ws) && n < j+4; n++ {
		if ws[n].mark || enPronouns[ws[n].low] {
			return false
		}
		if ws[n].quoted {
			return true
		}
	}
	return false
}

// chapters finds "chapter nine", "the whiteness chapter" and named chapters of a work.
func (r *enReader) chapters(work string, denied bool) {
	ws := r.ws
	for k := range ws {
		if ws[k].low != "chapter" && ws[k].low != "chapters" || ws[k].quoted {
			continue
		}
		if k > 0 && (ws[k-1].low == "my" || ws[k-1].low == "your") || k > 1 && (ws[k-2].low == "my" || ws[k-2].low == "your") {
			continue
		}
		name := ""
		next := func(n int) string {
			if k+n < len(ws) {
				return ws[k+n].low
			}
			return ""
		}
		switch {
		case k+1 < len(ws) && ws[k+1].quoted:
			name = r.name(k+1, k+2)
		case (next(1) == "called" || next(1) == "titled" || next(1) == "named") && k+2 < len(ws) && ws[k+2].quoted:
			name = r.name(k+2, k+3)
		case ws[k].low == "chapter" && (enOrdinal[next(1)] || next(1) != "" && next(1)[0] >= '0' && next(1)[0] <= '9' || next(1) != "" && strings.Trim(next(1), "ivxlc") == ""):
			name = "chapter " + next(1)
		case k > 0 && ws[k-1].quoted:
			name = r.name(k-1, k)
		case k > 1 && ws[k].low == "chapter" && (next(1) == "of" || next(1) == "in") && !ws[k-1].mark && ws[k-1].low != "the" && ws[k-1].low != "a" && ws[k-1].low != "this" && ws[k-1].low != "that":
			name = ws[k-1].low + " chapter"
		default:
			continue
		}
		if work == "" {
			// Without a named work it must be told as read.
			read := false
			for j := range ws {
				read = read || ws[j].low == "book" || ws[j].low == "novel" || ws[j].quoted
				if ws[j].low == "you" || ws[j].low == "she" || ws[j].low == "he" || ws[j].low == "would" || ws[j].low == "will" || ws[j].low == "draft" {
					return
				}
			}
			if !read {
				continue
			}
		}
		conf := clear + 0.04
		if work == "" {
			conf = interpreted
		}
		r.add(Triple{Predicate: polar("DISCUSSED_CHAPTER", denied), Object: Term{"Chapter", []string{work, name}}, Confidence: conf})
		return
	}
}
