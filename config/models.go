package config

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/internal/smallfile"
	"membench/llm"
)

// A Role is what an endpoint is used for.
type Role string

// The roles. Each may have its own endpoint; the default is the project's model.
const (
	Annotate Role = "annotate" // tags of dialogue turns
	Extract  Role = "extract"  // facts of memories, claims
	Read     Role = "read"     // answers from memories
	Judge    Role = "judge"    // grades of answers
	Embed    Role = "embed"    // vectors; without an endpoint, hashing
)

// Roles lists them.
func Roles() []Role { return []Role{Annotate, Extract, Read, Judge, Embed} }

// Model is one OpenAI-compatible endpoint as described in a file. The key is never in the file: KeyEnv names the variable that holds it.
type Model struct {
	Name        string   `yaml:"name"`
	BaseURL     string   `yaml:"base_url"`
	KeyEnv      string   `yaml:"key_env"`
	RPM         float64  `yaml:"requests_per_minute"` // 0: no limit
	TPM         float64  `yaml:"tokens_per_minute"`   // 0: no limit
	Concurrent  int      `yaml:"concurrent"`          // calls at once; 0: as many as the command makes
	Timeout     Duration `yaml:"timeout"`             // timeout of one attempt
	Tries       int      `yaml:"tries"`
	Temperature *float64 `yaml:"temperature"` // overrides the stage's own temperature
	MaxTokens   int      `yaml:"max_tokens"`  // most tokens of an answer, if the stage sets none
	Dimensions  int      `yaml:"dimensions"`  // dimensions of vectors
	Batch       int      `yaml:"batch"`       // texts per embedding call
}

// Models are the endpoints by role, if they differ from the project's model.
type Models struct {
	Annotate Model `yaml:"annotate"`
	Extract  Model `yaml:"extract"`
	Read     Model `yaml:"read"`
	Judge    Model `yaml:"judge"`
	Embed    Model `yaml:"embed"`
}

func (m Models) of(r Role) Model {
	return map[Role]Model{Annotate: m.Annotate, Extract: m.Extract, Read: m.Read, Judge: m.Judge, Embed: m.Embed}[r]
}

// Cassette configures the file that stores the models' answers.
type Cassette struct {
	File string `yaml:"file"`
	Mode string `yaml:"mode"` // off | cache (default with a file) | record | replay-only
}

// Budget limits the cost of a run. 0: no limit.
type Budget struct {
	Money  float64 `yaml:"money" json:"money,omitzero"` // in the price table's currency
	Tokens int     `yaml:"tokens" json:"tokens,omitzero"`
	Calls  int     `yaml:"calls" json:"calls,omitzero"`
}

// Share returns the i-th of n parts of a budget, from 0; the first parts take the remainder. It fails if a part would be 0.
func (b Budget) Share(i, n int) (Budget, error) {
	whole := func(total int) int { return total/n + min(1, max(0, total%n-i)) }
	part := Budget{b.Money / float64(n), whole(b.Tokens), whole(b.Calls)}
	if b.Tokens > 0 && part.Tokens == 0 || b.Calls > 0 && part.Calls == 0 {
		return part, fmt.Errorf("budget: tokens=%d, calls=%d (0: no limit) cannot be split into %d parts: want at least one for each", b.Tokens, b.Calls, n)
	}
	return part, nil
}

// Value is one setting in force.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"` // secrets are masked
	From  string `json:"from"`  // flag, file, environment NAME, .env NAME, default
}

// Endpoint is the resolved endpoint of a role, with the origin of each value.
type Endpoint struct {
	Role   Role
	Model         // every field but KeyEnv
	Key    string // "": no key
	Values []Value
}

// Configured reports whether the role has an endpoint.
func (e Endpoint) Configured() bool { return e.Name != "" }

// sources are the standard environment variables of each field.
type sources struct{ name, url, key, temperature, maxTokens, timeout, concurrent, rpm []string }

var general = sources{
	name:        []string{"OPENAI_MODEL", "BENCHMARK_LLM_MODEL"},
	url:         []string{"OPENAI_BASE_URL", "BENCHMARK_LLM_BASE_URL"},
	key:         []string{"OPENAI_API_KEY", "BENCHMARK_LLM_API_KEY"},
	temperature: []string{"OPENAI_TEMPERATURE", "BENCHMARK_LLM_TEMPERATURE"},
	maxTokens:   []string{"OPENAI_MAX_TOKENS", "BENCHMARK_LLM_MAX_TOKENS"},
	timeout:     []string{"OPENAI_TIMEOUT"},
	concurrent:  []string{"LLM_MAX_CONCURRENT"},
	rpm:         []string{"BENCHMARK_LLM_RATE_LIMIT"},
}

var embedding = sources{
	name: []string{"LOCAL_EMBEDDING_MODEL", "BENCHMARK_EMBEDDING_MODEL"},
	url:  []string{"LOCAL_EMBEDDING_BASE_URL", "BENCHMARK_EMBEDDING_BASE_URL"},
	key:  []string{"LOCAL_EMBEDDING_API_KEY", "BENCHMARK_EMBEDDING_API_KEY"},
}

const masked = "set (hidden)"

// resolver takes each value from the first source that has it: the flag, the environment, the file, the default. The general variables (OPENAI_MODEL, …)
// correspond to the setting `model` of the file; they do not override a role's own setting in the file.
type resolver struct {
	env  Lookup
	out  []Value
	fail error
}

// A choice is a value and its origin.
type choice struct{ value, from string }

func (r *resolver) pick(name, def string, choices ...choice) choice {
	c := choice{def, "default"}
	for _, x := range choices {
		if x.value != "" {
			c = x
			break
		}
	}
	if c.value != "" {
		r.out = append(r.out, Value{name, c.value, c.from})
	}
	return c
}

func (r *resolver) vars(names []string) (out []choice) {
	for _, n := range names {
		if v, from := r.env(n); from != "" && v != "" {
			out = append(out, choice{v, from + " " + n})
		}
	}
	return out
}

func num[T int | float64](v T) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(v), 'g', -1, 64)
}

func (r *resolver) number(name, def string, choices ...choice) float64 {
	c := r.pick(name, def, choices...)
	if c.value == "" {
		return 0
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(c.value), 64)
	if (err != nil || f < 0) && r.fail == nil {
		r.fail = fmt.Errorf("%s: have %q (%s), want a number of at least 0", name, c.value, c.from)
	}
	return f
}

// Resolve returns the settings in force for a role. p may be nil: no file. It fails if a value cannot be parsed or an address or name contains a key.
func (p *Project) Resolve(role Role, flags Model, env Lookup) (Endpoint, error) {
	var own, all Model
	if p != nil {
		own, all = p.Models.of(role), p.Model
	}
	r := &resolver{env: env}
	part := "models." + string(role)
	// of is every place of a setting in order; roleVars name the role's own variables.
	of := func(flag string, roleVars []string, mine string, vars []string, shared string) []choice {
		list := append([]choice{{flag, "flag"}}, r.vars(roleVars)...)
		list = append(append(list, choice{mine, "file " + part}), r.vars(vars)...)
		return append(list, choice{shared, "file model"})
	}
	var src sources // of the role alone
	shared := general
	if role == Embed { // a model that chats is not one that embeds
		src, shared.name, shared.maxTokens, shared.temperature, all.Name = embedding, nil, nil, nil, ""
		all.Temperature, all.MaxTokens = nil, 0
	}
	e := Endpoint{Role: role}
	e.Name = r.pick("name", "", of(flags.Name, src.name, own.Name, shared.name, all.Name)...).value
	if e.Name == "" && role == Embed {
		return Endpoint{Role: role, Values: []Value{{"name", "hash512 (no model)", "default"}}}, nil
	}
	url := r.pick("base_url", "https://api.openai.com/v1", of(flags.BaseURL, src.url, own.BaseURL, shared.url, all.BaseURL)...)
	e.BaseURL = url.value
	if err := CheckAddress("base_url ("+url.from+")", url.value); err != nil {
		return Endpoint{Role: role}, err
	}
	if looksLikeKey(e.Name) {
		return Endpoint{Role: role}, fmt.Errorf("endpoint for %s: want the name of a model; the value looks like a key", role)
	}
	// A key goes to the address that it was given for: the one of the file's key_env not
	// to an address of the environment in place of the file's, the general one not to an
	// address of a role's own, or of an embedding service.
	keys, keyEnv := shared.key, ""
	place, _, _ := strings.Cut(url.from, " ")
	ofEnv := place != "file" && place != "flag" && place != "default"
	switch {
	case own.KeyEnv != "" && (!ofEnv || own.BaseURL == ""):
		keyEnv = own.KeyEnv
	case url.from == "file "+part && own.BaseURL != all.BaseURL:
		keys = nil
	case ofEnv && !isGeneral(url.from):
		keys = src.key
	case ofEnv && all.BaseURL != "":
		keys = append(append([]string{}, src.key...), shared.key...)
	default:
		keyEnv, keys = all.KeyEnv, append(append([]string{}, src.key...), shared.key...)
	}
	if keyEnv != "" {
		keys = []string{keyEnv}
	}
	for _, c := range r.vars(keys) {
		e.Key = c.value
		r.out = append(r.out, Value{"key", masked, c.from})
		break
	}
	if e.Key == "" {
		r.out = append(r.out, Value{"key", "none", "default"})
	}
	if role != Embed {
		var judge []string
		if role == Judge {
			judge = []string{"JUDGE_TEMPERATURE"}
		}
		before := len(r.out)
		if t := r.number("temperature", "", of(given(flags.Temperature), judge, given(own.Temperature), shared.temperature, given(all.Temperature))...); len(r.out) > before {
			e.Temperature = &t
		}
		e.MaxTokens = int(r.number("max_tokens", "", of("", nil, num(own.MaxTokens), shared.maxTokens, num(all.MaxTokens))...))
	} else {
		e.Dimensions = int(r.number("dimensions", "", of("", nil, num(own.Dimensions), nil, "")...))
		e.Batch = int(r.number("batch", "64", of("", nil, num(own.Batch), nil, "")...))
	}
	e.Timeout = r.duration("timeout", "2m", of("", nil, duration(own.Timeout), shared.timeout, duration(all.Timeout))...)
	e.Tries = int(r.number("tries", "5", of("", nil, num(own.Tries), nil, num(all.Tries))...))
	e.Concurrent = int(r.number("concurrent", "", of("", nil, num(own.Concurrent), shared.concurrent, num(all.Concurrent))...))
	e.RPM = r.number("requests_per_minute", "", of(num(flags.RPM), nil, num(own.RPM), shared.rpm, num(all.RPM))...)
	e.TPM = r.number("tokens_per_minute", "", of("", nil, num(own.TPM), nil, num(all.TPM))...)
	e.Values = r.out
	if r.fail != nil {
		return e, fmt.Errorf("endpoint for %s: %w", role, r.fail)
	}
	return e, nil
}

func given(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// isGeneral reports whether a value came from one of the general variables.
func isGeneral(from string) bool {
	_, name, _ := strings.Cut(from, " ")
	return strings.HasPrefix(name, "OPENAI_") || strings.HasPrefix(name, "BENCHMARK_LLM_")
}

func duration(d Duration) string {
	if d == 0 {
		return ""
	}
	return time.Duration(d).String()
}

// duration reads Go's form, or seconds as seed 001 has them.
func (r *resolver) duration(name, def string, choices ...choice) Duration {
	c := r.pick(name, def, choices...)
	if s, err := strconv.ParseFloat(c.value, 64); err == nil && s > 0 {
		return Duration(s * float64(time.Second))
	}
	d, err := time.ParseDuration(c.value)
	if (err != nil || d <= 0) && r.fail == nil {
		r.fail = fmt.Errorf("%s: have %q (%s), want a time like 30s, or seconds", name, c.value, c.from)
	}
	return Duration(d)
}

//go:embed prices.yaml
var builtinPrices []byte

// priceFile is a price table.
type priceFile struct {
	Version  int    `yaml:"version"`
	Currency string `yaml:"currency"`
	AsOf     string `yaml:"as_of"`
	Models   map[string]struct {
		Input  *float64 `yaml:"input"`
		Output float64  `yaml:"output"`
		Cached float64  `yaml:"cached"`
	} `yaml:"models"`
}

// PriceTable is the price of models, for a million tokens.
type PriceTable struct {
	Prices   llm.Prices
	Currency string
	AsOf     string
	From     string // file name, "built in"
}

// LoadPrices reads a price table; "" is the built-in one. A file is in place of it.
func LoadPrices(path string) (PriceTable, error) {
	b, from := builtinPrices, "built in"
	if path != "" {
		var err error
		if b, err = smallfile.Read(path); err != nil {
			return PriceTable{}, err
		}
		from = path
	}
	var f priceFile
	if _, err := decode(b, func(string) (string, string) { return "", "" }, &f); err != nil {
		return PriceTable{}, fmt.Errorf("%s: %w", from, err)
	}
	if f.Version != 1 && f.Version != 0 {
		return PriceTable{}, fmt.Errorf("%s: version: have %d, want 1", from, f.Version)
	}
	t := PriceTable{Prices: llm.Prices{}, Currency: cmp.Or(f.Currency, "USD"), AsOf: f.AsOf, From: from}
	for name, p := range f.Models {
		if p.Input == nil || *p.Input < 0 || p.Output < 0 || p.Cached < 0 {
			return PriceTable{}, fmt.Errorf("%s: models.%s: want the price of a million tokens: input, and output and cached unless they are 0", from, name)
		}
		t.Prices[name] = llm.Price{Input: *p.Input, Output: p.Output, Cached: p.Cached}
	}
	return t, nil
}

// ParseBudget reads "2.50" (money), or a list like "money=2.50,tokens=2000000,calls=500".
func ParseBudget(s string) (Budget, error) {
	var b Budget
	bad := func(part string) (Budget, error) {
		return Budget{}, fmt.Errorf("budget: have %q, want an amount of money, or money=, tokens=, calls= with numbers above 0", part)
	}
	for part := range strings.SplitSeq(s, ",") {
		name, text, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			name, text = "money", name
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		if err != nil || !(v > 0) || v > 1e15 {
			return bad(part)
		}
		switch name {
		case "money":
			b.Money = v
		case "tokens":
			b.Tokens = int(v)
		case "calls":
			b.Calls = int(v)
		default:
			return bad(part)
		}
	}
	return b, nil
}

// Find is the project file that a command reads without being told: membench.yaml in
// the working folder, "" where there is none.
func Find(dir string) string {
	path := filepath.Join(dir, "membench.yaml")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// Show lists what is in force besides the endpoints: every value of the file that is
// not the zero value, under its YAML name.
func (p *Project) Show() []Value {
	var out []Value
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		switch x := v.Interface().(type) {
		case Duration:
			if x != 0 {
				out = append(out, Value{prefix, time.Duration(x).String(), "file"})
			}
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				f := v.Type().Field(i)
				name := f.Tag.Get("yaml")
				if !f.IsExported() || name == "" || name == "model" && prefix == "" || name == "models" && prefix == "" {
					continue
				}
				if prefix != "" {
					name = prefix + "." + name
				}
				walk(name, v.Field(i))
			}
		case reflect.Map:
			for _, k := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) }) {
				walk(prefix+"."+k.String(), v.MapIndex(k))
			}
		default:
			if !v.IsZero() {
				from := "file"
				if name := p.fromEnv[prefix]; name != "" {
					from = name
				} else if !p.given[prefix] {
					from = "default"
				}
				out = append(out, Value{prefix, fmt.Sprint(v.Interface()), from})
			}
		}
	}
	walk("", reflect.ValueOf(*p))
	return out
}
