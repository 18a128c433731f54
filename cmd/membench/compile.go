package main

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"membench/annotate"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type compileOptions struct {
	inputs     []string
	out, index string
	strict     bool
	asJSON     bool
	limit      int
}

func newCompileCmd(e *env) *cobra.Command {
	var o compileOptions
	c := &cobra.Command{
		Use:   "compile EVENTS...",
		Short: "Join events by conversation into one file",
		Long: `Join events by conversation into one file.

EVENTS are folders or files of events, one conversation each: <conv>.events.jsonl as
annotate writes them, or chNN.jsonl as the existing chain does. Lines are copied
byte for byte. Conversations come in the order of the index, else chapters by
number and then the others by name. Events whose turn ids do not rise, lines that
are no events and second files of a conversation are reported and skipped.`,
		Example: `  membench compile events -o events.jsonl
  membench compile events --index source/index.json -o events.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.inputs = args
			if o.asJSON && o.out == "-" {
				return usagef("--json and -o - both want standard output: name a file with -o")
			}
			return runCompile(c, e, o)
		},
	}
	c.Flags().StringVarP(&o.out, "output", "o", "-", "write to `file`; - is standard output")
	c.Flags().StringVar(&o.index, "index", "", "take the order, and which conversations, from this index.json `file`")
	c.Flags().BoolVar(&o.strict, "strict", false, "exit 3 and write nothing when there are errors")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print the counts as one JSON object")
	c.Flags().IntVar(&o.limit, "limit", 50, "print at most `n` findings, 0 = all")
	return c
}

type compileReport struct {
	Files    int            `json:"files"`
	Events   int            `json:"events"`
	Findings map[string]int `json:"findings,omitempty"`
}

func runCompile(c *cobra.Command, e *env, o compileOptions) error {
	files, err := inputFiles(o.inputs, ".events.jsonl", ".jsonl")
	if err != nil {
		return err
	}
	if err := notInput(o.out, append(files, o.index)...); err != nil {
		return err
	}
	t := newTally(e, o.limit)
	byConv := map[schema.ConvID][]string{}
	var have []schema.ConvID
	for _, f := range files {
		id := convOfFile(f)
		if byConv[id] == nil {
			have = append(have, id)
		}
		byConv[id] = append(byConv[id], f)
	}
	var index []schema.IndexEntry
	if o.index != "" {
		text, err := smallfile.Read(o.index)
		if err != nil {
			return err
		}
		entries, findings, err := annotate.ReadIndex(text, o.index)
		if err != nil {
			return err
		}
		for _, f := range findings {
			t.take(f)
		}
		index = append([]schema.IndexEntry{}, entries...) // never nil: an empty index is an index
	}
	order, findings := annotate.Order(have, index, o.index)
	for _, f := range findings {
		t.take(f)
	}
	var parts []annotate.Part
	for _, id := range order {
		for _, f := range byConv[id] {
			parts = append(parts, annotate.Part{Name: f, Open: func() (io.ReadCloser, error) {
				r, err := jsonl.Open(f, e.in)
				if err != nil {
					return nil, err
				}
				return struct {
					io.Reader
					io.Closer
				}{untilDone(c.Context(), r), r}, nil
			}})
		}
	}
	report := compileReport{Files: len(parts)}
	err = writeOut(e, o.out, func(w io.Writer) error {
		n, err := annotate.WriteLines(w, annotate.Compile(c.Context(), parts), func(f *schema.Finding) { t.take(f) })
		report.Events = n
		if err == nil && o.strict && t.errors > 0 {
			err = errFindings
		}
		return err
	})
	t.summary()
	if err != nil {
		return err
	}
	if len(t.byCode) > 0 {
		report.Findings = t.byCode
	}
	if o.asJSON {
		return writeJSON(e.out, report)
	}
	e.warnf("compiled %d files, %d events", report.Files, report.Events)
	return nil
}

// convOfFile undoes fileName for the names that hold one conversation's events.
func convOfFile(path string) schema.ConvID {
	name := filepath.Base(path)
	for _, ext := range []string{".gz", ".zst", ".jsonl", ".events"} {
		name = strings.TrimSuffix(name, ext)
	}
	if s, err := url.PathUnescape(name); err == nil {
		name = s
	}
	return schema.ConvID(name)
}
