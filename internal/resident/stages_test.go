package resident_test

import (
	"slices"
	"testing"

	"membench/cli"
	"membench/internal/resident"

	"github.com/spf13/cobra"
)

// A stage is a command of the program.
func TestStages(t *testing.T) {
	for _, name := range resident.Stages {
		if !slices.ContainsFunc(cli.Command().Commands(), func(c *cobra.Command) bool { return c.Name() == name }) {
			t.Errorf("there is no command %s", name)
		}
	}
}
