//go:build !windows

package cli

import (
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var startTime = regexp.MustCompile(time.Now().UTC().Format("2006-") + `\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// `membench eval` killed before the steps it takes on the file system: while the cases
// are kept, while it asks, while the files of the run are put together, and in and between
// grading, explaining, summing up and reporting. The next start gives the files of an
// undisturbed run. (eval/run kills inside ingest, retrieval and reading, 200 times.)
func TestKilledEval(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	script, err := txtar.ParseFile("testdata/script/eval-run.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range script.Files {
		put(t, filepath.Join(dir, "in"), map[string]string{f.Name: string(f.Data)})
	}
	args := []string{"eval", "--dataset", "in/cases.jsonl", "--system", "bm25,abstain", "-o", "out", "--no-times", "--snapshots"}
	steps := filepath.Join(dir, "steps")
	c := start(t, dir, args...)
	c.Env = append(c.Env, "TEST_STEPS="+steps)
	if r := finish1(t, c); r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	result := func() map[string]string {
		all := files(t, filepath.Join(dir, "out"))
		delete(all, "journal/start.json")
		for name, text := range all { // when it was started stands in some
			if strings.HasPrefix(name, "journal/steps/") {
				all[name] = ""
			}
			if name == "manifest.json" || strings.HasPrefix(name, "report") {
				all[name] = startTime.ReplaceAllString(text, "NOW")
			}
		}
		return all
	}
	want := result()
	for _, name := range []string{"pipeline_qa.jsonl", "qa_records.jsonl", "session_records.jsonl", "summary.jsonl", "report.html", "journal/steps/report.json"} {
		if _, ok := want[name]; !ok {
			t.Fatalf("%s is not there", name)
		}
	}
	most := 40
	if testing.Short() {
		most = 6
	}
	points, n := stepPoints(t, rand.New(rand.NewPCG(5, 8)), steps, most)
	killed := 0
	for _, p := range points {
		put(t, filepath.Join(dir, "out"), nil)
		if killAt(t, start(t, dir, args...), p) {
			killed++
		}
		if r := membench(t, dir, args...); r.code != 0 {
			t.Fatalf("killed at %d: exit code %d\n%s", p, r.code, r.stderr)
		}
		if d := sameFiles(result(), want); d != "" {
			t.Fatalf("killed at step %d of %d: %s", p, n, d)
		}
	}
	t.Logf("killed at %d of %d steps", killed, n)
	if killed == 0 {
		t.Error("no run was killed: the test shows nothing")
	}
}
