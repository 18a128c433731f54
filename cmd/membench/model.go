package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"time"

	"membench/cmd/membench/internal/config"
	"membench/internal/atomicfile"
	"membench/llm"
	"membench/llm/cassette"
	"membench/llm/hashing"
	"membench/llm/openai"

	"github.com/spf13/cobra"
)

// modelFlags say how models are asked. What they leave open comes from membench.yaml,
// then from the environment. The key never is a flag.
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
Models are asked at any OpenAI-compatible endpoint. Its settings come from the flags, else
from membench.yaml (of --config, or in the working folder), else from the environment
(OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL, …), else from .env: "membench config show"
prints what is in force. With --cassette every answer is kept in one file and never paid
for twice; with --cassette-mode replay-only nobody is asked at all.`

func (m *modelFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&m.model, "model", "", "ask the `model` of this name (default OPENAI_MODEL, else BENCHMARK_LLM_MODEL)")
	f.StringVar(&m.baseURL, "base-url", "", "`URL` of the endpoint, with /v1 (default OPENAI_BASE_URL, else BENCHMARK_LLM_BASE_URL, else OpenAI's)")
	f.Float64Var(&m.perMinute, "rate-limit", 0, "at most `n` calls a minute (default BENCHMARK_LLM_RATE_LIMIT, 0 = no limit)")
	f.BoolVar(&m.dryRun, "dry-run", false, "ask nobody and write nothing: print what the model calls would cost, as a range")
	f.Float64Var(&m.temperature, "temperature", -1, "ask at this temperature, 0 to `2` (default OPENAI_TEMPERATURE, else what the step asks for)")
	m.addShared(c)
	c.Long += modelHelp
}

// addShared are the flags that say nothing of which model is asked.
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

// models is everything that a run may ask: an endpoint for each role, one ledger, one
// budget, one cassette.
type models struct {
	e        *env
	project  *config.Project // nil: no file
	flags    modelFlags
	ledger   *llm.Ledger
	budget   *llm.Budget // nil: none
	prices   config.PriceTable
	prompts  llm.Prompts
	cassette *cassette.Cassette // nil: off
	estimate *llm.Estimate      // nil: this is no dry run
	shared   bool               // another command's: closing it is not ours
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

// open resolves what is not set by flags and opens the cassette.
func (m modelFlags) open(e *env) (*models, error) {
	if e.models != nil {
		s := *e.models
		s.shared = true
		return &s, nil
	}
	var p *config.Project
	if m.config == "" {
		m.config = config.Find(".")
	}
	if m.config != "" {
		var err error
		if p, err = config.Load(m.config, e.lookup); err != nil {
			return nil, usageError{err}
		}
	}
	return openModels(e, p, m)
}

func openModels(e *env, p *config.Project, m modelFlags) (*models, error) {
	s := &models{e: e, project: p, flags: m, ledger: llm.NewLedger()}
	var b config.Budget
	if p != nil {
		b = p.Budget
	}
	var err error
	if m.budget != "" {
		if b, err = config.ParseBudget(m.budget); err != nil {
			return nil, usageError{err}
		}
	}
	if s.prices, err = config.LoadPrices(pricesOf(p, m)); err != nil {
		return nil, usageError{err}
	}
	if b != (config.Budget{}) {
		s.budget = llm.NewBudget(llm.Limits{Money: b.Money, Tokens: b.Tokens, Calls: b.Calls}, s.prices.Prices)
	}
	if s.prompts, err = promptsOf(p, m); err != nil {
		return nil, err
	}
	file, cm, err := cassetteOf(p, m)
	if err != nil {
		return nil, err
	}
	if m.dryRun {
		s.estimate = &llm.Estimate{}
		if _, err := os.Stat(file); cm == cassette.Record || err != nil {
			cm = cassette.Off
		}
	}
	if s.cassette, err = cassette.Open(file, cm); err != nil {
		return nil, err
	}
	return s, nil
}

// dryRun reports whether a command shall write nothing: in a chain, the chain sees to it.
func (s *models) dryRun() bool { return s.estimate != nil && !s.shared }

// endpoint is what is in force for a role.
func (s *models) endpoint(role config.Role) (config.Endpoint, error) {
	flags := config.Model{Name: s.flags.model, BaseURL: s.flags.baseURL, RPM: s.flags.perMinute}
	if s.flags.temperature >= 0 && s.flags.model+s.flags.baseURL != "" {
		flags.Temperature = &s.flags.temperature
	}
	ep, err := s.project.Resolve(role, flags, s.e.lookup)
	if err != nil {
		return ep, usageError{err}
	}
	return ep, nil
}

// generator is the model for a role, with ledger, cassette and budget.
func (s *models) generator(role config.Role) (llm.Generator, error) {
	ep, err := s.endpoint(role)
	if err != nil {
		return nil, err
	}
	if !ep.Configured() {
		return nil, usagef("no model named: give --model or set OPENAI_MODEL or BENCHMARK_LLM_MODEL, or model.name in membench.yaml")
	}
	var g llm.Generator
	switch {
	case s.estimate != nil:
		g = s.estimate.Generator(ep.Name)
	case s.cassette.Mode() == cassette.Replay:
		g = cassette.Absent(ep.Name)
	default:
		c, err := s.client(ep)
		if err != nil {
			return nil, err
		}
		g = c
		if s.budget != nil {
			g = s.budget.Generator(g)
		}
	}
	return llm.With(s.ledger.Generator(s.cassette.Generator(g)), llm.Settings{Temperature: ep.Temperature, MaxTokens: ep.MaxTokens}), nil
}

// endpointEmbedder is the endpoint for vectors; without one it fails.
func (s *models) endpointEmbedder() (llm.Embedder, error) {
	ep, err := s.endpoint(config.Embed)
	if err == nil && !ep.Configured() {
		err = usagef("no model for vectors: set models.embed.name in membench.yaml, or LOCAL_EMBEDDING_MODEL (scripts/minilm.sh serves one)")
	}
	if err != nil {
		return nil, err
	}
	return s.embedder()
}

// embedder is the endpoint for vectors, where one is configured; else hashing.
func (s *models) embedder() (llm.Embedder, error) {
	ep, err := s.endpoint(config.Embed)
	if err != nil || !ep.Configured() {
		return hashing.New(0), err
	}
	profile := ep.Name
	if ep.Dimensions > 0 {
		profile = fmt.Sprintf("%s/%d", ep.Name, ep.Dimensions)
	}
	if s.estimate != nil { // vectors that only stand in: they are not kept in the cassette
		return s.estimate.Embedder(profile, hashing.New(ep.Dimensions)), nil
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
		if s.budget != nil {
			m = s.budget.Embedder(m)
		}
	}
	return s.ledger.Embedder(s.cassette.Embedder(m)), nil
}

func (s *models) client(ep config.Endpoint) (*openai.Client, error) {
	if ep.Key == "" && strings.TrimRight(ep.BaseURL, "/") == openai.DefaultURL {
		return nil, usagef("no key: set OPENAI_API_KEY in the environment or in .env, or name a local endpoint with --base-url")
	}
	c, err := openai.New(openai.Options{BaseURL: ep.BaseURL, Key: ep.Key, Model: ep.Name, PerMinute: ep.RPM, TokensPerMinute: ep.TPM,
		Concurrent: ep.Concurrent, Timeout: time.Duration(ep.Timeout), Tries: ep.Tries, Dimensions: ep.Dimensions, Batch: ep.Batch,
		Clock: s.e.clock(), Transport: s.e.transport})
	if err != nil {
		return nil, usageError{err}
	}
	return c, nil
}

// clock is the real one. Only commands may read it.
func (e *env) clock() llm.Clock {
	return llm.Clock{Now: time.Now, Random: rand.Float64, Sleep: func(ctx context.Context, d time.Duration) error {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
}

// usageReport is what a run paid.
type usageReport struct {
	Currency string         `json:"currency"`
	Prices   string         `json:"prices"` // where they are from
	AsOf     string         `json:"prices_as_of,omitzero"`
	Rows     []llm.Row      `json:"rows"`
	Cassette cassette.Stats `json:"cassette,omitzero"`
}

func (s *models) report() usageReport {
	return usageReport{s.prices.Currency, s.prices.From, s.prices.AsOf, s.ledger.Rows(s.prices.Prices), s.cassette.Stats()}
}

// close ends the run: it says what was asked and closes the cassette. Its error joins
// that of the command.
func (s *models) close(err *error) {
	if s == nil || s.shared {
		return
	}
	r := s.report()
	switch {
	case s.estimate != nil:
		s.tellEstimate(s.e.err)
	case len(r.Rows) > 0:
		tellUsage(s.e.err, r)
	}
	if s.flags.usage != "" && s.estimate == nil {
		*err = errors.Join(*err, atomicfile.Write(s.flags.usage, func(w io.Writer) error { return writeJSON(w, r) }))
	}
	*err = errors.Join(*err, s.cassette.Close())
}

func tellUsage(w io.Writer, r usageReport) {
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s: %s answered %d", row.Purpose, row.Model, row.Answers)
		if row.Replayed > 0 {
			fmt.Fprintf(w, ", %d of them from the cassette", row.Replayed)
		}
		if row.Failed > 0 {
			fmt.Fprintf(w, ", %d failed", row.Failed)
		}
		fmt.Fprintf(w, "; tokens first paid %s, paid now %s", tokens(row.First), tokens(row.Now))
		if row.Cost != nil {
			fmt.Fprintf(w, "; %s %.4f first, %.4f now", r.Currency, row.Cost.First, row.Cost.Now)
		}
		if row.Answered != "" {
			fmt.Fprintf(w, " (the endpoint calls itself %s)", row.Answered)
		}
		if row.Adapted != "" {
			fmt.Fprintf(w, " (%s)", row.Adapted)
		}
		if row.Now.Estimated > 0 {
			fmt.Fprintf(w, " (the tokens of %d calls are our estimate: the endpoint told none, or impossible ones)", row.Now.Estimated)
		}
		fmt.Fprintln(w)
	}
}

func tokens(u llm.Usage) string { return fmt.Sprintf("%d+%d", u.InputTokens, u.OutputTokens) }

// tellEstimate prints the calls of a dry run as a range.
func (s *models) tellEstimate(w io.Writer) {
	var low, high float64
	unknown := false
	for _, row := range s.estimate.Rows() {
		fmt.Fprintf(w, "%s: %d to %d calls of %s, %s to %s tokens", row.Purpose, row.Low.Calls, row.High.Calls, row.Model, tokens(row.Low), tokens(row.High))
		if p, ok := s.prices.Prices.Of(row.Model); ok {
			low, high = low+p.Cost(row.Low), high+p.Cost(row.High)
			fmt.Fprintf(w, ", %s %.4f to %.4f", s.prices.Currency, p.Cost(row.Low), p.Cost(row.High))
		} else {
			unknown = true
			fmt.Fprint(w, ", no price known")
		}
		fmt.Fprintln(w)
	}
	hits := s.cassette.Stats().Hits
	switch {
	case len(s.estimate.Rows()) == 0 && hits == 0:
		fmt.Fprintln(w, "dry run: no model would be asked")
	case unknown:
		fmt.Fprintf(w, "dry run: %s %.4f to %.4f and what has no price; prices %s, %s\n", s.prices.Currency, low, high, s.prices.From, s.prices.AsOf)
	default:
		fmt.Fprintf(w, "dry run: %s %.4f to %.4f; prices %s, %s\n", s.prices.Currency, low, high, s.prices.From, s.prices.AsOf)
	}
	if hits > 0 {
		fmt.Fprintf(w, "%d answers are in the cassette and cost nothing\n", hits)
	}
}

// httpClient is for single questions to services: no retries.
func (e *env) httpClient(timeout time.Duration) *http.Client {
	return &http.Client{Transport: e.transport, Timeout: timeout}
}
