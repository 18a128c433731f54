package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"membench/eval/aggregate"
	"membench/eval/figure"
	"membench/eval/report"
	"membench/internal/codec"
	"membench/llm"
	"membench/schema"
)

var update = flag.Bool("update", false, "rewrite testdata and the screenshots of docs/img")

var town = invention{systems: []string{"oracle", "full-context", "fused", "图谱记忆", "bm25", "mem0", "embedding-only", "null"}, dataset: "town", cases: 12, questions: 15}

// summaries are those of eval aggregate.
func summaries(t testing.TB, ins ...schema.Seq[schema.QARecord]) []schema.Summary {
	t.Helper()
	a := aggregate.New(aggregate.Options{Prices: figure.Prices{Prices: llm.Prices{"gpt-4o-mini": {Input: .15, Output: .6}}, Currency: "USD", AsOf: "2026-01-01"}})
	for _, in := range ins {
		if err := a.Read(in, nil, func(f *schema.Finding) { t.Error(f) }); err != nil {
			t.Fatal(err)
		}
	}
	return a.Summaries()
}

// build reads runs into a report; side files go to folder, where one is given.
func build(t testing.TB, o report.Options, folder string, ins ...schema.Seq[schema.QARecord]) *report.Report {
	t.Helper()
	aside := filepath.Join(folder, "report_files", ".aside")
	if folder != "" {
		o.Pages = true
		o.Side = func(name string, data []byte) error {
			if err := os.MkdirAll(aside, 0o777); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(aside, name), data, 0o666)
		}
	}
	b, err := report.New(o, summaries(t, ins...))
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range ins {
		if err := b.Read(in, func(f *schema.Finding) { t.Error(f) }); err != nil {
			t.Fatal(err)
		}
	}
	r, err := b.Report()
	if err != nil {
		t.Fatal(err)
	}
	if r.Folder() != "" {
		if err := os.Rename(aside, filepath.Join(folder, "report_files", r.Folder())); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// page writes a report's page into a folder and gives its path.
func page(t testing.TB, o report.Options, ins ...schema.Seq[schema.QARecord]) string {
	t.Helper()
	folder := t.TempDir()
	r := build(t, o, folder, ins...)
	path := filepath.Join(folder, "报告 report.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := r.HTML(f, "en"); err != nil {
		t.Fatal(err)
	}
	return path
}

func text(t testing.TB, f func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func markdown(t testing.TB, r *report.Report, lang string) string {
	return text(t, func(b *bytes.Buffer) error { return r.Markdown(b, lang) })
}

// golden holds a form to a file that was read.
func golden(t *testing.T, name, have string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(have), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if have != string(want) {
		t.Errorf("%s is not what the report says: run with -update and read the change", file)
	}
}

func TestForms(t *testing.T) {
	small := invention{systems: []string{"oracle", "bm25", "full-context", "embedding-only"}, dataset: "town", cases: 3, questions: 10}
	r := build(t, report.Options{Runs: []report.Run{{Path: "runs/town", Now: "2026-11-01T00:00:00Z", Models: map[string]string{"read": "llama-3.1-8b"}}}}, "", small.seq())
	golden(t, "town.md", markdown(t, r, "en"))
	golden(t, "town.zh.md", markdown(t, r, "zh"))
	golden(t, "town.csv", text(t, func(b *bytes.Buffer) error { return r.CSV(b) }))
	b, err := codec.Append(nil, r, codec.Indented)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "town.json", string(b)+"\n")
}

// The figures of the forms are those of the summaries, and the table of seed 000 has its
// columns in its order.
func TestOverview(t *testing.T) {
	r := build(t, report.Options{}, "", town.seq())
	md := markdown(t, r, "en")
	for _, want := range []string{"## Memory System Evaluation Report\n", "### town (12 cases, 180 questions)\n", "| System | Overall | IE | MR | TR | KU | ABS | Tokens |\n|---|---:|---:|---:|---:|---:|---:|---:|\n"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md[:600])
		}
	}
	for _, s := range summaries(t, town.seq()) {
		sc := s.Scores[1] // evidence-recall, rule
		if sc.Protocol != "rule@2" {
			t.Fatal(sc.Protocol)
		}
		if want := fmt.Sprintf("%.1f", 100**sc.Overall.Value); !strings.Contains(md, want) {
			t.Errorf("%s: the mean %s is nowhere", s.System, want)
		}
	}
	if d := r.Datasets[0]; d.Protocol != "rule@2" || d.Systems[0].Name() != "oracle" || d.Systems[len(d.Systems)-1].Name() != "null" {
		t.Errorf("by %s, from %s to %s", d.Protocol, d.Systems[0].Name(), d.Systems[len(d.Systems)-1].Name())
	}
}

// What became of the answers adds up, by system and by category.
func TestLosses(t *testing.T) {
	r := build(t, report.Options{}, "", town.seq())
	want := map[string]map[string]int{}
	town.each(func(q schema.QARecord) bool {
		if want[q.System] == nil {
			want[q.System] = map[string]int{}
		}
		failed := q.Grades[0].Score == nil || *q.Grades[0].Score == 0
		if !failed {
			want[q.System]["right"]++
		} else if q.Attribution != nil {
			want[q.System][q.Attribution.Hop]++
		} else {
			want[q.System]["open"]++
		}
		return true
	})
	for i := range r.Datasets[0].Systems {
		s := &r.Datasets[0].Systems[i]
		l, sum := s.Lost(), 0
		for h, n := range l.Hops {
			if n != want[s.Name()][h] {
				t.Errorf("%s lost at %s: have %d, want %d", s.Name(), h, n, want[s.Name()][h])
			}
			sum += n
		}
		if l.Right != want[s.Name()]["right"] || l.Open != want[s.Name()]["open"] || l.Right+sum+l.Open != l.Answers || l.Answers != 180 {
			t.Errorf("%s: %+v", s.Name(), l)
		}
	}
}

func TestProtocol(t *testing.T) {
	sums := summaries(t, town.seq())
	if _, err := report.New(report.Options{Protocol: "lme-official"}, sums); err == nil || !strings.Contains(err.Error(), "have rule@2, evidence-recall@1") {
		t.Errorf("an unknown protocol: %v", err)
	}
	r := build(t, report.Options{Protocol: "evidence-recall"}, "", town.seq())
	if d := r.Datasets[0]; d.Protocol != "evidence-recall@1" {
		t.Errorf("have %s", d.Protocol)
	}
	// A model's verdicts come before a rule's.
	one := 1.0
	q := town.record("bm25", 0, 0)
	q.Grades = append(q.Grades, schema.Grade{Protocol: "mem0-2025@1", By: "gpt-4o-mini", Score: &one, Outcome: schema.GradeScored})
	r = build(t, report.Options{}, "", func(yield func(schema.Record[schema.QARecord], error) bool) {
		yield(schema.Record[schema.QARecord]{V: q}, nil)
	})
	if d := r.Datasets[0]; d.Protocol != "mem0-2025@1" || d.By != "gpt-4o-mini" {
		t.Errorf("have %s by %s", d.Protocol, d.By)
	}
}

// Repeats have their spread, corrected golds their mean beside the recorded one.
func TestRepeatsAndErrata(t *testing.T) {
	in := func(yield func(schema.Record[schema.QARecord], error) bool) {
		for k := range 3 {
			for i := range 10 {
				q := town.record("bm25", i%4, i)
				q.Repeat = k
				q.Outcome = schema.OutcomeAnswered
				score := float64((i + k) % 2)
				if k == 2 {
					score = 1
				}
				q.Grades = []schema.Grade{{Protocol: "rule@2", By: "rule", Score: &score, Outcome: schema.GradeScored}}
				if i == 0 {
					one := 1.0
					q.Errata = &schema.Erratum{Overlay: "read-again", Kind: schema.ErratumAnswer, Answer: "x"}
					q.Grades = append(q.Grades, schema.Grade{Protocol: "rule@2", By: "rule", Gold: schema.GoldCorrected, Score: &one, Outcome: schema.GradeScored})
				}
				if !yield(schema.Record[schema.QARecord]{V: q}, nil) {
					return
				}
			}
		}
	}
	md := markdown(t, build(t, report.Options{}, "", in), "en")
	for _, want := range []string{"corrected golds | std over repeats |", "| bm25 | 66.7 |", "| 70.0 (1 / 0) | 28.9 (3) |", "Corrected golds (read-again)"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
}

func TestSanity(t *testing.T) {
	r := build(t, report.Options{}, "", town.seq())
	for _, n := range r.Datasets[0].Sanity {
		if !n.Holds {
			t.Errorf("%s", n.EN)
		}
	}
	if len(r.Datasets[0].Sanity) != 4 {
		t.Errorf("%d notes, want those of oracle, full context, embeddings and null", len(r.Datasets[0].Sanity))
	}
	// A memory better than the oracle is a note, whatever separates the words of its name.
	rename := map[string]string{"fused": "Long_Context", "null": "oracle"}
	odd := func(yield func(schema.Record[schema.QARecord], error) bool) {
		invention{systems: []string{"fused", "null"}, dataset: "town", cases: 4, questions: 20}.each(func(q schema.QARecord) bool {
			q.System = rename[q.System]
			return yield(schema.Record[schema.QARecord]{V: q}, nil)
		})
	}
	r = build(t, report.Options{}, "", odd)
	notes := r.Datasets[0].Sanity
	if len(notes) != 1 || notes[0].Holds || !strings.Contains(notes[0].EN, "not so for Long_Context") || !strings.Contains(markdown(t, r, "zh"), "例外 Long\\_Context") {
		t.Errorf("%+v", notes)
	}
}

// Equal input gives equal bytes, and the order of records changes no figure.
func TestDeterministic(t *testing.T) {
	a, b := page(t, report.Options{Embed: 20}, town.seq()), page(t, report.Options{Embed: 20}, town.seq())
	x, _ := os.ReadFile(a)
	y, _ := os.ReadFile(b)
	if !bytes.Equal(x, y) {
		t.Error("two pages of one run differ")
	}
	var back []schema.QARecord
	town.each(func(q schema.QARecord) bool { back = append([]schema.QARecord{q}, back...); return true })
	r := build(t, report.Options{}, "", func(yield func(schema.Record[schema.QARecord], error) bool) {
		for _, q := range back {
			if !yield(schema.Record[schema.QARecord]{V: q}, nil) {
				return
			}
		}
	})
	if markdown(t, r, "en") != markdown(t, build(t, report.Options{}, "", town.seq()), "en") {
		t.Error("the order of records changes the tables")
	}
}

// A text of the data is never markup, script, formula or table.
func TestHostile(t *testing.T) {
	v := invention{systems: []string{"bm25", "fused"}, dataset: "a|b <b>`x`\n# h " + hostileText, cases: 2, questions: 10, hostile: true}
	file := page(t, report.Options{Title: hostileText, Runs: []report.Run{{Path: hostileText}}}, v.seq())
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := string(b)
	if n := strings.Count(s, "<script"); n != 2 {
		t.Errorf("%d script elements, want the data and the program", n)
	}
	if strings.Contains(s, "<img") || strings.Contains(s, "\u2028window") {
		t.Error("a text became markup")
	}
	r := build(t, report.Options{}, "", v.seq())
	md := markdown(t, r, "en")
	if strings.Contains(md, "<img") || strings.Contains(md, "<b>") || strings.Contains(md, "\n# h") {
		t.Errorf("a text became Markdown:\n%s", md[:500])
	}
	rows, err := csv.NewReader(strings.NewReader(text(t, func(b *bytes.Buffer) error { return r.CSV(b) }))).ReadAll()
	if err != nil || len(rows) < 20 || len(rows[1]) != len(rows[0]) {
		t.Errorf("%d rows: %v", len(rows), err)
	}
	v.dataset = "=HYPERLINK(1)"
	if c := text(t, func(b *bytes.Buffer) error { return build(t, report.Options{}, "", v.seq()).CSV(b) }); strings.Contains(c, "\n=HYPERLINK") {
		t.Error("a cell is a formula")
	}
}

// FuzzHostile puts any text everywhere.
func FuzzHostile(f *testing.F) {
	for _, s := range []string{hostileText, "{{script}}", "]]></svg><script>", "\x00\xff", "'+alert(1)+'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if s = strings.ToValidUTF8(s, "?"); strings.Contains(s, "\x00") || s == "" {
			t.Skip()
		}
		q := town.record("bm25", 0, 0)
		q.System, q.Dataset, q.Category, q.RawCategory, q.Question, q.Answer, q.Context, q.Attribution = s, s, s, s, s, s, s, &schema.Attribution{Hop: s, Cause: s, Reason: s}
		q.Grades[0].Label = s
		in := func(yield func(schema.Record[schema.QARecord], error) bool) {
			yield(schema.Record[schema.QARecord]{V: q}, nil)
		}
		b, err := os.ReadFile(page(t, report.Options{Title: s}, in))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(strings.ToLower(string(b)), "<script"); n != 2 {
			t.Fatalf("%d script elements", n)
		}
		markdown(t, build(t, report.Options{}, "", in), "zh")
	})
}

// A run of a hundred thousand answers makes a small page: what is not drawn stands in
// side files of a bounded size, and the builder holds no records.
func TestManyAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	v := invention{systems: []string{"bm25", "fused"}, dataset: "town", cases: 100, questions: 500}
	file := page(t, report.Options{}, v.seq())
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 1<<20 {
		t.Errorf("the page has %d bytes", info.Size())
	}
	folder := filepath.Join(filepath.Dir(file), "report_files")
	sub, err := os.ReadDir(folder)
	if err != nil || len(sub) != 1 {
		t.Fatal(sub, err)
	}
	files, err := os.ReadDir(filepath.Join(folder, sub[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	answers, index, largest, total := 0, 0, int64(0), int64(0)
	for _, f := range files {
		i, _ := f.Info()
		largest, total = max(largest, i.Size()), total+i.Size()
		if strings.HasPrefix(f.Name(), "index-") {
			index++
		} else {
			answers++
		}
	}
	if index != 10 || answers < 100 || largest > 3<<20 {
		t.Errorf("%d index files, %d of answers, the largest %d bytes", index, answers, largest)
	}
	t.Logf("100,000 answers: page %d KB, %d side files, %d KB, the largest %d KB", info.Size()>>10, len(files), total>>10, largest>>10)
}

// The drawn set does not depend on the order of records, and failed answers are in it.
func TestEmbedded(t *testing.T) {
	r := build(t, report.Options{Embed: 10}, t.TempDir(), town.seq())
	if r.Folder() == "" {
		t.Error("1,440 answers have side files")
	}
	if build(t, report.Options{Embed: 1000}, t.TempDir(), town.seq()).Folder() != "" {
		t.Error("a run that fits the page has none")
	}
}

func TestLatencyJSON(t *testing.T) {
	r := build(t, report.Options{}, "", town.seq())
	b, err := codec.Append(nil, r, codec.Compact)
	if err != nil {
		t.Fatal(err)
	}
	var form struct {
		Datasets []struct {
			Systems []struct {
				Retrieve struct {
					N    int          `json:"n"`
					Bins [][2]float64 `json:"bins"`
				} `json:"retrieve_ms"`
			} `json:"systems"`
		} `json:"datasets"`
	}
	if err := json.Unmarshal(b, &form); err != nil {
		t.Fatal(err)
	}
	for _, s := range form.Datasets[0].Systems {
		sum := 0.0
		for _, x := range s.Retrieve.Bins {
			sum += x[1]
		}
		if s.Retrieve.N != 180 || sum != 180 {
			t.Errorf("%d latencies, %v in bins", s.Retrieve.N, sum)
		}
	}
}

// The headline says who is ahead only where the questions show it, and nothing is bold that
// the intervals do not show.
func TestHeadline(t *testing.T) {
	far := build(t, report.Options{}, "", invention{systems: []string{"oracle", "fused", "embedding-only", "null"}, dataset: "town", cases: 12, questions: 20}.seq())
	if l := far.Datasets[0].Lead; l == nil || !l.Ahead() || l.First != "fused" || *l.Lo <= 0 || l.Cases != 12 {
		t.Errorf("a lead of twenty points: %+v", l)
	}
	if md := markdown(t, far, "en"); !strings.Contains(md, "**fused is ahead of embedding-only by ") || !strings.Contains(md, "| fused | **") {
		t.Errorf("the headline:\n%s", md[:900])
	}
	near := build(t, report.Options{}, "", invention{systems: []string{"fused", "图谱记忆", "bm25"}, dataset: "town", cases: 3, questions: 8}.seq())
	l := near.Datasets[0].Lead
	if l == nil || l.Shown || l.Ahead() || l.Lo == nil || *l.Lo > 0 || *l.Hi < 0 || len(l.Close) != 2 {
		t.Fatalf("systems that are alike: %+v", l)
	}
	md := markdown(t, near, "en")
	if !strings.Contains(md, "No memory system is shown to be ahead.") || !strings.Contains(md, "Also not separated from it: ") {
		t.Errorf("the headline:\n%s", md[:900])
	}
	if _, after, ok := strings.Cut(md, "| System | Overall"); !ok || strings.Contains(after, "| **") {
		t.Errorf("something is bold although no interval shows it:\n%s", md)
	}
	other := build(t, report.Options{}, "", schema.Observe(invention{systems: []string{"fused", "embedding-only"}, dataset: "town", cases: 12, questions: 20}.seq(), func(q *schema.QARecord) {
		if q.System == "fused" {
			q.By = "itself"
		}
	}))
	if md := markdown(t, other, "en"); other.Datasets[0].Lead.Ahead() || !strings.Contains(md, "**fused, embedding-only are not comparable") || !strings.Contains(md, "reader differs: fused itself ") || strings.Contains(md, "| **") {
		t.Errorf("runs of two readers:\n%s", md[:900])
	}
	// One that answers itself takes the comparison of the others away from nobody.
	apart := build(t, report.Options{}, "", schema.Observe(invention{systems: []string{"图谱记忆", "fused", "embedding-only"}, dataset: "town", cases: 12, questions: 20}.seq(), func(q *schema.QARecord) {
		if q.System == "图谱记忆" {
			q.By = "itself"
		}
	}))
	if md := markdown(t, apart, "en"); !apart.Datasets[0].Lead.Ahead() || !strings.Contains(md, "**fused is ahead of embedding-only by ") || !strings.Contains(md, "Not comparable with these, and left out: 图谱记忆. reader differs: ") || strings.Contains(md, "| 图谱记忆 | **") {
		t.Errorf("a third run of another reader:\n%s", md[:900])
	}
	alone := build(t, report.Options{}, "", invention{systems: []string{"oracle", "bm25"}, dataset: "town", cases: 2, questions: 4}.seq())
	if md := markdown(t, alone, "zh"); !strings.Contains(md, "没有其他记忆系统可比较") {
		t.Errorf("the headline:\n%s", md[:600])
	}
	failed := build(t, report.Options{}, "", schema.Observe(invention{systems: []string{"bm25"}, dataset: "town", cases: 2, questions: 4}.seq(), func(q *schema.QARecord) {
		for i := range q.Grades {
			if g := &q.Grades[i]; g.Score != nil && *g.Score == 0 {
				q.Outcome, g.Outcome, g.Score, g.Label = schema.OutcomeError, schema.GradeNotAnswered, nil, ""
			}
		}
	}))
	if md := markdown(t, failed, "en"); !regexp.MustCompile(`bm25 scores 100\.0% of the (\d+) scored answers \((\d+) are not scored; with those as wrong \d+\.\d%\)`).MatchString(md) {
		t.Errorf("wrong answers that ended in errors:\n%s", md[:600])
	}
	// One that answers only what it knows and fails else is not above one that answers everything.
	crash := build(t, report.Options{}, "", schema.Observe(invention{systems: []string{"fused", "crash"}, dataset: "town", cases: 12, questions: 20}.seq(), func(q *schema.QARecord) {
		for i := range q.Grades {
			g := &q.Grades[i]
			if one := 1.0; q.System == "crash" && g.Score != nil {
				g.Score = &one
			}
			if q.System == "crash" && q.CaseID > "case-02" {
				q.By, q.Outcome, g.Outcome, g.Score, g.Label = "", schema.OutcomeError, schema.GradeNotAnswered, nil, ""
			}
		}
	}))
	if d := &crash.Datasets[0]; d.Systems[0].Name() != "fused" || d.Lead.First != "fused" || d.Lead.Ahead() || len(d.Lead.Differ) != 0 || *d.Lead.Difference >= 0 {
		t.Errorf("errors in place of wrong answers lead: %+v, %v", d.Lead, d.Systems[0].Name())
	}
	// The main table shows what the order uses, and the plot the same.
	rows := regexp.MustCompile(`\| (fused|crash) \| \*?\*?(\d+\.\d)%`).FindAllStringSubmatch(markdown(t, crash, "en"), -1)
	if strict := regexp.MustCompile(`crash 100[^;]*; with those as wrong (\d+\.\d)%`).FindStringSubmatch(markdown(t, crash, "en")); len(rows) < 2 || strict == nil || rows[0][1] != "fused" || rows[1][1] != "crash" || rows[1][2] != strict[1] {
		t.Errorf("the main table has %v, want crash second with %v", rows, strict)
	}
	if md := markdown(t, crash, "en"); !regexp.MustCompile(`No memory system is shown to be ahead\. fused scores \d+\.\d%[^,]*, crash 100\.0% of the \d+ scored answers \(\d+ are not scored; with those as wrong \d+\.\d%\); over the questions scored for both crash is ahead by \d+\.\d points \(95 % interval -\d`).MatchString(md) {
		t.Errorf("the headline:\n%s", md[:900])
	}
	none := build(t, report.Options{}, "", invention{systems: []string{"oracle"}, dataset: "town", cases: 2, questions: 4}.seq())
	if md := markdown(t, none, "en"); !strings.Contains(md, "No memory system was graded on this data set.") {
		t.Errorf("the headline:\n%s", md[:600])
	}
}
