package graphmem

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"membench/graph"
	"membench/schema"
)

// A Fact is a claim of the graph with its evidence.
type Fact struct {
	ID         schema.ClaimID
	Text       string // subject, predicate, object
	Predicate  string
	Subject    schema.NodeID
	Object     schema.NodeID
	Confidence float64
	Status     string
	Domain     string
	Denied     bool             // it denies the statement
	Rivals     []schema.ClaimID // claims that contradict it, nearest first
	Evidence   []Quote          // oldest first
}

// ends are the names of the subject and of the object, as the claim shows them.
func (f *Fact) ends() (subject, object string) {
	subject, object, _ = strings.Cut(f.Text, " "+f.Predicate+" ")
	return subject, object
}

// A Quote is evidence for a claim: a memory and its turns.
type Quote struct {
	Memory schema.NodeID
	Time   string // of the memory; RFC 3339 or its beginning, "" unknown
	Event  string // time of the event, as in schema.Evidence; "" unknown
	Text   string
	Turns  []schema.EventRef
	Again  []string // times of the turns that said it later, oldest first
}

// factOf reads a claim and its evidence out of the graph; what was read before of its
// evidence is not read again.
func factOf(ctx context.Context, g *graph.Local, id schema.NodeID, before []Quote) (f Fact, ok bool, err error) {
	n, ok, err := g.Node(ctx, id)
	if err != nil || !ok || !slices.Contains(n.Labels, schema.LabelClaim) {
		return f, false, err
	}
	f = Fact{ID: schema.ClaimID(id), Text: n.Props.Text("display"), Predicate: n.Props.Text("predicate"), Domain: n.Props.Text("domain"), Status: n.Props.Text("status"), Denied: isTrue(n.Props, "negated"), Confidence: number(n.Props, "confidence")}
	if p, err := schema.ParseID(string(id)); err == nil && len(p.Ends) == 2 {
		f.Subject, f.Object = schema.NodeID(p.Ends[0]), schema.NodeID(p.Ends[1])
	}
	known := make(map[schema.NodeID]int, len(before))
	for i, q := range before {
		known[q.Memory] = i
	}
	for e, err := range g.Neighbors(ctx, id, graph.Both, graph.Filter{Types: []string{schema.EdgeAbout, schema.EdgeSupersededBy, schema.EdgeEvidencedBy}}) {
		if err != nil {
			return f, false, err
		}
		switch {
		case e.Type == schema.EdgeSupersededBy && e.Src == id:
			f.Rivals = append(f.Rivals, schema.ClaimID(e.Dst))
		case e.Type == schema.EdgeSupersededBy:
			f.Rivals = append(f.Rivals, schema.ClaimID(e.Src))
		case e.Type == schema.EdgeAbout && e.Src == id:
			f.Object = e.Dst
		case e.Type == schema.EdgeEvidencedBy && e.Src == id:
			i, ok := known[e.Dst]
			if ok {
				f.Evidence = append(f.Evidence, before[i])
				continue
			}
			q, err := quoteOf(ctx, g, e)
			if err != nil {
				return f, false, err
			}
			f.Evidence = append(f.Evidence, q)
		}
	}
	slices.SortStableFunc(f.Evidence, func(a, b Quote) int { return compareTimes(a.Time, b.Time) })
	return f, true, nil
}

func quoteOf(ctx context.Context, g *graph.Local, e schema.Edge) (Quote, error) {
	q := Quote{Memory: e.Dst, Time: e.Props.Text("created_at"), Event: e.Props.Text("event_time"), Text: e.Props.Text("text")}
	m, ok, err := g.Node(ctx, e.Dst)
	if err != nil {
		return q, err
	}
	if ok {
		q.Text, q.Time = cmp.Or(m.Props.Text("data"), q.Text), cmp.Or(q.Time, m.Props.Text("created_at"))
	}
	o, err := graph.OccasionsOf(ctx, g, e.Dst)
	if err != nil {
		return q, err
	}
	for x, err := range g.Neighbors(ctx, e.Dst, graph.Out, graph.Filter{Types: []string{schema.EdgeFromEvent}}) {
		if err != nil {
			return q, err
		}
		if !o.Rests(e, x) {
			continue
		}
		if n, ok, err := g.Node(ctx, x.Dst); err != nil {
			return q, err
		} else if ref, is := refOf(n); ok && is {
			q.Turns = append(q.Turns, ref)
			if t := n.Props.Text("time"); q.Time != "" && compareTimes(q.Time, t) < 0 {
				q.Again = append(q.Again, t)
			}
		}
	}
	slices.SortFunc(q.Turns, compareRefs)
	slices.SortFunc(q.Again, compareTimes)
	return q, nil
}

func isTrue(o schema.Object, name string) bool {
	raw, ok := o.Get(name)
	return ok && string(raw) == "true"
}

func compareRefs(a, b schema.EventRef) int {
	return cmp.Or(cmp.Compare(a.ConvID, b.ConvID), cmp.Compare(a.TurnID, b.TurnID))
}

// compareTimes orders instants, those that cannot be read last.
func compareTimes(a, b string) int {
	x, _ := schema.ParseInstant(a)
	y, _ := schema.ParseInstant(b)
	return x.CompareUnknownLast(y)
}

// A Span is when a claim holds: from its first evidence until a rival's. Zero ends are open.
type Span struct{ From, To time.Time }

// spans are the times at which a claim holds: evidence after evidence, each until the
// next evidence of a rival. A → B → A gives A two spans. A claim whose evidence has no
// instant holds always, unless it is deprecated.
func (v *view) spans(f *Fact) (out []Span) {
	var rival []time.Time
	for _, id := range v.rivals(f) {
		rival = append(rival, v.facts[v.factAt[id]].times()...)
	}
	slices.SortFunc(rival, time.Time.Compare)
	for _, t := range f.times() {
		if n := len(out); n > 0 && (out[n-1].To.IsZero() || t.Before(out[n-1].To)) {
			continue // said again while it held
		}
		s := Span{From: t}
		if i := slices.IndexFunc(rival, func(r time.Time) bool { return r.After(t) }); i >= 0 {
			s.To = rival[i]
		}
		out = append(out, s)
	}
	return out
}

// times are the instants at which a claim was said, oldest first.
func (f *Fact) times() (out []time.Time) {
	for _, q := range f.Evidence {
		for _, s := range append([]string{q.Time}, q.Again...) {
			if t, ok := schema.ParseTime(s, nil); ok {
				out = append(out, t)
			}
		}
	}
	slices.SortStableFunc(out, time.Time.Compare)
	return out
}

// rivals are the claims that conflict with f, and those that conflict with them: of three
// homes one after the other each is superseded by the last.
func (v *view) rivals(f *Fact) []schema.ClaimID {
	seen := map[schema.ClaimID]bool{f.ID: true}
	queue := slices.Clone(f.Rivals)
	var out []schema.ClaimID
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		i, ok := v.factAt[id]
		if seen[id] || !ok {
			continue
		}
		seen[id] = true
		out = append(out, id)
		for _, r := range v.facts[i].Rivals {
			if other, ok := v.factAt[r]; ok && v.facts[other].Subject == f.Subject {
				queue = append(queue, r)
			}
		}
	}
	return out
}

// holds reports whether a claim holds at an instant; known says whether it was said by
// then at all. Without a limit it is the claim's own status.
func (v *view) holds(f *Fact, end time.Time, limited bool) (holds, known bool) {
	if !limited {
		return f.Status != schema.StatusDeprecated, true
	}
	spans := v.spans(f)
	if len(spans) == 0 {
		return f.Status != schema.StatusDeprecated, true
	}
	for _, s := range spans {
		if s.From.Before(end) {
			known = true
			if s.To.IsZero() || !s.To.Before(end) {
				return true, true
			}
		}
	}
	return false, known
}

// put adds a claim to the view, or exchanges it.
func (v *view) put(f Fact) {
	i, ok := v.factAt[f.ID]
	if !ok {
		i = len(v.facts)
		v.factAt[f.ID] = i
		v.facts = append(v.facts, Fact{})
	}
	was := v.facts[i]
	v.facts[i] = f
	for k, q := range f.Evidence {
		if k < len(was.Evidence) && q.Memory == was.Evidence[k].Memory && len(q.Turns) == len(was.Evidence[k].Turns) {
			continue
		}
		for _, r := range q.Turns {
			if at, ok := v.at[r]; ok && !slices.Contains(v.claims[at], i) {
				v.claims[at] = append(v.claims[at], i)
			}
		}
	}
	if n := len(was.Evidence); ok && f.Text == was.Text && len(f.Evidence) >= n && slices.EqualFunc(was.Evidence, f.Evidence[:n], func(a, b Quote) bool { return a.Text == b.Text }) {
		for _, q := range f.Evidence[n:] { // said again: what was said before is indexed already
			v.claimWords.Extend(i, q.Text)
		}
	} else {
		v.claimWords.Set(i, f.words())
	}
	v.walked = nil
}

// words are what a claim is found by: its names and predicate, and what was said.
func (f *Fact) words() string {
	var b strings.Builder
	b.WriteString(strings.ToLower(strings.ReplaceAll(f.Text, "_", " ")))
	for _, q := range f.Evidence {
		b.WriteByte(' ')
		b.WriteString(q.Text)
	}
	return b.String()
}
