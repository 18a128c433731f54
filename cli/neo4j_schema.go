package cli

import (
	"context"
	"io"

	"membench/chain"
	"membench/cypher/neo4j/target"

	"github.com/spf13/cobra"
)

type neo4jSchemaOptions struct {
	target.Target
	out     string
	catalog []string
}

func newNeo4jSchemaCmd(e *env) *cobra.Command {
	o := neo4jSchemaOptions{out: "-"}
	c := verb("schema", "Write the reference of node and edge types from a live database, with an example of each", cobra.NoArgs,
		func(c *cobra.Command, _ []string) error { return runNeo4jSchema(c.Context(), e, o) })
	f := c.Flags()
	addTarget(f, &o.Target)
	f.StringVarP(&o.out, "output", "o", o.out, "`file` to write, - for standard output")
	f.StringArrayVar(&o.catalog, "catalog", nil, "`file` that adds to the vocabulary; may be repeated")
	f.BoolVar(&e.json, "json", false, "write one JSON object instead of Markdown")
	return c
}

func runNeo4jSchema(ctx context.Context, e *env, o neo4jSchemaOptions) error {
	cat, err := chain.LoadCatalog(o.catalog)
	if err != nil {
		return err
	}
	db, err := o.Open(ctx, e.getenv)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx))
	s, err := db.ReadSchema(ctx)
	if err != nil {
		return err
	}
	return writeOut(e, o.out, func(w io.Writer) error {
		if e.json {
			return writeJSON(w, s)
		}
		return s.WriteMarkdown(w, cat)
	})
}
