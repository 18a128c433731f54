package browser

import (
	"fmt"
	"strings"

	"membench/cypher"
	"membench/internal/atomicfile"
	"membench/schema/catalog"
)

// Queries are the saved queries for the graph of a scope ("" is the unnamed one): they
// look at that graph alone. The first sets the parameters of the others.
func Queries(c *catalog.Catalog, scope string) []Query {
	var out []Query
	add := func(name, title, zh, doc, text string, table bool) {
		out = append(out, Query{Name: fmt.Sprintf("%02d-%s", len(out), name), Title: title, TitleZH: zh, Doc: doc, Text: In(scope, text), Table: table})
	}
	out = append(out, Query{Name: "00-parameters", Title: "Parameters: run this once, then :param who => 'user:lin'", TitleZH: "参数（先运行一次）",
		Doc: "Nothing is chosen; the newest 100 come first.", Text: ":params {who: '', claim: '', conversation: '', files: '', skip: 0, limit: 100}", Setup: true})
	add("overview", "What is in the graph", "图谱概览", "How many nodes of each label.", `
MATCH (n:Node@)
UNWIND [l IN labels(n) WHERE l <> 'Node'] AS label
RETURN label, count(*) AS nodes
ORDER BY nodes DESC, label`, true)

	add("person", "A person and the claims about them", "某人的全部主张", "The person with the most claims, or the one of `:param who => 'user:lin'`; newest claims first.", `
MATCH (p:Node@)-[:HAS_DOMAIN]->(:Domain)-[:HAS_PREDICATE]->(:Predicate)-[:HAS_CLAIM]->(c:Claim)
WHERE $who = '' OR p.id = $who OR p.id ENDS WITH '|' + $who
WITH p, count(c) AS claims
ORDER BY claims DESC, p.id LIMIT 1
MATCH tree = (p)-[:HAS_DOMAIN]->(:Domain)-[:HAS_PREDICATE]->(:Predicate)-[:HAS_CLAIM]->(c:Claim)
WITH tree, c ORDER BY c.updated_at DESC, c.id SKIP toInteger($skip) LIMIT toInteger($limit)
OPTIONAL MATCH about = (c)-[:ABOUT]->()
RETURN tree, about`, false)

	for _, d := range catalog.Sorted(c.Domains) {
		dom := c.Domains[d]
		add("domain-"+atomicfile.Name(d), "Domain "+d, "领域："+orElse(dom.DocZH, d), "Claims of each subject in this domain: "+dom.Doc+".", `
MATCH tree = (:Node@)-[:HAS_DOMAIN]->(:Domain {domain: `+literal(d)+`@,})-[:HAS_PREDICATE]->(:Predicate)-[:HAS_CLAIM]->(c:Claim)
WITH tree, c ORDER BY c.updated_at DESC, c.id SKIP toInteger($skip) LIMIT toInteger($limit)
OPTIONAL MATCH about = (c)-[:ABOUT]->()
RETURN tree, about`, false)
	}

	add("evidence", "Evidence of a claim, down to the source", "一条主张的证据，直至源文件", "The claim with the most evidence, or the one of `:param claim => '…'`. Missing links are not drawn.", `
MATCH (c:Claim@)-[:EVIDENCED_BY]->(m:MemoryItem)
WHERE $claim = '' OR c.id = $claim OR c.id ENDS WITH '|' + $claim
WITH c, count(m) AS pieces
ORDER BY pieces DESC, c.id LIMIT 1
MATCH memory = (c)-[:EVIDENCED_BY]->(m:MemoryItem)
OPTIONAL MATCH turn = (m)-[:FROM_EVENT]->(e:Event)
OPTIONAL MATCH lines = (e)-[:IN_SOURCE]->(:Source)
OPTIONAL MATCH about = (c)-[:ABOUT]->()
RETURN memory, turn, lines, about`, false)

	add("source-lines", "Claims with the lines they rest on", "主张与其源文件行号", "One row for each claim and turn, newest first: the claim, the memory, the words said, and the place. `:param files` sets the start of the path and makes a link.", `
MATCH (c:Claim@)-[:EVIDENCED_BY]->(m:MemoryItem)-[:FROM_EVENT]->(e:Event)-[place:IN_SOURCE]->(s:Source)
OPTIONAL MATCH (c)-[:ABOUT]->(o)
RETURN c.predicate AS predicate, coalesce(o.name, o.display, o.id) AS about,
       CASE $files WHEN '' THEN s.path + ':' + toString(place.start_line) + '-' + toString(coalesce(place.end_line, place.start_line))
         ELSE $files + s.path + '#L' + toString(place.start_line) + '-L' + toString(coalesce(place.end_line, place.start_line)) END AS lines,
       e.role_name AS who, e.content AS said, m.data AS memory, c.status AS status
ORDER BY e.time DESC, predicate, about, lines
SKIP toInteger($skip) LIMIT toInteger($limit)`, true)

	add("changes", "What changed: a claim and its successor", "变化：被取代的主张", "The newest changes, each with the memories that support the old and the new claim.", `
MATCH change = (old:Claim@)-[:SUPERSEDED_BY]->(new:Claim)
WITH change, old, new
ORDER BY new.updated_at DESC, old.id SKIP toInteger($skip) LIMIT toInteger($limit)
OPTIONAL MATCH spokeThen = (old)-[:EVIDENCED_BY]->(:MemoryItem)
OPTIONAL MATCH speaksNow = (new)-[:EVIDENCED_BY]->(:MemoryItem)
OPTIONAL MATCH wasAbout = (old)-[:ABOUT]->()
OPTIONAL MATCH isAbout = (new)-[:ABOUT]->()
RETURN change, spokeThen, speaksNow, wasAbout, isAbout`, false)

	add("contradictions", "Unresolved contradictions", "未解决的矛盾", "Active claims that contradict each other: opposite predicates for one subject and object, or two objects for a predicate that takes one at a time.", `
WITH {`+opposites(c)+`} AS opposites
MATCH (s:Node@)-[:HAS_DOMAIN]->(:Domain)-[:HAS_PREDICATE]->(p1:Predicate)-[:HAS_CLAIM]->(c1:Claim)-[:ABOUT]->(o1)
WHERE opposites[c1.predicate] IS NOT NULL AND coalesce(c1.status, 'active') = 'active'
MATCH (s)-[:HAS_DOMAIN]->(:Domain)-[:HAS_PREDICATE]->(p2:Predicate)-[:HAS_CLAIM]->(c2:Claim)-[:ABOUT]->(o2)
WHERE c2.predicate IN opposites[c1.predicate] AND coalesce(c2.status, 'active') = 'active'
  AND (c1.predicate <> c2.predicate AND o1 = o2 OR c1.predicate = c2.predicate AND o1 <> o2 AND c1.id < c2.id)
WITH DISTINCT s, p1, c1, o1, p2, c2, o2
MATCH one = (s)-[:HAS_DOMAIN]->()-[:HAS_PREDICATE]->(p1)-[:HAS_CLAIM]->(c1)-[:ABOUT]->(o1)
MATCH two = (s)-[:HAS_DOMAIN]->()-[:HAS_PREDICATE]->(p2)-[:HAS_CLAIM]->(c2)-[:ABOUT]->(o2)
RETURN one, two ORDER BY c2.updated_at DESC, c1.id
SKIP toInteger($skip) LIMIT toInteger($limit)`, false)

	add("orphans", "Orphans: nodes without relationships or evidence", "孤立节点：无据可查", "Nodes without any relationship, claims without evidence, and, in a graph that has turns, memories without one. A sound graph returns no rows.", `
MATCH (n:Node@)
WHERE NOT (n)--() AND NOT n:Failure
   OR n:Claim AND NOT (n)-[:EVIDENCED_BY]->(:MemoryItem)
   OR n:MemoryItem AND NOT (n)-[:FROM_EVENT]->(:Event) AND EXISTS { MATCH (:Event@) }
RETURN n ORDER BY n.id
SKIP toInteger($skip) LIMIT toInteger($limit)`, false)

	add("conversation", "A conversation: its turns and what was remembered", "一次对话及其记忆", "The conversation with the newest turn, or the one of `:param conversation => 'conv:…'`; newest turns first.", `
MATCH (conv:Conversation@)<-[:IN_CONV]-(e:Event)
WHERE $conversation = '' OR conv.id = $conversation OR conv.id ENDS WITH '|' + $conversation
WITH conv, max(e.time) AS newest ORDER BY newest DESC, conv.id LIMIT 1
MATCH turn = (conv)<-[:IN_CONV]-(e:Event)
WITH turn, e ORDER BY e.time DESC, e.turn_id DESC SKIP toInteger($skip) LIMIT toInteger($limit)
OPTIONAL MATCH following = (e)-[:NEXT]->(:Event)
OPTIONAL MATCH memory = (e)<-[:FROM_EVENT]-(:MemoryItem)
OPTIONAL MATCH who = (e)<-[:SPOKE]-()
RETURN turn, following, memory, who`, false)

	add("weakest", "The least certain claims", "置信度最低的主张", "Active claims by confidence, with the number of supporting memories.", `
MATCH (c:Claim@)
WHERE coalesce(c.status, 'active') = 'active'
OPTIONAL MATCH (c)-[:ABOUT]->(o)
RETURN c.confidence AS confidence, c.predicate AS predicate, coalesce(o.name, o.display, o.id) AS about, COUNT { (c)-[:EVIDENCED_BY]->() } AS memories, c.id AS id
ORDER BY confidence, memories, id
SKIP toInteger($skip) LIMIT toInteger($limit)`, true)

	add("probes", "Probes and what they expect", "探针与预期", "Questions asked of a memory, with the turn that asks and the claim or fact that supports a right answer.", `
MATCH (p:Probe@)
OPTIONAL MATCH asks = (:Event)-[:ASKS]->(p)
OPTIONAL MATCH expects = (p)-[:EXPECTS]->()
RETURN p, asks, expects ORDER BY p.id
SKIP toInteger($skip) LIMIT toInteger($limit)`, false)

	add("failures", "Failed questions: the path to the gold, and where it broke", "答错的问题：证据路径与断点", "Questions that failed in the graph (membench eval explain --graph-out): the gold path, where it ended, and the three best items retrieved instead.", `
MATCH broke = (f:Failure@)-[:BROKE_AT]->()
WITH f, broke ORDER BY f.id SKIP toInteger($skip) LIMIT toInteger($limit)
OPTIONAL MATCH gold = (f)-[:GOLD_PATH]->(step)
OPTIONAL MATCH way = (step)-[:FROM_EVENT|EVIDENCED_BY|ABOUT|SUPERSEDED_BY]-(next) WHERE EXISTS { MATCH (f)-[:GOLD_PATH]->(next) }
OPTIONAL MATCH instead = (f)-[got:RETRIEVED]->() WHERE got.rank <= 3
RETURN broke, gold, way, instead`, false)

	add("failures-by-break", "Failed questions by the place where they broke", "按断点统计答错的问题", "Failed questions of each system by place, with an example.", `
MATCH (f:Failure@)
RETURN f.system AS system, f.hop AS hop, f.break AS broke, count(*) AS questions, min(f.question) AS example
ORDER BY system, questions DESC, hop, broke`, true)
	return out
}

// opposites are the members of a map: of each predicate those that contradict it, its
// opposite about the same object, and itself where it has one object at a time.
func opposites(c *catalog.Catalog) string {
	var out []string
	for _, name := range catalog.Sorted(c.Predicates) {
		p := c.Predicates[name]
		var against []string
		if p.Negative != "" {
			against = append(against, literal(p.Negative))
		}
		if p.Single == catalog.SingleAlways {
			against = append(against, literal(name))
		}
		if key, err := cypher.AppendName(nil, name); err == nil && len(against) > 0 {
			out = append(out, string(key)+": ["+strings.Join(against, ", ")+"]")
		}
	}
	return strings.Join(out, ", ")
}

// In puts a scope into a query: @ is replaced by a map, @, by one more member.
func In(scope, text string) string {
	member := ", scope: " + string(cypher.AppendString(nil, scope))
	whole := " {" + member[2:] + "}"
	return strings.TrimSpace(strings.NewReplacer("@,", member, "@", whole).Replace(text))
}

// literal is a string of a query; its @ is written so that In lets it be.
func literal(s string) string {
	return strings.ReplaceAll(string(cypher.AppendString(nil, s)), "@", `\u0040`)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
