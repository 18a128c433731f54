package aggregate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"membench/eval/aggregate"
	"membench/internal/stats"
	"membench/schema"
)

func graded(c, id, raw string, grades ...schema.Grade) schema.QARecord {
	cat := map[string]string{"1": schema.CatMR, "4": schema.CatIE, "5": schema.CatABS}[raw]
	return schema.QARecord{System: "s", Dataset: "locomo", CaseID: c, QuestionID: id, Gold: "g", Category: cat, RawCategory: raw, By: "rule", Outcome: schema.OutcomeAnswered, Answer: "four", Grades: grades}
}

func g(protocol string, score float64) schema.Grade {
	return schema.Grade{Protocol: protocol, By: "rule", Score: &score, Outcome: schema.GradeScored}
}

func without(protocol, outcome string) schema.Grade {
	return schema.Grade{Protocol: protocol, By: "rule", Outcome: outcome}
}

func summarize(t *testing.T, o aggregate.Options, recs ...schema.QARecord) schema.Summary {
	t.Helper()
	a := aggregate.New(o)
	for _, r := range recs {
		a.Add(&r)
	}
	all := a.Summaries()
	if len(all) != 1 {
		t.Fatalf("%d summaries", len(all))
	}
	return all[0]
}

func near(t *testing.T, what string, have *float64, want float64) {
	t.Helper()
	if have == nil || math.Abs(*have-want) > 1e-12 {
		t.Errorf("%s: have %v, want %v", what, have, want)
	}
}

// TestWidth: what a system returns is held against what it was given. A hit of all turns and a context of all characters are marked, ordinary hits, hits
// of an imported run, whose dialogue is unknown, and a dialogue that is no larger than k are not.
func TestWidth(t *testing.T) {
	dialogue := strings.Repeat("Ana moved to Porto. ", 30)
	ask := func(turns, k int, hits []schema.QAHit, context string) schema.QARecord {
		r := graded("c1", "a", "4", g("em@1", 1))
		r.K, r.Hits, r.Context, r.Given = k, hits, context, &schema.Extent{Turns: turns, Chars: len(dialogue)}
		return r
	}
	hits := func(n, sources int) []schema.QAHit {
		out := make([]schema.QAHit, n)
		for i := range out {
			for j := range sources {
				out[i].Sources = append(out[i].Sources, schema.EventRef{ConvID: "c", TurnID: 1 + i*sources + j})
			}
		}
		return out
	}
	unknown := ask(30, 5, hits(5, 1), dialogue)
	unknown.Given = nil
	// Each of 22 turns is short; a line of the context has its rank, its time and its speaker.
	short := func(k int, spoken bool) schema.QARecord {
		var context []string
		found := hits(k, 1)
		for i := range found {
			found[i].Rank, found[i].Text = i+1, fmt.Sprintf("Ana: a short turn %02d", i)
			context = append(context, fmt.Sprintf("[%d] 2025-01-06T09:00:00Z %s", i+1, found[i].Text))
		}
		r := ask(22, k, found, strings.Join(context, "\n"))
		r.Given.Chars = 22 * len("a short turn 00")
		if spoken {
			r.Given.Spoken = 22 * len("Ana: a short turn 00")
		}
		return r
	}
	own := short(10, true)
	own.Context = strings.Repeat("Ana: a short turn 00\n", 22)
	for _, x := range []struct {
		name string
		r    schema.QARecord
		want string // the first words of the warnings
	}{
		{"no hits", ask(30, 5, nil, ""), "it returned no hit for any of 1 questions: its score is what the reader says without a memory; membench systems check tests how it is asked"},
		{"a program that answers by itself", ask(30, 0, nil, ""), ""},
		{"a hit a turn", ask(30, 5, hits(5, 1), dialogue[:100]), ""},
		{"one hit of all turns", ask(30, 5, hits(1, 30), dialogue[:100]), "a hit names 30 turns|it returns nearly all of its memory: 100 %"},
		{"wide hits", ask(300, 5, hits(5, 12), dialogue[:100]), "a hit names 12 turns"},
		{"all in the context of one hit", ask(30, 5, hits(1, 1), dialogue), "it returns nearly all of its memory: 100 %"},
		{"a program without hits", ask(30, 0, nil, dialogue[:len(dialogue)*9/10]), "it returns nearly all of its memory: 90 %"},
		{"as many hits as turns", ask(5, 5, hits(5, 1), dialogue), ""},
		{"nothing known of the dialogue", unknown, ""},
		{"short turns with ranks, times and names", short(10, true), ""},
		{"the same, recorded before names were counted", short(10, false), ""},
		{"two thirds of them", short(15, true), ""},
		{"nearly all of them", short(20, true), "it returns nearly all of its memory: 91 %"},
		{"all in a context of the system's own", own, "it returns nearly all of its memory: 100 %"},
	} {
		var have []string
		for _, w := range summarize(t, aggregate.Options{}, x.r).Warnings {
			at := len(w)
			for _, end := range []string{" (", " of the dialogue"} {
				if i := strings.Index(w, end); i > 0 {
					at = min(at, i)
				}
			}
			have = append(have, w[:at])
		}
		if strings.Join(have, "|") != x.want {
			t.Errorf("%s: %q, want %q", x.name, have, x.want)
		}
	}
}

// TestLeaks: hits whose sources are all of other conversations are counted; a hit of both, one without sources and a run whose conversations are unknown are not.
func TestLeaks(t *testing.T) {
	from := func(convs ...schema.ConvID) (h schema.QAHit) {
		for _, c := range convs {
			h.Sources = append(h.Sources, schema.EventRef{ConvID: c, TurnID: 1})
		}
		return h
	}
	ask := func(id string, conv schema.ConvID, hits ...schema.QAHit) schema.QARecord {
		r := graded("c1", id, "4", g("em@1", 1))
		r.K, r.Hits, r.Given = 5, hits, &schema.Extent{Turns: 90, Chars: 9000, ConvID: conv}
		return r
	}
	leaks := func(recs ...schema.QARecord) string {
		for _, w := range summarize(t, aggregate.Options{}, recs...).Warnings {
			if strings.HasPrefix(w, "hits of other conversations") || strings.HasPrefix(w, "hits that name") {
				return w
			}
		}
		return ""
	}
	of := ask("y", "y", from("y"))
	clean := ask("a", "x", from("x"), from("x", "y"), from())
	if w := leaks(clean, ask("b", "", from("y"))); w != "" {
		t.Error(w)
	}
	if w := leaks(clean, ask("b", "x", from("y"), from("x"), from("y", "z")), ask("c", "x", from("y")), of); !strings.Contains(w, "users apart") || !strings.Contains(w, ": 3 in 2 questions;") {
		t.Errorf("have %q", w)
	}
	if w := leaks(clean, ask("b", "x", from("nope"), from("x"), from("none")), of); !strings.Contains(w, "which were not sent: 2 in 1 questions;") {
		t.Errorf("turns of a conversation that there is not: have %q", w)
	}
}

// TestRightWithoutEvidence: most right answers without any of their evidence make the evidence doubtful; a few, or wrong answers, do not.
func TestRightWithoutEvidence(t *testing.T) {
	for _, c := range []struct {
		answers, right, none int
		want                 string
	}{{12, 10, 10, "10 of 10 right answers were given without"}, {40, 30, 8, ""}, {40, 2, 2, ""}} {
		var recs []schema.QARecord
		for i := range c.answers {
			verdict, found := 0.0, 1.0
			if i < c.right {
				verdict = 1
			}
			if i < c.none || i >= c.right {
				found = 0
			}
			recs = append(recs, graded("c1", fmt.Sprint("q", i), "4", g("rule@2", verdict), g("evidence-recall@1", found)))
		}
		said := strings.Join(summarize(t, aggregate.Options{}, recs...).Warnings, "\n")
		if strings.Contains(said, "without any of their evidence") != (c.want != "") || !strings.Contains(said, c.want) {
			t.Errorf("%+v: %s", c, said)
		}
	}
}

// Every way in which a question may end, by hand: 4 scored (3 right) in categories 1
// and 4, one judge failure, one that the protocol does not score, one of category 5.
func TestDenominators(t *testing.T) {
	s := summarize(t, aggregate.Options{Declared: 10},
		graded("c1", "a", "1", g("em@1", 1)), graded("c1", "b", "1", g("em@1", 0)), graded("c2", "c", "4", g("em@1", 1)), graded("c2", "d", "4", g("em@1", 1)),
		graded("c2", "e", "4", without("em@1", schema.GradeJudgeFailed)), graded("c2", "f", "4", without("em@1", schema.GradeNA)), graded("c2", "h", "5", g("em@1", 0)))
	sc := s.Scores[0]
	f := sc.Overall
	if f.N != 4 || f.Unscored != 1 || f.Clusters != 2 || !sc.Binary || len(sc.Apart) != 1 || sc.Apart[0] != "5" {
		t.Errorf("%+v, apart %v", f, sc.Apart)
	}
	near(t, "value", f.Value, 0.75)
	near(t, "strict", f.Strict, 0.6)
	near(t, "macro", sc.Macro, 0.75) // (0.5 + 1) / 2, category 5 left out
	w := stats.Wilson(3, 4, 0.95)
	near(t, "lo", f.Lo, w.Lo)
	near(t, "hi", f.Hi, w.Hi)
	near(t, "coverage", s.Coverage, 0.7)
	if got := fmt.Sprint(sc.Outcomes); got != "map[judge_failed:1 not_applicable:1 scored:5]" {
		t.Error(got)
	}
	if len(s.Warnings) != 2 || !strings.Contains(s.Warnings[0], "3 of the 10 declared") || !strings.Contains(s.Warnings[1], "2 cases") {
		t.Errorf("%q", s.Warnings)
	}
	var cats []string
	for _, c := range sc.Categories {
		cats = append(cats, c.Category)
	}
	if fmt.Sprint(cats) != "[IE MR ABS]" || len(sc.RawCategories) != 3 || sc.RawCategories[2].Figure.N != 1 {
		t.Errorf("%v, %+v", cats, sc.RawCategories)
	}
}

// Nothing scored is null, not 0; a run that failed wholly is a strict 0.
func TestNothingScored(t *testing.T) {
	r := graded("c", "a", "1", without("em@1", schema.GradeNotAnswered))
	r.Outcome = schema.OutcomeError
	f := summarize(t, aggregate.Options{}, r).Scores[0].Overall
	if f.Value != nil || f.Lo != nil || f.ClusterLo != nil || f.N != 0 || f.Unscored != 1 || f.Strict == nil || *f.Strict != 0 {
		t.Errorf("%+v", f)
	}
	if s := summarize(t, aggregate.Options{}, graded("c", "a", "1")); len(s.Scores) != 0 || len(s.Warnings) != 1 {
		t.Errorf("%+v", s)
	}
}

// Repeats: the mean over all answers, n questions, and both standard deviations over
// the repeats' means.
func TestRepeats(t *testing.T) {
	var recs []schema.QARecord
	for rep, scores := range [][]float64{{1, 1}, {1, 0}, {0, 0}} {
		for i, x := range scores {
			r := graded("c", string(rune('a'+i)), "1", g("em@1", x))
			r.Repeat = rep
			recs = append(recs, r)
		}
	}
	s := summarize(t, aggregate.Options{}, recs...)
	sc := s.Scores[0]
	if s.Questions != 2 || s.Repeats != 3 || sc.Overall.N != 2 {
		t.Errorf("%d questions, %d repeats, n %d", s.Questions, s.Repeats, sc.Overall.N)
	}
	near(t, "value", sc.Overall.Value, 0.5)
	near(t, "population", sc.Repeats.StdPopulation, math.Sqrt(0.5/3))
	near(t, "sample", sc.Repeats.StdSample, 0.5)
}

// The order of keyed records never changes an output byte.
func TestOrderDoesNotCount(t *testing.T) {
	var recs []schema.QARecord
	for i := range 200 {
		recs = append(recs, graded(fmt.Sprint("c", i%7), fmt.Sprint("q", i), []string{"1", "4", "5"}[i%3], g("f1@1", float64(i%10)/10), g("em@1", float64(i%2))))
	}
	text := func() string {
		b, err := json.Marshal(summarize(t, aggregate.Options{}, recs...))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first := text()
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(recs), func(i, j int) { recs[i], recs[j] = recs[j], recs[i] })
	if text() != first {
		t.Error("shuffled records give another summary")
	}
}

func sg(judge, label string, score float64, update bool) schema.SessionGrade {
	return schema.SessionGrade{Judge: judge, By: "rule", Label: label, Score: &score, Outcome: schema.GradeScored, Update: update}
}

// The six dimensions by hand: the first two are means over sessions, so that a session
// of one point weighs as much as one of three; the others are pooled.
func TestSixDimensions(t *testing.T) {
	a := aggregate.New(aggregate.Options{})
	for i, grades := range [][]schema.SessionGrade{
		{sg("recall", "covered", 1, false), sg("recall", "missed", 0, false), sg("recall", "missed", 0, true), sg("correctness", "correct", 1, false), sg("correctness", "hallucination", 0, false),
			sg("update", "updated", 1, true), sg("update", "both", 0.5, true), sg("interference", "rejected", 1, false)},
		{sg("recall", "covered", 1, true), sg("correctness", "irrelevant", 0, false), sg("update", "outdated", 0, true), sg("interference", "memorized", 0, false), sg("interference", "rejected", 1, false),
			{Judge: "recall", By: "rule", Outcome: schema.GradeJudgeFailed}},
		{}, // nothing graded: no session of any mean
	} {
		a.AddSession(schema.Record[schema.SessionRecord]{V: schema.SessionRecord{System: "s", Dataset: "d", CaseID: "c", SessionID: fmt.Sprint(i), Grades: grades}})
	}
	for i, label := range []string{"Correct", "Correct", "Hallucination", "Omission", "CORRECT"} {
		x := g("qa@1", 0)
		x.Label = label
		if i < 2 {
			x.Parts = map[string]float64{aggregate.PartGold: 4, aggregate.PartCovered: float64(3 - i)}
		}
		q := graded("c", fmt.Sprint(i), "1", x)
		q.Dataset = "d"
		a.Add(&q)
	}
	m := a.Summaries()[0].Metrics
	near(t, "avg_recall", m.MemoryRecall.AvgRecall, (1.0/3+1)/2)
	near(t, "avg_update_recall", m.MemoryRecall.AvgUpdateRecall, 0.5)
	near(t, "avg_correctness", m.MemoryCorrectness.AvgCorrectness, 0.25)
	near(t, "avg_hallucination", m.MemoryCorrectness.AvgHallucination, 0.25)
	near(t, "update score", m.UpdateHandling.Score, 0.5)
	near(t, "interference score", m.InterferenceRejection.Score, 2.0/3)
	near(t, "correct_ratio", m.QuestionAnswering.CorrectRatio, 0.5)
	near(t, "hallucination_ratio", m.QuestionAnswering.HallucinationRatio, 0.25)
	near(t, "omission_ratio", m.QuestionAnswering.OmissionRatio, 0.25)
	near(t, "hit_rate", m.EvidenceCoverage.HitRate, 5.0/8)
	if m.BaselineID != "s" || m.MemoryRecall.Sessions != 2 || m.QuestionAnswering.Total != 4 || m.EvidenceCoverage.Total != 2 || m.InterferenceRejection.Total != 3 {
		t.Errorf("%+v", m)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"avg_recall", "avg_update_recall", "avg_correctness", "avg_hallucination", "score", "correct_ratio", "hallucination_ratio", "omission_ratio", "hit_rate"} {
		if !strings.Contains(string(b), `"`+key+`":`) {
			t.Errorf("no member %s, which seed 001 names", key)
		}
	}
}

// A model and its rule twin both graded: the model's verdicts are reported, and said
// to be, and the rule's are not added to them.
func TestJudgesAreNotMixed(t *testing.T) {
	byRule, byModel := g("domaina-answer@1", 0), g("domaina-answer@1", 1)
	byRule.Label, byModel.Label, byModel.By = "Omission", "Correct", "m"
	a := aggregate.New(aggregate.Options{})
	both := graded("c", "q", "1", byRule, byModel)
	a.Add(&both)
	one, two := sg("recall", "missed", 0, false), sg("recall", "covered", 1, false)
	two.By = "m"
	a.AddSession(schema.Record[schema.SessionRecord]{V: schema.SessionRecord{System: "s", Dataset: "locomo", CaseID: "c", SessionID: "1", Grades: []schema.SessionGrade{one, two}}})
	m := a.Summaries()[0].Metrics
	near(t, "correct_ratio", m.QuestionAnswering.CorrectRatio, 1)
	near(t, "avg_recall", m.MemoryRecall.AvgRecall, 1)
	if m.AnswersBy != "m" || m.SessionsBy != "m" || m.QuestionAnswering.Total != 1 {
		t.Errorf("%+v", m)
	}
}

func BenchmarkAggregate(b *testing.B) {
	recs := make([]schema.QARecord, 10_000)
	for i := range recs {
		recs[i] = graded(fmt.Sprint("c", i%10), fmt.Sprint("q", i), "1", g("em@1", float64(i%2)), g("f1@1", 0.5))
	}
	b.ReportAllocs()
	for b.Loop() {
		a := aggregate.New(aggregate.Options{})
		for i := range recs {
			a.Add(&recs[i])
		}
		a.Summaries()
	}
	b.ReportMetric(float64(len(recs))*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// Corrected golds by hand: of four questions one is right only by the corrected gold, one
// has no right answer any more. Category 5 stays apart of this figure, too.
func TestCorrectedGolds(t *testing.T) {
	now := func(x schema.Grade) schema.Grade { x.Gold = schema.GoldCorrected; return x }
	fix := func(r schema.QARecord) schema.QARecord {
		r.Errata = &schema.Erratum{Overlay: "list", Kind: "answer", Answer: "x"}
		return r
	}
	s := summarize(t, aggregate.Options{},
		graded("c1", "a", "1", g("em@1", 1)), graded("c1", "b", "4", g("em@1", 1)),
		fix(graded("c1", "c", "1", g("em@1", 0), now(g("em@1", 1)))), fix(graded("c2", "d", "4", g("em@1", 0), now(without("em@1", schema.GradeNA)))),
		fix(graded("c2", "e", "5", g("em@1", 0), now(g("em@1", 1)))))
	sc := s.Scores[0]
	near(t, "recorded", sc.Overall.Value, .5)
	c := sc.Corrected
	if c == nil || c.Questions != 1 || c.LeftOut != 1 || c.Overall.N != 3 || c.Overall.Clusters != 1 || fmt.Sprint(c.Overlays) != "[list]" {
		t.Fatalf("%+v", c)
	}
	near(t, "corrected", c.Overall.Value, 1)
	if sc.Outcomes[schema.GradeNA] != 0 || sc.Overall.N != 4 {
		t.Errorf("grades against corrected golds are in the recorded figure: %+v", sc)
	}
	if of := sc.RawCategories[0].Of; fmt.Sprint(of) != "[MR]" || fmt.Sprint(sc.Categories[0].Of) != "[4]" {
		t.Errorf("%v %v", of, sc.Categories[0].Of)
	}
	if plain := summarize(t, aggregate.Options{}, graded("c1", "a", "1", g("em@1", 1))); plain.Scores[0].Corrected != nil {
		t.Error("a corrected figure without corrections")
	}
}
