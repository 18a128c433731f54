package view

import (
	"cmp"
	"slices"
	"strings"

	"membench/internal/rank"
	"membench/schema/catalog"
)

// A person is a node that claims are about, as the page opens on it: what is known of
// it now, and what was known and no longer holds. Things that claims are about (a
// service, an alert) follow the people.
type person struct {
	Node  int   `json:"i"`
	Is    bool  `json:"is"`             // a person, not a thing
	Same  []int `json:"same,omitempty"` // other nodes of the same thing: char:ana for user:ana
	Known []int `json:"known"`          // active claims, the newest first
	Was   []int `json:"was,omitempty"`  // the others, the newest first
}

// predicates are the words for predicates: English by name, Chinese from the catalogue.
type predicates map[string]string

func (m *model) predicates(c *catalog.Catalog) predicates {
	out := predicates{}
	for _, n := range m.nodes {
		if n.role != catalog.LabelClaim {
			continue
		}
		if p, ok := c.Predicate(text(n.props, "predicate")); ok && p.DocZH != "" {
			if _, negated, _ := c.Polarity(text(n.props, "predicate")); !negated {
				out[text(n.props, "predicate")] = p.DocZH
			}
		}
	}
	return out
}

// overview lists people, those of whom most is known first, and the contradictions
// that nothing settled, the newest first.
func (m *model) overview(c *catalog.Catalog) (people []person, open [][]int) {
	w := m.ways()
	at := map[int]int{} // node → index into people
	of := func(i int) *person {
		k, ok := at[i]
		if !ok {
			k = len(people)
			at[i] = k
			people = append(people, person{Node: i, Is: m.nodes[i].role == catalog.LabelPerson, Known: []int{}})
		}
		return &people[k]
	}
	replaced := map[int]bool{}
	for _, e := range m.edges {
		if e.role == catalog.RoleChange {
			replaced[e.src] = true
		}
	}
	for i, n := range m.nodes {
		root := w.root(i)
		if n.role != catalog.LabelClaim || root == i {
			continue
		}
		// A status decides; without one, having a successor does.
		switch p := of(root); {
		case n.status == "active" || n.status == "" && !replaced[i]:
			p.Known = append(p.Known, i)
		case n.status == "" || n.status == statusDeprecated:
			p.Was = append(p.Was, i)
		}
	}
	for _, e := range m.edges { // a speaker and the character that the claims hang on
		if m.nodes[e.src].role != catalog.LabelPerson || m.nodes[e.dst].role != catalog.LabelPerson || e.src == e.dst {
			continue
		}
		if k, ok := at[e.dst]; ok && !slices.Contains(people[k].Same, e.src) {
			people[k].Same = append(people[k].Same, e.src)
		}
	}
	newest := func(a, b int) int { return cmp.Or(cmp.Compare(m.nodes[b].at, m.nodes[a].at), a-b) }
	for _, p := range people {
		slices.SortFunc(p.Known, newest)
		slices.SortFunc(p.Was, newest)
		open = append(open, m.contradictions(c, w, p.Known)...)
	}
	slices.SortFunc(people, func(a, b person) int {
		return cmp.Or(rank.First(a.Is, b.Is), len(b.Known)-len(a.Known), len(b.Was)-len(a.Was), a.Node-b.Node)
	})
	slices.SortFunc(open, func(a, b []int) int { return cmp.Or(newest(a[0], b[0]), slices.Compare(a, b)) })
	return people, open
}

// contradictions are groups of one subject's active claims: of a predicate that has
// one object at a time those with several, and a predicate and its opposite of one object.
func (m *model) contradictions(c *catalog.Catalog, w ways, known []int) (out [][]int) {
	groups := map[string][]int{}
	var keys []string
	add := func(i int, key ...string) {
		k := strings.Join(key, "\x00")
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], i)
	}
	for _, i := range known {
		n := m.nodes[i]
		name, domain := text(n.props, "predicate"), text(n.props, "domain")
		positive, negated, ok := c.Polarity(name)
		if !ok || w.object[i] < 0 {
			continue
		}
		object := string(m.nodes[w.object[i]].id)
		add(i, "opposite", positive, domain, object)
		if p, _ := c.Predicate(name); p.Single == catalog.SingleAlways && !negated {
			add(i, "single", positive, domain)
		}
	}
	for _, k := range keys {
		g := groups[k]
		differ := func(of func(i int) string) bool {
			return slices.ContainsFunc(g, func(i int) bool { return of(i) != of(g[0]) })
		}
		if strings.HasPrefix(k, "single") && differ(func(i int) string { return string(m.nodes[w.object[i]].id) }) ||
			strings.HasPrefix(k, "opposite") && differ(func(i int) string { return text(m.nodes[i].props, "predicate") }) {
			out = append(out, g)
		}
	}
	return out
}
