package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"

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
	roomyGC  = 400
)

// bulkMemory sets the collector for a bulk stage that should stay small; end restores it. GOGC in the environment takes precedence.
func bulkMemory(e *env) (end func()) { return smallMemory(e, bulkGC) }

func smallMemory(e *env, target int) (end func()) {
	stop, restore := resident.Keep(), collect(e, target)
	return func() { stop(); restore() }
}

// roomyMemory is for a stage whose live memory is small compared with its throughput.
func roomyMemory(e *env) (end func()) {
	if e.getenv("GOGC") == "" {
		tightenGC()
	}
	return collect(e, roomyGC)
}

// collect sets the collector's target; end restores it.
func collect(e *env, target int) (end func()) {
	if e.getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(target)
	return func() { debug.SetGCPercent(before) }
}

// tightenGC has the collector run at its usual pace once 32 MiB are live, as in a file of
// references that lead nowhere.
func tightenGC() {
	runtime.AddCleanup(new([64]byte), func(int) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		if metrics.Read(live); live[0].Value.Uint64() < 32<<20 {
			tightenGC()
		} else {
			debug.SetGCPercent(100)
		}
	}, 0)
}
