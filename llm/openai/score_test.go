package openai

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"testing"

	"membench/llm"
)

// A text is scored by what the endpoint echoes; only the tokens of the text count.
func TestScore(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   float64 // nats a token; 0: an error
	}{
		"with offsets":    {`{"model":"m-1","choices":[{"text":"x","logprobs":{"tokens":["Us","er: ","I own"," a boat","!"],"token_logprobs":[null,-9,-2,-4,-1],"text_offset":[0,2,6,11,18]}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`, 3},
		"without offsets": {`{"choices":[{"text":"x","logprobs":{"tokens":["Us","er: ","I own"," a boat","!"],"token_logprobs":[null,-9,-2,-4,-1]}}]}`, 3},
		"no echo":         {`{"choices":[{"text":"!","logprobs":null}]}`, 0},
		"nothing":         {`{"choices":[]}`, 0},
	} {
		var body map[string]any
		client := client(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/completions" {
				t.Errorf("%s: have %s", name, r.URL.Path)
			}
			json.NewDecoder(r.Body).Decode(&body)
			io.WriteString(w, c.answer)
		})
		have, u, err := llm.Surprisal(context.Background(), client, "surprisal", "User: ", "I own a boat")
		if (err != nil) != (c.want == 0) || math.Abs(have-c.want) > 1e-6 || err == nil && u.Calls == 0 {
			t.Errorf("%s: have %g, %+v (%v), want %g", name, have, u, err, c.want)
		}
		if body["echo"] != true || body["prompt"] != "User: I own a boat" || body["model"] != "m" {
			t.Errorf("%s: sent %v", name, body)
		}
	}
}
