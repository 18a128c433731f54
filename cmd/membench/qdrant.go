package main

import (
	"fmt"
	"os"

	"membench/memory/mem0/qdrant"

	"github.com/spf13/cobra"
)

// dialQdrant makes a client; key and certificate come from the environment. tries of
// each call, 0 as usual.
func dialQdrant(e *env, addr string, tries int) (*qdrant.Client, error) {
	o := qdrant.Options{Addr: addr, APIKey: e.getenv("QDRANT_API_KEY"), Tries: tries}
	if file := e.getenv("QDRANT_CA_FILE"); file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading QDRANT_CA_FILE: %w", err)
		}
		if o.TLS, err = qdrant.Trust(pem); err != nil {
			return nil, fmt.Errorf("QDRANT_CA_FILE %s: %w", file, err)
		}
	}
	c, err := qdrant.Dial(o)
	if err != nil {
		return nil, usageError{err}
	}
	return c, nil
}

// qdrantOptions say where the embedded memory keeps its points; nowhere when empty.
type qdrantOptions struct {
	qdrant, qdrantCollection string
	inProcess                bool // whatever the store says
}

func (o *qdrantOptions) addQdrant(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.qdrant, "qdrant", "", "keep the points of the embedded memory in the Qdrant server at this `address` of its gRPC, such as localhost:6334 (default: the store's, else in this process)")
	f.StringVar(&o.qdrantCollection, "qdrant-collection", "", "`name` of the collection there (default: the store's, else memory_bench_<isolation>)")
}
