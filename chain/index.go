package chain

import (
	"context"
	"io"
	"path/filepath"

	"membench/annotate"
	"membench/internal/codec"
	"membench/schema"
)

// IndexOptions of Index.
type IndexOptions struct {
	Shared
	Chapters string // folder
	Out      string // index.json, or "-"
}

// Index lists the chapters of a folder. Paths in the list are relative to the folder of
// Out.
func Index(_ context.Context, o IndexOptions) error {
	f := o.frame("index", schema.Latest, o.Out, false)
	defer f.Close()
	base := o.Chapters
	if o.Out != "-" {
		base = filepath.Dir(o.Out)
	}
	entries, findings, err := annotate.Index(o.Chapters, base)
	for _, x := range findings {
		f.Found(x)
	}
	if err != nil {
		return err
	}
	f.Taken = len(entries)
	if err := f.Write("", func(w io.Writer) error { return codec.WriteFile(w, entries) }); err != nil {
		return err
	}
	_, err = f.Commit(schema.Manifest{})
	return err
}
