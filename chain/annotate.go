package chain

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"membench/annotate"
	"membench/internal/build"
	"membench/internal/par"
	"membench/schema"
	"membench/schema/jsonl"
)

// AnnotateOptions of Annotate.
type AnnotateOptions struct {
	Shared
	Sources []string         // chapters, chats, message lists, folders of these, index.json, "-"
	Out     string           // folder, or "-"
	Prefer  string           // of a chapter's two files: norm, raw, or "": norm where there is one
	Version schema.Version   // of the events
	Outside bool             // files that an index names may lie anywhere
	Workers int              // conversations at once; less than 1: 1
	Convert annotate.Options // its Report is not called: findings go to Shared.Report

	Models, Prompts map[string]string // that the tagger asks with, for the manifest
}

// AnnotateReport is the result of Annotate.
type AnnotateReport struct {
	Conversations int            `json:"conversations"`
	Events        int            `json:"events"`
	Tags          map[string]int `json:"tags"`
	By            map[string]int `json:"by"` // who chose the tags, marks and interface lines aside
	Probes        int            `json:"probes"`
	GoldUnknown   int            `json:"gold_unknown"` // probes without expected ids and without an answer
	Findings      map[string]int `json:"findings,omitempty"`
}

// tagger describes the tags of a model and the model's name, for manifests.
type tagger struct {
	Source  string `json:"prefer,omitempty"`
	Format  string `json:"format,omitempty"`
	Merge   bool   `json:"merge_lines,omitempty"`
	Offset  string `json:"turn_offset"`
	Tagger  string `json:"tagger"`
	Version string `json:"version"`
}

// Annotate turns dialogue into events: <conv>.events.jsonl for each conversation, and manifest.json, in the folder Out. If Out ends in .jsonl, it writes one
// file with its manifest in the same folder.
func Annotate(ctx context.Context, o AnnotateOptions) (AnnotateReport, error) {
	report := AnnotateReport{Tags: map[string]int{}, By: map[string]int{}}
	f := o.frame("annotate", o.Version, o.Out, isFolder(o.Out))
	f.Stream = true
	defer f.Close()
	if err := build.NotInput(o.Out, o.Sources...); err != nil {
		return report, err
	}
	files, err := annotateFiles(f, o)
	if err != nil {
		return report, err
	}
	count := o.turns()
	for a, err := range par.Map(ctx, max(1, o.Workers), unique(f, annotateSources(ctx, f, files, o)), func(ctx context.Context, src annotate.Source) (annotated, error) {
		count(0, len(src.Turns))
		if isLong(src) {
			return annotated{src: src}, nil // its events go straight to the output, below
		}
		var lines bytes.Buffer
		a, err := annotateOne(ctx, src, o, &lines, count)
		a.lines = lines.Bytes()
		return a, err
	}) {
		if err != nil {
			if err := f.Take(err); err != nil {
				return report, err
			}
			continue
		}
		if err := f.Write(a.src.ConvID.FileName()+eventsSuffix, func(w io.Writer) (err error) {
			if isLong(a.src) {
				a, err = annotateOne(ctx, a.src, o, w, count)
				return err
			}
			_, err = w.Write(a.lines)
			return err
		}); err != nil {
			return report, err
		}
		for _, x := range a.findings {
			f.Found(x)
		}
		f.Taken += a.events
		report.add(a)
	}
	m, err := o.manifest(report)
	if err != nil {
		return report, err
	}
	m, err = f.Commit(m)
	if len(m.Findings) > 0 {
		report.Findings = m.Findings
	}
	return report, err
}

// turns counts turns for o.Progress: those that are annotated, and those that are read.
func (o AnnotateOptions) turns() func(done, read int) {
	var mu sync.Mutex
	var done, read int
	return func(d, r int) {
		if o.Progress == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		done, read = done+d, read+r
		o.Progress("turns", done, read)
	}
}

const eventsSuffix = ".events.jsonl"

// manifest returns the options and counts of the events for their manifest.
func (o AnnotateOptions) manifest(r AnnotateReport) (m schema.Manifest, err error) {
	m.Models, m.Prompts = o.Models, o.Prompts
	m.Counts = map[string]int{"conversations": r.Conversations, "events": r.Events, "probes": r.Probes}
	maps.Copy(m.Counts, r.Tags)
	by := cmp.Or(o.Convert.Tagger, annotate.Rule())
	offset := cmp.Or(o.Convert.TurnOffset, annotate.DefaultTurnOffset)
	m.Options, err = schema.NewObject(tagger{o.Prefer, string(o.Convert.Format), o.Convert.MergeLines, offset.String(), by.Fingerprint(), string(o.Version)})
	return m, err
}

// manyTurns is how many turns of a conversation are annotated before they are written;
// the events of a longer one are written one by one.
const manyTurns = 10_000

func isLong(src annotate.Source) bool { return len(src.Turns) > manyTurns }

// annotated is one conversation.
type annotated struct {
	src      annotate.Source
	lines    []byte // of its events, unless isLong(src)
	tags, by map[string]int
	events   int
	findings []*schema.Finding
}

// unique omits a second source of a conversation, which is a finding.
func unique(f *build.Frame, in iter.Seq2[annotate.Source, error]) iter.Seq2[annotate.Source, error] {
	return func(yield func(annotate.Source, error) bool) {
		from := map[schema.ConvID]string{}
		for src, err := range in {
			if other, twice := from[src.ConvID]; twice && err == nil {
				err = &schema.Finding{Pos: src.Turns0(), Code: "SRC022", Message: "a second source for conversation " + string(src.ConvID) + ", skipped",
					Have: src.Path, Want: "one source; the first is " + other, Hint: "give it another name or @conv_id"}
			} else if err == nil {
				from[src.ConvID] = src.Path
			}
			if !yield(src, err) {
				return
			}
		}
	}
}

func (r *AnnotateReport) add(a annotated) {
	r.Conversations++
	r.Events += a.events
	schema.Tally(r.Tags, a.tags)
	schema.Tally(r.By, a.by)
	unknown, probes := a.src.GoldUnknown()
	r.Probes += probes
	r.GoldUnknown += unknown
}

// String is one line for people.
func (r AnnotateReport) String() string {
	var tags, by []string
	for _, tag := range schema.Tags() {
		if r.Tags[tag] > 0 {
			tags = append(tags, fmt.Sprintf("%d %s", r.Tags[tag], tag))
		}
	}
	for _, who := range slices.Sorted(maps.Keys(r.By)) {
		by = append(by, fmt.Sprintf("%d by %s", r.By[who], who))
	}
	return fmt.Sprintf("annotated %d conversations, %d events: %s; tags chosen: %s", r.Conversations, r.Events, strings.Join(tags, ", "), strings.Join(by, ", "))
}

// annotateOne writes the events of a conversation; count is called for its turns.
func annotateOne(ctx context.Context, src annotate.Source, o AnnotateOptions, w io.Writer, count func(done, read int)) (annotated, error) {
	a := annotated{src: src, tags: map[string]int{}, by: map[string]int{}}
	opts := o.Convert
	opts.Report = func(f *schema.Finding) { a.findings = append(a.findings, f) }
	var line []byte
	for rec, err := range annotate.Annotate(ctx, src, opts) {
		if err != nil {
			return a, err
		}
		if a.events++; a.events <= len(src.Turns) {
			count(1, 0)
		}
		tag := rec.V.Tags[0]
		a.tags[tag]++
		if tag != schema.TagInject && tag != schema.TagProbe && rec.V.RoleType != schema.RoleUI {
			a.by[rec.V.Meta.Text("by")]++
		}
		if line, err = jsonl.Append(line[:0], rec.V, o.Version); err != nil {
			return a, err
		}
		if _, err := w.Write(line); err != nil {
			return a, err
		}
	}
	count(max(0, len(src.Turns)-a.events), 0) // turns may be joined to one event
	return a, nil
}
