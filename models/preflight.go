package models

import (
	"context"
	"fmt"
	"strings"

	"membench/config"
	"membench/llm"
	"membench/llm/cassette"
)

// purposePreflight names the calls of Preflight in ledgers.
const purposePreflight = "preflight"

// Preflight sends one short question to the endpoint of a role, bypassing the cassette, so that a wrong key, name or address is found before hours of work. Any
// answer is accepted. If no calls are made, it does nothing.
func (s *Set) Preflight(ctx context.Context, role config.Role) error {
	ep, err := s.Endpoint(role)
	if err != nil || !ep.Configured() || s.Estimate != nil || s.cassette.Mode() == cassette.Replay {
		return err
	}
	c, err := s.client(ep)
	if err != nil {
		return err
	}
	if role == config.Embed {
		_, err = s.ledger.Embedder(c).Embed(ctx, []string{"OK"})
	} else {
		_, err = s.ledger.Generator(c).Generate(ctx, llm.Request{Purpose: purposePreflight, Prompt: "Answer with the word OK.", MaxTokens: 16})
	}
	if err != nil && llm.OutcomeOf(llm.Response{}, err) == llm.Failed {
		return fmt.Errorf("checking the model for %s before the run: %w", strings.ReplaceAll(string(role), "_", " "), err)
	}
	return nil
}
