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

// AskedFile holds the records of a run as they were asked, before grading.
const AskedFile = "pipeline_qa.jsonl"

// asAsked makes findings (EVL107) of the graded records of a run's folder that are not those which the run asked, but for what grading and explain add: an
// answer or a gold that was edited afterwards is no result of the run. Asked records that are missing are one finding (EVL104). It ends with an error if the
// asked records are not those of the run's manifest.
// Records elsewhere, or of a run that kept none, pass. It holds 48 bytes for each record.
func asAsked(in schema.Seq[schema.QARecord], path string) schema.Seq[schema.QARecord] {
	file := filepath.Join(filepath.Dir(path), AskedFile)
	if _, err := os.Stat(file); err != nil || path == "-" || filepath.Base(path) != QAFile {
		return in
	}
	return func(yield func(schema.Record[schema.QARecord], error) bool) {
		if asGraded(path, file) {
			in(yield)
			return
		}
		asked, err := readAsked(file)
		if err != nil {
			yield(schema.Record[schema.QARecord]{}, err)
			return
		}
		rejected := 0 // for another reason
		for rec, err := range in {
			if schema.Whole(err) {
				id, words := questionID(&rec.V)
				if sum, ok := asked[id]; !ok || sum != contentOf(rec.V) {
					rec, err = schema.Record[schema.QARecord]{}, &schema.Finding{Pos: rec.Pos, Code: "EVL107", Message: "the record was changed after the run asked it; it was skipped", Have: words,
						Want: "the question, gold, answer and hits of " + AskedFile, Hint: "grade the folder again with membench eval grade, or start the run again"}
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
			yield(schema.Record[schema.QARecord]{}, &schema.Finding{Pos: schema.Pos{File: path}, Code: "EVL104", Message: fmt.Sprintf("%d records of the run are not here: start it again with the same command", n)})
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

func readAsked(file string) (map[recordID]recordID, error) {
	if m, err := build.ReadManifest(filepath.Join(filepath.Dir(file), "manifest.json")); err == nil {
		d, err := build.Digest(file)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(m.Outputs, func(o schema.FileDigest) bool { return o.Path == AskedFile && o.SHA256 != d.SHA256 }) {
			return nil, schema.Brokenf("%s: MAN001: the file was changed after the run wrote it: start the run again with the same command", file)
		}
	}
	asked := map[recordID]recordID{}
	for rec, err := range schema.Drop(read[schema.QARecord](file, nil, schema.KindQA), func(*schema.Finding) {}) {
		if err != nil {
			return nil, err
		}
		id, _ := questionID(&rec.V)
		asked[id] = contentOf(rec.V)
	}
	return asked, nil
}

// contentOf is the hash of what asking left in a record; grading adds the other members.
func contentOf(r schema.QARecord) (sum recordID) {
	r.Type, r.Grades, r.Attribution, r.Usage, r.Errata, r.EvidenceTexts, r.Context, r.ContextID = "", nil, nil, nil, nil, nil, "", ""
	b, err := codec.Append(nil, r, codec.Compact)
	if err != nil {
		return sum // no record that was read cannot be written
	}
	all := sha256.Sum256(b)
	copy(sum[:], all[:])
	return sum
}
