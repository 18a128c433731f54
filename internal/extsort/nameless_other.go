//go:build !linux

package extsort

import "os"

func nameless(string) *os.File { return nil }
