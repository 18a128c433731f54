package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"membench/internal/codec"
)

// longRuns are the recorded runs over LongMemEval, by the name under which figures show
// them.
var longRuns = []struct{ name, file string }{
	{"longmemeval cot", "oracle_answeronly_cot_llama3.1-8b.jsonl.eval-results-gpt-4o-mini"},
	{"longmemeval con", "oracle_con_llama3.1-8b.jsonl.eval-results-gpt-4o-mini"},
	{"longmemeval rag", "s_cleaned_rag_con_llama3.1-8b.jsonl.eval-results-gpt-4o-mini"},
	{"longmemeval gemini", "s_fullcontext_gemini-2.5-flash_eval.json"},
}

// labelled reads every other recorded verdict of the shared folder: LongMemEval,
// HaluMem, MemoryAgentBench. A row's Set is its run, its Conv the question, so that
// leaving out either is one comparison.
func labelled(shared string) ([]row, error) {
	var out []row
	for _, f := range []func(string) ([]row, error){longMemEval, haluMem, memoryAgentBench} {
		rows, err := f(filepath.Join(shared, "data"))
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

func longMemEval(data string) ([]row, error) {
	var cases []struct {
		ID       string `json:"question_id"`
		Type     string `json:"question_type"`
		Question string `json:"question"`
		Answer   any    `json:"answer"`
	}
	if err := readJSON(filepath.Join(data, "longmemeval/longmemeval_oracle_evidence_turns.json"), &cases); err != nil {
		return nil, err
	}
	by := map[string]int{}
	for i, c := range cases {
		by[c.ID] = i
	}
	var out []row
	for _, run := range longRuns {
		type record struct {
			ID         string `json:"question_id"`
			Hypothesis string `json:"hypothesis"`
			Evaluation string `json:"evaluation"`
			Label      struct {
				Label bool `json:"label"`
			} `json:"autoeval_label"`
		}
		var rs []record
		path := filepath.Join(data, "longmemeval/system_outputs", run.file)
		if strings.HasSuffix(run.file, ".json") {
			if err := readJSON(path, &rs); err != nil {
				return nil, err
			}
		} else if err := eachLine(path, func(b []byte) error {
			var r record
			err := codec.Unmarshal(b, &r)
			rs = append(rs, r)
			return err
		}); err != nil {
			return nil, err
		}
		for _, r := range rs {
			i, ok := by[r.ID]
			if !ok || cases[i].Type == "single-session-preference" {
				continue
			}
			c := cases[i]
			out = append(out, row{Conv: "lme " + c.ID, Question: c.Question, Gold: fmt.Sprint(c.Answer), Answer: r.Hypothesis, Set: run.name, Abstain: strings.HasSuffix(c.ID, "_abs"), Right: r.Label.Label || strings.EqualFold(r.Evaluation, "yes"), Real: true})
		}
	}
	return out, nil
}

func haluMem(data string) ([]row, error) {
	var out []row
	for _, name := range []string{"halumem_pilot_user0_FULL_results", "halumem_pilot_user12_Results"} {
		var f struct {
			QA []struct {
				Question string `json:"question"`
				Answer   string `json:"answer"`
				Response string `json:"system_response"`
				Result   string `json:"result_type"`
				Type     string `json:"question_type"`
			} `json:"question_answering_records"`
		}
		if err := readJSON(filepath.Join(data, "halumem/mem0_eval", name+".json"), &f); err != nil {
			return nil, err
		}
		for _, r := range f.QA {
			out = append(out, row{Conv: "halu " + r.Question, Question: r.Question, Gold: r.Answer, Answer: r.Response, Set: "halumem", Abstain: r.Type == "Memory Boundary", Right: r.Result == "Correct", Real: true})
		}
	}
	return out, nil
}

func memoryAgentBench(data string) ([]row, error) {
	var out []row
	for _, name := range []string{"judge_results_conflict_resolution_replay_n320", "judge4o_results_longmemeval_s__replay_full"} {
		err := eachLine(filepath.Join(data, "memoryagentbench/results", name+".jsonl"), func(b []byte) error {
			var r struct {
				ID     string   `json:"instance_id"`
				QA     string   `json:"qa_pair_id"`
				Prompt string   `json:"prompt"`
				Answer string   `json:"answer"`
				Golds  []string `json:"golds"`
				Judge  bool     `json:"judge_correct"`
			}
			if err := codec.Unmarshal(b, &r); err != nil {
				return err
			}
			q := r.Prompt
			if i := strings.LastIndex(q, "Question:"); i >= 0 {
				q = strings.TrimSpace(q[i+9:])
			}
			if strings.HasPrefix(r.Golds[0], "The user would prefer") {
				return nil // a rubric
			}
			out = append(out, row{Conv: "mab " + r.QA, Question: q, Gold: r.Golds[0], Golds: r.Golds, Answer: r.Answer, Set: "memoryagentbench", Abstain: strings.HasSuffix(r.QA, "_abs"), Right: r.Judge, Real: true})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := codec.Unmarshal(b, v); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}

func eachLine(path string, f func([]byte) error) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(b) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := f(line); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
	}
	return nil
}
