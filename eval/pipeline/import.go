package pipeline

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"membench/datasets"
	"membench/eval/published"
	"membench/eval/records"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/schema"
)

// ImportOptions say which result files are read and where the records go.
type ImportOptions struct {
	published.Options          // Asked is taken from Cases
	Inputs            []string // result files, "-": Stdin
	Cases             []string // files with the questions that were asked
	Errata            string   // a list of corrections to lay over the golds; "": none
	Out               string   // folder; a .jsonl file or "-" (Stdout) for the QA records alone
	Strict            bool     // write nothing where a row cannot be read (schema.ErrFindings)
	Stdin             io.Reader
	Stdout            io.Writer
	Log               Log
}

// An Imported is the result of an import.
type Imported struct {
	Answers  int
	Sessions int
	Errors   int              // rows and verdicts that could not be read, values that differ from the cases
	Warnings int              // without corrections of another wording
	Textless int              // answers without the text of their question, which judges need
	Errata   *datasets.Errata // the list of corrections with its matches; nil: none
}

// Import reads other people's result files into QA and session records.
func Import(ctx context.Context, o ImportOptions) (n Imported, err error) {
	for _, out := range []string{o.Out, filepath.Join(o.Out, records.QAFile), filepath.Join(o.Out, records.SessionFile)} {
		if err := build.NotInput(out, o.Inputs...); err != nil {
			return n, err
		}
	}
	t := &tally{log: o.Log}
	defer func() { n.Errors, n.Warnings = t.errors, n.Warnings+t.warnings }()
	if o.Asked, err = published.ReadAsked(o.Cases, o.Stdin, t.found, t.read); err != nil {
		return n, err
	}
	var imports []*published.Import
	for _, path := range o.Inputs {
		im, err := published.OpenFile(ctx, path, o.Stdin, o.Options)
		if err != nil {
			return n, err
		}
		if !im.Format.Verified {
			o.Log.Printf("%s: the format %s is unverified: its reader was written without a real file", path, im.Format.Name)
		}
		if im.Columns != "" {
			o.Log.Printf("%s: its columns: %s", path, im.Columns)
		}
		imports = append(imports, im)
	}
	if o.Errata != "" {
		if n.Errata, err = Errata(o.Errata, o.Stdin); err != nil {
			return n, err
		}
	}
	qa := func(w io.Writer) error {
		for _, im := range imports {
			in := n.Errata.Over(drop(t, im.QA), func(f *schema.Finding) { n.Warnings--; t.found(f) })
			more, err := records.Write(w, schema.Observe(in, func(r *schema.QARecord) {
				if r.Question == "" {
					n.Textless++
				}
			}))
			if err != nil {
				return err
			}
			n.Answers += more
		}
		if t.errors > 0 && (o.Strict || n.Answers == 0) {
			return schema.ErrFindings
		}
		return nil
	}
	if o.Out == "-" || strings.HasSuffix(o.Out, ".jsonl") {
		err = atomicfile.WriteOr(o.Out, o.Stdout, qa)
		return n, err
	}
	// The sessions first: the folder is whole when its answers are there.
	var sessions []schema.Seq[schema.SessionRecord]
	for _, im := range imports {
		if im.Sessions != nil {
			sessions = append(sessions, drop(t, im.Sessions))
		}
	}
	if len(sessions) > 0 {
		err := atomicfile.Write(filepath.Join(o.Out, records.SessionFile), func(w io.Writer) error {
			for _, in := range sessions {
				more, err := records.Write(w, in)
				if err != nil {
					return err
				}
				n.Sessions += more
			}
			if o.Strict && t.errors > 0 {
				return schema.ErrFindings
			}
			return nil
		})
		if err != nil {
			return n, err
		}
	}
	err = atomicfile.WriteOr(filepath.Join(o.Out, records.QAFile), o.Stdout, qa)
	return n, err
}
