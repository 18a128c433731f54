package pcm

import (
	"fmt"
	"strings"

	"membench/cypher/browser"
)

// How Neo4j Browser draws a world: the type of a node is its colour, its weight the size,
// the surprise of the turn that made it the border.

// looks are the rules, later ones on top of earlier ones.
var looks = []struct{ selector, rule string }{
	{"node." + labelOf(Fact), `color: #0072b2; text-color-internal: #ffffff; font-size: 10px; border-color: #005b8e; border-width: 2px; diameter: 55px; caption: "{display}"`},
	{"node." + labelOf(Hypothesis), `color: #cc79a7; text-color-internal: #1b1e23; font-size: 10px; border-color: #a36085; border-width: 2px; diameter: 55px; caption: "{display}"`},
	{"node." + labelOf(Entity), `color: #009e73; text-color-internal: #ffffff; font-size: 10px; border-color: #007e5c; border-width: 2px; diameter: 55px; caption: "{display}"`},
	{"node." + labelOf(Attribute), `color: #d99000; text-color-internal: #1b1e23; font-size: 10px; border-color: #ad7300; border-width: 2px; diameter: 55px; caption: "{display}"`},
	{"node." + labelOf(Working), `color: #d3dae2; text-color-internal: #1b1e23; font-size: 10px; border-color: #a8aeb4; border-width: 2px; diameter: 45px; caption: "{content}"`},
	{"node." + labelState, `color: #76808c; text-color-internal: #ffffff; font-size: 10px; border-color: #5e666f; border-width: 2px; diameter: 40px; caption: "{display}"`},
	{"node." + tierLabels[tierArchived], `diameter: 40px`},
	{"node." + tierLabels[tierFaded], `diameter: 25px`},
	{"node." + labelStrong, `diameter: 80px`},
	{"node." + labelOf(Low), `border-color: #9aa4ae; border-width: 3px`},
	{"node." + labelOf(Medium), `border-color: #bca400; border-width: 5px`},
	{"node." + labelOf(High), `border-color: #e5173f; border-width: 7px`},
	{"relationship", `color: #a5abb6; shaft-width: 1px; font-size: 8px; padding: 3px; text-color-external: #39434f; text-color-internal: #ffffff; caption: "{display}"`},
	{"relationship." + strings.ToUpper(Supersedes), `color: #e5173f; shaft-width: 4px; font-size: 8px; padding: 3px; text-color-external: #39434f; text-color-internal: #ffffff; caption: "{display}"`},
	{"relationship." + strings.ToUpper(DerivedFrom), `color: #0072b2; shaft-width: 2px; font-size: 8px; padding: 3px; text-color-external: #39434f; text-color-internal: #ffffff; caption: "{display}"`},
}

// Style is the GraSS file for Neo4j Browser.
func Style() []byte {
	var b strings.Builder
	for _, l := range looks {
		fmt.Fprintf(&b, "%s {\n", l.selector)
		for _, line := range strings.Split(l.rule, "; ") {
			fmt.Fprintf(&b, "  %s;\n", line)
		}
		b.WriteString("}\n")
	}
	return []byte(b.String())
}

// Queries are saved queries for the world in a scope ("" is the unnamed graph).
func Queries(scope string) []browser.Query {
	nodes := "n:" + strings.Join([]string{labelOf(Fact), labelOf(Hypothesis), labelOf(Entity), labelOf(Attribute)}, "|")
	list := []browser.Query{
		{Name: "00-world", Title: "What is known, the surest first", TitleZH: "已知内容（按权重）", Doc: "The 100 nodes of the highest weight, with the edges between them.",
			Text: "MATCH (" + nodes + "@)\nWITH n ORDER BY n.weight DESC, n.id LIMIT 100\nOPTIONAL MATCH (n)-[r]->(m)\nRETURN n, r, m"},
		{Name: "01-corrections", Title: "What replaced what", TitleZH: "更正：何者取代何者", Doc: "Corrections: the new fact, and what lost weight.",
			Text: "MATCH p = (:Node@)-[:SUPERSEDES]->()\nRETURN p LIMIT 100"},
		{Name: "02-hypotheses", Title: "Hypotheses and what they come from", TitleZH: "假设及其来源", Doc: "The surest first.",
			Text: "MATCH (n:" + labelOf(Hypothesis) + "@)\nWITH n ORDER BY n.weight DESC, n.id LIMIT 50\nOPTIONAL MATCH p = (n)-[:DERIVED_FROM]->()\nRETURN n, p"},
		{Name: "03-surprise", Title: "What the most surprising turns made", TitleZH: "高惊奇的产物", Doc: "Nodes of turns at the level high.",
			Text: "MATCH (n:" + labelOf(High) + "@)\nOPTIONAL MATCH (n)-[r]->(m)\nRETURN n, r, m LIMIT 100"},
		{Name: "04-forgotten", Title: "What is nearly forgotten", TitleZH: "几近遗忘", Doc: "Nothing is deleted: these are below the weight that a search takes for active.",
			Text: "MATCH (n:" + tierLabels[tierArchived] + "|" + tierLabels[tierFaded] + "@)\nRETURN n ORDER BY n.weight, n.id LIMIT 100"},
		{Name: "05-weights", Title: "Nodes and weights by type and domain", TitleZH: "按类型与领域统计权重", Doc: "Counts, least, mean and greatest weight.", Table: true,
			Text: "MATCH (" + nodes + "@)\nRETURN [l IN labels(n) WHERE l IN ['" + strings.Join([]string{labelOf(Fact), labelOf(Hypothesis), labelOf(Entity), labelOf(Attribute)}, "', '") + "']][0] AS type, n.domain AS domain, count(*) AS nodes,\n  round(min(n.weight), 3) AS least, round(avg(n.weight), 3) AS mean, round(max(n.weight), 3) AS greatest\nORDER BY type, domain"},
		{Name: "06-working-memory", Title: "The working memory, oldest first", TitleZH: "工作记忆", Doc: "Turns that have not become knowledge yet.", Table: true,
			Text: "MATCH (n:" + labelOf(Working) + "@)\nRETURN n.n AS position, n.speaker AS speaker, n.content AS said, n.level AS surprise\nORDER BY position"},
	}
	for i := range list {
		list[i].Text = browser.In(scope, list[i].Text)
	}
	return list
}

// Guide is a page in Markdown about style and queries.
func Guide(queries []browser.Query) []byte {
	var b strings.Builder
	b.WriteString("# PCM in Neo4j Browser\n\nDrop `membench.grass` and `membench-queries.zip` on Browser's window. Colour is the type of a node (blue fact, pink hypothesis, green entity, amber attribute, grey working memory), size its weight, border the surprise of the turn that made it (red high, yellow medium, grey low). Captions begin with the weight; edges show relation and weight.\n")
	for _, q := range queries {
		fmt.Fprintf(&b, "\n## %s · %s\n\n%s\n\n```cypher\n%s\n```\n", q.Title, q.TitleZH, q.Doc, q.Text)
	}
	return []byte(b.String())
}
