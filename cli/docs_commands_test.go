package cli

import (
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages says for each page of docs/ with commands how they are run: what stands in the
// folder before, and which commands cannot be run here, by their beginning, and why.
var pages = map[string]struct {
	setup   string
	not     map[string]string
	another string // the test that runs this page's commands; "": this one
}{
	"adding-a-system.md": {setup: `cp $REPO/examples/system/newest_wins.py mine.py; cp $LOCOMO locomo10.json
printf 'Q,Expected,Answer\nWho paints?,Wei,Wei\nWhere?,Porto,In Porto.\nWhen?,2024,2024\n' | tee ours.csv | sed 's/In Porto/In Oslo/' > theirs.csv`},
	"chats.md": {setup: `cp "$REPO/examples/chats/WhatsApp Chat with Ana.txt" "WhatsApp Chat with Ana.zip"; cp "WhatsApp Chat with Ana.zip" "WhatsApp Chat with Ana (1).zip"
printf 'agent_name,reply,sent_at,ticket\nKim,"Hello, how can I help?",2026-03-01T10:00:00Z,7\nLin,I live in Oslo.,2026-03-01T10:01:00Z,7\n' > tickets.csv
printf '[{"by":{"name":"Lin"},"body":"I live in Oslo.","when":"2026-03-01T10:00:00Z"},{"by":{"name":"Kim"},"body":"Noted.","when":"2026-03-01T10:01:00Z"}]' > dump.json`},
	"ci.md": {another: "TestCIDocRuns"},
	"datasets.md": {setup: `mkdir -p data/locomo; cp $LOCOMO data/locomo/locomo10.json; cp data/locomo/locomo10.json .`,
		not: map[string]string{"datasets fetch": "downloads a benchmark"}},
	"experiments.md": {setup: `cp $LOCOMO locomo10.json`,
		not: map[string]string{"experiment qarp locomo=": "takes minutes; TestScripts/experiment-qarp runs the same command on invented data",
			"experiment qarp -c": "asks a model",
			"eval run locomo=locomo10.json --system pcm-neo4j": "needs a Neo4j server; TestNeo4jPCM fills one", "neo4j status": "needs a Neo4j server"}},
	"explain.md": {setup: `membench demo -q -o out; membench datasets probes out/graph -o cases.jsonl; membench eval run cases.jsonl --system bm25 -o runs/mine -q`,
		not: map[string]string{"load-neo4j": "needs a Neo4j server; TestWaysIntoNeo4j loads one"}},
	"mem0.md": {not: map[string]string{"replay": "needs a Mem0 service or its store; TestScripts/replay-* run them against stubs"}},
	"models.md": {not: map[string]string{"annotate source --tagger model": "asks a model; TestScripts/model-cassette runs it against a stub",
		"model ": "downloads 220 MB; TestLocalModel runs it in make soak", "doctor": "reports what this machine lacks; TestScripts/doctor runs it"},
		setup: `cp $CASSETTE run.cassette`},
	"neo4j.md":   {not: map[string]string{"neo4j": "needs a Neo4j server; TestWaysIntoNeo4j and TestNeo4jBrowser run them", "load-neo4j": "needs a Neo4j server; TestWaysIntoNeo4j loads one"}},
	"project.md": {setup: `mkdir -p data/demo; cp -R $REPO/data/demo/source data/demo/; mkdir -p out`},
	"quality.md": {not: map[string]string{"eval run locomo=": "needs LoCoMo and takes minutes; TestScripts/eval-* run the command on invented data",
		"eval explain RUN": "follows it; TestDocsCommands/explain.md runs the command"}},
	"tutorial.md":       {another: "TestTutorialCommands"},
	"tutorial.zh-CN.md": {another: "TestTutorialCommands"},
}

// inventedLoCoMo has the shape of LoCoMo's file and no fault.
const inventedLoCoMo = `[{"sample_id":"conv-1","conversation":{"speaker_a":"Ana","speaker_b":"Wei",
"session_1_date_time":"1:56 pm on 8 May, 2023","session_1":[{"speaker":"Ana","dia_id":"D1:1","text":"I live in Lisbon."},{"speaker":"Wei","dia_id":"D1:2","text":"I bought a cello."}],
"session_2_date_time":"2:10 pm on 9 June, 2023","session_2":[{"speaker":"Ana","dia_id":"D2:1","text":"I moved to Porto."},{"speaker":"Wei","dia_id":"D2:2","text":"I play it every day."}]},
"qa":[{"question":"Where did Ana move?","answer":"Porto","evidence":["D2:1"],"category":4},{"question":"What did Wei buy?","answer":"a cello","evidence":["D1:2"],"category":4}]}]`

var (
	fenced  = regexp.MustCompile("(?ms)^```(\\w*)\\n(.*?)^```")
	command = regexp.MustCompile(`(^|[\s"(;&|])(\./)?membench ([a-z])`)
)

// docCommands are the lines of a page's fenced blocks that call membench.
func docCommands(page string) (out []string) {
	for _, m := range fenced.FindAllStringSubmatch(page, -1) {
		if m[1] != "sh" && m[1] != "" && m[1] != "text" {
			continue
		}
		for line := range strings.Lines(m[2]) {
			if line = strings.TrimSpace(line); command.MatchString(line) && !strings.HasPrefix(line, "#") {
				out = append(out, line)
			}
		}
	}
	return out
}

// calls are the arguments of each call of membench in a line of shell.
func calls(line string) (out [][]string) {
	line = strings.NewReplacer(`"$(`, ";", `)"`, ";").Replace(line)
	var words []string
	word, quote, in := "", rune(0), false
	flush := func() {
		if in {
			words = append(words, word)
		}
		word, in = "", false
	}
	end := func() {
		flush()
		if i := slices.IndexFunc(words, func(w string) bool { return strings.TrimPrefix(w, "./") == "membench" }); i >= 0 {
			out = append(out, words[i+1:])
		}
		words = nil
	}
	for _, r := range line + "\n" {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, in = r, true
		case quote == 0 && r == '#' && !in:
			end()
			return out
		case quote == 0 && strings.ContainsRune("|;&>\n", r):
			end()
		case quote == 0 && r == ' ':
			flush()
		default:
			word, in = word+string(r), true
		}
	}
	return out
}

// TestDocsCommands: every command in docs/ has a name, flags and arguments that exist, and
// is run in a prepared folder, unless the table says which it cannot be and why.
func TestDocsCommands(t *testing.T) {
	repo, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "membench")); err != nil { // see TestMain
		t.Fatal(err)
	}
	cassette, err := filepath.Abs("../llm/cassette/testdata/minilm.cassette")
	if err != nil {
		t.Fatal(err)
	}
	locomo := filepath.Join(t.TempDir(), "locomo.json")
	if err := os.WriteFile(locomo, []byte(inventedLoCoMo), 0o666); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("../docs/*.md")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	used := map[string]bool{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines, base := docCommands(string(b)), filepath.Base(name)
		if len(lines) == 0 {
			continue
		}
		page, ok := pages[base]
		if used[base] = true; !ok {
			t.Errorf("%s has commands and no entry in the table pages: %q", base, lines)
			continue
		}
		skipped := map[string]bool{}
		var script []string
		for _, line := range lines {
			all := calls(line)
			if len(all) == 0 {
				t.Errorf("%s: no call of membench found in %q", base, line)
			}
			run := true
			for _, args := range all {
				checkCall(t, base, args)
				for start := range page.not {
					if strings.HasPrefix(strings.Join(args, " ")+" ", start) {
						skipped[start], run = true, false
					}
				}
			}
			if run {
				script = append(script, line)
			}
		}
		for _, start := range slices.Sorted(maps.Keys(page.not)) {
			if !skipped[start] {
				t.Errorf("%s: no command begins with %q: take it out of the table", base, start)
			}
			t.Logf("%s: not run: membench %s …: %s", base, start, page.not[start])
		}
		if page.another != "" || len(script) == 0 {
			continue
		}
		t.Run(base, func(t *testing.T) {
			sh := exec.Command("sh", "-c", "set -eu\n"+page.setup+"\n"+strings.Join(script, "\n"))
			sh.Dir = t.TempDir()
			sh.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "REPO="+repo, "CASSETTE="+cassette, "LOCOMO="+locomo, "HOME="+t.TempDir())
			if out, err := sh.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s\n%s", err, strings.Join(script, "\n"), out)
			}
		})
	}
	for base := range pages {
		if !used[base] {
			t.Errorf("%s has no commands: take it out of the table", base)
		}
	}
}

// checkCall holds a call against the command line: the command, its flags and the number
// of its arguments.
func checkCall(t *testing.T, page string, args []string) {
	t.Helper()
	root := newRoot(&env{in: strings.NewReader(""), out: io.Discard, err: io.Discard, getenv: func(string) string { return "" }})
	c, rest, err := root.Find(args)
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err == nil {
		err = c.ValidateArgs(c.Flags().Args())
	}
	if err != nil || !c.Runnable() || c == root {
		t.Errorf("%s: membench %q: %v", page, args, err)
	}
}
