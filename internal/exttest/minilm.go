package exttest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// MiniLM starts scripts/minilm.py, real sentence vectors (all-MiniLM-L6-v2, 384
// dimensions) behind an OpenAI-compatible endpoint, until the test ends, and returns
// its base URL; "" where scripts/minilm.sh has not installed it. The caller then
// replays a cassette: the absence is not a reason to skip.
func MiniLM(t testing.TB) string {
	t.Helper()
	python := filepath.Join(Cache(), "minilm", "bin", "python3")
	if _, err := os.Stat(filepath.Join(Cache(), "minilm", "membench-has")); err != nil {
		t.Log("all-MiniLM-L6-v2 is not installed (scripts/minilm.sh install): recorded vectors are used")
		return ""
	}
	cmd := exec.Command(python, filepath.Join(root(t), "scripts", "minilm.py"), "0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill() //nolint:errcheck // it may have ended
		cmd.Wait()         //nolint:errcheck // killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("starting scripts/minilm.py: %v", err)
	}
	return strings.TrimSpace(line)
}
