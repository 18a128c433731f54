package atomicfile

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// TryByte takes the lock of one byte of f, which need not exist, where no other process
// or open file has it. A process that is killed lets go. Within one *os.File it says yes.
// A file system without such locks says yes, too.
func TryByte(f *os.File, at int64) bool {
	err := byteLock(f, at, unix.F_WRLCK)
	return !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EACCES)
}

// ReleaseByte lets another have it.
func ReleaseByte(f *os.File, at int64) { _ = byteLock(f, at, unix.F_UNLCK) } // closing f does it anyway

func byteLock(f *os.File, at int64, kind int16) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var lockErr error
	err = c.Control(func(fd uintptr) {
		lockErr = unix.FcntlFlock(fd, unix.F_OFD_SETLK, &unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: at, Len: 1})
	})
	return errors.Join(err, lockErr)
}
