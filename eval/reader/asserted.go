package reader

import (
	"slices"
	"strings"
	"unicode"

	"membench/internal/clause"
	"membench/internal/pattern"
	"membench/internal/tokens"
	"membench/schema/catalog"
)

// A yes-no question is answered by a clause that asserts or denies what is asked, of the one that is asked about. What is planned, wished, made to depend on
// something or known from others answers nothing.

// A verdict is what a sentence says to a yes-no question.
type verdict uint8

const (
	open verdict = iota
	says
	denies
)

// light verbs join a subject to what is said of it, and say nothing themselves.
var light = set("be get become have do 是 有 在")

// wordless are slots that do not say what kind of thing is stated of someone: two facts with such a slot need the same verb.
var wordless = set("DID IS HAS WANTS NEEDS HAS_HABIT HAS_OPINION")

// asked is the clause that a yes-no question asks for, as a statement; false where it cannot be read.
func (q question) asked() (clause.Fact, bool) {
	for _, s := range q.statements() {
		for _, f := range clause.Read(s, clause.Options{Names: q.names, Ended: catalog.Default().Ended}) {
			return f, true
		}
	}
	return clause.Fact{}, false
}

// statements are the forms of a question as a statement, the likeliest first: "Has Ana ever been to Bari?" is "Ana has been to Bari."
func (q question) statements() []string {
	text := strings.TrimRight(q.text, "?？。. ")
	if q.han {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "吗"), "没有")
		out := []rune(text)
		for i := 0; i+2 < len(out); i++ { // 吃不吃, 有没有
			if out[i] == out[i+2] && (out[i+1] == '不' || out[i+1] == '没') {
				out = slices.Delete(out, i, i+2)
			}
		}
		return []string{strings.NewReplacer("有没有", "", "是不是", "", "是否", "").Replace(text) + "。", string(out) + "。"}
	}
	words := strings.Fields(text)
	n := 2 // words of auxiliary and subject
	for n < len(words) && (strings.HasSuffix(words[n-1], "'s") || strings.HasSuffix(words[n-1], "’s") || words[n-1] == "my" || words[n-1] == "our" ||
		unicode.IsUpper([]rune(words[n])[0]) && unicode.IsUpper([]rune(words[n-1])[0]) && words[n-1] != "I") {
		n++
	}
	if len(words) <= n {
		return nil
	}
	rest := slices.DeleteFunc(words[n:], func(w string) bool { return w == "ever" || w == "still" || w == "already" || w == "yet" })
	aux := strings.ToLower(words[0])
	if len(rest) > 0 && (aux == "do" || aux == "does" || aux == "did") && rest[0] == "not" {
		return nil
	}
	who := strings.Join(words[1:n], " ")
	full := who + " " + aux + " " + strings.Join(rest, " ") + "."
	if aux != "does" || len(rest) == 0 {
		return []string{full}
	}
	verb := rest[0] + "s"
	if rest[0] == "have" {
		verb = "has"
	}
	return []string{who + " " + strings.Join(append([]string{verb}, rest[1:]...), " ") + ".", full}
}

// person names whom a clause is about, in lower case; "" someone else than a person who can be told apart.
func person(m clause.Mention, speaker string) string {
	switch m.Kind {
	case clause.Speaker:
		return speaker
	case clause.Named:
		return strings.ToLower(m.Text)
	case clause.Relative:
		owner := speaker
		if m.Owner != nil {
			owner = person(*m.Owner, speaker)
		}
		return owner + "'s " + m.Relation
	}
	return ""
}

func (q question) samePerson(a clause.Fact, f clause.Fact, speaker string) bool {
	me := speaker
	if slices.ContainsFunc(q.names, func(n string) bool { return strings.EqualFold(n, "user") }) {
		me = "user"
	}
	x, y := person(a.Subject, me), person(f.Subject, speaker)
	return x == y && (x != "" || a.Subject.Kind == clause.Speaker && f.Subject.Kind == clause.Speaker) ||
		x != "" && y != "" && (strings.HasPrefix(x, y+" ") || strings.HasPrefix(y, x+" "))
}

// verdict reads what a sentence says to the clause that is asked for.
func (q question) verdict(a clause.Fact, u *unit, asked []string) verdict {
	names := append(slices.Clone(q.names), a.Subject.Text)
	if v := q.judge(a, u.speaker, u.text, names, asked); v != open {
		return v
	}
	if part := strings.TrimSpace(clauseOf(q, u.text)); part != u.text && q.judge(a, u.speaker, part, names, nil) == denies { // one that the reading of the whole passed over
		return denies
	}
	return open
}

func (q question) judge(a clause.Fact, speaker, text string, names, asked []string) verdict {
	facts := clause.Read(text, clause.Options{Names: names, Ended: catalog.Default().Ended})
	out := open
	for _, f := range facts {
		if !q.samePerson(a, f, speaker) || f.Modality != clause.Asserted && f.Modality != a.Modality || slices.ContainsFunc(facts, func(g clause.Fact) bool { return g.Negated && holdsFact(g, f) }) {
			continue
		}
		same, whole := samePredicate(a, f, nil)
		if slices.ContainsFunc(f.Over, func(end clause.End) bool { return end.Slot == a.Slot && slices.ContainsFunc(end.Names, named) }) { // what the Swift is, the question told
			same, whole = samePredicate(a, f, asked)
		}
		over := (len(f.Over) > 0 || f.Formerly) && len(a.Over) == 0 && !a.Formerly
		now := a.Tense == clause.Present && !q.was
		switch {
		case over && now && (same || whole) && !f.Negated:
			return denies
		case !same || over && !same:
		case f.Negated != a.Negated:
			return denies
		case now && f.Tense == clause.Past && verbOf(f) == verbOf(a) && !q.han,
			a.Tense == clause.Past && f.Tense == clause.Present && (verbOf(f) != verbOf(a) || light[f.Verb]):
		default:
			out = says
		}
	}
	return out
}

// named reports whether words are a name, which does not say what kind of thing has it.
func named(words string) bool { return words != "" && unicode.IsUpper([]rune(words)[0]) }

// holdsFact reports whether a clause is in what another one is about: "I don't think that I passed".
func holdsFact(g, f clause.Fact) bool {
	return g.Object.Start <= f.Subject.Start && f.Object.End <= g.Object.End && g.Object.Start < g.Object.End && f.Subject.Start > g.Subject.Start
}

// verbOf is the verb of a clause without the particles of its aspect.
func verbOf(f clause.Fact) string { return tokens.Stem(strings.TrimRight(f.Verb, "了过着")) }

// samePredicate reports whether a clause says what another one asks for: with the same verb, or one that fills the same slot, and most of its object. whole says
// that it has all words of it. asked are the terms of the question that the sentence replies to, which count as its own.
func samePredicate(a, f clause.Fact, asked []string) (same, whole bool) {
	have := append(termsOf(f.Verb+" "+f.Object.Text+" "+f.Place.Text+" "+f.Value.Text+" "+f.When.Text), asked...)
	object := slices.DeleteFunc(termsOf(a.Object.Text+" "+a.Place.Text), func(t string) bool { return hollow[t] })
	if a.Slot == "PLANS" {
		object = append(object, verbOf(a))
	}
	n := 0
	for _, t := range object {
		if slices.Contains(have, t) || slices.ContainsFunc(tokens.Kin(t), func(k string) bool { return slices.Contains(have, k) && clause.Covers(t, k) }) {
			n++
		}
	}
	whole = n == len(object) && (n > 0 || slices.Contains(have, verbOf(a)))
	if 5*n < 3*len(object) {
		return false, false
	}
	x, y := verbOf(a), verbOf(f)
	return x == y || light[a.Verb] && light[f.Verb] && whole || slices.Contains(tokens.Kin(a.Verb), y) || n > 0 && a.Slot == f.Slot && !wordless[a.Slot], whole
}

// yesNo answers from the newest sentence that asserts or denies what is asked; "" where none does for certain.
func yesNo(q question, ev *evidence, may []scored) string {
	a, ok := q.asked()
	if !ok {
		return ""
	}
	var best *scored
	yes := false
	for i := range may {
		s := &may[i]
		asked := ev.asked[s.hit].terms
		if s.asks || s.cover < q.least() && share(q.terms, asked) == 0 && share(q.kin, asked) == 0 {
			continue
		}
		if v := q.verdict(a, s.unit, asked); v != open && (best == nil || byNewest(*best, *s) > 0 || byNewest(*best, *s) == 0 && s.dated && s.pos > best.pos) {
			best, yes = s, v == says
		}
	}
	if best == nil {
		return ""
	}
	return q.sayYesNo(yes, best.text)
}

// least is the share of a question's words that a sentence needs to be read for a yes or no.
func (q question) least() float64 {
	if q.han {
		return .5 * opposed
	}
	return .7 * opposed
}

func (q question) sayYesNo(yes bool, said string) string {
	switch {
	case q.han && yes:
		return "是，" + said
	case q.han:
		return "不是，" + said
	}
	word := "No"
	if yes {
		word = "Yes"
	}
	if reLikely.MatchString(q.text) {
		word = "Likely " + strings.ToLower(word)
	}
	return word + ": " + said
}

// Uncut marks a value that ends inside a word or a sentence of the text that it was taken from: it is cut at its last comma, or has an ellipsis behind it.
func Uncut(value, text string) string {
	i := strings.Index(text, value)
	if value == "" || i < 0 {
		return value
	}
	if !reCut.MatchString(text[i+len(value):]) || hasHan(value) {
		return value
	}
	if head, _, ok := strings.Cut(value, ","); ok {
		return head
	}
	return value + "…"
}

// reCut is what follows a value that was cut in a word or behind an abbreviation.
var reCut = pattern.New(`^(?:[\pL\pM\d]|\. \p{L})`)

// doer is the one of whom a sentence says what a question asks a person for: Becky in "our Becky's getting married" for "Who is getting married?". "" nobody.
func (q question) doer(s scored, speakers []string) string {
	m := reDoer.FindStringSubmatch(q.text)
	if m == nil || len(q.subjects) > 0 {
		return ""
	}
	const somebody = "Kim"
	for _, a := range clause.Read(somebody+m[1]+".", clause.Options{Names: []string{somebody}}) {
		for _, f := range clause.Read(s.text, clause.Options{Names: speakers}) {
			same, whole := samePredicate(a, f, nil)
			if a.Subject.Text != somebody || f.Negated != a.Negated || f.Modality != clause.Asserted && f.Modality != a.Modality || !same || !whole || (len(f.Over) > 0 || f.Formerly) && a.Tense == clause.Present {
				continue
			}
			name := f.Subject.Text
			if i := slices.IndexFunc(speakers, func(n string) bool { return strings.EqualFold(n, s.speaker) }); i >= 0 && f.Subject.Kind == clause.Speaker && (name == "" || reFirst.MatchString(name) && !strings.Contains(name, " ")) {
				return speakers[i]
			}
			if all := reNames.FindAllStringIndex(name, -1); len(all) > 0 && all[len(all)-1][0] > 0 {
				return name[all[len(all)-1][0]:]
			}
			return name
		}
	}
	return ""
}

// reDoer asks for the one who does or is something.
var reDoer = pattern.New(`(?i)^who((?:['’]s)? .+?)\??$`)
