package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newValidateCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "validate", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
