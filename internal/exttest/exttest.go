// Package exttest says what a test needs from outside the Go toolchain. Where it is
// missing the test skips and says why; on a build server (CI=true) it fails, so that
// nothing stays untested in silence.
package exttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Need skips t, or fails it where the environment has CI=true, unless every tool is
// there: a program of PATH, or a file or folder when the name holds a separator.
func Need(t testing.TB, tools ...string) {
	t.Helper()
	why := Missing(tools...)
	switch {
	case why == "":
	case os.Getenv("CI") == "true":
		t.Fatal(why + ": not on this machine, and CI=true wants every test run")
	default:
		t.Skip(why)
	}
}

// Missing is "SKIP-EXTERNAL: " and the tools that are not there, "" when all are. It
// is for a TestMain, which has no test to skip.
func Missing(tools ...string) string {
	var missing []string
	for _, tool := range tools {
		if strings.ContainsRune(tool, filepath.Separator) {
			if _, err := os.Stat(tool); err != nil {
				missing = append(missing, tool)
			}
		} else if _, err := exec.LookPath(tool); err != nil {
			missing = append(missing, tool)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return "SKIP-EXTERNAL: " + strings.Join(missing, ", ")
}

// Neo4jLib is the folder of Neo4j's jars that scripts/neo4j-lib.sh fills:
// MEMBENCH_NEO4J_LIB, else ~/.cache/membench/neo4j-lib.
func Neo4jLib() string {
	if dir := os.Getenv("MEMBENCH_NEO4J_LIB"); dir != "" {
		return dir
	}
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			home = string(filepath.Separator)
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "membench", "neo4j-lib")
}
