package pipeline

import (
	"io"
	"path/filepath"
	"time"

	"membench/config"
	evalrun "membench/eval/run"
	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/internal/smallfile"
)

// startFile says when a run was last started, for the rate that a status shows.
const startFile = "start.json"

// A Start is when a run was last started.
type Start struct {
	At        time.Time     `json:"at"`
	Questions int           `json:"questions"`       // that had an outcome then
	Budget    config.Budget `json:"budget,omitzero"` // of the run; a shard has its part of it
}

// Began reads the last start of a run.
func Began(dir string) (s Start, err error) {
	err = smallfile.ReadJSON(filepath.Join(dir, "journal", startFile), &s)
	return s, err
}

// noteStart keeps when an unfinished run starts.
func noteStart(dir string, s Start) error {
	if st, err := evalrun.Look(dir); err == nil {
		if st.Finished {
			return nil
		}
		s.Questions = evalrun.Sum(st.Units).Questions
	}
	return atomicfile.WriteOr(filepath.Join(dir, "journal", startFile), nil, func(w io.Writer) error { return codec.WriteFile(w, s) })
}
