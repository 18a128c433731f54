// Package usage marks errors of what a caller asked for: an unknown name, a missing
// address, options that exclude each other. The command exits 2 for them, and 1 for
// everything else that fails.
package usage

import (
	"errors"
	"fmt"
)

// An Error says that the request is wrong, not that carrying it out failed.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error like fmt.Errorf.
func Errorf(format string, args ...any) error { return &Error{fmt.Errorf(format, args...)} }

// Wrap marks err; nil stays nil.
func Wrap(err error) error {
	if err == nil {
		return nil
	}
	return &Error{err}
}

// Is reports whether err, or an error that it wraps, is an Error.
func Is(err error) bool {
	var e *Error
	return errors.As(err, &e)
}
