package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/cypher/browser"
	"membench/internal/codec"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
)

// demoGraph is a small graph of invented dialogue.
const demoGraph = "../graphir/view/testdata/demo"

// demoFailures writes a run over the demo's conversations in which four questions
// failed, each at another place of its graph.
func demoFailures(t *testing.T, dir string) {
	t.Helper()
	zero := 0.
	turn := func(conv string, n int, text string) schema.Case {
		return schema.Case{ID: fmt.Sprintf("%s-%d", conv, n), Dataset: "demo", ConvID: schema.ConvID(conv), Unit: schema.UnitTurn,
			Sessions: []schema.Session{{ID: "S1", Turns: []schema.CaseTurn{{TurnID: n, Role: "user", Text: text}}}}, Questions: []schema.Question{}}
	}
	var cases, qa, sessions []any
	for _, x := range []struct {
		c                      schema.Case
		question, gold, answer string
		hit                    string
	}{
		{turn("ch01", 1, "晚上写东西的时候，我一般喝乌龙茶。"), "林晚上写作时以前喝什么？", "乌龙茶", "大麦茶", "用户晚上改喝大麦茶，不再喝乌龙茶"},
		{turn("ch01", 2, "乌龙茶提神，又不像咖啡那样让人心慌。"), "喝乌龙茶有什么好处？", "提神", "不知道", "用户晚上写作时喝乌龙茶"},
		{turn("ch04", 1, "I keep coming back to slow detective stories, the ones where nobody runs."), "Which stories does Sam return to?", "slow detective stories", "The Quiet Harbour", "Sam finished The Quiet Harbour"},
		{turn("ch04", 99, "The lighthouse closes in April."), "When does the lighthouse close?", "April", "I don't know", "Sam finished The Quiet Harbour"},
	} {
		cases = append(cases, x.c)
		sessions = append(sessions, schema.SessionRecord{System: "toy", Dataset: "demo", CaseID: x.c.ID, SessionID: "S1", Turns: 1, Outcome: schema.OutcomeAnswered})
		qa = append(qa, schema.QARecord{System: "toy", Dataset: "demo", CaseID: x.c.ID, QuestionID: "q1", Question: x.question, Gold: x.gold, Category: schema.CatIE, RawCategory: "1", K: 1,
			Evidence: []schema.EventRef{{ConvID: x.c.ConvID, TurnID: x.c.Sessions[0].Turns[0].TurnID}}, Hits: []schema.QAHit{{Rank: 1, ID: "p1", Text: x.hit, Score: 1}},
			Context: x.hit, Answer: x.answer, By: schema.ByRule, Outcome: schema.OutcomeAnswered, Grades: []schema.Grade{{Protocol: "rule@1", By: schema.ByRule, Score: &zero, Outcome: schema.GradeScored}}})
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, records := range map[string][]any{"cases.jsonl": cases, "qa_records.jsonl": qa, "session_records.jsonl": sessions} {
		var b []byte
		for _, r := range records {
			var err error
			if b, err = codec.Append(b, r, codec.Compact); err != nil {
				t.Fatal(err)
			}
			b = append(b, '\n')
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func breaks(t *testing.T, file string) (out []string) {
	t.Helper()
	for r, err := range jsonl.Files[schema.QARecord]([]string{file}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if a := r.V.Attribution; a != nil {
			out = append(out, a.Break)
		} else {
			out = append(out, "")
		}
	}
	return out
}

var demoBreaks = []string{schema.BreakSuperseded, schema.BreakMemory, schema.BreakRank, schema.BreakTurn}

// The same places by the folder of the graph; what is written is a sound graph beside it.
func TestExplainGraph(t *testing.T) {
	dir := t.TempDir()
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "failures")
	demoFailures(t, run)
	mustRun(t, "eval", "explain", run, "--graph", demoGraph, "--graph-out", out)
	if got := breaks(t, filepath.Join(run, "qa_records.jsonl")); !slices.Equal(got, demoBreaks) {
		t.Errorf("have %q, want %q", got, demoBreaks)
	}
	var nodes, edges int
	for e, err := range jsonl.Files[schema.Element]([]string{filepath.Join(out, "nodes.jsonl"), filepath.Join(out, "edges.jsonl")}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if e.V.Node != nil {
			nodes++
		} else {
			edges++
		}
	}
	if nodes != 4 || edges < 10 {
		t.Errorf("%d nodes and %d edges", nodes, edges)
	}
	// Laid together they validate.
	both := filepath.Join(dir, "both")
	if err := os.MkdirAll(both, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nodes.jsonl", "edges.jsonl"} {
		var text strings.Builder
		for _, from := range []string{demoGraph, out} {
			b, err := os.ReadFile(filepath.Join(from, name))
			if err != nil {
				t.Fatal(err)
			}
			text.Write(b)
		}
		if err := os.WriteFile(filepath.Join(both, name), []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, "validate", both)
}

// A real server: the graph is loaded, walked over Bolt, and the failures are loaded next
// to it; the saved queries draw them.
func TestExplainNeo4j(t *testing.T) {
	t.Parallel()
	exttest.Need(t, "java", exttest.Neo4jLib())
	uri, done, err := emptyNeo4j()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	dir := t.TempDir()
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "failures")
	demoFailures(t, run)
	mustRun(t, "load-neo4j", demoGraph, "--uri", uri)
	mustRun(t, "eval", "explain", run, "--graph", uri, "--graph-out", out)
	if got := breaks(t, filepath.Join(run, "qa_records.jsonl")); !slices.Equal(got, demoBreaks) {
		t.Errorf("over Bolt: have %q, want %q", got, demoBreaks)
	}
	mustRun(t, "load-neo4j", out, "--uri", uri, "--verify")
	mustRun(t, "load-neo4j", out, "--uri", uri) // again changes nothing
	cat, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, q := range browser.Queries(cat, "") {
		if _, name, _ := strings.Cut(q.Name, "-"); strings.HasPrefix(name, "failures") {
			rows[name] = len(query(t, uri, q.Text))
		}
	}
	// One row a step and hit of the four; one row for each break.
	if rows["failures"] < 4 || rows["failures-by-break"] != 4 {
		t.Errorf("rows of the saved queries: %v", rows)
	}
	got := fmt.Sprint(query(t, uri, `MATCH (f:Failure {break: 'superseded_wrongly'})-[:BROKE_AT]->(c:Claim)-[:EVIDENCED_BY]->(m)-[:FROM_EVENT]->(e) RETURN f.answer, c.status, e.turn_id`))
	if got != "[[大麦茶 deprecated 1]]" {
		t.Errorf("from the failure to the turn: %s", got)
	}
}
