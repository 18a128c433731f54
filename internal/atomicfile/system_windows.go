package atomicfile

import "os"

// Windows has no fsync of a folder: opening one for writing is refused.
func isNoSync(error) bool { return true }

// Windows refuses to remove a file that is open: that is the lock.
func lock(*os.File) (busy bool) { return false }

func abandoned(string) bool { return true }
