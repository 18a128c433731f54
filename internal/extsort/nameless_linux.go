package extsort

import (
	"os"
	"syscall"
)

// nameless opens a file that never has a name, so that a process killed at any moment
// leaves nothing behind. Some file systems cannot do that: nil.
func nameless(dir string) *os.File {
	const tmpfile = 0x400000 | syscall.O_DIRECTORY // O_TMPFILE
	if dir == "" {
		dir = os.TempDir()
	}
	f, err := os.OpenFile(dir, os.O_RDWR|tmpfile, 0o600)
	if err != nil {
		return nil
	}
	return f
}
