// Package open finds memory systems by name and opens them: the built-in systems, the clients of Mem0 and of graphs in Neo4j, HTTP services described by a
// spec, and programs. `membench eval`, `systems` and `replay` know exactly the systems of Place.List; to add a system, add a line there, or in memory/all.
package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"

	"membench/config"
	"membench/internal/textnorm"
	"membench/memory"
	"membench/memory/all"
	"membench/memory/service"
	"membench/schema"
)

// Kind is where a system runs.
type Kind string

// Kinds of systems.
const (
	BuiltIn Kind = "built in" // in this process
	Client  Kind = "client"   // a server, through a client in Go
	Service Kind = "service"  // a server, through a spec
	Program Kind = "program"
)

// A System is a memory system that has a name.
type System struct {
	memory.Spec
	Kind Kind
	Asks []string // environment variables that it requires
	Note string
}

// A Place holds the environment for opening a system. The zero Place works: nothing is stored on disk, and variables are the process's.
type Place struct {
	// Dir is where a system that runs elsewhere keeps its journals, so that an
	// interrupted run can continue; each system has a folder below it.
	Dir       string
	Getenv    func(name string) string // nil: the environment of the process
	Transport http.RoundTripper        // to services; nil: the usual one
	// More are additional systems, with names of their own.
	More []memory.Spec
}

func (p Place) env(name string) string {
	if p.Getenv == nil {
		return config.Getenv(name)
	}
	return p.Getenv(name)
}

// List lists every system. Connections that a system makes when it is opened end
// with ctx. Two systems of one name are an error.
func (p Place) List(ctx context.Context) ([]System, error) {
	offers, err := p.offers(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]System, len(offers))
	for i, o := range offers {
		if out[i], err = o.get(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// An offer is a system by its name: the spec of a service is read when the system is wanted.
type offer struct {
	name string
	get  func() (System, error)
}

func (p Place) offers(ctx context.Context) (out []offer, err error) {
	add := func(s System) { out = append(out, offer{s.Name, func() (System, error) { return s, nil }}) }
	for _, s := range append(all.Specs(), p.More...) {
		add(System{Spec: s, Kind: BuiltIn})
	}
	for _, s := range p.neo4j() {
		add(System{Spec: s, Kind: Client, Note: "NEO4J_URI, NEO4J_USERNAME, NEO4J_PASSWORD (default: the server of membench neo4j up)"})
	}
	add(System{Spec: p.mem0(ctx), Kind: Client, Asks: []string{"MEM0_URL"}, Note: "MEM0_API_KEY if the server requires one"})
	for _, name := range service.Names() {
		out = append(out, offer{name, func() (System, error) { return p.service(name) }})
	}
	add(System{Spec: p.program(ctx), Kind: Program, Note: "docs/adding-a-system.md has the protocol"})
	seen := map[string]bool{}
	for _, o := range out {
		if seen[Fold(o.name)] {
			return nil, fmt.Errorf("two systems are called %s: give yours another name", o.name)
		}
		seen[Fold(o.name)] = true
	}
	return out, nil
}

// others are names that publications and other tools use for systems of the list, as
// Fold writes them; docs/deviations.md explains each.
var others = map[string]string{
	"longcontext": "full-context", "longcontextbaseline": "full-context", "fullcontext": "full-context",
	"embeddingonly": "embedding-only", "simplerag": "simple-rag",
	"oracleevidence": "oracle", "nomemory": "null", "alwaysabstain": "abstain",
	"letta": "letta-archival", "zep": "zep-v3", "mem0cloud": "mem0-platform", "mem0embedded": "mem0", "embedded": "mem0",
	"rankfusion": "rank-fused", "scorefusion": "score-fused",
}

var folding = strings.NewReplacer("-", "", "_", "", " ", "")

// Fold is the form in which names are compared: without case, '-', '_' and spaces.
func Fold(name string) string { return folding.Replace(strings.ToLower(name)) }

func isSpec(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// Find finds a system by its name, by another name that is in use for it, or by the
// path of a service's spec (*.yaml); faults of a spec are *schema.Finding.
func (p Place) Find(ctx context.Context, name string) (System, error) {
	if isSpec(name) {
		return p.service(name)
	}
	list, err := p.offers(ctx)
	if err != nil {
		return System{}, err
	}
	for _, want := range []string{name, others[Fold(name)]} {
		for _, o := range list {
			if o.name == want || want != "" && Fold(o.name) == Fold(want) {
				return o.get()
			}
		}
	}
	var names []string
	for _, o := range list {
		names = append(names, o.name)
	}
	near := textnorm.Nearest(name, names, 3)
	if len(near) == 0 {
		near = names
	}
	return System{}, schema.Usagef("system %q is not known: the nearest names are %s (membench systems list has all); a service of your own is named by its spec (mine.yaml), a program by process{command: [...]}", name, strings.Join(near, ", "))
}

// Open opens the system of a choice. It fails when no system has the name, when the
// options are wrong, and when a server that must be asked first does not answer.
func (p Place) Open(ctx context.Context, c Choice, d memory.Deps) (memory.System, System, error) {
	s, err := p.Find(ctx, c.Type)
	if err != nil {
		return nil, s, err
	}
	if p.Dir != "" {
		p.Dir = filepath.Join(p.Dir, FileName(cmp.Or(c.Name, s.Name)))
		if s, err = p.Find(ctx, c.Type); err != nil {
			return nil, s, err
		}
	}
	sys, err := s.Spec.Open(d, c.Options)
	var wrong *memory.OptionsError
	switch {
	case errors.As(err, &wrong):
		return nil, s, &schema.UsageError{Err: err}
	case err != nil:
		return nil, s, schema.Usagef("system %s: %w", cmp.Or(c.Name, s.Name), err)
	}
	return sys, s, nil
}

var notInNames = regexp.MustCompile(`[^\w.-]+`)

// FileName returns s without characters that are unsuitable for file names.
func FileName(s string) string { return notInNames.ReplaceAllString(s, "_") }
