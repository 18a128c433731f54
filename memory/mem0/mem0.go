// Package mem0 is Mem0's behaviour in process: facts are extracted from the turns, each is compared with the most similar known ones, and ADD, UPDATE, DELETE
// or NONE is applied, with a history. docs/adr/0002-embedded-memory.md lists the differences.
//
// Stored format: one journal per namespace, <dir>/<run>/<scope>.jsonl, with percent-encoded names. The first line is a header; each further line is one batch
// with all of its changes, so a batch is stored completely or not at all. Nothing is ever rewritten: the journal is the history.
package mem0

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/internal/keylog"
	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/op"
	"membench/schema"
)

// Mode determines the effect of an update on the evidence of the updated fact.
type Mode string

const (
	// Keep adds a contradicting fact to the old one, unites the turns of a restated or refined fact, and stores a restatement again if something related was
	// said in between (so that A, B, A leaves evidence of the second A), or if it is of another conversation or another time.
	Keep Mode = "keep"
	// Faithful follows Mem0 1.x: UPDATE replaces text and metadata, DELETE removes.
	Faithful Mode = "faithful"
)

// Modes lists both.
func Modes() []Mode { return []Mode{Keep, Faithful} }

// Options of the embedded memory. The zero value keeps everything in the process,
// extracts by rule and writes prefixes.
type Options struct {
	Dir       string        // "": nothing on disk
	Mode      Mode          // "": Keep
	Raw       bool          // store turns verbatim, without extraction
	NoPrefix  bool          // leave "[User] " and "[Agent] " off; the payload then has role
	Generator llm.Generator // nil: by rule
	Prompts   llm.Prompts   // of the generator
	Embedder  llm.Embedder  // nil: hashing; other embedders are called again after Attach
	Points    Points        // nil: points and vectors in this process
	TakeOver  bool          // Attach drops Points' data of a namespace without a journal
	// Eager embeds the points of a batch before its Ingest returns, so that the first question need not.
	Eager bool
	// Wrap is placed between the journal and its file, to inject faults in tests.
	Wrap func(io.Writer) io.Writer
}

// near is how many known facts a new one is judged against (Mem0's default).
const near = 5

const version = "1"

// Embedded makes the system.
func Embedded(o Options) (*System, error) {
	o.Mode = cmp.Or(o.Mode, Keep)
	if !slices.Contains(Modes(), o.Mode) {
		return nil, fmt.Errorf("memory mode %q: have %v", o.Mode, Modes())
	}
	if o.Embedder == nil {
		o.Embedder = hashing.New(0)
	}
	s := &System{o: o, extract: op.RuleFacts(), judge: op.RuleJudge(), held: map[memory.Namespace]*store{}}
	if o.Generator != nil {
		s.extract, s.judge = op.ModelFacts(o.Generator, o.Prompts), op.ModelJudge(o.Generator, o.Prompts)
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
	all := fmt.Sprintf("%s|%s|%s|raw=%t|prefix=%t|%s", version, name, s.o.Mode, s.o.Raw, !s.o.NoPrefix, model)
	if s.o.Generator != nil {
		all += fmt.Sprintf("|%s|%s", op.Prompt(s.o.Prompts, "facts").Text, op.Prompt(s.o.Prompts, "update").Text)
	}
	return memory.Info{Name: name, Version: version, Mode: string(s.o.Mode), Fingerprint: memory.Fingerprint("%s", all)}
}

func (s *System) path(ns memory.Namespace) string {
	return filepath.Join(s.o.Dir, atomicfile.Name(ns.Run), atomicfile.Name(ns.Scope)+".jsonl")
}

// Open returns an empty memory for ns and removes its data.
func (s *System) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.o.Points != nil { // before the journal: a kill in between leaves points to be put again
		if err := s.o.Points.Drop(ctx, ns); err != nil {
			return nil, err
		}
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

// Attach opens the memory of an earlier run; nothing is written before the first Ingest.
func (s *System) Attach(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	m, err := s.attach(ctx, ns)
	if err != nil {
		return nil, err
	}
	if s.o.Points != nil {
		if err := m.compare(ctx); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (s *System) attach(ctx context.Context, ns memory.Namespace) (*Memory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.o.Dir == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.held[ns] == nil {
			s.held[ns] = newStore()
		}
		return s.memory(ns, s.held[ns]), nil
	}
	m := s.memory(ns, newStore())
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
	m.last, m.told = m.items(), len(m.store.history)
	return m, nil
}

func (s *System) memory(ns memory.Namespace, st *store) *Memory {
	m := &Memory{sys: s, ns: ns, store: st, deltas: map[string][]memory.Delta{}}
	m.last, m.told = m.items(), len(st.history)
	return m
}

// Namespaces lists the namespaces of a run in Dir (or in the process).
func (s *System) Namespaces(ctx context.Context, run string) ([]memory.Namespace, error) {
	if s.o.Dir != "" {
		return Journals(ctx, s.o.Dir, run, format)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.SortedFunc(maps.Keys(s.held), byScope)
	return slices.DeleteFunc(out, func(ns memory.Namespace) bool { return ns.Run != run }), nil
}

const format = "membench-mem0-journal"

func byScope(a, b memory.Namespace) int { return cmp.Compare(a.Scope, b.Scope) }

// Journals are the namespaces of a run whose journal of this format is in dir, in order. An empty
// journal holds nothing.
func Journals(ctx context.Context, dir, run, format string) ([]memory.Namespace, error) {
	files, err := os.ReadDir(filepath.Join(dir, atomicfile.Name(run)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []memory.Namespace
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".jsonl") {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var h struct {
			Format string `json:"format"`
			Scope  string `json:"scope"`
		}
		stop := errors.New("seen the header")
		err := keylog.Read(filepath.Join(dir, atomicfile.Name(run), f.Name()), func(n int, line []byte) error {
			if n > 1 {
				return stop
			}
			return codec.Unmarshal(line, &h)
		})
		if err != nil && !errors.Is(err, stop) {
			return nil, err
		}
		if h.Format == format {
			out = append(out, memory.Namespace{Run: run, Scope: h.Scope})
		}
	}
	slices.SortFunc(out, byScope)
	return out, nil
}

// Memory is one namespace.
type Memory struct {
	sys   *System
	ns    memory.Namespace
	store *store
	log   keylog.Lazy
	made  string // fingerprint in the header; "" for a new journal

	last   []memory.Item // as the session before left it; nil before the first EndSession
	told   int           // of the history, then
	deltas map[string][]memory.Delta
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

func (m *Memory) append(e entry) error {
	if m.sys.o.Dir == "" {
		return nil
	}
	path, o := m.sys.path(m.ns), keylog.Options{Wrap: m.sys.o.Wrap}
	if m.made == "" {
		fp := m.sys.Info().Fingerprint
		if err := m.log.Record(path, o, header{format, 1, m.ns.Run, m.ns.Scope, fp}); err != nil {
			return err
		}
		m.made = fp
	}
	if e.Changes == nil {
		e.Changes = []change{}
	}
	return m.log.Record(path, o, e)
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
			payload, err := p.whole()
			if !yield(schema.Record[schema.MemoryExport]{V: schema.MemoryExport{ID: p.id, Payload: payload, Collection: m.ns.Run}}, err) || err != nil {
				return
			}
		}
	}
}

// History returns the operations of all batches, oldest first.
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
	*m = *fresh.(*Memory)
	return nil
}

// Close closes the journal; ingested batches are already on disk.
func (m *Memory) Close() error { return m.log.Close() }
