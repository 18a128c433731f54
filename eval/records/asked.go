package records

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"membench/internal/build"
	"membench/internal/codec"
	"membench/schema"
)

// Files of a run as it was asked, before grading.
const (
	AskedFile        = "pipeline_qa.jsonl"
	AskedSessionFile = "pipeline_sessions.jsonl"
)

// kept says how the graded records of a kind are compared with those that the run asked.
type kept[T any] struct {
	kind          schema.Kind
	graded, asked string // files of a run's folder
	id            func(*T) (recordID, string)
	content       func(T) recordID // hash of what asking left in a record; grading adds the other members
	want          string
}

// asAsked makes findings (EVL107) of the graded records of a run's folder that are not those which the run asked, but for what grading and explain add: an
// answer, a gold or a usage that was edited afterwards is no result of the run. Asked records that are missing are one finding (EVL104). It ends with an error
// if the asked records are not those of the run's manifest.
// Records elsewhere, or of a run that kept none, pass. It holds 48 bytes for each record.
func (k kept[T]) asAsked(in schema.Seq[T], path string) schema.Seq[T] {
	file := filepath.Join(filepath.Dir(path), k.asked)
	if _, err := os.Stat(file); err != nil || path == "-" || filepath.Base(path) != k.graded {
		return in
	}
	return func(yield func(schema.Record[T], error) bool) {
		if asGraded(path, file) {
			in(yield)
			return
		}
		asked, err := k.read(file)
		if err != nil {
			yield(schema.Record[T]{}, err)
			return
		}
		rejected := 0 // for another reason
		for rec, err := range in {
			if schema.Whole(err) {
				id, words := k.id(&rec.V)
				if sum, ok := asked[id]; !ok || sum != k.content(rec.V) {
					rec, err = schema.Record[T]{}, &schema.Finding{Pos: rec.Pos, Code: "EVL107", Message: "the record was changed after the run asked it; it was skipped", Have: words,
						Want: k.want + " of " + k.asked, Hint: "grade the folder again with membench eval grade, or start the run again"}
				}
				delete(asked, id)
			} else {
				rejected++
			}
			if !yield(rec, err) {
				return
			}
		}
		if n := len(asked) - rejected; n > 0 {
			yield(schema.Record[T]{}, &schema.Finding{Pos: schema.Pos{File: path}, Code: "EVL104", Message: fmt.Sprintf("%d records of the run are not here: start it again with the same command", n)})
		}
	}
}

// GradeStep is the file of a run's folder that records its own grading: what it read and wrote, by digest.
func GradeStep(dir string) string {
	return filepath.Join(dir, "journal", "steps", build.RecordName("grade"))
}

// asGraded reports whether both files are still those that the run's own grading read and wrote, by its record.
func asGraded(graded, asked string) bool {
	m, err := build.ReadManifest(GradeStep(filepath.Dir(graded)))
	if err != nil {
		return false
	}
	same := func(list []schema.FileDigest, path string) bool {
		d, err := build.Digest(path)
		return err == nil && slices.ContainsFunc(list, func(x schema.FileDigest) bool { return x.Path == filepath.Base(path) && x.SHA256 == d.SHA256 })
	}
	return same(m.Inputs, asked) && same(m.Outputs, graded)
}

func (k kept[T]) read(file string) (map[recordID]recordID, error) {
	if m, err := build.ReadManifest(filepath.Join(filepath.Dir(file), "manifest.json")); err == nil {
		d, err := build.Digest(file)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(m.Outputs, func(o schema.FileDigest) bool { return o.Path == k.asked && o.SHA256 != d.SHA256 }) {
			return nil, schema.Brokenf("%s: MAN001: the file was changed after the run wrote it: start the run again with the same command", file)
		}
	}
	asked := map[recordID]recordID{}
	for rec, err := range schema.Drop(read[T](file, nil, k.kind), func(*schema.Finding) {}) {
		if err != nil {
			return nil, err
		}
		id, _ := k.id(&rec.V)
		asked[id] = k.content(rec.V)
	}
	return asked, nil
}

var askedQA = kept[schema.QARecord]{schema.KindQA, QAFile, AskedFile, questionID, func(r schema.QARecord) recordID {
	r.Type, r.Grades, r.Attribution, r.Errata, r.EvidenceTexts, r.Context, r.ContextID = "", nil, nil, nil, nil, "", ""
	r.Usage = beforeGrading(r.Usage)
	return hashOf(r)
}, "the question, gold, answer, hits and usage"}

var askedSessions = kept[schema.SessionRecord]{schema.KindSession, SessionFile, AskedSessionFile, sessionID, func(r schema.SessionRecord) recordID {
	r.Grades, r.Usage = nil, beforeGrading(r.Usage)
	return hashOf(r)
}, "the memories and usage"}

// beforeGrading is usage without that of judges.
func beforeGrading(all []schema.StepUsage) []schema.StepUsage {
	return slices.DeleteFunc(slices.Clone(all), func(u schema.StepUsage) bool { return u.Step == "judge" })
}

func hashOf[T any](r T) (sum recordID) {
	b, err := codec.Append(nil, r, codec.Compact)
	if err != nil {
		return sum // no record that was read cannot be written
	}
	all := sha256.Sum256(b)
	copy(sum[:], all[:])
	return sum
}
