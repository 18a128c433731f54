package browser

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"membench/cypher"
	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/internal/yamldoc"
	"membench/schema/catalog"
)

//go:embed queries.yaml
var saved []byte

// Queries are the saved queries for the graph of a scope ("" is the unnamed one): they
// look at that graph alone. The first sets the parameters of the others.
func Queries(c *catalog.Catalog, scope string) (out []Query) {
	var list []Query
	text, err := yamldoc.ToJSON(saved)
	if err := errors.Join(err, codec.Unmarshal(text, &list)); err != nil {
		panic(err) // it is part of the program
	}
	add := func(q Query, name string) {
		q.Name = fmt.Sprintf("%02d-%s", len(out), name)
		if !q.Setup {
			q.Text = In(scope, q.Text)
		}
		out = append(out, q)
	}
	for _, q := range list {
		if q.Name != "domain" {
			q.Text = strings.Replace(q.Text, "{opposites}", "{"+opposites(c)+"}", 1)
			add(q, q.Name)
			continue
		}
		for _, d := range catalog.Sorted(c.Domains) {
			dom, one := c.Domains[d], q
			one.Title = strings.Replace(q.Title, "{domain}", d, 1)
			one.TitleZH = strings.Replace(q.TitleZH, "{doc_zh}", cmp.Or(dom.DocZH, d), 1)
			one.Doc = strings.Replace(q.Doc, "{doc}", dom.Doc, 1)
			one.Text = strings.Replace(q.Text, "{domain}", literal(d), 1)
			add(one, "domain-"+atomicfile.Name(d))
		}
	}
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
