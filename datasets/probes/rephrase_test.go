package probes_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"membench/datasets/probes"
	"membench/llm"
	"membench/llm/llmtest"
)

func TestKept(t *testing.T) {
	people := []string{"Nora", "hobot", "小满"}
	for _, c := range []struct {
		template, text string
		golds          []string
		want           string
	}{
		{"Who is Nora's favourite author?", "Which author does Nora like best?", nil, ""},
		{"Who is Nora's favourite author?", "Who is hobot's favourite author?", nil, "a name"},
		{"Who is Nora's favourite author?", "Who is the favourite author?", nil, "a name"},
		{"Who is Nora's favourite author?", "Isn't Edda Nora's favourite author?", []string{"Edda"}, "polarity"},
		{"Who is Nora's favourite author?", "Is Edda Nora's favourite author?", []string{"Edda"}, "the answer shows"},
		{"Who is Nora's favourite author?", "Who is Nora's favourite author?", nil, "the same words"},
		{"Who is Nora's favourite author?", "Nora最喜欢的作家是谁？", nil, "another language"},
		{"Who is Nora's favourite author?", "", nil, "no question"},
		{"On 5 March 2026, what did Nora say they dislike?", "What did Nora say they dislike on 5 March 2026?", nil, ""},
		{"On 5 March 2026, what did Nora say they dislike?", "What did Nora say they dislike on 5 May 2026?", nil, "a number or date"},
		{"On 5 March 2026, what did Nora say they dislike?", "What did Nora say they dislike in March 2026?", nil, "a number or date"},
		{"Did Nora mention “knots” or “tea” first?", "Was it “knots” or “tea” that Nora mentioned first?", nil, ""},
		{"Did Nora mention “knots” or “tea” first?", "Was it “knots” or “tea” that Nora mentioned last?", nil, "direction"},
		{"Did Nora mention “knots” or “tea” first?", "Was it knots or tea that Nora mentioned first?", nil, "a quotation"},
		{"On which host does quay-api run?", "Where does it run?", nil, "a name"},
		{"小满最喜欢的作家是谁？", "小满最不喜欢的作家是谁？", nil, "polarity"},
		{"小满最喜欢的作家是谁？", "小满最喜欢哪一位作家？", nil, ""},
	} {
		if got := probes.Kept(c.template, c.text, people, nil, c.golds); got != c.want {
			t.Errorf("%q → %q: have %q, want %q", c.template, c.text, got, c.want)
		}
	}
	if got := probes.Kept("Which: a, b?", "Which of these: a?", nil, []string{"a", "b"}, nil); got != "a choice" {
		t.Errorf("a choice was lost: %q", got)
	}
}

// TestRephrase: what a model words well is taken and marked, the rest keeps its
// template; all of it is counted.
func TestRephrase(t *testing.T) {
	g := dialogue(t, friends)
	plain := questions(t, generate(t, g, probes.Options{Searched: 1, Count: 60, Seed: 2}))
	n := 0
	model := llmtest.Func(func(r llm.Request) (string, error) {
		if r.Purpose != llm.PurposeRephrase || !strings.Contains(r.System, "JSON") {
			t.Errorf("asked with %q", r.Purpose)
		}
		_, q, _ := strings.Cut(r.Prompt, "\n")
		n++
		if n%2 == 0 {
			return `{"question": "Tell me something else entirely"}`, nil
		}
		return `{"question": ` + quote(strings.Replace(strings.Replace("By the way: "+q, "By the way: 小", "对了，小", 1), "By the way: “", "对了，“", 1)) + `}`, nil
	})
	var stats probes.Stats
	worded := questions(t, generate(t, g, probes.Options{Searched: 1, Count: 60, Seed: 2, Rephrase: model, Stats: &stats}))
	taken := 0
	for i, q := range worded {
		if q.Answer != plain[i].Answer && q.meta.By == "rule" && q.Text != plain[i].Text {
			t.Errorf("%s is neither the template nor the model's", q.Text)
		}
		if q.meta.By != "rule" {
			taken++
			if q.meta.By != "scripted" || q.meta.Template == "" || q.meta.Template == q.Text {
				t.Errorf("%+v", q.meta)
			}
		}
	}
	sum := 0
	for _, k := range stats.Rephrased {
		sum += k
	}
	if taken < 15 || taken != stats.Rephrased["taken"] || sum != len(worded) {
		t.Errorf("%d of %d taken, counted %v", taken, len(worded), stats.Rephrased)
	}
	broken := spent{}
	for _, err := range probes.Generate(context.Background(), g, probes.Options{Rephrase: broken}) {
		if llm.KindOf(err) != llm.KindBudget {
			t.Errorf("a spent budget gives %v", err)
		}
	}
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// spent is a model whose budget is gone.
type spent struct{}

func (spent) Model() string { return "spent" }
func (spent) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Kind: llm.KindBudget, Err: errors.New("spent")}
}
