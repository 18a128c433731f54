// This program is membench with one more memory system, of a module of its own:
// docs/adding-a-system.md shows it.
package main

import (
	"membench/cli"
	"membench/memory"
)

func main() {
	cli.Main(memory.Define("mine", "finds turns by shared words", struct{}{},
		func(memory.Deps, struct{}) (memory.System, error) { return shared{}, nil }))
}
