//go:build !linux

package main

// releaseProgram does nothing here: the numbers that it is for are Linux's.
func releaseProgram() {}
