package mem0

import (
	"fmt"
	"slices"
	"strings"

	"membench/internal/bm25"
	"membench/internal/textnorm"
	"membench/internal/vector"
	"membench/llm"
	"membench/memory"
	"membench/memory/op"
	"membench/schema"
)

type header struct {
	Format      string `json:"format"`
	Version     int    `json:"version"`
	Run         string `json:"run"`
	Scope       string `json:"scope"`
	Fingerprint string `json:"fingerprint"`
}

// entry is one batch in the journal.
type entry struct {
	Batch    string        `json:"batch"`
	Session  string        `json:"session,omitzero"`
	Changes  []change      `json:"changes"`
	Degraded []memory.Note `json:"degraded,omitempty"`
	Usage    llm.Usage     `json:"usage,omitzero"`
}

// change is one thing done to a point. ADD and UPDATE carry the whole point.
type change struct {
	Op         string            `json:"op"`
	ID         schema.PointID    `json:"id"`
	Old        string            `json:"old,omitzero"`
	Role       string            `json:"role,omitzero"`
	Name       string            `json:"name,omitzero"` // of the speaker; not part of Mem0's payload
	Payload    *schema.Object    `json:"payload,omitempty"`
	Events     []schema.EventRef `json:"events,omitempty"`
	Supersedes []schema.PointID  `json:"supersedes,omitempty"` // kept, but contradicted by this one
	// Attachments are the attachments of the point's turns.
	Attachments []schema.Attachment `json:"attachments,omitempty"`
}

type point struct {
	id         schema.PointID
	role, name string
	text       string // without prefix
	key        string // textnorm.Key of text
	user       string
	agent      string
	actor      string // actor_id of the payload, which every fact of the same people looks at
	payload    schema.Object
	events     []schema.EventRef
	superseded bool
	live       bool
	session    string // in which it was added or last updated
	pictures   []schema.Attachment
	links      []schema.PointID // points that it contradicts
}

// store is the state that a journal adds up to: about 1 KiB a point, and 2 KiB more
// once something was retrieved (its vector).
type store struct {
	points  []*point // in order of ADD
	byID    map[schema.PointID]int
	byText  map[string][]int // by role and key
	bySlot  map[string][]int // by role and op.Slot
	words   bm25.Index
	vectors vector.Index
	stale   map[int]bool // points whose vector is not current
	moved   map[int]bool // points that differ from Options.Points, ignoring the vector
	keys    []string
	known   map[string]bool
	names   []string // of all speakers so far, lower case
	history []memory.Change

	degraded []memory.Note
	usage    llm.Usage
}

func newStore() *store {
	return &store{byID: map[schema.PointID]int{}, byText: map[string][]int{}, bySlot: map[string][]int{}, stale: map[int]bool{}, moved: map[int]bool{}, known: map[string]bool{}}
}

// apply is the only way the state changes, live and from the journal.
func (s *store) apply(e entry) error {
	if s.known[e.Batch] {
		return fmt.Errorf("batch %s is stored twice", e.Batch)
	}
	s.known[e.Batch] = true
	s.keys = append(s.keys, e.Batch)
	s.degraded, s.usage = append(s.degraded, e.Degraded...), s.usage.Add(e.Usage)
	for _, c := range e.Changes {
		i, have := s.byID[c.ID]
		data := ""
		if c.Payload != nil {
			data = c.Payload.Text("data")
		}
		switch {
		case c.Op == memory.OpAdd && !have && c.Payload != nil:
			i = len(s.points)
			s.byID[c.ID] = i
			s.points = append(s.points, &point{id: c.ID})
			s.put(i, c, e.Session, data)
			s.points[i].links = c.Supersedes
			for _, old := range c.Supersedes {
				if j, ok := s.byID[old]; ok {
					s.points[j].superseded = true
				}
			}
		case c.Op == memory.OpUpdate && have && c.Payload != nil:
			s.forget(i)
			s.put(i, c, e.Session, data)
		case c.Op == memory.OpDelete && have:
			s.forget(i)
			s.points[i].live, s.moved[i] = false, true
		case c.Op == memory.OpNone && have:
			if c.Events != nil {
				s.points[i].events, s.moved[i] = c.Events, true
			}
			data = c.Old
		default:
			return fmt.Errorf("batch %s: %s of %s does not fit the points before it", e.Batch, c.Op, c.ID)
		}
		s.history = append(s.history, memory.Change{Op: c.Op, ID: c.ID, Old: c.Old, New: data})
	}
	return nil
}

func (s *store) put(i int, c change, session, data string) {
	p := s.points[i]
	_, text := memory.CutPrefix(data)
	p.role, p.name, p.text, p.payload, p.events, p.live = c.Role, c.Name, text, *c.Payload, c.Events, true
	p.session, p.pictures = session, c.Attachments
	p.user, p.agent, p.actor = c.Payload.Text("user_id"), c.Payload.Text("agent_id"), c.Payload.Text("actor_id")
	p.key = textnorm.Key(text)
	k := p.role + p.key
	s.byText[k] = append(s.byText[k], i)
	if p.name != "" && !slices.Contains(s.names, strings.ToLower(p.name)) {
		s.names = append(s.names, strings.ToLower(p.name))
	}
	if slot := op.Slot(text); slot != "" {
		s.bySlot[p.role+slot] = append(s.bySlot[p.role+slot], i)
	}
	s.words.Set(i, indexed(p))
	s.stale[i] = true
}

func (s *store) forget(i int) {
	p := s.points[i]
	k := p.role + p.key
	is := func(j int) bool { return j == i }
	s.byText[k] = slices.DeleteFunc(s.byText[k], is)
	if slot := op.Slot(p.text); slot != "" {
		s.bySlot[p.role+slot] = slices.DeleteFunc(s.bySlot[p.role+slot], is)
	}
	s.words.Remove(i)
}

// indexed returns the searched text: the speaker's name finds the speaker's points.
func indexed(p *point) string {
	if p.name == "" {
		return p.text
	}
	return p.name + ": " + p.text
}
