// Package exttest finds the outside programs that tests compare with. A test that
// lacks one skips, which `make test` counts and names; where the variable CI is
// "true" it fails instead, so that a gap in a CI image is not read as success.
package exttest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Need returns the path of a program, and of a Python that can import the modules
// when program is "python3". MEMBENCH_PYTHON names a Python to try first.
func Need(t testing.TB, program string, modules ...string) string {
	t.Helper()
	var tries []string
	if program == "python3" {
		if p := os.Getenv("MEMBENCH_PYTHON"); p != "" {
			tries = append(tries, p)
		}
	}
	tries = append(tries, program)
	for _, try := range tries {
		path, err := exec.LookPath(try)
		if err != nil {
			continue
		}
		if program == "python3" && len(modules) > 0 && exec.Command(path, "-c", "import "+strings.Join(modules, ", ")).Run() != nil {
			continue
		}
		return path
	}
	what := program
	if len(modules) > 0 {
		what += " with " + strings.Join(modules, ", ") + " (pip install " + strings.Join(modules, " ") + "; MEMBENCH_PYTHON names another Python)"
	}
	Missing(t, what)
	return ""
}

// Env returns the value of an environment variable that names something large, such
// as a folder of jars; hint says how to get it.
func Env(t testing.TB, name, hint string) string {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		t.Skipf("%s is not set: %s", name, hint)
	}
	return v
}

// Missing skips the test, or fails it where CI is "true".
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("missing: %s", what)
	}
	t.Skipf("missing: %s", what)
}
