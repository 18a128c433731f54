package clause

import (
	"slices"
	"strings"
	"unicode"

	"membench/internal/depparse"
	"membench/internal/timex"
)

// clauseEnd is the index of the first word behind the clause whose verb group ends at
// from: where a clause of its own begins, or the mark that ends the sentence.
func (s *enSentence) clauseEnd(i, from int) int {
	end := len(s.ws)
	for k := from; k < end; k++ {
		if s.ends(k) && (k > from || s.ws[k].Form == "?" || s.noMore(k)) {
			end = k
			break
		}
		if k == i || !s.opensClause(k, i) {
			continue
		}
		b := s.begin(k)
		if b > from-1 && b <= k {
			end = min(end, max(b, from))
		}
	}
	// A clause that is before the one it belongs to ends where that one begins.
	for c, h := i, s.ws[i].Head; h > i && h < end; c, h = h, s.ws[h].Head {
		if r := s.ws[c].Rel; r != "advcl" && r != "ccomp" && r != "parataxis" {
			break
		}
		b := h
		for _, k := range s.kids[h] {
			if kb := s.begin(k); kb >= from && kb < b {
				b = kb
			}
		}
		end = min(end, max(b, from))
	}
	for end > from && (s.ws[end-1].Rel == "punct" || s.ws[end-1].Rel == "cc" || isMark(s.ws[end-1].Form) || s.emphatic(from, end-1)) {
		end--
	}
	return end
}

// emphatic reports whether word k only stresses who it is, behind what the clause is about:
// "I'm a writer myself", but not "I cut myself" or "by myself".
func (s *enSentence) emphatic(from, k int) bool {
	return k > from && (s.low(k) == "myself" || s.low(k) == "ourselves") && s.ws[k-1].Tag != "IN" && s.ws[k-1].Tag != "TO"
}

// noMore reports whether word k begins "anymore", "any more" or "these days", which with a denial say that it was so before.
func (s *enSentence) noMore(k int) bool {
	return s.low(k) == "anymore" || s.low(k) == "nowadays" || s.low(k) == "these" && s.low(k+1) == "days" || s.low(k) == "any" && (s.low(k+1) == "more" || s.low(k+1) == "longer") && isMark(s.low(k+2))
}

// ends reports whether word k is a mark that ends a clause.
func (s *enSentence) ends(k int) bool {
	switch w := s.low(k); { // "I don't drink coffee anymore by the way": no part of what is drunk
	case s.low(k+1) == "not" && (w == "but" || w == ","): // "Graz, not Vienna"
		return true
	case w == "but" && k+2 < len(s.ws) && (s.ws[k+1].Tag == "PRP$" || s.ws[k+1].Tag == "PRP" || s.ws[k+1].Tag == "DT"): // "I used to play but my knee …"
		return true
	case (w == "and" || w == "but") && nominative[s.low(k+1)] && s.ws[k+1].Rel != "conj" && k+2 < len(s.ws) && finiteTag(s.ws[k+2]): // "… twice already and it's not even noon"
		return true
	case w == "btw", w == "by" && s.low(k+1) == "the" && s.low(k+2) == "way", s.noMore(k):
		return true
	}
	switch f := s.ws[k].Form; f[0] {
	case '.', '!', '?', ';', ':', '(':
		return true
	case '-':
		return k > 0 && s.ws[k-1].End < s.ws[k].Start
	case ',': // "…, I just ate": a clause of its own, whatever the parse made of it
		if w := s.low(k + 1); w == "thanks" || w == "thank" || w == "lol" || w == "haha" || w == "so" || w == "but" || w == "because" || w == "though" || w == "although" || w == "and" && k+3 < len(s.ws) && s.ws[k+2].Tag == "PRP$" && s.finite(k+2, "VBZ", "VBP", "VBD") {
			return true
		}
		return k+2 < len(s.ws) && (s.ws[k+1].Tag == "PRP" && nominative[s.low(k+1)] || s.low(k+1) == "that" && s.ws[k+2].Tag == "VBZ") && (isVerb(s.ws[k+2]) || s.ws[k+2].Tag == "MD" || s.ws[k+2].Tag == "RB")
	default:
		return f == "—" || f == "–" || f == "…"
	}
}

var nominative = set("i we he she they it you")

func isMark(f string) bool {
	return strings.TrimFunc(f, func(r rune) bool {
		return strings.ContainsRune(",.;:!?-–—…\"'“”‘’()", r) || unicode.Is(unicode.So, r)
	}) == ""
}

// opensClause reports whether word k is the core of a clause that is not part of the
// object of predicate i.
func (s *enSentence) opensClause(k, i int) bool {
	w := s.ws[k]
	own := s.kid(k, "nsubj", "nsubj:pass") >= 0
	switch w.Rel {
	case "parataxis":
		return true
	case "advcl":
		switch m := s.kid(k, "mark"); {
		case m < 0:
			return own || s.ws[max(s.begin(k)-1, 0)].Form == ","
		case s.low(m) == "to": // a purpose is none of the object's, unless nothing else is said
			return s.kid(i, "obj") >= 0 || s.ws[max(m-1, 0)].Form == ","
		default:
			return !complements[s.low(m)]
		}
	case "conj":
		return (isVerb(w) || own || s.kid(k, "cop") >= 0) && (own || w.Head == i || s.chainTo(w.Head, i))
	case "vocative":
		return k > i
	case "discourse": // a noun that the tagger does not know follows its verb without a mark
		return k > i && (isMark(s.ws[k-1].Form) || trailing[s.low(k)] || k+1 == len(s.ws))
	case "root":
		return k != i && k > i
	}
	return false
}

// complements are prepositions before a clause that completes the verb: "worried about
// missing it".
var complements = set("about of at on for in with from into by against over through")

// chainTo reports whether word k is i or hangs on it by complements only.
func (s *enSentence) chainTo(k, i int) bool {
	for n := 0; n < 12 && k >= 0; n++ {
		if k == i {
			return true
		}
		if r := s.ws[k].Rel; r != "xcomp" && r != "conj" && r != "ccomp" {
			return false
		}
		k = s.ws[k].Head
	}
	return false
}

// begin is the first word of the subtree of k, marks and conjunctions before it left in.
func (s *enSentence) begin(k int) int {
	b := k
	for n := 0; n < 40; n++ {
		if len(s.kids[b]) == 0 || s.kids[b][0] >= b {
			return b
		}
		b = s.kids[b][0]
	}
	return b
}

// phrase is the words [from, to), trimmed.
func (s *enSentence) phrase(from, to int) Phrase {
	for from < to && (isMark(s.ws[from].Form) || leading[s.low(from)]) {
		from++
	}
	for from < to && (isMark(s.ws[to-1].Form) || trailing[s.low(to-1)]) {
		to--
	}
	if from >= to {
		return Phrase{}
	}
	a, b := s.ws[from].Start, s.ws[to-1].End
	text := s.raw[a:b]
	if strings.Contains(text, "  ") { // see unmarked
		text = strings.Join(strings.Fields(text), " ")
	}
	for _, art := range []string{"the ", "a ", "an ", "some ", "The ", "A ", "An "} {
		if rest, ok := strings.CutPrefix(text, art); ok && !strings.HasPrefix(rest, "of ") {
			text = rest
		}
	}
	return Phrase{Text: text, Start: s.start + a, End: s.start + b}
}

// objects fills in object, place, company and time.
func (s *enSentence) objects(i int, v verbGroup, f *Fact) {
	from := v.end
	if v.cop && i < v.head { // "how happy I am": nothing behind the copula
		from = v.head + 1
	}
	end := s.clauseEnd(i, from)
	begin := s.begin(i)
	from, end = s.time(f, begin, from, end)
	for from < end && (s.ws[from].Rel == "advmod" && fillers[s.low(from)] || negWord(s.low(from)) || s.ws[from].Rel == "aux") {
		from++
	}
	end = s.apart(v.chain, from, end, f)
	f.Object = s.phrase(from, end)
	if m := allLife.FindStringIndex(f.Object.Text); m != nil {
		f.Object.Text, f.Object.End = f.Object.Text[:m[0]], f.Object.End-len(f.Object.Text)+m[0]
	}
	f.another = from < end && (s.low(from) == "a" || s.low(from) == "an" || s.low(from) == "another" || s.low(from) == "some")
	f.definite = from < end && (definite[s.low(from)] || s.ws[from].Tag == "NNP")
	if f.Object.Text == "" || s.kid(i, "obj") < 0 && s.ws[i].Rel == "acl:relcl" && isVerb(s.ws[i]) {
		s.relativeObject(i, f)
	}
	for k := from; k < end; k++ {
		if s.ws[k].Rel != "case" || s.ws[k].Head <= k || s.ws[k].Head >= end {
			continue
		}
		noun := s.ws[k].Head
		switch prep := s.low(k); {
		case prep == "with":
			for _, n := range append([]int{noun}, s.conjuncts(noun)...) {
				if m := s.mention(n); m.Kind != NoOne && m.Kind != Speaker {
					f.With = append(f.With, m)
				}
			}
		case f.Place.Text == "" && (prep == "in" || prep == "at" || prep == "to" || prep == "from" || prep == "near" || prep == "into") && s.placeNoun(noun):
			f.Place = s.phrase(k+1, s.npEnd(noun, end))
		case f.Place.Text != "" && (prep == "before" || prep == "after"): // "in Vienna before Graz": the other place is a time
			end = k
			f.Object = s.phrase(from, end)
		}
	}
}

// relativeObject gives a relative clause without an object its noun: "the book I read".
func (s *enSentence) relativeObject(i int, f *Fact) {
	h := s.ws[i].Head
	if s.ws[i].Rel != "acl:relcl" || h < 0 || s.ws[h].Rel == "root" && s.kid(h, "case") >= 0 && s.kid(h, "cop", "nsubj") < 0 || h >= i || !strings.HasPrefix(s.ws[h].Tag, "N") && s.ws[h].Tag != "CD" {
		return
	}
	from := h
	for _, k := range s.kids[h] {
		if k < from && (s.ws[k].Rel == "amod" || s.ws[k].Rel == "compound" || s.ws[k].Rel == "nmod:poss" || s.ws[k].Rel == "nummod") {
			from = k
		}
	}
	noun := s.phrase(from, h+1)
	if f.Object.Text != "" {
		noun.Text += " " + f.Object.Text
		noun.End = f.Object.End
	}
	f.Object = noun
}

func (s *enSentence) conjuncts(i int) (out []int) {
	for _, k := range s.kids[i] {
		if s.ws[k].Rel == "conj" {
			out = append(out, k)
		}
	}
	return out
}

func (s *enSentence) npEnd(noun, end int) int {
	e := noun + 1
	for e < end && (s.ws[e].Rel == "flat" || s.ws[e].Rel == "compound" || s.ws[e].Tag == "NNP" && s.ws[e].Head == noun) {
		e++
	}
	return e
}

func (s *enSentence) placeNoun(i int) bool {
	w := s.ws[i]
	return (w.Tag == "NNP" || w.Tag == "NNPS") && !months[s.low(i)] || places[s.low(i)] || places[strings.TrimSuffix(s.low(i), "s")]
}

// bareDays are days without a preposition, as chats name them behind a verb: "flying to Rome friday". Of what is to come the day is the next one, else the last.
func (s *enSentence) bareDays() (out []timex.Expr) {
	for k := 2; k < len(s.ws); k++ {
		w, before := s.ws[k], s.ws[k-1]
		e := timex.Expr{Kind: timex.Deictic, Op: timex.Ahead, N: 1, Unit: timex.Days, Grain: timex.Days, Pos: w.Start, End: w.End}
		if wd, ok := timex.WeekdayOf(s.low(k)); ok && strings.HasSuffix(s.low(k), "day") {
			e.Op, e.Unit, e.Wd = timex.Plain, timex.Weekday, wd
		} else if low := s.low(k); low != "tmrw" && low != "tmr" && low != "tomoz" {
			continue
		}
		follows := k+1 == len(s.ws) || isMark(s.ws[k+1].Form) || s.ws[k+1].Tag == "IN" || s.ws[k+1].Tag == "CC" || timeNouns[s.low(k+1)]
		if follows && !isMark(before.Form) && before.Tag != "IN" && before.Tag != "DT" && before.Tag != "JJ" && before.Tag != "PRP$" && before.Tag != "CC" && !isCopula(s.low(k-1)) {
			out = append(out, e)
		}
	}
	return out
}

func isCopula(low string) bool {
	return depparse.Verb(low, "VBZ") == "be" || low == "was" || low == "were" || low == "be"
}

// time takes the words of time out of the clause's ends and says what they mean.
func (s *enSentence) time(f *Fact, begin, from, end int) (int, int) {
	lo, hi := s.clauseBounds(begin, end)
	best := -1
	for n, e := range s.times {
		if e.Pos < lo || e.End > hi || e.Kind == timex.Clock && best >= 0 {
			continue
		}
		if best < 0 || e.Kind != timex.Duration && s.times[best].Kind == timex.Duration {
			best = n
		}
	}
	if best >= 0 {
		e := s.times[best]
		f.Time, f.When = e, Phrase{Text: s.text[e.Pos:e.End], Start: s.start + e.Pos, End: s.start + e.End}
		for k := range s.ws { // "last May"
			if w := s.low(k); (w == "last" || w == "next") && s.ws[k].End+1 == e.Pos {
				f.When = Phrase{Text: s.text[s.ws[k].Start:e.End], Start: s.start + s.ws[k].Start, End: s.start + e.End}
			}
		}
		// Cut it, with its preposition, off the end of the object.
		for k := from; k < end; k++ {
			if s.ws[k].Start >= e.Pos && s.ws[end-1].End <= e.End+1 {
				for k > from && (s.ws[k-1].Tag == "IN" || s.ws[k-1].Tag == "TO" || s.ws[k-1].Tag == "DT" || s.low(k-1) == "last" || s.low(k-1) == "next") {
					k--
				}
				end = k
				break
			}
		}
		for from < end && s.ws[from].Start >= e.Pos && s.ws[from].End <= e.End {
			from++
		}
		return from, end
	}
	for k := max(begin, 0); k < end; k++ {
		if timeAdverbs[s.low(k)] && !(s.low(k) == "just" && (k+1 >= len(s.ws) || s.ws[k+1].Tag != "VBD" && s.ws[k+1].Tag != "VBN")) && (s.ws[k].Rel == "advmod" || s.ws[k].Rel == "obl:tmod" || s.ws[k].Rel == "obl" || s.ws[k].Rel == "obl:unmarked") {
			f.When = s.span(k, k+1)
			if k == end-1 {
				if end--; end > from && s.low(k) == "now" && s.low(end-1) == "right" {
					end--
				}
			} else if k == from {
				from++
			}
			break
		}
		if s.low(k) == "every" && k+1 < end && timeNouns[s.low(k+1)] {
			f.When = s.span(k, k+2)
			if k+2 == end {
				end = k
			}
			break
		}
	}
	return from, end
}

func (s *enSentence) span(from, to int) Phrase {
	a, b := s.ws[from].Start, s.ws[to-1].End
	return Phrase{Text: s.raw[a:b], Start: s.start + a, End: s.start + b}
}

// clauseBounds are the bytes in which a clause's time may be: the clause itself and
// an opening before its subject ("Last weekend I …").
func (s *enSentence) clauseBounds(begin, end int) (int, int) {
	lo := 0
	if begin >= 0 && begin < len(s.ws) {
		lo = s.ws[begin].Start
	}
	hi := len(s.text)
	if end > 0 && end <= len(s.ws) {
		hi = s.ws[end-1].End
	}
	return lo, hi
}

func hasTimeWord(ws []depparse.Word) bool {
	return slices.ContainsFunc(ws, func(w depparse.Word) bool {
		return w.Form[0] >= '0' && w.Form[0] <= '9' || timeHints[strings.ToLower(w.Form)]
	})
}
