package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"membench/eval/pipeline"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/findings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// newTable makes a table without frame for people.
func newTable(out io.Writer) table.Writer {
	w := table.NewWriter()
	w.SetOutputMirror(out)
	w.SetStyle(table.StyleLight)
	w.Style().Format.Header = 0
	w.Style().Options = table.OptionsNoBordersAndSeparators
	return w
}

// mute is e with its streams going nowhere: for dry runs.
func (e *env) mute() *env {
	m := *e
	m.out, m.err = io.Discard, io.Discard
	return &m
}

// writeOut runs fill on standard output for "-", otherwise on a file that appears completely or not at all.
func writeOut(e *env, path string, fill func(io.Writer) error) error {
	return atomicfile.WriteOr(path, e.out, fill)
}

// show prints a report: as one JSON object, or as text for people.
func (e *env) show(report any, text func(io.Writer)) error {
	if e.json {
		return writeJSON(e.out, report)
	}
	w := bufio.NewWriter(e.text()) // it keeps the first error
	text(w)
	return w.Flush()
}

// line prints v as a line of JSON, or its text for people.
func (e *env) line(v any, format string, args ...any) error {
	if e.json {
		return codec.WriteLine(e.text(), v)
	}
	_, err := fmt.Fprintf(e.text(), format+"\n", args...)
	return err
}

var (
	notInput   = build.NotInput
	apart      = build.Apart
	inputFiles = build.InputFiles
	writeJSON  = codec.WriteFile
)

// tally counts findings and prints them on standard error, errors always, at most
// limit of them (0: all).
type tally struct {
	e                *env
	limit, printed   int
	errors, warnings int
	rejected         int        // records with errors
	faulty           int        // records with errors that are taken all the same
	taken            int        // records that were read and are good
	all              int        // records that were read, where taken counts what was made of them
	last             schema.Pos // of the last rejected record
	byCode           map[string]int
}

func newTally(e *env, limit int) *tally { return &tally{e: e, limit: limit, byCode: map[string]int{}} }

// take counts err if it is a finding and returns nil; it returns other errors. The fix of a finding is printed with the first one of its code.
func (t *tally) take(err error) error {
	var f *schema.Finding
	if err == nil || !errors.As(err, &f) {
		return err
	}
	t.byCode[f.Code]++
	if f.Warning {
		t.warnings++
	} else if t.errors++; !f.SameLine(&t.last) {
		t.rejected++
	}
	if t.limit == 0 || t.printed < t.limit {
		l := levelError
		if f.Warning {
			l = levelWarning
		}
		t.e.say(l, "%v", f)
		if f.Hint != "" && t.byCode[f.Code] == 1 {
			t.e.say(l, "  %s", t.e.texts.fix(f))
		}
		t.printed++
	}
	return nil
}

// found is take for operations that cannot fail.
func (t *tally) found(f *schema.Finding) { t.take(f) }

// log returns the log of a step of an evaluation.
func (t *tally) log() pipeline.Log {
	return pipeline.Log{Words: t.e.warnf, Warned: func(f string, args ...any) { t.e.say(levelWarning, f, args...) }, Found: t.found, Read: t.read}
}

// read counts a good record.
func (t *tally) read() { t.taken++ }

// summary prints on standard error the number of findings that were not printed.
func (t *tally) summary() {
	if n := t.errors + t.warnings - t.printed; n > 0 {
		t.e.warnf("… and %d more findings (%d errors, %d warnings in all)", n, t.errors, t.warnings)
	}
}

// loss applies a step's flags to the errors so far.
func (t *tally) loss(step string, f stepFlags) schema.Loss {
	return schema.Loss{Step: step, Rejected: t.rejected, Faulty: t.faulty, Taken: t.taken, Read: t.all, Accept: schema.Limit(f.accept), Strict: f.strict}
}

// lost ends a command that printed its result although records were skipped or are wrong: exit 3, so that no script continues unaware with half of its data.
func (t *tally) lost() error {
	loss := t.loss("", stepFlags{accept: t.e.accept})
	if loss.Empty = true; !loss.Lost() {
		return nil
	}
	t.e.warnf("%s in the data: the result does not cover all of the input", findings.Count(t.errors, "error"))
	return errFindings
}

// end prints the summary of a command that ends with err, and says what was lost where it succeeded.
func (t *tally) end(err error) error {
	t.summary()
	if err != nil {
		return err
	}
	return t.lost()
}

// drop passes a stream on without its findings, which are counted, as are the records.
func drop[T any](t *tally, in schema.Seq[T]) schema.Seq[T] {
	return tallied(t, schema.Drop(in, t.found))
}

// tallied passes a stream on; its good records are counted.
func tallied[T any](t *tally, in schema.Seq[T]) schema.Seq[T] {
	return schema.Observe(in, func(*T) { t.read() })
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
