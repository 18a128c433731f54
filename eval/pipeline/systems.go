package pipeline

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"membench/config"
	"membench/eval/reader"
	evalrun "membench/eval/run"
	"membench/internal/tokencount"
	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/open"
	"membench/schema"
)

// asking opens what a plan asks: systems, and the readers that answer for them.
type asking struct {
	*plan
	ctx   context.Context
	named bool // the configuration names a model that answers
	made  map[string]reader.Reader
	// extracts are the models that systems ask for their operations.
	extracts map[string]bool
	said     bool // that a system is answered by rule
}

func (p *plan) asking(ctx context.Context) *asking {
	a := &asking{plan: p, ctx: ctx, made: map[string]reader.Reader{}, extracts: map[string]bool{}, named: p.v.Reader.Type == "model" || p.v.Reader.Model != ""}
	for _, s := range p.v.Systems {
		a.named = a.named || s.Model+s.LLM != ""
	}
	return a
}

// systems opens the systems; "all" means every one in this process.
func (a *asking) systems() (out []evalrun.System, err error) {
	for _, c := range a.v.Systems {
		list := []config.EvalSystem{c}
		if c.Type == "all" {
			known, err := a.o.Place.List(a.ctx)
			if err != nil {
				return nil, err
			}
			list = nil
			for _, s := range known {
				if s.Kind == open.BuiltIn {
					x := c
					x.Name, x.Type = "", s.Name
					list = append(list, x)
				}
			}
		}
		for _, c := range list {
			sys, err := a.system(c)
			if err != nil {
				return nil, err
			}
			r, err := a.reader(c)
			if err != nil {
				return nil, err
			}
			out = append(out, evalrun.System{Name: c.Name, System: sys, Reader: r, Remote: r != nil && strings.HasPrefix(r.Fingerprint(), "model-reader"), K: or(c.TopK, 0)})
		}
	}
	return out, nil
}

// deps are the models that a system is opened with.
func (a *asking) deps(c config.EvalSystem) (d memory.Deps, err error) {
	d.Prompts = a.models.Prompts
	if name := cmp.Or(c.LLM, a.v.Models.Extract.Name); name != "" {
		if d.LLM, err = a.models.As(name).Generator(config.Extract); err != nil {
			return d, err
		}
		a.extracts[name] = true
	}
	switch {
	case c.Embedding == "":
		d.Embed, err = a.models.Embedder()
	case hashes(c.Embedding):
		d.Embed = hashing.New(0)
	default:
		d.Embed, err = a.models.Vectors(c.Embedding).Embedder()
	}
	return d, err
}

// system opens one system. In a dry run nothing outside of this process is called: bm25 replaces external systems.
func (a *asking) system(c config.EvalSystem) (memory.System, error) {
	place := a.o.Place
	choice := open.Choice{Name: c.Name, Type: c.Type}
	if strings.HasSuffix(c.Type, ".yaml") || strings.HasSuffix(c.Type, ".yml") {
		choice.Type = a.v.Path(c.Type)
	}
	if c.APIKey != "" && open.Fold(c.Type) == "mem0" { // mem0 with a key is the platform
		choice.Type = "mem0-platform"
	}
	if c.Secret != "" {
		place.Getenv = func(name string) string {
			if strings.HasSuffix(name, "_API_KEY") || strings.HasSuffix(name, "_TOKEN") {
				return c.Secret
			}
			return a.o.Place.Getenv(name)
		}
	}
	found, err := place.Find(a.ctx, choice.Type)
	if err != nil {
		return nil, err
	}
	if c.BaseURL != "" {
		if found.Kind == open.BuiltIn || found.Kind == open.Program {
			return nil, schema.Usagef("system %s: base_url is for services, and %s is not one", cmp.Or(c.Name, c.Type), found.Name)
		}
	}
	if choice.Options, err = optionsOf(c); err != nil {
		return nil, wrong(err)
	}
	switch {
	case found.Kind == open.BuiltIn:
	case a.models.Estimate != nil:
		a.o.Log.Printf("dry run: bm25 replaces %s, whose own calls to models are not counted", cmp.Or(c.Name, c.Type))
		choice.Type, choice.Options = "bm25", nil
	default:
		place.Dir = filepath.Join(a.dir, "journal", "systems")
	}
	d, err := a.deps(c)
	if err != nil {
		return nil, err
	}
	sys, _, err := place.Open(a.ctx, choice, d)
	return sys, err
}

// optionsOf are a system's options as JSON, with its address; nil for none.
func optionsOf(c config.EvalSystem) ([]byte, error) {
	options, err := c.OptionsJSON()
	if err != nil || c.BaseURL == "" {
		return options, err
	}
	o, err := schema.RawObject([]byte(cmp.Or(string(options), "{}"))).With("base_url", c.BaseURL)
	if err != nil {
		return nil, err
	}
	return o.MarshalJSON()
}

// reader makes the reader that answers for a system: a model where one is named, else
// the rule reader.
func (a *asking) reader(c config.EvalSystem) (reader.Reader, error) {
	name := cmp.Or(c.Model, c.LLM, a.v.Reader.Model)
	if a.v.Reader.Type == "rule" || !a.named {
		name = ""
	} else if name == "" {
		ep, err := a.models.Endpoint(config.Read)
		if err != nil {
			return nil, err
		}
		if name = ep.Name; name == "" && a.v.Reader.Type == "model" {
			return nil, schema.Usagef("reader.type is model, but no model is named: give --model, reader.model or OPENAI_MODEL")
		}
		if name == "" && !a.said {
			a.said = true
			a.o.Log.Printf("%s names no model to answer with, and neither do reader.model and OPENAI_MODEL: its answers are made by rule and must not be compared with a model's answers", cmp.Or(c.Name, c.Type))
		}
	}
	if made, ok := a.made[name]; ok {
		return made, nil
	}
	out := reader.Rule()
	if name != "" {
		g, err := a.models.As(name).Generator(config.Read)
		if err != nil {
			return nil, err
		}
		r := a.v.Reader
		if out, err = reader.Model(g, a.models.Prompts, reader.ModelOptions{Prompt: r.Prompt, MaxTokens: r.MaxTokens, Context: r.ContextTokens, Count: tokencount.O200k}); err != nil {
			return nil, wrong(err)
		}
	}
	a.made[name] = out
	return out, nil
}

// dryAnswer is what a dry run answers: graders are then asked about it.
func dryAnswer(r llm.Request) string {
	if r.Purpose == llm.PurposeRead {
		return "an answer"
	}
	return ""
}
