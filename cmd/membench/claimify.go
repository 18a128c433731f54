package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newClaimifyCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "claimify", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
