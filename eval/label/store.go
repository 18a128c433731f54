package label

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/internal/keylog"
	"membench/schema"
	"membench/schema/jsonl"
)

// Folder is where the labels of a run are, below its folder.
const Folder = "labels"

// A Book is the file of one person's labels, open for appending. Every label is a line, on disk before Put returns; a torn last line, as a kill may leave, is
// removed.
type Book struct {
	by   string
	path string
	log  *keylog.Log
	lock io.Closer
	said map[Key]Label
}

// Open opens the book of a person in a folder, which is made. One process writes at a time.
func Open(dir, by string) (*Book, error) {
	path := filepath.Join(dir, atomicfile.Name(by)+".jsonl")
	lock, err := atomicfile.Lock(filepath.Join(dir, "."+atomicfile.Name(by)+".lock"))
	if err != nil {
		return nil, err
	}
	b := &Book{by: by, path: path, lock: lock, said: map[Key]Label{}}
	b.log, err = keylog.Open(path, keylog.Options{}, func(_ int, line []byte) error {
		var l Label
		if err := codec.Unmarshal(line, &l); err != nil {
			return err
		}
		b.said[l.key()] = l
		return nil
	})
	if err != nil {
		lock.Close()
		return nil, err
	}
	return b, nil
}

// Path is the file of the book.
func (b *Book) Path() string { return b.path }

// Close ends the writing.
func (b *Book) Close() error { return errors.Join(b.log.Close(), b.lock.Close()) }

// Put records the person's judgement of an answer.
func (b *Book) Put(l Label) error {
	if what, have, want := l.normal(); what != "" {
		return fmt.Errorf("%q is not a %s: want one of %s", have, what, want)
	}
	l.By = b.by
	l.Evidence, l.Kept, l.Hits, l.Context = "", "", "", "" // the run has them
	if err := b.log.Record(l); err != nil {
		return err
	}
	b.said[l.key()] = l
	return nil
}

// Said returns the person's previous label of an answer, if it is still the same answer.
func (b *Book) Said(l Label) Label {
	if old, ok := b.said[l.key()]; ok && old.Digest == l.Digest {
		return old
	}
	return Label{}
}

// FormOf is the form of a file by its name.
func FormOf(path string) Form {
	switch filepath.Ext(jsonl.PlainName(path)) {
	case ".tsv", ".txt":
		return TSV
	case ".csv":
		return CSV
	}
	return JSONL
}

// ReadFiles reads the labels of files and folders (their .jsonl, .csv and .tsv files) in
// the order of their names; of a person's labels on one answer the last counts. Who made
// a label that does not say it is the name of its file.
func ReadFiles(paths []string, report func(*schema.Finding)) ([]Label, error) {
	files, err := filesOf(paths)
	if err != nil {
		return nil, err
	}
	type who struct {
		key Key
		by  string
	}
	var out []Label
	at := map[who]int{}
	for _, path := range files {
		r, err := jsonl.Open(path, nil)
		if err != nil {
			return nil, err
		}
		labels, err := Read(r, path, FormOf(path), report)
		r.Close()
		if err != nil {
			return nil, err
		}
		base := filepath.Base(jsonl.PlainName(path))
		name := strings.TrimSuffix(base, filepath.Ext(base))
		for _, l := range labels {
			l.By = cmp.Or(l.By, name)
			w := who{l.key(), l.By}
			if i, ok := at[w]; ok {
				out[i] = l
				continue
			}
			at[w] = len(out)
			out = append(out, l)
		}
	}
	return out, nil
}

func filesOf(paths []string) (out []string, err error) {
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("no labels: have no %s; membench eval label makes them", p)
			}
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, p)
			continue
		}
		names, err := jsonl.In(p, func(name string) bool { return slices.Contains([]string{".jsonl", ".csv", ".tsv"}, filepath.Ext(name)) })
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			out = append(out, filepath.Join(p, name))
		}
	}
	return out, nil
}
