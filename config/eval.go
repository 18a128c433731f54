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
	"unicode"

	"membench/internal/smallfile"
	"membench/internal/yamldoc"

	"github.com/goccy/go-yaml"
)

// Eval is the content of an eval.yaml: data sets, systems, the answering model and the grader. Paths are relative to the file's folder, except the output
// folder, which is relative to the working folder.
type Eval struct {
	Version  int          `yaml:"version,omitempty"`
	Name     string       `yaml:"name,omitempty"` // name of the run (default: the file's name)
	Seed     uint64       `yaml:"seed"`           // seed of sampling and converters
	Datasets []EvalSet    `yaml:"datasets"`
	Systems  []EvalSystem `yaml:"systems"`
	Reader   EvalReader   `yaml:"reader,omitempty"`
	Grading  EvalGrading  `yaml:"grading,omitempty"`
	Run      EvalRun      `yaml:"run,omitempty"`
	Output   EvalOutput   `yaml:"output,omitempty"`
	// Experiment is read only by 'membench experiment'.
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
	Adapter string   `yaml:"adapter,omitempty"` // a name from 'membench datasets list', or cases (default: name)
	Path    string   `yaml:"path,omitempty"`
	Paths   []string `yaml:"paths,omitempty"`
	// Granularity is the unit of one ingest call: a turn, or a whole session (default).
	Granularity        string   `yaml:"granularity,omitempty"`
	ExcludeAdversarial bool     `yaml:"exclude_adversarial,omitempty"` // excludes LoCoMo's category 5
	Exclude            []string `yaml:"exclude,omitempty"`             // raw categories that are not asked
	Errata             string   `yaml:"errata,omitempty"`
	Grain              string   `yaml:"grain,omitempty"`        // unit of the gold evidence: turn (default) | session
	Chunk              int      `yaml:"chunk,omitempty"`        // memoryagentbench: length of a chunk in code points
	ChunkTokens        int      `yaml:"chunk_tokens,omitempty"` // memoryagentbench: length of a chunk in tokens, cut as the benchmark does
	Topics             []string `yaml:"topics,omitempty"`       // opseval: topics to use
	Count              int      `yaml:"count,omitempty"`        // number of items that a generator makes
	Sample             int      `yaml:"sample,omitempty"`       // number of questions (default: run.sample)
	MaxCases           int      `yaml:"max_cases,omitempty"`    // number of cases (default: run.max_cases)
}

// EvalSystem is one system under test.
type EvalSystem struct {
	Name      string        `yaml:"name,omitempty"` // name in records (default: the system's own name)
	Type      string        `yaml:"type,omitempty"` // a name from 'membench systems list', or a service's spec (default: name)
	Options   yaml.MapSlice `yaml:"options,omitempty"`
	TopK      *int          `yaml:"top_k,omitempty"`     // number of hits (default: run.top_k)
	Model     string        `yaml:"model,omitempty"`     // model that answers from the retrieved hits
	LLM       string        `yaml:"llm,omitempty"`       // model that the system uses for its operations; it also answers if model is not set
	Embedding string        `yaml:"embedding,omitempty"` // embedding model; hashing works without a model
	BaseURL   string        `yaml:"base_url,omitempty"`  // address of the service
	APIKey    string        `yaml:"api_key,omitempty"`   // ${NAME} only: a key must not be in the file

	Secret string `yaml:"-"` // value of APIKey's variable
}

// EvalReader configures how questions are answered for systems that name no model.
type EvalReader struct {
	Type          string `yaml:"type,omitempty"` // rule | model (default: model if one is named here, otherwise rule)
	Model         string `yaml:"model,omitempty"`
	Prompt        string `yaml:"prompt,omitempty"`         // answer | answer-short | answer-notes
	ContextTokens int    `yaml:"context_tokens,omitempty"` // most tokens of context shown; 0: no limit
	MaxTokens     int    `yaml:"max_tokens,omitempty"`     // most tokens of an answer
	NoDates       bool   `yaml:"no_dates,omitempty"`       // hides the times of the turns from the reader
}

// EvalGrading configures grading.
type EvalGrading struct {
	Judge      string   `yaml:"judge,omitempty"` // rule | model (default: model if judge_model is named)
	JudgeModel string   `yaml:"judge_model,omitempty"`
	Protocols  []string `yaml:"protocols,omitempty"`
	Doubtful   bool     `yaml:"doubtful,omitempty"` // asks the judge model only about doubtful verdicts of the rule judge
	NumRuns    int      `yaml:"num_runs,omitempty"` // repeats of answering and grading
	Votes      int      `yaml:"votes,omitempty"`    // votes of a judge on one answer, an odd number
	Workers    int      `yaml:"workers,omitempty"`
}

// EvalRun configures how questions are asked.
type EvalRun struct {
	TopK          *int      `yaml:"top_k,omitempty"` // number of hits (default: 10)
	Depth         *int      `yaml:"depth,omitempty"` // ranks recorded if the gold evidence is not among the hits (default: 50)
	Window        int       `yaml:"window,omitempty"`
	Overlap       *int      `yaml:"overlap,omitempty"` // default: 2
	Reingest      bool      `yaml:"reingest,omitempty"`
	Snapshots     bool      `yaml:"snapshots,omitempty"`
	NoTimes       bool      `yaml:"no_times,omitempty"`
	Sample        int       `yaml:"sample,omitempty"` // questions of each data set, from each category in proportion
	MaxCases      int       `yaml:"max_cases,omitempty"`
	Case          *int      `yaml:"case,omitempty"` // runs only the case with this number, from 0
	Memories      int       `yaml:"memories,omitempty"`
	Calls         int       `yaml:"calls,omitempty"`
	IngestLimit   *Duration `yaml:"ingest_limit,omitempty"`
	RetrieveLimit *Duration `yaml:"retrieve_limit,omitempty"`
	ReadLimit     *Duration `yaml:"read_limit,omitempty"`
}

// EvalOutput configures the output.
type EvalOutput struct {
	Folder string  `yaml:"folder,omitempty"` // default: runs/NAME
	Format Formats `yaml:"format,omitempty"` // markdown | json | csv | html, or a list (default: all)
}

// EvalExperiment selects the parts that an experiment compares. Members that are not set have the experiment's defaults.
type EvalExperiment struct {
	Backend  string   `yaml:"backend,omitempty"`  // system below QARP and the strategies
	Failures []string `yaml:"failures,omitempty"` // systems whose failures are analysed, in addition to the backend
	Measure  string   `yaml:"measure,omitempty"`  // protocol of the scores
	Below    float64  `yaml:"below,omitempty"`    // answers with a lower score count as failed
	PerType  int      `yaml:"per_type,omitempty"` // failures of each type that are sampled for human review
	Labels   []string `yaml:"labels,omitempty"`   // files and folders with human labels of the failures
	Ks       []int    `yaml:"ks,omitempty"`       // additional numbers of hits for the curve
}

// Formats is one report format or a list.
type Formats []string

// UnmarshalYAML parses one format or a list.
func (f *Formats) UnmarshalYAML(b []byte) error {
	var one string
	if yamldoc.Unmarshal(b, &one) == nil {
		*f = Formats{one}
		return nil
	}
	return yamldoc.Unmarshal(b, (*[]string)(f))
}

// MarshalText writes Go's form of a duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// EvalFormats lists the formats of reports.
func EvalFormats() []string { return []string{"markdown", "json", "csv", "html"} }

// LoadEval reads and checks an eval.yaml. Errors have line and column.
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

// fault is an error with its place in the file.
type fault struct {
	line, col int
	err       error
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

var inBrackets = regexp.MustCompile(`^\[(\d+):(\d+)\] `)

// placed formats an error as file:line:col.
func placed(path string, err error) error {
	if f, ok := errors.AsType[*fault](err); ok && f.line > 0 {
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
	held := map[string]string{} // value of a variable → its name
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

// where adds the place of a member, "$.systems[1].type", to an error.
func where(doc *yamldoc.Doc, path string, err error) error {
	for ; path != "$"; path = path[:max(1, strings.LastIndexAny(path, ".["))] { // falls back to the enclosing member
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

// Check validates the members; bad makes the error for one of them (nil: without a place).
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
		case s.TopK != nil && *s.TopK < 1:
			return bad(fmt.Sprintf("systems[%d].top_k", i), "have %d, want at least 1", *s.TopK)
		case strings.TrimSpace(s.Name) != s.Name || strings.ContainsFunc(s.Name, unicode.IsControl):
			return bad(fmt.Sprintf("systems[%d].name", i), "have %q, want one line without blanks around it", s.Name)
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
	r := v.Run
	if r.TopK != nil && *r.TopK < 1 {
		return bad("run.top_k", "have %d, want at least 1", *r.TopK)
	}
	for _, n := range []struct {
		name string
		have *int
	}{{"window", &r.Window}, {"sample", &r.Sample}, {"max_cases", &r.MaxCases}, {"memories", &r.Memories}, {"calls", &r.Calls}, {"depth", r.Depth}, {"overlap", r.Overlap}, {"case", r.Case}} {
		if n.have != nil && *n.have < 0 {
			return bad("run."+n.name, "have %d, want 0 or more", *n.have)
		}
	}
	if v.Reader.ContextTokens < 0 || v.Reader.MaxTokens < 0 {
		return bad("reader", "context_tokens and max_tokens must be 0 or more")
	}
	return errors.Join(
		one("reader.type", v.Reader.Type, "rule", "model"),
		one("grading.judge", v.Grading.Judge, "rule", "model"),
		one("prompts.language", v.Prompts.Language, "en", "zh"))
}

// Project returns the part of the file that configures models.
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

// Dir returns the folder that the file's paths are relative to; "" is the working folder.
func (v *Eval) Dir() string { return v.dir }

// Moved returns the configuration for a file in another folder: paths relative to from are rewritten relative to to. The output folder stays relative to the
// working folder.
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

// OptionsJSON returns the options of a system, nil if there are none.
func (s EvalSystem) OptionsJSON() ([]byte, error) {
	if len(s.Options) == 0 {
		return nil, nil
	}
	return yamldoc.JSON(s.Options)
}

// YAML returns the resolved configuration, which makes the same run again. Secrets are replaced by the names of their variables.
func (v *Eval) YAML() ([]byte, error) {
	return yamldoc.Marshal(v)
}
