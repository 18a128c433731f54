package sentence

import (
	"slices"
	"strings"
	"testing"
)

func TestFacts(t *testing.T) {
	for _, c := range []struct {
		lines []Line
		want  []Fact
	}{
		{[]Line{{"u", "你好呀。我叫小满，今年二十七岁。你呢？", false}}, []Fact{{"我叫小满，今年二十七岁。", []int{0}}}},
		{[]Line{{"u", "我希望你以后叫我 Noor", false}, {"a", "好的，没问题！", false}}, []Fact{{"我希望你以后叫我 Noor", []int{0}}}},
		{[]Line{{"a", "周末的时候，", false}, {"a", "我一般去河边钓鱼。", false}, {"u", "真的吗", false}}, []Fact{{"周末的时候，我一般去河边钓鱼。", []int{0, 1}}}},
		{[]Line{{"u", "周末的时候，", false}, {"a", "我一般去河边钓鱼。", false}}, []Fact{{"周末的时候，", []int{0}}, {"我一般去河边钓鱼。", []int{1}}}},
		{[]Line{{"u", "Hey Ana! Good to see you! I'm a nurse. What about you?", false}}, []Fact{{"I'm a nurse.", []int{0}}}},
		{[]Line{{"u", "Thanks, Ana! That's really cool.", false}, {"a", "Yeah, sure.", false}}, nil},
		{[]Line{{"u", "my sister is called", false}, {"u", "Marta and she paints. Bye!", false}}, []Fact{{"my sister is called", []int{0}}, {"Marta and she paints.", []int{1}}}},
		{[]Line{{"u", "I keep the red mug", false}, {"u", "for guests only.", false}}, []Fact{{"I keep the red mug for guests only.", []int{0, 1}}}},
		{[]Line{{"u", "I live in Leeds", false}, {"u", "my sister Ada lives in York", false}}, []Fact{{"I live in Leeds", []int{0}}, {"my sister Ada lives in York", []int{1}}}},
		{[]Line{{"u", "I work at Bosch", false}, {"u", "since May", false}, {"u", "my girlfriend Mia paints", false}}, []Fact{{"I work at Bosch since May", []int{0, 1}}, {"my girlfriend Mia paints", []int{2}}}},
		{[]Line{{"u", "I moved to the", false}, {"u", "old town", false}}, []Fact{{"I moved to the old town", []int{0, 1}}}},
		{[]Line{{"u", "https://maps.example/?q=53.8,-1.5", false}, {"u", "I bought shoes at https://shop.example/x?y! Nice", false}}, []Fact{{"I bought shoes at https://shop.example/x?y!", []int{1}}}},
		{[]Line{{"u", "", false}, {"u", "……", false}, {"u", "嗯嗯", false}}, nil},
		{[]Line{{"u", "网关的超时改成 30 秒。", false}}, []Fact{{"网关的超时改成 30 秒。", []int{0}}}},
	} {
		got := Facts(c.lines, func(string) bool { return false })
		if !slices.EqualFunc(got, c.want, func(a, b Fact) bool { return a.Text == b.Text && slices.Equal(a.Lines, b.Lines) }) {
			t.Errorf("%+v:\n have %v\n want %v", c.lines, got, c.want)
		}
	}
}

// Every fact stands verbatim in its lines, and lines of two speakers never mix.
func FuzzFacts(f *testing.F) {
	f.Add("我喜欢茶，\n因为它很香。\nI like v1.2 a lot\nbecause it works", uint8(0b0011))
	f.Fuzz(func(t *testing.T, text string, who uint8) {
		var lines []Line
		for i, s := range strings.Split(text, "\n") {
			lines = append(lines, Line{Speaker: string('a' + rune(who>>(i%8)&1)), Text: s})
		}
		flat := func(s string) string { return strings.Join(strings.Fields(s), "") }
		for _, fact := range Facts(lines, func(q string) bool { return len(q)%2 == 0 }) {
			joined := ""
			for k, i := range fact.Lines {
				if i < 0 || i >= len(lines) || k > 0 && i != fact.Lines[k-1]+1 || lines[i].Speaker != lines[fact.Lines[0]].Speaker {
					t.Fatalf("bad lines %v", fact.Lines)
				}
				joined += lines[i].Text
			}
			if len(fact.Lines) == 0 || !strings.Contains(flat(joined), flat(fact.Text)) {
				t.Fatalf("%q is not in %q", fact.Text, joined)
			}
		}
	})
}
