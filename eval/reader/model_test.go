package reader_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"membench/eval/reader"
	"membench/llm"
	"membench/llm/llmtest"
	"membench/schema"
)

func TestModel(t *testing.T) {
	var asked llm.Request
	reply := "Bergen"
	g := llmtest.Func(func(r llm.Request) (string, error) { asked = r; return reply, nil })
	read := func(o reader.ModelOptions, q schema.Question) reader.Answer {
		t.Helper()
		r, err := reader.Model(g, llm.Prompts{}, o)
		if err != nil {
			t.Fatal(err)
		}
		a, err := r.Read(context.Background(), reader.Input{Question: q, Speakers: lin, Context: english, Sample: 2})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := read(reader.ModelOptions{}, schema.Question{Text: "Where does the sister live?", AsOf: "2024-07-01", Answer: "the gold", Evidence: []schema.EventRef{{ConvID: "c", TurnID: 1}}})
	if a.Text != "Bergen" || a.By != "scripted" || len(a.Prompt) != 64 || a.Cut != 0 {
		t.Errorf("have %+v", a)
	}
	if asked.Purpose != llm.PurposeRead || asked.Sample != 2 || asked.Temperature != 0 || asked.MaxTokens == 0 {
		t.Errorf("asked %+v", asked)
	}
	for _, want := range []string{english, "ASKED ON\n2024-07-01", "QUESTION\nWhere does the sister live?", "Lin, Mo"} {
		if !strings.Contains(asked.Prompt, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, asked.Prompt)
		}
	}
	if strings.Contains(asked.Prompt+asked.System, "the gold") {
		t.Error("the model was shown the gold")
	}

	choices := schema.Question{Text: "Which?", Choices: []string{"violin", "cello", "drums"}}
	for in, want := range map[string]string{
		"B": "cello", "b)": "b)", "(B)": "cello", "B. cello": "cello", "A, C": "violin; drums", "A and C": "violin; drums", "D": "D", "I think the cello": "I think the cello", "Answer: B": "cello", "B: cello, A is out": "cello",
	} {
		reply = in
		if a := read(reader.ModelOptions{}, choices); a.Text != want {
			t.Errorf("reply %q: have %q, want %q", in, a.Text, want)
		}
	}
	if !strings.Contains(asked.Prompt, "CHOICES\nA. violin\nB. cello") {
		t.Errorf("choices are not shown:\n%s", asked.Prompt)
	}

	reply = "NOTES\n[2] the sister: Bergen\n**Answer:** Bergen, Norway"
	if a := read(reader.ModelOptions{Prompt: reader.PromptNotes}, schema.Question{Text: "Where?"}); a.Text != "Bergen, Norway" {
		t.Errorf("notes: have %q", a.Text)
	}
	reply = "<think>hm\nAnswer: no</think>\n答案：卑尔根"
	if a := read(reader.ModelOptions{}, schema.Question{Text: "Where?"}); a.Text != "卑尔根" {
		t.Errorf("thinking: have %q", a.Text)
	}

	a = read(reader.ModelOptions{Context: 40}, schema.Question{Text: "Where?"})
	if shown := english[:len(english)-a.Cut]; a.Cut == 0 || !strings.Contains(asked.Prompt, shown) || strings.Contains(asked.Prompt, "cello") {
		t.Errorf("cut %d bytes; shown:\n%s", a.Cut, asked.Prompt)
	}
}

func TestModelFails(t *testing.T) {
	g := failing{llmtest.Func(nil), &llm.Error{Purpose: llm.PurposeRead, Kind: llm.KindFiltered, Err: errors.New("no")}}
	r, err := reader.Model(g, llm.Prompts{}, reader.ModelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.Read(context.Background(), reader.Input{Question: schema.Question{Text: "Where does Mo's sister live?"}, Context: english})
	if llm.KindOf(err) != llm.KindFiltered || a.Text != "" {
		t.Errorf("have %q, %v: want the failure and no answer", a.Text, err)
	}
	if _, err := reader.Model(nil, llm.Prompts{}, reader.ModelOptions{Prompt: "cot"}); err == nil || !strings.Contains(err.Error(), reader.PromptNotes) {
		t.Errorf("an unknown prompt: have %v, want the names", err)
	}
}

func TestFingerprint(t *testing.T) {
	seen := map[string]string{}
	zh, err := llm.OpenPrompts(nil, "zh", reader.PromptNames())
	if err != nil {
		t.Fatal(err)
	}
	g := llmtest.Func(nil)
	for name, make := range map[string]func() (reader.Reader, error){
		"rule":   func() (reader.Reader, error) { return reader.Rule(), nil },
		"answer": func() (reader.Reader, error) { return reader.Model(g, llm.Prompts{}, reader.ModelOptions{}) },
		"notes": func() (reader.Reader, error) {
			return reader.Model(g, llm.Prompts{}, reader.ModelOptions{Prompt: reader.PromptNotes})
		},
		"zh": func() (reader.Reader, error) { return reader.Model(g, zh, reader.ModelOptions{}) },
		"cut": func() (reader.Reader, error) {
			return reader.Model(g, llm.Prompts{}, reader.ModelOptions{Context: 99})
		},
	} {
		r, err := make()
		if err != nil {
			t.Fatal(err)
		}
		if f := r.Fingerprint(); f == "" || seen[f] != "" {
			t.Errorf("%s and %s have the fingerprint %q", name, seen[f], f)
		} else {
			seen[f] = name
		}
	}
}

type failing struct {
	llmtest.Func
	err error
}

func (f failing) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, f.err
}

// TestCutAnswers: an answer that was cut off is marked; one that was cut off before it
// began is asked for with a higher limit; no answer is a failure, never an empty one.
func TestCutAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		answers []llmtest.Answer
		prompt  string
		text    string
		ended   llm.Outcome
		asked   int
		kind    llm.Kind
	}{
		"in the middle":     {[]llmtest.Answer{{Text: "In Bergen, where the", Truncated: true}}, "", "In Bergen, where the", llm.CutOff, 1, ""},
		"in its thoughts":   {[]llmtest.Answer{{Text: "", Truncated: true}, {Text: "Bergen"}}, "", "Bergen", llm.Complete, 2, ""},
		"thoughts for ever": {[]llmtest.Answer{{Text: "", Truncated: true}, {Text: "", Truncated: true}}, "", "", llm.CutOff, 2, llm.KindCutOff},
		"in its notes":      {[]llmtest.Answer{{Text: "1: nothing of it", Truncated: true}, {Text: "1: Bergen\nAnswer: Bergen"}}, reader.PromptNotes, "Bergen", llm.Complete, 2, ""},
		"reasoning only":    {[]llmtest.Answer{{Text: "<think>hm</think>"}}, "", "", llm.Complete, 1, llm.KindEmpty},
	} {
		s := llmtest.NewScript().Then(tc.answers...)
		r, err := reader.Model(s, llm.Prompts{}, reader.ModelOptions{Prompt: tc.prompt})
		if err != nil {
			t.Fatal(err)
		}
		a, err := r.Read(t.Context(), reader.Input{Question: schema.Question{Text: "Where?"}, Context: english})
		if a.Text != tc.text || a.Ended != tc.ended || llm.KindOf(err) != tc.kind || len(s.Requests()) != tc.asked || a.Usage.Calls != tc.asked {
			t.Errorf("%s: have %q, %s, %v after %d questions", name, a.Text, a.Ended, err, len(s.Requests()))
		}
	}
}
