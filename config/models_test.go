package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func none(string) (string, string) { return "", "" }

// vars is an environment; a name that begins with "." stands in .env.
func vars(kv ...string) Lookup {
	m := map[string][2]string{}
	for i := 0; i < len(kv); i += 2 {
		name, from := kv[i], "environment"
		if s, ok := strings.CutPrefix(name, "."); ok {
			name, from = s, ".env"
		}
		m[name] = [2]string{kv[i+1], from}
	}
	return func(n string) (string, string) { return m[n][0], m[n][1] }
}

func project(t *testing.T, text string, env Lookup) *Project {
	t.Helper()
	p, err := parse([]byte("sources: [a]\n"+text), env)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestExpand(t *testing.T) {
	env := vars("URL", "http://127.0.0.1:8000/v1", "N", "30", "ODD", `a: "b" # c`, ".FILE", "m-1", "EMPTY", "")
	p := project(t, `
name: ${ODD}
scene: 'pre ${FILE} post'
user: {id: "${FILE}", names: [$$x, "${NOT_SET:-Me}"]}
model:
  name: ${FILE}
  base_url: ${URL}
  requests_per_minute: ${N}
  timeout: ${N}s
# ${NOT_SET} in a comment is nobody's
`, env)
	if p.Name != `a: "b" # c` || p.Scene != "pre m-1 post" || p.User.ID != "m-1" || p.User.Names[0] != "$x" || p.User.Names[1] != "Me" {
		t.Errorf("have %+v %q %+v", p.Name, p.Scene, p.User)
	}
	if m := p.Model; m.Name != "m-1" || m.BaseURL != "http://127.0.0.1:8000/v1" || m.RPM != 30 || time.Duration(m.Timeout) != 30*time.Second {
		t.Errorf("have %+v", m)
	}
	_, err := parse([]byte("sources: [a]\nscene: ${NOT_SET}\n"), env)
	if err == nil || !strings.Contains(err.Error(), "[2:8]") || !strings.Contains(err.Error(), "NOT_SET") {
		t.Errorf("have %v, want the place and the name", err)
	}
}

func TestKeysAreRefusedInTheFile(t *testing.T) {
	for _, name := range []string{"key", "api_key", "apikey", "token"} {
		_, err := parse([]byte("sources: [a]\nmodel: {name: m, "+name+": sk-1}\n"), none)
		if err == nil || !strings.Contains(err.Error(), "key_env") {
			t.Errorf("%s: have %v, want a word about key_env", name, err)
		}
	}
}

func TestResolve(t *testing.T) {
	type want struct{ name, url, key, keyFrom, nameFrom string }
	openAI := "https://api.openai.com/v1"
	for _, tc := range []struct {
		why   string
		file  string
		role  Role
		flags Model
		env   []string
		want
	}{
		{"nothing", "", Read, Model{}, nil, want{"", openAI, "", "default", ""}},
		{"seed 001's names", "", Judge, Model{}, []string{"OPENAI_API_KEY", "k1", "OPENAI_MODEL", "gpt-4o", "OPENAI_BASE_URL", "http://h/v1"}, want{"gpt-4o", "http://h/v1", "k1", "environment OPENAI_API_KEY", "environment OPENAI_MODEL"}},
		{"the chain's names", "", Extract, Model{}, []string{".BENCHMARK_LLM_API_KEY", "k2", ".BENCHMARK_LLM_MODEL", "m2"}, want{"m2", openAI, "k2", ".env BENCHMARK_LLM_API_KEY", ".env BENCHMARK_LLM_MODEL"}},
		{"environment before file", "model: {name: f}\n", Read, Model{}, []string{"OPENAI_MODEL", "e", "OPENAI_API_KEY", "k"}, want{"e", openAI, "k", "environment OPENAI_API_KEY", "environment OPENAI_MODEL"}},
		{"the file's key stays with the file's address", "model: {name: f, base_url: 'http://f/v1', key_env: FK}\n", Read, Model{}, []string{"OPENAI_BASE_URL", "http://e/v1", "OPENAI_API_KEY", "k", "FK", "fk"}, want{"f", "http://e/v1", "k", "environment OPENAI_API_KEY", "file model"}},
		{"also where the address is an embedding server's", "models: {embed: {name: m, base_url: 'http://f/v1', key_env: FK}}\n", Embed, Model{}, []string{"LOCAL_EMBEDDING_BASE_URL", "http://e/v1", "OPENAI_API_KEY", "k", "FK", "fk"}, want{"m", "http://e/v1", "", "default", "file models.embed"}},
		{"a role's model is another setting than the general one", "models: {judge: {name: j}}\n", Judge, Model{}, []string{"OPENAI_MODEL", "e"}, want{"j", openAI, "", "default", "file models.judge"}},
		{"flag before file", "model: {name: f}\n", Read, Model{Name: "x", BaseURL: "http://x/v1"}, nil, want{"x", "http://x/v1", "", "default", "flag"}},
		{"a role of its own", "model: {name: f}\nmodels: {judge: {name: j}}\n", Judge, Model{}, []string{"OPENAI_API_KEY", "k"}, want{"j", openAI, "k", "environment OPENAI_API_KEY", "file models.judge"}},
		{"another address gets no key", "models: {judge: {name: j, base_url: 'http://other/v1'}}\n", Judge, Model{}, []string{"OPENAI_API_KEY", "k"}, want{"j", "http://other/v1", "", "default", "file models.judge"}},
		{"but the one named for it", "models: {judge: {name: j, base_url: 'http://other/v1', key_env: JK}}\n", Judge, Model{}, []string{"OPENAI_API_KEY", "k", "JK", "k9"}, want{"j", "http://other/v1", "k9", "environment JK", "file models.judge"}},
		{"embedding is hashing by default", "model: {name: f}\n", Embed, Model{}, []string{"OPENAI_MODEL", "m"}, want{"", "", "", "", "default"}},
		{"a local embedding server", "", Embed, Model{}, []string{"OPENAI_API_KEY", "k", "LOCAL_EMBEDDING_BASE_URL", "http://e/v1", "LOCAL_EMBEDDING_MODEL", "bge-m3"}, want{"bge-m3", "http://e/v1", "", "default", "environment LOCAL_EMBEDDING_MODEL"}},
		{"embeddings of the main endpoint", "models: {embed: {name: te3}}\n", Embed, Model{}, []string{"OPENAI_API_KEY", "k"}, want{"te3", openAI, "k", "environment OPENAI_API_KEY", "file models.embed"}},
	} {
		env := vars(tc.env...)
		e, err := project(t, tc.file, env).Resolve(tc.role, tc.flags, env)
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
			continue
		}
		got := want{e.Name, e.BaseURL, e.Key, "", ""}
		for _, v := range e.Values {
			switch v.Name {
			case "key":
				got.keyFrom = v.From
			case "name":
				got.nameFrom = v.From
			}
			if e.Key != "" && strings.Contains(v.Value, e.Key) && len(e.Key) > 1 && v.Name == "key" {
				t.Errorf("%s: the key is shown: %+v", tc.why, v)
			}
		}
		if got != tc.want {
			t.Errorf("%s: have %+v, want %+v", tc.why, got, tc.want)
		}
	}
}

func TestResolveNumbers(t *testing.T) {
	env := vars("OPENAI_TEMPERATURE", "0.7", "JUDGE_TEMPERATURE", "0.0", "OPENAI_MAX_TOKENS", "1024", "OPENAI_TIMEOUT", "120", "LLM_MAX_CONCURRENT", "9", "BENCHMARK_LLM_RATE_LIMIT", "60")
	var p *Project
	read, err := p.Resolve(Read, Model{}, env)
	if err != nil {
		t.Fatal(err)
	}
	if *read.Temperature != 0.7 || read.MaxTokens != 1024 || time.Duration(read.Timeout) != 2*time.Minute || read.Concurrent != 9 || read.RPM != 60 {
		t.Errorf("have %+v", read.Model)
	}
	judge, err := p.Resolve(Judge, Model{}, env)
	if err != nil || *judge.Temperature != 0 {
		t.Errorf("judge: have %+v, %v; want temperature 0 of its own", judge.Temperature, err)
	}
	for name, value := range map[string]string{"OPENAI_TEMPERATURE": "hot", "OPENAI_TIMEOUT": "-3", "LLM_MAX_CONCURRENT": "many"} {
		if _, err := p.Resolve(Read, Model{}, vars(name, value)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: have %v, want an error with the variable's name", name, value, err)
		}
	}
}

func TestPricesAndBudget(t *testing.T) {
	p, err := LoadPrices("")
	if err != nil || len(p.Prices) < 5 || p.Prices["gpt-4o-mini"].Output <= p.Prices["gpt-4o-mini"].Input {
		t.Fatalf("built in: %v, %+v", err, p)
	}
	path := filepath.Join(t.TempDir(), "p.yaml")
	for text, want := range map[string]string{
		"models: {mine: {input: 0}}\n":            "",
		"models: {mine: {output: 1}}\n":           "models.mine",
		"models: {mine: {input: -1}}\n":           "models.mine",
		"version: 7\nmodels: {}\n":                "version",
		"models: {mine: {input: 1, outptu: 2}}\n": "outptu",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := LoadPrices(path)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: have %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]Budget{
		"2.5": {Money: 2.5}, "tokens=2_000_000,calls=5": {Tokens: 2000000, Calls: 5}, "money=1, calls=2": {Money: 1, Calls: 2},
	} {
		if b, err := ParseBudget(text); err != nil || b != want {
			t.Errorf("%q: have %+v, %v", text, b, err)
		}
	}
	for _, text := range []string{"", "-1", "0", "five", "euros=3", "NaN", "calls=1e99"} {
		if b, err := ParseBudget(text); err == nil {
			t.Errorf("%q: have %+v, want an error", text, b)
		}
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("a: ${X}\nb: {c: \"${Y:-z}\", d: [$$]}\n")
	f.Fuzz(func(t *testing.T, s string) {
		var v any
		_, _ = decode([]byte(s), vars("X", "x: [", "Y", "1"), &v)
	})
}

// TestPrecedence takes every setting that exists in two of file, environment and flag:
// the environment wins over the file, the flag over both.
func TestPrecedence(t *testing.T) {
	ten := 1.0
	for _, tc := range []struct {
		setting, role, file, variable, env string
		flag                               Model
		want                               [3]string // by the file alone, with the variable, with the flag too
	}{
		{"name", "read", "model: {name: f}", "OPENAI_MODEL", "e", Model{Name: "x"}, [3]string{"f", "e", "x"}},
		{"name", "read", "model: {name: f}", "BENCHMARK_LLM_MODEL", "e", Model{Name: "x"}, [3]string{"f", "e", "x"}},
		{"base_url", "read", "model: {name: f, base_url: 'http://f/v1'}", "OPENAI_BASE_URL", "http://e/v1", Model{Name: "f", BaseURL: "http://x/v1"}, [3]string{"http://f/v1", "http://e/v1", "http://x/v1"}},
		{"base_url", "read", "model: {name: f, base_url: 'http://f/v1'}", "BENCHMARK_LLM_BASE_URL", "http://e/v1", Model{Name: "f", BaseURL: "http://x/v1"}, [3]string{"http://f/v1", "http://e/v1", "http://x/v1"}},
		{"temperature", "read", "model: {name: f, temperature: 0.1}", "OPENAI_TEMPERATURE", "0.2", Model{Name: "f", Temperature: &ten}, [3]string{"0.1", "0.2", "1"}},
		{"temperature", "judge", "models: {judge: {name: f, temperature: 0.1}}", "JUDGE_TEMPERATURE", "0.2", Model{Name: "f", Temperature: &ten}, [3]string{"0.1", "0.2", "1"}},
		{"max_tokens", "read", "model: {name: f, max_tokens: 10}", "OPENAI_MAX_TOKENS", "20", Model{}, [3]string{"10", "20", "20"}},
		{"max_tokens", "read", "model: {name: f, max_tokens: 10}", "BENCHMARK_LLM_MAX_TOKENS", "20", Model{}, [3]string{"10", "20", "20"}},
		{"timeout", "read", "model: {name: f, timeout: 10s}", "OPENAI_TIMEOUT", "20s", Model{}, [3]string{"10s", "20s", "20s"}},
		{"concurrent", "read", "model: {name: f, concurrent: 3}", "LLM_MAX_CONCURRENT", "4", Model{}, [3]string{"3", "4", "4"}},
		{"requests_per_minute", "read", "model: {name: f, requests_per_minute: 3}", "BENCHMARK_LLM_RATE_LIMIT", "4", Model{RPM: 5}, [3]string{"3", "4", "5"}},
		{"name", "embed", "models: {embed: {name: f}}", "LOCAL_EMBEDDING_MODEL", "e", Model{Name: "x"}, [3]string{"f", "e", "x"}},
		{"base_url", "embed", "models: {embed: {name: f, base_url: 'http://f/v1'}}", "BENCHMARK_EMBEDDING_BASE_URL", "http://e/v1", Model{}, [3]string{"http://f/v1", "http://e/v1", "http://e/v1"}},
	} {
		for i, flag := range []Model{{}, {}, tc.flag} {
			env := vars()
			if i > 0 {
				env = vars(tc.variable, tc.env)
			}
			e, err := project(t, tc.file+"\n", env).Resolve(Role(tc.role), flag, env)
			if err != nil {
				t.Fatal(err)
			}
			have := ""
			for _, v := range e.Values {
				if v.Name == tc.setting {
					have = v.Value
				}
			}
			if have != tc.want[i] {
				t.Errorf("%s of %s, file %q, step %d: have %q, want %q (%s)", tc.setting, tc.role, tc.file, i, have, tc.want[i], tc.variable)
			}
		}
	}
	// Settings of the project beside its models.
	p := project(t, "replay: {qdrant: 'f:6334'}\n", vars("QDRANT_ADDR", "e:6334"))
	if p.Replay.Qdrant != "e:6334" || !slices.Contains(p.Show(), Value{"replay.qdrant", "e:6334", "environment QDRANT_ADDR"}) {
		t.Errorf("replay.qdrant: have %q, shown %v", p.Replay.Qdrant, p.Show())
	}
	if p := project(t, "", vars("QDRANT_ADDR", "e:6334")); p.Replay.Qdrant != "" {
		t.Errorf("a variable alone moved the memory to %q", p.Replay.Qdrant)
	}
}

// Nothing else reads the environment: what a run used can be said in one place.
func TestEnvironmentIsReadHere(t *testing.T) {
	read := regexp.MustCompile(`\bos\.(Getenv|LookupEnv)\b`)
	files := 0
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "exttest" || d.Name() == "tools" || d.Name() == "testdata" || d.Name() == ".git"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Clean(path) == filepath.Join("..", "config", "expand.go"):
			return nil
		}
		files++
		b, err := os.ReadFile(path)
		if m := read.Find(b); m != nil {
			t.Errorf("%s calls %s: call config.Getenv, or take it as a value", path, m)
		}
		return err
	})
	if err != nil || files < 500 {
		t.Errorf("%d files read, %v", files, err)
	}
}
