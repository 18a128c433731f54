package chain

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"membench/claims"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/llm"
	"membench/schema"
	"membench/schema/jsonl"
)

// ClaimifyOptions of Claimify.
type ClaimifyOptions struct {
	Shared
	Exports    []string      `json:"-"` // folders or files of exported memories
	Out        string        `json:"-"` // folder, or "-"
	Generator  llm.Generator `json:"-"` // nil: by rule
	Prompts    llm.Prompts   `json:"-"` // of the generator
	Catalogs   []string      `json:"catalogs"`
	People     schema.People `json:"people,omitzero"`      // who is who
	Operations []string      `json:"operations,omitempty"` // scenes whose talk is about systems; "*": all
	// MinConfidence is the least confidence of a claim by rule, in [0,1]; 0: 0.5.
	MinConfidence float64        `json:"min_confidence,omitempty"`
	Version       schema.Version `json:"version"`
	Force         bool           `json:"-"` // ask again about memories that were asked about before
	Prune         bool           `json:"-"` // remove files of conversations that the exports do not have
	Workers       int            `json:"-"` // chunks asked at once, or conversations read by rule (0: 1, or one per core)
	Memory        int64          `json:"-"` // bytes of memories held before they go to disk; 0: 16 MiB
}

// ClaimifyReport is the result of Claimify.
type ClaimifyReport struct {
	Conversations, Memories, Entities, Claims int
	Asked                                     int // memories that the extractor did not know
	Rejected                                  int // lines of answers that were not records
	Dropped                                   int
	Unread                                    int // memories in languages that the rules do not read
	Failed                                    int // chunks that were not, or not all, heard about
}

// String is one line for people.
func (r ClaimifyReport) String() string {
	return fmt.Sprintf("%d memories of %d conversations: %d entities, %d claims; %d new to the extractor, %d lines rejected, %d dropped",
		r.Memories, r.Conversations, r.Entities, r.Claims, r.Asked, r.Rejected, r.Dropped)
}

const (
	unreadShare    = 20                 // one in so many memories in another language is reported
	claimifyState  = ".claimify"        // below the output folder
	rejectedSuffix = ".rejected.ndjson" // not .jsonl, so that no later step takes it for claims
)

// Claimify extracts claims and entities from exported memories: <conv>.jsonl for each conversation, and manifest.json, in the folder Out. If Out ends in
// .jsonl, it writes one file with its manifest in the same folder. Results of model calls are cached in Out/.claimify if Out is a folder.
func Claimify(ctx context.Context, o ClaimifyOptions) (r ClaimifyReport, err error) {
	f := o.frame("claimify", o.Version, o.Out, isFolder(o.Out))
	f.Stream = true
	defer f.Close()
	o.Version = f.Schema
	in, err := f.Files(ctx, o.Exports, ".jsonl")
	if err != nil {
		return r, err
	}
	co, close, err := o.extraction()
	if err != nil {
		return r, err
	}
	defer close()
	var all []schema.Statement
	kept := map[string]bool{}
	unseen := slices.DeleteFunc(slices.Clone(o.Operations), func(s string) bool { return s == "*" })
	for c, err := range claims.ByConversation(ctx, readMemories(f, in), co) {
		if err != nil {
			if err := f.Take(err); err != nil {
				return r, err
			}
			continue
		}
		for _, x := range c.Findings {
			f.Found(x)
		}
		kept[c.ID.FileName()] = true
		for _, scene := range c.Scenes {
			unseen = slices.DeleteFunc(unseen, func(s string) bool { return s == scene })
		}
		if err := o.writeConversation(f, c, &r); err != nil {
			return r, err
		}
		if o.Generator != nil {
			all = append(all, c.Statements...)
		}
	}
	if o.Generator != nil && f.Dir && r.Failed == 0 { // otherwise the next run, which continues, must offer the same tags
		tags := claims.Count(all)
		if err := f.Write(filepath.Join(claimifyState, "tag_registry.json"), func(w io.Writer) error { return codec.WriteFile(w, tags) }); err != nil {
			return r, err
		}
	}
	if o.Prune && f.Dir {
		gone, err := othersIn(o.Out, kept, ".jsonl", rejectedSuffix)
		if err != nil {
			return r, err
		}
		for _, name := range gone {
			f.Remove(name)
		}
	}
	if r.Unread*unreadShare >= r.Memories && r.Unread > 0 {
		f.Found(&schema.Finding{Pos: schema.Pos{File: strings.Join(o.Exports, ", ")}, Code: "CLM111", Warning: true, Message: "memories are in languages that the rules do not read; there are no claims of them",
			Have: fmt.Sprintf("%d of %d", r.Unread, r.Memories), Want: "English or Chinese", Hint: "--extractor model asks a model, which reads others, too"})
	}
	for _, scene := range unseen {
		f.Found(&schema.Finding{Pos: schema.Pos{File: strings.Join(o.Exports, ", ")}, Code: "CLM113", Warning: true, Message: "operations names a scene that no memory is in", Have: scene, Want: "the scene of a conversation, or *"})
	}
	f.Taken = r.Memories // some that can be read hold nothing
	m, err := o.manifest(r)
	if err != nil {
		return r, err
	}
	_, err = f.Commit(m)
	return r, err
}

// extraction returns the options of the extraction, and a function that closes the cache of answers.
func (o ClaimifyOptions) extraction() (claims.Options, func() error, error) {
	done := func() error { return nil }
	if !(o.MinConfidence >= 0 && o.MinConfidence <= 1) {
		return claims.Options{}, done, schema.Usagef("--min-confidence: have %v, want 0 to 1", o.MinConfidence)
	}
	if o.MinConfidence > 0 && o.Generator != nil {
		return claims.Options{}, done, schema.Usagef("--min-confidence: it is for claims by rule; a model's claims have a limit of their own")
	}
	cat, err := LoadCatalog(o.Catalogs)
	if err != nil {
		return claims.Options{}, done, err
	}
	if o.Workers == 0 && o.Generator == nil {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	co := claims.Options{Catalog: cat, Version: o.Version, People: o.People, Operations: o.Operations, MinConfidence: o.MinConfidence, Force: o.Force, Workers: o.Workers, Memory: o.Memory, TempDir: o.TempDir, Progress: o.Progress}
	if o.Generator == nil {
		return co, done, nil
	}
	if isFolder(o.Out) {
		cache, err := openAnswers(filepath.Join(o.Out, claimifyState, "answers.jsonl"))
		if err != nil {
			return co, done, err
		}
		co.Cache, done = cache, cache.Close
		if co.Tags, err = readTags(filepath.Join(o.Out, claimifyState, "tag_registry.json")); err != nil {
			return co, done, err
		}
	}
	co.Extractor = claims.Model(o.Generator, o.Prompts, cat, o.Version, co.Tags)
	return co, done, nil
}

func (o ClaimifyOptions) writeConversation(f *build.Frame, c claims.Conversation, r *ClaimifyReport) (err error) {
	r.Conversations++
	r.Memories += c.Memories
	r.Asked += c.Asked
	r.Rejected += len(c.Rejected)
	r.Dropped += c.Dropped
	r.Unread += c.Unread
	r.Failed += c.Failed
	name := c.ID.FileName()
	err = f.Write(name+".jsonl", func(w io.Writer) error {
		var line []byte
		for _, s := range c.Statements {
			if s.Claim != nil {
				r.Claims++
			} else {
				r.Entities++
			}
			if line, err = jsonl.Append(line[:0], s, o.Version); err != nil {
				return err
			}
			if _, err = w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil || !f.Dir:
		return err
	case len(c.Rejected) == 0:
		f.Remove(name + rejectedSuffix)
		return nil
	}
	return f.Write(name+rejectedSuffix, func(w io.Writer) error {
		for _, x := range c.Rejected {
			line, err := codec.Append(nil, x, codec.Spaced)
			if err != nil {
				return err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

func (o ClaimifyOptions) manifest(r ClaimifyReport) (m schema.Manifest, err error) {
	m.Counts = map[string]int{"conversations": r.Conversations, "memories": r.Memories, "entities": r.Entities, "claims": r.Claims, "dropped": r.Dropped}
	if o.Generator != nil {
		m.Models = map[string]string{"claims": o.Generator.Model()}
		m.Prompts = map[string]string{"claims": claims.Prompt(o.Prompts).SHA256()}
	}
	o.Catalogs = append([]string{}, o.Catalogs...)
	m.Options, err = schema.NewObject(o)
	return m, err
}
