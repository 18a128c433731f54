// Package records finds, reads and writes the record files of evaluation runs.
package records

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"
)

// Files of a graded run. What was asked, before grading, is named in eval/run.
const (
	QAFile      = "qa_records.jsonl"
	SessionFile = "session_records.jsonl"
	// CasesFile holds the cases that a run asks.
	CasesFile = "cases.jsonl.zst"
)

// In finds a file of a run's folder, compressed or not, by the first of names that is
// there; "" if there is none.
func In(dir string, names ...string) string {
	for _, name := range names {
		for _, packed := range []string{"", ".zst", ".gz"} {
			path := filepath.Join(dir, name+packed)
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return ""
}

// Find finds the QA and session records of a run: a folder, a file of either kind, or -
// for QA records on standard input. It fails where a folder has neither, or fewer answers
// than its run gave.
func Find(path string) (qa, sessions string, err error) {
	if path == "-" {
		return path, "", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() {
		if base := filepath.Base(path); strings.HasPrefix(base, "session") || strings.HasPrefix(base, "pipeline_sessions") {
			return "", path, nil
		}
		return path, "", nil
	}
	qa, sessions = In(path, QAFile, "pipeline_qa.jsonl"), In(path, SessionFile, "pipeline_sessions.jsonl")
	if qa == "" && sessions == "" {
		return "", "", fmt.Errorf("%s: neither qa_records.jsonl nor session_records.jsonl: is it the folder of a run?", path)
	}
	if have, want := answers(path, qa); have < want {
		return "", "", &schema.Finding{Pos: schema.Pos{File: qa}, Code: "EVL104", Message: fmt.Sprintf("%d records; the run answered %d questions: start it again with the same command", have, want)}
	}
	return qa, sessions, nil
}

// answers counts the records of a plain file, and those that the folder's manifest says a run
// made; both are 0 where that is not known.
func answers(dir, qa string) (have, want int) {
	m, err := build.ReadManifest(filepath.Join(dir, "manifest.json"))
	if err != nil || !strings.HasSuffix(qa, ".jsonl") {
		return 0, 0
	}
	f, err := os.Open(qa)
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	block := make([]byte, 1<<16)
	for {
		n, err := f.Read(block)
		have += bytes.Count(block[:n], []byte{'\n'})
		if err != nil {
			return have, int(m.Counts["questions"])
		}
	}
}

// Known makes findings of lines that are JSON, but not QA or session records.
func Known[T any](in schema.Seq[T]) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for rec, err := range in {
			if want := lacking(rec.V); err == nil && want != "" {
				rec, err = schema.Record[T]{}, &schema.Finding{Pos: rec.Pos, Code: "EVL103", Message: "the line is not a record of this kind, skipped", Want: want}
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// lacking names the members of a record when v has none of them.
func lacking(v any) string {
	switch v := v.(type) {
	case schema.QARecord:
		if v.System == "" && v.QuestionID == "" {
			return "a QA record: system, question_id, …"
		}
	case schema.SessionRecord:
		if v.System == "" && v.SessionID == "" {
			return "a session record: system, session_id, …"
		}
	}
	return ""
}

// Write writes a stream without findings and returns how many records it had.
func Write[T schema.Versioned[T]](w io.Writer, in schema.Seq[T]) (int, error) {
	n, findings, err := jsonl.Write(w, schema.Latest, in)
	if err == nil && len(findings) > 0 {
		err = findings[0]
	}
	return n, err
}
