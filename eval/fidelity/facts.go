package fidelity

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/depparse"
	"membench/internal/measure"
	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/internal/tokens"
	"membench/schema"
)

// Facts compares a text in a system's own words with its original by what both state: dates and times, quantities, codes, names, and what is denied. A fact that
// the text does not have was omitted; it was altered if the text has another one of the same kind that the original does not have. A text that is of several
// originals (alone: of this one only) must have it in a sentence about the same thing, and what is around the original must not have it either. What another
// text made of the original (beside) has as it was said was not altered.
func Facts(o Original, got string, alone bool, beside ...string) Difference {
	if strings.ContainsRune(got, '\uFFFD') && !strings.ContainsRune(o.Text, '\uFFFD') {
		return Difference{Kind: schema.FaultEncoding, Marked: mark(deletion(o.Text), insertion(got))}
	}
	said, told := newStatement(o.Text, o.Time), newStatement(got, o.Time)
	known := append(slices.Clone(said.figures), o.spoken()...)
	rest := statement{typed: &typed{}}
	if len(beside) > 0 { // which can only take a difference away, and take long to read
		if d := Facts(o, got, alone); d.Same() {
			return d
		}
		rest = newStatement(strings.Join(beside, "\n"), o.Time)
	}
	around := strings.Join(o.Around, "\n")
	if !alone {
		known = append(known, figuresIn(around, o.Time)...)
	}
	for _, h := range told.figures {
		if line := sentenceOf(got, h.span); h.in(known) || Carries(line, around) || !alone && shared(newStatement(line, ""), said) < sameThing {
			continue
		}
		for _, v := range said.figures {
			if v.kind == h.kind && !v.loose && !h.loose && !v.in(told.figures) && !v.in(rest.figures) {
				return Difference{Kind: h.fault(), Kept: shared(said, told), Marked: mark(deletion(sentenceOf(o.Text, v.span)), insertion(sentenceOf(got, h.span)))}
			}
		}
	}
	if was, is, ok := o.renamed(said, told, rest); ok {
		return Difference{Kind: schema.FaultName, Kept: shared(said, told), Marked: mark(deletion(sentenceOf(o.Text, was)), insertion(sentenceOf(got, is)))}
	}
	if was, is, ok := turnedRound(said, told, rest); ok {
		return Difference{Kind: schema.FaultNegated, Kept: shared(said, told), Marked: mark(deletion(was), insertion(is))}
	}
	return Difference{Kept: shared(said, told)}
}

// Values are what a text measures: dates, times, quantities and codes.
type Values struct {
	figures []figure
	// Rest is the text without them.
	Rest string
}

// NewValues reads a text that was said at a time (RFC 3339 or its beginning; "" unknown).
func NewValues(text, at string) Values {
	v := Values{figures: figuresIn(text, at)}
	from := 0
	for _, f := range v.figures {
		if f.from >= from {
			v.Rest += text[from:f.from] + " "
		}
		from = max(from, f.to)
	}
	v.Rest += text[from:]
	return v
}

// Of returns those that another text has, too.
func (v Values) Of(o Values) (both Values) {
	for _, f := range v.figures {
		if f.in(o.figures) {
			both.figures = append(both.figures, f)
		}
	}
	return both
}

// Len is how many there are.
func (v Values) Len() int { return len(v.figures) }

// In reports whether another text has all of them.
func (v Values) In(o Values) bool { return len(v.Of(o).figures) == len(v.figures) }

// Instead returns the only date or quantity of a text, if it is the one of an answer and not the one of a gold, and has the same unit; "" if it is not so.
func (v Values) Instead(gold, answer Values) string {
	if len(gold.figures) != 1 || len(answer.figures) != 1 {
		return ""
	}
	g, a := gold.figures[0], answer.figures[0]
	of := slices.DeleteFunc(slices.Clone(v.figures), func(f figure) bool { return f.kind != a.kind && f.kind != 'd' })
	if len(of) != 1 || g.kind != a.kind || g.number.Kind != a.number.Kind || !a.same(of[0]) || g.same(of[0]) || g.loose || a.loose || of[0].loose {
		return ""
	}
	return of[0].said
}

// A statement is a text and what it states.
type statement struct {
	*typed
	words   []word
	figures []figure
}

func newStatement(text, at string) statement {
	return statement{newTyped(text, at), words(text), figuresIn(text, at)}
}

// shared is the share of a statement's content words that another one has.
func shared(of, in statement) float64 {
	has := map[string]bool{}
	for _, w := range in.words {
		has[root(w)] = true
	}
	n, both := 0., 0.
	for _, w := range of.words {
		n += w.weight
		if has[root(w)] {
			both += w.weight
		}
	}
	return both / max(n, 1)
}

// root is a word without its endings, as far as two forms of it are compared.
func root(w word) string {
	if r, _ := utf8.DecodeRuneInString(w.norm); w.number || textnorm.IsHan(r) {
		return w.norm
	}
	said := strings.ToLower(w.said)
	said = strings.TrimSuffix(strings.TrimSuffix(said, "'s"), "’s")
	return tokens.Stem(textnorm.Fold(said))
}

// A figure is a date, a time of day, a quantity or a code in a text, in any wording.
type figure struct {
	span
	kind   byte // 'd' date, 'w' day of the week, 't' time of day, 'n' quantity, 'c' code
	lo, hi timex.Day
	yearly bool // a date without a year
	day    int  // of the week
	minute int  // of the day
	half   bool // which half of the day is not said
	number measure.Value
	said   string
	loose  bool // may also be of another kind: an hour without a mark of it
}

func (f figure) fault() string {
	if strings.IndexByte("dwt", f.kind) >= 0 {
		return schema.FaultDate
	}
	return schema.FaultNumber
}

var (
	weekdayWord = regexp.MustCompile(`(?i)\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|(?:周|星期|礼拜)[一二三四五六日天末]`)
	minutesTo   = regexp.MustCompile(`(?i)\b([a-z]+|\d\d?) (to|past) ([a-z]+|\d\d?)\b`)
	pointClock  = regexp.MustCompile(`\b([01]?\d|2[0-3])\.([0-5]\d)\b( ?(?:h|uhr|am|pm|today|tomorrow|o.clock))`)
	hourBefore  = regexp.MustCompile(`(?i)(\b(at|about|around|by|until|till|before|after|from|past|to|noon|~)|[点时]|~) *$`)
)

// figuresIn finds them in the order of the text.
func figuresIn(text, at string) (out []figure) {
	taken := func(s span) bool { return slices.ContainsFunc(out, func(f figure) bool { return f.meets(s) }) }
	for _, m := range minutesTo.FindAllStringSubmatchIndex(text, -1) {
		n, hour := numeral(text[m[2]:m[3]]), numeral(text[m[6]:m[7]])
		if n < 1 || n > 30 || hour < 1 || hour > 12 || text[m[4]] == 't' && n < 30 && n%5 != 0 {
			continue
		}
		if text[m[4]] == 't' {
			n = -n
		}
		out = append(out, figure{span: span{m[0], m[1]}, kind: 't', minute: hour*60 + n, half: true})
	}
	for _, m := range pointClock.FindAllStringSubmatchIndex(text, -1) {
		h, _ := strconv.Atoi(text[m[2]:m[3]]) // digits
		n, _ := strconv.Atoi(text[m[4]:m[5]])
		out = append(out, figure{span: span{m[0], m[5]}, kind: 't', minute: h*60 + n, half: h <= 12})
	}
	ref, known := day(at)
	for _, e := range timex.Find(text, 0) {
		s := span{e.Pos, e.End}
		if e.Kind == timex.Duration || taken(s) || e.Kind != timex.Clock && !isYear(text, e) {
			continue
		}
		if e.Kind == timex.Clock {
			out = append(out, figure{span: s, kind: 't', minute: e.Minute, half: e.Vague})
			continue
		}
		if known {
			e = e.At(ref)
		}
		f := figure{span: s, kind: 'd', said: text[e.Pos:e.End], lo: e.Lo, hi: e.Hi, yearly: e.Yearless, loose: e.Kind != timex.Absolute || e.Approx || e.Vague}
		if e.Open {
			f.lo, f.hi = e.XLo, e.XHi
		}
		if f.yearly && known {
			year, _, _ := ref.Civil()
			f.lo, f.hi = inYear(f.lo, year), inYear(f.hi, year)
		}
		out = append(out, f)
	}
	for _, m := range weekdayWord.FindAllStringIndex(text, -1) {
		if s := (span{m[0], m[1]}); !taken(s) {
			if d, ok := timex.WeekdayOf(strings.ToLower(text[m[0]:m[1]])); ok {
				out = append(out, figure{span: s, kind: 'w', day: d})
			}
		}
	}
	t := newTyped(text, at)
	for _, v := range t.values {
		if v.dated || taken(v.span) {
			continue
		}
		hour := v.number.Kind == "count" && v.number.Lo == float64(int(v.number.Lo)) && v.number.Lo <= 24 && hourBefore.MatchString(text[:v.from])
		out = append(out, figure{span: v.span, kind: 'n', number: v.number, said: v.said, loose: hour})
	}
	for _, w := range words(text) {
		s := span{w.from, w.to}
		if strings.ContainsFunc(w.said, unicode.IsDigit) && !taken(s) {
			out = append(out, figure{span: s, kind: 'c', said: w.norm})
		}
	}
	slices.SortFunc(out, func(a, b figure) int { return a.from - b.from })
	return out
}

// numeral is a small number in digits or English words, 0 if a word is none.
func numeral(s string) int {
	s = strings.ToLower(s)
	switch s {
	case "half":
		return 30
	case "quarter":
		return 15
	}
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	v, ordinal, ok := timex.NumberWord(s)
	if !ok || ordinal {
		return 0
	}
	return int(v)
}

// inYear is the same day of another year.
func inYear(d timex.Day, year int) timex.Day {
	_, month, dom := d.Civil()
	return timex.Date(year, month, dom)
}

func (f figure) in(list []figure) bool { return slices.ContainsFunc(list, f.same) }

// same reports whether two figures are one, as far as both say.
func (f figure) same(g figure) bool {
	if f.kind > g.kind {
		f, g = g, f
	}
	switch string([]byte{f.kind, g.kind}) {
	case "dd":
		if f.yearly || g.yearly {
			y := 2000 // of any year, as far as the month and the day go
			f.lo, f.hi, g.lo, g.hi = inYear(f.lo, y), inYear(f.hi, y), inYear(g.lo, y), inYear(g.hi, y)
		}
		return f.lo <= g.lo && g.hi <= f.hi || g.lo <= f.lo && f.hi <= g.hi
	case "dw":
		return f.lo <= f.hi && f.hi-f.lo < 14 && (g.day-f.lo.Weekday()+7)%7 <= int(f.hi-f.lo)
	case "dn":
		_, _, dom := f.lo.Civil()
		return g.number.Kind == "count" && g.number.Lo == float64(dom)
	case "ww":
		return f.day == g.day
	case "tt":
		return f.minute == g.minute || (f.half || g.half) && (f.minute-g.minute)%720 == 0
	case "nt":
		return f.number.Kind == "count" && g.minute%60 == 0 && (int(f.number.Lo)*60-g.minute)%720 == 0
	case "nn":
		a, b := value{number: f.number, said: f.said}, value{number: g.number, said: g.said}
		if f.number.Kind != "count" && g.number.Kind != "count" {
			return a.same(b)
		}
		return written(f.number) == written(g.number) && sameFigure(f.said, g.said)
	case "cn":
		return strings.Contains(g.said, f.said) || strings.Contains(f.said, g.said)
	case "cc":
		return f.said == g.said
	}
	return false
}

// written is the number before the unit.
func written(v measure.Value) float64 {
	if v.Unit.Mul == 0 {
		return v.Lo
	}
	return v.Unit.Number(v.Lo)
}

// spoken are the day and the time at which an original was said: a text may have them.
func (o Original) spoken() (out []figure) {
	if d, ok := day(o.Time); ok {
		out = append(out, figure{kind: 'd', lo: d, hi: d}, figure{kind: 'w', day: d.Weekday()})
	}
	if _, clock, ok := strings.Cut(o.Time, "T"); ok {
		out = append(out, figuresIn(clock[:min(5, len(clock))], "")...)
	}
	return out
}

// sentenceOf is the sentence of a text that a stretch is in.
func sentenceOf(text string, s span) string {
	for _, line := range sentences(text) {
		if at := strings.Index(text, line); at <= s.from && s.from < at+len(line) {
			return strings.TrimSpace(line)
		}
	}
	return text
}

// renamed finds a name of the original that neither a text nor the rest made of the original has, and one in its place that neither the original nor what is around it has.
func (o Original) renamed(said, told, rest statement) (was, is span, ok bool) {
	around := strings.Join(append(append([]string{o.Text, o.Speaker, o.Role}, o.Speakers...), o.Around...), "\n")
	for _, is := range told.nouns() {
		name := told.text[is.from:is.to]
		if Carries(name, around) || shared(newStatement(sentenceOf(told.text, is), ""), said) < sameThing {
			continue
		}
		for _, was := range said.nouns() {
			if gone := said.text[was.from:was.to]; !strings.Contains(told.text, gone) && !strings.Contains(rest.text, gone) && textnorm.IsHan([]rune(gone)[0]) == textnorm.IsHan([]rune(name)[0]) {
				return was, is, true
			}
		}
	}
	return was, is, false
}

// sameThing is the share of a sentence's content words that another text has if it is about the same.
const sameThing = 0.3

// clitic is a short form of a verb, or the genitive, behind a name.
var clitic = regexp.MustCompile(`['’](?:s|ve|d|ll|re|m)$`)

// nouns are the names in a text, but for days and months.
func (s statement) nouns() (out []span) {
	figure := func(at span) bool {
		return slices.ContainsFunc(s.figures, func(f figure) bool { return f.meets(at) })
	}
	for i, w := range s.words {
		at := span{w.from, w.to}
		r, _ := utf8.DecodeRuneInString(s.text[w.from:])
		if textnorm.IsHan(r) || !unicode.IsUpper(r) || w.weight < 1 || w.number || figure(at) || strings.ToUpper(w.said) == w.said || !s.names(at, s.words[i:i+1]) {
			continue
		}
		out = append(out, span{w.from, w.from + len(clitic.ReplaceAllString(w.said, ""))})
	}
	for _, w := range s.han {
		if at := (span{w.Start, w.End}); (w.Class == 'R' || w.Class == 'S' || place(w.Form)) && !figure(at) {
			out = append(out, at)
		}
	}
	return out
}

// turnedRound finds a sentence of the original and one of a text of which one denies what the other asserts: the verb or the property that is negated in one is
// in the other, which negates nothing and has no word that denies by itself. A sentence is not held against one of the original if it is most of another one, nor
// against one that the rest made of the original has.
func turnedRound(said, told, rest statement) (was, is string, ok bool) {
	mine, theirs := said.denials(), told.denials()
	others := append(rest.denials(), theirs...)
	against := func(a denials, b denials, all []denials) bool {
		return len(a.denied) > 0 && b.has(a.denied) && !slices.ContainsFunc(all, func(c denials) bool { return c.has(a.denied) && c.denies(a.denied) })
	}
	for _, a := range mine {
		for _, b := range theirs {
			if (against(a, b, others) || against(b, a, mine)) && a.near(b) && !b.from(mine, a) && !Carries(a.text, rest.text) {
				return a.text, b.text, true
			}
		}
	}
	return "", "", false
}

// denials is a sentence, and what it denies.
type denials struct {
	text   string
	roots  map[string]bool
	denied []string // roots of the verbs and properties that are negated
	words  []string // that deny something; "" in Chinese
}

func (d denials) has(roots []string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return d.roots[r] })
}

// denies reports whether a word of the sentence denies something, other than the roots themselves: what does not stop may stop.
func (d denials) denies(roots []string) bool {
	return slices.ContainsFunc(d.words, func(w string) bool { return !slices.Contains(roots, w) })
}

// both counts the roots that two sentences have.
func (d denials) both(e denials) (n float64) {
	for r := range d.roots {
		if e.roots[r] {
			n++
		}
	}
	return n
}

// from reports whether one of some sentences, other than a, is half of d or more, and more of it than a.
func (d denials) from(all []denials, a denials) bool {
	return slices.ContainsFunc(all, func(c denials) bool { return d.both(c) > d.both(a) && d.both(c)*2 >= float64(len(d.roots)) })
}

// near reports whether two sentences are about the same.
func (d denials) near(e denials) bool {
	n := d.both(e)
	return n >= 2 && n >= sameThing*float64(min(len(d.roots), len(e.roots)))
}

// denying are words that deny without a negator, by root.
var denying = tokens.Set("unable fail refus stop lack avoid prevent forbid instead rather rul out unless until hardly barely miss quit deny declin free ban except broken empty former longer zero")

// modalHan stand between a Chinese negator and what it negates.
var modalHan = []string{"用", "要", "能", "会", "有", "敢", "想", "必", "是", "再"}

// denyingHan are such words in Chinese.
var denyingHan = []string{"停", "拒", "禁", "免", "失", "缺", "坏", "难", "别", "勿", "非", "取消", "除了", "剩"}

func (s statement) denials() (out []denials) {
	lines := sentences(s.text)
	if s.han != nil { // a comma ends a statement
		lines = clauses(s.text)
	}
	for _, line := range lines {
		t := newTyped(line)
		ws := words(line)
		d := denials{text: strings.TrimSpace(line), roots: map[string]bool{}}
		for _, w := range ws {
			if w.weight >= 1 && !w.number {
				d.roots[root(w)] = true
			}
			if denying[root(w)] {
				d.words = append(d.words, root(w))
			}
		}
		if slices.ContainsFunc(denyingHan, func(s string) bool { return strings.Contains(line, s) }) {
			d.words = append(d.words, "")
		}
		if t.negations(ws) > 0 {
			d.denied, d.words = t.denied(ws), append(d.words, "")
		}
		out = append(out, d)
	}
	return out
}

// denied are the roots of what the negators of a sentence negate: in English the verb or property that they hang on, in Chinese the word behind them.
func (t *typed) denied(ws []word) (out []string) {
	if t.han != nil {
		for i, h := range t.han {
			if !slices.ContainsFunc(ws, func(w word) bool { return w.from >= h.Start && w.from < h.End && w.negates() && denies(h, w.from) }) {
				continue
			}
			_, n := utf8.DecodeRuneInString(h.Form) // 不用, 没有: the word has the negator and what it negates
			rest := h.Form[n:]
			for _, next := range t.han[i+1:] {
				if rest != "" && !slices.Contains(modalHan, rest) {
					break
				}
				rest = next.Form
			}
			for _, w := range words(rest) {
				if w.weight >= 1 {
					out = append(out, w.norm)
				}
			}
		}
		return out
	}
	parsed := depparse.Parse(t.text)
	for _, w := range ws {
		if !w.negates() || t.machine(w) {
			continue
		}
		at := slices.IndexFunc(parsed, func(x depparse.Word) bool { return x.Start <= w.from && w.from < x.End })
		if at < 0 || parsed[at].Head < 0 {
			continue
		}
		if head := parsed[parsed[at].Head]; strings.HasPrefix(head.Tag, "V") || strings.HasPrefix(head.Tag, "J") {
			out = append(out, root(newWord(head.Form, 0, false)))
		}
	}
	return out
}
