package claims

import (
	"cmp"
	"slices"
	"strings"

	"membench/internal/clause"
	"membench/internal/pattern"
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
	turns  []*turn       // the last ones, for English pronouns
	gender map[schema.EntityID]clause.Gender
	turn   int          // of the memory heard last; 0: unknown
	talk   []schema.Ref // who spoke last, and before that somebody else
	near   bool         // the memory heard last is of the turn before
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

// heard notes whom a Chinese text mentions: a later pronoun may mean them.
func (c *cast) heard(m Memory, text string) {
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
		c.last[clause.Unknown] = r
		if x.Gender != clause.Unknown {
			c.last[x.Gender] = r
		}
	}
	return r, ok
}

// A turn is one message: all memories of one speaker with one time.
type turn struct {
	by    schema.Ref
	at    string
	texts []string // at most maxTexts
	found []person // whom texts speaks of, as far as they were read
	read  int      // how many of texts were
}

// A person is somebody whom a turn speaks of; the id is "" if it is unknown who that is.
type person struct {
	schema.Ref
	gender clause.Gender
}

// pronouns are the words of each gender.
var pronouns = [3]*pattern.Pattern{clause.Female: pattern.New(`(?i)\b(?:she|hers?)\b`), clause.Male: pattern.New(`(?i)\b(?:he|him|his)\b`)}

// maxBack is how many turns a pronoun may be apart from whom it means, besides those that say it again.
const maxBack = 3

// begins is the turn of a memory: the last one or a new one, behind what was said before it, if that is known.
func (c *cast) begins(m Memory) *turn {
	if n := len(c.turns); n > 0 && c.turns[n-1].by.ID == m.Speaker.ID && c.turns[n-1].at == m.Fields.CreatedAt {
		return c.turns[n-1]
	}
	if m.Fields.Asked != "" { // before what the speaker said since
		n := len(c.turns)
		for n > 0 && c.turns[n-1].by.ID == m.Speaker.ID {
			n--
		}
		by, _ := c.listener(m)
		if n > 0 && len(c.turns[n-1].texts) > 0 && strings.Contains(m.Fields.Asked, c.turns[n-1].texts[0]) { // of which a part was kept
			c.turns[n-1].texts = append(c.turns[n-1].texts, m.Fields.Asked)
		} else {
			c.turns = slices.Insert(c.turns, n, &turn{by: by, texts: []string{m.Fields.Asked}})
		}
	}
	t := &turn{by: m.Speaker, at: m.Fields.CreatedAt}
	c.turns = append(c.turns, t)
	c.turns = c.turns[max(0, len(c.turns)-maxTurns):]
	return t
}

// maxTurns is how many turns are looked at, maxTexts how many memories of one.
const maxTurns, maxTexts = 8, 12

// persons lists whom a turn speaks of.
func (c *cast) persons(t *turn) []person {
	for t.read < len(t.texts) {
		text := t.texts[t.read]
		t.read++
		for _, x := range clause.Persons(text, clause.Options{Names: c.names()}) {
			p := person{gender: x.Gender}
			root := &x // whose relative's relative it is
			for root.Owner != nil {
				root = root.Owner
			}
			switch {
			case x.Kind == clause.Named:
				p.Ref = c.ref(textnorm.Name(x.Text))
			case x.Kind == clause.Relative && root.Kind != clause.Pronoun && (root.Kind == clause.Named || t.by.ID != ""):
				p.Ref, _ = c.find(Memory{Speaker: t.by}, x)
			}
			t.add(p)
		}
	}
	return t.found
}

func (t *turn) add(p person) {
	for _, q := range t.found {
		if p.ID != "" && p.ID == q.ID {
			return
		}
	}
	t.found = append(t.found, p)
}

// meant is whom an English pronoun of the last turn means: the one person that it fits of those whom the last turn speaks of that speaks of any. It must not be said of
// several in the memory itself.
func (c *cast) meant(m Memory, x clause.Mention) (schema.Ref, bool) {
	if x.Kind != clause.Pronoun || x.Gender == clause.Unknown || x.Plural || x.Several {
		return schema.Ref{}, false
	}
	for n, back := len(c.turns)-1, 0; n >= 0 && back <= maxBack; n-- {
		t := c.turns[n]
		var fits []person
		for _, p := range c.persons(t) {
			if g := cmp.Or(p.gender, c.gender[p.ID]); (g == clause.Unknown || g == x.Gender) && (p.ID == "" || !c.speaker(p.ID)) {
				fits = append(fits, p)
			}
		}
		switch {
		case len(fits) == 1 && fits[0].ID != "":
			c.gender[fits[0].ID] = x.Gender
			c.named[strings.ToLower(schema.NameOf(fits[0].ID))] = fits[0].Ref
			c.turns[len(c.turns)-1].add(person{fits[0].Ref, x.Gender})
			return fits[0].Ref, true
		case len(fits) > 0, m.Fields.Asked == "": // a question before it in its turn may name somebody
			return schema.Ref{}, false
		case !pronouns[x.Gender].MatchString(strings.Join(t.texts, " ")):
			back++
		}
	}
	return schema.Ref{}, false
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
		if x.Owner == nil && x.Text == schema.NameOf(m.Speaker.ID) { // 外公教你: an elder speaks of himself so, and is saved under that name
			return m.Speaker, true
		}
		return c.relative(m, x)
	case clause.Pronoun:
		if !strings.ContainsFunc(x.Text, textnorm.IsHan) {
			return c.meant(m, x)
		}
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
	r := c.ref(name)
	c.named[strings.ToLower(name)] = r
	return r
}

// ref is the person of a name, who need not be known.
func (c *cast) ref(name string) schema.Ref {
	if r, ok := c.named[strings.ToLower(name)]; ok {
		return r
	}
	if c.mint.V.Before(schema.V020) {
		return schema.Ref{Type: schema.LabelUser, ID: schema.EntityID(c.mint.User(string(c.conv) + "/" + name))}
	}
	return c.people.Ref(c.mint, c.conv, name)
}

// speaker reports whether somebody takes part in the talk.
func (c *cast) speaker(id schema.EntityID) bool {
	return slices.ContainsFunc(c.spoken, func(r schema.Ref) bool { return r.ID == id })
}
