package chats

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"membench/internal/pattern"
	"membench/schema"
)

// Exports overlap: a later export of a chat has its earlier messages again, and a folder may hold a file and its copy. Before several files are read for
// their lines they are surveyed: of each message a key is kept (32 bytes). Conversations that share messages are one chat, whose messages are taken once.

// A strand is the messages of one conversation in one file, or in what an export spreads over several.
type strand struct {
	strandID
	form   string
	global bool // the form's ids are
	title  string
	keys   []key // in the order of reading
	chat   *chat // that it is a part of
	rank   []int // by message: its place in the chat, from 1; 0: another strand has the message. nil: the strand is the whole chat
}

type strandID struct {
	part int // of the exports
	unit string
	conv schema.ConvID
}

// A key is what is compared of a message.
type key struct {
	same uint64 // equal in two exports of one message: minute, name, text, attachments
	turn uint64 // of minute and name
	at   int64  // in milliseconds, also of the message before; 0: unknown
	who  uint64
}

// A chat is one conversation in the project.
type chat struct {
	id      schema.ConvID
	part    int // whose file it is in
	strands []*strand
	edited  int // messages whose text differs in a later export
}

// own reports whether the project has the chat already: then its id and its file stay.
func (c *chat) own() bool {
	return slices.ContainsFunc(c.strands, func(s *strand) bool { return s.form == own.Name })
}

func (s *strand) add(m Message, at int64) {
	when := "in " + copyOf.ReplaceAllString(m.Title, "") // without a time, words are no evidence across chats
	if !m.Time.IsZero() {
		when = m.Time.UTC().Format("2006-01-02T15:04")
	}
	parts := []string{when, m.Role, m.Name, strings.Join(strings.Fields(m.Text), " ")}
	for _, a := range m.Attachments {
		parts = append(parts, a.Type, a.Name, a.Text)
	}
	k := key{same: hashOf(parts...), at: at, who: hashOf(m.Role, m.Name)}
	if !m.Time.IsZero() {
		k.turn = hashOf(when, m.Role, m.Name)
	}
	s.title = cmp.Or(s.title, m.Title)
	s.keys = append(s.keys, k)
}

func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// copyOf is what a browser puts behind the name of a file that is there already.
var copyOf = pattern.New(`\s*\(\d{1,2}\)$`)

func (s *strand) span() (first, last int64) {
	for _, k := range s.keys {
		if k.at != 0 && (first == 0 || k.at < first) {
			first = k.at
		}
		last = max(last, k.at)
	}
	return first, last
}

// within counts the messages from first to last.
func (s *strand) within(first, last int64) (n int) {
	for _, k := range s.keys {
		if k.at >= first && k.at <= last {
			n++
		}
	}
	return n
}

// shared is what two strands have in common.
type shared struct {
	n       int
	who     uint64
	several bool // speakers
}

// maxHolders is how many strands may have a message that is evidence: greetings to everybody are none.
const maxHolders = 50

// sharing counts the common messages of each two strands.
func sharing(all []*strand) map[[2]int]*shared {
	type holder struct {
		same, who uint64
		strand    int
	}
	var held []holder
	for i, s := range all {
		for _, k := range s.keys {
			held = append(held, holder{k.same, k.who, i})
		}
	}
	slices.SortFunc(held, func(a, b holder) int { return cmp.Or(cmp.Compare(a.same, b.same), a.strand-b.strand) })
	out := map[[2]int]*shared{}
	for len(held) > 0 {
		end := 1
		var by []int // strands, and how often each has the message
		var times []int
		for end = 0; end < len(held) && held[end].same == held[0].same; end++ {
			if n := len(by); n == 0 || by[n-1] != held[end].strand {
				by, times = append(by, held[end].strand), append(times, 0)
			}
			times[len(times)-1]++
		}
		for i := range by {
			for j := i + 1; j < len(by) && len(by) <= maxHolders; j++ {
				two := out[[2]int{by[i], by[j]}]
				if two == nil {
					two = &shared{who: held[0].who}
					out[[2]int{by[i], by[j]}] = two
				}
				two.n += min(times[i], times[j])
				two.several = two.several || two.who != held[0].who
			}
		}
		held = held[end:]
	}
	return out
}

// oneChat decides whether two strands are of one chat. Those of one name are, unless both have messages of one time and hardly any in common. Those of two
// names are if both have most of what either has of that time, by several speakers.
func oneChat(a, b *strand, in *shared) bool {
	if a.form == own.Name && b.form == own.Name {
		return false
	}
	if a.conv == b.conv && (a.global || b.global) && (a.form == b.form || a.form == own.Name) {
		return true
	}
	if in == nil {
		in = &shared{}
	}
	a1, a2 := a.span()
	b1, b2 := b.span()
	first, last := max(a1, b1), min(a2, b2)
	n := min(a.within(first, last), b.within(first, last))
	undated := a1 == 0 || b1 == 0
	if undated {
		n = min(len(a.keys), len(b.keys))
	}
	if a.conv == b.conv && (a.form == b.form || a.form == own.Name) {
		return in.n*4 >= n && (in.n > 0 || !undated)
	}
	copied := a.title != b.title && copyOf.ReplaceAllString(a.title, "") == copyOf.ReplaceAllString(b.title, "")
	return in.n > 0 && in.n*2 >= n && (in.n > 2 && in.several && !undated || copied)
}

// chatsOf joins strands to chats, gives each an id, and decides from which strand each message is taken.
func chatsOf(all []*strand) []*chat {
	common := sharing(all)
	before := map[int][]int{} // earlier strands that share messages with one
	for two := range common {
		before[two[1]] = append(before[two[1]], two[0])
	}
	var out []*chat
	namesakes := map[schema.ConvID][]int{}
	for j, s := range all {
		near := slices.Concat(namesakes[s.conv], before[j])
		slices.Sort(near)
		for _, i := range slices.Compact(near) {
			other := all[i].chat
			if other == s.chat || !oneChat(all[i], s, common[[2]int{i, j}]) {
				continue
			}
			if s.chat == nil {
				s.chat = other
				other.strands = append(other.strands, s)
			} else if !(other.own() && s.chat.own()) { // it joins two
				old := s.chat
				for _, x := range old.strands {
					x.chat = other
				}
				other.strands = append(other.strands, old.strands...)
				old.strands = nil
			}
		}
		if s.chat == nil {
			s.chat = &chat{strands: []*strand{s}}
			out = append(out, s.chat)
		}
		namesakes[s.conv] = append(namesakes[s.conv], j)
	}
	out = slices.DeleteFunc(out, func(c *chat) bool { return c.strands == nil })
	used := map[schema.ConvID]bool{}
	for _, c := range out {
		// The oldest export is first: its messages have their turns already.
		slices.SortStableFunc(c.strands, func(a, b *strand) int {
			_, x := a.span()
			_, y := b.span()
			switch {
			case a.form == b.form || a.form != own.Name && b.form != own.Name:
				return cmp.Or(cmp.Compare(x, y), len(a.conv)-len(b.conv))
			case a.form == own.Name:
				return -1
			}
			return 1
		})
		c.part = c.strands[0].part
		for _, s := range c.strands {
			if !c.own() {
				c.part = min(c.part, s.part)
			}
		}
		c.id = c.strands[0].conv
		for n := 2; used[c.id]; n++ {
			c.id = schema.ConvID(fmt.Sprintf("%s-%d", c.strands[0].conv, n))
		}
		used[c.id] = true
		if len(c.strands) > 1 {
			c.join()
		}
	}
	return out
}

// A ref is a message of a strand.
type ref struct {
	s *strand
	i int
}

func (r ref) key() *key { return &r.s.keys[r.i] }

func (s *strand) refs() []ref {
	var out []ref
	for i := range s.keys {
		out = append(out, ref{s, i})
	}
	slices.SortStableFunc(out, byTime)
	return out
}

func byTime(a, b ref) int { return cmp.Compare(a.key().at, b.key().at) }

// join orders the messages of the chat's strands, each message once.
func (c *chat) join() {
	all := c.strands[0].refs()
	for _, s := range c.strands[1:] {
		all = c.merge(all, s.refs())
	}
	for _, s := range c.strands {
		s.rank = make([]int, len(s.keys))
	}
	for n, r := range all {
		r.s.rank[r.i] = n + 1
	}
}

// merge adds the messages of a later export. Messages of the earlier one keep their places and are never dropped; one that was edited has its later text.
func (c *chat) merge(have, later []ref) []ref {
	at := map[uint64][]int{}
	for i, r := range have {
		at[r.key().same] = append(at[r.key().same], i)
	}
	match := inCommon(have, later, at)
	used := make([]bool, len(have))
	for _, i := range match {
		if i >= 0 {
			used[i] = true
		}
	}
	for j, r := range later { // of one minute in another order
		if match[j] >= 0 || r.key().turn == 0 {
			continue
		}
		for _, i := range at[r.key().same] {
			if !used[i] {
				match[j], used[i] = i, true
				break
			}
		}
	}
	// What a speaker said in a minute that is in one export only, as often as in the other, was edited, or has its file in one of them.
	rest := map[uint64][2][]int{}
	for i, r := range have {
		if t := r.key().turn; t != 0 && !used[i] {
			two := rest[t]
			two[0] = append(two[0], i)
			rest[t] = two
		}
	}
	for j, r := range later {
		if t := r.key().turn; match[j] < 0 && rest[t][0] != nil {
			two := rest[t]
			two[1] = append(two[1], j)
			rest[t] = two
		}
	}
	for _, two := range rest {
		for n := range two[1] {
			if len(two[0]) == len(two[1]) {
				match[two[1][n]] = two[0][n]
				c.edited++
			}
		}
	}
	out := make([]ref, 0, len(have)+len(later))
	before := map[int][]ref{} // in the order of later, backwards
	next := len(have)
	for j, r := range slices.Backward(later) {
		if i := match[j]; i < 0 {
			before[next] = append(before[next], r)
		} else if next = i; have[i].key().same != r.key().same {
			have[i] = r
		}
	}
	for i := range len(have) + 1 {
		for _, r := range slices.Backward(before[i]) {
			out = append(out, r)
		}
		if i < len(have) {
			out = append(out, have[i])
		}
	}
	slices.SortStableFunc(out, byTime)
	return out
}

// inCommon gives for each later message its place among those that are there, or -1: messages that each has once, in an order that both have, and what is the
// same beside them. Of words that come often, as in a chat without times, the place is not known otherwise.
func inCommon(have, later []ref, at map[uint64][]int) []int {
	type link struct{ i, j, before int }
	var links []link
	var ends []int // the link that ends the longest chain of each length
	times := map[uint64]int{}
	for _, r := range later {
		times[r.key().same]++
	}
	for j, r := range later {
		places := at[r.key().same]
		if len(places) != 1 || times[r.key().same] != 1 {
			continue
		}
		n, _ := slices.BinarySearchFunc(ends, places[0], func(e, i int) int { return links[e].i - i })
		l := link{places[0], j, -1}
		if n > 0 {
			l.before = ends[n-1]
		}
		if links = append(links, l); n == len(ends) {
			ends = append(ends, 0)
		}
		ends[n] = len(links) - 1
	}
	match := slices.Repeat([]int{-1}, len(later))
	used := make([]bool, len(have))
	last := -1
	if len(ends) > 0 {
		last = ends[len(ends)-1]
	}
	for e := last; e >= 0; e = links[e].before {
		match[links[e].j], used[links[e].i] = links[e].i, true
	}
	beside := func(j, i, step int) {
		for j, i = j+step, i+step; j >= 0 && i >= 0 && j < len(later) && i < len(have) && match[j] < 0 && !used[i] && have[i].key().same == later[j].key().same; j, i = j+step, i+step {
			match[j], used[i] = i, true
		}
	}
	n := min(len(have), len(later))
	if same := func(a, b ref) bool { return a.key().same == b.key().same }; last < 0 && slices.EqualFunc(have[:n], later[:n], same) { // one goes on where the other ends
		beside(-1, -1, 1)
	}
	for j := range later {
		if match[j] >= 0 {
			beside(j, match[j], 1)
		}
	}
	for j := range slices.Backward(later) {
		if match[j] >= 0 {
			beside(j, match[j], -1)
		}
	}
	return match
}
