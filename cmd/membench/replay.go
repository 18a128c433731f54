package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newReplayCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "replay", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
