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
	"strings"

	"membench/eval/records"
	"membench/internal/atomicfile"
	"membench/schema"
	"membench/schema/jsonl"
)

// output is one of the run's files while it is put together.
type output struct {
	name string
	f    *atomicfile.File
	back io.WriteCloser
	w    *bufio.Writer
	sum  hash.Hash
	n    int64
	z    io.WriteCloser // of a compressed file
}

func newOutput(dir, name string) (*output, error) {
	f, err := atomicfile.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	o := &output{name: name, f: f, back: f.Ahead(), sum: sha256.New()}
	to := io.MultiWriter(o.back, o.sum, o)
	if name != jsonl.PlainName(name) {
		if o.z, err = jsonl.Compress(to); err != nil {
			return nil, err
		}
		to = o.z
	}
	o.w = bufio.NewWriterSize(to, 1<<18)
	return o, nil
}

// Write counts.
func (o *output) Write(b []byte) (int, error) {
	o.n += int64(len(b))
	return len(b), nil
}

func (o *output) line(b []byte) error {
	o.w.Write(b)
	return o.w.WriteByte('\n') // an error of the first stays
}

func (o *output) commit() (schema.FileDigest, error) {
	err := o.w.Flush()
	if o.z != nil && err == nil {
		err = o.z.Close()
	}
	if err = cmp.Or(err, o.back.Close()); err == nil {
		err = o.f.Commit()
	}
	return schema.FileDigest{Path: o.name, SHA256: hex.EncodeToString(o.sum.Sum(nil)), Bytes: o.n}, err
}

// gather puts the run's files together from the journals.
func (r *runner) gather(ctx context.Context, dir string) (res Result, err error) {
	var outs [3]*output
	for i, name := range []string{SessionsFile, QAFile, records.ContextsFile} {
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
				return res, fmt.Errorf("joining the records of %s on %s: %w", u.name, u.set.Name, err)
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
	text  []byte // of those that are held
	ended bool
}

// A waitingRecord is the position of a record in text or, if it is not held in memory, in the journal.
type waitingRecord struct {
	recordKey
	held bool
	off  int64
	n    int
}

// maxHeld is how many bytes of waiting records are held; of more their places are.
const maxHeld = 64 << 20

// maxJournalLine is more than any record has.
const maxJournalLine = 1 << 30

// gatherUnit writes the records of one repeat in order. Jobs begin in order and a limited number runs at once, so few of them wait: those that end
// before an earlier one does.
func (r *runner) gatherUnit(ctx context.Context, path string, u *unit, repeat int, outs [3]*output, res *Result) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	next, free := 0, []*waiting{}
	jobs := map[int]*waiting{}
	off, held := int64(0), 0
	each := func(line []byte) error {
		h, rec, err := parseLine(line)
		if err != nil {
			return err
		}
		at := waitingRecord{recordKey: h.recordKey, off: off + int64(len(line)-len(rec)), n: len(rec)}
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
			if at.held = held+at.n <= maxHeld; at.held {
				held += at.n
				at.off = int64(len(w.text))
				w.text = append(w.text, rec...)
			}
			w.recs = append(w.recs, at)
			return nil
		}
		w.ended = true
		for w := jobs[next]; w != nil && w.ended; w = jobs[next] {
			if err := w.write(f, outs); err != nil {
				return err
			}
			held -= len(w.text)
			delete(jobs, next)
			*w = waiting{recs: w.recs[:0], text: w.text[:0]}
			free = append(free, w)
			next++
		}
		return nil
	}
	for line, err := range jsonl.Lines(f, path, maxJournalLine) {
		if err == nil {
			err = each(line.Bytes)
		}
		if err != nil {
			return err
		}
	}
	if len(jobs) > 0 {
		return fmt.Errorf("%d cases have not ended", len(jobs))
	}
	return nil
}

func (res *Result) count(h head, rec []byte) error {
	switch h.kind {
	case 's':
		res.Sessions++
	case 'q':
		res.Questions++
		res.Outcomes[h.outcome]++
	}
	return res.Units[len(res.Units)-1].add(h.kind, h.outcome, rec)
}

// write writes them in order.
func (w *waiting) write(journal io.ReaderAt, outs [3]*output) error {
	slices.SortFunc(w.recs, func(a, b waitingRecord) int {
		return cmp.Or(cmp.Compare(a.repeat, b.repeat), cmp.Compare(a.i, b.i), cmp.Compare(a.off, b.off))
	})
	for _, rec := range w.recs {
		out := outs[strings.IndexByte("sqc", rec.kind)]
		var line []byte
		if rec.held {
			line = w.text[rec.off:][:rec.n]
		} else {
			line = make([]byte, rec.n)
			if _, err := journal.ReadAt(line, rec.off); err != nil {
				return err
			}
		}
		if err := out.line(line); err != nil {
			return err
		}
	}
	return nil
}
