package target

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"membench/cypher/neo4j"
	"membench/cypher/neo4j/server"
)

// UpOptions of Up.
type UpOptions struct {
	server.Config               // Password, Lib and Java are found; Home "" is that of Home
	Engine        string        // server.Java | server.Docker; "": Docker if an engine answers, otherwise Java
	Timeout       time.Duration // until it takes connections; 0: as long as ctx

	Getenv   func(string) string
	Fetch    func(ctx context.Context, version string) (lib string, err error) // nil: server.Fetch into Cache
	Starting func(engine, home string)                                         // called before it starts; nil: not called
}

// Up starts the local server of a home folder, with a generated password if the environment has none, and waits until it accepts connections. A running server
// is left unchanged, and started is false.
func Up(ctx context.Context, o UpOptions) (st server.State, started bool, err error) {
	if o.Home, err = Home(o.Home, o.Getenv); err != nil {
		return st, false, err
	}
	if st, err = server.Look(ctx, o.Home); err != nil || st.Running {
		return st, false, err
	}
	var ours bool
	if o.Password, ours, err = password(o.Home, o.Getenv); err != nil {
		return st, false, err
	}
	if err := server.CheckPassword(o.Password); err != nil {
		return st, false, fmt.Errorf("NEO4J_PASSWORD: %w", err)
	}
	if o.Engine == "" {
		o.Engine = server.Java
		if server.HasDocker(ctx) {
			o.Engine = server.Docker
		}
	}
	if o.Engine == server.Java {
		if err := o.findJars(ctx); err != nil {
			return st, false, err
		}
	}
	// Before the server, whose first start sets this password: it is never known to
	// the server alone.
	if err := os.MkdirAll(o.Home, 0o755); err != nil {
		return st, false, err
	}
	if err := WriteSecrets(o.Home, "", o.Password, ours); err != nil {
		return st, false, err
	}
	if o.Starting != nil {
		o.Starting(o.Engine, o.Home)
	}
	if st, err = o.start(ctx); err != nil {
		return st, false, err
	}
	if err := WriteSecrets(o.Home, st.URI, o.Password, ours); err != nil {
		return st, true, err
	}
	db, err := neo4j.Open(ctx, neo4j.Config{URI: st.URI, User: "neo4j", Password: o.Password})
	if errors.Is(err, neo4j.ErrAuth) {
		return st, true, fmt.Errorf("it runs, but refuses the password: the data in %s were first used with another one; set NEO4J_PASSWORD to that, or remove the folder after 'membench neo4j down'", o.Home)
	}
	if err == nil {
		db.Close(ctx)
	}
	return st, true, err
}

func (o UpOptions) start(ctx context.Context) (server.State, error) {
	wait, cancel := ctx, context.CancelFunc(func() {})
	if o.Timeout > 0 {
		wait, cancel = context.WithTimeout(ctx, o.Timeout)
	}
	defer cancel()
	st, err := server.Up(wait, o.Engine, o.Config)
	switch {
	case errors.Is(err, server.ErrPort):
		return st, fmt.Errorf("%w: --bolt-port 0 --http-port 0 takes free ones", err)
	case errors.Is(err, server.ErrNotReady) && ctx.Err() == nil && wait.Err() != nil:
		return st, fmt.Errorf("%w\nafter %v; --timeout waits longer", err, o.Timeout)
	}
	return st, err
}

// password is the password of a home folder; ours is one that we made up, now or at an
// earlier start.
func password(home string, getenv func(string) string) (password string, ours bool, err error) {
	secrets, err := ReadSecrets(home)
	kept := secrets["NEO4J_PASSWORD"]
	if p := getenv("NEO4J_PASSWORD"); p != "" || err != nil {
		return p, err == nil && kept == p, err
	}
	if kept != "" {
		return kept, true, nil
	}
	if _, err := os.Stat(filepath.Join(home, "data")); err == nil {
		return "", false, fmt.Errorf("the data in %s were first used with a password from the environment: set NEO4J_PASSWORD to it", home)
	}
	return rand.Text(), true, nil
}

// findJars finds, or fetches, a version of Neo4j and a Java for it.
func (o *UpOptions) findJars(ctx context.Context) (err error) {
	java := ""
	if home := o.Getenv("JAVA_HOME"); home != "" {
		java = filepath.Join(home, "bin", "java")
	}
	// Java first: without it the jars are of no use.
	if o.Java, err = server.FindJava(o.Version, o.Getenv("MEMBENCH_JAVA"), java); err != nil {
		return err
	}
	if o.Lib = o.Getenv("MEMBENCH_NEO4J_LIB"); o.Lib != "" {
		_, err = server.Version(o.Lib)
		return err
	}
	if o.Fetch != nil {
		o.Lib, err = o.Fetch(ctx, o.Version)
		return err
	}
	cache, err := Cache(o.Getenv)
	if err == nil {
		o.Lib, err = server.Fetch(ctx, cache, o.Version, io.Discard, nil, func(error) {})
	}
	return err
}

// Admin finds neo4j-admin: the program in NEO4J_ADMIN or PATH, or the jars of MEMBENCH_NEO4J_LIB, or those of 'neo4j up' with its folder. home is the server's,
// "" is NEO4J_HOME. The returned function makes a command with the given arguments.
func Admin(ctx context.Context, home string, getenv func(string) string) (func(args []string) *exec.Cmd, error) {
	home = cmp.Or(home, getenv("NEO4J_HOME"))
	name := cmp.Or(getenv("NEO4J_ADMIN"), "neo4j-admin")
	if path, err := exec.LookPath(name); err == nil {
		return func(args []string) *exec.Cmd {
			cmd := exec.CommandContext(ctx, path, args...)
			if cmd.Env = os.Environ(); home != "" {
				cmd.Env = append(cmd.Env, "NEO4J_HOME="+home)
			}
			return cmd
		}, nil
	}
	lib := getenv("MEMBENCH_NEO4J_LIB")
	if lib == "" { // the jars of 'membench neo4j up'
		if cache, err := Cache(getenv); err == nil {
			lib = server.Lib(cache, server.Default)
		}
	}
	version, err := server.Version(lib)
	if err != nil {
		return nil, fmt.Errorf("--bulk needs neo4j-admin: it is not in PATH; NEO4J_ADMIN may name it, MEMBENCH_NEO4J_LIB a folder of Neo4j's jars, and 'membench neo4j fetch' gets these")
	}
	if home == "" { // its folder
		if home, err = Home("", getenv); err != nil {
			return nil, err
		}
		if now, err := server.Look(ctx, home); err == nil && now.Running {
			return nil, fmt.Errorf("%s: a server is running there: 'membench neo4j down' first, or load without --bulk", home)
		}
	}
	if home, err = filepath.Abs(home); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(home, "conf"), 0o755); err != nil {
		return nil, err
	}
	java, err := server.FindJava(version, getenv("MEMBENCH_JAVA"))
	if err != nil {
		return nil, err
	}
	return func(args []string) *exec.Cmd { return server.Admin(ctx, java, lib, home, args...) }, nil
}
