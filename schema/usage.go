package schema

import (
	"errors"
	"fmt"
)

// A UsageError reports a mistake in a request: an option, a path, a settings file. Neither the data nor a service is at fault, and the same call fails again.
// The command exits with status 2.
type UsageError struct {
	Err error

	// Format and Args made Err where it is of Usagef, for a text in another language.
	Format string
	Args   []any
}

func (u *UsageError) Error() string { return u.Err.Error() }

// Unwrap returns the fault itself.
func (u *UsageError) Unwrap() error { return u.Err }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...), format, args}
}

// ErrFindings reports that the data has errors, which were reported. The command exits with status 3.
var ErrFindings = errors.New("the data has errors")
