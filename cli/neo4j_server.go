package cli

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"membench/cypher/neo4j"
	"membench/cypher/neo4j/server"
	"membench/cypher/neo4j/target"

	"github.com/spf13/cobra"
)

type neo4jUpOptions struct {
	target.UpOptions
}

func newNeo4jUpCmd(e *env) *cobra.Command {
	var o neo4jUpOptions
	o.Version, o.HeapMB, o.PageCacheMB, o.Timeout = server.Default, 1024, 256, 3*time.Minute
	engine := "auto"
	c := verb("up", "Start a Neo4j Community server with Browser, on this machine only", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		switch {
		case o.BoltPort < 0 || o.BoltPort > 65535 || o.HTTPPort < 0 || o.HTTPPort > 65535:
			return usagef("a port is a number from 1 to 65535, 0 for a free one")
		case o.BoltPort == o.HTTPPort && o.BoltPort != 0:
			return usagef("--bolt-port and --http-port are both %d", o.BoltPort)
		case o.HeapMB < 128 || o.PageCacheMB < 8:
			return usagef("--heap must be 128 (MB) or more, --page-cache 8 or more")
		}
		if engine != "auto" {
			o.Engine = engine
		}
		return runNeo4jUp(c.Context(), e, o)
	})
	f := c.Flags()
	addHome(f, &o.Home)
	f.StringVar(&engine, "engine", engine, "start it with this `engine`: docker, java or auto; auto takes the first that is available")
	f.StringVar(&o.Version, "version", o.Version, "`version` of Neo4j, or newest ("+server.Newest+")")
	f.IntVar(&o.BoltPort, "bolt-port", 0, "`port` of Bolt; 0: 7687 or a free one")
	f.IntVar(&o.HTTPPort, "http-port", 0, "`port` of Browser; 0: 7474 or a free one")
	f.IntVar(&o.HeapMB, "heap", o.HeapMB, "most memory of the Java heap, in `MB`")
	f.IntVar(&o.PageCacheMB, "page-cache", o.PageCacheMB, "memory for pages of the store, in `MB`")
	f.DurationVar(&o.Timeout, "timeout", o.Timeout, "longest `time` to wait until it is ready")
	f.BoolVar(&e.json, "json", false, "print the server as one JSON object")
	return c
}

// neo4jState is the output of up and status.
type neo4jState struct {
	server.State
	Secrets string            `json:"env_file,omitzero"` // address, user, password
	Graphs  []neo4j.ScopeSize `json:"graphs,omitzero"`
}

func runNeo4jUp(ctx context.Context, e *env, o neo4jUpOptions) error {
	if o.Version == "newest" {
		o.Version = server.Newest
	}
	var began time.Time
	o.Getenv, o.Fetch = e.getenv, func(ctx context.Context, version string) (string, error) { return fetchNeo4j(ctx, e, version) }
	o.Starting = func(engine, home string) {
		e.warnf("neo4j: starting %s with %s in %s", o.Version, engine, home)
		began = e.now()
	}
	st, started, err := target.Up(ctx, o.UpOptions)
	switch {
	case started:
		e.warnf("neo4j: ready after %.1f s", e.now().Sub(began).Seconds())
	case err == nil:
		e.warnf("neo4j: a server is already running in %s", st.Home)
	}
	if err != nil {
		return err
	}
	return printNeo4j(e, neo4jState{State: st, Secrets: target.SecretsFile(st.Home)})
}

func fetchNeo4j(ctx context.Context, e *env, version string) (string, error) {
	cache, err := target.Cache(e.getenv)
	if err != nil {
		return "", err
	}
	if _, err := server.Version(server.Lib(cache, version)); err != nil {
		e.warnf("neo4j: fetching Neo4j %s from Maven Central into %s, about 180 MB, once", version, cache)
	}
	var have atomic.Int64
	end := e.following("neo4j fetch", func() state { return state{done: have.Load(), of: 180e6, bytes: true} })
	defer end()
	return server.Fetch(ctx, cache, version, e.err, func(_ int, size int64, _ string) { have.Store(size) }, func(err error) {
		e.warnf("neo4j: servers start more slowly than they could: archiving the classes of %s: %v", server.Lib(cache, version), err)
	})
}

func printNeo4j(e *env, s neo4jState) error {
	if e.json {
		return writeJSON(e.out, s)
	}
	by := fmt.Sprintf("process %d", s.PID)
	if s.Container != "" {
		by = "container " + s.Container
	}
	fmt.Fprintf(e.text(), "Neo4j %s, %s\nBrowser  %s\nBolt     %s\nUser     neo4j\nSecrets  %s\n", s.Version, by, s.Browser, s.URI, s.Secrets)
	for _, g := range s.Graphs {
		fmt.Fprintf(e.text(), "Graph    %s: %d nodes\n", cmp.Or(g.Scope, "(unnamed)"), g.Nodes)
	}
	return nil
}

func newNeo4jDownCmd(e *env) *cobra.Command {
	var home string
	c := verb("down", "Stop the server that 'up' started; its data are kept", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		home, err := target.Home(home, e.getenv)
		if err != nil {
			return err
		}
		was, killed, err := server.Down(c.Context(), home)
		switch {
		case err != nil:
			return err
		case !was.Running:
			e.warnf("neo4j: no server runs in %s", home)
		case killed:
			e.warnf("neo4j: killed; its data are recovered at the next start")
		default:
			e.warnf("neo4j: ended; its data stay in %s", home)
		}
		return nil
	})
	addHome(c.Flags(), &home)
	return c
}

func newNeo4jStatusCmd(e *env) *cobra.Command {
	var t target.Target
	c := verb("status", "Show whether the server of 'up' runs, where, and which graphs it holds; exit 1 when none runs",
		cobra.NoArgs, func(c *cobra.Command, _ []string) error {
			return runNeo4jStatus(c.Context(), e, t)
		})
	addHome(c.Flags(), &t.Home)
	c.Flags().BoolVar(&e.json, "json", false, "print the server as one JSON object")
	return c
}

func runNeo4jStatus(ctx context.Context, e *env, t target.Target) error {
	home, err := target.Home(t.Home, e.getenv)
	if err != nil {
		return err
	}
	st, err := server.Look(ctx, home)
	if err != nil {
		return err
	}
	if !st.Running {
		if e.json {
			if err := writeJSON(e.out, neo4jState{State: st}); err != nil {
				return err
			}
		}
		return fmt.Errorf("no server runs in %s: 'membench neo4j up' starts one", home)
	}
	out := neo4jState{State: st, Secrets: target.SecretsFile(home)}
	t.URI = st.URI
	db, err := t.Open(ctx, e.getenv)
	if err == nil {
		defer db.Close(ctx)
		out.Graphs, err = db.Scopes(ctx)
	}
	if perr := printNeo4j(e, out); perr != nil {
		return perr
	}
	if err != nil {
		return fmt.Errorf("it runs, but cannot be asked: %w", err)
	}
	return nil
}

func newNeo4jFetchCmd(e *env) *cobra.Command {
	version := server.Default
	c := verb("fetch", "Fetch the jars of a Neo4j, which 'up' does by itself, and print their folder", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if version == "newest" {
			version = server.Newest
		}
		lib, err := fetchNeo4j(c.Context(), e, version)
		if err != nil {
			return err
		}
		fmt.Fprintln(e.text(), lib)
		return nil
	})
	c.Flags().StringVar(&version, "version", version, "`version` of Neo4j, or newest ("+server.Newest+")")
	return c
}
