package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"membench/eval/conformance"
	"membench/eval/protocol"
	"membench/internal/smallfile"
	"membench/schema"

	"github.com/spf13/cobra"
)

type conformanceOptions struct {
	golden, data string
	prompts      []string
	limit        int
}

func newEvalConformanceCmd(e *env) *cobra.Command {
	var o conformanceOptions
	c := verb("conformance [--golden DIR] [--data DIR]", "Compare every metric with the original scorers", cobra.NoArgs, func(*cobra.Command, []string) error {
		if o.limit < 0 {
			return usagef("--limit: have %d, want 0 (all) or more", o.limit)
		}
		return runEvalConformance(e, o)
	})
	f := c.Flags()
	f.StringVar(&o.golden, "golden", "", "folder of vector files (`dir`; default: those built in)")
	f.StringVar(&o.data, "data", "", "folder that rows point into (`dir`)")
	f.StringArrayVar(&o.prompts, "prompt-file", nil, promptFileHelp)
	f.IntVar(&o.limit, "limit", 10, "show at most `n` differences per file; 0: all")
	f.BoolVar(&e.json, "json", false, "print one JSON object")
	return c
}

const promptFileHelp = "`PROTOCOL=FILE`: your copy of a protocol's published prompt or script (may be repeated)"

// readPrompts reads the files of --prompt-file.
func readPrompts(specs []string) (*protocol.Prompts, error) {
	var p protocol.Prompts
	for _, s := range specs {
		name, file, ok := strings.Cut(s, "=")
		if !ok {
			return nil, usagef("--prompt-file: have %q, want PROTOCOL=FILE", s)
		}
		b, err := smallfile.Read(file)
		if err != nil {
			return nil, &schema.UsageError{Err: err}
		}
		if _, err := p.Add(name, filepath.Base(file), b); err != nil {
			return nil, usagef("--prompt-file: %w", err)
		}
	}
	return &p, nil
}

func runEvalConformance(e *env, o conformanceOptions) error {
	prompts, err := readPrompts(o.prompts)
	if err != nil {
		return err
	}
	dir := func(flag, path string) (fs.FS, error) {
		if path == "" {
			return nil, nil
		}
		if info, err := os.Stat(path); err != nil {
			return nil, &schema.UsageError{Err: err}
		} else if !info.IsDir() {
			return nil, usagef("%s: %s is not a folder", flag, path)
		}
		return os.DirFS(path), nil
	}
	golden, err := dir("--golden", o.golden)
	if err != nil {
		return err
	}
	data, err := dir("--data", o.data)
	if err != nil {
		return err
	}
	rep, err := conformance.Run(conformance.Options{Golden: golden, Data: data, Prompts: prompts, Limit: o.limit})
	if err != nil {
		return err
	}
	if err = e.show(rep, rep.WriteText); err == nil && rep.Failed > 0 {
		err = errFindings
	}
	return err
}
