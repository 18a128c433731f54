package reader

import (
	"sort"
	"strconv"
	"strings"

	"membench/schema"
)

// A Show says how hits become the context that a reader sees.
type Show struct {
	// Time is when a turn was said, RFC 3339 or its beginning, "" unknown. A hit is shown
	// with the time of its first turn: without it nobody could answer "when" from
	// "yesterday". nil shows none.
	Time func(schema.EventRef) string
	// Tokens is the most that is shown, by Count; 0: no limit.
	Tokens int
	Count  func(string) int // nil: a quarter of the bytes of ASCII, one for each other character
}

// Note begins a line that says something of the hit above it in a system's own context,
// such as a claim of a graph and when it holds. The rule reader answers with what was
// said, and takes from notes what holds, what has ended and what is denied.
const Note = "    = "

// Context renders hits, best first: "[rank] time text", a line or more each. A hit that
// does not fit whole, and all after it, is omitted and marked as Cut.
func (o Show) Context(hits []schema.QAHit) string {
	count := o.Count
	if count == nil {
		count = roughTokens
	}
	var b strings.Builder
	left, full := o.Tokens, false
	for i := range hits {
		h := &hits[i]
		when := ""
		if o.Time != nil && len(h.Sources) > 0 {
			when = o.Time(h.Sources[0])
		}
		start := b.Len()
		b.WriteString("[" + strconv.Itoa(i+1) + "] ")
		if when != "" {
			b.WriteString(when + " ")
		}
		b.WriteString(h.Text)
		if o.Tokens > 0 && !full {
			n := count(b.String()[start:])
			full = n > left
			left -= n
		}
		if h.Cut = full; full {
			s := b.String()[:start]
			b.Reset()
			b.WriteString(s)
			continue
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Cut is the beginning of a text that holds at most n tokens by count, cut at a line
// end; cut says that something was skipped. A first line that is too long alone is cut
// inside.
func Cut(text string, n int, count func(string) int) (short string, cut bool) {
	if count == nil {
		count = roughTokens
	}
	if n <= 0 || count(text) <= n {
		return text, false
	}
	end := 0
	for line := range strings.Lines(text) {
		c := count(line)
		if c > n {
			break
		}
		n -= c
		end += len(line)
	}
	if end > 0 {
		return strings.TrimRight(text[:end], "\n"), true
	}
	var ends []int // of each code point
	for i := range text {
		ends = append(ends, i)
	}
	at := sort.Search(len(ends), func(i int) bool { return count(text[:ends[i]]) > n })
	return text[:ends[at-1]], true
}

func roughTokens(s string) int {
	ascii, other := 0, 0
	for _, r := range s {
		if r < 0x80 {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}
