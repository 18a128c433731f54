package replay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"membench/internal/rank"
	"membench/internal/textnorm"
	"membench/memory"
	"membench/schema"
)

// Outcomes of a probe.
const (
	Scored        = "scored"
	GoldUnknown   = "gold_unknown"    // the expected memories are unknown
	GoldNotStored = "gold_not_stored" // no memory rests on the gold turns: nothing could be found
	Failed        = "error"
)

// Probe puts every probe of the dialogue to the memory it belongs to. A probe spoken
// by the assistant asks about the assistant itself.
//
// Recall@k is the share of the gold turns on which at least one of the first k hits rests; MRR is 1/rank of the first hit that rests on one. Both are
// absent unless
// the outcome is scored.
func Probe(ctx context.Context, s memory.System, in schema.Seq[schema.Event], o Options) schema.Seq[schema.ProbeResult] {
	return func(yield func(schema.Record[schema.ProbeResult], error) bool) {
		fail := func(err error) { yield(schema.Record[schema.ProbeResult]{}, err) }
		if err := o.check(); err != nil {
			fail(err)
			return
		}
		attach, ok := memory.As[memory.Attacher](s)
		if !ok {
			fail(fmt.Errorf("%s keeps nothing between runs, so it cannot be probed", s.Info().Name))
			return
		}
		all, err := read(in, o)
		if err != nil {
			fail(err)
			return
		}
		injects := map[string][]schema.EventRef{}
		for _, e := range all {
			if id := e.meta.InjectID; id != "" {
				injects[id] = append(injects[id], e.ev.Ref())
			}
		}
		type opened struct {
			m       memory.Memory
			byEvent map[schema.EventRef][]schema.PointID
			err     error
		}
		open := map[memory.Namespace]*opened{}
		defer func() {
			for _, x := range open {
				if x.m != nil {
					x.m.Close()
				}
			}
		}()
		number := map[schema.ConvID]int{}
		for _, e := range all {
			if !e.ev.Is(schema.TagProbe) {
				continue
			}
			if err := ctx.Err(); err != nil {
				fail(err)
				return
			}
			number[e.ev.ConvID]++
			p := schema.ProbeResult{
				ProbeID: cmp.Or(e.meta.ProbeID, fmt.Sprintf("p_%s_%03d", e.ev.ConvID, number[e.ev.ConvID])),
				Backend: o.Backend, UserID: e.user, AgentID: e.agent, Isolation: string(o.Isolation), K: o.TopK,
				ConvID: e.ev.ConvID, TurnID: e.ev.TurnID, SceneID: e.ev.SceneID, CharacterID: e.ev.CharacterID,
				RoleType: e.ev.RoleType, RoleName: e.ev.RoleName, Query: e.ev.Content,
				Expects: append([]string{}, e.meta.Expects...), Gold: e.meta.Gold,
				GoldEvents: []schema.EventRef{}, GoldIDs: []schema.PointID{}, Hits: []schema.ProbeHit{},
			}
			for _, x := range e.meta.Expects {
				refs := injects[x]
				if refs == nil {
					o.found(&schema.Finding{Pos: e.pos, Pointer: "/meta/expects", Code: "EVT023", Message: "the probe expects an id that no turn carries, not scored against it", Have: x, Warning: true})
				}
				for _, r := range refs {
					if !slices.Contains(p.GoldEvents, r) {
						p.GoldEvents = append(p.GoldEvents, r)
					}
				}
			}
			ns := o.namespace(e.user, e.ev.ConvID)
			x := open[ns]
			if x == nil {
				x = &opened{}
				open[ns] = x
				if x.m, x.err = attach.Attach(ctx, ns); x.err == nil {
					x.byEvent, x.err = standOn(ctx, x.m)
				}
			}
			grade(ctx, &p, x.m, x.byEvent, x.err)
			if !yield(schema.Record[schema.ProbeResult]{Pos: e.pos, V: p}, nil) {
				return
			}
		}
	}
}

// standOn lists the points by the turns they rest on; nil for a memory that cannot export.
func standOn(ctx context.Context, m memory.Memory) (map[schema.EventRef][]schema.PointID, error) {
	x, ok := memory.As[memory.Exporter](m)
	if !ok {
		return nil, nil
	}
	out := map[schema.EventRef][]schema.PointID{}
	for r, err := range x.Export(ctx) {
		if err != nil {
			return nil, err
		}
		f, err := r.V.Fields()
		if err != nil {
			return nil, err
		}
		for _, e := range f.Events {
			out[e] = append(out[e], r.V.ID)
		}
	}
	return out, nil
}

func grade(ctx context.Context, p *schema.ProbeResult, m memory.Memory, byEvent map[schema.EventRef][]schema.PointID, err error) {
	stop := func(err error) { p.Outcome, p.Error = Failed, err.Error() }
	if err != nil {
		stop(err)
		return
	}
	for _, e := range p.GoldEvents {
		for _, id := range byEvent[e] {
			if !slices.Contains(p.GoldIDs, id) {
				p.GoldIDs = append(p.GoldIDs, id)
			}
		}
	}
	slices.Sort(p.GoldIDs)
	if textnorm.Strip(p.Query) == "" {
		stop(fmt.Errorf("the probe has no text"))
		return
	}
	q := memory.Query{Text: p.Query, K: p.K, UserID: p.UserID, AgentID: p.AgentID, Asker: memory.RoleUser}
	if textnorm.Strip(p.RoleType) == schema.RoleAssistant {
		q.Asker = memory.RoleAssistant
	}
	r, err := m.Retrieve(ctx, q)
	if err != nil {
		stop(err)
		return
	}
	reaches := make([][]int, len(r.Hits))
	for i, h := range r.Hits {
		hit := schema.ProbeHit{Rank: i + 1, ID: h.ID, Score: rank.Round6(h.Score), Content: h.Text, Events: append([]schema.EventRef{}, h.Sources...)}
		for g, e := range p.GoldEvents {
			if slices.Contains(h.Sources, e) {
				reaches[i] = append(reaches[i], g)
			}
		}
		hit.Gold = len(reaches[i]) > 0
		p.Hits = append(p.Hits, hit)
	}
	switch {
	case len(p.GoldEvents) == 0:
		p.Outcome = GoldUnknown
	case byEvent != nil && len(p.GoldIDs) == 0:
		p.Outcome = GoldNotStored
	default:
		p.Outcome = Scored
		recall := rank.Round6(rank.Recall(reaches, len(p.GoldEvents), p.K))
		mrr := rank.Round6(rank.ReciprocalRank(reaches))
		p.Recall, p.MRR = &recall, &mrr
	}
}

// Summary counts probes by outcome. The means are over scored probes only and absent if there are none; RecallAll also counts a lost fact as not found.
type Summary struct {
	K             int      `json:"k"`
	Probes        int      `json:"probes"`
	Scored        int      `json:"scored"`
	GoldUnknown   int      `json:"gold_unknown"`
	GoldNotStored int      `json:"gold_not_stored"`
	Errors        int      `json:"errors"`
	Recall        *float64 `json:"recall"`     // mean Recall@k over scored, in [0,1]
	MRR           *float64 `json:"mrr"`        // mean over scored, in [0,1]
	RecallAll     *float64 `json:"recall_all"` // mean over scored and gold_not_stored, the latter as 0

	recall, mrr float64
}

// Add counts one probe.
func (s *Summary) Add(p schema.ProbeResult) {
	s.K = p.K
	s.Probes++
	switch p.Outcome {
	case Scored:
		s.Scored++
		s.recall += *p.Recall
		s.mrr += *p.MRR
	case GoldUnknown:
		s.GoldUnknown++
	case GoldNotStored:
		s.GoldNotStored++
	default:
		s.Errors++
	}
	mean := func(sum float64, n int) *float64 {
		if n == 0 {
			return nil
		}
		v := math.Round(sum/float64(n)*1e6) / 1e6
		return &v
	}
	s.Recall, s.MRR, s.RecallAll = mean(s.recall, s.Scored), mean(s.mrr, s.Scored), mean(s.recall, s.Scored+s.GoldNotStored)
}

func (s *Summary) String() string {
	show := func(v *float64) string {
		if v == nil {
			return "n/a"
		}
		return fmt.Sprintf("%.3f", *v)
	}
	return fmt.Sprintf("%d probes: %d scored (Recall@%d %s, MRR %s), %d with unknown gold, %d whose gold is not stored (Recall@%d with these as 0: %s), %d errors",
		s.Probes, s.Scored, s.K, show(s.Recall), show(s.MRR), s.GoldUnknown, s.GoldNotStored, s.K, show(s.RecallAll), s.Errors)
}
