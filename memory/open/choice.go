package open

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"membench/internal/yamldoc"
	"membench/schema"
)

// A Choice names a system with its options.
type Choice struct {
	Name    string // its name in records; "": the system's own
	Type    string // name, or path of a spec, as Place.Find takes it
	Options []byte // JSON; nil: defaults
}

var choiceForm = regexp.MustCompile(`(?s)^(?:([\w.@ -]+)=)?([^{}=]+?)\s*(\{.*\})?$`)

// Parse reads NAME, NAME{option: value, …} and LABEL=NAME{…}; options are YAML.
func Parse(s string) (Choice, error) {
	m := choiceForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return Choice{}, schema.Usagef("system %q: want NAME, NAME{option: value} or LABEL=NAME{option: value}; a label is of ASCII letters, digits, blanks and ._@-, any other name is given in eval.yaml", s)
	}
	c := Choice{Name: m[1], Type: m[2]}
	if m[3] != "" {
		b, err := yamldoc.ToJSON([]byte(m[3]))
		if err != nil {
			return c, schema.Usagef("system %q: options: %v", s, err)
		}
		c.Options = bytes.TrimSpace(b)
	}
	return c, nil
}

// Split splits a list at the commas outside of braces, brackets and quotes.
func Split(list string) []string {
	var out []string
	depth, quote, start := 0, rune(0), 0
	for i, r := range list {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '{' || r == '[':
			depth++
		case r == '}' || r == ']':
			depth--
		case r == ',' && depth == 0:
			out = append(out, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return slices.DeleteFunc(append(out, strings.TrimSpace(list[start:])), func(s string) bool { return s == "" })
}
