package target

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"membench/cypher/neo4j/server"
)

// Admin finds neo4j-admin: the program that NEO4J_ADMIN names, that of PATH, or the jars of
// MEMBENCH_NEO4J_LIB, else those that 'neo4j up' uses, with its folder. home is the server's,
// "" is NEO4J_HOME. The function that it returns makes a command with these arguments.
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
