package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"membench/internal/codec"
	"membench/internal/jsonschema"
)

// tries is how often a model is asked for one usable answer: once, and one repair.
const tries = 2

// JSON requests a value of T. It extracts the JSON from the answer, ignoring the text around it, checks it against r.Schema if given and with valid if not nil,
// and asks once more with the errors. After that it fails with an *Error of KindUnusable, or KindCutOff. A cut-off answer is requested again with a higher
// limit. The usage counts both answers, also together with an error.
func JSON[T any](ctx context.Context, g Generator, r Request, valid func(T) error) (T, Usage, error) {
	var out T
	usage, err := AskJSON(ctx, g, r, func(raw []byte) error {
		var v T
		if err := codec.Unmarshal(raw, &v); err != nil {
			return fmt.Errorf("the JSON has another shape: %w", err)
		}
		if valid != nil {
			if err := valid(v); err != nil {
				return err
			}
		}
		out = v
		return nil
	})
	return out, usage, err
}

// AskJSON is JSON for callers that parse the text themselves: read receives each answer's JSON and returns its errors in words for the model.
func AskJSON(ctx context.Context, g Generator, r Request, read func(raw []byte) error) (Usage, error) {
	return Again(ctx, func(ctx context.Context) (Usage, error) { return askJSON(ctx, g, r, read) })
}

func askJSON(ctx context.Context, g Generator, r Request, read func(raw []byte) error) (Usage, error) {
	r.JSON = true
	check, err := schemaCheck(r.Schema)
	if err != nil {
		return Usage{}, &Error{Purpose: r.Purpose, Kind: KindRequest, Err: err}
	}
	var usage Usage
	prompt := r.Prompt
	var fault error
	kind := KindUnusable
	for range tries {
		a, err := g.Generate(ctx, r)
		usage = usage.Add(a.Usage)
		if err != nil {
			if e, ok := errors.AsType[*Error](err); ok {
				usage = usage.Add(e.Usage)
			}
			return usage, err // the client has retried already
		}
		raw := ExtractJSON(a.Text)
		kind = KindUnusable
		switch {
		case a.Truncated: // an object found in it may be a part of the one that was cut
			fault, kind = errors.New("the answer was cut off at its length limit"), KindCutOff
			r.MaxTokens = Longer(r, a)
		case raw == nil:
			fault = fmt.Errorf("the answer holds no JSON object (have %q)", cut(a.Text, 60))
		default:
			if fault = check(raw); fault == nil {
				fault = read(raw)
			}
		}
		if fault == nil {
			return usage, nil
		}
		r.Prompt = prompt + "\n\nYour last answer could not be used: " + fault.Error() + ". Answer again with the JSON object only."
	}
	return usage, &Error{Purpose: r.Purpose, Kind: kind, Err: fmt.Errorf("no usable answer in %d tries: %w", tries, fault)}
}

// schemaCheck makes a check of a schema's text; none accepts everything.
func schemaCheck(schema []byte) (func([]byte) error, error) {
	if len(schema) == 0 {
		return func([]byte) error { return nil }, nil
	}
	const url = "https://membench.invalid/answer.json"
	set := jsonschema.NewSet()
	if err := set.Add(url, schema); err != nil {
		return nil, err
	}
	s, err := set.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("the schema of the answer: %w", err)
	}
	return func(raw []byte) error {
		var d jsonschema.Doc
		d.Parse(raw)
		if len(d.Faults) > 0 {
			return fmt.Errorf("%s: have %s, want %s", d.Faults[0].Pointer, d.Faults[0].Have, d.Faults[0].Want)
		}
		if v := s.Check(&d, 0); len(v) > 0 {
			at := cmp.Or(v[0].Pointer, "the object")
			if v[0].Have == "" {
				return fmt.Errorf("it does not fit the schema: %s lacks %s", at, v[0].Want)
			}
			return fmt.Errorf("it does not fit the schema: %s: have %s, want %s", at, v[0].Have, v[0].Want)
		}
		return nil
	}, nil
}

// ExtractJSON finds the JSON object in an answer that may wrap it in prose, a fence or a model's thoughts: the text from the first "{" that forms valid JSON
// with one of the last "}". It returns nil if there is none. Few positions are tried, so an answer full of braces costs no more than any other.
func ExtractJSON(s string) []byte {
	const places = 8
	if _, rest, ok := strings.Cut(s, "</think>"); ok {
		s = rest
	}
	start := -1
	for range places {
		i := strings.IndexByte(s[start+1:], '{')
		if i < 0 {
			return nil
		}
		start += 1 + i
		end := len(s)
		for range places {
			j := strings.LastIndexByte(s[:end], '}')
			if j < start {
				break
			}
			if b := []byte(s[start : j+1]); codec.Valid(b) {
				return b
			}
			end = j
		}
	}
	return nil
}

// cut shortens a text to n code points.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
