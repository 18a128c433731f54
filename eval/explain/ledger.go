package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"membench/eval/fidelity"
	"membench/schema"
)

// ledger is the history of one memory according to its session records. It holds every text that the memory ever had.
type ledger struct {
	told     *story
	versions []*version
	byRef    map[schema.EventRef][]*version // that name the turn as their source
	loose    []*version                     // that name no source
	byID     map[schema.PointID][]*version
	live     map[schema.PointID]*version
	sessions map[string]*schema.SessionRecord
	names    map[int]string        // of sessions, by their index
	last     int                   // index of the last session, -1 without any
	unlisted []schema.MemoryChange // additions that receipts report and that no listing shows
	again    []schema.MemoryChange // additions whose id a later addition of the session gives to another text
	mistaken bool                  // the sources that memories name are not those of their texts: settle
	// transparent: every session shows a snapshot or a delta, so a text in none of them was never stored.
	transparent bool
}

// version is one text of a memory.
type version struct {
	id       schema.PointID
	text     string
	sources  []schema.EventRef
	named    []schema.EventRef // as the system says, where settle changed them
	from, to int               // index of the session that made it, and of the one that ended it
	ended    string            // how: "became", "was removed"; "" while it lives
	next     *version          // the text that took its place
	before   *version          // the text whose place it took
	previous []string          // texts that it replaced, according to the system

	words *bag // of text
}

// liveAt reports whether it was after session s.
func (v *version) liveAt(s int) bool { return v.from <= s && s < v.to }

func newLedger(ss []schema.SessionRecord, told *story) *ledger {
	l := &ledger{told: told, byRef: map[schema.EventRef][]*version{}, live: map[schema.PointID]*version{}, sessions: map[string]*schema.SessionRecord{}, names: map[int]string{}, byID: map[schema.PointID][]*version{}, last: -1}
	slices.SortStableFunc(ss, func(a, b schema.SessionRecord) int { return cmp.Compare(a.Index, b.Index) })
	l.transparent = len(ss) > 0
	for i := range ss {
		s := &ss[i]
		l.sessions[s.SessionID], l.names[s.Index] = s, s.SessionID
		l.last = max(l.last, s.Index)
		if s.Opaque && len(s.Delta) == 0 && s.Snapshot == nil && len(s.Changes) == 0 && s.Turns > 0 {
			l.transparent = false
		}
		for _, c := range s.Changes {
			l.change(c, s)
		}
		for _, d := range s.Delta {
			l.apply(d, s.Index)
		}
		if s.Snapshot != nil {
			l.reconcile(s.Snapshot, s.Index)
		}
	}
	return l
}

// change is one change that a receipt of session s reports. Where the session shows a
// delta or a snapshot, only texts that did not last until its end are new.
func (l *ledger) change(c schema.MemoryChange, s *schema.SessionRecord) {
	if s.Opaque {
		switch c.Op {
		case "ADD", "UPDATE":
			var previous []string
			if c.Old != "" {
				previous = []string{c.Old}
			}
			l.put(schema.MemoryState{ID: c.ID, Text: c.New}, previous, s.Index)
		case "DELETE":
			if v := l.live[c.ID]; v != nil {
				l.end(v, s.Index)
			}
		}
		return
	}
	if c.Op == "ADD" && c.New != "" && !s.Opaque && !l.listed(c, s) {
		l.unlisted = append(l.unlisted, c)
	}
	if next := readded(c, s); next != "" && !s.Opaque {
		l.again = append(l.again, c)
		l.keep(&version{id: c.ID, text: c.New, from: s.Index, to: s.Index, ended: "became", next: &version{id: c.ID, text: next}})
	}
	if was := l.live[c.ID]; c.Old == "" || was != nil && was.text == c.Old {
		return
	}
	v := &version{id: c.ID, text: c.Old, from: s.Index, to: s.Index, ended: "was removed"}
	if c.Op == "UPDATE" {
		v.ended, v.next = "became", &version{id: c.ID, text: c.New}
		for _, d := range s.Delta { // whose sources may be those of a later text
			if d.ID == c.ID {
				v.sources = slices.DeleteFunc(slices.Clone(d.Sources), func(ref schema.EventRef) bool {
					return l.told.c != nil && !(&need{turns: l.told.bag(ref.TurnID)}).alike(l.told.read(c.Old))
				})
			}
		}
	}
	l.keep(v)
}

// readded returns another text that a later addition of the same session gives to the id of an addition: the first one is lost.
func readded(c schema.MemoryChange, s *schema.SessionRecord) (text string) {
	if c.Op != "ADD" || c.New == "" {
		return ""
	}
	for _, o := range s.Changes {
		if o.ID == c.ID && o.Op != "ADD" { // told as a change
			return ""
		}
	}
	for _, d := range s.Delta {
		if d.ID == c.ID && d.Text != c.New {
			text = d.Text
		}
	}
	return text
}

// listed reports whether a session shows an addition, or that it was changed again.
func (l *ledger) listed(c schema.MemoryChange, s *schema.SessionRecord) bool {
	return l.live[c.ID] != nil || slices.ContainsFunc(s.Delta, func(d schema.MemoryDelta) bool { return d.ID == c.ID || d.Text == c.New }) ||
		slices.ContainsFunc(s.Changes, func(o schema.MemoryChange) bool { return o.Op != "ADD" && o.ID == c.ID || o.Old == c.New }) ||
		slices.ContainsFunc(l.versions, func(v *version) bool { return v.ended == "" && v.text == c.New })
}

// keep lists a version by its id and sources.
func (l *ledger) keep(v *version) {
	v.words = l.told.read(v.text)
	l.versions = append(l.versions, v)
	l.byID[v.id] = append(l.byID[v.id], v)
	l.file(v)
}

// file lists a version by its sources.
func (l *ledger) file(v *version) {
	if len(v.sources) == 0 {
		l.loose = append(l.loose, v)
	}
	for _, ref := range v.sources {
		l.byRef[ref] = append(l.byRef[ref], v)
	}
}

func (l *ledger) apply(d schema.MemoryDelta, session int) {
	switch d.Op {
	case "suppress":
		if v := l.live[d.ID]; v != nil {
			l.end(v, session)
		}
	default: // add, update; keep and archive of known memories change nothing here
		m, was := schema.MemoryState{ID: d.ID, Text: d.Text, Sources: d.Sources}, l.live[d.ID]
		if d.Text == "" && was != nil && slices.Contains(d.Previous, was.text) { // its text was replaced by none
			l.replace(m, was, d.Previous, session)
			return
		}
		l.put(m, d.Previous, session)
	}
}

// end takes a memory away.
func (l *ledger) end(v *version, session int) {
	v.to, v.ended = session, "was removed"
	delete(l.live, v.id)
}

// put makes m the text of its memory.
func (l *ledger) put(m schema.MemoryState, previous []string, session int) {
	was := l.live[m.ID]
	if was != nil && (m.Text == "" || m.Text == was.text) {
		for _, ref := range m.Sources {
			if !slices.Contains(was.sources, ref) {
				was.sources = append(was.sources, ref)
				l.byRef[ref] = append(l.byRef[ref], was)
			}
		}
		return
	}
	l.replace(m, was, previous, session)
}

// replace makes m a new version of its memory; was is the one that lives, or nil.
func (l *ledger) replace(m schema.MemoryState, was *version, previous []string, session int) {
	v := &version{id: m.ID, text: m.Text, sources: m.Sources, from: session, to: math.MaxInt, before: was, previous: previous}
	if was == nil && len(previous) > 0 { // an update under a new id
		for _, old := range l.versions {
			if old.ended == "" && slices.Contains(previous, old.text) {
				v.before = old
				delete(l.live, old.id)
				break
			}
		}
	}
	if v.before != nil {
		v.before.to, v.before.ended, v.before.next = session, "became", v
	}
	l.live[m.ID] = v
	l.keep(v)
}

// reconcile sets the ledger to a snapshot and, for systems without deltas, records the differences.
func (l *ledger) reconcile(snapshot []schema.MemoryState, session int) {
	shown := make(map[schema.PointID]bool, len(snapshot))
	for _, m := range snapshot {
		if m.Status == "invalid" {
			continue
		}
		shown[m.ID] = true
		l.put(m, nil, session)
	}
	for _, v := range l.versions {
		if v.ended == "" && !shown[v.id] {
			l.end(v, session)
		}
	}
}

// failedIngest attributes a question that could not be asked because the system failed during ingest, according to the record's error; otherwise nil.
func (l *ledger) failedIngest(r *schema.QARecord, until int) *schema.Attribution {
	first := (*schema.SessionRecord)(nil)
	for _, s := range l.sessions {
		if s.Index <= until && s.Error != "" && strings.Contains(r.Error, s.Error) && (first == nil || s.Index < first.Index) {
			first = s
		}
	}
	if first == nil {
		return nil
	}
	f := finding{hop: schema.HopIngest, kind: schema.FaultFailed, reason: fmt.Sprintf("the system failed in session %s: %s", first.SessionID, first.Error)}
	return f.attribution(schema.CauseMiss)
}

// until is the index of the last session that the question's memory had seen.
func (l *ledger) until(q *schema.Question) int {
	if q == nil || len(q.Covered) == 0 {
		return l.last
	}
	s := -1
	for _, id := range q.Covered {
		if x := l.sessions[id]; x != nil {
			s = max(s, x.Index)
		}
	}
	if s < 0 {
		return l.last
	}
	return s
}

// carriers are the texts up to session s that held the need, oldest first.
func (l *ledger) carriers(n *need, s int, f *fidelity.Frame) (ever, live []*version) {
	if n.asked {
		return n.ever, n.live
	}
	known := map[*version]bool{}
	holds := func(v *version) bool {
		ok, seen := known[v]
		if !seen {
			ok = n.holds(v.words, v.sources, f, l.beside(v, n.refs)...)
			// A text that replaced a carrier is a carrier only if it kept its words.
			for b := v.before; ok && b != nil; b = b.before {
				if n.holds(b.words, b.sources, f) && !n.kept(b, v) {
					ok = false
				}
			}
			known[v] = ok
		}
		return ok
	}
	take := func(vs []*version) {
		for _, v := range vs {
			if v.from > s || slices.Contains(ever, v) || !holds(v) {
				continue
			}
			ever = append(ever, v)
			if v.liveAt(s) {
				live = append(live, v)
			}
		}
	}
	for _, ref := range n.refs {
		take(l.byRef[ref])
	}
	take(n.near(l.loose))
	if len(n.refs) == 0 || len(live) == 0 && n.distinct(nil) && f.Verbatim() { // any memory may contain it, whatever its sources
		take(n.near(l.versions))
	}
	if len(ever) == 0 {
		ever, live = l.jointly(n, s, f)
	}
	n.asked, n.ever, n.live = true, ever, live
	return ever, live
}

// beside are the texts of other memories that are made of some turns, until a text.
func (l *ledger) beside(v *version, refs []schema.EventRef) (out []string) {
	for _, ref := range refs {
		for _, o := range l.byRef[ref] {
			if o.id != v.id && o.from <= v.from {
				out = append(out, o.text)
			}
		}
	}
	return out
}

// near are the texts that have some of the need's words: others need not be compared.
func (n *need) near(vs []*version) []*version {
	if n.turns == nil {
		return vs
	}
	var out []*version
	for _, v := range vs {
		if n.alike(v.words) {
			out = append(out, v)
		}
	}
	return out
}

// alike reports whether a text and the need's turns share a third of the words of one of them.
func (n *need) alike(b *bag) bool {
	both := n.turns.both(b)
	return both > 0 && (both*3 >= len(n.turns.terms) || both*3 >= len(b.terms))
}

// jointly returns the memories that contain a need only together: systems of passages cut a turn, systems of small facts make several of one. Memories without
// a word of the gold are excluded.
func (l *ledger) jointly(n *need, s int, f *fidelity.Frame) (ever, live []*version) {
	var all, now []*version
	for _, ref := range n.refs {
		for _, v := range l.byRef[ref] {
			if v.from > s || slices.Contains(all, v) {
				continue
			}
			all = append(all, v)
			if v.liveAt(s) {
				now = append(now, v)
			}
		}
	}
	together := func(vs []*version) bool {
		var bags []*bag
		var texts []string
		for _, v := range vs {
			bags, texts = append(bags, v.words), append(texts, l.told.unlabelled(v.text).Text)
		}
		if !f.Verbatim() {
			return n.keyIn(bags...) && !slices.ContainsFunc(vs, func(v *version) bool {
				return slices.ContainsFunc(n.said, func(o fidelity.Original) bool {
					return !fidelity.Facts(o, v.text, len(v.sources) == 1, l.beside(v, n.refs)...).Same()
				})
			})
		}
		return slices.ContainsFunc(n.said, func(o fidelity.Original) bool { return fidelity.Covered(o.Text, texts) })
	}
	if len(all) < 2 || !together(all) {
		return nil, nil
	}
	keyed := func(v *version) bool { return len(n.key) > 0 && !slices.ContainsFunc(n.key, v.words.has) }
	if together(now) {
		live = slices.DeleteFunc(slices.Clone(now), keyed)
	}
	return slices.DeleteFunc(all, keyed), live
}

// version is the text that a memory had after session s, nil where that is not known.
func (l *ledger) version(id schema.PointID, s int) *version {
	for _, v := range l.byID[id] {
		if v.liveAt(s) {
			return v
		}
	}
	return nil
}

// fate describes what happened to a missing text.
func (v *version) fate() string {
	if v.next != nil {
		return "became " + quote(v.next.text)
	}
	return v.ended
}

// quote is the beginning of a text, for a reason.
func quote(s string) string {
	const most = 120 // code points
	s = strings.Join(strings.Fields(s), " ")
	r := []rune(s)
	if len(r) > most {
		s = string(r[:most]) + "…"
	}
	return "“" + s + "”"
}
