package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newIndexCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "index", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
