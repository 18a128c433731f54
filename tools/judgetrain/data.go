package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	"membench/eval/judge"
	"membench/internal/codec"
	"membench/internal/timex"
	"membench/schema/jsonl"
)

// Conversations on which everything is tuned, and those on which it is tested. The
// latter are read only with -test.
var (
	devConvs  = []string{"conv-26", "conv-30", "conv-41", "conv-42", "conv-43", "conv-44"}
	testConvs = []string{"conv-47", "conv-49"}
)

// runs are the recorded systems, weakest last; plants the deliberately wrong answers.
var (
	runs   = []string{"fullcontext_gpt-4.1-mini-cot", "fullcontext_gpt-4.1-mini-memos", "fullcontext_gpt-4o-mini-cot", "fullcontext_gpt-4o-mini-memos", "zep_cloud_2025", "memobase_0503_3000", "memobase_0710_3000"}
	plants = []string{"wrong_answers_v1", "wrong_answers_v2"}
	wraps  = []string{"restated", "before", "after"}
)

// row is one recorded answer with its verdict.
type row struct {
	Conv     string
	QA       int
	Category int
	Question string
	Gold     string
	Golds    []string // where there are several
	Abstain  bool
	Answer   string
	Set      string // a run, a plant, or plant+wrap
	Plant    bool
	Right    bool // the recorded majority verdict; of a plant: what the model judge said
	Real     bool
	Wrapped  bool

	long     bool      // a final part was cut out of it
	f        []float64 // nil: decided without the model
	relation string    // of dates, where they decide
}

type recorded struct {
	Conv       string `json:"conv"`
	QuestionID string `json:"question_id"`
	QAIndex    *int   `json:"qa_index"`
	Category   int    `json:"category"`
	Question   string `json:"question"`
	Gold       any    `json:"gold"`
	Answer     string `json:"answer"`
	Judgments  []bool `json:"judgments"`
	Grade      *bool  `json:"grade"`
	LLM        *int   `json:"llm_score"`
}

func (r recorded) right() bool {
	switch {
	case r.Grade != nil:
		return *r.Grade
	case r.LLM != nil:
		return *r.LLM == 1
	}
	n := 0
	for _, j := range r.Judgments {
		if j {
			n++
		}
	}
	return 2*n > len(r.Judgments)
}

// load reads the recorded answers of the conversations named, in file order.
func load(shared string, convs []string) ([]row, error) {
	keep := map[string]bool{}
	for _, c := range convs {
		keep[c] = true
	}
	talk, err := conversations(shared)
	if err != nil {
		return nil, err
	}
	var out []row
	for _, set := range append(append([]string{}, runs...), plants...) {
		name := filepath.Join(shared, "data/locomo_recorded", set+".jsonl")
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		for line, err := range jsonl.Lines(f, name, 0) {
			if err != nil {
				f.Close()
				return nil, err
			}
			var r recorded
			if err := codec.Unmarshal(line.Bytes, &r); err != nil {
				f.Close()
				return nil, fmt.Errorf("reading %s: %w", name, err)
			}
			if !keep[r.Conv] || r.Category < 1 || r.Category > 4 {
				continue
			}
			qa := 0
			if r.QAIndex != nil {
				qa = *r.QAIndex
			} else if i := strings.LastIndex(r.QuestionID, "_qa"); i >= 0 {
				fmt.Sscan(r.QuestionID[i+3:], &qa)
			}
			if r.Conv == "conv-30" && qa == 95 && !strings.HasPrefix(set, "fullcontext") && !strings.HasPrefix(set, "wrong") {
				qa = 61 // NOTICE.md
			}
			x := row{Conv: r.Conv, QA: qa, Category: r.Category, Question: r.Question, Gold: fmt.Sprint(r.Gold), Answer: r.Answer, Set: set, Right: r.right()}
			x.Plant = strings.HasPrefix(set, "wrong")
			x.Real = !x.Plant
			out = append(out, x)
			if x.Plant {
				for _, w := range wraps {
					y := x
					y.Set, y.Wrapped, y.Right = set+"+"+w, true, false
					y.Answer = wrap(x, w, talk[x.Conv])
					out = append(out, y)
				}
			}
		}
		f.Close()
	}
	return out, nil
}

// wrap puts a plant into one of three fixed templates.
func wrap(r row, how string, talk []string) string {
	a := strings.TrimRight(strings.TrimSpace(r.Answer), ".") + "."
	switch how {
	case "restated":
		return "You asked: \"" + r.Question + "\" The answer to the question \"" + strings.TrimRight(r.Question, "?") + "\" is: " + a
	case "before":
		return beside(r, talk) + " " + a
	}
	return a + " " + beside(r, talk)
}

// beside picks two sentences of the conversation that say nothing of the gold: no
// word of four letters or more of it stands in them, and, where the gold is a date,
// no date. The choice depends on the question only.
func beside(r row, talk []string) string {
	h := fnv.New32a()
	fmt.Fprint(h, r.Conv, r.QA, "irrelevant")
	start := int(h.Sum32()) % len(talk)
	if start < 0 {
		start += len(talk)
	}
	var out []string
	for i := 0; len(out) < 2 && i < len(talk); i++ {
		s := talk[(start+i*37)%len(talk)]
		if len(s) > 30 && len(s) < 160 && !strings.HasSuffix(s, "?") && unrelated(s, r.Gold) {
			out = append(out, s)
		}
	}
	return strings.Join(out, " ")
}

func unrelated(s, gold string) bool {
	if len(timex.Find(gold, 2023)) > 0 && len(timex.Find(s, 2023)) > 0 {
		return false
	}
	low := strings.ToLower(s)
	for _, w := range strings.FieldsFunc(strings.ToLower(gold), func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
		if len(w) >= 4 && strings.Contains(low, w) {
			return false
		}
	}
	return true
}

// conversations gives the sentences of each conversation's turns, in order.
func conversations(shared string) (map[string][]string, error) {
	b, err := os.ReadFile(filepath.Join(shared, "data/locomo/locomo8.json"))
	if err != nil {
		return nil, err
	}
	var all []struct {
		ID           string         `json:"sample_id"`
		Conversation map[string]any `json:"conversation"`
	}
	if err := codec.Unmarshal(b, &all); err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, c := range all {
		for n := 1; n < 60; n++ {
			turns, _ := c.Conversation[fmt.Sprintf("session_%d", n)].([]any)
			for _, t := range turns {
				m, _ := t.(map[string]any)
				s, _ := m["text"].(string)
				for _, x := range strings.SplitAfter(s, ". ") {
					for _, y := range strings.SplitAfter(x, "! ") {
						if y = strings.TrimSpace(y); y != "" {
							out[c.ID] = append(out[c.ID], y)
						}
					}
				}
			}
		}
	}
	return out, nil
}

// read fills the features of every row.
func read(rows []row) {
	for i := range rows {
		r := &rows[i]
		if judge.LongFeatures(r.question(), r.golds(), r.Answer) != nil {
			r.long = true // other weights judge it
			continue
		}
		r.f = judge.Features(judge.Question{Text: r.Question}, r.Gold, r.Answer)
		if r.f == nil {
			r.relation = judge.Relation(judge.Question{Text: r.Question}, r.Gold, r.Answer)
		}
	}
}
