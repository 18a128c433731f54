package schema

import (
	"errors"
	"fmt"
)

// A UsageError is a fault of what was asked for: an option, a path, a file of settings.
// Neither the data nor a service is at fault, and the same call fails again. The command
// ends with exit status 2.
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

// ErrFindings says that the data has errors, which were reported. The command ends with
// exit status 3.
var ErrFindings = errors.New("the data has errors")
