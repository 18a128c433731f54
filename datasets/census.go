package datasets

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"membench/schema"
)

// A Census counts the content of a stream of cases: about 60 bytes and the id for each case and question.
type Census struct {
	Cases      int            `json:"cases"`
	Sessions   int            `json:"sessions"`
	Turns      int            `json:"turns"`
	Points     int            `json:"memory_points,omitzero"`
	Questions  int            `json:"questions"`
	Categories map[string]int `json:"categories"` // common set and the raw label
	Evidence   int            `json:"with_evidence"`
	Unresolved int            `json:"unresolved_ids,omitzero"`
	Abstain    int            `json:"abstain,omitzero"`
	Corrected  int            `json:"corrected,omitzero"`
	ids        map[string]bool
}

// NewCensus is one that has counted nothing.
func NewCensus() *Census { return &Census{Categories: map[string]int{}, ids: map[string]bool{}} }

// Count counts a stream as it passes.
func (n *Census) Count(in schema.Seq[schema.Case]) schema.Seq[schema.Case] {
	return schema.Observe(in, func(c *schema.Case) { n.Add(*c) })
}

// Add counts a case.
func (n *Census) Add(c schema.Case) {
	n.Cases++
	n.ids[c.ID] = true
	n.Sessions += len(c.Sessions)
	for _, s := range c.Sessions {
		n.Turns += len(s.Turns)
		n.Points += len(s.Points)
	}
	n.Questions += len(c.Questions)
	for _, q := range c.Questions {
		n.ids[q.ID] = true
		n.Categories[strings.TrimSpace(q.Category+" "+q.RawCategory)]++
		n.Unresolved += len(q.Unresolved)
		if len(q.Evidence) > 0 || len(q.EvidenceIDs) > len(q.Unresolved) {
			n.Evidence++
		}
		if q.Abstain {
			n.Abstain++
		}
		if q.Errata != nil {
			n.Corrected++
		}
	}
}

// Has reports whether a case or question of this id was counted.
func (n *Census) Has(id string) bool { return n.ids[id] }

// Part describes which part of the whole set was counted, "" if it is all of it or unknown.
func (n *Census) Part(whole Counts) string {
	if n.Cases >= whole.Cases {
		return ""
	}
	return fmt.Sprintf(" (a part: the whole set has %d cases, %d questions)", whole.Cases, whole.Questions)
}

// A CensusReport counts the content of a data set's files.
type CensusReport struct {
	Dataset string `json:"dataset"`
	Census
	Findings map[string]int `json:"findings,omitempty"` // by code
}

// Only yields the cases with the given ids and the cases of the questions with these ids; no id: all cases.
func Only(ids []string, in schema.Seq[schema.Case]) schema.Seq[schema.Case] {
	return schema.Keep(in, func(r *schema.Record[schema.Case]) bool {
		return len(ids) == 0 || slices.Contains(ids, r.V.ID) || slices.ContainsFunc(r.V.Questions, func(q schema.Question) bool { return slices.Contains(ids, q.ID) })
	})
}

// WriteText describes a data set, and the counts of its files; nil: no counts.
func (i Info) WriteText(w io.Writer, n *CensusReport) {
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-11s %s\n", name, text)
		}
	}
	row("name", i.Name)
	row("title", i.Title)
	row("home", i.Home)
	row("licence", i.Licence)
	row("terms", i.Terms)
	row("status", string(i.Status))
	row("size", i.Size)
	row("checked", i.Checked)
	row("unverified", i.Unverified)
	row("note", i.Note)
	for _, f := range i.Files {
		row("file", f.Name)
		row("", "  "+f.URL)
		if f.SHA256 != "" {
			row("", "  sha256 "+f.SHA256)
		}
		row("", strings.TrimRight("  "+f.Note, " "))
	}
	if n == nil {
		return
	}
	row("counted", fmt.Sprintf("%d cases, %d sessions, %d turns, %d questions (%d with gold evidence, %d to abstain)%s", n.Cases, n.Sessions, n.Turns, n.Questions, n.Evidence, n.Abstain, n.Part(i.Whole)))
	for _, k := range slices.Sorted(maps.Keys(n.Categories)) {
		row("", fmt.Sprintf("%6d  %s", n.Categories[k], k))
	}
	for _, k := range slices.Sorted(maps.Keys(n.Findings)) {
		c, _ := schema.Code(k)
		row("", fmt.Sprintf("%6d  %s %s", n.Findings[k], k, c.Meaning))
	}
}
