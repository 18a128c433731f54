package recall

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/memory/store"
	"membench/schema"
)

// Signals that look at one turn by itself (facts/retrieval.md §2). English and Chinese.

// WithoutNames returns the question with the speakers' names, and their 's, replaced by blanks; blanks are squeezed. The rest is the content of the question,
// independent of the person.
func WithoutNames(s *State) string {
	text := s.Query.Text
	names := s.Store.Speakers()
	for i, n := range names {
		text = cutName(cutName(text, n), firstName(names, i))
	}
	return strings.Join(strings.Fields(text), " ")
}

func cutName(text, name string) string {
	if name == "" {
		return text
	}
	for from := 0; ; {
		i := strings.Index(strings.ToLower(text[from:]), strings.ToLower(name))
		if i < 0 || len(strings.ToLower(text)) != len(text) {
			return text
		}
		i += from
		end := i + len(name)
		if !textnorm.Whole(text, i, end) {
			from = end
			continue
		}
		for _, s := range []string{"'s", "’s"} {
			if strings.HasPrefix(text[end:], s) {
				end += len(s)
				break
			}
		}
		text = text[:i] + " " + text[end:]
		from = i
	}
}

// Named is the one speaker whom the question names, "" where it names none or several.
func Named(s *State) (named string) {
	names := s.Store.Speakers()
	for i, n := range names {
		first := firstName(names, i)
		if n != "" && cutName(s.Query.Text, n) != s.Query.Text || first != "" && cutName(s.Query.Text, first) != s.Query.Text || hanName(n) && strings.Contains(s.Query.Text, n) {
			switch {
			case named == "" || textnorm.Names(n, named): // Alex (user3) is not Alex
				named = n
			case !textnorm.Names(named, n):
				return ""
			}
		}
	}
	return named
}

// Spoken is 1 where the question names exactly one speaker and that one speaks.
func Spoken() Signal {
	return func(_ context.Context, s *State) ([]float64, error) {
		out := s.numbers()
		if named := Named(s); named != "" {
			for i, r := range s.Store.All() {
				if r.Speaker == named {
					out[i] = 1
				}
			}
		}
		return out, nil
	}
}

// firstName is the first word of a speaker's name of several; "" where another's begins
// with it, too.
func firstName(names []string, i int) string {
	first, rest, _ := strings.Cut(names[i], " ")
	if rest == "" || len(first) < 2 {
		return ""
	}
	for j, other := range names {
		if head, _, _ := strings.Cut(other, " "); j != i && strings.EqualFold(head, first) {
			return ""
		}
	}
	return first
}

func hanName(n string) bool {
	t := tokens.Split(n)
	return len(t) > 0 && t[0].Han
}

const monthNames = "january|february|march|april|may|june|july|august|september|october|november|december"

var (
	months     = strings.Split(monthNames, "|")
	shortMonth = monthNames + "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
	dayMonth   = pattern.New(`\b(\d{1,2})(?:st|nd|rd|th)?(?: of)?,? (` + shortMonth + `)\b(?:\.?,? (\d{4}))?`)
	monthDay   = pattern.New(`\b(` + shortMonth + `)\.? (\d{1,2})(?:st|nd|rd|th)?\b(?:,? (\d{4}))?`)
	onlyMonth  = pattern.New(`\b(` + monthNames + `)\b(?:,? (?:of )?(\d{4}))?`)
	isoDay     = pattern.New(`\b(\d{4})-(\d{2})-(\d{2})\b`)
	hanDay     = pattern.New(`(?:(\d{4})年)?(\d{1,2})月(?:(\d{1,2})[日号])?`)
	before     = pattern.New(`\b(in|of|during|since|by|until|from|last|this|early|late|mid)\s*[- ]?$`)
	whenAsked  = pattern.New(`^(when|how long|since when|what (year|month|day|date|time)|which (year|month|day|date))\b|\b(what|which) (year|month|day|date|time)\b|什么时候|哪天|哪一天|几号|几月|哪年|何时|多久`)
	timeWord   = pattern.New(`\b(yesterday|today|tomorrow|tonight|recently|ago|monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|(?:` + monthNames + `)|(?:19|20)\d\d|(?:last|next|this|past|few|couple of) (?:night|week|weekend|month|year|day|days|weeks|months|years|summer|winter|spring|fall|autumn|morning|evening|afternoon))\b|\b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|several|many|half an?) (?:hour|day|week|month|year)s?\b|昨天|今天|明天|前天|上周|下周|这周|上个月|下个月|去年|明年|今年|最近|刚刚|星期|周[一二三四五六日末]|\d+[年月日号]|[\d一二两三四五六七八九十几半]+(?:个)?(?:小时|天|周|星期|月|年)`)
	standing   = pattern.New(`(?:^|[.!?\n]\s*)(?:please )?(?:always|never|from now on|whenever|in (?:the )?future|make sure (?:to|you)|remember (?:to|that)|don't ever|do not ever)\b|(?:^|[。！？；，,\n])(?:请|记得|记住)?(?:以后|今后|从现在起|每次|每当|总是|永远|一律|千万别|千万不要)`)
	placeNamed = pattern.New(`\b(?:in|at|to|from|near|around|on|[Vv]isit\w*) (?:the |a )?[A-Z][a-z]+|在|去|到`)
	titleNamed = pattern.New(`["“][^"”]+["”]|[a-z,;] (?:the |a )?[A-Z][a-z]+ (?:of |the |and |to )*[A-Z][a-z]+|《`)
	firstWords = pattern.New(`\b(i|i'm|i've|i'd|i'll|im|my|we|our|me)\b|我`)
)

// A day asked for; what is 0 was not said.
type day struct{ year, month, day int }

// asOf is a day up to which something is asked, not one on which it was said.
var asOf = pattern.New(`\bas of (?:the )?(?:early |late |mid-?)?(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? )?(?:` + monthNames + `)(?: \d{1,2}(?:st|nd|rd|th)?\b)?(?:,? \d{4})?|\bas of \d{4}-\d{2}-\d{2}|截[至止]到?(?:\d{4}年)?\d{1,2}月(?:\d{1,2}[日号])?`)

// daysOf reads the days and months that a question names.
func daysOf(question string) (out []day) {
	q := asOf.ReplaceAllString(strings.ToLower(question), " ")
	num := func(s string) int { n, _ := strconv.Atoi(s); return n }
	month := func(s string) int {
		return slices.IndexFunc(months, func(m string) bool { return strings.HasPrefix(m, s[:3]) }) + 1
	}
	for _, m := range isoDay.FindAllStringSubmatch(q, -1) {
		out = append(out, day{num(m[1]), num(m[2]), num(m[3])})
	}
	for _, m := range dayMonth.FindAllStringSubmatch(q, -1) {
		out = append(out, day{num(m[3]), month(m[2]), num(m[1])})
	}
	for _, m := range monthDay.FindAllStringSubmatch(q, -1) {
		if d := num(m[2]); d <= 31 {
			out = append(out, day{num(m[3]), month(m[1]), d})
		}
	}
	for _, m := range hanDay.FindAllStringSubmatch(q, -1) {
		out = append(out, day{num(m[1]), num(m[2]), num(m[3])})
	}
	if len(out) > 0 {
		return out
	}
	for _, m := range onlyMonth.FindAllStringSubmatchIndex(q, -1) {
		name, year := q[m[2]:m[3]], 0
		if m[4] >= 0 {
			year = num(q[m[4]:m[5]])
		}
		if (name == "march" || name == "may") && year == 0 && !before.MatchString(strings.TrimRight(q[:m[0]], " ")) {
			continue // a verb
		}
		out = append(out, day{year, month(name), 0})
	}
	return out
}

// OnDay returns how well a time fits a day that a question names: exp(−|d − t|/3), times .8 if the time is earlier, days apart; if only a month is named, 1 in
// it, .4 in the next, 0 if a named year differs. A missing year is the best one. It returns nil if the question names no day.
func OnDay(question string) func(time.Time) float64 {
	asked := daysOf(question)
	if len(asked) == 0 {
		return nil
	}
	return func(t time.Time) (best float64) {
		for _, d := range asked {
			best = max(best, d.fit(t))
		}
		return best
	}
}

// Dated is how well the record's day fits one that the question names, see OnDay.
func Dated() Signal {
	return func(_ context.Context, s *State) ([]float64, error) {
		out := s.numbers()
		fit := OnDay(s.Query.Text)
		if fit == nil {
			return out, nil
		}
		memo := map[string]float64{}
		for i, r := range s.Store.All() {
			v, ok := memo[r.Time]
			if !ok {
				if t, has := schema.ParseTime(r.Time, nil); has {
					v = fit(t)
				}
				memo[r.Time] = v
			}
			out[i] = v
		}
		return out, nil
	}
}

func (d day) fit(t time.Time) (best float64) {
	if d.month < 1 || d.month > 12 {
		return 0
	}
	if d.day == 0 {
		if d.year != 0 && d.year != t.Year() {
			return 0
		}
		switch int(t.Month()) {
		case d.month:
			return 1
		case d.month%12 + 1:
			return .4
		}
		return 0
	}
	years := []int{d.year}
	if d.year == 0 {
		years = []int{t.Year() - 1, t.Year(), t.Year() + 1}
	}
	at := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	for _, y := range years {
		named := time.Date(y, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
		apart := named.Sub(at).Hours() / 24
		v := math.Exp(-math.Abs(apart) / 3)
		if apart < 0 {
			v *= .8
		}
		best = max(best, v)
	}
	return best
}

// AsksWhen reports whether a question asks for a time.
func AsksWhen(q string) bool { return whenAsked.MatchString(strings.ToLower(strings.TrimSpace(q))) }

// Priors of a turn, independent of the question; each is a function of the spoken text.
type Priors struct {
	Temporal float64 // 1: it has a time word
	Length   float64 // ln(1 + content terms)
	Question float64 // 1: it ends with a question mark
	First    float64 // 1: it speaks of I, my, we
	Standing float64 // 1: it lays down a rule for later: always, never, from now on
	Place    float64 // 1: it names a place: "in Lisbon"
	Title    float64 // 1: it names something in quotation marks or by two words with a capital
}

// PriorsOf reads them. said is the text without the speaker's name.
func PriorsOf(said string) (p Priors) {
	low := strings.ToLower(strings.ReplaceAll(said, "’", "'"))
	one := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	p.Temporal = one(timeWord.MatchString(low))
	p.Length = math.Log(1 + float64(len(tokens.Terms(said))))
	end := strings.TrimRight(said, " \n")
	p.Question = one(strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？"))
	p.First = one(firstWords.MatchString(low))
	p.Standing = one(standing.MatchString(low))
	p.Place = one(placeNamed.MatchString(said))
	p.Title = one(titleNamed.MatchString(said))
	return p
}

// Prior is a weighted sum of a record's priors; when doubles as Temporal's weight in
// questions for a time. of gives the priors by position, so that they are read once, at
// storing.
func Prior(of func(pos int) Priors, w Priors, when float64) Signal {
	return Each(func(s *State, i int, _ *store.Record) float64 {
		p := of(i)
		t := w.Temporal
		if AsksWhen(s.Query.Text) {
			t += when
		}
		return t*p.Temporal + w.Length*p.Length + w.Question*p.Question + w.First*p.First
	})
}
