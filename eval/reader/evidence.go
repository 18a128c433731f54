package reader

import (
	"slices"
	"strings"

	"membench/internal/pattern"
	"membench/internal/sentence"
	"membench/internal/timex"
	"membench/schema"
)

// A unit is one sentence of a context.
type unit struct {
	text    string
	speaker string   // lower case; "" unknown
	terms   []string // sorted, without repeats
	line    int      // of the context: turns or memories, from 0
	day     timex.Day
	dated   bool // day is when it was said
	asks    bool
	hit     int             // number of the hit that it is of, from 1; 0: none
	former  bool            // it says what holds no longer
	turn    schema.EventRef // that it is of; zero: unknown
}

// A reply is what a hit replies to: someone else's question.
type reply struct {
	text  string
	terms []string
}

// evidence is a context, cut into sentences.
type evidence struct {
	units []unit
	lines int
	notes []note          // claims below the turns
	df    map[string]int  // units that hold a term
	asked map[int]reply   // by hit: the question that it replies to
	score map[int]float64 // by hit: the memory's
	// byPrefix are the terms of Latin letters by their first five bytes, in the order of the context.
	byPrefix map[string][]string
}

var (
	headed  = pattern.New(`^\[(?:Memory )?\d+\] ?`)
	stamped = pattern.New(`^(?:timestamp: |- )?[\[(]?(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ,]*(?:\([A-Za-z]{3}\))?[T ,]*\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?[\])]?(?:[: ]+|$)`)
	owned   = pattern.New(`^\[(User|Agent)\] `)
)

// parse cuts a context into sentences and finds who said them and when. It reads what
// Show renders, "[time]" before the turns of a session, plain texts, and notes.
func parse(context string, speakers []string) *evidence {
	e := &evidence{df: map[string]int{}, byPrefix: map[string][]string{}}
	var day timex.Day
	dated := false
	speaker := ""
	hit := 0
	for line := range strings.Lines(context) {
		if rest, ok := strings.CutPrefix(line, Note); ok {
			if n, ok := noteOf(rest, e.lines-1); ok {
				e.notes = append(e.notes, n)
			}
			continue
		}
		line = strings.TrimSpace(line)
		if m := headed.FindString(line); m != "" {
			line, dated, speaker = line[len(m):], false, ""
			hit = atoi(m)
		}
		if m := stamped.FindStringSubmatch(line); m != nil {
			if d, ok := civil(m[1], m[2], m[3]); ok {
				day, dated, speaker = d, true, ""
				line = line[len(m[0]):]
			}
		}
		if m := owned.FindStringSubmatch(line); m != nil {
			speaker, line = owner(m[1], speakers), line[len(m[0]):]
		}
		if who, rest, ok := said(line, speakers); ok {
			speaker, line = who, rest
		}
		if line == "" {
			continue
		}
		for _, s := range sentence.Split(line) {
			if s.Quoted {
				continue
			}
			u := unit{text: s.Text, terms: termsOf(s.Text), speaker: speaker, line: e.lines, day: day, dated: dated, asks: s.Question, hit: hit}
			for _, t := range u.terms {
				if e.df[t]++; e.df[t] == 1 && len(t) >= 5 && t[0] < 0x80 {
					e.byPrefix[t[:5]] = append(e.byPrefix[t[:5]], t)
				}
			}
			e.units = append(e.units, u)
		}
		e.lines++
	}
	for i := range e.units {
		e.units[i].former = len(e.notes) > 0 && e.outdated(&e.units[i])
	}
	return e
}

func civil(y, m, d string) (timex.Day, bool) {
	year, month, day := atoi(y), atoi(m), atoi(d)
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	return timex.Date(year, month, day), true
}

// atoi reads the digits of s.
func atoi(s string) int {
	n := 0
	for _, c := range s {
		if c >= '0' && c <= '9' {
			n = n*10 + int(c-'0')
		}
	}
	return n
}

// owner is the person meant by the mark of a memory, [User] or [Agent]: if two people talk, the first is the user to a memory system, and the second the
// assistant.
func owner(mark string, speakers []string) string {
	switch {
	case len(speakers) == 2 && mark == "User":
		return strings.ToLower(speakers[0])
	case len(speakers) == 2:
		return strings.ToLower(speakers[1])
	case mark == "User":
		return "user"
	}
	return "assistant"
}

// said cuts "name: " off a line. A name is a speaker's, a role, or a word with a capital.
func said(line string, speakers []string) (who, rest string, ok bool) {
	i := strings.IndexAny(line, ":：")
	if i < 1 || i > 48 {
		return "", line, false
	}
	name := strings.TrimSpace(line[:i])
	rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(line[i:], ":"), "："))
	low := strings.ToLower(name)
	known := low == "user" || low == "assistant" || slices.ContainsFunc(speakers, func(s string) bool { return strings.EqualFold(s, name) })
	if !known && (len(speakers) > 0 || strings.ContainsAny(name, " ,.\t") || low == name && name[0] < 0x80) {
		return "", line, false
	}
	return low, rest, true
}
