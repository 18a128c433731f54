package calibrate

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"membench/internal/codec"
)

// WriteText writes the report for people.
func (rep Report) WriteText(w io.Writer) {
	share := func(r Rate) string {
		if r.N == 0 {
			return "– (0)"
		}
		return fmt.Sprintf("%.3f [%.3f, %.3f] (%d/%d)", r.Rate, r.Lo, r.Hi, r.K, r.N)
	}
	fmt.Fprintf(w, "judge %s, %d questions\n\n", rep.Judge, rep.Questions)
	fmt.Fprintln(w, "planted answers          truth   accepted")
	for _, k := range rep.Kinds {
		if k.Accepted.N+k.Failed == 0 && len(rep.Kinds) > len(Kinds()) {
			continue // a shape of the other language
		}
		fmt.Fprintf(w, "%-24s %-7s %s", k.Kind, truth(k.Right), share(k.Accepted))
		if k.Failed > 0 {
			fmt.Fprintf(w, ", %d not judged", k.Failed)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\nfalse accepts     %s\nfalse rejects     %s\n", share(rep.FalseAccepts), share(rep.FalseRejects))
	if rep.Shapes != nil {
		fmt.Fprintf(w, "of wrong shapes   %s\n", share(*rep.Shapes))
	}
	if l := rep.Labels; l != nil {
		fmt.Fprintf(w, "\nby labels (%s)\nfalse accepts     %s\nfalse rejects     %s\n", strings.Join(l.By, ", "), share(l.FalseAccepts), share(l.FalseRejects))
	}
	if len(rep.Systems) > 0 {
		fmt.Fprintf(w, "\nanswers           %d doubtful, %d not graded; mean length %.0f\n", rep.Doubtful, rep.Ungraded, rep.Length)
	}
	for _, x := range rep.Systems {
		fmt.Fprintf(w, "\n%s\naccuracy as seen  %s\n", x.System, share(x.Accuracy))
		for _, c := range x.Corrected {
			if !c.Shown {
				fmt.Fprintf(w, "corrected         – (against %s: %s)\n", c.Against, c.Why)
				continue
			}
			fmt.Fprintf(w, "corrected         %.3f [%.3f, %.3f] (wrong answers: %s)\n", c.Accuracy, c.Lo, c.Hi, c.Against)
		}
	}
}

func truth(right bool) string {
	if right {
		return "right"
	}
	return "wrong"
}

// CheckFormats are the forms of the table of Check.
func CheckFormats() []string { return []string{"text", "markdown", "latex", "csv", "json"} }

// Write writes the table in one of CheckFormats.
func (rep CheckReport) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		return codec.WriteFile(w, rep)
	case "text":
		return rep.table(w, func(c []string) string {
			return fmt.Sprintf("%-8s %-6s %-34s %6s %8s %16s %9s %8s %7s", c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8])
		}, "")
	case "markdown":
		return rep.table(w, func(c []string) string { return "| " + strings.Join(c, " | ") + " |" }, "|---|---|---|---:|---:|---|---:|---:|---:|")
	case "csv":
		return rep.table(w, func(c []string) string {
			var b strings.Builder
			out := csv.NewWriter(&b)
			out.Write(c) // a strings.Builder takes everything
			out.Flush()
			return strings.TrimSuffix(b.String(), "\n")
		}, "")
	case "latex":
		fmt.Fprintln(w, `\begin{tabular}{lllrrlrrr}`)
		escape := strings.NewReplacer("%", `\%`, "_", `\_`, "&", `\&`)
		err := rep.table(w, func(c []string) string {
			cells := make([]string, len(c))
			for i, x := range c {
				cells[i] = escape.Replace(x)
			}
			return strings.Join(cells, " & ") + ` \\`
		}, `\hline`)
		fmt.Fprintln(w, `\end{tabular}`)
		return err
	}
	return fmt.Errorf("have format %q, want one of %s", format, strings.Join(CheckFormats(), ", "))
}

// table writes one line a shape, and two that sum up.
func (rep CheckReport) table(out io.Writer, line func([]string) string, under string) error {
	w := bufio.NewWriter(out)
	put := func(c ...string) { fmt.Fprintln(w, line(c)) }
	put("set", "truth", "shape", "n", "accepted", "interval", "doubtful", "refused", "failed")
	if under != "" {
		fmt.Fprintln(w, under)
	}
	for _, s := range append(slices.Clone(rep.Shapes), rep.RightAll, rep.Wrong) {
		share := func(k int) string {
			if s.Accepted.N == 0 {
				return "–"
			}
			return fmt.Sprintf("%.3f", float64(k)/float64(s.Accepted.N))
		}
		put(s.Set, truth(s.Right), s.Shape, fmt.Sprint(s.Accepted.N), share(s.Accepted.K), fmt.Sprintf("[%.3f, %.3f]", s.Accepted.Lo, s.Accepted.Hi), share(s.Doubtful), share(s.Refused), fmt.Sprint(s.Failed))
	}
	return w.Flush()
}
