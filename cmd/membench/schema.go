package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newSchemaCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "schema", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
