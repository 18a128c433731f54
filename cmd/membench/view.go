package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newViewCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "view", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
