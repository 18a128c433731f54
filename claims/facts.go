package claims

import (
	"cmp"
	"strings"

	"membench/internal/clause"
	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/schema"
	"membench/schema/catalog"
)

// facts are the claims of what a memory says of people (internal/clause):
//
//	person    the subject that its words mean (cast)
//	polarity  what is denied is the negative of the predicate's pair
//	plan      what is meant to come is PLANS, whatever slot it would fill
//	past      a state reported as past is deprecated, reason ended, and denied for
//	          now, unless the words say that it began; an event reported as past is what happened
//	time      evidence says when it happened, counted from when it was said
//
// Wishes, conditions, hearsay, questions and requests are not claims.
func (r *rule) facts(m Memory, c *cast, known []matched) (out []schema.Statement, ends []Ending) {
	told := map[int]bool{} // sentences that a pattern has read
	for _, k := range known {
		told[k.start] = true
	}
	c.takes(m)
	said, dated := dayOf(m.Fields.CreatedAt)
	o := clause.Options{Names: []string{schema.NameOf(m.Speaker.ID), schema.NameOf(m.Other.ID)}, Ended: r.cat.Ended, Before: m.Asked, Own: m.own, Presupposed: true}
	if !strings.ContainsFunc(m.Text, textnorm.IsHan) { // a Chinese word may hold a name
		o.Names = append(o.Names, c.names()...)
	}
	if m.Fields.Asked == "" && !clause.Leans(m.Text, m.Asked, nil) { // the memory before is not always what was said right before
		o.Before = ""
	}
	if other, ok := c.listener(m); ok {
		if len(o.Names) > 2 {
			o.Names[1] = schema.NameOf(other.ID)
		}
		if m.Asked != "" {
			c.heard(Memory{Speaker: other, Other: m.Speaker}, m.Asked)
		}
	}
	now := c.begins(m)
	defer func() {
		if len(now.texts) < maxTexts {
			now.texts = append(now.texts, m.Text)
		}
		c.heard(m, m.Text)
	}()
	if dated {
		o.Year, _, _ = said.Civil()
	}
	for _, f := range clause.Read(m.Text, o) {
		wanted := r.wants(f)
		if told[f.Start] || !wanted && len(f.Over) == 0 {
			continue
		}
		var who schema.Ref
		ok := false
		if f.Subject.Kind == clause.Speaker || wanted {
			who, ok = c.who(m, f.Subject)
		}
		if f.Subject.Kind != clause.Speaker && r.v.Before(schema.V020) {
			continue
		}
		when := ""
		if f.When.Text != "" && dated {
			when = eventTime(f.Time, said)
		}
		if ok && wanted {
			for _, value := range f.Values() {
				out = append(out, r.valued(m, f, who, when, value)...)
			}
			if g, has := f.Presupposes(); has && len(f.Over) == 0 {
				out = append(out, r.valued(m, g, m.Speaker, "", g.Value.Text)...)
			}
		}
		if denials, end := r.ending(m, f, who, when); len(end.States) > 0 {
			out, ends = append(out, denials...), append(ends, end)
		}
	}
	return out, ends
}

// wants reports whether a fact becomes claims: it is sure enough, and neither asked, wished, supposed nor hearsay.
func (r *rule) wants(f clause.Fact) bool {
	return (f.Modality == clause.Asserted || f.Modality == clause.Plan) && f.Confidence >= r.least
}

// ending is what a fact ends, with the denials of what its words name by themselves.
func (r *rule) ending(m Memory, f clause.Fact, who schema.Ref, when string) (said []schema.Statement, e Ending) {
	e = Ending{Memory: m.ID, Point: m.Point, EventTime: when, Confidence: schema.Confidence(round2(max(f.Confidence, .8)))}
	for _, end := range f.Over {
		subject := who
		if end.Mine {
			subject = m.Speaker
		}
		d, known := r.cat.Predicates[end.Slot]
		if !known || subject.ID == "" || r.v.Before(sinceOf(d.Since)) {
			continue
		}
		s := EndedState{Subject: subject, Predicate: end.Slot, Names: end.Names}
		if end.Value != "" {
			s.Names = append([]string{end.Value}, s.Names...)
			if x, ok := r.claim(m, d.Negative, subject, d, end.Value, f); ok && r.wants(f) {
				c := x[len(x)-1].Claim
				c.Evidence[0].EventTime = when
				s.Said, said = c.ID, append(said, x...)
			}
		}
		e.States = append(e.States, s)
	}
	return said, e
}

// valued makes the claims of one value of a fact.
func (r *rule) valued(m Memory, f clause.Fact, who schema.Ref, when, value string) (out []schema.Statement) {
	slot := f.Slot
	if slot == "FAVORITE" && r.v.Before(sinceOf(r.cat.Predicates[slot].Since)) {
		slot = "PREFERS_TOPIC"
		_, value, _ = strings.Cut(value, "=")
	}
	plan := f.Modality == clause.Plan || f.Tense == clause.Future
	if plan && !r.cat.Predicates[slot].Stays() {
		slot, value = "PLANS", strings.TrimSpace(f.Verb+" "+cmp.Or(f.Object.Text, f.Place.Text, f.Value.Text))
	}
	def, ok := r.cat.Predicates[slot]
	if !ok || value == "" {
		return nil
	}
	add := func(denied, ended bool) {
		predicate := slot
		if denied {
			predicate = def.Negative
		}
		s, ok := r.claim(m, predicate, who, def, value, f)
		if !ok {
			return
		}
		claim := s[len(s)-1].Claim
		if !(ended && f.Time.Open && f.Time.Op == timex.Before) { // "until 2019" is when it was over, not when it began
			claim.Evidence[0].EventTime = when
		}
		if ended {
			claim.Status, claim.Reason = schema.StatusDeprecated, ReasonEnded
		}
		out = append(out, s...)
	}
	past := f.Tense == clause.Past && !f.Begun && !plan && def.Over(f.Verb)
	switch {
	case past && !f.Negated:
		add(false, true)
		if def.Time == catalog.TimeState {
			add(true, false)
		}
	default:
		add(f.Negated, false)
	}
	return out
}

// claim makes one claim with the records of its two ends.
func (r *rule) claim(m Memory, predicate string, who schema.Ref, def catalog.Predicate, value string, f clause.Fact) ([]schema.Statement, bool) {
	if r.v.Before(sinceOf(def.Since)) || r.v == schema.V001 && predicate == def.Negative {
		return nil, false
	}
	typ := objectType(def, value)
	parts := []string{canonical(typ, value)}
	if typ == "Chapter" {
		parts = []string{canonical("Work", f.Of), canonical(typ, value)}
	}
	id, err := r.entityID(typ, parts)
	if err != nil || !r.cat.Allows(predicate, who.Type, typ) || schema.NameOf(id) == "" {
		return nil, false
	}
	object := schema.Ref{Type: typ, ID: id}
	c := &schema.Claim{RecordType: "claim", ID: r.mint.Claim(predicate, def.Domain, who.ID, id), Predicate: predicate, Subject: who, Object: object,
		Domain: def.Domain, Confidence: schema.Confidence(round2(f.Confidence)), Status: schema.StatusActive,
		Evidence: []schema.Evidence{{Memory: m.ID, Point: m.Point}}, By: schema.ByRule}
	if f.Rank > 0 {
		rank := f.Rank
		c.Rank = &rank
	}
	return []schema.Statement{{Entity: newEntity(r.v, who, []string{schema.NameOf(who.ID)})}, {Entity: newEntity(r.v, object, parts)}, {Claim: c}}, true
}

// objectType returns the type of a slot's value: of two possible types, the first for a proper name and the last for a description.
func objectType(def catalog.Predicate, value string) string {
	first := textnorm.Name(value)
	if len(def.Objects) > 1 && len(strings.Fields(first)) > 3 {
		return def.Objects[len(def.Objects)-1]
	}
	return def.Objects[0]
}

// eventTime returns the days that an expression said on a day refers to: a year, month or day, or from/to; "" if it refers to no days. Of a time with an open end
// it is what is named, 2021 of "since 2021" and "until 2021", if that is one of the days.
func eventTime(e timex.Expr, said timex.Day) string {
	if e.Kind == timex.Deictic {
		e = e.At(said)
	}
	if e.Kind != timex.Absolute || e.NoYear {
		return ""
	}
	if e.Open {
		if e.Lo != e.XLo && e.Hi != e.XHi {
			return ""
		}
		e.Lo, e.Hi = e.XLo, e.XHi
	}
	y, m, d := e.Lo.Civil()
	switch {
	case e.Lo == e.Hi:
		return e.Lo.String()
	case m == 1 && d == 1 && e.Hi == timex.Date(y, 12, 31):
		return e.Lo.String()[:4]
	case d == 1 && e.Hi == timex.Date(y, m+1, 1)-1:
		return e.Lo.String()[:7]
	}
	return e.Lo.String() + "/" + e.Hi.String()
}

// dayOf is the local day of an instant.
func dayOf(s string) (timex.Day, bool) {
	t, ok := schema.ParseTime(s, nil)
	return timex.Date(t.Year(), int(t.Month()), t.Day()), ok && len(s) >= len("2006-01-02")
}
