package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newAnnotateCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "annotate", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
