package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/findings"
)

// writeJSON writes v as one indented JSON text with a final newline: a report.
func writeJSON(w io.Writer, v any) error {
	b, err := codec.Append(nil, v, codec.Indented)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// mute is e with its streams going nowhere: for dry runs.
func (e *env) mute() *env {
	m := *e
	m.out, m.err = io.Discard, io.Discard
	return &m
}

// writeOut runs fill on standard output for "-", else on a file that appears whole
// or not at all.
func writeOut(e *env, path string, fill func(io.Writer) error) error {
	if path == "-" {
		w := bufio.NewWriterSize(e.out, 1<<16)
		if err := fill(w); err != nil {
			return err
		}
		return w.Flush()
	}
	return atomicfile.Write(path, func(f io.Writer) error {
		w := bufio.NewWriterSize(f, 1<<16)
		if err := fill(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// untilDone is a reader that fails once ctx is done: for streams that know of no
// context.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// notInput refuses an output that is one of the inputs, file or folder: what a
// command leaves out of its output would be lost, and a folder that held both would
// be read otherwise by the next run.
func notInput(out string, inputs ...string) error {
	o, err := os.Stat(out)
	if err != nil || out == "-" {
		return nil
	}
	for _, in := range inputs {
		if i, err := os.Stat(in); err == nil && in != "-" && os.SameFile(i, o) {
			return usagef("the output %s is the input %s: give another place with -o", out, in)
		}
	}
	return nil
}

// fileName is the name of a conversation's file, without its ending: atomicfile.Name
// of its id, "_none" for records without one. A leading "_" is encoded, too, so that
// no id is called "_none".
func fileName(conv schema.ConvID) string {
	if conv == "" {
		return "_none"
	}
	name := atomicfile.Name(string(conv))
	if rest, ok := strings.CutPrefix(name, "_"); ok {
		name = "%5F" + rest
	}
	return name
}

// inputFiles expands the given paths: a folder stands for its files (not those of
// sub-folders) whose name ends in one of the suffixes, with or without .gz or .zst,
// sorted by name; a file and "-" stand for themselves. A folder without such a file is an error.
func inputFiles(paths []string, suffixes ...string) ([]string, error) {
	var out []string
	for _, p := range paths {
		if p == "-" {
			out = append(out, p)
			continue
		}
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, p)
			continue
		}
		entries, err := os.ReadDir(p)
		if err != nil {
			return nil, err
		}
		n := len(out)
		for _, d := range entries {
			name := strings.TrimSuffix(strings.TrimSuffix(d.Name(), ".gz"), ".zst")
			if d.IsDir() || strings.HasPrefix(name, ".") {
				continue
			}
			if slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) }) {
				out = append(out, filepath.Join(p, d.Name()))
			}
		}
		if len(out) == n {
			return nil, fmt.Errorf("%s: no file ending in %s", p, strings.Join(suffixes, ", "))
		}
	}
	return out, nil
}

// tally counts findings and prints them on standard error, errors always, at most
// limit of them (0: all).
type tally struct {
	e        *env
	limit    int
	printed  int
	errors   int
	warnings int
	byCode   map[string]int
}

func newTally(e *env, limit int) *tally { return &tally{e: e, limit: limit, byCode: map[string]int{}} }

// take counts err when it is a finding and returns nil, else err.
func (t *tally) take(err error) error {
	var f *schema.Finding
	if err == nil || !errors.As(err, &f) {
		return err
	}
	t.byCode[f.Code]++
	if f.Warning {
		t.warnings++
	} else {
		t.errors++
	}
	if t.limit == 0 || t.printed < t.limit {
		t.e.warnf("%v", f)
		t.printed++
	}
	return nil
}

// summary says on standard error what was not printed.
func (t *tally) summary() {
	if n := t.errors + t.warnings - t.printed; n > 0 {
		t.e.warnf("… and %d more findings (%d errors, %d warnings in all)", n, t.errors, t.warnings)
	}
}

// lost ends a command that wrote its output although records were left out of it or are
// wrong: exit 3, so that no script goes on with half of its data unaware.
func (t *tally) lost() error {
	if t.errors == 0 {
		return nil
	}
	t.e.warnf("%s in the data: what was written is not all that was given", findings.Count(t.errors, "error"))
	return errFindings
}

// drop passes a stream on without its findings, which are counted.
func drop[T any](t *tally, in schema.Seq[T]) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for r, err := range in {
			var f *schema.Finding
			if errors.As(err, &f) {
				t.take(err)
				if !f.Warning {
					continue
				}
				err = nil
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
