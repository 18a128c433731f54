package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Lock says that a folder is in use when the process that was noted is there: a child
// cannot inherit a lock on this system.
func Lock(home string, noted int) (*os.File, error) {
	if noted != 0 {
		if p, err := os.FindProcess(noted); err == nil {
			p.Release()
			return nil, fmt.Errorf("%s: %w", home, ErrInUse)
		}
	}
	return os.OpenFile(filepath.Join(home, "lock"), os.O_RDWR|os.O_CREATE, 0o644)
}

// Inherit does nothing.
func Inherit(*exec.Cmd, *os.File) {}

// Detach does nothing.
func Detach(*exec.Cmd) {}

// Terminate ends a process: this system has no polite way for one without a window.
func Terminate(p *os.Process) error { return p.Kill() }
