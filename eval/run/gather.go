package run

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"

	"membench/internal/atomicfile"
	"membench/internal/keylog"
	"membench/schema"
)

// output is one of the run's files while it is put together.
type output struct {
	name string
	f    *atomicfile.File
	back io.WriteCloser
	w    *bufio.Writer
	sum  hash.Hash
	n    int64
}

func newOutput(dir, name string) (*output, error) {
	f, err := atomicfile.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	o := &output{name: name, f: f, back: f.Ahead(), sum: sha256.New()}
	o.w = bufio.NewWriterSize(io.MultiWriter(o.back, o.sum), 1<<18)
	return o, nil
}

func (o *output) line(b []byte) error {
	o.n += int64(len(b)) + 1
	o.w.Write(b)
	return o.w.WriteByte('\n') // an error of the first stays
}

func (o *output) commit() (schema.FileDigest, error) {
	err := o.w.Flush()
	if e := o.back.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = o.f.Commit()
	}
	return schema.FileDigest{Path: o.name, SHA256: hex.EncodeToString(o.sum.Sum(nil)), Bytes: o.n}, err
}

// gather puts the run's files together from the journals.
func (r *runner) gather(ctx context.Context, dir string) (res Result, err error) {
	var outs [2]*output
	for i, name := range []string{SessionsFile, QAFile} {
		if outs[i], err = newOutput(r.o.Dir, name); err != nil {
			return res, err
		}
		defer outs[i].f.Close()
		defer outs[i].back.Close()
	}
	res.Outcomes, res.Known = map[string]int{}, r.known
	for i, u := range r.units {
		res.Units = append(res.Units, Count{System: u.name, Dataset: u.set.Name, Of: u.set.Size.Questions * u.repeats, Outcomes: map[string]int{}})
		for repeat := range u.repeats {
			if err := r.gatherUnit(ctx, journalPath(dir, i), u, repeat, outs, &res); err != nil {
				return res, fmt.Errorf("putting the records of %s on %s together: %w", u.name, u.set.Name, err)
			}
		}
	}
	for _, o := range outs {
		d, err := o.commit()
		if err != nil {
			return res, err
		}
		res.Files = append(res.Files, d)
	}
	return res, nil
}

// waiting are the records of a job whose turn has not come.
type waiting struct {
	recs  []waitingRecord
	ended bool
}

// A waitingRecord is a record that waits, or where it stands in the journal.
type waitingRecord struct {
	recordKey
	line []byte
	off  int64
	n    int
}

// maxHeld is how many bytes of waiting records are held; of more their places are.
const maxHeld = 64 << 20

// gatherUnit writes the records of one repeat in order. Jobs begin in order and only so
// many work at once, so few of them wait: those that end before an earlier one does.
func (r *runner) gatherUnit(ctx context.Context, path string, u *unit, repeat int, outs [2]*output, res *Result) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	next, free := 0, []*waiting{}
	jobs := map[int]*waiting{}
	off, held := int64(0), 0
	err = keylog.Read(path, func(_ int, line []byte) error {
		h, rec, err := parseLine(line)
		if err != nil {
			return err
		}
		at := waitingRecord{recordKey: h.recordKey, line: rec, off: off + int64(len(line)-len(rec)), n: len(rec)}
		off += int64(len(line)) + 1
		if h.job%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if h.kind != 'e' && h.repeat != repeat {
			return nil
		}
		w := jobs[h.job]
		if w == nil {
			if n := len(free); n > 0 {
				w, free = free[n-1], free[:n-1]
			} else {
				w = &waiting{}
			}
			jobs[h.job] = w
		}
		if h.kind != 'e' {
			if err := res.count(h, rec); err != nil {
				return err
			}
			if held+at.n > maxHeld {
				at.line = nil
			}
			held += len(at.line)
			w.recs = append(w.recs, at)
			return nil
		}
		w.ended = true
		for w := jobs[next]; w != nil && w.ended; w = jobs[next] {
			n, err := w.write(f, outs)
			if err != nil {
				return err
			}
			held -= n
			delete(jobs, next)
			*w = waiting{recs: w.recs[:0]}
			free = append(free, w)
			next++
		}
		return nil
	})
	if err == nil && len(jobs) > 0 {
		err = fmt.Errorf("%d cases have not ended", len(jobs))
	}
	return err
}

func (res *Result) count(h head, rec []byte) error {
	if h.kind == 's' {
		res.Sessions++
	} else {
		res.Questions++
		res.Outcomes[h.outcome]++
	}
	return res.Units[len(res.Units)-1].add(h.kind, h.outcome, rec)
}

// write writes them in order and says how many bytes of them were held.
func (w *waiting) write(journal io.ReaderAt, outs [2]*output) (held int, err error) {
	slices.SortFunc(w.recs, func(a, b waitingRecord) int {
		return cmp.Or(cmp.Compare(a.repeat, b.repeat), cmp.Compare(a.i, b.i))
	})
	for _, rec := range w.recs {
		out := outs[1]
		if rec.kind == 's' {
			out = outs[0]
		}
		held += len(rec.line)
		if rec.line == nil {
			rec.line = make([]byte, rec.n)
			if _, err := journal.ReadAt(rec.line, rec.off); err != nil {
				return held, err
			}
		}
		if err := out.line(rec.line); err != nil {
			return held, err
		}
	}
	return held, nil
}
