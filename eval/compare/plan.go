package compare

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"membench/internal/stats"
	"membench/schema"
)

// Variation is how paired differences of two runs vary.
type Variation struct {
	Within  float64 `json:"within"`  // variance of a question's difference inside its conversation, [0,1] for verdicts
	Between float64 `json:"between"` // variance of the conversations' true differences
}

// Verdicts is the variation of verdicts: the share discordant differs between two runs, and the true differences of conversations have the standard deviation
// spread.
func Verdicts(discordant, spread float64) Variation {
	return Variation{discordant, spread * spread}
}

// VariationOf estimates the variation from two graded runs, and returns the number of questions per conversation.
func VariationOf(a, b *Run, o Options) (v Variation, perConversation float64, err error) {
	want, by, _ := strings.Cut(o.Protocol, " by ")
	id, err := pick([]*Run{a, b}, want)
	if err != nil {
		return v, 0, err
	}
	var of [2]answers
	for i, r := range []*Run{a, b} {
		if of[i], _, err = r.graded(id, schema.By(by)); err != nil {
			return v, 0, err
		}
	}
	apart := o.apart(a.Dataset)
	s := &sums{}
	for _, key := range slices.Sorted(maps.Keys(of[0])) {
		x := of[0][key]
		p, okA := x.score()
		q, okB := of[1][key].score()
		if okA && okB && !slices.Contains(apart, x.category) {
			s.add(x.caseID, p, q)
		}
	}
	if differ := s.diffs.Wins + s.diffs.Losses; differ < stats.OneSided {
		return v, 0, fmt.Errorf("%s and %s differ in %d of %d questions: too few to see how answers vary. Give other runs, or --discordant PERCENT instead of runs", a.Name, b.Name, differ, s.diffs.N)
	}
	units := s.diffs.Units()
	v.Within, v.Between, _ = stats.Components(units)
	if math.IsNaN(v.Within) {
		return v, 0, fmt.Errorf("%s and %s share %d questions in %d conversations: at least two conversations with two questions are needed to see how they vary", a.Name, b.Name, s.diffs.N, s.diffs.Conversations())
	}
	return v, float64(s.diffs.N) / float64(s.diffs.Conversations()), nil
}

// Target is the difference that a comparison should detect.
type Target struct {
	Difference float64 `json:"difference"` // of the means, in (0,1]
	Alpha      float64 `json:"alpha"`      // of the two-sided test
	Power      float64 `json:"power"`
}

// A Plan is a size that finds the target.
type Plan struct {
	Questions     int     `json:"questions_per_conversation"`
	Conversations int     `json:"conversations"` // 0: no number of them up to MaxConversations finds it
	Total         int     `json:"questions"`
	Power         float64 `json:"power"`  // with that many conversations
	Design        float64 `json:"design"` // design effect: variance divided by that of as many independent questions
}

// MaxConversations is where a plan gives up.
const MaxConversations = 1_000_000

// Plan is the least number of conversations, of a given number of questions each, with which the test of Compare finds the target.
func (v Variation) Plan(perConversation int, t Target) Plan {
	p := Plan{Questions: perConversation}
	unit := v.Between + v.Within/float64(perConversation)
	if v.Within > 0 {
		p.Design = unit * float64(perConversation) / v.Within
	}
	power := func(g int) float64 {
		if unit == 0 {
			return 1
		}
		of := stats.StudentPower(t.Difference/math.Sqrt(unit/float64(g)), t.Alpha, float64(g-1))
		if n := float64(g * perConversation); g < stats.FewClusters && n > 1 { // the test over questions must find it, too
			of = min(of, stats.StudentPower(t.Difference/math.Sqrt((v.Within+v.Between)/n), t.Alpha, n-1))
		}
		return of
	}
	hi := 2
	for power(hi) < t.Power {
		if hi *= 2; hi > MaxConversations {
			return p
		}
	}
	lo := hi / 2
	for lo+1 < hi {
		if mid := (lo + hi) / 2; power(mid) < t.Power {
			lo = mid
		} else {
			hi = mid
		}
	}
	p.Conversations, p.Total, p.Power = hi, hi*perConversation, power(hi)
	return p
}

// A PlanReport has plans for several numbers of questions a conversation.
type PlanReport struct {
	Target
	Variation Variation `json:"variation"`
	Plans     []Plan    `json:"plans"`
}

// Plans is Plan for each of the numbers of questions a conversation.
func (v Variation) Plans(t Target, perConversation ...int) PlanReport {
	r := PlanReport{Target: t, Variation: v}
	for _, n := range perConversation {
		r.Plans = append(r.Plans, v.Plan(n, t))
	}
	return r
}

// WriteText writes the report for people.
func (r PlanReport) WriteText(w io.Writer) {
	fmt.Fprintf(w, "to find %.12g points with power %g at %g (variance of a question's difference %.4g, between conversations %.4g)\n", 100*r.Difference, r.Power, r.Alpha, r.Variation.Within, r.Variation.Between)
	fmt.Fprintf(w, "%24s %14s %10s %8s %14s\n", "questions a conversation", "conversations", "questions", "power", "design effect")
	for _, p := range r.Plans {
		if p.Conversations == 0 {
			fmt.Fprintf(w, "%24d %14s %10s\n", p.Questions, "too many", "–")
			continue
		}
		fmt.Fprintf(w, "%24d %14d %10d %8.3f %14.2f\n", p.Questions, p.Conversations, p.Total, p.Power, p.Design)
	}
}
