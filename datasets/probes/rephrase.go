package probes

import (
	"context"
	"embed"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/par"
	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/llm"
	"membench/schema"
)

//go:embed prompts
var prompts embed.FS

// PromptRephrase names the prompt by which a model words questions again.
const PromptRephrase = "rephrase"

// Prompt is the prompt in force, for fingerprints and manifests.
func Prompt(p llm.Prompts) llm.Prompt { return p.Of(prompts, PromptRephrase) }

// rephraseAll lets the model word every question again, some at once. A wording that
// does not keep the meaning, as far as Kept can tell, is not taken: the template stays,
// counted by reason. A call that fails for good ends the generating.
func (m *maker) rephraseAll() error {
	if m.o.Rephrase == nil {
		return nil
	}
	type job struct {
		s *scope
		d *draft
	}
	jobs := func(yield func(job, error) bool) {
		for _, s := range m.w.scopes {
			for _, d := range m.kept[s] {
				if !yield(job{s, d}, nil) {
					return
				}
			}
		}
	}
	prompt := Prompt(m.o.Prompts)
	type worded struct {
		job
		text, why string
	}
	ask := func(ctx context.Context, j job) (worded, error) {
		type reply struct {
			Question string `json:"question"`
		}
		r, _, err := llm.JSON[reply](ctx, m.o.Rephrase, llm.Request{Purpose: llm.PurposeRephrase, System: prompt.Text, Prompt: "QUESTION\n" + j.d.q.Text}, nil)
		switch {
		case err != nil && (llm.Fatal(err) || ctx.Err() != nil):
			return worded{}, err
		case err != nil:
			return worded{j, "", "the model failed"}, nil
		}
		text := textnorm.Collapse(r.Question)
		return worded{j, text, Kept(j.d.q.Text, text, j.s.people, j.d.choices, golds(j.d))}, nil
	}
	for w, err := range par.Map(m.ctx, max(1, m.o.Workers), jobs, ask) {
		if err != nil {
			return err
		}
		key := string(w.s.conv) + "\x00" + fold(w.text)
		if w.why == "" && m.asked[key] {
			w.why = "asked already"
		}
		if w.why != "" {
			m.o.Stats.Rephrased[w.why]++
			continue
		}
		m.asked[key] = true
		m.o.Stats.Rephrased["taken"]++
		w.d.template, w.d.q.Text, w.d.by = w.d.q.Text, w.text, schema.By(m.o.Rephrase.Model())
	}
	return nil
}

// golds are what a wording must not give away; a choice is named anyway.
func golds(d *draft) []string {
	if len(d.choices) > 0 || d.q.Abstain {
		return nil
	}
	return d.q.Golds()
}

var (
	quotation = pattern.New(`“[^”]*”`)
	digits    = pattern.New(`\d+`)
	month     = pattern.New(`(?i)\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b`)
	negation  = pattern.New(`(?i)\b(?:not|no|never|without|nothing|nobody|none|neither|nor|cannot)\b|n['’]t\b|不|没|无|未|别`)
	direction = pattern.New(`(?i)\b(?:first|before|after|last|between|opposite|contradict|all|both|every)\b|先|之前|以前|之后|相隔|相反|矛盾|全部|所有`)
)

// sameDirection are words that say one thing.
var sameDirection = map[string]string{"every": "all", "所有": "全部", "以前": "之前", "contradict": "opposite", "矛盾": "相反"}

// Kept says what a new wording of a question has lost or added; "" when names, numbers,
// dates, quotations, choices, polarity and the words of direction are those of the
// template, and no gold shows.
func Kept(template, text string, people, choices, golds []string) string {
	n := utf8.RuneCountInString(text)
	switch {
	case text == "" || strings.ContainsAny(text, "\n{}"):
		return "no question"
	case text == template:
		return "the same words"
	case n > 2*utf8.RuneCountInString(template)+40:
		return "far longer"
	case textnorm.Lang(quotation.ReplaceAllString(text, "")) != textnorm.Lang(quotation.ReplaceAllString(template, "")):
		return "another language"
	}
	bare, plain := quotation.ReplaceAllString(text, " "), quotation.ReplaceAllString(template, " ")
	same := func(re *pattern.Pattern) bool {
		a, b := re.FindAllString(fold(bare), -1), re.FindAllString(fold(plain), -1)
		for _, list := range [][]string{a, b} {
			for i, w := range list {
				if x, ok := sameDirection[w]; ok {
					list[i] = x
				}
			}
			slices.Sort(list)
		}
		return slices.Equal(slices.Compact(a), slices.Compact(b))
	}
	for _, p := range people {
		if has(fold(text), fold(p)) != has(fold(template), fold(p)) {
			return "a name"
		}
	}
	for _, q := range quotation.FindAllString(template, -1) {
		if !strings.Contains(text, q) {
			return "a quotation"
		}
	}
	for _, c := range choices {
		if !strings.Contains(text, c) {
			return "a choice"
		}
	}
	a, b := digits.FindAllString(bare, -1), digits.FindAllString(plain, -1)
	slices.Sort(a)
	slices.Sort(b)
	switch {
	case !slices.Equal(a, b) || !same(month):
		return "a number or date"
	case len(negation.FindAllString(bare, -1))%2 != len(negation.FindAllString(plain, -1))%2:
		return "polarity"
	case !same(direction):
		return "direction"
	case capitals(plain, bare) != "":
		return "a name"
	}
	if slices.ContainsFunc(golds, func(g string) bool { return g != "" && has(fold(text), fold(g)) }) {
		return "the answer shows"
	}
	return ""
}

var word = pattern.New(`[A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9]`)

// capitals finds a name of the template (a word with a digit, hyphen or inner capital,
// or one that begins with a capital inside a sentence) that the text lacks.
func capitals(template, text string) string {
	for _, at := range word.FindAllStringIndex(template, -1) {
		w := template[at[0]:at[1]]
		name := strings.ContainsAny(w, "0123456789-_") || strings.ToLower(w[1:]) != w[1:] || at[0] > 0 && w[0] >= 'A' && w[0] <= 'Z'
		if name && !has(fold(text), fold(w)) {
			return w
		}
	}
	return ""
}
