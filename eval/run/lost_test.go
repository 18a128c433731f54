package run_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"membench/memory"
	"membench/schema"
)

// A system that drops one turn in a hundred is reported before it is asked anything,
// whichever turns they are; one that drops nothing is not.
func TestLostTurns(t *testing.T) {
	c := schema.Case{ID: "long", Dataset: "made", ConvID: "long", Unit: schema.UnitTurn, Speakers: []string{"Ana", "Ben"},
		Questions: []schema.Question{{ID: "q", Text: "What did Ana plant?", Answer: "a quince", Category: schema.CatIE, RawCategory: "1"}}}
	for i := range 300 {
		if i%60 == 0 {
			c.Sessions = append(c.Sessions, schema.Session{ID: fmt.Sprintf("s%d", i/60), Time: "2026-01-05T10:00:00Z"})
		}
		s := &c.Sessions[len(c.Sessions)-1]
		s.Turns = append(s.Turns, schema.CaseTurn{TurnID: i + 1, Role: []string{"user", "assistant"}[i%2], Name: c.Speakers[i%2], Text: fmt.Sprintf("On walk number %d we met %d herons near the weir.", i, i*7%31)})
	}
	for seed := range 21 {
		dir := t.TempDir()
		var warned []string
		asked := false
		o := of(t, dir, []schema.Case{c}, "bm25")
		o.Warn = func(format string, args ...any) {
			s := fmt.Sprintf(format, args...)
			if asked {
				t.Error("warned after the first question")
			}
			warned = append(warned, s)
		}
		dropped := map[int]bool{}
		if seed > 0 {
			for i := range 3 {
				dropped[1+(seed*53+i*97)%300] = true
			}
		}
		o.Systems[0].System = hooked{System: o.Systems[0].System,
			ingest: func(ctx context.Context, m memory.Memory, b memory.Batch) (memory.Receipt, error) {
				var kept []schema.Turn
				for _, turn := range b.Turns {
					if !dropped[turn.Sources[0].TurnID] {
						kept = append(kept, turn)
					}
				}
				b.Turns = kept
				return m.Ingest(ctx, b)
			},
			retrieve: func(ctx context.Context, m memory.Memory, q memory.Query) (memory.Retrieved, error) {
				asked = true
				return m.Retrieve(ctx, q)
			}}
		must(t, o)
		var lost []schema.EventRef
		for _, s := range sessions(t, dir) {
			lost = append(lost, s.Lost...)
		}
		if len(lost) != len(dropped) {
			t.Errorf("seed %d: %d turns reported as lost, want %d", seed, len(lost), len(dropped))
		}
		for _, r := range lost {
			if !dropped[r.TurnID] {
				t.Errorf("seed %d: turn %d is reported as lost and was kept", seed, r.TurnID)
			}
		}
		if seed > 0 && (len(warned) != 1 || !strings.Contains(warned[0], "3 of 300 turns are in none of its memories")) || seed == 0 && len(warned) > 0 {
			t.Errorf("seed %d: warnings %q", seed, warned)
		}
	}
}
