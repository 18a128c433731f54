package atomicfile

import (
	"os"
	"syscall"
)

// startWriteBack asks the kernel to begin writing a range to disk, without waiting
// for it. Failing is fine: Commit syncs in any case.
func startWriteBack(f *os.File, off, n int64) {
	const write = 2 // SYNC_FILE_RANGE_WRITE
	syscall.SyncFileRange(int(f.Fd()), off, n, write)
}
