// Package opstalk extracts statements about systems: alerts, causes, fixes, runbooks,
// owners, where things run, and how they are set. It is for talk that is declared to be
// about operations; on other talk its patterns would guess.
package opstalk

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/sentence"
	"membench/internal/textnorm"
)

// A Term is one end of a statement: an entity type of the catalogue and a name without
// quotes, articles or particles around it.
type Term struct{ Type, Name string }

// A Statement is one statement of a sentence about a system.
type Statement struct {
	Subject    Term
	Predicate  string // of the catalogue, the positive of its pair
	Denied     bool
	Moved      bool // it came there from elsewhere: what it was before is over
	Object     Term
	Confidence float64 // [0.60,0.98]
	Start      int     // of the sentence, in bytes
}

// Bands of confidence.
const (
	plainly     = 0.90
	interpreted = 0.66 // the subject is of an earlier sentence
)

// Me is the name of an object that is the speaker.
const Me = "我"

// Options are what was spoken of last before a text.
type Options struct {
	Alert string // for sentences that name none
	Thing string // the same for any service, host or alert
}

// Spoken returns the alert and the thing that a text spoke of last; what it names none of
// stays as it was.
func (o Options) Spoken(text string) (alert, thing string) {
	alert, thing = o.Alert, o.Thing
	for _, n := range opsAny.FindAllString(text, -1) {
		switch opsType(n) {
		case "Alert":
			alert, thing = n, n
		case "Service", "Host":
			thing = n
		}
	}
	if alert == o.Alert && hasHan(text) {
		if a := zhSpoken(text); a != "" {
			alert = a
		}
	}
	return alert, thing
}

// longSentence is the length in bytes above which a sentence is a log or a blob, and
// lookback how many sentences back the thing that is spoken of may have been named.
const (
	longSentence = 2000
	lookback     = 50
)

// Read lists the statements of a text in its order. Questions, guesses and plans give none.
func Read(text string, o Options) []Statement {
	var out []Statement
	ss := sentence.Split(text)
	for i, s := range ss {
		if len(s.Text) > longSentence || s.Question {
			continue
		}
		read := enRead
		if hasHan(s.Text) {
			read = zhRead
		}
		found := read(s.Text, ss[max(0, i-lookback):i], o)
		for j := range found {
			found[j].Start = s.Start
		}
		out = merge(out, found)
	}
	return out
}

// merge adds the statements that nothing before said, or denied.
func merge(out, more []Statement) []Statement {
	for _, m := range more {
		if !slices.ContainsFunc(out, func(u Statement) bool {
			return u.Predicate == m.Predicate && u.Subject == m.Subject && textnorm.Key(u.Object.Name) == textnorm.Key(m.Object.Name)
		}) {
			out = append(out, m)
		}
	}
	return out
}

// ok reports whether a name is left after cleaning.
func (t Term) ok() bool {
	return t.Type != "" && utf8.RuneCountInString(t.Name) <= 80 && strings.ContainsFunc(t.Name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

func hasHan(s string) bool { return strings.ContainsFunc(s, textnorm.IsHan) }

// trimAny strips the given prefixes and suffixes as long as something changes and
// something is left.
func trimAny(s string, prefixes, suffixes []string) string {
	for {
		was := s
		s = strings.TrimFunc(s, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune(".,;:!?。，；：！？、…·～~-—–()（）", r)
		})
		for _, p := range prefixes {
			if t, ok := strings.CutPrefix(s, p); ok && t != "" {
				s = t
			}
		}
		for _, p := range suffixes {
			if t, ok := strings.CutSuffix(s, p); ok && t != "" {
				s = t
			}
		}
		if s == was {
			return s
		}
	}
}
