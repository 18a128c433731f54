package graphir

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
)

// The export record behind the example of seed 004 §4, and the example.
const (
	seedExport = `{"id": "169aef76-a175-41ec-922c-fea382a85815", "payload": {"scene_id": "chill_ai_chat", "character_id": "congyin", "conv_id": "ch02", "user_id": "xnne", "agent_id": "congyin", "data": "经常使用笔记功能来记录小事", "hash": "fdf2768f19650a2cf47138343608d1a2", "created_at": "2026-02-24T18:21:58.028703-08:00", "owner_type": "Agent", "owner_id": "congyin", "owner_infer": "fallback"}, "collection": "memory_bench_global", "isolation": "global", "exported_at": "2026-02-25T02:22:26Z"}`
	seedNode   = `{"id": "mem:fdf2768f19650a2cf47138343608d1a2", "labels": ["MemoryItem"], "props": {"point_id": "169aef76-a175-41ec-922c-fea382a85815", "payload_hash": "fdf2768f19650a2cf47138343608d1a2", "data": "经常使用笔记功能来记录小事", "created_at": "2026-02-24T18:21:58.028703-08:00", "collection": "memory_bench_global", "isolation": "global", "exported_at": "2026-02-25T02:22:26Z", "display": "经常使用笔记功能来记录小事 #fdf2768f", "name": "经常使用笔记功能来记录小事 #fdf2768f"}}`
	seedEdge   = `{"id": "edge:OWNS_MEMORY:char:congyin:mem:fdf2768f19650a2cf47138343608d1a2", "type": "OWNS_MEMORY", "src": "char:congyin", "dst": "mem:fdf2768f19650a2cf47138343608d1a2", "props": {"processed_key": "fdf2768f19650a2cf47138343608d1a2", "source_point_id": "169aef76-a175-41ec-922c-fea382a85815", "exported_at": "2026-02-25T02:22:26Z", "created_at": "2026-02-24T18:21:58.028703-08:00"}}`
)

func lines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

func TestSeedExample(t *testing.T) {
	for _, v := range schema.Versions() {
		w := write(t, input{exports: seedExport}, Options{Version: v}, false)
		if !slices.Contains(lines(w.nodes), seedNode) {
			t.Errorf("%s: the seed's node is not among\n%s", v, w.nodes)
		}
		if !slices.Contains(lines(w.edges), seedEdge) {
			t.Errorf("%s: the seed's edge is not among\n%s", v, w.edges)
		}
		if len(w.findings) > 0 {
			t.Errorf("%s: %v", v, w.findings)
		}
	}
}

// short writes elements the way these tests state them.
func short(w written) (out []string) {
	for _, l := range append(lines(w.nodes), lines(w.edges)...) {
		if l == "" {
			continue
		}
		var e schema.Element
		if err := codec.Unmarshal([]byte(l), &e); err != nil {
			panic(err)
		}
		props, _ := e.MarshalJSON()
		_ = props
		if e.Node != nil {
			out = append(out, e.ID()+" "+strings.Join(e.Node.Labels, ":"))
		} else {
			out = append(out, e.ID()+" "+string(e.Edge.Src)+" -> "+string(e.Edge.Dst))
		}
	}
	return out
}

func lineOf(t *testing.T, w written, id string) string {
	t.Helper()
	for _, l := range append(lines(w.nodes), lines(w.edges)...) {
		if strings.HasPrefix(l, `{"id": "`+id+`",`) {
			return l
		}
	}
	t.Errorf("no element %s", id)
	return ""
}

func wantLines(t *testing.T, have []string, want string) {
	t.Helper()
	if h := strings.Join(have, "\n"); h != strings.TrimSpace(want) {
		t.Errorf("have\n%s\nwant\n%s", h, strings.TrimSpace(want))
	}
}

const (
	hashA = "0cc175b9c0f1b6a831c399e269772661" // md5 of "a"
	hashB = "92eb5ffee6ae2fec3ad71c777531578f" // md5 of "b"
)

// Rules of the schema's day for one record, written down from CHAIN-FACTS §8 by hand.
func TestMemory001(t *testing.T) {
	in := `{"id": "p1", "payload": {"scene_id": "s", "character_id": "lan", "conv_id": "ch01", "user_id": "mo", "agent_id": "bot", "data": "a", "hash": "` + hashA + `", "created_at": "2026-02-24T18:00:00-08:00", "owner_type": "User", "owner_id": "mo"}, "collection": "c", "isolation": "global", "exported_at": "2026-02-25T02:22:26Z"}
{"id": "p2", "payload": {"conv_id": "ch02", "data": "no hash, and a text of more than forty code points 一二三", "created_at": null, "owner_type": "Agent", "owner_id": "bot"}, "collection": "c", "isolation": "per_conv", "exported_at": "2026-02-25T02:22:26Z"}
{"id": "p3", "payload": {"hash": "` + hashB + `", "owner_type": "User", "owner_id": "mo"}, "collection": "c", "isolation": "global", "exported_at": "2026-02-25T02:22:26Z"}
`
	w := write(t, input{exports: in}, Options{Version: schema.V001}, false)
	wantLines(t, short(w), `
agent:bot Agent
char:bot Character
char:lan Character
char:unknown:p3 Character
conv:ch01 Conversation
conv:ch02 Conversation
mem:`+hashA+` MemoryItem
mem:`+hashB+` MemoryItem
mem:point:p2 MemoryItem
scene:s Scene
user:mo User
edge:ACTOR:agent:bot:char:lan agent:bot -> char:lan
edge:CONV_HAS_CHARACTER:conv:ch01:char:lan conv:ch01 -> char:lan
edge:CONV_HAS_CHARACTER:conv:ch02:char:bot conv:ch02 -> char:bot
edge:CONV_IN_SCENE:conv:ch01:scene:s conv:ch01 -> scene:s
edge:FROM_CONV:mem:`+hashA+`:conv:ch01 mem:`+hashA+` -> conv:ch01
edge:FROM_CONV:mem:point:p2:conv:ch02 mem:point:p2 -> conv:ch02
edge:HAS_CHARACTER:mem:`+hashA+`:char:lan mem:`+hashA+` -> char:lan
edge:HAS_CHARACTER:mem:`+hashB+`:char:unknown:p3 mem:`+hashB+` -> char:unknown:p3
edge:HAS_CHARACTER:mem:point:p2:char:bot mem:point:p2 -> char:bot
edge:IN_SCENE:mem:`+hashA+`:scene:s mem:`+hashA+` -> scene:s
edge:OWNS_MEMORY:char:bot:mem:point:p2 char:bot -> mem:point:p2
edge:OWNS_MEMORY:char:lan:mem:`+hashA+` char:lan -> mem:`+hashA+`
edge:OWNS_MEMORY:char:unknown:p3:mem:`+hashB+` char:unknown:p3 -> mem:`+hashB+`
edge:USER_IN_SCENE:user:mo:scene:s user:mo -> scene:s`)
	for id, want := range map[string]string{
		"mem:point:p2":                          `{"id": "mem:point:p2", "labels": ["MemoryItem"], "props": {"point_id": "p2", "payload_hash": null, "data": "no hash, and a text of more than forty code points 一二三", "created_at": null, "collection": "c", "isolation": "per_conv", "exported_at": "2026-02-25T02:22:26Z", "display": "no hash, and a text of more than forty c", "name": "no hash, and a text of more than forty c"}}`,
		"mem:" + hashB:                          `{"id": "mem:` + hashB + `", "labels": ["MemoryItem"], "props": {"point_id": "p3", "payload_hash": "` + hashB + `", "data": null, "created_at": null, "collection": "c", "isolation": "global", "exported_at": "2026-02-25T02:22:26Z", "display": "hash:92eb5ffe", "name": "hash:92eb5ffe"}}`,
		"conv:ch01":                             `{"id": "conv:ch01", "labels": ["Conversation"], "props": {"conv_id": "ch01", "display": "ch01", "name": "ch01"}}`,
		"edge:FROM_CONV:mem:point:p2:conv:ch02": `{"id": "edge:FROM_CONV:mem:point:p2:conv:ch02", "type": "FROM_CONV", "src": "mem:point:p2", "dst": "conv:ch02", "props": {"processed_key": "p2", "source_point_id": "p2", "exported_at": "2026-02-25T02:22:26Z", "created_at": null}}`,
	} {
		if l := lineOf(t, w, id); l != want {
			t.Errorf("have %s\nwant %s", l, want)
		}
	}
}

// Rules of the schema's day for entities and claims, from CHAIN-FACTS §9, §14 and §15.
func TestClaims001(t *testing.T) {
	in := `{"record_type":"entity","entity_type":"User","entity_id":"user:mo","props":{"user_id":"mo","name":"小墨"},"aliases":["墨"],"tags":[],"confidence":0.95}
{"record_type":"entity","entity_type":"Work","entity_id":"work:a:b","props":{"title":"a:b","display":"  ","extra":{"k":[1,2.50]}},"aliases":[],"tags":[],"confidence":1.0}
{"record_type":"claim","claim_id":"claim:FAVORITE_WORK|reading|user:mo|work:a:b","predicate":"FAVORITE_WORK","subject":{"entity_type":"User","entity_id":"user:mo"},"object":{"entity_type":"Work","entity_id":"work:a:b"},"domain":"reading","confidence":0.9,"status":"active","rank":1,"updated_at":"2026-02-24T18:22:22Z","evidence":[{"memory_item_id":"mem:` + hashA + `","point_id":"p1","conv_id":"ch01","scene_id":"s","created_at":"2026-02-24T18:21:58Z","text":"a"},{"memory_item_id":"mem:` + hashA + `","point_id":"","conv_id":"ch02","scene_id":"s","created_at":"2026-02-24T18:21:59Z","text":"a"}]}
{"record_type":"claim","claim_id":"claim:SELF_TRAIT|writing|agent:lan|tag:x","predicate":"SELF_TRAIT","subject":{"entity_type":"Agent","entity_id":"agent:lan"},"object":{"entity_type":"Tag","entity_id":"tag:x"},"domain":"writing","confidence":0.8,"status":"candidate","rank":null,"updated_at":"2026-02-24T18:22:22Z","evidence":[]}
`
	w := write(t, input{claims: in}, Options{Version: schema.V001, Shortcuts: true}, false)
	wantLines(t, short(w), `
char:lan Character
claim:FAVORITE_WORK|reading|user:mo|work:a:b Claim
claim:SELF_TRAIT|writing|agent:lan|tag:x Claim
dom:char:lan:writing Domain
dom:user:mo:reading Domain
pred:char:lan:writing:SELF_TRAIT Predicate
pred:user:mo:reading:FAVORITE_WORK Predicate
tag:x Tag
user:mo User
work:a:b Work
about:claim:FAVORITE_WORK|reading|user:mo|work:a:b:work:a:b claim:FAVORITE_WORK|reading|user:mo|work:a:b -> work:a:b
about:claim:SELF_TRAIT|writing|agent:lan|tag:x:tag:x claim:SELF_TRAIT|writing|agent:lan|tag:x -> tag:x
evidenced_by:claim:FAVORITE_WORK|reading|user:mo|work:a:b:mem:`+hashA+`:1 claim:FAVORITE_WORK|reading|user:mo|work:a:b -> mem:`+hashA+`
evidenced_by:claim:FAVORITE_WORK|reading|user:mo|work:a:b:mem:`+hashA+`:p1 claim:FAVORITE_WORK|reading|user:mo|work:a:b -> mem:`+hashA+`
has_claim:pred:char:lan:writing:SELF_TRAIT:claim:SELF_TRAIT|writing|agent:lan|tag:x pred:char:lan:writing:SELF_TRAIT -> claim:SELF_TRAIT|writing|agent:lan|tag:x
has_claim:pred:user:mo:reading:FAVORITE_WORK:claim:FAVORITE_WORK|reading|user:mo|work:a:b pred:user:mo:reading:FAVORITE_WORK -> claim:FAVORITE_WORK|reading|user:mo|work:a:b
has_domain:char:lan:writing char:lan -> dom:char:lan:writing
has_domain:user:mo:reading user:mo -> dom:user:mo:reading
has_predicate:dom:char:lan:writing:pred:char:lan:writing:SELF_TRAIT dom:char:lan:writing -> pred:char:lan:writing:SELF_TRAIT
has_predicate:dom:user:mo:reading:pred:user:mo:reading:FAVORITE_WORK dom:user:mo:reading -> pred:user:mo:reading:FAVORITE_WORK
pred:FAVORITE_WORK:user:mo:work:a:b:claim:FAVORITE_WORK|reading|user:mo|work:a:b user:mo -> work:a:b
pred:SELF_TRAIT:char:lan:tag:x:claim:SELF_TRAIT|writing|agent:lan|tag:x char:lan -> tag:x`)
	for id, want := range map[string]string{
		"user:mo":             `{"id": "user:mo", "labels": ["User"], "props": {"user_id": "mo", "name": "小墨", "entity_type": "User", "aliases": ["墨"], "tags": [], "confidence": 0.95, "display": "小墨"}}`,
		"work:a:b":            `{"id": "work:a:b", "labels": ["Work"], "props": {"title": "a:b", "display": "work:a:b", "extra": {"k": [1, 2.50]}, "entity_type": "Work", "aliases": [], "tags": [], "confidence": 1.0, "name": "work:a:b"}}`,
		"tag:x":               `{"id": "tag:x", "labels": ["Tag"], "props": {"entity_type": "Tag", "display": "tag:x", "name": "tag:x"}}`,
		"dom:user:mo:reading": `{"id": "dom:user:mo:reading", "labels": ["Domain"], "props": {"domain": "reading", "character_id": "user:mo", "display": "reading", "name": "reading"}}`,
		"claim:FAVORITE_WORK|reading|user:mo|work:a:b":                                  `{"id": "claim:FAVORITE_WORK|reading|user:mo|work:a:b", "labels": ["Claim"], "props": {"predicate": "FAVORITE_WORK", "domain": "reading", "confidence": 0.9, "status": "active", "rank": 1, "updated_at": "2026-02-24T18:22:22Z", "display": "FAVORITE_WORK (reading)", "name": "FAVORITE_WORK (reading)"}}`,
		"evidenced_by:claim:FAVORITE_WORK|reading|user:mo|work:a:b:mem:" + hashA + ":1": `{"id": "evidenced_by:claim:FAVORITE_WORK|reading|user:mo|work:a:b:mem:` + hashA + `:1", "type": "EVIDENCED_BY", "src": "claim:FAVORITE_WORK|reading|user:mo|work:a:b", "dst": "mem:` + hashA + `", "props": {"claim_id": "claim:FAVORITE_WORK|reading|user:mo|work:a:b", "predicate": "FAVORITE_WORK", "domain": "reading", "confidence": 0.9, "updated_at": "2026-02-24T18:22:22Z", "memory_item_id": "mem:` + hashA + `", "point_id": null, "conv_id": "ch02", "scene_id": "s", "created_at": "2026-02-24T18:21:59Z", "text": "a"}}`,
	} {
		if l := lineOf(t, w, id); l != want {
			t.Errorf("have %s\nwant %s", l, want)
		}
	}
	// The chain's way with users: all become one.
	w = write(t, input{claims: in}, Options{Version: schema.V001, RewriteUser: "xnne"}, false)
	if l, want := lineOf(t, w, "user:xnne"), `{"id": "user:xnne", "labels": ["User"], "props": {"user_id": "xnne", "name": "xnne", "display": "xnne", "entity_type": "User", "aliases": ["墨"], "tags": [], "confidence": 0.95}}`; l != want {
		t.Errorf("have %s\nwant %s", l, want)
	}
	lineOf(t, w, "claim:FAVORITE_WORK|reading|user:mo|work:a:b")
	lineOf(t, w, "dom:user:xnne:reading")
}

// A joined graph of 0.1.0, with the evidence from a claim down to a file's line.
func TestJoined(t *testing.T) {
	in := input{
		events: `{"scene_id": "s", "character_id": "lan", "conv_id": "ch01", "turn_id": 1, "role_type": "human", "role_name": "我", "content": "我 喜欢  a", "tags": ["inject"], "meta": {"source_path": "norm/ch01.norm.md", "start_line": 6, "end_line": 7, "session_id": "1", "session_time": "2026-02-24T18:00:00Z", "user_id": "mo", "agent_id": "lan", "inject_id": "i_ch01_001", "time": "2026-02-24T18:00:01Z", "by": "rule"}}
{"scene_id": "s", "character_id": "lan", "conv_id": "ch01", "turn_id": 2, "role_type": "ui", "role_name": "ui", "content": "（点击）", "tags": ["filler"], "meta": {"session_id": "1"}}
{"scene_id": "s", "character_id": "lan", "conv_id": "ch01", "turn_id": 3, "role_type": "assistant", "role_name": "岚", "content": "好", "tags": ["filler"], "meta": {"session_id": "1", "user_id": "mo", "agent_id": "lan"}}
{"scene_id": "s", "character_id": "lan", "conv_id": "ch01", "turn_id": 4, "role_type": "human", "role_name": "我", "content": "我喜欢什么？", "tags": ["probe"], "meta": {"session_id": "2", "user_id": "mo", "probe_id": "p_ch01_001", "expects": ["i_ch01_001", "claim:none"], "gold": "a"}}
`,
		exports: `{"id": "p2", "payload": {"scene_id": "s", "character_id": "lan", "conv_id": "ch02", "user_id": "mo", "agent_id": "lan", "data": "a", "hash": "` + hashA + `", "created_at": "2026-02-25T18:00:00Z", "owner_type": "User", "owner_id": "mo", "owner_infer": "explicit"}, "collection": "c", "isolation": "global", "exported_at": "2026-02-26T00:00:00Z"}
{"id": "p1", "payload": {"scene_id": "s", "character_id": "lan", "conv_id": "ch01", "user_id": "mo", "agent_id": "lan", "data": "a", "hash": "` + hashA + `", "created_at": "2026-02-24T18:00:00Z", "owner_type": "User", "owner_id": "mo", "owner_infer": "explicit", "events": [{"conv_id": "ch01", "turn_id": 1}, {"conv_id": "ch01", "turn_id": 9}]}, "collection": "c", "isolation": "global", "exported_at": "2026-02-26T00:00:00Z"}
`,
		claims: `{"record_type":"entity","entity_type":"User","entity_id":"user:mo","props":{"user_id":"mo","name":"小墨"},"aliases":[],"tags":[],"confidence":0.95}
{"record_type":"claim","claim_id":"claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab","predicate":"DISLIKES_TOPIC","subject":{"entity_type":"User","entity_id":"user:mo"},"object":{"entity_type":"Topic","entity_id":"topic:a%3Ab"},"domain":"daily","confidence":0.9,"status":"deprecated","rank":null,"updated_at":"2026-02-24T18:22:22Z","evidence":[{"memory_item_id":"mem:` + hashA + `","point_id":"p2","conv_id":"ch02","scene_id":"s","created_at":"2026-02-25T18:00:00Z","text":"a"},{"memory_item_id":"mem:` + hashA + `","point_id":"p1","conv_id":"ch01","scene_id":"s","created_at":"2026-02-24T18:00:00Z","text":"a"},{"memory_item_id":"mem:` + hashB + `","point_id":"p3","conv_id":"ch01","scene_id":"s","created_at":"2026-02-24T18:00:00Z","text":"b"}],"by":"rule","deprecated_reason":"newer","superseded_by":"claim:gone"}
`,
	}
	w := write(t, in, Options{}, false)
	wantLines(t, short(w), `
agent:lan Agent
char:lan Character
char:mo Character
claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab Claim
conv:ch01 Conversation
conv:ch02 Conversation
dom:char:mo:daily Domain
event:ch01:1 Event
event:ch01:2 Event
event:ch01:3 Event
event:ch01:4 Event
inject:i_ch01_001 Inject
mem:`+hashA+` MemoryItem
pred:char:mo:daily:DISLIKES_TOPIC Predicate
probe:p_ch01_001 Probe
scene:s Scene
session:ch01:1 Session
session:ch01:2 Session
source:norm/ch01.norm.md Source
topic:a%3Ab Topic
user:mo User
edge:ABOUT:claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab:topic:a%3Ab claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab -> topic:a%3Ab
edge:ACTOR:agent:lan:char:lan agent:lan -> char:lan
edge:ACTOR:user:mo:char:mo user:mo -> char:mo
edge:ASKS:event:ch01:4:probe:p_ch01_001 event:ch01:4 -> probe:p_ch01_001
edge:CONV_HAS_CHARACTER:conv:ch01:char:lan conv:ch01 -> char:lan
edge:CONV_HAS_CHARACTER:conv:ch01:char:mo conv:ch01 -> char:mo
edge:CONV_HAS_CHARACTER:conv:ch02:char:mo conv:ch02 -> char:mo
edge:CONV_IN_SCENE:conv:ch01:scene:s conv:ch01 -> scene:s
edge:CONV_IN_SCENE:conv:ch02:scene:s conv:ch02 -> scene:s
edge:EVIDENCED_BY:claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab:mem:`+hashA+` claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab -> mem:`+hashA+`
edge:EXPECTS:probe:p_ch01_001:inject:i_ch01_001 probe:p_ch01_001 -> inject:i_ch01_001
edge:FROM_CONV:mem:`+hashA+`:conv:ch01 mem:`+hashA+` -> conv:ch01
edge:FROM_CONV:mem:`+hashA+`:conv:ch02 mem:`+hashA+` -> conv:ch02
edge:FROM_EVENT:mem:`+hashA+`:event:ch01:1 mem:`+hashA+` -> event:ch01:1
edge:HAS_CHARACTER:mem:`+hashA+`:char:mo mem:`+hashA+` -> char:mo
edge:HAS_CLAIM:pred:char:mo:daily:DISLIKES_TOPIC:claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab pred:char:mo:daily:DISLIKES_TOPIC -> claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab
edge:HAS_DOMAIN:char:mo:dom:char:mo:daily char:mo -> dom:char:mo:daily
edge:HAS_PREDICATE:dom:char:mo:daily:pred:char:mo:daily:DISLIKES_TOPIC dom:char:mo:daily -> pred:char:mo:daily:DISLIKES_TOPIC
edge:IN_CONV:event:ch01:1:conv:ch01 event:ch01:1 -> conv:ch01
edge:IN_CONV:event:ch01:2:conv:ch01 event:ch01:2 -> conv:ch01
edge:IN_CONV:event:ch01:3:conv:ch01 event:ch01:3 -> conv:ch01
edge:IN_CONV:event:ch01:4:conv:ch01 event:ch01:4 -> conv:ch01
edge:IN_CONV:session:ch01:1:conv:ch01 session:ch01:1 -> conv:ch01
edge:IN_CONV:session:ch01:2:conv:ch01 session:ch01:2 -> conv:ch01
edge:IN_SCENE:mem:`+hashA+`:scene:s mem:`+hashA+` -> scene:s
edge:IN_SESSION:event:ch01:1:session:ch01:1 event:ch01:1 -> session:ch01:1
edge:IN_SESSION:event:ch01:2:session:ch01:1 event:ch01:2 -> session:ch01:1
edge:IN_SESSION:event:ch01:3:session:ch01:1 event:ch01:3 -> session:ch01:1
edge:IN_SESSION:event:ch01:4:session:ch01:2 event:ch01:4 -> session:ch01:2
edge:IN_SOURCE:event:ch01:1:source:norm/ch01.norm.md event:ch01:1 -> source:norm/ch01.norm.md
edge:NEXT:event:ch01:1:event:ch01:2 event:ch01:1 -> event:ch01:2
edge:NEXT:event:ch01:2:event:ch01:3 event:ch01:2 -> event:ch01:3
edge:NEXT:event:ch01:3:event:ch01:4 event:ch01:3 -> event:ch01:4
edge:OWNS_MEMORY:char:mo:mem:`+hashA+` char:mo -> mem:`+hashA+`
edge:PLANTS:event:ch01:1:inject:i_ch01_001 event:ch01:1 -> inject:i_ch01_001
edge:REPLY_TO:event:ch01:3:event:ch01:1 event:ch01:3 -> event:ch01:1
edge:SPOKE:agent:lan:event:ch01:3 agent:lan -> event:ch01:3
edge:SPOKE:user:mo:event:ch01:1 user:mo -> event:ch01:1
edge:SPOKE:user:mo:event:ch01:4 user:mo -> event:ch01:4`)
	for id, want := range map[string]string{
		"mem:" + hashA: `{"id": "mem:` + hashA + `", "labels": ["MemoryItem"], "props": {"point_id": "p1", "payload_hash": "` + hashA + `", "data": "a", "created_at": "2026-02-24T18:00:00Z", "collection": "c", "isolation": "global", "exported_at": "2026-02-26T00:00:00Z", "display": "a #0cc175b9", "name": "a #0cc175b9", "point_ids": ["p1", "p2"], "conv_ids": ["ch01", "ch02"]}}`,
		"user:mo":      `{"id": "user:mo", "labels": ["User"], "props": {"user_id": "mo", "display": "mo", "name": "mo", "entity_type": "User", "aliases": [], "tags": [], "confidence": 0.95}}`,
		"event:ch01:1": `{"id": "event:ch01:1", "labels": ["Event"], "props": {"conv_id": "ch01", "turn_id": 1, "role_type": "human", "role_name": "我", "content": "我 喜欢  a", "tags": ["inject"], "time": "2026-02-24T18:00:01Z", "start_line": 6, "end_line": 7, "session_id": "1", "by": "rule", "display": "我 喜欢 a #ch01:1", "name": "我 喜欢 a #ch01:1"}}`,
		"claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab":                                `{"id": "claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab", "labels": ["Claim"], "props": {"predicate": "DISLIKES_TOPIC", "domain": "daily", "confidence": 0.9, "status": "deprecated", "rank": null, "updated_at": "2026-02-24T18:22:22Z", "valid_at": "2026-02-24T18:00:00Z", "by": "rule", "deprecated_reason": "newer", "superseded_by": "claim:gone", "negated": true, "display": "mo DISLIKES_TOPIC a:b", "name": "mo DISLIKES_TOPIC a:b"}}`,
		"edge:OWNS_MEMORY:char:mo:mem:" + hashA:                                         `{"id": "edge:OWNS_MEMORY:char:mo:mem:` + hashA + `", "type": "OWNS_MEMORY", "src": "char:mo", "dst": "mem:` + hashA + `", "props": {"processed_key": "` + hashA + `", "source_point_id": "p1", "exported_at": "2026-02-26T00:00:00Z", "created_at": "2026-02-24T18:00:00Z", "point_ids": ["p1", "p2"]}}`,
		"edge:FROM_EVENT:mem:" + hashA + ":event:ch01:1":                                `{"id": "edge:FROM_EVENT:mem:` + hashA + `:event:ch01:1", "type": "FROM_EVENT", "src": "mem:` + hashA + `", "dst": "event:ch01:1", "props": {"point_id": "p1", "by": "recorded"}}`,
		"edge:IN_SOURCE:event:ch01:1:source:norm/ch01.norm.md":                          `{"id": "edge:IN_SOURCE:event:ch01:1:source:norm/ch01.norm.md", "type": "IN_SOURCE", "src": "event:ch01:1", "dst": "source:norm/ch01.norm.md", "props": {"start_line": 6, "end_line": 7}}`,
		"edge:EVIDENCED_BY:claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab:mem:" + hashA: `{"id": "edge:EVIDENCED_BY:claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab:mem:` + hashA + `", "type": "EVIDENCED_BY", "src": "claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab", "dst": "mem:` + hashA + `", "props": {"claim_id": "claim:DISLIKES_TOPIC|daily|user:mo|topic:a%3Ab", "predicate": "DISLIKES_TOPIC", "domain": "daily", "confidence": 0.9, "updated_at": "2026-02-24T18:22:22Z", "memory_item_id": "mem:` + hashA + `", "point_id": "p1", "conv_id": "ch01", "scene_id": "s", "created_at": "2026-02-24T18:00:00Z", "text": "a", "point_ids": ["p1", "p2"], "conv_ids": ["ch01", "ch02"]}}`,
	} {
		if l := lineOf(t, w, id); l != want {
			t.Errorf("have %s\nwant %s", l, want)
		}
	}
	var codes []string
	for _, f := range w.findings {
		codes = append(codes, strings.Join(strings.Fields(f)[:2], " "))
	}
	wantLines(t, codes, `
claims.jsonl:2: GRF050:
claims.jsonl:2: GRF052:
events.jsonl:4: GRF053:
exports.jsonl:2: GRF051:`)
}

// An edge whose other hop was not given is left out and counted.
func TestHopsNotGiven(t *testing.T) {
	in := strings.Replace(seedExport, `"owner_type"`, `"events": [{"conv_id": "ch02", "turn_id": 1}], "owner_type"`, 1)
	w := write(t, input{exports: in}, Options{}, false)
	if strings.Contains(w.edges, "FROM_EVENT") || len(w.findings) != 1 || !strings.Contains(w.findings[0], "GRF056") || !strings.Contains(w.findings[0], "1 references") {
		t.Errorf("have %v", w.findings)
	}
	// Claims alone keep their evidence: the graph is loaded beside the memory graph.
	w = write(t, input{claims: hazards(1, 50, 0).claims}, Options{}, false)
	if !strings.Contains(w.edges, `"type": "EVIDENCED_BY"`) {
		t.Error("no evidence in a graph of claims")
	}
}

func exportLine(point, data, more string) string {
	return fmt.Sprintf(`{"id": %q, "payload": {"data": %s, "hash": %q, "created_at": "2026-02-24T18:00:00Z", "character_id": "c"%s}, "collection": "c", "isolation": "global", "exported_at": "2026-02-26T00:00:00Z"}`+"\n",
		point, codec.AppendString(nil, data), schema.Hash(data), more)
}

func TestClashes(t *testing.T) {
	// Raw joins of 0.0.1: two pairs of conversation and scene, one id.
	in := exportLine("p1", "a", `, "conv_id": "p", "scene_id": "q:scene:r"`) + exportLine("p2", "b", `, "conv_id": "p:scene:q", "scene_id": "r"`)
	for _, plain := range []bool{true, false} {
		w := write(t, input{exports: in}, Options{Version: schema.V001}, plain)
		if len(w.findings) != 1 || !strings.HasPrefix(w.findings[0], "exports.jsonl:2: ID001: two different things have the id edge:CONV_IN_SCENE:conv:p:scene:q:scene:r, the other is at exports.jsonl:1") {
			t.Errorf("findings: %v", w.findings)
		}
		w = write(t, input{exports: in}, Options{}, plain) // 0.1.0 escapes
		if len(w.findings) > 0 || !strings.Contains(w.edges, "edge:CONV_IN_SCENE:conv:p:scene:q%3Ascene%3Ar") {
			t.Errorf("findings: %v\n%s", w.findings, w.edges)
		}
		// 0.0.1 takes the hash on trust: two texts may claim one.
		two := strings.Replace(in, schema.Hash("b"), schema.Hash("a"), 1)
		w = write(t, input{exports: two}, Options{Version: schema.V001}, plain)
		if !slices.ContainsFunc(w.findings, func(f string) bool { return strings.Contains(f, "ID001") && strings.Contains(f, "another text") }) {
			t.Errorf("findings: %v", w.findings)
		}
	}
	// One id under two types: 0.1.0 keeps one.
	cl := `{"record_type":"entity","entity_type":"Tag","entity_id":"tag:x","props":{},"aliases":[],"tags":[],"confidence":0.9}
{"record_type":"entity","entity_type":"Topic","entity_id":"tag:x","props":{},"aliases":[],"tags":[],"confidence":0.9}
`
	w := write(t, input{claims: cl}, Options{}, false)
	if len(w.findings) != 1 || !strings.Contains(w.findings[0], "ID001") || strings.Count(w.nodes, "\n") != 1 {
		t.Errorf("findings %v, nodes %s", w.findings, w.nodes)
	}
	if w = write(t, input{claims: cl}, Options{Version: schema.V001}, false); !strings.Contains(w.nodes, `"labels": ["Tag", "Topic"]`) {
		t.Errorf("0.0.1: %s", w.nodes)
	}
}

func TestLongIDs(t *testing.T) {
	long := strings.Repeat("长", 1400) // 4,200 bytes
	w := write(t, input{exports: exportLine("p1", "a", `, "conv_id": "`+long+`"`)}, Options{}, false)
	if len(w.findings) != 3 || strings.Contains(w.nodes, "conv:") || strings.Contains(w.edges, "FROM_CONV") || !strings.Contains(w.edges, "OWNS_MEMORY") {
		t.Errorf("findings: %v", w.findings)
	}
	for _, f := range w.findings {
		if !strings.Contains(f, "ID020") {
			t.Error(f)
		}
	}
}

func TestOwner(t *testing.T) {
	for _, tc := range []struct{ data, more, want string }{
		{"a", ``, "c"},
		{"a", `, "owner_type": "User", "owner_id": "u", "owner_infer": "explicit"`, "u"},
		{"a", `, "owner_type": "User", "owner_id": "u"`, "u"},
		{"a", `, "owner_type": "Agent", "owner_id": "x", "owner_infer": "fallback"`, "c"},
		{"[User] a", `, "user_id": "u", "owner_type": "Agent", "owner_id": "x", "owner_infer": "fallback"`, "u"},
		{"[User] a", `, "user_id": "u", "owner_type": "Agent", "owner_id": "x", "owner_infer": "matched_event"`, "x"},
		{"[Agent] a", `, "agent_id": "ag"`, "ag"},
		{"[Agent] a", ``, "c"},
		{"a", `, "character_id": null, "agent_id": "ag"`, "ag"},
	} {
		line := exportLine("p", tc.data, tc.more)
		if strings.Contains(tc.more, `"character_id"`) {
			line = strings.Replace(line, `, "character_id": "c"`, "", 1)
		}
		w := write(t, input{exports: line}, Options{}, false)
		if !strings.Contains(w.edges, `"edge:OWNS_MEMORY:char:`+tc.want+`:mem:`) {
			t.Errorf("%q %s: want owner %s, have\n%s", tc.data, tc.more, tc.want, w.edges)
		}
	}
	w := write(t, input{exports: strings.Replace(exportLine("p", "a", ""), `, "character_id": "c"`, "", 1)}, Options{}, false)
	if strings.Contains(w.edges, "OWNS") || len(w.findings) != 1 || !strings.Contains(w.findings[0], "GRF055") {
		t.Errorf("no owner: %v\n%s", w.findings, w.edges)
	}
}

// A thread links turns as they come, as Build does over the whole.
func TestThread(t *testing.T) {
	in := hazards(1, 10, 0).events
	w := write(t, input{events: in}, Options{}, true)
	var want []string
	for _, l := range lines(w.edges) {
		if strings.Contains(l, `"type": "NEXT"`) || strings.Contains(l, `"type": "REPLY_TO"`) {
			want = append(want, l)
		}
	}
	threads := map[schema.ConvID]*Thread{}
	var have []string
	for rec, err := range jsonl.Decode[schema.Event](strings.NewReader(in), "e") {
		if err != nil {
			t.Fatal(err)
		}
		th := threads[rec.V.ConvID]
		if th == nil {
			th = new(Thread)
			threads[rec.V.ConvID] = th
		}
		for _, e := range th.Add(rec.V, Options{}) {
			b, _ := jsonl.Append(nil, e, schema.Latest)
			have = append(have, strings.TrimSpace(string(b)))
		}
	}
	slices.Sort(have)
	if !slices.Equal(have, want) || len(want) < 40 {
		t.Errorf("have %d links, want %d:\n%s", len(have), len(want), strings.Join(have, "\n"))
	}
}

// The projections of single records, put together, are the graph; and lines written
// by bytes are those of the encoder.
func TestProjections(t *testing.T) {
	in := hazards(2, 40, 0)
	for _, v := range schema.Versions() {
		o := Options{Version: v}
		w := write(t, in, o, true)
		got := map[string]bool{}
		add := func(es []schema.Element) {
			for _, e := range es {
				got[e.ID()] = true
			}
		}
		for rec, err := range jsonl.Decode[schema.MemoryExport](strings.NewReader(in.exports), "x") {
			if err == nil {
				add(Memory(rec.V, o))
			}
		}
		for rec := range jsonl.Decode[schema.Statement](strings.NewReader(in.claims), "c") {
			add(Statement(rec.V, nil, o))
		}
		threads := map[schema.ConvID]*Thread{}
		for rec := range jsonl.Decode[schema.Event](strings.NewReader(in.events), "e") {
			add(Event(rec.V, o))
			if threads[rec.V.ConvID] == nil {
				threads[rec.V.ConvID] = new(Thread)
			}
			add(threads[rec.V.ConvID].Add(rec.V, o))
		}
		n := 0
		for e, err := range Build(context.Background(), Input{
			Events: jsonl.Decode[schema.Event](strings.NewReader(in.events), "e"), Exports: jsonl.Decode[schema.MemoryExport](strings.NewReader(in.exports), "x"),
			Claims: jsonl.Decode[schema.Statement](strings.NewReader(in.claims), "c")}, o) {
			if err != nil {
				continue
			}
			n++
			if !got[e.V.ID()] {
				t.Errorf("%s: no projection has %s", v, e.V.ID())
			}
			line, _ := jsonl.Append(nil, e.V, v)
			if !strings.Contains(w.nodes+w.edges, string(line)) {
				t.Errorf("%s: the encoder writes another line: %s", v, line)
			}
		}
		if want := strings.Count(w.nodes+w.edges, "\n"); n != want {
			t.Errorf("%s: %d elements, want %d", v, n, want)
		}
	}
}

// Every label, edge type and property that is made stands in the catalogue.
func TestCatalogue(t *testing.T) {
	cat := catalog.Default()
	for _, v := range schema.Versions() {
		in := hazards(3, 300, 0)
		joined := input{exports: in.exports, claims: in.claims, events: in.events}
		w := write(t, joined, Options{Version: v}, false)
		for _, l := range append(lines(w.nodes), lines(w.edges)...) {
			var e schema.Element
			if err := codec.Unmarshal([]byte(l), &e); err != nil {
				t.Fatal(err)
			}
			var known []string
			var props schema.Object
			if e.Node != nil {
				label, ok := cat.Labels[e.Node.Labels[0]]
				if !ok || v.Before(label.Since) {
					t.Errorf("%s: label %s is not in the catalogue", v, e.Node.Labels[0])
				}
				if _, entity := cat.Entities[e.Node.Labels[0]]; entity {
					continue // an entity's properties are free
				}
				known, props = label.Props, e.Node.Props
			} else {
				typ, ok := cat.Edges[e.Edge.Type]
				if !ok || v.Before(typ.Since) || typ.Until != "" && typ.Until.Before(v) {
					t.Errorf("%s: edge type %s is not in the catalogue", v, e.Edge.Type)
				}
				known, props = typ.Props, e.Edge.Props
			}
			for k := range props.Members() {
				if !slices.Contains(known, k) {
					t.Errorf("%s: property %s of %.60s is not in the catalogue", v, k, l)
					known = append(known, k)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

func TestStops(t *testing.T) {
	in := hazards(1, 50, 30)
	for rec, err := range Build(context.Background(), Input{Exports: jsonl.Decode[schema.MemoryExport](strings.NewReader(in.exports), "x")}, Options{}) {
		_, _ = rec, err
		break
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Write(ctx, in.files(), discard{}, discard{}, Options{Workers: 2}, func(*schema.Finding) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	full := errors.New("disk full")
	if _, err := Write(context.Background(), in.files(), discard{full}, discard{}, Options{Workers: 2}, func(*schema.Finding) {}); !errors.Is(err, full) {
		t.Errorf("full disk: %v", err)
	}
	if _, err := Write(context.Background(), in.files(), discard{}, discard{}, Options{Memory: 1000, TempDir: "/none/such"}, func(*schema.Finding) {}); err == nil {
		t.Error("no folder for spilling: want an error")
	}
	if _, err := Write(context.Background(), in.files(), discard{}, discard{}, Options{RewriteUser: "x"}, func(*schema.Finding) {}); err == nil {
		t.Error("rewriting users in 0.1.0: want an error")
	}
}

type discard struct{ err error }

func (d discard) Write(p []byte) (int, error) { return len(p), d.err }

// Parts sort by time, undated ones last.
func TestInstant(t *testing.T) {
	last := int64(0)
	for _, s := range []string{"0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2026-02-24", "2026-02-24T18:21:58.028703-08:00", "2026-02-25T02:21:58.028704Z", "9999-12-31T23:59:59.999999Z", "2026-02-30"} {
		have := instant(s)
		if have <= last {
			t.Errorf("%s: %d does not come after %d", s, have, last)
		}
		last = have
	}
}

func FuzzLine(f *testing.F) {
	f.Add([]byte(seedExport))
	for _, l := range lines(hazards(1, 60, 60).exports) {
		f.Add([]byte(l))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, v := range schema.Versions() {
			in := input{exports: string(line) + "\n" + seedExport + "\n"}
			want := write(t, in, Options{Version: v}, true)
			write(t, in, Options{Version: v}, false).compare(t, string(v), want, true)
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	in := hazards(1, 5000, 0)
	in = input{exports: in.exports}
	b.SetBytes(int64(len(in.exports)))
	for b.Loop() {
		if _, err := Write(context.Background(), in.files(), discard{}, discard{}, Options{Workers: 2}, func(*schema.Finding) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// Of doubled records node and edges go by one rule, the one of compile-claims,
// whatever their order.
func TestDoubledStatements(t *testing.T) {
	claim := func(conf, updated string) string {
		return `{"record_type":"claim","claim_id":"claim:P|d|agent:a|tag:x","predicate":"P","subject":{"entity_type":"Agent","entity_id":"agent:a"},"object":{"entity_type":"Tag","entity_id":"tag:x"},"domain":"d","confidence":` + conf + `,"status":"active","rank":null,"updated_at":"` + updated + `","evidence":[{"memory_item_id":"mem:` + hashA + `","point_id":"p1","conv_id":"c","scene_id":"s","created_at":"2026-02-24T18:21:58Z","text":"a"}]}` + "\n"
	}
	entity := func(conf string) string {
		return `{"record_type":"entity","entity_type":"Tag","entity_id":"tag:x","props":{"name":"n` + conf + `"},"aliases":[],"tags":[],"confidence":` + conf + `}` + "\n"
	}
	lines := []string{claim("0.87", "2026-02-24T18:22:22Z"), claim("0.94", "2026-02-25T18:22:22Z"), claim("0.94", "2026-02-24T20:00:00Z"), entity("0.8"), entity("0.9")}
	for _, v := range []schema.Version{schema.V001, schema.Latest} {
		var first string
		for range len(lines) {
			lines = append(lines[1:], lines[0])
			w := write(t, input{claims: strings.Join(lines, "")}, Options{Version: v, Shortcuts: true}, false)
			all := w.nodes + w.edges
			if first == "" {
				first = all
			}
			if all != first {
				t.Errorf("version %s: the order of the records matters", v)
			}
			if strings.Contains(all, "0.87") || strings.Contains(all, "0.8,") || strings.Contains(all, "2026-02-24T20:00:00Z") || !strings.Contains(all, `"n0.9"`) {
				t.Errorf("version %s: not the most confident and newest record:\n%s", v, all)
			}
		}
	}
}

// Ids of points that Qdrant allows and text ids do not cover, as the chain has them.
func TestPoints001(t *testing.T) {
	line := func(id, payload string) string {
		return `{"id": ` + id + `, "payload": ` + payload + `, "collection": "c", "isolation": "global", "exported_at": "2026-02-25T02:22:26Z"}` + "\n"
	}
	good := `{"character_id": "x", "conv_id": "ch01", "data": "a", "hash": "` + schema.Hash("a") + `"}`
	mem := "mem:" + schema.Hash("a")
	for _, c := range []struct{ id, payload, node, point, key string }{
		{`7`, good, mem, `7`, schema.Hash("a")},
		{`"7"`, good, mem, `"7"`, schema.Hash("a")},
		{`7`, `{"character_id": "x", "data": "a"}`, "mem:point:7", `7`, "7"},
		{`null`, good, mem, `null`, schema.Hash("a")},
		{`"  "`, good, mem, `null`, schema.Hash("a")},
		{`"p"`, `{}`, "mem:point:p", `"p"`, "p"},
		{`12`, `{}`, "mem:point:12", `12`, "12"},
	} {
		w := write(t, input{exports: line(c.id, c.payload)}, Options{Version: schema.V001}, false)
		if l := lineOf(t, w, c.node); !strings.Contains(l, `"point_id": `+c.point+`,`) {
			t.Errorf("%s %s: have %s", c.id, c.payload, l)
		}
		if want := `"processed_key": "` + c.key + `", "source_point_id": ` + c.point + `,`; !strings.Contains(w.edges, want) {
			t.Errorf("%s %s: have %s\nwant %s", c.id, c.payload, w.edges, want)
		}
	}
	w := write(t, input{exports: line(`7`, good) + line(`"8"`, good)}, Options{}, false)
	if l := lineOf(t, w, mem); !strings.Contains(l, `"point_ids": ["8", 7]`) {
		t.Errorf("have %s", l)
	}
}

// TestRecordedReplies: REPLY_TO is the turn that the source records, also of the same speaker or session before; what is recorded of a later turn is not earlier,
// and the nearest turn of another speaker is taken, as where nothing is recorded.
func TestRecordedReplies(t *testing.T) {
	var in strings.Builder
	for i, x := range []struct {
		who     string
		reply   int
		session int
	}{{"Ana", 0, 1}, {"Bo", 0, 1}, {"Ana", 1, 1}, {"Bo", 1, 1}, {"Cem", 0, 1}, {"Bo", 7, 1}, {"Ana", 2, 2}} {
		fmt.Fprintf(&in, `{"scene_id": "a", "character_id": "b", "conv_id": "c", "turn_id": %d, "role_type": "human", "role_name": %q, "content": "hi", "tags": ["episodic"], "meta": {"session_id": "%d", "reply_to": %d}}`+"\n", i+1, x.who, x.session, x.reply)
	}
	have := ""
	for _, l := range lines(write(t, input{events: strings.ReplaceAll(in.String(), `, "reply_to": 0`, "")}, Options{}, true).edges) {
		if p := regexp.MustCompile(`"type": "REPLY_TO", "src": "event:c:(\d)", "dst": "event:c:(\d)"`).FindStringSubmatch(l); p != nil {
			have += p[1] + p[2] + " "
		}
	}
	if want := "21 31 41 54 65 72 "; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}
