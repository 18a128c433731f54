package llm

import (
	"context"
	"errors"
	"fmt"

	"membench/internal/codec"
)

// Surprisal is the mean negative log-probability, in nats a token, that a model gives to
// text after prompt. It needs an endpoint that scores (Request.Score); if the answer is not a score, the error has kind KindUnusable.
func Surprisal(ctx context.Context, g Generator, purpose, prompt, text string) (float64, Usage, error) {
	r, err := g.Generate(ctx, Request{Purpose: purpose, Prompt: prompt, Score: text})
	if KindOf(err) == KindModel || KindOf(err) == KindRequest { // no such path, or it will not echo
		return 0, r.Usage, &Error{Purpose: purpose, Kind: KindUnusable, Err: fmt.Errorf("the endpoint does not score texts: %w", err)}
	}
	if err != nil {
		return 0, r.Usage, err
	}
	var logs []float64
	if err := codec.Unmarshal([]byte(r.Text), &logs); err != nil || len(logs) == 0 {
		return 0, r.Usage, &Error{Purpose: purpose, Kind: KindUnusable, Err: errors.New("the answer is not a list of log-probabilities: the endpoint does not score texts")}
	}
	sum := 0.0
	for _, x := range logs {
		if x > 0 {
			return 0, r.Usage, &Error{Purpose: purpose, Kind: KindUnusable, Err: fmt.Errorf("a log-probability is %g: want 0 or less", x)}
		}
		sum -= x
	}
	return sum / float64(len(logs)), r.Usage, nil
}
