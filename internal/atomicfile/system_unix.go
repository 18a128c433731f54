//go:build !windows

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// Some file systems answer EINVAL to fsync of a folder.
func isNoSync(err error) bool { return errors.Is(err, syscall.EINVAL) }

// lock marks f as in use by this process until it is closed, which a killed process
// cannot forget. A file system without locks never says busy.
func lock(f *os.File) (busy bool) {
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// abandoned reports whether no process writes the file at path any more.
func abandoned(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

func exclusive(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			if errors.Is(err, errors.ErrUnsupported) { // a file system without locks
				return nil
			}
			return err
		}
	}
}

// waitFor locks a folder until f is closed. A file system without locks grants it to everyone.
func waitFor(f *os.File) { _ = exclusive(f) }

func release(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
