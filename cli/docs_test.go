package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"membench/internal/codec"

	"github.com/goccy/go-yaml"
)

// TestCIDocRuns runs every membench command of docs/ci.md and parses its workflow.
func TestCIDocRuns(t *testing.T) {
	doc, err := os.ReadFile("../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	var flow struct {
		Jobs map[string]struct {
			Steps []map[string]any `yaml:"steps"`
		} `yaml:"jobs"`
	}
	_, block, ok := strings.Cut(string(doc), "```yaml\n")
	if !ok {
		t.Fatal("no workflow in docs/ci.md")
	}
	block, _, _ = strings.Cut(block, "```")
	if err := yaml.Unmarshal([]byte(block), &flow); err != nil || len(flow.Jobs["validate"].Steps) < 4 {
		t.Fatalf("workflow: %v, %+v", err, flow)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	good := `{"id": "tag:t", "labels": ["Tag"], "props": {"name": "t"}}` + "\n"
	for name, text := range map[string]string{"data/nodes.jsonl": good, "old/nodes.jsonl": good, "catalog.yaml": "version: 1\nlabels:\n  Team: {prefix: team, since: 0.1.0}\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The second workflow: its steps are those that the script eval-ci.txtar runs.
	_, second, _ := strings.Cut(string(doc), "## A memory system under CI")
	_, second, _ = strings.Cut(second, "```yaml\n")
	second, _, _ = strings.Cut(second, "```")
	flow.Jobs = nil
	if err := yaml.Unmarshal([]byte(second), &flow); err != nil || len(flow.Jobs["measure"].Steps) < 8 {
		t.Fatalf("second workflow: %v, %+v", err, flow)
	}
	script, err := os.ReadFile(filepath.Join(here, "testdata", "script", "eval-ci.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\./(membench eval [^\n]*)`).FindAllStringSubmatch(second, -1) {
		if !strings.Contains(string(script), m[1]) {
			t.Errorf("eval-ci.txtar does not run %q", m[1])
		}
	}
	n := 0
	claim, err := os.ReadFile(filepath.Join(here, "..", "schema", "testdata", "seed004", "claim.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\./membench ((?:validate|schema) [^\n#>|]*)`).FindAllStringSubmatch(string(doc), -1) {
		var out, words bytes.Buffer
		e := &env{in: bytes.NewReader(claim), out: &out, err: &words, getenv: func(string) string { return "" }, now: time.Now}
		if code := run(context.Background(), e, strings.Fields(m[1])); code != exitFine {
			t.Errorf("membench %s: exit %d\n%s%s", m[1], code, &out, &words)
		}
		n++
	}
	if n < 8 {
		t.Errorf("%d commands found", n)
	}
}

// TestSARIF holds the parts of SARIF 2.1.0 that readers rely on. The whole was checked
// against the OASIS schema by hand.
func TestSARIF(t *testing.T) {
	name := filepath.Join(t.TempDir(), "bad data.jsonl")
	if err := os.WriteFile(name, []byte("{\"id\": null, \"labels\": [\"Tug\"], \"props\": {}}\nnope\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"validate", name, "--format", "sarif"}, {"validate", name, "--format", "sarif", "--limit", "1"}, {"validate", name, "--format", "sarif", "--summary"}} {
		var out, words bytes.Buffer
		e := &env{in: &bytes.Buffer{}, out: &out, err: &words, getenv: func(string) string { return "" }, now: time.Now}
		if code := run(context.Background(), e, args); code != exitFindings {
			t.Fatalf("%v: exit %d, %s", args, code, &words)
		}
		var log struct {
			Version string `json:"version"`
			Runs    []struct {
				Tool struct {
					Driver struct {
						Name  string `json:"name"`
						Rules []struct {
							ID string `json:"id"`
						} `json:"rules"`
					} `json:"driver"`
				} `json:"tool"`
				Results []struct {
					RuleID    string `json:"ruleId"`
					RuleIndex int    `json:"ruleIndex"`
					Message   struct {
						Text string `json:"text"`
					} `json:"message"`
					Locations []struct {
						Physical struct {
							Artifact struct {
								URI string `json:"uri"`
							} `json:"artifactLocation"`
							Region struct {
								StartLine int `json:"startLine"`
							} `json:"region"`
						} `json:"physicalLocation"`
					} `json:"locations"`
				} `json:"results"`
			} `json:"runs"`
		}
		if err := codec.Unmarshal(out.Bytes(), &log); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, &out)
		}
		want := 3
		if len(args) > 4 && args[4] == "--limit" {
			want = 1
		}
		r := log.Runs[0]
		if log.Version != "2.1.0" || len(log.Runs) != 1 || r.Tool.Driver.Name != "membench" || len(r.Results) != want {
			t.Errorf("%v: %s", args, &out)
		}
		for _, x := range r.Results {
			if x.RuleIndex >= len(r.Tool.Driver.Rules) || r.Tool.Driver.Rules[x.RuleIndex].ID != x.RuleID || x.Message.Text == "" || x.Locations[0].Physical.Region.StartLine < 1 {
				t.Errorf("%v: result %+v", args, x)
			}
			if uri := x.Locations[0].Physical.Artifact.URI; !strings.HasPrefix(uri, "file:///") || !strings.HasSuffix(uri, "bad%20data.jsonl") {
				t.Errorf("uri %s", uri)
			}
		}
	}
}

// TestFaultTableDocs: every test that docs/model-faults.md names for a fault is there, in a
// package of its column.
func TestFaultTableDocs(t *testing.T) {
	doc, err := os.ReadFile("../docs/model-faults.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "<!-- faults: begin -->")
	table, _, ok := strings.Cut(table, "<!-- faults: end -->")
	if !ok {
		t.Fatal("no table of faults in docs/model-faults.md")
	}
	columns := [][]string{nil, {"llm", "llm/openai", "llm/cassette"}, {"memory/mem0/rest", "cli"}, {"memory/service"}, {"memory/mem0/qdrant"}}
	sources := make([]string, len(columns))
	for i, dirs := range columns {
		for _, dir := range dirs {
			files, err := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: no tests (%v)", dir, err)
			}
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				sources[i] += string(b)
			}
		}
	}
	named, rows := regexp.MustCompile("`(Test\\w+)`"), 0
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")
		if len(cells) != len(columns) {
			continue
		}
		rows++
		for i, cell := range cells {
			for _, m := range named.FindAllStringSubmatch(cell, -1) {
				if !strings.Contains(sources[i], "func "+m[1]+"(") {
					t.Errorf("%s: no test %s in %v", strings.TrimSpace(cells[0]), m[1], columns[i])
				}
			}
		}
	}
	if rows < 20 {
		t.Errorf("have %d rows", rows)
	}
}
