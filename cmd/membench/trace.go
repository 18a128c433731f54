package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newTraceCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "trace", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
