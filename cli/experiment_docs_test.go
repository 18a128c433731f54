package cli

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"membench/internal/exttest"
)

var experimentsAt = flag.String("experiments", "", "TestExperimentsDocs continues the experiments in this folder instead of beginning anew")

// documented are the tables of docs/experiments.md that come from LoCoMo: a mark in the
// page, the experiment, and its files.
var documented = []struct {
	mark, experiment string
	files            []string
}{
	{"qarp-main", "qarp", []string{"3-main/main-locomo.md"}},
	{"qarp-pipelines", "qarp", []string{"2-oracle/pipelines-locomo.md"}},
	{"qarp-ablation", "qarp", []string{"4-ablation/ablation-locomo.md"}},
	{"qarp-curve", "qarp", []string{"5-curve/curve-locomo.md"}},
	{"qarp-decisions", "qarp", []string{"1-failures/decisions.md", "2-oracle/decisions.md", "3-main/decisions.md", "4-ablation/decisions.md"}},
	{"pcm-answers", "pcm", []string{"1-answers/answers-locomo.md", "1-answers/against-store-all-locomo.md"}},
	{"pcm-surprise", "pcm", []string{"2-surprise/surprise.md"}},
}

// TestExperimentsDocs: with MEMBENCH_SOAK=1 the experiments are run on LoCoMo, by rule, as
// docs/experiments.md says, and its tables must be theirs; -update writes them. Else the
// page must have a place for each. It takes ten minutes.
func TestExperimentsDocs(t *testing.T) {
	const path = "../docs/experiments.md"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := *experimentsAt
	play := dir != "" || *updateDocs || os.Getenv("MEMBENCH_SOAK") != ""
	if play {
		shared := exttest.Shared(t, "data/locomo/locomo8.json")
		if dir == "" {
			dir = t.TempDir()
		}
		for name, args := range map[string][]string{"qarp": {}, "pcm": {"--both"}} {
			var words bytes.Buffer
			e := plainEnv(io.Discard, &words, nil)
			all := append([]string{"experiment", name, "locomo=" + filepath.Join(shared, "data", "locomo", "locomo8.json"), "--mock", "-o", filepath.Join(dir, name)}, args...)
			if code := run(context.Background(), e, all); code != 0 {
				t.Fatalf("%s: exit code %d\n%s", strings.Join(all, " "), code, words.String())
			}
		}
	}
	want := doc
	for _, d := range documented {
		part := regexp.MustCompile(`(?s)(<!-- generated: ` + d.mark + ` -->\n).*?(<!-- end: ` + d.mark + ` -->)`)
		if !part.Match(want) {
			t.Errorf("%s has no part %s", path, d.mark)
			continue
		}
		if !play {
			continue
		}
		var text strings.Builder
		for _, f := range d.files {
			b, err := os.ReadFile(filepath.Join(dir, d.experiment, f))
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString(rowsOf(string(b), text.Len() > 0 && strings.Contains(f, "decisions")) + "\n")
		}
		want = part.ReplaceAllFunc(want, func([]byte) []byte {
			return []byte("<!-- generated: " + d.mark + " -->\n" + strings.TrimRight(text.String(), "\n") + "\n<!-- end: " + d.mark + " -->")
		})
	}
	switch {
	case *updateDocs:
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
	case string(want) != string(doc):
		t.Errorf("%s is not current: go test ./cli -run TestExperimentsDocs -update\n%s", path, firstDifference(string(doc), string(want)))
	}
}

// rowsOf is the table of a written analysis without title, note and times; more: without
// its head, too.
func rowsOf(text string, more bool) string {
	var rows []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			rows = append(rows, strings.TrimSuffix(line, "\n"))
		}
	}
	if len(rows) > 0 && strings.HasSuffix(rows[0], "| ms |") {
		for i, r := range rows {
			rows[i] = r[:strings.LastIndex(strings.TrimSuffix(r, "|"), "|")+1]
		}
	}
	if more {
		rows = rows[min(2, len(rows)):]
		return strings.Join(rows, "\n")
	}
	return strings.Join(rows, "\n")
}
