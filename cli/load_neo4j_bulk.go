package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"membench/chain"
	"membench/cypher"
	"membench/cypher/neo4j/server"
	"membench/cypher/neo4j/target"
	"membench/graphir/export"

	"github.com/spf13/cobra"
)

// A bulkReport is what --bulk prints with --json.
type bulkReport struct {
	Database string         `json:"database"`
	Scope    string         `json:"scope,omitzero"`
	Nodes    int            `json:"nodes"`
	Edges    int            `json:"edges"`
	LeftOut  int            `json:"left_out"`
	Moved    int            `json:"moved"` // values that the import cannot hold: the next load puts them right
	Findings map[string]int `json:"findings"`
}

// bulkNeo4j checks the command line of --bulk and runs it.
func bulkNeo4j(c *cobra.Command, e *env, o loadNeo4jOptions) error {
	for _, name := range []string{"uri", "delta", "changes", "dry-run", "verify", "repair", "rewrite", "embed", "batch", "sessions", "index"} {
		if c.Flags().Changed(name) {
			return usagef("--bulk does not connect to a server: --%s cannot be combined with it", name)
		}
	}
	if o.graph == "-" {
		return usagef("--bulk reads the graph twice: give a folder, not standard input")
	}
	o.home = cmp.Or(o.home, e.getenv("NEO4J_HOME"))
	o.database = cmp.Or(o.database, "neo4j")
	return runBulkNeo4j(c.Context(), e, o)
}

// runBulkNeo4j writes CSV aside and has neo4j-admin import it.
func runBulkNeo4j(ctx context.Context, e *env, o loadNeo4jOptions) error {
	started := e.now()
	admin, err := adminTool(e, o.home)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(e.getenv("TMPDIR"), "membench-bulk-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := newTally(e, 20)
	res, err := chain.ExportGraph(ctx, chain.ExportGraphOptions{Graph: o.graph, Out: dir, Format: export.AdminCSVName, BaseLabel: cypher.BaseLabel, Database: o.database, Scope: o.scope, Catalogs: o.catalogs,
		Shared: chain.Shared{Stdin: e.in, Strict: o.strict, Accept: o.accept, Report: t.found}})
	t.summary()
	if !wrote(err) {
		return err
	}
	lost := err
	args := slices.DeleteFunc(slices.Clone(res.Command[1:]), func(a string) bool { return a == "--overwrite-destination" && !o.overwrite })
	cmd := admin(ctx, args)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return bulkFault(err, said.String(), o)
	}
	rep := bulkReport{Database: o.database, Scope: o.scope, Nodes: res.Nodes, Edges: res.Edges, LeftOut: res.LeftOut, Moved: res.Moved, Findings: t.byCode}
	if o.json {
		err = writeJSON(e.out, rep)
	} else {
		_, err = fmt.Fprintf(e.text(), "%d nodes and %d edges imported into %s, %d skipped\n", rep.Nodes, rep.Edges, rep.Database, rep.LeftOut)
	}
	if err != nil {
		return err
	}
	took := e.now().Sub(started)
	e.warnf("load-neo4j: %d elements in %.1f s; next: start the server and run 'membench load-neo4j %s', which makes constraints and index", rep.Nodes+rep.Edges, took.Seconds(), o.graph)
	return lost
}

// adminTool finds neo4j-admin: the program that NEO4J_ADMIN names, that of PATH, or
// the jars of MEMBENCH_NEO4J_LIB, else those that 'neo4j up' uses, with its folder.
func adminTool(e *env, home string) (func(context.Context, []string) *exec.Cmd, error) {
	name := cmp.Or(e.getenv("NEO4J_ADMIN"), "neo4j-admin")
	if path, err := exec.LookPath(name); err == nil {
		return func(ctx context.Context, args []string) *exec.Cmd {
			cmd := exec.CommandContext(ctx, path, args...)
			if cmd.Env = os.Environ(); home != "" {
				cmd.Env = append(cmd.Env, "NEO4J_HOME="+home)
			}
			return cmd
		}, nil
	}
	lib := e.getenv("MEMBENCH_NEO4J_LIB")
	if lib == "" { // the jars of 'membench neo4j up'
		if cache, err := target.Cache(e.getenv); err == nil {
			lib = server.Lib(cache, server.Default)
		}
	}
	version, err := server.Version(lib)
	if err != nil {
		return nil, fmt.Errorf("--bulk needs neo4j-admin: it is not in PATH; NEO4J_ADMIN may name it, MEMBENCH_NEO4J_LIB a folder of Neo4j's jars, and 'membench neo4j fetch' gets these")
	}
	if home == "" { // its folder
		if home, err = target.Home("", e.getenv); err != nil {
			return nil, err
		}
		if now, err := server.Look(context.Background(), home); err == nil && now.Running {
			return nil, fmt.Errorf("%s: a server is running there: 'membench neo4j down' first, or load without --bulk", home)
		}
	}
	if home, err = filepath.Abs(home); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(home, "conf"), 0o755); err != nil {
		return nil, err
	}
	java, err := server.FindJava(version, e.getenv("MEMBENCH_JAVA"))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, args []string) *exec.Cmd { return server.Admin(ctx, java, lib, home, args...) }, nil
}

// bulkFault says what to do about a failed import; the tool's own words are long.
func bulkFault(err error, said string, o loadNeo4jOptions) error {
	low := strings.ToLower(said)
	switch {
	case strings.Contains(low, "overwrite-destination") || strings.Contains(low, "already contains") || strings.Contains(low, "already exist"):
		return fmt.Errorf("database %s is not empty: --overwrite replaces what it holds, a load without --bulk adds to it", o.database)
	case strings.Contains(low, "in use") || strings.Contains(low, "lock"):
		return fmt.Errorf("database %s is running: stop the server for --bulk, or load without it", o.database)
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return errors.New("neo4j-admin: " + err.Error() + ": " + strings.Join(lines[max(0, len(lines)-12):], "\n"))
}
