package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/internal/pystr"
	"membench/schema"
)

// Kinds of LongMemEval's prompts.
const (
	lmeAnswer     = "answer"
	lmeTemporal   = "temporal"
	lmeUpdate     = "update"
	lmePreference = "preference"
	lmeAbstain    = "abstention"
)

// judgeKinds lists the prompts that a judge's protocol has; "" is the only one.
func judgeKinds(protocol string) []string {
	switch protocol {
	case "lme-official":
		return []string{lmeAnswer, lmeTemporal, lmeUpdate, lmePreference, lmeAbstain}
	case "mem0-2025", "mem0-2026", "zep", "domaina-answer":
		return []string{""}
	}
	return nil
}

func judgeNames() []string {
	return []string{"lme-official", "mem0-2025", "mem0-2026", "zep", "domaina-answer"}
}

// LMERoute names the prompt that LongMemEval asks for a question type; ok is false for
// a type that it does not know, which only matters where the question can be answered.
func LMERoute(questionType string, abstention bool) (kind string, ok bool) {
	if abstention {
		return lmeAbstain, true
	}
	switch questionType {
	case "single-session-user", "single-session-assistant", "multi-session":
		return lmeAnswer, true
	case "temporal-reasoning":
		return lmeTemporal, true
	case "knowledge-update":
		return lmeUpdate, true
	case "single-session-preference":
		return lmePreference, true
	}
	return "", false
}

// LMEAbstention reports by the id whether the question cannot be answered: it contains "_abs".
func LMEAbstention(questionID string) bool { return strings.Contains(questionID, "_abs") }

// LMELabel reads the judge's reply: right if it contains "yes".
func LMELabel(reply string) bool { return strings.Contains(pystr.Lower(reply), "yes") }

// lmeKind routes a record: by LongMemEval's own type, or by the common category.
func lmeKind(r *schema.QARecord) string {
	abstain := r.Abstain || LMEAbstention(r.QuestionID)
	if kind, ok := LMERoute(r.RawCategory, abstain); ok {
		return kind
	}
	switch r.Category {
	case schema.CatTR:
		return lmeTemporal
	case schema.CatKU, schema.CatCR:
		return lmeUpdate
	}
	return lmeAnswer
}

// lmeOfficial is LongMemEval's judge.
func lmeOfficial(pr *Prompts) *Protocol {
	return &Protocol{
		Name: "lme-official", Version: "1", Judges: []string{"longmemeval"}, Binary: true,
		Origin:  "xiaowu0162/LongMemEval@9e0b455f src/evaluation/evaluate_qa.py (routing, fields, reading of the reply; prompts ours unless given)",
		Formula: "1 if the judge's reply holds \"yes\", else 0; five prompts by question type, gpt-4o-2024-08-06, T 0, 10 tokens in the original",
		Judge: &Judge{
			Prompt: func(r *schema.QARecord) (Prompt, bool) {
				kind := lmeKind(r)
				t := pr.pick("lme-official", kind, "lme-"+kind)
				return Prompt{User: t.Render(r.Question, r.Gold, r.Answer), MaxTokens: 10, Template: t.Hash()}, true
			},
			Verdict: func(_ *schema.QARecord, reply string) (schema.Grade, error) {
				// The original takes an empty reply for a no; it is a failed call.
				if pystr.Strip(reply) == "" {
					return schema.Grade{}, fmt.Errorf("the reply is empty: want yes or no")
				}
				return labelled(LMELabel(reply), "yes", "no"), nil
			},
		},
	}
}

func labelled(right bool, yes, no string) schema.Grade {
	score, label := 0.0, no
	if right {
		score, label = 1, yes
	}
	return schema.Grade{Score: &score, Label: label, Outcome: schema.GradeScored}
}

// mem0Judge is the judge of Mem0's 2025 scripts.
func mem0Judge(pr *Prompts) *Protocol {
	return &Protocol{
		Name: "mem0-2025", Version: "1", Judges: []string{"locomo", AnySet}, Binary: true,
		Origin:  "mem0ai/mem0@b3ede5b7 evaluation/metrics/llm_judge.py (fields, reading of the reply; prompt ours unless given)",
		Formula: "1 for CORRECT, 0 for WRONG; generous: same topic, any form of the same date; LoCoMo's category 5 is excluded; gpt-4o-mini, T 0, JSON in the original",
		Judge: &Judge{
			Prompt: func(r *schema.QARecord) (Prompt, bool) {
				t := pr.pick("mem0-2025", "", "mem0-2025")
				return Prompt{User: t.Render(r.Question, r.Gold, r.Answer), JSON: true, Template: t.Hash()}, !adversarial(r)
			},
			Verdict: inObject("reasoning", correctWrong),
		},
	}
}

// adversarial reports LoCoMo's category 5, which Mem0, Zep and their successors exclude.
func adversarial(r *schema.QARecord) bool {
	return r.Abstain && r.RawCategory == "5"
}

// mem0Judge2026 is the judge of Mem0's 2026 harness. Our own prompt includes the texts of the gold evidence, if the record has them; a user's copy has no known
// place for them.
func mem0Judge2026(pr *Prompts) *Protocol {
	return &Protocol{
		Name: "mem0-2026", Version: "2", Binary: true,
		Origin:  "mem0ai/memory-benchmarks@4b61c5d (rules; prompt ours unless given, and without evidence if it is)",
		Formula: "1 for CORRECT, 0 for WRONG; one list item suffices, dates within 14 days, durations within half, same-valence emotion; gold evidence (evidence_texts) may only help to accept; LoCoMo's category 5 is excluded",
		Judge: &Judge{
			Prompt: func(r *schema.QARecord) (Prompt, bool) {
				t, gold := pr.pick("mem0-2026", "", "mem0-2026"), r.Gold
				if r.RawCategory == "3" {
					gold = LocomoGold(3, gold)
				}
				if len(r.EvidenceTexts) > 0 && !t.original {
					t = own("mem0-2026-evidence")
					gold += "\nEvidence:\n" + bulleted(r.EvidenceTexts)
				}
				system := own("mem0-2026-system")
				return Prompt{System: system.text, User: t.Render(r.Question, gold, r.Answer), JSON: true, Template: t.Hash()}, !adversarial(r)
			},
			Verdict: inObject("reasoning", correctWrong),
		},
	}
}

func correctWrong(_ *schema.QARecord, o object) (schema.Grade, error) {
	label, err := o.word("label", "CORRECT", "WRONG")
	return labelled(label == "CORRECT", "CORRECT", "WRONG"), err
}

// zepJudge is the grader of Zep's papers.
func zepJudge(pr *Prompts) *Protocol {
	return &Protocol{
		Name: "zep", Version: "1", Binary: true,
		Origin:  "getzep/zep-papers@4b7f26c (fields, reading of the reply; prompt ours unless given)",
		Formula: "1 if is_correct, else 0; generous like mem0-2025; LoCoMo's category 5 is excluded",
		Judge: &Judge{
			Prompt: func(r *schema.QARecord) (Prompt, bool) {
				t := pr.pick("zep", "", "zep")
				return Prompt{User: t.Render(r.Question, r.Gold, r.Answer), JSON: true, Template: t.Hash()}, !adversarial(r)
			},
			Verdict: inObject("reasoning", func(_ *schema.QARecord, o object) (schema.Grade, error) {
				var right bool
				if err := codec.Unmarshal(o["is_correct"], &right); err != nil {
					return schema.Grade{}, fmt.Errorf("is_correct is %s: want true or false", o["is_correct"])
				}
				return labelled(right, "CORRECT", "WRONG"), nil
			}),
		},
	}
}

// Labels of domaina-answer.
const (
	LabelCorrect       = "Correct"
	LabelHallucination = "Hallucination"
	LabelOmission      = "Omission"
)

// domainaAnswer is the answer judge of the session framework (seed 001).
func domainaAnswer(pr *Prompts) *Protocol {
	return &Protocol{
		Name: "domaina-answer", Version: "1", Judges: []string{"domain_a_v2", "halumem"}, Binary: true,
		Formula: "1 for Correct, 0 for Hallucination and Omission (the three labels of the session framework); prompt and rule twin ours",
		Rule:    answerByRule,
		Judge: &Judge{
			Prompt: func(r *schema.QARecord) (Prompt, bool) {
				t := pr.pick("domaina-answer", "", "domaina-answer")
				return Prompt{User: t.Render(r.Question, strings.Join(r.AllGolds(), " / "), r.Answer), JSON: true, Template: t.Hash()}, true
			},
			Verdict: inObject("reason", func(_ *schema.QARecord, o object) (schema.Grade, error) {
				label, err := o.word("label", LabelCorrect, LabelHallucination, LabelOmission)
				return labelled(label == LabelCorrect, label, label), err
			}),
		},
	}
}

// object is the JSON object of a judge's reply.
type object map[string]json.RawMessage

// inObject reads a verdict from the JSON object of a reply, in which reason names the member with the reason.
func inObject(reason string, read func(*schema.QARecord, object) (schema.Grade, error)) func(*schema.QARecord, string) (schema.Grade, error) {
	return func(r *schema.QARecord, reply string) (schema.Grade, error) {
		o, err := objectIn(reply)
		if err != nil {
			return schema.Grade{}, err
		}
		g, err := read(r, o)
		if err != nil {
			return schema.Grade{}, err
		}
		g.Reason = o.text(reason)
		return g, nil
	}
}

// objectIn finds the first JSON object in a reply, which may be in a code fence or
// after words.
func objectIn(reply string) (object, error) {
	b := []byte(reply)
	for i := 0; i < len(b); i++ {
		if b[i] != '{' {
			continue
		}
		var o object
		if end := codec.ObjectEnd(b, i); end > i && codec.Unmarshal(b[i:end], &o) == nil {
			return o, nil
		}
	}
	return nil, fmt.Errorf("the reply holds no JSON object")
}

func (o object) text(name string) string {
	var s string
	if codec.Unmarshal(o[name], &s) != nil {
		return ""
	}
	return s
}

// word reads a member that must be one of the labels, case and blanks aside.
func (o object) word(name string, labels ...string) (string, error) {
	s := strings.TrimSpace(o.text(name))
	for _, l := range labels {
		if strings.EqualFold(s, l) {
			return l, nil
		}
	}
	return "", fmt.Errorf("%s is %q: want %s", name, s, strings.Join(labels, ", "))
}

// numbers reads a list of numbers from 1 to n.
func (o object) numbers(name string, n int) ([]int, error) {
	var list []int
	if err := codec.Unmarshal(o[name], &list); err != nil {
		return nil, fmt.Errorf("%s is %s: want a list of numbers", name, o[name])
	}
	for _, i := range list {
		if i < 1 || i > n {
			return nil, fmt.Errorf("%s names %d: want 1 to %d", name, i, n)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}
