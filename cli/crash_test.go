//go:build !windows

package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Two seasons of a small project: the second changes a chapter, drops one and adds one.
var (
	crashFirst = map[string]string{
		"ch01_tea.norm.md": chapter("2026-03-01T20:00:00+08:00", "lin",
			"[U] 我最喜欢的作家是汪曾祺。", "[S] 那你今晚大概会看饿。", "[INJECT i_ch01_001][U] 我晚上写稿只喝普洱茶。", "[S] 茶水间有热水。", "[U] 我喜欢下雨天。"),
		"ch02_cat.norm.md": chapter("2026-03-02T20:00:00+08:00", "maya",
			"[U] I love jasmine tea.", "[S] There is a kettle in the corner.", "[U] My favourite author is Ursula Le Guin.", "[S] Good choice.", "[PROBE p_ch02_001][U] What tea do I love?"),
		"ch03_gone.norm.md": chapter("2026-03-03T20:00:00+08:00", "noor",
			"[U] I hate loud music.", "[S] It is quiet here.", "[U] 我最喜欢的颜色是绿色。"),
	}
	crashSecond = map[string]string{
		"ch01_tea.norm.md": chapter("2026-03-01T20:00:00+08:00", "lin",
			"[U] 我最喜欢的作家是刘慈欣。", "[S] 那你今晚大概会看饿。", "[INJECT i_ch01_001][U] 我晚上写稿只喝普洱茶。", "[S] 茶水间有热水。"),
		"ch02_cat.norm.md": crashFirst["ch02_cat.norm.md"],
		"ch04_new.norm.md": chapter("2026-03-04T20:00:00+08:00", "lin",
			"[U] 我讨厌咖啡。", "[S] 记下了。", "[PROBE p_ch04_001 <- i_ch01_001][U] 我晚上喝什么茶？"),
	}
)

const crashProject = `version: 1
name: crash
sources: [source]
scene: night_study
character: {id: lanxi, names: [岚汐]}
user: {id: lin, names: [我]}
agent: {id: lanxi}
now: 2026-04-12T09:00:00Z
`

func chapter(at, user string, lines ...string) string {
	return "# chapter\n\n```text\n@scene: night_study\n@character: lanxi\n@time: " + at + "\n@user: " + user + "\n\n" + strings.Join(lines, "\n") + "\n```\n"
}

// quickDir is a folder for many small files: in memory where the system offers that,
// as what matters here is the death of a process, not of the machine.
func quickDir(t testing.TB) string {
	t.Helper()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		if dir, err := os.MkdirTemp("/dev/shm", "membench-test-*"); err == nil {
			t.Cleanup(func() { os.RemoveAll(dir) })
			return dir
		}
	}
	return t.TempDir()
}

// program is the test binary under the name of membench; testscript puts it on PATH.
func program(t testing.TB) string {
	t.Helper()
	p, err := exec.LookPath("membench")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ran is what a process left.
type ran struct {
	code           int // -1: killed
	stdout, stderr string
}

// start prepares membench with args; the environment is that of the tests without
// what could decide an output.
func start(t testing.TB, dir string, args ...string) *exec.Cmd {
	c := exec.Command(program(t), args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "OPENAI_API_KEY=")
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	return c
}

func finish1(t testing.TB, c *exec.Cmd) ran {
	t.Helper()
	var out, words bytes.Buffer
	c.Stdout, c.Stderr = &out, &words
	err := c.Run()
	if err != nil && exitCodeOf(err) < 0 && c.ProcessState == nil {
		t.Fatal(err)
	}
	return ran{c.ProcessState.ExitCode(), out.String(), words.String()}
}

// membench runs to its end.
func membench(t testing.TB, dir string, args ...string) ran {
	t.Helper()
	return finish1(t, start(t, dir, args...))
}

// good runs to its end and wants exit code 0.
func good(t testing.TB, dir string, args ...string) ran {
	t.Helper()
	r := membench(t, dir, args...)
	if r.code != 0 {
		t.Fatalf("membench %s: exit code %d\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r
}

// files is every file below dir by its path there; those whose name starts with "."
// too. A folder that is absent has none.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) && p == dir {
			return fs.SkipAll
		}
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if d.IsDir() {
			if strings.Contains(d.Name(), ".tmp-") {
				out[rel+"/"] = ""
			}
			return nil
		}
		b, err := os.ReadFile(p)
		out[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// put makes dir hold exactly the given files.
func put(t testing.TB, dir string, have map[string]string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range have {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// sameFiles reports the first difference of two sets of files.
func sameFiles(have, want map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		h, ok := have[name]
		if !ok {
			return name + " is missing"
		}
		if h != want[name] {
			return fmt.Sprintf("%s differs:\n%s", name, firstDifference(h, want[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if _, ok := want[name]; !ok {
			return name + " should not be there"
		}
	}
	return ""
}

func firstDifference(have, want string) string {
	h, w := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range max(len(h), len(w)) {
		a, b := "(the end)", "(the end)"
		if i < len(h) {
			a = h[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			same := 0
			for same < min(len(a), len(b)) && a[same] == b[same] {
				same++
			}
			same = max(0, same-100)
			return fmt.Sprintf("line %d\nhave …%.300s\nwant …%.300s", i+1, a[same:], b[same:])
		}
	}
	return "nowhere"
}

func digestOfText(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// quote is s as a JSON string.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// A world holds what the stages of the chain read: the hops of crashFirst in first,
// of crashSecond in second, each made by an undisturbed chain.
type world struct{ dir, first, second string }

func newWorld(t testing.TB) world {
	t.Helper()
	w := world{dir: quickDir(t)}
	w.first, w.second = filepath.Join(w.dir, "first"), filepath.Join(w.dir, "second")
	for dir, source := range map[string]map[string]string{w.first: crashFirst, w.second: crashSecond} {
		put(t, filepath.Join(dir, "project", "source"), source)
		if err := os.WriteFile(filepath.Join(dir, "project", "membench.yaml"), []byte(crashProject), 0o644); err != nil {
			t.Fatal(err)
		}
		good(t, dir, "chain", "-c", "project/membench.yaml", "-o", "out")
	}
	return w
}

// A crashStage is a command that reads the folder in (of a world) and writes below
// "out" of the folder it runs in.
type crashStage struct {
	name string
	args func(in string) []string
	// appends says that *.jsonl files grow line by line and are whole at every line;
	// the manifest beside them is written at the start and at the end.
	appends bool
}

var crashStages = []crashStage{
	{name: "index", args: func(in string) []string { return []string{"index", in + "/project/source", "-o", "out/index.json"} }},
	{name: "annotate", args: func(in string) []string {
		return []string{"annotate", in + "/project/source", "--root", in + "/project", "-o", "out/events"}
	}},
	{name: "annotate-strict", args: func(in string) []string {
		return []string{"annotate", in + "/project/source", "--strict", "-o", "out/events"}
	}},
	{name: "compile", args: func(in string) []string { return []string{"compile", in + "/out/events", "-o", "out/events.jsonl"} }},
	{name: "ingest", appends: true, args: func(in string) []string {
		return []string{"replay", "ingest", in + "/out/events.jsonl", "--store", "out/store", "--now", "2026-03-01T12:00:00Z"}
	}},
	{name: "ingest-force", appends: true, args: func(in string) []string {
		return []string{"replay", "ingest", in + "/out/events.jsonl", "--store", "out/store", "--isolation", "per_conv", "--force", "--now", "2026-03-01T12:00:00Z"}
	}},
	{name: "probe", args: func(in string) []string {
		return []string{"replay", "probe", in + "/out/events.jsonl", "--store", in + "/out/store", "-o", "out/probes.jsonl"}
	}},
	{name: "replay-export", args: func(in string) []string {
		return []string{"replay", "export", "--store", in + "/out/store", "-o", "out/exports"}
	}},
	{name: "link", args: func(in string) []string {
		return []string{"replay", "link", in + "/out/exports", "--events", in + "/out/events.jsonl", "-o", "out/linked.jsonl"}
	}},
	{name: "claimify", args: func(in string) []string {
		return []string{"claimify", in + "/out/exports", "--prune", "-o", "out/by_conv"}
	}},
	{name: "compile-claims", args: func(in string) []string {
		return []string{"compile-claims", in + "/out/claims/by_conv", "-o", "out/compiled"}
	}},
	{name: "to-graph", args: func(in string) []string {
		return []string{"to-graph", "--events", in + "/out/events.jsonl", "--exports", in + "/out/exports", "--claims", in + "/out/claims/compiled", "--memory", "4K", "-o", "out/graph"}
	}},
	{name: "cypher", args: func(in string) []string { return []string{"cypher", in + "/out/graph", "-o", "out/cypher"} }},
	{name: "admin-csv", args: func(in string) []string {
		return []string{"export", in + "/out/graph", "--format", "admin-csv", "-o", "out/csv"}
	}},
	{name: "graphml", args: func(in string) []string {
		return []string{"export", in + "/out/graph", "--format", "graphml", "-o", "out/graph.graphml"}
	}},
	{name: "migrate", args: func(in string) []string {
		return []string{"migrate", in + "/out/claims/compiled", "--to", "0.0.1", "-o", "out/old"}
	}},
	{name: "view", args: func(in string) []string {
		return []string{"view", in + "/out/graph", "--title", "t", "-o", "out/graph.html"}
	}},
}

// killed counts over all tests of the file.
var killedAtSteps, killedAtTimes atomic.Int64

// killAt runs c, which is killed before its n-th step on the file system; false
// means that it had fewer.
func killAt(t testing.TB, c *exec.Cmd, n int) bool {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c.Env = append(c.Env, fmt.Sprintf("TEST_STOP_AT=%d", n))
	c.ExtraFiles = []*os.File{w}
	err = c.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	var b [1]byte
	if _, err := io.ReadFull(r, b[:]); err == nil {
		c.Process.Kill()
	}
	c.Wait()
	if c.ProcessState.ExitCode() >= 0 {
		return false
	}
	killedAtSteps.Add(1)
	return true
}

// killAfter runs c and kills it after d; false means that it had ended.
func killAfter(t testing.TB, c *exec.Cmd, d time.Duration) bool {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), d)
	defer stop()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer context.AfterFunc(ctx, func() { c.Process.Kill() })()
	c.Wait()
	if c.ProcessState.ExitCode() >= 0 {
		return false
	}
	killedAtTimes.Add(1)
	return true
}

// stepPoints draws at most most of the steps that are listed in the file, all with
// MEMBENCH_SOAK; of many writes to one file in a row it takes the first. n is how many
// steps there are.
func stepPoints(t *testing.T, rng *rand.Rand, list string, most int) (points []int, n int) {
	t.Helper()
	b, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(list)
	last := ""
	for line := range strings.Lines(string(b)) {
		if n++; line != last {
			points = append(points, n)
		}
		last = line
	}
	rng.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	if os.Getenv("MEMBENCH_SOAK") == "" {
		points = points[:min(len(points), most)]
	}
	return points, n
}

// whole reports a file that is neither as before nor as wanted.
func whole(have, old, want map[string]string, appends bool) string {
	for name, text := range have {
		base := filepath.Base(name)
		switch {
		case strings.Contains(name, ".tmp-"):
		case text == old[name] && old[name] != "", text == want[name]:
		case appends && strings.HasSuffix(name, ".jsonl") && strings.HasPrefix(want[name], text):
		case appends && base == "manifest.json" && strings.HasSuffix(text, "}\n"):
		case base == ".lock" || base == "lock" || base == ".begun":
		default:
			return fmt.Sprintf("%s is neither old nor new (sha256 %s, %d bytes)", name, digestOfText(text), len(text))
		}
	}
	return ""
}

// Killed before each step that a stage takes on the file system, and at random
// moments, with and without an older output in place: every file is whole, old or
// absent; the next run gives what an undisturbed one gives and leaves nothing aside.
func TestKilledStages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var wg sync.WaitGroup
	work := make(chan crashStage)
	for i := range 2 {
		wg.Go(func() {
			for s := range work {
				t.Run(s.name, func(t *testing.T) { killStage(t, w, s, uint64(i)) })
			}
		})
	}
	for _, s := range crashStages {
		work <- s
	}
	close(work)
	wg.Wait()
	t.Logf("killed at %d steps and %d random moments", killedAtSteps.Load(), killedAtTimes.Load())
}

func killStage(t *testing.T, w world, s crashStage, seed uint64) {
	dir := filepath.Join(w.dir, "stage-"+s.name)
	out := filepath.Join(dir, "out")
	put(t, dir, nil)
	good(t, dir, s.args(w.second)...)
	fresh := files(t, out)
	put(t, dir, nil)
	good(t, dir, s.args(w.first)...)
	first := files(t, out)
	steps := filepath.Join(dir, "steps")
	if s.name == "ingest" { // a store refuses other input
		first = nil
		put(t, out, nil)
	}
	c := start(t, dir, s.args(w.second)...)
	c.Env = append(c.Env, "TEST_STEPS="+steps)
	began := time.Now()
	if r := finish1(t, c); r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	took := time.Since(began)
	over := files(t, out)
	rng := rand.New(rand.NewPCG(seed, 4))
	points, n := stepPoints(t, rng, steps, 8)
	var old, want map[string]string
	check := func(how string) {
		t.Helper()
		if bad := whole(files(t, out), old, want, s.appends); bad != "" {
			t.Errorf("%s: %s", how, bad)
		}
	}
	again := func(how string) {
		t.Helper()
		good(t, dir, s.args(w.second)...)
		if d := sameFiles(files(t, out), want); d != "" {
			t.Errorf("%s, then run again: %s", how, d)
		}
		if left := files(t, filepath.Join(dir, "tmp")); len(left) > 0 {
			t.Errorf("%s: left in TMPDIR: %v", how, slices.Sorted(maps.Keys(left)))
		}
	}
	for i, at := range points {
		old, want = first, over
		if i%3 == 0 {
			old, want = nil, fresh
		}
		put(t, out, old)
		how := fmt.Sprintf("killed before step %d of %d", at, n)
		if !killAt(t, start(t, dir, s.args(w.second)...), at) {
			continue
		}
		check(how)
		again(how)
	}
	for range 3 {
		old, want = first, over
		put(t, out, old)
		d := time.Duration(rng.Int64N(int64(took)))
		how := fmt.Sprintf("killed after %v of %v", d, took)
		if killAfter(t, start(t, dir, s.args(w.second)...), d) {
			check(how)
			again(how)
		}
	}
}

// The chain is killed again and again while it makes the second season over the
// first: between two kills it goes on where it stopped, and in the end everything,
// changes.jsonl with its deletes too, is what an undisturbed run gives.
func TestKilledChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := filepath.Join(w.dir, "chain")
	out := filepath.Join(dir, "out")
	args := []string{"chain", "-c", "project/membench.yaml", "-o", "out"}
	old := files(t, filepath.Join(w.first, "out"))
	put(t, dir, nil)
	put(t, filepath.Join(dir, "project"), files(t, filepath.Join(w.second, "project")))
	put(t, out, old)
	steps := filepath.Join(dir, "steps")
	c := start(t, dir, args...)
	c.Env = append(c.Env, "TEST_STEPS="+steps)
	began := time.Now()
	if r := finish1(t, c); r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	took := time.Since(began)
	want := files(t, out)
	for name := range files(t, filepath.Join(w.second, "out")) {
		if name != "changes.jsonl" && !strings.HasPrefix(name, ".steps") && !strings.Contains(name, "manifest.json") && want[name] != files(t, filepath.Join(w.second, "out"))[name] {
			t.Errorf("%s: an incremental run differs from a full one:\n%s", name, firstDifference(want[name], files(t, filepath.Join(w.second, "out"))[name]))
		}
	}
	rng := rand.New(rand.NewPCG(7, 4))
	points, n := stepPoints(t, rng, steps, 60)
	check := func(how string) {
		t.Helper()
		have := files(t, out)
		for name := range have {
			if strings.HasPrefix(name, ".steps") {
				delete(have, name)
			}
		}
		inStore := map[string]string{}
		for name, text := range have {
			if strings.HasPrefix(name, "store/") {
				inStore[name] = text
				delete(have, name)
			}
		}
		if bad := whole(have, old, want, false); bad != "" {
			t.Errorf("%s: %s", how, bad)
		}
		if bad := whole(inStore, old, want, true); bad != "" {
			t.Errorf("%s: %s", how, bad)
		}
	}
	kills := 0
	for len(points) > 0 {
		put(t, out, old)
		how := "killed"
		for range 1 + rng.IntN(4) {
			if len(points) == 0 {
				break
			}
			at := points[0]
			points = points[1:]
			if killAt(t, start(t, dir, args...), at) {
				how += fmt.Sprintf(" before step %d of %d;", at, n)
				kills++
				check(how)
			}
			if rng.IntN(3) == 0 {
				d := time.Duration(rng.Int64N(int64(took)))
				if killAfter(t, start(t, dir, args...), d) {
					how += fmt.Sprintf(" after %v of %v;", d, took)
					kills++
					check(how)
				}
			}
		}
		good(t, dir, args...)
		if d := sameFiles(files(t, out), want); d != "" {
			t.Errorf("%s then run again: %s", how, d)
		}
		if left := files(t, filepath.Join(dir, "tmp")); len(left) > 0 {
			t.Errorf("%s: left in TMPDIR: %v", how, slices.Sorted(maps.Keys(left)))
		}
	}
	t.Logf("%d kills of a chain of %d steps on the file system", kills, n)
}
