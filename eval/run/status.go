package run

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"

	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/memory"
	"membench/schema"
)

// A Status is the state of a run, read from its folder.
type Status struct {
	Running  bool    // a process is at it
	Finished bool    // its files are there
	Units    []Count // in order; Known is 0
}

// Look reads the folder of a run, which may be running, killed or finished; it changes nothing.
func Look(dir string) (Status, error) {
	return Follow(dir).Next(nil, nil)
}

// glance returns a Status without the journals' counts.
func glance(dir string) (Status, error) {
	var st Status
	var s state
	journals := filepath.Join(dir, journalDir)
	if err := smallfile.ReadJSON(filepath.Join(journals, configFile), &s); err != nil {
		return st, err
	}
	lock, err := atomicfile.Hold(filepath.Join(journals, "lock"))
	switch {
	case errors.Is(err, atomicfile.ErrBusy):
		st.Running = true
	case err == nil:
		lock.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return st, err
	}
	st.Units = make([]Count, len(s.Units))
	for i, u := range s.Units {
		st.Units[i] = Count{System: u.System, Dataset: u.Dataset, Of: u.Questions, Outcomes: map[string]int{}}
	}
	var done finished
	if smallfile.ReadJSON(filepath.Join(journals, doneFile), &done) == nil && done.whole(dir) {
		st.Finished, st.Units = true, done.Units
	}
	return st, nil
}

// add counts one record.
func (c *Count) add(kind byte, outcome string, rec []byte) error {
	switch kind {
	case 's':
		c.Sessions++
	case 'q':
		c.Questions++
		c.Outcomes[outcome]++
	default:
		return nil
	}
	// In a text the quotes would be escaped, so a record without these bytes has no usage.
	if !bytes.Contains(rec, []byte(`"usage": [`)) && !bytes.Contains(rec, []byte(`"degraded": [`)) {
		return nil
	}
	for name, raw := range codec.Members(rec) {
		switch name {
		case "degraded":
			var notes []memory.Note
			if err := codec.Unmarshal(raw, &notes); err != nil {
				return err
			}
			c.Degraded += len(notes)
			memory.CountFailed(&c.Failed, notes)
		case "usage":
			var u []schema.StepUsage
			if err := codec.Unmarshal(raw, &u); err != nil {
				return err
			}
			c.Usage = addUsage(c.Usage, u)
		}
	}
	return nil
}
