package openie

import (
	"slices"
	"strings"
)

// favourite reads "my favourite author is X" and "X is my second favourite film".
func (r *enReader) favourite(i, end int) bool {
	ws := r.ws
	fav := -1
	for k := i; k < end; k++ {
		switch ws[k].low {
		case "favourite", "favorite", "favourites", "favorites", "fave", "faves", "go-to", "fav":
			if fav < 0 {
				fav = k
			}
		}
	}
	if fav < 0 {
		return false
	}
	rank := 1
	from := fav
	for from > i && (ws[from-1].low == "second" || ws[from-1].low == "third" || ws[from-1].low == "all-time" || ws[from-1].low == "time" || ws[from-1].low == "all" || enSkip[ws[from-1].low] || ws[from-1].low == "new" || ws[from-1].low == "current" || ws[from-1].low == "absolute" || ws[from-1].low == "personal" || ws[from-1].low == "down" || ws[from-1].low == "hands") {
		from--
		switch ws[from].low {
		case "second":
			rank = 2
		case "third":
			rank = 3
		}
	}
	if from == i || ws[from-1].low != "my" && ws[from-1].low != "our" && !(ws[from-1].low == "user's") {
		return false
	}
	one := from-2 >= i && ws[from-2].low == "of"
	if ws[fav].low == "go-to" || one || strings.HasSuffix(ws[fav].low, "s") {
		rank = 0
	}
	noun := fav + 1
	for noun < end && !(ws[noun].lemma == "be" && ws[noun].low != "being") && ws[noun].low != "remains" && ws[noun].low != "will" && ws[noun].low != "has" && ws[noun].low != "would" {
		noun++
	}
	kindOf := func(to int) kind {
		for k := fav + 1; k < to && k < fav+4; k++ {
			if kd, ok := enKinds[ws[k].low]; ok {
				return kd
			}
		}
		return kindTopic
	}
	var objs []zhObject
	var forced kind
	if from-1 == i || one && from-3 <= i {
		// "my favourite N is X": what follows the verb.
		k := noun
		neg := false
		for ; k < end && (ws[k].lemma == "be" || enSkip[ws[k].low] || ws[k].low == "remains" || ws[k].low == "has" || ws[k].low == "would" || ws[k].low == "to" || ws[k].low == "will"); k++ {
			if ws[k].low == "was" || ws[k].low == "were" {
				return true
			}
		}
		if k < end && (ws[k].low == "not" || enNegators[ws[k].low]) {
			neg = true
		}
		if k == noun && end < len(ws) && ws[end].low == ":" {
			k = end + 1
		} else if k == noun {
			return true
		}
		if neg || noun > fav+1 && ws[fav+1].low == "one" || enPassing[strings.ToLower(r.name(fav+1, min(fav+2, noun)))] {
			return true
		}
		forced = kindOf(noun)
		objs = r.objects(k, len(ws), objLoose)
		if len(objs) > 1 && (forced != kindTopic || !one) && rank > 0 {
			rank = 0
		}
	} else {
		// "X is my favourite N".
		be := from - 1
		for be > i && ws[be].lemma != "be" && ws[be].low != "remains" {
			be--
		}
		if be == i || enAux[ws[i].low] || enAux[ws[be-1].low] && ws[be-1].low != "has" || ws[be].low == "was" || ws[be].low == "were" {
			return true
		}
		for k := be; k < from; k++ {
			if enNegators[ws[k].low] {
				return true
			}
		}
		forced = kindOf(end)
		first := ws[i].low
		if first == "it" || first == "they" {
			objs = slices.Clone(r.topic)
			if len(objs) > 0 && objs[0].kind != kindTopic {
				forced = objs[0].kind
			}
		} else if enPronouns[first] || first == "your" || first == "his" || first == "her" {
			return true
		} else {
			objs = r.objects(i, be, objLoose|objSubject)
		}
	}
	for n := range objs {
		o := &objs[n]
		switch {
		case forced == kindAuthor && o.kind != kindAuthor:
			*o = zhObject{kindAuthor, o.parts[:1]}
		case forced == kindWork && o.kind == kindAuthor && !isAuthor(o.parts[0]):
			o.kind = kindWork
		case forced == kindTopic && o.kind == kindWork && !r.quoted(o.parts[0]) && (fav+1 < end && !ws[fav+1].mark && ws[fav+1].form == formNone || !strings.HasPrefix(o.parts[0], "The ")):
			o.kind = kindTopic // a dish in capitals
		case forced == kindWork && (o.kind == kindTopic || o.kind == kindDeed || o.kind == kindStyle) && capitalised(o.parts[0]):
			o.kind = kindWork
		case forced == kindStyle:
			o.kind = kindStyle
		}
		if o.kind == kindDeed {
			o.kind = kindTopic
		}
	}
	r.likes(objs, false, rank, direct-0.01)
	return true
}

// quoted reports whether a name stands in quotes.
func (r *enReader) quoted(name string) bool {
	for k := range r.ws {
		if r.ws[k].quoted && r.name(k, k+1) == name {
			return true
		}
	}
	return false
}

// enKinds: what kind of thing a favourite is.
var enKinds = map[string]kind{"author": kindAuthor, "authors": kindAuthor, "writer": kindAuthor, "writers": kindAuthor, "poet": kindAuthor, "poets": kindAuthor, "novelist": kindAuthor, "playwright": kindAuthor, "composer": kindAuthor, "singer": kindAuthor, "director": kindAuthor, "composers": kindAuthor, "directors": kindAuthor,
	"book": kindWork, "books": kindWork, "novel": kindWork, "novels": kindWork, "film": kindWork, "films": kindWork, "movie": kindWork, "movies": kindWork, "show": kindWork, "series": kindWork, "play": kindWork, "poem": kindWork, "game": kindWork, "games": kindWork, "album": kindWork, "song": kindWork, "anime": kindWork, "manga": kindWork,
	"style": kindStyle, "narrator": kindStyle, "narration": kindStyle}

// enPassing: favourites of an occasion.
var enPassing = set(`part bit memory moment thing moments photo picture`)
