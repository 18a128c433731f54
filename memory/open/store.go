package open

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"membench/internal/smallfile"
	"membench/memory"
	"membench/memory/mem0"
	"membench/memory/mem0/qdrant"
	"membench/memory/mem0/rest"
	"membench/schema"
)

// Backends of a Store. The last two can only be exported: a Mem0 process fills them.
const (
	Embedded     = "embedded"
	Mem0Server   = string(rest.OSS)
	Mem0Platform = string(rest.Platform)
	QdrantServer = "qdrant"
	Mem0Local    = "mem0-local"
)

// A Store is a memory that outlives the process: one command fills it, others ask and
// export it. It is the embedded Mem0 in a folder, a Mem0 server, or a service.
type Store struct {
	Backend            string // a constant above, or a service as Parse reads it
	Dir                string // folder of the memory, or of the journals of a service
	URL, UserPrefix    string // of a service
	Qdrant, Collection string // where the embedded memory keeps its points; "": here
}

// mem0 reports whether the backend is a Mem0 server.
func (s Store) mem0() bool { return s.Backend == Mem0Server || s.Backend == Mem0Platform }

// cannotKeep says why a kind of system is not a backend of a store.
var cannotKeep = map[Kind]string{
	BuiltIn: "it is held in memory only and is lost when ingest ends ('membench eval run' asks it at once)",
	Program: "a program's memory is lost when it ends ('membench eval run' asks it at once)",
	Client:  "it is called mem0 here",
}

// Resolve fills the empty members of s from was, the store as an earlier run filled it (nil: a new one), and from the environment. It fails if s and was
// disagree.
func (p Place) Resolve(ctx context.Context, s Store, was *Store) (Store, error) {
	var before Store
	if was != nil {
		before = *was
	}
	before.Backend = cmp.Or(before.Backend, Embedded)
	s.Backend = cmp.Or(s.Backend, before.Backend)
	switch s.Backend {
	case Embedded, Mem0Server, Mem0Platform:
	case QdrantServer, Mem0Local:
		return s, schema.Usagef("--backend %s: such a store can only be exported (replay export); Mem0 itself fills it", s.Backend)
	default:
		if err := p.checkService(ctx, s.Backend); err != nil {
			return s, err
		}
	}
	if was != nil && s.Backend != before.Backend {
		return s, schema.Usagef("%s was filled by the backend %s, not %s", s.Dir, before.Backend, s.Backend)
	}
	if s.Backend == Embedded {
		if s.URL != "" || s.UserPrefix != "" {
			return s, schema.Usagef("--url and --user-prefix are for a Mem0 service: add --backend %s or %s", Mem0Server, Mem0Platform)
		}
		s.Qdrant, s.Collection = cmp.Or(s.Qdrant, before.Qdrant), cmp.Or(s.Collection, before.Collection)
		if s.Qdrant == "" && s.Collection != "" {
			return s, schema.Usagef("--qdrant-collection %s: no Qdrant server given: name it with --qdrant, such as localhost:6334", s.Collection)
		}
		return s, nil
	}
	if s.Qdrant != "" || s.Collection != "" {
		return s, schema.Usagef("--qdrant is for the embedded memory: a Mem0 service has a store of its own")
	}
	if !s.mem0() { // the spec and its options say where it is
		s.URL = cmp.Or(s.URL, before.URL)
		if s.UserPrefix != "" {
			return s, schema.Usagef("--user-prefix is for Mem0's own backends: the spec of %s says how it names users", s.Backend)
		}
		return s, nil
	}
	if s.URL = cmp.Or(s.URL, p.env("MEM0_URL"), before.URL); s.URL == "" && s.Backend == Mem0Platform {
		s.URL = rest.PlatformURL
	}
	s.UserPrefix = cmp.Or(s.UserPrefix, before.UserPrefix)
	if s.URL == "" {
		return s, schema.Usagef("no Mem0 server given: name it with --url or MEM0_URL, such as http://localhost:8888")
	}
	return s, nil
}

// checkService reports whether a backend is a service. Faults of its spec are findings.
func (p Place) checkService(ctx context.Context, backend string) error {
	c, err := Parse(backend)
	why := "no such system"
	if err == nil {
		var s System
		if s, err = p.Find(ctx, c.Type); err == nil {
			if s.Kind == Service {
				return nil
			}
			why = cannotKeep[s.Kind]
		} else if isSpec(backend) {
			return err
		}
	}
	return schema.Usagef("--backend %s: %s; have %s, %s, %s, the services of 'membench systems list --services' or a spec of your own (mine.yaml); for export also %s, %s",
		backend, why, Embedded, Mem0Server, Mem0Platform, QdrantServer, Mem0Local)
}

// Store opens a resolved store; with has the options of the embedded memory; Raw also applies to Mem0's servers. done closes the connections of the system.
func (p Place) Store(ctx context.Context, s Store, with mem0.Options) (sys memory.System, done func(), err error) {
	done = func() {}
	if s.Backend == Embedded {
		if !slices.Contains(mem0.Modes(), with.Mode) {
			return nil, nil, schema.Usagef("--mode %q: have %v", with.Mode, mem0.Modes())
		}
		if s.Qdrant != "" {
			c, err := p.Qdrant(s.Qdrant, 0)
			if err != nil {
				return nil, nil, err
			}
			with.Points, done = c.Points(s.Collection), func() { c.Close() }
		}
		with.Dir = s.Dir
		sys, err = mem0.Embedded(with)
		return sys, done, err
	}
	if with.Generator != nil || with.Embedder != nil {
		return nil, nil, schema.Usagef("--model and --embedder are for the embedded memory: a Mem0 service asks its own")
	}
	if s.mem0() {
		sys, err = rest.Dial(ctx, rest.Options{Kind: rest.Kind(s.Backend), URL: s.URL, Key: p.env("MEM0_API_KEY"), Dir: s.Dir, Prefix: s.UserPrefix, Raw: with.Raw})
		return sys, done, err
	}
	if with.Raw {
		return nil, nil, schema.Usagef("--store-raw is for the embedded memory and Mem0: a service takes what its spec says")
	}
	sys, err = p.serviceStore(ctx, s)
	return sys, done, err
}

// serviceStore opens a service with its journals in the store's folder itself.
func (p Place) serviceStore(ctx context.Context, s Store) (memory.System, error) {
	c, err := Parse(s.Backend)
	if err != nil {
		return nil, err
	}
	p.Dir = s.Dir
	found, err := p.Find(ctx, c.Type)
	if err != nil {
		return nil, err
	}
	if s.URL != "" {
		options, err := schema.RawObject([]byte(cmp.Or(string(c.Options), "{}"))).With("base_url", s.URL)
		if err != nil {
			return nil, err
		}
		if c.Options, err = options.MarshalJSON(); err != nil {
			return nil, err
		}
	}
	sys, err := found.Spec.Open(memory.Deps{}, c.Options)
	if err != nil {
		return nil, &schema.UsageError{Err: err}
	}
	return sys, nil
}

// Qdrant makes a client of a Qdrant server; key and certificate come from
// QDRANT_API_KEY and QDRANT_CA_FILE. tries of each call, 0: as usual.
func (p Place) Qdrant(addr string, tries int) (*qdrant.Client, error) {
	o := qdrant.Options{Addr: addr, APIKey: p.env("QDRANT_API_KEY"), Tries: tries}
	if file := p.env("QDRANT_CA_FILE"); file != "" {
		pem, err := smallfile.Read(file)
		if err != nil {
			return nil, fmt.Errorf("reading QDRANT_CA_FILE: %w", err)
		}
		if o.TLS, err = qdrant.Trust(pem); err != nil {
			return nil, fmt.Errorf("QDRANT_CA_FILE %s: %w", file, err)
		}
	}
	c, err := qdrant.Dial(o)
	if err != nil {
		return nil, &schema.UsageError{Err: err}
	}
	return c, nil
}

// Drop deletes the namespaces of a collection on a server, whoever filled them.
func Drop(ctx context.Context, sys memory.System, collection string) error {
	s, ok := memory.As[memory.Lister](sys)
	if !ok {
		return nil
	}
	held, err := s.Namespaces(ctx, collection)
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
