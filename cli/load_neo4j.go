package cli

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"

	"membench/chain"
	"membench/cypher/neo4j"
	"membench/cypher/neo4j/target"
	"membench/internal/build"
	"membench/llm"
	"membench/llm/hashing"
	"membench/llm/openai"
	"membench/schema"

	"github.com/spf13/cobra"
)

type loadNeo4jOptions struct {
	chain.LoadOptions
	stepFlags
	delta string // liveDelta, or the folder of the graph that the database holds
	embed string // hash, a model's name, or "": no vectors

	bulk, overwrite bool
	home            string
}

// liveDelta is --delta without a folder: the old graph is the content of the database.
const liveDelta = "the database"

func newLoadNeo4jCmd(e *env) *cobra.Command {
	var o loadNeo4jOptions
	c := verb("load-neo4j GRAPH_DIR", "Load a graph into a running Neo4j", cobra.MaximumNArgs(2), func(c *cobra.Command, args []string) error {
		switch keep := c.Flags().Lookup("keep-foreign").Value.String() == "true"; {
		case len(args) == 2 && o.delta == liveDelta:
			return usagef("have two folders: write --delta=OLD_DIR, with an equals sign")
		case len(args) == 2 && c.Flags().Changed("wait"):
			return usagef("have two folders: write --wait=TIME, with an equals sign")
		case len(args) == 2:
			return usagef("have two folders, want one GRAPH_DIR")
		case len(args) == 0 && o.Changes == "":
			return usagef("no graph: give the folder that to-graph wrote")
		case o.Changes != "" && o.delta != "":
			return usagef("--changes and --delta exclude each other")
		case o.Changes != "" && len(args) == 1 && !o.Verify:
			return usagef("with --changes, GRAPH_DIR is only for --verify to compare with")
		case o.Changes != "" && len(args) == 0 && o.Verify:
			return usagef("--verify wants the GRAPH_DIR that the database holds after --changes")
		case o.Verify && o.Send.DryRun:
			return usagef("--verify and --dry-run exclude each other: nothing was loaded that could be read back")
		case o.Repair && !o.Verify:
			return usagef("--repair needs --verify, which finds what to repair")
		case o.Send.Sessions < 1 || o.Send.Sessions > 32:
			return usagef("--sessions: have %d, want 1 to 32", o.Send.Sessions)
		case o.embed != "" && o.Send.DryRun:
			return usagef("--embed and --dry-run exclude each other")
		case o.Wait < 0:
			return usagef("--wait: have %s, want a time like 5m", o.Wait)
		case c.Flags().Changed("keep-foreign") && keep == o.Send.Exact:
			return usagef("--keep-foreign and --exact are opposites: give one of them")
		case o.Send.Batch < 1:
			return usagef("--batch: have %d, want 1 or more", o.Send.Batch)
		}
		if len(args) == 1 {
			o.Graph = args[0]
		}
		if twice := o.Verify || o.strict; twice && (o.Graph == "-" || o.Changes == "-" && o.strict) {
			return usagef("--verify and --strict read the input twice: give a folder, not standard input")
		}
		if err := target.CheckScope(o.Target.Scope); err != nil {
			return err
		}
		if o.bulk {
			return bulkNeo4j(c, e, o)
		}
		if o.home != "" || o.overwrite {
			return usagef("--home and --overwrite need --bulk")
		}
		return runLoadNeo4j(c.Context(), e, o)
	})
	f := c.Flags()
	f.StringVar(&o.Target.URI, "uri", "", "`address` of the server's Bolt port (default NEO4J_URI, otherwise the server of 'membench neo4j up', otherwise bolt://localhost:7687)")
	f.StringVar(&o.Target.Database, "database", "", "`name` of the database (default NEO4J_DATABASE, otherwise the user's home database)")
	f.StringVar(&o.delta, "delta", "", "send what differs from the graph in `OLD_DIR`; without a folder, from the database")
	f.Lookup("delta").NoOptDefVal = liveDelta
	f.StringVar(&o.Changes, "changes", "", "send the changes in `file`")
	f.IntVar(&o.Send.Batch, "batch", neo4j.DefaultBatch, "`number` of elements in a transaction")
	f.BoolVar(&o.Send.DryRun, "dry-run", false, "report what would change in the database, write nothing")
	o.stepFlags.add(c, 20)
	f.BoolVar(&o.Send.Rewrite, "rewrite", false, "also write elements whose stored _hash is current: repairs manual changes")
	f.IntVar(&o.Send.Sessions, "sessions", 2, "`number` of transactions at the same time, of rows that cannot lock each other")
	f.StringVar(&o.Target.Scope, "scope", "", "`name` of this graph among several in one database")
	f.BoolVar(&o.Index, "index", true, "make the full-text index for search")
	f.StringVar(&o.embed, "embed", "", "add vectors of claims and memories by `embedder`: hash, or a model's name")
	f.Lookup("embed").NoOptDefVal = "hash"
	f.BoolVar(&o.Send.Exact, "exact", false, "remove labels and properties that other programs added, and take over their elements that have an id of the graph")
	f.Bool("keep-foreign", true, "keep what other programs added: the default, the opposite of --exact")
	f.DurationVar(&o.Wait, "wait", 0, "wait for at most this `time` while another program writes to the graph")
	f.Lookup("wait").NoOptDefVal = "10m"
	f.BoolVar(&o.Repair, "repair", false, "with --verify: write what is missing or different")
	f.BoolVar(&o.Verify, "verify", false, "read every element back and compare it")
	f.StringArrayVar(&o.Catalogs, "catalog", nil, "`file` that adds to the vocabulary; may be repeated")
	f.BoolVar(&o.bulk, "bulk", false, "fill an empty, stopped database through neo4j-admin's import")
	f.StringVar(&o.home, "home", "", "with --bulk: `folder` of the server (default NEO4J_HOME)")
	f.BoolVar(&o.overwrite, "overwrite", false, "with --bulk: replace what the stopped database holds")
	f.BoolVar(&e.json, "json", false, "print the report as one JSON object")
	return c
}

func runLoadNeo4j(ctx context.Context, e *env, o loadNeo4jOptions) error {
	defer smallMemory(e, loadGC)()
	started := e.now()
	var err error
	if o.Embed, err = o.embedder(e); err != nil {
		return err
	}
	var sent, embedded atomic.Int64
	of := int64(0)
	if o.Graph != "" && o.Graph != "-" {
		of = manifestCount(o.Graph)
	}
	finished := e.following(chain.LoadStep, func() state {
		if n := sent.Load(); n > 0 {
			return state{done: n, of: of, unit: "nodes and edges"}
		}
		return e.meter.part.read() // the graph is checked before anything is sent
	})
	defer finished()
	o.Target.Warn = func(text string) { e.warnf("load-neo4j: the server warns: %s", text) }
	o.Send.Progress = func(r *neo4j.Report) { sent.Store(int64(r.Nodes.Sent + r.Edges.Sent)) }
	o.Part = func(name string) {
		var source func() state
		if name == chain.Vectors {
			source = func() state { return state{done: embedded.Load(), unit: "vectors"} }
		}
		e.meter.begin(chain.LoadStep+": "+name, source)
	}
	o.Embedded = func(n int) { embedded.Store(int64(n)) }
	o.Waiting = func(why error) { e.warnf("load-neo4j: %v; waiting", why) }
	o.Differs = func() { e.warnf("load-neo4j: the database was changed since %s was loaded: comparing hashes", o.delta) }
	o.Getenv = e.getenv
	if o.Send.Prune = o.delta == liveDelta; !o.Send.Prune {
		o.Old = o.delta
	}
	return o.run(e, func(with chain.Shared) error {
		o.Shared = with
		rep, err := chain.Load(ctx, o.LoadOptions)
		if !wrote(err) {
			if rep != nil && rep.Changed() && !o.Send.DryRun {
				e.warnf("load-neo4j: stopped after %d nodes and %d edges; the same command continues from there", rep.Nodes.Sent, rep.Edges.Sent)
			}
			return err
		}
		if e.json {
			err = errors.Join(writeJSON(e.out, rep), err)
		} else {
			err = errors.Join(rep.Write(e.text()), err)
		}
		took := e.now().Sub(started)
		n := rep.Nodes.Sent + rep.Edges.Sent
		e.warnf("load-neo4j: %d elements in %.1f s (%.0f a second)", n, took.Seconds(), float64(n)/max(took.Seconds(), 1e-3))
		return err
	})
}

// manifestCount returns the number of elements in the graph's manifest, 0 if unknown.
func manifestCount(path string) int64 {
	m, err := build.ReadManifest(filepath.Join(path, "manifest.json"))
	if err != nil {
		return 0
	}
	return int64(m.Counts["nodes"] + m.Counts["edges"])
}

// embedder makes the embedder that --embed names, nil for none.
func (o loadNeo4jOptions) embedder(e *env) (llm.Embedder, error) {
	switch o.embed {
	case "":
		return nil, nil
	case "hash":
		return hashing.New(0), nil
	}
	c, err := openai.New(openai.Options{BaseURL: cmp.Or(e.getenv("EMBEDDING_BASE_URL"), e.getenv("LOCAL_EMBEDDING_BASE_URL"), e.getenv("OPENAI_BASE_URL")),
		Key: cmp.Or(e.getenv("EMBEDDING_API_KEY"), e.getenv("LOCAL_EMBEDDING_API_KEY"), e.getenv("OPENAI_API_KEY")), Model: o.embed})
	if err != nil {
		return nil, &schema.UsageError{Err: err}
	}
	return c, nil
}
