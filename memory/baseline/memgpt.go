package baseline

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// MemGPTOptions of MemGPT.
type MemGPTOptions struct {
	Block int     `json:"block"` // characters of a block of the core memory, at most
	Steps int     `json:"steps"` // of the agent for one exchange or question, at most
	Page  int     `json:"page"`  // results of one search
	Queue int     `json:"queue"` // messages that the agent sees
	Core  float64 `json:"core"`  // by rule: importance from which a fact goes to the core memory
}

// Blocks of the core memory.
const (
	blockHuman   = "human"
	blockPersona = "persona"
)

// MemGPT is an agent that maintains its own memory (MemGPT, Letta): a core memory of two blocks that it always sees, an archive that it writes to, and the
// whole dialogue, which can be searched page by page. For each exchange and each question, the agent takes steps until it is done or has used all steps. By
// rule, important facts about the user go to the core memory, other facts to the archive, and a question searches both once.
func MemGPT() memory.Spec {
	return memory.Define("memgpt", "an agent with core memory, archive and searchable dialogue (MemGPT, Letta)",
		MemGPTOptions{Block: 2000, Steps: 4, Page: 5, Queue: 10, Core: 0.5}, func(d memory.Deps, o MemGPTOptions) (memory.System, error) {
			if o.Steps < 1 || o.Page < 1 || o.Block < 1 {
				return nil, fmt.Errorf("steps %d, page %d, block %d: want 1 or more each", o.Steps, o.Page, o.Block)
			}
			d.Embed = embedder(d)
			caps := memory.Capabilities{Unit: native.Pair, Retrieval: memory.RetrievalRanked, Colder: []string{"core", tierArchive, tierRecall},
				Calls: &memory.Calls{EmbedPerUnit: memory.Span{Min: 1, Max: many}, EmbedPerQuery: memory.Span{Max: 2 * actsAtMost * o.Steps}}}
			asks(&caps, d, memory.Calls{LLMPerUnit: memory.Span{Min: 1, Max: o.Steps}, LLMPerQuery: memory.Span{Min: 1, Max: o.Steps}}, op.PurposeAct)
			return native.New(native.Options{Name: "memgpt", Version: version, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
				return &memgpt{o: o, d: d, scope: scope, st: store.New(store.Options{Scope: scope, Embed: d.Embed, Words: &store.Words{}}), archive: store.New(store.Options{Scope: scope + ":archival", Embed: d.Embed})}
			}}), nil
		})
}

// actsAtMost is how many functions one step may call.
const actsAtMost = 5

type memgpt struct {
	o       MemGPTOptions
	d       memory.Deps
	scope   string
	st      *store.Linear // the dialogue
	archive *store.Linear
	core    map[string]store.Record
}

// An act is one call of a function.
type act struct {
	Name  string `json:"name"`
	Block string `json:"block"`
	Text  string `json:"text"`
	Old   string `json:"old"`
	Query string `json:"query"`
	Page  int    `json:"page"` // from 0
}

// step asks the agent for its next calls; an answer without calls ends the loop.
func (p *memgpt) step(w *op.Work, core map[string]string, now, found string, rule func() []act) []act {
	var b strings.Builder
	for _, name := range []string{blockPersona, blockHuman} {
		fmt.Fprintf(&b, "CORE MEMORY %s (%d of %d characters)\n%s\n\n", name, utf8.RuneCountInString(core[name]), p.o.Block, core[name])
	}
	fmt.Fprintf(&b, "SEARCHABLE: %d exchanges, %d entries of the archive\n\nLAST EXCHANGES\n", p.st.Len(), p.archive.Len())
	for i := max(0, p.st.Len()-p.o.Queue); i < p.st.Len(); i++ {
		b.WriteString(p.st.At(i).Text + "\n")
	}
	b.WriteString("\nFOUND\n" + found + "\n\nNOW\n" + now)
	a := op.Member(w, op.PurposeAct, "calls", b.String(), rule)
	return a[:min(actsAtMost, len(a))]
}

// blocks are the texts of the core memory of whom a query names.
func (p *memgpt) blocks(q memory.Query) map[string]string {
	core := map[string]string{}
	for name, rec := range p.core {
		if rec.For(q) {
			core[name] = rec.Text
		}
	}
	return core
}

// Store lets the agent write. Its writes count once all of them could be embedded.
func (p *memgpt) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	core := p.blocks(memory.Query{})
	var insert []string
	degraded := len(r.Degraded)
	w := op.Begin(ctx, p.d, r)
	for n := range p.o.Steps {
		acts := p.step(w, core, o.Text, "", func() []act { return p.ruleActs(o, core) })
		if len(acts) == 0 {
			break
		}
		for _, a := range acts {
			switch a.Name {
			case "core_memory_append":
				if text := strings.TrimSpace(core[a.Block] + "\n" + a.Text); (a.Block == blockHuman || a.Block == blockPersona) && utf8.RuneCountInString(text) <= p.o.Block {
					core[a.Block] = text
				} else if strings.TrimSpace(a.Text) != "" {
					insert = append(insert, a.Text) // a full block: nothing is lost
				}
			case "core_memory_replace":
				if text := strings.Replace(core[a.Block], a.Old, a.Text, 1); a.Old != "" && utf8.RuneCountInString(text) <= p.o.Block {
					core[a.Block] = text
				}
			case "archival_memory_insert":
				if strings.TrimSpace(a.Text) != "" {
					insert = append(insert, a.Text)
				}
			}
		}
		if p.d.LLM == nil || len(r.Degraded) > degraded || n == p.o.Steps-1 {
			break // the rule has said all it has to say
		}
	}
	vecs := w.Embed(append([]string{o.Text}, insert...)...)
	if w.Err != nil {
		return w.Err
	}
	rec := o.Record(o.Kind())
	rec.Tier = tierRecall
	p.st.Add(rec, vecs[0], r)
	p.write(o, core, r)
	for i, text := range insert {
		p.archive.Add(p.made(o, "fact", tierArchive, text), vecs[1+i], r)
	}
	return nil
}

// made is a record that the agent wrote for an exchange.
func (p *memgpt) made(o native.Observation, kind, tier, text string) store.Record {
	x := o.Made(kind, text)
	x.Tier, x.Attachments = tier, nil
	x.Links = []schema.PointID{p.st.At(p.st.Len() - 1).ID}
	return x
}

// write keeps the blocks that changed.
func (p *memgpt) write(o native.Observation, core map[string]string, r *memory.Receipt) {
	next := map[string]store.Record{}
	for i, name := range []string{blockHuman, blockPersona} {
		old, ok := p.core[name]
		if ok {
			next[name] = old
		}
		if core[name] == old.Text {
			continue
		}
		rec := p.made(o, "block", "core", core[name])
		rec.ID, rec.Status = store.ID(p.scope+":core", i+1), memory.StatusActive
		next[name] = store.Rewrite(old, rec, r)
	}
	p.core = next
}

// ruleActs puts important facts about the user into the core memory, as long as there is room, and other facts into the archive.
func (p *memgpt) ruleActs(o native.Observation, core map[string]string) (out []act) {
	room := p.o.Block - utf8.RuneCountInString(core[blockHuman])
	for _, f := range op.CaptionedFacts(o.Turns) {
		n := utf8.RuneCountInString(f.Text) + 1
		if f.Role == memory.RoleUser && op.RuleImportance(f.Text) >= p.o.Core && n <= room && !strings.Contains(core[blockHuman], f.Text) {
			out, room = append(out, act{Name: "core_memory_append", Block: blockHuman, Text: f.Text}), room-n
		} else {
			out = append(out, act{Name: "archival_memory_insert", Text: f.Text})
		}
	}
	return out
}

// Recall lets the agent search, and returns the results of its searches, the best of each first. The core memory is context.
func (p *memgpt) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	var r memory.Receipt
	core := p.blocks(q)
	said, archive := &recall.State{Query: q, Store: p.st}, &recall.State{Query: q, Store: p.archive}
	var lists [][]memory.Hit
	found := ""
	w := op.Begin(ctx, p.d, &r)
	for n := range p.o.Steps {
		acts := p.step(w, core, q.Text, found, func() []act {
			return []act{{Name: "conversation_search", Query: q.Text}, {Name: "archival_memory_search", Query: q.Text}}
		})
		searched := false
		for _, a := range acts {
			s := map[string]*recall.State{"conversation_search": said, "archival_memory_search": archive}[a.Name]
			if s == nil || strings.TrimSpace(a.Query) == "" || a.Page < 0 {
				continue
			}
			searched = true
			page := max(p.o.Page, q.K)
			list, err := s.ByMeaning(ctx, a.Query, (a.Page+1)*page)
			w.Err = cmp.Or(w.Err, err)
			var hits []memory.Hit
			for _, c := range list[min(len(list), a.Page*page):] {
				hits = append(hits, s.Store.Hit(c.Pos, 0))
				found += s.Store.At(c.Pos).Text + "\n"
			}
			lists = append(lists, hits)
		}
		if p.d.LLM == nil || len(r.Degraded) > 0 || !searched || n == p.o.Steps-1 {
			break
		}
	}
	out := memory.Retrieved{Hits: recall.Interleaved(q.K, lists...), Usage: r.Usage.Add(said.Usage).Add(archive.Usage), Degraded: r.Degraded}
	if len(out.Hits) > 0 {
		out.Context = strings.TrimSpace("(Core memory)\n" + core[blockPersona] + "\n" + core[blockHuman] + "\n(Found)\n" + found)
	}
	return out, w.Err
}

// Records lists the dialogue, the archive and the core memory.
func (p *memgpt) Records() []store.Record {
	out := append(p.st.Records(), p.archive.Records()...)
	for _, name := range []string{blockHuman, blockPersona} {
		if rec, ok := p.core[name]; ok {
			out = append(out, rec)
		}
	}
	return out
}

func (p *memgpt) Clone() native.Policy {
	c := *p // core is replaced, never changed
	c.st, c.archive = p.st.Clone(), p.archive.Clone()
	return &c
}
