package cli

import (
	"fmt"
	"strings"

	"membench/internal/smallfile"
	"membench/internal/yamldoc"
	"membench/schema"
)

// peopleFlag reads who is who: a YAML file, or its text in braces.
type peopleFlag struct{ *schema.People }

func (f peopleFlag) String() string { return "" }
func (f peopleFlag) Type() string   { return "file" }

func (f peopleFlag) Set(s string) error {
	text := []byte(s)
	if !strings.HasPrefix(strings.TrimSpace(s), "{") {
		var err error
		if text, err = smallfile.Read(s); err != nil {
			return err
		}
	}
	if err := yamldoc.Unmarshal(text, f.People); err != nil {
		return fmt.Errorf("reading people: %w", err)
	}
	return f.Check()
}
