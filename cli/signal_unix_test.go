//go:build unix

package cli

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTerminated: every command that reads a file ends soon after SIGTERM, whatever it
// reads: here pipes that never end, with text or in silence, and large files. It leaves
// no output.
func TestTerminated(t *testing.T) {
	t.Parallel()
	soak := os.Getenv("MEMBENCH_SOAK") != ""
	large := map[string]string{} // by what they hold
	line := `{"id": "x", "payload": {}}` + "\n"
	for name, text := range map[string]string{"zeros": "", "records": strings.Repeat(line, 10<<20/len(line))} {
		large[name] = filepath.Join(t.TempDir(), name)
		f, err := os.Create(large[name])
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			f.WriteString(text)
		}
		if text == "" {
			f.Truncate(8 << 30)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	pipes := map[string]string{"brackets": strings.Repeat("[", 1<<16), "lines": strings.Repeat(line, 1<<10), "silence": ""}
	feeds := append(slices.Sorted(maps.Keys(pipes)), slices.Sorted(maps.Keys(large))...)
	var worst terminated
	i := 0
	for _, c := range hostileCommands() {
		for _, feed := range feeds {
			if i++; !soak && i%23 != 0 {
				continue
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "in", c.name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			unit, endless := pipes[feed]
			if !endless {
				if err := os.Link(large[feed], file); err != nil {
					t.Skip("no links here:", err)
				}
			} else if !c.readsPipe(feed) {
				continue
			} else if err := syscall.Mkfifo(file, 0o600); err != nil {
				t.Skip("no named pipes here:", err)
			}
			// Opened for both, a pipe has a writer and a reader until the test lets go of it.
			in, err := os.OpenFile(file, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			fed := make(chan struct{})
			go func() {
				defer close(fed)
				for range 200 { // at most 13 MB, below every limit of size
					if unit == "" {
						return
					}
					if _, err := io.WriteString(in, unit); err != nil {
						return
					}
				}
			}()
			end := terminate(t, dir, c, file, in)
			in.Close()
			<-fed
			if end.what = c.args + " of endless " + feed; end.took > worst.took {
				worst = end
			}
			end.check(t, endless, filepath.Join(dir, "out"))
			os.Remove(file)
		}
	}
	t.Logf("longest from SIGTERM to the end: %v, %s", worst.took.Round(time.Millisecond), worst.what)
}

// readsPipe says that the command reads the pipe as it comes: else it reads names, standard
// input, a file by place, nothing, or it wants a file twice, which a pipe cannot be.
func (c hostileCommand) readsPipe(feed string) bool {
	for _, not := range []string{"index ", "shard ", "cassette ", "datasets info alert-storm", "diff ", "validate --catalog F F"} {
		if strings.HasPrefix(c.args, not) {
			return false
		}
	}
	return feed == "silence" || !strings.HasPrefix(c.args, "migrate ") // kept on disk, it is not endless
}

// A terminated command has had SIGTERM.
type terminated struct {
	what string
	took time.Duration // from the signal to the end
	code int
	said string
}

// terminate sends SIGTERM to a command that has had a moment to begin.
func terminate(t *testing.T, dir string, c hostileCommand, file string, in *os.File) terminated {
	cmd := start(t, dir, c.with(file, filepath.Join(dir, "out"))...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if strings.HasSuffix(c.args, "<F") {
		cmd.Stdin = in
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	moment := 200 * time.Millisecond
	if os.Getenv("MEMBENCH_SOAK") != "" {
		moment = time.Second
	}
	time.Sleep(moment) // it may have begun to read, or have ended: neither is wrong
	at := time.Now()
	cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second): // a hang, not a measure
		cmd.Process.Kill()
		<-ended
	}
	return terminated{took: time.Since(at), code: cmd.ProcessState.ExitCode(), said: said.String()}
}

func (e terminated) check(t *testing.T, endless bool, out string) {
	if e.took >= 20*time.Second {
		t.Errorf("%s: still there 20 s after SIGTERM", e.what)
	}
	if e.code < -1 || e.code > exitFindings || endless && e.code == exitFine || strings.Contains(e.said, "goroutine ") {
		t.Errorf("%s: exit code %d\n%.400s", e.what, e.code, e.said)
	}
	for _, path := range filesBelow(t, out) {
		if e.code != exitFine && !strings.HasPrefix(filepath.Base(path), ".") && !strings.HasSuffix(path, ".lock") {
			t.Errorf("%s: left %s", e.what, path)
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
