package reader

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"membench/internal/clause"
	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/internal/tokens"
)

var months = [...]string{"", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

// spanWhen is the day that the best sentences name, counted from when they were said;
// where none names one, the day on which the best was said.
func spanWhen(q question, near []scored) string {
	// Of turns that fit nearly as well the one that names a day comes first.
	near = slices.Clone(near)
	if q.brief && !q.han {
		for i, s := range near {
			if text := q.onDays(s.text); text != s.text {
				u := *s.unit
				u.text = text
				near[i].unit = &u
			}
		}
	}
	n := count(near, .8)
	slices.SortStableFunc(near[:n], func(a, b scored) int { return cmp.Compare(b.timed(), a.timed()) })
	for _, s := range near {
		if q.clock {
			if at := reClock.FindString(s.text); at != "" {
				return at
			}
			continue
		}
		if !s.dated {
			for _, e := range timex.Find(s.text, 0) {
				if e.Kind == timex.Absolute {
					return strings.TrimSpace(s.text[e.Pos:e.End])
				}
			}
			continue
		}
		for _, e := range timesOf(s.text, s.day) {
			if q.brief && q.elsewhere(s.text, e) || q.denied(s.text, e.Pos) {
				continue
			}
			if q.brief && e.Kind == timex.Absolute && e.Lo == e.Hi && reYearly.MatchString(s.text) && !reYear.MatchString(s.text[e.Pos:e.End]) {
				return strings.TrimSpace(s.text[e.Pos:e.End])
			}
			if q.brief && strings.Contains(q.text, s.text[e.Pos:e.End]) { // the question names it itself, as the title "11/22/63"
				continue
			}
			if q.brief && e.Kind == timex.Deictic && e.Vague { // "a few years ago" is not an interval
				return strings.TrimSpace(s.text[e.Pos:e.End]) + q.say(" (said on ", "（说于 ") + sayDay(q.han, s.day) + q.say(")", "）")
			}
			if e.Kind == timex.Absolute || e.Kind == timex.Deictic {
				at := ""
				if q.brief && !q.was {
					at = reAtClock.FindString(s.text[e.End:])
				}
				return sayWhen(q.han, e, s.day) + at
			}
		}
		if best := near[0]; s.line != best.line {
			break // other turns are about other days
		}
	}
	if q.clock || !near[0].dated || q.brief && !reTelling.MatchString(q.text) && !reToday.MatchString(near[0].text) && !justNow(near[0].text) { // when it was said is not when it was
		return ""
	}
	return sayDay(q.han, near[0].day)
}

// timesOf are the times of a text that was said on a day. A year that is counted from that day and a month beside it are one time: "March next year", 去年五月.
func timesOf(text string, said timex.Day) (out []timex.Expr) {
	year, _, _ := said.Civil()
	for _, e := range timex.Find(text, year) {
		if n := len(out) - 1; n >= 0 && reBeside.MatchString(text[out[n].End:e.Pos]) {
			of, month := out[n], e
			if of.Kind == timex.Absolute {
				of, month = month, of
			}
			if of.Kind == timex.Deictic && of.Unit == timex.Year && !of.Vague && month.Kind == timex.Absolute && !reYear.MatchString(text[month.Pos:month.End]) {
				y, _, _ := of.At(said).Lo.Civil()
				_, m, d := month.Lo.Civil()
				_, m2, d2 := month.Hi.Civil()
				month.Lo, month.Hi, month.Pos, month.End = timex.Date(y, m, d), timex.Date(y, m2, d2), out[n].Pos, e.End
				out[n] = month
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

var reBeside = pattern.New(`^(?: |的| of | in )?$`)

// A time of day, and one behind a day.
var (
	reClock   = pattern.New(`(?i)\b(?:\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\d{1,2}:\d\d\b|noon\b|midnight\b)|(?:早上|上午|中午|下午|晚上)?[\d一二三四五六七八九十两]{1,2}点(?:半|[\d一二三四五六七八九十]{1,3}分)?`)
	reAtClock = pattern.New(`(?i)^,? at (?:\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\d{1,2}:\d\d\b|noon\b)`)
)

// onDays puts the week before the days of one: "I quit on Friday" refers to the last Friday, "it is on Friday" to the next.
func (q question) onDays(text string) string {
	if q.was {
		return reOnDay.ReplaceAllString(text, "last $2")
	}
	return reOnDay.ReplaceAllString(text, "$1 this $2")
}

var reOnDay = pattern.New(`(?i)\b(on|to|until) ((?:mon|tues|wednes|thurs|fri|satur|sun)day)\b`)

// The question asks for the statement itself, or the statement is about the same day.
var (
	reTelling = pattern.New(`(?i)\b(?:mention|discuss|say|said|tell|told|talk(?:ed)? about|bring up|announce|share|recommend|suggest)\b|提到|说起|谈到|告诉`)
	reToday   = pattern.New(`(?i)\b(?:today|tonight|right now|currently|this (?:morning|afternoon|evening))\b|刚|今天|今晚|今早|正在`)
)

func (q question) say(en, zh string) string {
	if q.han {
		return zh
	}
	return en
}

// timed is 1 for a sentence that names days.
func (s scored) timed() int {
	if slices.ContainsFunc(timex.Find(s.text, 2000), func(e timex.Expr) bool { return e.Kind == timex.Absolute || e.Kind == timex.Deictic }) {
		return 1
	}
	return 0
}

// sayWhen says which days an expression means that was said on day ref.
func sayWhen(han bool, e timex.Expr, ref timex.Day) string {
	if e.Kind == timex.Deictic {
		r := e.At(ref)
		if e.Op == timex.Ago && e.N == 1 && (e.Unit == timex.Week || e.Unit == timex.Weekend) && !e.Vague {
			unit := map[timex.Unit][2]string{timex.Week: {"week", "周"}, timex.Weekend: {"weekend", "周末"}}[e.Unit]
			if han {
				return sayDay(true, ref) + "的前一" + unit[1]
			}
			return "the " + unit[0] + " before " + sayDay(false, ref)
		}
		e = r
	}
	return sayDays(han, e.Lo, e.Hi)
}

// sayDays says an interval as shortly as it can be said: a year, a month, a day, from–to.
func sayDays(han bool, lo, hi timex.Day) string {
	y, m, d := lo.Civil()
	switch {
	case lo == hi:
		return sayDay(han, lo)
	case m == 1 && d == 1 && hi == timex.Date(y, 12, 31):
		if han {
			return fmt.Sprintf("%d年", y)
		}
		return strconv.Itoa(y)
	case d == 1 && hi == timex.Date(y, m+1, 1)-1:
		if han {
			return fmt.Sprintf("%d年%d月", y, m)
		}
		return months[m] + " " + strconv.Itoa(y)
	case han:
		return sayDay(true, lo) + "至" + sayDay(true, hi)
	}
	return "between " + sayDay(false, lo) + " and " + sayDay(false, hi)
}

func sayDay(han bool, day timex.Day) string {
	y, m, d := day.Civil()
	if han {
		return fmt.Sprintf("%d年%d月%d日", y, m, d)
	}
	return fmt.Sprintf("%d %s %d", d, months[m], y)
}

// spanLong is a length of time that is said, or that lies between two days that are.
func spanLong(q question, near []scored, now timex.Day, hasNow bool) string {
	for _, s := range near {
		year := 0
		if s.dated {
			year, _, _ = s.day.Civil()
		}
		for _, e := range timex.Find(s.text, year) {
			switch {
			case e.Kind == timex.Duration:
				return strings.TrimSpace(s.text[e.Pos:e.End])
			case q.past && e.Kind == timex.Deictic && e.Op == timex.Ago && (!hasNow || !s.dated || now-s.day < 4):
				return strings.TrimSpace(s.text[e.Pos:e.End])
			}
		}
	}
	if !hasNow || !q.past || !near[0].dated {
		return ""
	}
	day, _ := eventDay(*near[0].unit)
	if day > now {
		return ""
	}
	return sayLength(q, float64(now-day))
}

// reInstead is what stands before a number that holds no longer.
var reInstead = pattern.New(`(?i)\b(?:instead of|rather than|(?:up|down) from|no longer)(?: the)? $`)

var reDigits = pattern.New(`[$€£¥]?\d[\d,]*(?:\.\d+)?(?:%|[kKmM]\b)?|\b(?:a |)(?:hundred|thousand|dozen)\b`)

// spanNumber is the number of the best sentence that has one, with the word after it.
func spanNumber(q question, near []scored) string {
	for _, s := range near {
		if q.han {
			if n := hanNumber(q.text, s.text); n != "" {
				return n
			}
		}
		best, at := "", -1
		dates := timex.Find(s.text, 0)
		try := func(pos, end int) {
			if slices.ContainsFunc(dates, func(e timex.Expr) bool { return e.Kind != timex.Duration && pos >= e.Pos && end <= e.End }) {
				return
			}
			if q.brief && (reInstead.MatchString(s.text[:pos]) || q.denied(s.text, pos)) {
				return
			}
			// nearest to a word of the question, before or after
			d := nearest(q, s.text, pos, end)
			if at < 0 || d < at {
				best, at = s.text[pos:end], d
			}
		}
		names := reIdentifier.FindAllStringIndex(s.text, -1)
		for _, m := range reDigits.FindAllStringIndex(s.text, -1) {
			if !slices.ContainsFunc(names, func(n []int) bool { return n[0] < m[0] && m[1] <= n[1] }) { // db-02 counts nothing
				try(m[0], m[1])
			}
		}
		for _, w := range words(s.text) {
			if v, ordinal, ok := timex.NumberWord(strings.ToLower(s.text[w[0]:w[1]])); ok && !ordinal && v != 1 {
				try(w[0], w[1])
			} else if t := strings.ToLower(s.text[w[0]:w[1]]); t == "twice" || t == "once" || t == "thrice" || t == "couple" {
				try(w[0], w[1])
			}
		}
		if best != "" {
			return best
		}
	}
	return ""
}

// words are the places of runs of letters.
func words(s string) [][2]int {
	var out [][2]int
	start := -1
	for i, r := range s {
		switch in := (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !textnorm.IsHan(r) || r == '-' && start >= 0; {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			out, start = append(out, [2]int{start, i}), -1
		}
	}
	if start >= 0 {
		out = append(out, [2]int{start, len(s)})
	}
	return out
}

// nearest is the distance in bytes from a span to the next word of the question; words
// after the span count as nearer, as in "three dogs".
func nearest(q question, text string, pos, end int) int {
	best := len(text) + 1
	for _, w := range words(text) {
		if !slices.Contains(q.terms, tokens.Stem(strings.ToLower(text[w[0]:w[1]]))) {
			continue
		}
		switch {
		case w[0] >= end && q.brief:
			best = min(best, w[0]-end-run(q, text, pos, end))
		case w[0] >= end:
			best = min(best, w[0]-end)
		case w[1] <= pos:
			best = min(best, 8+pos-w[1])
		}
	}
	return best
}

// run is how many words behind a number, one after the other, the question has.
func run(q question, text string, pos, end int) (n int) {
	for _, w := range words(text[end:]) {
		if n == 3 || !slices.Contains(q.terms, tokens.Stem(strings.ToLower(text[end+w[0]:end+w[1]]))) {
			break
		}
		n++
	}
	return n
}

var hanCount = pattern.New(`(?:多少|几)([个只次本台条位岁家张件种块元斤公里米度人分名]?)`)

// hanNumber is the number before the measure word that is asked for.
func hanNumber(question, text string) string {
	m := hanCount.FindStringSubmatch(question)
	measure := ""
	if m != nil {
		measure = m[1]
	}
	first := ""
	for i := 0; i < len(text); {
		n := 0
		for i+n < len(text) && (text[i+n] >= '0' && text[i+n] <= '9' || n > 0 && (text[i+n] == '.' || text[i+n] == ',')) {
			n++
		}
		if n == 0 {
			_, n = timex.HanNumber(text[i:])
		}
		if n == 0 {
			i++
			for i < len(text) && text[i]&0xc0 == 0x80 {
				i++
			}
			continue
		}
		rest := text[i+n:]
		if measure != "" && strings.HasPrefix(rest, measure) {
			return text[i : i+n+len(measure)]
		}
		if first == "" {
			first = text[i : i+n]
		}
		i += n
	}
	if measure != "" {
		return ""
	}
	return first
}

var (
	reNames  = pattern.New(`\p{Lu}[\p{Latin}\p{Greek}\p{Cyrillic}\pM\d_'’&-]*(?: (?:of |the |and |de )?\p{Lu}[\p{Latin}\p{Greek}\p{Cyrillic}\pM\d_'’&-]*)*`)
	rePlace  = pattern.New(`\b(?:in|at|to|from|near|around|visited|visiting|toured|of) (?:the |my |our )?(\p{Lu}[\p{Latin}\p{Greek}\p{Cyrillic}\pM\d_'’&-]*(?:,? (?:of |the )?\p{Lu}[\p{Latin}\p{Greek}\p{Cyrillic}\pM\d_'’&-]*)*)`)
	rePlaced = pattern.New(`(?i)\b(?:in|at|for|to|from|near|around|into|inside|by|under|on) (?:the|my|our|a|an|this|that|his|her|their)\b`)
	reWhoIs  = pattern.New(`(?i)^who (?:is|was) [\p{L}]+\??$`)
	reKin    = pattern.New(`(?i)\bmy (?:\w+ )?(?:mom|mother|dad|father|sister|brother|wife|husband|partner|friends?|family|kids?|son|daughter|cousin|aunt|uncle|grandma|grandpa|grandmother|grandfather|boss|coworkers?|colleagues?|neighbou?rs?|girlfriend|boyfriend|teammates?|roommates?|teacher|coach)\b`)
)

// spanName is a name, or a place, that the best sentences have and the question has not.
func spanName(q question, near []scored) string {
	asked := strings.ToLower(q.text)
	ok := func(n string) bool {
		n = strings.ToLower(n)
		return !strings.Contains(asked, n) && !tokens.Stop(n) && len(n) > 1
	}
	for _, s := range near[:min(3, len(near))] {
		if q.kind == where {
			for _, m := range rePlace.FindAllStringSubmatchIndex(s.text, -1) {
				if n := s.text[m[2]:m[3]]; ok(n) && !q.denied(s.text, m[2]) {
					return n
				}
			}
			continue
		}
		for _, m := range reNames.FindAllStringIndex(s.text, -1) {
			if n := strings.TrimSuffix(s.text[m[0]:m[1]], " I"); m[0] > 0 && ok(n) && !q.denied(s.text, m[0]) {
				return n
			}
		}
		if m := reKin.FindString(s.text); m != "" {
			return m
		}
	}
	return ""
}

var (
	reDenies = pattern.New(`(?i)\b(?:not|no|never|none|nothing|nobody|without|hardly|cannot)\b|n['’]t\b`)
	zhDenies = pattern.New(`没有|没|不|未|从不|并非|无法`)
	reLikely = pattern.New(`(?i)\b(?:would|might|could|likely|may)\b`)
)

// spanYesNo says yes where the best sentence denies as much as the question does.
func spanYesNo(q question, ev *evidence, near []scored) string {
	deny := func(s string) bool {
		if q.han {
			s = strings.NewReplacer("是不是", "", "有没有", "", "会不会", "", "能不能", "", "要不要", "", "不错", "", "不过", "", "对不起", "").Replace(s)
			return zhDenies.MatchString(s)
		}
		return reDenies.MatchString(s)
	}
	said := near[0]
	yes := deny(q.text) == (deny(said.text) || q.still && len(over(said.text, q.names)) > 0)
	if y, n, ok := yesNoOfClaims(q, ev); ok {
		yes = y != deny(q.text)
		for _, s := range near {
			if s.line == n.line {
				said = s
				break
			}
		}
	}
	return q.sayYesNo(yes, said.text)
}

var reClause = regexp.MustCompile(`(?i)[,;:，；—]| (?:but|and|so|because|although|though|since) `)

// clauseOf is the clause of a sentence that shares most with a question: what another one
// denies is not denied in it.
func clauseOf(q question, s string) string {
	best, most := s, 0
	for _, c := range reClause.Split(s, -1) {
		n := 0
		for _, t := range tokens.Terms(c) {
			if slices.Contains(q.terms, t) {
				n++
			}
		}
		if n > most {
			best, most = c, n
		}
	}
	return best
}

// denied reports whether what is at a place of a sentence is said not to be so, as the question does not ask: Rome in "I'm not going to Rome, I'm going to Bari",
// the 14th in "the 15th, not the 14th". Only the cautious reader looks.
func (q question) denied(text string, at int) bool {
	if !q.brief || reDenies.MatchString(q.text) {
		return false
	}
	if reNotThis.MatchString(text[:at]) {
		return true
	}
	if !reDenies.MatchString(text) && !zhDenies.MatchString(text) {
		return false
	}
	return slices.ContainsFunc(clause.Read(text, clause.Options{Names: q.names}), func(f clause.Fact) bool {
		return f.Negated && slices.ContainsFunc([]clause.Phrase{f.Object, f.Place, f.When}, func(p clause.Phrase) bool { return p.Start <= at && at < p.End })
	})
}

var (
	reNotThis = pattern.New(`(?i)\bnot (?:(?:in|at|on|to|from|for|with|until|till|the|an?|my|our) )*$|(?:不是|不在|没在|不去|没去)$`)
	// What comes back each year has a day and a month; the year of a birthday that is named without one is nobody's.
	reYearly = pattern.New(`(?i)\bbirthdays?\b|\banniversar(?:y|ies)\b|\bborn\b|生日|纪念日|出生`)
	reYear   = pattern.New(`\d{4}`)
)

// elsewhere reports whether a time is of another clause than the one that shares most with the question: "my internship ends on the 15th, on the 20th I go to Bern".
// A clause of only a time is of the one beside it.
func (q question) elsewhere(s string, e timex.Expr) bool {
	part := clauseOf(q, s)
	at := strings.Index(s, part)
	if e.Pos < at+len(part) && e.End > at {
		return false
	}
	from, to := 0, len(s)
	for _, c := range reClause.FindAllStringIndex(s, -1) {
		if c[1] <= e.Pos {
			from = c[1]
		} else if c[0] >= e.End {
			to = c[0]
			break
		}
	}
	return len(tokens.Terms(s[from:e.Pos]))+len(tokens.Terms(s[e.End:to])) > 1
}

// spanEither is the side of the question that the best sentences speak of more; asked
// for what came first, or last, the side that was said to be earlier, or later.
func spanEither(q question, ranked []scored) string {
	var at [2]float64
	var day [2]timex.Day
	var dated [2]bool
	other := [2][]string{tokens.Terms(q.sides[0]), tokens.Terms(q.sides[1])}
	for i := range 2 {
		for _, s := range ranked {
			hit, all := 0, 0
			for _, t := range other[i] {
				if slices.Contains(other[1-i], t) {
					continue
				}
				all++
				if slices.Contains(s.terms, t) {
					hit++
				}
			}
			if all == 0 {
				break
			}
			v := float64(hit) / float64(all) * (.3 + s.score)
			if reDenies.MatchString(s.text) || q.han && zhDenies.MatchString(s.text) {
				v *= .6
			}
			if v > at[i] {
				at[i] = v
				if d, ok := eventDay(*s.unit); ok && 2*hit >= all {
					day[i], dated[i] = d, true
				}
			}
		}
	}
	low := strings.ToLower(q.text)
	if dated[0] && dated[1] && day[0] != day[1] {
		early := 0
		if day[1] < day[0] {
			early = 1
		}
		switch {
		case strings.Contains(low, "first") || strings.Contains(low, "earlier") || strings.Contains(low, "before") || strings.Contains(low, "先") || strings.Contains(low, "更早"):
			return q.sides[early]
		case strings.Contains(low, "last") || strings.Contains(low, "later") || strings.Contains(low, "recent") || strings.Contains(low, "后") || strings.Contains(low, "更晚"):
			return q.sides[1-early]
		}
	}
	switch {
	case at[0] == 0 && at[1] == 0:
		return ""
	case at[1] > at[0]:
		return q.sides[1]
	}
	return q.sides[0]
}

// eventDay is the middle of the days that a sentence speaks of, else when it was said.
func eventDay(u unit) (timex.Day, bool) {
	if !u.dated {
		return 0, false
	}
	year, _, _ := u.day.Civil()
	for _, e := range timex.Find(u.text, year) {
		if e.Kind == timex.Deictic {
			e = e.At(u.day)
		}
		if e.Kind == timex.Absolute {
			return e.Lo + (e.Hi-e.Lo)/2, true
		}
	}
	return u.day, true
}

// choose is the choice that the context supports best, in its own words; "" where it
// supports none.
func choose(q question, ev *evidence, choices []string) string {
	ranked := rankUnits(q, ev)
	if len(ranked) == 0 {
		return ""
	}
	best, top := -1, 0.0
	for i, c := range choices {
		terms := termsOf(c)
		if len(terms) == 0 {
			continue
		}
		v := 0.0
		for _, s := range ranked[:min(len(ranked), 20)] {
			hit, all := 0.0, 0.0
			for _, t := range terms {
				w := 1.0
				if slices.Contains(q.terms, t) {
					w = .2
				}
				all += w
				if slices.Contains(s.terms, t) {
					hit += w
				}
			}
			v = max(v, hit/all*(.2+s.score))
		}
		if v > top {
			best, top = i, v
		}
	}
	if best < 0 {
		return ""
	}
	return choices[best]
}
