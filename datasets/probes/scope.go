package probes

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"membench/internal/clause"
	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/schema"
)

// topic is a name that someone says: the turns that contain it, in order.
type topic struct {
	who   string
	name  string // as it is written in the first of them
	low   string // folded
	turns []*turn
}

// days are the dates of its turns, without repeats.
func (t *topic) days() []string {
	var out []string
	for _, x := range t.turns {
		if d := x.day(); !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

func (t *topic) sittings() []*sitting {
	var out []*sitting
	for _, x := range t.turns {
		if !slices.Contains(out, x.sitting) {
			out = append(out, x.sitting)
		}
	}
	return out
}

// dated reports whether every turn has a day.
func (t *topic) dated() bool {
	return !slices.ContainsFunc(t.turns, func(x *turn) bool { return x.day() == "" })
}

// index sorts a scope's facts and makes its look-ups.
func (s *scope) index() {
	slices.SortFunc(s.facts, func(a, b *fact) int {
		return cmp.Or(cmp.Compare(a.first().num, b.first().num), cmp.Compare(a.claim, b.claim), cmp.Compare(a.who, b.who))
	})
	s.posting = map[string][]*turn{}
	chinese := 0
	for _, t := range s.turns {
		if t.zh = isZH(t.text); t.zh {
			chinese++
		}
	}
	for _, t := range s.turns { // where Chinese is spoken, names and commands in Latin letters make no turn English
		t.zh = t.zh || 2*chinese > len(s.turns) && strings.ContainsFunc(t.text, textnorm.IsHan)
	}
	for _, f := range s.facts {
		f.zh = f.first().zh
	}
	for _, t := range s.turns {
		t.folded, t.unread = fold(t.text), clause.Unread(t.text)
		for w := range pieces(t.folded) {
			if list := s.posting[w]; len(list) == 0 || list[len(list)-1] != t {
				s.posting[w] = append(list, t)
			}
		}
		if t.who != "" && !slices.Contains(s.people, t.who) && (t.role == "human" || t.role == "assistant") {
			s.people = append(s.people, t.who)
		}
	}
	s.bySubj, s.byClaim = map[string][]*fact{}, map[schema.NodeID][]*fact{}
	s.cues, s.passed = map[string][]*turn{}, map[Type]int{}
	s.byPred, s.byType = map[string][]*fact{}, map[string][]*fact{}
	s.asSubj = map[schema.NodeID][]*fact{}
	for _, f := range s.facts {
		s.byPred[f.pred] = append(s.byPred[f.pred], f)
		s.byType[f.typ] = append(s.byType[f.typ], f)
		s.bySubj[f.who+"\x00"+f.pred] = append(s.bySubj[f.who+"\x00"+f.pred], f)
		s.byClaim[f.claim] = append(s.byClaim[f.claim], f)
		s.asSubj[schema.NodeID(f.subject)] = append(s.asSubj[schema.NodeID(f.subject)], f)
	}
}

// pieces yields the words of a folded text and each Han character.
func pieces(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		from := -1
		for i, r := range text {
			switch {
			case unicode.Is(unicode.Han, r):
				if from >= 0 && !yield(text[from:i]) || !yield(string(r)) {
					return
				}
				from = -1
			case unicode.IsLetter(r) || unicode.IsDigit(r):
				if from < 0 {
					from = i
				}
			default:
				if from >= 0 && !yield(text[from:i]) {
					return
				}
				from = -1
			}
		}
		if from >= 0 {
			yield(text[from:])
		}
	}
}

// mentions lists the turns that have a folded name, in order.
func (s *scope) mentions(low string) []*turn {
	var rare []*turn
	found := false
	for w := range pieces(low) {
		if list := s.posting[w]; !found || len(list) < len(rare) {
			rare, found = list, true
		}
	}
	if !found {
		return nil
	}
	var out []*turn
	for _, t := range rare {
		if has(t.folded, low) {
			out = append(out, t)
		}
	}
	return out
}

// names are what the graph calls a person of the scope.
func (s *scope) names(who string) []string {
	out := []string{}
	for _, t := range s.saidBy(who) {
		if !slices.Contains(out, t.name) {
			out = append(out, t.name)
		}
	}
	slices.Sort(out)
	return out
}

// topics lists, for every name that facts of the scope hold, who says it where.
// Names said in more than a tenth of the turns, or more than maxMentions, tell nothing.
const maxMentions = 40

func (s *scope) topics(w *words) []*topic {
	var out []*topic
	seen := map[string]bool{}
	add := func(name string) {
		low := fold(name)
		if name == "" || seen[low] || startsWithDate(name) || !strings.ContainsFunc(name, unicode.IsLetter) || w.noName(name) != "" || w.nobody[textnorm.Fold(name)] || slices.Contains(s.people, name) || len([]rune(name)) < 2 {
			return
		}
		seen[low] = true
		byWho := map[string]*topic{}
		all := s.mentions(low)
		if len(all) > maxMentions {
			return
		}
		if slices.ContainsFunc(all, func(t *turn) bool { return !has(spokenPart(t.folded), low) }) {
			return // it is in the caption of an image: nobody said it
		}
		for _, t := range all {
			if t.who == "" || !slices.Contains(s.people, t.who) {
				continue
			}
			x := byWho[t.who]
			if x == nil {
				x = &topic{who: t.who, name: spell(t.text, name), low: low}
				byWho[t.who] = x
				out = append(out, x)
			}
			x.turns = append(x.turns, t)
		}
	}
	for _, f := range s.facts {
		if f.gold != "" && !f.act && f.attr == "" && (f.typ != "Tag" || !f.person) { // what someone is or means to do is not a thing to be mentioned
			add(f.gold)
		}
		if !f.person {
			add(f.who)
		}
	}
	return out
}

// startsWithDate reports whether a name is that of a day or an instant: it would answer
// every question about dates.
func startsWithDate(name string) bool {
	if len(name) < 10 {
		return false
	}
	_, ok := schema.ParseInstant(name[:10])
	return ok
}

// spokenPart is a text without the captions that datasets convert adds to it.
func spokenPart(text string) string {
	text, _, _ = strings.Cut(text, "[image: ")
	return text
}

// days counts the days of a scope.
func (s *scope) days() int {
	if s.dayCount == 0 {
		seen := map[string]bool{}
		for _, x := range s.sittings {
			for _, t := range x.turns {
				seen[t.day()] = true
			}
		}
		s.dayCount = len(seen)
	}
	return s.dayCount
}

// overlap reports whether two folded names share a word or one holds the other.
func overlap(a, b string) bool {
	if strings.Contains(a, b) || strings.Contains(b, a) {
		return true
	}
	words := map[string]bool{}
	for w := range pieces(a) {
		words[w] = len([]rune(w)) > 2
	}
	for w := range pieces(b) {
		if words[w] {
			return true
		}
	}
	return false
}

// saidBy lists the turns of a person.
func (s *scope) saidBy(who string) []*turn {
	if s.said == nil {
		s.said = map[string][]*turn{}
		for _, t := range s.turns {
			s.said[t.who] = append(s.said[t.who], t)
		}
	}
	return s.said[who]
}

// withCues lists the turns that have one of a predicate's cues.
func (s *scope) withCues(w *words, pred string) (out []*turn) {
	list, ok := s.cues["\x00"+pred]
	if ok {
		return list
	}
	for _, t := range s.turns {
		if cued(t.folded, w.of(pred, false).Cues) || cued(t.folded, w.of(pred, true).Cues) {
			out = append(out, t)
		}
	}
	s.cues["\x00"+pred] = out
	return out
}

// hinted reports whether the speaker of a topic says a part of its name on a day on which they do not say all of it: "Kyoto" before the "Kyoto trip".
func (s *scope) hinted(x *topic) bool {
	days := x.days()
	return slices.ContainsFunc(s.saidBy(x.who), func(t *turn) bool { return !slices.Contains(days, t.day()) && partOf(t.folded, x.low) })
}

// partOf reports whether a text has a word of a folded name that is more than a small word, or two neighbours of its Chinese characters.
func partOf(text, name string) bool {
	words := strings.Fields(name)
	if has(text, name) || len(words) > 1 && slices.ContainsFunc(words, func(w string) bool { return len([]rune(w)) > 3 && !tokens.Stop(w) && has(text, w) }) {
		return true
	}
	han := []rune(name)
	for i := 0; i+1 < len(han); i++ {
		if textnorm.IsHan(han[i]) && textnorm.IsHan(han[i+1]) && strings.Contains(text, string(han[i:i+2])) {
			return true
		}
	}
	return false
}
