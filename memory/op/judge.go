package op

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/pattern"
	"membench/internal/tokens"
	"membench/llm"
)

// RuleJudge compares each fact with the known ones of the same speaker:
//
//	equal but for punctuation and case, or Jaccard of the terms ≥ 0.9 with the same
//	  numbers and polarity                                  → Same
//	one text holds the other, same polarity                 → Refines or Same
//	one single-valued slot (name, home, work, age, birthday,
//	  favourite X), other words                             → Replaces
//	opposite polarity, or a cue of change in the new text,
//	  Jaccard ≥ 0.5, with a cue ≥ 0.3                       → Replaces; Retracts when
//	                                                          the new text only negates
//	else                                                    → New
//
// The strongest relation wins in the order Same, Refines, Replaces, Retracts.
func RuleJudge() Judge { return ruleJudge{} }

type ruleJudge struct{}

func (ruleJudge) Judge(_ context.Context, facts []Fact, known []Known) ([]Verdict, llm.Usage, error) {
	out := make([]Verdict, len(facts))
	for i, f := range facts {
		out[i] = Verdict{Fact: i, Relation: New, Text: f.Text}
		for _, k := range known {
			if k.Role != f.Role {
				continue
			}
			if r := Compare(f.Text, k.Text); strength[r] > strength[out[i].Relation] {
				out[i].Relation, out[i].Target = r, k.ID
			}
		}
	}
	return out, llm.Usage{}, nil
}

var strength = map[Relation]int{Retracts: 1, Replaces: 2, Refines: 3, Same: 4}

// Compare determines the relation of the text new to the text old, both of one speaker.
func Compare(new, old string) Relation { return NewStatement(new).Compare(NewStatement(old)) }

// Related reports whether two texts of one speaker touch: enough shared terms, or
// one slot.
func Related(a, b string) bool {
	s := Slot(a)
	return Jaccard(a, b) >= 0.25 || s != "" && s == Slot(b)
}

func long(key string) bool { return utf8.RuneCountInString(key) >= 5 }

// Jaccard is the share of distinct terms (tokens.Terms) that two texts have in
// common, in [0,1]; 0 when one has none.
func Jaccard(a, b string) float64 { return jaccard(distinct(a), distinct(b)) }

// Share returns the Jaccard similarity of two lists of words.
func Share(a, b []string) float64 {
	return jaccard(slices.Compact(slices.Sorted(slices.Values(a))), slices.Compact(slices.Sorted(slices.Values(b))))
}

// Closest is the number of the text, of n, that shares most terms with the given one; -1
// where none shares any.
func Closest(text string, n int, of func(i int) string) int {
	at, best, terms := -1, 0.0, distinct(text)
	for i := range n {
		if s := jaccard(terms, distinct(of(i))); s > best {
			at, best = i, s
		}
	}
	return at
}

// Picked returns the things that an answer names by their numbers, from 1; other numbers are skipped.
func Picked[T comparable](numbers []int, of []T) (out []T) {
	for _, n := range numbers {
		if n >= 1 && n <= len(of) && !slices.Contains(out, of[n-1]) {
			out = append(out, of[n-1])
		}
	}
	return out
}

func numbers(s string) string {
	var out []string
	for _, t := range tokens.Split(s) {
		if strings.ContainsAny(t.Text, "0123456789") {
			out = append(out, t.Text)
		}
	}
	return strings.Join(out, " ")
}

var (
	// cue words announce a change.
	cue         = pattern.New(`(?i)\b(no longer|any ?more|instead|changed (?:it |that )?to|switched|used to|actually|from now on|now)\b|改成|改为|换成|变成|不再|现在改|改用|换到|搬到|其实|以后`)
	replacement = pattern.New(`(?i)\b(but|instead|now)\b|而是|改成|改为|换成|变成|改用`)
	negWords    = pattern.New(`(?i)\b(not|never|no longer|cannot|nor|hate|dislike|stopped|quit)\b|n['’]t\b|不|没|别再|讨厌|戒了`)
	notNegation = strings.NewReplacer("不错", "", "不过", "", "不好意思", "", "差不多", "", "不仅", "", "不但", "", "不管", "", "没关系", "", "不同", "", "不一样", "", "不得不", "", "说不定", "", "不知不觉", "", "不久", "", "没想到", "", "了不起", "")
)

// negated reports an odd number of negations.
func negated(s string) bool {
	return len(negWords.FindAllStringIndex(notNegation.Replace(s), -1))%2 == 1
}

// slots hold one value at a time for one speaker. A capture group distinguishes slots of one kind.
var slots = []struct {
	name string
	re   *pattern.Pattern
}{
	{"favourite", pattern.New(`(?i)\bfavou?rite ((?:[a-z]+ ){1,3}?)(?:is|are|was|has always been)\b`)},
	{"favourite", pattern.New(`最(?:喜欢|爱|喜爱)的?(?:还是)?([^是，。：,]{1,6}?)(?:是|：|:|还是|就是|变成|换成)`)},
	{"name", pattern.New(`(?i)\b(?:my name is|call me|i am called|i'm called)\b()|我(?:的名字)?叫|叫我|称呼我|我的名字是`)},
	{"home", pattern.New(`(?i)\bi(?:'ve| have)?(?: just| now| recently)? (?:live in|moved to|am living in)\b()|我(?:现在|如今)?(?:住在|搬到|搬去)`)},
	{"work", pattern.New(`(?i)\bi(?: now| currently)? work (?:at|for|as)\b()|我(?:现在|如今)?在[^，。]{1,12}(?:工作|上班)`)},
	{"age", pattern.New(`(?i)\bi(?:'m| am) (?:now )?\d+ years old\b()|我?今年[0-9零一二三四五六七八九十]+岁`)},
	{"birthday", pattern.New(`(?i)\bmy birthday is\b()|我的?生日(?:是|在)`)},
}

// Slot names the single-valued slot that a text fills, "" for none.
func Slot(s string) string { name, _ := slot(s); return name }

// slot is the slot that a text fills and its value: the words after it, up to a comma.
func slot(s string) (name, value string) {
	for _, x := range slots {
		if m := x.re.FindStringSubmatch(s); m != nil {
			of := ""
			if len(m) > 1 {
				of = strings.TrimSpace(strings.ToLower(m[1]))
			}
			_, value, _ = strings.Cut(s, m[0])
			if end := strings.IndexAny(value, ",.;，。；"); end >= 0 {
				value = value[:end]
			}
			if strings.TrimSpace(value) == "" {
				value = m[0] // 我在…工作 has its value inside
			}
			return x.name + "|" + of, value
		}
	}
	return "", ""
}
