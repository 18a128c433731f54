package claims

import (
	"slices"
	"strings"

	"membench/internal/clause"
	"membench/internal/textnorm"
	"membench/schema"
)

// A cast is who is known in one conversation: those who speak, those who were named,
// their relatives, and who was spoken of last. Memories come in the order of the talk.
type cast struct {
	people schema.People
	mint   schema.Mint
	conv   schema.ConvID
	spoken []schema.Ref // who speaks, in the order they came
	named  map[string]schema.Ref
	last   [3]schema.Ref // by clause.Gender; Unknown: the last person mentioned
	at     [3]int        // when, in memories heard
	n      int           // memories heard
	turn   int           // of the memory heard last; 0: unknown
	talk   []schema.Ref  // who spoke last, and before that somebody else
	near   bool          // the memory heard last is of the turn before
}

// takes notes that a memory's turn comes, before it is read.
func (c *cast) takes(m Memory) {
	turn := 0
	if e := m.Fields.Events; len(e) > 0 {
		turn = int(e[0].TurnID)
	}
	follows := turn > 0 && (turn == c.turn || turn == c.turn+1)
	switch {
	case len(c.talk) == 0:
		c.talk = []schema.Ref{m.Speaker}
	case c.talk[0].ID != m.Speaker.ID:
		c.talk, c.near = []schema.Ref{m.Speaker, c.talk[0]}, follows
	default:
		c.near = c.near && follows
	}
	c.turn = turn
	if kin := clause.Vocative(m.Text); kin != "" {
		if to, ok := c.called(m.Speaker, kin); ok {
			c.named[strings.ToLower(schema.NameOf(m.Speaker.ID)+"'s "+kin)] = to
		}
	}
}

// called is whom a speaker calls by a word for a relative: 妈, 吃过了. With more than one other it is who has just spoken, and nobody who is another relative of the speaker.
func (c *cast) called(speaker schema.Ref, kin string) (schema.Ref, bool) {
	var may []schema.Ref
	for _, s := range c.spoken {
		if is := c.kinOf(speaker, s); s.ID != speaker.ID && (is == "" || is == kin) {
			may = append(may, s)
		}
	}
	switch {
	case len(may) == 1:
		return may[0], true
	case len(c.talk) > 1 && c.near && slices.ContainsFunc(may, func(r schema.Ref) bool { return r.ID == c.talk[1].ID }):
		return c.talk[1], true
	}
	return schema.Ref{}, false
}

// kinOf is what a speaker has called another one, "" if nothing.
func (c *cast) kinOf(speaker, other schema.Ref) string {
	for _, kin := range []string{"mother", "father", "grandmother", "grandfather", "husband", "wife"} {
		if r, ok := c.named[strings.ToLower(schema.NameOf(speaker.ID))+"'s "+kin]; ok && r.ID == other.ID {
			return kin
		}
	}
	return ""
}

// speaks notes a speaker.
func (c *cast) speaks(r schema.Ref) {
	if r.ID == "" {
		return
	}
	for _, s := range c.spoken {
		if s.ID == r.ID {
			return
		}
	}
	c.spoken = append(c.spoken, r)
	name := schema.NameOf(r.ID)
	c.named[strings.ToLower(name)] = r
	if first, _, ok := strings.Cut(name, " "); ok {
		if _, taken := c.named[strings.ToLower(first)]; !taken {
			c.named[strings.ToLower(first)] = r
		}
	}
}

// names lists the names that are known to be people's, sorted.
func (c *cast) names() (out []string) {
	for name := range c.named {
		if !strings.Contains(name, "'s ") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// listener returns the person addressed: the memory's other party, the only other speaker, or who spoke in the turn before.
func (c *cast) listener(m Memory) (schema.Ref, bool) {
	if m.Other.ID != "" {
		return m.Other, true
	}
	var other schema.Ref
	for _, s := range c.spoken {
		if s.ID == m.Speaker.ID {
			continue
		}
		if other.ID != "" {
			if len(c.talk) > 1 && c.near {
				return c.talk[1], true
			}
			return schema.Ref{}, false
		}
		other = s
	}
	return other, other.ID != ""
}

// child returns who calls a speaker mother or father, if that is one person: 你姑 is hers in their words.
func (c *cast) child(speaker schema.Ref) (out schema.Ref, ok bool) {
	for _, s := range c.spoken {
		if kin := c.kinOf(s, speaker); kin == "mother" || kin == "father" {
			if ok {
				return schema.Ref{}, false
			}
			out, ok = s, true
		}
	}
	return out, ok
}

// spokenOf reports by gender whether a person was mentioned in the last few memories, so that a pronoun means them.
func (c *cast) spokenOf() (out [3]bool) {
	for g, r := range c.last {
		out[g] = r.ID != "" && c.n-c.at[g] <= 3
	}
	return out
}

// heard notes whom a Chinese text mentions: a later pronoun may mean them.
func (c *cast) heard(m Memory, text string) {
	c.n++
	for _, x := range clause.People(text, clause.Options{}) {
		if x.Owner == nil || x.Owner.Kind != clause.Pronoun { // behind 她婆婆, 她 means the same as before
			c.who(m, x)
		}
	}
}

// who returns the person that a mention in a memory refers to; false if it is unknown.
func (c *cast) who(m Memory, x clause.Mention) (schema.Ref, bool) {
	r, ok := c.find(m, x)
	if ok && r.ID != m.Speaker.ID && x.Kind != clause.Addressee && !(x.Owner != nil && x.Owner.Kind == clause.Pronoun && strings.IndexFunc(x.Text, textnorm.IsHan) >= 0) {
		c.last[clause.Unknown], c.at[clause.Unknown] = r, c.n
		if x.Gender != clause.Unknown {
			c.last[x.Gender], c.at[x.Gender] = r, c.n
		}
	}
	return r, ok
}

// recent reports whether it is certain whom the pronoun means that a memory begins with: the person mentioned last, a few memories ago. It must begin its message, since
// memories of one turn have no order.
func (c *cast) recent(m Memory, x clause.Mention) bool {
	return x.Kind == clause.Pronoun && x.Gender != clause.Unknown && !x.Plural && x.Start < len("yeah, ") && c.spokenOf()[x.Gender] &&
		c.last[x.Gender].ID == c.last[clause.Unknown].ID && m.Fields.Asked != "" && clause.Animal(m.Fields.Asked) == ""
}

func (c *cast) find(m Memory, x clause.Mention) (schema.Ref, bool) {
	switch x.Kind {
	case clause.Speaker:
		return m.Speaker, m.Speaker.ID != ""
	case clause.Addressee:
		return c.listener(m)
	case clause.Named:
		name := textnorm.Name(x.Text)
		if r, ok := c.named[strings.ToLower(name)]; ok {
			return r, true
		}
		if name == "" {
			return schema.Ref{}, false
		}
		return c.introduce(name), true
	case clause.Relative:
		return c.relative(m, x)
	case clause.Pronoun:
		r := c.last[x.Gender]
		return r, r.ID != "" && !x.Plural
	}
	return schema.Ref{}, false
}

// relative returns someone's relative: "Ann's sister" is the same as "my sister" in Ann's words and "your sister" in the words of the person she talks to.
func (c *cast) relative(m Memory, x clause.Mention) (schema.Ref, bool) {
	owner := m.Speaker
	if x.Owner != nil {
		var ok bool
		if x.Owner.Kind == clause.Addressee {
			owner, ok = c.child(m.Speaker)
		}
		if ok {
		} else if owner, ok = c.find(m, *x.Owner); !ok {
			return schema.Ref{}, false
		}
	}
	if owner.ID == "" || x.Relation == "" {
		return schema.Ref{}, false
	}
	name := schema.NameOf(owner.ID) + "'s " + x.Relation
	if r, ok := c.named[strings.ToLower(name)]; ok {
		return r, true
	}
	return c.introduce(name), true
}

// introduce makes a person for a new name.
func (c *cast) introduce(name string) schema.Ref {
	var r schema.Ref
	if c.mint.V.Before(schema.V020) {
		r = schema.Ref{Type: schema.LabelUser, ID: schema.EntityID(c.mint.User(string(c.conv) + "/" + name))}
	} else {
		r = c.people.Ref(c.mint, c.conv, name)
	}
	c.named[strings.ToLower(name)] = r
	return r
}
