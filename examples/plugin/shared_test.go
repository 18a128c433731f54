package main

import (
	"testing"

	"membench/memory"
	"membench/memory/memorytest"
)

func TestShared(t *testing.T) {
	memorytest.Run(t, func(*testing.T) memory.System { return shared{} })
}
