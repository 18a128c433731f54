package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newToGraphCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "to-graph", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
