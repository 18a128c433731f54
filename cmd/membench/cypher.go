package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newCypherCmd(e *env) *cobra.Command {
	return &cobra.Command{Use: "cypher", RunE: func(*cobra.Command, []string) error { return errors.New("not built yet") }}
}
