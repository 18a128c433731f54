package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"membench/memory"
	"membench/memory/mem0"
	"membench/memory/mem0/localstore"
	"membench/memory/mem0/rest"
	"membench/replay"
	"membench/schema"
)

// Backends of replay. The last two can only be exported: a Mem0 fills them.
const (
	embedded     = "embedded"
	mem0Server   = string(rest.OSS)
	mem0Platform = string(rest.Platform)
	qdrantServer = "qdrant"
	mem0Local    = "mem0-local"
)

// chooseBackend takes what the flags leave open from the store.
func (o *storeOptions) chooseBackend(e *env, k kept, found bool) error {
	was := cmp.Or(k.Backend, embedded)
	if o.backend == "" {
		o.backend = embedded
		if found {
			o.backend = was
		}
	}
	switch o.backend {
	case embedded, mem0Server, mem0Platform:
	case qdrantServer, mem0Local:
		return usagef("--backend %s: such a store can only be exported (replay export); Mem0 itself fills it", o.backend)
	default:
		s, err := o.service(e)
		switch why := forgets[s.Kind]; {
		case err != nil && (strings.HasSuffix(o.backend, ".yaml") || strings.HasSuffix(o.backend, ".yml")):
			return specFaults(e, err)
		case err != nil:
			why = "no such system"
			fallthrough
		case s.Kind != kindService:
			return usagef("--backend %s: %s; have %s, %s, %s, the services of 'membench systems list --services' or a spec of your own (mine.yaml); for export also %s, %s",
				o.backend, why, embedded, mem0Server, mem0Platform, qdrantServer, mem0Local)
		}
	}
	if found && o.backend != was {
		return usagef("%s was filled by the backend %s, not %s", o.store, was, o.backend)
	}
	if o.backend == embedded {
		if o.url != "" || o.userPrefix != "" {
			return usagef("--url and --user-prefix are for a Mem0 service: add --backend %s or %s", mem0Server, mem0Platform)
		}
		o.qdrant, o.qdrantCollection = cmp.Or(o.qdrant, k.Qdrant), cmp.Or(o.qdrantCollection, k.Collection)
		if o.qdrant == "" && o.qdrantCollection != "" {
			return usagef("--qdrant-collection %s: where is Qdrant? Name it with --qdrant, such as localhost:6334", o.qdrantCollection)
		}
		return nil
	}
	if o.qdrant != "" || o.qdrantCollection != "" {
		return usagef("--qdrant is for the embedded memory: a Mem0 service has a store of its own")
	}
	if o.backend != mem0Server && o.backend != mem0Platform { // the spec and its options say where it is
		o.url = cmp.Or(o.url, k.URL)
		if o.userPrefix != "" {
			return usagef("--user-prefix is for Mem0's own backends: the spec of %s says how it names users", o.backend)
		}
		return nil
	}
	if o.url = cmp.Or(o.url, e.getenv("MEM0_URL"), k.URL); o.url == "" && o.backend == mem0Platform {
		o.url = rest.PlatformURL
	}
	o.userPrefix = cmp.Or(o.userPrefix, k.UserPrefix)
	if o.url == "" {
		return usagef("where is the Mem0 server? Name it with --url or MEM0_URL, such as http://localhost:8888")
	}
	return nil
}

// forgets says why a kind of system is no backend: ingest, probe and export are three
// commands, and what a memory holds must outlive each.
var forgets = map[string]string{
	kindBuiltIn: "it lives in the process and forgets when ingest ends ('membench eval run' asks it at once)",
	kindProgram: "a program forgets when it ends ('membench eval run' asks it at once)",
	kindClient:  "it is called mem0 here",
}

// service finds the system of a --backend that is none of ours by name, with its
// options: letta-archival, 'zep-v3{base_url: …}', mine.yaml.
func (o *storeOptions) service(e *env) (subject, error) {
	c, err := parseSystem(o.backend)
	if err != nil {
		return subject{}, err
	}
	return findSubject(subjectPlace{env: e.getenv, e: e, ctx: context.Background()}, c.Type)
}

func (o *storeOptions) openService(ctx context.Context, e *env) (memory.System, error) {
	if o.storeRaw {
		return nil, usagef("--store-raw is for the embedded memory and Mem0: a service takes what its spec says")
	}
	c, err := parseSystem(o.backend)
	if err != nil {
		return nil, err
	}
	s, err := findSubject(subjectPlace{dir: o.store, env: e.getenv, e: e, ctx: ctx}, c.Type)
	if err != nil {
		return nil, err
	}
	options := schema.RawObject([]byte(cmp.Or(string(c.Options), "{}")))
	if o.url != "" {
		if options, err = options.With("base_url", o.url); err != nil {
			return nil, err
		}
	}
	raw, err := options.MarshalJSON()
	if err != nil {
		return nil, err
	}
	sys, err := s.Open(memory.Deps{}, raw)
	if err != nil {
		return nil, usageError{err}
	}
	return sys, nil
}

// system makes the memory system of a resolved store; with says what models it asks.
// done lets go of what it is connected to.
func (o *storeOptions) system(ctx context.Context, e *env, with mem0.Options) (sys memory.System, done func(), err error) {
	done = func() {}
	if o.backend == embedded {
		if !slices.Contains(mem0.Modes(), mem0.Mode(o.mode)) {
			return nil, nil, usagef("--mode %q: have %v", o.mode, mem0.Modes())
		}
		if o.qdrant != "" && !o.inProcess {
			c, err := dialQdrant(e, o.qdrant, 0)
			if err != nil {
				return nil, nil, err
			}
			with.Points, done = c.Points(o.qdrantCollection), func() { c.Close() }
		}
		with.Dir, with.Mode, with.Raw, with.NoPrefix = o.store, mem0.Mode(o.mode), o.storeRaw, o.noPrefix
		sys, err = mem0.Embedded(with)
		return sys, done, err
	}
	if with.Generator != nil || with.Embedder != nil {
		return nil, nil, usagef("--model and --embedder are for the embedded memory: a Mem0 service asks its own")
	}
	if o.backend != mem0Server && o.backend != mem0Platform {
		sys, err = o.openService(ctx, e)
		return sys, done, err
	}
	sys, err = rest.Dial(ctx, rest.Options{Kind: rest.Kind(o.backend), URL: o.url, Key: e.getenv("MEM0_API_KEY"), Dir: o.store, Prefix: o.userPrefix, Raw: o.storeRaw})
	return sys, done, err
}

// dropService deletes what earlier runs put into a service, or into a vector store; an
// embedded memory in this process is only its files.
func dropService(ctx context.Context, sys memory.System, iso replay.Isolation, outside bool) error {
	s, ok := memory.As[memory.Lister](sys)
	if !ok || !outside {
		return nil
	}
	held, err := s.Namespaces(ctx, iso.Collection())
	if err != nil {
		return err
	}
	for _, ns := range held {
		m, err := sys.Open(ctx, ns)
		if err != nil {
			return err
		}
		if err := m.Close(); err != nil {
			return err
		}
	}
	return nil
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
	if o.backend == mem0Local {
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
	c, err := dialQdrant(e, addr, 0)
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
