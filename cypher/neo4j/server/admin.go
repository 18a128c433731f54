package server

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
)

// Admin returns a command that runs neo4j-admin with the jars of lib, on the server with the folder home; java "" is found in PATH. The caller sets its streams
// and runs it.
func Admin(ctx context.Context, java, lib, home string, args ...string) *exec.Cmd {
	java = cmp.Or(java, "java")
	cmd := exec.CommandContext(ctx, java, append([]string{"-Xmx1g", "-cp", filepath.Join(lib, "*"), "org.neo4j.cli.AdminTool"}, args...)...)
	cmd.Env = append(os.Environ(), "NEO4J_HOME="+home, "NEO4J_CONF="+filepath.Join(home, "conf"))
	return cmd
}
