package neo4j

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/findings"
)

// Count is the account of one kind of element. Sent is the sum of the others.
type Count struct {
	Sent      int `json:"sent"`
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Deleted   int `json:"deleted"`
	Absent    int `json:"absent,omitzero"`   // to be deleted and not there
	LeftOut   int `json:"left_out,omitzero"` // each is a finding
}

func (c *Count) add(f fate) {
	c.Sent++
	switch f {
	case created:
		c.Created++
	case updated:
		c.Updated++
	case dangling, taken:
		c.LeftOut++
	default:
		c.Unchanged++
	}
}

// A Report is the result of a load, or the expected result of a dry run. It contains no times: loading the same graph into the same database gives the same
// report.
type Report struct {
	Database    string            `json:"database"`
	Scope       string            `json:"scope,omitzero"`
	DryRun      bool              `json:"dry_run"`
	Nodes       Count             `json:"nodes"`
	Edges       Count             `json:"edges"`
	Labels      map[string]*Count `json:"labels"` // a node counts under each of its labels
	Types       map[string]*Count `json:"types"`
	Detached    int               `json:"detached"`          // edges that went with deleted nodes
	Deletes     []string          `json:"deletes,omitempty"` // of a dry run: "node ID" and "edge ID"
	Constraints []string          `json:"constraints"`       // made now
	Indexes     []string          `json:"indexes"`           // for search, made now
	Batches     int               `json:"batches"`
	Server      Counters          `json:"server"`          // its own counts of the load's transactions
	Digest      string            `json:"digest,omitzero"` // of the graph, if the scope holds exactly this graph
	Findings    map[string]int    `json:"findings"`        // code → how many, warnings too
	Embedded    *Embedded         `json:"embedded,omitzero"`
	Verified    *Verified         `json:"verified,omitzero"`
}

// Add enters the account of another part of the same load.
func (r *Report) Add(more *Report) {
	r.Nodes.plus(more.Nodes)
	r.Edges.plus(more.Edges)
	for _, m := range []struct{ to, from map[string]*Count }{{r.Labels, more.Labels}, {r.Types, more.Types}} {
		for k, c := range m.from {
			if m.to[k] == nil {
				m.to[k] = &Count{}
			}
			m.to[k].plus(*c)
		}
	}
	schema.Tally(r.Findings, more.Findings)
	r.Detached += more.Detached
	r.Deletes = append(r.Deletes, more.Deletes...)
	r.Batches += more.Batches
	r.Constraints = append(r.Constraints, more.Constraints...)
	r.Server.plus(more.Server)
	r.Digest = more.Digest
}

func (c *Count) plus(d Count) {
	c.Sent += d.Sent
	c.Created += d.Created
	c.Updated += d.Updated
	c.Unchanged += d.Unchanged
	c.Deleted += d.Deleted
	c.Absent += d.Absent
	c.LeftOut += d.LeftOut
}

// Changed reports whether anything was written, or would be.
func (r *Report) Changed() bool {
	return r.Nodes.Created+r.Nodes.Updated+r.Nodes.Deleted+r.Edges.Created+r.Edges.Updated+r.Edges.Deleted+r.Detached > 0
}

// Write prints the report for people.
func (r *Report) Write(w io.Writer) error {
	var b []byte
	line := func(name string, c *Count) {
		b = fmt.Appendf(b, "%-22s %9d %9d %9d %9d %9d %9d\n", name, c.Sent, c.Created, c.Updated, c.Unchanged, c.Deleted, c.LeftOut)
	}
	b = fmt.Appendf(b, "%-22s %9s %9s %9s %9s %9s %9s\n", "", "sent", "created", "updated", "unchanged", "deleted", "skipped")
	for _, part := range []struct {
		name string
		all  *Count
		by   map[string]*Count
	}{{"nodes", &r.Nodes, r.Labels}, {"edges", &r.Edges, r.Types}} {
		line(part.name, part.all)
		for _, k := range slices.Sorted(maps.Keys(part.by)) {
			line("  "+textnorm.OneLine(k, 20), part.by[k])
		}
	}
	if r.Detached > 0 {
		b = fmt.Appendf(b, "%d edges went with their nodes\n", r.Detached)
	}
	if len(r.Constraints) > 0 {
		b = fmt.Appendf(b, "%d constraints made\n", len(r.Constraints))
	}
	if v := r.Verified; v != nil {
		b = fmt.Appendf(b, "read back %d nodes and %d edges: %d missing, %d different; %d more in this graph of the database\n", v.Nodes, v.Edges, v.Missing, v.Different, v.Others)
		if v.Added > 0 {
			b = fmt.Appendf(b, "other programs added labels or properties to %s (--exact removes them)\n", findings.Count(v.Added, "element"))
		}
		for _, typ := range slices.Sorted(maps.Keys(v.Foreign)) {
			b = fmt.Appendf(b, "other programs made %s %s between nodes of this graph\n", findings.Count(v.Foreign[typ], "relationship"), textnorm.OneLine(typ, 40))
		}
		if v.Repaired > 0 {
			b = fmt.Appendf(b, "%d of them repaired\n", v.Repaired)
		}
	}
	if x := r.Embedded; x != nil {
		b = fmt.Appendf(b, "%d vectors made by %s, %d kept\n", x.Vectors, x.Profile, x.Kept)
	}
	for _, name := range r.Deletes {
		b = fmt.Appendf(b, "would delete %s\n", textnorm.OneLine(name, 200))
	}
	if r.DryRun {
		b = append(b, "dry run: nothing was written\n"...)
	}
	_, err := w.Write(b)
	return err
}
