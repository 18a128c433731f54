package cli

import (
	"runtime/debug"

	"membench/internal/resident"
)

// bulkGC is the garbage collector's target for stages that hold much memory without
// pointers: collecting more often costs them next to nothing.
const bulkGC = 25

// bulkMemory makes the process small for a bulk stage, and returns what ends that. GOGC
// in the environment wins.
func bulkMemory(e *env) (end func()) {
	stop := resident.Keep()
	if e.getenv("GOGC") != "" {
		return stop
	}
	before := debug.SetGCPercent(bulkGC)
	return func() { stop(); debug.SetGCPercent(before) }
}
