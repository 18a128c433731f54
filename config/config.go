// Package config reads a project's membench.yaml strictly: an unknown or repeated key is an error with line and column. Secrets are never stored in the file;
// they come from the environment or a .env file.
package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"membench/internal/smallfile"
	"membench/llm/cassette"
	"membench/schema"
)

// Version is the version of the file format. A file without one is read as version 1.
const Version = 1

// Project is the content of membench.yaml. Paths are relative to the file's folder.
type Project struct {
	Version       int            `yaml:"version"`
	Name          string         `yaml:"name"`
	SchemaVersion schema.Version `yaml:"schema_version"` // schema version of every output (default: the newest)
	Sources       []string       `yaml:"sources"`        // chapter folders and chat files
	Output        string         `yaml:"output"`         // output folder (default: out/<name>)
	Now           string         `yaml:"now"`            // clock of the run, RFC 3339 (default: taken once and stored in the output's manifest)
	Catalogs      []string       `yaml:"catalogs"`       // files that add terms to the vocabulary
	People        schema.People  `yaml:"people"`         // names that belong to one person, and where they do
	Operations    []string       `yaml:"operations"`     // scenes whose talk is about systems; "*": all scenes

	Scene         string                  `yaml:"scene"`
	Character     Character               `yaml:"character"`
	User          Person                  `yaml:"user"`
	Agent         Person                  `yaml:"agent"`
	Start         string                  `yaml:"start"`       // time of the first turn if a source has no times, RFC 3339
	TurnOffset    Duration                `yaml:"turn_offset"` // added for each turn after the start
	Conversations map[string]Conversation `yaml:"conversations"`

	Model    Model    `yaml:"model"`    // endpoint of every role that has no endpoint of its own
	Models   Models   `yaml:"models"`   // endpoints by role
	Cassette Cassette `yaml:"cassette"` // file that stores the models' answers
	Prompts  Prompts  `yaml:"prompts"`
	Prices   string   `yaml:"prices"` // price table (default: the built-in one)
	Budget   Budget   `yaml:"budget"` // limits of one run

	Annotate Tagging `yaml:"annotate"`
	Replay   Replay  `yaml:"replay"`
	Claims   Claims  `yaml:"claims"`

	file    string // file name in dir
	dir     string
	given   map[string]bool   // members given in the file, as dotted names
	fromEnv map[string]string // members overridden by the environment → the variable
}

// Character is the role that the agent plays. Names are its labels in raw chapters. A name followed by one of the Monologue suffixes labels a monologue.
type Character struct {
	ID        string   `yaml:"id"`
	Names     []string `yaml:"names"`
	Monologue []string `yaml:"monologue"`
}

// Person is a user or an agent, with its labels in raw chapters.
type Person struct {
	ID    string   `yaml:"id"`
	Names []string `yaml:"names"`
}

// Conversation overrides the defaults for one conv_id.
type Conversation struct {
	Scene     string `yaml:"scene"`
	Character string `yaml:"character"`
	User      string `yaml:"user"`
	Agent     string `yaml:"agent"`
	Start     string `yaml:"start"`
}

// Prompts selects the prompts for models.
type Prompts struct {
	Dir      string `yaml:"dir"`      // folder with <name>.md or <name>.<language>.md files that replace the built-in prompts
	Language string `yaml:"language"` // en (default) | zh
}

// Tagging chooses the tagger.
type Tagging struct {
	Tagger string `yaml:"tagger"` // rule (default) | model
	Format string `yaml:"format"` // auto (default) | norm | raw | chat | openai
}

// Replay configures the embedded memory.
type Replay struct {
	Isolation string `yaml:"isolation"` // global (default) | per_conv
	Extractor string `yaml:"extractor"` // rule (default) | model
	TopK      int    `yaml:"top_k"`     // number of memories retrieved (default: 5)
	// Qdrant is the gRPC address of a Qdrant server that stores the memory's points (default: in process).
	Qdrant     string `yaml:"qdrant"`
	Collection string `yaml:"collection"` // collection in Qdrant (default: memory_bench_<isolation>)
}

// Claims chooses the extractor.
type Claims struct {
	Extractor string `yaml:"extractor"` // rule (default) | model
	// MinConfidence is the least confidence of a claim by rule (default: 0.5); nothing below 0.25 is read.
	MinConfidence float64 `yaml:"min_confidence"`
}

// Duration is a time in Go's form: 30s, 1m30s.
type Duration time.Duration

// UnmarshalText parses a duration.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = Duration(v)
	return err
}

// Load reads and checks a project file and fills in the defaults. ${NAME} in a value is replaced from env; if env is nil, from the environment of the process.
// It fails if the file cannot be read, is not valid YAML, has unknown keys or contains a secret.
func Load(path string, env Lookup) (*Project, error) {
	if env == nil {
		env = Environ
	}
	b, err := smallfile.Read(path)
	if err != nil {
		return nil, err
	}
	p, err := parse(b, env)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p.dir, p.file = filepath.Dir(path), filepath.Base(path)
	if p.Name == "" {
		p.Name = filepath.Base(absOr(p.dir))
	}
	p.Output = cmp.Or(p.Output, filepath.Join("out", p.Name))
	return p, nil
}

func absOr(dir string) string {
	if a, err := filepath.Abs(dir); err == nil {
		return a
	}
	return dir
}

func parse(b []byte, env Lookup) (*Project, error) {
	p := &Project{
		Version: Version, SchemaVersion: schema.Latest,
		Annotate: Tagging{Tagger: "rule", Format: "auto"},
		Replay:   Replay{Isolation: "global", Extractor: "rule", TopK: 5},
		Claims:   Claims{Extractor: "rule"},
	}
	doc, err := decode(b, env, p)
	if err != nil {
		if keyMember.MatchString(err.Error()) {
			err = fmt.Errorf("%w\na key must not be in the file: key_env names the variable that holds it", err)
		}
		return nil, err
	}
	p.given = map[string]bool{}
	var raw map[string]any
	if doc.Decode(&raw) == nil {
		mark(p.given, "", raw)
	}
	p.overrule(env)
	return p, p.check(env)
}

// overrule applies environment variables, which take precedence over the file. A variable alone enables nothing.
func (p *Project) overrule(env Lookup) {
	p.fromEnv = map[string]string{}
	for _, s := range []struct {
		member, variable string
		value            *string
	}{
		{"replay.qdrant", "QDRANT_ADDR", &p.Replay.Qdrant},
	} {
		if v, from := env(s.variable); v != "" && *s.value != "" && v != *s.value {
			*s.value, p.fromEnv[s.member] = v, from+" "+s.variable
		}
	}
}

var keyMember = regexp.MustCompile(`unknown field "(?i:api_?key|key|token|secret|password)"`)

// mark records the names that a file sets.
func mark(given map[string]bool, prefix string, m map[string]any) {
	for k, v := range m {
		given[prefix+k] = true
		if sub, ok := v.(map[string]any); ok {
			mark(given, prefix+k+".", sub)
		}
	}
}

func (p *Project) check(env Lookup) error {
	if err := p.Model.checkSecrets("model"); err != nil {
		return err
	}
	if err := p.Models.checkSecrets(); err != nil {
		return err
	}
	if err := CheckAddress("replay.qdrant", p.Replay.Qdrant); err != nil {
		return err
	}
	if p.Version != Version {
		return fmt.Errorf("version: have %d, want %d", p.Version, Version)
	}
	v, err := schema.ParseVersion(string(p.SchemaVersion))
	if err != nil {
		return err
	}
	p.SchemaVersion = v
	if len(p.Sources) == 0 {
		return fmt.Errorf("sources: have none, want at least one file or folder")
	}
	for _, c := range []struct {
		key, have string
		want      []string
	}{
		{"annotate.tagger", p.Annotate.Tagger, []string{"rule", "model"}},
		{"annotate.format", p.Annotate.Format, []string{"auto", "norm", "raw", "chat", "openai"}},
		{"replay.isolation", p.Replay.Isolation, []string{"global", "per_conv"}},
		{"replay.extractor", p.Replay.Extractor, []string{"rule", "model"}},
		{"claims.extractor", p.Claims.Extractor, []string{"rule", "model"}},
	} {
		if !slices.Contains(c.want, c.have) {
			return fmt.Errorf("%s: have %q, want one of %v", c.key, c.have, c.want)
		}
	}
	if p.Replay.Qdrant == "" && p.Replay.Collection != "" {
		return fmt.Errorf("replay.collection: have %q, but replay.qdrant is not set: it names the server that holds the collection", p.Replay.Collection)
	}
	if m := p.Claims.MinConfidence; !(m >= 0 && m <= 1) {
		return fmt.Errorf("claims.min_confidence: have %v, want 0 to 1", m)
	}
	if p.Replay.TopK < 1 {
		return fmt.Errorf("replay.top_k: have %d, want at least 1", p.Replay.TopK)
	}
	if err := p.People.Check(); err != nil {
		return err
	}
	times := [][2]string{{"now", p.Now}, {"start", p.Start}}
	for _, conv := range slices.Sorted(maps.Keys(p.Conversations)) {
		times = append(times, [2]string{"conversations." + conv + ".start", p.Conversations[conv].Start})
	}
	for _, t := range times {
		if t[1] == "" {
			continue
		}
		if _, err := time.Parse(time.RFC3339, t[1]); err != nil {
			return fmt.Errorf("%s: have %q, want a time like 2026-03-01T20:00:00+08:00", t[0], t[1])
		}
	}
	if p.Cassette.Mode != "" {
		if _, err := cassette.ParseMode(p.Cassette.Mode); err != nil {
			return fmt.Errorf("cassette.mode: %w", err)
		}
	}
	for _, role := range Roles() {
		e, err := p.Resolve(role, Model{}, env)
		if err != nil {
			return err
		}
		uses := role == Annotate && p.Annotate.Tagger == "model" || role == Extract && (p.Replay.Extractor == "model" || p.Claims.Extractor == "model")
		if uses && !e.Configured() {
			return fmt.Errorf("model.name: want the name of a model, since a step uses one (or models.%s.name, or OPENAI_MODEL)", role)
		}
	}
	return nil
}

// UsesModel reports whether any step asks a model.
func (p *Project) UsesModel() bool {
	return p.Annotate.Tagger == "model" || p.Replay.Extractor == "model" || p.Claims.Extractor == "model"
}

// Path resolves a path of the file against its folder.
func (p *Project) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.dir, name)
}

// File is the path of the project file.
func (p *Project) File() string { return filepath.Join(p.dir, p.file) }

// Dir is the folder of the project file.
func (p *Project) Dir() string { return p.dir }
