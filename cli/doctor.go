package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"membench/config"
	"membench/cypher/neo4j"
	"membench/internal/codec"
	"membench/llm"
	"membench/llm/cassette"
	"membench/llm/openai"
	llmodels "membench/models"
	"membench/schema"

	"github.com/spf13/cobra"
)

type doctorOptions struct {
	model   modelFlags
	ask     bool
	asJSON  bool
	timeout time.Duration // of one check
}

func newDoctorCmd(e *env) *cobra.Command {
	o := doctorOptions{timeout: 5 * time.Second}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check configuration, endpoints, keys, versions, clock and disk",
		Long: `Check in seconds what a run would trip over, and say how to fix each fault: the
project file and .env, for every role the endpoint, its key and its model, this machine's
clock against theirs, the cassette and the price table, Neo4j, Qdrant and Mem0 where the
environment or the project names them (NEO4J_URI; QDRANT_ADDR, replay.qdrant: version,
key, TLS, collections and the size of their vectors; MEM0_URL, or MEM0_API_KEY alone for
the platform: version, key), and the disk that outputs go to.

Nothing is paid for: endpoints are asked for their list of models only. --ask puts one
short question to each, and embeds one word; that costs less than a cent.

Exit status 1 when a check fails; warnings do not change it.`,
		Example: `  membench doctor
  membench doctor --ask --config project/membench.yaml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runDoctor(c.Context(), e, o) },
	}
	o.model.temperature = -1
	o.model.addShared(c)
	c.Flags().BoolVar(&o.ask, "ask", false, "ask each endpoint one short question (paid)")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object")
	c.Flags().DurationVar(&o.timeout, "timeout", o.timeout, "give each check this `time`")
	return c
}

func ok(name, format string, args ...any) schema.Check {
	return schema.Check{Name: name, State: schema.CheckOK, Detail: fmt.Sprintf(format, args...)}
}

func warn(name, fix, format string, args ...any) schema.Check {
	return schema.Check{Name: name, State: schema.CheckWarn, Detail: fmt.Sprintf(format, args...), Fix: fix}
}

func fail(name, fix, format string, args ...any) schema.Check {
	return schema.Check{Name: name, State: schema.CheckFail, Detail: fmt.Sprintf(format, args...), Fix: fix}
}

func runDoctor(ctx context.Context, e *env, o doctorOptions) error {
	v := buildVersion()
	checks := []schema.Check{ok("membench", "%s, %s, %s/%s, schema %v", v.Release, v.Go, v.OS, v.Arch, v.Schemas), checkDotenv(e)}
	file := cmp.Or(o.model.config, config.Find("."))
	var p *config.Project
	switch {
	case file == "":
		checks = append(checks, ok("project", "no membench.yaml here: flags and environment alone"))
	default:
		var err error
		if p, err = config.Load(file, e.lookup); err != nil {
			p = nil
			checks = append(checks, fail("project", "fix the file; docs/project.md shows every key", "%v", err))
		} else {
			checks = append(checks, ok("project", "%s", file))
			checks = append(checks, checkSources(p)...)
		}
	}
	prices, err := config.LoadPrices(o.model.options(e).PriceFile(p))
	if err != nil {
		checks = append(checks, fail("prices", "fix the table; docs/models.md shows one", "%v", err))
	}
	checks = append(checks, checkCassette(p, o.model.options(e)), checkDisk(e, p))

	var jobs []func(context.Context) []schema.Check
	for _, group := range endpointsOf(e, p) {
		jobs = append(jobs, func(ctx context.Context) []schema.Check { return checkEndpoint(ctx, e, group, prices, o) })
	}
	if uri := e.getenv("NEO4J_URI"); uri != "" {
		jobs = append(jobs, func(ctx context.Context) []schema.Check { return []schema.Check{checkNeo4j(ctx, e, uri)} })
	}
	if e.getenv("MEM0_URL") != "" || e.getenv("MEM0_API_KEY") != "" {
		jobs = append(jobs, func(ctx context.Context) []schema.Check { return checkMem0(ctx, e) })
	}
	for _, addr := range qdrantsOf(e, p) {
		jobs = append(jobs, func(ctx context.Context) []schema.Check { return checkQdrant(ctx, e, addr, p) })
	}
	results := make([][]schema.Check, len(jobs))
	var wg sync.WaitGroup
	for i, job := range jobs {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, o.timeout)
			defer cancel()
			results[i] = job(ctx)
		})
	}
	wg.Wait()
	checks = append(checks, slices.Concat(results...)...)
	return tellChecks(e, checks, o.asJSON)
}

var errUnwell = errors.New("doctor found faults: each line above says how to fix it")

func tellChecks(e *env, checks []schema.Check, asJSON bool) error {
	faults := 0
	for _, c := range checks {
		if c.State == schema.CheckFail {
			faults++
		}
	}
	if asJSON {
		if err := writeJSON(e.out, map[string]any{"checks": checks, "faults": faults}); err != nil {
			return err
		}
	} else {
		for _, c := range checks {
			fmt.Fprintf(e.out, "%-4s  %s: %s\n", c.State, c.Name, c.Detail)
			if c.Fix != "" {
				fmt.Fprintf(e.out, "      -> %s\n", c.Fix)
			}
		}
	}
	if faults > 0 {
		return errUnwell
	}
	return nil
}

func checkDotenv(e *env) schema.Check {
	info, err := os.Stat(".env")
	switch {
	case err != nil:
		return ok(".env", "none here: the environment alone")
	case info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/':
		return warn(".env", "chmod 600 .env", "%d variables taken from it; other users of this machine may read it", len(e.dotenv))
	}
	return ok(".env", "%d variables taken from it; the environment's own win", len(e.dotenv))
}

func checkSources(p *config.Project) []schema.Check {
	var out []schema.Check
	for _, s := range p.Sources {
		if _, err := os.Stat(p.Path(s)); err != nil {
			out = append(out, fail("sources", "put the file there, or fix sources in membench.yaml", "%v", err))
		}
	}
	return out
}

func checkCassette(p *config.Project, o llmodels.Options) schema.Check {
	const name = "cassette"
	file, mode, err := o.CassetteFile(p)
	if err != nil {
		return fail(name, "fix cassette in membench.yaml, or the flags", "%v", err)
	}
	if mode == cassette.Off {
		return ok(name, "off: every answer is paid for again; --cassette FILE keeps them")
	}
	if _, err := os.Stat(file); err != nil && mode != cassette.Replay {
		return ok(name, "%s, mode %s: not there yet", file, mode)
	}
	c, err := cassette.Open(file, cassette.Replay)
	if err != nil {
		return fail(name, "give another file, or cut the damaged end off as the message says", "%v", err)
	}
	defer c.Close()
	return ok(name, "%s, mode %s: %d records", file, mode, c.Stats().Records)
}

// lowDisk is when a run may well not fit: bytes.
const lowDisk = 1 << 30

func checkDisk(e *env, p *config.Project) schema.Check {
	const name = "disk"
	dir := "."
	if p != nil {
		dir = p.Path(p.Output)
	}
	for { // the output folder may not be there yet
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".membench-doctor-*")
	if err != nil {
		return fail(name, "choose an output folder that you may write to (output: in membench.yaml, or -o)", "%v", err)
	}
	f.Close()
	os.Remove(f.Name())
	free, err := diskFree(dir)
	switch {
	case err != nil:
		return warn(name, "look yourself", "free space below %s is unknown: %v", dir, err)
	case free < lowDisk:
		return warn(name, "make room, or choose another output folder", "%d MB free below %s", free>>20, dir)
	}
	return ok(name, "%.1f GB free below %s, writable", float64(free)/(1<<30), dir)
}

// endpointGroup is one address with the roles that ask it.
type endpointGroup struct {
	config.Endpoint
	models map[string][]string // model to roles
	err    error
}

// endpointsOf gathers the roles by address and key.
func endpointsOf(e *env, p *config.Project) []*endpointGroup {
	var out []*endpointGroup
	for _, role := range config.Roles() {
		ep, err := p.Resolve(role, config.Model{}, e.lookup)
		if err != nil {
			out = append(out, &endpointGroup{Endpoint: ep, err: err})
			continue
		}
		if !ep.Configured() {
			continue
		}
		i := slices.IndexFunc(out, func(g *endpointGroup) bool { return g.BaseURL == ep.BaseURL && g.Key == ep.Key && g.err == nil })
		if i < 0 {
			i = len(out)
			out = append(out, &endpointGroup{Endpoint: ep, models: map[string][]string{}})
		}
		out[i].models[ep.Name] = append(out[i].models[ep.Name], string(role))
	}
	return out
}

func (g *endpointGroup) names() []string {
	var out []string
	for m := range g.models {
		out = append(out, m)
	}
	slices.Sort(out)
	return out
}

func checkEndpoint(ctx context.Context, e *env, g *endpointGroup, prices config.PriceTable, o doctorOptions) []schema.Check {
	if g.err != nil {
		return []schema.Check{fail("endpoint", "fix the value; `membench config show` says where it is from", "%v", g.err)}
	}
	name := "endpoint " + g.BaseURL
	u, err := openai.CheckURL(g.BaseURL)
	if err != nil {
		return []schema.Check{fail("endpoint", "give the address up to and with /v1; `membench config show` says where it is from", "%v", err)}
	}
	if g.Key == "" && u.Hostname() == "api.openai.com" {
		return []schema.Check{fail(name, "set OPENAI_API_KEY in the environment or in .env, or name a local endpoint (OPENAI_BASE_URL)", "no key")}
	}
	var out []schema.Check
	if g.Key != "" && u.Scheme == "http" && u.Hostname() != "localhost" && !isLoopback(u.Hostname()) {
		out = append(out, warn(name, "use https", "the key goes over the network in the clear"))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(g.BaseURL, "/")+"/models", nil)
	if err != nil {
		return append(out, fail(name, "fix the address", "%v", err))
	}
	if g.Key != "" {
		req.Header.Set("Authorization", "Bearer "+g.Key)
	}
	before := e.now()
	resp, err := e.httpClient(o.timeout).Do(req)
	if err != nil {
		return append(out, fail(name, "start the server, or fix the address (OPENAI_BASE_URL, model.base_url); behind a proxy set HTTPS_PROXY", "no answer: %v", errors.Unwrap(err)))
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<20)) // what is cut off is no list
	if skew, ok := clockSkew(resp.Header, before, e.now()); ok && skew.Abs() > farOff {
		out = append(out, warn("clock", fixClock, "differs by %v from that of %s", skew.Round(time.Second), u.Host))
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		if g.Key == "" {
			return append(out, fail(name, "set the key: OPENAI_API_KEY, or the variable that key_env names", "requires a key, and none is set"))
		}
		return append(out, fail(name, "set the right key; `membench config show` says which variable is used", "refuses the key"))
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed:
		out = append(out, warn(name, "if questions fail too (--ask), the address lacks its /v1", "answers, but lists no models"))
	case resp.StatusCode != http.StatusOK:
		out = append(out, fail(name, "try again later, or look at the server's own log", "status %d", resp.StatusCode))
	default:
		out = append(out, checkModels(name, g, body)...)
	}
	for _, m := range g.names() {
		if _, known := prices.Prices.Of(m); !known && prices.Prices != nil {
			out = append(out, warn("price of "+m, "add it to a price table (prices: in membench.yaml), 0 for a model of your own", "unknown: costs are not shown, a budget in money refuses it"))
		}
	}
	if o.ask {
		out = append(out, askEndpoint(ctx, e, g)...)
	}
	return out
}

// checkModels looks for the models in the endpoint's list.
func checkModels(name string, g *endpointGroup, body []byte) []schema.Check {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := codec.Unmarshal(body, &list); err != nil || len(list.Data) == 0 {
		return []schema.Check{warn(name, "if questions fail too (--ask), the address does not match that of an OpenAI-compatible endpoint", "answers, but not with a list of models")}
	}
	var out []schema.Check
	var have []string
	for _, m := range list.Data {
		have = append(have, m.ID)
	}
	slices.Sort(have)
	for _, m := range g.names() {
		roles := strings.Join(g.models[m], ", ")
		if slices.Contains(have, m) || slices.Contains(have, m+":latest") {
			out = append(out, ok(name, "has %s (for %s)", m, roles))
			continue
		}
		some := strings.Join(have[:min(len(have), 8)], ", ")
		if len(have) > 8 {
			some += fmt.Sprintf(", … (%d)", len(have))
		}
		out = append(out, warn(name, "name one of its models (OPENAI_MODEL, model.name), or try it with --ask", "does not list %s (for %s); it has %s", m, roles, some))
	}
	return out
}

// clockSkew is how far this machine's clock is ahead of a server's, where the answer
// has a date: whole seconds, so small differences mean nothing.
func clockSkew(h http.Header, before, after time.Time) (time.Duration, bool) {
	t, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0, false
	}
	return before.Add(after.Sub(before) / 2).Sub(t), true
}

// askEndpoint puts one question to each model of an endpoint, and asks whether it scores
// texts, as pcm with surprisal nll needs.
func askEndpoint(ctx context.Context, e *env, g *endpointGroup) []schema.Check {
	var out []schema.Check
	for _, m := range g.names() {
		name := "asking " + m
		c, err := openai.New(openai.Options{BaseURL: g.BaseURL, Key: g.Key, Model: m, Tries: 1, Dimensions: g.Dimensions, Clock: e.clock(), Transport: e.transport})
		if err != nil {
			out = append(out, fail(name, "fix the endpoint's settings", "%v", err))
			continue
		}
		embeds := slices.Contains(g.models[m], string(config.Embed))
		if embeds {
			v, err := c.Embed(ctx, []string{"tea"})
			if err != nil {
				out = append(out, fail(name, "name a model that embeds (models.embed.name)", "%v", err))
			} else {
				out = append(out, ok(name, "vectors of %d dimensions", len(v[0])))
			}
		}
		if embeds && len(g.models[m]) == 1 {
			continue
		}
		r, err := c.Generate(ctx, llm.Request{Purpose: "doctor", Prompt: `Answer with this JSON object and nothing else: {"ok": true}`, MaxTokens: 256, JSON: true})
		switch {
		case err != nil:
			out = append(out, fail(name, "see the message; `membench config show` says where each value is from", "%v", err))
		case llm.ExtractJSON(r.Text) == nil:
			out = append(out, warn(name, "steps will ask twice and may fail: choose a model that follows instructions", "answers, but not in JSON"))
		default:
			d := ok(name, "answers in JSON as %s", r.Model)
			if r.Adapted != "" {
				d.Detail += "; " + r.Adapted
			}
			if r.Usage.Estimated > 0 {
				d.Detail += "; reports no usable usage, so tokens are estimated"
			}
			if _, _, err := llm.Surprisal(ctx, c, "doctor", "User: ", "I like green tea."); err == nil {
				d.Detail += "; scores texts (log-probabilities)"
			} else {
				d.Detail += "; does not score texts"
			}
			out = append(out, d)
		}
	}
	return out
}

func checkNeo4j(ctx context.Context, e *env, uri string) schema.Check {
	const name = "neo4j"
	db, err := neo4j.Open(ctx, neo4j.Config{URI: uri, User: e.getenv("NEO4J_USERNAME"), Password: e.getenv("NEO4J_PASSWORD"), Retry: time.Second})
	if err != nil {
		fix := "start the server, or fix NEO4J_URI"
		if errors.Is(err, neo4j.ErrAuth) {
			fix = "set NEO4J_USERNAME and NEO4J_PASSWORD in the environment or in .env"
		}
		return fail(name, fix, "%v", err)
	}
	defer db.Close(ctx)
	server, err := db.Server(ctx)
	if err != nil {
		return fail(name, "look at the server's log", "%v", err)
	}
	if v, found := strings.CutPrefix(server, "Neo4j/"); found && strings.HasPrefix(v, "4.") {
		return warn(name, "load into Neo4j 5 or newer: constraints are written in its syntax", "%s", server)
	}
	return ok(name, "%s, database %s", server, db.Database())
}
