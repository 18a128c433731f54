package openie

// likes adds a like or dislike of each object. It remembers them for "it" and "them".
func (r *enReader) likes(objs []zhObject, negated bool, rank int, conf float64) {
	for _, o := range objs {
		r.add(liking(o.kind, o.parts, negated, rank, conf))
	}
	if len(objs) > 0 {
		r.topic = objs
	}
}

// ofSelf reads a clause whose subject is the speaker; verb is where its verb group starts.
func (r *enReader) ofSelf(verb, end int, bare, often bool) bool {
	if verb >= end {
		return false
	}
	if r.tried(verb, end) || !bare && r.finds(verb, end) || !bare && (r.traits(verb, end) || r.flaws(verb, end)) {
		return true
	}
	h, ok := enSelfTable().find(r.ws, verb, end, bare)
	if !ok {
		return !bare && r.habit(verb, end, often)
	}
	if bare && (h.rule.act == actTrait || h.rule.act == actComp || h.rule.act == actDeed) {
		return false
	}
	conf := h.rule.conf
	switch h.rule.act {
	case actLike:
		if h.past || h.ing && !h.perfect || h.after >= end && h.form.rest == "OBJ" {
			// Past tastes are over, and "I'm loving it" is of the moment; but of a work the
			// liking stays.
			if h.past {
				if objs := r.objects(h.after, len(r.ws), objStrict); len(objs) == 1 && objs[0].kind == kindWork {
					r.likes(objs, h.neg, 0, clear+0.02)
				}
			}
			return true
		}
		if h.form.rest == "VP" { // "I'd rather build something"
			if h.after < end && enDeedSet[r.ws[h.after].lemma] && r.ws[h.after].form == formBase && (end >= len(r.ws) || !enConj[r.ws[end].low]) {
				r.deed(h.after, end, false, conf-0.12)
			}
			return true
		}
		if h.ws(r).low == "would" && !r.endsAnyDay(h.after, end) {
			return true // "I'd take a seat"
		}
		rank := 0
		if !h.neg && r.most(h.after, end) {
			rank = 1
		}
		mode := objStrict
		if h.ws(r).low == "prefer" {
			mode |= objPrefer
		}
		r.likes(r.objects(h.after, len(r.ws), mode), h.neg, rank, conf)
	case actMust:
		if !h.past {
			r.likes(r.objects(h.after, len(r.ws), objStrict), false, 0, conf)
		}
	case actDislike:
		if !h.past && (!h.ing || h.perfect) && !(h.neg && h.ws(r).lemma != "not") {
			r.likes(r.objects(h.after, len(r.ws), objStrict|objPeople), true, 0, conf)
		}
	case actQuit:
		if !h.neg && (!h.ing || h.perfect) {
			from := h.after
			if h.ws(r).lemma == "stop" {
				from = h.verb + 1
			}
			if from < end && r.ws[from].capital && !enProper[r.ws[from].low] {
				return true // a work put down (works)
			}
			r.likes(r.objects(from, len(r.ws), objStrict), true, 0, conf)
		}
	case actDeed:
		if !h.past || h.perfect || h.ws(r).lemma == "take" || h.ws(r).lemma == "start" || h.ws(r).lemma == "begin" {
			if h.form.rest == "VP" {
				if h.after < end && r.ws[h.after].form == formIng {
					r.deed(h.after, end, h.neg, conf)
				}
			} else {
				r.likes(r.objects(h.after, len(r.ws), objStrict), h.neg, 0, conf)
			}
		}
	case actTrait:
		if !h.past || h.perfect {
			from := h.verb
			if k := from - 1; k >= verb && (r.ws[k].low == "not" || r.ws[k].low == "never" || r.ws[k].low == "always") {
				from = k
				if r.ws[k].low == "not" && k > verb && enAux[r.ws[k-1].low] {
					from--
				}
			}
			if h.ing {
				return true // of the moment: "I'm struggling with the jet lag"
			}
			if r.ws[from].lemma == "be" {
				from++
			}
			if h.neg && from == h.verb && h.ws(r).lemma != "be" {
				return true // "I don't cry easily" lacks a trait that has no short name
			}
			r.tag("SELF_TRAIT", r.complement(from, h.after, end), conf)
		}
	case actComp:
		if !h.past && h.after < end && (h.ws(r).low != "can" || r.ws[h.after].form == formIng) {
			r.tag(polar("SELF_TRAIT", h.neg), r.complement(h.after, h.after, end), conf)
		}
	}
	return true
}

// finds reads "I find chess endlessly interesting".
func (r *enReader) finds(i, end int) bool {
	for i < end && (enSkip[r.ws[i].low] || r.ws[i].lemma == "have") {
		i++
	}
	if i >= end || r.ws[i].lemma != "find" || r.ws[i].form == formIng {
		return false
	}
	for k := i + 2; k < end && k < i+8; k++ {
		good, bad := enPleasant[r.ws[k].low], enUnpleasant[r.ws[k].low]
		if !good && !bad {
			continue
		}
		if r.ws[i].form == formPast && r.ws[i-1].low != "always" {
			return true
		}
		to := k
		for to > i+1 && enSkip[r.ws[to-1].low] {
			to--
		}
		r.likes(r.objects(i+1, to, objStrict), bad, 0, clear)
		return true
	}
	return false
}

var (
	enPleasant   = set(`interesting fascinating relaxing soothing calming comforting rewarding fun therapeutic beautiful exciting irresistible captivating addictive inspiring peaceful delightful charming satisfying meditative`)
	enUnpleasant = set(`boring tedious dull annoying exhausting gimmicky overrated pretentious unbearable irritating disgusting stressful draining insufferable depressing revolting tiresome frustrating`)
)

func (h *enHit) ws(r *enReader) *enWord { return &r.ws[h.verb] }

// most reports "I like tea best".
func (r *enReader) most(i, end int) bool {
	for k := i; k < end; k++ {
		if w := r.ws[k].low; w == "best" || w == "most" {
			return k+1 == end || r.ws[k+1].low == "of"
		}
	}
	return false
}

// complement is the text from word i up to the end of the phrase that goes on at from.
func (r *enReader) complement(i, from, end int) string {
	for i < from && (enSkip[r.ws[i].low] && r.ws[i].low != "always" || r.ws[i].low == "a") {
		i++
	}
	j := from
	for j < end && j-i < 9 && !r.ws[j].mark {
		if n, _ := enTimeAt(r.ws[:end], j); n > 0 && j > from && (n > 1 || j+1 == end) {
			break
		}
		if (r.ws[j].low == "and" || r.ws[j].low == "or") && (j+1 >= end || enPronouns[r.ws[j+1].low]) {
			break
		}
		j++
	}
	for j > from && (r.ws[j-1].low == "and" || r.ws[j-1].low == "to" || r.ws[j-1].low == "so" || r.ws[j-1].low == "the" || r.ws[j-1].low == "a") {
		j--
	}
	for k := i; k < j; k++ {
		if enDeicticWords[r.ws[k].low] || r.ws[k].low == "such" {
			return ""
		}
	}
	return r.name(i, j)
}

// asSomeone reads "As someone who gets lost in car parks, …".
func (r *enReader) asSomeone(i, end int) bool {
	k := i + 1
	for k < end && (r.ws[k].low == "a" || r.ws[k].low == "person") {
		k++
	}
	if k < end && r.ws[k].low == "someone" {
		k++
	}
	if k > i+1 && k+1 < end && r.ws[k].low == "who" {
		r.tag("SELF_TRAIT", r.complement(k+1, k+1, end), clear)
		return true
	}
	return false
}
