package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"membench/cypher/neo4j"
	"membench/cypher/neo4j/server"

	"github.com/joho/godotenv"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newNeo4jCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "neo4j",
		Short: "Start, look at, describe and empty a Neo4j",
		Long: `Start a Neo4j Community server of one's own on this machine (up, down, status, fetch), and
look at what a server holds, one's own or any other (browser, schema, clear).

Which server: --uri, else NEO4J_URI with NEO4J_USERNAME and NEO4J_PASSWORD, in the
environment or a .env file, else the one that 'membench neo4j up' started, whose
address and password stand in its folder (--home).`,
		Example: `  membench neo4j up
  membench demo -o out/demo && set -a && . ~/.local/share/membench/neo4j/neo4j.env && set +a
  membench load-neo4j out/demo/steps/graph --verify
  membench neo4j browser -o out/browser
  membench neo4j down`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newNeo4jUpCmd(e), newNeo4jDownCmd(e), newNeo4jStatusCmd(e), newNeo4jFetchCmd(e),
		newNeo4jBrowserCmd(e), newNeo4jSchemaCmd(e), newNeo4jClearCmd(e))
	return c
}

// neo4jTarget is which server and which graph in it.
type neo4jTarget struct {
	home     string
	uri      string
	database string
	scope    string

	user, password string
	browser        string // address of Browser, where it is known
}

func (t *neo4jTarget) addFlags(e *env, fs *pflag.FlagSet) {
	addHome(e, fs, &t.home)
	fs.StringVar(&t.uri, "uri", "", "`address` of the server's Bolt port (default NEO4J_URI, else the server of --home, else bolt://localhost:7687)")
	fs.StringVar(&t.database, "database", "", "`name` of the database (default the user's home database)")
	fs.StringVar(&t.scope, "scope", "", "`name` of the graph, where a database holds several")
}

// addHome adds --home, the folder of a server of one's own.
func addHome(e *env, fs *pflag.FlagSet, home *string) {
	fs.StringVar(home, "home", "", "`folder` of the server that 'up' starts (default MEMBENCH_NEO4J_HOME, else "+neo4jHomeDoc+")")
}

const neo4jHomeDoc = "~/.local/share/membench/neo4j"

func neo4jHome(e *env, flag string) (string, error) {
	if home := cmp.Or(flag, e.getenv("MEMBENCH_NEO4J_HOME")); home != "" {
		return filepath.Abs(home)
	}
	return userFolder(e, "XDG_DATA_HOME", ".local/share", "neo4j")
}

// userFolder is a folder of this program below one of the user's, as the XDG base
// directories name them.
func userFolder(e *env, variable, fallback, name string) (string, error) {
	base := e.getenv(variable)
	if base == "" {
		home := cmp.Or(e.getenv("HOME"), e.getenv("USERPROFILE"))
		if home == "" {
			return "", fmt.Errorf("no home folder is known: set HOME or %s", variable)
		}
		base = filepath.Join(home, filepath.FromSlash(fallback))
	}
	return filepath.Join(base, "membench", name), nil
}

// find says which server is meant.
func (t *neo4jTarget) find(ctx context.Context, e *env) (err error) {
	given := cmp.Or(t.uri, e.getenv("NEO4J_URI"))
	t.user, t.password = e.getenv("NEO4J_USERNAME"), e.getenv("NEO4J_PASSWORD")
	var own server.State
	if t.home, err = neo4jHome(e, t.home); err == nil {
		own, err = server.Look(ctx, t.home)
	}
	if err != nil && given == "" {
		return err
	}
	if own.Running && (given == "" || given == own.URI) {
		t.uri, t.browser = own.URI, own.Browser
		if t.user == "" {
			secrets, err := readSecrets(t.home)
			if err != nil {
				return err
			}
			t.user, t.password = secrets["NEO4J_USERNAME"], cmp.Or(t.password, secrets["NEO4J_PASSWORD"])
		}
		return nil
	}
	t.uri = cmp.Or(given, "bolt://localhost:7687")
	return nil
}

// open connects.
func (t *neo4jTarget) open(ctx context.Context, e *env) (*neo4j.DB, error) {
	if err := checkScope(t.scope); err != nil {
		return nil, err
	}
	if err := t.find(ctx, e); err != nil {
		return nil, err
	}
	db, err := neo4j.Open(ctx, neo4j.Config{URI: t.uri, Database: t.database, User: t.user, Password: t.password, Scope: t.scope})
	switch {
	case errors.Is(err, neo4j.ErrURI):
		return nil, usageError{err}
	case errors.Is(err, neo4j.ErrUnreachable):
		return nil, fmt.Errorf("%w\n'membench neo4j up' starts one of your own", err)
	}
	return db, err
}

// secretsFile is the file of a home folder that a shell or a .env reader takes.
func secretsFile(home string) string { return filepath.Join(home, "neo4j.env") }

func readSecrets(home string) (map[string]string, error) {
	m, err := godotenv.Read(secretsFile(home))
	if errors.Is(err, os.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", secretsFile(home), err)
	}
	return m, nil
}

// writeSecrets writes the file for its owner alone. A password that came from the
// environment is not written: whoever gave it has it.
func writeSecrets(home, uri, password string, ours bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by 'membench neo4j up': set -a; . %s; set +a\n", "'"+strings.ReplaceAll(secretsFile(home), "'", `'\''`)+"'")
	if uri != "" {
		fmt.Fprintf(&b, "NEO4J_URI=%s\n", uri)
	}
	b.WriteString("NEO4J_USERNAME=neo4j\n")
	if ours {
		fmt.Fprintf(&b, "NEO4J_PASSWORD=%s\n", password)
	} else {
		b.WriteString("# NEO4J_PASSWORD is the one that the environment had at the first start.\n")
	}
	name := secretsFile(home)
	if err := os.WriteFile(name+".new", []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
