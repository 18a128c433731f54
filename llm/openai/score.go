package openai

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"membench/internal/codec"
	"membench/llm"

	"github.com/sashabaranov/go-openai"
)

// scored are the log-probabilities of a text's tokens.
type scored struct {
	model  string
	logs   []float64
	silent bool // it returns only the tokens that it generates, as llama.cpp's server does, and no echo
}

// score asks /completions to echo prompt and text with their log-probabilities, which
// vLLM and older completion endpoints do; one that is known not to is made to say the text
// (force). The one token that an echo generates is not counted.
func (c *Client) score(ctx context.Context, r llm.Request) (llm.Response, error) {
	start := c.o.Clock.Now()
	var lost llm.Usage
	c.mu.Lock()
	silent := c.shapes.noEcho
	c.mu.Unlock()
	a := scored{silent: true}
	if !silent {
		var err error
		if a, lost, err = c.echo(ctx, r); err != nil {
			return llm.Response{}, err
		}
	}
	u := llm.Usage{}
	if a.silent {
		c.mu.Lock()
		c.shapes.noEcho = true
		c.mu.Unlock()
		var err error
		if a, u, err = c.force(ctx, r); err != nil {
			if e, ok := errors.AsType[*llm.Error](err); ok {
				e.Usage = e.Usage.Add(lost)
			}
			return llm.Response{}, err
		}
	}
	text, err := codec.Append(nil, a.logs, codec.Compact)
	if err != nil {
		return llm.Response{}, &llm.Error{Purpose: r.Purpose, Kind: llm.KindMalformed, Err: err}
	}
	return llm.Response{Text: string(text), Model: cmp.Or(a.model, c.o.Model), Elapsed: c.o.Clock.Now().Sub(start), Usage: lost.Add(u)}, nil
}

func (c *Client) echo(ctx context.Context, r llm.Request) (scored, llm.Usage, error) {
	a, u, got, err := c.echoing(r).call(ctx, c)
	return a, u.Add(got.lost), err
}

func (c *Client) echoing(r llm.Request) ask[scored] {
	input := r.Prompt + r.Score
	from, to := utf8.RuneCountInString(r.Prompt), utf8.RuneCountInString(input)
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
		if h.spelled != nil {
			return scored{silent: true}, u, nil
		}
		logs, err := logsOf(resp, from, to)
		return scored{model: resp.Model, logs: logs}, u, err
	}
	q.neutral = func() ask[scored] {
		return c.echoing(llm.Request{Purpose: r.Purpose, Prompt: neutralText, Score: " OK"})
	}
	return q
}

// force makes an endpoint generate exactly the text after the prompt: a grammar (llama.cpp) leaves it no choice, and it reports the log-probability of
// each token before the grammar was applied. If every token is whole characters, the text's own tokens are requested; otherwise its characters, for
// which the server reports only the last token's.
func (c *Client) force(ctx context.Context, r llm.Request) (scored, llm.Usage, error) {
	prompt, grammar, limit := str(r.Prompt), "root ::= "+quoteGBNF(r.Score), len(r.Score)+8
	tokens := 0
	if before, own := c.tokenize(ctx, r.Prompt, r.Score); len(before) > 0 && len(own) > 0 {
		var b strings.Builder
		for _, id := range own {
			fmt.Fprintf(&b, " <[%d]>", id)
		}
		ids, err := codec.Append(nil, before, codec.Compact)
		if err == nil {
			prompt, grammar, limit, tokens = ids, "root ::="+b.String(), len(own), len(own)
		}
	}
	q := ask[scored]{purpose: r.Purpose, model: c.o.Model, input: r.Prompt + r.Score, limit: limit}
	q.do = func(ctx context.Context, _ shape) (scored, llm.Usage, error) {
		h := ctx.Value(heardKey{}).(*heard)
		h.members = []member{{"model", str(c.o.Model)}, {"prompt", prompt}, {"grammar", str(grammar)}, {"temperature", []byte("0")}}
		h.want = wantScore
		resp, err := c.api.CreateCompletion(ctx, openai.CompletionRequest{Model: anyModel, Prompt: "", LogProbs: 1, MaxTokens: limit})
		if err != nil {
			return scored{}, llm.Usage{}, err
		}
		u := llm.EstimateUsage(r.Prompt, r.Score)
		if resp.Usage != nil {
			u = c.usage(*resp.Usage, r.Prompt, r.Score, limit)
		}
		out, said := scored{model: resp.Model}, ""
		for _, t := range h.spelled {
			if t.Token != "" || tokens > 0 {
				out.logs, said = append(out.logs, t.LogProb), said+t.Token
			}
		}
		if tokens > 0 && len(out.logs) != tokens || tokens == 0 && said != r.Score {
			return out, u, fmt.Errorf("%w: it was asked to repeat the text and returned something else: the endpoint does not score texts", errNotJSON)
		}
		return out, u, nil
	}
	q.neutral = func() ask[scored] {
		return c.echoing(llm.Request{Purpose: r.Purpose, Prompt: neutralText, Score: " OK"}) // such endpoints know it, and echo nothing
	}
	a, u, got, err := q.call(ctx, c)
	return a, u.Add(got.lost), err
}

// tokenize cuts prompt+text as the endpoint's model does (llama.cpp's /tokenize), before
// and from the first token that begins in text. Empty: it cannot, or a token of the text
// is a part of a character.
func (c *Client) tokenize(ctx context.Context, prompt, text string) (before, own []int) {
	body, err := codec.Append(nil, map[string]any{"content": prompt + text, "with_pieces": true}, codec.Compact)
	if err != nil {
		return nil, nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(strings.TrimRight(c.o.BaseURL, "/"), "/v1")+"/tokenize", bytes.NewReader(body))
	if err != nil {
		return nil, nil
	}
	req.Header.Set("Content-Type", "application/json")
	if c.o.Key != noKey {
		req.Header.Set("Authorization", "Bearer "+c.o.Key)
	}
	resp, err := c.plain.Do(req)
	if err != nil {
		return nil, nil
	}
	raw, err := readMost(resp.Body, maxChat)
	var a struct {
		Tokens []struct {
			ID    int `json:"id"`
			Piece any `json:"piece"` // text, or the bytes of a part of a character
		} `json:"tokens"`
	}
	if err != nil || resp.StatusCode != http.StatusOK || codec.Unmarshal(raw, &a) != nil {
		return nil, nil
	}
	at := 0
	for _, t := range a.Tokens {
		piece, whole := t.Piece.(string)
		switch {
		case at < len(prompt):
			before = append(before, t.ID)
		case !whole:
			return nil, nil
		default:
			own = append(own, t.ID)
		}
		if bytes, ok := t.Piece.([]any); ok {
			at += len(bytes)
		}
		at += len(piece)
	}
	if at != len(prompt)+len(text) {
		return nil, nil
	}
	return before, own
}

// quoteGBNF writes a text as a grammar's literal.
func quoteGBNF(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + `"`
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
