package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"membench/config"
	"membench/internal/codec"
	"membench/llm"
	"membench/llm/openai"
	"membench/schema"
)

// endpointGroup is one address with the roles that ask it.
type endpointGroup struct {
	config.Endpoint
	models map[string][]string // model to roles
	err    error
}

// endpoints gathers the roles by address and key.
func (o Options) endpoints(p *config.Project) []*endpointGroup {
	var out []*endpointGroup
	for _, role := range config.Roles() {
		ep, err := p.Resolve(role, config.Model{}, o.Models.Env)
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
	return slices.Sorted(maps.Keys(g.models))
}

func (o Options) checkEndpoint(ctx context.Context, g *endpointGroup, prices config.PriceTable) []schema.Check {
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
	out := checkClear(name, g.Key, u)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(g.BaseURL, "/")+"/models", nil)
	if err != nil {
		return append(out, fail(name, "fix the address", "%v", err))
	}
	if g.Key != "" {
		req.Header.Set("Authorization", "Bearer "+g.Key)
	}
	clock := o.dates(o.Models.Transport)
	resp, err := (&http.Client{Transport: clock, Timeout: o.Timeout}).Do(req)
	if err != nil {
		return append(out, fail(name, "start the server, or fix the address (OPENAI_BASE_URL, model.base_url); behind a proxy set HTTPS_PROXY", "no answer: %v", errors.Unwrap(err)))
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<20)) // what is cut off is not a list
	out = append(out, clock.check(u.Host)...)
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
			out = append(out, warn("price of "+m, "add it to a price table (prices: in membench.yaml); use 0 for a model of your own", "unknown: costs are not shown, and a budget in money rejects the model"))
		}
	}
	if o.Ask {
		out = append(out, o.askEndpoint(ctx, g)...)
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
		return []schema.Check{warn(name, "if questions fail too (--ask), the address is not an OpenAI-compatible endpoint", "answers, but not with a list of models")}
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

// askEndpoint puts one question to each model of an endpoint, and asks whether it scores
// texts, as pcm with surprisal nll needs.
func (o Options) askEndpoint(ctx context.Context, g *endpointGroup) []schema.Check {
	var out []schema.Check
	for _, m := range g.names() {
		name := "asking " + m
		c, err := openai.New(openai.Options{BaseURL: g.BaseURL, Key: g.Key, Model: m, Tries: 1, Dimensions: g.Dimensions, Clock: o.Models.Clock, Transport: o.Models.Transport})
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
			out = append(out, warn(name, "steps will ask twice and may fail: use a model that follows instructions", "answers, but not in JSON"))
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
