package openai

import (
	"cmp"
	"context"
	"fmt"
	"unicode/utf8"

	"membench/internal/codec"
	"membench/llm"

	"github.com/sashabaranov/go-openai"
)

// score asks /completions to echo prompt and text with their log-probabilities, which
// vLLM, llama.cpp's server and older completion endpoints do. The one token that it
// generates is not counted.
func (c *Client) score(ctx context.Context, r llm.Request) (llm.Response, error) {
	start := c.o.Clock.Now()
	input := r.Prompt + r.Score
	from, to := utf8.RuneCountInString(r.Prompt), utf8.RuneCountInString(input)
	type scored struct {
		model string
		logs  []float64
	}
	q := ask[scored]{purpose: r.Purpose, model: c.o.Model, input: input, limit: 1}
	q.do = func(ctx context.Context, _ shape) (scored, llm.Usage, error) {
		h := ctx.Value(heardKey{}).(*heard)
		h.members = []member{{"model", str(c.o.Model)}}
		h.want = wantScore
		resp, err := c.api.CreateCompletion(ctx, openai.CompletionRequest{Model: anyModel, Prompt: input, Echo: true, LogProbs: 1, MaxTokens: 1})
		if err != nil {
			return scored{}, llm.Usage{}, err
		}
		u := llm.EstimateUsage(input, "")
		if resp.Usage != nil {
			u = c.usage(*resp.Usage, input, "", 1)
		}
		logs, err := logsOf(resp, from, to)
		return scored{resp.Model, logs}, u, err
	}
	a, u, got, err := q.call(ctx, c)
	if err != nil {
		return llm.Response{}, err
	}
	text, err := codec.Append(nil, a.logs, codec.Compact)
	if err != nil {
		return llm.Response{}, &llm.Error{Purpose: r.Purpose, Kind: llm.KindMalformed, Err: err}
	}
	return llm.Response{Text: string(text), Model: cmp.Or(a.model, c.o.Model), Elapsed: c.o.Clock.Now().Sub(start), Usage: u.Add(got.lost)}, nil
}

// logsOf are the log-probabilities of the tokens that begin in [from, to), in characters.
func logsOf(resp openai.CompletionResponse, from, to int) (out []float64, err error) {
	if len(resp.Choices) == 0 {
		return nil, fmt.Errorf("%w: it has no choice", errNotJSON)
	}
	l := resp.Choices[0].LogProbs
	at := 0
	for i, t := range l.Tokens {
		if i < len(l.TextOffset) {
			at = l.TextOffset[i]
		}
		if at >= from && at < to && i > 0 && i < len(l.TokenLogprobs) { // the first token has none
			out = append(out, float64(l.TokenLogprobs[i]))
		}
		at += utf8.RuneCountInString(t)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: it has no log-probabilities of the text: the endpoint does not echo", errNotJSON)
	}
	return out, nil
}
