// Package convert writes cases in other forms: lines, chat files, the layout of domain_a_v2.
package convert

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"membench/datasets"
	"membench/datasets/domaina"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"
)

// The forms.
const (
	Cases        = "cases"
	Plain        = "plain"
	Dialogue     = "dialogue"
	DomainA      = "domain_a_v2"
	Observations = "observations"
)

// Forms are the names of the forms.
func Forms() []string { return []string{Cases, Plain, Dialogue, DomainA, Observations} }

// Write writes cases in any form but Observations to a file, "-" (stdout), or a folder: Dialogue
// where out is not a .jsonl file, DomainA always. check has the last word on what the stream
// came to before anything appears.
func Write(out string, stdout io.Writer, form string, in schema.Seq[schema.Case], o datasets.DialogueOptions, check func(error) error) error {
	switch {
	case form == DomainA:
		return build.Folder(out, func(dir string) error { return check(domaina.WriteFolder(dir, in)) })
	case form == Dialogue && out != "-" && !strings.HasSuffix(jsonl.PlainName(out), ".jsonl"):
		return build.Folder(out, func(dir string) error { return check(Dialogues(dir, in, o)) })
	}
	return atomicfile.WriteOr(out, stdout, func(w io.Writer) error { return check(Lines(w, form, in, o)) })
}

// Lines writes cases in a form of lines: Cases, Plain or Dialogue. It ends at the first
// error of the stream.
func Lines(w io.Writer, form string, in schema.Seq[schema.Case], o datasets.DialogueOptions) error {
	var buf []byte
	for r, err := range in {
		if err != nil {
			return err
		}
		switch form {
		case Cases:
			buf, err = jsonl.Append(buf[:0], r.V, schema.Latest)
		case Plain:
			buf, err = datasets.AppendPlain(buf[:0], r.V)
		case Dialogue:
			buf, err = datasets.AppendDialogue(buf[:0], r.V, o)
		default:
			err = fmt.Errorf("%q is not a form of lines", form)
		}
		if err != nil {
			return err
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// Memories writes memories, one a line, and counts them in n.
func Memories(w io.Writer, in schema.Seq[schema.MemoryExport], n *int) error {
	var buf []byte
	for r, err := range in {
		if err != nil {
			return err
		}
		if buf, err = jsonl.Append(buf[:0], r.V, schema.Latest); err != nil {
			return err
		}
		*n++
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// Dialogues writes one file of chat lines for each conversation into a folder. Two cases
// of one conversation are an error.
func Dialogues(dir string, in schema.Seq[schema.Case], o datasets.DialogueOptions) error {
	var buf []byte
	for r, err := range in {
		if err != nil {
			return err
		}
		if buf, err = datasets.AppendDialogue(buf[:0], r.V, o); err != nil {
			return err
		}
		f, err := os.OpenFile(filepath.Join(dir, r.V.ConvID.FileName()+".jsonl"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if os.IsExist(err) {
			return fmt.Errorf("two cases of one conversation %s: convert them one by one with --case", r.V.ConvID)
		}
		if err != nil {
			return err
		}
		_, err = f.Write(buf)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
