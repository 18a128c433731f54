// Package target selects a Neo4j server and connects to it: by address, by the environment, or the local server that package server keeps running.
package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"membench/cypher/neo4j"
	"membench/cypher/neo4j/server"
	"membench/schema"

	"github.com/joho/godotenv"
)

// A Target is a server and one graph in it. Find fills empty members from the environment and from the local server that server.Up started.
type Target struct {
	Home     string // folder of a local server (default MEMBENCH_NEO4J_HOME)
	URI      string // address of the Bolt port (default NEO4J_URI, the local server, bolt://localhost:7687)
	Database string // default the user's home database
	Scope    string // name of the graph among several in a database

	User, Password string
	Browser        string // address of Browser; "" where it is not known

	Warn func(string) // see neo4j.Config
}

// Find decides which server is meant and reads its user and password.
func (t *Target) Find(ctx context.Context, getenv func(string) string) (err error) {
	given := cmp.Or(t.URI, getenv("NEO4J_URI"))
	t.User, t.Password = getenv("NEO4J_USERNAME"), getenv("NEO4J_PASSWORD")
	var own server.State
	if t.Home, err = Home(t.Home, getenv); err == nil {
		own, err = server.Look(ctx, t.Home)
	}
	if err != nil && given == "" {
		return err
	}
	if own.Running && (given == "" || given == own.URI) {
		t.URI, t.Browser = own.URI, own.Browser
		if t.User == "" {
			secrets, err := ReadSecrets(t.Home)
			if err != nil {
				return err
			}
			t.User, t.Password = secrets["NEO4J_USERNAME"], cmp.Or(t.Password, secrets["NEO4J_PASSWORD"])
		}
		return nil
	}
	t.URI = cmp.Or(given, "bolt://localhost:7687")
	return nil
}

// Open finds the server and connects to it.
func (t *Target) Open(ctx context.Context, getenv func(string) string) (*neo4j.DB, error) {
	if err := CheckScope(t.Scope); err != nil {
		return nil, err
	}
	if err := t.Find(ctx, getenv); err != nil {
		return nil, err
	}
	c, err := t.config(getenv)
	if err != nil {
		return nil, err
	}
	db, err := neo4j.Open(ctx, c)
	switch {
	case errors.Is(err, neo4j.ErrURI):
		return nil, &schema.UsageError{Err: err}
	case errors.Is(err, neo4j.ErrUnreachable):
		return nil, fmt.Errorf("%w\n'membench neo4j up' starts a local server", err)
	}
	return db, err
}

// config adds what only the environment says: other ways to log in, certificates.
func (t *Target) config(getenv func(string) string) (neo4j.Config, error) {
	c := neo4j.Config{URI: t.URI, Database: cmp.Or(t.Database, getenv("NEO4J_DATABASE")), User: t.User, Password: t.Password, Scope: t.Scope,
		Token: getenv("NEO4J_TOKEN"), Ticket: getenv("NEO4J_KERBEROS_TICKET"), Impersonate: getenv("NEO4J_IMPERSONATE"),
		CA: getenv("NEO4J_CA"), Cert: getenv("NEO4J_CLIENT_CERT"), Key: getenv("NEO4J_CLIENT_KEY"), Warn: t.Warn}
	if text := getenv("NEO4J_TIMEOUT"); text != "" && c.Timeout == 0 {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return c, schema.Usagef("NEO4J_TIMEOUT: have %q, want a time like 90s", text)
		}
		c.Timeout = d
	}
	return c, nil
}

// CheckScope rejects a graph name that a property cannot hold.
func CheckScope(scope string) error {
	if !utf8.ValidString(scope) || strings.ContainsRune(scope, 0) || len(scope) > 200 {
		return schema.Usagef("--scope: have %q, want UTF-8 of at most 200 bytes without NUL", scope)
	}
	return nil
}

// Home is the folder of the local server: given, MEMBENCH_NEO4J_HOME, or the user's
// data folder.
func Home(given string, getenv func(string) string) (string, error) {
	if home := cmp.Or(given, getenv("MEMBENCH_NEO4J_HOME")); home != "" {
		return filepath.Abs(home)
	}
	return userFolder(getenv, "XDG_DATA_HOME", ".local/share")
}

// Cache is the folder in which Fetch keeps Neo4j's jars, one folder for each version.
func Cache(getenv func(string) string) (string, error) {
	return userFolder(getenv, "XDG_CACHE_HOME", ".cache")
}

// userFolder is this program's folder below one of the user's, as the XDG base
// directory specification names them.
func userFolder(getenv func(string) string, variable, fallback string) (string, error) {
	base := getenv(variable)
	if base == "" {
		home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
		if home == "" {
			return "", fmt.Errorf("no home folder is known: set HOME or %s", variable)
		}
		base = filepath.Join(home, filepath.FromSlash(fallback))
	}
	return filepath.Join(base, "membench", "neo4j"), nil
}

// SecretsFile is the file of a home folder with address, user and password, in the
// form that a shell and .env readers take.
func SecretsFile(home string) string { return filepath.Join(home, "neo4j.env") }

// ReadSecrets reads SecretsFile; a file that does not exist is empty.
func ReadSecrets(home string) (map[string]string, error) {
	m, err := godotenv.Read(SecretsFile(home))
	if errors.Is(err, os.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", SecretsFile(home), err)
	}
	return m, nil
}

// WriteSecrets writes the file for its owner alone. The password is written only when
// it was made here: one from the environment is already in its owner's hands.
func WriteSecrets(home, uri, password string, made bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by 'membench neo4j up': set -a; . %s; set +a\n", "'"+strings.ReplaceAll(SecretsFile(home), "'", `'\''`)+"'")
	if uri != "" {
		fmt.Fprintf(&b, "NEO4J_URI=%s\n", uri)
	}
	b.WriteString("NEO4J_USERNAME=neo4j\n")
	if made {
		fmt.Fprintf(&b, "NEO4J_PASSWORD=%s\n", password)
	} else {
		b.WriteString("# NEO4J_PASSWORD is the one that the environment had at the first start.\n")
	}
	name := SecretsFile(home)
	if err := os.WriteFile(name+".new", []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// BrowserBeside is where a server at a Bolt address usually serves Browser.
func BrowserBeside(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Hostname() == "" {
		return "http://localhost:7474/browser/"
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if strings.HasSuffix(u.Scheme, "+s") || strings.HasSuffix(u.Scheme, "+ssc") {
		return "https://" + host + ":7473/browser/"
	}
	return "http://" + host + ":7474/browser/"
}
