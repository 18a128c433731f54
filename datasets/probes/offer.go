package probes

import (
	"cmp"
	"context"
	"iter"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"membench/internal/par"
	"membench/internal/pattern"
	"membench/schema"
	"membench/schema/catalog"
)

// partners is how many others a thing is paired with where a type wants two: offers
// stay linear in the size of the graph.
const partners = 2

// offers lists what every scope offers, in the order of scopes. Scopes do not share
// anything, so they are looked at side by side.
func (m *maker) offers() iter.Seq2[[]candidate, error] {
	one := func(_ context.Context, s *scope) (list []candidate, err error) {
		m.offer(s, func(c candidate) {
			if m.o.Stats.Types[c.typ] != nil {
				list = append(list, c)
			}
		})
		return list, nil
	}
	scopes := func(yield func(*scope, error) bool) {
		for _, s := range m.w.scopes {
			if !yield(s, nil) {
				return
			}
		}
	}
	return par.Map(m.ctx, runtime.GOMAXPROCS(0), scopes, one)
}

// offer yields every pattern of a scope from which a question can be made. Whether one
// can be is decided when it is drawn.
func (m *maker) offer(s *scope, tell func(candidate)) {
	put := func(c candidate, parts ...string) {
		c.s = s
		c.key = hash(m.o.Seed, append([]string{string(c.typ), string(s.conv)}, parts...)...)
		tell(c)
	}
	topics := s.topics(m.w.words)
	at := map[*sitting][]*topic{}
	byName := map[string][]*topic{}
	byWho := map[string][]*topic{}
	for _, t := range topics {
		byName[t.low] = append(byName[t.low], t)
		byWho[t.who] = append(byWho[t.who], t)
		for _, x := range t.sittings() {
			at[x] = append(at[x], t)
		}
	}
	for _, f := range s.facts {
		if slices.Contains(m.o.Structure, f.pred) {
			continue
		}
		put(candidate{typ: SingleFact, f: [3]*fact{f}}, string(f.claim), f.who)
		if f.person && s.days() >= minDays && m.w.words.closed(f.pred, true) {
			put(candidate{typ: Date, f: [3]*fact{f}}, "told", f.who, f.pred)
		}
		m.offerChains(s, f, put)
		m.offerPairs(s, f, put)
		m.offerBridges(s, f, byName[fold(f.gold)], at, put)
	}
	m.offerTopics(s, topics, byWho, at, put)
	m.offerReplies(s, put)
	m.offerSets(s, put)
	m.offerAbsent(s, topics, put)
}

// minDays is how many days a case must have that a date is worth asking for.
const minDays = 3

// pass counts a pattern that the text made unfit before it was offered.
func (s *scope) pass(t Type) { s.passed[t]++ }

type putter = func(c candidate, parts ...string)

func (m *maker) offerChains(s *scope, a *fact, put putter) {
	for _, b := range s.asSubj[a.object] {
		if slices.Contains(m.o.Structure, b.pred) {
			continue
		}
		put(candidate{typ: TwoHop, f: [3]*fact{a, b}}, "chain", string(a.claim), string(b.claim))
		for _, c := range s.asSubj[b.object] {
			if !slices.Contains(m.o.Structure, c.pred) && c.object != schema.NodeID(a.subject) {
				put(candidate{typ: ThreeHop, f: [3]*fact{a, b, c}}, "chain", string(a.claim), string(b.claim), string(c.claim))
			}
		}
	}
}

// offerPairs finds what replaced or contradicts a fact.
func (m *maker) offerPairs(s *scope, a *fact, put putter) {
	seen := map[schema.NodeID]bool{}
	pair := func(b *fact, update bool) {
		if b.who != a.who || seen[b.claim] {
			return
		}
		seen[b.claim] = true
		if a.object != b.object && m.alike(a, b) {
			s.pass(UpdateNew)
			s.pass(UpdateOld)
			return
		}
		if update {
			put(candidate{typ: UpdateNew, f: [3]*fact{a, b}}, string(a.claim), string(b.claim))
			if a.object != b.object {
				put(candidate{typ: UpdateOld, f: [3]*fact{a, b}}, string(a.claim), string(b.claim))
			}
		}
		positive, _, _ := m.w.cat.Polarity(a.pred)
		if a.object == b.object && m.w.cat.Predicates[positive].Time != catalog.TimeState { // another object, or the end of a state, is news and no contradiction
			put(candidate{typ: Contradiction, f: [3]*fact{a, b}}, string(a.claim), string(b.claim))
		}
	}
	for _, b := range s.byClaim[a.next] {
		if a.next != "" {
			pair(b, true)
		}
	}
	if opposite := m.w.cat.Opposite(a.pred); opposite != "" {
		for _, b := range s.bySubj[a.who+"\x00"+opposite] {
			if b.object == a.object && b.next != a.claim && cmp.Compare(a.at, b.at) < 0 {
				pair(b, false)
			}
		}
	}
}

// offerBridges starts from a quote: what is missing in it is said by someone else
// elsewhere, once.
func (m *maker) offerBridges(s *scope, f *fact, topics []*topic, at map[*sitting][]*topic, put putter) {
	if f.gold == "" || !f.person || len(topics) == 0 || !f.zh && strings.IndexFunc(f.gold, func(r rune) bool { return r == ' ' || unicode.IsUpper(r) }) < 0 {
		return // nor a common word, which may mean something else there
	}
	if _, why := m.bridge(candidate{s: s}, f); why != "" {
		s.pass(TwoHop)
		return
	}
	for _, x := range topics {
		if x.who == f.who || len(x.turns) != 1 || x.turns[0].sitting == f.first().sitting {
			continue
		}
		if d := x.turns[0].day(); d != "" && d != f.first().day() {
			put(candidate{typ: TwoHop, f: [3]*fact{f}, t: [3]*topic{x}}, "bridge", string(f.claim), x.who, x.low)
		}
		for _, y := range m.alongside(s, x, at) {
			if y.y.low != fold(f.gold) {
				put(candidate{typ: ThreeHop, f: [3]*fact{f}, t: [3]*topic{x, y.y}, others: y.others}, "together", string(f.claim), x.who, x.low, y.y.who, y.y.low)
			}
		}
	}
}

type along struct {
	y      *topic
	others []string
}

// alongside lists a few topics said once in the sitting of x, each with three names
// that nobody said there.
func (m *maker) alongside(s *scope, x *topic, at map[*sitting][]*topic) []along {
	sit := x.turns[0].sitting
	here := at[sit]
	said := map[string]int{} // folded name → turns of the sitting that have it
	for _, t := range here {
		for _, u := range t.turns {
			if u.sitting == sit {
				said[t.low]++
			}
		}
	}
	var fit []*topic
	for _, y := range here {
		if said[y.low] == 1 && !overlap(y.low, x.low) {
			for _, u := range y.turns {
				if u.sitting == sit && u != x.turns[0] {
					fit = append(fit, y)
				}
			}
		}
	}
	order := func(t *topic) uint64 { return hash(m.o.Seed, x.who, x.low, t.who, t.low) }
	slices.SortFunc(fit, func(a, b *topic) int { return cmp.Compare(order(a), order(b)) })
	var out []along
	for _, y := range fit[:min(partners, len(fit))] {
		var others []string
		// near by: what the same conversation speaks of in its other sittings, nearest first
		for step := 1; len(others) < 3 && step < len(s.sittings); step++ {
			for _, n := range []int{sit.n - step, sit.n + step} {
				if n < 0 || n >= len(s.sittings) {
					continue
				}
				for _, t := range at[s.sittings[n]] {
					clash := overlap(t.low, y.low) || overlap(t.low, x.low) || slices.ContainsFunc(others, func(o string) bool { return overlap(fold(o), t.low) })
					if len(others) < 3 && !clash && said[t.low] == 0 && !inSitting(sit, t.low) {
						others = append(others, t.name)
					}
				}
			}
		}
		if len(others) == 3 {
			out = append(out, along{y, others})
		}
	}
	return out
}

func inSitting(s *sitting, low string) bool {
	return slices.ContainsFunc(s.turns, func(t *turn) bool { return has(t.folded, low) })
}

func (m *maker) offerTopics(s *scope, topics []*topic, byWho map[string][]*topic, at map[*sitting][]*topic, put putter) {
	paired := map[[2]*topic]bool{}
	for _, x := range topics {
		days, sits := x.days(), x.sittings()
		if x.dated() {
			if len(days) == 1 && s.days() >= minDays {
				put(candidate{typ: Date, t: [3]*topic{x}}, x.who, x.low)
			}
			if len(days) >= 2 && len(days) <= 5 {
				put(candidate{typ: List, t: [3]*topic{x}}, x.who, x.low)
			}
			m.offerOrders(x, byWho[x.who], paired, put)
		}
		if len(sits) >= 2 && len(sits) <= 9 {
			put(candidate{typ: Count, t: [3]*topic{x}}, x.who, x.low)
		} else if len(x.turns) >= 2 && len(x.turns) <= 6 {
			put(candidate{typ: Count, t: [3]*topic{x}}, "turns", x.who, x.low)
		}
		if len(x.turns) == 1 {
			for _, y := range m.alongside(s, x, at) {
				put(candidate{typ: TwoHop, t: [3]*topic{x, y.y}, others: y.others}, "together", x.who, x.low, y.y.who, y.y.low)
			}
		}
	}
}

// offerOrders pairs a topic with a few others of the same speaker that came up first
// on another day.
func (m *maker) offerOrders(x *topic, all []*topic, paired map[[2]*topic]bool, put putter) {
	n := len(all)
	if n < 2 {
		return
	}
	start := int(hash(m.o.Seed, "pair", x.who, x.low) % uint64(n))
	found := 0
	for i := 0; i < n && i < 20 && found < partners; i++ {
		y := all[(start+i)%n]
		if y.low == x.low || !y.dated() || y.turns[0].day() == x.turns[0].day() || overlap(x.low, y.low) {
			continue
		}
		found++
		if paired[[2]*topic{y, x}] {
			continue
		}
		paired[[2]*topic{x, y}] = true
		put(candidate{typ: Order, t: [3]*topic{x, y}}, x.who, x.low, y.low)
		if len(x.days()) == 1 && len(y.days()) == 1 {
			put(candidate{typ: Interval, t: [3]*topic{x, y}}, x.who, x.low, y.low)
		}
	}
}

// offerSets finds subjects with several objects under one predicate.
func (m *maker) offerSets(s *scope, put putter) {
	seen := map[string]bool{}
	for _, f := range s.facts {
		key := f.who + "\x00" + f.pred
		if seen[key] || f.attr != "" || slices.Contains(m.o.Structure, f.pred) || !m.w.words.closed(f.pred, f.person) {
			continue
		}
		seen[key] = true
		if n := len(active(s.bySubj[key])); n >= 2 && n <= 8 && !m.single(f.pred) {
			if _, why := m.askSet(candidate{typ: List, s: s, f: [3]*fact{f}}); why != "" {
				s.pass(List)
				s.pass(Count)
				continue
			}
			put(candidate{typ: List, f: [3]*fact{f}}, "facts", f.who, f.pred)
			put(candidate{typ: Count, f: [3]*fact{f}}, "facts", f.who, f.pred)
		}
	}
}

func (m *maker) single(pred string) bool {
	p, _ := m.w.cat.Predicate(pred)
	return p.Single == "always"
}

// active lists the facts that hold, one for each object.
func active(list []*fact) (out []*fact) {
	for _, f := range list {
		if f.status == "active" && !slices.ContainsFunc(out, func(x *fact) bool { return x.object == f.object }) {
			out = append(out, f)
		}
	}
	return out
}

// offerAbsent looks for near misses: an attribute that others have and a subject does
// not, and a day on which nothing is said of what a speaker says on other days.
func (m *maker) offerAbsent(s *scope, topics []*topic, put putter) {
	subjects := map[string]*fact{}
	var order []string
	for _, f := range s.facts {
		if subjects[f.who] == nil && (f.person || m.sound(f) == "") {
			subjects[f.who] = f
			order = append(order, f.who)
		}
	}
	for _, who := range order {
		f := subjects[who]
		typ, _ := m.w.cat.TypeOfPrefix(prefixOf(f.subject))
		for _, pred := range m.names {
			p, ok := m.w.cat.Predicate(pred)
			if !ok || !m.w.words.words(pred, f.zh, "-") || slices.Contains(m.o.Structure, pred) || !m.w.words.closed(pred, true) || pred == "HAS_SETTING" || !fits(p.Subjects, typ) {
				continue
			}
			if len(s.bySubj[who+"\x00"+pred])+len(s.bySubj[who+"\x00"+m.w.cat.Opposite(pred)]) > 0 || len(m.cued(s, who, f.person, pred)) > 0 || m.spokenOf(s, f, who, pred) {
				s.pass(WrongAttribute) // it is told, or a turn speaks of such a thing
				continue
			}
			if len(s.byPred[pred]) == 0 && !slices.ContainsFunc(s.people, func(p string) bool { return len(m.cued(s, p, true, pred)) > 0 }) {
				continue // nobody speaks of such a thing: it is not near
			}
			put(candidate{typ: WrongAttribute, f: [3]*fact{f}, name: who, pred: pred}, who, pred)
		}
	}
	for _, x := range topics {
		start := int(hash(m.o.Seed, "day", x.who, x.low) % uint64(len(s.sittings)))
		for i := 0; i < len(s.sittings) && i < 12; i++ {
			sit := s.sittings[(start+i)%len(s.sittings)]
			if day := sit.day(); day != "" && m.quietOn(s, day, x) {
				put(candidate{typ: WrongTime, t: [3]*topic{x}, name: day}, x.who, x.low, day)
				break
			}
		}
	}
}

func fits(subjects []string, typ string) bool {
	if len(subjects) == 0 {
		return slices.Contains(catalog.People(), typ)
	}
	return slices.Contains(subjects, typ)
}

// quietOn reports whether, on a day, the topic's speaker speaks and nobody says a word
// of the topic's name.
func (m *maker) quietOn(s *scope, day string, x *topic) bool {
	spoke := false
	for _, sit := range s.sittings {
		if sit.day() != day {
			continue
		}
		for _, t := range sit.turns {
			if t.day() == day && t.who == x.who {
				spoke = true
			}
			if overlapText(t.folded, x.low) {
				return false
			}
		}
	}
	return spoke
}

// overlapText reports whether a text has a word of a name that is more than a small word.
func overlapText(text, name string) bool {
	if has(text, name) {
		return true
	}
	for w := range pieces(name) {
		if len([]rune(w)) > 3 && has(text, w) {
			return true
		}
	}
	return false
}

// cued lists the turns that may speak of a predicate of a subject: those of the
// person, or those that name the thing, with one of the predicate's cues or in a language that is not read.
func (m *maker) cued(s *scope, who string, person bool, pred string) []*turn {
	key := who + "\x00" + pred
	if list, ok := s.cues[key]; ok {
		return list
	}
	var from []*turn
	if person {
		from = s.saidBy(who)
	} else {
		from = s.mentions(fold(who))
	}
	var out []*turn
	for _, t := range from {
		if t.unread || cued(t.folded, m.w.words.of(pred, false).Cues) || cued(t.folded, m.w.words.of(pred, true).Cues) {
			out = append(out, t)
		}
	}
	s.cues[key] = out
	return out
}

// spokenOf reports whether somebody else may say what a subject has under a predicate: of a person in a turn that names them, or that speaks to them beside one of
// theirs; of a thing in a turn that names none which the graph has the predicate of ("the alert cleared after the restart").
func (m *maker) spokenOf(s *scope, f *fact, who, pred string) bool {
	low := fold(who)
	return slices.ContainsFunc(s.withCues(m.w.words, pred), func(t *turn) bool {
		if f.person {
			return t.who != who && (has(t.folded, low) || toOther.MatchString(t.folded) && slices.ContainsFunc(s.turns[max(0, t.num-2):min(len(s.turns), t.num+1)], func(x *turn) bool {
				return x.who == who && x.sitting == t.sitting
			}))
		}
		return !slices.ContainsFunc(s.byPred[pred], func(x *fact) bool { return slices.Contains(x.turns, t) })
	})
}

// toOther is a word for whom a turn speaks to.
var toOther = pattern.New(`\byou|[你您]`)
