package clause

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"membench/internal/hanseg"
	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/internal/tokens"
)

// How likely a fact is right is learnt: readers judged facts of chats right or not, and a logistic regression over traits of the clause, those of trust.tsv, was fitted to their verdicts (tools/clausetrain). A trait is a word or
// two for what is so of the clause, the sentence or the fact; one that the regression does not know counts nothing.

// Chances from which a fact is of the default tier, more likely right than not, and below which it is not kept.
const (
	DefaultFrom = 0.5
	KeptFrom    = 0.25
)

//go:embed trust.tsv
var trustFile string

// trust are the log odds that each trait adds, by the language of the fact.
var trust = sync.OnceValue(func() (odds [2]map[string]float64) {
	odds = [2]map[string]float64{{}, {}}
	for line := range strings.Lines(trustFile) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		if len(c) != 3 {
			continue
		}
		w, err := strconv.ParseFloat(c[1], 64)
		if err != nil {
			panic(err) // it is part of the program
		}
		odds[slices.Index([]string{"en", "zh"}, c[0])][c[2]] = w
	}
	return odds
})

// weigh sets the confidence of a fact and its tier by its traits, and reports whether it is kept. What is not asserted is kept for what it says, however sure.
func (f *Fact) weigh() bool {
	f.Tier = Wide
	if f.Modality != Asserted && f.Modality != Plan {
		return true
	}
	if f.onlyEnds {
		f.Confidence = 0
		return true
	}
	odds := trust()[0]
	if slices.Contains(f.traits, "zh") {
		odds = trust()[1]
	}
	z := odds["bias"]
	for _, t := range f.traits {
		z += odds[t]
	}
	f.Confidence = 1 / (1 + math.Exp(-z))
	if f.Confidence >= DefaultFrom {
		f.Tier = Default
	}
	return f.Confidence >= KeptFrom || len(f.Over) > 0
}

// note records traits of a fact: what its form tells of how likely it is right.
func (f *Fact) note(traits ...string) {
	f.traits = append(f.traits[:len(f.traits):len(f.traits)], traits...)
}

// Traits are the noted traits.
func (f Fact) Traits() []string { return f.traits }

func (f *Fact) noteIf(is bool, trait string) {
	if is {
		f.note(trait)
	}
}

// loose are the slots that anything may fill.
var loose = set("DID PLANS IS HAS HAS_HABIT HAS_OPINION FEELS WANTS NEEDS")

// size is a length in steps that double.
func size(n int) string {
	for to := 1; to <= 32; to *= 2 {
		if n <= to {
			return strconv.Itoa(to)
		}
	}
	return "more"
}

var (
	toOthers = pattern.New(`(?i)\b(?:you|u|your|ur|yours)\b|[你您]`)
	someone  = pattern.New(`(?i)\b(?:he|she|him|his|hers?|they|them)\b|[他她它伊佢]|人家|那个|那位`)
	toMe     = pattern.New(`(?i)\b(?:me|us)\b|我`)
	softens  = pattern.New(`[呢啊啦嘛哈呀哦噢哟咯么吗]\P{Han}*$`)
	urges    = pattern.New(`[吧呗]\P{Han}*$`)
	embeds   = pattern.New(`(?i)\b(?:that|who|which|because|but|so|if|when|while|where|how|what|why)\b`)
)

// describe notes what any fact and its sentence tell; beside is how many facts the sentence has.
func (f *Fact) describe(text, sentence string, beside int) {
	f.note("subject "+[]string{"", "speaker", "addressee", "named", "relative", "pronoun", "described"}[f.Subject.Kind], "slot "+f.Slot, "verb "+f.Verb, "beside "+size(beside))
	f.noteIf(f.Subject.Plural, "subject plural")
	f.noteIf(f.Subject.Kind == Named && f.Subject.Known, "subject known")
	f.noteIf(f.Subject.Owner != nil, "subject owned")
	if f.Subject.Text == "" && f.Subject.Kind == Speaker && !slices.Contains(f.traits, "frame") { // a frame says whose taste it is
		said := text[:min(max(f.Subject.Start, f.Start), len(text))]
		f.note("subject omitted")
		f.noteIf(someone.MatchString(said) || slices.ContainsFunc(zhCut(said), func(w hanseg.Word) bool { return zhRelations[w.Form] != "" }), "omitted, somebody before")
		f.noteIf(toMe.MatchString(f.Object.Text), "omitted, to me")
	}
	f.noteIf(f.Negated, "negated")
	f.noteIf(f.Formerly, "formerly")
	f.noteIf(f.Begun, "begun")
	f.noteIf(f.perfect, "perfect")
	f.noteIf(f.passive, "passive")
	f.noteIf(f.becomes, "becomes")
	f.noteIf(f.able, "able")
	f.noteIf(f.able && f.Negated, "unable")
	f.noteIf(f.Modality == Plan, "plan")
	f.noteIf(f.When.Text != "", "when")
	f.noteIf(habitual(f.When.Text), "habitual")
	f.noteIf(f.Place.Text != "", "place")
	f.noteIf(len(f.With) > 0, "with")
	f.noteIf(f.another, "another")
	f.noteIf(f.Rank > 0, "rank")

	f.noteIf(!loose[f.Slot], "slot typed")
	first, last := f.Start+len(sentence), f.Start
	for _, p := range []Phrase{f.Subject.Phrase, f.Object, f.Place, f.When} {
		if p.Text != "" {
			first, last = min(first, p.Start), max(last, p.End)
		}
	}
	rest := func(s string) string {
		return size(len(strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })))
	}
	if first >= f.Start && last <= f.Start+len(sentence) && first < last {
		f.note("before "+rest(sentence[:first-f.Start]), "behind "+rest(sentence[last-f.Start:]))
	}

	obj := strings.ToLower(f.Object.Text)
	switch first := headWord(obj); {
	case obj == "":
		f.note("object none")
	case pronouns[first]:
		f.note("object pronoun")
	case first == "the" || first == "this" || first == "that" || first == "these" || first == "those":
		f.note("object definite")
	case first == "a" || first == "an" || first == "some" || first == "one":
		f.note("object indefinite")
	case owns[first]:
		f.note("object mine")
	case first == "to":
		f.note("object to")
	}
	f.noteIf(tokens.Stop(obj[strings.LastIndexByte(obj, ' ')+1:]), "object ends open")
	f.noteIf(toOthers.MatchString(obj), "object you")
	f.noteIf(embeds.MatchString(obj), "object clause")
	f.noteIf(proper(f.Object.Text), "object proper")
	f.noteIf(strings.ContainsAny(obj, "0123456789"), "object number")

	f.noteIf(toOthers.MatchString(sentence), "you")
	f.noteIf(strings.ContainsAny(sentence, ",，;；"), "comma")
	f.noteIf(strings.HasSuffix(strings.TrimRight(sentence, " "), "?") || strings.HasSuffix(sentence, "？"), "asks")
	if strings.IndexFunc(sentence, textnorm.IsHan) >= 0 {
		f.note("zh", "length "+size(utf8.RuneCountInString(sentence)), "verb length "+size(utf8.RuneCountInString(f.Verb)), "object "+size(utf8.RuneCountInString(obj)))
		f.noteIf(softens.MatchString(sentence), "softens")
		f.noteIf(urges.MatchString(sentence), "urges")
		return
	}
	f.note("en", "length "+size(strings.Count(sentence, " ")+1), "object "+size(strings.Count(obj, " ")+1))
	f.noteIf(thin[f.Verb], "thin")
	f.noteIf(strings.Contains(f.Verb, " "), "verb particle")
}

// describe notes what the Chinese clause tells.
func (c *zhClause) describe() {
	f := &c.f
	f.noteIf(c.dropped, "dropped")
	f.noteIf(c.alone, "alone")
	f.noteIf(c.unsure, "after another subject")
	f.noteIf(c.own, "own state")
	f.noteIf(c.going, "going")
	f.noteIf(c.never, "never")
	f.noteIf(c.marked, "marked")
	f.noteIf(c.done(), "done")
	f.noteIf(c.aspect("了"), "了")
	f.noteIf(c.aspect("过"), "过")
	f.noteIf(c.aspect("着"), "着")
	f.noteIf(c.by != "", "by")
	f.noteIf(c.has(zhMuch), "much")
	f.noteIf(c.has(zhOften), "often")
	f.noteIf(zhVerbs[f.Verb] != "", "known verb")
	if c.dropped { // nobody is named: is it of a person, and does anything say that it happened?
		f.noteIf(c.own || !loose[f.Slot], "dropped, personal")
		f.noteIf(!past(f) && !c.going && !c.never && !f.passive && f.Modality != Plan && !c.own, "dropped, nothing happened")
		f.noteIf(zhIdle[f.Verb], "dropped, idle verb")
		f.noteIf(utf8.RuneCountInString(f.Object.Text) < 2, "dropped, short object")
	}
	// An act of the speaker's that nothing says is done or goes on: often it is meant to come.
	f.noteIf(f.Subject.Kind == Speaker && f.Modality == Asserted && f.Slot == "DID" && !c.marked && !c.going && !c.done() && !c.aspect("了") && f.When.Text == "", "bare act")
}
