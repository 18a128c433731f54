package baseline

import (
	"context"
	"slices"
	"strings"

	"membench/llm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// analyse makes profile and knowledge of the hottest segment, where it is hot enough and
// has pages that were not analysed yet.
func (p *mos) analyse(ctx context.Context, r *memory.Receipt) error {
	var hot *segment
	for _, s := range p.segments {
		if hot == nil || s.heat > hot.heat {
			hot = s
		}
	}
	if hot == nil || hot.heat < p.o.Heat {
		return nil
	}
	var texts []string
	var from []int
	for _, i := range hot.pages {
		if !p.pages[i].analysed {
			texts, from = append(texts, p.said[i].lines()), append(from, i)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	profile, err := op.OrRule(ctx, p.d.LLM, r, op.PurposeProfile, func() (string, llm.Usage, error) {
		return op.Summarize(ctx, p.d.LLM, p.d.Prompts, op.PurposeProfile, p.profile.Text, texts, 300)
	}, func() string { return p.ruleProfile(from) })
	if err != nil {
		return err
	}
	kn, err := op.OrRule(ctx, p.d.LLM, r, op.PurposeKnowledge, func() (knowledge, llm.Usage, error) {
		return op.Ask[knowledge](ctx, p.d.LLM, p.d.Prompts, op.PurposeKnowledge, strings.Join(texts, "\n"), nil)
	}, func() knowledge { return p.ruleKnowledge(from) })
	if err != nil {
		return err
	}
	p.setProfile(profile, from, r)
	if p.user, err = p.learn(ctx, p.user, "uk", kn.User, from, r); err != nil {
		return err
	}
	if p.agent, err = p.learn(ctx, p.agent, "ak", kn.Assistant, from, r); err != nil {
		return err
	}
	for _, i := range hot.pages {
		p.pages[i].analysed = true
	}
	hot.visits, hot.length, hot.visited = 0, 0, p.now
	p.warm(hot)
	return nil
}

type knowledge struct {
	User      []string `json:"user"`
	Assistant []string `json:"assistant"`
}

// base is a record of the long-term memory that stands on pages.
func (p *mos) base(kind string, from []int) store.Record {
	last := p.st.At(from[len(from)-1])
	rec := store.Record{Item: memory.Item{Kind: kind, Tier: tierLong, Session: last.Session, Status: memory.StatusActive, Time: last.Time, Meta: last.Meta},
		UserID: last.UserID, AgentID: last.AgentID, Metadata: last.Metadata, Created: last.Created}
	for _, i := range from {
		rec.Sources, rec.Links = memory.Union(rec.Sources, p.st.At(i).Sources), append(rec.Links, p.st.At(i).ID)
	}
	return rec
}

func (p *mos) setProfile(text string, from []int, r *memory.Receipt) {
	text = strings.TrimSpace(text)
	old := p.profile.Text
	if text == "" || strings.EqualFold(text, "none") || p.o.Mode == native.Fixed && old != "" && recall.Coverage(old, text) < 0.5 {
		return
	}
	rec := p.base("profile", from)
	rec.ID, rec.Text = p.profile.ID, text
	change := memory.Change{Op: memory.OpUpdate, ID: rec.ID, Old: old, New: text}
	if old == "" {
		rec.ID = p.id("profile")
		change.Op, change.ID = memory.OpAdd, rec.ID
	} else {
		rec.Sources, rec.Links = memory.Union(p.profile.Sources, rec.Sources), append(slices.Clone(p.profile.Links), rec.Links...)
	}
	p.profile = rec
	r.Changes = append(r.Changes, change)
}

// learn adds knowledge; the oldest goes when there is too much.
func (p *mos) learn(ctx context.Context, have []known, kind string, texts []string, from []int, r *memory.Receipt) ([]known, error) {
	var fresh []string
	for _, t := range texts {
		t = strings.TrimSpace(t)
		if low := strings.ToLower(t); t == "" || low == "none" || low == "- none" || low == "- none." {
			continue
		}
		if p.o.Mode == native.Fixed && (slices.Contains(fresh, t) || slices.ContainsFunc(have, func(k known) bool { return op.Compare(t, k.rec.Text) == op.Same })) {
			continue
		}
		fresh = append(fresh, t)
	}
	vecs, u, err := store.Many(ctx, p.d.Embed, fresh)
	r.Usage = r.Usage.Add(u)
	if err != nil {
		return have, err
	}
	out := slices.Clone(have)
	for i, t := range fresh {
		rec := p.base("knowledge", from)
		rec.ID, rec.Text = p.id(kind), t
		out = append(out, known{rec, vecs[i]})
		r.Changes = append(r.Changes, memory.Change{Op: memory.OpAdd, ID: rec.ID, New: t})
	}
	for len(out) > p.o.Knowledge {
		r.Changes = append(r.Changes, memory.Change{Op: memory.OpDelete, ID: out[0].rec.ID, Old: out[0].rec.Text})
		out = out[1:]
	}
	return out, nil
}

// ruleProfile is what pages say of the user in so many words, a line each, with what was
// known.
func (p *mos) ruleProfile(from []int) string {
	lines := strings.Split(p.profile.Text, "\n")
	for _, i := range from {
		for _, t := range op.RuleTriples([]schema.Turn{{Role: memory.RoleUser, Text: p.said[i].user}}) {
			if t.Subject == memory.RoleUser && !t.Negated && !slices.Contains(lines, t.Words()) {
				lines = append(lines, t.Words())
			}
		}
	}
	slices.Sort(lines)
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// ruleKnowledge are the facts that the user, and the assistant, stated.
func (p *mos) ruleKnowledge(from []int) (k knowledge) {
	for _, i := range from {
		facts, _, _ := op.RuleFacts().Facts(context.Background(), nil, []schema.Turn{{Role: memory.RoleUser, Text: p.said[i].user}, {Role: memory.RoleAssistant, Text: p.said[i].assistant}})
		for _, f := range facts {
			if f.Role == memory.RoleUser {
				k.User = append(k.User, f.Text)
			} else {
				k.Assistant = append(k.Assistant, f.Text)
			}
		}
	}
	return k
}
