package cli

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWritersRefuseWhatValidateRefuses: a graph in which validate finds an error does not
// pass a writer without a finding and exit code 3. The gate has codes of its own for what it leaves
// out; a name outside the vocabulary is a warning, for a project may have its own.
func TestWritersRefuseWhatValidateRefuses(t *testing.T) {
	t.Parallel()
	const (
		conv  = `{"id": "conv:a", "labels": ["Conversation"], "props": {"conv_id": "a"}}`
		scene = `{"id": "scene:b", "labels": ["Scene"], "props": {"scene_id": "b"}}`
		edge  = `{"id": "edge:CONV_IN_SCENE:conv:a:scene:b", "type": "CONV_IN_SCENE", "src": "conv:a", "dst": "scene:b", "props": {}}`
	)
	gates := map[string][]string{ // what the gate says for a code of validate
		"SCH001": {"JSON002", "GRF038"}, "SCH002": {"GRF030", "GRF038"}, "SCH006": {"GRF030", "GRF038"}, "GRF003": {"GRF033"}, "GRF004": {"GRF031"}, "JSON004": {"JSON001"}, "JSON009": {"JSON001"}, "ID020": {"ID020"},
	}
	dir := quickDir(t)
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "o")
	writers := []string{"cypher D -o O", "export D --format graphml -o O.graphml", "export D --format jsonld -o O.jsonld", "export D --format admin-csv -o O", "view D -o O.html", "load-neo4j D --uri bolt://127.0.0.1:1", "diff D D"}
	code := regexp.MustCompile(`\b[A-Z]{2,4}[0-9]{3}\b`)
	run := func(command string) (int, []string) {
		args := strings.Fields(strings.NewReplacer(" D", " "+in, " O", " "+out).Replace(command))
		r := inProcess(dir, strings.NewReader(""), args...)
		codes := code.FindAllString(r.stdout+r.stderr, -1)
		slices.Sort(codes)
		return r.code, slices.Compact(codes)
	}
	for _, c := range []struct{ name, nodes, edges string }{
		{"good", "", edge},
		{"dangling", "", strings.ReplaceAll(edge, "scene:b", "scene:gone")},
		{"a repeated edge", "", edge + "\n" + edge},
		{"a repeated node", conv, edge},
		{"no id", `{"labels": ["Scene"], "props": {}}`, edge},
		{"no properties", `{"id": "scene:c", "labels": ["Scene"]}`, edge},
		{"an edge without properties", "", strings.Replace(edge, `, "props": {}`, "", 1)},
		{"properties that are null", `{"id": "scene:c", "labels": ["Scene"], "props": null}`, edge},
		{"properties that are a list", `{"id": "scene:c", "labels": ["Scene"], "props": []}`, edge},
		{"no labels", `{"id": "scene:c", "props": {}}`, edge},
		{"an empty list of labels", `{"id": "scene:c", "labels": [], "props": {}}`, edge},
		{"an unknown label", `{"id": "zebra:c", "labels": ["Zebra"], "props": {}}`, edge},
		{"an empty type", "", strings.Replace(edge, `"type": "CONV_IN_SCENE"`, `"type": ""`, 1)},
		{"a blank type", "", strings.Replace(edge, `"type": "CONV_IN_SCENE"`, `"type": " "`, 1)},
		{"an unknown type", "", strings.ReplaceAll(edge, "CONV_IN_SCENE", "GALLOPS_TO")},
		{"no source", "", strings.Replace(edge, `"src": "conv:a", `, "", 1)},
		{"a long id", `{"id": "scene:` + strings.Repeat("c", 4100) + `", "labels": ["Scene"], "props": {}}`, edge},
		{"a blank id", `{"id": "  ", "labels": ["Scene"], "props": {}}`, edge},
		{"the prefix of another label", `{"id": "user:c", "labels": ["Scene"], "props": {}}`, edge},
		{"the id of another edge", "", strings.Replace(edge, "edge:CONV_IN_SCENE:conv:a", "edge:CONV_IN_SCENE:conv:x", 1)},
		{"ends of the wrong labels", "", `{"id": "edge:CONV_IN_SCENE:scene:b:conv:a", "type": "CONV_IN_SCENE", "src": "scene:b", "dst": "conv:a", "props": {}}`},
		{"a name twice", `{"id": "scene:c", "id": "scene:d", "labels": ["Scene"], "props": {}}`, edge},
		{"a torn line", `{"id": "scene:c`, edge},
	} {
		put(t, in, map[string]string{"nodes.jsonl": conv + "\n" + scene + "\n" + c.nodes + "\n", "edges.jsonl": c.edges + "\n"})
		verdict, want := run("validate D")
		if (verdict == 0) != (c.name == "good") {
			t.Errorf("%s: validate ends with %d %v", c.name, verdict, want)
		}
		for _, w := range writers {
			have, codes := run(w)
			diff, load := strings.HasPrefix(w, "diff"), strings.HasPrefix(w, "load-neo4j")
			vocabulary := slices.Equal(want, []string{"GRF001"}) || slices.Equal(want, []string{"GRF002"})
			for _, x := range want {
				told := slices.Contains(codes, x) || slices.ContainsFunc(gates[x], func(y string) bool { return slices.Contains(codes, y) })
				if !told && !(load && strings.HasPrefix(x, "GRF00")) { // the load says it when it is connected
					t.Errorf("%s of a graph with %s: %v, validate says %v", w, c.name, codes, want)
				}
			}
			if exit := verdict; !diff && !load && !vocabulary && have != exit {
				t.Errorf("%s of a graph with %s: exit code %d, validate ends with %d", w, c.name, have, exit)
			}
		}
	}
}
