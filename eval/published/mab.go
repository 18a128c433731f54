package published

import (
	"cmp"
	"fmt"
	"strings"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"
)

func memoryAgentBenchFormats() []Format {
	return []Format{
		{
			Name: "mab-rows", Verified: true, dataset: "memoryagentbench", where: "",
			About:  "one MemoryAgentBench answer a line: source, instance_id, qa_pair_id, prompt, answer, golds, correct, and judge_correct where it was judged again",
			Origin: "tfatykhov/nous-memoryAgentBench reports",
			match:  func(h head) bool { return h.shape == 'l' && h.has("source", "qa_pair_id", "golds", "answer") },
			row:    mabRow,
		},
		{
			Name: "mab-runner", dataset: "memoryagentbench", where: "data[]",
			About:  "the runner's output: agent_config, dataset_config, data with output and answer, averaged_metrics",
			Origin: "HUST-AI-HYZ/MemoryAgentBench main.py",
			match:  func(h head) bool { return h.shape == '{' && h.has("data", "dataset_config", "averaged_metrics") },
			row:    mabRunnerRow, claims: mabRunnerClaims,
		},
	}
}

// mabCategory maps a sub-set to its split's competence.
func mabCategory(source string) string {
	for _, m := range []struct{ prefix, category string }{
		{"factconsolidation", schema.CatCR}, {"icl_", schema.CatTTL}, {"recsys", schema.CatTTL}, {"infbench", schema.CatLRU}, {"detective", schema.CatLRU},
	} {
		if strings.HasPrefix(source, m.prefix) {
			return m.category
		}
	}
	return schema.CatIE // accurate retrieval: ruler, eventqa, longmemeval_s*
}

func mabRow(f *file, r row) (schema.QARecord, error) {
	var v struct {
		Source   string            `json:"source"`
		Instance string            `json:"instance_id"`
		Pair     string            `json:"qa_pair_id"`
		Prompt   string            `json:"prompt"`
		Answer   datasets.Scalar   `json:"answer"`
		Golds    []datasets.Scalar `json:"golds"`
		Correct  datasets.Scalar   `json:"correct"`
		Error    datasets.Scalar   `json:"error"`
		Score    *float64          `json:"score"`
		Judge    string            `json:"judge_model"`
		Judged   datasets.Scalar   `json:"judge_correct"`
	}
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	if v.Source == "" || v.Pair == "" || len(v.Golds) == 0 {
		return schema.QARecord{}, r.lacks("golds")
	}
	q := schema.QARecord{Source: v.Source, CaseID: v.Instance, QuestionID: v.Instance + "/" + v.Pair, Question: v.Prompt, Answer: v.Answer.Text, Gold: v.Golds[0].Text, RawCategory: v.Source, Category: mabCategory(v.Source)}
	for _, g := range v.Golds {
		q.Golds = append(q.Golds, g.Text)
	}
	if v.Error.Given() {
		q.Outcome, q.Error = schema.OutcomeError, v.Error.Text
	}
	err := f.judge(&q, r, votesOf(nil, v.Judged), schema.By(v.Judge))
	// The run's own verdict is a rule's if there is also a judge's; for judged subsets it is the judge's.
	if v.Correct.Given() {
		var own schema.QARecord
		err = cmp.Or(err, f.judge(&own, r, []datasets.Scalar{v.Correct}, ""))
		for _, g := range own.Grades {
			g.Protocol = strings.Replace(g.Protocol, RecordedJudge, "recorded-verdict", 1)
			if v.Score != nil {
				g.Parts["score"] = *v.Score
			}
			q.Grades = append(q.Grades, g)
		}
	}
	return q, err
}

func mabRunnerRow(f *file, r row) (schema.QARecord, error) {
	var v struct {
		Output datasets.Scalar `json:"output"`
		Query  datasets.Scalar `json:"query"`
		Answer goldList        `json:"answer"` // a text, a list, or a list of lists
		Pair   datasets.Scalar `json:"qa_pair_id"`
	}
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	if len(v.Answer) == 0 || !v.Output.Given() {
		return schema.QARecord{}, r.lacks("answer")
	}
	source := f.subset()
	id := cmp.Or(v.Pair.Text, fmt.Sprintf("%s_no%d", source, r.index))
	q := schema.QARecord{Source: source, CaseID: source, QuestionID: id, Question: v.Query.Text, Answer: v.Output.Text, Gold: v.Answer[0], Golds: v.Answer, RawCategory: source, Category: mabCategory(source)}
	return q, nil
}

// goldList reads a text, a list of texts or a list of lists of texts.
type goldList []string

// UnmarshalJSON flattens nested lists.
func (g *goldList) UnmarshalJSON(b []byte) error {
	var s codec.Scanner
	s.Reset(b, false)
	var walk func() bool
	walk = func() bool {
		if s.Kind() == '[' {
			s.Array()
			for s.Element() {
				if !walk() {
					return false
				}
			}
			return s.OK()
		}
		raw, ok := s.Skip()
		if ok {
			*g = append(*g, codec.Unquote(raw))
		}
		return ok
	}
	*g = nil
	walk()
	return nil
}

func (f *file) subset() string {
	var v struct {
		Config struct {
			Sub string `json:"sub_dataset"`
		} `json:"dataset_config"`
	}
	if codec.Unmarshal(f.b, &v) != nil || v.Config.Sub == "" {
		return "unknown"
	}
	return v.Config.Sub
}

// mabRunnerClaims are the file's own averages, in percent there.
func mabRunnerClaims(f *file) []Claim {
	var v struct {
		Averages map[string]float64 `json:"averaged_metrics"`
		Data     []schema.Object    `json:"data"`
	}
	if codec.Unmarshal(f.b, &v) != nil {
		return nil
	}
	var out []Claim
	for _, m := range []struct{ theirs, ours string }{{"exact_match", "mab-em"}, {"substring_exact_match", "mab-substring"}, {"f1", "mab-f1"}} {
		if x, ok := v.Averages[m.theirs]; ok {
			out = append(out, Claim{Source: "averaged_metrics of the file", Protocol: m.ours, Value: x / 100, Decimals: 6, N: len(v.Data)})
		}
	}
	return out
}
