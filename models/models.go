// Package models opens the models of a run: an endpoint for each role, with one ledger of costs, one budget and one cassette of answers.
package models

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"membench/annotate"
	"membench/claims"
	"membench/config"
	"membench/datasets/probes"
	"membench/eval/reader"
	"membench/llm"
	"membench/llm/cassette"
	"membench/llm/hashing"
	"membench/llm/openai"
	"membench/memory/op"
	"membench/schema"
)

// Options configure the models of a run. Empty members come from the project's file, then from the environment. They never contain a key.
type Options struct {
	Model        config.Model // Name, BaseURL, RPM and Temperature of every role
	Cassette     string       // file of answers
	CassetteMode string       // "": the project's, or cache with a file and off without
	Prices       string       // price table; "": the project's, or the built-in one
	Budget       string       // as config.ParseBudget reads it
	Part, Parts  int          // of the budget, from 0, where several processes share it; 0 parts: all of it
	PromptDir    string
	PromptLang   string
	DryRun       bool // no calls are made; Estimate counts them

	Env       config.Lookup
	Clock     llm.Clock
	Transport http.RoundTripper // nil: the usual one
	Tell      func(string)      // called when an endpoint is paused, with the reason; nil: not called
}

// A Set is everything that a run may ask.
type Set struct {
	Prompts  llm.Prompts
	Prices   config.PriceTable
	Estimate *llm.Estimate // nil: this is not a dry run
	Budget   config.Budget // of the whole run, also where this process has a part of it

	project  *config.Project // nil: no file
	vectors  string          // model for vectors that this run names; "": as resolved
	o        Options
	ledger   *llm.Ledger
	budget   *llm.Budget // nil: none
	cassette *cassette.Cassette
	breakers *breakers
	shared   bool // another Set's: closing it is not ours
}

// Open resolves the options and opens the cassette. p may be nil: no file. It fails with a *schema.UsageError if options or project are invalid.
func Open(p *config.Project, o Options) (*Set, error) {
	s := &Set{project: p, o: o, ledger: llm.NewLedger(), breakers: &breakers{of: map[string]*llm.Breaker{}}}
	var b config.Budget
	if p != nil {
		b = p.Budget
	}
	var err error
	if o.Budget != "" {
		if b, err = config.ParseBudget(o.Budget); err != nil {
			return nil, &schema.UsageError{Err: err}
		}
	}
	if s.Prices, err = config.LoadPrices(o.PriceFile(p)); err != nil {
		return nil, &schema.UsageError{Err: err}
	}
	s.Budget = b
	if o.Parts > 0 {
		if b, err = b.Share(o.Part, o.Parts); err != nil {
			return nil, &schema.UsageError{Err: err}
		}
	}
	if b != (config.Budget{}) {
		s.budget = llm.NewBudget(llm.Limits{Money: b.Money, Tokens: b.Tokens, Calls: b.Calls}, s.Prices.Prices)
	}
	if s.Prompts, err = o.OpenPrompts(p); err != nil {
		return nil, err
	}
	file, mode, err := o.CassetteFile(p)
	if err != nil {
		return nil, err
	}
	if o.DryRun {
		s.Estimate = &llm.Estimate{}
		if _, err := os.Stat(file); mode == cassette.Record || err != nil {
			mode = cassette.Off
		}
	}
	s.cassette, err = cassette.Open(file, mode)
	if d := s.cassette.Damages(); len(d) > 0 && o.Tell != nil {
		o.Tell(fmt.Sprintf("%s: %v, %d parts in all: those answers are asked for again (see membench cassette check)", file, d[0], len(d)))
	}
	return s, err
}

// Close closes the cassette.
func (s *Set) Close() error {
	if s == nil || s.shared {
		return nil
	}
	return s.cassette.Close()
}

// As is the same Set with another model named for every role. Closing it does nothing.
func (s *Set) As(name string) *Set {
	c := *s
	c.o.Model.Name, c.shared = name, true
	return &c
}

// Vectors is the same Set with another model for vectors. Closing it does nothing.
func (s *Set) Vectors(name string) *Set {
	c := *s
	c.vectors, c.shared = name, true
	return &c
}

// Endpoint returns the settings in force for a role.
func (s *Set) Endpoint(role config.Role) (config.Endpoint, error) {
	flags := s.o.Model
	switch {
	case role == config.Embed: // flags name the model that chats
		flags = config.Model{Name: s.vectors}
	case flags.Name+flags.BaseURL == "":
		flags.Temperature = nil
	}
	ep, err := s.project.Resolve(role, flags, s.o.Env)
	if err != nil {
		return ep, &schema.UsageError{Err: err}
	}
	return ep, nil
}

// Named are the models of a run by role, for its manifest.
func (s *Set) Named() (map[string]string, error) {
	if s == nil {
		return nil, nil
	}
	out := map[string]string{}
	for _, role := range []config.Role{config.Extract, config.Read, config.Judge, config.Embed} {
		ep, err := s.Endpoint(role)
		if err != nil {
			return nil, err
		}
		if ep.Configured() {
			out[string(role)] = ep.Name
		}
	}
	return out, nil
}

// PriceFile is the price table's file, "" for the built-in one.
func (o Options) PriceFile(p *config.Project) string {
	if o.Prices == "" && p != nil && p.Prices != "" {
		return p.Path(p.Prices)
	}
	return o.Prices
}

// CassetteFile is the cassette that options and project name.
func (o Options) CassetteFile(p *config.Project) (file string, mode cassette.Mode, err error) {
	file, name := o.Cassette, o.CassetteMode
	if p != nil {
		if file == "" && p.Cassette.File != "" {
			file = p.Path(p.Cassette.File)
		}
		name = cmp.Or(name, p.Cassette.Mode)
	}
	if name == "" {
		name = string(cassette.Cache)
		if file == "" {
			name = string(cassette.Off)
		}
	}
	if mode, err = cassette.ParseMode(name); err != nil {
		return "", "", &schema.UsageError{Err: err}
	}
	if mode != cassette.Off && file == "" {
		return "", "", schema.Usagef("cassette mode %s: name the file with --cassette, or cassette.file in membench.yaml", mode)
	}
	return file, mode, nil
}

// Prompts are the prompts of every stage, by name.
func Prompts(p llm.Prompts) []llm.Prompt {
	out := []llm.Prompt{annotate.Prompt(p), claims.Prompt(p)}
	for _, name := range op.PromptNames() {
		out = append(out, op.Prompt(p, name))
	}
	for _, name := range reader.PromptNames() {
		out = append(out, reader.Prompt(p, name))
	}
	out = append(out, probes.Prompt(p))
	return out
}

// OpenPrompts returns the prompts that options and project select.
func (o Options) OpenPrompts(p *config.Project) (llm.Prompts, error) {
	dir, lang := o.PromptDir, o.PromptLang
	if p != nil {
		if dir == "" && p.Prompts.Dir != "" {
			dir = p.Path(p.Prompts.Dir)
		}
		lang = cmp.Or(lang, p.Prompts.Language)
	}
	var names []string
	for _, q := range Prompts(llm.Prompts{}) {
		names = append(names, q.Name)
	}
	var files fs.FS
	if dir != "" {
		if _, err := os.Stat(dir); err != nil {
			return llm.Prompts{}, err
		}
		files = os.DirFS(dir)
	}
	out, err := llm.OpenPrompts(files, lang, names)
	if err != nil {
		return out, &schema.UsageError{Err: err}
	}
	return out, nil
}

// Generator is the model for a role, with ledger, cassette and budget.
func (s *Set) Generator(role config.Role) (llm.Generator, error) {
	ep, err := s.Endpoint(role)
	if err != nil {
		return nil, err
	}
	if !ep.Configured() {
		return nil, schema.Usagef("no model named: give --model or set OPENAI_MODEL or BENCHMARK_LLM_MODEL, or model.name in membench.yaml")
	}
	var g llm.Generator
	switch {
	case s.Estimate != nil:
		g = s.Estimate.Generator(ep.Name)
	case s.cassette.Mode() == cassette.Replay:
		g = cassette.Absent(ep.Name)
	default:
		c, err := s.client(ep)
		if err != nil {
			return nil, err
		}
		g = c
	}
	return llm.With(s.ledger.Generator(s.cassette.Generator(g)), llm.Settings{Temperature: ep.Temperature, MaxTokens: ep.MaxTokens}), nil
}

// EndpointEmbedder is the endpoint for vectors; without one it fails.
func (s *Set) EndpointEmbedder() (llm.Embedder, error) {
	ep, err := s.Endpoint(config.Embed)
	if err == nil && !ep.Configured() {
		err = schema.Usagef("no model for vectors: set models.embed.name in membench.yaml, or LOCAL_EMBEDDING_MODEL (scripts/minilm.sh serves one)")
	}
	if err != nil {
		return nil, err
	}
	return s.Embedder()
}

// Embedder returns the endpoint for vectors if one is configured, otherwise hashing.
func (s *Set) Embedder() (llm.Embedder, error) {
	ep, err := s.Endpoint(config.Embed)
	if err != nil || !ep.Configured() {
		return hashing.New(0), err
	}
	profile := ep.Name
	if ep.Dimensions > 0 {
		profile = fmt.Sprintf("%s/%d", ep.Name, ep.Dimensions)
	}
	if s.Estimate != nil { // vectors that only are in: they are not kept in the cassette
		return s.Estimate.Embedder(profile, hashing.New(ep.Dimensions)), nil
	}
	var m llm.Embedder
	if s.cassette.Mode() == cassette.Replay {
		m = cassette.AbsentEmbedder(profile)
	} else {
		c, err := s.client(ep)
		if err != nil {
			return nil, err
		}
		m = c
	}
	return s.ledger.Embedder(s.cassette.Embedder(m)), nil
}

func (s *Set) client(ep config.Endpoint) (*openai.Client, error) {
	if ep.Key == "" && strings.TrimRight(ep.BaseURL, "/") == openai.DefaultURL {
		return nil, schema.Usagef("no key: set OPENAI_API_KEY in the environment or in .env, or name a local endpoint with --base-url")
	}
	c, err := openai.New(openai.Options{BaseURL: ep.BaseURL, Key: ep.Key, Model: ep.Name, PerMinute: ep.RPM, TokensPerMinute: ep.TPM,
		Concurrent: ep.Concurrent, Timeout: time.Duration(ep.Timeout), Tries: ep.Tries, Dimensions: ep.Dimensions, Batch: ep.Batch,
		Budget: s.budget, Breaker: s.breakers.at(ep.BaseURL, s.o), Clock: s.o.Clock, Transport: s.o.Transport})
	if err != nil {
		return nil, &schema.UsageError{Err: err}
	}
	return c, nil
}
