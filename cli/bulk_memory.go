package cli

import (
	"runtime/debug"

	"membench/internal/resident"
)

// Targets for the garbage collector: stages that hold much memory without pointers collect
// at next to no cost. A load holds batches of small objects: collecting more often costs it
// a sixth more processor time and lowers its peak by a third. compile-claims has memory to
// spare; to-graph would take .9 of the time with 50, but 180 MiB for two million lines.
const (
	bulkGC   = 25
	loadGC   = 50
	claimsGC = 50
)

// bulkMemory makes the process small for a bulk stage, and returns what ends that. GOGC
// in the environment wins.
func bulkMemory(e *env) (end func()) { return smallMemory(e, bulkGC) }

func smallMemory(e *env, target int) (end func()) {
	stop := resident.Keep()
	if e.getenv("GOGC") != "" {
		return stop
	}
	before := debug.SetGCPercent(target)
	return func() { stop(); debug.SetGCPercent(before) }
}
