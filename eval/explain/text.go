package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"membench/internal/stats"
	"membench/schema"
)

// WriteText draws hop × cause, then category × hop. Columns without a question are left
// out.
func (c Count) WriteText(w io.Writer) {
	var by []string
	for _, g := range c.Graders {
		by = append(by, fmt.Sprintf("%s (%d)", g.Name, g.N))
	}
	fmt.Fprintf(w, "%s on %s: %d questions, %d right, %d failed", c.System, c.Dataset, c.Questions, c.Right, c.Failed)
	if c.NotAnswered > 0 {
		fmt.Fprintf(w, ", %d not answered", c.NotAnswered)
	}
	if c.NotGraded > 0 {
		fmt.Fprintf(w, ", %d not graded", c.NotGraded)
	}
	fmt.Fprintf(w, "; by %s\n", cmp.Or(strings.Join(by, ", "), "no grade"))
	if c.Failed == 0 {
		return
	}
	hops := slices.DeleteFunc(schema.Hops(), func(h string) bool { return sum(c.Lost, h, "") == 0 })
	line := func(name string, n func(hop string) int, all int) {
		fmt.Fprintf(w, "  %-14s", name)
		for _, h := range hops {
			fmt.Fprintf(w, " %*s", max(9, len(h)), orDash(n(h)))
		}
		fmt.Fprintf(w, " %9d\n", all)
	}
	fmt.Fprintf(w, "  %-14s", "lost at")
	for _, h := range hops {
		fmt.Fprintf(w, " %*s", max(9, len(h)), h)
	}
	fmt.Fprintf(w, " %9s\n", "all")
	for _, cause := range schema.Causes() {
		if n := sum(c.Lost, "", cause); n > 0 {
			line(cause, func(h string) int { return sum(c.Lost, h, cause) }, n)
		}
	}
	none := func(hop string) (n int) {
		for _, l := range c.Lost {
			if l.Cause == "" && (hop == "" || l.Hop == hop) {
				n += l.N
			}
		}
		return n
	}
	if n := none(""); n > 0 {
		line("no cause", none, n)
	}
	line("all", func(h string) int { return sum(c.Lost, h, "") }, c.Failed)
	fmt.Fprintf(w, "  %-14s", "% (95 %)")
	for _, h := range hops {
		i := stats.Wilson(sum(c.Lost, h, ""), c.Failed, .95)
		fmt.Fprintf(w, " %*s", max(9, len(h)), fmt.Sprintf("%.0f–%.0f", 100*i.Lo, 100*i.Hi))
	}
	fmt.Fprintln(w)
	for _, p := range c.Categories {
		if p.Failed > 0 {
			line(fmt.Sprintf("%s of %d", cmp.Or(p.Category, "?"), p.Questions), func(h string) int { return sum(p.Lost, h, "") }, p.Failed)
		}
	}
	for _, h := range hops {
		var words []string
		for _, k := range kinds(c.Lost, h) {
			words = append(words, fmt.Sprintf("%s %d", k.Name, k.N))
		}
		if len(words) > 0 {
			fmt.Fprintf(w, "  %s: %s\n", h, strings.Join(words, ", "))
		}
	}
	for i, b := range c.Breaks {
		if i == 0 {
			fmt.Fprint(w, "  in the graph:")
		}
		fmt.Fprintf(w, " %s %d", b.Name, b.N)
	}
	if len(c.Breaks) > 0 {
		fmt.Fprintln(w)
	}
}

func orDash(n int) string {
	if n == 0 {
		return "·"
	}
	return fmt.Sprint(n)
}
