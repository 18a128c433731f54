package probes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"membench/graph"
	"membench/internal/bm25"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/catalog"
)

// turn is one Event of the graph.
type turn struct {
	id      schema.NodeID
	conv    schema.ConvID
	n       int // turn_id in the graph
	num     int // turn_id in the case, from 1 through it
	role    string
	name    string        // as the graph has it
	who     string        // as questions and turns name the speaker
	by      schema.NodeID // who spoke, "" where the graph does not say
	text    string
	folded  string
	time    string
	sitting *sitting
	probe   bool // it asks a probe: no evidence
	zh      bool // in Chinese
	unread  bool // in a language of which the graph has no claims: it may speak of anything
	atts    []schema.Attachment
}

// day is the date of a turn as YYYY-MM-DD; "" where there is none.
func (t *turn) day() string {
	if len(t.time) >= 10 {
		return t.time[:10]
	}
	return t.sitting.day()
}

// sitting is a session, or the whole conversation where the graph has none.
type sitting struct {
	id    string // session_id; "" for a conversation without sessions
	conv  schema.ConvID
	time  string
	turns []*turn
	n     int // place in its case, from 0
}

func (s *sitting) day() string {
	if len(s.time) >= 10 {
		return s.time[:10]
	}
	return ""
}

// fact is one claim as one person (or thing) of a case has it, with the turns that
// say so.
type fact struct {
	claim   schema.NodeID
	root    schema.NodeID // where the walk to the claim begins: HAS_DOMAIN
	subject string        // id of the subject
	who     string        // its name in questions
	person  bool          // User or Agent: the speaker of the evidence
	pred    string
	object  schema.NodeID
	name    string // the object's name; of a setting its value
	noise   string // why its name is none; "" when it will do
	gold    string // the object as the evidence has it, letter by letter; "" when it has not
	attr    string // of a setting its name
	typ     string // the object's type
	status  string
	next    schema.NodeID // the claim that superseded it
	at      string        // valid_at
	turns   []*turn       // the evidence, in the order of the case
	act     bool          // the evidence has the object as what somebody does or is: it is not a thing
	zh      bool          // language of the first evidence
}

func (f *fact) first() *turn { return f.turns[0] }

// scope is what becomes one case: conversations that share a person, or one alone.
type scope struct {
	conv     schema.ConvID
	convs    []schema.ConvID
	sittings []*sitting
	turns    []*turn
	facts    []*fact
	posting  map[string][]*turn // word → turns that have it, in order
	bySubj   map[string][]*fact // who + predicate → facts
	byPred   map[string][]*fact
	byType   map[string][]*fact
	asSubj   map[schema.NodeID][]*fact // node of the subject → facts
	byClaim  map[schema.NodeID][]*fact
	people   []string
	cues     map[string][]*turn // of cued
	passed   map[Type]int
	dayCount int
	said     map[string][]*turn // by speaker
	search   *bm25.Index        // of the turns; nil until it is asked for
}

// world is the graph as generating needs it: about 500 bytes beside its text for each
// turn, 400 for each claim.
type world struct {
	words  *words
	cat    *catalog.Catalog
	scopes []*scope
	lost   map[string]int // claims that no case can use, by reason
}

type eventProps struct {
	Conv    schema.ConvID       `json:"conv_id"`
	Turn    int                 `json:"turn_id"`
	Role    string              `json:"role_type"`
	Name    string              `json:"role_name"`
	Content string              `json:"content"`
	Tags    []string            `json:"tags"`
	Time    string              `json:"time"`
	Session string              `json:"session_id"`
	Atts    []schema.Attachment `json:"attachments"`
}

type claimProps struct {
	Predicate string `json:"predicate"`
	Status    string `json:"status"`
	ValidAt   string `json:"valid_at"`
	UpdatedAt string `json:"updated_at"`
	Reason    string `json:"deprecated_reason"`
}

// readWorld reads what cases are made of. Nodes and edges of other kinds are passed over.
func readWorld(ctx context.Context, g graph.Graph, o Options, w *words) (*world, error) {
	out := &world{words: w, cat: o.Catalog, lost: map[string]int{}}
	events := map[schema.NodeID]*turn{}
	var order []*turn
	for n, err := range g.Nodes(ctx, graph.Filter{Labels: []string{schema.LabelEvent}}) {
		if err != nil {
			return nil, err
		}
		var p eventProps
		if err := n.Props.Read(&p); err != nil || p.Conv == "" || p.Turn < 1 || strings.TrimSpace(p.Content) == "" {
			out.lost["a turn without conversation, number or text"]++
			continue
		}
		t := &turn{id: n.ID, conv: p.Conv, n: p.Turn, role: p.Role, name: p.Name, text: p.Content, time: p.Time, atts: p.Atts, probe: slices.Contains(p.Tags, schema.TagProbe)}
		t.sitting = &sitting{id: p.Session}
		events[n.ID] = t
		order = append(order, t)
	}
	speakers, err := readSpeakers(ctx, g, events, o.Group)
	if err != nil {
		return nil, err
	}
	sessions := map[string]string{} // conv + session → time
	for n, err := range g.Nodes(ctx, graph.Filter{Labels: []string{schema.LabelSession}}) {
		if err != nil {
			return nil, err
		}
		sessions[n.Props.Text("conv_id")+"\x00"+n.Props.Text("session_id")] = n.Props.Text("session_time")
	}
	for _, t := range order {
		t.who, t.by = t.name, speakers.by[t.id]
		if t.who == "" || w.nobody[textnorm.Fold(t.who)] {
			t.who = cmp.Or(speakers.name[t.id], t.name, t.role)
		}
	}
	out.makeScopes(order, sessions, speakers.user, o.Group)
	byConv := map[schema.ConvID]*scope{}
	for _, s := range out.scopes {
		for _, c := range s.convs {
			byConv[c] = s
		}
	}
	if err := out.readClaims(ctx, g, events, byConv); err != nil {
		return nil, err
	}
	for _, s := range out.scopes {
		s.index()
	}
	return out, nil
}

type spoken struct {
	name map[schema.NodeID]string          // event → display name of who spoke
	by   map[schema.NodeID]schema.NodeID   // event → who spoke
	user map[schema.ConvID][]schema.NodeID // conversation → users who spoke in it
}

// readSpeakers walks SPOKE from the speakers: a few nodes with many edges.
func readSpeakers(ctx context.Context, g graph.Graph, events map[schema.NodeID]*turn, group Group) (spoken, error) {
	s := spoken{map[schema.NodeID]string{}, map[schema.NodeID]schema.NodeID{}, map[schema.ConvID][]schema.NodeID{}}
	for n, err := range g.Nodes(ctx, graph.Filter{Labels: append(catalog.People(), schema.LabelCharacter)}) {
		if err != nil {
			return s, err
		}
		display := cmp.Or(n.Props.Text("display"), n.Props.Text("name"), afterColon(string(n.ID)))
		for e, err := range g.Neighbors(ctx, n.ID, graph.Out, graph.Filter{Types: []string{schema.EdgeSpoke}}) {
			if err != nil {
				return s, err
			}
			t := events[e.Dst]
			if t == nil {
				continue
			}
			s.name[e.Dst], s.by[e.Dst] = display, n.ID
			if (slices.Contains(n.Labels, schema.LabelUser) || slices.Contains(n.Labels, schema.LabelPerson)) && !slices.Contains(s.user[t.conv], n.ID) {
				s.user[t.conv] = append(s.user[t.conv], n.ID)
			}
		}
	}
	return s, nil
}

// makeScopes numbers turns: conversations of a scope by their first instant, then by
// name; turns of a conversation by their number.
func (w *world) makeScopes(order []*turn, sessions map[string]string, users map[schema.ConvID][]schema.NodeID, group Group) {
	convs := map[schema.ConvID][]*turn{}
	for _, t := range order {
		convs[t.conv] = append(convs[t.conv], t)
	}
	var names []schema.ConvID
	start := map[schema.ConvID]string{}
	for c, list := range convs {
		names = append(names, c)
		slices.SortFunc(list, func(a, b *turn) int { return cmp.Compare(a.n, b.n) })
		for _, t := range list {
			if at := cmp.Or(t.time, sessions[string(c)+"\x00"+t.sitting.id]); at != "" {
				start[c] = at
				break
			}
		}
	}
	slices.SortFunc(names, func(a, b schema.ConvID) int { return cmp.Or(cmp.Compare(start[a], start[b]), cmp.Compare(a, b)) })
	byKey := map[string]*scope{}
	for _, c := range names {
		key := "conv\x00" + string(c)
		if u := users[c]; len(u) == 1 && group != GroupConversation {
			key = string(u[0]) // a conversation with several users is alone
		}
		s := byKey[key]
		if s == nil {
			s = &scope{}
			byKey[key] = s
			w.scopes = append(w.scopes, s)
		}
		s.convs = append(s.convs, c)
		var cur *sitting
		for _, t := range convs[c] {
			if cur == nil || cur.id != t.sitting.id || cur.conv != c {
				cur = &sitting{id: t.sitting.id, conv: c, n: len(s.sittings)}
				cur.time = cmp.Or(sessions[string(c)+"\x00"+cur.id], t.time)
				s.sittings = append(s.sittings, cur)
			}
			t.sitting = cur
			cur.turns = append(cur.turns, t)
			s.turns = append(s.turns, t)
			t.num = len(s.turns)
		}
	}
	used := map[schema.ConvID]bool{}
	for key, s := range byKey {
		s.conv = s.convs[0]
		if len(s.convs) > 1 {
			s.conv = schema.ConvID(strings.ReplaceAll(key, ":", "-"))
		}
	}
	slices.SortFunc(w.scopes, func(a, b *scope) int { return cmp.Compare(a.conv, b.conv) })
	for _, s := range w.scopes {
		for base, n := s.conv, 2; used[s.conv]; n++ {
			s.conv = schema.ConvID(fmt.Sprintf("%s-%d", base, n))
		}
		used[s.conv] = true
	}
}

func afterColon(id string) string {
	if _, rest, ok := strings.Cut(id, ":"); ok {
		return rest
	}
	return id
}

// root is what a claim's Predicate node hangs below.
func readRoot(ctx context.Context, g graph.Graph, claim schema.NodeID, known map[schema.NodeID]schema.NodeID) (schema.NodeID, error) {
	up := func(id schema.NodeID, typ string) (schema.NodeID, error) {
		for e, err := range g.Neighbors(ctx, id, graph.In, graph.Filter{Types: []string{typ}}) {
			return e.Src, err
		}
		return "", nil
	}
	pred, err := up(claim, schema.EdgeHasClaim)
	if err != nil || pred == "" {
		return "", err
	}
	if r, ok := known[pred]; ok {
		return r, nil
	}
	dom, err := up(pred, schema.EdgeHasPredicate)
	if err != nil || dom == "" {
		return "", err
	}
	root, err := up(dom, schema.EdgeHasDomain)
	known[pred] = root
	return root, err
}

func (w *world) readClaims(ctx context.Context, g graph.Graph, events map[schema.NodeID]*turn, byConv map[schema.ConvID]*scope) error {
	roots := map[schema.NodeID]schema.NodeID{}
	for n, err := range g.Nodes(ctx, graph.Filter{Labels: []string{schema.LabelClaim}}) {
		if err != nil {
			return err
		}
		var p claimProps
		if n.Props.Read(&p) != nil || p.Predicate == "" {
			w.lost["a claim without predicate"]++
			continue
		}
		root, err := readRoot(ctx, g, n.ID, roots)
		if err != nil {
			return err
		}
		id, perr := schema.ParseID(string(n.ID))
		if root == "" || perr != nil || len(id.Ends) != 2 {
			w.lost["a claim that cannot be reached from its turns"]++
			continue
		}
		f := fact{claim: n.ID, root: root, subject: id.Ends[0], pred: p.Predicate, status: p.Status, at: cmp.Or(p.ValidAt, p.UpdatedAt)}
		var turns []*turn
		for e, err := range g.Neighbors(ctx, n.ID, graph.Out, graph.Filter{Types: []string{schema.EdgeAbout, schema.EdgeEvidencedBy, schema.EdgeSupersededBy}}) {
			if err != nil {
				return err
			}
			switch e.Type {
			case schema.EdgeAbout:
				f.object = e.Dst
			case schema.EdgeSupersededBy:
				f.next = e.Dst
			case schema.EdgeEvidencedBy:
				for e, err := range g.Neighbors(ctx, e.Dst, graph.Out, graph.Filter{Types: []string{schema.EdgeFromEvent}}) {
					if err != nil {
						return err
					}
					if t := events[e.Dst]; t != nil && !slices.Contains(turns, t) {
						turns = append(turns, t)
					}
				}
			}
		}
		if f.object == "" || len(turns) == 0 {
			w.lost["a claim without object or without a turn behind it"]++
			continue
		}
		object, _, err := g.Node(ctx, f.object)
		if err != nil {
			return err
		}
		f.name = cmp.Or(object.Props.Text("title"), object.Props.Text("name"), object.Props.Text("display"))
		if len(object.Labels) > 0 {
			f.typ = object.Labels[0]
		}
		if typ, _ := w.cat.TypeOfPrefix(prefixOf(f.subject)); slices.Contains(catalog.People(), typ) {
			f.person = true
		}
		s, _, err := g.Node(ctx, schema.NodeID(f.subject))
		if err != nil {
			return err
		}
		f.who = cmp.Or(s.Props.Text("title"), s.Props.Text("name"), s.Props.Text("display"), afterColon(f.subject))
		if k, v, ok := strings.Cut(f.name, "="); ok && f.typ == "Tag" && k != "" && v != "" {
			f.attr, f.name = strings.TrimSpace(k), strings.TrimSpace(v)
		}
		if f.attr == "" {
			f.noise = w.words.noName(f.name)
		}
		if f.noise == "" && p.Reason == "ended" && len(turns) == 1 { // "I used to live in Bergen" says no home
			f.noise = "said only as what is over"
		}
		if f.noise == "" && !f.person && !strings.ContainsFunc(f.who, unicode.IsLetter) {
			if prefixOf(f.subject) == "incident" { // those have numbers for names
				f.who = "incident " + f.who
			} else {
				f.noise = "about a bare number"
			}
		}
		w.spread(f, turns, byConv)
	}
	return nil
}

func prefixOf(id string) string { p, _, _ := strings.Cut(id, ":"); return p }

// spread makes of a claim a fact for each case and person that its evidence names: a
// graph may hold the people of many conversations as one user.
func (w *world) spread(f fact, turns []*turn, byConv map[schema.ConvID]*scope) {
	type owner struct {
		s   *scope
		who string
	}
	var order []owner
	group := map[owner][]*turn{}
	for _, t := range turns {
		if t.probe {
			continue
		}
		o := owner{byConv[t.conv], f.who}
		if f.person {
			named := f.who != "" && !w.words.nobody[textnorm.Fold(f.who)] && textnorm.Fold(f.who) != textnorm.Fold(t.who)
			if named && t.by != "" && t.by != schema.NodeID(f.subject) || (prefixOf(f.subject) == "agent") != (t.role == schema.RoleAssistant) {
				continue // someone else said it of the subject
			}
			o.who = t.who
		}
		if group[o] == nil {
			order = append(order, o)
		}
		group[o] = append(group[o], t)
	}
	if len(order) == 0 {
		w.lost["a claim about a person who did not say it"]++
	}
	for _, o := range order {
		x := f
		x.who, x.turns = o.who, group[o]
		slices.SortFunc(x.turns, func(a, b *turn) int { return cmp.Compare(a.num, b.num) })
		x.gold = spell(x.turns[0].text, x.name)
		if x.attr == "" && (pointsBack(x.turns[0].text, x.gold) || x.gold != "" && w.words.noName(x.gold) != "") {
			x.noise, x.gold = "no name", "" // nor is it a thing that others mention
		}
		x.act = does(x.turns[0].text, x.gold)
		o.s.facts = append(o.s.facts, &x)
	}
}
