package cli

import "github.com/spf13/cobra"

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
