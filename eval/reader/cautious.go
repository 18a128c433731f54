package reader

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"membench/internal/clause"
	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/internal/tokens"
)

// Settings of the cautious reader. They were chosen by reading its answers to 100 human
// questions of LoCoMo, REALTALK and BEAM; docs/quality.md has the figures on others.
const (
	sure    = 0.55 // least share of the question's words, rare ones counting more, in the sentence of an answer
	agreed  = 0.5  // the same where the answer is the sentence
	surest  = 0.7  // the same where the answer is counted or reckoned, not read off
	surely  = 0.8  // share of sure that the other sentences of an answer need
	atOnce  = 2    // sentences of an answer
	atMostL = 4    // of a list
	moved   = 0.4  // of a sentence that states a change
	opposed = 0.35 // share of the words, of each of two sentences that say the opposite
	fresh   = 2    // words that an answer has and the question has not
)

// Cautious is Rule for people who ask: it says that it does not know rather than guess.
// It answers about a person only with what the person says or what is said of them by
// name, only where one sentence holds much of what is asked and is in the turn that the
// memory found best, and counts only what a sentence counts. Memory and words each find
// many a turn; where they disagree hardly one answer in ten is right.
func Cautious() Reader { return &rule{cautious: true} }

var (
	reOrder  = pattern.New(`\b(?:order in which|in (?:chronological )?order|in what order|walk me through)\b|顺序`)
	reNever  = pattern.New(`\bnever\b|从未|从来没|从没`)
	reWhy    = pattern.New(`\bwhy\b|\binspired\b|为什么|为何`)
	reReason = pattern.New(`\b(?:because|since|so that|due to|reason|inspired|as i|thanks to)\b|因为|由于|所以|为了`)
	reManner = pattern.New(`^how (?:will|did|does|do|can|has|have|is|are|was|were)\b|怎么|怎样|咋|如何`)
	reOther  = pattern.New(`\baccording to\b`)
)

// reTwo asks a second question behind the first.
var reTwo = pattern.New(`,? and (?:who|when|where|how (?:many|much|long|often)|what) (?:do|does|did|is|are|was|were|has|have|had|will)\b`)

// reHelp is a request or a guess, which no fact answers.
var reHelp = pattern.New(`^(?:(?:can|will) you|would|could|might|should)\b|^(?:你能|能不能|请|帮我)`)

// sided is the kind of a question that is of one of two only where it offers a choice:
// "Have I ever drawn or painted?" asks yes or no, "What topics or skills" for both.
func sided(q question) kind {
	low := strings.ToLower(q.text)
	switch {
	case q.kind != either || q.han:
	case reHave.MatchString(low):
		return yesno
	case strings.HasPrefix(low, "wh") && !strings.Contains(low, ",") && !strings.Contains(low, "first") && !strings.HasPrefix(low, "which"):
		return what
	}
	return q.kind
}

var reHave = pattern.New(`^(?:have|has|had|did) .*\b(?:ever|before|i)\b`)

// eligible are the sentences that may answer a question at all: statements of the one that
// is asked about, or of them by name.
func eligible(q question, ranked []scored) []scored {
	own := q.first && !slices.ContainsFunc(ranked, func(s scored) bool { return s.speaker != "user" && s.speaker != "assistant" && s.speaker != "" })
	return slices.DeleteFunc(slices.Clone(ranked), func(s scored) bool {
		return another(q, s) || own && s.speaker == "assistant" || s.asks && !reTells.MatchString(s.text) || reCode.MatchString(s.text) || s.former && !q.was && !q.ever || !q.meets(s)
	})
}

// reTells is a question with a statement of the speaker's before it, or a denial in it: "I
// sold the Golf, what should I buy?"
var reTells = pattern.New(`(?i)^(?:(?:and|but|so|well|hey|hmm|ok|also),? )*(?:(?:I|we)(?:['’]\w+)?|my|our) [^?]*(?:,| - | but | and )|\bI['’]?(?:ve| have) (?:\w+ )?never\b|^我.*，`)

// another reports whether a sentence is of another person than the one who is asked about,
// and not about that one. "Hey Gina, I had to": the name is called, the words are about the
// speaker.
func another(q question, s scored) bool {
	return len(q.subjects) == 1 && !reOther.MatchString(strings.ToLower(q.text)) && s.speaker != "" && !slices.Contains(q.subjects, s.speaker) &&
		(!textnorm.Names(s.text, q.subjects[0]) || reFirst.MatchString(s.text) || strings.Contains(s.text, "我"))
}

// reCode is text that is not a sentence: marks of a memory, code.
var reCode = pattern.New("^\\[|[;{}]$|^[#/`<]|=>|\\(\\)")

// beyond reports a question that no sentence answers: of an order, of what two people have
// in common, a request, a guess.
func beyond(q question) bool {
	low := strings.ToLower(q.text)
	return reOrder.MatchString(low) || reHelp.MatchString(low) || reTwo.MatchString(low) && slices.Contains([]kind{when, long, number, who, where}, q.kind) || q.kind != when && strings.Contains(low, "both ")
}

// certain narrows sentences to those that may answer for sure; none means that nobody
// knows.
func certain(q question, ranked []scored) []scored {
	low := strings.ToLower(q.text)
	best := 1 // number of the best hit; where the user asks for its own words, of those that have such
	fit := eligible(q, ranked)
	relative := 0.0 // what says less of what is asked than a sentence about a relative is not the answer either
	for _, s := range fit {
		if ofRelative(q, s) {
			relative = max(relative, s.own)
		}
	}
	ranked = slices.DeleteFunc(fit, func(s scored) bool { // which reads the other sentences of a turn in ranked
		return !ofThing(q, low, s) || otherRelation(low, s) || ofRelative(q, s) || s.own < relative || q.kind == when && s.own < .6*sure || !q.named(ranked, s) || reNameOf.MatchString(q.text) && !slices.ContainsFunc(ranked, func(t scored) bool { return t.line == s.line && namesOther(q, t.text) })
	})
	if q.first && len(ranked) > 0 {
		best = slices.MinFunc(ranked, func(a, b scored) int { return cmp.Compare(a.hit, b.hit) }).hit
	}
	need := sure
	switch q.kind {
	case number, long:
		need = surest
	case what, list, who, where:
		need = agreed
		if reManner.MatchString(low) {
			need = surest
		}
		for len(ranked) > 0 && !aboutSubject(q, ranked[0]) {
			ranked = ranked[1:]
		}
		ranked = slices.DeleteFunc(ranked, func(s scored) bool {
			return s.asks || reWhy.MatchString(low) && !reReason.MatchString(strings.ToLower(s.text)) || !adds(q, s) || (names(low) || gathers(low)) && !enumerates(s.text)
		})
	}
	if q.han { // terms are pairs of characters, of which another wording shares fewer
		need *= .7
	}
	if len(ranked) == 0 || len(q.terms) == 0 || ranked[0].cover < need || ranked[0].hit > best {
		return nil
	}
	n, least := 0, surely*need
	if q.kind == number { // a newer count may be worded otherwise
		least = .6 * need
	}
	for n < len(ranked) && ranked[n].cover >= least {
		n++
	}
	ranked = slices.DeleteFunc(slices.Clone(ranked[:n]), q.unsaid)
	if q.newest {
		ranked = newestFirst(q, ranked)
	}
	if q.kind == what || q.kind == list { // one turn answers: what others say near by is another matter
		line := ranked[0].line
		ranked = slices.DeleteFunc(slices.Clone(ranked), func(s scored) bool { return s.line != line || len(s.terms) < 3 })
	}
	return ranked
}

// The thing that a question counts, or asks the kind of, and what it is not: "how many times"
// is answered by "twice".
var (
	reThing = pattern.New(`\b(?:what|which) (?:kinds?|types?|sorts?) of ([\w' -]+?) (?:does|do|did|is|are|am|was|were|has|have|had|will|would|can|could|should)\b|\bhow many ([\w' -]+?) (?:does|do|did|is|are|am|was|were|has|have|had|will|would|can|could|should)\b`)
	reOfIt  = pattern.New(` (?:in|on|at|for|from|with|to|about|during|by|that|who|of)\b.*`)
)

// ofThing reports whether a sentence has the noun of the thing that a question counts or asks
// the kind of, or one that means nearly the same: nothing else is counted by its numbers.
func ofThing(q question, low string, s scored) bool {
	m := reThing.FindStringSubmatch(low)
	if m == nil || q.kind == long {
		return true
	}
	words := strings.Fields(reOfIt.ReplaceAllString(cmp.Or(m[1], m[2]), ""))
	if len(words) == 0 || strings.HasPrefix(words[len(words)-1], "time") {
		return true
	}
	noun := words[len(words)-1]
	return slices.ContainsFunc(append(tokens.Kin(noun), tokens.Stem(noun)), func(t string) bool { return slices.Contains(s.terms, t) })
}

// ofRelative reports whether a sentence is about a relative of its speaker, and the question about the speaker: "My brother works at Bosch" does not say where Ann works.
func ofRelative(q question, s scored) bool {
	if len(q.subjects) != 1 || q.kind == who || reMe.MatchString(s.text) || slices.ContainsFunc(words(q.text), func(w [2]int) bool { return clause.Relation(strings.ToLower(q.text[w[0]:w[1]])) != "" }) {
		return false
	}
	m := reMine.FindStringSubmatch(s.text)
	return m != nil && slices.ContainsFunc(strings.Fields(m[1]), func(w string) bool {
		w, _, _ = strings.Cut(strings.ReplaceAll(strings.ToLower(w), "’", "'"), "'")
		return clause.Relation(strings.Trim(w, ",.:")) != ""
	})
}

var (
	reMine = pattern.New(`(?i)^(?:(?:and|but|so|well|oh|yeah|yes|no|also),? )*(?:my|our) (\S+(?: \S+){0,2})`)
	reMe   = pattern.New(`(?i)\b(?:I|me|we|us)\b`)
)

// named reports whether the turn of a sentence has the identifiers of a question, such as db-02, and for a date the names beside those of speakers: it is of what
// they name.
func (q question) named(ranked []scored, s scored) bool {
	names := reIdentifier.FindAllStringIndex(q.text, -1)
	if q.kind == when {
		names = append(names, reNames.FindAllStringIndex(q.text, -1)...)
	}
	for _, m := range names {
		name := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(q.text[m[0]:m[1]], "'s"), "’s"))
		if m[0] > 0 && !slices.ContainsFunc(q.names, func(n string) bool { return textnorm.Names(n, name) }) &&
			!slices.ContainsFunc(ranked, func(t scored) bool { return t.line == s.line && textnorm.Names(t.text, name) }) {
			return false
		}
	}
	return true
}

// reIdentifier is a word of letters with a number: db-02, E-502, ge0.
var reIdentifier = pattern.New(`\b[A-Za-z]+[-_]?\d+\b`)

// namesOther reports whether a sentence has a name that the question has not.
func namesOther(q question, text string) bool {
	return reCalled.MatchString(text) || slices.ContainsFunc(reNames.FindAllStringIndex(text, -1), func(m []int) bool {
		n := text[m[0]:m[1]]
		return m[0] > 0 && len(n) > 1 && !strings.Contains(q.text, n) && !tokens.Stop(strings.ToLower(strings.SplitN(n, "'", 2)[0]))
	})
}

var (
	reNameOf = pattern.New(`(?i)\bnames? of\b|\bcalled\b|['’]s name\b|叫什么`)
	reCalled = pattern.New(`(?i)\b(?:called|named|name(?:['’]s| is| was))\b|叫`)
)

// otherRelation reports whether a sentence is about a relation, my grandmother, and the
// question about another one, her mother.
func otherRelation(low string, s scored) bool {
	asked, said := relationsOf(low), relationsOf(s.text)
	return len(asked) > 0 && len(said) > 0 && !slices.ContainsFunc(asked, func(r string) bool { return slices.Contains(said, r) })
}

// relationsOf are the relations that a text names, sorted.
func relationsOf(text string) (out []string) {
	text = strings.ToLower(text)
	for _, w := range words(text) {
		if r := clause.Relation(text[w[0]:w[1]]); r != "" {
			out = append(out, r)
		}
	}
	if hasHan(text) {
		for _, t := range tokens.Terms(text) {
			if r := clause.Relation(t); r != "" && hasHan(t) {
				out = append(out, r)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// joined puts before a sentence that points back the one before it in the same turn: "I got a
// puppy two weeks ago! Her name's Coco."
func (e *evidence) joined(near []scored) []scored {
	near = slices.Clone(near)
	for i, s := range near {
		if s.pos > 0 && e.units[s.pos-1].line == s.line && s.timed() == 0 && reBack.MatchString(s.text) {
			u := *s.unit
			u.text = e.units[s.pos-1].text + " " + u.text
			near[i].unit = &u
		}
	}
	return near
}

var reBack = pattern.New(`(?i)\b(?:he|she|it|they|him|them|his|her|its|their|this|that)\b`)

// aboutSubject reports whether a sentence says something of the one that is asked about:
// it is in the first person, or names it. What speakers say of the world is not it.
func aboutSubject(q question, s scored) bool {
	if len(q.subjects) == 1 && rePossessive.MatchString(q.text) && reSelf.MatchString(s.text) {
		return false
	}
	if len(q.subjects) != 1 || s.speaker == "" || q.han {
		return true
	}
	return reFirst.MatchString(s.text) || textnorm.Names(s.text, q.subjects[0])
}

// A possessive asks about someone's neighbour, not about the one who has him and says what
// "I" do.
var (
	rePossessive = pattern.New(`^(?:What|Which|Who|Where) (?:does|did|is|was) \w+['’]s (\w+)|^[\p{Han}\w]{1,6}的(\p{Han}{2})`)
	reSelf       = pattern.New(`(?i)\b(?:I|we)\b|我[和跟与们去在]`)
)

// adds reports whether a sentence says more than the question does: something other than a time, a degree or praise.
func adds(q question, s scored) bool {
	if q.han {
		return true
	}
	times := timex.Find(s.text, 2000)
	n := 0
	for _, t := range s.terms {
		if slices.Contains(q.terms, t) || strings.HasSuffix(t, "ly") || hollow[t] || praise[t] ||
			slices.ContainsFunc(times, func(e timex.Expr) bool { return slices.Contains(tokens.Terms(s.text[e.Pos:e.End]), t) }) {
			continue
		}
		n++
	}
	return n >= fresh
}

// praise is what is said of anything.
var praise = set("great good awesome amazing incredible wonderful fantastic nice cool fun super best better love loved like enjoy special lovely beautiful perfect excited exciting happy glad feel felt feeling really much way thanks thank yeah yes wow hey experience inspiring rewarding enlightening powerful crazy while been got get make made want")

// names reports whether a question wants several things named: what hobbies, which games.
func names(low string) bool {
	m := reList.FindStringSubmatch(low)
	return m != nil && m[1] != "" && !slices.Contains([]string{"does", "has", "is", "was", "this", "his", "its"}, m[1])
}

// gathers reports whether a question asks for all that someone has done, or does: one statement of several is not the answer.
func gathers(low string) bool {
	aux := reAux.FindStringSubmatch(low)
	return aux != nil && strings.HasPrefix(aux[1], "ha") && !strings.Contains(low, " been ") || reAll.MatchString(low) && !strings.Contains(low, "do for ")
}

var (
	reAux = pattern.New(`^(?:what|which|who|where)\b.*?\b(do|does|did|is|are|was|were|has|have|had|will|would|can|could|should)\b`)
	reAll = pattern.New(`^who (?:are|were)\b|^(?:what|which)\b.*?\b(?:do|does) \S+(?: and \S+)?(?: \w+ly)? (?:do|talk about)\b`)
)

// enumerates reports whether a sentence names several things: short ones, one after the
// other.
func enumerates(s string) bool { return reSeveral.MatchString(s) }

var reSeveral = pattern.New(`[\w'’-]+, (?:[\w'’-]+ ){0,3}[\w'’-]+,? (?:and|or|&) |(?:, (?:[\w'’-]+ ){0,3}[\w'’-]+){2}`)

// bothSaid answers a question of yes or no to which both was said: a sentence says never,
// another of the same speaker that it was so. "" where that is not so.
func bothSaid(q question, ranked []scored) string {
	if q.kind != yesno || reNever.MatchString(q.text) {
		return ""
	}
	var never, ever *unit
	for _, s := range ranked {
		switch is := reNever.MatchString(strings.ToLower(s.text)); {
		case s.cover < opposed:
		case is && never == nil:
			never = s.unit
		case !is && ever == nil && (reDid.MatchString(s.text) || q.han):
			ever = s.unit
		}
	}
	if never == nil || ever == nil || never.speaker != ever.speaker || never.line == ever.line {
		return ""
	}
	if q.han {
		return "两种说法都有：" + quoteOf(never, true) + "；" + quoteOf(ever, true)
	}
	return "Both were said: " + quoteOf(never, false) + "; " + quoteOf(ever, false)
}

// reDid is what says that the speaker did something.
var reDid = pattern.New(`(?i)\bI(?:['’]ve| have| had| did| \w+ed| met| got| wrote| built| took| used| made| went| began| ran| set| gave)\b|\bI['’]m (?:feeling|using|working|doing|taking|having|seeing|learning|studying|playing)\b|\bwe (?:met|\w+ed)\b`)

// quoteOf quotes a sentence, with its day where it is known.
func quoteOf(u *unit, han bool) string {
	switch {
	case !u.dated:
		return strconv.Quote(u.text)
	case han:
		return strconv.Quote(u.text) + "（" + sayDay(true, u.day) + "）"
	}
	return strconv.Quote(u.text) + " (" + sayDay(false, u.day) + ")"
}

// earlier says which other number an earlier sentence gave for the same thing: one with all
// words of the question that the newest has, since a budget is no price.
func earlier(q question, newest []scored, answer string) string {
	for _, s := range newest[1:] {
		same := !slices.ContainsFunc(q.terms, func(t string) bool { return slices.Contains(newest[0].terms, t) && !slices.Contains(s.terms, t) })
		if n := spanNumber(q, []scored{s}); same && n != "" && n != answer && byNewest(newest[0], s) < 0 {
			return q.say(" (before: ", "（此前：") + q.measured([]scored{s}, n) + q.say(", said on ", "，") + sayDay(q.han, s.day) + q.say(")", "）")
		}
	}
	return ""
}

// measured is a number with the unit behind it where the question asks for a measure and
// names no unit: "How much" is answered by "900 euros".
func (q question) measured(near []scored, number string) string {
	for _, s := range near {
		_, after, ok := strings.Cut(s.text, number)
		if m := reMeasure.FindString(after); ok && reAmount.MatchString(q.text) && !strings.ContainsAny(number, "$€£¥%") && !tokens.Stop(strings.TrimSpace(m)) {
			return number + m
		} else if ok {
			break
		}
	}
	return number
}

var (
	reAmount  = pattern.New(`(?i)\bhow (?:much|old|far|tall|big|large|heavy|fast)\b|\b(?:price|cost|amount)\b|多少钱`)
	reMeasure = pattern.New(`^(?: ?[a-zA-Z]+|[万千百亿]?(?:欧元|美元|日元|英镑|港币|元|块钱?))`)
)
