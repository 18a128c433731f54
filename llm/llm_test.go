package llm_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"membench/llm"
	"membench/llm/hashing"
	"membench/llm/llmtest"
)

func TestExtractJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1}`:                             `{"a":1}`,
		"Sure:\n```json\n{\"a\": {}}\n```\n":  `{"a": {}}`,
		`I {think} that {"a":[1]} is right }`: `{"a":[1]}`,
		`<think>{"b":1}</think> {"a":1}`:      `{"a":1}`,
		`好的：{"a":"茶"}。`:                       `{"a":"茶"}`,
		`{"a":1`:                              "",
		"no":                                  "",
		"}{":                                  "",
	} {
		if have := string(llm.ExtractJSON(in)); have != want {
			t.Errorf("%q: have %q, want %q", in, have, want)
		}
	}
}

func FuzzExtractJSON(f *testing.F) {
	for _, s := range llmtest.RealAnswers() {
		f.Add(s)
	}
	f.Add("a {\"b\": {}} c")
	f.Add(strings.Repeat("{", 100) + strings.Repeat("}", 100))
	f.Fuzz(func(t *testing.T, s string) { llm.ExtractJSON(s) })
}

type verdict struct {
	Correct bool   `json:"correct"`
	Why     string `json:"why"`
}

func TestJSONRepairsOnce(t *testing.T) {
	schema := []byte(`{"type":"object","properties":{"correct":{"type":"boolean"},"why":{"type":"string"}},"required":["correct"]}`)
	valid := func(v verdict) error {
		if v.Correct && v.Why == "" {
			return errors.New("say why")
		}
		return nil
	}
	good := `Here: {"correct": true, "why": "same city"}`
	for _, tc := range []struct {
		name    string
		answers []llmtest.Answer
		asked   int
		kind    llm.Kind
		fault   string // told to the model
	}{
		{"prose around it", []llmtest.Answer{{Text: good}}, 1, "", ""},
		{"no JSON", []llmtest.Answer{{Text: "It is right."}, {Text: good}}, 2, "", "holds no JSON object"},
		{"cut off", []llmtest.Answer{{Text: `{"correct": true, "x": {"correct": false}`, Truncated: true}, {Text: good}}, 2, "", "cut off"},
		{"wrong schema", []llmtest.Answer{{Text: `{"correct": "yes"}`}, {Text: good}}, 2, "", "have string, want boolean"},
		{"a member missing", []llmtest.Answer{{Text: `{"why": "x"}`}, {Text: good}}, 2, "", "correct"},
		{"not valid", []llmtest.Answer{{Text: `{"correct": true}`}, {Text: good}}, 2, "", "say why"},
		{"wrong twice", []llmtest.Answer{{Text: `{"correct": 1}`}, {Text: `{"correct": 2}`}}, 2, llm.KindUnusable, ""},
		{"a failure is not repaired", []llmtest.Answer{{Err: errors.New("down")}}, 1, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := llmtest.NewScript().Then(tc.answers...)
			v, u, err := llm.JSON(context.Background(), g, llm.Request{Purpose: "judge", Prompt: "Q", Schema: schema}, valid)
			reqs := g.Requests()
			if len(reqs) != tc.asked || !reqs[0].JSON {
				t.Fatalf("asked %d times, want %d", len(reqs), tc.asked)
			}
			if tc.fault != "" && (!strings.Contains(reqs[1].Prompt, tc.fault) || !strings.HasPrefix(reqs[1].Prompt, "Q")) {
				t.Errorf("the model is told %q, want %q", reqs[1].Prompt, tc.fault)
			}
			var e *llm.Error
			switch {
			case tc.answers[0].Err != nil:
				if !errors.As(err, &e) {
					t.Errorf("have %v", err)
				}
			case tc.kind != "":
				if llm.KindOf(err) != tc.kind || u.Calls != 2 || v != (verdict{}) {
					t.Errorf("have %v, %+v, %+v", err, u, v)
				}
			case err != nil || !v.Correct || u.Calls != tc.asked:
				t.Errorf("have %+v, %+v, %v", v, u, err)
			}
		})
	}
	if _, _, err := llm.JSON[verdict](context.Background(), llmtest.NewScript(), llm.Request{Schema: []byte(`{"type": 7}`)}, nil); err == nil {
		t.Error("a schema that is none is taken")
	}
}

// TestBudgetIsHard: a hundred attempts at once never pass a limit, and none is stopped
// that would have fitted when those under way had ended.
func TestBudgetIsHard(t *testing.T) {
	prices := llm.Prices{"m": {Input: 1000, Output: 1000}} // a thousandth a token
	paid := llm.Usage{Calls: 1, InputTokens: 10, OutputTokens: 50}
	most := llm.Most("one two three", 60) // 77 + 60 tokens
	for name, tc := range map[string]struct {
		limits llm.Limits
		made   int
	}{
		"money":  {llm.Limits{Money: 1}, 15}, // 15 of 60 are paid: another may cost 137
		"tokens": {llm.Limits{Tokens: 1000}, 15},
		"calls":  {llm.Limits{Calls: 10}, 10},
	} {
		b := llm.NewBudget(tc.limits, prices)
		var made, stopped atomic.Int64
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				settle, err := b.Hold(t.Context(), "read", "m", most)
				if err != nil {
					if llm.KindOf(err) != llm.KindBudget || !llm.Fatal(err) {
						t.Error(err)
					}
					stopped.Add(1)
					return
				}
				made.Add(1)
				runtime.Gosched()
				settle(paid)
			})
		}
		wg.Wait()
		money, tokens, calls := b.Spent()
		l := tc.limits
		if int(made.Load()) != tc.made || made.Load()+stopped.Load() != 100 || calls != tc.made || l.Money > 0 && money > l.Money || l.Tokens > 0 && tokens > l.Tokens {
			t.Errorf("%s: spent %v, %d tokens, %d calls; made %d, want %d; stopped %d", name, money, tokens, calls, made.Load(), tc.made, stopped.Load())
		}
	}
	b := llm.NewBudget(llm.Limits{Money: 1}, nil)
	if _, err := b.Hold(t.Context(), "read", "m", most); llm.KindOf(err) != llm.KindBudget || !strings.Contains(err.Error(), "no price of m") {
		t.Errorf("a model without a price: have %v", err)
	}
	b = llm.NewBudget(llm.Limits{Calls: 1}, nil)
	settle, err := b.Hold(t.Context(), "read", "m", most)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Hold(ctx, "read", "m", most); llm.KindOf(err) != llm.KindCanceled {
		t.Errorf("waiting for one under way: have %v, want the end of the context", err)
	}
	settle(llm.Usage{}) // it never left
	if _, err := b.Hold(t.Context(), "read", "m", most); err != nil {
		t.Errorf("what never left costs nothing: have %v", err)
	}
}

func TestPrices(t *testing.T) {
	p := llm.Prices{"gpt-4o": {Input: 2, Output: 10, Cached: 1}, "e": {Input: 1}}
	for name, want := range map[string]float64{"gpt-4o": 2, "gpt-4o-2024-08-06": 2, "gpt-4o-20240806": 2, "gpt-4o-mini": -1, "e/256": 1, "": -1} {
		got, ok := p.Of(name)
		if want < 0 && ok || want >= 0 && (!ok || got.Input != want) {
			t.Errorf("%s: have %+v, %v", name, got, ok)
		}
	}
	if c := p["gpt-4o"].Cost(llm.Usage{InputTokens: 1_000_000, CachedTokens: 500_000, OutputTokens: 100_000}); c != 2*0.5+0.5+1 {
		t.Errorf("cost %v", c)
	}
}

func TestEstimate(t *testing.T) {
	var e llm.Estimate
	g := e.Generator("m")
	for i := range 10 {
		_, err := g.Generate(context.Background(), llm.Request{Purpose: "tag", Prompt: strings.Repeat("word ", 100) + fmt.Sprint(i), MaxTokens: 100})
		if llm.KindOf(err) != llm.KindDryRun || llm.Fatal(err) {
			t.Fatal(err)
		}
	}
	v, err := e.Embedder("te3", hashing.New(8)).Embed(context.Background(), []string{"tea", "coffee and cake"})
	if err != nil || len(v) != 2 {
		t.Fatal(err)
	}
	rows := e.Rows()
	if len(rows) != 2 || rows[0].Purpose != "embed" || rows[0].Model != "te3" || rows[0].Low.InputTokens < 3 || rows[0].High.InputTokens > 12 {
		t.Fatalf("have %+v", rows)
	}
	rows = rows[1:]
	if len(rows) != 1 || rows[0].Calls != 10 {
		t.Fatalf("have %+v", rows)
	}
	low, high := rows[0].Low, rows[0].High
	if low.InputTokens < 900 || low.InputTokens > 1300 || high.InputTokens < 2*low.InputTokens || low.OutputTokens != 330 || high.OutputTokens != 2000 {
		t.Errorf("have %+v to %+v", low, high)
	}
}

func TestEstimateTokensBracketsTheTruth(t *testing.T) {
	for text, tokens := range map[string]int{ // counted with o200k_base and cl100k_base by hand of their published examples
		"": 0,
		"The quick brown fox jumps over the lazy dog.": 10,
		"今天天气很好，我们去公园散步吧。":                             14,
	} {
		low, high := llm.EstimateTokens(text)
		if low > tokens || high < tokens {
			t.Errorf("%q: have %d to %d, want %d between", text, low, high, tokens)
		}
	}
}

func TestSettings(t *testing.T) {
	hot := 0.9
	s := llmtest.NewScript("a", "b")
	w := llm.With(s, llm.Settings{Temperature: &hot, MaxTokens: 7})
	for _, m := range []int{0, 3} {
		if _, err := w.Generate(context.Background(), llm.Request{MaxTokens: m}); err != nil {
			t.Fatal(err)
		}
	}
	r := s.Requests()
	if r[0].Temperature != 0.9 || r[0].MaxTokens != 7 || r[1].MaxTokens != 3 {
		t.Errorf("have %+v", r)
	}
	if llm.With(s, llm.Settings{}) != llm.Generator(s) {
		t.Error("no settings, but a wrapper")
	}
}
