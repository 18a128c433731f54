package server

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
)

// Admin is a run of neo4j-admin with the jars of lib, on the server whose folder is
// home; java "" is that of PATH. The caller sets its streams and runs it.
func Admin(ctx context.Context, java, lib, home string, args ...string) *exec.Cmd {
	java = cmp.Or(java, "java")
	cmd := exec.CommandContext(ctx, java, append([]string{"-Xmx1g", "-cp", filepath.Join(lib, "*"), "org.neo4j.cli.AdminTool"}, args...)...)
	cmd.Env = append(os.Environ(), "NEO4J_HOME="+home, "NEO4J_CONF="+filepath.Join(home, "conf"))
	return cmd
}
