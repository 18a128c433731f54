package baseline

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"membench/internal/rank"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/schema"
)

// salience is a cosine with how often and how many days ago an item was said.
func salience(cos float64, count int, days float64) float64 {
	return cos * math.Log(float64(count)+1) * math.Exp(-0.693*days/30)
}

func (p *memu) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	return recall.Pipeline{func(ctx context.Context, s *recall.State) error {
		type answer struct {
			Retrieve bool   `json:"retrieve"`
			Query    string `json:"query"`
		}
		a, err := op.JSON(ctx, p.d, &s.Receipt, op.PurposeDecide, q.Text, nil, func() answer { return answer{true, q.Text} })
		if err != nil || p.o.Mode == native.Faithful && !a.Retrieve {
			return err
		}
		a.Query = cmp.Or(strings.TrimSpace(a.Query), q.Text)
		v, err := s.Vector(ctx, a.Query)
		if err != nil || p.st.Len() == 0 {
			return err
		}
		open, shown := p.categories(v, q)
		enough, err := p.enough(ctx, s, a.Query, shown)
		if err != nil {
			return err
		}
		s.List = p.rank(s, v, func(pos int) bool {
			return slices.ContainsFunc(p.items[pos].categories, func(c string) bool { return slices.Contains(open, c) })
		})
		var rest []recall.Scored
		if len(s.List) < q.K && !enough { // whatever its category
			rest = p.rank(s, v, nil)
		}
		s.List = recall.Ordered(s.List, rest)
		s.Context = shown
		return nil
	}}.Run(ctx, p.st, q)
}

// categories are those nearest to the question, and their summaries.
func (p *memu) categories(v []float32, q memory.Query) (names []string, shown string) {
	all := slices.Sorted(maps.Keys(p.sums))
	for _, c := range recall.Among(len(all), p.o.TopK, func(i int) (float64, bool) {
		c := p.sums[all[i]]
		return dot(c.vec, v), c.rec.For(q)
	}) {
		names = append(names, all[c.Pos])
		shown += "(" + all[c.Pos] + ")\n" + p.sums[all[c.Pos]].rec.Text + "\n"
	}
	return names, strings.TrimSpace(shown)
}

func (p *memu) enough(ctx context.Context, s *recall.State, query, shown string) (bool, error) {
	type answer struct {
		Enough bool `json:"enough"`
	}
	a, err := op.JSON(ctx, p.d, &s.Receipt, op.PurposeEnough, query+"\n\nFOUND\n"+shown, nil, func() answer { return answer{} })
	return a.Enough, err
}

func (p *memu) rank(s *recall.State, v []float32, keep func(int) bool) []recall.Scored {
	near := recall.Nearest(p.st, v, 0, func(pos int) bool { return s.Eligible(pos) && (keep == nil || keep(pos)) })
	if !p.o.Salience {
		return near
	}
	score := map[int]float64{}
	for _, c := range near {
		it := p.items[c.Pos]
		days := seconds(it.last, p.now) / 86400
		if _, ok := schema.ParseInstant(it.last); !ok {
			days = 30 // unknown age: half
		}
		score[c.Pos] = rank.Round6(salience(c.Score, it.count, days))
	}
	return recall.Best(score)
}
