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

// A Follower reads the journals of a run while another process writes them. It changes nothing and keeps only positions.
type Follower struct {
	dir   string
	units []Count
	at    []int64 // read so far, by unit
}

// Follow begins at the beginning of the run in dir.
func Follow(dir string) *Follower { return &Follower{dir: dir} }

// Next looks for changes. each, if not nil, receives the new answers, unit by unit. If the run restarted since the last call, which invalidates earlier
// answers, anew is called first. A finished run has no journals: the answers are in its files.
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

// read reads the complete lines after the last position. Lines that are being written, or were torn by a crash, are ignored.
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
