package chain_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"membench/chain"
	"membench/config"
)

const chapter = "# One evening\n\n```text\n@scene: study\n@character: ana\n@time: 2026-03-01T20:00:00+08:00\n@user: lin\n\n" +
	"[U] I love jasmine tea.\n[S] There is a kettle in the corner.\n[PROBE p_ch01_001][U] What tea do I love?\n```\n"

// A project is a file and its sources; Run makes everything below the output folder, and
// the second time only what changed.
func Example() {
	dir, err := os.MkdirTemp("", "chain-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "membench.yaml")
	os.Mkdir(filepath.Join(dir, "source"), 0o777)
	os.WriteFile(filepath.Join(dir, "source", "ch01_tea.norm.md"), []byte(chapter), 0o666)
	os.WriteFile(file, []byte("sources: [source]\noutput: out\nnow: 2026-04-01T00:00:00Z\n"), 0o666)

	project, err := config.Load(file, nil)
	if err != nil {
		panic(err)
	}
	for range 2 {
		report, err := chain.Run(context.Background(), project, chain.Options{})
		if err != nil {
			panic(err)
		}
		fmt.Println(report.Ran, "ran,", report.Current, "current,", report.Errors, "errors")
	}
	// Output:
	// 10 ran, 0 current, 0 errors
	// 0 ran, 10 current, 0 errors
}

// Each step can be called by itself.
func ExampleAnnotate() {
	dir, err := os.MkdirTemp("", "annotate-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "ch01_tea.norm.md")
	os.WriteFile(source, []byte(chapter), 0o666)
	report, err := chain.Annotate(context.Background(), chain.AnnotateOptions{Sources: []string{source}, Out: filepath.Join(dir, "events")})
	fmt.Println(report, err)
	// Output:
	// annotated 1 conversations, 3 events: 2 episodic, 1 probe; tags chosen: 2 by rule <nil>
}
