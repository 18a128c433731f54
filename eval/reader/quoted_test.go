package reader

import (
	"context"
	"testing"

	"membench/schema"
)

// What a question puts in quotation marks is looked for word by word.
func TestQuoted(t *testing.T) {
	const en = "[1] 2026-01-05T09:00:00Z Nora: We met late. Rowing across the fjord clears my head.\n[2] 2026-01-19T09:00:00Z hobot: I like mending nets.\n[3] 2026-02-20T09:00:00Z Nora: Rowing across the fjord again, and mending nets with hobot.\n"
	const zh = "[1] 2026-03-01T09:00:00Z 小满: 我喜欢清明前的雨，屋檐下能坐一下午。\n[2] 2026-03-20T09:00:00Z 小满: 我不喜欢清明前的雨了。\n"
	for _, c := range []struct {
		context, question string
		choices           []string
		want              string
	}{
		{en, "On 19 January 2026, hobot said: “I like ____.” What stands in the gap?", nil, "mending nets"},
		{en, "Which words are missing from what Nora said: “____ clears my head.”?", nil, "Rowing across the fjord"},
		{en, "hobot said: “I like ____.” On which date did Nora mention what stands in the gap?", nil, "20 February 2026"},
		{en, "On which date did hobot mention “mending nets”?", nil, "19 January 2026"},
		{en, "List every date on which Nora spoke of “rowing across the fjord”.", nil, "5 January 2026, 20 February 2026"},
		{en, "In how many conversations did Nora mention “rowing across the fjord”?", nil, "2"},
		{en, "In how many turns did Nora say “mending nets”?", nil, "1"},
		{en, "Which came up first in what Nora said: “mending nets” or “rowing across the fjord”?", []string{"mending nets", "rowing across the fjord"}, "rowing across the fjord"},
		{en, "How many days lie between the day Nora mentioned “rowing across the fjord” and the day Nora mentioned “mending nets”?", nil, "46 days"},
		{zh, "小满在哪些日期提到过“清明前的雨”？请全部列出。", nil, "2026年3月1日, 2026年3月20日"},
		{zh, "小满后来对“清明前的雨”改口了，是在哪一天？", nil, "2026年3月20日"},
		{zh, "小满在2026年3月1日和2026年3月20日对什么说了相反的话？", nil, "喜欢清明前的雨"},
		{zh, "小满说过：“我喜欢____，屋檐下能坐一下午。”空缺处是什么？", nil, "清明前的雨"},
	} {
		a, err := Rule().Read(context.Background(), Input{Question: schema.Question{Text: c.question, Choices: c.choices}, Speakers: []string{"Nora", "hobot", "小满"}, Context: c.context})
		if err != nil {
			t.Fatal(err)
		}
		if a.Text != c.want {
			t.Errorf("%s\nhave %q, want %q", c.question, a.Text, c.want)
		}
	}
}
