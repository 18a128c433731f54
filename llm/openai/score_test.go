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

// An endpoint that echoes nothing and spells what it generates (llama.cpp) is made to say
// the text: by its tokens where they are whole characters, else by its characters.
func TestScoreByForce(t *testing.T) {
	for name, c := range map[string]struct {
		text, tokens string
		grammar      string
		said         string
		want         float64 // 0: an error
	}{
		"tokens": {"I own a boat", `[{"id":7,"piece":"User: "},{"id":8,"piece":"I own"},{"id":9,"piece":" a boat"}]`, "root ::= <[8]> <[9]>",
			`[{"token":"I own","logprob":-2},{"token":" a boat","logprob":-4}]`, 3},
		"a token that straddles": {"I own", `[{"id":7,"piece":"User:"},{"id":8,"piece":" I"},{"id":9,"piece":" own"}]`, "root ::= <[9]>", `[{"token":" own","logprob":-5}]`, 5},
		"parts of characters": {"茶\"\\", `[{"id":7,"piece":"User: "},{"id":8,"piece":[232,140]},{"id":9,"piece":[182]},{"id":3,"piece":"\"\\"}]`, `root ::= "茶\"\\"`,
			`[{"token":"茶","logprob":-1},{"token":"\"\\","logprob":-2},{"token":"","logprob":-9}]`, 1.5},
		"no /tokenize":        {"boat", ``, `root ::= "boat"`, `[{"token":"bo","logprob":-1},{"token":"at","logprob":-3}]`, 2},
		"it says other words": {"boat", ``, `root ::= "boat"`, `[{"token":"ship","logprob":-1}]`, 0},
	} {
		var grammar any
		asked := 0
		client := client(t, func(w http.ResponseWriter, r *http.Request) {
			var body map[string]any
			json.NewDecoder(r.Body).Decode(&body)
			switch {
			case r.URL.Path == "/tokenize" && c.tokens == "":
				http.NotFound(w, r)
			case r.URL.Path == "/tokenize":
				if body["content"] != "User: "+c.text {
					t.Errorf("%s: cut %v", name, body)
				}
				io.WriteString(w, `{"tokens":`+c.tokens+`}`)
			case body["grammar"] == nil:
				asked++
				io.WriteString(w, `{"choices":[{"text":"!","logprobs":{"content":[{"token":"!","logprob":-1}]}}]}`)
			default:
				asked++
				grammar = body["grammar"]
				io.WriteString(w, `{"choices":[{"text":"x","logprobs":{"content":`+c.said+`}}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`)
			}
		})
		have, u, err := llm.Surprisal(context.Background(), client, "surprisal", "User: ", c.text)
		if (err != nil) != (c.want == 0) || math.Abs(have-c.want) > 1e-6 || err == nil && u.Calls != 2 || err != nil && llm.Fatal(err) {
			t.Errorf("%s: have %g, %+v (%v), want %g", name, have, u, err, c.want)
		}
		if grammar != c.grammar {
			t.Errorf("%s: forced by %v, want %s", name, grammar, c.grammar)
		}
		if before := asked; err == nil {
			if _, u, err = llm.Surprisal(context.Background(), client, "surprisal", "User: ", c.text); err != nil || u.Calls != 1 || asked != before+1 {
				t.Errorf("%s: the second time: %d requests, %+v (%v)", name, asked-before, u, err)
			}
		}
	}
}
