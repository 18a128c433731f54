package reader_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"membench/eval/reader"
	"membench/schema"
)

// TestReplied asks what was asked in the talk itself. Each line is a hit: its question of someone else, "|", the turn.
func TestReplied(t *testing.T) {
	names := []string{"Orla", "Pim", "陆遥"}
	for _, c := range []struct {
		hits     []string
		question string
		want     string // beginning; "" is a refusal
		used     int
	}{
		{[]string{"|Pim: I read there every day", "what do you study?|Pim: Was law, since spring it is botany."}, "What does Pim study?", "Was law, since spring it is botany.", 2},
		{[]string{"what do you study?|Orla: Botany and a little law."}, "What does Pim study?", "", 0},                   // another person's
		{[]string{"what does she study?|Pim: Botany and a little law."}, "What does Pim study?", "", 0},                  // of a third person
		{[]string{"what does your sister study?|Pim: Botany and a little law."}, "What does Pim study?", "", 0},          // of a relative
		{[]string{"what do you study on the train in winter?|Pim: Crosswords and maps."}, "What does Pim study?", "", 0}, // something else
		{[]string{"what do you study?|Pim: no idea yet, something"}, "What does Pim study?", "", 0},                      // no answer
		{[]string{"how are your hens?|Orla: fine, and we got another one, Tilda"}, "What are the names of Orla's hens?", "", 0},
		{[]string{"I love turtles. so what's been happening with you?|Orla: a project, challenging"}, "What does Orla love about turtles?", "", 0},
		{[]string{"what does Rex even do, is he still the vet|Orla: not anymore. bakes now"}, "Is Rex still a vet?", "No: not anymore. bakes now", 1},
		{[]string{"do you still have the kiln?|Orla: yep, in the shed"}, "Does Orla still have the kiln?", "Yes: yep, in the shed", 1},
		{[]string{"don't you have the kiln?|Orla: no"}, "Does Orla have the kiln?", "", 0}, // no to what is denied says little
		{[]string{"thought you were driving these days?|Orla: no no, sold the Fabia in May"}, "Does Orla still have a car?", "No: no no, sold the Fabia", 1},
		{[]string{"thought you were driving these days?|Orla: no no, sold the piano in May"}, "Does Orla still have a car?", "", 0}, // a piano is no car
		{[]string{"when are you off to Bari?|Orla: on 3 June, with Pim"}, "When is Orla off to Bari?", "3 June 2025", 1},
		{[]string{"你自己那个吉他课退了没|陆遥: 退了，退了一半的钱"}, "陆遥的吉他课退了吗？", "是，退了", 1},
		{[]string{"|陆遥: 周五我请假", "那周五假还请不|陆遥: 不请了，省一天"}, "陆遥周五请假吗？", "不是，不请了", 2},
		{[]string{"老家哪儿的|陆遥: 你猜，爱吃辣的地方"}, "陆遥的老家在哪里？", "", 0},
	} {
		in := reader.Input{Question: schema.Question{Text: c.question}, Speakers: names}
		var lines []string
		for i, h := range c.hits {
			asked, turn, _ := strings.Cut(h, "|")
			in.Asked = append(in.Asked, asked)
			in.Hits = append(in.Hits, schema.QAHit{Rank: i + 1, Score: 1, Text: turn, Sources: []schema.EventRef{{ConvID: "c", TurnID: 2*i + 2}}})
			lines = append(lines, fmt.Sprintf("[%d] 2025-04-02T10:%02d:00 %s", i+1, i, turn))
		}
		in.Context = strings.Join(lines, "\n")
		a, err := reader.Cautious().Read(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" {
			if a.Text != reader.Refusal && a.Text != reader.RefusalZH {
				t.Errorf("%s: got %q, want none", c.question, a.Text)
			}
			continue
		}
		if !strings.HasPrefix(a.Text, c.want) || !slices.Equal(a.Used, []int{c.used}) {
			t.Errorf("%s: got %q of %v, want %q of %d", c.question, a.Text, a.Used, c.want, c.used)
		}
	}
}

// TestDenied reads the value that a sentence affirms, the one of whom it says what is asked, and times of two words.
func TestDenied(t *testing.T) {
	for _, c := range []struct{ said, question, want string }{
		{"Orla: I'm not going to Bergen after all, I'm going to Bari in June", "Where is Orla going in June?", "Bari: "},
		{"Orla: I'm not going to Bergen, Bari or Cork in June", "Where is Orla going in June?", ""},
		{"Orla: I can do late on Monday, our Hetty's getting married", "Who is getting married?", "Hetty: "},
		{"Orla: My sister Zoë is a dentist in Cork", "Who is a dentist?", "Zoë: "},
		{"Orla: My birthday is on 4 May", "When is Orla's birthday?", "4 May"},
		{"Orla: The lease runs until March next year", "When does Orla's lease run until?", "March 2026"},
	} {
		a, err := reader.Cautious().Read(context.Background(), reader.Input{Question: schema.Question{Text: c.question}, Speakers: []string{"Orla", "Pim"}, Context: "[1] 2025-04-02T10:00:00 " + c.said,
			Hits: []schema.QAHit{{Rank: 1, Score: 1, Text: c.said}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Text; c.want == "" && got != reader.Refusal || !strings.HasPrefix(got, c.want) || c.want == "4 May" && got != c.want {
			t.Errorf("%s: got %q, want %q", c.question, got, c.want)
		}
	}
}
