package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// choice is a list of values in the text of a flag: "text or json", "dmy, mdy or auto", where
// the text ends, or goes on behind a mark.
var choice = regexp.MustCompile(`(?:^|: |\()([a-z][a-z0-9-]*(?:, [a-z][a-z0-9-]*)* or [a-z][a-z0-9-]*)(?:[:;,)(]| \(|$)`)

// TestFlags holds the flags of all commands: each says what it is for, its placeholder names
// the value and not a type of Go, and where the text lists the values a shell completes them.
func TestFlags(t *testing.T) {
	types := []string{"string", "strings", "stringArray", "int", "ints", "uint", "float", "float64", "value"}
	checked := 0
	for c := range commands(Command()) {
		if c.Hidden || strings.HasPrefix(c.CommandPath(), "membench completion") {
			continue
		}
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.AddFlagSet(c.Flags())
		flags.AddFlagSet(c.PersistentFlags())
		flags.VisitAll(func(f *pflag.Flag) {
			name := c.CommandPath() + " --" + f.Name
			placeholder, text := pflag.UnquoteUsage(f)
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s is not described", name)
			}
			if slices.Contains(types, placeholder) {
				t.Errorf("%s: the placeholder is %q: name the value in backquotes", name, placeholder)
			}
			if _, known := c.GetFlagCompletionFunc(f.Name); !known && choice.MatchString(text) && f.Value.Type() != "bool" {
				t.Errorf("%s: a shell completes none of the values in %q: add them to completions", name, text)
			}
			checked++
		})
	}
	if checked < 500 {
		t.Errorf("%d flags were looked at", checked)
	}
}
