package try_test

import (
	"context"
	"fmt"

	"membench/memory"
	"membench/memory/all"
	"membench/memory/try"
	"membench/schema"
)

// Five turns show whether a system finds what was said, and what its namespaces share.
func ExampleSystem() {
	spec, err := all.Lookup("bm25")
	if err != nil {
		panic(err)
	}
	sys, err := spec.Open(memory.Deps{}, nil)
	if err != nil {
		panic(err)
	}
	if err := try.System(context.Background(), sys, "example", func(c schema.Check) {
		if c.Name == "isolation" || c.Name == "repeat" {
			fmt.Println(c.State, c.Name+":", c.Detail)
		}
	}); err != nil {
		panic(err)
	}
	// Output:
	// ok repeat: a batch whose key is known is skipped; a program or service is not sent it again, so what it would do with it is not tested
	// ok isolation: an empty namespace returns nothing of the dialogue
}
