package graph

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/schema"
)

// A PropKind is the type of a value that a property database can store.
type PropKind uint8

const (
	Bool PropKind = iota + 1
	Int           // fits 64 bits, signed
	Float
	String
)

func (k PropKind) String() string {
	return [...]string{"none", "boolean", "integer", "float", "string"}[k]
}

// A Value is a scalar or a list of scalars of one kind. Texts holds one text for a scalar, at least one for a list: strings unchanged, numbers in one spelling
// per value (1.0 is "1"), so that two numbers are equal if their texts are.
type Value struct {
	Kind  PropKind
	List  bool
	Texts []string
}

// Equal compares by meaning: 1 is 1.0.
func (v Value) Equal(w Value) bool {
	number := func(k PropKind) bool { return k == Int || k == Float }
	return (v.Kind == w.Kind || number(v.Kind) && number(w.Kind)) && v.List == w.List && slices.Equal(v.Texts, w.Texts)
}

// A Prop is one property under the name that the database stores.
type Prop struct {
	Name  string
	Value Value
}

// Props is an object of properties as a property database stores it.
type Props struct {
	Stored []Prop // in the order of the members
	// Rest holds values that cannot be properties (nested and mixed values, integers beyond 64 bits, lists with nulls) under their original names. It is stored
	// as one text under PropsJSON.
	Rest schema.Object
}

// Additional properties of an element in a database.
const (
	PropsJSON  = "props_json" // Props.Rest
	HashProp   = "_hash"      // Hash; elements without it were written by another program
	VectorProp = "_vector"    // of a node
)

var reserved = []string{"id", "type", "src", "dst", "scope", PropsJSON, HashProp, VectorProp}

// PropName is the name under which a member is stored: one of ours, or one that
// would then look like it, gets the prefix "p_". No two names become one.
func PropName(name string) string {
	bare := name
	for strings.HasPrefix(bare, "p_") {
		bare = bare[2:]
	}
	if slices.Contains(reserved, bare) {
		return "p_" + name
	}
	return name
}

// MemberName undoes PropName.
func MemberName(stored string) string {
	if bare, ok := strings.CutPrefix(stored, "p_"); ok && PropName(bare) == stored {
		return bare
	}
	return stored
}

// MapProps is the mapping of DESIGN §4 that every path into a database and every
// comparison uses: nulls and empty lists are not stored.
func MapProps(o schema.Object) Props {
	var p Props
	var rest schema.ObjectBuilder
	for name, raw := range o.Members() {
		v, how := mapValue(raw)
		switch {
		case how == absent:
		case how == nested, name == "", strings.ContainsRune(name, 0):
			rest.Raw(name, raw)
		default:
			p.Stored = append(p.Stored, Prop{PropName(name), v})
		}
	}
	p.Rest = rest.Object()
	return p
}

// Get returns the stored property of a name, or zero.
func (p Props) Get(name string) (Value, bool) {
	for _, q := range p.Stored {
		if q.Name == name {
			return q.Value, true
		}
	}
	return Value{}, false
}

type fit uint8

const (
	fits fit = iota
	absent
	nested
)

// mapValue reads one valid JSON value.
func mapValue(raw []byte) (Value, fit) {
	switch raw[0] {
	case 'n':
		return Value{}, absent
	case '{':
		return Value{}, nested
	case '[':
		out := Value{List: true}
		for item := range codec.Elements(raw) {
			v, how := mapValue(item)
			if how != fits || v.List {
				return Value{}, nested
			}
			switch {
			case out.Kind == 0:
				out.Kind = v.Kind
			case out.Kind == Int && v.Kind == Float, out.Kind == Float && v.Kind == Int:
				out.Kind = Float
			case out.Kind != v.Kind:
				return Value{}, nested
			}
			out.Texts = append(out.Texts, v.Texts[0])
		}
		if len(out.Texts) == 0 {
			return Value{}, absent
		}
		if out.Kind == Float && slices.ContainsFunc(out.Texts, Inexact) {
			return Value{}, nested
		}
		return out, fits
	case '"':
		return Value{Kind: String, Texts: []string{codec.Unquote(raw)}}, fits
	case 't', 'f':
		return Value{Kind: Bool, Texts: []string{string(raw)}}, fits
	}
	text, kind := number(raw)
	if kind == 0 {
		return Value{}, nested
	}
	return Value{Kind: kind, Texts: []string{text}}, fits
}

// Inexact reports an integer that a float cannot hold.
func Inexact(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && (n > 1<<53 || n < -1<<53)
}

// number spells a JSON number: the same text for the same value. Kind is 0 for an
// integer beyond 64 bits and for a float that is not finite; text is then raw.
func number(raw []byte) (text string, kind PropKind) {
	s := string(raw)
	if !strings.ContainsAny(s, ".eE") {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return s, 0
		}
		return strconv.FormatInt(n, 10), Int
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		return s, 0
	}
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 && (f != 0 || !math.Signbit(f)) {
		return strconv.FormatInt(int64(f), 10), Float
	}
	return strconv.FormatFloat(f, 'g', -1, 64), Float
}

// canonical appends raw with members sorted, white space gone and each number and
// string in one spelling: equal values give equal bytes.
func canonical(dst, raw []byte) []byte {
	switch raw[0] {
	case '{':
		type member struct {
			name string
			raw  []byte
		}
		var ms []member
		for k, v := range codec.Members(raw) {
			ms = append(ms, member{k, v})
		}
		slices.SortStableFunc(ms, func(a, b member) int { return strings.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for i, m := range ms {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(codec.AppendString(dst, m.name), ':')
			dst = canonical(dst, m.raw)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		first := true
		for item := range codec.Elements(raw) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = canonical(dst, item)
		}
		return append(dst, ']')
	case '"':
		return codec.AppendString(dst, codec.Unquote(raw))
	case 't', 'f', 'n':
		return append(dst, raw...)
	}
	text, _ := number(raw)
	return append(dst, text...)
}

// sameProps compares two objects as a database would hold them, without the ignored names.
func sameProps(a, b schema.Object, ignore []string) bool {
	ra, _ := a.MarshalJSON()
	rb, _ := b.MarshalJSON()
	return bytes.Equal(ra, rb) || len(changedProps(a, b, ignore)) == 0
}

// changedProps lists the members that differ, in the order of a, then of b.
func changedProps(a, b schema.Object, ignore []string) (out []FieldChange) {
	read := func(o schema.Object) (names []string, at map[string][]byte) {
		at = map[string][]byte{}
		for k, raw := range o.Members() {
			if slices.Contains(ignore, k) {
				continue
			}
			if _, how := mapValue(raw); how == absent {
				continue
			}
			if _, ok := at[k]; !ok {
				names = append(names, k)
			}
			at[k] = raw
		}
		return names, at
	}
	na, ma := read(a)
	nb, mb := read(b)
	for _, k := range na {
		if v, ok := mb[k]; !ok || !sameValue(ma[k], v) {
			out = append(out, FieldChange{"props." + k, clone(ma[k]), clone(mb[k])})
		}
	}
	for _, k := range nb {
		if _, ok := ma[k]; !ok {
			out = append(out, FieldChange{"props." + k, nil, clone(mb[k])})
		}
	}
	return out
}

func sameValue(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.Equal(canonical(nil, a), canonical(nil, b))
}

func clone(raw []byte) json.RawMessage {
	if raw == nil {
		return nil
	}
	return append(json.RawMessage{}, raw...)
}

// ScopePrefix is the prefix of every id of a named graph in a database that holds several; "" for the unnamed one. Scopes are escaped, so that scope and
// id together are
// unique: no two pairs give one text.
func ScopePrefix(scope string) string {
	if scope == "" {
		return ""
	}
	return "scope:" + schema.Mint{V: schema.Latest}.Escape(scope) + "|"
}

// A Hasher makes the hash of an element while its properties are read: Begin, the
// members, Append. It belongs to one goroutine.
type Hasher struct {
	parts, text []byte
	props       []hashed
	rest        []string
	names       []string // of the last element's properties: the next one has mostly the same
	order       []int    // of names
}

type hashed struct {
	name     string
	from, to int // in parts
}

// Begin starts an element.
func (h *Hasher) Begin() { h.parts, h.props, h.rest = h.parts[:0], h.props[:0], h.rest[:0] }

// Text is Member for a string without escapes; body is the text between its quotation
// marks, and stored is not empty.
func (h *Hasher) Text(stored string, body []byte) {
	start := len(h.parts)
	h.parts = appendText(append(h.parts, byte(String), 1), body)
	h.props = append(h.props, hashed{stored, start, len(h.parts)})
}

// Member adds a member of an object that has no name twice. stored is its PropName, ""
// where no property has such a name; raw is its valid value.
func (h *Hasher) Member(name, stored string, raw []byte) {
	start := len(h.parts)
	how := fits
	switch {
	case stored != "" && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0:
		h.Text(stored, raw[1:len(raw)-1])
		return
	case raw[0] == '[' && h.plainTexts(raw):
	default:
		var v Value
		if v, how = mapValue(raw); how == fits {
			h.parts = appendValue(h.parts, v)
		}
	}
	switch {
	case how == absent:
	case how == nested, stored == "":
		h.parts = h.parts[:start]
		h.rest = append(h.rest, restMember(name, raw))
	default:
		h.props = append(h.props, hashed{stored, start, len(h.parts)})
	}
}

// plainTexts adds a list of strings without escapes, and reports whether raw is one.
func (h *Hasher) plainTexts(raw []byte) bool {
	start, n := len(h.parts), bytes.Count(raw, []byte{'"'})/2
	if n == 0 || bytes.IndexByte(raw, '\\') >= 0 {
		return false
	}
	h.parts = binary.AppendUvarint(append(h.parts, byte(String), 'l'), uint64(n))
	for item := range codec.Elements(raw) {
		if item[0] != '"' {
			h.parts = h.parts[:start]
			return false
		}
		h.parts = appendText(h.parts, item[1:len(item)-1])
	}
	return true
}

// Append appends the result of Hash for the same element.
func (h *Hasher) Append(dst []byte, labels []string, typ string, from, to []byte) []byte {
	h.sort()
	h.text = appendHead(h.text[:0], labels, typ, from, to)
	for _, i := range h.order {
		p := &h.props[i]
		h.text = append(appendText(h.text, p.name), h.parts[p.from:p.to]...)
	}
	return appendSum(dst, appendRest(h.text, h.rest))
}

// sort brings the properties into the order of their names.
func (h *Hasher) sort() {
	if slices.EqualFunc(h.props, h.names, func(p hashed, name string) bool { return p.name == name }) {
		return
	}
	h.names, h.order = h.names[:0], h.order[:0]
	for i, p := range h.props {
		h.names, h.order = append(h.names, p.name), append(h.order, i)
	}
	slices.SortFunc(h.order, func(i, j int) int { return strings.Compare(h.names[i], h.names[j]) })
}

// Hash returns the hash that a database stores for an element to detect whether a load changes it: equal for elements that it stores alike. The order of
// members does not count, 1 is 1.0. labels are a node's, sorted, without a label that every node has; typ, src and dst are an edge's.
func Hash(labels []string, typ, src, dst string, p Props) string {
	b := appendHead(nil, labels, typ, src, dst)
	stored := slices.Clone(p.Stored)
	slices.SortFunc(stored, func(a, b Prop) int { return strings.Compare(a.Name, b.Name) })
	for _, q := range stored {
		b = appendValue(appendText(b, q.Name), q.Value)
	}
	var rest []string
	for k, raw := range p.Rest.Members() {
		rest = append(rest, restMember(k, raw))
	}
	return string(appendSum(nil, appendRest(b, rest)))
}

func appendText[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendHead[T string | []byte](b []byte, labels []string, typ string, src, dst T) []byte {
	b = appendText(append(b, 2), typ) // 2 is the version of this hash
	b = appendText(appendText(b, src), dst)
	b = binary.AppendUvarint(b, uint64(len(labels)))
	for _, l := range labels {
		b = appendText(b, l)
	}
	return b
}

func appendValue(b []byte, v Value) []byte {
	kind := v.Kind
	if kind == Int {
		kind = Float
	}
	b = append(b, byte(kind))
	if v.List {
		b = append(b, 'l')
	}
	b = binary.AppendUvarint(b, uint64(len(v.Texts)))
	for _, t := range v.Texts {
		b = appendText(b, t)
	}
	return b
}

func restMember(name string, raw []byte) string {
	return string(codec.AppendString(nil, name)) + string(codec.AppendLayout(nil, raw, codec.Compact))
}

func appendRest(b []byte, rest []string) []byte {
	slices.Sort(rest)
	for _, s := range rest {
		b = appendText(b, s)
	}
	return b
}

func appendSum(dst, b []byte) []byte {
	sum := sha256.Sum256(b)
	return hex.AppendEncode(dst, sum[:16])
}
