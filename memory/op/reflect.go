package op

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"membench/internal/pattern"
	"membench/internal/sentence"
	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/llm"
	"membench/memory"
)

// Purposes of the calls of the operations here.
const (
	PurposeImportance = "importance"
	PurposeQuestions  = "questions"
	PurposeInsights   = "insights"
	PurposeSummary    = "summary"
	PurposeTrigger    = "trigger"
	PurposeNote       = "note"
	PurposeEvolve     = "evolve"
	PurposeKeywords   = "keywords"
	PurposeConcepts   = "concepts"
	PurposeRoute      = "route"
	PurposeContinuity = "continuity"
	PurposeMeta       = "meta"
	PurposeThemes     = "themes"
	PurposeProfile    = "profile"
	PurposeKnowledge  = "knowledge"
	PurposeEntries    = "entries"
	PurposeNeeds      = "needs"
	PurposeQueries    = "queries"
	PurposeAnalyse    = "analyse"
	PurposeEnough     = "enough"
	PurposeThings     = "things"
	PurposeRelations  = "relations"
	PurposeOutdated   = "outdated"
	PurposeAdditive   = "additive"
	PurposeFilter     = "filter"
	PurposeEdges      = "edges"
	PurposeResolve    = "resolve"
	PurposeCompare    = "compare"
	PurposeAct        = "act"
	PurposeItems      = "items"
	PurposeDecide     = "decide"
	PurposeIntent     = "intent"
	PurposeConflict   = "conflict"
	PurposeCorrect    = "correct"
	PurposeHypothesis = "hypothesis"
	PurposeSurprisal  = "surprisal"
)

// OrRule does an operation of ingest by the model, or by its rule if there is no model or no usable answer; the latter is noted in r. A cancelled context, a
// failure that every call would meet and one that may be temporary are errors, since the results of rules are stored permanently.
func OrRule[T any](ctx context.Context, g llm.Generator, r *memory.Receipt, purpose string, model func() (T, llm.Usage, error), rule func() T) (T, error) {
	if g == nil {
		return rule(), nil
	}
	v, u, err := model()
	r.Usage = r.Usage.Add(u)
	switch {
	case err == nil:
		return v, nil
	case ctx.Err() != nil:
		return v, ctx.Err()
	case llm.Fatal(err), llm.Passing(err):
		return v, err
	}
	if llm.KindOf(err) != llm.KindDryRun { // no call was made: nothing is lost
		r.Degraded = append(r.Degraded, memory.ByRule(purpose, err))
	}
	return rule(), nil
}

// Ask asks one question whose answer is JSON, with the prompt of the purpose.
func Ask[T any](ctx context.Context, g llm.Generator, p llm.Prompts, purpose, prompt string, valid func(T) error) (T, llm.Usage, error) {
	return llm.JSON[T](ctx, g, llm.Request{Purpose: purpose, System: Prompt(p, purpose).Text, Prompt: prompt}, valid)
}

// Importance is how much a text matters to its speaker, in [0.1,1].
func (w *Work) Importance(text string) float64 {
	type rating struct {
		Importance float64 `json:"importance"` // 1 to 10
	}
	v := JSON(w, PurposeImportance, text, func(r rating) error {
		if r.Importance < 1 || r.Importance > 10 {
			return fmt.Errorf("importance %g: want 1 to 10", r.Importance)
		}
		return nil
	}, func() rating { return rating{10 * RuleImportance(text)} })
	return v.Importance / 10
}

var (
	hasNumber  = pattern.New(`\d|[一二三四五六七八九十百]+[个只本次年月日岁点]`)
	decides    = pattern.New(`(?i)\b(decided?|moved?|quit|started|stopped|changed|bought|sold|joined|adopted|married|promised|plan(?:ned|ning)?|got (?:a|the|my)|no longer|switched)\b|决定|搬|辞|开始|不再|换|买|卖|加入|结婚|打算|答应`)
	strong     = pattern.New(`(?i)\b(love|hate|afraid|scared|excited|thrilled|devastated|proud|grateful|heartbroken|furious|terrified|died|death|pregnant)\b|爱|恨|害怕|激动|骄傲|难过|伤心|去世|感动`)
	firstThing = pattern.New(`(?i)\b(i|i'm|i've|my|we|our)\b|我`)
)

// RuleImportance is 0.3, 0.1 more for each of: a number or date, a name, a statement
// about oneself, a decision or change, a strong feeling; 0.2 less for a mere question;
// in [0.1,1].
func RuleImportance(text string) float64 {
	v := 0.3
	for _, hit := range []bool{hasNumber.MatchString(text), len(Entities(text)) > 0, firstThing.MatchString(text), decides.MatchString(text), strong.MatchString(text)} {
		if hit {
			v += 0.1
		}
	}
	if asked, all := 0, sentence.Split(text); len(all) > 0 {
		for _, s := range all {
			if t := strings.TrimSpace(s.Text); strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？") {
				asked++
			}
		}
		if asked == len(all) {
			v -= 0.2
		}
	}
	return math.Round(min(1, max(0.1, v))*100) / 100
}

var (
	capital = pattern.New(`\p{Lu}[\p{L}\d'’]+(?: \p{Lu}[\p{L}\d'’]+)*`)
	quoted  = pattern.New(`[“"「『《]([^”"」』》]{2,30})[”"」』》]`)
)

// generic heads say nothing by themselves.
var generic = map[string]bool{"thing": true, "time": true, "day": true, "monday": true, "tuesday": true, "wednesday": true, "thursday": true, "friday": true, "saturday": true, "sunday": true, "yes": true, "no": true, "hey": true, "wow": true, "thanks": true, "user": true, "assistant": true,
	"january": true, "february": true, "march": true, "april": true, "may": true, "june": true, "july": true, "august": true, "september": true, "october": true, "november": true, "december": true}

// Entities returns the names in a text: capitalised words inside a sentence, quoted text, text in title marks, and the name before the first colon. In order,
// without repeats.
func Entities(text string) (out []string) {
	add := func(s string) {
		s = strings.TrimSpace(s)
		if s != "" && !generic[strings.ToLower(s)] && !tokens.Stop(strings.ToLower(s)) && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for line := range strings.Lines(text) {
		if name, _, ok := strings.Cut(line, ": "); ok && len(name) < 40 {
			add(name)
		}
	}
	for _, s := range sentence.Split(text) {
		body := s.Text
		if i := strings.Index(body, ": "); i >= 0 && i < 40 {
			body = body[i+2:]
		}
		for _, m := range capital.FindAllStringIndex(body, -1) {
			if strings.TrimSpace(body[:m[0]]) != "" { // the first word of a sentence is always capitalised
				add(strings.TrimSuffix(strings.TrimSuffix(body[m[0]:m[1]], "'s"), "’s"))
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(body, -1) {
			add(m[1])
		}
	}
	return out
}

func clean(in []string) (out []string) {
	for _, s := range in {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// RuleQuestions asks about the n names that the texts have most often, the later first
// where they are equal.
func RuleQuestions(texts []string, n int) []string {
	count := map[string]int{}
	var order []string
	for i := len(texts) - 1; i >= 0; i-- {
		for _, e := range Entities(texts[i]) {
			if count[e]++; count[e] == 1 {
				order = append(order, e)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	var out []string
	for _, e := range order[:min(n, len(order))] {
		if strings.IndexFunc(e, textnorm.IsHan) >= 0 {
			out = append(out, "关于"+e+"，我们知道什么？")
		} else {
			out = append(out, "What do we know about "+e+"?")
		}
	}
	return out
}

// RuleSummary takes the sentences of the old summary and the texts that say most,
// Σ idf of their distinct content terms / √length, up to this many words (a Han character counts as half a word), in their order.
func RuleSummary(old string, texts []string, words int) string {
	var all []string
	seen := map[string]bool{}
	for _, t := range append([]string{old}, texts...) {
		for line := range strings.Lines(t) {
			for _, s := range sentence.Split(line) {
				if k := textnorm.Key(s.Text); k != "" && !seen[k] {
					seen[k] = true
					all = append(all, strings.TrimSpace(s.Text))
				}
			}
		}
	}
	df := map[string]int{}
	terms := make([][]string, len(all))
	for i, s := range all {
		terms[i] = slices.Compact(slices.Sorted(slices.Values(tokens.Terms(s))))
		for _, t := range terms[i] {
			df[t]++
		}
	}
	order := make([]int, len(all))
	score := make([]float64, len(all))
	for i := range all {
		order[i] = i
		for _, t := range terms[i] {
			score[i] += math.Log(1 + float64(len(all))/float64(df[t]))
		}
		score[i] /= math.Sqrt(float64(max(1, length(all[i]))))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	var take []int
	left := words
	for _, i := range order {
		if n := length(all[i]); n <= left {
			take, left = append(take, i), left-n
		}
	}
	slices.Sort(take)
	out := make([]string, len(take))
	for i, j := range take {
		out[i] = all[j]
	}
	return strings.Join(out, " ")
}

// length counts words; a Han character is half of one.
func length(s string) int {
	han := 0
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	return len(strings.Fields(s)) + han/2
}

// Keywords are a text's n rarest content words by the given document frequencies, names
// first; in the order of the text.
func Keywords(text string, n int, df map[string]int) []string {
	out := clean(Entities(text))
	out = out[:min(n, len(out))]
	type word struct {
		text string
		df   int
	}
	var rest []word
	for _, t := range tokens.Split(text) {
		if t.Han {
			if len([]rune(t.Text)) >= 2 && len([]rune(t.Text)) <= 6 {
				rest = append(rest, word{t.Text, 0})
			}
			continue
		}
		if len(t.Text) > 3 && !tokens.Stop(t.Text) {
			rest = append(rest, word{t.Text, df[tokens.Stem(t.Text)]})
		}
	}
	slices.SortStableFunc(rest, func(a, b word) int { return a.df - b.df })
	for _, w := range rest {
		if len(out) >= n {
			break
		}
		if !slices.ContainsFunc(out, func(s string) bool { return strings.EqualFold(s, w.text) }) {
			out = append(out, w.text)
		}
	}
	return out
}
