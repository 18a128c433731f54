//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// peakMemory watches the process that c will start and returns a function that says,
// once it has ended, how many bytes it held at most; 0 where the system does not
// tell. The peak that wait(2) reports is no use: it counts the process that forked.
func peakMemory(c *exec.Cmd) func() int64 {
	var peak int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range time.Tick(10 * time.Millisecond) {
			p := c.Process
			if p == nil {
				continue
			}
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
			_, rest, ok := bytes.Cut(b, []byte("VmHWM:"))
			if err != nil || !ok {
				return
			}
			if f := bytes.Fields(rest); len(f) > 0 {
				n, _ := strconv.ParseInt(string(f[0]), 10, 64)
				peak = n << 10
			}
		}
	}()
	return func() int64 { <-ended; return peak }
}
