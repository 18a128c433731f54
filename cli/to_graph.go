package cli

import (
	"fmt"
	"strconv"
	"strings"

	"membench/chain"
	"membench/internal/smallfile"
	"membench/internal/yamldoc"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

func newToGraphCmd(e *env) *cobra.Command {
	o := chain.ToGraphOptions{Version: schema.Latest, Memory: 48 << 20}
	maxLine := byteSize(jsonl.MaxLine)
	var flags stepFlags
	c := verb("to-graph [--events F] [--exports F]... [--claims DIR] -o GRAPH_DIR", "Make one graph from events, memory exports and claims",
		cobra.NoArgs, func(c *cobra.Command, _ []string) error {
			if o.Out == "" {
				return usagef("no output: give -o GRAPH_DIR")
			}
			o.MaxLine = int(maxLine)
			if o.Version == schema.V001 && len(o.Events) > 0 {
				e.warnf("to-graph: a graph of 0.0.1 has no events: --events adds nothing")
			}
			defer bulkMemory(e)()
			return flags.run(e, func(with chain.Shared) error {
				o.Shared = with
				n, err := chain.ToGraph(c.Context(), o)
				if wrote(err) && o.Out != "-" {
					e.warnf("%d nodes, %d edges in %s; next: membench cypher %s -o cypher/", n.Nodes, n.Edges, o.Out, o.Out)
				}
				return err
			})
		})
	f := c.Flags()
	f.StringArrayVar(&o.Events, "events", nil, "`path` of events; may be given again")
	f.StringArrayVar(&o.Exports, "exports", nil, "`path` of memory exports; may be given again")
	f.StringArrayVar(&o.Claims, "claims", nil, "`path` of compiled claims and entities; may be given again")
	f.StringVarP(&o.Out, "output", "o", "", "`folder` for the graph, or - for standard output (required)")
	f.Var(versionFlag{&o.Version}, "schema-version", "schema `version` of the graph")
	f.Var(versionFlag{&o.InputVersion}, "input-version", "schema `version` of the input; 0.0.1 claims need migrate before they join a newer graph")
	f.Var(peopleFlag{&o.People}, "people", "who is who, as claimify has it: a YAML `file`, or its text in braces")
	f.StringArrayVar(&o.Catalogs, "catalog", nil, "`file` with more terms for the catalogue; may be given again")
	f.Var((*byteSize)(&o.Memory), "memory", "`size` of what is held before intermediate records go to disk, e.g. 64M; large inputs take up to 1.75 times as much; 0 holds everything")
	f.Var(&maxLine, "max-line", "`size` of the longest line that is read")
	f.IntVar(&o.Workers, "workers", 0, "`n` workers; 0 is one per processor")
	f.BoolVar(&o.Shortcuts, "shortcut-edges", false, "also draw an edge of the predicate's type from the root of a claim to its object")
	f.StringVar(&o.RewriteUser, "rewrite-user", "", "make every user of the claims user:`id`, as the existing chain does (0.0.1 only)")
	flags.add(c, 100)
	return c
}

// byteSize reads sizes: 1048576, 512K, 64M, 2G (powers of 1024).
type byteSize int64

func (b *byteSize) String() string { return strconv.FormatInt(int64(*b), 10) }
func (b *byteSize) Type() string   { return "size" }
func (b *byteSize) Set(s string) error {
	unit := int64(1)
	t := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(s), "B"), "I")
	for i, u := range []string{"K", "M", "G", "T"} {
		if r, ok := strings.CutSuffix(t, u); ok {
			t, unit = r, 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(t, 10, 64)
	if err != nil || n < 0 || n > 1<<62/unit {
		return fmt.Errorf("have %q, want a size such as 64M", s)
	}
	*b = byteSize(n * unit)
	return nil
}

// peopleFlag reads who is who: a YAML file, or its text in braces.
type peopleFlag struct{ *schema.People }

func (f peopleFlag) String() string { return "" }
func (f peopleFlag) Type() string   { return "file" }

func (f peopleFlag) Set(s string) error {
	text := []byte(s)
	if !strings.HasPrefix(strings.TrimSpace(s), "{") {
		var err error
		if text, err = smallfile.Read(s); err != nil {
			return err
		}
	}
	if err := yamldoc.Unmarshal(text, f.People); err != nil {
		return fmt.Errorf("reading people: %w", err)
	}
	return f.Check()
}
