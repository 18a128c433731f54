//go:build !windows

package local

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// lockHome takes the lock of a home folder, or says that a server has it.
func lockHome(home string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(home, "lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrInUse
		}
		return nil, fmt.Errorf("%s: %w", home, err)
	}
	return f, nil
}

// inherit gives the child the open lock, and lets it survive the terminal.
func inherit(cmd *exec.Cmd, lock *os.File) {
	cmd.ExtraFiles = append(cmd.ExtraFiles, lock)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}
