//go:build !windows

package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Lock takes the lock of a home folder; the error is ErrInUse where a process has it.
// noted is the number of the process that was started there last, 0 for none; only
// systems whose locks a child cannot inherit look at it.
func Lock(home string, noted int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(home, "lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s: %w", home, ErrInUse)
	}
	return nil, fmt.Errorf("locking %s: %w", home, err)
}

// Inherit gives the child the open lock.
func Inherit(cmd *exec.Cmd, lock *os.File) { cmd.ExtraFiles = append(cmd.ExtraFiles, lock) }

// Detach makes the child survive the terminal and its Ctrl-C.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// Terminate asks a process to end.
func Terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
