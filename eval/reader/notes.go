package reader

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/schema/catalog"
)

// A note is a claim that a system's context shows below a turn (Note):
//
//	= Ann LIVES_IN Boston (no longer) from 2024-01-02 to 2024-05-01
//	= Ann OWNS Golf (denied) from 2024-05-01, happened 2024-04
type note struct {
	line      int
	who       string // lower case
	predicate string
	object    string
	terms     []string // of predicate and object, sorted
	about     []string // of the object alone
	denied    bool     // it says that it is not so
	holds     bool
	event     bool // of something that happened once
	from, to  string
}

// Marks in notes, which a graph's context writes.
const (
	Denied   = " (denied)"
	NoLonger = " (no longer)"
)

var reNote = pattern.New(`^(.*?) ([A-Z][A-Z_]+) (.*?)( \(denied\))?( \(no longer\))?((?: from \d{4}-\d\d-\d\d(?: to \d{4}-\d\d-\d\d)?)*)(?:, happened ([\d/-]+))?$`)

// noteOf reads what follows Note in a line.
func noteOf(s string, line int) (n note, ok bool) {
	m := reNote.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return n, false
	}
	n = note{line: line, who: strings.ToLower(m[1]), predicate: m[2], object: m[3], denied: m[4] != "", holds: m[5] == ""}
	if spans := strings.Fields(m[6]); len(spans) > 1 {
		n.from = spans[1]
		if i := slices.Index(spans, "to"); i >= 0 && spans[len(spans)-2] == "to" {
			n.to = spans[len(spans)-1]
		}
	}
	if def, known := vocabulary().Predicate(n.predicate); known {
		n.event = def.Time == catalog.TimeEvent
	}
	n.about = termsOf(n.object)
	n.terms = append(termsOf(strings.ToLower(strings.ReplaceAll(n.predicate, "_", " "))), n.about...)
	slices.Sort(n.terms)
	n.terms = slices.Compact(n.terms)
	return n, true
}

var vocabulary = sync.OnceValue(catalog.Default)

func termsOf(s string) []string {
	out := tokens.Terms(s)
	slices.Sort(out)
	return slices.Compact(out)
}

// share is how many of a are in b, of those in a.
func share(a, b []string) float64 {
	if len(a) == 0 {
		return 0
	}
	n := 0
	for _, t := range a {
		if slices.Contains(b, t) {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

// outdated reports whether a sentence says what holds no longer: a claim that rests on
// its turn, and whose object it names, has ended, and none that it names still holds.
func (e *evidence) outdated(u *unit) bool {
	out := false
	for _, n := range e.notes {
		if n.line != u.line || share(n.about, u.terms) < .6 {
			continue
		}
		if n.holds {
			return false
		}
		out = true
	}
	return out
}

// claims are the notes that a question is about, best first: those of the people it
// names, that share at least half of its words or of whose object it names all.
func (e *evidence) claims(q question) []note {
	type fit struct {
		note
		f float64
	}
	var out []fit
	for _, n := range e.notes {
		if len(q.subjects) > 0 && !slices.ContainsFunc(q.subjects, func(s string) bool { return n.who == s || textnorm.Names(n.who, s) && !strings.Contains(n.who, "'s ") }) {
			continue
		}
		f := share(q.terms, n.terms)
		if f < .5 || share(n.about, q.terms) == 0 {
			continue
		}
		out = append(out, fit{n, f})
	}
	slices.SortStableFunc(out, func(a, b fit) int { return cmp.Or(cmp.Compare(b.f, a.f), cmp.Compare(b.from, a.from)) })
	list := make([]note, 0, len(out))
	for _, x := range out {
		list = append(list, x.note)
	}
	return list
}

// yesNoOfClaims answers from the newest claim that a yes-no question is about: a claim
// that holds says yes, one that is denied or has ended says no, and whether something
// ever was so is a matter of any claim that says it.
func yesNoOfClaims(q question, ev *evidence) (yes bool, n note, ok bool) {
	list := ev.claims(q)
	if len(list) == 0 {
		return false, n, false
	}
	if q.ever {
		for _, n := range list {
			if !n.denied {
				return true, n, true
			}
		}
		return false, list[0], true
	}
	if q.still { // what happened once says nothing of now
		list = slices.DeleteFunc(list, func(n note) bool { return n.event })
		if len(list) == 0 {
			return false, n, false
		}
	}
	n = list[0]
	for _, other := range list[1:] {
		if share(other.about, n.about) == 1 && other.from > n.from {
			n = other
		}
	}
	return n.holds != n.denied, n, true
}

// slot answers from a claim whose predicate says all that is asked: "Where does Ana live?"
// from LIVES_IN, of the one person that is named. The newest that holds counts.
func (e *evidence) slot(q question, ranked []scored) string {
	if len(q.subjects) != 1 || len(q.terms) == 0 || q.was || q.several || q.kind != where && q.kind != what && q.kind != who {
		return ""
	}
	var best *note
	for i := range e.notes {
		n := &e.notes[i]
		predicate := strings.ToLower(strings.ReplaceAll(n.predicate, "_", " "))
		place := strings.HasSuffix(predicate, " in") || strings.HasSuffix(predicate, " at") || strings.HasSuffix(predicate, " from")
		if n.who != q.subjects[0] || !n.holds || n.denied || (q.kind == where) != place || share(q.terms, termsOf(predicate)) < 1 {
			continue
		}
		if best == nil || n.from > best.from {
			best = n
		}
	}
	if best == nil {
		return ""
	}
	for _, s := range ranked {
		if s.line == best.line && share(best.about, s.terms) > .5 {
			return best.object + ": " + s.text + before(q, e, s.text)
		}
	}
	return ""
}

// before says what was so until a claim took its place; "" where nothing is known.
func before(q question, ev *evidence, text string) string {
	if q.was {
		return ""
	}
	terms := termsOf(text)
	for _, now := range ev.notes {
		if !now.holds || now.denied || share(now.about, terms) < 1 || len(now.about) == 0 {
			continue
		}
		for _, was := range ev.notes {
			if was.who == now.who && was.predicate == now.predicate && !was.holds && !was.denied && was.object != now.object && was.to != "" && was.to == now.from {
				value := was.object
				for _, u := range ev.units {
					if u.line == was.line {
						value = Uncut(value, u.text)
					}
				}
				return q.say(" (before: ", "（此前：") + value + q.say(", until ", "，至") + was.to + q.say(")", "）")
			}
		}
	}
	return ""
}
