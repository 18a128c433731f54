// Package daemon starts and finds processes that keep running when the command that started them ends. Each has a home folder, whose lock it holds as
// long as it lives: the system releases it however the process ends, so the lock is more reliable
// than a recorded process id.
package daemon

import "errors"

// ErrInUse says that a living process holds the lock of a folder.
var ErrInUse = errors.New("a server is running in this folder")
