package chain

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"membench/annotate"
	"membench/config"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/schema"
)

// annotate has one step per conversation; its key is the content of the conversation,
// so that a change in one of many in a file is a change of one.
func (c *run) annotate(ctx context.Context) error {
	o, err := c.annotateOptions()
	if err != nil {
		return err
	}
	c.inputs = o.Sources
	var shown []string
	f := Shared{Strict: c.o.Strict, Accept: c.o.Accept, Membench: c.o.Membench, Report: func(x *schema.Finding) {
		c.report.Findings[x.Code]++
		if len(shown) < maxShown {
			shown = append(shown, x.Error())
		}
	}}.frame("annotate", o.Version, o.Out, true)
	files, err := annotateFiles(f, o)
	if err != nil {
		return err
	}
	total := AnnotateReport{Tags: map[string]int{}}
	for src, err := range unique(f, annotateSources(ctx, f, files, o)) {
		if err != nil {
			if err := f.Take(err); err != nil {
				return err
			}
			continue
		}
		if err := c.annotateOne(ctx, src, o); err != nil {
			return err
		}
		m := c.records["annotate "+string(src.ConvID)]
		f.Taken += m.Counts["events"]
		a := annotated{src: src, events: m.Counts["events"], tags: map[string]int{}}
		for _, tag := range schema.Tags() {
			if n := m.Counts[tag]; n > 0 {
				a.tags[tag] = n
			}
		}
		total.add(a)
	}
	for _, x := range shown {
		c.warn("%s", x)
	}
	if err := f.Check(); err != nil {
		return err
	}
	if err := f.Verdict(); err != nil {
		c.lost, c.report.Rejected = true, c.report.Rejected+f.Rejected
	}
	if err := c.removeEvents(); err != nil {
		return err
	}
	c.unknownConversations()
	return c.eventsManifest(f, o, total)
}

// annotateOne makes the events of one conversation current.
func (c *run) annotateOne(ctx context.Context, src annotate.Source, o AnnotateOptions) error {
	digest, err := sourceDigest(src)
	if err != nil {
		return err
	}
	return c.do(ctx, build.Step{
		Name: "annotate " + string(src.ConvID), Output: c.path("events", src.ConvID.FileName()+eventsSuffix), Models: o.Models, Prompts: o.Prompts,
		Options: map[string]any{"source": src.Path, "content": digest, "options": c.identity(src.ConvID), "tagger": o.Convert.Tagger.Fingerprint()},
	}, func(ctx context.Context, path string, with Shared, counts map[string]int) error {
		if err := c.tryExtractor(ctx); err != nil {
			return err
		}
		f := with.frame("annotate", o.Version, path, false)
		var a annotated
		if err := atomicfile.Write(path, func(file io.Writer) (err error) {
			w := bufio.NewWriter(file)
			o.Shared = with
			told := o.turns()
			told(0, len(src.Turns))
			a, err = annotateOne(ctx, src, o, w, told)
			return errors.Join(err, w.Flush())
		}); err != nil {
			return err
		}
		counts["events"] = a.events
		maps.Copy(counts, a.tags)
		for _, x := range a.findings {
			f.Found(x)
		}
		f.Taken = a.events
		if err := f.Check(); err != nil {
			return err
		}
		return f.Verdict()
	})
}

// removeEvents removes the events of removed sources.
func (c *run) removeEvents() error {
	made := map[string]bool{}
	for name := range c.records {
		if conv, ok := strings.CutPrefix(name, "annotate "); ok {
			made[schema.ConvID(conv).FileName()] = true
		}
	}
	if len(made) == 0 {
		return fmt.Errorf("no conversation in the sources")
	}
	gone, err := othersIn(c.path("events"), made, eventsSuffix, ".jsonl")
	for _, name := range gone {
		c.warn("%s: its source no longer exists; its events were removed", filepath.Join("events", name))
		if err := os.Remove(c.path("events", name)); err != nil {
			return err
		}
	}
	return err
}

// unknownConversations warns of settings for conversations that no source has: a misspelt name has no effect.
func (c *run) unknownConversations() {
	check := func(where string, conv schema.ConvID) {
		if _, ok := c.records["annotate "+string(conv)]; !ok {
			c.warn("%s names %s, and no source has such a conversation: the setting has no effect", where, conv)
		}
	}
	for _, conv := range slices.Sorted(maps.Keys(c.p.Conversations)) {
		check("conversations", schema.ConvID(conv))
	}
	for _, who := range c.p.People.Known {
		for _, conv := range who.Conversations {
			check("people.known: "+who.Name, conv)
		}
	}
}

// eventsManifest writes the manifest that Annotate would.
func (c *run) eventsManifest(f *build.Frame, o AnnotateOptions, total AnnotateReport) error {
	m, err := o.manifest(total)
	if err != nil {
		return err
	}
	m.Findings = map[string]int{}
	schema.Tally(m.Findings, f.ByCode)
	var outputs []schema.FileDigest
	for name, r := range c.records {
		if !strings.HasPrefix(name, "annotate ") {
			continue
		}
		schema.Tally(m.Findings, r.Findings)
		for _, d := range r.Outputs {
			d.Path = filepath.Base(d.Path)
			outputs = append(outputs, d)
		}
	}
	if m, err = f.Describe(m, outputs); err != nil {
		return err
	}
	path := c.path("events", "manifest.json")
	if old, err := build.ReadManifest(path); err == nil && old.Key == m.Key && slices.Equal(old.Outputs, m.Outputs) {
		return nil
	}
	return build.WriteManifest(path, m)
}

// annotateOptions returns the project's options: its defaults apply if a source has no value, its entries under conversations take precedence over the source.
func (c *run) annotateOptions() (AnnotateOptions, error) {
	p := c.p
	at := func(s string) time.Time { t, _ := time.Parse(time.RFC3339, s); return t } // config has checked it
	o := AnnotateOptions{Out: c.path("events"), Prefer: "auto", Outside: c.o.Outside, Version: p.SchemaVersion, Convert: annotate.Options{
		CharacterNames: p.Character.Names, MonologueSuffixes: p.Character.Monologue, UserNames: p.User.Names,
		Defaults:      annotate.Conversation{SceneID: p.Scene, CharacterID: p.Character.ID, UserID: p.User.ID, AgentID: p.Agent.ID, Start: at(p.Start)},
		Conversations: map[schema.ConvID]annotate.Conversation{},
		Root:          p.Dir(), Format: annotate.Format(p.Annotate.Format), TurnOffset: time.Duration(p.TurnOffset),
		Tagger: annotate.Rule(),
	}}
	for _, s := range p.Sources {
		o.Sources = append(o.Sources, p.Path(s))
	}
	for conv, v := range p.Conversations {
		o.Convert.Conversations[schema.ConvID(conv)] = annotate.Conversation{SceneID: v.Scene, CharacterID: v.Character, UserID: v.User, AgentID: v.Agent, Start: at(v.Start)}
	}
	if p.Annotate.Tagger == "model" {
		g, err := c.o.Models.Generator(config.Annotate)
		if err != nil {
			return o, err
		}
		o.Convert.Tagger = annotate.Model(g, c.o.Models.Prompts)
		o.Models = map[string]string{"tag": g.Model()}
		o.Prompts = map[string]string{"tag": annotate.Prompt(c.o.Models.Prompts).SHA256()}
	}
	return o, nil
}

// identity is the project's settings for one conversation: the part of the options that affects its events.
func (c *run) identity(conv schema.ConvID) map[string]any {
	p := c.p
	return map[string]any{"scene": p.Scene, "character": p.Character, "user": p.User, "agent": p.Agent, "start": p.Start,
		"turn_offset": time.Duration(p.TurnOffset).String(), "conversation": p.Conversations[string(conv)]}
}

func sourceDigest(src annotate.Source) (string, error) {
	turns := slices.Clone(src.Turns)
	for i := range turns {
		turns[i].Pos.File = "" // where the project lies is not content
	}
	src.Turns = turns
	b, err := codec.Append(nil, src, codec.Compact)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}

func (c *run) compile(ctx context.Context) error {
	events, err := inDir(c.path("events"), "*"+eventsSuffix)
	if err != nil {
		return err
	}
	return c.do(ctx, build.Step{Name: "compile", Inputs: events, Output: c.path("events.jsonl"), Options: struct{}{}},
		func(ctx context.Context, path string, with Shared, counts map[string]int) error {
			r, err := Compile(ctx, CompileOptions{Shared: with, Events: []string{c.path("events")}, Out: path})
			counts["events"] = r.Events
			return err
		})
}
