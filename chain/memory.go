package chain

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"membench/config"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/llm"
	"membench/memory/open"
	"membench/replay"
	"membench/schema"
)

// asked names the model of a step, as part of its key.
type asked struct {
	Model       string   `json:"model"`
	BaseURL     string   `json:"base_url"`
	Temperature *float64 `json:"temperature,omitempty"`
}

// generator is the model that extracts, with its part of a step's key: nil by rule.
func (c *run) generator(use string) (llm.Generator, *asked, error) {
	if use != "model" {
		return nil, nil, nil
	}
	ep, err := c.o.Models.Endpoint(config.Extract)
	if err != nil {
		return nil, nil, err
	}
	g, err := c.o.Models.Generator(config.Extract)
	return g, &asked{ep.Name, ep.BaseURL, ep.Temperature}, err
}

// tryExtractor lets a chain that is about to tag by a model try the model that extracts,
// where that is another: its turn comes hours later, and a wrong key is better known before.
func (c *run) tryExtractor(ctx context.Context) error {
	if c.tried || c.p.Annotate.Tagger != "model" || c.p.Replay.Extractor != "model" && c.p.Claims.Extractor != "model" {
		return nil
	}
	c.tried = true
	tag, err := c.o.Models.Endpoint(config.Annotate)
	if err != nil {
		return err
	}
	extract, err := c.o.Models.Endpoint(config.Extract)
	if err != nil || tag.BaseURL == extract.BaseURL && tag.Name == extract.Name {
		return err
	}
	return c.o.Models.Preflight(ctx, config.Extract)
}

// store is where the chain keeps its memory.
func (c *run) store() StoreOptions {
	r := c.p.Replay
	return StoreOptions{Store: open.Store{Backend: open.Embedded, Dir: c.path("store")}, Place: c.o.Place, Isolation: r.Isolation}
}

// ingest fills the store in place: a killed run is finished, other input or options start over. The key of the run that began decides which.
func (c *run) ingest(ctx context.Context) error {
	r := c.p.Replay
	g, who, err := c.generator(r.Extractor)
	if err != nil {
		return err
	}
	o := DefaultIngest()
	o.StoreOptions = c.store()
	o.Store.Qdrant, o.Store.Collection = r.Qdrant, r.Collection
	// No user for events that name none: annotate has put the declared user where it may be
	// them, and another speaker's turns are not theirs.
	o.Now, o.Generator, o.Events = c.b.Now, g, []string{c.path("events.jsonl")}
	s := build.Step{Name: "replay ingest", Inputs: o.Events, Output: c.path("store"), Dir: true, InPlace: true,
		Options: struct {
			Isolation  string `json:"isolation"`
			Now        string `json:"now"`
			Qdrant     string `json:"qdrant,omitempty"`
			Collection string `json:"collection,omitempty"`
			Asked      *asked `json:"asked,omitempty"`
		}{r.Isolation, o.Now, r.Qdrant, r.Collection, who}}
	if g != nil {
		o.Prompts = c.o.Models.Prompts
		s.Models, s.Prompts = map[string]string{"facts": g.Model()}, promptDigests(o.Prompts)
	}
	if c.b.Edited(s) { // begun by nobody: what is in it now is not what its input makes
		if err := os.Remove(c.path("store", ".begun")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return c.do(ctx, s, func(ctx context.Context, path string, with Shared, counts map[string]int) error {
		var err error
		if o.Force, err = c.begin(s); err != nil {
			return err
		}
		o.Shared = with
		if _, err = Ingest(ctx, o); err != nil && !schema.Written(err) {
			return err
		}
		journals, errCount := countRecords(path)
		if counts["journal lines"] = journals; errCount != nil {
			return errCount
		}
		return err
	})
}

// begin notes which run fills the store, and reports whether it must start over.
func (c *run) begin(s build.Step) (force bool, err error) {
	m := schema.Manifest{Step: s.Name, StepVersion: version, Models: s.Models, Prompts: s.Prompts}
	if m.Inputs, err = build.Digests(c.o.Output, s.Inputs); err != nil {
		return false, err
	}
	if m.Options, err = schema.NewObject(s.Options); err != nil {
		return false, err
	}
	key, err := build.Key(m)
	if err != nil {
		return false, err
	}
	begun := c.path("store", ".begun")
	if old, err := os.ReadFile(begun); err == nil && string(old) == key+"\n" {
		return false, nil
	}
	write := func(text string) error {
		return atomicfile.Write(begun, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	}
	if err := write(""); err != nil {
		return true, err
	}
	if err := c.emptyStores(); err != nil {
		return true, err
	}
	return true, write(key + "\n")
}

// emptyStores removes the memories of both isolations, so that nothing of an earlier project file stays.
func (c *run) emptyStores() error {
	have, err := os.ReadDir(c.path("store"))
	if err != nil {
		return err
	}
	for _, f := range have {
		if c.p.Replay.Qdrant != "" && f.Name() == replay.Isolation(c.p.Replay.Isolation).Collection() {
			continue // Force empties it, and its known points in Qdrant
		}
		if f.IsDir() {
			if err := os.RemoveAll(c.path("store", f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *run) probe(ctx context.Context) error {
	o := ProbeOptions{StoreOptions: c.store(), Events: []string{c.path("events.jsonl")}, TopK: c.p.Replay.TopK}
	return c.do(ctx, build.Step{Name: "replay probe", Inputs: []string{c.path("events.jsonl"), c.path("store")}, Output: c.path("probes.jsonl"),
		Options: map[string]any{"isolation": o.Isolation, "top_k": o.TopK}},
		func(ctx context.Context, path string, with Shared, counts map[string]int) error {
			o.Shared, o.Out = with, path
			sum, err := Probe(ctx, o)
			counts["probes"] = sum.Probes
			return err
		})
}

func (c *run) export(ctx context.Context) error {
	o := ExportOptions{StoreOptions: c.store(), MemoriesOptions: MemoriesOptions{People: c.p.People, Version: c.p.SchemaVersion}}
	return c.do(ctx, build.Step{Name: "replay export", Inputs: []string{c.path("store")}, Output: c.path("exports"), Dir: true, Options: map[string]any{"isolation": o.Isolation, "people": o.People}},
		func(ctx context.Context, path string, with Shared, counts map[string]int) error {
			o.Shared, o.Out = with, path
			r, err := Export(ctx, o)
			counts["memories"] = r.Memories
			return err
		})
}

// countRecords counts the lines of the .jsonl files at or below path.
func countRecords(path string) (lines int, err error) {
	err = filepath.WalkDir(path, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".jsonl" {
			return err
		}
		n, err := countLines(name)
		lines += n
		return err
	})
	return lines, err
}
