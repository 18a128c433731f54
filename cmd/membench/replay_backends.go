package main

import (
	"cmp"
	"context"
	"strings"
	"time"

	"membench/memory"
	"membench/memory/mem0"
	"membench/memory/mem0/localstore"
	"membench/memory/open"
	"membench/replay"
	"membench/schema"
)

// chooseBackend takes what the flags leave open from the store.
func (o *storeOptions) chooseBackend(ctx context.Context, e *env, k kept, found bool) error {
	var was *open.Store
	if found {
		was = &open.Store{Backend: k.Backend, URL: k.URL, UserPrefix: k.UserPrefix, Qdrant: k.Qdrant, Collection: k.Collection}
	}
	s, err := e.place("").Resolve(ctx, o.inStore(), was)
	if err != nil {
		return specFaults(e, err)
	}
	o.backend, o.url, o.userPrefix, o.qdrant, o.qdrantCollection = s.Backend, s.URL, s.UserPrefix, s.Qdrant, s.Collection
	return nil
}

func (o *storeOptions) inStore() open.Store {
	return open.Store{Backend: o.backend, Dir: o.store, URL: o.url, UserPrefix: o.userPrefix, Qdrant: o.qdrant, Collection: o.qdrantCollection}
}

// system opens a resolved store; with says what models it asks.
func (o *storeOptions) system(ctx context.Context, e *env, with mem0.Options) (sys memory.System, done func(), err error) {
	s := o.inStore()
	if o.inProcess {
		s.Qdrant = ""
	}
	with.Mode, with.Raw, with.NoPrefix = mem0.Mode(o.mode), o.storeRaw, o.noPrefix
	return e.place("").Store(ctx, s, with)
}

// exportStore exports a store that a Mem0 process filled.
func (o replayExportOptions) exportStore(ctx context.Context, e *env) error {
	now := e.now().UTC().Truncate(time.Second)
	if o.now != "" {
		var err error
		if now, err = time.Parse(time.RFC3339Nano, o.now); err != nil {
			return usagef("--now %q: want an RFC 3339 time such as 2026-03-01T12:00:00Z", o.now)
		}
	}
	points, collection, done, err := o.points(ctx, e)
	if err != nil {
		return err
	}
	defer done()
	iso := replay.Global
	if o.isolation != "" {
		if iso, err = replay.ParseIsolation(o.isolation); err != nil {
			return usageError{err}
		}
	} else if strings.HasSuffix(collection, "_per_conv") || strings.HasSuffix(collection, "_per_chapter") {
		iso = replay.PerConv
	}
	events, err := o.eventStream(e)
	if err != nil {
		return err
	}
	t := newTally(e, 100)
	r := replay.Defaults()
	r.Isolation, r.NoOwner, r.Found = iso, o.noOwner, func(f *schema.Finding) { t.take(f) }
	stamped := func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		for rec, err := range points {
			rec.V.Payload = mem0.Unmarked(rec.V.Payload)
			rec.V.Isolation, rec.V.ExportedAt = string(iso), now.UTC().Format(time.RFC3339)
			if !yield(rec, err) {
				return
			}
		}
	}
	return o.write(e, t, replay.Link(stamped, events, r), ".mem0.jsonl")
}

// points opens the store and its collection.
func (o replayExportOptions) points(ctx context.Context, e *env) (in schema.Seq[schema.MemoryExport], collection string, done func(), err error) {
	if o.backend == open.Mem0Local {
		if o.store == "" {
			return nil, "", nil, usagef("no store given: name the folder of Mem0's vector_store.config.path with --store")
		}
		s, err := localstore.Open(o.store)
		if err != nil {
			return nil, "", nil, err
		}
		c, err := s.Choose(o.collection)
		if err != nil {
			return nil, "", nil, err
		}
		return s.Export(ctx, c.Name), c.Name, func() {}, nil
	}
	addr := cmp.Or(o.addr, e.getenv("QDRANT_ADDR"))
	if addr == "" {
		return nil, "", nil, usagef("where is Qdrant? Name its gRPC address with --addr or QDRANT_ADDR, such as localhost:6334")
	}
	c, err := e.place("").Qdrant(addr, 0)
	if err != nil {
		return nil, "", nil, err
	}
	name, err := c.Choose(ctx, o.collection)
	if err != nil {
		c.Close()
		return nil, "", nil, err
	}
	return c.Export(ctx, name), name, func() { c.Close() }, nil
}
