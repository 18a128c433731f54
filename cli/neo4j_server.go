package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"membench/cypher/neo4j"
	"membench/cypher/neo4j/server"
	"membench/cypher/neo4j/target"

	"github.com/spf13/cobra"
)

type neo4jUpOptions struct {
	home      string
	engine    string
	version   string
	bolt      int
	http      int
	heap      int // MB
	pageCache int // MB
	timeout   time.Duration
	json      bool
}

func newNeo4jUpCmd(e *env) *cobra.Command {
	o := neo4jUpOptions{engine: "auto", version: server.Default, heap: 1024, pageCache: 256, timeout: 3 * time.Minute}
	c := &cobra.Command{
		Use:   "up",
		Short: "Start a Neo4j Community server with Browser, on this machine only",
		Long: `Start a Neo4j Community server with Browser on 127.0.0.1, and wait until it takes
connections. It stays until 'membench neo4j down'; where it runs already, nothing happens.

With Docker where an engine answers, otherwise as a Java process: then Maven fetches Neo4j's
jars once (about 180 MB, see 'membench neo4j fetch'), and Java 17 or 21 is looked for in
MEMBENCH_JAVA, JAVA_HOME, PATH and the system's folders. Nothing of Neo4j is part of
membench; its own licence, GPLv3, applies to it.

Data, log and configuration are in --home; one folder has one server. The user is
neo4j; the password is NEO4J_PASSWORD, otherwise one is made up. The file neo4j.env of the
folder, readable for its owner alone, holds address, user and a made-up password.
Ports that are not given are the last ones, otherwise 7687 and 7474, otherwise free ones.`,
		Example: `  membench neo4j up
  set -a; . ~/.local/share/membench/neo4j/neo4j.env; set +a; membench load-neo4j out/graph
  membench neo4j up --home /tmp/other --bolt-port 7688 --http-port 7475 --heap 4096
  membench neo4j up --version newest --home /tmp/newest     # wants Java 21 or newer`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case o.engine != "auto" && o.engine != server.Java && o.engine != server.Docker:
				return usagef("--engine: have %s, want auto, %s or %s", o.engine, server.Docker, server.Java)
			case o.bolt < 0 || o.bolt > 65535 || o.http < 0 || o.http > 65535:
				return usagef("a port is a number from 1 to 65535, 0 for a free one")
			case o.bolt == o.http && o.bolt != 0:
				return usagef("--bolt-port and --http-port are both %d", o.bolt)
			case o.heap < 128 || o.pageCache < 8:
				return usagef("--heap must be 128 (MB) or more, --page-cache 8 or more")
			}
			return runNeo4jUp(c.Context(), e, o)
		},
	}
	f := c.Flags()
	addHome(f, &o.home)
	f.StringVar(&o.engine, "engine", o.engine, "start it with this `engine`: docker, java or auto; auto takes the first that is available")
	f.StringVar(&o.version, "version", o.version, "`version` of Neo4j, or newest ("+server.Newest+")")
	f.IntVar(&o.bolt, "bolt-port", 0, "`port` of Bolt; 0: 7687 or a free one")
	f.IntVar(&o.http, "http-port", 0, "`port` of Browser; 0: 7474 or a free one")
	f.IntVar(&o.heap, "heap", o.heap, "most memory of the Java heap, in `MB`")
	f.IntVar(&o.pageCache, "page-cache", o.pageCache, "memory for pages of the store, in `MB`")
	f.DurationVar(&o.timeout, "timeout", o.timeout, "longest `time` to wait until it is ready")
	f.BoolVar(&o.json, "json", false, "print the server as one JSON object")
	return c
}

// neo4jState is what up and status print.
type neo4jState struct {
	server.State
	Secrets string            `json:"env_file,omitzero"` // address, user, password
	Graphs  []neo4j.ScopeSize `json:"graphs,omitzero"`
}

func runNeo4jUp(ctx context.Context, e *env, o neo4jUpOptions) error {
	home, err := target.Home(o.home, e.getenv)
	if err != nil {
		return err
	}
	if o.version == "newest" {
		o.version = server.Newest
	}
	now, err := server.Look(ctx, home)
	if err != nil {
		return err
	}
	if now.Running {
		e.warnf("neo4j: a server is already running in %s", home)
		return printNeo4j(e, neo4jState{State: now, Secrets: target.SecretsFile(home)}, o.json)
	}
	password, ours, err := neo4jPassword(e, home)
	if err != nil {
		return err
	}
	if err := server.CheckPassword(password); err != nil {
		return fmt.Errorf("NEO4J_PASSWORD: %w", err)
	}
	c := server.Config{Home: home, Password: password, BoltPort: o.bolt, HTTPPort: o.http, HeapMB: o.heap, PageCacheMB: o.pageCache, Version: o.version}
	if o.engine == "auto" {
		o.engine = server.Java
		if server.HasDocker(ctx) {
			o.engine = server.Docker
		}
	}
	if o.engine == server.Java {
		if c.Lib, c.Java, err = neo4jJars(ctx, e, o.version); err != nil {
			return err
		}
	}
	// Before the server, whose first start sets this password: it is never known to
	// the server alone.
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	if err := target.WriteSecrets(home, "", password, ours); err != nil {
		return err
	}
	e.warnf("neo4j: starting %s with %s in %s", o.version, o.engine, home)
	began := e.now()
	wait, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	st, err := server.Up(wait, o.engine, c)
	switch {
	case errors.Is(err, server.ErrPort):
		return fmt.Errorf("%w: --bolt-port 0 --http-port 0 takes free ones", err)
	case errors.Is(err, server.ErrNotReady) && ctx.Err() == nil && wait.Err() != nil:
		return fmt.Errorf("%w\nafter %v; --timeout waits longer", err, o.timeout)
	case err != nil:
		return err
	}
	if err := target.WriteSecrets(home, st.URI, password, ours); err != nil {
		return err
	}
	e.warnf("neo4j: ready after %.1f s", e.now().Sub(began).Seconds())
	db, err := neo4j.Open(ctx, neo4j.Config{URI: st.URI, User: "neo4j", Password: password})
	if errors.Is(err, neo4j.ErrAuth) {
		return fmt.Errorf("it runs, but refuses the password: the data in %s were first used with another one; set NEO4J_PASSWORD to that, or remove the folder after 'membench neo4j down'", home)
	}
	if err != nil {
		return err
	}
	db.Close(ctx)
	return printNeo4j(e, neo4jState{State: st, Secrets: target.SecretsFile(home)}, o.json)
}

// neo4jPassword is the password of a home folder; ours is one that we made up, now or
// at an earlier start.
func neo4jPassword(e *env, home string) (password string, ours bool, err error) {
	if p := e.getenv("NEO4J_PASSWORD"); p != "" {
		secrets, err := target.ReadSecrets(home)
		return p, err == nil && secrets["NEO4J_PASSWORD"] == p, err
	}
	secrets, err := target.ReadSecrets(home)
	if err != nil {
		return "", false, err
	}
	if p := secrets["NEO4J_PASSWORD"]; p != "" {
		return p, true, nil
	}
	if _, err := os.Stat(filepath.Join(home, "data")); err == nil {
		return "", false, fmt.Errorf("the data in %s were first used with a password from the environment: set NEO4J_PASSWORD to it", home)
	}
	return rand.Text(), true, nil
}

// neo4jJars finds, or fetches, a version of Neo4j and a Java for it.
func neo4jJars(ctx context.Context, e *env, version string) (lib, java string, err error) {
	// Java first: without it the jars are of no use.
	if java, err = server.FindJava(version, e.getenv("MEMBENCH_JAVA"), javaOf(e.getenv("JAVA_HOME"))); err != nil {
		return "", "", err
	}
	if lib = e.getenv("MEMBENCH_NEO4J_LIB"); lib != "" {
		_, err = server.Version(lib)
		return lib, java, err
	}
	lib, err = fetchNeo4j(ctx, e, version)
	return lib, java, err
}

func javaOf(home string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(home, "bin", "java")
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
	lib, err := server.Fetch(ctx, cache, version, e.err, func(_ int, size int64, _ string) { have.Store(size) })
	end()
	if err != nil {
		return "", err
	}
	if err := server.Warm(ctx, "", lib); err != nil {
		e.warnf("neo4j: servers start more slowly than they could: archiving the classes of %s: %v", lib, err)
	}
	return lib, nil
}

func printNeo4j(e *env, s neo4jState, asJSON bool) error {
	if asJSON {
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
	c := &cobra.Command{
		Use:   "down",
		Short: "End the server that 'up' started; its data stay",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
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
		},
	}
	addHome(c.Flags(), &home)
	return c
}

func newNeo4jStatusCmd(e *env) *cobra.Command {
	var t target.Target
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Say whether the server of 'up' runs, where, and which graphs it holds; exit 1 when none runs",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runNeo4jStatus(c.Context(), e, t, asJSON)
		},
	}
	addHome(c.Flags(), &t.Home)
	c.Flags().BoolVar(&asJSON, "json", false, "print the server as one JSON object")
	return c
}

func runNeo4jStatus(ctx context.Context, e *env, t target.Target, asJSON bool) error {
	home, err := target.Home(t.Home, e.getenv)
	if err != nil {
		return err
	}
	st, err := server.Look(ctx, home)
	if err != nil {
		return err
	}
	if !st.Running {
		if asJSON {
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
	if perr := printNeo4j(e, out, asJSON); perr != nil {
		return perr
	}
	if err != nil {
		return fmt.Errorf("it runs, but cannot be asked: %w", err)
	}
	return nil
}

func newNeo4jFetchCmd(e *env) *cobra.Command {
	version := server.Default
	c := &cobra.Command{
		Use:   "fetch",
		Short: "Fetch the jars of a Neo4j, which 'up' does by itself, and print their folder",
		Long: `Fetch the jars of a Neo4j Community server, its Browser, its admin import and cypher-shell
from Maven Central into ~/.cache/membench/neo4j/VERSION (about 180 MB, once), and print
that folder. Needs mvn and a Java. A machine without network takes the folder from
another one; MEMBENCH_NEO4J_LIB names another place.`,
		Example: `  membench neo4j fetch
  membench neo4j fetch --version newest`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if version == "newest" {
				version = server.Newest
			}
			lib, err := fetchNeo4j(c.Context(), e, version)
			if err != nil {
				return err
			}
			fmt.Fprintln(e.text(), lib)
			return nil
		},
	}
	c.Flags().StringVar(&version, "version", version, "`version` of Neo4j, or newest ("+server.Newest+")")
	return c
}
