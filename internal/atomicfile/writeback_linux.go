package atomicfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriteBack asks the kernel to begin writing an extent to disk, without waiting
// for it. Failing is fine: Commit syncs in any case.
func startWriteBack(f *os.File, x extent) {
	unix.SyncFileRange(int(f.Fd()), x.off, x.n, unix.SYNC_FILE_RANGE_WRITE)
}

// dropWritten waits until an extent is on disk and takes it out of the cache. Failing
// is fine: then it stays there.
func dropWritten(f *os.File, x extent) {
	fd := int(f.Fd())
	unix.SyncFileRange(fd, x.off, x.n, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
	unix.Fadvise(fd, x.off, x.n, unix.FADV_DONTNEED)
}
