package op

import (
	"cmp"
	"slices"
	"strings"

	"membench/internal/clause"
	"membench/internal/timex"
	"membench/memory"
	"membench/schema"
)

// A Triple is one statement of a text: subject, relation, object. Models return the same form.
type Triple struct {
	Subject  string `json:"source"`
	Relation string `json:"relation"`
	Object   string `json:"destination"`
	Fact     string `json:"-"` // the sentence
	From     string `json:"-"` // since when it holds, RFC 3339 or its beginning; "" unknown
	Negated  bool   `json:"-"`
	Turn     int    `json:"-"` // index of the turn with the statement
}

// Words is the triple as plain text.
func (t Triple) Words() string {
	return t.Subject + " " + strings.ReplaceAll(strings.ToLower(t.Relation), "_", " ") + " " + t.Object
}

// RuleTriples extracts what turns assert or plan about people, who are called by name: the speaker, the person addressed if there are two speakers, and people
// named in the text.
func RuleTriples(turns []schema.Turn) (out []Triple) {
	var names []string
	for _, t := range turns {
		names = append(names, nameOf(t))
	}
	for i, t := range turns {
		o := clause.Options{Names: names}
		said, dated := schema.ParseTime(t.Time, nil)
		if dated {
			o.Year = said.Year()
		}
		other := ""
		for _, n := range names {
			if n != nameOf(t) {
				other = n
			}
		}
		for _, f := range clause.Read(t.Text, o) {
			if f.Modality != clause.Asserted && f.Modality != clause.Plan {
				continue
			}
			who := whoIs(f.Subject, nameOf(t), other)
			what := cmp.Or(f.Value.Text, f.Object.Text, f.Place.Text)
			if who == "" || what == "" || strings.EqualFold(who, what) {
				continue
			}
			x := Triple{Subject: who, Relation: cmp.Or(f.Slot, "DID"), Object: what, Fact: strings.TrimSpace(t.Text[f.Start:f.End]), From: t.Time, Negated: f.Negated, Turn: i}
			if x.Relation == "DID" {
				x.Relation = strings.ToUpper(strings.ReplaceAll(cmp.Or(f.Verb, "did"), " ", "_"))
			}
			if dated && f.When.Text != "" {
				if e := f.Time.At(timex.Date(said.Year(), int(said.Month()), said.Day())); e.Kind == timex.Absolute && !e.NoYear {
					x.From = e.Lo.String()
				}
			}
			out = append(out, x)
		}
	}
	return out
}

func nameOf(t schema.Turn) string { return cmp.Or(t.Name, t.Role) }

// whoIs returns the name for a mention; "" if it is unknown.
func whoIs(m clause.Mention, speaker, other string) string {
	switch m.Kind {
	case clause.Speaker:
		return speaker
	case clause.Addressee:
		return other
	case clause.Named:
		return m.Text
	case clause.Relative:
		owner := speaker
		if m.Owner != nil {
			owner = whoIs(*m.Owner, speaker, other)
		}
		if owner != "" && m.Relation != "" {
			return owner + "'s " + m.Relation
		}
	}
	return ""
}

// Single are the relations that hold one value at a time.
var single = map[string]bool{"LIVES_IN": true, "WORKS_AT": true, "WORKS_AS": true, "NAME": true, "AGE": true, "STATUS": true, "BIRTHDAY": true, "HOME": true, "MOVED_TO": true}

// Contradicts reports whether two triples cannot both be true: the same subject and a single-valued relation with different objects, or the same object, denied
// in one of the two.
func (t Triple) Contradicts(old Triple) bool {
	if !strings.EqualFold(t.Subject, old.Subject) {
		return false
	}
	same := strings.EqualFold(t.Object, old.Object)
	if t.Negated != old.Negated {
		return strings.EqualFold(t.Relation, old.Relation) && (same || Jaccard(t.Object, old.Object) >= 0.5)
	}
	return strings.EqualFold(t.Relation, old.Relation) && single[strings.ToUpper(t.Relation)] && !same && !t.Negated
}

// A Span is when something holds in the world: from From on, before Until; "" unknown.
type Span struct{ From, Until string }

// Invalidate settles a contradiction of two statements by their times, as Graphiti does:
// the one that began earlier ends where the other begins. Which one ends, and when; "" and
// false where the spans do not overlap, or where times are missing or equal.
func Invalidate(new, old Span) (oldEnds bool, until string, ok bool) {
	nf, n := schema.ParseInstant(new.From)
	of, o := schema.ParseInstant(old.From)
	if ou, has := schema.ParseInstant(old.Until); has && n && ou <= nf {
		return false, "", false
	}
	if nu, has := schema.ParseInstant(new.Until); has && o && nu <= of {
		return false, "", false
	}
	switch {
	case !n || !o || nf == of:
		return false, "", false
	case of < nf:
		return true, new.From, true
	}
	return false, old.From, true
}

// Repeats reports whether a text repeats one of the recent ones: the Jaccard similarity of their words is above share.
func Repeats(text string, recent []string, share float64) bool {
	words := strings.Fields(strings.ToLower(text))
	return slices.ContainsFunc(recent, func(r string) bool { return Share(words, strings.Fields(strings.ToLower(r))) > share })
}

// Said returns the texts of an exchange by role: user and assistant.
func Said(turns []schema.Turn) (user, assistant string) {
	for _, t := range turns {
		text := schema.Captioned(t.Text, t.Attachments)
		to := &user
		if t.Role == memory.RoleAssistant {
			to = &assistant
		}
		if *to != "" {
			*to += "\n"
		}
		*to += text
	}
	return user, assistant
}
