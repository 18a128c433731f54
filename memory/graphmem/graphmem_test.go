package graphmem_test

import (
	"testing"

	"membench/memory"
	"membench/memory/graphmem"
	"membench/memory/memorytest"
)

func TestContract(t *testing.T) {
	memorytest.RunWith(t, memorytest.Options{
		Open: func(_ *testing.T, d memory.Deps) memory.System { return graphmem.New(d, graphmem.Defaults()) },
	})
}
