// Package all lists every memory system that membench knows. Adding one is adding a
// line here.
package all

import (
	"fmt"

	"membench/memory"
	"membench/memory/amem"
	"membench/memory/baseline"
	"membench/memory/graphmem"
	"membench/memory/mem0"
)

// Specs lists them, bounds first.
func Specs() []memory.Spec {
	return append(baseline.Specs(), amem.Spec(), mem0.Spec(), graphmem.Spec())
}

// Lookup finds a system by name.
func Lookup(name string) (memory.Spec, error) {
	var names []string
	for _, s := range Specs() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return memory.Spec{}, fmt.Errorf("memory system %q: have %v", name, names)
}
