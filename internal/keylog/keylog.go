// Package keylog is an append-only file of lines that survives being killed: a line
// is there whole or not at all. A torn last line is cut off when the file is opened;
// earlier lines are never touched, so a run that is killed and started again leaves
// the bytes of an undisturbed one.
package keylog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"membench/internal/atomicfile"
	"membench/internal/codec"
)

// A Log is open for appending. One process, one goroutine at a time.
type Log struct {
	f    *os.File
	w    io.Writer
	path string
	bad  error // the first failed append: the end of the file is unknown after it
}

// Options of Open. The zero value is right outside tests.
type Options struct {
	Wrap func(io.Writer) io.Writer // placed between the log and its file, to inject faults
	// Loose is for logs whose lines are not synced one by one (Put): a crash of the
	// machine can leave several bad lines, so the first one and all behind it are cut off.
	Loose bool
}

// Open reads the lines of path in order into each, cuts off a torn last line and
// opens the file for appending; a missing file and its folders are made. An error
// of each for the last line means that it is torn too (a crash of the machine can
// leave a full-length line of garbage); for an earlier line it ends Open.
func Open(path string, o Options, each func(n int, line []byte) error) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	good, size, err := read(f, path, o.Loose, each)
	if err == nil && good < size {
		if err = f.Truncate(good); err == nil {
			err = f.Sync()
		}
	}
	if err == nil && size == 0 {
		err = atomicfile.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	l := &Log{f: f, w: f, path: path}
	if o.Wrap != nil {
		l.w = o.Wrap(f)
	}
	return l, nil
}

// Read is Open without the right to write: a torn last line is passed over.
func Read(path string, each func(n int, line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, _, err = read(f, path, false, each)
	return err
}

// maxLine is how long a line may be, in bytes: a file that is not a log must not fill memory.
const maxLine = 256 << 20

// ReadLine is r.ReadBytes('\n') with a limit.
func ReadLine(r *bufio.Reader) ([]byte, error) {
	for line := []byte(nil); ; {
		part, err := r.ReadSlice('\n')
		if err == nil && line == nil {
			return bytes.Clone(part), nil
		}
		if line = append(line, part...); !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxLine {
			return nil, fmt.Errorf("a line is longer than %d bytes", maxLine)
		}
	}
}

func read(f io.Reader, path string, loose bool, each func(int, []byte) error) (good, size int64, err error) {
	r := bufio.NewReaderSize(f, 1<<16)
	var pending error
	for n := 1; ; n++ {
		line, err := ReadLine(r)
		if err != nil && !errors.Is(err, io.EOF) {
			return good, size, fmt.Errorf("reading %s: %w", path, err)
		}
		size += int64(len(line))
		if len(line) > 0 && pending != nil {
			return good, size, pending
		}
		if err != nil { // the end; a line without "\n" is torn
			return good, size, nil
		}
		if e := each(n, bytes.TrimSuffix(line, []byte("\n"))); e != nil {
			if loose {
				rest, err := io.Copy(io.Discard, r)
				if err != nil {
					return good, size, fmt.Errorf("reading %s: %w", path, err)
				}
				return good, size + rest, nil
			}
			pending = fmt.Errorf("%s:%d: the journal is damaged: %w", path, n, e)
			continue
		}
		good = size
	}
}

// Append adds one line, which must not hold "\n", and makes it durable. After a
// failure the log refuses to continue: opening it again finds the good lines.
func (l *Log) Append(line []byte) error {
	if l.bad == nil && bytes.IndexByte(line, '\n') >= 0 {
		return fmt.Errorf("appending to %s: the line holds a line end", l.path)
	}
	if err := l.Put(append(line[:len(line):len(line)], '\n')); err != nil {
		return err
	}
	return l.Sync()
}

// Record appends v as a line of JSON.
func (l *Log) Record(v any) error {
	line, err := codec.Append(nil, v, codec.Compact)
	if err != nil {
		return err
	}
	return l.Append(line)
}

// A Lazy is a Log of JSON that its first record opens. The zero value is ready.
type Lazy struct{ log *Log }

// IsOpen reports whether there was a record since Close.
func (l *Lazy) IsOpen() bool { return l.log != nil }

// Record opens the log where it is not open, and appends v. It fails where an earlier line is not JSON.
func (l *Lazy) Record(path string, o Options, v any) error {
	if l.log == nil {
		log, err := Open(path, o, func(_ int, line []byte) error {
			if !codec.Valid(line) {
				return errors.New("no JSON")
			}
			return nil
		})
		if err != nil {
			return err
		}
		l.log = log
	}
	return l.log.Record(v)
}

// Close closes the log where it is open.
func (l *Lazy) Close() error {
	if l.log == nil {
		return nil
	}
	err := l.log.Close()
	l.log = nil
	return err
}

// Put adds whole lines, each with its end. They outlive the process at once, a crash
// of the machine only after Sync: open such a log with Options.Loose.
func (l *Log) Put(lines []byte) error {
	if l.bad != nil {
		return l.bad
	}
	atomicfile.Step("append", l.path)
	if _, err := l.w.Write(lines); err != nil {
		l.bad = fmt.Errorf("appending to %s: %w", l.path, err)
	}
	return l.bad
}

// Sync makes what was put durable.
func (l *Log) Sync() error {
	if l.bad != nil {
		return l.bad
	}
	atomicfile.Step("sync", l.path)
	if err := l.f.Sync(); err != nil {
		l.bad = fmt.Errorf("appending to %s: %w", l.path, err)
	}
	return l.bad
}

// Close closes the file.
func (l *Log) Close() error { return l.f.Close() }
