package atomicfile

import (
	"os"

	"golang.org/x/sys/windows"
)

// Windows has no fsync of a folder: opening one for writing is rejected.
func isNoSync(error) bool { return true }

// Windows refuses to remove a file that is open: that is the lock.
func lock(*os.File) (busy bool) { return false }

func abandoned(string) bool { return true }

// far is a byte that no file reaches: Windows keeps others from reading what is locked.
func far() *windows.Overlapped {
	return &windows.Overlapped{Offset: 0xffff_fffe, OffsetHigh: 0x7fff_ffff}
}

func exclusive(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, far())
}

// Windows has no locks of folders.
func waitFor(*os.File) {}

func release(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, far())
}
