// Package memory is the contract of a memory system under test. A system that only
// stores and retrieves is complete; more ability is another small interface, asked
// for with As.
package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"membench/internal/codec"
	"membench/llm"
	"membench/schema"
)

// Info identifies a system. Fingerprint changes if the same input would give another memory (options, prompts, models, code version).
type Info struct{ Name, Version, Mode, Fingerprint string }

// Namespace is one isolated memory of a run: nothing leaks between two of them.
type Namespace struct{ Run, Scope string }

// A System is a configured memory system. The memories it opens share nothing but
// its configuration and may be used in parallel.
type System interface {
	Info() Info
	// Open returns an empty memory for ns and removes data of earlier runs.
	Open(ctx context.Context, ns Namespace) (Memory, error)
}

// A Memory is one namespace, filled and queried by one goroutine.
type Memory interface {
	// Ingest stores one batch of turns. Calling it again with a batch of the same
	// Key stores nothing twice, also after a crash in the middle.
	Ingest(ctx context.Context, b Batch) (Receipt, error)
	// Retrieve returns at most q.K hits, best first; ties are broken by id. It never
	// changes the memory. One that only answers gives errors.ErrUnsupported.
	Retrieve(ctx context.Context, q Query) (Retrieved, error)
	Close() error
}

// Optional abilities.
type (
	// Attacher is a System that can open the memory of an earlier run.
	Attacher interface {
		Attach(ctx context.Context, ns Namespace) (Memory, error)
	}
	// Redoer removes the batches from the first one on in which a model failed an operation, so that they can be stored again; false: there is no such batch.
	Redoer interface {
		Redo(ctx context.Context) (bool, error)
	}
	// Settler waits for background work.
	Settler interface {
		Settle(ctx context.Context) (Receipt, error)
	}
	// SessionEnder wants to know where a session ends.
	SessionEnder interface {
		EndSession(ctx context.Context, id string) (Receipt, error)
	}
	// Exporter yields every stored item, ordered by point id.
	Exporter interface {
		Export(ctx context.Context) schema.Seq[schema.MemoryExport]
	}
	// Dropper removes the namespace.
	Dropper interface {
		Drop(ctx context.Context) error
	}
	// Lister is a System that knows which namespaces of a run it holds, sorted by scope.
	Lister interface {
		Namespaces(ctx context.Context, run string) ([]Namespace, error)
	}
	// Answerer is a memory that answers by itself, without a reader. Retrieved holds its stated sources, if any. The answer "" is an answer without words, not a refusal.
	Answerer interface {
		Answer(ctx context.Context, q Query) (Retrieved, string, error)
	}
	// Keyed knows the keys of the batches it has stored, in the order they came.
	Keyed interface {
		Keys(ctx context.Context) ([]string, error)
	}
	// Historian reports the operations of all batches, oldest first, across runs.
	Historian interface {
		History(ctx context.Context) (Receipt, error)
	}
)

// Batch is the input of one ingest call.
type Batch struct {
	Key      string // idempotency key; "" is derived from the content
	Session  string
	Context  []schema.Turn // the turns just before, already ingested: to be understood, never stored again
	Turns    []schema.Turn
	UserID   string
	AgentID  string
	Metadata schema.Object // kept with every memory made from this batch
	Now      time.Time     // the clock for created_at; zero: the last turn's time
}

// ID returns the batch's key: Key, or a hash of session, speakers and texts.
func (b Batch) ID() string {
	if b.Key != "" {
		return b.Key
	}
	raw, err := codec.Append(nil, []any{b.UserID, b.AgentID, b.Session, b.Turns}, codec.Compact)
	if err != nil { // bytes that are not text
		raw = fmt.Appendf(nil, "%v", b.Turns)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// Union is a with the references of b that it lacks, in their order; a is not changed.
func Union(a, b []schema.EventRef) []schema.EventRef {
	out := slices.Clone(a)
	for _, r := range b {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// Fingerprint returns a short hash of the settings that determine a system's behaviour, for Info.
func Fingerprint(format string, args ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, format, args...))
	return hex.EncodeToString(sum[:])[:16]
}

// PayloadNames are the members of a payload that a Mem0 store writes itself, membench's own also "asked": metadata of these names is not the user's.
func PayloadNames() []string {
	return []string{"user_id", "agent_id", "run_id", "actor_id", "role", "data", "hash", "created_at", "updated_at", "text_lemmatized", "asked"}
}

// Query is one retrieval.
type Query struct {
	Text    string
	K       int    // at most this many hits; 0 means 5
	UserID  string // only items of this user; "" of any
	AgentID string // only items of this agent; "" of any
	// Asker is the role of who asks, "user" (also "") or "assistant": it settles whom
	// "I" and "you" in Text mean.
	Asker string
	// AsOf is when it is asked, RFC 3339 or its beginning; "": after all that was said.
	AsOf        string
	Attachments []schema.Attachment // of the question
	// Category is the category of the question in its data set (schema.Categories). It is set only for systems whose Capabilities declare UsesCategory.
	Category string
	// Gold is the gold evidence. Only a system whose Capabilities say UsesGold is given it.
	Gold []schema.EventRef
}

// A Hit is one retrieved item: the recorded form and Meta. The recorder sets Rank and Cut.
type Hit = schema.QAHit

// Retrieved is the answer to a Query.
type Retrieved struct {
	Hits []Hit
	// Context is the system's own context for a reader; "": the texts of Hits, in order. It may contain more than Hits: summaries, profiles.
	Context  string
	Usage    llm.Usage
	Degraded []Note // operations that used a fallback
	Repeated int    // hits that had the id of another one, which are not in Hits
	Beyond   int    // hits that the system returned beyond the k that it was asked for, which are not in Hits
}

// Operations of a Change.
const (
	OpAdd    = "ADD"
	OpUpdate = "UPDATE"
	OpDelete = "DELETE"
	OpNone   = "NONE"
)

// Change is one thing that happened to an item.
type Change struct {
	Op       string
	ID       schema.PointID
	Old, New string // texts; "" if absent. An ADD with Old contradicts the item that held it
}

// Receipt reports the effects of an ingest.
type Receipt struct {
	Changes  []Change
	Usage    llm.Usage
	Degraded []Note // operations that were done in a plainer way
	Skipped  bool   // the batch's key was already stored
}

// As returns the ability T of v, or of the system or memory that it wraps (Unwrap() System or Memory).
func As[T any](v any) (T, bool) {
	for v != nil {
		if t, ok := v.(T); ok {
			return t, true
		}
		switch w := v.(type) {
		case interface{ Unwrap() System }:
			v = w.Unwrap()
		case interface{ Unwrap() Memory }:
			v = w.Unwrap()
		default:
			v = nil
		}
	}
	var zero T
	return zero, false
}

// Roles of the turns that memories are made of.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Prefix returns the prefix that Mem0's custom instruction puts before a fact of the role, with its blank.
func Prefix(role string) string {
	if role == RoleAssistant {
		return "[Agent] "
	}
	return "[User] "
}

// CutPrefix removes the prefix. role is "" if there is none.
func CutPrefix(text string) (role, rest string) {
	for _, r := range []string{RoleUser, RoleAssistant} {
		if rest, ok := strings.CutPrefix(text, strings.TrimSpace(Prefix(r))); ok {
			return r, strings.TrimSpace(rest)
		}
	}
	return "", strings.TrimSpace(text)
}
