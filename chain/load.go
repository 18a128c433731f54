package chain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"membench/cypher"
	"membench/cypher/neo4j"
	"membench/cypher/neo4j/target"
	"membench/graph"
	"membench/graphir/export"
	"membench/internal/build"
	"membench/llm"
	"membench/schema"
	"membench/schema/validate"
)

// LoadOptions of Load.
type LoadOptions struct {
	Shared
	Graph    string            // folder of a graph, a file or "-" of elements; "" with Changes alone
	Old      string            // folder of the graph in the database: only differences are sent; "": everything is
	Changes  string            // file or "-" of changes, in place of the graph; "": none
	Catalogs []string          // that add to the vocabulary
	Target   target.Target     // the server, and one graph in it
	Send     neo4j.LoadOptions // Catalog and Report are set by Load
	Wait     time.Duration     // for another program that writes to the graph
	Index    bool              // make the full-text index, too
	Embed    llm.Embedder      // makes vectors of claims and memories; nil: none
	Verify   bool              // read everything back and compare it with Graph
	Repair   bool              // with Verify: write missing and different elements

	Getenv   func(string) string // as Target.Open takes it
	Part     func(name string)   // called when a part after sending begins; nil: not called
	Embedded func(n int)         // called with how many vectors are made so far
	Waiting  func(error)         // called with why the load waits
	Differs  func()              // called where the database does not hold Old: hashes are then compared
}

// LoadStep is the name of Load in findings and errors, Vectors the name of the part in which vectors are made.
const (
	LoadStep = "load-neo4j"
	Vectors  = "vectors"
)

// Load loads a graph into a running Neo4j. Before anything is sent, the graph passes the check
// that every writer shares. The report is there, too, where the sending ended with an error.
func Load(ctx context.Context, o LoadOptions) (*neo4j.Report, error) {
	if o.Part == nil {
		o.Part = func(string) {}
	}
	f := o.frame(LoadStep, schema.Latest, "", false)
	defer f.Close()
	// Inputs first: a wrong path or graph should not wait for a server.
	var err error
	if o.Send.Catalog, err = LoadCatalog(o.Catalogs); err != nil {
		return nil, err
	}
	in, err := o.checked(ctx, f)
	if err != nil {
		return nil, err
	}
	if in != nil {
		defer in.Close()
	}
	send, err := neo4j.Input{Graph: in, Old: o.Old, Changes: o.Changes, Stdin: f.Stdin, Differs: o.Differs}.Sender(ctx)
	if err != nil {
		return nil, err
	}
	o.Send.Report = f.Found
	db, err := o.Target.Open(ctx, o.Getenv)
	if err != nil {
		return nil, err
	}
	defer db.Close(context.WithoutCancel(ctx))
	if !o.Send.DryRun {
		// The following steps belong together: load, deletes, index, reading back, repair.
		release, err := db.Hold(ctx, neo4j.HoldOptions{Wait: o.Wait, Waiting: o.Waiting})
		if err != nil {
			return nil, err
		}
		defer release()
	}
	if o.Strict && !o.Send.DryRun {
		if err := o.try(ctx, f, db, send); err != nil {
			return nil, err
		}
	}
	rep, err := send(ctx, db, o.Send)
	if err != nil {
		return rep, err
	}
	if err := o.finish(ctx, db, in, rep); err != nil {
		return nil, err
	}
	if rep.Findings = f.ByCode; rep.Findings == nil {
		rep.Findings = map[string]int{}
	}
	f.Taken = rep.Nodes.Sent + rep.Edges.Sent
	return rep, f.Verdict()
}

// try sends everything without writing, and fails where something is lost.
func (o LoadOptions) try(ctx context.Context, f *build.Frame, db *neo4j.DB, send func(context.Context, *neo4j.DB, neo4j.LoadOptions) (*neo4j.Report, error)) error {
	trial := build.Frame{Step: f.Step, Strict: true, Accept: f.Accept, Rejected: f.Rejected, Faulty: f.Faulty}
	var found []*schema.Finding // the load finds them again
	so := o.Send
	so.DryRun, so.Progress, so.Report = true, nil, func(x *schema.Finding) { found = append(found, x); trial.Found(x) }
	tried, err := send(ctx, db, so)
	if err == nil {
		trial.Taken = tried.Nodes.Sent + tried.Edges.Sent
		err = trial.Check()
	}
	if err != nil {
		for _, x := range found {
			f.Found(x)
		}
	}
	return err
}

// finish runs the steps after sending.
func (o LoadOptions) finish(ctx context.Context, db *neo4j.DB, in *graph.Gate, rep *neo4j.Report) error {
	if o.Index && !o.Send.DryRun {
		o.Part("text index")
		made, err := db.EnsureTextIndex(ctx)
		if err != nil {
			return err
		}
		rep.Indexes = append(rep.Indexes, made...)
	}
	if o.Embed != nil {
		o.Part(Vectors)
		done, err := neo4j.Embed(ctx, db, o.Embed, o.Embedded)
		if err != nil {
			return err
		}
		rep.Embedded = &done
	}
	if o.Verify {
		o.Part("reading back")
		var err error
		rep.Verified, err = neo4j.Verify(ctx, db, in.Elements(), neo4j.VerifyOptions{Repair: o.Repair, Exact: o.Send.Exact, Report: o.Send.Report})
		return err
	}
	return nil
}

// checked passes the graph through the gate of every writer, and fails if rejected elements forbid the load. The gate is nil if there are only changes.
func (o LoadOptions) checked(ctx context.Context, f *build.Frame) (*graph.Gate, error) {
	if o.Graph == "" {
		return nil, nil
	}
	src, err := graphSource(ctx, f, []string{o.Graph}, 2) // the gate's look, and this one
	if err != nil {
		return nil, err
	}
	gate, err := graph.NewGate(ctx, src, graph.GateOptions{Keep: true, Once: o.Graph == "-", Report: f.Found})
	if err != nil {
		return nil, err
	}
	if err := o.allowed(ctx, f, gate); err != nil {
		return nil, errors.Join(err, gate.Close())
	}
	return gate, nil
}

func (o LoadOptions) allowed(ctx context.Context, f *build.Frame, gate *graph.Gate) error {
	files, err := graph.Files(o.Graph)
	if err != nil {
		return err
	}
	err = Rules(ctx, files, RulesOptions{Catalog: o.Send.Catalog, Digest: f.WasRead, Gated: true, Rejected: f.Rejected > 0, Renamed: true, Report: func(x *schema.Finding) {
		if !x.Warning || !validate.Vocabulary(x.Code) { // the load warns of the vocabulary itself
			f.FoundIn(x)
		}
	}})
	if err != nil {
		return err
	}
	for _, err := range gate.Elements() {
		if err != nil {
			return err
		}
		f.Taken++
		if f.Rejected+f.Faulty == 0 {
			return nil
		}
	}
	return f.CheckAs(f.Strict || o.Send.Prune || o.Old != "") // otherwise rejected elements would be deleted
}

// BulkOptions of LoadBulk.
type BulkOptions struct {
	Shared
	Graph     string   // folder of a graph
	Catalogs  []string // that add to the vocabulary
	Home      string   // folder of the server; "": as target.Admin finds it
	Database  string
	Scope     string // of the graph among several in one database
	Overwrite bool   // replace the content of the stopped database
	Getenv    func(string) string
}

// A BulkReport is the result of LoadBulk.
type BulkReport struct {
	Database string         `json:"database"`
	Scope    string         `json:"scope,omitzero"`
	Nodes    int            `json:"nodes"`
	Edges    int            `json:"edges"`
	LeftOut  int            `json:"left_out"`
	Moved    int            `json:"moved"` // values that the import cannot hold: the next load puts them right
	Findings map[string]int `json:"findings"`
}

// LoadBulk fills an empty, stopped database on this machine: it writes temporary CSV files and imports them with neo4j-admin. After a following Load, the
// result is the same as Load's alone.
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

// bulkFault returns the fix for a failed import; the tool's own message is long.
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
