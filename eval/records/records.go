// Package records finds, reads and writes the record files of evaluation runs.
package records

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// IsRun reports whether path is the folder of a run: Find knows which of its files are records.
func IsRun(path string) bool {
	return In(path, QAFile, AskedFile, SessionFile, CasesFile) != ""
}

// Find finds the QA and session records of a run: a folder, a file of either kind, or -
// for QA records on standard input. It fails where a folder has neither, or fewer answers
// than its run gave.
func Find(path string) (qa, sessions string, err error) {
	if path == "-" {
		return path, "", nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", schema.Usagef("%s: there is no such file or folder: give the folder of a run, or a file of records", path)
	}
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() {
		if base := filepath.Base(path); strings.HasPrefix(base, "session") || strings.HasPrefix(base, "pipeline_sessions") {
			return "", path, nil
		}
		return path, "", nil
	}
	qa, sessions = In(path, QAFile, AskedFile), In(path, SessionFile, AskedSessionFile)
	switch {
	case qa != "" || sessions != "":
	case IsRun(path):
		return "", "", fmt.Errorf("%s: the run in this folder is not finished: start it again with the same command; membench eval status %s shows how far it is", path, path)
	default:
		return "", "", fmt.Errorf("%s: neither qa_records.jsonl nor session_records.jsonl: is it the folder of a run?", path)
	}
	if have, want := answers(path, qa); have < want {
		return "", "", &schema.Finding{Pos: schema.Pos{File: qa}, Code: "EVL104", Message: fmt.Sprintf("%d records; the run answered %d questions: start it again with the same command", have, want)}
	}
	return qa, sessions, nil
}

// FindAll finds the records of several runs.
func FindAll(paths []string) (qa, sessions []string, err error) {
	for _, path := range paths {
		q, s, err := Find(path)
		if err != nil {
			return nil, nil, err
		}
		if q != "" {
			qa = append(qa, q)
		}
		if s != "" {
			sessions = append(sessions, s)
		}
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

// A recordID is the hash of what identifies a record among all runs; zero where the record lacks it.
type recordID [16]byte

func idOf(part, system, dataset, caseID string, repeat int) (id recordID) {
	if system != "" || part != "" {
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %d", part, system, dataset, caseID, repeat))
		copy(id[:], sum[:])
	}
	return id
}

func questionID(r *schema.QARecord) (id recordID, words string) {
	return idOf(r.QuestionID, r.System, r.Dataset, r.CaseID, r.Repeat), fmt.Sprintf("%s, %s, %s, repeat %d", r.System, r.CaseID, r.QuestionID, r.Repeat)
}

func sessionID(r *schema.SessionRecord) (id recordID, words string) {
	return idOf(r.SessionID, r.System, r.Dataset, r.CaseID, r.Repeat), fmt.Sprintf("%s, %s, %s, repeat %d", r.System, r.CaseID, r.SessionID, r.Repeat)
}

// once makes findings of records that are known already, and of lines that are JSON without an id: joined files must not weigh an answer twice.
func once[T any](in schema.Seq[T], known map[recordID]struct{}, of func(*T) (recordID, string)) schema.Seq[T] {
	return schema.Refuse(in, func(r *schema.Record[T]) *schema.Finding {
		id, words := of(&r.V)
		_, twice := known[id]
		known[id] = struct{}{}
		switch {
		case id == recordID{}:
			return &schema.Finding{Code: "EVL103", Message: "the line is not a record of this kind, skipped", Want: "a record of membench eval run or eval import"}
		case twice:
			return &schema.Finding{Code: "EVL101", Message: "this record was already read; it is counted once", Have: words, Want: "each answer once"}
		}
		return nil
	})
}

// Leaks counts the hits of a system's questions whose sources are all of other conversations than the one that was asked about. It holds the conversations of these
// hits.
type Leaks struct {
	asked   map[schema.ConvID]bool
	foreign [][]schema.ConvID // of each question with such hits
}

// Take takes a question.
func (l *Leaks) Take(q *schema.QARecord) {
	if q.Given == nil || q.Given.ConvID == "" {
		return
	}
	if l.asked == nil {
		l.asked = map[schema.ConvID]bool{}
	}
	l.asked[q.Given.ConvID] = true
	var foreign []schema.ConvID
	for i := range q.Hits {
		if from := q.Hits[i].Sources; len(from) > 0 && !slices.ContainsFunc(from, func(s schema.EventRef) bool { return s.ConvID == q.Given.ConvID }) {
			foreign = append(foreign, from[0].ConvID)
		}
	}
	if len(foreign) > 0 {
		l.foreign = append(l.foreign, foreign)
	}
}

// Warnings are those of a system with such hits. A conversation that no question is of was not sent: its turns are made up.
func (l *Leaks) Warnings() (out []schema.Sentence) {
	for _, x := range []struct {
		sent bool
		text schema.Sentence
	}{{true, schema.Say("hits of other conversations than the one that was asked about, by their sources: %d in %d questions; the memory does not keep its users apart")},
		{false, schema.Say("hits that name only turns which were not sent: %d in %d questions; a turn's id must come back as it was received")}} {
		hits, questions := 0, 0
		for _, convs := range l.foreign {
			n := 0
			for _, c := range convs {
				if l.asked[c] == x.sent {
					n++
				}
			}
			if hits += n; n > 0 {
				questions++
			}
		}
		if hits > 0 {
			out = append(out, schema.Say(x.text.Format, hits, questions))
		}
	}
	return out
}

// Write writes a stream without findings and returns how many records it had.
func Write[T schema.Versioned[T]](w io.Writer, in schema.Seq[T]) (int, error) {
	n, findings, err := jsonl.Write(w, schema.Latest, in)
	if err == nil && len(findings) > 0 {
		err = findings[0]
	}
	return n, err
}
