//go:build !windows

package cli

import (
	"fmt"
	"io/fs"
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
	result := func() map[string]string { return evalFiles(t, filepath.Join(dir, "out")) }
	want := result()
	for _, name := range []string{"pipeline_qa.jsonl", "qa_records.jsonl", "session_records.jsonl", "summary.jsonl", "report.html", "journal/steps/report.json"} {
		if _, ok := want[name]; !ok {
			t.Fatalf("%s is not there", name)
		}
	}
	most := 20
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

// evalFiles are a run's files but for when it was started.
func evalFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := files(t, dir)
	delete(all, "journal/start.json")
	for name, text := range all {
		if strings.HasPrefix(name, "journal/steps/") {
			all[name] = ""
		}
		if name == "manifest.json" || strings.HasPrefix(name, "report") {
			all[name] = startTime.ReplaceAllString(text, "NOW")
		}
	}
	return all
}

// TestKilledStateful kills a run over five systems whose memory an exchange can change as a
// whole (queues, tiers, segments, decaying weights, a graph), while their sessions are
// stored and their questions asked; the next start gives the files of an undisturbed run.
func TestKilledStateful(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	var cases strings.Builder
	for c := range 4 {
		fmt.Fprintf(&cases, `{"case_id":"c%d","dataset":"made","conv_id":"c%d","unit":"turn","speakers":["Ana","Ben"],"sessions":[`, c, c)
		for s := range 5 {
			if s > 0 {
				cases.WriteString(",")
			}
			fmt.Fprintf(&cases, `{"session_id":"s%d","time":"2024-0%d-01T10:00:00Z","turns":[{"turn_id":%d,"role":"user","name":"Ana","text":"My sister Ines planted %d apple trees near Porto in week %d."},{"turn_id":%d,"role":"assistant","name":"Ben","text":"So %d trees in week %d."}]}`, s, s+1, 2*s+1, 3+s+c, s, 2*s+2, 3+s+c, s)
		}
		fmt.Fprintf(&cases, `],"questions":[{"question_id":"c%d/q/0","question":"Who planted apple trees near Porto?","answer":"Ines","category":"IE","raw_category":"IE","as_of":"2024-09-01"}]}`+"\n", c)
	}
	put(t, filepath.Join(dir, "in"), map[string]string{"cases.jsonl": cases.String()})
	args := []string{"eval", "run", "in/cases.jsonl", "--system", "GAMemory,MGMemory,memoryos,pcm,graphmem", "-o", "out", "--no-times", "--snapshots", "-p", "rule"}
	if r := membench(t, dir, args...); r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	out := filepath.Join(dir, "out")
	want := evalFiles(t, out)
	size := func() (n int64) {
		filepath.WalkDir(out, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				if i, err := d.Info(); err == nil {
					n += i.Size()
				}
			}
			return nil
		})
		return n
	}
	whole, killed := size(), 0
	for part := range int64(5) {
		put(t, out, nil)
		c := start(t, dir, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		for over := false; !over; {
			select {
			case <-ended:
				over = true
			case <-time.After(time.Millisecond):
				if size() > whole*(part+1)/10 {
					c.Process.Kill()
					<-ended
					over, killed = true, killed+1
				}
			}
		}
		if r := membench(t, dir, args...); r.code != 0 {
			t.Fatalf("killed after %d tenths: exit code %d\n%s", part+1, r.code, r.stderr)
		}
		if d := sameFiles(evalFiles(t, out), want); d != "" {
			t.Fatalf("killed after %d tenths: %s", part+1, d)
		}
	}
	if killed < 3 {
		t.Errorf("%d of 5 runs were killed: the test shows too little", killed)
	}
}
