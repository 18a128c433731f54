package validate

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"sync"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// Lines yields the lines of files. A line in which the rules of single records find an error comes with the first one, a *schema.Finding; rules of streams and
// sets are not applied. Version and kind are determined as by Paths. Lines are valid until the next step; any other error is an I/O fault and ends the stream.
func Lines(files []jsonl.File, o PathOptions) iter.Seq2[jsonl.Line, error] {
	return func(yield func(jsonl.Line, error) bool) {
		c := New(o.Catalog, o.Options)
		versions := map[string]schema.Version{}
		for _, f := range files {
			r, err := f.Open()
			if err != nil {
				yield(jsonl.Line{}, err)
				return
			}
			v := o.Version
			if v == "" && f.Name != "-" {
				v = manifestVersion(filepath.Dir(f.Name), versions)
			}
			hint := cmp.Or(o.Kind, KindOfName(f.Name))
			w := &worker{}
			stopped := false
			for b, err := range blocks(r, f.Name, c.o.MaxLine, nil) {
				if err != nil {
					stopped = true
					yield(jsonl.Line{Pos: schema.Pos{File: f.Name}}, err)
					break
				}
				if v == "" {
					v = c.sniff(b, f.Name, o.Kind, hint)
				}
				w.start(c, f.Name, o.Kind, hint, v)
				w.buf, w.from = b.buf, b
				for _, l := range b.lines {
					w.read(l, o.Kind)
					line := jsonl.Line{Pos: schema.Pos{File: f.Name, Line: l.n}, Bytes: b.buf[l.start:l.end], TooLong: l.long}
					if stopped = !yield(line, firstError(w.fs, o.Except)); stopped {
						break
					}
				}
				if stopped {
					break
				}
			}
			if err := r.Close(); err != nil && !stopped {
				stopped = true
				yield(jsonl.Line{}, err)
			}
			if stopped {
				return
			}
		}
	}
}

var single = sync.OnceValue(func() *Checker { return New(nil, Options{SchemaOnly: true}) })

// Record returns the first error, a *schema.Finding, that the schema of the newest version finds in a record. at is the place of text in its file.
func Record(text []byte, kind schema.Kind, at schema.Pos) error {
	w := &worker{whole: true, buf: text, from: &block{buf: text}}
	w.start(single(), at.File, kind, kind, schema.Latest)
	w.read(span{n: 1, end: len(text)}, kind)
	for _, f := range w.fs {
		if f.Pos.Line == 1 {
			f.Pos.Col += max(0, at.Col-1)
		}
		f.Pos.Line += max(0, at.Line-1)
	}
	return firstError(w.fs, nil)
}

// Vocabulary reports whether a code is about a name outside the catalogue. A project may have its own: steps warn of it and take the record.
func Vocabulary(code string) bool {
	return code == "CLM001" || code == "CLM003" || code == "GRF001" || code == "GRF002"
}

// firstError is the first error of a line; of names outside the catalogue alone it is a warning.
func firstError(fs []*schema.Finding, except []string) (err error) {
	for _, f := range fs {
		switch {
		case f.Warning || slices.Contains(except, f.Code):
		case !Vocabulary(f.Code):
			return f
		case err == nil:
			f.Warning = true
			err = f
		}
	}
	return err
}

// Filter is a file without the lines that Lines rejects, which are reported: their place is empty, so that the numbers of the others stay.
func Filter(file jsonl.File, o PathOptions, report func(*schema.Finding)) jsonl.File {
	return jsonl.File{Name: file.Name, Open: func() (io.ReadCloser, error) {
		r := &filter{report: report, n: 1, err: io.EOF}
		r.next, r.stop = iter.Pull2(Lines([]jsonl.File{file}, o))
		return r, nil
	}}
}

type filter struct {
	next   func() (jsonl.Line, error, bool)
	stop   func()
	report func(*schema.Finding)
	buf    []byte
	n      int // of the line that comes next
	err    error
}

func (r *filter) Read(p []byte) (int, error) {
	for len(r.buf) == 0 {
		line, err, ok := r.next()
		var f *schema.Finding
		switch {
		case !ok:
			return 0, r.err
		case err != nil && !errors.As(err, &f):
			r.err = err // and again: a buffer may have asked for more than it passes on
			return 0, err
		}
		for ; r.n < line.Pos.Line; r.n++ {
			r.buf = append(r.buf, '\n')
		}
		if f != nil {
			r.report(f)
		}
		if f == nil || f.Warning {
			r.n++
			r.buf = append(append(r.buf, line.Bytes...), '\n')
		}
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}

func (r *filter) Close() error { r.stop(); return nil }

// Read decodes the records of files; those that Lines rejects are findings. nil files give a nil stream.
func Read[T any](files []jsonl.File, o PathOptions) schema.Seq[T] {
	if files == nil {
		return nil
	}
	return func(yield func(schema.Record[T], error) bool) {
		for line, err := range Lines(files, o) {
			rec := schema.Record[T]{Pos: line.Pos}
			if line.Bytes != nil && !line.TooLong {
				if e := codec.Unmarshal(line.Bytes, &rec.V); e != nil {
					err = jsonl.Fault(line, e)
				}
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}
