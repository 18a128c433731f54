package models

import (
	"fmt"
	"io"
	"strings"

	"membench/llm"
	"membench/llm/cassette"
)

// Usage is the paid usage of a run.
type Usage struct {
	Currency string         `json:"currency"`
	Prices   string         `json:"prices"` // where they are from
	AsOf     string         `json:"prices_as_of,omitzero"`
	Rows     []llm.Row      `json:"rows"`
	Cassette cassette.Stats `json:"cassette,omitzero"`
}

// Usage returns the paid usage so far.
func (s *Set) Usage() Usage {
	return Usage{s.Prices.Currency, s.Prices.From, s.Prices.AsOf, s.ledger.Rows(s.Prices.Prices), s.cassette.Stats()}
}

// Write writes one line a purpose and model.
func (r Usage) Write(w io.Writer) {
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s: %s answered %d", row.Purpose, row.Model, row.Answers)
		if row.Replayed > 0 {
			fmt.Fprintf(w, ", %d of them from the cassette", row.Replayed)
		}
		for _, o := range llm.Outcomes() {
			if n := row.Ended[o]; n > 0 {
				fmt.Fprintf(w, ", %d %s", n, strings.ReplaceAll(string(o), "_", " "))
			}
		}
		fmt.Fprintf(w, "; tokens first paid %s, paid now %s", tokens(row.First), tokens(row.Now))
		if row.Cost != nil {
			fmt.Fprintf(w, "; %s %.4f first, %.4f now", r.Currency, row.Cost.First, row.Cost.Now)
		}
		if row.Answered != "" {
			fmt.Fprintf(w, " (the endpoint calls itself %s)", row.Answered)
		}
		if row.Adapted != "" {
			fmt.Fprintf(w, " (%s)", row.Adapted)
		}
		if row.Now.Estimated > 0 {
			fmt.Fprintf(w, " (the tokens of %d calls are estimated: the endpoint reported none, or impossible ones)", row.Now.Estimated)
		}
		fmt.Fprintln(w)
	}
}

func tokens(u llm.Usage) string { return fmt.Sprintf("%d+%d", u.InputTokens, u.OutputTokens) }

// WriteEstimate writes the calls of a dry run as a range.
func (s *Set) WriteEstimate(w io.Writer) {
	var low, high float64
	unknown := false
	for _, row := range s.Estimate.Rows() {
		fmt.Fprintf(w, "%s: %d to %d calls of %s, %s to %s tokens", row.Purpose, row.Low.Calls, row.High.Calls, row.Model, tokens(row.Low), tokens(row.High))
		if p, ok := s.Prices.Prices.Of(row.Model); ok {
			low, high = low+p.Cost(row.Low), high+p.Cost(row.High)
			fmt.Fprintf(w, ", %s %.4f to %.4f", s.Prices.Currency, p.Cost(row.Low), p.Cost(row.High))
		} else {
			unknown = true
			fmt.Fprint(w, ", no price known")
		}
		fmt.Fprintln(w)
	}
	hits := s.cassette.Stats().Hits
	switch {
	case len(s.Estimate.Rows()) == 0 && hits == 0:
		fmt.Fprintln(w, "dry run: no model would be asked")
	case unknown:
		fmt.Fprintf(w, "dry run: %s %.4f to %.4f plus what has no price; prices %s, %s\n", s.Prices.Currency, low, high, s.Prices.From, s.Prices.AsOf)
	default:
		fmt.Fprintf(w, "dry run: %s %.4f to %.4f; prices %s, %s\n", s.Prices.Currency, low, high, s.Prices.From, s.Prices.AsOf)
	}
	if hits > 0 {
		fmt.Fprintf(w, "%d answers are in the cassette and cost nothing\n", hits)
	}
}
