package service

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/jsonschema"
)

// A path names values in a JSON answer: "data.items", "results.*.id" (of every element), "data.ids.#" (their number), "0.id", "." (the whole), and
// alternatives, "memory // chunk", of which the first one present counts. A member that may be absent ends in "?": "edges?". Absent, any other is a fault of
// the spec or of the answer (missing); null is a value that names nothing.
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
			if seg == "" || seg == "?" || seg == "#" && i < len(segs)-1 {
				return nil, fmt.Errorf("path %q: want names joined by dots, * for every element, # (last) for their number, ? after a name that may be absent, or . for the whole", s)
			}
		}
		p = append(p, segs)
	}
	return p, nil
}

// get returns the values that p names, without nulls.
func (p path) get(v any) []any {
	for _, segs := range p {
		if out, _ := walk(nil, v, segs); len(out) > 0 {
			return out
		}
	}
	return nil
}

// What an answer has at a path.
const (
	absent  = iota
	nothing // null, an optional member that is absent, or an element after the last one
	present
)

func walk(out []any, v any, segs []string) ([]any, int) {
	if v == nil {
		return out, nothing
	}
	if len(segs) == 0 {
		return append(out, v), present
	}
	seg, rest := segs[0], segs[1:]
	switch v := v.(type) {
	case map[string]any:
		name, optional := strings.CutSuffix(seg, "?")
		if x, ok := v[name]; ok {
			return walk(out, x, rest)
		}
		if optional {
			return out, nothing
		}
	case []any:
		switch seg {
		case "#":
			return append(out, json.Number(strconv.Itoa(len(v)))), present
		case "*":
			most := absent
			if len(v) == 0 {
				most = present
			}
			for _, x := range v {
				var there int
				out, there = walk(out, x, rest)
				most = max(most, there)
			}
			return out, most
		}
		if i, err := strconv.Atoi(seg); err == nil && i >= 0 {
			if i >= len(v) {
				return out, nothing
			}
			return walk(out, v[i], rest)
		}
	}
	return out, absent
}

// list returns the values of the first alternative that v has, with one array that was named opened.
func (p path) list(v any) []any {
	for _, segs := range p {
		out, there := walk(nil, v, segs)
		if there != present {
			continue
		}
		if len(out) == 1 {
			if a, ok := out[0].([]any); ok {
				return a
			}
		}
		return out
	}
	return nil
}

// missing describes, if v (called what) has none of p's alternatives, what it has in the place of the first one; otherwise it is "".
func (p path) missing(what string, v any) string {
	for _, segs := range p {
		if _, there := walk(nil, v, segs); there != absent {
			return ""
		}
	}
	if len(p) == 0 {
		return ""
	}
	for i, seg := range p[0] {
		if _, there := walk(nil, v, p[0][:i+1]); there == absent {
			at, _ := walk(nil, v, p[0][:i])
			if i > 0 {
				what = strings.Join(p[0][:i], ".") + " of " + what
			}
			return fmt.Sprintf("%s has no %s: it %s", what, seg, form(at[0]))
		}
	}
	return "" // unreachable: the whole path is absent
}

// form describes a JSON value by its type and the names of its members.
func form(v any) string {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return "is empty, {}"
		}
		return "has " + clip(strings.Join(slices.Sorted(maps.Keys(v)), ", "))
	case []any:
		return fmt.Sprintf("is a list of %d", len(v))
	case string:
		return "is a text"
	}
	return "is " + text(v)
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
