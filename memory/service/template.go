package service

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/internal/codec"
	"membench/schema"

	"github.com/google/uuid"
)

// A scope holds the values of ${names}; the inner one wins.
type scope struct {
	vals map[string]any
	up   *scope
}

func (s *scope) with(vals map[string]any) *scope { return &scope{vals, s} }

// lookup finds a dotted name. Absent, null and "" are one thing.
func (s *scope) lookup(name string) (any, bool) {
	head, rest, dotted := strings.Cut(name, ".")
	for ; s != nil; s = s.up {
		v, ok := s.vals[head]
		if !ok {
			continue
		}
		for dotted && ok {
			var m map[string]any
			if m, ok = v.(map[string]any); !ok {
				break
			}
			head, rest, dotted = strings.Cut(rest, ".")
			v, ok = m[head]
		}
		return v, ok && v != nil && v != ""
	}
	return nil, false
}

// A hole is one ${name?|pipe:argument} of a string.
type hole struct {
	name     string
	optional bool
	whole    bool        // name??: without it the whole string is absent
	pipes    [][2]string // name, argument
}

// pieces cuts a string into text and holes, in turn; "$${" is a literal "${".
func pieces(s string) (texts []string, holes []hole, err error) {
	var b strings.Builder
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			b.WriteString(s)
			return append(texts, b.String()), holes, nil
		}
		if i > 0 && s[i-1] == '$' {
			b.WriteString(s[:i-1] + "${")
			s = s[i+2:]
			continue
		}
		b.WriteString(s[:i])
		end := strings.IndexByte(s[i:], '}')
		if end < 0 {
			return nil, nil, fmt.Errorf("%q: a ${ without its }", s[i:])
		}
		h, err := parseHole(s[i+2 : i+end])
		if err != nil {
			return nil, nil, err
		}
		texts, holes = append(texts, b.String()), append(holes, h)
		b.Reset()
		s = s[i+end+1:]
	}
}

func parseHole(s string) (h hole, err error) {
	parts := strings.Split(s, "|")
	h.name, h.whole = strings.CutSuffix(parts[0], "??")
	if !h.whole {
		h.name, h.optional = strings.CutSuffix(parts[0], "?")
	}
	h.optional = h.optional || h.whole
	if h.name == "" {
		return h, fmt.Errorf("${%s}: want a name", s)
	}
	for _, p := range parts[1:] {
		name, arg, _ := strings.Cut(p, ":")
		if !slices.Contains(pipeNames, name) {
			return h, fmt.Errorf("${%s}: unknown pipe %q: have %s", s, name, strings.Join(pipeNames, ", "))
		}
		h.pipes = append(h.pipes, [2]string{name, arg})
	}
	return h, nil
}

// pipeNames are the functions of templates. The list is closed: a spec is not a program.
var pipeNames = []string{"after", "before", "date", "default", "map", "name", "path", "rfc3339", "trim", "unix", "unix_ms", "uuid5"}

var errAbsent = errors.New("has no value")

func (h hole) value(s *scope) (any, error) {
	v, ok := s.lookup(h.name)
	for _, p := range h.pipes {
		if p[0] == "default" && !ok {
			v, ok = p[1], true
		}
		if !ok {
			continue
		}
		var err error
		if v, err = pipe(p[0], p[1], v); err != nil {
			return nil, fmt.Errorf("${%s}: %w", h.name, err)
		}
	}
	if !ok {
		return nil, errAbsent
	}
	return v, nil
}

func pipe(name, arg string, v any) (any, error) {
	switch name {
	case "path":
		return url.PathEscape(text(v)), nil
	case "before":
		return arg + text(v), nil
	case "after":
		return text(v) + arg, nil
	case "name": // as an id: without blanks, and still no two alike
		return fitName(text(v), "-_.", 64), nil
	case "trim":
		return strings.TrimSpace(text(v)), nil
	case "uuid5":
		return uuid.NewSHA1(uuid.NameSpaceURL, []byte("membench:"+text(v))).String(), nil
	case "map": // map:tool=assistant,system=user
		for pair := range strings.SplitSeq(arg, ",") {
			if from, to, ok := strings.Cut(pair, "="); ok && from == text(v) {
				return to, nil
			}
		}
		return v, nil
	case "date", "rfc3339", "unix", "unix_ms":
		t, err := parseTime(text(v))
		if err != nil {
			return nil, err
		}
		switch name {
		case "date":
			return t.Format(time.DateOnly), nil
		case "rfc3339":
			return t.Format(time.RFC3339), nil
		case "unix":
			return t.Unix(), nil
		}
		return t.UnixMilli(), nil
	}
	return v, nil
}

func parseTime(s string) (time.Time, error) {
	if t, ok := schema.ParseTime(s, nil); ok {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%q is not a time: want RFC 3339 or its beginning", s)
}

// expandString fills one string. A string that consists of one hole keeps the type of its value; errAbsent reports that an optional value is absent. Inside
// other text, an absent optional value is empty. Inserted text is not expanded again.
func expandString(s string, sc *scope) (any, error) {
	texts, holes, err := pieces(s)
	if err != nil {
		return nil, err
	}
	if len(holes) == 1 && texts[0] == "" && texts[1] == "" {
		v, err := holes[0].value(sc)
		if err == errAbsent && !holes[0].optional {
			return nil, fmt.Errorf("${%s} %w", holes[0].name, err)
		}
		return v, err
	}
	var b strings.Builder
	for i, t := range texts {
		b.WriteString(t)
		if i == len(holes) {
			break
		}
		v, err := holes[i].value(sc)
		switch {
		case err == errAbsent && holes[i].whole:
			return nil, err
		case err == errAbsent && holes[i].optional:
		case err == errAbsent:
			return nil, fmt.Errorf("${%s} %w", holes[i].name, err)
		case err != nil:
			return nil, err
		default:
			b.WriteString(text(v))
		}
	}
	return b.String(), nil
}

// expand fills a tree: {$each: turns, $as: t, $item: …} is a list (with $join a
// string), {$json: …} is JSON inside a string; a member whose value is absent and
// optional is omitted.
func expand(v any, sc *scope) (any, error) {
	switch v := v.(type) {
	case string:
		return expandString(v, sc)
	case []any:
		out := []any{}
		for _, x := range v {
			y, err := expand(x, sc)
			if err == errAbsent {
				continue
			}
			if err != nil {
				return nil, err
			}
			out = append(out, y)
		}
		return out, nil
	case map[string]any:
		if each, ok := v["$each"].(string); ok {
			return expandEach(v, each, sc)
		}
		if inner, ok := v["$json"]; ok {
			x, err := expand(inner, sc)
			if err != nil {
				return nil, err
			}
			b, err := codec.Append(nil, x, codec.Compact)
			return string(b), err
		}
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			y, err := expand(v[k], sc)
			if err == errAbsent {
				continue
			}
			if err != nil {
				return nil, err
			}
			out[k] = y
		}
		return out, nil
	}
	return v, nil
}

func expandEach(v map[string]any, each string, sc *scope) (any, error) {
	as, _ := v["$as"].(string)
	list, _ := sc.lookup(each)
	items, _ := list.([]any)
	out := []any{}
	for _, x := range items {
		y, err := expand(v["$item"], sc.with(map[string]any{as: x}))
		if err != nil {
			return nil, err
		}
		out = append(out, y)
	}
	join, ok := v["$join"].(string)
	if !ok {
		return out, nil
	}
	texts := make([]string, len(out))
	for i, x := range out {
		texts[i] = text(x)
	}
	return strings.Join(texts, join), nil
}

// fitName makes a namespace's name from the characters that a service accepts. Different names stay different: a name that had to be changed or cut ends in a
// hash of the original.
func fitName(s, chars string, longest int) string {
	out := strings.Map(func(r rune) rune {
		if chars == "" || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(chars, r) {
			return r
		}
		return -1
	}, s)
	if out == s && (longest == 0 || len(s) <= longest) {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	tail := strconv.FormatUint(binary.BigEndian.Uint64(sum[:]), 36)
	if longest > 0 && len(out)+len(tail) > longest {
		out = strings.ToValidUTF8(out[:max(0, min(len(out), longest-len(tail)))], "")
	}
	return out + tail
}
