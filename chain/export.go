package chain

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"membench/internal/build"
	"membench/memory/mem0"
	"membench/memory/mem0/localstore"
	"membench/memory/open"
	"membench/replay"
	"membench/schema"
	"membench/schema/jsonl"
)

// MemoriesOptions are the options of Export and Link.
type MemoriesOptions struct {
	Out     string         `json:"-"`               // folder, file that ends in .jsonl, or "-"
	Events  []string       `json:"-"`               // the dialogue, to infer owners and turns from
	NoOwner bool           `json:"no_owner"`        // give every memory without owner to the agent
	People  schema.People  `json:"people,omitzero"` // who is who, of owners that are known by name only
	Version schema.Version `json:"-"`
}

// ExportOptions of Export.
type ExportOptions struct {
	Shared
	StoreOptions
	MemoriesOptions
	Addr       string // of a Qdrant server that a Mem0 filled
	Collection string // there, or in a Mem0's folder; "": the only one
}

// LinkOptions of Link.
type LinkOptions struct {
	Shared
	MemoriesOptions
	Exports []string
}

// MemoriesReport is the result of Export or Link.
type MemoriesReport struct {
	Memories      int
	Conversations int // 0 when they went to one file
	Linked        int // memories whose turns were inferred
}

// Export writes every memory that a store keeps, ordered by point id: <conv>.mem0.jsonl
// for each conversation and manifest.json in a folder, or one file.
func Export(ctx context.Context, o ExportOptions) (MemoriesReport, error) {
	if o.Store.Backend == open.QdrantServer || o.Store.Backend == open.Mem0Local {
		return o.exportForeign(ctx)
	}
	s, err := o.resolve(ctx, true)
	if err != nil {
		return MemoriesReport{}, err
	}
	s.Qdrant = "" // the journal has all that is exported
	sys, done, err := s.open(ctx, mem0.Options{})
	if err != nil {
		return MemoriesReport{}, err
	}
	defer done()
	f := o.memories(o.Shared, "replay export")
	defer f.Close()
	events, err := o.events(ctx, f)
	if err != nil {
		return MemoriesReport{}, err
	}
	s.replay.Found, s.replay.NoOwner, s.replay.People = f.Found, o.NoOwner, o.people()
	m := schema.Manifest{Now: s.replay.Now.Format(time.RFC3339Nano)}
	return o.write(f, m, replay.Export(ctx, sys, events, s.replay))
}

// Link adds the turns that each memory was made from to exports of other systems.
func Link(ctx context.Context, o LinkOptions) (MemoriesReport, error) {
	if len(o.Events) == 0 {
		return MemoriesReport{}, schema.Usagef("no events given: name the dialogue with --events")
	}
	f := o.memories(o.Shared, "replay link")
	defer f.Close()
	in, err := f.Files(ctx, o.Exports, ".jsonl")
	if err != nil {
		return MemoriesReport{}, err
	}
	events, err := o.events(ctx, f)
	if err != nil {
		return MemoriesReport{}, err
	}
	r := replay.Defaults()
	r.NoOwner, r.People, r.Found = o.NoOwner, o.people(), f.Found
	return o.write(f, schema.Manifest{}, replay.Link(readMemories(f, in), events, r))
}

// exportForeign exports a store that a Mem0 process filled.
func (o ExportOptions) exportForeign(ctx context.Context) (MemoriesReport, error) {
	now, err := o.now("")
	if err != nil {
		return MemoriesReport{}, err
	}
	points, collection, done, err := o.points(ctx)
	if err != nil {
		return MemoriesReport{}, err
	}
	defer done()
	iso := replay.Global
	if o.Isolation != "" {
		if iso, err = replay.ParseIsolation(o.Isolation); err != nil {
			return MemoriesReport{}, &schema.UsageError{Err: err}
		}
	} else if strings.HasSuffix(collection, "_per_conv") || strings.HasSuffix(collection, "_per_chapter") {
		iso = replay.PerConv
	}
	f := o.memories(o.Shared, "replay export")
	defer f.Close()
	events, err := o.events(ctx, f)
	if err != nil {
		return MemoriesReport{}, err
	}
	r := replay.Defaults()
	r.Isolation, r.NoOwner, r.People, r.Found = iso, o.NoOwner, o.people(), f.Found
	stamped := func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		for rec, err := range points {
			rec.V.Payload = mem0.Unmarked(rec.V.Payload)
			rec.V.Isolation, rec.V.ExportedAt = string(iso), now.Format(time.RFC3339)
			if !yield(rec, err) {
				return
			}
		}
	}
	return o.write(f, schema.Manifest{Now: now.Format(time.RFC3339)}, replay.Link(stamped, events, r))
}

// points opens the store and its collection.
func (o ExportOptions) points(ctx context.Context) (in schema.Seq[schema.MemoryExport], collection string, done func(), err error) {
	if o.Store.Backend == open.Mem0Local {
		if o.Store.Dir == "" {
			return nil, "", nil, schema.Usagef("no store given: name the folder of Mem0's vector_store.config.path with --store")
		}
		s, err := localstore.Open(o.Store.Dir)
		if err != nil {
			return nil, "", nil, err
		}
		c, err := s.Choose(o.Collection)
		if err != nil {
			return nil, "", nil, err
		}
		return s.Export(ctx, c.Name), c.Name, func() {}, nil
	}
	addr := o.Addr
	if addr == "" {
		return nil, "", nil, schema.Usagef("no Qdrant server given: name its gRPC address with --addr or QDRANT_ADDR, such as localhost:6334")
	}
	c, err := o.Place.Qdrant(addr, 0)
	if err != nil {
		return nil, "", nil, err
	}
	name, err := c.Choose(ctx, o.Collection)
	if err != nil {
		c.Close()
		return nil, "", nil, err
	}
	return c.Export(ctx, name), name, func() { c.Close() }, nil
}

func (o MemoriesOptions) memories(s Shared, step string) *build.Frame {
	f := s.frame(step, o.Version, o.Out, isFolder(o.Out))
	f.Stream = true
	return f
}

// people is nil for versions that do not know people by name.
func (o MemoriesOptions) people() *schema.People {
	if o.Version.Before(schema.V020) {
		return nil
	}
	return &o.People
}

func (o MemoriesOptions) events(ctx context.Context, f *build.Frame) (schema.Seq[schema.Event], error) {
	if len(o.Events) == 0 {
		return nil, nil
	}
	files, err := f.Files(ctx, o.Events, ".jsonl")
	return readEvents(f, files), err
}

const memoriesSuffix = ".mem0.jsonl"

// write writes one file, or one a conversation; files of conversations that are gone
// are removed.
func (o MemoriesOptions) write(f *build.Frame, m schema.Manifest, in schema.Seq[schema.MemoryExport]) (r MemoriesReport, err error) {
	counted := func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		for rec, err := range build.Drop(f, in) {
			if rec.V.Payload.Text("events_by") == replay.Inferred {
				r.Linked++
			}
			r.Memories++
			if !yield(rec, err) {
				return
			}
		}
	}
	if !f.Dir {
		err = f.Write("", func(w io.Writer) error { return writeLines(w, f.Schema, counted) })
	} else {
		err = o.writeFolder(f, counted, &r)
	}
	if err != nil {
		return r, err
	}
	f.Taken = r.Memories
	m.Counts = map[string]int{"memories": r.Memories, "conversations": r.Conversations, "linked": r.Linked}
	if m.Options, err = schema.NewObject(o); err != nil {
		return r, err
	}
	_, err = f.Commit(m)
	return r, err
}

// writeLines writes records as lines.
func writeLines[T schema.Versioned[T]](w io.Writer, v schema.Version, in schema.Seq[T]) error {
	for _, err := range jsonl.Tee(w, v, in) {
		if err != nil {
			return err
		}
	}
	return nil
}

func (o MemoriesOptions) writeFolder(f *build.Frame, in schema.Seq[schema.MemoryExport], r *MemoriesReport) error {
	byConv := map[schema.ConvID][]schema.Record[schema.MemoryExport]{}
	for rec, err := range in {
		if err != nil {
			return err
		}
		conv := schema.ConvID(rec.V.Payload.Text("conv_id"))
		byConv[conv] = append(byConv[conv], rec)
	}
	r.Conversations = len(byConv)
	kept := map[string]bool{}
	for _, conv := range slices.SortedFunc(maps.Keys(byConv), replay.NaturalCompare) {
		kept[conv.FileName()] = true
		err := f.Write(conv.FileName()+memoriesSuffix, func(w io.Writer) error {
			return writeLines(w, f.Schema, func(yield func(schema.Record[schema.MemoryExport], error) bool) {
				for _, rec := range byConv[conv] {
					if !yield(rec, nil) {
						return
					}
				}
			})
		})
		if err != nil {
			return err
		}
	}
	gone, err := othersIn(o.Out, kept, memoriesSuffix)
	for _, name := range gone {
		f.Remove(name)
	}
	return err
}

// String is one line for people.
func (r MemoriesReport) String() string {
	if r.Conversations == 0 {
		return fmt.Sprintf("%d memories", r.Memories)
	}
	return fmt.Sprintf("%d memories of %d conversations", r.Memories, r.Conversations)
}
