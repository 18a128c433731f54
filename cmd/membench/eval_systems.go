package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"membench/cypher/neo4j"
	"membench/graph"
	"membench/internal/yamldoc"
	"membench/llm"
	"membench/memory"
	"membench/memory/all"
	"membench/memory/graphmem"
	"membench/memory/mem0/rest"
	"membench/memory/process"
	"membench/memory/service"
)

// Kinds of systems.
const (
	kindBuiltIn = "built in"
	kindClient  = "client" // of a service, in Go
	kindService = "service"
	kindProgram = "program"
)

// A subject is something that can be put under test: everything that `eval run`,
// `systems` and an eval.yaml know by name is in subjects.
type subject struct {
	memory.Spec
	Kind string
	Asks []string // variables of the environment that it cannot do without
	Note string
}

// subjectPlace is where and with what a system is opened, beside its options.
type subjectPlace struct {
	dir string // for what a system keeps on this side, so that a run can go on; "": nowhere
	env func(name string) string
	e   *env
	ctx context.Context // of connections
}

// Options of the systems that stand above memory/all.
type (
	mem0ServerOptions struct {
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
		Env     []string `json:"env"`     // names of variables that the program is given
		Timeout string   `json:"timeout"` // of one request; default 10m
	}
)

// subjects lists everything that can be put under test: adding one is adding a line
// here, or in memory/all.
func subjects(p subjectPlace) ([]subject, error) {
	var out []subject
	for _, s := range all.Specs() {
		out = append(out, subject{Spec: s, Kind: kindBuiltIn})
	}
	out = append(out,
		subject{Spec: graphmemSubject(p), Kind: kindClient, Note: "NEO4J_URI, NEO4J_USERNAME, NEO4J_PASSWORD, else the server of membench neo4j up"},
		subject{Spec: mem0ServerSubject(p), Kind: kindClient, Asks: []string{"MEM0_URL"}, Note: "MEM0_API_KEY where the server wants one"})
	for _, name := range service.Names() {
		s, err := serviceSubject(p, name)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return append(out, subject{Spec: programSubject(p), Kind: kindProgram, Note: "docs/adding-a-system.md has the protocol"}), nil
}

// graphmemSubject is the graph memory with its graphs in Neo4j, one scope a namespace.
func graphmemSubject(p subjectPlace) memory.Spec {
	return graphmem.SpecIn(graphmem.Name+"-neo4j", "graph memory that lives in a Neo4j server and reads it with each question", func(ctx context.Context, ns memory.Namespace) (graph.Store, func() error, error) {
		t := neo4jTarget{scope: graphmem.Name + "/" + ns.Run + "/" + ns.Scope}
		db, err := t.open(ctx, p.e)
		if err != nil {
			return nil, nil, err
		}
		end := func() error { return db.Close(context.WithoutCancel(ctx)) }
		if _, err := db.Empty(ctx, neo4j.EmptyOptions{}); err != nil {
			return nil, nil, errors.Join(err, end())
		}
		return db, end, nil
	})
}

func mem0ServerSubject(p subjectPlace) memory.Spec {
	return memory.Define("mem0-server", "a Mem0 server, 1.x or 2.x, with its own history and settling", mem0ServerOptions{},
		func(_ memory.Deps, o mem0ServerOptions) (memory.System, error) {
			if o.BaseURL = cmp.Or(o.BaseURL, p.env("MEM0_URL")); o.BaseURL == "" {
				return nil, errors.New("where is the Mem0 server? Set MEM0_URL, or the option base_url, such as http://localhost:8888")
			}
			return rest.Dial(p.ctx, rest.Options{Kind: rest.OSS, URL: o.BaseURL, Key: p.env("MEM0_API_KEY"), Dir: p.dir, Prefix: o.Prefix, Raw: o.Raw})
		})
}

var (
	envName    = regexp.MustCompile(`\$\{env\.([A-Za-z0-9_]+)([?|]?)`)
	yamlRemark = regexp.MustCompile(`(?m)^\s*#.*$`)
)

// serviceSubject makes a subject of a shipped spec, or of a file.
func serviceSubject(p subjectPlace, nameOrPath string) (subject, error) {
	spec, err := service.Load(nameOrPath)
	if err != nil {
		return subject{}, err
	}
	s := subject{Kind: kindService, Spec: memory.Define(spec.System, spec.Doc, serviceOptions{Set: map[string]string{}},
		func(_ memory.Deps, o serviceOptions) (memory.System, error) {
			return service.New(spec, service.Options{Env: func(name string) (string, bool) { v := p.env(name); return v, v != "" },
				Dir: p.dir, BaseURL: o.BaseURL, Variables: o.Set, ReadBack: o.ReadBack, Transport: p.e.transport})
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

// A program is given these of our variables, and those that its options name.
var harmless = []string{"PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT"}

func programSubject(p subjectPlace) memory.Spec {
	return memory.Define("process", "a program of one's own: JSON lines on its standard input and output", programOptions{Command: []string{}, Env: []string{}},
		func(_ memory.Deps, o programOptions) (memory.System, error) {
			if len(o.Command) == 0 {
				return nil, errors.New(`option command: want the program and its arguments, like ["python3", "mine.py"]`)
			}
			po := process.Options{Command: o.Command, Dir: o.Dir}
			if o.Timeout != "" {
				var err error
				if po.Timeout, err = time.ParseDuration(o.Timeout); err != nil {
					return nil, fmt.Errorf("option timeout: have %q, want a time like 30s", o.Timeout)
				}
			}
			for _, name := range append(slices.Clone(harmless), o.Env...) {
				if v := p.env(name); v != "" {
					po.Env = append(po.Env, name+"="+v)
				}
			}
			return process.New(p.ctx, po)
		})
}

// seedNames are other people's names of systems that are here under another one;
// docs/deviations.md has the list. They are compared without case, '-' and '_'.
var seedNames = map[string]string{
	"longcontext": "full-context", "longcontextbaseline": "full-context", "fullcontext": "full-context",
	"embeddingonly": "embedding-only", "simplerag": "simple-rag", "memu": "simple-rag",
	"oracleevidence": "oracle", "nomemory": "null", "alwaysabstain": "abstain",
	"letta": "letta-archival", "memgpt": "MGMemory", "zep": "zep-v3", "mem0cloud": "mem0-platform", "mem0embedded": "mem0", "embedded": "mem0",
	"rankfusion": "rank-fused", "scorefusion": "score-fused",
}

func foldName(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

// findSubject finds a system by its name, another's name for it, or the path of a
// service's spec.
func findSubject(p subjectPlace, name string) (subject, error) {
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return serviceSubject(p, name)
	}
	list, err := subjects(p)
	if err != nil {
		return subject{}, err
	}
	for _, want := range []string{name, seedNames[foldName(name)]} {
		for _, s := range list {
			if s.Name == want || want != "" && foldName(s.Name) == foldName(want) {
				return s, nil
			}
		}
	}
	var near []string
	for _, s := range list {
		near = append(near, s.Name)
	}
	return subject{}, usagef("system %q: have %s; a service of your own is named by its spec (mine.yaml), a program by process{command: [...]}", name, strings.Join(near, ", "))
}

// A systemChoice is one system of a run, as flags and eval.yaml name it.
type systemChoice struct {
	Name    string // in records; "": the system's own
	Type    string
	Options []byte // JSON, nil for none
}

var choiceForm = regexp.MustCompile(`(?s)^(?:([\w.@ -]+)=)?([^{}=]+?)\s*(\{.*\})?$`)

// parseSystem reads NAME, NAME{option: value, …} and LABEL=NAME{…}; options are YAML.
func parseSystem(s string) (systemChoice, error) {
	m := choiceForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return systemChoice{}, usagef("system %q: want NAME, NAME{option: value} or LABEL=NAME{option: value}", s)
	}
	c := systemChoice{Name: m[1], Type: m[2]}
	if m[3] != "" {
		b, err := yamldoc.ToJSON([]byte(m[3]))
		if err != nil {
			return c, usagef("system %q: options: %v", s, err)
		}
		c.Options = bytes.TrimSpace(b)
	}
	return c, nil
}

// splitSystems splits a list at the commas outside of braces, brackets and quotes.
func splitSystems(list string) []string {
	var out []string
	depth, quote, start := 0, rune(0), 0
	for i, r := range list {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '{' || r == '[':
			depth++
		case r == '}' || r == ']':
			depth--
		case r == ',' && depth == 0:
			out = append(out, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return slices.DeleteFunc(append(out, strings.TrimSpace(list[start:])), func(s string) bool { return s == "" })
}

// openSubject makes the system of a choice. Faults of the options are usage.
func openSubject(p subjectPlace, c systemChoice, d memory.Deps) (memory.System, subject, error) {
	s, err := findSubject(p, c.Type)
	if err != nil {
		return nil, s, err
	}
	if p.dir != "" {
		p.dir = filepath.Join(p.dir, safeName(cmp.Or(c.Name, s.Name)))
		if s, err = findSubject(p, c.Type); err != nil {
			return nil, s, err
		}
	}
	sys, err := s.Open(d, c.Options)
	if err != nil {
		if strings.HasPrefix(err.Error(), "options of ") {
			return nil, s, usageError{err}
		}
		return nil, s, usagef("system %s: %v", cmp.Or(c.Name, s.Name), err)
	}
	return sys, s, nil
}

func safeName(s string) string { return regexp.MustCompile(`[^\w.-]+`).ReplaceAllString(s, "_") }

// traits are what a system asks and shows, seen by opening it without a model.
type traits struct {
	memory.Capabilities
	Model   string `json:"model"`   // "": asks none; else what for
	Vectors bool   `json:"vectors"` // asks for embeddings: hashing unless an embedder is set
	Opened  bool   `json:"-"`
}

// traitsOf opens a built-in system with no model and says what it would ask.
func traitsOf(s subject) traits {
	if s.Kind != kindBuiltIn {
		return traits{}
	}
	var t traits
	for i, d := range []memory.Deps{{}, {LLM: noModel{}}} {
		sys, err := s.Open(d, nil)
		if err != nil {
			continue
		}
		t.Opened = true
		caps := memory.CapabilitiesOf(sys)
		if i == 0 {
			t.Capabilities = caps
		}
		if len(caps.ByRule) > 0 {
			t.Model = strings.Join(caps.ByRule, ", ") + " (by rule without one)"
		}
		if c := caps.Calls; c != nil {
			if max(c.LLMPerUnit.Max, c.LLMPerSession.Max, c.LLMPerQuery.Max) > 0 && t.Model == "" {
				t.Model = "yes"
			}
			t.Vectors = t.Vectors || max(c.EmbedPerUnit.Max, c.EmbedPerSession.Max, c.EmbedPerQuery.Max) > 0
		}
	}
	return t
}

// noModel stands for a model that is not asked.
type noModel struct{}

func (noModel) Model() string { return "" }
func (noModel) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Kind: llm.KindDryRun, Err: errors.New("no model is asked here")}
}
