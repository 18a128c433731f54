package reader_test

import (
	"context"
	"strings"
	"testing"

	"membench/eval/reader"
	"membench/schema"
)

// Invented chats as a memory shows them; 2024-03-15 was a Friday.
const (
	chatEN = `[1] 2024-03-15T09:00:00 Lin: the boiler broke again. btw I finally got the keys, moving to Porto on the 23rd
[2] 2024-03-15T09:05:00 Mo: Rosa is driving the van, not me
[3] 2024-04-02T20:00:00 Lin: ran the harbour race this morning. 1:47! Gus slept through it
[4] 2024-04-20T20:03:00 Mo: granny was on form. she's given me her old accordion
[5] 2024-05-06T08:00:00 Lin: this is Gus. picked him up from the shelter on Saturday
[6] 2024-05-07T08:00:00 Mo: I might visit Oslo in June, if the boss allows it
[7] 2024-05-09T08:00:00 Lin: I didn't pass the sailing exam
[8] 2024-05-10T08:00:00 Mo: PASSED the sailing exam!`
	chatZH = `[1] 2024-03-15T09:00:00 林小满: 我下周去看房，四月六号搬去大理
[2] 2024-03-16T09:00:00 马跃: 我前天辞职了，表哥搬去北海了
[3] 2024-03-17T09:00:00 马跃: 我太爱吃酸汤鱼了`
)

func TestClauses(t *testing.T) {
	for _, c := range []struct {
		context, question string
		want              string // how the answer begins; "" refuses
	}{
		{chatEN, "When did Lin move to Porto?", "23 March 2024: "}, // not when the boiler broke, nor when it was said
		{chatEN, "When did Lin get Gus?", "4 May 2024: "},
		{chatEN, "Who drove the van?", "Rosa: "},
		{chatEN, "Who gave Mo the accordion?", "Mo's grandmother: "},
		{chatEN, "How fast did Lin run the harbour race?", "1:47: "},
		{chatEN, "When did Mo visit Oslo?", ""},              // it may never have been
		{chatEN, "When did Lin pass the sailing exam?", ""},  // she did not; he did
		{chatEN, "When did Rosa pass the sailing exam?", ""}, // another person
		{chatEN, "Where did Rosa move to?", ""},
		{chatEN, "What did Mo sell?", ""},
		{chatZH, "林小满什么时候搬到大理？", "2024年4月6日："},
		{chatZH, "马跃什么时候辞的职？", "2024年3月14日："},
		{chatZH, "马跃现在住在哪里？", ""}, // the cousin moved
		{chatZH, "谁爱吃酸汤鱼？", "马跃："},
	} {
		speakers := lin
		if c.context == chatZH {
			speakers = []string{"林小满", "马跃"}
		}
		in := reader.Input{Context: c.context, Question: schema.Question{Text: c.question}, Speakers: speakers, Before: []string{"", "", "", "", "", "", "", ""}}
		a, err := reader.Clauses().Read(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if refused := a.Text == reader.Refusal || a.Text == reader.RefusalZH; refused != (c.want == "") || !refused && !strings.HasPrefix(a.Text, c.want) {
			t.Errorf("%s\n have %s\n want %s", c.question, a.Text, c.want)
		}
	}
}

// TestClausesBefore resolves what a turn leaves out from the turns before it.
func TestClausesBefore(t *testing.T) {
	in := reader.Input{Speakers: lin, Context: "[1] 2024-05-07T08:00:00 Mo: no she's allergic to kiwi. badly\n[2] 2024-05-08T08:00:00 Lin: they operated friday night, he's home",
		Before: []string{"Lin: is Rosa ok with fruit salad\n", "Lin: Gus swallowed a sock\n"}}
	for question, want := range map[string]string{
		"What is Rosa allergic to?":       "kiwi: ",
		"When did Gus have an operation?": "3 May 2024: ",
		"What is Mo allergic to?":         reader.Refusal,
	} {
		in.Question = schema.Question{Text: question}
		if a, err := reader.Clauses().Read(context.Background(), in); err != nil || !strings.HasPrefix(a.Text, want) {
			t.Errorf("%s\n have %s, %v\n want %s", question, a.Text, err, want)
		}
	}
}

// TestNotAnswers refuses where a sentence only has the words of the question.
func TestNotAnswers(t *testing.T) {
	for question, context := range map[string]string{
		"What is the name of Lin's dog?":  "[1] 2024-05-07T08:00:00 Lin: I'm allergic to dogs",
		"Does Lin have a dog?":            "[1] 2024-05-07T08:00:00 Lin: I'm allergic to dogs",
		"What does Rosa do for a living?": "[1] 2024-05-07T08:00:00 Lin: Rosa says I should do more for my living room",
		"What is the name of Rosa's dog?": "[1] 2024-05-07T08:00:00 Lin: the name on the dog tag was Gus",
		"When did Lin sell the boat?":     "[1] 2024-05-07T08:00:00 Lin: we saw the boat race in April",
	} {
		a, err := reader.Cautious().Read(t.Context(), reader.Input{Speakers: lin, Context: context, Question: schema.Question{Text: question}})
		if err != nil || a.Text != reader.Refusal {
			t.Errorf("%s: have %q, %v; want a refusal", question, a.Text, err)
		}
	}
}

// TestOrderOfEvents orders what happened by the days that are meant, not by those of speaking.
func TestOrderOfEvents(t *testing.T) {
	in := reader.Input{Speakers: lin, Before: []string{"", "", ""}, Context: `[1] 2024-03-01T09:00:00 Lin: I start my new job on 20 April
[2] 2024-03-20T09:00:00 Mo: sold the caravan yesterday
[3] 2024-03-25T09:00:00 Lin: I plan to climb the Eiger`}
	for question, want := range map[string]string{
		"Did Lin start her job before or after Mo sold the caravan?":           "After: ",
		"Did Lin start her job before Mo sold the caravan?":                    "No: ",
		"What happened first, Lin starting her job or Mo selling the caravan?": "Mo selling the caravan (19 March 2024)",
		"Did Lin climb the Eiger before Mo sold the caravan?":                  reader.Refusal,
	} {
		in.Question = schema.Question{Text: question}
		if a, err := reader.Clauses().Read(context.Background(), in); err != nil || !strings.HasPrefix(a.Text, want) {
			t.Errorf("%s\n have %s, %v\n want %s", question, a.Text, err, want)
		}
	}
}
