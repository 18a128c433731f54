package annotate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"membench/llm"
	"membench/llm/llmtest"
	"membench/schema"
)

func dialogue() Source {
	s := Source{ConvID: "c"}
	for i, text := range []string{"嗯", "I love hiking.", "We went out yesterday.", "(click)", "I planted this.", "thanks!"} {
		u := Utterance{Role: schema.RoleHuman, Text: text, First: i + 1, Last: i + 1}
		switch i {
		case 3:
			u.Role = schema.RoleUI
		case 4:
			u.Marker, u.MarkerID = markInject, "i_c_001"
		}
		s.Turns = append(s.Turns, u)
	}
	return s
}

// tagsOf writes each event's tag by its first letter, upper case where the model chose it.
func tagsOf(t *testing.T, tagger Tagger, src Source) (string, []*schema.Finding, error) {
	t.Helper()
	var fs []*schema.Finding
	var b strings.Builder
	for r, err := range Annotate(t.Context(), src, Options{Tagger: tagger, Report: func(f *schema.Finding) { fs = append(fs, f) }}) {
		if err != nil {
			return b.String(), fs, err
		}
		c := r.V.Tags[0][:1]
		if r.V.Meta.Text("by") == "scripted" {
			c = strings.ToUpper(c)
		}
		b.WriteString(c)
	}
	return b.String(), fs, nil
}

func TestModelTagger(t *testing.T) {
	const good = `{"1":"episodic","2":"episodic","3":"canon_only","6":"episodic"}`
	for name, tc := range map[string]struct {
		answers []string
		want    string // lines 4 and 5 are never asked for
		calls   int
		fault   string
	}{
		"good":                {[]string{good}, "EECfiE", 1, ""},
		"fenced":              {[]string{"```json\n" + good + "\n```"}, "EECfiE", 1, ""},
		"prose around it":     {[]string{"Sure! Here {are} the tags:\n" + good + "\nHope this helps {1}."}, "EECfiE", 1, ""},
		"objects, one a line": {[]string{"{\"id\":1,\"tag\":\"episodic\"}\n{\"id\":2,\"tag\":\"episodic\"}\n{\"id\":\"3\",\"tag\":\"canon_only\"}\n{\"id\":6,\"tag\":\"episodic\"}"}, "EECfiE", 1, ""},
		"an array":            {[]string{`[{"line":1,"tag":"episodic"},{"line":2,"tag":"episodic"},{"line":3,"tag":"canon_only"},{"line":6,"tag":"episodic"}]`}, "EECfiE", 1, ""},
		"inside tags":         {[]string{`{"tags":` + good + `}`}, "EECfiE", 1, ""},
		"lines":               {[]string{"1: episodic\n[2] - episodic\n3. canon_only\n6 = episodic"}, "EECfiE", 1, ""},
		"an extra line":       {[]string{`{"1":"episodic","2":"episodic","3":"canon_only","4":"canon_only","99":"filler","6":"episodic"}`}, "EECfiE", 1, ""},
		"missing, then good":  {[]string{`{"1":"filler","2":"filler"}`, good}, "EECfiE", 2, ""},
		"missing twice":       {[]string{`{"1":"episodic"}`, `{"2":"episodic"}`}, "EEefif", 2, "no tag for line 1, 3, 6"},
		"unknown tag":         {[]string{`{"1":"mood","2":"inject","3":"canon_only","6":"episodic"}`, `{"1":"probe","2":"episodic"}`}, "fECfiE", 2, "unknown tag"},
		"two tags for one":    {[]string{`{"id":1,"tag":"filler"}{"id":1,"tag":"episodic"}{"id":2,"tag":"episodic"}{"id":3,"tag":"canon_only"}{"id":6,"tag":"episodic"}`, "?"}, "fECfiE", 2, "no tag for line 1"},
		"cut off, then good":  {[]string{`{"1":"episodic","2":"episo`, good}, "EECfiE", 2, ""},
		"prose only":          {[]string{"I cannot do that.", "Sorry."}, "fcefif", 2, "no tag for line 1, 2, 3, 6"},
		"no answer":           {nil, "fcefif", 1, "the script has no answer left"},
	} {
		t.Run(name, func(t *testing.T) {
			g := llmtest.NewScript(tc.answers...)
			got, fs, err := tagsOf(t, Model(g, llm.Prompts{}), dialogue())
			if err != nil {
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("have %s, want %s", got, tc.want)
			}
			reqs := g.Requests()
			if len(reqs) != tc.calls {
				t.Errorf("have %d calls, want %d", len(reqs), tc.calls)
			}
			if tc.calls == 2 && !strings.Contains(reqs[1].Prompt, "could not be used") {
				t.Error("the second prompt does not say what was wrong")
			}
			told := ""
			for _, f := range fs {
				if f.Code == codeModelAnswer {
					told = f.Message
				}
			}
			if (told == "") != (tc.fault == "") || !strings.Contains(told, tc.fault) {
				t.Errorf("told %q, want %q", told, tc.fault)
			}
			for _, hidden := range []string{"[4]", "[5]"} {
				if strings.Contains(reqs[0].Prompt, hidden) {
					t.Errorf("line %s was put to the model's choice", hidden)
				}
			}
		})
	}
}

func TestModelTaggerTruncated(t *testing.T) {
	g := llmtest.NewScript().Then(llmtest.Answer{Text: `{"1":"episodic","2":"epis`, Truncated: true}, llmtest.Answer{Text: `{"2":"episodic","3":"episodic","6":"filler"}`})
	if got, _, err := tagsOf(t, Model(g, llm.Prompts{}), dialogue()); got != "EEEfiF" || err != nil {
		t.Errorf("have %s %v, want the first answer's line kept", got, err)
	}
}

// failing is a generator whose calls all fail in one way.
type failing struct{ kind llm.Kind }

func (failing) Model() string { return "scripted" }
func (f failing) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Purpose: "tag", Kind: f.kind, Err: errors.New("refused")}
}

func TestModelTaggerFailing(t *testing.T) {
	if got, fs, err := tagsOf(t, Model(failing{llm.KindServer}, llm.Prompts{}), dialogue()); err != nil || got != "fcefif" || len(fs) == 0 {
		t.Errorf("have %s %v %v, want the rule's tags and a warning", got, fs, err)
	}
	if got, _, err := tagsOf(t, Model(failing{llm.KindKey}, llm.Prompts{}), dialogue()); err == nil || got != "" {
		t.Errorf("a refused key: have %s %v, want an error", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range Annotate(ctx, dialogue(), Options{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("have %v, want the context's error", err)
		}
	}
}

func TestModelTaggerWindows(t *testing.T) {
	s := Source{ConvID: "c"}
	for i := range 2*windowSize + 3 {
		s.Turns = append(s.Turns, Utterance{Role: schema.RoleHuman, Text: fmt.Sprintf("what happened at %d", i), First: i + 1, Last: i + 1})
	}
	var prompts []string
	g := llmtest.Func(func(r llm.Request) (string, error) {
		prompts = append(prompts, r.Prompt)
		var b strings.Builder
		for _, l := range strings.Split(r.Prompt, "\n") {
			if id, _, ok := strings.Cut(strings.TrimPrefix(l, "["), "]"); ok && strings.HasPrefix(l, "[") {
				fmt.Fprintf(&b, "%s: filler\n", id)
			}
		}
		return b.String(), nil
	})
	got, _, err := tagsOf(t, Model(g, llm.Prompts{}), s)
	if err != nil || got != strings.Repeat("F", 2*windowSize+3) || len(prompts) != 3 {
		t.Errorf("have %s in %d prompts, %v", got, len(prompts), err)
	}
	if !strings.HasPrefix(prompts[2], "Before:\nuser: what happened at 77\n") {
		t.Errorf("the last window starts %.60q, want three lines of context", prompts[2])
	}
}

func TestFingerprints(t *testing.T) {
	if a, b := Rule().Fingerprint(), Model(llmtest.NewScript(), llm.Prompts{}).Fingerprint(); a == b || !strings.Contains(b, "scripted") || !strings.Contains(b, Prompt(llm.Prompts{}).SHA256()) {
		t.Errorf("have %s and %s", a, b)
	}
}

func FuzzReadTags(f *testing.F) {
	for _, s := range llmtest.RealAnswers() {
		f.Add(s)
	}
	f.Add(`{"1":"episodic","2":"fil`)
	f.Add("```\n{\"tags\":{\"1\":\"x\"}}\n2: filler {{{\"\\")
	f.Fuzz(func(t *testing.T, answer string) {
		got, faults := readTags(answer, []int{1, 2, 7})
		if len(got) < 3 && len(faults) == 0 {
			t.Fatal("a missing line is no fault")
		}
		for id, tag := range got {
			if id != 1 && id != 2 && id != 7 || tag != "canon_only" && tag != "episodic" && tag != "filler" {
				t.Fatalf("%d: %s", id, tag)
			}
		}
	})
}
