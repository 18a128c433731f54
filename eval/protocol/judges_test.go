package protocol

import (
	"slices"
	"strings"
	"testing"

	"membench/llm/llmtest"
	"membench/schema"
)

func judgeOf(t *testing.T, name string) *Judge {
	t.Helper()
	ps, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return ps[0].Judge
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		protocol, reply string
		want            float64 // -1: no verdict
		label           string
	}{
		{"lme-official", "Yes.", 1, "yes"}, {"lme-official", "no", 0, "no"}, {"lme-official", "  ", -1, ""},
		{"mem0-2025", `{"label": "CORRECT"}`, 1, "CORRECT"},
		{"mem0-2025", "It is the same day.\n```json\n{\"label\": \"wrong\"}\n```", 0, "WRONG"},
		{"mem0-2025", `{"label": "CORRECT or WRONG"}`, -1, ""}, {"mem0-2025", "CORRECT", -1, ""}, {"mem0-2025", "", -1, ""},
		{"mem0-2026", `{"reasoning": "one item {of} two", "label": "CORRECT"}`, 1, "CORRECT"},
		{"zep", `{"is_correct": true, "reasoning": "same"}`, 1, "CORRECT"}, {"zep", `{"is_correct": "yes"}`, -1, ""}, {"zep", `{}`, -1, ""},
		{"domaina-answer", `{"label":"omission","reason":"vague"}`, 0, LabelOmission}, {"domaina-answer", `{"label":"maybe"}`, -1, ""},
	} {
		g, err := judgeOf(t, c.protocol).Verdict(rec("a", "g"), c.reply)
		if c.want < 0 {
			if err == nil {
				t.Errorf("%s took %q for a verdict: %+v", c.protocol, c.reply, g)
			}
			continue
		}
		if err != nil || *g.Score != c.want || g.Label != c.label {
			t.Errorf("%s of %q: have %+v, %v; want %v %s", c.protocol, c.reply, g, err, c.want, c.label)
		}
	}
}

// TestLMERouting: the id decides before the type; another data set's questions go by
// their category.
func TestLMERouting(t *testing.T) {
	for _, c := range []struct {
		id, raw, category string
		abstain           bool
		want              string
	}{
		{"q1", "multi-session", "MR", false, lmeAnswer}, {"q_abs_1", "temporal-reasoning", "TR", false, lmeAbstain}, {"q", "single-session-preference", "IE", false, lmePreference},
		{"q", "2", schema.CatTR, false, lmeTemporal}, {"q", "", schema.CatKU, false, lmeUpdate}, {"q", "5", schema.CatABS, true, lmeAbstain}, {"q", "4", schema.CatIE, false, lmeAnswer},
	} {
		r := &schema.QARecord{QuestionID: c.id, RawCategory: c.raw, Category: c.category, Abstain: c.abstain}
		if have := lmeKind(r); have != c.want {
			t.Errorf("%+v: have %s", c, have)
		}
	}
}

// TestPromptsHoldFields: every prompt has its fields once, fields are never read for
// places, and the adversarial category is left out where the protocol says so.
func TestPromptsHoldFields(t *testing.T) {
	r := rec("the {question} \x02 answer", "gold words")
	r.Question, r.Source, r.EvidenceTexts = "which {answer}?", "infbench_sum_x", []string{"a {gold} point"}
	r.Rubric = []string{r.Gold}
	for _, p := range All() {
		if p.Judge == nil || p.Name == "domaina-evidence" {
			continue
		}
		q, ok := p.Judge.Prompt(r)
		if !ok || !strings.Contains(q.User, r.Question) || !strings.Contains(q.User, r.Answer) || !strings.Contains(q.User, r.Gold) || len(q.Template) != 64 {
			t.Errorf("%s: %v %+v", p.Name, ok, q)
		}
		five := *r
		five.Abstain, five.RawCategory = true, "5"
		if _, ok := p.Judge.Prompt(&five); ok == slices.Contains([]string{"mem0-2025", "mem0-2026", "zep"}, p.Name) {
			t.Errorf("%s: category 5: graded %v", p.Name, ok)
		}
	}
}

func TestOwnCopyOfAPrompt(t *testing.T) {
	script := `# a script
URL = 'http://x'
PROMPT = ("Is it right? \"{question}\"\n"
    'Gold: {gold_answer} '  """Said: {generated_answer}""")
`
	var pr Prompts
	if _, err := pr.Add("zep", "grade.py", []byte(script)); err != nil {
		t.Fatal(err)
	}
	ps, err := Pick(WithPrompts(&pr), "zep")
	if err != nil {
		t.Fatal(err)
	}
	r := rec("A", "G")
	r.Question = "Q"
	q, _ := ps[0].Judge.Prompt(r)
	if want := "Is it right? \"Q\"\nGold: G Said: A"; q.User != want {
		t.Errorf("have %q, want %q", q.User, want)
	}
	if pr.Original("zep", "").Known() {
		t.Error("an invented prompt passes for a published one")
	}
	for name, text := range map[string]string{"none.txt": "no fields", "two.py": `a = "{question} {gold} {answer}"
b = "{question} {gold} {response}"`} {
		if _, err := pr.Add("mem0-2025", name, []byte(text)); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if _, err := pr.Add("em", "x.txt", nil); err == nil {
		t.Error("a rule took a prompt")
	}
}

func FuzzReplies(f *testing.F) {
	f.Add(`{"label":"CORRECT"}`)
	f.Add("```json\n{\"covered\":[1]}```")
	f.Add(`{"a":"\"}{`)
	for _, a := range llmtest.RealAnswers() {
		f.Add(a)
	}
	for _, a := range llmtest.WrongAnswers() {
		f.Add(a.Answer)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		r := rec("a", "g")
		r.EvidenceTexts = []string{"one", "two"}
		for _, p := range All() {
			if p.Judge == nil {
				continue
			}
			if g, err := p.Judge.Verdict(r, reply); err == nil && (g.Score == nil || *g.Score < 0 || *g.Score > 1) {
				t.Errorf("%s of %q: %+v", p.Name, reply, g)
			}
		}
		for _, j := range []string{JudgeRecall, JudgeCorrectness, JudgeUpdate, JudgeInterference} {
			task := SessionTask{Judge: j, Gold: make([]schema.MemoryPoint, 1), Items: []string{"m"}}
			if labels, _, err := task.Read(reply); err == nil && len(labels) != 1 {
				t.Errorf("%s of %q: %v", j, reply, labels)
			}
		}
		pythonTexts(reply)
	})
}

func TestSessionTwins(t *testing.T) {
	p := func(s string) schema.MemoryPoint { return schema.MemoryPoint{ID: "m", Content: s} }
	for _, c := range []struct {
		task SessionTask
		want []string
	}{
		{SessionTask{Judge: JudgeRecall, Gold: []schema.MemoryPoint{p("User prefers dark mode in the editor"), p("User has two cats")},
			Items: []string{"The user prefers the editor in dark mode", "User has three cats"}}, []string{LabelCovered, LabelMissed}},
		{SessionTask{Judge: JudgeRecall, Gold: []schema.MemoryPoint{p("用户喜欢乌龙茶"), p("用户住在上海")}, Items: []string{"用户最喜欢的茶是乌龙茶", "用户不住在上海"}}, []string{LabelCovered, LabelMissed}},
		{SessionTask{Judge: JudgeUpdate, Gold: []schema.MemoryPoint{p("Lin works at a bakery in Oslo")}, Originals: []string{"Lin works at a bank in Bergen"},
			Items: []string{"Lin works at a bakery in Oslo now"}}, []string{LabelUpdated}},
		{SessionTask{Judge: JudgeUpdate, Gold: []schema.MemoryPoint{p("Lin works at a bakery in Oslo")}, Originals: []string{"Lin works at a bank in Bergen"},
			Items: []string{"Lin works at a bank in Bergen", "Lin works at a bakery in Oslo"}}, []string{LabelBoth}},
		{SessionTask{Judge: JudgeUpdate, Gold: []schema.MemoryPoint{p("Lin works at a bakery in Oslo")}, Originals: []string{"Lin works at a bank in Bergen"},
			Items: []string{"Lin works at a bank in Bergen"}}, []string{LabelOutdated}},
		{SessionTask{Judge: JudgeUpdate, Gold: []schema.MemoryPoint{p("Lin works at a bakery")}}, []string{LabelOutdated}},
		{SessionTask{Judge: JudgeInterference, Gold: []schema.MemoryPoint{p("The neighbour bought a red bicycle")}, Items: []string{"User has two cats"}}, []string{LabelRejected}},
		{SessionTask{Judge: JudgeInterference, Gold: []schema.MemoryPoint{p("The neighbour bought a red bicycle")}, Items: []string{"Neighbour bought a red bicycle"}}, []string{LabelMemorized}},
		{SessionTask{Judge: JudgeCorrectness, Gold: []schema.MemoryPoint{p("User has two cats named Mo and Bo")},
			Items: []string{"User has two cats", "User has five cats", "Oslo is cold"}}, []string{LabelTrue, LabelInvented, LabelIrrelevant}},
	} {
		if have, _ := c.task.ByRule(); !slices.Equal(have, c.want) {
			t.Errorf("%s %v over %q: have %v, want %v", c.task.Judge, c.task.Gold, c.task.Items, have, c.want)
		}
	}
}

func TestAnswerTwin(t *testing.T) {
	for _, c := range []struct{ answer, gold, want string }{
		{"She drinks oolong tea every morning.", "oolong tea", LabelCorrect}, {"乌龙茶", "乌龙茶", LabelCorrect},
		{"I don't know.", "oolong tea", LabelOmission}, {"", "oolong tea", LabelOmission}, {"没有提到", "乌龙茶", LabelOmission},
		{"Green tea", "oolong tea", LabelHallucination}, {"She does not drink oolong tea", "She drinks oolong tea", LabelHallucination},
	} {
		if have := answerByRule(rec(c.answer, c.gold)); have.Label != c.want {
			t.Errorf("%q for %q: have %s, want %s", c.answer, c.gold, have.Label, c.want)
		}
	}
	r := rec("Not mentioned.", "")
	r.Abstain = true
	if have := answerByRule(r); have.Label != LabelCorrect {
		t.Errorf("a right abstention: have %s", have.Label)
	}
}

// Known says whether the template is, to the byte, an original whose hash is recorded.
func (t *Template) Known() bool {
	return slices.ContainsFunc(knownPrompts[:], func(k knownPrompt) bool { return strings.HasPrefix(t.Hash(), k.hash) })
}
