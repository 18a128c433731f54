package conformance

import (
	"fmt"
	"io"
	"strings"
)

// A Report is the outcome of all files.
type Report struct {
	Passed  int      `json:"passed"`
	Failed  int      `json:"failed"`
	Skipped int      `json:"skipped"`
	Files   []Result `json:"files"`
}

func (rep *Report) add(r Result) {
	rep.Passed, rep.Failed, rep.Skipped = rep.Passed+r.Passed, rep.Failed+r.Failed, rep.Skipped+r.Skipped
	rep.Files = append(rep.Files, r)
}

// WriteText writes what people read.
func (rep Report) WriteText(w io.Writer) {
	fmt.Fprintf(w, "%7s %7s %7s  vectors\n", "passed", "failed", "skipped")
	for _, r := range rep.Files {
		fmt.Fprintf(w, "%7d %7d %7d  %s: %s\n", r.Passed, r.Failed, r.Skipped, r.Name, strings.Join(r.Protocols, ", "))
		if r.Origin != "" {
			fmt.Fprintf(w, "%26s %s\n", "", r.Origin)
		}
		for _, want := range r.Want {
			fmt.Fprintf(w, "%26s skipped for want of %s\n", "", want)
		}
		for _, f := range r.Failures {
			fmt.Fprintf(w, "%26s %s %s: have %s, want %s\n", "", f.ID, f.Field, f.Have, f.Want)
		}
	}
	fmt.Fprintf(w, "%7d %7d %7d  in all\n", rep.Passed, rep.Failed, rep.Skipped)
}
