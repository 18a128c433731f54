package chain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"membench/cypher"
	"membench/cypher/neo4j/target"
	"membench/graphir/export"
	"membench/schema"
)

// BulkOptions of LoadBulk.
type BulkOptions struct {
	Shared
	Graph     string   // folder of a graph
	Catalogs  []string // that add to the vocabulary
	Home      string   // folder of the server; "": as target.Admin finds it
	Database  string
	Scope     string // of the graph among several in one database
	Overwrite bool   // replace what the stopped database holds
	Getenv    func(string) string
}

// A BulkReport says what LoadBulk imported.
type BulkReport struct {
	Database string         `json:"database"`
	Scope    string         `json:"scope,omitzero"`
	Nodes    int            `json:"nodes"`
	Edges    int            `json:"edges"`
	LeftOut  int            `json:"left_out"`
	Moved    int            `json:"moved"` // values that the import cannot hold: the next load puts them right
	Findings map[string]int `json:"findings"`
}

// LoadBulk fills an empty, stopped database of this machine: it writes CSV aside and has
// neo4j-admin import it. The result is that of Load, once Load has run after it.
func LoadBulk(ctx context.Context, o BulkOptions) (rep BulkReport, err error) {
	admin, err := target.Admin(ctx, o.Home, o.Getenv)
	if err != nil {
		return rep, err
	}
	dir, err := os.MkdirTemp(o.TempDir, "membench-bulk-*")
	if err != nil {
		return rep, err
	}
	defer os.RemoveAll(dir)
	rep = BulkReport{Database: o.Database, Scope: o.Scope, Findings: map[string]int{}}
	shared := o.Shared
	shared.Report = func(x *schema.Finding) {
		rep.Findings[x.Code]++
		if o.Report != nil {
			o.Report(x)
		}
	}
	res, lost := ExportGraph(ctx, ExportGraphOptions{Shared: shared, Graph: o.Graph, Out: dir, Format: export.AdminCSVName, BaseLabel: cypher.BaseLabel, Database: o.Database, Scope: o.Scope, Catalogs: o.Catalogs})
	if lost != nil && !schema.Written(lost) {
		return rep, lost
	}
	cmd := admin(slices.DeleteFunc(slices.Clone(res.Command[1:]), func(a string) bool { return a == "--overwrite-destination" && !o.Overwrite }))
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return rep, ctx.Err()
		}
		return rep, bulkFault(err, said.String(), o.Database)
	}
	rep.Nodes, rep.Edges, rep.LeftOut, rep.Moved = res.Nodes, res.Edges, res.LeftOut, res.Moved
	return rep, lost
}

// bulkFault says what to do about a failed import; the tool's own words are long.
func bulkFault(err error, said, database string) error {
	low := strings.ToLower(said)
	switch {
	case strings.Contains(low, "overwrite-destination") || strings.Contains(low, "already contains") || strings.Contains(low, "already exist"):
		return fmt.Errorf("database %s is not empty: --overwrite replaces what it holds, a load without --bulk adds to it", database)
	case strings.Contains(low, "in use") || strings.Contains(low, "lock"):
		return fmt.Errorf("database %s is running: stop the server for --bulk, or load without it", database)
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return errors.New("neo4j-admin: " + err.Error() + ": " + strings.Join(lines[max(0, len(lines)-12):], "\n"))
}
