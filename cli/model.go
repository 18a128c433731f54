package cli

import (
	"cmp"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"membench/config"
	"membench/internal/atomicfile"
	"membench/internal/par"
	"membench/llm"
	llmodels "membench/models"
	"membench/schema"

	"github.com/spf13/cobra"
)

// modelFlags configure how models are called. Missing values come from membench.yaml, then from the environment. The key is never a flag.
type modelFlags struct {
	config         string
	model, baseURL string
	perMinute      float64
	temperature    float64 // below 0: as the endpoint's settings or the stage say
	cassette, mode string
	prices, budget string
	usage          string
	promptDir      string
	promptLang     string
	dryRun         bool
}

const modelHelp = `
Models are asked at any OpenAI-compatible endpoint. Its settings come from the flags, otherwise
from the environment or .env (OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL, …), otherwise from
membench.yaml (of --config, or in the working folder): "membench config show" prints the
effective settings. With --cassette every answer is kept in one file and never paid
for twice; with --cassette-mode replay-only no endpoint is called.`

func (m *modelFlags) add(c *cobra.Command) {
	inGroup(c, "Model", func() { m.addOwn(c) })
	c.Long += modelHelp
}

func (m *modelFlags) addOwn(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&m.model, "model", "", "ask the `model` of this name (default OPENAI_MODEL, otherwise BENCHMARK_LLM_MODEL)")
	f.StringVar(&m.baseURL, "base-url", "", "`URL` of the endpoint, with /v1 (default OPENAI_BASE_URL, otherwise BENCHMARK_LLM_BASE_URL, otherwise OpenAI's)")
	f.Float64Var(&m.perMinute, "rate-limit", 0, "at most `n` calls a minute (default BENCHMARK_LLM_RATE_LIMIT, 0 = no limit)")
	f.BoolVar(&m.dryRun, "dry-run", false, "call no model and write nothing: print the estimated cost of the model calls, as a range")
	f.Float64Var(&m.temperature, "temperature", -1, "ask at this `temperature`, 0 to 2 (default OPENAI_TEMPERATURE, otherwise what the step asks for)")
	m.addShared(c)
}

// addShared adds the flags that do not select a model.
func (m *modelFlags) addShared(c *cobra.Command) {
	f := c.Flags()
	if f.Lookup("config") == nil {
		f.StringVar(&m.config, "config", "", "take endpoints, cassette, prices and budget from this project `file` (default membench.yaml, where there is one)")
	}
	f.StringVar(&m.cassette, "cassette", "", "keep answers in this `file` and take them from it")
	f.StringVar(&m.mode, "cassette-mode", "", "`mode`: off, cache, record or replay-only (default cache)")
	f.StringVar(&m.prices, "prices", "", "price table `file` (default the built-in one)")
	f.StringVar(&m.budget, "budget", "", "stop before this is spent: an `amount` of money, or tokens=n, calls=n, money=x")
	f.StringVar(&m.promptDir, "prompts", "", "take prompts from the <name>.md of this `folder` where they are there (membench config prompts lists the names)")
	f.StringVar(&m.promptLang, "prompt-lang", "", "`language` of the prompts: en or zh (default en)")
	f.StringVar(&m.usage, "usage", "", "write usage by purpose, first paid and paid now, to this `file` as JSON")
}

// models are the models of one run; closing them prints the costs.
type models struct {
	*llmodels.Set
	e     *env
	usage string // file for the usage, "": none
}

// lookup is the environment with the places that values come from.
func (e *env) lookup(name string) (value, from string) {
	v := e.getenv(name)
	switch {
	case v == "":
		return "", ""
	case e.dotenv[name]:
		return v, ".env"
	}
	return v, "environment"
}

// options returns the options of the flags, for the environment of e.
func (m modelFlags) options(e *env) llmodels.Options {
	o := llmodels.Options{Model: config.Model{Name: m.model, BaseURL: m.baseURL, RPM: m.perMinute},
		Cassette: m.cassette, CassetteMode: m.mode, Prices: m.prices, Budget: m.budget, PromptDir: m.promptDir, PromptLang: m.promptLang,
		DryRun: m.dryRun, Env: e.lookup, Clock: e.clock(), Transport: e.transport, Tell: func(s string) { e.warnf("%s", s) }}
	if m.temperature >= 0 {
		o.Model.Temperature = &m.temperature
	}
	return o
}

// open resolves the missing values and opens the cassette.
func (m modelFlags) open(e *env) (*models, error) {
	p, err := m.project(e)
	if err != nil {
		return nil, err
	}
	return openModels(e, p, m)
}

// generator opens the models for a command that asks the one of a role. The models are to be closed even where it fails.
func (m modelFlags) generator(e *env, role config.Role) (*models, llm.Generator, error) {
	ms, err := m.open(e)
	if err != nil {
		return nil, nil, err
	}
	g, err := ms.Generator(role)
	return ms, g, err
}

// project loads the file of --config, or membench.yaml in the working folder; nil if there is none.
func (m modelFlags) project(e *env) (*config.Project, error) {
	if m.config = cmp.Or(m.config, config.Find(".")); m.config == "" {
		return nil, nil
	}
	p, err := config.Load(m.config, e.lookup)
	if err != nil {
		return nil, &schema.UsageError{Err: err}
	}
	return p, nil
}

func openModels(e *env, p *config.Project, m modelFlags) (*models, error) {
	s, err := llmodels.Open(p, m.options(e))
	if err != nil {
		return nil, err
	}
	return &models{Set: s, e: e, usage: m.usage}, nil
}

// dryRun reports whether a command shall write nothing.
func (s *models) dryRun() bool { return s.Estimate != nil }

// close ends the run: it prints the calls and closes the cassette. Its error is joined with the command's.
func (s *models) close(err *error) {
	if s == nil {
		return
	}
	r := s.Usage()
	switch {
	case s.Estimate != nil:
		s.WriteEstimate(s.e.err)
	case len(r.Rows) > 0:
		r.Write(s.e.err)
	}
	if s.usage != "" && s.Estimate == nil {
		*err = errors.Join(*err, atomicfile.Write(s.usage, func(w io.Writer) error { return writeJSON(w, r) }))
	}
	*err = errors.Join(*err, s.Close())
}

// clock is the real one. Only commands may read it.
func (e *env) clock() llm.Clock {
	if e.waits != nil {
		return *e.waits
	}
	return llm.Clock{Now: time.Now, Random: rand.Float64, Sleep: par.Sleep}
}
