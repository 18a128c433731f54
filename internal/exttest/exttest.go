// Package exttest skips tests of which the machine lacks a tool, in one voice, so
// that what was not tested can be counted, and fails them where everything must run.
package exttest

import (
	"os"
	"os/exec"
	"testing"
)

// Need skips t with the line "SKIP-EXTERNAL: <tool>" when a tool is not on the PATH.
// Under CI=true the lack is a failure.
func Need(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("SKIP-EXTERNAL: %s: not installed, and CI=true wants every test run", tool)
		}
		t.Skipf("SKIP-EXTERNAL: %s", tool)
	}
}
