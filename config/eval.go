package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/internal/smallfile"
	"membench/internal/yamldoc"

	"github.com/goccy/go-yaml"
)

// Eval is eval.yaml: what is asked of which systems, who answers and who grades. The
// file of seed 000 §8 is one. Paths are relative to the file's folder, those of the
// output to the working folder.
type Eval struct {
	Version  int          `yaml:"version,omitempty"`
	Name     string       `yaml:"name,omitempty"` // of the run; default the file's
	Seed     uint64       `yaml:"seed"`           // of sampling and converters
	Datasets []EvalSet    `yaml:"datasets"`
	Systems  []EvalSystem `yaml:"systems"`
	Reader   EvalReader   `yaml:"reader,omitempty"`
	Grading  EvalGrading  `yaml:"grading,omitempty"`
	Run      EvalRun      `yaml:"run,omitempty"`
	Output   EvalOutput   `yaml:"output,omitempty"`
	// Experiment is read by 'membench experiment' only.
	Experiment EvalExperiment `yaml:"experiment,omitempty"`

	Model    Model    `yaml:"model,omitempty"`
	Models   Models   `yaml:"models,omitempty"`
	Cassette Cassette `yaml:"cassette,omitempty"`
	Prompts  Prompts  `yaml:"prompts,omitempty"`
	Prices   string   `yaml:"prices,omitempty"`
	Budget   Budget   `yaml:"budget,omitempty"`

	dir string
}

// EvalSet is one data set.
type EvalSet struct {
	Name    string   `yaml:"name"`
	Adapter string   `yaml:"adapter,omitempty"` // of 'membench datasets list', or cases; default by the name
	Path    string   `yaml:"path,omitempty"`
	Paths   []string `yaml:"paths,omitempty"`
	// Granularity is what one ingest call carries: a turn, or a whole session (default).
	Granularity        string   `yaml:"granularity,omitempty"`
	ExcludeAdversarial bool     `yaml:"exclude_adversarial,omitempty"` // LoCoMo's category 5
	Exclude            []string `yaml:"exclude,omitempty"`             // raw categories that are not asked
	Errata             string   `yaml:"errata,omitempty"`
	Grain              string   `yaml:"grain,omitempty"`        // what gold evidence names: turn (default) | session
	Chunk              int      `yaml:"chunk,omitempty"`        // memoryagentbench: code points of a chunk
	ChunkTokens        int      `yaml:"chunk_tokens,omitempty"` // the same in tokens, as the benchmark cuts
	Topics             []string `yaml:"topics,omitempty"`       // opseval
	Count              int      `yaml:"count,omitempty"`        // of what a generator makes
	Sample             int      `yaml:"sample,omitempty"`       // questions; default run.sample
	MaxCases           int      `yaml:"max_cases,omitempty"`    // default run.max_cases
}

// EvalSystem is one system under test.
type EvalSystem struct {
	Name      string        `yaml:"name,omitempty"` // in records; default the system's own
	Type      string        `yaml:"type,omitempty"` // of 'membench systems list', or a service's spec; default by the name
	Options   yaml.MapSlice `yaml:"options,omitempty"`
	TopK      int           `yaml:"top_k,omitempty"`     // default run.top_k
	Model     string        `yaml:"model,omitempty"`     // that answers from what the system shows
	LLM       string        `yaml:"llm,omitempty"`       // that the system asks for its operations; it answers, too, where model names none
	Embedding string        `yaml:"embedding,omitempty"` // of vectors; hashing is one without a model
	BaseURL   string        `yaml:"base_url,omitempty"`  // of the service
	APIKey    string        `yaml:"api_key,omitempty"`   // ${NAME} only: a key must not be in the file

	Secret string `yaml:"-"` // what APIKey's variable holds
}

// EvalReader says who answers where a system names no model.
type EvalReader struct {
	Type          string `yaml:"type,omitempty"` // rule | model; default model where one is named here, else rule
	Model         string `yaml:"model,omitempty"`
	Prompt        string `yaml:"prompt,omitempty"`         // answer | answer-short | answer-notes
	ContextTokens int    `yaml:"context_tokens,omitempty"` // shown at most; 0: all
	MaxTokens     int    `yaml:"max_tokens,omitempty"`     // of an answer
	NoDates       bool   `yaml:"no_dates,omitempty"`       // hits are shown without the time of their turns
}

// EvalGrading says who grades.
type EvalGrading struct {
	Judge      string   `yaml:"judge,omitempty"` // rule | model; default model where judge_model is named
	JudgeModel string   `yaml:"judge_model,omitempty"`
	Protocols  []string `yaml:"protocols,omitempty"`
	Doubtful   bool     `yaml:"doubtful,omitempty"` // the judge's model is asked about doubtful verdicts of the rule judge only
	NumRuns    int      `yaml:"num_runs,omitempty"` // repeats of answering and grading
	Votes      int      `yaml:"votes,omitempty"`    // of a judge on one answer
	Workers    int      `yaml:"workers,omitempty"`
}

// EvalRun says how it is asked.
type EvalRun struct {
	TopK          int       `yaml:"top_k,omitempty"` // default 10
	Depth         *int      `yaml:"depth,omitempty"` // default 50
	Window        int       `yaml:"window,omitempty"`
	Overlap       *int      `yaml:"overlap,omitempty"` // default 2
	Reingest      bool      `yaml:"reingest,omitempty"`
	Snapshots     bool      `yaml:"snapshots,omitempty"`
	NoTimes       bool      `yaml:"no_times,omitempty"`
	Sample        int       `yaml:"sample,omitempty"` // questions of each data set, from each category in proportion
	MaxCases      int       `yaml:"max_cases,omitempty"`
	Case          *int      `yaml:"case,omitempty"` // only the case of this number, from 0
	Memories      int       `yaml:"memories,omitempty"`
	Calls         int       `yaml:"calls,omitempty"`
	IngestLimit   *Duration `yaml:"ingest_limit,omitempty"`
	RetrieveLimit *Duration `yaml:"retrieve_limit,omitempty"`
	ReadLimit     *Duration `yaml:"read_limit,omitempty"`
}

// EvalOutput says where it goes.
type EvalOutput struct {
	Folder string  `yaml:"folder,omitempty"` // default runs/NAME
	Format Formats `yaml:"format,omitempty"` // markdown | json | csv | html, or a list; default all
}

// EvalExperiment says what an experiment compares; what is not given has the default of
// the experiment.
type EvalExperiment struct {
	Backend  string   `yaml:"backend,omitempty"`  // the system below QARP and the strategies
	Failures []string `yaml:"failures,omitempty"` // systems whose failures are analysed, beside the backend
	Measure  string   `yaml:"measure,omitempty"`  // protocol of the scores
	Below    float64  `yaml:"below,omitempty"`    // an answer of a lower score failed
	PerType  int      `yaml:"per_type,omitempty"` // failures of a type that are drawn for people
	Labels   []string `yaml:"labels,omitempty"`   // what people said of them: files and folders
	Ks       []int    `yaml:"ks,omitempty"`       // further numbers of hits, for the curve
}

// Formats is one report format or a list.
type Formats []string

// UnmarshalYAML reads a word or a list.
func (f *Formats) UnmarshalYAML(b []byte) error {
	var one string
	if yamldoc.Unmarshal(b, &one) == nil {
		*f = Formats{one}
		return nil
	}
	return yamldoc.Unmarshal(b, (*[]string)(f))
}

// MarshalText writes Go's form.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// EvalFormats are the formats of reports.
func EvalFormats() []string { return []string{"markdown", "json", "csv", "html"} }

// LoadEval reads and checks an eval.yaml. Every fault has line and column.
func LoadEval(path string, env Lookup) (*Eval, error) {
	b, err := smallfile.Read(path)
	if err != nil {
		return nil, err
	}
	v, err := parseEval(b, env)
	if err != nil {
		return nil, placed(path, err)
	}
	v.dir = filepath.Dir(path)
	if v.Name == "" {
		v.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	return v, nil
}

// at is a fault with its place in the file.
type fault struct {
	line, col int
	err       error
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

var inBrackets = regexp.MustCompile(`^\[(\d+):(\d+)\] `)

// placed writes a fault as file:line:col.
func placed(path string, err error) error {
	var f *fault
	if errors.As(err, &f) && f.line > 0 {
		return fmt.Errorf("%s:%d:%d: %w", path, f.line, f.col, err)
	}
	text := err.Error()
	if m := inBrackets.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s:%s:%s: %s", path, m[1], m[2], text[len(m[0]):])
	}
	return fmt.Errorf("%s: %w", path, err)
}

func parseEval(b []byte, env Lookup) (*Eval, error) {
	v := &Eval{Version: Version, Seed: 1}
	held := map[string]string{} // what a variable holds → its name
	seen := func(name string) (string, string) {
		value, from := env(name)
		if value != "" {
			held[value] = name
		}
		return value, from
	}
	doc, err := decode(b, seen, v)
	if err == nil && doc.Empty() {
		return nil, errors.New("have an empty YAML document, want one with datasets and systems")
	}
	if err != nil {
		if keyMember.MatchString(err.Error()) {
			err = fmt.Errorf("%w\na key must not be in the file: models name its variable (key_env), systems have api_key: ${NAME}", err)
		}
		return nil, err
	}
	return v, v.check(doc, held)
}

// where returns the path of a member, "$.systems[1].type" of the file.
func where(doc *yamldoc.Doc, path string, err error) error {
	for ; path != "$"; path = path[:max(1, strings.LastIndexAny(path, ".["))] { // else what it is in
		if line, col, ok := doc.Place(path); ok {
			return &fault{line, col, err}
		}
	}
	return err
}

func (v *Eval) check(doc *yamldoc.Doc, held map[string]string) error {
	bad := func(path, f string, a ...any) error {
		return where(doc, "$."+path, fmt.Errorf(path+": "+f, a...))
	}
	if v.Version != Version {
		return bad("version", "have %d, want %d", v.Version, Version)
	}
	if err := v.Model.checkSecrets("model"); err != nil {
		return err
	}
	if err := v.Models.checkSecrets(); err != nil {
		return err
	}
	for i := range v.Systems {
		s := &v.Systems[i]
		if s.APIKey == "" {
			continue
		}
		name, ok := held[s.APIKey]
		if !ok {
			return bad(fmt.Sprintf("systems[%d].api_key", i), "a key must not be in the file: write ${NAME}, and set NAME in the environment or in .env")
		}
		s.Secret, s.APIKey = s.APIKey, "${"+name+"}"
	}
	return v.Check(bad)
}

// Check compares the members with what they may be; bad makes the fault of one.
func (v *Eval) Check(bad func(path, f string, a ...any) error) error {
	if bad == nil {
		bad = func(path, f string, a ...any) error { return fmt.Errorf(path+": "+f, a...) }
	}
	names := map[string]bool{}
	for i := range v.Datasets {
		d := &v.Datasets[i]
		path := func(member string) string { return fmt.Sprintf("datasets[%d]%s", i, member) }
		d.Name = cmp.Or(d.Name, d.Adapter)
		d.Adapter = cmp.Or(d.Adapter, d.Name)
		switch {
		case d.Name == "":
			return bad(path(""), "want a name and an adapter ('membench datasets list' names them; cases reads our own form)")
		case names[d.Name]:
			return bad(path(".name"), "%q appears twice", d.Name)
		case !slices.Contains([]string{"", "turn", "session"}, d.Granularity):
			return bad(path(".granularity"), "have %q, want turn or session", d.Granularity)
		case d.Path != "" && len(d.Paths) > 0:
			return bad(path(".paths"), "path and paths are both set: give one")
		case d.Sample < 0 || d.MaxCases < 0:
			return bad(path(""), "sample and max_cases must be 0 or more")
		}
		names[d.Name] = true
	}
	names = map[string]bool{}
	for i := range v.Systems {
		s := &v.Systems[i]
		s.Type = cmp.Or(s.Type, s.Name)
		switch {
		case s.Type == "":
			return bad(fmt.Sprintf("systems[%d]", i), "want a type ('membench systems list' names them)")
		case names[s.Name] && s.Name != "":
			return bad(fmt.Sprintf("systems[%d].name", i), "%q appears twice: give each its own name", s.Name)
		case s.TopK < 0:
			return bad(fmt.Sprintf("systems[%d].top_k", i), "have %d, want at least 1", s.TopK)
		}
		names[s.Name] = true
	}
	one := func(path, have string, want ...string) error {
		if have != "" && !slices.Contains(want, have) {
			return bad(path, "have %q, want one of %v", have, want)
		}
		return nil
	}
	for i, f := range v.Output.Format {
		path := "output.format"
		if len(v.Output.Format) > 1 {
			path += "[" + strconv.Itoa(i) + "]"
		}
		if err := one(path, f, EvalFormats()...); err != nil {
			return err
		}
	}
	if g := v.Grading; g.NumRuns < 0 || g.Votes < 0 || g.Votes > 1 && g.Votes%2 == 0 || g.Workers < 0 {
		return bad("grading", "num_runs and workers must be 0 or more, votes an odd number")
	}
	if r := v.Run; r.TopK < 0 || r.Window < 0 || r.Sample < 0 || r.MaxCases < 0 || r.Memories < 0 || r.Calls < 0 ||
		r.Depth != nil && *r.Depth < 0 || r.Overlap != nil && *r.Overlap < 0 || r.Case != nil && *r.Case < 0 {
		return bad("run", "numbers must be 0 or more")
	}
	if v.Reader.ContextTokens < 0 || v.Reader.MaxTokens < 0 {
		return bad("reader", "context_tokens and max_tokens must be 0 or more")
	}
	return errors.Join(
		one("reader.type", v.Reader.Type, "rule", "model"),
		one("grading.judge", v.Grading.Judge, "rule", "model"),
		one("prompts.language", v.Prompts.Language, "en", "zh"))
}

// Project is the part of the file that says how models are asked.
func (v *Eval) Project() *Project {
	return &Project{Version: Version, Name: v.Name, Model: v.Model, Models: v.Models, Cassette: v.Cassette, Prompts: v.Prompts, Prices: v.Prices, Budget: v.Budget, dir: v.dir}
}

// Path resolves a path of the file against its folder.
func (v *Eval) Path(name string) string {
	if v.dir == "" || v.dir == "." || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(v.dir, name)
}

// Dir is the folder that the paths of the file are relative to; "" is the working folder.
func (v *Eval) Dir() string { return v.dir }

// Moved is the configuration for a file in another folder: paths that were relative to
// from name the same files from there. The output's folder stays relative to the working
// folder.
func (v *Eval) Moved(from, to string) (*Eval, error) {
	base, err := filepath.Abs(to)
	if err != nil {
		return nil, err
	}
	var fail error
	move := func(path string) string {
		if path == "" || path == "-" || filepath.IsAbs(path) {
			return path
		}
		abs, err := filepath.Abs(filepath.Join(from, path))
		fail = errors.Join(fail, err)
		if rel, err := filepath.Rel(base, abs); err == nil {
			return filepath.ToSlash(rel)
		}
		return abs
	}
	all := func(paths []string) (out []string) {
		for _, p := range paths {
			out = append(out, move(p))
		}
		return out
	}
	c := *v
	c.dir, c.Datasets, c.Systems = to, slices.Clone(v.Datasets), slices.Clone(v.Systems)
	for i := range c.Datasets {
		d := &c.Datasets[i]
		d.Path, d.Paths, d.Errata = move(d.Path), all(d.Paths), move(d.Errata)
	}
	for i := range c.Systems {
		if s := &c.Systems[i]; strings.HasSuffix(s.Type, ".yaml") || strings.HasSuffix(s.Type, ".yml") {
			s.Type = move(s.Type)
		}
	}
	c.Experiment.Labels = all(v.Experiment.Labels)
	c.Cassette.File, c.Prompts.Dir, c.Prices = move(v.Cassette.File), move(v.Prompts.Dir), move(v.Prices)
	return &c, fail
}

// OptionsJSON are the options of a system, nil without any.
func (s EvalSystem) OptionsJSON() ([]byte, error) {
	if len(s.Options) == 0 {
		return nil, nil
	}
	return yamldoc.JSON(s.Options)
}

// YAML is the configuration as it is in force: it makes the same run again. Secrets are
// the names of their variables.
func (v *Eval) YAML() ([]byte, error) {
	return yamldoc.Marshal(v)
}
