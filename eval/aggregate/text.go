package aggregate

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"membench/eval/figure"
	"membench/internal/textnorm"
	"membench/schema"
)

// printCategories prints the set's own labels with our categories; where the two divide the questions differently (LongMemEval's abstention crosses its types),
// our category has a line of its own.
func printCategories(line func(string, schema.Figure), sc schema.Score) {
	crossed := map[string]bool{} // our categories that have no label of their own
	for _, c := range sc.RawCategories {
		for _, of := range c.Of {
			crossed[of] = crossed[of] || len(c.Of) > 1
		}
	}
	for _, c := range sc.RawCategories {
		label := "  " + c.Category
		if c.Category == "" {
			label = "  no label"
		}
		if of := strings.Join(c.Of, " "); of != c.Category && of != "" {
			label += " · " + of
		}
		if slices.Contains(sc.Apart, c.Category) {
			label += " (apart)"
		}
		line(label, c.Figure)
	}
	for _, c := range sc.Categories {
		if len(c.Of) > 1 || crossed[c.Category] {
			line("  = "+c.Category, c.Figure)
		}
	}
}

// scoreName returns the protocol, and the judge's model if there is one.
func scoreName(sc schema.Score) string {
	if sc.By == schema.ByRule {
		return sc.Protocol
	}
	return sc.Protocol + " (" + string(sc.By) + ")"
}

// WriteText writes a summary for people.
func WriteText(w io.Writer, s schema.Summary) {
	fmt.Fprintf(w, "%s on %s: %d questions", s.System, s.Dataset, s.Questions)
	if s.Repeats > 1 {
		fmt.Fprintf(w, " × %d", s.Repeats)
	}
	if s.Declared > 0 {
		fmt.Fprintf(w, " of %d declared (%s %%)", s.Declared, figure.Percent(s.Coverage))
	}
	for _, name := range []string{schema.OutcomeAnswered, schema.OutcomeEmpty, schema.OutcomeError, schema.OutcomeTimeout, schema.OutcomeRefused} {
		if n := s.Outcomes[name]; n > 0 {
			fmt.Fprintf(w, ", %s %d", name, n)
		}
	}
	wide := 32 // of the first column
	for _, sc := range s.Scores {
		wide = max(wide, textnorm.Width(scoreName(sc)))
	}
	fmt.Fprintf(w, "\n%-*s %8s %15s %15s %7s %9s %8s\n", wide+2, "  in percent, "+fmt.Sprint(100*s.Confidence)+" % intervals", "mean", "Wilson", "by case", "n", "unscored", "strict")
	line := func(name string, f schema.Figure) {
		fmt.Fprintf(w, "  %s %8s %15s %15s %7d %9d %8s%s\n", textnorm.Pad(name, wide), figure.Percent(f.Value), figure.Interval(f.Lo, f.Hi), figure.Interval(f.ClusterLo, f.ClusterHi), f.N, f.Unscored, figure.Percent(f.Strict), figure.DoubtBeside(f))
	}
	for _, sc := range s.Scores {
		line(scoreName(sc), sc.Overall)
		if sc.Repeats != nil {
			fmt.Fprintf(w, "    over %d repeats: std %s (population), %s (sample)\n", sc.Repeats.N, figure.Percent(sc.Repeats.StdPopulation), figure.Percent(sc.Repeats.StdSample))
		}
		if c := sc.Corrected; c != nil {
			line("  with corrected golds", c.Overall)
			fmt.Fprintf(w, "    (%s: %d of the answers graded again, %d skipped because no right answer can be determined)\n", strings.Join(c.Overlays, ", "), c.Questions, c.LeftOut)
			for _, x := range c.RawCategories {
				line("    "+cmp.Or(x.Category, "no label"), x.Figure)
			}
		}
		printCategories(line, sc)
		fmt.Fprintf(w, "  %-*s %8s\n", wide, "  mean of the labels (macro)", figure.Percent(sc.Macro))
	}
	if m := s.Metrics; m != nil {
		fmt.Fprintf(w, "  sessions: recall %s, of updates %s; new memories correct %s, hallucinated %s; updates %s (n %d); interference rejected %s (n %d)\n",
			figure.Percent(m.MemoryRecall.AvgRecall), figure.Percent(m.MemoryRecall.AvgUpdateRecall), figure.Percent(m.MemoryCorrectness.AvgCorrectness), figure.Percent(m.MemoryCorrectness.AvgHallucination),
			figure.Percent(m.UpdateHandling.Score), m.UpdateHandling.Total, figure.Percent(m.InterferenceRejection.Score), m.InterferenceRejection.Total)
		fmt.Fprintf(w, "  answers: correct %s, hallucination %s, omission %s (n %d); evidence covered %s (n %d)\n", figure.Percent(m.QuestionAnswering.CorrectRatio),
			figure.Percent(m.QuestionAnswering.HallucinationRatio), figure.Percent(m.QuestionAnswering.OmissionRatio), m.QuestionAnswering.Total, figure.Percent(m.EvidenceCoverage.HitRate), m.EvidenceCoverage.Total)
	}
	for _, u := range s.Usage {
		fmt.Fprintf(w, "  %s at %s: %d calls (%d from a cassette), %d tokens in, %d out\n", u.Step, cmp.Or(string(u.Model), "no named model"), u.Calls, u.Cached, u.InputTokens, u.OutputTokens)
	}
	if c := s.Cost; c != nil {
		fmt.Fprintf(w, "  cost: %.4f %s by prices of %s", c.Total, c.Currency, c.AsOf)
		for i, step := range c.Steps {
			fmt.Fprintf(w, "%s %s %.4f", []string{" =", " +"}[min(i, 1)], step.Step, step.Cost)
		}
		fmt.Fprintln(w)
	}
	for _, warning := range s.Warnings {
		fmt.Fprintf(w, "  warning: %s\n", warning)
	}
}
