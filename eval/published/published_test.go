package published_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/eval/published"
	"membench/schema"
)

// asked are the questions of the invented cases.
func asked() (out []published.Asked) {
	for _, q := range []schema.Question{
		{ID: "q1", Text: "How long?", Answer: "45 minutes", RawCategory: "single-session-user", Category: schema.CatIE},
		{ID: "q2_abs", Text: "How far?", Answer: "not said", RawCategory: "multi-session", Category: schema.CatABS, Abstain: true},
		{ID: "conv-26/qa/0", Text: "Which colour?", RawCategory: "4", Category: schema.CatIE},
		{ID: "conv-26/qa/1", Text: "When did Ada move?", RawCategory: "2", Category: schema.CatTR},
	} {
		conv, _, _ := strings.Cut(q.ID, "/")
		out = append(out, published.Asked{CaseID: conv, Question: q})
	}
	return out
}

// brief is a record in one line: what an importer must get right.
func brief(q schema.QARecord) string {
	var g []string
	for _, x := range q.Grades {
		score := "null"
		if x.Score != nil {
			score = fmt.Sprint(*x.Score)
		}
		g = append(g, fmt.Sprintf("%s=%s/%s/%s", strings.SplitN(x.Protocol, "@", 2)[0], score, x.By, x.Outcome))
	}
	return fmt.Sprintf("%s %s %s|%s|%v gold=%q answer=%q by=%s %s %s", q.Dataset, q.CaseID, q.QuestionID, q.RawCategory, q.Category, q.AllGolds(), q.Answer, q.By, q.Outcome, strings.Join(g, " "))
}

func TestFormats(t *testing.T) {
	want := map[string][]string{ // of each form: its records, then its findings
		"locomo-rows.jsonl": {
			`locomo conv-26 conv-26/qa/3|2|TR gold=["3 May 2023"] answer="On 3 May 2023" by=unknown answered recorded-judge=1/unknown/scored recorded-mean=0.6666666666666666/unknown/scored`,
			`locomo conv-30 conv-30/qa/61|4|IE gold=["2"] answer="a cup" by=unknown answered recorded-judge=0/unknown/scored recorded-f1=0/rule/scored recorded-bleu1=0/rule/scored`,
			`locomo conv-30 conv-30/qa/7|1|MR gold=["Rome"] answer="" by=unknown empty recorded-judge=0/unknown/scored`,
			`locomo conv-30 conv-30/qa/8|4|IE gold=["a dog"] answer="a dog" by=unknown answered recorded-judge=null/unknown/judge_failed`,
			`locomo conv-30 conv-30/qa/7#2|1|MR gold=["Rome"] answer="Rome" by=unknown answered recorded-judge=1/unknown/scored`,
			"4 PUB003", "5 PUB001 /category", "6 PUB001 /question_id", "7 PUB004",
		},
		"evermemos-eval.json": {
			`locomo conv-26 conv-26/qa/0|2|TR gold=["2021"] answer="In 2021" by=unknown answered recorded-judge=1/unknown/scored recorded-mean=1/unknown/scored`,
			`locomo conv-50 conv-50/qa/4|4|IE gold=["a dog"] answer="a cat" by=unknown answered recorded-judge=0/unknown/scored recorded-mean=0.3333333333333333/unknown/scored`,
			"11 PUB001 /detailed_results/locomo_exp_user_9/1/question_id",
		},
		"mem0-eval.json": {
			`locomo conv-26 conv-26/qa/1|2|TR gold=["2021"] answer="2021" by=unknown answered recorded-judge=1/unknown/scored recorded-f1=1/rule/scored recorded-bleu1=0.17/rule/scored`,
			`locomo conv-30 conv-30/asked/0|4|IE gold=["a dog"] answer="a cat" by=unknown answered recorded-judge=0/unknown/scored recorded-f1=0.5/rule/scored recorded-bleu1=0.5/rule/scored`,
			"3 PUB001 /77/0",
		},
		"zep-locomo.json": {
			`locomo conv-26 conv-26/qa/1|2|TR gold=["2021"] answer="In 2021." by=unknown answered recorded-judge=1/unknown/scored`,
			"3 PUB002 /locomo_experiment_user_0/1/question",
		},
		"locomo-official.json": {
			`locomo conv-26 conv-26/qa/0|2|TR gold=["2021"] answer="In 2021." by=unknown answered `,
			`locomo conv-26 conv-26/qa/1|5|ABS gold=[""] answer="Not mentioned" by=unknown answered `,
			`locomo conv-30 conv-30/qa/7|4|IE gold=["tea"] answer="tea" by=unknown answered `,
			"4 PUB001 /0/qa/2/NAME_prediction",
		},
		"lme-hypotheses.jsonl": {
			`longmemeval q1 q1|single-session-user|IE gold=["45 minutes"] answer="45 minutes" by=unknown answered `,
			`longmemeval q2_abs q2_abs|multi-session|ABS gold=["not said"] answer="You did not say." by=unknown answered recorded-judge=1/judge-1/scored`,
			"3 PUB002 /question_id",
		},
		"lme-eval-array.json": {
			`longmemeval q1 q1|single-session-user|IE gold=["45"] answer="45 minutes" by=unknown answered recorded-judge=1/unknown/scored`,
			`longmemeval q2_abs q2_abs|multi-session|ABS gold=["not said"] answer="3" by=unknown answered recorded-judge=0/unknown/scored`,
			`longmemeval q4 q4|temporal-reasoning|TR gold=["x"] answer="y" by=unknown answered recorded-judge=null/unknown/judge_failed`,
			"3 PUB001 /2/question_type", "4 PUB003 /3",
		},
		"lme-error-analysis.jsonl": {`longmemeval q1 q1|knowledge-update|KU gold=["45"] answer="an hour" by=unknown answered recorded-judge=0/judge-1/scored`},
		"mab-rows.jsonl": {
			`memoryagentbench factconsolidation_sh_6k#4 factconsolidation_sh_6k#4/factconsolidation_sh_6k_no0|factconsolidation_sh_6k|CR gold=["Rome" "Roma"] answer="in Rome" by=unknown answered recorded-judge=0/judge-1/scored recorded-verdict=1/unknown/scored`,
			`memoryagentbench icl_trec_fine#5 icl_trec_fine#5/icl_trec_fine_no1|icl_trec_fine|TTL gold=["28"] answer="" by=unknown error recorded-verdict=0/unknown/scored`,
			"3 PUB001 /golds",
		},
		"mab-runner.json": {
			`memoryagentbench ruler_qa1_197K ruler_no3|ruler_qa1_197K|IE gold=["Rome" "Roma"] answer="Rome" by=unknown answered `,
			`memoryagentbench ruler_qa1_197K ruler_qa1_197K_no1|ruler_qa1_197K|IE gold=["Bo"] answer="Ada" by=unknown answered `,
		},
		"memorybench-report.json": {
			`longmemeval q1 q1|multi-session|IE gold=["3"] answer="3" by=reader-1 answered recorded-judge=1/judge-1/scored`,
			`longmemeval q2 q2|multi-session|MR gold=["3"] answer="4" by=reader-1 answered recorded-judge=0/judge-1/scored`,
		},
		"halumem-eval.json": {
			`halumem u1 u1/S02/0|Basic Fact Recall|IE gold=["Rome"] answer="Rome" by=unknown answered recorded-judge=1/unknown/scored`,
			`halumem u1 u1/S02/1|Memory Boundary|ABS gold=["unknown"] answer="a dog" by=unknown answered recorded-judge=0/unknown/scored`,
		},
		"amb.json": {
			`locomo conv-26 conv-26/qa/0|2|IE gold=["2021"] answer="In 2021." by=reader-1 answered recorded-judge=1/judge-1/scored`,
			`locomo conv-26 conv-26/qa/1|1|TR gold=["tea, milk"] answer="tea" by=reader-1 answered recorded-judge=0/judge-1/scored`,
			"5 PUB001 /results/2/meta/category",
		},
		"table.jsonl": {
			`table all q-337cc6ea40dd|multi-hop|MR gold=["Porto" "Oporto"] answer="Porto" by=unknown answered recorded-judge=1/unknown/scored`,
			"2 PUB001 /Expected answer",
		},
		"memgallery-results.json": {
			`memgallery Ada Ada/qa/0|VS|VIS gold=["D1:IMG_002"] answer="D1:IMG_002" by=unknown answered `,
			`memgallery Ada Ada/qa/1|AR|ABS gold=["Not mentioned."] answer="Not mentioned." by=unknown answered `,
		},
	}
	seen := map[string]bool{}
	files, err := filepath.Glob("testdata/*.json*")
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d files, want %d (%v)", len(files), len(want), err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			im, recs, findings := read(t, path, published.Options{Asked: asked()})
			if form := strings.SplitN(name, ".", 2)[0]; im.Format.Name != form {
				t.Fatalf("told as %s", im.Format.Name)
			}
			seen[im.Format.Name] = true
			var have []string
			for _, r := range recs {
				have = append(have, brief(r))
				if r.System == "" || r.Hits == nil {
					t.Errorf("%s: system %q, hits %v", r.QuestionID, r.System, r.Hits)
				}
			}
			for _, f := range findings {
				if slices.Contains([]string{"PUB007", "PUB008", "PUB009"}, f.Code) {
					continue // the questions of some files are not those of the cases
				}
				have = append(have, strings.TrimSuffix(fmt.Sprintf("%d %s %s", f.Pos.Line, f.Code, f.Pointer), " "))
			}
			if h, w := strings.Join(have, "\n"), strings.Join(want[name], "\n"); h != w {
				t.Errorf("have\n%s\nwant\n%s", h, w)
			}
		})
	}
	for _, f := range published.Formats() {
		if !seen[f.Name] {
			t.Errorf("form %s has no file in testdata", f.Name)
		}
	}
}

func TestHaluMemSessions(t *testing.T) {
	im, _, _ := read(t, "testdata/halumem-eval.json", published.Options{Judge: "j"})
	sessions, findings := collect(t, im.Sessions)
	if len(sessions) != 2 || len(findings) != 0 {
		t.Fatalf("%d sessions, %v", len(sessions), findings)
	}
	var have []string
	for _, s := range sessions {
		for _, g := range s.Grades {
			score := "null"
			if g.Score != nil {
				score = fmt.Sprint(*g.Score)
			}
			have = append(have, fmt.Sprintf("%s %s %s %s %s %v %s", s.SessionID, g.Judge, g.Item, g.Label, score, g.Update, g.By))
		}
	}
	want := `S01 recall S01/1 covered 1 false j
S02 recall S02/1 missed 0 true j
S02 interference S02/2 rejected 1 false j
S02 recall S02/3  null false j
S02 correctness S02/m0 correct 1 false j
S02 correctness S02/m1 hallucination 0 false j
S02 update S02/4 outdated 0 true j
S02 update S02/5 updated 1 true j`
	if h := strings.Join(have, "\n"); h != want {
		t.Errorf("have\n%s\nwant\n%s", h, want)
	}
	if len(sessions[1].Points) != 3 || len(sessions[1].Delta) != 2 || len(im.Claims) != 6 {
		t.Errorf("%d points, %d changes, %d claims", len(sessions[1].Points), len(sessions[1].Delta), len(im.Claims))
	}
}

func TestOpenSays(t *testing.T) {
	for _, c := range []struct {
		text, format, want string
	}{
		{`{"some":"thing"}`, "", "cannot be determined: name it with --format"},
		{"", "", "cannot be determined"},
		{`{"question_id":"q","hypothesis":"h"}` + "\n", "", "give the cases that were asked with --cases"},
		{`[]`, "nonsense", "unknown form of result files \"nonsense\": have locomo-rows, "},
	} {
		if _, err := published.Open(strings.NewReader(c.text), "f.json", published.Options{Format: c.format}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// A file that breaks off gives the rows before the fault, and a finding.
func TestTornFile(t *testing.T) {
	b, err := os.ReadFile("testdata/lme-eval-array.json")
	if err != nil {
		t.Fatal(err)
	}
	im, err := published.Open(bytes.NewReader(b[:bytes.Index(b, []byte("q3"))]), "torn.json", published.Options{})
	if err != nil {
		t.Fatal(err)
	}
	recs, findings := collect(t, im.QA)
	if len(recs) != 2 || len(findings) != 1 || findings[0].Code != "PUB001" || findings[0].Pos.Line != 3 {
		t.Errorf("%d records, %v", len(recs), findings)
	}
}

func TestDenominators(t *testing.T) {
	for _, c := range []struct {
		value    float64
		decimals int
		n        int
		possible bool
		k        int
	}{{.9262, 4, 4620, true, 4279}, {.9262, 4, 1540, false, 1426}, {.7091, 4, 1540, true, 1092}, {.7091, 4, 1986, false, 1408}, {.5, 2, 3, false, 2}, {0, 4, 7, true, 0}, {1, 4, 7, true, 7}} {
		d := published.Denominators(c.value, c.decimals, c.n)
		if len(d) != 1 || d[0].Possible != c.possible || d[0].K != c.k {
			t.Errorf("%+v: %+v", c, d)
		}
	}
	if d := published.Denominators(.5, 2, 0); d != nil {
		t.Errorf("of nothing: %v", d)
	}
}

func TestAuditVerdicts(t *testing.T) {
	claims := []published.Claim{
		{Source: "table", Protocol: "recorded-judge", Value: 0.5, Decimals: 2, N: 4},                // 2 of 4 verdicts
		{Source: "table", Protocol: "recorded-judge", Value: 0.75, Decimals: 2, N: 4},               // another
		{Source: "table", Protocol: "recorded-judge", Value: 0.5, Decimals: 2, N: 9},                // more than is here
		{Source: "table", Protocol: "recorded-judge", Value: 0.5, Decimals: 2, N: 2, Category: "1"}, // 1 of 2
		{Source: "table", Protocol: "recorded-nothing", Value: 0.5, Decimals: 2, N: 4},              // not recorded
		{Source: "table", Protocol: "em", Value: 0.4, Decimals: 2, N: 5},                            // of ours: 2 of 5
		{Source: "table", Protocol: published.AnyProtocol, Value: 0.4, Decimals: 2, N: 5},           // whichever gives it
		{Source: "table", Protocol: published.AnyProtocol, Value: 0.123456, Decimals: 6, N: 5},      // none does
		{Source: "table", Protocol: "recorded-judge", Run: "other", Value: 0.5, Decimals: 2, N: 4},  // of another run
	}
	a := audit(t, "testdata/locomo-rows.jsonl", published.Options{}, claims)
	var have []string
	for _, c := range a.Checks {
		have = append(have, c.Verdict)
	}
	want := []string{published.Reproduced, published.Differs, published.NotHere, published.Reproduced, published.NoSuchGrades, published.Reproduced, published.Reproduced, published.NotReproduced}
	if fmt.Sprint(have) != fmt.Sprint(want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
	if a.Rows != 5 || a.Left != 4 || a.Votes.N != 1 || a.Outcomes[schema.OutcomeEmpty] != 1 {
		t.Errorf("%+v", a)
	}
	var md bytes.Buffer
	published.Markdown(&md, a)
	for _, text := range []string{"Ada", "kiln", "Rome"} {
		if strings.Contains(md.String(), text) {
			t.Errorf("the audit quotes the data: %q", text)
		}
	}
}

func TestClaimsFile(t *testing.T) {
	c, err := published.ReadClaims([]byte(`[{"run":"r","source":"s","protocol":"recorded-judge","value":0.7578,"decimals":4,"n":1540}]`), "c.json")
	if err != nil || len(c) != 1 || c[0].N != 1540 {
		t.Errorf("%v, %v", c, err)
	}
	for _, bad := range []string{`{}`, `[{"protocol":"p","value":75.78}]`, `[{"value":0.5}]`} {
		if _, err := published.ReadClaims([]byte(bad), "c.json"); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// FuzzOpen: foreign files never end the program, and every record is one that our own
// schema takes: a case, a question, a category, an outcome.
func FuzzOpen(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.json*")
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, "")
	}
	f.Add([]byte(`{"data":[{"output":1,"answer":[[[`), "mab-runner")
	f.Fuzz(func(t *testing.T, b []byte, format string) {
		if format != "" {
			if _, err := published.ByName(format); err != nil {
				return
			}
		}
		im, err := published.Open(bytes.NewReader(b), "f", published.Options{Format: format, Asked: asked()})
		if err != nil {
			return
		}
		for r, err := range im.QA {
			if f, ok := err.(*schema.Finding); err != nil && (!ok || !f.Warning) {
				continue
			}
			q := r.V
			if q.CaseID == "" || q.QuestionID == "" || q.System == "" || q.Category == "" || q.Outcome == "" || q.By == "" {
				t.Fatalf("%s: %+v", im.Format.Name, q)
			}
			for _, g := range q.Grades {
				if (g.Score != nil) != (g.Outcome == schema.GradeScored) || g.Score != nil && (*g.Score < 0 || *g.Score > 1) {
					t.Fatalf("%s: %+v", im.Format.Name, g)
				}
			}
		}
		if im.Sessions != nil {
			for range im.Sessions {
			}
		}
	})
}
