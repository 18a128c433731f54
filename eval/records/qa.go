package records

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"membench/schema"
	"membench/schema/jsonl"
	"membench/schema/validate"
)

// ContextsFile holds what the readers of a run were shown, each text once for a memory, in
// the order of the records beside it, which name it (QARecord.ContextID).
const ContextsFile = "contexts.jsonl.zst"

// memoryKey is one filled memory.
type memoryKey struct {
	System, Dataset, CaseID string
	Repeat                  int
}

// QA reads QA records with their contexts, file by file; nil without a file. Every reader of graded runs gets its records here: those that contradict
// themselves, come a second time, in any of the files, or are not what their run asked (EVL107) are findings. It holds the contexts of one memory, and 100
// bytes for each record.
func QA(ctx context.Context, stdin io.Reader, paths ...string) schema.Seq[schema.QARecord] {
	return Names(nil).QA(ctx, stdin, paths...)
}

// QA reads as the function QA does, with the systems named.
func (n Names) QA(ctx context.Context, stdin io.Reader, paths ...string) schema.Seq[schema.QARecord] {
	if len(paths) == 0 || paths[0] == "" {
		return nil
	}
	return jsonl.Until(ctx, func(yield func(schema.Record[schema.QARecord], error) bool) {
		known := map[recordID]struct{}{}
		for _, path := range paths {
			c := contexts{path: In(filepath.Dir(path), ContextsFile)}
			id := func(r *schema.QARecord) (recordID, string) {
				named := *r
				named.System = n.Of(path, r.Dataset, r.System)
				return questionID(&named)
			}
			named := func(r schema.Record[schema.QARecord], err error) bool {
				r.V.System = n.Of(path, r.V.Dataset, r.V.System)
				return yield(r, err)
			}
			if !c.over(asRun(askedQA.asAsked(once(read[schema.QARecord](path, stdin, schema.KindQA), known, id), path), path), path, named) {
				return
			}
		}
	})
}

// read reads the records that validate accepts.
func read[T any](path string, stdin io.Reader, kind schema.Kind) schema.Seq[T] {
	file := jsonl.File{Name: path, Open: func() (io.ReadCloser, error) { return jsonl.Open(path, stdin) }}
	return validate.Read[T]([]jsonl.File{file}, validate.PathOptions{Options: validate.Options{SchemaOnly: kind == schema.KindCase}, Kind: kind, Version: schema.Latest})
}

// Sessions reads session records by the same rules; nil without a file. Runs that ask other questions about the same sessions may be given together.
func Sessions(ctx context.Context, stdin io.Reader, paths ...string) schema.Seq[schema.SessionRecord] {
	return Names(nil).Sessions(ctx, stdin, paths...)
}

// Sessions reads as the function Sessions does, with the systems named.
func (n Names) Sessions(ctx context.Context, stdin io.Reader, paths ...string) schema.Seq[schema.SessionRecord] {
	if len(paths) == 0 || paths[0] == "" {
		return nil
	}
	return jsonl.Until(ctx, func(yield func(schema.Record[schema.SessionRecord], error) bool) {
		for _, path := range paths {
			for r, err := range askedSessions.asAsked(once(read[schema.SessionRecord](path, stdin, schema.KindSession), map[recordID]struct{}{}, sessionID), path) {
				r.V.System = n.Of(path, r.V.Dataset, r.V.System)
				if !yield(r, err) {
					return
				}
			}
		}
	})
}

// Cases reads the cases that a run asked, also those that datasets lint refuses: a fault of the data is what explains a failure.
func Cases(stdin io.Reader, path string) schema.Seq[schema.Case] {
	return read[schema.Case](path, stdin, schema.KindCase)
}

// contexts are those of one folder.
type contexts struct {
	path  string // "": it has none
	file  *Cursor[schema.ShownContext, memoryKey]
	at    memoryKey
	texts map[string]string
}

// over gives the records of a file their contexts; records that were taken out of their run's folder without them stay without, which is a warning. It reports
// whether to continue.
func (c *contexts) over(in schema.Seq[schema.QARecord], path string, yield func(schema.Record[schema.QARecord], error) bool) bool {
	if c.path != "" {
		c.file = NewCursor(jsonl.Files[schema.ShownContext]([]string{c.path}, nil), nil, func(x *schema.ShownContext) memoryKey {
			return memoryKey{x.System, x.Dataset, x.CaseID, x.Repeat}
		})
		defer c.file.Close()
	}
	away, said := c.file == nil && In(filepath.Dir(path), AskedFile) == "", false
	for r, err := range in {
		if schema.Whole(err) && r.V.Away() {
			switch {
			case !away:
				if bad := c.fill(&r.V); bad != nil {
					yield(schema.Record[schema.QARecord]{}, fmt.Errorf("%s: %w", path, bad))
					return false
				}
			case !said && err == nil:
				said = true
				err = &schema.Finding{Pos: r.Pos, Code: "EVL108", Warning: true, Message: "the contexts of these records are not beside them: figures of their size are left out",
					Want: ContextsFile, Hint: "copy that file with the records, or give the folder of the run"}
			}
		}
		if !yield(r, err) || err != nil && !schema.IsFinding(err) {
			return false
		}
	}
	return true
}

func (c *contexts) fill(r *schema.QARecord) error {
	if c.file == nil {
		return fmt.Errorf("the contexts of these records are in %s, which is missing beside them: keep the two together, or give the folder of the run", ContextsFile)
	}
	k := memoryKey{r.System, r.Dataset, r.CaseID, r.Repeat}
	if c.texts == nil || k != c.at {
		list, err := c.file.Find(k)
		if err == nil && len(list) == 0 && k.Repeat > 0 { // it only answered again
			first := k
			if first.Repeat = 0; c.texts == nil || first != c.at {
				list, err = c.file.Find(first)
			}
			k = first
		}
		if err != nil {
			return err
		}
		if c.texts == nil || k != c.at {
			c.texts, c.at = map[string]string{}, k
			for _, x := range list {
				c.texts[x.ID] = x.Context
			}
		}
	}
	text, ok := c.texts[r.ContextID]
	if !ok {
		return fmt.Errorf("%s has no context %s of case %s for %s: it belongs to another run; start the run again with the same command to repair the files", c.path, r.ContextID, r.CaseID, r.System)
	}
	r.Context = text
	return nil
}

// Bare takes the contexts off the records that are written to out, where the readers of out
// find them: all of from, the files that the records come from, are in its folder. In
// any other place records keep them.
func Bare(in schema.Seq[schema.QARecord], out string, from ...string) schema.Seq[schema.QARecord] {
	keeps := out != "-"
	for _, path := range from {
		keeps = keeps && path != "-" && filepath.Dir(path) == filepath.Dir(out)
	}
	return schema.Observe(in, func(r *schema.QARecord) {
		switch {
		case r.ContextID == "":
		case keeps:
			r.Context = ""
		default:
			r.ContextID = ""
		}
	})
}
