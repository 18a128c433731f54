package openie

import (
	"strings"

	"membench/internal/textnorm"
)

// objMode says how an object phrase is to be read.
type objMode uint8

const (
	objLoose   objMode = 0
	objStrict  objMode = 1 << iota // after a verb of liking: replies ("love that photo") are no tastes
	objPrefer                      // "X to Y": X alone
	objSubject                     // the phrase stands before its verb
	objPeople                      // people may be meant: "people who chew"
)

var (
	enPreps        = set(`of in on at with for from by about to into over under without around after before during through near like against between among towards until since as off along across beside behind`)
	enDeicticWords = set(`it this that these those you your yours him his her hers them their theirs me us`)
	// A phrase that begins with these is no name of anything.
	enBadFirst = set(`ton tons feeling wait how that what when where why who which this these those it them him her his hers their theirs you your yours me us our seeing hearing knowing being having someone everyone anybody nobody none lots to_see so as getting everything something anything nothing some_of each both_of myself yourself i we he she they there whatever if whether`)
	// Infinitives that belong to a reply or a plan.
	enBadTo = set(`see hear know say think believe help check be have tell show talk chat meet get try give share join come ask let support call catch add point hate admit make use thank`)
	// A phrase ends before these.
	enPhraseStop = set(`because since when whenever while but so which who whose where as if though although than until cause cuz 'cause after before unless whether how what that's whereas except plus yet`)
	enLeading    = set(`a an the some any my our all both to really just such also good other doing lots of kinds sorts plenty pretty much every the bit little few couple more most big huge own`)
	// "the" before these names the thing in general.
	enGeneral = set(`beach sea ocean mountains outdoors rain snow sun cold heat city countryside forest woods night dark theatre theater cinema movies gym piano guitar violin cello drums quiet silence morning summer winter autumn spring water sky stars classics opera library moon wind mornings evenings kitchen garden desert river lake coast news internet arts radio holidays nature wilderness`)
	enFixed   = enPhrases(`rock_and_roll arts_and_crafts mac_and_cheese fish_and_chips salt_and_pepper black_and_white drum_and_bass bed_and_breakfast rhythm_and_blues gin_and_tonic bread_and_butter dungeons_and_dragons food_and_drink cat_and_mouse spaghetti_and_meatballs science_fiction_and_fantasy`)
	// Capitalised words that begin no title and no person's name.
	enProper = set(`monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december christmas easter halloween thanksgiving english french german italian spanish chinese japanese korean thai indian mexican greek turkish vietnamese american british russian arabic latin swedish irish scottish african asian european victorian gothic
		lgbtq ok tv dj pc diy usa uk nyc ai`)
)

// objects reads the things named in the words [i,end); it stops where the phrase does.
func (r *enReader) objects(i, end int, mode objMode) []zhObject {
	ws := r.ws
	for i < end && (enSkip[ws[i].low] && ws[i].low != "right" && ws[i].low != "little" || ws[i].low == "of" || ws[i].low == "doing" && i+1 < end) {
		i++
	}
	if i >= end || ws[i].mark || enAux[ws[i].low] && ws[i].low != "being" {
		return nil
	}
	if ws[i].low == "it" || ws[i].low == "them" || ws[i].low == "him" || ws[i].low == "her" {
		if mode&objStrict != 0 && len(r.topic) > 0 && (i+1 >= end || ws[i+1].mark || enSkip[ws[i+1].low] || r.timeAt(i+1, end)) {
			return r.topic
		}
		if i+2 < end && ws[i].low == "it" && ws[i+1].low == "when" { // "love it when the timeline jumps"
			j := r.phraseEnd(i+3, end)
			if ws[i+2].low == "the" || ws[i+2].low == "a" {
				if o := r.item(i+2, j, mode); o != nil && o.kind == kindStyle {
					return []zhObject{*o}
				}
			}
		}
		return nil
	}
	if enPreps[ws[i].low] && ws[i].low != "to" || ws[i].low == "up" || ws[i].low == "out" || ws[i].low == "down" || ws[i].low == "my" && i+1 < end && enOrdinal[ws[i+1].low] {
		return nil
	}
	if enBadFirst[ws[i].low] && !ws[i].quoted {
		if !r.gerund(i, end, mode) && !(ws[i].low == "anything" && i+1 < end && enPreps[ws[i+1].low]) {
			return nil
		}
	}
	if ws[i].low == "to" {
		if i+1 >= end || ws[i+1].form != formBase || enBadTo[ws[i+1].low] && !(ws[i+1].low == "get" && i+2 < end && ws[i+2].low == "lost") {
			return nil
		}
	}
	var out []zhObject
	from := i
	items := 0
	add := func(to int) {
		if o := r.item(from, to, mode); o != nil {
			out = append(out, *o)
		}
		items++
	}
	k := i
	last := false
	for !last {
		k = r.itemEnd(from, end, mode)
		next := -1
		if k < end {
			switch w := &ws[k]; {
			case w.low == "and" || w.low == "or" || w.low == "&":
				if k+1 < end && !r.startsClause(k+1) && !r.timeAt(k+1, end) && r.itemOK(k+1, end) {
					next = k + 1
				}
			case w.low == ",":
				if k+1 < end && (ws[k+1].low == "and" || ws[k+1].low == "or") && k+2 < end && !r.startsClause(k+2) && items > 0 {
					next = k + 2
				} else if r.listGoesOn(k, end) {
					next = k + 1
				}
			}
		}
		if next < 0 {
			last = true
		}
		if k < end && (enDeicticWords[ws[k].low] || ws[k].low == "what" || ws[k].low == "how") && (enPreps[ws[k-1].low] || k == from+1 && ws[from].form == formIng) {
			return out // "the taste of these", "making this": cut short
		}
		add(k)
		if mode&objSubject != 0 && next < 0 && k < end && !ws[k].mark && !r.timeAt(k, end) {
			return nil // "Playing it helps me": cut short
		}
		if items == 1 && len(out) == 0 && next > 0 {
			return nil
		}
		from = next
		if items > 6 {
			break
		}
	}
	// An author beside another: "Agatha Christie and Dorothy Sayers".
	author := false
	for _, o := range out {
		author = author || o.kind == kindAuthor
	}
	for n := range out {
		if author && out[n].kind != kindAuthor && capitalised(out[n].parts[0]) {
			out[n].kind = kindAuthor
		}
	}
	return out
}

func (r *enReader) timeAt(i, end int) bool {
	n, _ := enTimeAt(r.ws[:end], i)
	return n > 0
}

// itemOK reports whether a list may go on at word k: no verb or pronoun comes first.
func (r *enReader) itemOK(k, end int) bool {
	w := &r.ws[k]
	return !w.mark && !enPronouns[w.low] && !enConj[w.low] && (w.form == formNone || w.form == formIng || w.form == formBase || !enFeeling[w.lemma] && w.form == formS)
}

// listGoesOn reports whether the comma at word k parts items: short pieces follow, the
// last of them after "and" or "or".
func (r *enReader) listGoesOn(k, end int) bool {
	commas := 1
	size := 0
	for j := k + 1; j < end; j++ {
		w := &r.ws[j]
		switch {
		case w.low == ",":
			commas++
			if size == 0 || size > 5 {
				return false
			}
			size = 0
			continue
		case w.low == "and" || w.low == "or":
			return size > 0 && size <= 5 && j+1 < end && !r.startsClause(j+1) || size == 0 && commas > 1 && !r.startsClause(j+1)
		case w.mark:
			return commas >= 2 && size > 0 && size <= 3
		case enPronouns[w.low] || enAux[w.low] || enConj[w.low] || enNegators[w.low] || enOpeners[w.low] || size == 0 && enPreps[w.low]:
			return false
		}
		size++
	}
	return commas >= 2 && size > 0 && size <= 3
}

// itemEnd is where one item of a list ends.
func (r *enReader) itemEnd(i, end int, mode objMode) int {
	ws := r.ws
	if n := enPhraseAt(enFixed, ws[:end], i); n > 0 {
		return r.itemEndFrom(i, i+n, end, mode)
	}
	return r.itemEndFrom(i, i+1, end, mode)
}

func (r *enReader) itemEndFrom(i, k, end int, mode objMode) int {
	ws := r.ws
	if ws[i].quoted {
		return i + 1
	}
	for ; k < end; k++ {
		w := &ws[k]
		if w.mark {
			return k
		}
		if w.low == "and" || w.low == "or" || w.low == "&" {
			// "Dungeons & Dragons", "salt and pepper": a fixed pair.
			if k > i && enPhraseAt(enFixed, ws[:end], k-1) > 0 {
				k++
				continue
			}
			if w.capital || k+1 < end && w.low == "&" && ws[k-1].capital && ws[k+1].capital {
				continue
			}
			return k
		}
		if enPhraseStop[w.low] || w.quoted {
			return k
		}
		if w.low == "to" && k+1 < end && r.purpose(k+1) || w.low == "to" && mode&objPrefer != 0 || w.low == "over" && mode&objStrict != 0 || w.low == "rather" {
			return k
		}
		if mode&objSubject == 0 && (enAux[w.low] && w.low != "may" && w.low != "can" && w.low != "will" && w.low != "being" || w.form == formS && w.low != w.lemma && enFeeling[w.lemma] || w.form == formPast && w.lemma == "help") {
			return k
		}
		if mode&objSubject == 0 && enPronouns[w.low] && w.low != "one" && w.low != "it" && w.low != "people" && w.low != "that" && w.low != "what" {
			return k
		}
		if w.low == "that" || w.low == "for" && k+1 < end && (ws[k+1].low == "me" || ws[k+1].low == "its" || ws[k+1].low == "the" && k+2 < end && enReplyNouns[ws[k+2].low]) || w.low == "with" && k+1 < end && (ws[k+1].low == "my" || ws[k+1].low == "our" || ws[k+1].low == "friends" || ws[k+1].low == "the" && k+2 < end && enKin[ws[k+2].low]) {
			return k
		}
		if w.low == "through" || w.low == "thanks" || w.low == "due" || w.low == "it" && k > i+1 {
			return k
		}
		if n, _ := enTimeAt(ws[:end], k); n > 0 && !(w.low == "in" && k+2 < end) && !(w.low == "at" && k+1 < end && ws[k+1].low == "night") && w.low != "spring" {
			if n == 1 && k+1 < end && !ws[k+1].mark && !enPreps[ws[k+1].low] && !enAux[ws[k+1].low] && !enConj[ws[k+1].low] && ws[k+1].low != "and" && (w.low == "so" || w.low == "best" || w.low == "most" || w.low == "well" || w.low == "first" || w.low == "just" || w.low == "more" || w.low == "much" || w.low == "all" || w.low == "together") {
				continue
			}
			return k
		}
	}
	return k
}

// gerund: "being outdoors", "having movie marathons", "getting lost in a book" are
// pastimes where "being able to help" and "having you here" are replies.
func (r *enReader) gerund(i, end int, mode objMode) bool {
	if i+1 >= end {
		return false
	}
	next := &r.ws[i+1]
	switch r.ws[i].low {
	case "being":
		return mode&objSubject != 0 || enPreps[next.low] || next.low == "outdoors" || next.low == "outside" || next.low == "alone" || next.low == "active" || next.low == "out"
	case "having":
		return !enDeicticWords[next.low] && !enPronouns[next.low] && next.low != "the" && next.low != "someone" && next.low != "my"
	case "getting":
		return next.low == "lost" || next.low == "immersed" || next.low == "out" || next.low == "outdoors"
	}
	return false
}

// purpose: "chess to get better at strategy".
func (r *enReader) purpose(k int) bool {
	switch r.ws[k].lemma {
	case "get", "feel", "keep", "stay", "help", "make", "see", "be", "have", "relax", "unwind", "go":
		return r.ws[k].form == formBase
	}
	return false
}

// phraseEnd is where a verb phrase whose complement starts at word k ends.
func (r *enReader) phraseEnd(k, end int) int {
	from := k
	for ; k < end; k++ {
		w := &r.ws[k]
		if w.mark || enPhraseStop[w.low] && !(w.low == "after" || w.low == "before") || enPronouns[w.low] && w.low != "it" && w.low != "people" {
			break
		}
		if (w.low == "and" || w.low == "or") && (k+1 >= end || k-from > 4 || r.startsClause(k+1)) {
			break
		}
		if w.low == "with" && k+1 < end && (r.ws[k+1].low == "my" || r.ws[k+1].low == "the" || r.ws[k+1].low == "our") && k-from >= 1 {
			break
		}
		if n, _ := enTimeAt(r.ws[:end], k); n > 0 && !(w.low == "once" && k == from) && !(w.low == "much" || w.low == "more") && !(w.low == "in" && k == from) {
			break
		}
		if (w.low == "to" && k > from+1 && k+1 < end && r.ws[k+1].form == formBase) && k-from > 3 {
			break
		}
	}
	return k
}

// clean is the name that the words [i,j) make: no articles or adverbs around it.
func (r *enReader) clean(i, j int) string {
	ws := r.ws
	for i < j-1 && (enLeading[ws[i].low] || enSkip[ws[i].low]) && !(ws[i].low == "the" && ws[i].capital && ws[i+1].capital) && !(ws[i].low == "pretty" || ws[i].low == "own" || ws[i].low == "long" || ws[i].low == "real" || ws[i].low == "little" || ws[i].low == "big" && ws[i+1].capital) {
		if ws[i].low == "to" && ws[i+1].form == formNone {
			break
		}
		if ws[i].capital && ws[i+1].capital && i > 0 {
			break
		}
		i++
	}
	for j > i+1 && (enSkip[ws[j-1].low] && ws[j-1].low != "right" || enPreps[ws[j-1].low] && ws[j-1].low != "outside" && ws[j-1].low != "by" || ws[j-1].low == "and" || ws[j-1].low == "the" || ws[j-1].low == "a" || ws[j-1].low == "it" || ws[j-1].mark) {
		j--
	}
	return strings.Trim(r.name(i, j), " \"'“”*_.,;:!?()")
}

// item makes one object of the words [i,j), nil if they name nothing lasting.
func (r *enReader) item(i, j int, mode objMode) *zhObject {
	ws := r.ws
	if i < 0 || i >= j {
		return nil
	}
	for i < j-1 && enSkip[ws[i].low] && ws[i].low != "little" && ws[i].low != "long" {
		i++
	}
	if ws[i].quoted {
		return &zhObject{kindWork, []string{r.name(i, i+1)}}
	}
	if enBadFirst[ws[i].low] && ws[i].low != "anything" && !r.gerund(i, j, mode) {
		return nil
	}
	for k := i; k < j; k++ {
		if ws[k].quoted && !(k > i && mode&objSubject != 0 && k+1 < j) {
			return &zhObject{kindWork, []string{r.name(k, k+1)}}
		}
	}
	// An author's name, alone or as owner or maker of books.
	if a := r.author(i, j); a != "" {
		return &zhObject{kindAuthor, []string{a}}
	}
	name := r.clean(i, j)
	n := len(strings.Fields(name))
	if n == 0 || n > 9 || n == 1 && (enDays[ws[j-1].low] && ws[j-1].capital || enNumbers[strings.ToLower(name)] || enVague[strings.ToLower(name)]) {
		return nil
	}
	head := j - 1
	for k := i + 1; k < j; k++ { // the head stands before the first preposition
		if enPreps[ws[k].low] {
			head = k - 1
			break
		}
	}
	for head > i && enSkip[ws[head].low] {
		head--
	}
	style := false
	for k := i; k < j; k++ {
		style = style || enPhraseAt(enStyles, ws[:j], k) > 0
	}
	if style && ws[i].form != formIng {
		return &zhObject{kindStyle, []string{name}}
	}
	h := ws[head].low
	if ws[i].low == "making" && j > i+1 && (ws[i+1].low == "sure" || ws[i+1].low == "it") {
		return nil
	}
	if mode&objStrict != 0 && mode&objPeople == 0 && ws[i].form != formIng && ws[i].low != "a" && ws[i].low != "an" {
		if enReplyNouns[h] && head > i && !(ws[head].form == formIng) || enReplyNouns[h] && head == i && n == 1 || enKin[h] && (ws[i].low == "my" || ws[i].low == "the" || ws[i].low == "our" || ws[i].low == "all") && h != "dog" && h != "cat" {
			return nil
		}
		if ws[i].low == "the" && !ws[i].capital && !r.general(i, j) {
			return nil
		}
	}
	for k := i; k < j; k++ {
		if enDeicticWords[ws[k].low] && !(ws[k].low == "that" || ws[k].low == "their" && mode&objPeople != 0) {
			return nil
		}
	}
	if mode&objSubject != 0 && (ws[i].low == "the" || ws[i].low == "my" || ws[i].low == "our") && (enReplyNouns[h] || enKin[h]) {
		return nil
	}
	if r.title(i, j) {
		return &zhObject{kindWork, []string{name}}
	}
	if ws[i].low == "to" && ws[i+1].form == formBase {
		return &zhObject{kindDeed, []string{name}}
	}
	return &zhObject{kindTopic, []string{name}}
}

// general: "the sea", "the smell of bread", "the Beatles", "the quiet afterwards".
func (r *enReader) general(i, j int) bool {
	ws := r.ws
	if i+1 < j && (ws[i+1].capital || enGeneral[ws[i+1].low]) {
		return true
	}
	for k := i + 1; k < j; k++ {
		switch ws[k].low {
		case "of":
			return enSenses[ws[k-1].low] || k > i+1 && !enReplyNouns[ws[k-1].low] && k+1 < j && ws[k+1].low != "the" && ws[k+1].low != "my"
		}
	}
	return j > i+1 && enGeneral[ws[j-1].low]
}

// author finds the name of a writer in the words [i,j).
func (r *enReader) author(i, j int) string {
	ws := r.ws
	if name := r.name(i, j); isAuthor(name) {
		return name
	}
	// "books by X", "anything by X"
	for k := i + 1; k+1 < j; k++ {
		if ws[k].low == "by" && ws[k+1].capital && (enBookish[ws[k-1].low] || ws[k-1].low == "anything" || ws[k-1].low == "everything") {
			return r.name(k+1, r.capsEnd(k+1, j))
		}
	}
	if !ws[i].capital {
		return ""
	}
	c := r.capsEnd(i, j)
	name := strings.TrimSuffix(r.name(i, c), "'s")
	name = strings.TrimSuffix(name, "'")
	known := isAuthor(name) || isArtist(name)
	if c < j && !(enBookish[ws[j-1].low] && c == j-1) {
		return ""
	}
	given := c-i >= 2 && c-i <= 4 && isGiven(ws[i].low)
	if known || given {
		return name
	}
	if c < j && strings.HasSuffix(ws[c-1].low, "'s") && c-i >= 2 {
		return name
	}
	return ""
}

var enBookish = set(`books book novels novel stories poems poem poetry plays essays writing work works stuff music songs films movies fiction fan`)

// capsEnd is where the run of capitalised words that starts at i ends.
func (r *enReader) capsEnd(i, j int) int {
	k := i
	for k < j && (r.ws[k].capital || k > i && smallWords[r.ws[k].low] && r.ws[k].low != "is" && (k+1 < j && r.ws[k+1].capital && r.ws[k].low != "and" || k+2 < j && r.ws[k+2].capital && smallWords[r.ws[k+1].low] && r.ws[k].low == "of")) {
		k++
	}
	return k
}

// title reports whether the words [i,j) look like the title of a work: all capitalised,
// two words or more, and neither a place nor a kind of thing.
func (r *enReader) title(i, j int) bool {
	if j-i < 2 || !r.ws[i].capital || r.capsEnd(i, j) != j {
		return false
	}
	for k := i; k < j; k++ {
		if enProper[r.ws[k].low] || enPlaces()[r.ws[k].low] {
			return false
		}
	}
	return !isGiven(r.ws[i].low) || j-i > 2
}

var (
	enSenses = set(`smell sound taste feel feeling sight scent noise hum art history idea_of`)
	enVague  = set(`ton tons lot bit memory way ways rest kind sort`)
)

func isArtist(name string) bool {
	return knownArtists()[textnorm.Key(strings.ReplaceAll(name, string(dotted), "."))]
}
func isGiven(low string) bool { return givenNames()[strings.TrimSuffix(low, "'s")] }
