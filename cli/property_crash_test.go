//go:build !windows

package cli

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/chain"
	"membench/config"
	"membench/internal/codec"
)

// seasons runs the chain over one source after the other in one folder and returns
// the report of the last run.
func seasons(t *testing.T, dir string, sources ...map[string]string) (r chain.Report) {
	t.Helper()
	for _, s := range sources {
		put(t, filepath.Join(dir, "project"), map[string]string{"membench.yaml": crashProject})
		put(t, filepath.Join(dir, "project", "source"), s)
		got := good(t, dir, "chain", "-c", "project/membench.yaml", "-o", "out", "--json", "-q")
		r = chain.Report{}
		if err := codec.Unmarshal([]byte(got.stdout), &r); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// results leaves out what tells of the way to the result: the records of the steps and
// what the last run changed.
func results(have map[string]string) map[string]string {
	out := maps.Clone(have)
	for name := range out {
		if strings.HasPrefix(name, ".steps") || name == "changes.jsonl" || filepath.Base(name) == ".lock" || filepath.Base(name) == ".begun" {
			delete(out, name)
		}
	}
	return out
}

func with(base map[string]string, name, text string) map[string]string {
	out := maps.Clone(base)
	if text == "" {
		delete(out, name)
	} else {
		out[name] = text
	}
	return out
}

// The chain is incremental: whatever changes, the result is that of a full build, and
// only what depends on the change is made again.
func TestChainIncremental(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	out := filepath.Join(dir, "a", "out")
	full := func(source map[string]string) map[string]string {
		t.Helper()
		put(t, filepath.Join(dir, "full"), nil)
		seasons(t, filepath.Join(dir, "full"), source)
		return results(files(t, filepath.Join(dir, "full", "out")))
	}
	names := func(r chain.Report) (out []string) {
		for _, s := range r.Steps {
			if s.Ran {
				out = append(out, s.Name)
			}
		}
		return out
	}
	put(t, filepath.Join(dir, "a"), nil)
	first := seasons(t, filepath.Join(dir, "a"), crashFirst)
	if first.Current != 0 || first.Ran != len(first.Steps) {
		t.Errorf("the first run: %d ran, %d current of %d", first.Ran, first.Current, len(first.Steps))
	}

	// Twice: nothing runs, no output is touched.
	before, times := files(t, out), modified(t, out)
	again := seasons(t, filepath.Join(dir, "a"), crashFirst)
	if again.Ran != 0 {
		t.Errorf("the second run ran %v", names(again))
	}
	if d := sameFiles(files(t, out), before); d != "" {
		t.Errorf("the second run: %s", d)
	}
	for name, at := range modified(t, out) {
		if name != "manifest.json" && !at.Equal(times[name]) {
			t.Errorf("the second run touched %s", name)
		}
	}

	// A changed line: one conversation is annotated again.
	changed := with(crashFirst, "ch01_tea.norm.md", strings.Replace(crashFirst["ch01_tea.norm.md"], "普洱茶", "乌龙茶", 1))
	r := seasons(t, filepath.Join(dir, "a"), changed)
	var annotated []string
	for _, n := range names(r) {
		if strings.HasPrefix(n, "annotate") {
			annotated = append(annotated, n)
		}
	}
	if !slices.Equal(annotated, []string{"annotate ch01"}) {
		t.Errorf("a changed line: annotated again %v, want ch01 alone", annotated)
	}
	if d := sameFiles(results(files(t, out)), full(changed)); d != "" {
		t.Errorf("a changed line, against a full build: %s", d)
	}

	// An added conversation.
	more := with(changed, "ch04_new.norm.md", crashSecond["ch04_new.norm.md"])
	seasons(t, filepath.Join(dir, "a"), more)
	if d := sameFiles(results(files(t, out)), full(more)); d != "" {
		t.Errorf("an added conversation, against a full build: %s", d)
	}

	// A removed one: nothing of it is left, and the changes delete it.
	less := with(more, "ch03_gone.norm.md", "")
	graph := files(t, filepath.Join(out, "graph"))
	seasons(t, filepath.Join(dir, "a"), less)
	have := files(t, out)
	if d := sameFiles(results(have), full(less)); d != "" {
		t.Errorf("a removed conversation, against a full build: %s", d)
	}
	for name, text := range have {
		if name != "changes.jsonl" && strings.Contains(text, "ch03") {
			t.Errorf("a removed conversation is still named in %s", name)
		}
	}
	gone := 0
	for id := range ids(graph["nodes.jsonl"] + graph["edges.jsonl"]) {
		if !ids(have["graph/nodes.jsonl"] + have["graph/edges.jsonl"])[id] {
			gone++
			if !strings.Contains(have["changes.jsonl"], quote(id)) {
				t.Errorf("changes.jsonl does not delete %s", id)
			}
		}
	}
	if n := strings.Count(have["changes.jsonl"], `"op": "delete"`); gone == 0 || n != gone {
		t.Errorf("changes.jsonl: %d deletes, want %d\n%.300s", n, gone, have["changes.jsonl"])
	}

	// A changed option of the project, and back.
	seasons(t, filepath.Join(dir, "a"), crashSecond, crashFirst)
	if d := sameFiles(results(files(t, out)), results(before)); d != "" {
		t.Errorf("there and back again: %s", d)
	}

	// One conversation less than one: an empty project is an error and changes nothing.
	before = files(t, out)
	put(t, filepath.Join(dir, "a", "project", "source"), nil)
	if err := os.MkdirAll(filepath.Join(dir, "a", "project", "source"), 0o777); err != nil {
		t.Fatal(err)
	}
	if r := membench(t, filepath.Join(dir, "a"), "chain", "-c", "project/membench.yaml", "-o", "out"); r.code != 1 {
		t.Errorf("no source: exit code %d\n%s", r.code, r.stderr)
	}
	if d := sameFiles(files(t, out), before); d != "" {
		t.Errorf("no source: %s", d)
	}
}

func ids(lines string) map[string]bool {
	out := map[string]bool{}
	for _, l := range strings.Split(lines, "\n") {
		if _, rest, ok := strings.Cut(l, `"id": "`); ok {
			id, _, _ := strings.Cut(rest, `", "`)
			out[id] = true
		}
	}
	return out
}

func modified(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	out := map[string]time.Time{}
	for name := range files(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = info.ModTime()
	}
	return out
}

// chain is the commands by hand, byte for byte. All speak with one user: the flags of
// annotate hold for all sources, the project's defaults only where a source says nothing.
func TestChainIsTheCommands(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	source := map[string]string{}
	for name, text := range crashFirst {
		source[name] = strings.NewReplacer("@user: maya", "@user: lin", "@user: noor", "@user: lin").Replace(text)
	}
	seasons(t, dir, source)
	chain := results(files(t, filepath.Join(dir, "out")))
	hand := filepath.Join(dir, "hand")
	put(t, hand, nil)
	put(t, filepath.Join(hand, "project"), files(t, filepath.Join(dir, "project")))
	for _, line := range []string{
		"annotate project/source --root project --character-name 岚汐 --user lin --user-name 我 --agent lanxi -o out/events",
		"compile out/events -o out/events.jsonl",
		"replay ingest out/events.jsonl --backend embedded --store out/store --isolation global --now 2026-04-12T09:00:00Z",
		"replay probe out/events.jsonl --backend embedded --store out/store -o out/probes.jsonl --top-k 5",
		"replay export --backend embedded --store out/store -o out/exports",
		"claimify out/exports -o out/claims/by_conv",
		"compile-claims out/claims/by_conv -o out/claims/compiled",
		"to-graph --events out/events.jsonl --exports out/exports --claims out/claims/compiled -o out/graph",
		"cypher out/graph -o out/cypher",
	} {
		good(t, hand, strings.Fields(line)...)
	}
	byHand := results(files(t, filepath.Join(hand, "out")))
	for _, only := range []string{"findings.txt", "manifest.json"} {
		if _, ok := chain[only]; !ok {
			t.Errorf("chain wrote no %s", only)
		}
		delete(chain, only)
	}
	for _, name := range slices.Sorted(maps.Keys(chain)) {
		if strings.HasPrefix(name, "events") && byHand[name] != chain[name] {
			t.Fatalf("%s differs:\n%s", name, firstDifference(byHand[name], chain[name])) // nothing after it can be the same
		}
	}
	if d := sameFiles(byHand, chain); d != "" {
		t.Error(d)
	}
}

// The library gives the tree of files that the command gives, byte for byte.
func TestChainLibrary(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	seasons(t, dir, crashFirst, crashSecond)
	want := files(t, filepath.Join(dir, "out"))
	if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	for _, source := range []map[string]string{crashFirst, crashSecond} {
		put(t, filepath.Join(dir, "project", "source"), source)
		p, err := config.Load(filepath.Join(dir, "project", "membench.yaml"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := chain.Run(t.Context(), p, chain.Options{Output: filepath.Join(dir, "out"), Membench: release}); err != nil {
			t.Fatal(err)
		}
	}
	have := files(t, filepath.Join(dir, "out"))
	if d := sameFiles(have, want); d != "" {
		t.Error(d)
	}
}

// The order of the files and lines of keyed records changes no byte; nor does a
// second run over the first one's output.
func TestOrderOfInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := filepath.Join(w.dir, "order")
	rng := rand.New(rand.NewPCG(5, 5))
	hops := files(t, filepath.Join(w.first, "out"))
	// More claims, with shared and contradicting ones: the second season's too.
	in := map[string]string{}
	for name, text := range hops {
		in[name] = text
	}
	for name, text := range files(t, filepath.Join(w.second, "out")) {
		if strings.HasPrefix(name, "exports/") || strings.HasPrefix(name, "claims/by_conv/") {
			in[filepath.Dir(name)+"/second-"+filepath.Base(name)] = text
		}
	}
	commands := []string{
		"replay link in/exports --events in/events.jsonl -o out/linked",
		"replay link in/exports --events in/events.jsonl -o out/linked.jsonl",
		"claimify in/exports -o out/by_conv",
		"compile-claims in/claims/by_conv -o out/compiled",
		"to-graph --events in/events.jsonl --exports in/exports --claims in/claims/by_conv -o out/graph",
		"to-graph --exports in/exports -o out/old --schema-version 0.0.1",
		"cypher out/graph -o out/cypher",
		"view out/graph --title t -o out/view.html",
	}
	var want map[string]string
	for round := range 4 {
		shuffled := maps.Clone(in)
		if round > 0 {
			for name, text := range in {
				if strings.HasSuffix(name, ".jsonl") && !strings.Contains(name, "store/") {
					lines := strings.SplitAfter(strings.TrimSuffix(text, "\n")+"\n", "\n")
					lines = lines[:len(lines)-1]
					rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
					shuffled[name] = strings.Join(lines, "")
				}
				// Other file names, so that files come in another order, too.
				if strings.HasPrefix(name, "exports/") || strings.HasPrefix(name, "claims/by_conv/") {
					delete(shuffled, name)
					shuffled[filepath.Dir(name)+fmt.Sprintf("/%03d-", rng.IntN(1000))+filepath.Base(name)] = func() string { s := strings.SplitAfter(text, "\n"); slices.Reverse(s); return strings.Join(s, "") }()
				}
			}
		}
		put(t, filepath.Join(dir, "in"), shuffled)
		if round != 2 {
			put(t, filepath.Join(dir, "out"), nil) // in round 2 over the old output
		}
		for _, line := range commands {
			// The second season's memories name turns of events that are not here.
			if r := membench(t, dir, strings.Fields(line)...); r.code != exitFine && r.code != exitFindings {
				t.Fatalf("%s: exit code %d\n%s", line, r.code, r.stderr)
			}
		}
		have := files(t, filepath.Join(dir, "out"))
		for name := range have {
			if strings.HasSuffix(name, "manifest.json") {
				delete(have, name) // names and digests of the inputs
			}
		}
		if want == nil {
			want = have
		} else if d := sameFiles(have, want); d != "" {
			t.Errorf("round %d: %s", round, d)
		}
	}
}
