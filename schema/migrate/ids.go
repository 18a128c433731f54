package migrate

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/catalog"
)

// IDs knows every id of a set of files, before and after one version step. It costs about 150 bytes per id in addition to the text of both.
type IDs struct {
	From, To schema.Version

	cat     *catalog.Catalog
	ids     map[string]string   // before → after; "" until Seal
	after   map[string]bool     // every id that is after the step
	clash   map[string]bool     // normalised ids that several old ones would share
	claims  map[string]claim    // old id → its parts
	objects map[string]string   // old claim id → object, of ABOUT edges
	nodes   map[string]nodeFact // Domain, Predicate, Session nodes
	points  map[string]string   // mem:point:<id> and odd hashes → id by data

	ruleUp, ruleDown *IDs

	// Of the second pass.
	Rewritten int // references that changed
	Before    int // references that led nowhere before
	Broken    int // references that led somewhere and do not any more: never, or a fault of the program
	Ambiguous []string
}

type claim struct{ predicate, domain, subject, object string }

type nodeFact struct{ root, domain, predicate, session string }

// NewIDs starts a step between neighbouring versions. cat may be nil.
func NewIDs(from, to schema.Version, cat *catalog.Catalog) *IDs {
	cat = cmp.Or(cat, catalog.Default())
	return &IDs{From: from, To: to, cat: cat, ids: map[string]string{}, after: map[string]bool{}, clash: map[string]bool{}, claims: map[string]claim{},
		objects: map[string]string{}, nodes: map[string]nodeFact{}, points: map[string]string{}}
}

// bare is a step by rule alone: it knows no records.
func (x *IDs) bare(from, to schema.Version) *IDs {
	b := &x.ruleUp
	if to.Before(from) {
		b = &x.ruleDown
	}
	if *b == nil {
		*b = NewIDs(from, to, x.cat)
	}
	(*b).Ambiguous = (*b).Ambiguous[:0]
	return *b
}

// up reports the step that renamed everything: 0.0.1 to 0.1.0.
func (x *IDs) up() bool { return x.From == schema.V001 }

// IDOf is the id that a record defines: the id itself of nodes, entities and claims,
// the memory id of an export; "" for the rest.
func (x *IDs) IDOf(k schema.Kind, o schema.Object) string {
	switch k {
	case schema.KindNode:
		return o.Text("id")
	case schema.KindEntity:
		return o.Text("entity_id")
	case schema.KindClaim:
		return o.Text("claim_id")
	case schema.KindExport:
		raw, ok := o.Get("payload")
		if !ok || raw[0] != '{' {
			return ""
		}
		p := schema.RawObject(raw)
		if data, ok := p.Get("data"); x.up() || !ok || data[0] != '"' {
			return string(schema.Mint{V: schema.V001}.Memory("", strings.TrimSpace(p.Text("hash")), pointOf(o)))
		}
		return string(schema.Mint{V: x.From}.Memory(p.Text("data"), "", ""))
	}
	return ""
}

// Learn reads one record in the first pass.
func (x *IDs) Learn(k schema.Kind, o schema.Object) {
	if k == schema.KindEdge {
		if x.up() && o.Text("type") == "ABOUT" {
			if id := o.Text("src"); strings.Count(id, "|") > 3 {
				x.objects[id] = o.Text("dst")
			}
		}
		return
	}
	id := x.IDOf(k, o)
	if id == "" {
		return
	}
	if _, ok := x.ids[id]; !ok {
		x.ids[id] = ""
	}
	if h := readHistory(o); h.present && h.from == x.To {
		// An earlier step in the other direction recorded the id.
		for _, raw := range h.merged {
			if old := schema.RawObject(raw).Text("id"); old != "" && x.ids[id] == "" {
				x.ids[id] = old
			}
		}
		for _, p := range h.was {
			if (p.pointer == "/id" || p.pointer == "/entity_id" || p.pointer == "/claim_id") && p.before != nil && p.after != nil && unquote(p.after) == id {
				x.ids[id] = unquote(p.before)
			}
		}
	}
	if !x.up() {
		return
	}
	props := below(o, "props")
	switch prefix, _, _ := strings.Cut(id, ":"); {
	case k == schema.KindExport:
		raw, _ := o.Get("payload")
		x.learnMemory(id, schema.RawObject(raw))
	case k == schema.KindClaim:
		c := claim{predicate: o.Text("predicate"), domain: o.Text("domain")}
		for name, to := range map[string]*string{"subject": &c.subject, "object": &c.object} {
			*to = below(o, name).Text("entity_id")
		}
		if c.subject != "" && c.object != "" {
			x.claims[id] = c
		}
	case k == schema.KindNode && prefix == "mem":
		x.learnMemory(id, props)
	case k == schema.KindNode && prefix == "claim":
		if _, ok := x.claims[id]; !ok {
			x.claims[id] = claim{predicate: props.Text("predicate"), domain: props.Text("domain")}
		}
	case k == schema.KindNode && (prefix == "dom" || prefix == "pred"):
		x.nodes[id] = nodeFact{domain: props.Text("domain"), predicate: props.Text("predicate")}
	case k == schema.KindNode && prefix == "session":
		x.nodes[id] = nodeFact{root: props.Text("conv_id"), session: props.Text("session_id")}
	}
}

func (x *IDs) learnMemory(id string, props schema.Object) {
	if data, ok := props.Get("data"); ok && data[0] == '"' {
		now := string(schema.Mint{V: x.To}.Memory(unquote(data), "", ""))
		x.after[now] = true
		// Two texts under one wrong hash: references with a quote find theirs, the rest
		// get the same one regardless of the order.
		if other, ok := x.points[id]; !ok || now < other {
			x.points[id] = now
		}
	}
}

func unquote(raw []byte) string {
	var b schema.ObjectBuilder
	b.Raw("v", raw)
	return b.Object().Text("v")
}

// Seal ends the first pass.
func (x *IDs) Seal() {
	all := catalog.Sorted(x.ids)
	if x.up() {
		first := map[string]string{}
		for _, id := range all {
			if x.ids[id] != "" {
				continue
			}
			form := x.simple(id, true)
			if other, ok := first[form]; ok && other != id {
				x.clash[form] = true
			}
			first[form] = id
		}
	}
	// Claims, domains and predicates are made of other ids: those first.
	made := func(id string) bool {
		p, _, _ := strings.Cut(id, ":")
		return p == "claim" || p == "dom" || p == "pred"
	}
	for _, later := range []bool{false, true} {
		for _, id := range all {
			if x.ids[id] == "" && made(id) == later {
				x.ids[id] = x.mint(id)
			}
		}
	}
	for _, id := range all {
		x.after[x.ids[id]] = true
	}
}

// Has reports whether some record defines the id, before the step.
func (x *IDs) Has(id string) bool { _, ok := x.ids[id]; return ok }

// Map gives the id after the step, of an id that no record defines too.
func (x *IDs) Map(id string) string {
	if now := x.ids[id]; now != "" {
		return now
	}
	return x.mint(id)
}

// refer maps a reference and counts where it leads.
func (x *IDs) refer(id string) string { return x.count(id, x.Map(id)) }

func (x *IDs) count(old, now string) string {
	switch {
	case !strings.Contains(old, ":"): // the id of an inject or a probe: no record defines it
	case !x.Has(old):
		x.Before++
	case !x.after[now]:
		x.Broken++
	}
	if now != old {
		x.Rewritten++
	}
	return now
}

// memory maps a reference to a memory; text is the quoted evidence, which stands for the memory's data if its record is not available.
func (x *IDs) memory(id, text string) string {
	now := x.Map(id)
	if x.up() && text != "" && strings.HasPrefix(id, "mem:") {
		quoted := string(schema.Mint{V: x.To}.Memory(text, "", ""))
		if x.Has(id) && x.after[quoted] || !x.Has(id) && !schema.IsHash(id[len("mem:"):]) {
			now = quoted
		}
	}
	return x.count(id, now)
}

func (x *IDs) mint(id string) string {
	switch {
	case x.To == schema.V001:
		return down(id)
	case x.From == schema.V010:
		return id
	case x.From == schema.V020:
		return unperson.ReplaceAllStringFunc(id, func(s string) string {
			return strings.ReplaceAll(strings.Replace(s, "person:", "user:", 1), "%2F", "%252F") // the older grammar escapes no "/"
		})
	}
	if now, ok := x.points[id]; ok {
		return now
	}
	prefix, rest, ok := strings.Cut(id, ":")
	if !ok {
		return id
	}
	m := schema.Mint{V: x.To}
	switch prefix {
	case "claim":
		return x.mintClaim(id)
	case "dom", "pred":
		f := x.nodes[id]
		predicate := ""
		if prefix == "pred" {
			if rest, predicate, ok = cutLast(rest, f.predicate); !ok {
				return id
			}
		}
		root, domain, ok := cutLast(rest, f.domain)
		if !ok {
			return id
		}
		if prefix == "pred" {
			return string(m.Predicate(schema.NodeID(x.Map(root)), domain, predicate))
		}
		return string(m.Domain(schema.NodeID(x.Map(root)), domain))
	case "event":
		conv, turn, ok := cutLast(rest, "")
		if !ok {
			return id
		}
		return "event:" + m.Escape(conv) + ":" + turn
	case "session":
		f := x.nodes[id]
		conv, session, ok := cutLast(rest, f.session)
		if !ok {
			return id
		}
		return string(m.Session(schema.ConvID(conv), session))
	case "mem":
		return id // of a memory that is not available: its correct value is unknown
	}
	form := x.simple(id, true)
	if x.clash[form] {
		return x.simple(id, false)
	}
	return form
}

// unperson finds the people's ids in an id. Free text holds no raw ":" or "|".
var unperson = regexp.MustCompile(`(?:^|[:|])person:[^:|]*`)

// cutLast cuts s at its last ":", or before the part that is known to be the last.
func cutLast(s, last string) (before, after string, ok bool) {
	if last != "" {
		if b, ok := strings.CutSuffix(s, ":"+last); ok {
			return b, last, true
		}
	}
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// opaque ids are values of other systems: escaped, never normalised.
var opaque = []string{"user", "agent", "conv", "scene", "char", "source", "probe", "inject"}

// simple mints the id of a name by the new grammar. Normalising could make two names
// one; where it would, Seal has both only escaped.
func (x *IDs) simple(id string, normalise bool) string {
	prefix, name, ok := strings.Cut(id, ":")
	if !ok || slices.Contains([]string{"mem", "claim", "dom", "pred", "event", "session"}, prefix) {
		return id
	}
	m := schema.Mint{V: x.To}
	if typ, ok := x.cat.TypeOfPrefix(prefix); ok && len(x.cat.Entities[typ].Parts) == 2 {
		sep := x.cat.Entities[typ].Separator
		work, title, ok := strings.Cut(name, sep)
		if !ok {
			work, title = "", name
		}
		if !normalise {
			return prefix + ":" + m.EscapePart(work, sep) + sep + m.EscapePart(title, sep)
		}
		if work == "UNKNOWN" {
			work = ""
		}
		if textnorm.Name(title) == "" {
			return x.simple(id, false)
		}
		return string(m.Compound(prefix, sep, work, title))
	}
	if !normalise || slices.Contains(opaque, prefix) || textnorm.Name(name) == "" { // a name of blanks is still a name
		return string(m.Node(prefix, name))
	}
	return string(m.Entity(prefix, name))
}

func (x *IDs) mintClaim(id string) string {
	c := x.claims[id]
	if c.subject == "" {
		var ok bool
		if c, ok = x.parseClaim(id, c); !ok {
			return id
		}
	}
	m := schema.Mint{V: x.To}
	return string(m.Claim(c.predicate, c.domain, schema.EntityID(x.Map(c.subject)), schema.EntityID(x.Map(c.object))))
}

// parseClaim splits an old claim id, using the known parts. Names may contain "|", so it looks for a place where an entity's prefix follows.
func (x *IDs) parseClaim(id string, c claim) (claim, bool) {
	rest := strings.TrimPrefix(id, "claim:")
	if c.predicate == "" {
		var ok bool
		if c.predicate, rest, ok = strings.Cut(rest, "|"); !ok {
			return c, false
		}
	} else {
		r, ok := strings.CutPrefix(rest, c.predicate+"|")
		if !ok {
			return c, false
		}
		rest = r
	}
	if r, ok := strings.CutPrefix(rest, c.domain+"|"); ok && c.domain != "" {
		rest = r
	} else if c.domain, rest, ok = strings.Cut(rest, "|"); !ok {
		return c, false
	}
	if object := x.objects[id]; object != "" {
		if subject, ok := strings.CutSuffix(rest, "|"+object); ok {
			c.subject, c.object = subject, object
			return c, true
		}
	}
	var at []int
	for i := range len(rest) {
		if rest[i] != '|' {
			continue
		}
		prefix, _, ok := strings.Cut(rest[i+1:], ":")
		if _, known := x.cat.TypeOfPrefix(prefix); ok && known {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return c, false
	}
	// If both ends are known entities they decide, otherwise the first place does, with a warning.
	best := at[0]
	if len(at) > 1 {
		sure := slices.DeleteFunc(slices.Clone(at), func(i int) bool { return !x.Has(rest[:i]) || !x.Has(rest[i+1:]) })
		if len(sure) > 0 {
			best = sure[0]
		}
		if len(sure) != 1 && !slices.Contains(x.Ambiguous, id) {
			x.Ambiguous = append(x.Ambiguous, id)
		}
	}
	c.subject, c.object = rest[:best], rest[best+1:]
	return c, true
}

// down is the id of 0.0.1: parts joined raw, an unknown work spelled out.
func down(id string) string {
	if strings.HasPrefix(id, "chapter:#") {
		id = "chapter:UNKNOWN#" + id[len("chapter:#"):]
	} else {
		id = strings.ReplaceAll(id, "|chapter:#", "|chapter:UNKNOWN#")
	}
	return schema.Unescape(id)
}

// pointOf is the id of an export.
func pointOf(o schema.Object) (p schema.PointID) {
	if raw, ok := o.Get("id"); ok && p.UnmarshalJSON(raw) != nil {
		return ""
	}
	return p
}
