package cli

import (
	"context"
	"runtime"
	"time"

	"membench/annotate"
	"membench/chain"
	"membench/config"
	"membench/schema"

	"github.com/spf13/cobra"
)

type annotateOptions struct {
	chain.AnnotateOptions
	stepFlags
	tagger string // "" | rule | model
	model  modelFlags
}

func newAnnotateCmd(e *env) *cobra.Command {
	var o annotateOptions
	o.Version = schema.Latest
	var start, format string
	c := verb("annotate SOURCE...", "Turn dialogue into events", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		defer bulkMemory(e)()
		o.Sources = args
		o.Convert.Format = annotate.Format(format)
		if start != "" {
			t, err := time.Parse(time.RFC3339, start)
			if err != nil {
				return usagef("--start: have %q, want RFC 3339 as 2026-03-01T20:00:00+08:00", start)
			}
			o.Convert.Start = t
		}
		if o.Convert.TurnOffset <= 0 {
			return usagef("--turn-offset: have %v, want more than 0", o.Convert.TurnOffset)
		}
		switch {
		case o.Out == "":
			return usagef("no output: give a folder with -o, or -o - for standard output")
		case e.json && o.Out == "-":
			return usagef("--json and -o - both want standard output: name a folder with -o")
		}
		return runAnnotate(c.Context(), e, o)
	})
	f := c.Flags()
	f.StringVarP(&o.Out, "output", "o", "", "write <conv>.events.jsonl into this `folder`; all events to a .jsonl file, or to - (standard output)")
	f.StringVar(&format, "format", "auto", "read every source as `format` auto, norm, raw, chat or openai")
	f.StringVar(&o.Prefer, "source", "auto", "of a chapter's two files read `which`: auto (norm, otherwise raw), norm or raw")
	f.StringVar(&o.Convert.SceneID, "scene", "", "scene `id` (default from the source, otherwise \"default\")")
	f.StringVar(&o.Convert.CharacterID, "character", "", "character `id` (default from the source, otherwise the first --character-name)")
	f.StringSliceVar(&o.Convert.CharacterNames, "character-name", nil, "`names` of the character in raw chapters and chats; the first is displayed")
	f.StringSliceVar(&o.Convert.MonologueSuffixes, "monologue-suffix", nil, "`endings` of a character's label that mark monologue")
	f.StringVar(&o.Convert.UserID, "user", "", "user `id` in the events' meta (default from the source)")
	f.StringSliceVar(&o.Convert.UserNames, "user-name", nil, "`names` of the user; the first is displayed")
	f.StringVar(&o.Convert.AgentID, "agent", "", "agent `id` in the events' meta (default from the source)")
	f.StringVar((*string)(&o.Convert.ConvID), "conv", "", "conversation `id` (default from the source, otherwise from its file name)")
	f.StringVar(&start, "start", "", "`time` of the first turn where the source has none, RFC 3339")
	f.DurationVar(&o.Convert.TurnOffset, "turn-offset", annotate.DefaultTurnOffset, "`time` between two turns where only the start is known")
	f.StringVar(&o.Convert.Root, "root", ".", "source paths in the events are relative to this `folder`")
	f.BoolVar(&o.Convert.MergeLines, "merge-lines", false, "join adjacent lines of one speaker to one event")
	f.StringVar(&o.tagger, "tagger", "", "choose tags by this `method`: rule or model (default rule, with --model model)")
	o.model.add(c)
	f.Var(versionFlag{&o.Version}, "schema-version", "write events of this schema version")
	f.IntVar(&o.Workers, "workers", runtime.GOMAXPROCS(0), "annotate `n` conversations at once")
	f.BoolVar(&e.json, "json", false, "print the counts as one JSON object")
	f.BoolVar(&o.Outside, "outside", false, "read files that an index names outside of its folder and --root")
	o.stepFlags.add(c, 50)
	return c
}

func runAnnotate(ctx context.Context, e *env, o annotateOptions) (err error) {
	if o.tagger == "model" || o.tagger == "" && o.model.model != "" {
		ms, g, err2 := o.model.generator(e, config.Annotate)
		defer ms.close(&err)
		if err2 != nil {
			return err2
		}
		o.Convert.Tagger = annotate.Model(g, ms.Prompts)
		o.Models = map[string]string{"tag": g.Model()}
		o.AnnotateOptions.Prompts = map[string]string{"tag": annotate.Prompt(ms.Prompts).SHA256()}
		if ms.dryRun() {
			o.Out, e = "-", e.mute()
		}
	}
	return o.run(e, func(with chain.Shared) error {
		o.Shared = with
		r, err := chain.Annotate(ctx, o.AnnotateOptions)
		err = said(e, r, err)
		if wrote(err) && r.GoldUnknown > 0 && !e.json {
			e.warnf("%d of %d probes name neither the injects they expect nor an answer: they cannot be graded", r.GoldUnknown, r.Probes)
		}
		return err
	})
}
