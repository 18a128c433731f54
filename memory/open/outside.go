package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"membench/cypher/neo4j"
	"membench/cypher/neo4j/target"
	"membench/graph"
	"membench/memory"
	"membench/memory/graphmem"
	"membench/memory/mem0/rest"
	"membench/memory/native"
	"membench/memory/pcm"
	"membench/memory/process"
	"membench/memory/service"
)

// Options of the systems that run outside of this process.
type (
	mem0Options struct {
		BaseURL string `json:"base_url"` // default MEM0_URL
		Prefix  string `json:"prefix"`   // before every user_id
		Raw     bool   `json:"raw"`      // infer: false
	}
	serviceOptions struct {
		BaseURL  string            `json:"base_url"` // default the spec's
		Set      map[string]string `json:"set"`      // the spec's variables
		ReadBack bool              `json:"read_back"`
	}
	programOptions struct {
		Command []string `json:"command"`
		Dir     string   `json:"dir"`     // to run in
		Env     []string `json:"env"`     // names of further variables that the program is given
		Inputs  []string `json:"inputs"`  // further files and folders that determine its behaviour, relative to dir
		Timeout string   `json:"timeout"` // of one request; default 10m
	}
)

// neo4j are the systems that live in Neo4j, one scope for each namespace.
func (p Place) neo4j() []memory.Spec {
	return []memory.Spec{
		graphmem.SpecIn(graphmem.Name+"-neo4j", "graph memory that lives in a Neo4j server and reads it with each question", p.inNeo4j(graphmem.Name)),
		pcm.SpecIn("pcm-neo4j", "PCM whose weighted graph lives in a Neo4j server", p.inNeo4j("pcm")),
	}
}

// inNeo4j opens scopes that begin with the name of a system.
func (p Place) inNeo4j(name string) native.Home {
	return func(ctx context.Context, ns memory.Namespace, keep bool) (graph.Store, func() error, error) {
		t := target.Target{Scope: name + "/" + ns.Run + "/" + ns.Scope}
		db, err := t.Open(ctx, p.env)
		if err != nil {
			return nil, nil, err
		}
		end := func() error { return db.Close(context.WithoutCancel(ctx)) }
		if keep {
			return db, end, nil
		}
		if _, err := db.Empty(ctx, neo4j.EmptyOptions{}); err != nil {
			return nil, nil, errors.Join(err, end())
		}
		return db, end, nil
	}
}

func (p Place) mem0(ctx context.Context) memory.Spec {
	return memory.Define("mem0-server", "a Mem0 server, 1.x or 2.x, with its own history and settling", mem0Options{},
		func(_ memory.Deps, o mem0Options) (memory.System, error) {
			if o.BaseURL = cmp.Or(o.BaseURL, p.env("MEM0_URL")); o.BaseURL == "" {
				return nil, errors.New("no Mem0 server given: set MEM0_URL, or the option base_url, such as http://localhost:8888")
			}
			return rest.Dial(ctx, rest.Options{Kind: rest.OSS, URL: o.BaseURL, Key: p.env("MEM0_API_KEY"), Dir: p.Dir, Prefix: o.Prefix, Raw: o.Raw})
		})
}

var (
	envName    = regexp.MustCompile(`\$\{env\.([A-Za-z0-9_]+)([?|]?)`)
	yamlRemark = regexp.MustCompile(`(?m)^\s*#.*$`)
)

// service is the system of a shipped spec, or of a file.
func (p Place) service(nameOrPath string) (System, error) {
	spec, err := service.Load(nameOrPath)
	if err != nil {
		return System{}, err
	}
	s := System{Kind: Service, Spec: memory.Define(spec.System, spec.Doc, serviceOptions{Set: map[string]string{}},
		func(_ memory.Deps, o serviceOptions) (memory.System, error) {
			return p.Service(spec, service.Options{Dir: p.Dir, BaseURL: o.BaseURL, Variables: o.Set, ReadBack: o.ReadBack})
		})}
	if source, err := service.Source(nameOrPath); err == nil {
		for _, m := range envName.FindAllSubmatch(yamlRemark.ReplaceAll(source, nil), -1) {
			if name := string(m[1]); len(m[2]) == 0 && !slices.Contains(s.Asks, name) {
				s.Asks = append(s.Asks, name)
			}
		}
	}
	return s, nil
}

// Service opens the service of a spec that is loaded already, in this place's
// environment.
func (p Place) Service(spec *service.Spec, o service.Options) (*service.System, error) {
	o.Env = func(name string) (string, bool) { v := p.env(name); return v, v != "" }
	o.Transport = p.Transport
	return service.New(spec, o)
}

// passed are variables that every program is given, beside those that its options name.
var passed = []string{"PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT"}

func (p Place) program(ctx context.Context) memory.Spec {
	return memory.Define("process", "your own program: JSON lines on its standard input and output", programOptions{Command: []string{}, Env: []string{}, Inputs: []string{}},
		func(_ memory.Deps, o programOptions) (memory.System, error) {
			if len(o.Command) == 0 {
				return nil, errors.New(`option command: want the program and its arguments, like ["python3", "mine.py"]`)
			}
			po := process.Options{Command: o.Command, Dir: o.Dir, Inputs: o.Inputs, Named: o.Env}
			if o.Timeout != "" {
				var err error
				if po.Timeout, err = time.ParseDuration(o.Timeout); err != nil {
					return nil, fmt.Errorf("option timeout: have %q, want a time like 30s", o.Timeout)
				}
			}
			for _, name := range append(slices.Clone(passed), o.Env...) {
				if v := p.env(name); v != "" {
					po.Env = append(po.Env, name+"="+v)
				}
			}
			return process.New(ctx, po)
		})
}
