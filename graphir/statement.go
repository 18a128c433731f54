package graphir

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"membench/internal/codec"
	"membench/internal/textnorm"
	"membench/schema"
)

// statement emits the parts of an entity or a claim.
func (p *projector) statement(s schema.Statement, at pos, report func(*schema.Finding), emit func(*part)) {
	switch {
	case s.Entity != nil:
		p.entity(s.Entity, at, report, emit)
	case s.Claim != nil:
		p.claim(s.Claim, at, report, emit)
	}
}

func (p *projector) entity(e *schema.Entity, at pos, report func(*schema.Finding), emit func(*part)) {
	if e.ID == "" || e.Type == "" {
		report(&schema.Finding{Pointer: "/entity_id", Code: "GRF058", Message: "entity without an id or a type, skipped"})
		return
	}
	id := string(e.ID)
	props := e.Props
	if props.IsNull() {
		props = schema.Object{}
	}
	rewritten := ""
	if e.Type == schema.LabelUser && p.o.RewriteUser != "" {
		rewritten = p.o.RewriteUser
		id = "user:" + rewritten
	}
	raw, _ := codec.Append(nil, props, codec.Compact) // also brings strings to one spelling
	var name, shown []byte
	b := newObject()
	set := map[string]bool{}
	for k, v := range codec.Members(raw) {
		switch {
		case rewritten != "" && (k == "user_id" || k == "display" || k == "name"):
			v = codec.AppendString(nil, rewritten)
		case k == "entity_type" || k == "aliases" || k == "tags" || k == "confidence":
			// These come from the record itself instead of the property.
			v = entityField(e, k)
		}
		set[k] = true
		b.raw(k, v)
		switch k {
		case "display":
			shown = v
		case "name":
			name = v
		}
	}
	if rewritten != "" {
		for _, k := range []string{"display", "name"} {
			if !set[k] {
				b.str(k, rewritten)
			}
		}
		shown, name = codec.AppendString(nil, rewritten), codec.AppendString(nil, rewritten)
	}
	for _, k := range []string{"entity_type", "aliases", "tags", "confidence"} {
		if !set[k] {
			b.raw(k, entityField(e, k))
		}
	}
	text := id
	for _, v := range [][]byte{shown, name} {
		if s := strip(unquote(v)); s != "" && len(v) > 0 && v[0] == '"' {
			text = s
			break
		}
	}
	out := b.end()
	out = setString(out, "display", text, false)
	out = setString(out, "name", text, len(name) > 0 && name[0] == '"')
	if p.v != schema.V001 && len(e.IDAliases) > 0 {
		l := object{out[:len(out)-1]}
		ids := make([]string, len(e.IDAliases))
		for i, a := range e.IDAliases {
			ids[i] = string(a)
		}
		l.list("id_aliases", ids)
		out = l.end()
	}
	first, _ := preference(e.Confidence, "", nil)
	emit(&part{id: id, half: halfEntity, at: first, union: true, labels: []string{e.Type}, props: out, pos: at})
}

// preference makes one rule for records of one id, the one of compile-claims: the most
// confident comes first, of equals the newest, then the first by content. Node and edges
// of a claim all go by it, so that they say the same.
func preference(conf schema.Confidence, updated string, props []byte) (at int64, order string) {
	newest := uint64(math.MaxUint64)
	if t := instant(updated); t != noInstant {
		newest = ^(uint64(t) ^ 1<<63)
	}
	b := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, newest), hash64(props))
	return int64((1 - min(1, max(0, float64(conf)))) * 1e9), string(b)
}

func entityField(e *schema.Entity, k string) []byte {
	switch k {
	case "entity_type":
		return codec.AppendString(nil, e.Type)
	case "aliases":
		return codec.AppendStrings(nil, e.Aliases)
	case "tags":
		return codec.AppendStrings(nil, e.Tags)
	}
	return schema.AppendFloat(nil, float64(e.Confidence))
}

func unquote(v []byte) string {
	if len(v) == 0 || v[0] != '"' {
		return ""
	}
	return codec.Unquote(v)
}

// setString sets a member in its place, or at the end; keep leaves one that is there.
func setString(obj []byte, name, value string, keep bool) []byte {
	b := newObject()
	found := false
	for k, v := range codec.Members(obj) {
		if k == name {
			found = true
			if !keep {
				v = codec.AppendString(nil, value)
			}
		}
		b.raw(k, v)
	}
	if !found {
		b.str(name, value)
	}
	return b.end()
}

// root is the node from which the claims of a subject hang. In 0.0.1 an Agent's is its
// Character and others are their own; since 0.1.0 a User's is its Character, too.
func (p *projector) root(subject schema.Ref) (id schema.NodeID, label string, props []byte) {
	if subject.Type == schema.LabelAgent || subject.Type == schema.LabelUser && p.v != schema.V001 {
		rest := strings.TrimPrefix(string(subject.ID), strings.ToLower(subject.Type)+":")
		name := rest
		if p.v != schema.V001 {
			name = schema.Unescape(rest)
		}
		return schema.NodeID("char:" + rest), schema.LabelCharacter, named("character_id", name)
	}
	return schema.NodeID(subject.ID), subject.Type, p.reference(subject)
}

// reference is the properties of a thing that is only spoken of.
func (p *projector) reference(r schema.Ref) []byte {
	b := newObject()
	b.str("entity_type", r.Type)
	name := string(r.ID)
	switch {
	case p.v != schema.V001:
		name = schema.NameOf(r.ID)
	case r.Type == schema.LabelUser && p.o.RewriteUser != "":
		name = p.o.RewriteUser
	}
	b.title(name)
	return b.end()
}

func (p *projector) claim(c *schema.Claim, at pos, report func(*schema.Finding), emit func(*part)) {
	if c.ID == "" {
		report(&schema.Finding{Pointer: "/claim_id", Code: "GRF058", Message: "claim without an id, skipped"})
		return
	}
	newer := p.v != schema.V001
	id := schema.NodeID(c.ID)
	node := func(id schema.NodeID, label string, props []byte, union bool) {
		emit(&part{id: string(id), half: halfClaim, union: union, labels: []string{label}, props: props, pos: at})
	}
	whole := c.Subject.ID != "" && c.Object.ID != "" && c.Subject.Type != "" && c.Object.Type != ""
	own := p.claimProps(c, whole)
	first, order := preference(c.Confidence, c.UpdatedAt, own)
	emit(&part{id: string(id), half: halfClaim, at: first, order: order, labels: []string{schema.LabelClaim}, props: own, pos: at})
	if !whole {
		report(&schema.Finding{Pointer: "/subject", Code: "GRF058", Message: "a claim without subject or object: its node has no edges", Have: fmt.Sprintf("subject %q, object %q", c.Subject.ID, c.Object.ID)})
		return
	}
	subject, target := c.Subject, c.Object
	if p.o.RewriteUser != "" {
		for _, r := range []*schema.Ref{&subject, &target} {
			if r.Type == schema.LabelUser {
				r.ID = schema.EntityID("user:" + p.o.RewriteUser)
			}
		}
	}

	root, label, props := p.root(subject)
	if p.v == schema.V001 && subject.Type == schema.LabelUser && p.o.RewriteUser != "" {
		// The chain names the rewritten root by its id, the rewritten object by its user.
		b := newObject()
		b.str("entity_type", subject.Type)
		b.title(string(subject.ID))
		props = b.end()
	}
	node(root, label, props, true)
	domain, predicate := cmp.Or(c.Domain, "unknown"), cmp.Or(c.Predicate, "UNKNOWN")
	owner, character := strings.CutPrefix(string(root), "char:")
	if newer && character { // a name; any other root is named by its id
		owner = schema.Unescape(owner)
	}
	dom, pred := p.mint.Domain(root, domain), p.mint.Predicate(root, domain, predicate)
	b := newObject()
	b.str("domain", domain)
	b.str("character_id", owner)
	b.title(domain)
	node(dom, schema.LabelDomain, b.end(), true)
	b = newObject()
	b.str("predicate", predicate)
	b.str("domain", domain)
	b.str("character_id", owner)
	b.title(predicate + " (" + domain + ")")
	node(pred, schema.LabelPredicate, b.end(), true)
	node(schema.NodeID(target.ID), target.Type, p.reference(target), true)
	if newer && label == schema.LabelCharacter {
		node(schema.NodeID(subject.ID), subject.Type, p.reference(subject), true)
	}

	edge := func(eid schema.EdgeID, typ string, src, dst schema.NodeID, props []byte) *part {
		return &part{edge: true, id: string(eid), half: halfClaim, union: true, typ: typ, src: string(src), dst: string(dst), props: props, pos: at}
	}
	b = newObject()
	b.str("character_id", owner)
	b.str("domain", domain)
	emit(edge(p.mint.HasDomain(root, domain), schema.EdgeHasDomain, root, dom, b.end()))
	b = newObject()
	b.str("domain", domain)
	b.str("predicate", predicate)
	emit(edge(p.mint.HasPredicate(dom, pred), schema.EdgeHasPredicate, dom, pred, b.end()))
	five := newObject()
	five.str("claim_id", string(c.ID))
	five.str("predicate", c.Predicate)
	five.str("domain", c.Domain)
	five.raw("confidence", schema.AppendFloat(nil, float64(c.Confidence)))
	five.strOrNull("updated_at", c.UpdatedAt)
	trace := append(five.b[:len(five.b):len(five.b)], '}')
	for _, x := range []*part{edge(p.mint.HasClaim(pred, c.ID), schema.EdgeHasClaim, pred, id, trace), edge(p.mint.About(c.ID, target.ID), schema.EdgeAbout, id, schema.NodeID(target.ID), trace)} {
		x.at, x.order = first, order
		emit(x)
	}
	if p.o.Shortcuts && c.Predicate != "" {
		x := edge(p.mint.Shortcut(c.Predicate, root, target.ID, c.ID), c.Predicate, root, schema.NodeID(target.ID), trace)
		x.union, x.at, x.order = false, first, order+string(c.ID) // since 0.1.0 claims of several domains share it
		emit(x)
	}
	if newer && label == schema.LabelCharacter {
		emit(edge(p.mint.Edge(schema.EdgeActor, schema.NodeID(subject.ID), root), schema.EdgeActor, schema.NodeID(subject.ID), root, []byte("{}")))
	}
	if newer && c.SupersededBy != "" {
		b := newObject()
		b.opt("reason", c.Reason)
		emit(edge(p.mint.Edge(schema.EdgeSupersededBy, id, schema.NodeID(c.SupersededBy)), schema.EdgeSupersededBy, id, schema.NodeID(c.SupersededBy), b.end()))
	}
	for i, ev := range c.Evidence {
		if p.linked != nil && !p.linked(ev) {
			continue
		}
		if !strings.HasPrefix(string(ev.Memory), "mem:") {
			report(&schema.Finding{Pointer: fmt.Sprintf("/evidence/%d/memory_item_id", i), Code: "GRF014", Message: "evidence names no memory, edge skipped", Have: fmt.Sprintf("%q", ev.Memory), Want: "mem:…"})
			continue
		}
		b := object{append(make([]byte, 0, len(five.b)+256), five.b...)}
		b.str("memory_item_id", string(ev.Memory))
		b.point("point_id", string(ev.Point))
		b.strOrNull("conv_id", string(ev.ConvID))
		b.strOrNull("scene_id", ev.SceneID)
		b.strOrNull("created_at", ev.CreatedAt)
		b.strOrNull("text", ev.Text)
		if !p.v.Before(schema.V020) {
			b.opt("event_time", ev.EventTime)
		}
		x := edge(p.mint.EvidencedBy(c.ID, ev.Memory, ev.Point, i), schema.EdgeEvidencedBy, id, schema.NodeID(ev.Memory), b.end())
		x.union, x.at = false, first
		x.order = order + string(binary.BigEndian.AppendUint64(nil, uint64(instant(ev.CreatedAt))^1<<63)) + string(ev.Point)
		if newer {
			x.listed, x.times = true, 1
			if ev.Point != "" {
				x.points = []string{string(ev.Point)}
			}
			if ev.ConvID != "" {
				x.convs = []string{string(ev.ConvID)}
			}
		}
		emit(x)
	}
}

func (p *projector) claimProps(c *schema.Claim, whole bool) []byte {
	b := newObject()
	b.str("predicate", c.Predicate)
	b.str("domain", c.Domain)
	b.raw("confidence", schema.AppendFloat(nil, float64(c.Confidence)))
	b.strOrNull("status", c.Status)
	if c.Rank == nil {
		b.raw("rank", []byte("null"))
	} else {
		b.num("rank", *c.Rank)
	}
	b.strOrNull("updated_at", c.UpdatedAt)
	name := string(c.ID)
	if c.Predicate != "" {
		name = c.Predicate
		if c.Domain != "" {
			name += " (" + c.Domain + ")"
		}
	}
	if p.v != schema.V001 {
		if first := oldest(c.Evidence); first != "" {
			b.str("valid_at", first)
		}
		b.opt("by", string(c.By))
		b.opt("deprecated_reason", c.Reason)
		b.opt("superseded_by", string(c.SupersededBy))
		if _, negated, ok := p.cat.Polarity(c.Predicate); ok && negated {
			b.raw("negated", []byte("true"))
		}
		if whole {
			name = textnorm.Cut(schema.NameOf(c.Subject.ID), 40) + " " + c.Predicate + " " + textnorm.Cut(schema.NameOf(c.Object.ID), 40)
		}
		if len(c.Aliases) > 0 {
			ids := make([]string, len(c.Aliases))
			for i, a := range c.Aliases {
				ids[i] = string(a)
			}
			b.list("id_aliases", ids)
		}
	}
	b.title(name)
	return b.end()
}

// oldest is the created_at of the oldest evidence: the claim holds from then on.
func oldest(ev []schema.Evidence) string {
	best, at := "", noInstant
	for _, e := range ev {
		if t := instant(e.CreatedAt); t < at || t == at && t != noInstant && e.CreatedAt < best {
			best, at = e.CreatedAt, t
		}
	}
	return best
}
