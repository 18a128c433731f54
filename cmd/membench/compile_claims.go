package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newCompileClaimsCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "compile-claims", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
