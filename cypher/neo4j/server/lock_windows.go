package server

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// lockHome says that a server has the folder when the process that Up noted is there.
// A child cannot inherit a lock on this system; Neo4j's own lock on its store still
// keeps two servers apart.
func lockHome(home string) (*os.File, error) {
	if s, err := readState(home); err == nil && s.PID != 0 {
		if p, err := os.FindProcess(s.PID); err == nil {
			p.Release()
			return nil, fmt.Errorf("%s: %w", home, ErrInUse)
		}
	}
	return os.OpenFile(filepath.Join(home, "lock"), os.O_RDWR|os.O_CREATE, 0o644)
}

func inherit(*exec.Cmd, *os.File) {}

func detach(*exec.Cmd) {}

// terminate ends a process: this system has no polite way for one without a window.
func terminate(p *os.Process) error { return p.Kill() }
