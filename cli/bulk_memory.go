package cli

import (
	"runtime/debug"

	"membench/internal/resident"
)

// Targets of the garbage collector for stages that hold much memory without pointers.
// Collecting often costs them little: 5 % of the processor time of compile-claims.
const (
	leanGC = 25
	bulkGC = 50 // of compile-claims, which has memory to spare
)

// bulkMemory makes the process small for a bulk stage, and returns what ends that. GOGC
// in the environment wins.
func bulkMemory(e *env, gc int) (end func()) {
	stop := resident.Keep()
	if e.getenv("GOGC") != "" {
		return stop
	}
	before := debug.SetGCPercent(gc)
	return func() { stop(); debug.SetGCPercent(before) }
}
