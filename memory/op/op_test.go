package op

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"membench/llm"
	"membench/llm/llmtest"
	"membench/schema"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     Relation
	}{
		{"我喜欢喝普洱茶。", "我喜欢喝普洱茶", Same},
		{"I like tea.", "i like tea!", Same},
		{"I like tea and long walks", "I like tea", Same},
		{"I play chess on Sundays at the old mill", "I play chess on Sundays", Same},
		{"I play chess on Sundays", "I play chess on Sundays with Marta", Refines},
		{"我最喜欢的作家是沈从文", "我最喜欢的作家是汪曾祺", Replaces},
		{"My favourite colour is green", "My favorite colour is now blue", Replaces},
		{"My favourite colour is green", "My favourite food is noodles", New},
		{"I live in Lyon", "I just moved to Ghent", Replaces},
		{"我住在杭州", "我搬到苏州了", Replaces},
		{"我喜欢喝红茶", "我不喜欢喝红茶", Retracts},
		{"I eat meat every day", "I no longer eat meat", Retracts},
		{"I eat meat every day", "I no longer eat meat but I do eat fish", Replaces},
		{"我叫岚汐", "我叫小岚", Replaces},
		{"网关的超时是 30 秒", "网关的超时改成 60 秒", Replaces},
		{"The gateway timeout is 30 seconds", "The database timeout is 30 seconds", New},
		{"今天天气不错", "今天天气很好", New},
		{"", "I like tea", New},
	} {
		if have := Compare(c.new, c.old); have != c.want {
			t.Errorf("%q after %q: have %s, want %s", c.new, c.old, have, c.want)
		}
	}
}

func TestCompareIsReflexive(t *testing.T) {
	for _, s := range []string{"我不喜欢茶", "I never eat meat", "a", "", "no longer"} {
		if r := Compare(s, s); r != Same {
			t.Errorf("%q after itself: %s", s, r)
		}
	}
}

// A message is not lost because it ends in a question, and no sentence runs over two messages with a pause between them.
func TestRuleFactsOfMessages(t *testing.T) {
	const noon, soon, later = "2026-03-01T12:00:00Z", "2026-03-01T12:01:00Z", "2026-03-02T09:00:00Z"
	for _, c := range []struct {
		said [][2]string // time, text
		want []string
	}{
		{[][2]string{{noon, "I adopted a dog on Monday, want to meet him?"}}, []string{"I adopted a dog on Monday, want to meet him?"}},
		{[][2]string{{noon, "我上学期转去测绘专业了 没跟你说吗"}}, []string{"我上学期转去测绘专业了 没跟你说吗"}},
		{[][2]string{{noon, "我下个月去伦敦出差，一起吃饭吗"}}, []string{"我下个月去伦敦出差，一起吃饭吗"}},
		{[][2]string{{noon, "Have you been to Lyon, Ghent or Delft?"}}, nil},
		{[][2]string{{noon, "If I move to Ghent, will you visit me there?"}}, nil},
		{[][2]string{{noon, "You still work at the mill, right?"}}, nil},
		{[][2]string{{noon, "I keep the red mug"}, {soon, "for guests only"}}, []string{"I keep the red mug for guests only"}},
		{[][2]string{{"", "I keep the red mug"}, {"", "for guests only"}}, []string{"I keep the red mug for guests only"}},
		{[][2]string{{noon, "My train takes an hour"}, {later, "i sold the blue bike"}}, []string{"My train takes an hour", "i sold the blue bike"}},
		{[][2]string{{noon, "i have some news,"}, {later, "the red bike is gone"}}, []string{"i have some news,", "the red bike is gone"}},
	} {
		var said []schema.Turn
		for _, m := range c.said {
			said = append(said, schema.Turn{Role: "user", Time: m[0], Text: m[1]})
		}
		facts, _, err := RuleFacts().Facts(context.Background(), nil, said)
		var have []string
		for _, f := range facts {
			have = append(have, f.Text)
		}
		if err != nil || !slices.Equal(have, c.want) {
			t.Errorf("%q: have %q (%v), want %q", c.said, have, err, c.want)
		}
	}
}

// TestShortAnswers: an answer of a word is a fact where its question makes it a statement.
func TestShortAnswers(t *testing.T) {
	chat := []schema.Turn{{Role: "user", Name: "Ida", Text: "where are you working now?"}, {Role: "user", Name: "Jo", Text: "Northgate"}, {Role: "user", Name: "Ida", Text: "nice! is your boss scary"},
		{Role: "user", Name: "Jo", Text: "yep"}, {Role: "user", Name: "Jo", Text: "I bought a kayak yesterday"}}
	facts, _, err := RuleFacts().Facts(context.Background(), nil, chat[1:])
	var have []string
	for _, f := range ShortAnswers(chat[:1], chat[1:], facts) {
		have = append(have, f.Text)
	}
	if want := []string{"Northgate", "is your boss scary", "I bought a kayak yesterday"}; err != nil || !slices.Equal(have, want) {
		t.Errorf("have %q (%v), want %q", have, err, want)
	}
}

// The question that a fact may answer is the last turn of another speaker, over at most two of one's own.
func TestAsked(t *testing.T) {
	turn := func(name, text string) schema.Turn { return schema.Turn{Role: "user", Name: name, Text: text} }
	for _, c := range []struct {
		before, said []schema.Turn
		want         string
	}{
		{nil, []schema.Turn{turn("a", "你在哪上班？"), turn("b", "华为")}, "你在哪上班？"},
		{[]schema.Turn{turn("a", "你在哪上班")}, []schema.Turn{turn("b", "哈哈"), turn("b", "华为")}, "你在哪上班"},
		{nil, []schema.Turn{turn("a", "我在华为"), turn("b", "我也在华为上班")}, ""},
		{nil, []schema.Turn{turn("a", "Where do you work?"), turn("b", "Acme")}, "Where do you work?"},
		{nil, []schema.Turn{turn("a", "I work at Acme."), turn("b", "nice")}, ""},
		{nil, []schema.Turn{turn("b", "华为")}, ""},
		{nil, []schema.Turn{turn("a", "my aunt called"), turn("b", "she asked for money")}, "my aunt called"},
		{nil, []schema.Turn{turn("a", "my aunt called"), turn("b", "my nan too. she asked for money")}, ""},
	} {
		last := c.said[len(c.said)-1].Text
		if have := Asked(c.before, c.said, Fact{Text: strings.TrimSpace(last[strings.LastIndex(last, ". ")+1:]), Turns: []int{len(c.said) - 1}}); have != c.want {
			t.Errorf("%v: have %q, want %q", c.said, have, c.want)
		}
	}
}

var turns = []schema.Turn{{Role: "user", Name: "Me", Text: "我喜欢喝红茶。"}, {Role: "assistant", Text: "推荐你试试祁门红茶。"}, {Role: "tool", Text: "{}"}}

func TestModelFactsProvenance(t *testing.T) {
	for answer, want := range map[string][]Fact{
		`{"facts":[{"text":"[User] 喜欢红茶","turns":[1]}]}`:      {{Text: "喜欢红茶", Role: "user", Turns: []int{0}}},
		`{"facts":[{"text":"[Agent] 推荐祁门红茶","turns":[9,1]}]}`: {{Text: "推荐祁门红茶", Role: "assistant", Turns: []int{1}}}, // wrong turns: by shared terms
		`{"facts":["祁门红茶"]}`:                                  {{Text: "祁门红茶", Role: "assistant", Turns: []int{1}}},
		`{"facts":[]}`:                                        nil,
	} {
		have, _, err := ModelFacts(llmtest.NewScript(answer), llm.Prompts{}).Facts(context.Background(), nil, turns)
		if err != nil || !slices.EqualFunc(have, want, func(a, b Fact) bool {
			return a.Text == b.Text && a.Role == b.Role && slices.Equal(a.Turns, b.Turns)
		}) {
			t.Errorf("%s: have %v (%v), want %v", answer, have, err, want)
		}
	}
	script := llmtest.NewScript(`{"facts":["about zebras only"]}`, `{"fact":[]}`)
	_, usage, err := ModelFacts(script, llm.Prompts{}).Facts(context.Background(), nil, turns)
	var typed *llm.Error
	if !errors.As(err, &typed) || typed.Purpose != "facts" || usage.Calls != 2 {
		t.Errorf("have %v after %d calls, want a typed failure after 2", err, usage.Calls)
	}
	if r := script.Requests(); len(r) != 2 || len(r[1].Prompt) <= len(r[0].Prompt) {
		t.Error("the second request does not say what was wrong with the first answer")
	}
}

// Whatever a model says, facts point at real turns and verdicts at known ids.
func FuzzModelAnswers(f *testing.F) {
	for _, s := range llmtest.RealAnswers() {
		f.Add(s)
	}
	f.Add(`{"facts":[{"text":"[User] 喜欢红茶","turns":[1,-3]}],"memory":[{"id":"0","text":"x","event":"UPDATE"},{"id":1}]}`)
	f.Add("```{```")
	known := []Known{{ID: "p", Text: "喜欢绿茶", Role: "user"}}
	f.Fuzz(func(t *testing.T, answer string) {
		g := llmtest.Func(func(llm.Request) (string, error) { return answer, nil })
		facts, _, err := ModelFacts(g, llm.Prompts{}).Facts(context.Background(), nil, turns)
		if err == nil {
			for _, x := range facts {
				if len(x.Turns) == 0 || x.Turns[0] < 0 || x.Turns[len(x.Turns)-1] >= len(turns) || x.Text == "" {
					t.Fatalf("%+v", x)
				}
			}
		}
		verdicts, _, err := ModelJudge(g, llm.Prompts{}).Judge(context.Background(), []Fact{{Text: "喜欢红茶", Role: "user", Turns: []int{0}}}, known)
		if err == nil {
			for _, v := range verdicts {
				if v.Relation != New && v.Target != "p" || v.Fact >= 1 {
					t.Fatalf("%+v", v)
				}
			}
		}
	})
}
