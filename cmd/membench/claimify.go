package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"membench/claims"
	"membench/config"
	"membench/internal/codec"
	"membench/internal/keylog"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type claimifyOptions struct {
	exports []string

	out        string
	extractor  string // rule | model
	model      modelFlags
	catalog    []string
	people     peopleFlag
	operations []string
	version    schema.Version
	strict     bool
	force      bool
	prune      bool
	workers    int
	memory     byteSize
}

func newClaimifyCmd(e *env) *cobra.Command {
	o := claimifyOptions{extractor: "rule", version: schema.Latest, memory: 16 << 20}
	c := &cobra.Command{
		Use:   "claimify EXPORT...",
		Short: "Extract claims and entities from exported memories",
		Long: `Extract claims and entities from exported memories, one file per conversation.

The rule extractor (default) needs no network and reads Chinese and English. The model
extractor asks an OpenAI-compatible endpoint in chunks of 30 memories; what it was asked
about once is remembered in OUT/.claimify and not paid for again, line by line faults go to
OUT/<conv>.rejected.ndjson. Memories that are gone from the exports are gone from the
output. A chunk that fails is reported and asked about again by the next run; the rest of
the output is written.

--catalog adds predicates, entity types and patterns of your own; see the comments in the
built-in catalogue (membench schema show catalog).`,
		Example: `  membench claimify exports -o claims/by_conv
  membench claimify exports -o claims/by_conv --extractor model --model gpt-4o-mini`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.exports = args
			return runClaimify(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write <conv>.jsonl to this `folder`, or all to - (standard output)")
	f.StringVar(&o.extractor, "extractor", o.extractor, "`rule` or model")
	o.model.add(c)
	f.StringArrayVar(&o.catalog, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
	f.Var(&o.people, "people", "say who is who: a YAML `file` with scope and known, as under people in membench.yaml, or its text in braces")
	f.StringArrayVar(&o.operations, "operations", nil, "look for alerts, causes, fixes and owners of systems in this `scene` (may be repeated; \"*\": in all)")
	f.Var(versionFlag{&o.version}, "schema-version", "write this `version` of the records")
	f.BoolVar(&o.strict, "strict", false, "write nothing and exit 3 when the data has errors")
	f.BoolVar(&o.force, "force", false, "ask the model again about memories that it was asked about before")
	f.BoolVar(&o.prune, "prune", false, "remove files of conversations that the exports do not have")
	f.IntVar(&o.workers, "workers", 0, "ask a model about `n` chunks at once, or read n conversations by rule (0: 1, or one per core)")
	f.Var(&o.memory, "memory", "hold at most this many bytes of memories before they go to disk (TMPDIR), like 64M")
	return c
}

const claimifyState = ".claimify" // below the output folder

func runClaimify(ctx context.Context, e *env, o claimifyOptions) (err error) {
	if o.extractor != "rule" && o.extractor != "model" {
		return usagef("--extractor: have %q, want rule or model", o.extractor)
	}
	if o.out == "" {
		return usagef("no output folder: give -o")
	}
	if err := notInput(o.out, o.exports...); err != nil {
		return err
	}
	files, err := inputFiles(o.exports, ".jsonl")
	if err != nil {
		return err
	}
	cat, err := loadCatalog(o.catalog)
	if err != nil {
		return err
	}
	if o.workers == 0 && o.extractor == "rule" {
		o.workers = runtime.GOMAXPROCS(0)
	}
	co := claims.Options{Catalog: cat, Version: o.version, People: o.people.People, Operations: o.operations, Force: o.force, Workers: o.workers, Memory: int64(o.memory), TempDir: e.getenv("TMPDIR")}
	if o.extractor == "model" {
		ms, err2 := o.model.open(e)
		if err2 != nil {
			return err2
		}
		defer ms.close(&err)
		g, err := ms.Generator(config.Extract)
		if err != nil {
			return err
		}
		if ms.dryRun() {
			o.out, e = "-", e.mute()
		}
		if o.out != "-" {
			cache, err := openAnswers(filepath.Join(o.out, claimifyState, "answers.jsonl"))
			if err != nil {
				return err
			}
			defer cache.Close()
			co.Cache = cache
			if co.Tags, err = readTags(filepath.Join(o.out, claimifyState, "tag_registry.json")); err != nil {
				return err
			}
		}
		co.Extractor = claims.Model(g, ms.Prompts, cat, o.version, co.Tags)
	}
	t := newTally(e, 100)
	in := drop(t, jsonl.Files[schema.MemoryExport](files, e.in))
	type file struct {
		name string
		data []byte
	}
	var ready []file // everything, with --strict; else what one conversation has
	write := func() error {
		for _, f := range ready {
			path := f.name
			if o.out != "-" {
				path = filepath.Join(o.out, f.name)
			}
			if len(f.data) == 0 && strings.HasSuffix(f.name, rejectedSuffix) {
				if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				continue
			}
			if err := writeOut(e, path, func(w io.Writer) error { _, err := w.Write(f.data); return err }); err != nil {
				return err
			}
		}
		ready = ready[:0]
		return nil
	}
	var all []schema.Statement
	var names []string
	n := struct{ convs, memories, asked, claims, entities, rejected, dropped int }{}
	for c, err := range claims.ByConversation(ctx, in, co) {
		if err != nil {
			if err := t.take(err); err != nil {
				return err
			}
			continue
		}
		for _, f := range c.Findings {
			t.take(f)
		}
		n.convs++
		n.memories += c.Memories
		n.asked += c.Asked
		n.rejected += len(c.Rejected)
		n.dropped += c.Dropped
		var data, bad []byte
		for _, s := range c.Statements {
			if s.Claim != nil {
				n.claims++
			} else {
				n.entities++
			}
			if data, err = jsonl.Append(data, s, o.version); err != nil {
				return err
			}
		}
		for _, r := range c.Rejected {
			if bad, err = codec.Append(bad, r, codec.Spaced); err != nil {
				return err
			}
			bad = append(bad, '\n')
		}
		if o.out == "-" {
			ready = append(ready, file{"-", data})
		} else {
			ready = append(ready, file{fileName(c.ID) + ".jsonl", data}, file{fileName(c.ID) + rejectedSuffix, bad})
		}
		names = append(names, fileName(c.ID))
		if o.extractor == "model" {
			all = append(all, c.Statements...)
		}
		if !o.strict {
			if err := write(); err != nil {
				return err
			}
		}
	}
	t.summary()
	if o.strict && t.errors > 0 {
		return errFindings
	}
	if err := write(); err != nil {
		return err
	}
	if o.extractor == "model" && o.out != "-" {
		reg := claims.Count(all)
		if err := writeOut(e, filepath.Join(o.out, claimifyState, "tag_registry.json"), func(w io.Writer) error { return writeJSON(w, reg) }); err != nil {
			return err
		}
	}
	if o.prune && o.out != "-" {
		if err := prune(o.out, names); err != nil {
			return err
		}
	}
	e.warnf("%d memories of %d conversations: %d entities, %d claims; %d new to the extractor, %d lines rejected, %d dropped", n.memories, n.convs, n.entities, n.claims, n.asked, n.rejected, n.dropped)
	return nil
}

const rejectedSuffix = ".rejected.ndjson" // not .jsonl, so that no later step takes it for claims

// prune removes the files of conversations that are not among names.
func prune(dir string, names []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, d := range entries {
		name, ok := strings.CutSuffix(d.Name(), ".jsonl")
		if !ok {
			name, ok = strings.CutSuffix(d.Name(), rejectedSuffix)
		}
		if ok && d.Type().IsRegular() && !slices.Contains(names, name) {
			if err := os.Remove(filepath.Join(dir, d.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// answers is the cache of paid answers: a log of {"key", "value"}, held in memory,
// about the size of the claims that they hold. The last value of a key counts.
type answers struct {
	log  *keylog.Log
	have map[string][]byte
}

type answer struct {
	Key   string        `json:"key"`
	Value schema.Object `json:"value"`
}

func openAnswers(path string) (*answers, error) {
	a := &answers{have: map[string][]byte{}}
	log, err := keylog.Open(path, keylog.Options{}, func(_ int, line []byte) error {
		var r answer
		if err := codec.Unmarshal(line, &r); err != nil {
			return err
		}
		raw, err := r.Value.MarshalJSON()
		a.have[r.Key] = raw
		return err
	})
	a.log = log
	return a, err
}

func (a *answers) Get(key string) ([]byte, bool) { v, ok := a.have[key]; return v, ok }

func (a *answers) Put(key string, value []byte) error {
	line, err := codec.Append(nil, answer{key, schema.RawObject(value)}, codec.Compact)
	if err != nil {
		return err
	}
	a.have[key] = value
	return a.log.Append(line)
}

func (a *answers) Close() error { return a.log.Close() }

func readTags(path string) (*claims.Tags, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r claims.Registry
	if err := codec.Unmarshal(b, &r); err != nil {
		return nil, err
	}
	return claims.NewTags(r), nil
}
