package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newMigrateCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "migrate", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
