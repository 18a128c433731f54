//go:build !windows

package main

import (
	"os/exec"
	"runtime"
	"syscall"
)

// maxRSS is the peak memory of a process that ended, in bytes.
func maxRSS(c *exec.Cmd) int64 {
	n := int64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS == "linux" {
		n <<= 10
	}
	return n
}
