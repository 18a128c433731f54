package csvdoc

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// A Part is something that a row says, with the names of columns by which it is known.
type Part struct {
	Name  string
	Known []string
}

// A Mapping says which column of a table, or member of an object, holds each part. A member
// within another is written with a dot: author.name.
type Mapping map[string]string

// Complete adds the columns that are known by their names, whatever their case, blanks and
// underscores. No column is two parts.
func (m Mapping) Complete(parts []Part, columns []string) Mapping {
	out := maps.Clone(m)
	if out == nil {
		out = Mapping{}
	}
	for _, p := range parts {
		for _, name := range p.Known {
			i := slices.IndexFunc(columns, func(c string) bool { return plainName(c) == plainName(name) })
			if out[p.Name] == "" && i >= 0 && !slices.Contains(slices.Collect(maps.Values(out)), columns[i]) {
				out[p.Name] = columns[i]
			}
		}
	}
	return out
}

// String is the mapping as a Flag reads it.
func (m Mapping) String() string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+"="+m[k])
	}
	return strings.Join(out, ",")
}

// plainName is a column's name in small letters and digits, with the dots between members.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// A Flag reads a Mapping as role=sender,text=body.
type Flag struct {
	Into  *Mapping
	Of    string // what a row is, for messages: a message
	Parts []Part
}

// Set reads the value; an error says which parts there are.
func (f Flag) Set(s string) error {
	out := Mapping{}
	for pair := range strings.SplitSeq(s, ",") {
		part, column, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || column == "" {
			return fmt.Errorf("found %q, expected PART=COLUMN, as %s=body", pair, f.Parts[0].Name)
		}
		if !slices.ContainsFunc(f.Parts, func(p Part) bool { return p.Name == part }) {
			var names []string
			for _, p := range f.Parts {
				names = append(names, p.Name)
			}
			return fmt.Errorf("%q is not a part of %s, expected one of %s", part, f.Of, strings.Join(names, ", "))
		}
		out[part] = column
	}
	*f.Into = out
	return nil
}

// String is the mapping as it is given.
func (f Flag) String() string {
	if f.Into == nil {
		return ""
	}
	return f.Into.String()
}

// Type names the value in help.
func (Flag) Type() string { return "mapping" }
