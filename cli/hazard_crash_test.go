//go:build !windows

package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// hazards are files of foreign data. Each body is put between two good records of a
// kind; good says that both must come out.
func hazards(first, last string) map[string]string {
	join := func(lines ...string) string { return first + "\n" + strings.Join(lines, "\n") + "\n" + last + "\n" }
	set := func(member, value string) string { // the first record with a member replaced
		i := strings.Index(first, `"`+member+`": `)
		if i < 0 {
			return first
		}
		j := i + len(member) + 4
		end := j
		depth := 0
		inString := false
	scan:
		for ; end < len(first); end++ {
			switch c := first[end]; {
			case inString && c == '\\':
				end++
			case c == '"':
				inString = !inString
			case inString:
			case c == '{' || c == '[':
				depth++
			case (c == '}' || c == ']' || c == ',') && depth == 0:
				break scan
			case c == '}' || c == ']':
				depth--
			}
		}
		return first[:j] + value + first[end:]
	}
	members := []string{"id", "conv_id", "payload", "data", "hash", "content", "tags", "meta", "turn_id", "claim_id", "subject", "object", "evidence", "entity_id", "props", "confidence", "labels", "type", "src", "dst", "created_at", "aliases", "record_type", "hits", "probe_id"}
	out := map[string]string{
		"bad json":        join(`{`, `}`, `{"a":`, `[1,2`, `nul`, `{"a":1}}`, `{"a" 1}`, "\x00", `"text"`, `17`, `[]`, `null`, `true`),
		"not numbers":     join(`{"a": NaN}`, set("turn_id", "NaN"), set("confidence", "Infinity"), set("confidence", "-Infinity"), set("confidence", "1e999")),
		"huge numbers":    join(set("turn_id", "123456789012345678901234567890"), set("confidence", "123456789012345678901234567890"), set("turn_id", "-1"), set("turn_id", "1.5"), set("turn_id", "1e3")),
		"twice":           join(first, first),
		"one key twice":   join(`{"id": "a", "id": "b"}`, strings.Replace(first, "{", `{"conv_id": "x", "conv_id": "y", `, 1)),
		"surrogate":       join(strings.ReplaceAll(first, `": "`, `": "\ud800`), strings.ReplaceAll(first, `": "`, `": "\udc00\ud800x`)),
		"bad utf8":        join(strings.ReplaceAll(first, `": "`, "\": \"\xff\xfe\xc3"), "\xff\xff\xff", strings.ReplaceAll(first, `": "`, "\": \"\xed\xa0\x80")),
		"bom":             "\ufeff" + join(),
		"crlf":            strings.ReplaceAll(join(first), "\n", "\r\n"),
		"separators":      join(strings.ReplaceAll(first, `": "`, "\": \"\u2028\u2029\u0085"), "\u2028"),
		"deep":            join(strings.Repeat("[", 10000)+strings.Repeat("]", 10000), strings.Repeat(`{"a":`, 10000)+"1"+strings.Repeat("}", 10000), set("payload", strings.Repeat(`{"a":`, 10000)+"1"+strings.Repeat("}", 10000)), set("meta", strings.Repeat(`{"a":`, 10000)+"1"+strings.Repeat("}", 10000)), set("props", strings.Repeat("[", 10000)+strings.Repeat("]", 10000)), strings.Repeat("[", 10000)),
		"empty":           "",
		"blank":           "\n\n   \n\t\n\r\n",
		"no end":          strings.TrimSuffix(join(), "\n"),
		"torn":            join() + first[:len(first)/2],
		"binary":          join(string(allBytes())),
		"zero bytes":      join(strings.Repeat("\x00", 5000)),
		"odd ids":         join(strings.NewReplacer(`": "`, `": ": | ' \" \\ \n 😀 ｆｕｌｌ％`).Replace(first), strings.ReplaceAll(first, `": "`, `": "%2F..%00\u0000`)),
		"gzip":            gz(join(first), 0),
		"gzip of binary":  gz(string(allBytes()), 0),
		"gzip torn":       gz(strings.Repeat(join(first), 200), 7),
		"gzip head only":  "\x1f\x8b",
		"gzip then junk":  gz(join(), 0) + "junk that is no gzip",
		"zstd":            zst(join(first), 0),
		"zstd torn":       zst(strings.Repeat(join(first), 200), 7),
		"zstd head only":  "\x28\xb5\x2f\xfd",
		"zstd junk":       "\x28\xb5\x2f\xfd" + strings.Repeat("\xff", 100),
		"gzip magic text": "\x1f\x8b" + join(),
	}
	var nulls, kinds []string
	for _, m := range members {
		nulls = append(nulls, set(m, "null"))
		kinds = append(kinds, set(m, "17"), set(m, `"text"`), set(m, "[]"), set(m, "{}"), set(m, `[{}]`), set(m, `[null]`), set(m, "true"), set(m, `""`), set(m, `" "`))
	}
	out["nulls"] = join(nulls...)
	out["wrong kinds"] = join(kinds...)
	return out
}

func allBytes() []byte {
	b := make([]byte, 4096)
	for i := range b {
		b[i] = byte(i*7 + i/256)
	}
	return b
}

// gz packs text and cuts cut bytes off the end.
func gz(text string, cut int) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()[:b.Len()-cut]
}

func zst(text string, cut int) string {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	b := z.EncodeAll([]byte(text), nil)
	return string(b[:len(b)-cut])
}

// inProcess runs a command in this process: a panic anywhere ends the test.
func inProcess(dir string, stdin io.Reader, args ...string) ran {
	var out, words bytes.Buffer
	vars := map[string]string{"TMPDIR": dir, "GOGC": "100"} // a stage does not set the collector of the whole test binary
	e := &env{in: stdin, out: &out, err: &words, getenv: func(k string) string { return vars[k] }, now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }}
	code := run(context.Background(), e, args)
	return ran{code, out.String(), words.String()}
}

// A hazardCommand reads a file F of records of one kind. good names what the two good
// records must leave in the output.
type hazardCommand struct {
	kind string
	args string // F is the file, D its folder, O an output
	good []string
}

const (
	hazEvent1  = `{"scene_id": "s", "character_id": "c", "conv_id": "ch01", "turn_id": 1, "role_type": "human", "role_name": "Me", "content": "I love jasmine tea.", "tags": ["episodic"], "meta": {"user_id": "lin"}}`
	hazEvent2  = `{"scene_id": "s", "character_id": "c", "conv_id": "ch09", "turn_id": 1, "role_type": "human", "role_name": "Me", "content": "I love green mugs.", "tags": ["episodic"], "meta": {"user_id": "lin"}}`
	hazExport1 = `{"id": "00000001-0000-4000-8000-000000000000", "payload": {"scene_id": "s", "character_id": "c", "conv_id": "ch01", "user_id": "lin", "agent_id": "c", "data": "[User] I love jasmine tea.", "hash": "8b81e4a1a1f2ac8f4ff8a7c9fa6b9a3c", "created_at": "2026-02-24T06:33:58Z"}, "collection": "c", "isolation": "global", "exported_at": "2026-02-24T14:34:03Z"}`
	hazExport2 = `{"id": "00000009-0000-4000-8000-000000000000", "payload": {"scene_id": "s", "character_id": "c", "conv_id": "ch09", "user_id": "lin", "agent_id": "c", "data": "[User] I love green mugs.", "created_at": "2026-02-24T06:33:58Z"}, "collection": "c", "isolation": "global", "exported_at": "2026-02-24T14:34:03Z"}`
	hazClaim1  = `{"record_type": "claim", "claim_id": "claim:PREFERS_TOPIC|daily|user:lin|topic:jasmine tea", "predicate": "PREFERS_TOPIC", "subject": {"entity_type": "User", "entity_id": "user:lin"}, "object": {"entity_type": "Topic", "entity_id": "topic:jasmine tea"}, "domain": "daily", "confidence": 0.9, "status": "active", "rank": null, "updated_at": "2026-02-24T06:33:58Z", "evidence": [{"memory_item_id": "mem:8b81e4a1a1f2ac8f4ff8a7c9fa6b9a3c", "point_id": "00000001-0000-4000-8000-000000000000", "conv_id": "ch01", "scene_id": "s", "created_at": "2026-02-24T06:33:58Z", "text": "jasmine tea"}]}`
	hazClaim2  = `{"record_type": "entity", "entity_type": "Topic", "entity_id": "topic:green mugs", "props": {"name": "green mugs", "display": "green mugs"}, "aliases": [], "tags": [], "confidence": 0.9}`
	hazNode1   = `{"id": "mem:fdf2768f19650a2cf47138343608d1a2", "labels": ["MemoryItem"], "props": {"data": "jasmine tea"}}`
	hazNode2   = `{"id": "topic:green mugs", "labels": ["Topic"], "props": {"name": "green mugs"}}`
	hazChat1   = `{"role": "user", "content": "I love jasmine tea.", "name": "lin"}`
	hazChat2   = `{"role": "user", "content": "I love green mugs.", "name": "lin"}`
	hazNorm1   = "# ch01 x\n\n```text\n@scene: s\n[U] I love jasmine tea."
	hazNorm2   = "[U] I love green mugs.\n```"
	hazProbe1  = `{"probe_id": "p1", "conv_id": "ch01", "turn_id": 3, "content": "jasmine tea?", "hits": [], "top_k": 5}`
	hazProbe2  = `{"probe_id": "p2", "conv_id": "ch01", "turn_id": 4, "content": "green mugs?", "hits": [], "top_k": 5}`
)

var hazardKinds = map[string][2]string{"events": {hazEvent1, hazEvent2}, "mem0": {hazExport1, hazExport2}, "claims": {hazClaim1, hazClaim2},
	"nodes": {hazNode1, hazNode2}, "chat": {hazChat1, hazChat2}, "norm": {hazNorm1, hazNorm2}, "probes": {hazProbe1, hazProbe2}}

var hazardCommands = []hazardCommand{
	{"chat", "annotate F --format chat -o O", []string{"jasmine tea", "green mugs"}},
	{"chat", "annotate F -o O", nil},
	{"chat", "annotate F --format openai -o O", nil},
	{"norm", "annotate F --format norm -o O", nil},
	{"norm", "annotate F --format raw -o O", nil},
	{"events", "compile F -o O.jsonl", []string{"jasmine tea"}},
	{"events", "replay ingest F --store O --agent-id c", []string{"jasmine tea", "green mugs"}},
	{"events", "replay link G --events F -o O.jsonl", []string{"jasmine tea", "green mugs"}},
	{"events", "to-graph --events F -o O", []string{"event:ch01:1", "event:ch09:1"}},
	{"events", "migrate F --to 0.0.1 -o O.jsonl", []string{"jasmine tea", "green mugs"}},
	{"mem0", "replay link F --events E -o O", []string{"jasmine tea", "green mugs"}},
	{"mem0", "claimify F -o O", []string{"jasmine tea", "green mugs"}},
	{"mem0", "to-graph --exports F -o O", []string{"jasmine tea", "green mugs"}},
	{"mem0", "to-graph --exports F -o O --schema-version 0.0.1 --memory 1K", []string{"jasmine tea", "green mugs"}},
	{"mem0", "migrate F --to 0.0.1 -o O.jsonl", []string{"jasmine tea", "green mugs"}},
	{"claims", "compile-claims F -o O", []string{"green mugs"}},
	{"claims", "compile-claims F -o O --schema-version 0.0.1 --memory 1K", []string{"green mugs"}},
	{"claims", "to-graph --claims F -o O", []string{"green mugs"}},
	{"claims", "diff F F", nil},
	{"nodes", "cypher F -o O", nil},
	{"nodes", "cypher D -o O", []string{"jasmine tea", "green mugs"}},
	{"nodes", "export F --format jsonld -o O.json", []string{"jasmine tea", "green mugs"}},
	{"nodes", "export F --format graphml -o O.xml", []string{"jasmine tea", "green mugs"}},
	{"nodes", "export F --format admin-csv -o O", []string{"jasmine tea", "green mugs"}},
	{"nodes", "view F -o O.html", nil},
	{"nodes", "diff F F", nil},
	{"nodes", "trace tea --in D", nil},
}

// Every command meets every kind of foreign data: it does not panic, ends with one of
// its exit codes, names the file and the line of what it leaves out, and the good
// records of the same file come out.
func TestHazards(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	commands := slices.Clone(hazardCommands)
	for kind := range hazardKinds {
		commands = append(commands, hazardCommand{kind, "validate F", nil}, hazardCommand{kind, "validate F --schema-only --format sarif", nil})
	}
	put(t, filepath.Join(dir, "e"), map[string]string{"events.jsonl": hazEvent1 + "\n" + hazEvent2 + "\n", "exports.jsonl": hazExport1 + "\n" + hazExport2 + "\n"})
	n := 0
	for _, c := range commands {
		for name, text := range hazards(hazardKinds[c.kind][0], hazardKinds[c.kind][1]) {
			n++
			in := filepath.Join(dir, "in")
			file := filepath.Join(in, c.kind+".jsonl")
			if c.kind == "norm" {
				file = filepath.Join(in, "ch01_x.norm.md")
			}
			put(t, in, map[string]string{filepath.Base(file): text})
			out := filepath.Join(dir, "o")
			for _, old := range []string{out, out + ".jsonl", out + ".json", out + ".xml", out + ".html"} {
				os.RemoveAll(old)
			}
			var args []string
			for _, a := range strings.Fields(c.args) {
				switch {
				case a == "F":
					a = file
				case a == "D":
					a = in
				case a == "E":
					a = filepath.Join(dir, "e", "events.jsonl")
				case a == "G":
					a = filepath.Join(dir, "e", "exports.jsonl")
				case strings.HasPrefix(a, "O"):
					a = out + a[1:]
				}
				args = append(args, a)
			}
			r := inProcess(dir, strings.NewReader(""), args...)
			how := c.args + " of " + name
			if r.code < 0 || r.code > 3 || strings.Contains(r.stderr, "goroutine ") {
				t.Errorf("%s: exit code %d\n%.600s", how, r.code, r.stderr)
				continue
			}
			broken := strings.HasSuffix(name, "torn") && name != "torn" || strings.HasSuffix(name, "only") || strings.HasSuffix(name, "junk") || name == "gzip magic text"
			if broken && !strings.Contains(r.stderr+r.stdout, filepath.Base(file)) && !strings.Contains(c.args, "norm") && !strings.Contains(c.args, "raw") {
				t.Errorf("%s: exit code %d, and the file is not named\n%.600s", how, r.code, r.stderr)
			}
			if (name == "bad json" || name == "bad utf8") && !strings.Contains(r.stderr+r.stdout, filepath.Base(file)) && c.kind != "norm" {
				t.Errorf("%s: no finding names the file\n%.600s", how, r.stderr)
			}
			if broken || name == "empty" || name == "blank" || name == "gzip of binary" {
				continue
			}
			if len(c.good) > 0 && r.code != exitFine && r.code != exitFindings {
				t.Errorf("%s: exit code %d\n%.600s", how, r.code, r.stderr)
				continue
			}
			var all strings.Builder
			for _, have := range []map[string]string{files(t, out), files(t, dir)} {
				for f, text := range have {
					if strings.HasPrefix(f, "o") || !strings.Contains(f, "/") && len(have) > 0 && f != "e" {
						all.WriteString(text)
					}
				}
			}
			for _, want := range c.good {
				if !strings.Contains(all.String(), want) {
					t.Errorf("%s: %q did not come out\n%.600s", how, want, r.stderr)
				}
			}
		}
	}
	t.Logf("%d runs", n)
}

// A line of 20 MB costs no more than a few times its size, and with MEMBENCH_SOAK a
// line of 100 MB, longer than --max-line, costs nothing.
func TestLongLines(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	sizes := []int{20 << 20}
	if os.Getenv("MEMBENCH_SOAK") != "" {
		sizes = append(sizes, 100<<20)
	}
	for _, size := range sizes {
		for _, c := range hazardCommands {
			pair := hazardKinds[c.kind]
			if c.good == nil || c.kind == "chat" || strings.Contains(c.args, "F ") == false && !strings.Contains(c.args, "D ") {
				continue
			}
			if size == 20<<20 && !slices.Contains([]string{"compile F -o O.jsonl", "to-graph --exports F -o O", "compile-claims F -o O", "cypher D -o O", "replay ingest F --store O --agent-id c"}, c.args) {
				continue
			}
			text := strings.Repeat("tea ", size/4)
			long := strings.Replace(pair[0], "jasmine tea", text, 1)
			in := filepath.Join(dir, "in")
			put(t, in, map[string]string{c.kind + ".jsonl": pair[0] + "\n" + long + "\n" + pair[1] + "\n"})
			put(t, filepath.Join(dir, "o"), nil)
			args := strings.NewReplacer("F", "in/"+c.kind+".jsonl", " D ", " in ", "O", "o/x", "G", "e/exports.jsonl", "E", "e/events.jsonl").Replace(c.args)
			put(t, filepath.Join(dir, "e"), map[string]string{"events.jsonl": hazEvent1 + "\n" + hazEvent2 + "\n", "exports.jsonl": hazExport1 + "\n" + hazExport2 + "\n"})
			began := time.Now()
			r, peak := runWatched(t, start(t, dir, strings.Fields(args)...))
			limit := int64(12*size) + 96<<20
			if size > 64<<20 {
				limit = 64<<20*4 + 96<<20
			}
			if r.code != exitFine && r.code != exitFindings || peak > limit || size > 64<<20 && !strings.Contains(r.stderr, ":2: JSON003") {
				t.Errorf("%s of a line of %d MB: exit code %d, %d MB of memory, want at most %d\n%.400s", c.args, size>>20, r.code, peak>>20, limit>>20, r.stderr)
			}
			t.Logf("%-60s %3d MB line: %4d MB, %v", c.args, size>>20, peak>>20, time.Since(began).Round(100*time.Millisecond))
		}
	}
}
