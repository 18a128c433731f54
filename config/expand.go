package config

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"membench/internal/yamldoc"

	"github.com/goccy/go-yaml/token"
)

// Lookup returns the value of an environment variable and its origin ("environment", ".env"); from is "" if it is not set.
type Lookup func(name string) (value, from string)

var variable = regexp.MustCompile(`\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// expand puts the environment into the values of a YAML text, token by token: ${NAME}, ${NAME:-else},
// and $$ for a dollar sign. A variable that is not set is an error. What a variable
// holds is one value, whatever is in it; comments are left alone.
func expand(env Lookup) func(*token.Token) error {
	return func(t *token.Token) error {
		if !strings.Contains(t.Value, "$") {
			return nil
		}
		var missing string
		value := variable.ReplaceAllStringFunc(t.Value, func(s string) string {
			if s == "$$" {
				return "$"
			}
			m := variable.FindStringSubmatch(s)
			if v, from := env(m[1]); from != "" && (v != "" || m[2] == "") {
				return v
			}
			if m[2] == "" && missing == "" {
				missing = m[1]
			}
			return m[3]
		})
		if missing != "" {
			return fmt.Errorf("[%d:%d] ${%s}: the variable is not set; set it in the environment or in .env, or give a default: ${%s:-…}", t.Position.Line, t.Position.Column, missing, missing)
		}
		if value == t.Value {
			return nil
		}
		if t.Type != token.StringType {
			t.Value = value
			return nil
		}
		n := token.New(value, value, t.Position) // a number stays a number
		t.Type, t.Value, t.Origin = n.Type, n.Value, n.Origin
		if t.CharacterType = n.CharacterType; n.Type == token.NullType || n.Value != value {
			t.Type = token.StringType
		}
		return nil
	}
}

// decode reads a YAML text strictly into v, after expand.
func decode(b []byte, env Lookup, v any) (*yamldoc.Doc, error) {
	d, err := yamldoc.Parse(b, expand(env))
	if err != nil {
		return nil, err
	}
	return d, d.Decode(v)
}

// Getenv is a variable of the process's environment, "" where it is not set.
func Getenv(name string) string { v, _ := Environ(name); return v }

// Environ looks variables up in the environment of the process. Nothing else in the
// program reads it; what is started by it inherits it whole.
func Environ(name string) (value, from string) {
	if v, ok := os.LookupEnv(name); ok {
		return v, "environment"
	}
	return "", ""
}
