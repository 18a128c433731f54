package run

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"membench/internal/codec"
	"membench/internal/keylog"
	"membench/schema"
)

// A Follower reads the journals of a run as they grow, whoever writes them. It changes
// nothing, and holds nothing but places.
type Follower struct {
	dir   string
	units []Count
	at    []int64 // read so far, by unit
}

// Follow begins at the beginning of the run in dir.
func Follow(dir string) *Follower { return &Follower{dir: dir} }

// Next looks again. each, if any, is given the answers that are new, unit by unit; where
// the run began again since the last look, so that what was seen before is void, again is
// called first. A finished run has no journals: its files have the answers.
func (f *Follower) Next(anew func(), each func(*schema.QARecord) error) (Status, error) {
	st, err := glance(f.dir)
	if err != nil || st.Finished {
		f.units, f.at = nil, nil
		return st, err
	}
	again := len(st.Units) != len(f.units)
	for i := range f.at {
		info, err := os.Stat(journalPath(filepath.Join(f.dir, journalDir), i))
		again = again || err == nil && info.Size() < f.at[i]
	}
	if again {
		f.units, f.at = st.Units, make([]int64, len(st.Units))
		if anew != nil {
			anew()
		}
	}
	for i := range f.units {
		if err := f.read(i, each); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return st, err
		}
	}
	st.Units = f.units
	return st, nil
}

// read takes in the whole lines behind the last place; what is being written, and what a
// crash left, is none.
func (f *Follower) read(i int, each func(*schema.QARecord) error) error {
	file, err := os.Open(journalPath(filepath.Join(f.dir, journalDir), i))
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Seek(f.at[i], io.SeekStart); err != nil {
		return err
	}
	for r := bufio.NewReaderSize(file, 1<<16); ; {
		line, err := keylog.ReadLine(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		h, rec, err := parseLine(line[:len(line)-1])
		if err != nil {
			return nil
		}
		f.at[i] += int64(len(line))
		if err := f.units[i].add(h.kind, h.outcome, rec); err != nil {
			return err
		}
		if h.kind == 'q' && each != nil {
			var q schema.QARecord
			if err := codec.Unmarshal(rec, &q); err != nil {
				return err
			}
			if err := each(&q); err != nil {
				return err
			}
		}
	}
}
