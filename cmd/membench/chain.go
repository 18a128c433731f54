package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newChainCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "chain", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
