package recall

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"membench/memory/store"
	"membench/schema"
)

// ValidAt drops records that are dated after the moment the question is asked as of;
// a question without one, and records without a date, are left alone.
func ValidAt() Stage {
	return func(_ context.Context, s *State) error {
		now, ok := schema.ParseInstant(s.Query.AsOf)
		if !ok {
			return nil
		}
		s.List = slices.DeleteFunc(s.List, func(c Scored) bool {
			t, _ := schema.ParseInstant(s.Store.At(c.Pos).Time)
			return t > now
		})
		return nil
	}
}

// LatestOnly keeps the newest of records that say nearly the same: each record joins
// the first group whose first one is nearer than near (cosine), in the order of the
// list, and a group stands where its first record stood. A record without a date is
// older than any with one.
func LatestOnly(near float64) Stage {
	return func(_ context.Context, s *State) error {
		groups := Groups(len(s.List), near, func(i, j int) float64 { return dot(s.Store.Vector(s.List[i].Pos), s.Store.Vector(s.List[j].Pos)) })
		out := make([]Scored, len(groups))
		for n, g := range groups {
			newest := Newest(g, func(i int) string { return s.Store.At(s.List[i].Pos).Time })
			out[n] = Scored{s.List[newest].Pos, s.List[g[0]].Score}
		}
		s.List = out
		return nil
	}
}

// Groups puts 0…n-1 together: each joins the first group whose first member is nearer
// than near.
func Groups(n int, near float64, similar func(i, j int) float64) (out [][]int) {
next:
	for i := range n {
		for g := range out {
			if similar(out[g][0], i) > near {
				out[g] = append(out[g], i)
				continue next
			}
		}
		out = append(out, []int{i})
	}
	return out
}

// Newest is the member of a group with the latest time, the first of equal ones; one
// without a time is older than any with one.
func Newest(group []int, timeOf func(i int) string) int {
	best := group[0]
	var at schema.Instant
	for _, i := range group {
		if t, _ := schema.ParseInstant(timeOf(i)); t > at {
			best, at = i, t
		}
	}
	return best
}

// each runs stages one by one, each on an empty list, and gives what they list.
func (s *State) each(ctx context.Context, stages []Stage) ([][]Scored, error) {
	out := make([][]Scored, len(stages))
	for i, stage := range stages {
		s.List = nil
		if err := stage(ctx, s); err != nil {
			return nil, err
		}
		out[i] = s.List
	}
	return out, nil
}

// gather lists positions in the order that pick gives them, each once; scores become
// 1/(1+rank), since those of different stages do not compare.
func (s *State) gather(pick func(add func(c Scored))) {
	s.List = nil
	seen := map[int]bool{}
	pick(func(c Scored) {
		if !seen[c.Pos] {
			seen[c.Pos] = true
			s.List = append(s.List, Scored{c.Pos, 1 / float64(1+len(s.List))})
		}
	})
}

// OrderedUnion lists what the first stage lists, then what is new in the second's, and
// so on.
func OrderedUnion(stages ...Stage) Stage {
	return func(ctx context.Context, s *State) error {
		lists, err := s.each(ctx, stages)
		if err != nil {
			return err
		}
		s.gather(func(add func(Scored)) {
			for _, l := range lists {
				for _, c := range l {
					add(c)
				}
			}
		})
		return nil
	}
}

// RoundRobin takes the first of each stage's list, then the second of each, and so on.
func RoundRobin(stages ...Stage) Stage {
	return func(ctx context.Context, s *State) error {
		lists, err := s.each(ctx, stages)
		if err != nil {
			return err
		}
		s.gather(func(add func(Scored)) {
			for n, left := 0, true; left; n++ {
				left = false
				for _, l := range lists {
					if n < len(l) {
						add(l[n])
						left = true
					}
				}
			}
		})
		return nil
	}
}

// A Share is a stage with how many of its records are taken.
type Share struct {
	N     int
	Stage Stage
}

// Quota lists the first N of each share, in their order; one record counts for the
// first share that has it.
func Quota(shares ...Share) Stage {
	return func(ctx context.Context, s *State) error {
		stages := make([]Stage, len(shares))
		for i := range shares {
			stages[i] = shares[i].Stage
		}
		lists, err := s.each(ctx, stages)
		if err != nil {
			return err
		}
		taken := map[int]bool{}
		s.gather(func(add func(Scored)) {
			for i, l := range lists {
				n := 0
				for _, c := range l {
					if n < shares[i].N && !taken[c.Pos] {
						taken[c.Pos] = true
						add(c)
						n++
					}
				}
			}
		})
		return nil
	}
}

// Only lists those for which keep holds; for views of a store with several kinds.
func Only(keep func(*store.Record) bool) Stage {
	return func(_ context.Context, s *State) error {
		s.List = slices.DeleteFunc(s.List, func(c Scored) bool { return !keep(s.Store.At(c.Pos)) })
		return nil
	}
}

// DedupNear drops a record that is nearer than near (cosine) to one that stands higher.
func DedupNear(near float64) Stage {
	return func(_ context.Context, s *State) error {
		var out []Scored
		for _, c := range s.List {
			if !slices.ContainsFunc(out, func(o Scored) bool { return dot(s.Store.Vector(o.Pos), s.Store.Vector(c.Pos)) > near }) {
				out = append(out, c)
			}
		}
		s.List = out
		return nil
	}
}

// Heat of a segment is visits + length + e^(−idle/day), the published weights being 1
// each (MemoryOS); idle is the time since it was last visited.
func Heat(visits, length int, idle time.Duration) float64 {
	return float64(visits) + float64(length) + math.Exp(-idle.Hours()/24)
}

// Salience is cosine·ln(times+1)·e^(−ln2·age/30 days), of a memory that was said so many
// times, 1 at least (MemU). An unknown age, below 0, counts as one of 30 days.
func Salience(cosine float64, times int, age time.Duration) float64 {
	fade := 0.5
	if age >= 0 {
		fade = math.Exp(-0.693 * age.Hours() / 24 / 30)
	}
	return cosine * math.Log(float64(max(times, 1))+1) * fade
}

// ConceptTie is the weight between two sets of concepts of sizes a and b that share so
// many: shared/max(a,b)·(1 + 1/(1+often/10))·decay, often being how many records a
// concept has on average (AUGUSTUS); decay in [0.1,1].
func ConceptTie(shared, a, b int, often, decay float64) float64 {
	if shared == 0 {
		return 0
	}
	return float64(shared) / float64(max(a, b)) * (1 + 1/(1+often/10)) * decay
}

// Overlap is the share of the question's concepts that a record has, in [0,1].
func Overlap(question, record []string) float64 {
	if len(question) == 0 {
		return 0
	}
	n := 0
	for _, q := range question {
		if slices.ContainsFunc(record, func(r string) bool { return strings.EqualFold(q, r) }) {
			n++
		}
	}
	return float64(n) / float64(len(question))
}

// IntentMask is a record's chance by its domain: the probability of the domain given
// the question, missing where it has none (0.1 as published in PCM).
func IntentMask(domain func(pos int) string, chance func(s *State) map[string]float64, missing float64) Signal {
	return func(_ context.Context, s *State) ([]float64, error) {
		p := chance(s)
		out := s.numbers()
		for i := range s.Store.All() {
			if v, ok := p[domain(i)]; ok {
				out[i] = v
			} else {
				out[i] = missing
			}
		}
		return out, nil
	}
}

// HeadTail shortens a text to n tokens (TokensOf), share of them from its beginning and
// the rest from its end, with gap between; a text that fits is left alone.
func HeadTail(text string, n int, share float64, gap string) string {
	if TokensOf(text) <= n {
		return text
	}
	n = max(0, n-TokensOf(gap))
	head := int(float64(n) * share)
	return Head(text, head) + gap + Tail(text, n-head)
}

// Head keeps the first n tokens (TokensOf) of a text.
func Head(text string, n int) string {
	if TokensOf(text) <= n {
		return text
	}
	lo, hi := 0, len(text) // the longest prefix that fits
	for lo < hi {
		at := (lo + hi + 1) / 2
		if TokensOf(text[:at]) <= n {
			lo = at
		} else {
			hi = at - 1
		}
	}
	for lo > 0 && lo < len(text) && text[lo]&0xC0 == 0x80 { // not inside a character
		lo--
	}
	return text[:lo]
}

// A Section is a titled part of a context.
type Section struct{ Title, Text string }

// Sections renders those that have a text, each under its title.
func Sections(parts ...Section) string {
	var b strings.Builder
	for _, p := range parts {
		if strings.TrimSpace(p.Text) == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString("## " + p.Title + "\n" + p.Text)
	}
	return b.String()
}
