package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"membench/cypher/neo4j"
	"membench/cypher/neo4j/target"
	"membench/schema"

	"github.com/spf13/cobra"
)

type neo4jClearOptions struct {
	target.Target
	neo4j.EmptyOptions
	yes bool
}

func newNeo4jClearCmd(e *env) *cobra.Command {
	var o neo4jClearOptions
	c := verb("clear", "Delete a graph from a database, in batches, after a confirmation", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		switch {
		case o.All && o.Scope != "":
			return usagef("--all and --scope exclude each other")
		case o.Constraints && !o.All:
			return usagef("--constraints needs --all: other graphs in the database rely on them")
		}
		return runNeo4jClear(c.Context(), e, o)
	})
	f := c.Flags()
	addTarget(f, &o.Target)
	f.BoolVar(&o.All, "all", false, "delete everything in the database, including data of other programs")
	f.BoolVar(&o.Constraints, "constraints", false, "with --all: drop also the constraints and indexes that membench made")
	f.DurationVar(&o.Wait, "wait", 0, "wait for at most this `time` while another program writes to the graph")
	f.Lookup("wait").NoOptDefVal = "10m"
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	f.BoolVar(&e.json, "json", false, "print what was deleted as one JSON object")
	return c
}

// neo4jClearReport is the output of --json.
type neo4jClearReport struct {
	Database string `json:"database"`
	Scope    string `json:"scope"`
	All      bool   `json:"all"`
	neo4j.Emptied
}

func runNeo4jClear(ctx context.Context, e *env, o neo4jClearOptions) error {
	db, err := o.Open(ctx, e.getenv)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx))
	what, err := clearWords(ctx, db, o)
	if err != nil {
		return err
	}
	if !o.yes {
		ok, err := confirm(e, "Delete "+what+"?")
		if err != nil {
			return err
		}
		if !ok {
			e.warnf("neo4j: nothing was deleted")
			return nil
		}
	}
	var deleted atomic.Int64
	defer e.following("neo4j clear", func() state { return state{done: deleted.Load(), unit: "nodes and edges deleted"} })()
	o.Progress = func(s neo4j.Emptied) { deleted.Store(int64(s.Nodes + s.Edges)) }
	gone, err := db.Empty(ctx, o.EmptyOptions)
	if err != nil {
		e.warnf("neo4j: stopped after %d nodes and %d edges were deleted; the same command continues from there", gone.Nodes, gone.Edges)
		return err
	}
	if e.json {
		if gone.Constraints == nil {
			gone.Constraints = []string{}
		}
		return writeJSON(e.out, neo4jClearReport{db.Database(), o.Scope, o.All, gone})
	}
	fmt.Fprintf(e.text(), "deleted %d nodes and %d edges", gone.Nodes, gone.Edges)
	if n := len(gone.Constraints); n > 0 {
		fmt.Fprintf(e.text(), ", dropped %d constraints and indexes", n)
	}
	fmt.Fprintln(e.text())
	return nil
}

// clearWords describes what will be deleted and what stays.
func clearWords(ctx context.Context, db *neo4j.DB, o neo4jClearOptions) (string, error) {
	others, err := db.Others(ctx)
	if err != nil {
		return "", err
	}
	scopes, err := db.Scopes(ctx)
	if err != nil {
		return "", err
	}
	total, stay := 0, []string{}
	for _, s := range scopes {
		total += s.Nodes
		if s.Scope != o.Scope {
			stay = append(stay, fmt.Sprintf("%s (%d nodes)", cmp.Or(s.Scope, "the unnamed graph"), s.Nodes))
		}
	}
	if o.All {
		return fmt.Sprintf("everything in database %s at %s: %d nodes of %d graphs and %d nodes of others, with their edges", db.Database(), o.URI, total, len(scopes), others), nil
	}
	nodes, edges, err := db.Size(ctx)
	if err != nil {
		return "", err
	}
	name := "the unnamed graph"
	if o.Scope != "" {
		name = "graph " + o.Scope
	}
	what := fmt.Sprintf("%s, %d nodes and %d edges, from database %s at %s", name, nodes, edges, db.Database(), o.URI)
	if others > 0 {
		stay = append(stay, fmt.Sprintf("%d nodes of others", others))
	}
	if len(stay) > 0 {
		what += " (" + strings.Join(stay, ", ") + " stay)"
	}
	return what, nil
}

// errUnconfirmed reports that a confirmation is needed and nobody can answer.
var errUnconfirmed = errors.New("there is no terminal to ask on")

// confirm asks on a terminal.
func confirm(e *env, question string) (bool, error) {
	fmt.Fprintf(e.err, "%s [y/N] ", question)
	if in, ok := e.in.(*os.File); ok {
		if info, err := in.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			line, err := bufio.NewReader(in).ReadString('\n')
			if err == nil || line != "" {
				answer := strings.ToLower(strings.TrimSpace(line))
				return answer == "y" || answer == "yes", nil
			}
		}
	}
	e.warnf("")
	return false, &schema.UsageError{Err: fmt.Errorf("%w: add --yes", errUnconfirmed)}
}
