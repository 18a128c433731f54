package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newExportCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "export", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
