package atomicfile

// Windows has no fsync of a folder: opening one for writing is refused.
func isNoSync(error) bool { return true }
