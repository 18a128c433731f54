package chain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"membench/chain"
	"membench/config"
	"membench/schema"
	"membench/schema/validate"
)

// talk has two people, one conversation after the other, and a claim that ends another.
const talk = `{"role":"user","content":"I live in Turku.","name":"Ana","timestamp":"2026-01-02T10:00:00Z","conv_id":"north"}
{"role":"user","content":"I work as a baker.","name":"Bo","timestamp":"2026-01-02T10:01:00Z","conv_id":"north"}
{"role":"user","content":"I like juniper tea.","name":"Ana","timestamp":"2026-01-02T10:02:00Z","conv_id":"north"}
{"role":"user","content":"I don't live in Turku any more. I live in Oulu now.","name":"Ana","timestamp":"2026-02-02T10:00:00Z","conv_id":"south"}
{"role":"user","content":"My sister Edda lives in Vaasa.","name":"Bo","timestamp":"2026-02-02T10:01:00Z","conv_id":"south"}
`

// built makes a project of talk and copies, without manifests, what a graph is made of.
func built(t *testing.T, scope string) (out, bare string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"source/talk.jsonl": talk, "membench.yaml": "sources: [source]\noutput: out\nnow: 2026-04-01T00:00:00Z\npeople: {scope: " + scope + "}\n"} {
		write(t, filepath.Join(dir, name), text)
	}
	project, err := config.Load(filepath.Join(dir, "membench.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chain.Run(t.Context(), project, chain.Options{}); err != nil {
		t.Fatal(err)
	}
	bare = filepath.Join(dir, "bare")
	out = filepath.Join(dir, "out")
	for _, part := range []string{"events.jsonl", "exports", "claims", "graph"} {
		err := filepath.WalkDir(filepath.Join(out, part), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == "manifest.json" {
				return err
			}
			b, err := os.ReadFile(path)
			if err == nil {
				write(t, strings.Replace(path, out, bare, 1), string(b))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out, bare
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// checked are the codes of a folder: those of validate, and where it has none of an error, those of Rederive.
func checked(t *testing.T, dir string) (codes []string) {
	t.Helper()
	faults := 0
	add := func(f *schema.Finding) {
		codes = append(codes, f.Code)
		if !f.Warning {
			faults++
		}
	}
	all, err := validate.Paths(t.Context(), []string{dir}, validate.PathOptions{}, add)
	if err == nil {
		if faults == 0 {
			codes = nil
		}
		warn := func(format string, _ ...any) { codes = append(codes, format[:len("not compared")]) }
		err = chain.Rederive(t.Context(), all.Files, chain.RederiveOptions{Shared: chain.Shared{Report: add, TempDir: t.TempDir()}, Faulty: faults > 0, Warn: warn, Workers: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

type object = map[string]any

// edit changes the records of a file: each of them, or none where change returns false for it.
func edit(t *testing.T, path string, change func(r object) (keep bool)) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(b)) {
		var r object
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if change(r) {
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s\n", b)
		}
	}
	if out.String() == string(b) {
		t.Fatal("nothing was changed")
	}
	write(t, path, out.String())
}

// What a graph, or a compiled claim, says otherwise than the records that it was made of is found: every value, and every record that is dropped.
func TestRederive(t *testing.T) {
	for _, scope := range []string{schema.ScopeProject, schema.ScopeConversation} {
		out, bare := built(t, scope)
		if codes := checked(t, bare); len(codes) > 0 {
			t.Fatalf("%s: findings of an untouched folder: %v", scope, codes)
		}
		if codes := checked(t, out); len(codes) > 0 {
			t.Fatalf("%s: findings of the whole output: %v", scope, codes)
		}
	}
	_, bare := built(t, schema.ScopeProject)
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(bare, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, name := range []string{"graph/nodes.jsonl", "graph/edges.jsonl", "claims/compiled/claims.jsonl"} {
		text := read(name)
		path := filepath.Join(bare, name)
		lines := slices.Collect(strings.Lines(text))
		for i := range lines { // every record is missed
			n := -1
			edit(t, path, func(object) bool { n++; return n != i })
			if codes := checked(t, bare); len(codes) == 0 {
				t.Errorf("%s without line %d: nothing was found: %s", name, i+1, lines[i])
			}
			write(t, path, text)
		}
	}
	write(t, filepath.Join(bare, "probes.jsonl"), "") // as a chain without probes leaves it: nothing is compared the less
	meta := filepath.Join(bare, "claims", "compiled", "meta.json")
	text, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	for re, wrong := range map[string]string{`"claims_count": \d+`: `"claims_count": 7000`, `"deprecated": \d+`: `"deprecated": 7000`, `[0-9a-f]{64}`: strings.Repeat("0", 64)} {
		write(t, meta, regexp.MustCompile(re).ReplaceAllString(string(text), wrong))
		if codes := checked(t, bare); !slices.Contains(codes, "MAN001") {
			t.Errorf("meta.json with %s: have %v, want MAN001", wrong, codes)
		}
	}
	aside := filepath.Join(t.TempDir(), "by_conv")
	if err := os.Rename(filepath.Join(bare, "claims/by_conv"), aside); err != nil {
		t.Fatal(err)
	}
	write(t, meta, strings.Replace(string(text), `"claims_count": `, `"claims_count": 7`, 1))
	if codes := checked(t, bare); !slices.Equal(codes, []string{"MAN001"}) {
		t.Errorf("meta.json without the claims of the conversations: have %v, want MAN001", codes)
	}
	if err := os.Rename(aside, filepath.Join(bare, "claims/by_conv")); err != nil {
		t.Fatal(err)
	}
	write(t, meta, string(text))
	type change struct {
		file, what string
		edit       func(r object) bool
		want       string
	}
	props := func(r object) object { p, _ := r["props"].(object); return p }
	is := func(r object, name, value string) bool { s, _ := r[name].(string); return strings.Contains(s, value) }
	for _, c := range []change{
		{"claims/compiled/claims.jsonl", "an ended claim is active", func(r object) bool {
			if r["status"] == "deprecated" {
				r["status"] = "active"
				delete(r, "deprecated_reason")
				delete(r, "superseded_by")
			}
			return true
		}, "CLM013"},
		{"graph/nodes.jsonl", "an ended claim is active", func(r object) bool {
			if p := props(r); p["status"] == "deprecated" {
				p["status"] = "active"
				delete(p, "deprecated_reason")
				delete(p, "superseded_by")
			}
			return true
		}, "GRF060"},
		{"graph/edges.jsonl", "a claim that replaced another is replaced", func(r object) bool {
			if r["type"] == "SUPERSEDED_BY" {
				r["src"], r["dst"] = r["dst"], r["src"]
				r["id"] = fmt.Sprintf("edge:SUPERSEDED_BY:%s:%s", r["src"], r["dst"])
			}
			return true
		}, "GRF062"},
		{"graph/edges.jsonl", "another speaker", func(r object) bool {
			if r["type"] == "SPOKE" && is(r, "dst", "north:2") {
				r["src"] = "person:/Ana"
				r["id"] = fmt.Sprintf("edge:SPOKE:%s:%s", r["src"], r["dst"])
			}
			return true
		}, "GRF062"},
		{"events.jsonl", "another time", func(r object) bool {
			if meta, _ := r["meta"].(object); r["conv_id"] == "north" && r["turn_id"] == float64(2) {
				meta["time"] = "1999-01-01T00:00:00Z"
			}
			return true
		}, "GRF060"},
		{"graph/nodes.jsonl", "another text", func(r object) bool {
			if is(r, "id", "event:south:2") {
				props(r)["content"] = "My sister Edda lives in Espoo."
			}
			return true
		}, "GRF060"},
		{"graph/nodes.jsonl", "another memory", func(r object) bool {
			if p := props(r); is(r, "id", "mem:") && p["data"] != nil {
				p["data"] = "I live in Espoo."
			}
			return true
		}, "GRF060"},
		{"graph/nodes.jsonl", "a property of one's own", func(r object) bool {
			if p := props(r); p != nil {
				p["my_colour"] = "red"
			}
			return true
		}, ""},
		{"claims/by_conv/north.jsonl", "a claim that its conversation does not have", func(r object) bool { return !is(r, "claim_id", "juniper") }, "CLM013"},
		{"claims/compiled/entities.jsonl", "another name", func(r object) bool {
			if p := props(r); is(r, "entity_id", "place:") {
				p["name"], p["display"] = "Atlantis", "Atlantis"
			}
			return true
		}, "ID002"},
		{"claims/compiled/claims.jsonl", "no claim at all", func(object) bool { return false }, "CLM013"},
	} {
		text, path := read(c.file), filepath.Join(bare, c.file)
		edit(t, path, c.edit)
		if codes := checked(t, bare); c.want == "" && len(codes) > 0 || c.want != "" && !slices.Contains(codes, c.want) {
			t.Errorf("%s: %s: have %v, want %s", c.file, c.what, codes, c.want)
		}
		write(t, path, text)
	}
}

// What a step copies is compared across files, also where all later files agree with a wrong copy.
func TestOrigins(t *testing.T) {
	_, bare := built(t, schema.ScopeProject)
	all := []string{"events.jsonl", "exports/north.mem0.jsonl", "exports/south.mem0.jsonl", "claims/by_conv/north.jsonl", "claims/by_conv/south.jsonl", "claims/compiled/claims.jsonl", "graph/nodes.jsonl", "graph/edges.jsonl"}
	text := map[string]string{}
	for _, name := range all {
		b, err := os.ReadFile(filepath.Join(bare, name))
		if err != nil {
			t.Fatal(err)
		}
		text[name] = string(b)
	}
	const tea, later = "2026-01-02T10:02:00Z", "2026-01-03T11:12:13Z"
	for _, c := range []struct {
		what  string
		files []string
		edit  func(name, line string) string
		want  string
	}{
		{"a turn was said at another time", []string{"events.jsonl", "graph/nodes.jsonl"}, func(name, line string) string {
			if strings.Contains(line, `"content"`) {
				line = strings.ReplaceAll(line, tea, later)
			}
			return line
		}, "LNK009"},
		{"evidence and claim have another time than the memory", all[3:], func(name, line string) string {
			if strings.Contains(line, "claim:") {
				line = strings.ReplaceAll(line, tea, later)
			}
			return line
		}, "LNK008"},
		{"a claim has another time than its evidence", all[3:5], func(name, line string) string {
			return regexp.MustCompile(`"updated_at": ?"`+tea).ReplaceAllString(line, `"updated_at":"`+later)
		}, "LNK008"},
		{"evidence has another scene", all[3:], func(name, line string) string {
			if strings.Contains(line, "juniper") {
				line = regexp.MustCompile(`("scene_id": ?")\w+"`).ReplaceAllString(line, `${1}elsewhere"`)
			}
			return line
		}, "LNK008"},
		{"a memory names another turn", append(all[1:3:3], all[7]), func(name, line string) string {
			if strings.Contains(line, "juniper") || name == all[7] && strings.Contains(line, `"FROM_EVENT"`) {
				line = strings.NewReplacer(`"turn_id": 3`, `"turn_id": 2`, "event:north:3", "event:north:2").Replace(line)
			}
			return line
		}, "LNK009"},
		{"a memory has another time", all[1:], func(name, line string) string { return strings.ReplaceAll(line, tea, later) }, "LNK009"},
		{"all memories have the time of storing", all[1:], func(name, line string) string {
			return regexp.MustCompile(`"2026-0[12]-02T[^"]*"`).ReplaceAllString(line, `"2026-04-01T00:00:00Z"`)
		}, ""},
	} {
		for _, name := range c.files {
			var out strings.Builder
			for line := range strings.Lines(text[name]) {
				out.WriteString(c.edit(name, line))
			}
			write(t, filepath.Join(bare, name), out.String())
		}
		os.Remove(filepath.Join(bare, "claims/compiled/meta.json")) // its digest would name the edit
		if codes := checked(t, bare); (c.want != "") != slices.Contains(codes, c.want) || c.want == "" && slices.ContainsFunc(codes, func(code string) bool { return strings.HasPrefix(code, "LNK") }) {
			t.Errorf("%s: have %v, want %s", c.what, codes, c.want)
		}
		for _, name := range c.files {
			write(t, filepath.Join(bare, name), text[name])
		}
	}
	without := func(name, why string) {
		if err := os.Rename(filepath.Join(bare, name), filepath.Join(bare, "..", "aside")); err != nil {
			t.Fatal(err)
		}
		if codes := checked(t, bare); !slices.Contains(codes, "not compared") {
			t.Errorf("%s: have %v, want a warning", why, codes)
		}
		if err := os.Rename(filepath.Join(bare, "..", "aside"), filepath.Join(bare, name)); err != nil {
			t.Fatal(err)
		}
	}
	without("events.jsonl", "a graph without events")
	without("exports", "a graph without exports")
	write(t, filepath.Join(bare, "exports/odd.mem0.jsonl"), "[]\n")
	if codes := checked(t, bare); !slices.Contains(codes, "not compared") {
		t.Errorf("a broken line: have %v, want a warning", codes)
	}
	os.Remove(filepath.Join(bare, "exports/odd.mem0.jsonl"))
	write(t, filepath.Join(bare, "again/nodes.jsonl"), text["graph/nodes.jsonl"])
	if codes := checked(t, bare); !slices.Contains(codes, "not compared") {
		t.Errorf("two graphs: have %v, want a warning", codes)
	}
}

// to-graph takes the people that the claims were made with, and refuses others.
func TestPeopleOfClaims(t *testing.T) {
	out, bare := built(t, schema.ScopeProject)
	for _, dir := range []string{out, bare} { // by the manifests, and by meta.json
		made := filepath.Join(t.TempDir(), "graph")
		o := chain.ToGraphOptions{Events: []string{filepath.Join(dir, "events.jsonl")}, Exports: []string{filepath.Join(dir, "exports")}, Claims: []string{filepath.Join(dir, "claims")}, Out: made}
		if _, err := chain.ToGraph(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"nodes.jsonl", "edges.jsonl"} {
			a, err1 := os.ReadFile(filepath.Join(out, "graph", name))
			b, err2 := os.ReadFile(filepath.Join(made, name))
			if err1 != nil || err2 != nil || string(a) != string(b) {
				t.Errorf("%s of %s differs: %v %v", name, dir, err1, err2)
			}
		}
		o.People = schema.People{Known: []schema.Person{{Name: "Ana", Aliases: []string{"Bo"}}}}
		if _, err := chain.ToGraph(context.Background(), o); err == nil || !strings.Contains(err.Error(), "other people") {
			t.Errorf("other people: %v", err)
		}
	}
	claims := filepath.Join(t.TempDir(), "claims")
	meta, err := chain.CompileClaims(context.Background(), chain.CompileClaimsOptions{Inputs: []string{filepath.Join(out, "claims", "by_conv")}, Out: claims})
	if err != nil || meta.People == nil || meta.People.Scope != schema.ScopeProject {
		t.Errorf("%+v, %v", meta, err)
	}
}
