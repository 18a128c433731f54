package fidelity

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/depparse"
	"membench/internal/hanseg"
	"membench/internal/measure"
	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/schema"
)

// span is a stretch of bytes of a text.
type span struct{ from, to int }

func (s span) meets(o span) bool { return s.from < o.to && o.from < s.to }

// typed are the stretches of a text that have a value of one type: dates and clock times,
// quantities with their units, negators.
type typed struct {
	text           string
	dates, numbers []span
	values         []value       // of both, as far as they can be compared
	han            []hanseg.Word // of a text with Chinese characters
}

var segmenter hanseg.Segmenter

// newTyped reads a text; of one that was said at a time, days are known that hang on it.
func newTyped(text string, at ...string) *typed {
	t := &typed{text: text}
	if strings.ContainsFunc(text, textnorm.IsHan) {
		t.han = segmenter.Cut(text)
	}
	for _, e := range timex.Find(text, 0) {
		if e.Kind == timex.Duration || !isYear(text, e) {
			t.numbers = append(t.numbers, span{e.Pos, e.End})
		} else {
			t.dates = append(t.dates, span{e.Pos, e.End})
			if v, ok := moment(e, text, at); ok {
				t.values = append(t.values, v)
			}
		}
	}
	for _, at := range weekday.FindAllStringIndex(text, -1) {
		t.dates = append(t.dates, span{at[0], at[1]})
	}
	before := ' '
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if d := slices.IndexFunc(t.dates, func(s span) bool { return i >= s.from && i < s.to }); d >= 0 {
			i, before = t.dates[d].to, ' '
			continue
		}
		starts := r >= utf8.RuneSelf || textnorm.IsHan(before) || !unicode.IsLetter(before) && !unicode.IsDigit(before)
		if starts && !unicode.IsSpace(r) {
			if v, end := quantity(text, i); end > i && t.counts(i, v) {
				if hour.MatchString(text[end:]) {
					t.dates = append(t.dates, span{i, end})
				} else {
					t.numbers = append(t.numbers, span{i, end})
					t.values = append(t.values, value{span: span{i, end}, number: v, said: text[i:end]})
				}
				i, before = end, '0'
				continue
			}
		}
		i, before = i+n, r
	}
	return t
}

// moment is the value of a date or a time of day that names one; at is when it was said.
func moment(e timex.Expr, text string, at []string) (value, bool) {
	v := value{span: span{e.Pos, e.End}, dated: true, op: e.Op, said: text[e.Pos:e.End]}
	switch {
	case e.Approx || e.Vague:
		return v, false
	case e.Kind == timex.Clock:
		v.lo, v.hi, v.op = timex.Day(e.Minute), -1, timex.Plain
		return v, true
	case clock.MatchString(v.said):
		return v, false
	case e.Kind == timex.Absolute && e.Open:
		v.lo, v.hi = e.XLo, e.XHi
		return v, v.lo == v.hi
	case e.Kind == timex.Deictic && len(at) > 0:
		if ref, ok := day(at[0]); ok {
			e = e.At(ref)
			v.op = timex.Plain
		}
	}
	v.lo, v.hi = e.Lo, e.Hi
	return v, e.Kind == timex.Absolute && e.Lo == e.Hi
}

// weekday is a day that returns, which names no date.
var weekday = regexp.MustCompile(`(?i)\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|(周|星期|礼拜)[一二三四五六日天末]`)

// yearly and ofYear match the text before and after a number that is a year; without them, numbers of four digits are as often codes and counts.
var yearly, ofYear = regexp.MustCompile(`(?i)(\b(in|since|of|from|until|till|by|before|after|around|year|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?( \d{1,2}(st|nd|rd|th)?)?,?)|[自从在到于至]) *$`), regexp.MustCompile(`^ *(年|[-/.]\d)`)

// isYear reports whether the digits of a date that is only a number are a year.
func isYear(text string, e timex.Expr) bool {
	if strings.ContainsFunc(text[e.Pos:e.End], func(r rune) bool { return !unicode.IsDigit(r) }) {
		return true
	}
	before, ok := strings.CutSuffix(text[:e.Pos], "-")
	return !(ok && before != "" && unicode.IsDigit(rune(before[len(before)-1]))) && (yearly.MatchString(text[:e.Pos]) || ofYear.MatchString(text[e.End:]))
}

// clock matches a time of day within a date, which the date's days do not include.
var clock = regexp.MustCompile(`(?i)\d:\d|\d *[ap]\.?m|[点时]|clock|morning|noon|evening|night`)

// hour follows a number that is a time of day and has no other sign of it.
var hour = regexp.MustCompile(`^ (o.clock|in the (morning|afternoon|evening)|at night)\b`)

// counts reports whether the number read at byte i is a count: not the character of another word (三亚, 十分), and not "a" or 一 before something uncountable.
func (t *typed) counts(i int, v measure.Value) bool {
	r, _ := utf8.DecodeRuneInString(t.text[i:])
	if !textnorm.IsHan(r) {
		return v.Kind != "count" || v.Lo != 1 || unicode.IsDigit(r)
	}
	if v.Kind == "count" && v.Lo == 1 && r == '一' {
		return false
	}
	at := slices.IndexFunc(t.han, func(w hanseg.Word) bool { return i >= w.Start && i < w.End })
	return at < 0 || t.han[at].Start == i && (strings.IndexByte("mqt", t.han[at].Class) >= 0 || t.han[at].End-i == len(string(r)))
}

// counted reports whether a stretch is in a quantity, or follows the end of one: the unit
// behind a number.
func (t *typed) counted(s span) bool {
	return t.in(s) || slices.ContainsFunc(t.numbers, func(x span) bool {
		return s.to > s.from && x.to <= s.from && strings.TrimSpace(t.text[x.to:s.from]) == ""
	})
}

// sameValue reports whether the quantities or dates at two stretches are one.
func (t *typed) sameValue(s span, o *typed, p span) bool {
	i := slices.IndexFunc(t.values, func(v value) bool { return v.meets(s) })
	j := slices.IndexFunc(o.values, func(v value) bool { return v.meets(p) })
	return i >= 0 && j >= 0 && t.values[i].same(o.values[j])
}

// in reports whether a stretch is in a quantity.
func (t *typed) in(s span) bool { return slices.ContainsFunc(t.numbers, s.meets) }

// inNumber reports whether a stretch of digits or numerals is a part of a longer number.
func (t *typed) inNumber(s span, ws []word) bool {
	return !slices.ContainsFunc(ws, func(w word) bool { return !w.number }) && slices.ContainsFunc(t.numbers, func(x span) bool {
		rest := t.text[x.from:max(x.from, s.from)] + t.text[min(x.to, s.to):x.to]
		return x.meets(s) && slices.ContainsFunc(words(rest), func(w word) bool { return w.number })
	})
}

// inDate reports whether a stretch is a part of a longer date.
func (t *typed) inDate(s span) bool {
	return slices.ContainsFunc(t.dates, func(x span) bool { return x.meets(s) && (x.from < s.from || x.to > s.to) })
}

// dated reports whether a stretch is in a date, or a part of it; bare reports that the date is only a number, as a year is, and also many codes.
func (t *typed) dated(s span) (ok, bare bool) {
	at := slices.IndexFunc(t.dates, s.meets)
	return at >= 0, at >= 0 && !strings.ContainsFunc(t.text[t.dates[at].from:t.dates[at].to], func(r rune) bool { return !unicode.IsDigit(r) })
}

// indefinite reports whether a Chinese stretch points at something and does not name it: 某, 那个.
func (t *typed) indefinite(s span) bool {
	return slices.ContainsFunc(t.han, func(w hanseg.Word) bool { return w.Class == 'r' && s.meets(span{w.Start, w.End}) })
}

// names reports whether a stretch is a name, or a part of one.
func (t *typed) names(s span, ws []word) bool {
	for _, w := range ws {
		if w.name {
			return true
		}
		if r, _ := utf8.DecodeRuneInString(t.text[w.from:]); unicode.IsUpper(r) && w.weight >= 1 && t.proper(w) {
			return true
		}
	}
	return slices.ContainsFunc(t.han, func(w hanseg.Word) bool {
		return s.meets(span{w.Start, w.End}) && (w.Class == 'R' || w.Class == 'S' || place(w.Form))
	})
}

// place reports whether a Chinese word is the name of a town, county or province, which the dictionary lists with its suffix: 烟台, because 烟台市 exists.
func place(w string) bool {
	return utf8.RuneCountInString(w) > 1 && slices.ContainsFunc([]string{"市", "县", "省"}, func(kind string) bool { return len(segmenter.Cut(w+kind)) == 1 })
}

// proper reports whether grammar makes a word at the beginning of a sentence a name.
func (t *typed) proper(w word) bool {
	from, to := sentenceAround(t.text, w)
	for _, x := range depparse.Parse(t.text[from:to]) {
		if strings.EqualFold(x.Form, t.text[w.from:w.to]) {
			return strings.HasPrefix(x.Tag, "NNP")
		}
	}
	return false
}

// sentenceAround are the bounds of the sentence that holds a word.
func sentenceAround(text string, w word) (from, to int) {
	ends := func(r rune) bool { return strings.ContainsRune(".!?\n", r) }
	from = strings.LastIndexFunc(text[:w.from], ends) + 1
	if n := strings.IndexFunc(text[w.to:], ends); n >= 0 {
		return from, w.to + n
	}
	return from, len(text)
}

// called reports whether a stretch follows a word for naming or a title: its replacement is then a name, whatever its letters.
func (t *typed) called(s span) bool {
	before, after := strings.TrimRight(t.text[:s.from], " \"“《"), strings.TrimLeft(t.text[s.to:], " ")
	return slices.ContainsFunc([]string{"叫", "叫做", "名字是", "姓", " called", " named", " name is"}, func(w string) bool { return strings.HasSuffix(before, w) }) ||
		slices.ContainsFunc([]string{"医生", "老师", "先生", "女士", "小姐", "教授", "师傅", "阿姨", "叔叔", "经理"}, func(w string) bool { return strings.HasPrefix(after, w) })
}

// negations counts the words that negate a statement. A Chinese negator inside another word (非常, 别的, 差不多) does not count.
func (t *typed) negations(ws []word) (n int) {
	for _, w := range ws {
		if !w.negates() || t.machine(w) {
			continue
		}
		if at := slices.IndexFunc(t.han, func(h hanseg.Word) bool { return w.from >= h.Start && w.from < h.End }); at >= 0 && !denies(t.han[at], w.from) {
			continue
		}
		n++
	}
	return n
}

// machine reports whether a word is a part of an address or of a code: no-reply@…, NO 7E3.
func (t *typed) machine(w word) bool {
	from := strings.LastIndexFunc(t.text[:w.from], unicode.IsSpace) + 1
	to := len(t.text)
	if n := strings.IndexFunc(t.text[w.to:], unicode.IsSpace); n >= 0 {
		to = w.to + n
	}
	if strings.ContainsAny(t.text[from:to], "@_/\\") || w.said == "None" && w.name { // as programs write no value
		return true
	}
	next, _, _ := strings.Cut(strings.TrimLeft(t.text[to:], " "), " ")
	return len(w.said) > 1 && w.said == strings.ToUpper(w.said) && w.said != strings.ToLower(w.said) && strings.ContainsFunc(next, unicode.IsDigit)
}

// denies reports whether a Chinese word with a negator at byte i is a negation.
func denies(h hanseg.Word, i int) bool {
	switch first := i == h.Start; {
	case h.End-h.Start <= len("不"), h.Form == "不是", h.Form == "并非": // joining words of the dictionary
		return true
	case first:
		return (h.Class == 'v' || h.Class == 'd') && h.Form != "非常"
	}
	return h.Class == 'd' && !strings.HasSuffix(h.Form, "别")
}

// local is how many content words an edit may have on a side to be one of a value: more are
// another sentence, whose values replace nothing.
const local = 4

// denier is how much content a stretch may have that was taken away to be a negation, and not
// a cut that took one with it.
const denier = 1.5

// kind returns the difference that changes most of what a reader learns; "" if all edits only rephrase.
func (a alignment) kind(o Original, got string) string {
	want, have := newTyped(o.Text, o.Time), newTyped(got, o.Time)
	people := map[string]bool{}
	for _, s := range o.Speakers {
		people[textnorm.Fold(s)] = true
	}
	found, fillers := map[string]bool{}, a.fillers()
	all, cut := 0., 0.
	alike := 0               // edits that change nothing
	from, to := false, false // a part of a date was taken away; put in
	for _, w := range a.want {
		all += w.weight
	}
	for _, e := range a.edits() {
		gone, put := a.want[e.from:e.to], a.have[e.hfrom:e.hto]
		if a.repeats(e) {
			found[schema.FaultAdded] = true
			continue
		}
		if len(put) > 0 && (fillers[joined(put)] > 1 || isMask(joined(put))) { // one word in place of different ones is a mask, whatever they were
			found[schema.FaultWords] = true
			continue
		}
		if (!e.first && !e.atEnd || len(gone) <= 3) && content(gone) <= local && content(put) <= local && (len(put) > 0 || content(gone) <= denier) && want.negations(gone)%2 != have.negations(put)%2 && !misspelt(gone, put) || unprefixed(gone, put) || unprefixed(put, gone) {
			found[schema.FaultNegated] = true
		}
		g, p := a.gone(e, o.Text), a.put(e, got)
		same := want.sameValue(g, have, p)
		was, bare := want.dated(g)
		is, _ := have.dated(p)
		switch {
		case e.first && was && is && !same && len(gone) > 0: // a longer date in place of one word
			found[schema.FaultDate] = true
			continue
		case same && !broken(gone, put), abbreviates(gone, put): // in other words
			alike++
			continue
		case len(put) == 0 && want.inNumber(g, gone), len(gone) == 0 && have.inNumber(p, put), len(put) == 0 && a.starred(e, got) && slices.ContainsFunc(gone, func(w word) bool { return w.number }):
			found[schema.FaultNumber] = true
			continue
		case len(put) == 0 && want.inDate(g):
			from = true
			cut += weight(gone)
			found[schema.FaultCut] = true
			continue
		case len(gone) == 0 && have.inDate(p):
			to = true
			found[schema.FaultAdded] = true
			continue
		case len(put) == 0 && a.moved(gone):
			found[schema.FaultWords] = true
			continue
		case len(put) == 0 || e.frames() || broken(gone, put) && (same || !(content(gone) <= 1 && want.counted(g) && have.counted(p))):
			cut += weight(gone)
			found[schema.FaultCut] = found[schema.FaultCut] || len(gone) > 0
			continue
		case len(gone) == 0 && !have.indefinite(p):
			found[schema.FaultAdded] = true
			continue
		case (e.first || e.atEnd) && max(want.untyped(gone), have.untyped(put)) > local/2:
			cut += weight(gone)
			found[schema.FaultWords] = true
			continue
		}
		speaks := func(w word) bool { return people[w.norm] }
		switch {
		case was && (is || !bare && have.counted(p) && slices.ContainsFunc(put, func(w word) bool { return w.number })):
			found[schema.FaultDate] = true
		case (was || want.counted(g)) && (is || have.counted(p)) && (len(gone) == 0 || was || is || want.in(g) || have.in(p) || !want.names(g, gone) || !have.names(p, put)):
			found[schema.FaultNumber] = true
		case o.person(gone, put) == another:
			found[schema.FaultSpeaker] = true
		case o.person(gone, put) == theSpeaker:
			found[schema.FaultWords] = found[schema.FaultWords] || len(a.edits()) == 1
		case e.from == 0 && slices.ContainsFunc(gone, speaks) && slices.ContainsFunc(put, speaks):
			found[schema.FaultSpeaker] = true
		case have.indefinite(p):
			found[schema.FaultWords] = true
		case sameButDigits(joined(gone), joined(put)):
			found[schema.FaultNumber] = true
		case want.names(g, gone) && have.names(p, put), want.called(g) && have.called(p), want.han != nil && content(gone) > 0 && (want.names(g, gone) || have.names(p, put)):
			found[schema.FaultName] = true
		default:
			found[schema.FaultWords] = true
		}
	}
	if from && to {
		found[schema.FaultDate] = true
	}
	if len(found) == 0 && alike > 0 {
		return ""
	}
	if cut*2 > all {
		return schema.FaultCut
	}
	if found[schema.FaultCut] && found[schema.FaultAdded] { // a part of a word in two places
		found[schema.FaultWords] = true
	}
	for _, k := range []string{schema.FaultNegated, schema.FaultDate, schema.FaultNumber, schema.FaultSpeaker, schema.FaultName, schema.FaultWords, schema.FaultCut, schema.FaultAdded} {
		if found[k] {
			return k
		}
	}
	return schema.FaultWords
}

// starred reports whether signs stand where words were taken away: a masked value.
func (a alignment) starred(e edit, got string) bool {
	from, to := 0, len(got)
	if e.hfrom > 0 {
		from = a.have[e.hfrom-1].to
	}
	if e.hto < len(a.have) {
		to = a.have[e.hto].from
	}
	return stars.MatchString(got[from:to])
}

var stars = regexp.MustCompile(`[*#█•]{2}`)

// content counts the words that say something; Chinese has two characters to a word.
func content(ws []word) (n float64) {
	for _, w := range ws {
		switch r, _ := utf8.DecodeRuneInString(w.norm); {
		case w.weight < 1:
		case textnorm.IsHan(r):
			n += .5
		default:
			n++
		}
	}
	return n
}

// untyped is the content of words outside dates and quantities.
func (t *typed) untyped(ws []word) float64 {
	return content(slices.DeleteFunc(slices.Clone(ws), func(w word) bool {
		in := span{w.from, w.to}.meets
		return slices.ContainsFunc(t.dates, in) || slices.ContainsFunc(t.numbers, in)
	}))
}

func weight(ws []word) (n float64) {
	for _, w := range ws {
		n += w.weight
	}
	return n
}

// broken reports whether the replacement of words is what a cut left of them.
func broken(gone, put []word) bool {
	was, is := joined(gone), joined(put)
	switch {
	case was == is || is == "" || !left([]rune(was), []rune(is)):
		return false
	case !slices.ContainsFunc(put, func(w word) bool { return !w.number }): // a shorter number is another one
		return content(gone) > 1.5 && strings.HasSuffix(was, is)
	}
	a, b := []rune(was), []rune(is)
	return len(b)*3 >= len(a) || common(a, b)+ends(a, b) >= len(b)
}

// abbreviates reports whether one of two words is the beginning of the other, which is a day of
// the week or a month.
func abbreviates(gone, put []word) bool {
	if len(gone) != 1 || len(put) != 1 {
		return false
	}
	short, long := gone[0].norm, put[0].norm
	if len(short) > len(long) {
		short, long = long, short
	}
	return len(short) >= 3 && strings.HasPrefix(long, short) && !gone[0].number && !put[0].number && len(timex.Find("on "+long+" 3", 0))+len(weekday.FindString(long)) > 0
}

// negating are the beginnings of words that turn them into their contrary.
var negating = []string{"un", "in", "im", "ir", "il", "dis", "non"}

// unprefixed reports whether a word was replaced by its negation: unmarried, married.
func unprefixed(gone, put []word) bool {
	if len(gone) != 1 || len(put) != 1 || !depparse.Common(put[0].norm) {
		return false
	}
	prefix, ok := strings.CutSuffix(gone[0].norm, put[0].norm)
	return ok && slices.Contains(negating, prefix) && len(put[0].norm) >= leastLetters
}

// misspelt reports whether the new word for a negation is a misspelling of it, not a removal: a word with most of its letters that does not exist.
func misspelt(gone, put []word) bool {
	return slices.ContainsFunc(gone, func(w word) bool {
		return w.negates() && slices.ContainsFunc(put, func(x word) bool {
			a, b := []rune(w.norm), []rune(x.norm)
			return len(a) >= leastLetters && len(a) == len(b) && !depparse.Common(x.norm) && !x.negates() && common(a, b)+ends(a, b) >= len(a)-1
		})
	})
}

// joined are the letters of words, unchanged.
func joined(ws []word) string {
	var b strings.Builder
	for _, w := range ws {
		b.WriteString(strings.ToLower(w.said))
	}
	return b.String()
}

// isMask reports whether a word is one repeated sign, or a word that stands for a sign.
func isMask(s string) bool {
	return s == "x" || len(s) > 1 && strings.Trim(s, s[:1]) == "" && !unicode.IsDigit(rune(s[0]))
}

// sameButDigits reports whether two words differ in their digits only.
func sameButDigits(a, b string) bool {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return '0'
			}
			return r
		}, s)
	}
	return a != b && bare(a) == bare(b)
}

// moved reports whether words missing from their place are elsewhere: all content words are among the unpaired words of the text.
func (a alignment) moved(gone []word) bool {
	paired := map[int]bool{}
	for _, at := range a.pair {
		paired[at] = true
	}
	n := 0
	for _, w := range gone {
		if w.weight < 1 {
			continue
		}
		n++
		at := -1
		for i, x := range a.have {
			if x.norm == w.norm && !paired[i] {
				at = i
			}
		}
		if at < 0 {
			return false
		}
		paired[at] = true
	}
	return n > 0
}

// repeats reports whether an edit inserts a copy of the text right before or after it.
func (a alignment) repeats(e edit) bool {
	n := e.hto - e.hfrom
	if e.to > e.from || n == 0 {
		return false
	}
	put := joined(a.have[e.hfrom:e.hto])
	return e.hfrom >= n && joined(a.have[e.hfrom-n:e.hfrom]) == put || e.hto+n <= len(a.have) && joined(a.have[e.hto:e.hto+n]) == put
}

// fillers count the words that are in the places of different ones.
func (a alignment) fillers() map[string]int {
	places := map[string]map[string]bool{}
	for _, e := range a.edits() {
		if gone, put := joined(a.want[e.from:e.to]), joined(a.have[e.hfrom:e.hto]); gone != "" && put != "" && !e.frames() {
			if places[put] == nil {
				places[put] = map[string]bool{}
			}
			places[put][gone] = true
		}
	}
	n := map[string]int{}
	for put, gone := range places {
		n[put] = len(gone)
	}
	return n
}

// exchanged reports whether the words that are not in their places are values of one type,
// in the places of each other: dates, quantities, names, or negators.
func (a alignment) exchanged(text, got string) bool {
	want, have := newTyped(text), newTyped(got)
	values := func(t *typed, s span, ws []word) bool {
		dated, _ := t.dated(s)
		return content(ws) <= local && (len(ws) == 0 || dated && t.untyped(ws) <= 1 || t.counted(s) || t.names(s, ws) || t.negations(ws) == len(ws) ||
			!slices.ContainsFunc(ws, func(w word) bool { return !w.number }))
	}
	return !slices.ContainsFunc(a.edits(), func(e edit) bool {
		return !values(want, a.gone(e, text), a.want[e.from:e.to]) || !values(have, a.put(e, got), a.have[e.hfrom:e.hto])
	})
}
