package validate_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
	"membench/schema/validate"
)

var cat = catalog.Default()

type file struct {
	name string
	text string
}

// check runs a set of files and returns its findings as "name:line:col pointer CODE",
// with "?" after the code of a warning.
func check(t *testing.T, v schema.Version, o validate.Options, files ...file) (out []string, c *validate.Checker) {
	t.Helper()
	c = validate.New(cat, o)
	add := func(f *schema.Finding, err error) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := schema.Code(f.Code); !ok {
			t.Errorf("code %s is not listed", f.Code)
		}
		s := fmt.Sprintf("%s %s %s", f.Pos, f.Pointer, f.Code)
		if f.Warning {
			s += "?"
		}
		out = append(out, strings.ReplaceAll(s, "  ", " "))
	}
	for _, f := range files {
		for x, err := range c.Stream(strings.NewReader(f.text), f.name, "", v) {
			add(x, err)
		}
	}
	for x, err := range c.Close() {
		add(x, err)
	}
	return out, c
}

const (
	event  = `{"scene_id": "s", "character_id": "c", "conv_id": "ch01", "turn_id": %d, "role_type": "human", "role_name": "我", "content": "你好", "tags": ["episodic"], "meta": {}}`
	memory = `{"id": "06eb0189-e0cd-4516-af48-262e2172abd8", "payload": {"conv_id": "ch02", "data": "Name is Congyin", "hash": "ec69f1ce8081ebb3e0b4c6c5ed484377", "created_at": "2026-02-24T06:33:58.595077-08:00"}, "collection": "m", "isolation": "global", "exported_at": "2026-02-24T14:34:03Z"}`
	claim  = `{"record_type":"claim","claim_id":"claim:PREFERS_TOPIC|daily|agent:c|tag:t","predicate":"PREFERS_TOPIC","subject":{"entity_type":"Agent","entity_id":"agent:c"},"object":{"entity_type":"Tag","entity_id":"tag:t"},"domain":"daily","confidence":0.86,"status":"active","rank":null,"updated_at":"2026-02-24T18:22:22Z","evidence":[{"memory_item_id":"mem:ec69f1ce8081ebb3e0b4c6c5ed484377","point_id":"06eb0189-e0cd-4516-af48-262e2172abd8","conv_id":"ch02","scene_id":"s","created_at":"2026-02-24T18:21:58Z","text":"Name is Congyin"}]}`
	entity = `{"record_type":"entity","entity_type":"Tag","entity_id":"tag:t","props":{"name":"t","display":"t"},"aliases":[],"tags":[],"confidence":0.85}`
	node   = `{"id": "tag:t", "labels": ["Tag"], "props": {"name": "t"}}`
	char   = `{"id": "char:c", "labels": ["Character"], "props": {"character_id": "c"}}`
	mem    = `{"id": "mem:ec69f1ce8081ebb3e0b4c6c5ed484377", "labels": ["MemoryItem"], "props": {"data": "Name is Congyin", "payload_hash": "ec69f1ce8081ebb3e0b4c6c5ed484377", "point_id": "p"}}`
	edge   = `{"id": "edge:OWNS_MEMORY:char:c:mem:ec69f1ce8081ebb3e0b4c6c5ed484377", "type": "OWNS_MEMORY", "src": "char:c", "dst": "mem:ec69f1ce8081ebb3e0b4c6c5ed484377", "props": {}}`
)

func turn(n int) string { return fmt.Sprintf(event, n) }

// with replaces one piece of a line.
func with(line, old, new string) string {
	if !strings.Contains(line, old) {
		panic("no " + old + " in " + line)
	}
	return strings.Replace(line, old, new, 1)
}

func without(line, member string) string { return with(line, member, "") }

// Every case is one file. Its last line is good and must still be read: the number of
// records says so. Positions in want leave out the file's name.
var cases = []struct {
	name  string
	v     schema.Version // "" is 0.1.0
	file  string         // "" is f.jsonl
	lines []string
	want  []string
}{
	// JSON
	{"bad byte", "", "", []string{with(node, `"name": "t"`, "\"name\": \"\xff\""), char}, []string{"1:55 /props/name JSON005", "1:8 /id ID002"}},
	{"cut line", "", "nodes.jsonl", []string{node[:40], char}, []string{"1:41 JSON009"}},
	{"cut in a string", "", "nodes.jsonl", []string{node[:len(node)-4], char}, []string{"1:55 /props/name JSON009"}},
	{"array as a line", "", "nodes.jsonl", []string{`["tag:t", ["Tag"]]`, char}, []string{"1:1 SCH001"}},
	{"string as a line", "", "", []string{char, `"x"`, char}, []string{"2:1 SCH001", "3:8 /id GRF003"}},
	{"nothing to tell the kind", "", "", []string{`{"x": 1}`, char}, []string{"1:1 SCH010"}},
	{"number with a leading zero", "", "edges.jsonl", []string{`{"id": 01}`, char}, []string{"1:9 /id JSON001"}},
	{"duplicate key", "", "", []string{with(node, `"props"`, `"labels": ["Tag"], "props"`), char}, []string{"1:36 /labels JSON004"}},
	{"duplicate key, escaped", "", "", []string{with(node, `"props"`, `"l\u0061bels": ["Tag"], "props"`), char}, []string{"1:36 /labels JSON004"}},
	{"duplicate key deep inside, last counts", "", "", []string{with(node, `"name": "t"`, `"name": "x", "a": {"b": 1, "b": 2}, "name": "t"`), char}, []string{"1:73 /props/a/b JSON004", "1:82 /props/name JSON004"}},
	{"NaN, Infinity", "", "", []string{with(claim, "0.86", "NaN"), with(char, `"c"}`, `"c", "a": -Infinity, "b": Infinity}`)}, []string{"1:242 /confidence JSON007", "2:79 /props/a JSON007", "2:95 /props/b JSON007"}},
	{"huge number", "", "", []string{with(claim, "0.86", "1e999999999"), char}, []string{"1:242 /confidence JSON011"}},
	{"lone surrogate", "", "", []string{with(node, `"name": "t"`, `"name": "t", "x": "\ud83d and \ud83d\udc69"`), char}, []string{"1:65 /props/x JSON006"}},
	{"raw control character", "", "", []string{with(node, `"name": "t"`, "\"name\": \"t\", \"x\": \"a\tb\""), char}, []string{"1:66 /props/x JSON012"}},
	{"trailing data", "", "", []string{node + ` {"id": "tag:u"}`, char}, []string{"1:60 JSON010"}},
	{"byte order mark inside", "", "", []string{char, "\ufeff" + node}, []string{"2:1 JSON001"}},
	{"byte order mark at the start, CRLF, blank lines", "", "", []string{"\ufeff" + with(node, `["Tag"]`, `["Tug"]`) + "\r", "\r", " \t", char + "\r"}, []string{"1:28 /labels/0 GRF001"}},
	{"deep nesting", "", "", []string{with(node, `"t"}`, strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+"}"), char}, []string{"1:1052 /props/name/0/0/0/0/0/0/0/0/0/0/0/0/0/0 JSON008"}},
	{"single quotes", "", "nodes.jsonl", []string{`{'id': 1}`, char}, []string{"1:2 JSON001"}},
	{"columns count code points", "", "", []string{with(with(node, `"tag:t"`, `"tag:你好👩"`), `"t"}`, `"你好👩", "b": tru}`), char}, []string{"1:68 /props/b JSON001"}},

	// Graph: the kinds that KGX's validator misses, and the rest
	{"missing id", "", "nodes.jsonl", []string{without(node, `"id": "tag:t", `), char}, []string{"1:1 SCH002"}},
	{"empty id", "", "", []string{with(node, `"tag:t"`, `""`), char}, []string{"1:8 /id SCH006"}},
	{"null id", "", "", []string{with(node, `"tag:t"`, `null`), char}, []string{"1:8 /id SCH001"}},
	{"empty labels", "", "", []string{with(node, `["Tag"]`, `[]`), char}, []string{"1:27 /labels SCH006"}},
	{"empty label", "", "", []string{with(node, `["Tag"]`, `["Tag", ""]`), char}, []string{"1:35 /labels/1 SCH006"}},
	{"label outside the catalogue", "", "", []string{with(node, `"Tag"`, `"Tug"`), char}, []string{"1:28 /labels/0 GRF001"}},
	{"label injection", "", "", []string{with(node, `"Tag"`, "\"Tag` DETACH DELETE n //\""), char}, []string{"1:28 /labels/0 GRF001"}},
	{"props no object", "", "", []string{with(node, `{"name": "t"}`, `[]`), char}, []string{"1:45 /props SCH001"}},
	{"props missing", "", "", []string{with(node, `, "props": {"name": "t"}`, ``), char}, []string{"1:1 SCH002"}},
	{"duplicate node id", "", "", []string{char, node, node, with(char, `"c"`, `"c", "x": 1`)}, []string{"3:8 /id GRF003", "4:8 /id GRF003"}},
	{"one id for two things", "", "", []string{char, node, with(node, `"Tag"`, `"Topic"`)}, []string{"3:8 /id GRF006", "3:8 /id ID001"}},
	{"prefix of another label", "", "", []string{with(node, `"tag:t"`, `"topic:t"`), char}, []string{"1:8 /id GRF006"}},
	{"id not that of the name", "", "", []string{with(node, `"tag:t"`, `"tag:u"`), char}, []string{"1:8 /id ID002"}},
	{"id not escaped", "", "", []string{with(node, `"tag:t"`, `"tag:a:b"`), char}, []string{"1:8 /id ID002"}},
	{"id outside the grammar", "", "", []string{with(with(node, `"tag:t"`, `"tag:a|b"`), `"name": "t"`, `"x": 1`), char}, []string{"1:8 /id ID003"}},
	{"mem id not md5 of data", "", "", []string{with(mem, "mem:ec69f", "mem:ec69e"), char}, []string{"1:8 /id ID002"}},
	{"id too long", "", "", []string{with(with(node, `"tag:t"`, `"tag:`+strings.Repeat("长", 1400)+`"`), `"t"}`, `"`+strings.Repeat("长", 1400)+`"}`), char}, []string{"1:8 /id ID020"}},
	{"domain and predicate nodes", "", "", []string{`{"id": "dom:char:c:daily", "labels": ["Domain"], "props": {"domain": "daily", "character_id": "c"}}`, `{"id": "pred:user:u:daily:PREFERS_TOPIC", "labels": ["Predicate"], "props": {"predicate": "PREFERS_TOPIC", "domain": "daily", "character_id": "user:u"}}`,
		`{"id": "dom:char:c:reading", "labels": ["Domain"], "props": {"domain": "daily", "character_id": "c"}}`, char}, []string{"3:8 /id ID002"}},
	{"a misspelt property of a claim", "", "nodes.jsonl", []string{`{"id": "claim:HAS|life|user:u|topic:t", "labels": ["Claim"], "props": {"predicate": "HAS", "statsu": "active", "confidnce": 8.7, "rnk": 1, "ranks": 2, "rank": 1, "mood": "own", "invalid_at": "2026-03-01T09:00:00Z"}}`, char}, []string{"1:92 /props/statsu GRF016?", "1:112 /props/confidnce GRF016?"}},
	{"a misspelt property of a turn", "", "nodes.jsonl", []string{`{"id": "event:c:1", "labels": ["Event"], "props": {"conv_id": "c", "turn_id": 1, "contnet": "hi", "mine": 1}}`, char}, []string{"1:82 /props/contnet GRF016?"}},
	{"a misspelt property of an edge", "", "", []string{`{"id": "edge:HAS_DOMAIN:char:c:dom:char:c:daily", "type": "HAS_DOMAIN", "src": "char:c", "dst": "dom:char:c:daily", "props": {"character_id": "c", "domian": "daily", "own": 2}}`, char, `{"id": "dom:char:c:daily", "labels": ["Domain"], "props": {"domain": "daily", "character_id": "c"}}`}, []string{"1:148 /props/domian GRF016?", "2 GRF007?"}},
	{"what the properties of a claim say", "", "nodes.jsonl", []string{`{"id": "claim:HAS|life|user:u|topic:t", "labels": ["Claim"], "props": {"status": "actve", "confidence": 8.7, "valid_at": "2026-13-01T00:00:00Z"}}`, char}, []string{"1:82 /props/status GRF015", "1:105 /props/confidence GRF015", "1:122 /props/valid_at GRF015"}},
	{"reserved and unloadable properties", "", "", []string{with(node, `"name": "t"`, `"name": "t", "type": 1, "n": 9223372036854775808, "m": -9223372036854775808`), char}, []string{"1:67 /props/type GRF010?", "1:75 /props/n GRF011?"}},
	{"reversed dates", "", "", []string{with(char, `"c"}`, `"c", "valid_at": "2026-02-24T23:50:00-08:00", "invalid_at": "2026-02-25T00:10:00Z"}`), with(node, `"t"}`, `"t", "start_line": 5, "end_line": 4}`)}, []string{"1:129 /props/invalid_at GRF009", "2:88 /props/end_line GRF009"}},
	{"missing end", "", "edges.jsonl", []string{without(edge, `"src": "char:c", `), char}, []string{"1:1 SCH002", "2: GRF007?", "1:102 /dst GRF004?"}},
	{"missing type", "", "edges.jsonl", []string{without(edge, `"type": "OWNS_MEMORY", `), char, mem}, []string{"1:1 SCH002", "2: GRF007?"}},
	{"null end", "", "edges.jsonl", []string{with(edge, `"src": "char:c"`, `"src": null`), char, mem}, []string{"1:102 /src SCH001", "2: GRF007?"}},
	{"dangling edge", "", "", []string{char, with(mem, `"Name is`, `"Nome is`), edge, with(with(edge, "edge:OWNS_MEMORY:char:c:", "edge:OWNS_MEMORY:char:d:"), `"src": "char:c"`, `"src": "char:d"`)}, []string{"2:8 /id ID002", "4:102 /src GRF004"}},
	{"edge type outside the catalogue", "", "", []string{char, mem, strings.ReplaceAll(edge, "OWNS_MEMORY", "HOLDS"), edge}, []string{"3:74 /type GRF002"}},
	{"ends not allowed", "", "", []string{char, node, mem, `{"id": "edge:OWNS_MEMORY:tag:t:char:c", "type": "OWNS_MEMORY", "src": "tag:t", "dst": "char:c", "props": {}}`, edge}, []string{"4:71 /src GRF005", "4:87 /dst GRF005"}},
	{"ends not allowed, node after edge", "", "", []string{`{"id": "edge:ABOUT:tag:t:char:c", "type": "ABOUT", "src": "tag:t", "dst": "char:c", "props": {}}`, char, node}, []string{"2: GRF007?", "1:59 /src GRF005"}},
	{"duplicate edge id", "", "", []string{char, mem, edge, edge}, []string{"4:8 /id GRF003"}},
	{"edge id not that of its parts", "", "", []string{char, mem, with(edge, "edge:OWNS_MEMORY:char:c", "edge:OWNS_MEMORY:char:d"), edge}, []string{"3:8 /id ID002"}},
	{"composite ids that clash (0.0.1)", "0.0.1", "", []string{
		`{"id": "conv:p", "labels": ["Conversation"], "props": {"conv_id": "p"}}`, `{"id": "scene:q:scene:r", "labels": ["Scene"], "props": {"scene_id": "q:scene:r"}}`,
		`{"id": "conv:p:scene:q", "labels": ["Conversation"], "props": {"conv_id": "p:scene:q"}}`, `{"id": "scene:r", "labels": ["Scene"], "props": {"scene_id": "r"}}`,
		`{"id": "edge:CONV_IN_SCENE:conv:p:scene:q:scene:r", "type": "CONV_IN_SCENE", "src": "conv:p", "dst": "scene:q:scene:r", "props": {}}`,
		`{"id": "edge:CONV_IN_SCENE:conv:p:scene:q:scene:r", "type": "CONV_IN_SCENE", "src": "conv:p:scene:q", "dst": "scene:r", "props": {}}`},
		[]string{"2:8 /id ID010?", "3:8 /id ID010?", "6:8 /id ID001"}},
	{"the existing chain's edge ids (0.0.1)", "0.0.1", "", []string{
		`{"id": "char:c", "labels": ["Character"], "props": {}}`, `{"id": "dom:char:c:daily", "labels": ["Domain"], "props": {"domain": "daily", "character_id": "c"}}`,
		`{"id": "has_domain:char:c:daily", "type": "HAS_DOMAIN", "src": "char:c", "dst": "dom:char:c:daily", "props": {"character_id": "c", "domain": "daily"}}`,
		`{"id": "has_domain:char:c:reading", "type": "HAS_DOMAIN", "src": "char:c", "dst": "dom:char:c:daily", "props": {"character_id": "c", "domain": "daily"}}`}, []string{"4:8 /id ID002"}},
	{"NEXT and REPLY_TO", "", "", []string{
		`{"id": "event:c:1", "labels": ["Event"], "props": {"conv_id": "c", "turn_id": 1}}`, `{"id": "event:c:2", "labels": ["Event"], "props": {"conv_id": "c", "turn_id": 2}}`, `{"id": "event:d:3", "labels": ["Event"], "props": {"conv_id": "d", "turn_id": 3}}`,
		`{"id": "edge:NEXT:event:c:2:event:c:1", "type": "NEXT", "src": "event:c:2", "dst": "event:c:1", "props": {}}`,
		`{"id": "edge:NEXT:event:c:2:event:d:3", "type": "NEXT", "src": "event:c:2", "dst": "event:d:3", "props": {}}`,
		`{"id": "edge:REPLY_TO:event:c:1:event:c:2", "type": "REPLY_TO", "src": "event:c:1", "dst": "event:c:2", "props": {}}`,
		`{"id": "edge:NEXT:event:c:1:event:c:2", "type": "NEXT", "src": "event:c:1", "dst": "event:c:2", "props": {}}`},
		[]string{"4:84 /dst GRF008", "5:84 /dst GRF008", "6:92 /dst GRF008"}},
	{"event node against its props", "", "", []string{`{"id": "event:c:1", "labels": ["Event"], "props": {"conv_id": "c", "turn_id": 2}}`, char}, []string{"1:8 /id ID002"}},

	// Events
	{"turns out of order, repeated, missing", "", "", []string{turn(1), turn(2), turn(5), turn(4), turn(5), turn(6), turn(7)}, []string{"3:70 /turn_id EVT002", "4:70 /turn_id EVT001", "5:70 /turn_id EVT003"}},
	{"an excerpt", "", "", []string{turn(3), turn(4), turn(7)}, []string{"1:70 /turn_id EVT002?", "3:70 /turn_id EVT002?"}},
	{"gap in 0.0.1", "0.0.1", "", []string{turn(1), turn(3), turn(4)}, []string{"2:70 /turn_id EVT002?"}},
	{"conversation comes back", "", "", []string{turn(1), with(turn(1), "ch01", "ch02"), turn(2), with(turn(2), "ch01", "ch02")}, nil},
	{"turn as text, zero, float, true", "", "", []string{with(turn(1), ": 1,", `: "1",`), with(turn(1), ": 1,", `: 0,`), with(turn(1), ": 1,", `: 1.5,`), with(turn(1), ": 1,", `: true,`), turn(1)}, []string{"1:70 /turn_id SCH001", "2:70 /turn_id SCH006", "3:70 /turn_id SCH001", "4:70 /turn_id SCH001"}},
	{"two tags, no tag, unknown tag", "", "", []string{with(turn(1), `["episodic"]`, `["episodic", "filler"]`), with(turn(2), `["episodic"]`, `[]`), with(turn(3), `["episodic"]`, `["canon"]`), turn(4)}, []string{"1:138 /tags EVT004", "2:138 /tags EVT004", "3:139 /tags/0 SCH003"}},
	{"two tags in 0.0.1", "0.0.1", "", []string{with(turn(1), `["episodic"]`, `["episodic", "filler"]`), turn(2)}, []string{"1:138 /tags EVT004?"}},
	{"unknown role, meta missing, extra member kept", "", "", []string{with(turn(1), `"human"`, `"robot"`), with(turn(2), `, "meta": {}`, ``), with(turn(3), `"meta": {}`, `"meta": {"mine": [1]}, "more": {}`), turn(4)}, []string{"1:86 /role_type SCH003", "2:1 SCH002"}},
	{"all canon_only", "", "", []string{with(turn(1), "episodic", "canon_only"), with(turn(2), "episodic", "canon_only")}, []string{"1: EVT010?"}},
	{"little episodic", "", "", []string{with(turn(1), "episodic", "canon_only"), with(turn(2), "episodic", "canon_only"), with(turn(3), "episodic", "canon_only"), turn(4)}, []string{"1: EVT011?"}},
	{"inject, probe and what it expects", "", "", []string{
		with(with(turn(1), "episodic", "inject"), `{}`, `{"inject_id": "i_ch01_001"}`), with(with(turn(2), "episodic", "probe"), `{}`, `{"probe_id": "p_ch01_001", "expects": ["i_ch01_001", "i_ch01_002"]}`),
		with(with(turn(3), "episodic", "probe"), `{}`, `{"probe_id": "p_ch01_001"}`), with(turn(4), "episodic", "probe"), turn(5), turn(6), turn(7)},
		[]string{"3:170 /meta/probe_id EVT009", "4:157 /meta EVT008?", "2:210 /meta/expects/1 EVT007"}},
	{"integers that no reader takes", "", "", []string{with(turn(1), `"turn_id": 1`, `"turn_id": 1.0`), with(turn(2), `"turn_id": 2`, `"turn_id": 1e308`), with(turn(3), `{}`, `{"source_path": "a.md", "start_line": 9223372036854775808, "end_line": 3e0}`)}, []string{"1:70 /turn_id JSON002", "2:70 /turn_id JSON002", "3:198 /meta/start_line JSON002", "3:231 /meta/end_line JSON002", "3:70 /turn_id EVT002?"}},
	{"source spans", "", "", []string{with(turn(1), `{}`, `{"source_path": "D:/x.md", "start_line": 5, "end_line": 3}`), with(turn(2), `{}`, `{"source_path": "a\\b.md"}`), turn(3)}, []string{"1:176 /meta/source_path SRC101?", "1:216 /meta/end_line SRC102", "2:176 /meta/source_path SRC101?"}},
	{"a time that is none", "", "", []string{with(turn(1), `{}`, `{"time": "2026-02-24 06:33"}`), turn(2)}, []string{"1:169 /meta/time SCH005"}},
	{"conv id beyond chXX (0.0.1)", "0.0.1", "", []string{with(turn(1), "ch01", "2026-02-27"), turn(1)}, []string{"1:51 /conv_id SCH020?"}},

	// Exports
	{"null payload", "", "", []string{`{"id": "x", "payload": null, "collection": "m", "isolation": "global", "exported_at": "2026-02-24T14:34:03Z"}`, memory}, []string{"1:24 /payload SCH001"}},
	{"payload missing", "", "export.jsonl", []string{`{"id": "x", "collection": "m", "isolation": "global", "exported_at": "2026-02-24T14:34:03Z"}`, memory}, []string{"1:1 SCH002"}},
	{"payload no object", "", "", []string{`{"id": "x", "payload": "p", "collection": "m", "isolation": "global", "exported_at": "2026-02-24T14:34:03Z"}`, memory}, []string{"1:24 /payload SCH001"}},
	{"wrong hash", "", "", []string{with(memory, "ec69f", "ec69e"), with(memory, "abd8", "abd9")}, []string{"1:114 /payload/hash MEM001"}},
	{"wrong hash in 0.0.1", "0.0.1", "", []string{with(memory, "ec69f", "ec69e"), with(memory, "abd8", "abd9")}, []string{"1:114 /payload/hash MEM001?"}},
	{"no hash", "", "", []string{without(memory, `"hash": "ec69f1ce8081ebb3e0b4c6c5ed484377", `), with(memory, "abd8", "abd9")}, []string{"1:59 /payload MEM002?"}},
	{"no data", "", "", []string{without(memory, `"data": "Name is Congyin", `), with(memory, "abd8", "abd9")}, []string{"1:59 /payload SCH002", "1:59 /payload MEM004?"}},
	{"same text twice is no fault", "", "", []string{memory, with(memory, "abd8", "abd9")}, nil},
	{"same point twice", "", "", []string{memory, memory}, []string{"2:8 /id MEM006"}},
	{"same hash, other text (0.0.1)", "0.0.1", "", []string{memory, with(with(memory, "Name", "Nome"), "abd8", "abd9"), with(memory, "abd8", "abda")}, []string{"2:114 /payload/hash MEM001?", "2:87 /payload/data MEM003", "3:87 /payload/data MEM003"}},
	{"instants reversed", "", "", []string{with(memory, `"created_at": "2026-02-24T06:33:58.595077-08:00"`, `"created_at": "2026-02-24T06:33:58-08:00", "updated_at": "2026-02-24T06:33:58Z"`), with(memory, "abd8", "abd9")}, []string{"1:207 /payload/updated_at MEM005?"}},
	{"not an instant", "", "", []string{with(memory, "2026-02-24T06:33:58.595077-08:00", "yesterday"), with(memory, "2026-02-24T14:34:03Z", "2026-02-24T14:34:03"), with(memory, "abd8", "abd9")}, []string{"1:164 /payload/created_at SCH005", "2:258 /exported_at SCH005", "2:8 /id MEM006"}},
	{"what exists in the wild (0.0.1)", "0.0.1", "", []string{with(with(with(memory, `"global"`, `"per_chapter"`), `"conv_id": "ch02"`, `"conv_id": "ch02", "owner_type": "Character", "owner_infer": "ambiguous"`), "06eb0189-e0cd-4516-af48-262e2172abd8", "7"), with(memory, "2026-02-24T14:34:03Z", "2026-02-24")},
		[]string{"1:8 /id SCH020?", "1:58 /payload/owner_type SCH020?", "1:86 /payload/owner_infer SCH020?", "1:253 /isolation SCH020?", "2:258 /exported_at SCH020?"}},
	{"unknown isolation and owner", "", "", []string{with(memory, `"global"`, `"per_user"`), with(memory, `"conv_id": "ch02"`, `"conv_id": "ch02", "owner_type": "Robot"`), with(memory, "abd8", "abd9")}, []string{"1:233 /isolation SCH003", "2:93 /payload/owner_type SCH003", "2:8 /id MEM006"}},

	// Claims and entities
	{"claim id not that of its parts", "", "", []string{with(claim, "claim:PREFERS_TOPIC|daily|agent:c|tag:t", "claim:PREFERS_TOPIC|daily|agent:c|tag:u"), entity}, []string{"1:35 /claim_id ID002", "1:150 /subject/entity_id LNK004?"}},
	{"predicate unknown, of another domain, with other types", "", "", []string{strings.ReplaceAll(claim, "PREFERS_TOPIC", "LOVES"), with(with(claim, `"domain":"daily"`, `"domain":"reading"`), "|daily|", "|reading|"),
		strings.ReplaceAll(strings.ReplaceAll(claim, "tag:t", "author:t"), `"Tag"`, `"Author"`), strings.ReplaceAll(claim, "PREFERS_TOPIC", "AUTHOR_WROTE_WORK")},
		[]string{"1:81 /predicate CLM001", "2:223 /domain CLM002", "3:188 /object/entity_type CLM004", "4:93 /predicate CLM005"}},
	{"domain of another predicate (0.0.1)", "0.0.1", "", []string{with(with(claim, `"domain":"daily"`, `"domain":"reading"`), "|daily|", "|reading|"), claim}, []string{"1:223 /domain CLM002?"}},
	{"confidence out of range, as text, true", "", "", []string{with(claim, "0.86", "1.01"), with(claim, "0.86", `"0.5"`), with(claim, "0.86", "true"), with(claim, "0.86", "-0.0")}, []string{"1:242 /confidence SCH006", "2:242 /confidence SCH001", "2:35 /claim_id CLM007", "3:242 /confidence SCH001", "3:35 /claim_id CLM007", "4:35 /claim_id CLM007"}},
	{"statuses", "0.0.1", "", []string{with(claim, `"active"`, `"candidate"`), strings.ReplaceAll(with(claim, `"active"`, `"gone"`), "tag:t", "tag:u")}, []string{"1:256 /status SCH020?", "2:256 /status SCH003"}},
	{"rank missing", "0.0.1", "", []string{without(claim, `"rank":null,`), strings.ReplaceAll(claim, "tag:t", "tag:u")}, []string{"1:1 SCH020?"}},
	{"rank missing in 0.1.0, rank true", "", "", []string{without(claim, `"rank":null,`), strings.ReplaceAll(with(claim, `null`, `true`), "tag:t", "tag:u"), strings.ReplaceAll(with(claim, `null`, `1.0`), "tag:t", "tag:v")}, []string{"1:1 SCH002", "2:272 /rank SCH001"}},
	{"record type unknown", "", "", []string{claim, with(entity, `"record_type":"entity"`, `"record_type":"thing"`)}, []string{"2:16 /record_type SCH003", "1:150 /subject/entity_id LNK004?"}},
	{"no evidence", "", "", []string{with(claim, claim[strings.Index(claim, `"evidence":[`)+12:len(claim)-2], ""), strings.ReplaceAll(claim, "tag:t", "tag:u")}, []string{"1:324 /evidence SCH006"}},
	{"text is not the memory's", "", "", []string{with(claim, "Name is", "Nome is"), strings.ReplaceAll(claim, "tag:t", "tag:u")}, []string{"1:507 /evidence/0/text LNK002"}},
	{"compiled by HEAD: evidence lost (0.0.1)", "0.0.1", "", []string{with(claim, claim[strings.Index(claim, `"memory_item_id"`):len(claim)-3], `"point_id":"p","memory_item_id":null,"created_at":null`), strings.ReplaceAll(claim, "tag:t", "tag:u")},
		[]string{"1:325 /evidence/0 SCH020?", "1:325 /evidence/0 SCH020?", "1:325 /evidence/0 SCH020?", "1:358 /evidence/0/memory_item_id SCH020?", "1:376 /evidence/0/created_at SCH020?"}},
	{"deprecated without a reason, unknown successor", "", "", []string{with(claim, `"active"`, `"deprecated"`), strings.ReplaceAll(with(claim, `"active"`, `"deprecated","deprecated_reason":"newer","superseded_by":"claim:PREFERS_TOPIC|daily|agent:c|tag:x"`), "tag:t", "tag:u")}, []string{"1:256 /status CLM006?", "2:313 /superseded_by LNK005"}},
	{"duplicate claim", "", "", []string{claim, claim}, []string{"2:35 /claim_id CLM007"}},
	{"bars in names make claims clash (0.0.1)", "0.0.1", "", []string{
		strings.ReplaceAll(strings.ReplaceAll(claim, "agent:c", "agent:a"), "tag:t", "tag:b|tag:c"), strings.ReplaceAll(strings.ReplaceAll(claim, "agent:c", "agent:a|tag:b"), "tag:t", "tag:c")},
		[]string{"1:209 /object/entity_id ID010?", "2:156 /subject/entity_id ID010?", "2:35 /claim_id ID001"}},
	{"entity type unknown, prefix of another, name of another", "", "", []string{with(entity, `"Tag"`, `"Tug"`), with(entity, `"Tag"`, `"Topic"`), with(with(entity, `"tag:t"`, `"tag:u"`), `"t"`, `"v"`), strings.ReplaceAll(entity, "t\"", "w\"")},
		[]string{"1:39 /entity_type CLM003", "2:59 /entity_id ID002", "2:59 /entity_id ID001", "3:57 /entity_id ID002"}},
	{"entity aliases hold null", "", "", []string{with(entity, `"aliases":[]`, `"aliases":["a",null]`), strings.ReplaceAll(entity, "t\"", "u\"")}, []string{"1:115 /aliases/1 SCH001"}},
	{"entity lists missing (0.0.1)", "0.0.1", "", []string{without(entity, `"aliases":[],"tags":[],`), strings.ReplaceAll(entity, "t\"", "u\"")}, []string{"1:1 SCH020?", "1:1 SCH020?"}},
	{"entity without a name", "", "", []string{with(entity, `"name":"t",`, ``), strings.ReplaceAll(entity, "t\"", "u\"")}, []string{"1:73 /props CLM008?"}},

	// Others
	{"probe results", "", "", []string{`{"probe_id":"p","backend":"b","user_id":"u","agent_id":"a","isolation":"global","k":1,"conv_id":"c","turn_id":1,"scene_id":"s","character_id":"c","probe_role_type":"human","probe_role_name":"","probe_query":"q","expects":[],"gold_events":[],"gold_ids":[],"hits":[{"rank":1,"id":"x","score":1,"content":"","events":[],"gold":false},{"rank":1,"id":"y","score":1e400,"content":"","events":[],"gold":false}],"recall":null,"mrr":2,"outcome":"scored"}`, `{"probe_id": "p_ch01_001"}`},
		[]string{"1:359 /hits/1/score JSON011", "1:425 /mrr SCH006", "1:340 /hits/1/rank MEM007", "1:263 /hits MEM007"}},
	{"changes", "", "", []string{`{"op": "put"}`, `{"op": "merge", "new": ` + node + `}`, `{"op": "put", "new": ` + with(node, `"tag:t"`, `"tag:u"`) + `}`, `{"op": "delete", "old": ` + edge + `}`}, []string{"1:1 SCH010", "2:8 /op SCH003", "3:29 /new/id ID002"}},
	{"changes do not exist in 0.0.1", "0.0.1", "", []string{`{"op": "put", "new": ` + node + `}`, char}, []string{"1:1 SCH011"}},
	{"anchors", "", "", []string{`{"conv_id": "ch01", "turn_id": 0}`, `{"source_path": "x.md", "start_line": 2, "end_line": 1}`, `{"probe_id": ""}`}, []string{"1:32 /turn_id SCH006", "2:54 /end_line SRC102", "3:14 /probe_id SCH006"}},
}

func TestHazards(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := c.file
			if name == "" {
				name = "f.jsonl"
			}
			v := c.v
			if v == "" {
				v = schema.V010
			}
			text := strings.Join(c.lines, "\n")
			have, checker := check(t, v, validate.Options{}, file{name, text})
			want := make([]string, len(c.want))
			for i, w := range c.want {
				want[i] = name + ":" + strings.Replace(w, ": ", " ", 1)
			}
			if !slices.Equal(have, want) {
				t.Errorf("have\n  %s\nwant\n  %s", strings.Join(have, "\n  "), strings.Join(want, "\n  "))
				if os.Getenv("SHOWPOS") != "" {
					for _, h := range have {
						var l, col int
						fmt.Sscanf(strings.TrimPrefix(h, name+":"), "%d:%d", &l, &col)
						r := []rune(strings.TrimPrefix(strings.ReplaceAll(text, "\r", ""), "\ufeff"))
						lines := strings.Split(string(r), "\n")
						if l > 0 && col > 0 && l <= len(lines) {
							lr := []rune(lines[l-1])
							t.Logf("AT %s => %s", h, string(lr[min(col-1, len(lr)):min(col+15, len(lr))]))
						}
					}
					fmt.Printf("FIX\t%s\t%s\n", c.name, strings.ReplaceAll(strings.Join(have, "\x01"), name+":", ""))
				}
			}
			records := 0
			for _, n := range checker.Checked[0].Kinds {
				records += n
			}
			blank := 0
			for _, l := range c.lines {
				if strings.TrimSpace(l) == "" {
					blank++
				}
			}
			if records != len(c.lines)-blank {
				t.Errorf("%d records were read, want %d", records, len(c.lines)-blank)
			}
			// Any number of workers and any way of reading gives the same.
			again, _ := check(t, v, validate.Options{Workers: 4}, file{name, text})
			if !slices.Equal(again, have) {
				t.Errorf("with four workers\n  %s\nwith one\n  %s", strings.Join(again, "\n  "), strings.Join(have, "\n  "))
			}
		})
	}
}

func TestSets(t *testing.T) {
	exports := file{"export.jsonl", memory + "\n" + with(with(memory, "Name is Congyin", "two"), "abd8", "abd9")}
	exports.text = strings.Replace(exports.text, `"two", "hash": "ec69f1ce8081ebb3e0b4c6c5ed484377"`, `"two", "hash": "`+schema.Hash("two")+`"`, 1)
	entities := file{"entities.jsonl", entity + "\n" + strings.NewReplacer("Tag", "Agent", "tag:t", "agent:c").Replace(entity)}
	for _, c := range []struct {
		name  string
		files []file
		want  []string
	}{
		{"good", []file{exports, {"claims.jsonl", claim}, entities}, nil},
		{"good in any order", []file{{"claims.jsonl", claim}, entities, exports}, nil},
		{"one claim in two conversations", []file{exports, {"a.jsonl", claim}, {"b.jsonl", claim}}, nil},
		{"memory not among the exports", []file{{"claims.jsonl", with(with(claim, "Name is Congyin", "three"), "mem:ec69f1ce8081ebb3e0b4c6c5ed484377", "mem:"+schema.Hash("three"))}, exports}, []string{"claims.jsonl:1:343 /evidence/0/memory_item_id LNK001"}},
		{"point of another memory", []file{exports, {"claims.jsonl", with(claim, "abd8", "abd9")}}, []string{"claims.jsonl:1:393 /evidence/0/point_id LNK006"}},
		{"point of another memory, claims first", []file{{"claims.jsonl", with(claim, "abd8", "abd9")}, exports}, []string{"claims.jsonl:1:393 /evidence/0/point_id LNK006"}},
		{"entity not given", []file{{"claims.jsonl", claim}, {"entities.jsonl", entity}}, []string{"claims.jsonl:1:150 /subject/entity_id LNK004?"}},
		{"turn that the conversation does not have", []file{{"e.events.jsonl", turn(1) + "\n" + turn(2)}, {"x.mem0.jsonl", with(memory, `"conv_id": "ch02"`, `"conv_id": "ch02", "events": [{"conv_id": "ch01", "turn_id": 2}, {"conv_id": "ch01", "turn_id": 3}, {"conv_id": "ch99", "turn_id": 1}]`)}}, []string{"x.mem0.jsonl:1:156 /payload/events/1/turn_id LNK003"}},
		{"halves of a graph", []file{{"nodes.jsonl", char}, {"edges.jsonl", edge}}, []string{"edges.jsonl:1:119 /dst GRF004?"}},
		{"edges before nodes", []file{{"edges.jsonl", edge}, {"nodes.jsonl", char + "\n" + mem}}, nil},
		{"edges alone say nothing of nodes", []file{{"edges.jsonl", edge}}, nil},
		{"one node in two graphs", []file{{"a_nodes_1.jsonl", char}, {"b_nodes_1.jsonl", with(char, `"c"}`, `"c", "display": "C"}`)}}, nil},
		{"a node that is read in part is no dangling end", []file{{"nodes.jsonl", char[:len(char)-3] + "\n" + mem}, {"edges.jsonl", edge}}, []string{"nodes.jsonl:1:71 /props/character_id JSON009"}},
		{"a probe that nobody put", []file{{"e.events.jsonl", turn(1)}, {"probes.jsonl", `{"probe_id":"p","backend":"b","user_id":"u","agent_id":"a","isolation":"global","k":1,"conv_id":"c","turn_id":1,"scene_id":"s","character_id":"c","probe_role_type":"human","probe_role_name":"","probe_query":"q","expects":[],"gold_events":[],"gold_ids":[],"hits":[],"recall":null,"mrr":null,"outcome":"gold_unknown"}`}}, []string{"probes.jsonl:1:13 /probe_id LNK007"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			have, _ := check(t, schema.V010, validate.Options{}, c.files...)
			if !slices.Equal(have, c.want) {
				t.Errorf("have\n  %s\nwant\n  %s", strings.Join(have, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
	t.Run("same hash, other text, other quotation (0.0.1)", func(t *testing.T) {
		have, _ := check(t, schema.V001, validate.Options{}, file{"export.jsonl", memory}, file{"claims.jsonl", with(claim, "Name is", "Nome is")})
		if want := []string{"claims.jsonl:1:507 /evidence/0/text LNK002"}; !slices.Equal(have, want) {
			t.Errorf("have %v, want %v", have, want)
		}
	})
}

func TestWholeFiles(t *testing.T) {
	sum := func(path string) (string, int64, error) {
		if path != "d/nodes.jsonl" {
			return "", 0, os.ErrNotExist
		}
		return strings.Repeat("0", 64), 3, nil
	}
	manifest := "{\n  \"schema_version\": \"0.9.9\",\n  \"step\": \"s\", \"step_version\": 1, \"key\": \"k\", \"options\": {}, \"inputs\": [],\n  \"outputs\": [\n    {\"path\": \"nodes.jsonl\", \"sha256\": \"" + strings.Repeat("0", 64) + "\", \"bytes\": 3},\n    {\"path\": \"gone.jsonl\", \"sha256\": \"" + strings.Repeat("0", 64) + "\", \"bytes\": 3},\n    {\"path\": \"nodes.jsonl\", \"sha256\": \"" + strings.Repeat("1", 64) + "\", \"bytes\": 3}\n  ]\n}\n"
	have, _ := check(t, schema.V010, validate.Options{Digest: sum},
		file{"index.json", "\ufeff[\r\n  {\"id\": \"ch02\", \"raw_path\": \"D:/raw/ch02_x.md\", \"norm_path\": \"\"},\n  {\"id\": \"ch01\", \"raw_path\": \"raw/ch01_x.md\", \"norm_path\": 1},\n  {\"id\": \"ch01\", \"raw_path\": \"raw/ch01_y.md\"}\n]\n"},
		file{"d/manifest.json", manifest}, file{"meta.json", "{\"claims_count\": 1, \"entities_count\": -1}"}, file{"other.json", "{\n \"x\": 1\n}"}, file{"index.json", "[{]"})
	want := []string{
		"index.json:3:60 /1/norm_path SCH001", "index.json:4:3 /2 SCH002", "index.json:2:30 /0/raw_path SRC101?", "index.json:3:10 /1/id SRC104?", "index.json:4:10 /2/id SRC103",
		"d/manifest.json:2:21 /schema_version MAN002", "d/manifest.json:6:14 /outputs/1/path MAN001", "d/manifest.json:7:39 /outputs/2/sha256 MAN001",
		"meta.json:1:39 /entities_count SCH006", "other.json:1:1 SCH010", "index.json:1:3 /0 JSON001",
	}
	if !slices.Equal(have, want) {
		t.Errorf("have\n  %s\nwant\n  %s", strings.Join(have, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestSeedExamples: the ten examples of seed 004 are valid as 0.0.1, each on its own,
// and their ids are recomputed.
func TestSeedExamples(t *testing.T) {
	files, err := filepath.Glob("../testdata/seed004/*.jsonl")
	if err != nil || len(files) != 9 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	records := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		have, c := check(t, schema.V001, validate.Options{}, file{filepath.Base(name), string(text)})
		for _, f := range have {
			if !strings.HasSuffix(f, "EVT002?") { // the example is turn 3, alone
				t.Error(f)
			}
		}
		for _, n := range c.Checked[0].Kinds {
			records += n
		}
		// A changed id is noticed.
		for _, id := range []string{"claim:PREFERS_TOPIC|", "edge:OWNS_MEMORY:", "mem:fdf", "tag:一个"} {
			changed := strings.Replace(string(text), id, id[:len(id)-1]+"X", 1)
			if changed == string(text) {
				continue
			}
			if have, _ := check(t, schema.V001, validate.Options{}, file{filepath.Base(name), changed}); len(have) == 0 && !strings.HasPrefix(id, "tag:") {
				t.Errorf("%s: %q changed and nothing was found", name, id)
			}
		}
	}
	if records != 10 {
		t.Errorf("%d records, want 10", records)
	}
}

func TestVersionIsTold(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       schema.Version
	}{
		{"fits both", char, schema.Latest},
		{"chain's edge ids", `{"id": "about:claim:X|daily|agent:a|tag:b:tag:b", "type": "ABOUT", "src": "claim:X|daily|agent:a|tag:b", "dst": "tag:b", "props": {}}`, schema.V001},
		{"rank missing", without(claim, `"rank":null,`), schema.V001},
		{"raw separators", strings.ReplaceAll(claim, "tag:t", "tag:a:b"), schema.V001},
		{"a wrong hash does not make a file old", with(memory, "ec69f", "ec69e"), schema.Latest},
		{"an impossible time does not, either", with(fmt.Sprintf(event, 1), `"meta": {}`, `"meta": {"time": "2026-02-30T18:22:22Z"}`), schema.Latest},
		{"newer kind", `{"op": "put", "new": ` + node + `}`, schema.Latest},
		{"nothing", "", schema.Latest},
	} {
		_, checker := check(t, "", validate.Options{}, file{"f.jsonl", c.text})
		if v := checker.Checked[0].Version; v != c.want && c.text != "" {
			t.Errorf("%s: %s, want %s", c.name, v, c.want)
		}
	}
}

// TestLongLines: positions hold in a line of many MB, and a line of 100 MB over the
// limit is one finding.
func TestLongLines(t *testing.T) {
	big := strings.Repeat("长\\u0041", 1<<20)
	line := with(with(node, `"name": "t"`, `"name": "t", "x": "`+big+`", "y": NaN`), `"tag:t"`, `"tag:u"`)
	col := len([]rune(line[:strings.Index(line, "NaN")])) + 1
	have, _ := check(t, schema.V010, validate.Options{}, file{"f.jsonl", line + "\n" + char})
	want := []string{fmt.Sprintf("f.jsonl:1:%d /props/y JSON007", col), "f.jsonl:1:8 /id ID002"}
	if !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
	c := validate.New(cat, validate.Options{MaxLine: 1 << 20})
	long := io.MultiReader(strings.NewReader(char+"\n{\"id\": \""), io.LimitReader(xs{}, 100<<20), strings.NewReader("\"}\n"+with(node, `"Tag"`, `"Tug"`)+"\n"))
	var codes []string
	for f, err := range c.Stream(long, "f.jsonl", "", schema.V010) {
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, fmt.Sprintf("%d %s", f.Pos.Line, f.Code))
	}
	if want := []string{"2 JSON003", "3 GRF001"}; !slices.Equal(codes, want) {
		t.Errorf("have %v, want %v", codes, want)
	}
}

type xs struct{}

func (xs) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestSchemaOnly(t *testing.T) {
	have, _ := check(t, schema.V010, validate.Options{SchemaOnly: true}, file{"f.jsonl", with(node, `"Tag"`, `"Tug"`) + "\n" + edge + "\n" + with(memory, "ec69f", "ec69e") + "\n" + with(node, `["Tag"]`, `"Tag"`)})
	if want := []string{"f.jsonl:4:27 /labels SCH001"}; !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
}

func TestIOFaultEndsTheStream(t *testing.T) {
	broken := errors.New("broken disk")
	c := validate.New(cat, validate.Options{Workers: 2})
	var errs []error
	for _, err := range c.Stream(io.MultiReader(strings.NewReader(char+"\n"), iotest.ErrReader(broken)), "f.jsonl", "", "") {
		errs = append(errs, err)
	}
	if len(errs) != 1 || !errors.Is(errs[0], broken) {
		t.Errorf("errors %v", errs)
	}
}

// TestStopsEarly: a consumer may stop at any finding.
func TestStopsEarly(t *testing.T) {
	text := strings.Repeat("x\n", 100000)
	c := validate.New(cat, validate.Options{Workers: 4})
	n := 0
	for range c.Stream(strings.NewReader(text), "f.jsonl", "", schema.V010) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d findings", n)
	}
}

// TestManyBlocks: a file of many blocks gives the same findings with any number of workers.
func TestManyBlocks(t *testing.T) {
	var b bytes.Buffer
	for i := range 20000 {
		l := with(turn(i+1), "你好", fmt.Sprintf("第 %d 句", i))
		switch {
		case i%977 == 3:
			l = with(l, `"human"`, `"robot"`)
		case i%1201 == 5:
			l = l[:50]
		}
		b.WriteString(l + "\n")
	}
	one, _ := check(t, "", validate.Options{Workers: 1}, file{"f.jsonl", b.String()})
	three, _ := check(t, "", validate.Options{Workers: 3}, file{"f.jsonl", b.String()})
	if !slices.Equal(one, three) || len(one) < 50 {
		t.Errorf("%d findings with one worker, %d with three", len(one), len(three))
	}
}

// FuzzStream: no input makes it fail or panic, and the number of workers changes nothing.
func FuzzStream(f *testing.F) {
	for _, c := range cases {
		text := strings.Join(c.lines, "\n")
		if len(text) < 4000 {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		run := func(workers int, v schema.Version) (out []string) {
			c := validate.New(cat, validate.Options{Workers: workers, MaxLine: jsonl.MaxLine})
			take := func(x *schema.Finding, err error) {
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, x.Error())
			}
			for x, err := range c.Stream(bytes.NewReader(in), "f.jsonl", "", v) {
				take(x, err)
			}
			for x, err := range c.Close() {
				take(x, err)
			}
			return out
		}
		for _, v := range []schema.Version{"", schema.V001, schema.V010} {
			if a, b := run(1, v), run(2, v); !slices.Equal(a, b) {
				t.Fatalf("one worker: %q\ntwo: %q", a, b)
			}
		}
	})
}

// Every published contract can be used: it is compiled when its kind is first met.
func TestEveryContract(t *testing.T) {
	for _, v := range schema.Versions() {
		for _, k := range schema.Kinds(v) {
			n := 0
			for f, err := range validate.New(nil, validate.Options{SchemaOnly: true}).Stream(strings.NewReader("7"), "x.jsonl", k, v) {
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(f.Code, "SCH") {
					n++
				}
			}
			if n == 0 {
				t.Errorf("%s %s: a number is valid", k, v)
			}
		}
	}
}
