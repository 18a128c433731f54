package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// utf16Text is text as an editor on Windows may save it.
func utf16Text(s string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}

// lossCommands write O of a file F of records of one kind; S and E are a store and events.
var lossCommands = []hazardCommand{
	{kind: "chat", args: "annotate F --format chat -o O"},
	{kind: "events", args: "compile F -o O.jsonl"},
	{kind: "events", args: "replay ingest F --store O --agent-id c --now 2026-03-01T12:00:00Z"},
	{kind: "events", args: "replay probe F --store S -o O.jsonl"},
	{kind: "events", args: "to-graph --events F -o O"},
	{kind: "events", args: "migrate F --to 0.0.1 --input-version 0.1.0 -o O.jsonl"},
	{kind: "mem0", args: "replay link F --events E -o O"},
	{kind: "mem0", args: "claimify F -o O"},
	{kind: "mem0", args: "to-graph --exports F -o O"},
	{kind: "claims", args: "compile-claims F -o O"},
	{kind: "claims", args: "to-graph --claims F -o O"},
	{kind: "nodes", args: "cypher D -o O"},
	{kind: "nodes", args: "cypher F -o O"},
	{kind: "nodes", args: "export F --format jsonld -o O.jsonl"},
	{kind: "nodes", args: "export F --format graphml -o O.jsonl"},
	{kind: "nodes", args: "export F --format admin-csv -o O"},
	{kind: "nodes", args: "view F --title t -o O.jsonl"},
	{kind: "nodes", args: "datasets probes D -o O.jsonl"},
	{kind: "plain", args: "datasets convert plain F -o O.jsonl"},
	{kind: "plain", args: "datasets convert plain F --to domain_a_v2 -o O"},
	{kind: "plain", args: "datasets sample plain F -n 1 -o O.jsonl"},
}

// shareOf runs a command with the share of rejected among the read records, which it accepts, and with a little less, which it does not.
func shareOf(rejected, read int, code func(accept string) int) string {
	share := 100 * float64(rejected) / float64(read)
	for accept, want := range map[float64]int{share - .01: exitFindings, share + .01: exitFine} {
		if c := code(fmt.Sprintf("%.4f%%", accept)); c != want {
			return fmt.Sprintf("--max-rejected %.4f%% of %d rejected among %d records: exit code %d, want %d", accept, rejected, read, c, want)
		}
	}
	return ""
}

// lossKinds are two records of each kind.
func lossKinds() map[string][2]string {
	kinds := maps.Clone(hazardKinds)
	kinds["plain"] = [2]string{
		`{"case_id": "a", "source": "s", "chunks": [{"content": "I love jasmine tea.", "timestamp": "2026-03-01T09:00:00"}], "questions": [{"question": "What tea?", "answer": "jasmine", "category": "IE"}]}`,
		`{"case_id": "b", "source": "s", "chunks": [{"content": "I love green mugs.", "timestamp": "2026-03-01T09:00:00"}], "questions": [{"question": "What mugs?", "answer": "green", "category": "IE"}]}`}
	return kinds
}

// TestLossIsNotGreen: whatever a command reads, it does not end with 0 when it has lost
// records; where it lost all of them, what was there stays as it was.
func TestLossIsNotGreen(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	kinds := lossKinds()
	put(t, filepath.Join(dir, "e"), map[string]string{"events.jsonl": hazEvent1 + "\n" + hazEvent2 + "\n"})
	if r := inProcess(dir, strings.NewReader(""), "replay", "ingest", filepath.Join(dir, "e", "events.jsonl"), "--store", filepath.Join(dir, "s"), "--agent-id", "c"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	out := filepath.Join(dir, "o")
	for _, c := range lossCommands {
		good := kinds[c.kind][0] + "\n" + kinds[c.kind][1] + "\n"
		in := filepath.Join(dir, "in")
		file := filepath.Join(in, c.kind+".jsonl")
		args := strings.Fields(strings.NewReplacer("F ", file+" ", " D ", " "+in+" ", " E ", " "+filepath.Join(dir, "e", "events.jsonl")+" ", " S ", " "+filepath.Join(dir, "s")+" ", " O", " "+out).Replace(c.args))
		state := func() map[string]string {
			have := files(t, out)
			if b, err := os.ReadFile(out + ".jsonl"); err == nil {
				have["(file)"] = string(b)
			}
			for name := range have {
				if strings.HasSuffix(name, ".lock") {
					delete(have, name)
				}
			}
			return have
		}
		fresh := func() {
			os.RemoveAll(out)
			os.Remove(out + ".jsonl")
		}
		run := func(text string, more ...string) ran {
			put(t, in, map[string]string{filepath.Base(file): text})
			return inProcess(dir, strings.NewReader(""), append(slices.Clone(args), more...)...)
		}
		fresh()
		if r := run(good); r.code != 0 {
			t.Errorf("%s of good records: exit code %d\n%s", c.args, r.code, r.stderr)
			continue
		}
		before := state()
		for name, text := range map[string]string{"nothing": "", "blank lines": "\n\n", "half a record": good[:len(kinds[c.kind][0])*2/3], "NaN": `{"id": NaN}` + "\n", "UTF-16": utf16Text(good), "a false .gz": "\x1f\x8b" + good, "foreign JSON": `{"weather": "rain", "degrees": 17}` + "\n" + `{"weather": "sun"}` + "\n", "no JSON": "name;value\n1;2\n"} {
			flags := [][]string{nil, {"--strict"}, {"--max-rejected", "100%"}}
			if name != "nothing" && name != "UTF-16" {
				flags = flags[:1]
			}
			for _, more := range flags {
				r := run(text, more...)
				if r.code == 0 || r.code == 2 || r.code != exitFindings && name == "a false .gz" {
					t.Errorf("%s %v of %s: exit code %d\n%.500s", c.args, more, name, r.code, r.stderr)
				}
				if d := sameFiles(state(), before); d != "" {
					t.Errorf("%s %v of %s: %s", c.args, more, name, d)
				}
			}
		}
		half := good + "{ torn\n"
		fresh()
		if r := run(half, "--strict"); r.code != exitFindings || len(state()) > 0 {
			t.Errorf("%s --strict of a torn line: exit code %d, %d files\n%.500s", c.args, r.code, len(state()), r.stderr)
		}
		fresh()
		if r := run(half); r.code != exitFindings || len(state()) == 0 || !strings.Contains(r.stderr, " rejected, ") {
			t.Errorf("%s of a torn line: exit code %d, %d files\n%.500s", c.args, r.code, len(state()), r.stderr)
		}
		fresh()
		run(good)
		if r := run(half, "--strict"); r.code == 0 || sameFiles(state(), before) != "" {
			t.Errorf("%s --strict over an earlier output: exit code %d, %s\n%.500s", c.args, r.code, sameFiles(state(), before), r.stderr)
		}
		read := 3
		if strings.Contains(c.args, " E ") {
			read += 2
		}
		if bad := shareOf(1, read, func(accept string) int { fresh(); return run(half, "--max-rejected", accept).code }); bad != "" {
			t.Errorf("%s: %s", c.args, bad)
		}
		if c.kind == "nodes" && !strings.Contains(c.args, "probes") { // what is found only after everything is written is a share of the same records
			odd := good + `{"id": "event:c:1", "labels": ["Event"], "props": {"conv_id": "another", "turn_id": 1}}` + "\n"
			if bad := shareOf(1, 3, func(accept string) int { fresh(); return run(odd, "--max-rejected", accept).code }); bad != "" {
				t.Errorf("%s of an odd id: %s", c.args, bad)
			}
		}
		two := half + "{ torn too\n"
		for accept, text := range map[string]string{"0": half, "0%": half, "1": two, "1.5%": half} {
			fresh()
			if r := run(text, "--max-rejected", accept); r.code != exitFindings {
				t.Errorf("%s --max-rejected %s: exit code %d, want 3\n%.500s", c.args, accept, r.code, r.stderr)
			}
		}
		for _, accept := range []string{"-1", "-1%", "101%", "junk", "1.5", ""} {
			fresh()
			if r := run(half, "--max-rejected", accept); r.code != exitUsage || len(state()) > 0 {
				t.Errorf("%s --max-rejected %q: exit code %d, %d files\n%.500s", c.args, accept, r.code, len(state()), r.stderr)
			}
		}
		fresh()
		if r := run(two, "--max-rejected", "2", "--strict"); r.code != 0 || len(state()) == 0 {
			t.Errorf("%s --max-rejected 2 of two: exit code %d\n%.500s", c.args, r.code, r.stderr)
		}
		for _, accept := range []string{"1", "50%"} {
			fresh()
			if r := run(half, "--max-rejected", accept, "--strict"); r.code != 0 || len(state()) == 0 {
				t.Errorf("%s --max-rejected %s: exit code %d, %d files\n%.500s", c.args, accept, r.code, len(state()), r.stderr)
			}
		}
	}
}

// TestReadingLossIsNotGreen: commands that only look at data end with 3 and a count, too.
func TestReadingLossIsNotGreen(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	graph := hazNode1 + "\n" + hazNode2 + "\n"
	qa := `{"system": "s", "dataset": "d", "case_id": "c", "question_id": "q1", "question": "How many cats?", "gold": "2 cats", "category": "IE", "raw_category": "4", "hits": [], "answer": "2 cats.", "by": "rule", "outcome": "answered", "grades": [{"protocol": "em@1", "score": 1, "outcome": "scored", "by": "rule"}]}` + "\n"
	rows := `{"conv": "conv-26", "qa_index": 0, "category": 2, "question": "When?", "gold": "2021", "answer": "2021", "grade": true}` + "\n"
	cases := `{"case_id": "conv-26", "questions": [{"question_id": "conv-26/qa/0", "question": "When?", "answer": "2021", "category": "TR", "raw_category": "2"}]}` + "\n"
	label := `{"system": "s", "dataset": "d", "case_id": "c", "question_id": "q1", "verdict": "right", "draw": "all"}` + "\n"
	put(t, dir, map[string]string{"graph/nodes.jsonl": graph, "other.jsonl": strings.Replace(qa, `"s"`, `"t"`, 1), "rows.jsonl": rows,
		"labels.jsonl": label, "qa.jsonl": qa})
	for _, c := range []struct {
		name, good, args string
		whole            bool // it has no --max-rejected: it is asked whether all of the data is good
	}{
		{"nodes.jsonl", graph, "trace mem:x --in D", false},
		{"nodes.jsonl", graph, "ask D tea?", false},
		{"nodes.jsonl", graph, "diff D G", false},
		{"nodes.jsonl", graph, "validate D", true},
		{"nodes.jsonl", graph, "load-neo4j D --uri bolt://127.0.0.1:1", false},
		{"nodes.jsonl", graph, "load-neo4j D --strict --uri bolt://127.0.0.1:1", false},
		{"nodes.jsonl", graph, "load-neo4j D --delta --uri bolt://127.0.0.1:1", false},
		{"qa.jsonl", qa, "eval aggregate F", false},
		{"qa.jsonl", qa, "eval calibrate F", false},
		{"qa.jsonl", qa, "eval grade F -p em -o O.jsonl", false},
		{"qa.jsonl", qa, "eval report F -o O", false},
		{"qa.jsonl", qa, "eval compare F X", false},
		{"qa.jsonl", qa, "eval compare X F --gate em", false},
		{"rows.jsonl", rows, "eval import F --format locomo-rows -o O.jsonl", false},
		{"rows.jsonl", rows, "eval audit F --format locomo-rows", false},
		{"cases.jsonl", cases, "eval import R --cases F -o O.jsonl", false},
		{"qa.jsonl", qa, "eval explain F -o O.jsonl", false},
		{"qa.jsonl", qa, "eval export F --format amb --dataset d -o O", false},
		{"qa.jsonl", qa, "eval label F --all --by ann --out O.jsonl", false},
		{"qa.jsonl", qa, "eval agreement F L", false},
		{"l.jsonl", label, "eval agreement Q F", false},
		{"l.jsonl", label, "eval calibrate Q --labels F", false},
		{"case.jsonl", `{"case_id": "a", "source": "s", "chunks": [{"content": "I love tea."}], "questions": [{"question": "What?", "answer": "tea", "category": "IE"}]}` + "\n", "datasets info plain F", true},
	} {
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "o")
		args := strings.Fields(strings.NewReplacer(" F", " "+filepath.Join(in, c.name), " D", " "+in, " X", " "+filepath.Join(dir, "other.jsonl"), " Q", " "+filepath.Join(dir, "qa.jsonl"), " R", " "+filepath.Join(dir, "rows.jsonl"), " L", " "+filepath.Join(dir, "labels.jsonl"), " G", " "+filepath.Join(dir, "graph"), " O", " "+out).Replace(c.args))
		for name, text := range map[string]string{"nothing": "", "blank lines": "\n\n", "half a record": c.good[:30], "NaN": `{"id": NaN}` + "\n", "UTF-16": utf16Text(c.good), "foreign JSON": `{"weather": "rain", "degrees": 17}` + "\n", "no JSON": "name;value\n1;2\n", "an array": `[{"weather": "rain"}]` + "\n", "zeros": strings.Repeat("\x00", 999)} {
			put(t, in, map[string]string{c.name: text})
			os.RemoveAll(out)
			os.Remove(out + ".jsonl")
			r := inProcess(dir, strings.NewReader(""), args...)
			if r.code != exitFindings || exists(out) || exists(out+".jsonl") || strings.Contains(r.stdout, "equal\n") {
				t.Errorf("%s of %s: exit code %d, want 3\n%.500s", c.args, name, r.code, r.stdout+r.stderr)
			}
		}
		if strings.Contains(c.args, "explain") || strings.Contains(c.args, "load-neo4j D --uri") { // a loss that is no error needs a run's folder, a server
			continue
		}
		put(t, in, map[string]string{c.name: c.good + "{ torn\n"})
		if r := inProcess(dir, strings.NewReader(""), args...); r.code != exitFindings {
			t.Errorf("%s of a torn line: exit code %d\n%.500s", c.args, r.code, r.stdout+r.stderr)
		}
		if strings.HasPrefix(c.args, "eval ") {
			if r := inProcess(dir, strings.NewReader(""), append(args, "--max-rejected", "1")...); r.code != exitFine {
				t.Errorf("%s --max-rejected 1 of a torn line: exit code %d\n%.500s", c.args, r.code, r.stdout+r.stderr)
			}
		}
		if !c.whole {
			read := strings.Count(c.good, "\n") + 1 + strings.Count(c.args, " X") + strings.Count(c.args, " R") + strings.Count(c.args, " Q") + strings.Count(c.args, " L") + 2*strings.Count(c.args, " G")
			if bad := shareOf(1, read, func(accept string) int {
				code := inProcess(dir, strings.NewReader(""), append(slices.Clone(args), "--max-rejected", accept)...).code
				if code == exitFailed && (strings.HasPrefix(c.args, "trace") || strings.HasPrefix(c.args, "load")) { // no such node, no server: what was lost was accepted
					return exitFine
				}
				return code
			}); bad != "" {
				t.Errorf("%s: %s", c.args, bad)
			}
		}
	}
}

// TestBadCasesAreNotAsked: what 'datasets lint' rejects is not asked by 'eval run' either,
// and is named with its line.
func TestBadCasesAreNotAsked(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	good := `{"case_id": "a", "conv_id": "a", "dataset": "d", "unit": "turn", "sessions": [{"session_id": "s", "turns": [{"turn_id": 1, "role": "user", "text": "I love tea."}]}], "questions": [{"question_id": "q", "question": "What?", "answer": "tea", "category": "IE", "raw_category": "IE"}]}` + "\n"
	other := strings.NewReplacer(`"a"`, `"b"`, `"q"`, `"r"`).Replace(good)
	question := func(more string) string {
		return strings.Replace(other, `"category"`, more+`, "category"`, 1)
	}
	for _, bad := range []string{`{"foo": 1}`, `{}`, `"x"`, `{"case_id": 5}`, "{ torn", good, strings.Replace(good, `"case_id": "a"`, `"case_id": "b"`, 1),
		strings.Replace(strings.Replace(other, `"conv_id": "b"`, `"conv_id": "a"`, 1), "I love", "I like", 1), question(`"evidence": [{"conv_id": "b", "turn_id": 9}]`), question(`"covered_sessions": ["t"]`), question(`"evidense": []`)} {
		put(t, dir, map[string]string{"cases.jsonl": good + bad + "\n"})
		file := filepath.Join(dir, "cases.jsonl")
		if r := inProcess(dir, strings.NewReader(""), "datasets", "lint", "plain", file); r.code != exitFindings {
			t.Errorf("datasets lint of %s: exit code %d\n%s", bad, r.code, r.stderr)
		}
		r := inProcess(dir, strings.NewReader(""), "eval", "run", file, "--system", "bm25", "-o", filepath.Join(dir, "r"))
		if r.code != exitFindings || !strings.Contains(r.stderr, "cases.jsonl:2:") {
			t.Errorf("eval run of %s: exit code %d\n%s", bad, r.code, r.stderr)
		}
	}
}

// TestLoadNeo4jGate: what validate refuses is refused before a server is asked.
func TestLoadNeo4jGate(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	node := func(id string) string { return `{"id": "` + id + `", "labels": ["User"], "props": {}}` + "\n" }
	edge := `{"id": "edge:KNOWS:user:a:user:b", "type": "KNOWS", "src": "user:a", "dst": "user:b", "props": {}}` + "\n"
	for name, c := range map[string]struct{ nodes, edges, code string }{
		"a dangling edge":     {node("user:a"), edge, "GRF031"},
		"a repeated edge":     {node("user:a") + node("user:b"), edge + edge, "GRF033"},
		"a duplicate node":    {node("user:a") + node("user:a"), "", "GRF033"},
		"an edge without src": {node("user:a"), `{"id": "edge:1", "type": "KNOWS", "dst": "user:a", "props": {}}` + "\n", "GRF030"},
		"a node without id":   {node("user:a") + `{"labels": ["User"], "props": {}}` + "\n", "", "GRF030"},
	} {
		g := filepath.Join(dir, "g")
		put(t, g, map[string]string{"nodes.jsonl": c.nodes, "edges.jsonl": c.edges})
		if r := inProcess(dir, strings.NewReader(""), "validate", g); r.code != exitFindings {
			t.Errorf("validate %s: exit code %d\n%s", name, r.code, r.stdout)
		}
		for _, more := range [][]string{{"--strict"}, {"--delta"}, {"--strict", "--delta"}, {"--strict", "--max-rejected", "10%"}} {
			r := inProcess(dir, strings.NewReader(""), append([]string{"load-neo4j", g, "--uri", "bolt://127.0.0.1:1"}, more...)...)
			if r.code != exitFindings || !strings.Contains(r.stderr, c.code) || !strings.Contains(r.stderr, "1 rejected, ") || !strings.Contains(r.stderr, "nothing was written") {
				t.Errorf("load-neo4j %v of %s: exit code %d, want 3 and %s\n%s", more, name, r.code, c.code, r.stderr)
			}
		}
		// What is accepted goes on to the server, which is not there.
		r := inProcess(dir, strings.NewReader(""), "load-neo4j", g, "--strict", "--max-rejected", "1", "--uri", "bolt://127.0.0.1:1")
		if r.code != exitFailed || !strings.Contains(r.stderr, c.code) || !strings.Contains(r.stderr, "no Neo4j server") {
			t.Errorf("load-neo4j --max-rejected 1 of %s: exit code %d\n%s", name, r.code, r.stderr)
		}
	}
}

// TestDataNamesFiles: a path that data names is read below the project only.
func TestDataNamesFiles(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	secret := filepath.Join(dir, "secret.txt")
	put(t, dir, map[string]string{"secret.txt": "the plain secret\n"})
	project := filepath.Join(dir, "a", "b", "project")
	put(t, project, map[string]string{"inside.txt": "a line of the project\n"})
	if err := os.Symlink(secret, filepath.Join(project, "link.txt")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for path, want := range map[string]bool{secret: false, "../../../secret.txt": false, "link.txt": false, "inside.txt": true} {
		put(t, filepath.Join(project, "graph"), map[string]string{
			"nodes.jsonl": `{"id": "event:c:1", "labels": ["Event"], "props": {"content": "tea", "conv_id": "c", "turn_id": 1, "start_line": 1, "end_line": 1}}` + "\n" +
				`{"id": "source:` + path + `", "labels": ["Source"], "props": {"path": "` + path + `"}}` + "\n",
			"edges.jsonl":   `{"id": "edge:IN_SOURCE:event:c:1:source:` + path + `", "type": "IN_SOURCE", "src": "event:c:1", "dst": "source:` + path + `", "props": {"start_line": 1, "end_line": 1}}` + "\n",
			"manifest.json": `{"options": {"source_root": "` + dir + `"}}` + "\n"})
		for _, more := range [][]string{nil, {"--outside"}, {"--source-root", project}} {
			r := inProcess(dir, strings.NewReader(""), append([]string{"trace", "event:c:1", "--in", filepath.Join(project, "graph"), "--json"}, more...)...)
			shown := strings.Contains(r.stdout, "secret") && strings.Contains(r.stdout, "plain") || strings.Contains(r.stdout, "a line of the project")
			if r.code != exitFine || shown != (want || len(more) == 1) {
				t.Errorf("trace %v of a graph that names %s: exit code %d, shown %v\n%s%s", more, path, r.code, shown, r.stdout, r.stderr)
			}
		}
	}
	for _, name := range []string{"sources", "catalogs"} {
		for path, want := range map[string]int{secret: exitUsage, "../../../secret.txt": exitUsage, "link.txt": exitUsage} {
			yaml := "schema_version: 0.2.0\ncharacter: {id: c, names: [C]}\nuser: {id: u, names: [U]}\nagent: {id: a}\n"
			if name == "catalogs" {
				yaml += "sources: [inside.txt]\n"
			}
			put(t, project, map[string]string{"own.yaml": yaml + name + ": [" + path + "]\n", "inside.txt": "U: tea\n"})
			if err := os.Symlink(secret, filepath.Join(project, "link.txt")); err != nil {
				t.Fatal(err)
			}
			r := inProcess(dir, strings.NewReader(""), "chain", "-c", filepath.Join(project, "own.yaml"), "-o", filepath.Join(dir, "o"))
			if r.code != want || !strings.Contains(r.stderr, "--outside") || !strings.Contains(r.stderr, "own.yaml names") {
				t.Errorf("chain of a project whose %s name %s: exit code %d\n%s", name, path, r.code, r.stderr)
			}
		}
	}
}

// TestReportWholeOrAbsent: the forms of a report are replaced together.
func TestReportWholeOrAbsent(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	out := filepath.Join(dir, "o")
	qa := `{"system": "s", "dataset": "d", "case_id": "c", "question_id": "q1", "question": "How many cats?", "gold": "2 cats", "category": "IE", "raw_category": "4", "hits": [], "answer": "2 cats.", "by": "rule", "outcome": "answered", "grades": [{"protocol": "em@1", "score": 1, "outcome": "scored", "by": "rule"}]}` + "\n"
	put(t, dir, map[string]string{"qa.jsonl": qa})
	put(t, out, map[string]string{"report.md": "old\n", "report.html/in the way": "x"})
	r := inProcess(dir, strings.NewReader(""), "eval", "report", filepath.Join(dir, "qa.jsonl"), "-o", out)
	if b, _ := os.ReadFile(filepath.Join(out, "report.md")); r.code != exitFailed || string(b) != "old\n" || exists(filepath.Join(out, "report.csv")) {
		t.Errorf("exit code %d, report.md %q\n%s", r.code, b, r.stderr)
	}
}

// TestNamesOfAnyBytes: a file whose name is not UTF-8 is read as another.
func TestNamesOfAnyBytes(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	name := filepath.Join(dir, "in", "x\xff.jsonl")
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(hazEvent1+"\n"+hazEvent2+"\n"), 0o666); err != nil {
		t.Skip("no such names here:", err)
	}
	out := filepath.Join(dir, "o.jsonl")
	r := inProcess(dir, strings.NewReader(""), "compile", filepath.Dir(name), "-o", out)
	if r.code != exitFine || !exists(out) {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }
