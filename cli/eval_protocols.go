package cli

import (
	"cmp"
	"fmt"
	"io"

	"membench/eval/protocol"

	"github.com/spf13/cobra"
)

func newEvalProtocolsCmd(e *env) *cobra.Command {
	c := verb("protocols", "List the protocols: what each scores and which original it reproduces", cobra.NoArgs,
		func(*cobra.Command, []string) error { return runEvalProtocols(e) })
	c.Flags().BoolVar(&e.json, "json", false, "print one JSON array")
	return c
}

// protocolRow is one protocol of --json.
type protocolRow struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	By      string `json:"by"` // rule | model
	Binary  bool   `json:"binary"`
	Formula string `json:"formula"`
	Origin  string `json:"origin,omitzero"` // scorer that it reproduces; absent: our own protocol
}

func runEvalProtocols(e *env) error {
	var rows []protocolRow
	for _, p := range protocol.All() {
		r := protocolRow{Name: p.Name, Version: p.Version, By: "rule", Binary: p.Binary, Formula: p.Formula, Origin: p.Origin}
		if p.Judge != nil {
			r.By = "model"
		}
		rows = append(rows, r)
	}
	return e.show(rows, func(w io.Writer) {
		for _, r := range rows {
			fmt.Fprintf(w, "%-18s %-6s %s\n%25s %s\n", r.Name+"@"+r.Version, r.By, r.Formula, "", cmp.Or(r.Origin, "ours"))
		}
	})
}
