// Package mem0 is Mem0's behaviour in process: facts are taken out of the turns,
// each is compared with the most similar known ones, and ADD, UPDATE, DELETE or NONE
// is applied, with a history. docs/adr/0002-embedded-memory.md says where it departs.
//
// Stored format: one journal a namespace, <dir>/<run>/<scope>.jsonl, names
// percent-encoded. The first line is a header; each further line is one batch with
// all that it changed, so a batch is stored whole or not at all. Nothing is ever
// rewritten: the journal is the history.
package mem0

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"membench/internal/atomicfile"
	"membench/internal/bm25"
	"membench/internal/codec"
	"membench/internal/keylog"
	"membench/internal/rank"
	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/internal/vector"
	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/op"
	"membench/schema"

	"github.com/google/uuid"
)

// Mode decides what an update does to the evidence of what it updates.
type Mode string

const (
	// Keep adds a contradicting fact beside the old one, unites the turns of what is
	// restated or refined, and stores a restatement anew when something related was
	// said in between (so that A, B, A leaves evidence of the second A).
	Keep Mode = "keep"
	// Faithful does what Mem0 1.x does: UPDATE replaces text and metadata, DELETE removes.
	Faithful Mode = "faithful"
)

// Modes lists both.
func Modes() []Mode { return []Mode{Keep, Faithful} }

// Options of the embedded memory. The zero value keeps everything in the process,
// extracts by rule and writes prefixes.
type Options struct {
	Dir       string        // "": nothing on disk
	Mode      Mode          // "": Keep
	Raw       bool          // store turns as they are, without extraction
	NoPrefix  bool          // leave "[User] " and "[Agent] " off; the payload then has role
	Generator llm.Generator // nil: by rule
	Embedder  llm.Embedder  // nil: hashing; anything else is asked again after Attach
	// Wrap stands between the journal and its file: for injecting faults in tests.
	Wrap func(io.Writer) io.Writer
}

// near is how many known facts a new one is judged against (Mem0's default).
const near = 5

const version = "1"

// Embedded makes the system.
func Embedded(o Options) (*System, error) {
	if o.Mode == "" {
		o.Mode = Keep
	}
	if !slices.Contains(Modes(), o.Mode) {
		return nil, fmt.Errorf("memory mode %q: have %v", o.Mode, Modes())
	}
	if o.Embedder == nil {
		o.Embedder = hashing.New(0)
	}
	s := &System{o: o, extract: op.RuleFacts(), judge: op.RuleJudge(), held: map[memory.Namespace]*store{}}
	if o.Generator != nil {
		s.extract, s.judge = op.ModelFacts(o.Generator), op.ModelJudge(o.Generator)
	}
	return s, nil
}

// System is the embedded memory system. It is a memory.System, Attacher and Lister.
type System struct {
	o       Options
	extract op.Extractor
	judge   op.Judge

	mu   sync.Mutex
	held map[memory.Namespace]*store // without Dir
}

// Info names the system mem0-v1, or mem0-v1-rule without a model.
func (s *System) Info() memory.Info {
	name, model := "mem0-v1-rule", "rule"
	if s.o.Generator != nil {
		name, model = "mem0-v1", s.o.Generator.Model()
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s|%s|%s|raw=%t|prefix=%t|%s", version, name, s.o.Mode, s.o.Raw, !s.o.NoPrefix, model)
	if s.o.Generator != nil {
		fmt.Fprintf(h, "|%s|%s", op.Prompts()["facts"], op.Prompts()["update"])
	}
	return memory.Info{Name: name, Version: version, Mode: string(s.o.Mode), Fingerprint: hex.EncodeToString(h.Sum(nil))[:16]}
}

func (s *System) path(ns memory.Namespace) string {
	return filepath.Join(s.o.Dir, atomicfile.Name(ns.Run), atomicfile.Name(ns.Scope)+".jsonl")
}

// Open drops what ns held.
func (s *System) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.o.Dir == "" {
		s.mu.Lock()
		delete(s.held, ns)
		s.mu.Unlock()
		return s.Attach(ctx, ns)
	}
	if err := os.Remove(s.path(ns)); err == nil {
		if err := atomicfile.SyncDir(filepath.Dir(s.path(ns))); err != nil {
			return nil, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return s.Attach(ctx, ns)
}

// Attach opens what an earlier run left; nothing is written before the first Ingest.
func (s *System) Attach(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.o.Dir == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.held[ns] == nil {
			s.held[ns] = newStore()
		}
		return &Memory{sys: s, ns: ns, store: s.held[ns]}, nil
	}
	m := &Memory{sys: s, ns: ns, store: newStore()}
	err := keylog.Read(s.path(ns), func(n int, line []byte) error {
		if n == 1 {
			return m.readHeader(line)
		}
		var e entry
		if err := codec.Unmarshal(line, &e); err != nil {
			return err
		}
		return m.store.apply(e)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return m, nil
}

// Namespaces lists what Dir (or the process) holds of a run.
func (s *System) Namespaces(ctx context.Context, run string) ([]memory.Namespace, error) {
	var out []memory.Namespace
	if s.o.Dir == "" {
		s.mu.Lock()
		for ns := range s.held {
			if ns.Run == run {
				out = append(out, ns)
			}
		}
		s.mu.Unlock()
	} else {
		files, err := os.ReadDir(filepath.Join(s.o.Dir, atomicfile.Name(run)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name(), ".jsonl") {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var h header
			stop := errors.New("seen the header")
			err := keylog.Read(filepath.Join(s.o.Dir, atomicfile.Name(run), f.Name()), func(n int, line []byte) error {
				if n > 1 {
					return stop
				}
				return codec.Unmarshal(line, &h)
			})
			if err != nil && !errors.Is(err, stop) {
				return nil, err
			}
			if h.Format == format { // an empty journal holds nothing
				out = append(out, memory.Namespace{Run: run, Scope: h.Scope})
			}
		}
	}
	slices.SortFunc(out, func(a, b memory.Namespace) int { return cmp.Compare(a.Scope, b.Scope) })
	return out, nil
}

const format = "membench-mem0-journal"

type header struct {
	Format      string `json:"format"`
	Version     int    `json:"version"`
	Run         string `json:"run"`
	Scope       string `json:"scope"`
	Fingerprint string `json:"fingerprint"`
}

// entry is one batch in the journal.
type entry struct {
	Batch    string    `json:"batch"`
	Changes  []change  `json:"changes"`
	Degraded []string  `json:"degraded,omitempty"`
	Usage    llm.Usage `json:"usage,omitzero"`
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
}

type point struct {
	id         schema.PointID
	role, name string
	text       string // without prefix
	key        string // textnorm.Key of text
	user       string
	agent      string
	payload    schema.Object
	events     []schema.EventRef
	superseded bool
	live       bool
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
	keys    []string
	known   map[string]bool
	names   []string // of all speakers so far, lower case
	history []memory.Change

	degraded []string
	usage    llm.Usage
}

func newStore() *store {
	return &store{byID: map[schema.PointID]int{}, byText: map[string][]int{}, bySlot: map[string][]int{}, stale: map[int]bool{}, known: map[string]bool{}}
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
			s.put(i, c, data)
			for _, old := range c.Supersedes {
				if j, ok := s.byID[old]; ok {
					s.points[j].superseded = true
				}
			}
		case c.Op == memory.OpUpdate && have && c.Payload != nil:
			s.forget(i)
			s.put(i, c, data)
		case c.Op == memory.OpDelete && have:
			s.forget(i)
			s.points[i].live = false
		case c.Op == memory.OpNone && have:
			if c.Events != nil {
				s.points[i].events = c.Events
			}
			data = c.Old
		default:
			return fmt.Errorf("batch %s: %s of %s does not fit the points before it", e.Batch, c.Op, c.ID)
		}
		s.history = append(s.history, memory.Change{Op: c.Op, ID: c.ID, Old: c.Old, New: data})
	}
	return nil
}

func (s *store) put(i int, c change, data string) {
	p := s.points[i]
	_, text := memory.CutPrefix(data)
	p.role, p.name, p.text, p.payload, p.events, p.live = c.Role, c.Name, text, *c.Payload, c.Events, true
	p.user, p.agent = c.Payload.Text("user_id"), c.Payload.Text("agent_id")
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

// indexed is the text that is searched: the speaker's name finds what they said.
func indexed(p *point) string {
	if p.name == "" {
		return p.text
	}
	return p.name + ": " + p.text
}

// Memory is one namespace.
type Memory struct {
	sys   *System
	ns    memory.Namespace
	store *store
	log   *keylog.Log
	made  string // fingerprint in the header; "" for a new journal
}

func (m *Memory) readHeader(line []byte) error {
	var h header
	if err := codec.Unmarshal(line, &h); err != nil {
		return err
	}
	if h.Format != format || h.Version != 1 {
		return fmt.Errorf("format %q version %d, want %q version 1", h.Format, h.Version, format)
	}
	m.made = h.Fingerprint
	return nil
}

// Keys are the batches stored, in order.
func (m *Memory) Keys(context.Context) ([]string, error) { return slices.Clone(m.store.keys), nil }

// Ingest stores one batch: one line of the journal, durable when Ingest returns.
func (m *Memory) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return memory.Receipt{}, err
	}
	if b.Key == "" {
		b.Key = keyOf(b)
	}
	if m.store.known[b.Key] {
		return memory.Receipt{Skipped: true}, nil
	}
	if fp := m.sys.Info().Fingerprint; m.made != "" && m.made != fp {
		return memory.Receipt{}, fmt.Errorf("the memory %s/%s was made with other options (fingerprint %s, now %s): use the same ones, or start over", m.ns.Run, m.ns.Scope, m.made, fp)
	}
	e := entry{Batch: b.Key}
	facts, err := m.facts(ctx, b, &e)
	if err != nil {
		return memory.Receipt{}, err
	}
	n := len(m.store.history)
	if err := m.decide(ctx, b, facts, &e); err != nil {
		return memory.Receipt{}, err
	}
	if err := m.append(e); err != nil {
		return memory.Receipt{}, err
	}
	if err := m.store.apply(e); err != nil {
		panic("mem0: a batch that does not fit its own state: " + err.Error()) // a bug of decide
	}
	return memory.Receipt{Changes: slices.Clone(m.store.history[n:]), Usage: e.Usage, Degraded: e.Degraded}, nil
}

func keyOf(b memory.Batch) string {
	raw, err := codec.Append(nil, []any{b.UserID, b.AgentID, b.Session, b.Turns}, codec.Compact)
	if err != nil {
		raw = fmt.Appendf(nil, "%v", b.Turns)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

func (m *Memory) facts(ctx context.Context, b memory.Batch, e *entry) ([]op.Fact, error) {
	if m.sys.o.Raw {
		var out []op.Fact
		for i, t := range b.Turns {
			if (t.Role == memory.RoleUser || t.Role == memory.RoleAssistant) && textnorm.Strip(t.Text) != "" {
				out = append(out, op.Fact{Text: t.Text, Role: t.Role, Turns: []int{i}})
			}
		}
		return out, nil
	}
	out, usage, err := m.sys.extract.Facts(ctx, b.Context, b.Turns)
	e.Usage = e.Usage.Add(usage)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e.Degraded = append(e.Degraded, "facts: "+err.Error())
		out, _, err = op.RuleFacts().Facts(ctx, b.Context, b.Turns)
	}
	return out, err
}

// decide fills e.Changes. A scratch of the points touched in this batch lets later
// facts see earlier ones without changing the state before the journal holds them.
func (m *Memory) decide(ctx context.Context, b memory.Batch, facts []op.Fact, e *entry) error {
	w := &writer{m: m, b: b, e: e, pending: map[schema.PointID]*point{}}
	if m.sys.o.Raw {
		for _, f := range facts {
			w.add(f, f.Text, nil)
		}
		return w.err
	}
	if m.sys.o.Generator != nil && len(facts) > 0 {
		known, err := m.candidates(ctx, b, facts)
		if err != nil {
			return err
		}
		verdicts, usage, err := m.sys.judge.Judge(ctx, facts, known)
		e.Usage = e.Usage.Add(usage)
		if err == nil {
			for _, v := range verdicts {
				f := op.Fact{Role: memory.RoleUser}
				if v.Fact >= 0 {
					f = facts[v.Fact]
				}
				w.verdict(f, v, w.similar(f))
			}
			return w.err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		e.Degraded = append(e.Degraded, "update: "+err.Error())
	}
	for _, f := range facts {
		close := w.similar(f)
		known := make([]op.Known, 0, near)
		for _, p := range close[:min(near, len(close))] {
			known = append(known, op.Known{ID: p.id, Text: p.text, Role: p.role})
		}
		verdicts, _, err := op.RuleJudge().Judge(ctx, []op.Fact{f}, known)
		if err != nil {
			return err
		}
		for _, v := range verdicts {
			w.verdict(f, v, close)
		}
	}
	return w.err
}

// candidates are the known facts for a model's judgement: the union of the most
// similar of each fact, ordered by id.
func (m *Memory) candidates(ctx context.Context, b memory.Batch, facts []op.Fact) ([]op.Known, error) {
	seen := map[schema.PointID]op.Known{}
	for _, f := range facts {
		r, err := m.Retrieve(ctx, memory.Query{Text: f.Text, K: near, UserID: b.UserID, AgentID: b.AgentID})
		if err != nil {
			return nil, err
		}
		for _, h := range r.Hits {
			p := m.store.points[m.store.byID[h.ID]]
			seen[h.ID] = op.Known{ID: h.ID, Text: p.text, Role: p.role}
		}
	}
	out := make([]op.Known, 0, len(seen))
	for _, k := range seen {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b op.Known) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// writer turns verdicts into changes.
type writer struct {
	m       *Memory
	b       memory.Batch
	e       *entry
	pending map[schema.PointID]*point // as this batch leaves them
	order   []*point                  // added in this batch
	err     error
}

func (w *writer) point(id schema.PointID) *point {
	if p := w.pending[id]; p != nil {
		return p
	}
	if i, ok := w.m.store.byID[id]; ok {
		c := *w.m.store.points[i]
		w.pending[id] = &c
		return &c
	}
	return nil
}

// similar are the live points of the fact's speaker that share terms with it, best
// first, twice as many as the judge sees; exact restatements come first, then what
// fills the same slot. The rule judge needs shared terms or a slot, so the postings
// miss nothing that it could use.
func (w *writer) similar(f op.Fact) []*point {
	var all []rank.Scored[*point]
	key := textnorm.Key(f.Text)
	take := func(p *point, score float64) {
		if p.live && p.role == f.Role && p.user == w.b.UserID && p.agent == w.b.AgentID {
			if p.key == key {
				score = 3
			}
			all = append(all, rank.Scored[*point]{ID: string(p.id), Score: rank.Round6(score), V: p})
		}
	}
	st := w.m.store
	scores := st.words.Scores(f.Text)
	for _, i := range st.byText[f.Role+key] {
		scores[i] = 3
	}
	slot := op.Slot(f.Text)
	if slot != "" {
		for _, i := range st.bySlot[f.Role+slot] {
			scores[i]++ // before what only shares words
		}
	}
	for i, s := range scores {
		if p := w.pending[st.points[i].id]; p != nil {
			take(p, s)
		} else {
			take(st.points[i], s)
		}
	}
	for _, p := range w.order {
		s := op.Jaccard(p.text, f.Text)
		if slot != "" && slot == op.Slot(p.text) {
			s++
		}
		if s > 0 || p.key == key {
			take(p, s)
		}
	}
	var out []*point
	for _, s := range rank.Top(all, 2*near) {
		out = append(out, s.V)
	}
	return out
}

// after reports whether a was stored after b.
func (w *writer) after(a, b *point) bool {
	at := func(p *point) int {
		if i, ok := w.m.store.byID[p.id]; ok {
			return i
		}
		return len(w.m.store.points) + slices.Index(w.order, p)
	}
	return at(a) > at(b)
}

func (w *writer) verdict(f op.Fact, v op.Verdict, close []*point) {
	if w.err != nil {
		return
	}
	old := w.point(v.Target)
	if old != nil && !old.live { // deleted earlier in this batch
		old, v.Relation = nil, op.New
	}
	if old == nil {
		if v.Relation == op.New || v.Relation == op.Refines || v.Relation == op.Replaces {
			w.add(f, v.Text, nil)
		}
		return
	}
	faithful := w.m.sys.o.Mode == Faithful
	switch v.Relation {
	case op.Same:
		switch {
		case faithful:
			w.change(change{Op: memory.OpNone, ID: old.id, Old: dataOf(old)})
		case v.Fact >= 0 && (old.superseded || w.related(f, old, close)):
			w.add(f, f.Text, nil) // evidence of its own: said again after something else
		default:
			c := change{Op: memory.OpNone, ID: old.id, Old: dataOf(old)}
			if v.Fact >= 0 {
				if u := union(old.events, w.sources(f)); len(u) > len(old.events) {
					old.events, c.Events = u, u
				}
			}
			w.change(c)
		}
	case op.Refines:
		if !faithful && (old.superseded || w.related(f, old, close)) {
			w.add(f, v.Text, nil)
			return
		}
		w.update(f, v.Text, old)
	case op.Replaces:
		if faithful {
			w.update(f, v.Text, old)
		} else {
			w.add(f, v.Text, old)
		}
	case op.Retracts:
		if faithful {
			w.change(change{Op: memory.OpDelete, ID: old.id, Old: dataOf(old)})
			old.live = false
		} else if v.Fact >= 0 {
			w.add(f, v.Text, old)
		}
	default:
		w.add(f, v.Text, nil)
	}
}

// related reports whether something that touches the fact was stored after old.
func (w *writer) related(f op.Fact, old *point, close []*point) bool {
	for _, p := range close {
		if p != old && p.id != old.id && w.after(p, old) && op.Related(f.Text, p.text) && op.Compare(p.text, old.text) != op.Same {
			return true
		}
	}
	return false
}

func (w *writer) change(c change) { w.e.Changes = append(w.e.Changes, c) }

func dataOf(p *point) string { return p.payload.Text("data") }

func (w *writer) sources(f op.Fact) []schema.EventRef {
	var out []schema.EventRef
	for _, i := range f.Turns {
		out = union(out, w.b.Turns[i].Sources)
	}
	return out
}

func union(a, b []schema.EventRef) []schema.EventRef {
	out := slices.Clone(a)
	for _, r := range b {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// namespaceUUID is the fixed root of every point id.
var namespaceUUID = uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://membench.dev/memory/point"))

func (w *writer) add(f op.Fact, text string, contradicts *point) {
	if textnorm.Strip(text) == "" {
		return
	}
	id := schema.PointID(uuid.NewSHA1(namespaceUUID, fmt.Appendf(nil, "%q %q %q %q %q %d %s",
		w.m.ns.Run, w.m.ns.Scope, w.b.UserID, w.b.AgentID, w.b.Key, len(w.e.Changes), schema.Hash(text))).String())
	c := change{Op: memory.OpAdd, ID: id, Role: f.Role, Name: w.name(f), Events: w.sources(f)}
	if contradicts != nil {
		c.Old, c.Supersedes = dataOf(contradicts), []schema.PointID{contradicts.id}
		contradicts.superseded = true
	}
	c.Payload = w.payload(f, text, w.instant(f), "")
	if c.Payload == nil {
		return
	}
	p := &point{id: id, role: f.Role, name: c.Name, text: text, key: textnorm.Key(text), user: w.b.UserID, agent: w.b.AgentID, payload: *c.Payload, events: c.Events, live: true}
	w.pending[id] = p
	w.order = append(w.order, p)
	w.change(c)
}

func (w *writer) update(f op.Fact, text string, old *point) {
	c := change{Op: memory.OpUpdate, ID: old.id, Old: dataOf(old), Role: f.Role, Name: w.name(f), Events: w.sources(f)}
	if w.m.sys.o.Mode == Keep {
		c.Events = union(old.events, c.Events)
	}
	c.Payload = w.payload(f, text, old.payload.Text("created_at"), w.instant(f))
	if c.Payload == nil {
		return
	}
	old.key = textnorm.Key(text)
	old.text, old.role, old.name, old.payload, old.events = text, c.Role, c.Name, *c.Payload, c.Events
	w.change(c)
}

func (w *writer) name(f op.Fact) string {
	if len(f.Turns) == 0 {
		return ""
	}
	return w.b.Turns[f.Turns[0]].Name
}

// instant is the time of the fact's last turn; without one, the run's clock plus one
// microsecond for each point before it, so that order of storing shows.
func (w *writer) instant(f op.Fact) string {
	for i := len(f.Turns) - 1; i >= 0; i-- {
		if t := w.b.Turns[f.Turns[i]].Time; t != "" {
			if _, err := time.Parse(time.RFC3339Nano, t); err == nil {
				return t
			}
		}
	}
	if w.b.Now.IsZero() {
		for i := len(w.b.Turns) - 1; i >= 0; i-- {
			if t := w.b.Turns[i].Time; t != "" {
				return t
			}
		}
		return ""
	}
	n := len(w.m.store.points) + len(w.order)
	return w.b.Now.Add(time.Duration(n) * time.Microsecond).Format("2006-01-02T15:04:05.000000Z07:00")
}

var ours = []string{"user_id", "agent_id", "role", "data", "hash", "created_at", "updated_at"}

// payload has Mem0's members in Mem0's order; metadata cannot take their names.
func (w *writer) payload(f op.Fact, text, created, updated string) *schema.Object {
	data := text
	if !w.m.sys.o.NoPrefix && !w.m.sys.o.Raw {
		data = memory.Prefix(f.Role) + text
	}
	var b schema.ObjectBuilder
	for k, v := range w.b.Metadata.Members() {
		if !slices.Contains(ours, k) {
			b.Raw(k, v)
		}
	}
	put := func(k, v string) {
		if v != "" {
			b.String(k, v)
		}
	}
	put("user_id", w.b.UserID)
	put("agent_id", w.b.AgentID)
	if w.m.sys.o.NoPrefix || w.m.sys.o.Raw {
		put("role", f.Role)
	}
	b.String("data", data)
	b.String("hash", schema.Hash(data))
	put("created_at", created)
	put("updated_at", updated)
	o := b.Object()
	return &o
}

func (m *Memory) append(e entry) error {
	if m.sys.o.Dir == "" {
		return nil
	}
	if m.log == nil {
		log, err := keylog.Open(m.sys.path(m.ns), keylog.Options{Wrap: m.sys.o.Wrap}, func(_ int, line []byte) error {
			if !codec.Valid(line) {
				return errors.New("no JSON")
			}
			return nil
		})
		if err != nil {
			return err
		}
		m.log = log
	}
	if m.made == "" {
		fp := m.sys.Info().Fingerprint
		line, err := codec.Append(nil, header{format, 1, m.ns.Run, m.ns.Scope, fp}, codec.Compact)
		if err != nil {
			return err
		}
		if err := m.log.Append(line); err != nil {
			return err
		}
		m.made = fp
	}
	if e.Changes == nil {
		e.Changes = []change{}
	}
	line, err := codec.Append(nil, e, codec.Compact)
	if err != nil {
		return err
	}
	return m.log.Append(line)
}

// Weights of Retrieve; set on LoCoMo's conv-26 and the bundled dialogues, see
// docs/adr/0002-embedded-memory.md.
const (
	wordWeight   = 0.9
	vectorWeight = 0.1
	kinWeight    = 0.7 // of a term that the lexicon adds, to a term of the question
	nextWeight   = 0.4 // of the best neighbour's score
	nextTurns    = 2   // how far a neighbour may be, in turns
	ownerBoost   = 1.2
)

// Retrieve scores every point of the filter:
//
//	own   = 0.9·bm25 + 0.1·max(0, cos)
//	score = (own + 0.4·best own of the facts said within two turns) · (1.2 when the
//	        query is about its speaker)
//
// bm25 in [0,1] as internal/bm25 scales it, with the everyday lexicon's terms at 0.7;
// cos between the embeddings. A query is about a speaker when it names exactly one, or
// speaks only of "I" or only of "you". Scores are rounded to 1e-6, ties broken by id;
// points with score 0 are no hits.
func (m *Memory) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	if q.K <= 0 {
		q.K = near
	}
	st := m.store
	if err := m.embed(ctx); err != nil {
		return memory.Retrieved{}, err
	}
	vecs, err := m.sys.o.Embedder.Embed(ctx, []string{q.Text})
	if err != nil {
		return memory.Retrieved{}, err
	}
	words := st.words.ScoresWith(q.Text, tokens.Kin(q.Text), kinWeight)
	about := aboutOf(q, st.names)
	own := make([]float64, len(st.points))
	for i, p := range st.points {
		if p.live && (q.UserID == "" || p.user == q.UserID) && (q.AgentID == "" || p.agent == q.AgentID) {
			own[i] = wordWeight*words[i] + vectorWeight*max(0, st.vectors.Dot(vecs[0], i))
		}
	}
	var all []rank.Scored[*point]
	for i, p := range st.points {
		if own[i] == 0 {
			continue
		}
		score := own[i] + nextWeight*bestNear(st.points, own, i)
		if about(p) {
			score *= ownerBoost
		}
		if score = rank.Round6(score); score > 0 {
			all = append(all, rank.Scored[*point]{ID: string(p.id), Score: score, V: p})
		}
	}
	var out memory.Retrieved
	for _, s := range rank.Top(all, q.K) {
		out.Hits = append(out.Hits, memory.Hit{ID: s.V.id, Text: dataOf(s.V), Score: s.Score, Sources: slices.Clone(s.V.events), Meta: s.V.payload})
	}
	return out, nil
}

// bestNear is the best score among the facts said within nextTurns of point i. Points
// lie in the order of the dialogue, so neighbours in it are neighbours here.
func bestNear(points []*point, own []float64, i int) (best float64) {
	if len(points[i].events) == 0 {
		return 0
	}
	at := points[i].events[0]
	for _, step := range []int{-1, 1} {
		for j := i + step; j >= 0 && j < len(points); j += step {
			if len(points[j].events) == 0 {
				break
			}
			e := points[j].events[0]
			if d := e.TurnID - at.TurnID; e.ConvID != at.ConvID || d > nextTurns || d < -nextTurns {
				break
			}
			best = max(best, own[j])
		}
	}
	return best
}

// embed brings the vectors up to date.
func (m *Memory) embed(ctx context.Context) error {
	st := m.store
	if len(st.stale) == 0 {
		return nil
	}
	todo := make([]int, 0, len(st.stale))
	for i := range st.stale {
		todo = append(todo, i)
	}
	slices.Sort(todo)
	for part := range slices.Chunk(todo, 256) {
		texts := make([]string, len(part))
		for j, i := range part {
			texts[j] = indexed(st.points[i])
		}
		vecs, err := m.sys.o.Embedder.Embed(ctx, texts)
		if err != nil {
			return err
		}
		if len(vecs) != len(part) {
			return fmt.Errorf("embedding %d texts: have %d vectors", len(part), len(vecs))
		}
		for j, i := range part {
			if i < st.vectors.Len() {
				st.vectors.Set(i, vecs[j])
			} else {
				st.vectors.Add(vecs[j])
			}
			delete(st.stale, i)
		}
	}
	return nil
}

// aboutOf says which points the query is about, by speaker.
func aboutOf(q memory.Query, names []string) func(*point) bool {
	none := func(*point) bool { return false }
	lower := strings.ToLower(q.Text)
	named := ""
	for _, n := range names {
		if utf8.RuneCountInString(n) > 1 && strings.Contains(lower, n) {
			if named != "" {
				return none
			}
			named = n
		}
	}
	if named != "" {
		return func(p *point) bool { return strings.EqualFold(p.name, named) }
	}
	first, second := persons(q.Text)
	if first == second {
		return none
	}
	role := memory.RoleUser
	if (q.Asker == memory.RoleAssistant) == first {
		role = memory.RoleAssistant
	}
	return func(p *point) bool { return p.role == role }
}

// persons reports whether a text speaks of "I" and of "you".
func persons(s string) (first, second bool) {
	first, second = strings.ContainsAny(s, "我咱"), strings.ContainsAny(s, "你您妳")
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
		switch w {
		case "i", "me", "my", "mine", "myself":
			first = true
		case "you", "your", "yours", "yourself":
			second = true
		}
	}
	return first, second
}

// Export yields the points by id. Collection is the run; events close the payload.
func (m *Memory) Export(ctx context.Context) schema.Seq[schema.MemoryExport] {
	return func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		var live []*point
		for _, p := range m.store.points {
			if p.live {
				live = append(live, p)
			}
		}
		slices.SortFunc(live, func(a, b *point) int { return cmp.Compare(a.id, b.id) })
		for _, p := range live {
			if err := ctx.Err(); err != nil {
				yield(schema.Record[schema.MemoryExport]{}, err)
				return
			}
			payload := p.payload
			var err error
			if len(p.events) > 0 {
				payload, err = payload.With("events", p.events)
			}
			if !yield(schema.Record[schema.MemoryExport]{V: schema.MemoryExport{ID: p.id, Payload: payload, Collection: m.ns.Run}}, err) || err != nil {
				return
			}
		}
	}
}

// History is what all batches did, oldest first.
func (m *Memory) History(context.Context) (memory.Receipt, error) {
	return memory.Receipt{Changes: slices.Clone(m.store.history), Usage: m.store.usage, Degraded: slices.Clone(m.store.degraded)}, nil
}

// Drop removes the namespace.
func (m *Memory) Drop(ctx context.Context) error {
	if err := m.Close(); err != nil {
		return err
	}
	fresh, err := m.sys.Open(ctx, m.ns)
	if err != nil {
		return err
	}
	m.store, m.made = fresh.(*Memory).store, ""
	return nil
}

// Close closes the journal; what was ingested is on disk already.
func (m *Memory) Close() error {
	if m.log == nil {
		return nil
	}
	err := m.log.Close()
	m.log = nil
	return err
}
