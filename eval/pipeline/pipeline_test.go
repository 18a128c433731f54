package pipeline_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"membench/config"
	"membench/eval/compare"
	"membench/eval/pipeline"
	"membench/schema"
)

const cases = "../../examples/measure/cases.jsonl"

// evaluation is the configuration of a small run.
func evaluation(dir string, systems ...string) *config.Eval {
	v := &config.Eval{Version: config.Version, Seed: 1, Datasets: []config.EvalSet{{Name: "measure", Adapter: "cases", Path: cases}}}
	for _, s := range systems {
		v.Systems = append(v.Systems, config.EvalSystem{Type: s})
	}
	v.Run.MaxCases, v.Run.NoTimes, v.Output.Folder = 2, true, dir
	return v
}

func noEnv(string) string { return "" }

func run(t *testing.T, v *config.Eval, o pipeline.Options) (pipeline.Result, string) {
	t.Helper()
	var words strings.Builder
	o.Place.Getenv = noEnv
	o.Log = pipeline.Log{Words: func(format string, args ...any) { fmt.Fprintf(&words, format+"\n", args...) }, Found: func(f *schema.Finding) { t.Error(f) }}
	res, err := pipeline.Run(context.Background(), v, o)
	if err != nil {
		t.Fatal(err)
	}
	return res, words.String()
}

// Run an evaluation and print the figure that its report shows first.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	res, err := pipeline.Run(context.Background(), evaluation(dir, "bm25"), pipeline.Options{})
	if err != nil {
		panic(err)
	}
	s := res.Summaries[0]
	fmt.Println(s.System, "answered", res.Asked.Questions, "questions of", s.Dataset)
	// Output:
	// bm25 answered 20 questions of town
}

// Compare two systems question by question.
func Example_compare() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if _, err := pipeline.Run(context.Background(), evaluation(dir, "oracle", "null"), pipeline.Options{}); err != nil {
		panic(err)
	}
	f := compare.Files{Options: compare.Options{Protocol: "evidence-recall"}, Paths: []string{dir}, Found: func(f *schema.Finding) { fmt.Println(f) }}
	rep, err := f.Compare(context.Background())
	if err != nil {
		panic(err)
	}
	fmt.Println(rep.Pairs[0].Total.Better, "retrieves more of the evidence")
	// Output:
	// oracle retrieves more of the evidence
}

// tree has the digest of every file of a folder, but of what says when it was made.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "journal") || d.Name() == "manifest.json" {
			return err
		}
		b, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir)] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Whatever is damaged or removed in a finished run is noticed and made again, the same.
func TestDamagedFilesAreMadeAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	v := evaluation(dir, "bm25")
	run(t, v, pipeline.Options{Whole: true})
	want := tree(t, dir)
	if _, words := run(t, v, pipeline.Options{Whole: true}); strings.Contains(words, "wrote") {
		t.Errorf("a finished run works again:\n%s", words)
	}
	for path := range want {
		full := filepath.Join(dir, path)
		b, err := os.ReadFile(full)
		if err != nil {
			t.Fatal(err)
		}
		if path == "/config.yaml" { // a copy for people: nothing is taken from it
			continue
		}
		lines := bytes.SplitAfter(b, []byte("\n"))
		flipped := bytes.Clone(b)
		flipped[len(b)/2] ^= 1
		for name, damage := range map[string][]byte{"cut": bytes.Join(lines[:len(lines)/2], nil), "changed": flipped, "gone": nil} {
			if damage == nil {
				err = os.Remove(full)
			} else {
				err = os.WriteFile(full, damage, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			run(t, v, pipeline.Options{Whole: true})
			have := tree(t, dir)
			for p, digest := range want {
				if have[p] != digest {
					t.Errorf("%s %s: %s is not what it was", path, name, p)
				}
			}
		}
	}
}

func TestFaultsOfTheConfiguration(t *testing.T) {
	for name, change := range map[string]func(v *config.Eval, o *pipeline.Options){
		"no folder for the run":     func(v *config.Eval, _ *pipeline.Options) { v.Output.Folder = "" },
		"no data set given":         func(v *config.Eval, _ *pipeline.Options) { v.Datasets = nil },
		"no system given":           func(v *config.Eval, _ *pipeline.Options) { v.Systems = nil },
		`system "bm26"`:             func(v *config.Eval, _ *pipeline.Options) { v.Systems[0].Type = "bm26" },
		"unknown data set":          func(v *config.Eval, _ *pipeline.Options) { v.Datasets[0].Adapter = "locomoco" },
		"is unknown":                func(v *config.Eval, _ *pipeline.Options) { v.Grading.Protocols = []string{"nope"} },
		"no model named":            func(v *config.Eval, _ *pipeline.Options) { v.Grading.Judge = "model" },
		"leave nothing to do":       func(_ *config.Eval, o *pipeline.Options) { o.GradeOnly, o.NoGrade = true, true },
		"exclude_adversarial is Lo": func(v *config.Eval, _ *pipeline.Options) { v.Datasets[0].ExcludeAdversarial = true },
	} {
		v, o := evaluation(t.TempDir(), "bm25"), pipeline.Options{}
		if name == "leave nothing to do" {
			run(t, v, pipeline.Options{})
		}
		change(v, &o)
		o.Place.Getenv = noEnv
		_, err := pipeline.Run(context.Background(), v, o)
		var usage *schema.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: have %v", name, err)
		}
	}
}
