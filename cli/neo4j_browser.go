package cli

import (
	"cmp"
	"context"
	"fmt"

	"membench/chain"
	"membench/cypher/browser"
	"membench/cypher/neo4j/target"
	"membench/memory/pcm"

	"github.com/spf13/cobra"
)

type neo4jBrowserOptions struct {
	target.Target
	out     string
	catalog []string
	pcm     bool
}

func newNeo4jBrowserCmd(e *env) *cobra.Command {
	var o neo4jBrowserOptions
	c := verb("browser", "Print the address of Neo4j Browser and the first queries; write style, queries and guide", cobra.NoArgs,
		func(c *cobra.Command, _ []string) error { return runNeo4jBrowser(c.Context(), e, o) })
	f := c.Flags()
	addTarget(f, &o.Target)
	f.StringVarP(&o.out, "output", "o", "", "`folder` to write style, queries and guide into")
	f.StringArrayVar(&o.catalog, "catalog", nil, "`file` that adds to the vocabulary; may be repeated")
	f.BoolVar(&o.pcm, "pcm", false, "for the graph of the memory system pcm-neo4j: --scope is pcm/RUN/CASE (membench neo4j status)")
	f.BoolVar(&e.json, "json", false, "print address and queries as one JSON object")
	return c
}

// neo4jBrowserReport is the output of --json.
type neo4jBrowserReport struct {
	Browser string          `json:"browser"`
	URI     string          `json:"uri"`
	User    string          `json:"user,omitzero"`
	Files   []string        `json:"files,omitzero"`
	Queries []browser.Query `json:"queries"`

	Parameters map[string]any `json:"parameters"` // of the queries, as the first sets them
}

func runNeo4jBrowser(ctx context.Context, e *env, o neo4jBrowserOptions) error {
	cat, err := chain.LoadCatalog(o.catalog)
	if err != nil {
		return err
	}
	if err := target.CheckScope(o.Scope); err != nil {
		return err
	}
	if err := o.Find(ctx, e.getenv); err != nil {
		return err
	}
	o.Browser = cmp.Or(o.Browser, target.BrowserBeside(o.URI))
	rep := neo4jBrowserReport{Browser: o.Browser, URI: o.URI, User: o.User, Queries: browser.Queries(cat, o.Scope), Parameters: browser.Parameters}
	style, guide := browser.Style(cat), browser.Guide(cat, rep.Queries)
	if o.pcm {
		rep.Queries, rep.Parameters = pcm.Queries(o.Scope), map[string]any{}
		style, guide = pcm.Style(), pcm.Guide(rep.Queries)
	}
	if o.out != "" {
		if rep.Files, err = browser.WritePack(o.out, style, guide, rep.Queries); err != nil {
			return err
		}
	}
	if e.json {
		return writeJSON(e.out, rep)
	}
	fmt.Fprintf(e.text(), "Browser  %s\nConnect  %s\n", rep.Browser, rep.URI)
	if rep.User != "" {
		fmt.Fprintf(e.text(), "User     %s\n", rep.User)
	}
	first := rep.Queries
	if o.out != "" {
		fmt.Fprintf(e.text(), "\nDrop %s and %s on its window; %s describes the rest.\n", rep.Files[0], rep.Files[1], rep.Files[2])
	} else {
		first = first[:2]
	}
	for _, q := range first {
		if o.out != "" {
			fmt.Fprintf(e.text(), "  %-26s %s · %s\n", q.Name, q.Title, q.TitleZH)
			continue
		}
		fmt.Fprintf(e.text(), "\n%s", q.File())
	}
	if o.out == "" {
		fmt.Fprintf(e.text(), "\n%d more queries, a style and a guide: add -o DIR\n", len(rep.Queries)-len(first))
	}
	return nil
}
