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
	"membench/memory/pcm"
	"membench/memory/qarp"
)

// Specs lists them, bounds first, layers over others last.
func Specs() []memory.Spec {
	below := append(baseline.Specs(), amem.Spec(), amem.ProductSpec(), mem0.Spec(), graphmem.Spec(), pcm.Spec())
	return append(below, qarp.Specs(func(name string) (memory.Spec, error) { return lookup(below, name) })...)
}

// Lookup finds a system by name.
func Lookup(name string) (memory.Spec, error) { return lookup(Specs(), name) }

func lookup(specs []memory.Spec, name string) (memory.Spec, error) {
	var names []string
	for _, s := range specs {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return memory.Spec{}, fmt.Errorf("memory system %q: have %v", name, names)
}
