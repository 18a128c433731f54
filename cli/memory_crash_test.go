//go:build !windows

package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// runWatched runs c and returns how many bytes it held at most, 0 where the system does
// not tell. The peak that wait(2) reports is no use: it counts the process that forked.
func runWatched(t testing.TB, c *exec.Cmd) (r ran, peak int64) {
	t.Helper()
	var out, words bytes.Buffer
	c.Stdout, c.Stderr = &out, &words
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	status := fmt.Sprintf("/proc/%d/status", c.Process.Pid)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			b, _ := os.ReadFile(status)
			if _, rest, ok := bytes.Cut(b, []byte("VmHWM:")); ok {
				if f := bytes.Fields(rest); len(f) > 0 {
					n, _ := strconv.ParseInt(string(f[0]), 10, 64)
					peak = n << 10
				}
			}
		}
	}()
	c.Wait()
	close(stop)
	<-stopped
	return ran{c.ProcessState.ExitCode(), out.String(), words.String()}, peak
}
