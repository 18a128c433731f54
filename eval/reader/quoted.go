package reader

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/internal/timex"
)

// Questions that put what they ask about in quotation marks (“…”) ask for exact words:
// when they were said, how often, which first, how long between, or what is missing in
// them (“… ____ …”). The rule reader answers those by looking for the words instead of
// weighing sentences.
var (
	reQuoted    = pattern.New(`“([^”]*)”`)
	reOpposite  = pattern.New(`(?i)opposite|contradict|no longer|改口|相反|矛盾`)
	reEvery     = pattern.New(`(?i)\bdates\b|\bevery date\b|\blist\b|哪些日期|所有日期|全部列出`)
	reEarliest  = pattern.New(`(?i)\bfirst\b|先`)
	reTurns     = pattern.New(`(?i)\bturns?\b|几句|句中`)
	reReplaced  = pattern.New(`(?i)\bbefore\b|之前|以前`)
	reCountThis = pattern.New(`(?i)\bhow (?:many|often)\b|几次|几句|多少次|有多少`)
	reApart     = pattern.New(`(?i)\bhow many days\b|相隔|隔了几天`)
	reDate      = pattern.New(`(?i)\bdates?\b|\bwhen\b|哪一?天|日期`)
)

// spoken is a line of the context: what someone said at once.
type spoken struct {
	text, speaker string // lower case
	raw           string
	day           timex.Day
	dated         bool
}

func (e *evidence) spoken() []spoken {
	out := make([]spoken, e.lines)
	for _, u := range e.units {
		l := &out[u.line]
		if l.raw != "" {
			l.raw += " "
		}
		l.raw += u.text
		l.speaker, l.day, l.dated = u.speaker, u.day, u.dated
	}
	for i := range out {
		out[i].raw = textnorm.Compat(out[i].raw) // as the question was
		out[i].text = strings.ToLower(out[i].raw)
	}
	return out
}

// quoted answers a question by the words that it quotes; false: it quotes none, or the
// context does not have them.
func quoted(q question, ev *evidence, choices []string) (string, bool) {
	found := reQuoted.FindAllStringSubmatch(q.text, -1)
	lines := ev.spoken()
	if len(found) == 0 {
		if reOpposite.MatchString(q.text) && !q.brief {
			return common(lines, q.han)
		}
		return "", false
	}
	rest := reQuoted.ReplaceAllString(q.text, " ")
	first := strings.ToLower(found[0][1])
	if strings.Contains(first, "__") {
		if len(choices) > 0 {
			return "", false
		}
		value, at, ok := missing(first, lines)
		if !ok {
			return "", false
		}
		if !reDate.MatchString(rest) || !takenUp(rest) {
			return value, true
		}
		var days []timex.Day
		for i, l := range lines {
			if i != at && l.dated && holds(l.text, strings.ToLower(value)) {
				days = append(days, l.day)
			}
		}
		return dates(days, q.han, false)
	}
	hits := func(words string) (out []spoken) {
		for _, l := range lines {
			if holds(l.text, words) && (len(q.subjects) != 1 || l.speaker == "" || l.speaker == q.subjects[0]) {
				out = append(out, l)
			}
		}
		return out
	}
	a := hits(first)
	if len(found) == 2 {
		b := hits(strings.ToLower(found[1][1]))
		if len(a) == 0 || len(b) == 0 {
			return "", false
		}
		x, y := earliest(a), earliest(b)
		switch {
		case reApart.MatchString(rest) && x.dated && y.dated:
			n := int(y.day - x.day)
			return daysApart(max(n, -n), q.han), true
		case reEarliest.MatchString(rest) && x.dated && y.dated && x.day != y.day:
			if y.day < x.day {
				return found[1][1], true
			}
			return found[0][1], true
		}
		return "", false
	}
	if len(a) == 0 || len(choices) > 0 {
		return "", false
	}
	var days []timex.Day
	for _, l := range a {
		if l.dated && !slices.Contains(days, l.day) {
			days = append(days, l.day)
		}
	}
	slices.Sort(days)
	switch {
	case reEvery.MatchString(rest):
		return dates(days, q.han, true)
	case reCountThis.MatchString(rest) && reTurns.MatchString(rest):
		return strconv.Itoa(len(a)), true
	case reCountThis.MatchString(rest) && len(days) > 0:
		return strconv.Itoa(len(days)), true // a conversation is a day, as far as can be seen
	case reDate.MatchString(rest) && reOpposite.MatchString(rest) && len(days) > 0:
		return dates(days[len(days)-1:], q.han, false)
	case reDate.MatchString(rest):
		return dates(days, q.han, false)
	case reReplaced.MatchString(rest):
		for _, l := range lines { // what was said before what the question names
			if !holds(l.text, first) {
				return l.raw, true
			}
		}
	}
	return "", false
}

// takenUp reports whether a question continues from its gap to someone else's words.
func takenUp(rest string) bool {
	low := strings.ToLower(rest)
	return strings.Contains(low, "mention") || strings.Contains(low, "talk") || strings.Contains(low, "提到") || strings.Contains(low, "提起") || strings.Contains(low, "说起")
}

// holds reports whether a text contains words unchanged, at word boundaries.
func holds(text, words string) bool {
	if words == "" {
		return false
	}
	if hasHan(words[:min(len(words), 3)]) {
		return strings.Contains(text, words)
	}
	return textnorm.Names(text, words)
}

// missing finds the line that a quote with a gap is of, and what fills the gap.
func missing(quote string, lines []spoken) (value string, at int, ok bool) {
	i := strings.IndexByte(quote, '_')
	before := squeeze(quote[:i])
	after := squeeze(strings.TrimLeft(quote[i:], "_"))
	for n, l := range lines {
		raw := squeeze(l.raw)
		low := strings.ToLower(raw)
		if len(low) != len(raw) {
			low = raw
		}
		from := 0
		if before != "" {
			p := strings.Index(low, before)
			if p < 0 {
				continue
			}
			from = p + len(before)
		}
		to := len(low)
		if after != "" {
			p := strings.Index(low[from:], after)
			if p < 0 {
				continue
			}
			to = from + p
		}
		if before == "" { // the gap begins its sentence
			for _, end := range []string{". ", "! ", "? ", "。", "！", "？"} {
				if p := strings.LastIndex(low[:to], end); p >= 0 {
					from = max(from, p+len(end))
				}
			}
		}
		if v := strings.Trim(raw[from:to], " \"“”"); v != "" {
			return v, n, true
		}
	}
	return "", 0, false
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func earliest(list []spoken) spoken {
	out := list[0]
	for _, l := range list {
		if l.dated && (!out.dated || l.day < out.day) {
			out = l
		}
	}
	return out
}

func dates(days []timex.Day, han, all bool) (string, bool) {
	if len(days) == 0 {
		return "", false
	}
	if !all {
		days = days[:1]
	}
	var out []string
	for _, d := range days {
		out = append(out, sayDay(han, d))
	}
	return strings.Join(out, ", "), true
}

func daysApart(days int, han bool) string {
	switch {
	case han:
		return fmt.Sprintf("%d天", days)
	case days == 1:
		return "1 day"
	}
	return fmt.Sprintf("%d days", days)
}

// common is the longest run of words that the first and the last line share: what two
// statements that contradict each other are about.
func common(lines []spoken, han bool) (string, bool) {
	if len(lines) < 2 {
		return "", false
	}
	a, b := pieces(lines[0].text, han), pieces(lines[len(lines)-1].text, han)
	best := ""
	for i := range a {
		for j := range b {
			n := 0
			for i+n < len(a) && j+n < len(b) && a[i+n] == b[j+n] {
				n++
			}
			sep := " "
			if han {
				sep = ""
			}
			if s := strings.Join(a[i:i+n], sep); len(s) > len(best) {
				best = s
			}
		}
	}
	return best, best != ""
}

func pieces(s string, han bool) []string {
	if !han {
		return strings.FieldsFunc(s, func(r rune) bool {
			return !(r == '\'' || r == '-' || r > 0x7f || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z')
		})
	}
	var out []string
	for _, r := range s {
		out = append(out, string(r))
	}
	return out
}
