package chain

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"membench/annotate"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"
)

// CompileOptions of Compile.
type CompileOptions struct {
	Shared
	Events []string // folders or files of events, one conversation each
	Index  string   // index.json that gives order and choice of conversations; "": all, by name
	Out    string   // events.jsonl, or "-"
}

// CompileReport is the result of Compile.
type CompileReport struct {
	Files    int            `json:"files"`
	Events   int            `json:"events"`
	Findings map[string]int `json:"findings,omitempty"`
}

// String is one line for people.
func (r CompileReport) String() string {
	return fmt.Sprintf("compiled %d files, %d events", r.Files, r.Events)
}

// Compile joins events by conversation into one file, lines byte for byte.
func Compile(ctx context.Context, o CompileOptions) (CompileReport, error) {
	f := o.frame("compile", schema.Latest, o.Out, false)
	defer f.Close()
	files, err := build.Inputs(o.Out, o.Events, ".events.jsonl", ".jsonl")
	if err != nil {
		return CompileReport{}, err
	}
	if err := build.NotInput(o.Out, o.Index); err != nil {
		return CompileReport{}, err
	}
	parts, err := parts(ctx, f, files, o.Index)
	if err != nil {
		return CompileReport{}, err
	}
	report := CompileReport{Files: len(parts)}
	err = f.Write("", func(w io.Writer) error {
		report.Events, err = annotate.WriteLines(w, annotate.Compile(ctx, parts), f.Found)
		return err
	})
	if err != nil {
		return report, err
	}
	f.Taken = report.Events
	m, err := f.Commit(schema.Manifest{})
	report.Findings = m.Findings
	return report, err
}

// parts sorts the files: in the order of the index, if there is one.
func parts(ctx context.Context, f *build.Frame, files []string, index string) ([]jsonl.File, error) {
	byConv := map[schema.ConvID][]string{}
	var have []schema.ConvID
	for _, file := range files {
		id := convOfFile(file)
		if byConv[id] == nil {
			have = append(have, id)
		}
		byConv[id] = append(byConv[id], file)
	}
	var entries []schema.IndexEntry
	if index != "" {
		list, err := readIndex(f, index)
		if err != nil {
			return nil, err
		}
		entries = append([]schema.IndexEntry{}, list...) // never nil: an empty index is an index
	}
	order, findings := annotate.Order(have, entries, index)
	for _, x := range findings {
		f.Found(x)
	}
	var out []jsonl.File
	for _, id := range order {
		for _, name := range byConv[id] {
			out = append(out, f.File(ctx, name))
		}
	}
	return out, nil
}

// convOfFile undoes FileName for the names that hold one conversation's events.
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
