package explain

import (
	"maps"
	"slices"

	"membench/internal/textnorm"
	"membench/schema"
)

// reach counts what a search ever returns, by classes of turns: by language and role over all cases, by speaker and session in each.
type reach struct {
	language, role   classes
	speaker, session classes // of the case that is asked
	at               string  // this case
	speakers, parts  never
}

// classes are the turns of each value that all turns have: a language, a speaker.
type classes map[string]*class

type class struct {
	order, turns int
	needed       int // questions with evidence in it
	returned     int // sources of hits and of memories below them
}

// never is what was not returned in single cases.
type never struct {
	cases, needed int
	example       schema.Sentence
}

func (c classes) of(name string) *class {
	if c[name] == nil {
		c[name] = &class{order: len(c)}
	}
	return c[name]
}

// missing lists the classes that questions need and that are never returned, in their order, if others are.
func (c classes) missing() (out []string) {
	returned := 0
	for _, k := range c {
		returned += k.returned
	}
	names := slices.SortedFunc(maps.Keys(c), func(a, b string) int { return c[a].order - c[b].order })
	return slices.DeleteFunc(names, func(n string) bool {
		return returned < leastReturned || c[n].returned > 0 || c[n].needed < leastNeeded
	})
}

// Bounds of what is never returned.
const (
	labels        = 100 // bytes of a hit's time and rank in a context
	leastReturned = 10  // texts that were
	leastNeeded   = 2   // questions in one case
)

// begin takes the turns of the next case.
func (a *reach) begin(s *story) {
	a.end()
	if a.language == nil {
		a.language, a.role = classes{}, classes{}
	}
	a.at, a.speaker, a.session = s.key.ID, classes{}, classes{}
	for t := range s.all {
		for _, c := range a.classes(s, t.TurnID) {
			c.turns++
		}
	}
}

// classes are those of a turn.
func (a *reach) classes(s *story, id int) (out []*class) {
	p := s.turns[id]
	if p.turn == nil {
		return nil
	}
	out = []*class{a.language.of(textnorm.Lang(p.turn.Text)), a.session.of(p.session.ID)}
	if p.turn.Role != "" {
		out = append(out, a.role.of(p.turn.Role))
	}
	if p.turn.Name != "" {
		out = append(out, a.speaker.of(p.turn.Name))
	}
	return out
}

// question takes what a search returned, and what it should have.
func (a *reach) question(x *explainer, r *schema.QARecord) {
	texts := 0
	for i := range r.Hits {
		texts += len(r.Hits[i].Text)
	}
	if len(r.Context) > 2*texts+labels*len(r.Hits) {
		return // the reader was shown more than the hits
	}
	needed := map[*class]bool{}
	for _, ref := range r.Evidence {
		for _, c := range a.classes(x.told, ref.TurnID) {
			needed[c] = true
		}
	}
	for c := range needed {
		c.needed++
	}
	r = x.sourced(r)
	take := func(sources []schema.EventRef) {
		for _, ref := range sources {
			if ref.ConvID == x.told.c.ConvID {
				for _, c := range a.classes(x.told, ref.TurnID) {
					c.returned++
				}
			}
		}
	}
	for i := range r.Hits {
		take(r.Hits[i].Sources)
	}
	for i := range r.Below {
		take(r.Below[i].Sources)
	}
}

// end sums up a case.
func (a *reach) end() {
	if missing := a.speaker.missing(); len(missing) > 0 {
		a.speakers.add(a.speaker, missing, schema.Say("that %s said in case %s", missing[0], a.at))
	}
	missing := a.session.missing()
	names := slices.SortedFunc(maps.Keys(a.session), func(p, q string) int { return a.session[p].order - a.session[q].order })
	returned := func(n string) bool { return a.session[n].returned > 0 }
	first := slices.IndexFunc(names, returned)
	last := len(names) - 1
	for last >= 0 && !returned(names[last]) {
		last--
	}
	// Of sessions in the middle it is chance.
	missing = slices.DeleteFunc(missing, func(n string) bool { return a.session[n].order > first && a.session[n].order < last })
	if len(missing) > 0 {
		where := schema.Say("from before session %s in case %s", names[max(0, first)], a.at)
		if a.session[missing[0]].order > last {
			where = schema.Say("from after session %s in case %s", names[max(0, last)], a.at)
		}
		a.parts.add(a.session, missing, where)
	}
	a.speaker, a.session = nil, nil
}

func (n *never) add(c classes, missing []string, example schema.Sentence) {
	if n.cases++; n.cases == 1 {
		n.example = example
	}
	for _, m := range missing {
		n.needed += c[m].needed
	}
}

// lines are the remarks.
func (a *reach) lines() (out []schema.Sentence) {
	a.end()
	say := func(format string, c classes, value string, more ...any) {
		out = append(out, schema.Say(format, append(more, c[value].turns, c[value].needed)...))
	}
	for _, l := range a.language.missing() {
		say(map[string]string{"zh": onlyChinese.Format, "en": noChinese.Format}[l], a.language, l)
	}
	for _, x := range []never{a.speakers, a.parts} {
		switch {
		case x.needed < leastBad:
		case x.cases > 1:
			out = append(out, schema.Say("nothing %s is ever returned: %d pieces of evidence (%d cases are like this)", x.example, x.needed, x.cases))
		default:
			out = append(out, schema.Say("nothing %s is ever returned: %d pieces of evidence", x.example, x.needed))
		}
	}
	if a.speakers.cases == 0 {
		for _, r := range a.role.missing() {
			say(ofRole.Format, a.role, r, r)
		}
	}
	return out
}

// What is never returned.
var (
	onlyChinese = schema.Say("nothing that was said in Chinese is ever returned: %d turns, the evidence of %d questions")
	noChinese   = schema.Say("nothing that was not said in Chinese is ever returned: %d turns, the evidence of %d questions")
	ofRole      = schema.Say("nothing that the %s said is ever returned: %d turns, the evidence of %d questions")
)
