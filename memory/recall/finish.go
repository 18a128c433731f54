package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"membench/internal/tokens"
	"membench/memory/store"
)

// TopK cuts the list.
func TopK(k int) Stage {
	return func(_ context.Context, s *State) error {
		if len(s.List) > k {
			s.List = s.List[:k]
		}
		return nil
	}
}

// Last lists the n records stored last that are eligible, the newest first; their
// score is 1/(1+rank), ranks from 0. n <= 0 lists all.
func Last(n int) Stage {
	return func(_ context.Context, s *State) error {
		s.List = s.List[:0]
		for i := s.Store.Len() - 1; i >= 0 && (n <= 0 || len(s.List) < n); i-- {
			if s.Eligible(i) {
				s.List = append(s.List, Scored{i, 1 / float64(1+len(s.List))})
			}
		}
		return nil
	}
}

// Rerank gives the first n a new score, 0.6·cosine + 0.4·share of the question's
// content terms that the record has, and orders them by it; the rest is dropped.
func Rerank(n int) Stage {
	return func(ctx context.Context, s *State) error {
		if len(s.List) == 0 {
			return nil
		}
		s.List = s.List[:min(n, len(s.List))]
		q, err := s.Vector(ctx, s.Query.Text)
		if err != nil {
			return err
		}
		for i, c := range s.List {
			r := s.Store.At(c.Pos)
			s.List[i].Score = math.Round((0.6*Dot(q, s.Store.Vector(c.Pos))+0.4*Coverage(s.Query.Text, r.Text))*1e6) / 1e6
		}
		slices.SortFunc(s.List, s.compare)
		return nil
	}
}

// Dot is the product of two vectors, as far as both go.
func Dot(a, b []float32) (sum float64) {
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// Coverage is the share of the question's distinct content terms that the text has, in
// [0,1]; 0 for a question without any.
func Coverage(question, text string) float64 {
	have := map[string]bool{}
	for _, t := range tokens.Terms(text) {
		have[t] = true
	}
	seen := map[string]bool{}
	hit := 0
	for _, t := range tokens.Terms(question) {
		if !seen[t] && have[t] {
			hit++
		}
		seen[t] = true
	}
	if len(seen) == 0 {
		return 0
	}
	return float64(hit) / float64(len(seen))
}

// TokensOf estimates tokens without a tokenizer: of each run of ASCII letters and
// digits a fourth of its length, rounded up, and one for any other character but blanks.
func TokensOf(s string) int {
	n, run := 0, 0
	end := func() { n += (run + 3) / 4; run = 0 }
	for _, r := range s {
		switch {
		case r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'):
			run++
		case r == ' ' || r == '\n' || r == '\t' || r == '\r':
			end()
		default:
			end()
			n++
		}
	}
	end()
	return n
}

// Fit is how many of the parts, from the first, have at most so many tokens together (TokensOf); 0: no limit.
func Fit(parts []string, tokens int) int {
	n := 0
	for i, p := range parts {
		if n += TokensOf(p); tokens > 0 && n > tokens {
			return i
		}
	}
	return len(parts)
}

// Tail keeps the last n tokens (by TokensOf) of a text, as published systems cut: in the
// middle of an entry if need be.
func Tail(s string, n int) string {
	if TokensOf(s) <= n {
		return s
	}
	lo, hi := 0, len(s)
	for lo < hi { // the shortest prefix of whole characters to drop
		at := (lo + hi) / 2
		for s[at]&0xC0 == 0x80 && at > lo {
			at--
		}
		if TokensOf(s[at:]) > n {
			_, size := utf8.DecodeRuneInString(s[at:])
			lo = at + size
		} else {
			hi = at
		}
	}
	return s[lo:]
}

// Blocks renders records as the Mem-Gallery systems do, numbered from 0; "None" for none.
func Blocks(recs []*store.Record) string {
	var b strings.Builder
	for i, r := range recs {
		b.WriteString("[Memory " + strconv.Itoa(i) + "] ")
		if r.Time != "" {
			b.WriteString("timestamp: " + r.Time + "\n")
		}
		b.WriteString(r.Text + "\n")
	}
	return cmp.Or(strings.TrimSuffix(b.String(), "\n"), "None")
}

// Numbered is Blocks as these systems show them to a reader: between marks, where there are any.
func Numbered(recs []*store.Record) string {
	if len(recs) == 0 {
		return "None"
	}
	return Framed(Blocks(recs))
}

// Framed marks where the memory begins and ends.
func Framed(text string) string { return "[Memory Start]\n" + text + "\n[Memory End]" }

// Show sets the context to the listed records, rendered.
func Show(render func([]*store.Record) string) Stage {
	return func(_ context.Context, s *State) error {
		recs := make([]*store.Record, len(s.List))
		for i, c := range s.List {
			recs[i] = s.Store.At(c.Pos)
		}
		s.Context = render(recs)
		return nil
	}
}
