package schema

import (
	"cmp"
	"crypto/md5"
	"encoding/hex"
	"strconv"
	"strings"

	"membench/internal/atomicfile"
	"membench/internal/textnorm"
)

// Ids are named string types; each is made only by its constructor of a Mint. Grammar of 0.1.0:
//
//	simple = prefix ":" seg
//	claim  = "claim:" PRED "|" seg "|" simple "|" simple
//	edge   = "edge:" TYPE ":" node ":" node
//	person = "person:" seg "/" seg   (0.2.0: conversation, or nothing for the whole project, and name)
//	node   = claim | simple | compound (a prefix with a fixed number of segs)
//
// A seg holds no raw ":" or "|": free text is escaped once, when it becomes part of an id. Version 0.0.1 joins parts raw, as the existing chain does.
type (
	ConvID   string // conversation, opaque
	PointID  string // a memory system's own id of one stored occurrence; see Text for integers
	MemoryID string // mem:<md5 of the text>
	EntityID string
	ClaimID  string
	NodeID   string // any of the above with prefix, or a graph-only id
	EdgeID   string
)

// MaxIDBytes is the longest id that Neo4j can hold under its uniqueness constraint
// with room to spare; longer ones are finding ID020.
const MaxIDBytes = 4000

// A Mint makes the ids of one schema version.
type Mint struct{ V Version }

// Escape percent-encodes the characters of a free-text part that the grammar uses or that break line tools: '%', '|', ':', C0, DEL, C1, U+2028, U+2029. It
// writes upper-case hex of the UTF-8 bytes and leaves other characters unchanged. 0.0.1 escapes nothing.
func (m Mint) Escape(s string) string {
	if m.V == V001 || !needsEscape(s, "") {
		return s
	}
	return escape(s, "")
}

// EscapePart is Escape for a part of a compound that also reserves sep.
func (m Mint) EscapePart(s, sep string) string {
	if m.V == V001 || !needsEscape(s, sep) {
		return s
	}
	return escape(s, sep)
}

func reserved(r rune, sep string) bool {
	return r == '%' || r == '|' || r == ':' || r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0x2028 || r == 0x2029 || sep != "" && strings.ContainsRune(sep, r)
}

func needsEscape(s, sep string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return reserved(r, sep) })
}

func escape(s, sep string) string {
	return PercentEncode(s, func(r rune) bool { return reserved(r, sep) })
}

// PercentEncode writes the UTF-8 bytes of the characters that are reserved as %XX.
func PercentEncode(s string, reserved func(rune) bool) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(s) + 8)
	for _, r := range s {
		if !reserved(r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
	return b.String()
}

// Unescape reverses Escape. A '%' that starts no escape is kept.
func Unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b = append(b, byte(c))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

// Hash is the md5, in lower-case hex, of the bytes of a memory's text. Nothing is
// normalised first: it is Mem0's own hash.
func Hash(data string) string {
	sum := md5.Sum([]byte(data))
	return hex.EncodeToString(sum[:])
}

// IsHash reports whether s has the form of a Hash.
func IsHash(s string) bool {
	if len(s) != 32 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Memory returns the id of a memory text. In 0.0.1 it is made from the payload's hash if that has the form of one, otherwise from the point.
func (m Mint) Memory(data, hash string, point PointID) MemoryID {
	if m.V == V001 {
		if IsHash(hash) {
			return MemoryID("mem:" + hash)
		}
		return MemoryID("mem:point:" + point.Text())
	}
	return MemoryID("mem:" + Hash(data))
}

// Entity is prefix:name. In 0.1.0 the name is normalised (textnorm.Name) and escaped.
func (m Mint) Entity(prefix, name string) EntityID {
	if m.V == V001 {
		return EntityID(prefix + ":" + name)
	}
	return EntityID(prefix + ":" + m.Escape(textnorm.Name(name)))
}

// Compound is prefix:part<sep>part…, each part normalised and escaped.
func (m Mint) Compound(prefix, sep string, parts ...string) EntityID {
	out := make([]string, len(parts))
	for i, p := range parts {
		if m.V == V001 {
			out[i] = p
		} else {
			out[i] = m.EscapePart(textnorm.Name(p), sep)
		}
	}
	return EntityID(prefix + ":" + strings.Join(out, sep))
}

// Claim is claim:predicate|domain|subject|object.
func (m Mint) Claim(predicate, domain string, subject, object EntityID) ClaimID {
	return ClaimID("claim:" + predicate + "|" + m.Escape(domain) + "|" + string(subject) + "|" + string(object))
}

// Node is prefix:value for ids of records that are opaque, not names: conversations,
// scenes, characters, users, agents, probes, injects, sources. The value is escaped
// (0.1.0) but not normalised.
func (m Mint) Node(prefix, value string) NodeID { return NodeID(prefix + ":" + m.Escape(value)) }

func (m Mint) Conv(id ConvID) NodeID      { return m.Node("conv", string(id)) }
func (m Mint) Scene(id string) NodeID     { return m.Node("scene", id) }
func (m Mint) Character(id string) NodeID { return m.Node("char", id) }
func (m Mint) User(id string) NodeID      { return m.Node("user", id) }
func (m Mint) Agent(id string) NodeID     { return m.Node("agent", id) }
func (m Mint) Source(path string) NodeID  { return m.Node("source", path) }
func (m Mint) Probe(id string) NodeID     { return m.Node("probe", id) }
func (m Mint) Inject(id string) NodeID    { return m.Node("inject", id) }

// Event is event:<conv>:<turn>.
func (m Mint) Event(r EventRef) NodeID {
	return NodeID("event:" + m.Escape(string(r.ConvID)) + ":" + strconv.Itoa(r.TurnID))
}

// Session is session:<conv>:<session id>.
func (m Mint) Session(conv ConvID, session string) NodeID {
	return NodeID("session:" + m.Escape(string(conv)) + ":" + m.Escape(session))
}

// Domain is dom:<root id>:<domain>.
func (m Mint) Domain(root NodeID, domain string) NodeID {
	return NodeID("dom:" + string(root) + ":" + m.Escape(domain))
}

// Predicate is pred:<root id>:<domain>:<predicate>.
func (m Mint) Predicate(root NodeID, domain, predicate string) NodeID {
	return NodeID("pred:" + string(root) + ":" + m.Escape(domain) + ":" + predicate)
}

// Edge is edge:{type}:{src}:{dst}.
func (m Mint) Edge(typ string, src, dst NodeID) EdgeID {
	return EdgeID("edge:" + typ + ":" + string(src) + ":" + string(dst))
}

// The edges of a claim have ids of their own form in 0.0.1, as the existing claims
// graph writes them; since 0.1.0 they follow Edge.

// HasDomain leads from the root of a subject's claims to one of its domains.
func (m Mint) HasDomain(root NodeID, domain string) EdgeID {
	if m.V == V001 {
		return EdgeID("has_domain:" + string(root) + ":" + domain)
	}
	return m.Edge(EdgeHasDomain, root, m.Domain(root, domain))
}

// HasPredicate leads from a Domain node to a Predicate node.
func (m Mint) HasPredicate(domain, predicate NodeID) EdgeID {
	if m.V == V001 {
		return EdgeID("has_predicate:" + string(domain) + ":" + string(predicate))
	}
	return m.Edge(EdgeHasPredicate, domain, predicate)
}

// HasClaim leads from a Predicate node to a claim.
func (m Mint) HasClaim(predicate NodeID, claim ClaimID) EdgeID {
	if m.V == V001 {
		return EdgeID("has_claim:" + string(predicate) + ":" + string(claim))
	}
	return m.Edge(EdgeHasClaim, predicate, NodeID(claim))
}

// About leads from a claim to its object.
func (m Mint) About(claim ClaimID, object EntityID) EdgeID {
	if m.V == V001 {
		return EdgeID("about:" + string(claim) + ":" + string(object))
	}
	return m.Edge(EdgeAbout, NodeID(claim), NodeID(object))
}

// EvidencedBy leads from a claim to a memory. In 0.0.1 there is one for each point,
// and evidence without a point is identified by its index in the claim's list, from 0;
// since 0.1.0 there is one per claim and memory.
func (m Mint) EvidencedBy(claim ClaimID, memory MemoryID, point PointID, index int) EdgeID {
	if m.V == V001 {
		last := cmp.Or(point.Text(), strconv.Itoa(index))
		return EdgeID("evidenced_by:" + string(claim) + ":" + string(memory) + ":" + last)
	}
	return m.Edge(EdgeEvidencedBy, NodeID(claim), NodeID(memory))
}

// Shortcut leads from the root of a claim straight to its object.
func (m Mint) Shortcut(predicate string, root NodeID, object EntityID, claim ClaimID) EdgeID {
	if m.V == V001 {
		return EdgeID("pred:" + predicate + ":" + string(root) + ":" + string(object) + ":" + string(claim))
	}
	return m.Edge(predicate, root, NodeID(object))
}

// FileName returns the name of a conversation's file, without its extension: its id with characters encoded that a file name cannot contain, "_none" for
// records without one. A leading "_" is encoded, too, so that no id is called "_none".
func (conv ConvID) FileName() string {
	if conv == "" {
		return "_none"
	}
	name := atomicfile.Name(string(conv))
	if rest, ok := strings.CutPrefix(name, "_"); ok {
		name = "%5F" + rest
	}
	return name
}
