//go:build unix

package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTerminated: every command that reads a file ends soon after SIGTERM, whatever it
// reads: here pipes that never end, with text or in silence. It leaves no output.
func TestTerminated(t *testing.T) {
	t.Parallel()
	soak := os.Getenv("MEMBENCH_SOAK") != ""
	feeds := map[string]string{"brackets": strings.Repeat("[", 1<<16), "lines": strings.Repeat(`{"id": "x", "payload": {}}`+"\n", 1<<10), "silence": ""}
	i := 0
	for _, c := range hostileCommands {
		for name, unit := range feeds {
			if i++; !soak && i%13 != 0 {
				continue
			}
			if c.args == "validate --catalog F F" || strings.Contains(c.args, "diff") || strings.Contains(c.args, "migrate") && name != "silence" {
				continue // a pipe can be read only once, and kept on disk is not endless
			}
			if slices.ContainsFunc([]string{"index ", "shard ", "cassette ", "datasets info alert-storm"}, func(s string) bool { return strings.HasPrefix(c.args, s) }) {
				continue // reads names, standard input, a file by place, nothing
			}
			dir := t.TempDir()
			fifo := filepath.Join(dir, "in", c.name)
			if err := os.MkdirAll(filepath.Dir(fifo), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Skip("no named pipes here:", err)
			}
			args := c.with(fifo, filepath.Join(dir, "out"))
			cmd := start(t, dir, args...)
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			// Opened for both, the pipe has a writer and a reader until the test lets go of it.
			pipe, err := os.OpenFile(fifo, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			fed := make(chan struct{})
			go func() {
				defer close(fed)
				for range 200 { // at most 13 MB, below every limit of size
					if _, err := io.WriteString(pipe, unit); err != nil || unit == "" {
						return
					}
				}
			}()
			time.Sleep(200 * time.Millisecond) // it may have begun to read: neither is wrong
			cmd.Process.Signal(syscall.SIGTERM)
			ended := make(chan struct{})
			go func() { cmd.Wait(); close(ended) }()
			select {
			case <-ended:
			case <-time.After(20 * time.Second): // a hang, not a measure
				cmd.Process.Kill()
				<-ended
				t.Errorf("%s of endless %s: still there 20 s after SIGTERM", c.args, name)
			}
			pipe.Close()
			<-fed
			if code := cmd.ProcessState.ExitCode(); code < -1 || code > exitFindings || code == exitFine || strings.Contains(said.String(), "goroutine ") {
				t.Errorf("%s of endless %s: exit code %d\n%.400s", c.args, name, code, said.String())
			}
			for _, path := range filesBelow(t, filepath.Join(dir, "out")) {
				if !strings.HasPrefix(filepath.Base(path), ".") && !strings.HasSuffix(path, ".lock") {
					t.Errorf("%s of endless %s: left %s", c.args, name, path)
				}
			}
		}
	}
}

func filesBelow(t *testing.T, dir string) (out []string) {
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out = append(out, path)
		}
		return nil
	})
	return out
}
