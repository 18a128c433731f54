package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newDiffCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "diff", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
