package cli

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/validate"
)

// A gateKind is a kind of record with good ones: the file that holds them, and what else
// must be in its folder. The first record is the one that is spoilt.
type gateKind struct {
	file string
	good []string
	more map[string]string
}

const (
	gateClaim = `{"record_type": "claim", "claim_id": "claim:PREFERS_TOPIC|daily|user:lin|topic:jasmine tea", "predicate": "PREFERS_TOPIC", "subject": {"entity_type": "User", "entity_id": "user:lin"}, "object": {"entity_type": "Topic", "entity_id": "topic:jasmine tea"}, "domain": "daily", "confidence": 0.9, "status": "active", "rank": 1, "updated_at": "2026-02-24T06:33:58Z", "evidence": [{"memory_item_id": "mem:650fe606ad10eaa447fe072ba79c7c82", "point_id": "00000001-0000-4000-8000-000000000000", "conv_id": "ch01", "scene_id": "s", "created_at": "2026-02-24T06:33:58Z", "text": "[User] I love jasmine tea.", "event_time": "2026-02-23"}], "by": "rule"}`
	gateNode  = `{"id": "mem:650fe606ad10eaa447fe072ba79c7c82", "labels": ["MemoryItem"], "props": {"data": "[User] I love jasmine tea.", "payload_hash": "650fe606ad10eaa447fe072ba79c7c82", "point_id": "p1", "created_at": "2026-02-24T06:33:58Z", "updated_at": "2026-02-25T06:33:58Z"}}`
	gateChar  = `{"id": "char:c", "labels": ["Character"], "props": {"character_id": "c", "name": "c", "display": "c"}}`
	gateEdge  = `{"id": "edge:OWNS_MEMORY:char:c:mem:650fe606ad10eaa447fe072ba79c7c82", "type": "OWNS_MEMORY", "src": "char:c", "dst": "mem:650fe606ad10eaa447fe072ba79c7c82", "props": {"processed_key": "650fe606ad10eaa447fe072ba79c7c82", "created_at": "2026-02-24T06:33:58Z"}}`
)

// gateKinds: both records of a kind are told apart by what replace makes of the first.
func gateKinds() map[string]gateKind {
	r := strings.NewReplacer
	event := `{"scene_id": "s", "character_id": "c", "conv_id": "ch01", "turn_id": 1, "role_type": "human", "role_name": "Me", "content": "I love jasmine tea.", "tags": ["episodic"], "meta": {"speech_mode": "dialogue", "source_type": "dialogue", "source_path": "norm/ch01.norm.md", "start_line": 9, "end_line": 9, "time": "2026-02-24T06:33:00Z", "session_id": "S1", "session_time": "2026-02-24T06:33:00Z", "user_id": "lin", "agent_id": "c", "by": "rule"}}`
	export := `{"id": "00000001-0000-4000-8000-000000000000", "payload": {"scene_id": "s", "character_id": "c", "conv_id": "ch01", "user_id": "lin", "agent_id": "c", "data": "[User] I love jasmine tea.", "hash": "650fe606ad10eaa447fe072ba79c7c82", "created_at": "2026-02-24T06:33:58Z", "updated_at": "2026-02-25T06:33:58Z", "owner_type": "User", "owner_id": "lin", "owner_infer": "explicit", "events": [{"conv_id": "ch01", "turn_id": 1}]}, "collection": "c", "isolation": "global", "exported_at": "2026-02-26T14:34:03Z"}`
	entity := `{"record_type": "entity", "entity_type": "Topic", "entity_id": "topic:jasmine tea", "props": {"name": "jasmine tea", "display": "jasmine tea"}, "aliases": ["tea"], "tags": ["drink"], "confidence": 0.9}`
	qa := `{"system": "s", "repeat": 1, "dataset": "d", "case_id": "ch01", "question_id": "q1", "question": "Which jasmine tea?", "gold": "2 cats", "golds": ["2 cats"], "category": "IE", "raw_category": "4", "evidence": [{"conv_id": "ch01", "turn_id": 1}], "k": 5, "hits": [{"rank": 1, "id": "m1", "text": "I love jasmine tea.", "score": 0.5, "sources": [{"conv_id": "ch01", "turn_id": 1}]}], "answer": "2 cats.", "by": "rule", "outcome": "answered", "grades": [{"protocol": "em@1", "score": 1, "outcome": "scored", "by": "rule"}]}`
	session := `{"system": "s", "dataset": "d", "case_id": "ch01", "session_id": "S1", "index": 0, "turns": 2, "outcome": "answered", "memory_points": []}`
	kase := `{"case_id": "ch01", "dataset": "d", "conv_id": "ch01", "unit": "turn", "speakers": ["lin"], "sessions": [{"session_id": "S1", "time": "2026-02-24T06:33:00Z", "turns": [{"turn_id": 1, "role": "user", "name": "lin", "text": "I love jasmine tea."}]}], "questions": [{"question_id": "q1", "question": "Which jasmine tea?", "answer": "jasmine tea", "category": "IE", "raw_category": "4", "evidence": [{"conv_id": "ch01", "turn_id": 1}]}]}`
	green := r("jasmine tea", "green mugs", `"q1"`, `"q2"`, "ch01", "ch09", "650fe606ad10eaa447fe072ba79c7c82", schema.Hash("[User] I love green mugs."), "00000001", "00000009")
	return map[string]gateKind{
		"qa":      {"qa_records.jsonl", []string{qa, green.Replace(qa)}, nil},
		"session": {"session_records.jsonl", []string{session, green.Replace(session)}, map[string]string{"qa_records.jsonl": qa + "\n"}},
		"case":    {"cases.jsonl", []string{kase, green.Replace(kase)}, nil},
		"event":   {"ch01.events.jsonl", []string{event, green.Replace(event)}, nil},
		"export":  {"export.mem0.jsonl", []string{export, green.Replace(export)}, nil},
		"claim":   {"claims.jsonl", []string{gateClaim, green.Replace(gateClaim)}, nil},
		"entity":  {"entities.jsonl", []string{entity, green.Replace(entity)}, nil},
		"node":    {"nodes.jsonl", []string{gateNode, gateChar}, map[string]string{"edges.jsonl": gateEdge + "\n"}},
		"edge":    {"edges.jsonl", []string{gateEdge, green.Replace(gateEdge)}, map[string]string{"nodes.jsonl": gateNode + "\n" + green.Replace(gateNode) + "\n" + gateChar + "\n"}},
	}
}

// gateCommands reads the file F, in the folder D, into O; E, X, S and Q are good events,
// exports, a store and cases.
var gateCommands = map[string][]string{
	"qa":      {"eval grade F -p em -o O.jsonl", "eval report F -o O", "eval aggregate F", "eval export F --format amb --dataset d -o O", "eval compare F F", "eval grade D -p em -o O", "eval calibrate F"},
	"session": {"eval aggregate D", "eval report D -o O", "eval grade F -p em -o O.jsonl"},
	"case":    {"datasets lint plain F", "datasets convert plain F -o O.jsonl", "datasets sample plain F -n 1 -o O.jsonl", "datasets info plain F", "eval run F --system bm25 -k 2 -o O"},
	"event": {"compile F -o O.jsonl", "replay ingest F --store O --agent-id c --now 2026-03-01T12:00:00Z", "replay probe F --store S -o O.jsonl", "replay link X --events F -o O",
		"replay export --store S --events F -o O", "to-graph --events F -o O", "migrate F --to 0.0.1 --input-version 0.2.0 -o O.jsonl", "migrate F --to 0.2.0 --input-version 0.2.0 -o O.jsonl", "shard to-graph map --hop events <F"},
	"export": {"replay link F --events E -o O", "claimify F -o O", "to-graph --exports F -o O", "to-graph --exports F -o O --schema-version 0.0.1", "migrate F --to 0.0.1 --input-version 0.2.0 -o O.jsonl", "shard to-graph map --hop exports <F"},
	"claim":  {"compile-claims F -o O", "compile-claims F -o O --schema-version 0.0.1", "to-graph --claims F -o O", "to-graph --claims F -o O --schema-version 0.0.1", "migrate F --to 0.0.1 --input-version 0.2.0 -o O.jsonl", "diff F F", "shard compile-claims map <F", "shard to-graph map --hop claims <F"},
	"entity": {"compile-claims F -o O", "to-graph --claims F -o O", "migrate F --to 0.0.1 --input-version 0.2.0 -o O.jsonl", "diff F F", "shard compile-claims map <F", "shard to-graph map --hop claims <F"},
	"node":   {"cypher D -o O", "export D --format jsonld -o O.jsonl", "export D --format graphml -o O.jsonl", "export D --format admin-csv -o O", "view D -o O.html", "datasets probes D -o O.jsonl", "trace char:c --in D", "ask D tea?", "diff D D", "load-neo4j D --uri bolt://127.0.0.1:1 --strict", "migrate D --to 0.0.1 --input-version 0.2.0 -o O"},
	"edge":   {"cypher D -o O", "export D --format jsonld -o O.jsonl", "export D --format graphml -o O.jsonl", "export D --format admin-csv -o O", "view D -o O.html", "datasets probes D -o O.jsonl", "trace char:c --in D", "ask D tea?", "diff D D", "migrate D --to 0.0.1 --input-version 0.2.0 -o O"},
}

// gateExceptions are faults that a command takes without exit code 3, by the start of its arguments, with the reason. docs/deviations.md lists them.
// A value is the end of what was done to a record, "^" the place of the whole record.
var gateExceptions = []struct{ command, codes, why, value string }{
	{"diff ", "*", "it loses nothing: it only warns", ""},
	{"", "CLM001 CLM003 GRF001 GRF002", "a project may have its own vocabulary: a warning", ""},
	{"replay link F", "MEM001", "ids are made of the text: the hash decides nothing", ""},
	{"claimify", "MEM001", "as replay link", ""},
	{"to-graph --exports", "MEM001 SCH001 SCH002 SCH003 SCH006", "the id is made of the text; a hash and the names of an owner's kind do not decide", ""},
	{"shard to-graph map --hop exports", "MEM001 SCH001 SCH002 SCH003 SCH006", "as to-graph", ""},
	{"to-graph --exports F -o O --schema-version 0.0.1", "SCH005", "a time of 0.0.1 is any text", ""},
	{"to-graph --exports", "SCH005", "an empty time is none", `=""`},
	{"shard to-graph map --hop exports", "SCH005", "as to-graph", `=""`},
	{"datasets ", "SCH001", "a list of no cases", "^=[]"},
	{"eval run", "SCH001", "a list of no cases", "^=[]"},
	{"to-graph --claims", "ID002 LNK002", "compile-claims mints the ids; a quotation does not enter the graph", ""},
	{"shard to-graph map --hop claims", "ID002 LNK002", "as to-graph", ""},
	{"compile-claims", "ID002 ID020 LNK002 CLM002 CLM004 SCH001 SCH002 SCH006 JSON011", "ids are minted again, absent lists and texts get their default, unknown members are kept; quotations and vocabulary are for validate", ""},
	{"shard compile-claims map", "ID002 ID020 LNK002 CLM002 CLM004 SCH001 SCH002 SCH006 JSON011", "as compile-claims", ""},
}

func gateExcepts(command string, codes []string, what string) bool {
	return !slices.ContainsFunc(codes, func(code string) bool {
		for _, x := range gateExceptions {
			if strings.HasPrefix(command, x.command) && strings.HasSuffix("^"+what, x.value) && (x.codes == "*" || slices.Contains(strings.Fields(x.codes), code)) {
				return false
			}
		}
		return true
	})
}

// spoil makes faulty JSON of a good value: each member left out, doubled, and with other values.
func spoil(raw []byte, yield func(what, text string)) {
	for _, v := range []string{"null", `"zzz"`, `""`, `" "`, `"2026-02-30"`, `"99999-01-01T00:00:00Z"`, `"-0001-01-01T00:00:00Z"`, `"a\ud800b"`, "\"a\xffb\"", `"` + strings.Repeat("x", 5000) + `"`, `"a:b|c%"`, "true", "[]", `["zzz"]`, "{}", `{"a": 1}`, "0", "-1", "1.5", "7.0", "99999999999999999999", "1e400", "NaN"} {
		if v != string(raw) {
			yield("="+v[:min(len(v), 24)], v)
		}
	}
	type member struct{ name, value string }
	var have []member
	switch raw[0] {
	case '{':
		for k, v := range codec.Members(raw) {
			have = append(have, member{string(codec.AppendString(nil, k)) + ": ", string(v)})
		}
	case '[':
		var list []json.RawMessage
		json.Unmarshal(raw, &list)
		for _, v := range list {
			have = append(have, member{"", string(v)})
		}
	}
	join := func(m []member) string {
		parts := make([]string, len(m))
		for i := range m {
			parts[i] = m[i].name + m[i].value
		}
		return string(raw[:1]) + strings.Join(parts, ", ") + string(raw[len(raw)-1:])
	}
	for i, m := range have {
		yield("/"+m.name+"dropped", join(slices.Delete(slices.Clone(have), i, i+1)))
		yield("/"+m.name+"twice", join(slices.Insert(slices.Clone(have), i, m)))
		spoil([]byte(m.value), func(what, text string) {
			other := slices.Clone(have)
			other[i].value = text
			yield("/"+strings.Trim(m.name, `": `)+what, join(other))
		})
	}
}

// refused are the codes and pointers of the errors that validate finds in files, in the order of names.
func refused(t *testing.T, files map[string]string) (codes, places []string) {
	t.Helper()
	c := validate.New(nil, validate.Options{})
	found := func(in iter.Seq2[*schema.Finding, error]) {
		for f, err := range in {
			if err != nil {
				t.Fatal(err)
			}
			if !f.Warning && !slices.Contains(codes, f.Code) {
				codes, places = append(codes, f.Code), append(places, f.Pointer)
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(files), func(a, b string) int { return validate.Rank(a) - validate.Rank(b) })
	for _, name := range names {
		found(c.Stream(strings.NewReader(files[name]), name, "", ""))
	}
	found(c.Close())
	return codes, places
}

// TestOneGate: what validate refuses, no command passes without a finding.
func TestOneGate(t *testing.T) {
	t.Parallel()
	whole := os.Getenv("MEMBENCH_SOAK") != ""
	dir := quickDir(t)
	kinds := gateKinds()
	fix := filepath.Join(dir, "fix")
	var have = map[string]string{}
	for _, k := range kinds {
		have[k.file] = strings.Join(k.good, "\n") + "\n"
	}
	put(t, fix, have)
	events := filepath.Join(fix, kinds["event"].file)
	store := filepath.Join(dir, "s")
	if r := inProcess(dir, strings.NewReader(""), "replay", "ingest", events, "--store", store, "--agent-id", "c"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			in := filepath.Join(dir, name)
			file := filepath.Join(in, k.file)
			with := func(first string) map[string]string {
				have := map[string]string{k.file: first + "\n" + strings.Join(k.good[1:], "\n") + "\n"}
				maps.Copy(have, k.more)
				return have
			}
			out := filepath.Join(dir, name+"-out")
			do := func(command string) ran {
				for _, old := range []string{out, out + ".jsonl", out + ".html"} {
					os.RemoveAll(old)
				}
				args := strings.Fields(strings.NewReplacer(" F ", " "+file+" ", " D ", " "+in+" ", " E ", " "+events+" ", " X ", " "+filepath.Join(fix, kinds["export"].file)+" ", " S ", " "+store+" ", " O", " "+out, " <F ", " ").Replace(strings.ReplaceAll(command+" ", " ", "  ")))
				stdin := strings.NewReader("")
				if strings.HasSuffix(command, "<F") {
					b, _ := os.ReadFile(file)
					stdin = strings.NewReader(string(b))
				}
				return inProcess(dir, stdin, args...)
			}
			put(t, in, with(k.good[0]))
			if codes, _ := refused(t, with(k.good[0])); len(codes) > 0 {
				t.Errorf("good %s: validate refuses %v", name, codes)
				return
			}
			for _, c := range gateCommands[name] {
				if r := do(c); r.code != 0 && !strings.Contains(c, "load-neo4j") {
					t.Errorf("%s of good records: exit code %d\n%.500s", c, r.code, r.stderr)
				}
			}
			n, bad, done := 0, 0, map[string]bool{}
			seen := map[string]int{}
			first := map[string]string{}
			spoil([]byte(k.good[0]), func(what, text string) {
				n++
				codes, places := refused(t, with(text))
				alike := fmt.Sprint(codes, places)
				if len(codes) == 0 || done[alike] && !whole {
					return
				}
				done[alike] = true
				put(t, in, with(text))
				bad++
				for i, c := range gateCommands[name] {
					if gateExcepts(c, codes, what) || !whole && i != bad%len(gateCommands[name]) { // in the short form each meets one command
						continue
					}
					if r := do(c); r.code == 0 || strings.Contains(c, "load-neo4j") && strings.Contains(r.stderr, "no Neo4j server") {
						key := fmt.Sprint(c, " ", codes)
						seen[key]++
						if first[key] == "" {
							first[key] = what
						}
					}
				}
			})
			t.Logf("%s: %d spoilt records, %d refused", name, n, bad)
			for _, key := range slices.Sorted(maps.Keys(seen)) {
				t.Errorf("%s: %d, e.g. %s", key, seen[key], first[key])
			}
		})
	}
}
