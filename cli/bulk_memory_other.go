//go:build !linux

package cli

// releaseProgram does nothing here: the numbers that it is for are Linux's.
func releaseProgram() {}
