package baseline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// analyse makes profile and knowledge of the hottest segment, where it is hot enough and
// has pages that were not analysed yet.
func (p *mos) analyse(w *op.Work, r *memory.Receipt) {
	if len(p.segments) == 0 {
		return
	}
	hot := slices.MaxFunc(p.segments, func(a, b *segment) int { return cmp.Compare(a.heat, b.heat) })
	if hot.heat < p.o.Heat {
		return
	}
	var texts []string
	var from []int
	for _, i := range hot.pages {
		if !p.pages[i].analysed {
			texts, from = append(texts, p.said[i].lines()), append(from, i)
		}
	}
	if len(texts) == 0 {
		return
	}
	profile := w.Summary(op.PurposeProfile, p.profile.Text, texts, 300, func() string { return p.ruleProfile(from) })
	kn := op.JSON(w, op.PurposeKnowledge, strings.Join(texts, "\n"), nil, func() knowledge { return p.ruleKnowledge(from) })
	user, agent := p.fresh(p.know[0], kn.User), p.fresh(p.know[1], kn.Assistant)
	vecs := w.Embed(slices.Concat(user, agent)...)
	if w.Err != nil {
		return
	}
	p.setProfile(profile, from, r)
	p.learn(p.know[0], user, vecs, from, r)
	p.learn(p.know[1], agent, vecs[len(user):], from, r)
	for _, i := range hot.pages {
		p.pages[i].analysed = true
	}
	hot.length, hot.visited = 0, p.now
	p.warm(hot)
}

type knowledge struct {
	User      []string `json:"user"`
	Assistant []string `json:"assistant"`
}

// base is a record of the long-term memory that rests on pages.
func (p *mos) base(kind, text string, from []int) store.Record {
	rec := p.st.On(kind, p.st.At(from[len(from)-1]), from)
	rec.Tier, rec.Text = tierLong, text
	return rec
}

func (p *mos) setProfile(text string, from []int, r *memory.Receipt) {
	old := p.profile.Text
	if text == "" || strings.EqualFold(text, "none") || p.o.Mode == native.Fixed && old != "" && recall.Coverage(old, text) < 0.5 {
		return
	}
	rec := p.base("profile", text, from)
	rec.ID = schema.PointID(p.scope + ":profile")
	p.profile = store.Rewrite(p.profile, rec, r)
}

// fresh are the texts that say something, and fixed something that is not known.
func (p *mos) fresh(have *store.Linear, texts []string) (out []string) {
	for _, t := range texts {
		t = strings.TrimSpace(t)
		if low := strings.ToLower(t); t == "" || low == "none" || low == "- none" || low == "- none." {
			continue
		}
		if p.o.Mode == native.Fixed && (slices.Contains(out, t) || slices.ContainsFunc(have.Records(), func(k store.Record) bool { return op.Compare(t, k.Text) == op.Same })) {
			continue
		}
		out = append(out, t)
	}
	return out
}

// learn adds knowledge; the oldest goes when there is too much.
func (p *mos) learn(list *store.Linear, texts []string, vecs [][]float32, from []int, r *memory.Receipt) {
	for i, t := range texts {
		pos := list.Add(p.base("knowledge", t, from), vecs[i], r)
		if old := pos - p.o.Knowledge; old >= 0 {
			r.Changes = append(r.Changes, memory.Change{Op: memory.OpDelete, ID: list.At(old).ID, Old: list.At(old).Text})
			list.Remove(old)
		}
	}
}

// ruleProfile returns the pages' explicit statements about the user, one line each, together with the known ones.
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
		for _, f := range op.CaptionedFacts([]schema.Turn{{Role: memory.RoleUser, Text: p.said[i].user}, {Role: memory.RoleAssistant, Text: p.said[i].assistant}}) {
			if f.Role == memory.RoleUser {
				k.User = append(k.User, f.Text)
			} else {
				k.Assistant = append(k.Assistant, f.Text)
			}
		}
	}
	return k
}

// Recall finds pages through their segments, then knowledge, then shows the short-term memory and the profile. Of ten hits, 4 are pages, 3 knowledge, 2
// short-term memory and 1 the profile; the next group fills unused places.
func (p *mos) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	var out memory.Retrieved
	s := &recall.State{Query: q, Store: p.st}
	v, err := store.One(ctx, p.d.Embed, &out.Usage, q.Text)
	if err != nil {
		return out, err
	}
	near := recall.Among(len(p.segments), 0, func(i int) (float64, bool) { return recall.Dot(p.segments[i].vec, v), true })
	found := recall.Members(near, 5, p.o.Near, func(g int) (in []recall.Scored) {
		for _, pos := range p.segments[g].pages {
			if s.Eligible(pos) {
				in = append(in, recall.Scored{Pos: pos, Score: recall.Dot(p.st.Vector(pos), v)})
			}
		}
		return in
	}, p.o.Queue)
	var pages, facts, recent, profile []memory.Hit
	for _, c := range found {
		pages = append(pages, p.st.Hit(c.Pos, c.Score))
	}
	for _, list := range p.know {
		for _, c := range recall.Nearest(list, v, p.o.KnowTop, func(i int) bool { return list.At(i).For(q) }) {
			if c.Score >= p.o.KnowNear {
				facts = append(facts, list.Hit(c.Pos, c.Score))
			}
		}
	}
	for _, pos := range slices.Backward(p.short) {
		if s.Eligible(pos) {
			recent = append(recent, p.st.Hit(pos, 0))
		}
	}
	if p.profile.ID != "" && p.profile.For(q) {
		profile = append(profile, p.profile.Hit(0))
	}
	groups := [][]memory.Hit{pages, facts, recent, profile}
	out.Hits = quota(groups, []int{4, 3, 2, 1}, q.K)
	if p.st.Len() > 0 {
		out.Context = p.render(groups)
	}
	return out, nil
}

// quota takes k hits from groups by their shares, then the rest in the order of the groups. Scores become 1/(1+rank), since the groups' scores are not
// comparable.
func quota(groups [][]memory.Hit, share []int, k int) (out []memory.Hit) {
	sum := 0
	for _, n := range share {
		sum += n
	}
	take := make([]int, len(groups))
	left := k
	for i, g := range groups {
		take[i] = min(len(g), max(1, k*share[i]/sum), left)
		left -= take[i]
	}
	for i, g := range groups {
		more := min(left, len(g)-take[i])
		take[i], left = take[i]+more, left-more
	}
	for i, g := range groups {
		for _, h := range g[:take[i]] {
			h.Score = 1 / float64(1+len(out))
			out = append(out, h)
		}
	}
	return out
}

func (p *mos) render(groups [][]memory.Hit) string {
	var b strings.Builder
	for i, name := range []string{"Pages", "Knowledge", "Recent dialogue", "Profile"} {
		b.WriteString("(" + name + ")\n")
		for _, h := range groups[i] {
			b.WriteString(h.Text + "\n")
			if at, ok := p.st.Find(h.ID); ok && p.pages[at].meta != "" {
				b.WriteString("overview: " + p.pages[at].meta + "\n")
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
