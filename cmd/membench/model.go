package main

import (
	"strconv"

	"membench/llm/openai"

	"github.com/spf13/cobra"
)

// modelFlags name an OpenAI-compatible endpoint. The key never is a flag: it comes
// from OPENAI_API_KEY, else from BENCHMARK_LLM_API_KEY, the existing chain's name.
type modelFlags struct {
	model, baseURL string
	perMinute      float64
}

func (m *modelFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&m.model, "model", "", "ask the `model` of this name (default BENCHMARK_LLM_MODEL)")
	c.Flags().StringVar(&m.baseURL, "base-url", "", "`URL` of the endpoint, with /v1 (default OPENAI_BASE_URL, else BENCHMARK_LLM_BASE_URL, else OpenAI's)")
	c.Flags().Float64Var(&m.perMinute, "rate-limit", 0, "at most `n` calls a minute (default BENCHMARK_LLM_RATE_LIMIT, 0 = no limit)")
}

// client makes the client that flags and environment describe.
func (m modelFlags) client(e *env) (*openai.Client, error) {
	either := func(names ...string) string {
		for _, n := range names {
			if v := e.getenv(n); v != "" {
				return v
			}
		}
		return ""
	}
	if m.model == "" {
		m.model = either("BENCHMARK_LLM_MODEL")
	}
	if m.model == "" {
		return nil, usagef("no model named: give --model or set BENCHMARK_LLM_MODEL")
	}
	if m.baseURL == "" {
		m.baseURL = either("OPENAI_BASE_URL", "BENCHMARK_LLM_BASE_URL")
	}
	if s := either("BENCHMARK_LLM_RATE_LIMIT"); m.perMinute == 0 && s != "" {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || n < 0 {
			return nil, usagef("BENCHMARK_LLM_RATE_LIMIT: have %q, want calls a minute", s)
		}
		m.perMinute = n
	}
	key := either("OPENAI_API_KEY", "BENCHMARK_LLM_API_KEY")
	if key == "" && m.baseURL == "" {
		return nil, usagef("no key: set OPENAI_API_KEY in the environment or in .env, or name a local endpoint with --base-url")
	}
	c, err := openai.New(openai.Options{BaseURL: m.baseURL, Key: key, Model: m.model, PerMinute: m.perMinute})
	if err != nil {
		return nil, usageError{err}
	}
	return c, nil
}
