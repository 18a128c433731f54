// Package replay ingests dialogue into a memory system, asks it the dialogue's probes and exports its memories.
//
//	Ingest  Event × memory          → a filled memory
//	Probe   Event × memory          → ProbeResult, in the order of the dialogue
//	Export  memory (× Event)        → MemoryExport, by point id
//	Link    MemoryExport × Event    → MemoryExport with inferred turns, by point id
//
// All of Ingest's input is held: the order of the file must not matter, so
// conversations are sorted by index and turns by id. That is the size of the events'
// texts plus about 400 bytes a turn.
package replay

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"membench/internal/codec"
	"membench/internal/textnorm"
	"membench/memory"
	"membench/schema"
)

// Isolation determines which conversations share a memory.
type Isolation string

const (
	Global  Isolation = "global"   // all conversations of a user
	PerConv Isolation = "per_conv" // one conversation of a user
)

// ParseIsolation also takes per_chapter, the existing chain's word for per_conv.
func ParseIsolation(s string) (Isolation, error) {
	switch s {
	case "global":
		return Global, nil
	case "per_conv", "per_chapter":
		return PerConv, nil
	}
	return "", fmt.Errorf("isolation %q: want global or per_conv", s)
}

// Collection is the name under which memories of this isolation are kept.
func (i Isolation) Collection() string { return "memory_bench_" + string(i) }

// Options of all four. Defaults gives the usual ones.
type Options struct {
	Isolation   Isolation
	UserID      string // for events whose meta names no user
	AgentID     string // for events that name neither agent nor character
	SkipRoles   []string
	SkipTags    []string
	OnlyTags    []string // when set, an event needs one of them
	WriteProbes bool     // ingest probes, too
	Window      int      // turns that one batch sees
	Overlap     int      // how many of them the batch before has stored already
	TopK        int      // hits of a probe
	Backend     string   // name in probe results
	Now         time.Time
	Order       []schema.ConvID // conversations listed here come first, in this order; the rest in natural order
	NoOwner     bool            // do not infer owners
	People      *schema.People  // who is who, of owners that are known by name only; nil: such a person is the user
	Redo        bool            // for a complete memory: store again the batches from the first one on in which a model failed
	// Found receives every fault in the data; nil drops them.
	Found func(*schema.Finding)
	// Progress is called before each batch, with the number of batches done and of all; nil:
	// progress is not reported.
	Progress func(unit string, done, of int)
}

// Defaults are the existing chain's.
func Defaults() Options {
	return Options{Isolation: Global, UserID: "user", SkipRoles: []string{schema.RoleUI, schema.RoleTool}, SkipTags: []string{schema.TagFiller},
		Window: 10, Overlap: 2, TopK: 5, Backend: "embedded"}
}

func (o Options) found(f *schema.Finding) {
	if o.Found != nil {
		o.Found(f)
	}
}

func (o Options) check() error {
	switch {
	case o.Window < 1 || o.Overlap < 0 || o.Overlap >= o.Window:
		return fmt.Errorf("a window of %d turns with an overlap of %d: want at least 1, and the overlap smaller", o.Window, o.Overlap)
	case o.Isolation != Global && o.Isolation != PerConv:
		return fmt.Errorf("isolation %q: want %s or %s", o.Isolation, Global, PerConv)
	case o.UserID == "":
		return errors.New("no user id for events that name none")
	}
	return nil
}

func (o Options) namespace(user string, conv schema.ConvID) memory.Namespace {
	ns := memory.Namespace{Run: o.Isolation.Collection(), Scope: user}
	if o.Isolation == PerConv {
		ns.Scope += ":" + string(conv)
	}
	return ns
}

// NaturalCompare orders ids with numbers by value: ch9 before ch10.
func NaturalCompare(a, b schema.ConvID) int {
	x, y := string(a), string(b)
	for x != "" && y != "" {
		if digit(x[0]) && digit(y[0]) {
			p, q := run(x), run(y)
			m, n := strings.TrimLeft(x[:p], "0"), strings.TrimLeft(y[:q], "0")
			if c := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n)); c != 0 {
				return c
			}
			x, y = x[p:], y[q:]
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func run(s string) int {
	i := 0
	for i < len(s) && digit(s[i]) {
		i++
	}
	return i
}

// said is one event with the parsed members of its meta.
type said struct {
	pos         schema.Pos
	ev          schema.Event
	meta        schema.EventMeta
	user, agent string
	time        string // of the turn, or of the one beside it; ""
}

// read sorts the events; of two with one anchor the first by content stays.
func read(in schema.Seq[schema.Event], o Options) ([]said, error) {
	var all []said
	for r, err := range in {
		var f *schema.Finding
		switch {
		case errors.As(err, &f):
			o.found(f)
			if !f.Warning {
				continue
			}
		case err != nil:
			return nil, err
		}
		s := said{pos: r.Pos, ev: r.V}
		if s.meta, err = r.V.ReadMeta(); err != nil {
			o.found(&schema.Finding{Pos: r.Pos, Pointer: "/meta", Code: "EVT020", Message: "meta holds a member of another type, read without it: " + err.Error(), Warning: true})
			s.meta = schema.EventMeta{Time: r.V.Meta.Text("time"), ProbeID: r.V.Meta.Text("probe_id"), InjectID: r.V.Meta.Text("inject_id")}
		}
		s.user = cmp.Or(s.meta.UserID, o.UserID)
		s.agent = cmp.Or(textnorm.Strip(s.meta.AgentID), textnorm.Strip(r.V.CharacterID), o.AgentID)
		all = append(all, s)
	}
	at := map[schema.ConvID]int{}
	for i, c := range o.Order {
		at[c] = i - len(o.Order)
	}
	slices.SortStableFunc(all, func(a, b said) int {
		return cmp.Or(
			cmp.Compare(at[a.ev.ConvID], at[b.ev.ConvID]),
			NaturalCompare(a.ev.ConvID, b.ev.ConvID),
			cmp.Compare(a.ev.TurnID, b.ev.TurnID),
			cmp.Compare(a.ev.RoleType, b.ev.RoleType),
			cmp.Compare(a.ev.Content, b.ev.Content))
	})
	out := all[:0]
	for _, s := range all {
		if n := len(out); n > 0 && out[n-1].ev.Ref() == s.ev.Ref() {
			same := out[n-1].ev.Content == s.ev.Content && out[n-1].ev.RoleType == s.ev.RoleType
			o.found(&schema.Finding{Pos: s.pos, Pointer: "/turn_id", Code: "EVT021", Message: "the turn appears twice; one was skipped",
				Have: fmt.Sprintf("%s turn %d again", s.ev.ConvID, s.ev.TurnID), Warning: same})
			continue
		}
		out = append(out, s)
	}
	setTimes(out)
	return out, nil
}

// setTimes gives a turn without a time that of the turn before it in its session, the first ones that of the turn after them: it was said between these. With the
// time of the run in its place it would be the newest of all.
func setTimes(all []said) {
	fill := func(i, from int) {
		s := &all[i]
		if s.time = cmp.Or(s.time, s.meta.Time); s.time == "" && from >= 0 && from < len(all) && all[from].ev.ConvID == s.ev.ConvID && all[from].meta.SessionID == s.meta.SessionID {
			s.time = all[from].time
		}
	}
	for i := range all {
		fill(i, i-1)
	}
	for i := len(all) - 1; i >= 0; i-- {
		fill(i, i+1)
	}
}

// skip returns why an event is not ingested; "" if it is.
func (o Options) skip(s said) string {
	e := s.ev
	role := textnorm.Strip(e.RoleType)
	switch {
	case textnorm.Strip(e.Content) == "":
		return "blank"
	case slices.Contains(o.SkipRoles, role):
		return "role " + role
	case role != schema.RoleHuman && role != schema.RoleAssistant:
		return "role unknown"
	case e.Is(schema.TagProbe) && !o.WriteProbes:
		return "probe"
	}
	for _, t := range o.SkipTags {
		if e.Is(t) {
			return "tag " + t
		}
	}
	if len(o.OnlyTags) > 0 && !slices.ContainsFunc(o.OnlyTags, e.Is) {
		return "none of the tags"
	}
	if s.agent == "" {
		return "no agent"
	}
	return ""
}

func roleOf(e schema.Event) string {
	if textnorm.Strip(e.RoleType) == schema.RoleAssistant {
		return memory.RoleAssistant
	}
	return memory.RoleUser
}

// planned is one batch and where it goes.
type planned struct {
	ns          memory.Namespace
	first, last schema.EventRef
	b           memory.Batch
}

// plan cuts the events into batches: runs of one conversation, user and agent, in
// windows. The turns that a window shares with the one before are its context, so
// no turn is stored twice, and no window lies inside another.
func plan(all []said, o Options) (out []planned, report Report, err error) {
	report.Skipped = map[string]int{}
	report.Events = len(all)
	var kept []said
	for _, s := range all {
		if why := o.skip(s); why != "" {
			report.Skipped[why]++
			if why == "no agent" {
				o.found(&schema.Finding{Pos: s.pos, Pointer: "/character_id", Code: "EVT022", Message: "the event names no agent, not stored", Hint: "give --agent-id"})
			}
			continue
		}
		kept = append(kept, s)
	}
	report.Turns = len(kept)
	for i := 0; i < len(kept); {
		j := i + 1
		for j < len(kept) && kept[j].ev.ConvID == kept[i].ev.ConvID && kept[j].user == kept[i].user && kept[j].agent == kept[i].agent {
			j++
		}
		group := kept[i:j]
		turns := make([]schema.Turn, len(group))
		for k, s := range group {
			turns[k] = schema.Turn{Role: roleOf(s.ev), Name: s.ev.RoleName, Text: s.ev.Content, Time: s.time, Sources: []schema.EventRef{s.ev.Ref()}}
		}
		for start := 0; start < len(turns); {
			size := o.Window
			before := 0
			if start > 0 {
				before = o.Overlap
				size -= before
			}
			end := min(start+size, len(turns))
			head := group[start]
			var meta schema.ObjectBuilder
			meta.String("scene_id", head.ev.SceneID)
			meta.String("character_id", head.ev.CharacterID)
			meta.String("conv_id", string(head.ev.ConvID))
			p := planned{ns: o.namespace(head.user, head.ev.ConvID), first: head.ev.Ref(), last: group[end-1].ev.Ref(),
				b: memory.Batch{Session: cmp.Or(head.meta.SessionID, string(head.ev.ConvID)), Context: turns[start-before : start], Turns: turns[start:end],
					UserID: head.user, AgentID: head.agent, Metadata: meta.Object(), Now: o.Now}}
			if p.b.Key, err = batchKey(p); err != nil {
				return nil, report, err
			}
			out = append(out, p)
			start = end
		}
		i = j
	}
	report.Batches = len(out)
	return out, report, nil
}

// batchKey returns a hash of everything that determines the stored batch, except the clock.
func batchKey(p planned) (string, error) {
	raw, err := codec.Append(nil, []any{p.ns, p.b.UserID, p.b.AgentID, p.b.Session, p.b.Metadata, p.b.Context, p.b.Turns}, codec.Compact)
	if err != nil {
		return "", fmt.Errorf("batch of %s: %w", p.first.ConvID, err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16]), nil
}

// Report is the result of Ingest. It describes the store, so a resumed run reports the same as an undisturbed one; only Known differs.
type Report struct {
	Events   int            `json:"events"`
	Turns    int            `json:"turns"`   // offered to the memory
	Skipped  map[string]int `json:"skipped"` // events not offered, by reason
	Batches  int            `json:"batches"`
	Known    int            `json:"known"`            // batches that an earlier run had stored
	Changes  map[string]int `json:"changes"`          // operation → how many
	Degraded int            `json:"degraded"`         // operations that were done in a plainer way
	Failed   map[string]int `json:"failed,omitempty"` // of them, those that a model failed, by operation and outcome
	Calls    int            `json:"model_calls"`
}

// ChangedError reports that a store was filled from other input.
type ChangedError struct {
	Scope string
	What  string
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the store was filled from other input: memory %q %s; run again with the old input, or start over with --force", e.Scope, e.What)
}

// Ingest fills the memories of s. Batches that are already stored are skipped, so the next run finishes a killed one. A store with batches of other input, or
// in another order, gives a *ChangedError and is left unchanged.
func Ingest(ctx context.Context, s memory.System, in schema.Seq[schema.Event], o Options) (Report, error) {
	if err := o.check(); err != nil {
		return Report{}, err
	}
	all, err := read(in, o)
	if err != nil {
		return Report{}, err
	}
	batches, report, err := plan(all, o)
	if err != nil {
		return report, err
	}
	open := map[memory.Namespace]memory.Memory{}
	defer func() {
		for _, m := range open {
			m.Close()
		}
	}()
	var order []memory.Namespace
	want := map[memory.Namespace][]planned{}
	for _, p := range batches {
		if want[p.ns] == nil {
			order = append(order, p.ns)
		}
		want[p.ns] = append(want[p.ns], p)
	}
	if l, ok := memory.As[memory.Lister](s); ok {
		held, err := l.Namespaces(ctx, o.Isolation.Collection())
		if err != nil {
			return report, err
		}
		for _, ns := range held {
			if want[ns] == nil {
				return report, &ChangedError{ns.Scope, "is not a batch of the input"}
			}
		}
	}
	attach, canAttach := memory.As[memory.Attacher](s)
	for _, ns := range order {
		var m memory.Memory
		if canAttach {
			m, err = attach.Attach(ctx, ns)
		} else {
			m, err = s.Open(ctx, ns)
		}
		if err != nil {
			return report, err
		}
		open[ns] = m
		if err := samePrefix(ctx, m, ns, want[ns]); err != nil {
			return report, err
		}
	}
	if o.Redo {
		if err := redo(ctx, open, order, want); err != nil {
			return report, err
		}
	}
	for i, p := range batches {
		if o.Progress != nil {
			o.Progress("batches", i, len(batches))
		}
		if err := ctx.Err(); err != nil {
			return report, err
		}
		r, err := open[p.ns].Ingest(ctx, p.b)
		if err != nil {
			return report, fmt.Errorf("storing %s turns %d to %d: %w", p.first.ConvID, p.first.TurnID, p.last.TurnID, err)
		}
		if r.Skipped {
			report.Known++
		}
	}
	report.Changes = map[string]int{}
	for _, ns := range order {
		if set, ok := memory.As[memory.Settler](open[ns]); ok {
			if _, err := set.Settle(ctx); err != nil {
				return report, err
			}
		}
		if h, ok := memory.As[memory.Historian](open[ns]); ok {
			r, err := h.History(ctx)
			if err != nil {
				return report, err
			}
			for _, c := range r.Changes {
				report.Changes[c.Op]++
			}
			report.Degraded += len(r.Degraded)
			memory.CountFailed(&report.Failed, r.Degraded)
			report.Calls += r.Usage.Calls
		}
	}
	return report, nil
}

// redo removes the batches in which a model failed, if all memories are complete. A killed run is finished first, so that its batches are not paid for twice.
func redo(ctx context.Context, open map[memory.Namespace]memory.Memory, order []memory.Namespace, want map[memory.Namespace][]planned) error {
	for _, ns := range order {
		k, ok := memory.As[memory.Keyed](open[ns])
		if !ok {
			return nil
		}
		if have, err := k.Keys(ctx); err != nil || len(have) < len(want[ns]) {
			return err
		}
	}
	for _, ns := range order {
		if m, ok := memory.As[memory.Redoer](open[ns]); ok {
			if _, err := m.Redo(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func samePrefix(ctx context.Context, m memory.Memory, ns memory.Namespace, want []planned) error {
	k, ok := memory.As[memory.Keyed](m)
	if !ok {
		return nil
	}
	have, err := k.Keys(ctx)
	if err != nil {
		return err
	}
	for i, key := range have {
		if i >= len(want) {
			return &ChangedError{ns.Scope, fmt.Sprintf("has %d batches, the input has %d", len(have), len(want))}
		}
		if w := want[i]; key != w.b.Key {
			return &ChangedError{ns.Scope, fmt.Sprintf("differs at batch %d, which is %s turns %d to %d of the input", i+1, w.first.ConvID, w.first.TurnID, w.last.TurnID)}
		}
	}
	return nil
}
