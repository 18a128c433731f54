// Package cypher writes a graph as Cypher scripts for cypher-shell, the Browser or any driver.
//
// Reads: Node, Edge. Writes three files, to be run in the order of their names:
//
//	01-constraints.cypher  ids are unique on nodes (label Node) and on each edge type
//	02-nodes.cypher        UNWIND [rows] … MERGE by id, properties replaced
//	03-edges.cypher        both ends matched by id, MERGE by the edge's own id
//
// Rows keep the order of the input within one set of labels, or one type; a batch holds at most 500 rows. Running the scripts again changes nothing.
//
// Text of a record becomes part of a statement only as a literal or as a quoted name: see AppendString and AppendName. Values that a Neo4j property cannot hold
// (nested and mixed values, integers beyond 64 bits) are JSON text in props_json; nulls and empty lists are not stored; a property with one of our names gets
// the prefix "p_". In a named scope (see graph.ScopePrefix), ids have the prefix of the scope, so that one database can hold several graphs.
package cypher

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"membench/graph"
	"membench/internal/codec"
)

// BaseLabel is on every node, so that ids are looked up under one label. It never
// appears in the graph's own records.
const BaseLabel = "Node"

// BatchRows is how many rows a statement holds at most.
const BatchRows = 500

// maxName is the longest label, type or property name that Neo4j's block format holds, in bytes.
const maxName = 16383

// AppendString appends s as a Cypher string literal. Backslashes are doubled first, because Cypher replaces \uXXXX before it looks for quotes. s is UTF-8
// without NUL.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '\'')
	for i := 0; i < len(s); {
		n := plain(s[i:])
		dst = append(dst, s[i:i+n]...)
		if i += n; i == len(s) {
			break
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		dst = appendEscaped(dst, r)
		i += size
	}
	return append(dst, '\'')
}

// plain is the length of the start of s that a literal holds as it is.
func plain[T string | []byte](s T) int {
	for i := 0; i < len(s); i++ {
		switch special[s[i]] {
		case 0:
		case 1:
			return i
		case 2: // C1
			if i+1 < len(s) && s[i+1] < 0xa0 {
				return i
			}
		case 3: // U+2028, U+2029
			if i+2 < len(s) && s[i+1] == 0x80 && (s[i+2] == 0xa8 || s[i+2] == 0xa9) {
				return i
			}
		}
	}
	return len(s)
}

// special marks the bytes at which plain has to look: 1 ends it, 2 and 3 may.
var special = func() (t [256]byte) {
	for c := range 0x20 {
		t[c] = 1
	}
	t['\''], t['\\'], t[0xc2], t[0xe2] = 1, 1, 2, 3
	return t
}()

// plainBytes is plain, eight bytes at a time where they are ASCII.
func plainBytes(s []byte) int {
	i := 0
	for i+8 <= len(s) {
		x := binary.LittleEndian.Uint64(s[i:])
		const ones, highs = 0x0101010101010101, 0x8080808080808080
		q, e := x^(ones*'\''), x^(ones*'\\')
		if ((q-ones)&^q|(e-ones)&^e|(x-ones*0x20)&^x|x)&highs == 0 {
			i += 8
			continue
		}
		if x&highs == 0 {
			break
		}
		if special[byte(x)]|special[byte(x>>8)]|special[byte(x>>16)]|special[byte(x>>24)]|special[byte(x>>32)]|special[byte(x>>40)]|special[byte(x>>48)]|special[byte(x>>56)] != 0 {
			n := plain(s[i : i+8])
			if n < 8 || s[i+7] == 0xc2 || s[i+6] == 0xe2 || s[i+7] == 0xe2 {
				break // let plain look beyond the eight
			}
		}
		i += 8
	}
	return i + plain(s[i:])
}

func appendEscaped(dst []byte, r rune) []byte {
	switch r {
	case '\'', '\\':
		return append(dst, '\\', byte(r))
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	}
	if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 {
		const hex = "0123456789abcdef"
		return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
	}
	return utf8.AppendRune(dst, r)
}

// AppendName appends name as a quoted identifier. Doubling backticks is not enough: a
// backslash is written out, or \u0060 in the name would end it.
func AppendName(dst []byte, name string) ([]byte, error) {
	switch {
	case name == "":
		return dst, errors.New("it is empty")
	case len(name) > maxName:
		return dst, fmt.Errorf("it has %d bytes, at most %d can be stored", len(name), maxName)
	case strings.IndexByte(name, 0) >= 0:
		return dst, errors.New("it contains a NUL")
	case !utf8.ValidString(name):
		return dst, errors.New("it is not UTF-8")
	}
	dst = append(dst, '`')
	for i := range len(name) {
		switch c := name[i]; c {
		case '`':
			dst = append(dst, "``"...)
		case '\\':
			dst = append(dst, `\u005C`...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '`'), nil
}

// Plain reports whether name is [A-Za-z_][A-Za-z0-9_]*: what a label or type should be.
func Plain(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// ConstraintName is the name of the uniqueness constraint on the ids of an edge type;
// of the nodes for "". No two types share one: a type that is not a plain identifier is
// spelled in hex, under a prefix of its own.
func ConstraintName(typ string) string {
	switch {
	case typ == "":
		return "node_id_unique"
	case Plain(typ):
		return "rel_" + typ + "_id_unique"
	}
	return fmt.Sprintf("relx_%x_id_unique", typ)
}

// Constraint is the statement that makes ids unique on an edge type, or on nodes for "".
func Constraint(typ, name string) (string, error) {
	dst, err := AppendName([]byte("CREATE CONSTRAINT "), name)
	if err != nil {
		return "", err
	}
	pattern := "(x:" + BaseLabel + ")"
	if typ != "" {
		quoted, err := AppendName(nil, typ)
		if err != nil {
			return "", err
		}
		pattern = "()-[x:" + string(quoted) + "]-()"
	}
	return string(dst) + " IF NOT EXISTS FOR " + pattern + " REQUIRE x.id IS UNIQUE", nil
}

const (
	constraintsHead = "// Ids are unique: run this file first, then wait for the indexes (CALL db.awaitIndexes(300)).\n"
	nodesHead       = "// Nodes: each is found by its id and its properties are replaced.\n"
	edgesHead       = "// Edges: both ends must be there; each is found by its own id.\n"
	batchHead       = "UNWIND [\n"
)

// Head is the comment that a script starts with.
func Head(file string) string {
	switch file {
	case ConstraintsFile:
		return constraintsHead
	case NodesFile:
		return nodesHead
	}
	return edgesHead
}

// batchTail ends a batch of rows that share labels, or a type. Its rows say in literals
// what differs from row to row; what all share is added by the statement.
func (k kind) batchTail(dst []byte, scope string) []byte {
	in, name := "", AppendString(nil, scope)
	if scope != "" {
		in = string(AppendString(nil, graph.ScopePrefix(scope))) + " + "
	}
	f := Form{ID: in + "row.id", Src: in + "row.src", Dst: in + "row.dst", Props: "row.props", Guard: true, Add: [][2]string{{"id", in + "row.id"}, {"scope", string(name)}}}
	if k.edge {
		f.Add = append(f.Add, [][2]string{{"type", string(AppendString(nil, k.names[0]))}, {"src", "row.src"}, {"dst", "row.dst"}}...)
	}
	dst = append(dst, "\n] AS row\n"...)
	if k.edge {
		dst = f.Edges(dst, k.names[0])
	} else {
		dst = f.Nodes(dst, k.names)
	}
	return append(dst, ";\n"...)
}

// A kind is what the rows of a batch share.
type kind struct {
	edge  bool
	names []string // labels, sorted, without the base label; or the one type
}

func (k kind) key() string { return strings.Join(k.names, "\x00") }

// A values writes JSON values as Cypher literals, and hashes the properties while it
// reads them. It belongs to one goroutine.
type values struct {
	keys map[string]named
	last []named // names of the last object: the next one has mostly the same, in that order
	hash graph.Hasher
	text []byte
	rest []byte // members that no property holds, as JSON
	nul  bool   // a string with a NUL is in rest, which no script can write
	note string // why something is in rest that the user may care about
}

// A named is what is known of a member's name.
type named struct {
	name   string
	key    []byte // the quoted property name with ": ", nil when no property has it in a script
	stored string // graph.PropName, "" when no property has it at all
}

// named returns what is known of the name of the member at place i of its object.
func (v *values) named(i int, name []byte) named {
	if i < len(v.last) && v.last[i].name == string(name) {
		return v.last[i]
	}
	k := v.newName(name)
	v.last = append(v.last[:min(i, len(v.last))], k)
	return k
}

func (v *values) newName(name []byte) named {
	if k, ok := v.keys[string(name)]; ok {
		return k
	}
	k := named{name: string(name)}
	stored := graph.PropName(k.name)
	if key, err := AppendName(nil, stored); err == nil {
		k.key = append(key, ": "...)
	}
	if len(name) > 0 && bytes.IndexByte(name, 0) < 0 {
		k.stored = stored
	}
	if len(v.keys) < 4096 { // names are few; a file of random names must not fill memory
		v.keys[k.name] = k
	}
	return k
}

// props reads an object and appends it as a map of properties. It reports false when
// the object is broken; dst is then of no use.
func (v *values) props(dst []byte, s *codec.Scanner) ([]byte, bool) {
	v.rest, v.note, v.nul = v.rest[:0], "", false
	v.hash.Begin()
	dst = append(dst, '{')
	empty := true
	if !s.Object() {
		return dst, false
	}
	for i := 0; ; i++ {
		name, ok := s.Member()
		if !ok {
			break
		}
		n := v.named(i, name)
		start := len(dst)
		if !empty {
			dst = append(dst, ", "...)
		}
		dst = append(dst, n.key...)
		how := nested
		text := s.Kind() == '"' && n.key != nil && n.stored != ""
		at, from := s.Mark(), s.Offset()
		if text { // the most common by far
			if body, escaped, ok := s.String(); ok && !escaped {
				dst, empty = appendBody(dst, body), false
				v.hash.Text(n.stored, body)
				continue
			}
			s.Back(at)
		}
		if n.key != nil {
			if dst, how = v.value(dst, s); how == broken {
				return dst, false
			}
		}
		if how == nested { // read again: value may have stopped inside
			s.Back(at)
			if _, ok := s.Skip(); !ok {
				return dst, false
			}
		}
		raw := s.Since(from)
		v.hash.Member(n.name, n.stored, raw)
		switch how {
		case fits:
			empty = false
			continue
		case nested:
			if len(v.rest) == 0 {
				v.rest = append(v.rest, '{')
			} else {
				v.rest = append(v.rest, ',')
			}
			v.rest = codec.AppendString(v.rest, n.name)
			v.rest = append(append(v.rest, ':'), raw...)
		}
		dst = dst[:start]
	}
	if !s.OK() {
		return dst, false
	}
	if len(v.rest) > 0 {
		if !empty {
			dst = append(dst, ", "...)
		}
		v.rest = append(v.rest, '}')
		dst = appendBody(append(dst, "`props_json`: "...), v.rest)
	}
	return append(dst, '}'), true
}

type fit uint8

const (
	fits   fit = iota
	absent     // null, an empty list: not stored
	nested     // no property holds it
	broken     // not JSON
)

// value appends the next value, when a property can hold it.
func (v *values) value(dst []byte, s *codec.Scanner) ([]byte, fit) {
	switch s.Kind() {
	case '"':
		body, escaped, ok := s.String()
		if !ok {
			return dst, broken
		}
		return v.str(dst, body, escaped)
	case '0':
		text, ok := s.Number()
		if !ok {
			return dst, broken
		}
		dst, k := v.number(dst, text, false)
		if k == 0 {
			return dst, nested
		}
		return dst, fits
	case 't', 'f', 'n':
		c, ok := s.Literal()
		switch {
		case !ok:
			return dst, broken
		case c == 't':
			return append(dst, "true"...), fits
		case c == 'f':
			return append(dst, "false"...), fits
		}
		return dst, absent
	case '{':
		if _, ok := s.Skip(); !ok {
			return dst, broken
		}
		return dst, nested
	case '[':
		return v.list(dst, s)
	}
	return dst, broken
}

// str appends the string whose JSON body is given.
func (v *values) str(dst, body []byte, escaped bool) ([]byte, fit) {
	if !escaped {
		return appendBody(dst, body), fits
	}
	v.text = codec.AppendUnescaped(v.text[:0], body)
	if bytes.IndexByte(v.text, 0) >= 0 {
		v.note, v.nul = "a string contains a NUL", true
		return dst, nested
	}
	return appendBody(dst, v.text), fits
}

// appendBody is AppendString for bytes.
func appendBody(dst, s []byte) []byte {
	dst = append(dst, '\'')
	for {
		n := plainBytes(s)
		dst = append(dst, s[:n]...)
		if s = s[n:]; len(s) == 0 {
			return append(dst, '\'')
		}
		r, size := utf8.DecodeRune(s)
		dst = appendEscaped(dst, r)
		s = s[size:]
	}
}

// number appends a number; kind is 'i', 'f', or 0 when a property cannot hold it.
func (v *values) number(dst, text []byte, float bool) (_ []byte, kind byte) {
	if bytes.IndexByte(text, '.') < 0 && bytes.IndexByte(text, 'e') < 0 && bytes.IndexByte(text, 'E') < 0 {
		n, err := strconv.ParseInt(string(text), 10, 64)
		switch {
		case err != nil:
			v.note = "an integer does not fit in 64 bits"
			return dst, 0
		case float && (n > 1<<53 || n < -1<<53):
			return dst, 0
		case float:
			return append(strconv.AppendInt(dst, n, 10), ".0"...), 'i'
		case n == -1<<63:
			return append(dst, "(-9223372036854775807 - 1)"...), 'i' // its digits alone are one too many
		}
		return strconv.AppendInt(dst, n, 10), 'i'
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		v.note = "a number is too large for a float"
		return dst, 0
	}
	return appendFloat(dst, f), 'f'
}

// appendFloat spells a float so that Cypher reads one: with a point, without a plus.
func appendFloat(dst []byte, f float64) []byte {
	if f == 0 || f > -1e16 && f < 1e16 && (f >= 1e-4 || f <= -1e-4) {
		n := len(dst)
		dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
		if bytes.IndexByte(dst[n:], '.') < 0 {
			dst = append(dst, ".0"...)
		}
		return dst
	}
	n := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	tail := bytes.Replace(dst[n:], []byte("e+"), []byte("e"), 1)
	if bytes.IndexByte(tail, '.') < 0 {
		tail = bytes.Replace(tail, []byte("e"), []byte(".0e"), 1)
	}
	return append(dst[:n], tail...)
}

// list appends a list whose items are of one kind; integers among floats become floats.
func (v *values) list(dst []byte, s *codec.Scanner) ([]byte, fit) {
	at, start := s.Mark(), len(dst)
	dst, how, mixed := v.items(dst, s, false)
	if !mixed {
		return dst, how
	}
	s.Back(at)
	dst, how, _ = v.items(dst[:start], s, true)
	return dst, how
}

// items appends a list; mixed reports integers beside floats, which asks for another
// pass that writes all as floats.
func (v *values) items(dst []byte, s *codec.Scanner, float bool) (_ []byte, how fit, mixed bool) {
	if !s.Array() {
		return dst, broken, false
	}
	dst = append(dst, '[')
	kind := byte(0)
	n := 0
	how = fits
	for s.Element() {
		c := s.Kind()
		if n > 0 && how == fits {
			dst = append(dst, ", "...)
		}
		n++
		switch {
		case how != fits || c == '{' || c == '[':
			how = nested
			if _, ok := s.Skip(); !ok {
				return dst, broken, false
			}
		case c == '"':
			body, escaped, ok := s.String()
			if !ok {
				return dst, broken, false
			}
			dst, how = v.str(dst, body, escaped)
		case c == '0':
			text, ok := s.Number()
			if !ok {
				return dst, broken, false
			}
			if dst, c = v.number(dst, text, float); c == 0 {
				how = nested
			}
		default:
			l, ok := s.Literal()
			if !ok {
				return dst, broken, false
			}
			switch l {
			case 't':
				dst = append(dst, "true"...)
			case 'f':
				dst = append(dst, "false"...)
			default:
				how = nested
			}
			c = 'b'
		}
		switch {
		case kind == 0:
			kind = c
		case kind == c || how != fits:
		case kind == 'i' && c == 'f' || kind == 'f' && c == 'i':
			mixed = !float
		default:
			how = nested
		}
	}
	switch {
	case !s.OK():
		return dst, broken, false
	case n == 0:
		return dst, absent, false
	}
	return append(dst, ']'), how, mixed && how == fits
}
