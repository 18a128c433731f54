package records_test

import (
	"os"
	"path/filepath"
	"testing"

	"membench/eval/records"
	"membench/internal/build"
	"membench/schema"
)

// TestAsRun: a system whose hits name no turn anywhere has no evidence recall; one that names turns for some hits keeps its zero. The manifest knows a system's
// type under any name.
func TestAsRun(t *testing.T) {
	dir := t.TempDir()
	line := func(system, question, hits string) string {
		return `{"system":"` + system + `","dataset":"d","case_id":"c","question_id":"` + question + `","question":"Who?","gold":"Ana","category":"IE","raw_category":"IE","evidence":[{"conv_id":"c","turn_id":1}],"k":3,"hits":[` + hits +
			`],"answer":"Ana","by":"rule","outcome":"answered","grades":[{"protocol":"rule@1","by":"rule","score":1,"outcome":"scored"},{"protocol":"evidence-recall@1","by":"rule","score":0,"outcome":"scored","parts":{"recall@1":0}}]}` + "\n"
	}
	bare := `{"rank":1,"id":"m","score":1,"text":"the \"sources\": [of] it"}`
	named := `{"rank":1,"id":"m","score":1,"text":"it","sources":[{"conv_id":"c","turn_id":2}]}`
	text := line("best", "q1", bare) + line("oracle", "q1", "") + line("names", "q1", bare) + line("best", "q2", `{"rank":1,"id":"m","score":1,"text":"it","sources":[]}`) + line("names", "q2", named) + line("oracle", "q2", named) + line("empty", "q1", "")
	if err := os.WriteFile(filepath.Join(dir, records.QAFile), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	options, err := schema.NewObject(map[string]string{"system best": "oracle 1  57fa", "system names": "names 1.0 beta fixed 57fb", "system oracle": "oracle 2 of 3 process 57fc", "systems": "best, names, oracle"})
	if err != nil {
		t.Fatal(err)
	}
	if err := build.WriteManifest(filepath.Join(dir, "manifest.json"), schema.Manifest{Options: options, Counts: map[string]int{"questions": 7}}); err != nil {
		t.Fatal(err)
	}
	types := map[string]string{"best": "oracle", "names": "", "oracle": "process"}
	n := 0
	for r, err := range records.QA(t.Context(), nil, filepath.Join(dir, records.QAFile)) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if r.V.System == "empty" { // it showed nothing, so it found nothing
			if r.V.Unnamed || r.V.Grades[1].Score == nil {
				t.Errorf("%+v", r.V)
			}
			continue
		}
		unnamed := r.V.System == "best"
		g := r.V.Grades[1]
		if r.V.Type != types[r.V.System] || r.V.Unnamed != unnamed || (g.Outcome == schema.GradeNA && g.Score == nil && g.Parts == nil) != unnamed || (g.Outcome == schema.GradeScored) == unnamed || *r.V.Grades[0].Score != 1 {
			t.Errorf("%+v", r.V)
		}
	}
	if n != 7 {
		t.Errorf("%d records", n)
	}
}
