package service

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/jsonschema"
)

// A path names values in a JSON answer: "data.items", "results.*.id" (of every element), "data.ids.#" (their number), "0.id", "." (the whole), and
// alternatives, "memory // chunk", of which the first one present counts.
type path [][]string

// UnmarshalJSON reads the text form.
func (p *path) UnmarshalJSON(b []byte) error {
	var s string
	if err := codec.Unmarshal(b, &s); err != nil {
		return err
	}
	q, err := parsePath(s)
	*p = q
	return err
}

func parsePath(s string) (path, error) {
	var p path
	for alt := range strings.SplitSeq(s, "//") {
		alt = strings.TrimSpace(alt)
		if alt == "." {
			p = append(p, []string{})
			continue
		}
		segs := strings.Split(alt, ".")
		for i, seg := range segs {
			if seg == "" || seg == "#" && i < len(segs)-1 {
				return nil, fmt.Errorf("path %q: want names joined by dots, * for every element, # (last) for their number, or . for the whole", s)
			}
		}
		p = append(p, segs)
	}
	return p, nil
}

// get returns the values that p names, without nulls.
func (p path) get(v any) []any {
	for _, segs := range p {
		if out := walk(nil, v, segs); len(out) > 0 {
			return out
		}
	}
	return nil
}

func walk(out []any, v any, segs []string) []any {
	if len(segs) == 0 {
		if v != nil {
			out = append(out, v)
		}
		return out
	}
	seg, rest := segs[0], segs[1:]
	switch v := v.(type) {
	case map[string]any:
		if x, ok := v[seg]; ok {
			return walk(out, x, rest)
		}
	case []any:
		switch seg {
		case "#":
			return append(out, json.Number(strconv.Itoa(len(v))))
		case "*":
			for _, x := range v {
				out = walk(out, x, rest)
			}
		default:
			if i, err := strconv.Atoi(seg); err == nil && i >= 0 && i < len(v) {
				return walk(out, v[i], rest)
			}
		}
	}
	return out
}

// list is get, with one array that was named opened.
func (p path) list(v any) []any {
	out := p.get(v)
	if len(out) == 1 {
		if a, ok := out[0].([]any); ok {
			return a
		}
	}
	return out
}

// text is the first value as text, "" when nothing is there.
func (p path) text(v any) string {
	if out := p.get(v); len(out) > 0 {
		return text(out[0])
	}
	return ""
}

// text returns a string without quotes and any other JSON value as JSON.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	}
	b, err := codec.Append(nil, v, codec.Compact)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// decode parses foreign JSON. It accepts repeated names and lone surrogates, which some services send. Numbers keep their text.
func decode(b []byte) (any, error) {
	var d jsonschema.Doc
	d.Parse(b)
	if d.Broken || len(d.Nodes) == 0 {
		for _, f := range d.Faults {
			return nil, fmt.Errorf("no JSON at byte %d of %d", f.Off, len(b))
		}
		return nil, fmt.Errorf("no JSON in %d bytes", len(b))
	}
	return d.Any(0), nil
}
