package openie

import (
	"slices"
	"sort"
	"strings"
)

// An enRule says what its forms mean. A form is a sequence of words; a verb matches in
// every inflection, a|b is a choice, "?" ends what may be left out, and the last word
// may be OBJ, the object phrase that follows, or VP, a verb phrase. Words of enSkip,
// auxiliaries and negators may stand between the words of a form unless it names them.
type enRule struct {
	act   enAct
	conf  float64
	forms string
}

type enAct uint8

const (
	actLike    enAct = iota + 1
	actDislike       // a negator makes nothing of it
	actQuit          // a dislike also in the past: "gave up sugar"
	actTrait         // the words from the verb on are the trait
	actComp          // what follows the form is the trait
	actFav           // a like of rank 1
	actMust          // "never miss": the form has its negator in it, and likes
	actDeed          // the object is a pastime
)

type enElem struct {
	alts []string
	opt  bool
}

type enForms struct {
	elems []enElem
	rest  string // "", OBJ or VP
	rule  *enRule
}

// An enTable finds forms by their first word.
type enTable map[string][]enForms

func enCompile(rules []enRule) enTable {
	t := enTable{}
	for i := range rules {
		for _, line := range strings.Split(rules[i].forms, "\n") {
			fields := strings.Fields(line)
			if len(fields) == 0 {
				continue
			}
			f := enForms{rule: &rules[i]}
			if last := fields[len(fields)-1]; last == "OBJ" || last == "VP" {
				f.rest = last
				fields = fields[:len(fields)-1]
			}
			for _, w := range fields {
				w, opt := strings.CutSuffix(w, "?")
				f.elems = append(f.elems, enElem{alts: strings.Split(w, "|"), opt: opt})
			}
			for _, first := range f.elems[0].alts {
				t[first] = append(t[first], f)
			}
		}
	}
	for _, fs := range t { // the longest form wins, then the first
		sort.SliceStable(fs, func(i, j int) bool { return len(fs[i].elems) > len(fs[j].elems) })
	}
	return t
}

// An enHit is a form found in a clause.
type enHit struct {
	rule    *enRule
	form    *enForms
	verb    int // word where the form starts
	after   int // word after it
	neg     bool
	past    bool // told as over: past tense without "have", "always" or "never"
	ing     bool // in progress: a matter of the moment
	perfect bool
	often   bool
}

// find looks for a form at the verb group that starts at word i of ws[:end]; bare lets
// the subject and its "be" be left out ("Obsessed with tea").
func (t enTable) find(ws []enWord, i, end int, bare bool) (enHit, bool) {
	for k := i; k < end; k++ {
		w := &ws[k]
		for _, key := range []string{w.lemma, w.low} {
			for f := range t[key] {
				if h, ok := t[key][f].match(ws, i, end, nil); ok {
					return h, true
				}
			}
			if w.low == w.lemma {
				break
			}
		}
		if !enPasses(ws, k, end) {
			if bare {
				be := enElem{alts: []string{"be"}}
				for f := range t["be"] {
					if h, ok := t["be"][f].match(ws, i, end, &be); ok {
						return h, true
					}
				}
			}
			return enHit{}, false
		}
	}
	return enHit{}, false
}

// match tries one form from word i on. given is an element that the text leaves out.
func (f *enForms) match(ws []enWord, i, end int, given *enElem) (enHit, bool) {
	h := enHit{rule: f.rule, form: f, verb: -1}
	did := false
	elems := f.elems
	if given != nil {
		elems = elems[1:]
	}
	for e := range elems {
		el := &elems[e]
		for {
			if i < end && el.matches(&ws[i]) {
				if h.verb < 0 {
					h.verb = i
					h.past = ws[i].form == formPast && !h.perfect || did
					h.ing = ws[i].form == formIng
				}
				i++
				break
			}
			if el.opt {
				break
			}
			if i >= end || !enPasses(ws, i, end) {
				return h, false
			}
			switch w := &ws[i]; {
			case enNegators[w.low] || w.low == "no" && i+1 < end && ws[i+1].low == "longer":
				h.neg = !h.neg
				if w.low == "never" {
					h.often = true
				}
			case w.lemma == "have":
				h.perfect = true
			case w.low == "did":
				did = true
			case w.low == "always":
				h.often = true
			}
			i++
		}
	}
	if h.verb < 0 {
		h.verb = i
	}
	h.after = i
	if h.often {
		h.past = false
	}
	return h, true
}

func (e *enElem) matches(w *enWord) bool {
	return !w.mark && (slices.Contains(e.alts, w.lemma) || w.low != w.lemma && slices.Contains(e.alts, w.low))
}

// enPasses reports whether word i may stand between the words of a form.
func enPasses(ws []enWord, i, end int) bool {
	w := &ws[i]
	switch {
	case w.mark || w.quoted:
		return false
	case enSkip[w.low] || enNegators[w.low]:
		return true
	case w.low == "no" || w.low == "longer":
		return i+1 < end && ws[i+1].low == "longer" || i > 0 && ws[i-1].low == "no"
	case w.lemma == "do" || w.lemma == "have" || w.lemma == "be":
		// An auxiliary: a verb comes after it.
		for k := i + 1; k < end; k++ {
			n := &ws[k]
			if enSkip[n.low] || enNegators[n.low] {
				continue
			}
			switch w.lemma {
			case "do":
				return n.form == formBase
			case "have":
				return n.form == formPast || n.form == formIng
			}
			return n.form == formIng
		}
	case w.low == "a" || w.low == "an" || w.low == "the":
		// "a bit of", "a huge part": articles before what is skipped or named.
		return i+1 < end
	}
	return false
}
