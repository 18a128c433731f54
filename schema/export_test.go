package schema

import "strings"

// String mints the id again.
func (id ParsedID) String() string {
	m := Mint{V010}
	part := func(i int) string {
		if i < len(id.Parts) {
			return id.Parts[i]
		}
		return ""
	}
	switch id.Prefix {
	case "claim":
		return string(m.Claim(id.Predicate, part(0), EntityID(id.Ends[0]), EntityID(id.Ends[1])))
	case "edge":
		return string(m.Edge(id.Predicate, NodeID(id.Ends[0]), NodeID(id.Ends[1])))
	case "dom":
		return string(m.Domain(NodeID(id.Ends[0]), part(0)))
	case "pred":
		return string(m.Predicate(NodeID(id.Ends[0]), part(0), id.Predicate))
	case "event", "session":
		return id.Prefix + ":" + m.Escape(part(0)) + ":" + m.Escape(part(1))
	case "chapter":
		return string(m.raw(id.Prefix, "#", id.Parts...))
	case "person":
		return string(m.raw(id.Prefix, "/", id.Parts...))
	}
	return string(m.Node(id.Prefix, part(0)))
}

// raw is Compound without the normalisation of names, which an id already has.
func (m Mint) raw(prefix, sep string, parts ...string) EntityID {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = m.EscapePart(p, sep)
	}
	return EntityID(prefix + ":" + strings.Join(out, sep))
}
