package baseline_test

import (
	"testing"

	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/all"
	"membench/memory/memorytest"
)

// TestContract runs the conformance suite over every system of the list, with its
// defaults and with the options that change what it does.
func TestContract(t *testing.T) {
	options := map[string][]string{
		"simple-rag": {"", `{"mode":"lexical"}`, `{"mode":"fused","unit":"turn","chunk_size":64}`, `{"rerank":"rule"}`},
		"bm25":       {"", `{"unit":"pair"}`},
		"FUMemory":   {"", `{"mode":"faithful"}`},
		"STMemory":   {"", `{"mode":"faithful"}`},
		"LTMemory":   {"", `{"mode":"faithful"}`},
	}
	for _, spec := range all.Specs() {
		list := options[spec.Name]
		if list == nil {
			list = []string{""}
		}
		for _, o := range list {
			t.Run(spec.Name+o, func(t *testing.T) {
				within := 1
				if spec.Name == "turn-alone" {
					within = 2
				}
				memorytest.RunWith(t, memorytest.Options{Within: within, Open: func(t *testing.T, d memory.Deps) memory.System {
					if d.Embed == nil {
						d.Embed = hashing.New(0)
					}
					s, err := spec.Open(d, []byte(o))
					if err != nil {
						t.Fatal(err)
					}
					return s
				}})
			})
		}
	}
}
