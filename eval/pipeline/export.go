package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"membench/eval/published"
	"membench/eval/records"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/memory/open"
	"membench/schema"
	"membench/schema/jsonl"
)

// ExportOptions say which answers of a run are written for the scorer of a benchmark, and where.
type ExportOptions struct {
	published.WriteOptions          // Source is taken from Cases
	Form                   string   // of published.Forms
	Run                    string   // as records.Find takes it
	Out                    string   // folder, file (by the ending of the form), or "-": Stdout
	Dataset                string   // "": the form's, or the only one
	Systems                []string // none: all
	Repeat                 int      // below 0: each
	Cases                  string   // cases with the benchmark's own turn ids; "": the run's
	Stdin                  io.Reader
	Stdout                 io.Writer
	Log                    Log
}

// Export writes a run's answers as a benchmark's own scorer reads them, a file for each
// system and repeat.
func Export(ctx context.Context, o ExportOptions) error {
	form, err := published.FormByName(o.Form)
	switch {
	case o.Form == "":
		return schema.Usagef("no format: give --format lme, locomo, mem0 or amb (--list describes them)")
	case err != nil:
		return wrong(err)
	case o.Out == "":
		return schema.Usagef("no output: give -o FOLDER, -o FILE or -o -")
	}
	qa, _, err := records.Find(o.Run)
	if err != nil {
		return err
	}
	t := &tally{log: o.Log}
	files, err := o.choose(ctx, t, qa, form)
	if err != nil {
		return err
	}
	one := o.Out == "-" || strings.HasSuffix(o.Out, form.Ext)
	if one && len(files) > 1 {
		return schema.Usagef("-o %s is one file, and there are %d (systems × repeats): give a folder, or choose with --system and --repeat", o.Out, len(files))
	}
	if form.Name == "locomo" {
		if o.Source, err = o.sources(ctx, t); err != nil {
			return err
		}
	}
	for _, x := range files {
		path := o.Out
		if !one {
			name := open.FileName(x.system)
			if x.repeat > 0 {
				name += "." + strconv.Itoa(x.repeat)
			}
			path = filepath.Join(o.Out, name+form.Ext)
		}
		if err := build.NotInput(path, qa); err != nil {
			return err
		}
		var n published.Written
		err := atomicfile.WriteOr(path, o.Stdout, func(w io.Writer) (err error) {
			n, err = form.Write(w, schema.Keep(schema.Drop(records.QA(ctx, o.Stdin, qa), func(*schema.Finding) {}), func(r *schema.Record[schema.QARecord]) bool {
				return x == answersOf(&r.V)
			}), o.WriteOptions)
			return err
		})
		if err != nil {
			return err
		}
		o.Log.Printf("%s: %d answers of %s", path, n.Answers, x.system)
		if n.Failed > 0 && !o.Failed {
			o.Log.Printf("%s: %d questions whose asking failed are skipped; the scorer divides by what it is given (--failed writes them as empty answers)", path, n.Failed)
		}
	}
	return nil
}

// exported are the answers of one file.
type exported struct {
	dataset, system string
	repeat          int
}

func answersOf(r *schema.QARecord) exported { return exported{r.Dataset, r.System, r.Repeat} }

// choose lists the files to write, in the order of their records.
func (o ExportOptions) choose(ctx context.Context, t *tally, qa string, form published.Form) (files []exported, err error) {
	dataset := cmp.Or(o.Dataset, form.Dataset)
	given, read := dataset != "", false
	others := map[string]bool{}
	for r, err := range drop(t, records.QA(ctx, o.Stdin, qa)) {
		if err != nil {
			return nil, err
		}
		x := answersOf(&r.V)
		read, dataset = true, cmp.Or(dataset, x.dataset)
		switch {
		case x.dataset != dataset:
			others[x.dataset] = true
		case len(o.Systems) > 0 && !slices.Contains(o.Systems, x.system) || o.Repeat >= 0 && x.repeat != o.Repeat:
		case !slices.Contains(files, x):
			files = append(files, x)
		}
	}
	switch {
	case !read:
		return nil, schema.Brokenf("%s: no record was read", qa)
	case len(files) == 0:
		return nil, fmt.Errorf("%s has no such answers to %s: the data sets there are %s; name one with --dataset", qa, dataset, strings.Join(slices.Sorted(maps.Keys(others)), ", "))
	case !given && len(others) > 0:
		return nil, schema.Usagef("%s holds answers to several data sets: name one with --dataset", qa)
	}
	return files, nil
}

// sources are the benchmark's own ids of turns: about 60 bytes a turn. nil without cases.
func (o ExportOptions) sources(ctx context.Context, t *tally) (func(schema.EventRef) string, error) {
	path := cmp.Or(o.Cases, records.In(o.Run, "cases.jsonl"))
	if path == "" {
		o.Log.Printf("no cases beside the records: the turns that were retrieved are not written")
		return nil, nil
	}
	ids := map[schema.EventRef]string{}
	for c, err := range drop(t, jsonl.Until(ctx, records.Cases(o.Stdin, path))) {
		if err != nil {
			return nil, err
		}
		for _, s := range c.V.Sessions {
			for _, turn := range s.Turns {
				ids[schema.EventRef{ConvID: c.V.ConvID, TurnID: turn.TurnID}] = turn.SourceID
			}
		}
	}
	return func(x schema.EventRef) string { return ids[x] }, nil
}
