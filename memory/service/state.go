package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/internal/keylog"
	"membench/memory"
	"membench/schema"
)

// An entry is one line of a namespace's journal, <Dir>/<run>/<scope>.jsonl: a request that was confirmed. Lines are only appended; one with Open starts again.
type entry struct {
	Open    *opened          `json:"open,omitzero"`
	Saved   map[string][]any `json:"saved,omitempty"`
	Of      *string          `json:"of,omitzero"`      // the session that Saved is of
	Session *string          `json:"session,omitzero"` // begun
	Ended   *string          `json:"ended,omitzero"`
	Batch   *batch           `json:"batch,omitzero"`
	Begin   *call            `json:"begin,omitzero"` // is being sent; without an answer line after it: unsure
	Clear   *call            `json:"clear,omitzero"` // certainly not stored
	Call    *call            `json:"call,omitzero"`  // stored
	Done    string           `json:"done,omitzero"`  // all calls of the batch with this key
	Learned []origin         `json:"learned,omitempty"`
	Settled bool             `json:"settled,omitzero"`
	Dropped bool             `json:"dropped,omitzero"`
}

type opened struct {
	Run         string `json:"run"`
	Scope       string `json:"scope"`
	Attempt     int    `json:"attempt"`
	Name        string `json:"namespace"`
	Fingerprint string `json:"fingerprint"`
}

type batch struct {
	Key     string            `json:"key"`
	Session string            `json:"session,omitzero"`
	User    string            `json:"user_id,omitzero"`
	Agent   string            `json:"agent_id,omitzero"`
	Meta    schema.Object     `json:"metadata,omitzero"`
	Turns   []schema.EventRef `json:"turns,omitempty"`
}

type call struct {
	Key     string           `json:"key"`
	N       int              `json:"n"`
	Turns   int              `json:"turns,omitzero"`
	Stored  []memory.Change  `json:"stored,omitempty"`
	Origins []origin         `json:"origins,omitempty"`
	Saved   map[string][]any `json:"saved,omitempty"`
}

// origin maps an id of the service to its turns.
type origin struct {
	ID    string            `json:"id"`
	Turns []schema.EventRef `json:"turns"`
}

// state is the content of the journal. It holds the ids that the service named, with their turns, about 150 bytes each, and 100 bytes per turn.
type state struct {
	opened   opened
	known    map[string]bool
	keys     []string
	calls    map[string]int // done, of batches that are not
	begun    *call
	batches  []batch
	byKey    map[string]int
	byTurn   map[schema.EventRef]int
	origins  map[string][]schema.EventRef
	stored   map[string]bool // ids that must be there
	saved    map[string][]any
	own      map[string]map[string]any // saved at the beginning of a session, by session
	fresh    map[string][]any          // saved since the last settle
	sessions []string
	ended    map[string]bool
	history  []memory.Change
	sent     int // turns
	pending  bool
	dropped  bool
}

func newState(o opened) *state {
	return &state{opened: o, known: map[string]bool{}, calls: map[string]int{}, byKey: map[string]int{}, byTurn: map[schema.EventRef]int{},
		origins: map[string][]schema.EventRef{}, stored: map[string]bool{}, saved: map[string][]any{}, own: map[string]map[string]any{}, fresh: map[string][]any{}, ended: map[string]bool{}}
}

func (st *state) apply(e entry) {
	if e.Open != nil {
		*st = *newState(*e.Open)
	}
	st.save(e.Saved)
	if e.Of != nil {
		own := map[string]any{}
		maps.Copy(own, st.own[*e.Of])
		for k, v := range e.Saved {
			own[k] = v[len(v)-1]
		}
		st.own[*e.Of] = own
	}
	if e.Session != nil && !slices.Contains(st.sessions, *e.Session) {
		st.sessions = append(st.sessions, *e.Session)
	}
	if e.Ended != nil {
		st.ended[*e.Ended] = true
	}
	if b := e.Batch; b != nil {
		if _, ok := st.byKey[b.Key]; !ok {
			st.byKey[b.Key] = len(st.batches)
			for _, t := range b.Turns {
				st.byTurn[t] = len(st.batches)
			}
			st.batches = append(st.batches, *b)
		}
	}
	if e.Begin != nil {
		st.begun, st.pending = e.Begin, true
	}
	if e.Clear != nil {
		st.begun = nil
	}
	if c := e.Call; c != nil {
		st.begun, st.pending = nil, true
		st.calls[c.Key] = c.N + 1
		st.sent += c.Turns
		st.learn(c.Origins)
		st.save(c.Saved)
		st.history = append(st.history, c.Stored...)
		for _, x := range c.Stored {
			switch x.Op {
			case memory.OpDelete:
				delete(st.stored, string(x.ID))
			case memory.OpAdd:
				st.stored[string(x.ID)] = true
			}
		}
	}
	if e.Done != "" {
		st.known[e.Done] = true
		st.keys = append(st.keys, e.Done)
		delete(st.calls, e.Done)
	}
	st.learn(e.Learned)
	if e.Settled {
		st.pending = false
		st.fresh = map[string][]any{}
	}
	st.dropped = st.dropped || e.Dropped
}

func (st *state) learn(os []origin) {
	for _, o := range os {
		st.origins[o.ID] = memory.Union(st.origins[o.ID], o.Turns)
	}
}

func (st *state) save(s map[string][]any) {
	for _, k := range slices.Sorted(maps.Keys(s)) {
		st.saved[k] = append(st.saved[k], s[k]...)
		st.fresh[k] = append(st.fresh[k], s[k]...)
	}
}

// journal is a state and where it is kept.
type journal struct {
	*state
	log *keylog.Log // nil: in the process only
}

func (j *journal) add(e entry) error {
	if j.log != nil {
		if err := j.log.Record(e); err != nil {
			return err
		}
	}
	j.apply(e)
	return nil
}

// Namespaces lists the namespaces in the journals of a run that were not dropped.
func (s *System) Namespaces(ctx context.Context, run string) ([]memory.Namespace, error) {
	var out []memory.Namespace
	add := func(scope string, st *state) {
		if st.opened.Attempt > 0 && !st.dropped {
			out = append(out, memory.Namespace{Run: run, Scope: scope})
		}
	}
	if s.o.Dir == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		for ns, st := range s.held {
			if ns.Run == run {
				add(ns.Scope, st)
			}
		}
	} else {
		dir := filepath.Join(s.o.Dir, atomicfile.Name(run))
		files, err := os.ReadDir(dir)
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
			path := filepath.Join(dir, f.Name())
			st := newState(opened{})
			if err := keylog.Read(path, st.replay(path)); err != nil {
				return nil, err
			}
			add(st.opened.Scope, st)
		}
	}
	slices.SortFunc(out, func(a, b memory.Namespace) int { return cmp.Compare(a.Scope, b.Scope) })
	return out, nil
}

func (s *System) journal(ns memory.Namespace) (*journal, error) {
	if s.o.Dir == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.held[ns] == nil {
			s.held[ns] = newState(opened{})
		}
		return &journal{state: s.held[ns]}, nil
	}
	st := newState(opened{})
	path := filepath.Join(s.o.Dir, atomicfile.Name(ns.Run), atomicfile.Name(ns.Scope)+".jsonl")
	log, err := keylog.Open(path, keylog.Options{}, st.replay(path))
	if err != nil {
		return nil, err
	}
	return &journal{st, log}, nil
}

// replay applies the lines of a journal.
func (st *state) replay(path string) func(n int, line []byte) error {
	return func(n int, line []byte) error {
		var e entry
		if err := codec.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		st.apply(e)
		return nil
	}
}

// parseTurnIDs parses the stored form of memory.TurnID: one id, a JSON array in a string, or a list. Other values are skipped.
func parseTurnIDs(vals []any) (out []schema.EventRef) {
	for _, v := range vals {
		switch v := v.(type) {
		case []any:
			out = append(out, parseTurnIDs(v)...)
		case string:
			if strings.HasPrefix(v, "[") {
				var list []string
				if codec.Unmarshal([]byte(v), &list) == nil {
					for _, x := range list {
						out = append(out, parseTurnIDs([]any{x})...)
					}
					continue
				}
			}
			if r, ok := memory.ParseTurnID(v); ok {
				out = append(out, r)
			}
		}
	}
	return out
}

// asNumber reads a JSON number, also one in a string.
func asNumber(v any) (float64, bool) {
	var t string
	switch v := v.(type) {
	case json.Number:
		t = v.String()
	case string:
		t = v
	default:
		return 0, false
	}
	f, err := strconv.ParseFloat(t, 64)
	return f, err == nil && f == f && f-f == 0 // neither NaN nor infinite
}
