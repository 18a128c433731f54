package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// utf16Text is text as an editor on Windows may save it.
func utf16Text(s string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}

// TestLossIsNotGreen: whatever a command reads, it does not end with 0 when it has lost
// records; where it lost all of them, what was there stays as it was.
func TestLossIsNotGreen(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	commands := []hazardCommand{
		{kind: "chat", args: "annotate F --format chat -o O"},
		{kind: "events", args: "compile F -o O.jsonl"},
		{kind: "events", args: "replay ingest F --store O --agent-id c --now 2026-03-01T12:00:00Z"},
		{kind: "events", args: "replay probe F --store S -o O.jsonl"},
		{kind: "events", args: "to-graph --events F -o O"},
		{kind: "events", args: "migrate F --to 0.0.1 --input-version 0.1.0 -o O.jsonl"},
		{kind: "mem0", args: "replay link F --events E -o O"},
		{kind: "mem0", args: "claimify F -o O"},
		{kind: "mem0", args: "to-graph --exports F -o O"},
		{kind: "claims", args: "compile-claims F -o O"},
		{kind: "claims", args: "to-graph --claims F -o O"},
		{kind: "nodes", args: "cypher D -o O"},
		{kind: "nodes", args: "export F --format jsonld -o O.jsonl"},
		{kind: "nodes", args: "export F --format graphml -o O.jsonl"},
		{kind: "nodes", args: "export F --format admin-csv -o O"},
		{kind: "nodes", args: "view F --title t -o O.jsonl"},
	}
	put(t, filepath.Join(dir, "e"), map[string]string{"events.jsonl": hazEvent1 + "\n" + hazEvent2 + "\n"})
	if r := inProcess(dir, strings.NewReader(""), "replay", "ingest", filepath.Join(dir, "e", "events.jsonl"), "--store", filepath.Join(dir, "s"), "--agent-id", "c"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	out := filepath.Join(dir, "o")
	for _, c := range commands {
		good := hazardKinds[c.kind][0] + "\n" + hazardKinds[c.kind][1] + "\n"
		in := filepath.Join(dir, "in")
		file := filepath.Join(in, c.kind+".jsonl")
		args := strings.Fields(strings.NewReplacer("F ", file+" ", " D ", " "+in+" ", " E ", " "+filepath.Join(dir, "e", "events.jsonl")+" ", " S ", " "+filepath.Join(dir, "s")+" ", " O", " "+out).Replace(c.args))
		state := func() map[string]string {
			have := files(t, out)
			if b, err := os.ReadFile(out + ".jsonl"); err == nil {
				have["(file)"] = string(b)
			}
			for name := range have {
				if strings.HasSuffix(name, ".lock") {
					delete(have, name)
				}
			}
			return have
		}
		fresh := func() {
			os.RemoveAll(out)
			os.Remove(out + ".jsonl")
		}
		run := func(text string, more ...string) ran {
			put(t, in, map[string]string{filepath.Base(file): text})
			return inProcess(dir, strings.NewReader(""), append(slices.Clone(args), more...)...)
		}
		fresh()
		if r := run(good); r.code != 0 {
			t.Errorf("%s of good records: exit code %d\n%s", c.args, r.code, r.stderr)
			continue
		}
		before := state()
		for name, text := range map[string]string{"UTF-16": utf16Text(good), "a false .gz": "\x1f\x8b" + good, "foreign JSON": `{"weather": "rain", "degrees": 17}` + "\n" + `{"weather": "sun"}` + "\n", "no JSON": "name;value\n1;2\n"} {
			for _, more := range [][]string{nil, {"--strict"}, {"--max-rejected", "100%"}} {
				r := run(text, more...)
				if r.code == 0 || r.code == 2 {
					t.Errorf("%s %v of %s: exit code %d\n%.500s", c.args, more, name, r.code, r.stderr)
				}
				if d := sameFiles(state(), before); d != "" {
					t.Errorf("%s %v of %s: %s", c.args, more, name, d)
				}
			}
		}
		half := good + "{ torn\n"
		fresh()
		if r := run(half, "--strict"); r.code != exitFindings || len(state()) > 0 {
			t.Errorf("%s --strict of a torn line: exit code %d, %d files\n%.500s", c.args, r.code, len(state()), r.stderr)
		}
		fresh()
		if r := run(half); r.code != exitFindings || len(state()) == 0 || !strings.Contains(r.stderr, " rejected, ") {
			t.Errorf("%s of a torn line: exit code %d, %d files\n%.500s", c.args, r.code, len(state()), r.stderr)
		}
		for _, accept := range []string{"1", "50%"} {
			fresh()
			if r := run(half, "--max-rejected", accept, "--strict"); r.code != 0 || len(state()) == 0 {
				t.Errorf("%s --max-rejected %s: exit code %d, %d files\n%.500s", c.args, accept, r.code, len(state()), r.stderr)
			}
		}
	}
}
