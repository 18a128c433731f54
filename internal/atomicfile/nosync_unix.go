//go:build !windows

package atomicfile

import (
	"errors"
	"syscall"
)

// Some file systems answer EINVAL to fsync of a folder.
func isNoSync(err error) bool { return errors.Is(err, syscall.EINVAL) }
