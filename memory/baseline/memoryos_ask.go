package baseline

import (
	"context"
	"strings"

	"membench/memory"
	"membench/memory/recall"
	"membench/memory/store"
)

// Recall finds pages by way of their segments, then knowledge, then shows the short-term
// memory and the profile. Of K hits, 4 in 10 are pages, 3 knowledge, 2 of the short-term
// memory and 1 the profile; what one group lacks the next takes.
func (p *mos) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	var out memory.Retrieved
	s := &recall.State{Query: q, Store: p.st}
	v, err := store.One(ctx, p.d.Embed, &out.Usage, q.Text)
	if err != nil {
		return out, err
	}
	near := recall.Among(len(p.segments), 0, func(i int) (float64, bool) { return dot(p.segments[i].vec, v), true })
	found, _ := recall.Members(near, 5, p.o.Near, func(g int) (in []recall.Scored) {
		for _, pos := range p.segments[g].pages {
			if s.Eligible(pos) {
				in = append(in, recall.Scored{Pos: pos, Score: dot(p.st.Vector(pos), v)})
			}
		}
		return in
	}, p.o.Queue)
	var pages, facts, recent, profile []memory.Hit
	for _, c := range found {
		pages = append(pages, p.st.Hit(c.Pos, c.Score))
	}
	for _, list := range p.know {
		for _, c := range recall.Among(len(list), p.o.KnowTop, func(i int) (float64, bool) {
			x := dot(list[i].vec, v)
			return x, x >= p.o.KnowNear && list[i].rec.For(q)
		}) {
			r := &list[c.Pos].rec
			facts = append(facts, memory.Hit{ID: r.ID, Text: r.Text, Score: c.Score, Sources: r.Sources, Meta: r.Meta})
		}
	}
	for _, pos := range reversed(p.short) {
		if s.Eligible(pos) {
			recent = append(recent, p.st.Hit(pos, 0))
		}
	}
	if p.profile.ID != "" && p.profile.For(q) {
		profile = append(profile, memory.Hit{ID: p.profile.ID, Text: p.profile.Text, Sources: p.profile.Sources, Meta: p.profile.Meta})
	}
	groups := [][]memory.Hit{pages, facts, recent, profile}
	out.Hits = quota(groups, []int{4, 3, 2, 1}, q.K)
	if p.st.Len() > 0 {
		out.Context = p.render(groups)
	}
	return out, nil
}

// quota takes k of groups by their shares, then what is left in the order of the groups.
// Scores become 1/(1+rank): those of the groups cannot be compared.
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
